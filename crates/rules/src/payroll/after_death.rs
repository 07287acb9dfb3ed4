//! Wages paid after the death of the employee.
//!
//! No federal income tax is withheld from wages paid after a death: they are income of the estate or of the person who receives
//! them (Rev. Rul. 86-109). Social Security, Medicare and federal unemployment tax are due on wages paid in the calendar year of the
//! death, and not on later wages (26 USC 3121(a)(14), 3306(b)(15)). The instructions for Forms W-2 and 1099 report accordingly:
//! boxes 3 and 5, not box 1.
//!
//! States are assumed to follow: no state or local income tax, and insurance programs treated like federal unemployment tax. The
//! caller warns, because not every state has said so.

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::exemption::Exempt;
use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};
use crate::named::serde_by_name;
use crate::taxes::{Jurisdiction, Level, Payer};

/// When wages are paid after the death of the employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum AfterDeath {
    /// In the calendar year of the death.
    #[strum(serialize = "same_year")]
    SameYear,
    /// In a later calendar year.
    #[strum(serialize = "later_year")]
    LaterYear,
}

serde_by_name!(AfterDeath);

/// Why no income tax is withheld.
const INCOME_TAX: &str = "Rev. Rul. 86-109";

impl AfterDeath {
    /// Returns the variant for a pay date; `None` for a pay date up to the day of the death.
    pub fn on_pay_date(died: Date, check_date: Date) -> Option<Self> {
        match check_date > died {
            false => None,
            true if check_date.year() == died.year() => Some(Self::SameYear),
            true => Some(Self::LaterYear),
        }
    }

    /// Adds the exemptions after a death to those already held.
    pub(super) fn add_exemptions(self, held: Exempt) -> Exempt {
        match self {
            Self::SameYear => held,
            Self::LaterYear => Exempt {
                fica: held.fica.or(Some("26 USC 3121(a)(14)")),
                futa: held.futa.or(Some("26 USC 3306(b)(15)")),
            },
        }
    }

    /// Whether a state or local tax is due: in the year of the death, state programs and taxes that the employer pays.
    pub(super) fn leaves_due(self, payer: Payer, at: &Jurisdiction) -> bool {
        self == Self::SameYear && (payer == Payer::Employer || at.level == Level::State)
    }
}

/// Explains that no income tax is withheld.
pub(super) fn not_withheld<T: Trace>(trace: &mut T, figure: &'static str) {
    trace.add_leaf(|| {
        Step::new(figure, Operation::Given, Amount::ZERO)
            .note("Nothing is withheld of wages that are paid after the death of the employee.")
            .source(INCOME_TAX)
    });
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::explain::{Node, Recorder};
    use crate::payroll::sample::{biweekly_payroll, by_the_hour, parse_amount};
    use crate::payroll::{Employee, Paycheck, StateIncomeTax, StateTax, calculate_paycheck};

    #[test]
    fn wages_are_paid_after_a_death_from_the_day_after_it_on() {
        let died = date(2026, 6, 10);
        assert_eq!(AfterDeath::on_pay_date(died, died), None);
        assert_eq!(AfterDeath::on_pay_date(died, date(2026, 6, 11)), Some(AfterDeath::SameYear));
        assert_eq!(AfterDeath::on_pay_date(died, date(2026, 12, 31)), Some(AfterDeath::SameYear));
        assert_eq!(AfterDeath::on_pay_date(died, date(2027, 1, 1)), Some(AfterDeath::LaterYear));
    }

    fn in_a_state(after_death: Option<AfterDeath>) -> Employee<'static, u32> {
        let missing = StateTax::Missing { state: "SC".to_owned(), reason: "a test says so".to_owned() };
        let supplied = StateTax::Supplied { state: "CA".to_owned(), amount: parse_amount("50") };
        Employee {
            states: vec![StateIncomeTax::of_one(supplied), StateIncomeTax::of_one(missing)],
            after_death,
            ..by_the_hour("25", "80")
        }
    }

    fn paid(after_death: Option<AfterDeath>) -> (Paycheck<u32>, String) {
        let mut recorder = Recorder::default();
        let paycheck =
            calculate_paycheck(&mut recorder, &biweekly_payroll(), &in_a_state(after_death)).unwrap();
        let nodes: String = recorder.finish().iter().map(|node| Node::to_json(node).to_string()).collect();
        (paycheck, nodes)
    }

    #[test]
    fn in_the_year_of_the_death_wages_bear_fica_and_unemployment_tax_and_no_income_tax() {
        let (alive, _) = paid(None);
        let (paycheck, nodes) = paid(Some(AfterDeath::SameYear));
        assert!(alive.taxes.federal_income > Amount::ZERO && alive.taxes.state_income == parse_amount("50"));
        let (taxes, before) = (&paycheck.taxes, &alive.taxes);
        assert_eq!((taxes.federal_income, taxes.state_income), (Amount::ZERO, Amount::ZERO));
        assert_eq!(
            (taxes.social_security, taxes.medicare, taxes.employer_social_security, taxes.futa),
            (before.social_security, before.medicare, before.employer_social_security, before.futa)
        );
        // 2,000.00 less 124.00 and 29.00.
        assert_eq!((taxes.social_security, paycheck.net), (parse_amount("124"), parse_amount("1847")));
        let wages = &paycheck.taxable;
        assert_eq!((wages.federal_income, wages.state_income, wages.supplemental), Default::default());
        assert_eq!(
            (wages.social_security, wages.medicare),
            (parse_amount("2000"), parse_amount("2000")),
            "boxes 3 and 5"
        );
        assert!(nodes.contains("Rev. Rul. 86-109"));
        assert!(paycheck.state_taxes.iter().all(|line| line.wages == Amount::ZERO));
        assert_eq!(paycheck.warnings, [], "no income tax is missing");
    }

    #[test]
    fn in_a_later_year_wages_bear_no_tax() {
        let (paycheck, nodes) = paid(Some(AfterDeath::LaterYear));
        assert_eq!(paycheck.taxes.of_employee(), Some(Amount::ZERO));
        assert_eq!(paycheck.taxes.of_employer(), Some(Amount::ZERO));
        assert_eq!(paycheck.taxable, Default::default());
        assert_eq!(paycheck.net, parse_amount("2000"));
        assert!(nodes.contains("26 USC 3121(a)(14)") && nodes.contains("26 USC 3306(b)(15)"));
    }
}
