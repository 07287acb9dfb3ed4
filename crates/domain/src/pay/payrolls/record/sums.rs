//! The year-to-date sums that a paycheck builds on, and lifetime sums by garnishment.
//!
//! Each calculation stores them including its own paycheck, so an employee's newest processed payroll has all earlier sums; an
//! employee who has not been paid yet starts with opening balances, or at zero.

use std::collections::BTreeMap;

use rules::Amount;
use rules::payroll::Paycheck;
use rules::payroll::garnishment::WithheldToDate;
use rules::taxes::book::{FICA, FUTA, MEDICARE, SOCIAL_SECURITY};
use rules::taxes::{Circumstances, Opened, Situation, TaxId, ToDate, Visited};
use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

use crate::millionths::{self, Amounts};
use crate::pay::payrolls::record::json::from_json;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::results::{Outcome, TABLE};

/// Sums of earlier payrolls: by year, and lifetime sums by garnishment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sums {
    /// sums by year
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub years: BTreeMap<i16, YearSums>,
    /// number and amount of deductions for each garnishment
    #[serde(with = "millionths", skip_serializing_if = "BTreeMap::is_empty")]
    pub garnishments: BTreeMap<Uuid, Withheld>,
    /// number of deductions for each garnishment in off-cycle payrolls, which have no employer's fee
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub off_cycle_garnishments: BTreeMap<Uuid, i64>,
    /// premiums that were not deducted, less what was recovered, by record of a benefit; zero once all are recovered
    #[serde(with = "millionths", skip_serializing_if = "BTreeMap::is_empty")]
    pub missed_premiums: BTreeMap<Uuid, Amount>,
}

/// The deductions for a garnishment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Withheld {
    /// how many there were
    pub times: i64,
    /// what they withheld together
    pub total: Amount,
}

impl Amounts for Withheld {
    type Numbers = (i64, i64);

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.times, self.total.millionths()).serialize(serializer)
    }

    fn of((times, total): (i64, i64)) -> Self {
        Self { times, total: Amount::from_millionths(total) }
    }
}

/// What was paid for a benefit in a year.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BenefitSums {
    /// code of its type
    pub code: i64,
    /// the employee's deductions
    pub deductions: Amount,
    /// the company's contributions
    pub contributions: Amount,
}

impl Amounts for BenefitSums {
    type Numbers = (i64, i64, i64);

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.code, self.deductions.millionths(), self.contributions.millionths()).serialize(serializer)
    }

    fn of((code, deductions, contributions): (i64, i64, i64)) -> Self {
        let amount = Amount::from_millionths;
        Self { code, deductions: amount(deductions), contributions: amount(contributions) }
    }
}

/// Sums of a year.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct YearSums {
    /// all wages
    #[serde(with = "millionths")]
    pub gross: Amount,
    /// gross less taxes and deductions
    #[serde(with = "millionths")]
    pub net: Amount,
    /// wages and amount of each tax, of the employee and of the employer
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub taxes: BTreeMap<TaxId, ToDate>,
    /// wages that counted for federal unemployment tax, by the state whose unemployment insurance covers the work
    #[serde(with = "millionths", skip_serializing_if = "BTreeMap::is_empty")]
    pub futa_wages_by_state: BTreeMap<String, Amount>,
    /// supplemental wages, on and off cycle
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    pub supplemental_wages: Amount,
    /// uncollected Social Security tax on tips, because pay was insufficient
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    pub uncollected_social_security: Amount,
    /// uncollected Medicare tax on tips, because pay was insufficient
    #[serde(with = "millionths", skip_serializing_if = "Amount::is_zero")]
    pub uncollected_medicare: Amount,
    /// work at locations other than the work address: by state, and by the key of an Ohio city
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub visited: BTreeMap<String, Visited>,
    /// by company benefit
    #[serde(with = "millionths", skip_serializing_if = "BTreeMap::is_empty")]
    pub benefits: BTreeMap<Uuid, BenefitSums>,
    /// pay that the plan excludes, by company benefit
    #[serde(with = "millionths", skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<Uuid, Amount>,
    /// amounts withheld, by garnishment
    #[serde(with = "millionths", skip_serializing_if = "BTreeMap::is_empty")]
    pub garnishments: BTreeMap<Uuid, Amount>,
    /// the employer's fees, by garnishment
    #[serde(with = "millionths", skip_serializing_if = "BTreeMap::is_empty")]
    pub garnishment_fees: BTreeMap<Uuid, Amount>,
    /// whether these are only opening balances: no payroll of the year has paid yet, though one of the next year may have
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_opening: bool,
}

impl YearSums {
    /// Adds the amount of each tax in the year, from the sums that include this paycheck.
    pub fn note_in(&self, paid: &mut Paid) {
        for tax in &mut paid.taxes {
            let held = self.taxes.get(&tax.id);
            tax.year_to_date = held.map_or(Amount::ZERO, |held| held.year.amount);
        }
    }

    /// Returns the wages and taxes before the first payroll of the year, if state and local taxes are known only from these totals.
    pub fn opening_totals(&self) -> Option<Opened> {
        let is_told = self.is_opening && self.taxes_with_counted_wages().next().is_none();
        let wages = match self.social_security_wages().max(self.medicare_wages()) {
            Amount::ZERO => self.gross,
            wages => wages,
        };
        is_told.then(|| Opened {
            wages,
            taxes: self.taxes_withheld().map(|(id, taken)| (id.clone(), taken)).collect(),
        })
    }

    /// Returns the taxes withheld from the employee, without those that come to nothing.
    pub fn taxes_withheld(&self) -> impl Iterator<Item = (&TaxId, Amount)> {
        let own = self.taxes.iter().filter(|(id, _)| !id.is_of_employer());
        own.map(|(id, held)| (id, held.year.amount)).filter(|(_, amount)| !amount.is_zero())
    }

    /// Returns the state and local taxes whose wages were counted, by code; codes of their tables belong to one payer each. Federal
    /// taxes, states' income taxes, and amounts of which nothing else is known have no day on which they were counted.
    pub fn taxes_with_counted_wages(&self) -> impl Iterator<Item = (&String, &ToDate)> {
        let counted = self.taxes.iter().filter(|(_, held)| held.last.is_some());
        counted.map(|(id, held)| (&id.code, held))
    }

    /// Returns the taxable wages of a tax.
    pub fn taxable_wages(&self, id: &TaxId) -> Amount {
        self.taxes.get(id).map_or(Amount::ZERO, |held| held.year.taxable)
    }

    /// Returns the wages that counted for Social Security.
    pub fn social_security_wages(&self) -> Amount {
        self.taxable_wages(&TaxId::of_employee(SOCIAL_SECURITY))
    }

    /// Returns the wages that counted for Medicare.
    pub fn medicare_wages(&self) -> Amount {
        self.taxable_wages(&TaxId::of_employee(MEDICARE))
    }

    /// Returns the wages that counted for federal unemployment tax.
    pub fn futa_wages(&self) -> Amount {
        self.taxable_wages(&TaxId::of_employer(FUTA))
    }

    /// Adds the wages for federal unemployment tax to opening balances without them, up to the wage base: those for Social Security or
    /// Medicare, which the law defines alike (26 USC 3306(b), 3121(a)), otherwise gross pay. Returns the wages if they were taken from gross
    /// pay and may be too high, because benefits may have lowered them; net pay of at least the wage base rules that out.
    pub fn derive_futa_wages(&mut self, base: Amount) -> Option<Amount> {
        if !self.is_opening || self.futa_wages() > Amount::ZERO {
            return None;
        }
        let told = self.social_security_wages().max(self.medicare_wages());
        let subject = if told > Amount::ZERO { told } else { self.gross };
        let taxable = subject.min(base);
        if taxable > Amount::ZERO {
            self.add_tax(&TaxId::of_employer(FUTA), [subject, taxable], Amount::ZERO);
        }
        let is_certain = told > Amount::ZERO || taxable <= Amount::ZERO || self.net >= base;
        (!is_certain).then_some(taxable)
    }

    /// Returns the Social Security and Medicare taxes withheld.
    pub fn fica_withheld(&self) -> Amount {
        self.taxes_withheld()
            .filter(|(id, _)| FICA.contains(&id.code.as_str()))
            .map(|(_, amount)| amount)
            .sum()
    }

    /// Adds the amounts of a paycheck (`times` 1), or takes them off (-1).
    pub fn count_paycheck(&mut self, (gross, net): (Amount, Amount), paid: &Paid, times: i64) {
        self.gross += gross * times;
        self.net += net * times;
        for tax in &paid.taxes {
            self.add_tax(&tax.id, [tax.subject * times, tax.taxable * times], tax.amount * times);
        }
        for benefit in &paid.benefits {
            let new = BenefitSums { code: benefit.code, ..BenefitSums::default() };
            let held = self.benefits.entry(benefit.company_benefit).or_insert(new);
            held.deductions += benefit.deduction * times;
            held.contributions += benefit.contribution * times;
        }
        for taken in paid.deductions.iter().filter(|taken| taken.amount > Amount::ZERO) {
            *self.garnishments.entry(taken.id).or_default() += taken.amount * times;
            if !taken.fee.is_zero() {
                *self.garnishment_fees.entry(taken.id).or_default() += taken.fee * times;
            }
        }
    }

    /// Adds wages and an amount of a tax that is not counted by month or quarter.
    pub fn add_tax(&mut self, id: &TaxId, wages: [Amount; 2], amount: Amount) {
        let held = match self.taxes.get_mut(id) {
            Some(held) => held,
            None => self.taxes.entry(id.clone()).or_default(),
        };
        let held = &mut held.year;
        let [subject, taxable] = wages;
        for (sum, more) in [
            (&mut held.subject, subject),
            (&mut held.taxable, taxable),
            (&mut held.whole, amount),
            (&mut held.amount, amount),
        ] {
            *sum += more;
        }
    }
}

impl Sums {
    /// Returns the year-to-date sums that include a paycheck, as stored with it.
    ///
    /// # Errors
    /// [`store::Error::Unreadable`].
    pub fn read_from_outcome(outcome: &Outcome) -> Result<Self, store::Error> {
        from_json(TABLE, "year_to_date", &outcome.year_to_date)
    }

    /// Adds opening balances, unless payrolls of the same or a later year already include them. Balances of years after `last` do not
    /// count yet.
    pub(in crate::pay::payrolls) fn add_opening_balances(&mut self, opened: &Self, last: i16) {
        for (year, of_year) in opened.years.range(..=last) {
            if self.years.last_key_value().is_some_and(|(last, _)| last >= year) {
                continue;
            }
            for (id, told) in &opened.garnishments {
                let ever = self.garnishments.entry(*id).or_default();
                *ever = opened_garnishment(
                    *ever,
                    of_year.garnishments.get(id).copied().unwrap_or_default(),
                    *told,
                );
            }
            self.years.insert(*year, YearSums { is_opening: true, ..of_year.clone() });
        }
    }

    /// Returns the amounts withheld for a garnishment, as they count for pay of `year`.
    pub fn garnishment_to_date(&self, id: Uuid, year: i16) -> WithheldToDate {
        let Withheld { times, total } = self.garnishments.get(&id).copied().unwrap_or_default();
        let of_year = self.years.get(&year).and_then(|sums| sums.garnishments.get(&id));
        WithheldToDate {
            times,
            year: of_year.copied().unwrap_or_default(),
            total,
            period: Amount::ZERO,
            off_cycle_times: self.off_cycle_garnishments.get(&id).copied().unwrap_or(0),
        }
    }

    /// Returns the sums including a paycheck of a year, off-cycle or not, in these circumstances. Drops years before the previous one.
    pub fn with_paycheck(
        mut self,
        (year, off_cycle, circumstances): (i16, bool, &Circumstances),
        paycheck: &Paycheck<Uuid>,
        situation: &Situation,
        paid: &Paid,
    ) -> Self {
        let Paycheck { gross, net, taxable, .. } = paycheck;
        self.years.retain(|held, _| *held >= year - 1);
        let sums = self.years.entry(year).or_default();
        sums.is_opening = false;
        sums.count_paycheck((*gross, *net), paid, 1);
        // Sums of state and local taxes go by month and quarter, too.
        for (due, line) in situation.due_taxes().iter().zip(&paycheck.other_taxes) {
            sums.taxes.insert(due.id(), line.after.clone());
        }
        sums.visited.extend(circumstances.visited.iter().map(|(key, visited)| (key.clone(), *visited)));
        if let Some(state) = circumstances.covering_state().filter(|_| taxable.futa > Amount::ZERO) {
            *sums.futa_wages_by_state.entry(state.to_owned()).or_default() += taxable.futa;
        }
        sums.supplemental_wages += taxable.supplemental;
        sums.uncollected_social_security += paycheck.uncollected.social_security;
        sums.uncollected_medicare += paycheck.uncollected.medicare;
        for line in paycheck.benefits.iter().filter(|line| line.left_out > Amount::ZERO) {
            *sums.left_out.entry(line.company_benefit).or_default() += line.left_out;
        }
        let missed = paycheck.benefits.iter().filter_map(|line| Some((line.record, line.missed?)));
        self.missed_premiums.extend(missed);
        for taken in paid.deductions.iter().filter(|taken| taken.amount > Amount::ZERO) {
            let ever = self.garnishments.entry(taken.id).or_default();
            ever.times += 1;
            ever.total += taken.amount;
            if off_cycle {
                *self.off_cycle_garnishments.entry(taken.id).or_default() += 1;
            }
        }
        self
    }
}

/// Adds a year's opening balances (the year's amount, and the stated totals) to the number and amount of a garnishment's earlier
/// deductions. The stated totals include earlier years, for which balances or payrolls may exist, too.
fn opened_garnishment(before: Withheld, of_year: Amount, told: Withheld) -> Withheld {
    let of_all = told.total > of_year;
    let times = if of_all { told.times.max(before.times) } else { before.times + told.times };
    Withheld { times, total: told.total.max(before.total + of_year) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pay::payrolls::record::by_chance;

    const ORDER: Uuid = Uuid::from_u128(1);

    /// Returns opening balances of a year: the amount withheld in it, the number of deductions, and the total.
    fn balances(year: i16, of_year: i64, times: i64, total: i64) -> Sums {
        let garnishments = BTreeMap::from([(ORDER, Amount::from_millionths(of_year))]);
        Sums {
            years: BTreeMap::from([(year, YearSums { garnishments, ..YearSums::default() })]),
            garnishments: BTreeMap::from([(ORDER, Withheld::of((times, total)))]),
            ..Sums::default()
        }
    }

    fn opened(until: i16, all: &[Sums]) -> (i64, i64) {
        let mut sums = Sums::default();
        all.iter().for_each(|one| sums.add_opening_balances(one, until));
        let held = sums.garnishments.get(&ORDER).copied().unwrap_or_default();
        (held.times, held.total.millionths())
    }

    #[test]
    fn garnishments_in_opening_balances_of_two_years_count_once() {
        // 500 in 2025 and 300 in 2026, stated as the year's amount, or the second time as the total.
        let first = balances(2025, 500, 5, 500);
        assert_eq!(opened(2026, &[first.clone(), balances(2026, 300, 3, 300)]), (8, 800));
        assert_eq!(opened(2026, &[first.clone(), balances(2026, 300, 8, 800)]), (8, 800));
        // The total may be more than the balances of both years.
        assert_eq!(opened(2026, &[first.clone(), balances(2026, 300, 12, 1_200)]), (12, 1_200));
        assert_eq!(opened(2026, &[first]), (5, 500));
        // The stated total also includes what a payroll of the previous year withheld.
        let mut paid =
            Sums { garnishments: BTreeMap::from([(ORDER, Withheld::of((4, 400)))]), ..Sums::default() };
        paid.years.insert(2025, YearSums::default());
        paid.add_opening_balances(&balances(2026, 300, 7, 700), 2026);
        assert_eq!(paid.garnishments[&ORDER], Withheld::of((7, 700)));
    }

    proptest! {
        #[test]
        fn two_taxes_never_share_a_year_to_date_whatever_their_labels(
            paychecks in prop::collection::vec(by_chance::arbitrary_taxes(), 0..8),
        ) {
            let (mut of_year, mut expected) = (YearSums::default(), BTreeMap::<TaxId, Amount>::new());
            for tax in paychecks.iter().flatten() {
                of_year.add_tax(&tax.id, [tax.subject, tax.taxable], tax.amount);
                *expected.entry(tax.id.clone()).or_default() += tax.amount;
            }
            let stored = serde_json::to_string(&of_year).unwrap();
            let of_year: YearSums = serde_json::from_str(&stored).unwrap();
            let found = of_year.taxes.iter().map(|(id, held)| (id.clone(), held.year.amount));
            prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), expected.clone());
            let withheld: BTreeMap<TaxId, Amount> = of_year.taxes_withheld().map(|(id, sum)| (id.clone(), sum)).collect();
            expected.retain(|id, _| !id.is_of_employer());
            prop_assert_eq!(withheld, expected);
        }
    }

    /// Returns opening balances with gross and net pay and wages for Social Security, in dollars.
    fn opening_balances(gross: i64, net: i64, social_security: i64) -> YearSums {
        let dollars = |dollars: i64| Amount::from_cents(100 * dollars);
        let mut sums =
            YearSums { gross: dollars(gross), net: dollars(net), is_opening: true, ..YearSums::default() };
        sums.add_tax(&TaxId::of_employee(SOCIAL_SECURITY), [dollars(social_security); 2], Amount::ZERO);
        sums
    }

    #[test]
    fn wages_for_federal_unemployment_tax_follow_from_the_wages_told() {
        let base = Amount::from_cents(700_000);
        let derived = |mut sums: YearSums| {
            let doubtful = sums.derive_futa_wages(base).map(|wages| wages.to_text(2));
            (sums.futa_wages().to_text(2), doubtful)
        };
        let certain = |wages: &str| (wages.to_owned(), None);
        assert_eq!(derived(opening_balances(60_000, 0, 58_000)), certain("7000.00"));
        assert_eq!(derived(opening_balances(6_000, 0, 5_500)), certain("5500.00"));
        assert_eq!(derived(opening_balances(9_000, 7_000, 0)), certain("7000.00"));
        assert_eq!(derived(opening_balances(0, 0, 0)), certain("0.00"));
        // Benefits may have lowered them.
        let doubtful = |wages: &str| (wages.to_owned(), Some(wages.to_owned()));
        assert_eq!(derived(opening_balances(9_000, 6_999, 0)), doubtful("7000.00"));
        assert_eq!(derived(opening_balances(6_000, 0, 0)), doubtful("6000.00"));
        // What was reported, or paid by a payroll, stays.
        let mut reported = opening_balances(6_000, 0, 0);
        reported.add_tax(&TaxId::of_employer(FUTA), [Amount::from_cents(400_000); 2], Amount::ZERO);
        assert_eq!(derived(reported), certain("4000.00"));
        assert_eq!(derived(YearSums { is_opening: false, ..opening_balances(6_000, 0, 0) }), certain("0.00"));
    }

    #[test]
    fn balances_of_a_year_count_from_the_first_pay_date_in_it() {
        let both = [balances(2025, 500, 5, 500), balances(2026, 300, 3, 300)];
        assert_eq!(opened(2025, &both), (5, 500));
        let mut sums = Sums::default();
        both.iter().for_each(|one| sums.add_opening_balances(one, 2025));
        assert_eq!(sums.years.keys().copied().collect::<Vec<_>>(), [2025]);
        sums.add_opening_balances(&both[1], 2026);
        assert!(sums.years[&2026].is_opening && sums.garnishments[&ORDER] == Withheld::of((8, 800)));
    }
}
