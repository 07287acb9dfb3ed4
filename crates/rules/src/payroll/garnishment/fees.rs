//! Fees that an employer may charge the employee for handling a garnishment.
//!
//! The law of the state of work determines whether there is a fee, and how much. It is taken in addition to the garnishment,
//! only if the employer requests it, and only from what the legal limit leaves after the garnishment: together they stay within
//! 15 USC 1673 (45 CFR 303.100(a)(3)). The employer keeps it; it is not part of the payment to the agency or the creditor.
//!
//! A monthly allowance is divided by the highest number of paychecks that a month can have, so that no month exceeds it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::terms::{GarnishmentTerms, GarnishmentType};
use super::{Line, Pay, requested};
use crate::Named;
use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};
use crate::named::serde_by_name;
use crate::payroll::figures::garnishment_fee_figure;
use crate::taxes::Confidence;
use crate::withholding::federal::PayFrequency;
use crate::withholding::{TableError, csv_rows};

static BUILT_IN: LazyLock<EmployerFees> = LazyLock::new(|| {
    EmployerFees::parse(EmployerFees::FILE)
        .unwrap_or_else(|error| panic!("employer_fees.csv is not a table: {error}"))
});

/// What a fee is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum FeeKind {
    /// An income withholding order for support.
    #[strum(serialize = "support")]
    Support,
    /// A creditor with a judgment.
    #[strum(serialize = "creditor")]
    Creditor,
}

serde_by_name!(FeeKind);

impl FeeKind {
    /// Returns the fee kind of a garnishment; `None` if the table has no fees for its type.
    pub fn of_garnishment(terms: &GarnishmentTerms) -> Option<Self> {
        match terms.garnishment_type {
            Some(GarnishmentType::ChildSupport) => Some(Self::Support),
            Some(GarnishmentType::CreditorGarnishment) => Some(Self::Creditor),
            _ => None,
        }
    }
}

/// The fee that a state allows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EmployerFee {
    /// Two-letter code.
    pub state: String,
    /// What it is for.
    pub kind: FeeKind,
    /// First check date to which it applies; `None` for the earliest one.
    #[serde(default)]
    pub from: Option<Date>,
    /// Dollars for the first payment, if different from later ones.
    #[serde(default)]
    pub first: Option<Amount>,
    /// Dollars per payment.
    #[serde(default)]
    pub payment: Option<Amount>,
    /// Maximum dollars per month.
    #[serde(default)]
    pub month: Option<Amount>,
    /// Percent of the amount withheld, if that is more than the dollars for the payment.
    #[serde(default)]
    pub percent: Option<Amount>,
    /// Section of the law.
    pub section: String,
    /// Where it was read.
    pub source: String,
    /// Degree of confidence in the row.
    pub confidence: Confidence,
    /// What the row leaves out, in words.
    #[serde(default)]
    pub note: String,
}

impl EmployerFee {
    /// Returns the key with which an operator confirms it, such as `NJ_CREDITOR_FEE`.
    pub fn key(&self) -> String {
        format!("{}_{}_FEE", self.state, self.kind.as_str().to_uppercase())
    }

    /// Whether it applies, as in [`super::GarnishmentLimit::is_applicable`].
    pub fn is_applicable(&self, confirmed: &BTreeSet<String>) -> bool {
        self.confidence.is_enough() || confirmed.contains(&self.key())
    }

    /// Calculates the fee in cents for a payment of `withheld` cents.
    pub(super) fn cents(&self, is_first: bool, withheld: i64, frequency: PayFrequency) -> i64 {
        let whole = requested::whole_cents;
        let flat = if is_first { self.first.or(self.payment) } else { self.payment };
        let part = self.percent.map(|percent| requested::percent_of(withheld, percent));
        let of_payment = match (flat.map(whole), part) {
            (Some(flat), Some(part)) => Some(flat.max(part)),
            (flat, part) => flat.or(part),
        };
        let of_month = self.month.map(|most| whole(most) / most_paychecks_of_a_month(frequency));
        [of_payment, of_month].into_iter().flatten().min().unwrap_or(0)
    }

    fn check_row(&self) -> Result<(), String> {
        let of = format!("{} {}", self.state, self.kind.as_str());
        let amounts = [self.first, self.payment, self.month, self.percent];
        if amounts.into_iter().flatten().any(|amount| amount < Amount::ZERO) {
            return Err(format!("{of}: amounts must not be negative"));
        }
        if self.payment.is_none() && self.month.is_none() && self.percent.is_none() {
            return Err(format!("{of}: payment, month or percent must be given"));
        }
        Ok(())
    }
}

/// Returns the highest number of paychecks that can fall in a calendar month.
fn most_paychecks_of_a_month(frequency: PayFrequency) -> i64 {
    match frequency {
        PayFrequency::EveryWeek => 5,
        PayFrequency::EveryOtherWeek => 3,
        PayFrequency::TwicePerMonth => 2,
        PayFrequency::Daily => 23,
        PayFrequency::Monthly
        | PayFrequency::Quarterly
        | PayFrequency::Semiannually
        | PayFrequency::Annually => 1,
    }
}

/// Fees of all states, by first check date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmployerFees {
    by_state: BTreeMap<(String, FeeKind), BTreeMap<Option<Date>, EmployerFee>>,
}

impl EmployerFees {
    /// The built-in fees as text.
    pub const FILE: &'static str = include_str!("../../../../../data/employer_fees.csv");

    /// Returns the built-in fees.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `employer_fees.csv`.
    ///
    /// # Errors
    /// A row is malformed or has no amount; a state has two rows for the same kind and day.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let mut by_state: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for row in csv_rows::<EmployerFee>(csv)? {
            row.check_row().map_err(TableError::new)?;
            let of_state = by_state.entry((row.state.clone(), row.kind)).or_default();
            if let Some(twice) = of_state.insert(row.from, row) {
                return Err(TableError::new(format!("{} {}: two rows", twice.state, twice.kind.as_str())));
            }
        }
        Ok(Self { by_state })
    }

    /// Returns the fee that a state allows on a check date; `None` if the table has none.
    pub fn fee_of_state(&self, state: &str, kind: FeeKind, day: Date) -> Option<&EmployerFee> {
        let rows = self.by_state.get(&(state.to_owned(), kind))?;
        rows.range(..=Some(day)).next_back().map(|(_, row)| row)
    }

    /// Returns all rows, by state, kind and first day.
    pub fn iter(&self) -> impl Iterator<Item = &EmployerFee> {
        self.by_state.values().flat_map(BTreeMap::values)
    }
}

/// The wages that the law requires to be paid free and clear, which no employer fee may reduce: the minimum wage for every hour,
/// and overtime (29 CFR 531.35). A garnishment itself counts as paid to the employee, because neither the employer nor anyone
/// acting in the employer's interest profits from it (29 CFR 531.39); a fee that the employer keeps does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeAndClear {
    /// Wages of the pay period, without tips.
    pub wages: Amount,
    /// Minimum wage and overtime for the hours of the pay period.
    pub required: Amount,
    /// Whether hours of a salary are not known, and it counts as that of 40 hours a week.
    pub presumed: bool,
}

/// What the limit leaves for a fee: the first figure less the others, in cents.
pub(super) type LeftOfLimit<'a> = &'a [(&'static str, i64)];

/// Takes and explains the fee for a garnishment with an amount withheld. `before` is the total of fees already taken from this pay.
pub(super) fn take_fee<K: std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    line: &mut Line<'_, K>,
    left_of_limit: LeftOfLimit<'_>,
    before: &mut i64,
) {
    let terms = &line.garnishment.terms;
    let Some(row) = pay.law.applicable_fee(terms).filter(|_| line.taken > 0) else { return };
    // Off-cycle payrolls take no fee, so they do not use up the first payment, for which a state may allow more.
    let withheld = &line.garnishment.withheld;
    let is_first = withheld.times <= withheld.off_cycle_times;
    let allowed = row.cents(is_first, line.taken, pay.periods.frequency);
    let less: i64 = left_of_limit.iter().skip(1).map(|(_, cents)| cents).sum();
    let left = (left_of_limit.first().map_or(0, |(_, cents)| *cents) - less).max(0);
    let cents = Amount::from_cents;
    let spare = pay.free_and_clear.map(|held| {
        let over = held.wages.checked_sub(held.required)?.checked_sub(cents(*before))?;
        Some((held, over.max(Amount::ZERO)))
    });
    let spare = spare.flatten();
    let most = spare.map_or(i64::MAX, |(_, spare)| requested::whole_cents(spare));
    line.fee = allowed.min(left).min(most);
    trace.open_figure();
    trace.add_leaf(|| {
        Step::new("allowed_fee", Operation::Given, cents(allowed))
            .input("state", row.state.clone())
            .input("withheld", cents(line.taken))
            .source(row.section.clone())
            .note(allowance_text(row, is_first))
    });
    trace.add_leaf(|| {
        let step = Step::new("left_of_limit", Operation::Remaining, cents(left));
        left_of_limit
            .iter()
            .fold(step, |step, (name, amount)| step.input(*name, cents(*amount)))
            .source("15 USC 1673; 45 CFR 303.100(a)(3)")
    });
    if let Some((held, spare)) = spare {
        trace.add_leaf(|| {
            Step::new("wages_above_minimum", Operation::Remaining, spare)
                .input("wages", held.wages)
                .input("minimum_wages_and_overtime", held.required)
                .input("fees_before", cents(*before))
                .source("29 CFR 531.35 and 531.39")
        });
    }
    *before += line.fee;
    trace.close_figure(|| {
        let step = Step::new(garnishment_fee_figure(&line.garnishment.id), Operation::Least, cents(line.fee))
            .input("allowed_fee", cents(allowed))
            .input("left_of_limit", cents(left));
        let step = match spare {
            Some((_, spare)) => step.input("wages_above_minimum", spare),
            None => step,
        };
        step.note("The employer keeps the fee. It is taken after the garnishment, of what the limit leaves.")
    });
}

/// Returns what a row allows, in words.
fn allowance_text(row: &EmployerFee, is_first: bool) -> String {
    let mut said = Vec::new();
    match (row.first.filter(|_| is_first), row.payment) {
        (Some(first), _) => said.push(format!("{} of the first payment", first.to_text(2))),
        (None, Some(payment)) => said.push(format!("{} of a payment", payment.to_text(2))),
        (None, None) => {}
    }
    if let Some(percent) = row.percent {
        let or = if said.is_empty() { "" } else { "or, if that is more, " };
        said.push(format!("{or}{} % of what is withheld", percent.to_text(0)));
    }
    if let Some(month) = row.month {
        let month = month.to_text(2);
        said.push(format!("at most {month} of a month, divided by the most paychecks that a month can have"));
    }
    format!("The state allows {}.", said.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::terms::WithheldToDate;
    use super::super::tests_support::{
        DAY, checked_deductions, garnishments_with, monthly_pay, other_terms, support_order,
    };
    use super::*;

    fn with_fee(terms: GarnishmentTerms) -> GarnishmentTerms {
        GarnishmentTerms { employer_fee: true, ..terms }
    }

    /// Returns the amount withheld and the fee, in cents.
    fn both(pay: &Pay<'_>, all: &[GarnishmentTerms]) -> Vec<(i64, i64)> {
        let taken = checked_deductions(pay, &garnishments_with(all));
        taken.iter().map(|one| (one.amount.cents_half_up(), one.fee.cents_half_up())).collect()
    }

    #[test]
    fn every_state_says_what_an_order_for_support_may_cost_and_each_row_where_it_was_read() {
        for (state, _) in crate::check::STATES {
            let row = EmployerFees::built_in().fee_of_state(state, FeeKind::Support, DAY);
            assert!(row.is_some(), "{state} has no row");
        }
        for row in EmployerFees::built_in().iter() {
            assert!(!row.section.is_empty() && !row.source.is_empty(), "{}", row.key());
        }
    }

    #[test]
    fn a_fee_is_taken_beside_the_order_and_only_where_the_employer_asks_for_it() {
        let pay = monthly_pay(300_000, "TX");
        assert_eq!(both(&pay, &[support_order(50, 40_000, 0)]), [(40_000, 0)]);
        assert_eq!(both(&pay, &[with_fee(support_order(50, 40_000, 0))]), [(40_000, 1_000)]);
        // An order that has ended withholds nothing and takes no fee.
        let ended = GarnishmentTerms { active: false, ..with_fee(support_order(50, 40_000, 0)) };
        assert_eq!(both(&pay, &[ended]), [(0, 0)]);
    }

    #[test]
    fn order_and_fee_together_stay_within_the_limit_and_the_order_comes_first() {
        // The limit in Texas is half of 1,000.00: support of 495.00 leaves 5.00 for a fee of 10.00, and 500.00 leaves nothing.
        let pay = monthly_pay(100_000, "TX");
        assert_eq!(both(&pay, &[with_fee(support_order(50, 49_500, 0))]), [(49_500, 500)]);
        assert_eq!(both(&pay, &[with_fee(support_order(50, 60_000, 0))]), [(50_000, 0)]);
        // With two orders, the older one's fee comes first.
        let two = [with_fee(support_order(50, 24_000, 0)), with_fee(support_order(50, 24_500, 0))];
        assert_eq!(both(&pay, &two), [(24_000, 1_000), (24_500, 500)]);
    }

    #[test]
    fn a_month_never_takes_more_than_its_fee_whatever_the_schedule() {
        let row = EmployerFees::built_in().fee_of_state("TX", FeeKind::Support, DAY).unwrap();
        for (frequency, cents) in [
            (PayFrequency::EveryWeek, 200),
            (PayFrequency::EveryOtherWeek, 333),
            (PayFrequency::TwicePerMonth, 500),
            (PayFrequency::Monthly, 1_000),
        ] {
            assert_eq!(row.cents(true, 10_000, frequency), cents);
        }
        // Kansas: 5.00 a payment, at most 10.00 a month.
        let row = EmployerFees::built_in().fee_of_state("KS", FeeKind::Support, DAY).unwrap();
        assert_eq!(row.cents(true, 10_000, PayFrequency::Monthly), 500);
        assert_eq!(row.cents(true, 10_000, PayFrequency::EveryWeek), 200);
    }

    #[test]
    fn what_a_state_allows_of_the_first_payment_is_taken_of_the_first_one_that_takes_fees() {
        let mut garnished = garnishments_with(&[with_fee(support_order(50, 10_000, 0))]);
        let mut fee_after = |times, off_cycle_times| {
            garnished[0].withheld = WithheldToDate { times, off_cycle_times, ..WithheldToDate::default() };
            checked_deductions(&monthly_pay(300_000, "FL"), &garnished)[0].fee.cents_half_up()
        };
        // 5.00 for the first payment, 2.00 for later ones; an off-cycle bonus took no fee.
        assert_eq!(
            [fee_after(0, 0), fee_after(1, 1), fee_after(2, 1), fee_after(3, 1)],
            [500, 500, 200, 200]
        );
    }

    #[test]
    fn first_payments_percentages_and_states_without_a_fee_are_as_their_rows_say() {
        let fee = |state: &str, is_first: bool, withheld: i64| {
            let row = EmployerFees::built_in().fee_of_state(state, FeeKind::Support, DAY).unwrap();
            row.cents(is_first, withheld, PayFrequency::Monthly)
        };
        assert_eq!((fee("FL", true, 10_000), fee("FL", false, 10_000)), (500, 200));
        assert_eq!((fee("OH", true, 10_000), fee("OH", true, 50_000)), (200, 500));
        // 23 Pa.C.S. 4348(j) and Utah Admin. Code R527-302: once. MCL 552.623(3): 1.00 a payment, at most 2.00 a month.
        assert_eq!((fee("PA", true, 10_000), fee("PA", false, 10_000)), (5_000, 0));
        assert_eq!((fee("UT", false, 10_000), fee("MI", true, 10_000)), (0, 100));
        assert_eq!((fee("NY", true, 10_000), fee("CT", true, 10_000)), (0, 0));
    }

    #[test]
    fn a_creditors_fee_stays_within_the_creditors_limit_and_one_from_memory_is_not_taken() {
        // The limit is 596.80, 40 % of what exceeds 48 hours a week at 7.25, because a fifth of 3,000.00 is more.
        let creditor = |cents| with_fee(other_terms(Some(GarnishmentType::CreditorGarnishment), cents));
        assert_eq!(both(&monthly_pay(300_000, "CA"), &[creditor(10_000)]), [(10_000, 150)]);
        assert_eq!(both(&monthly_pay(300_000, "CA"), &[creditor(90_000)]).first().map(|one| one.1), Some(0));
        assert_eq!(both(&monthly_pay(300_000, "NJ"), &[creditor(10_000)]), [(10_000, 0)]);
        let mut law = super::super::tests_support::law_of_state("NJ").clone();
        law.confirmed.insert("NJ_CREDITOR_FEE".to_owned());
        let pay = Pay { law: &law, ..monthly_pay(300_000, "NJ") };
        assert_eq!(both(&pay, &[creditor(10_000)]), [(10_000, 500)]);
    }

    #[test]
    fn fees_leave_the_minimum_wage_and_overtime_of_the_hours_worked() {
        // 29 CFR 531.35: wages are 80 hours at 7.25 plus 3.00, so two fees of 10.00 a month take 3.00 together, with an explanation.
        let wages = |wages: i64| {
            let held = FreeAndClear {
                wages: Amount::from_cents(wages),
                required: Amount::from_cents(58_000),
                presumed: false,
            };
            Pay { free_and_clear: Some(held), ..monthly_pay(300_000, "TX") }
        };
        let two = [with_fee(support_order(50, 20_000, 0)), with_fee(support_order(50, 20_000, 0))];
        assert_eq!(both(&wages(58_300), &two), [(20_000, 300), (20_000, 0)]);
        assert_eq!(both(&wages(59_200), &two), [(20_000, 1_000), (20_000, 200)]);
        // At the minimum wage, or below it with tips, nothing is left for a fee; the order itself is withheld (29 CFR 531.39).
        assert_eq!(both(&wages(58_000), &two), [(20_000, 0), (20_000, 0)]);
        assert_eq!(both(&wages(17_040), &two), [(20_000, 0), (20_000, 0)]);
        // A creditor's fee comes after those of support.
        let creditor = with_fee(other_terms(Some(GarnishmentType::CreditorGarnishment), 10_000));
        let pay = Pay { law: super::super::tests_support::law_of_state("CA"), ..wages(58_200) };
        assert_eq!(
            both(&pay, &[with_fee(support_order(50, 20_000, 0)), creditor]),
            [(20_000, 150), (10_000, 50)]
        );
    }

    #[test]
    fn a_row_counts_from_its_first_day_on() {
        let head = "state,kind,from,first,payment,month,percent,section,source,confidence,note\n";
        let rows = "TX,support,,,,10,,s,s,primary,\nTX,support,2027-01-01,,,12,,s,s,primary,\n";
        let fees = EmployerFees::parse(&format!("{head}{rows}")).unwrap();
        let month = |day| fees.fee_of_state("TX", FeeKind::Support, day).unwrap().month.unwrap().to_text(2);
        assert_eq!(month(jiff::civil::date(2026, 12, 31)), "10.00");
        assert_eq!(month(jiff::civil::date(2027, 1, 1)), "12.00");
        // A figure in doubt applies once the operator has confirmed it.
        let held = EmployerFees::built_in().fee_of_state("NJ", FeeKind::Creditor, DAY).unwrap();
        assert!(!held.is_applicable(&BTreeSet::new()) && held.is_applicable(&BTreeSet::from([held.key()])));
    }

    #[test]
    fn a_fee_counts_towards_what_creditors_find_taken_already() {
        // A quarter of 3,000.00 is 750.00; support of 740.00 leaves 10.00, and with its fee of 5.00 it leaves 5.00.
        let creditor = other_terms(Some(GarnishmentType::CreditorGarnishment), 20_000);
        let pay = monthly_pay(300_000, "TN");
        assert_eq!(both(&pay, &[support_order(50, 74_000, 0), creditor.clone()])[1], (1_000, 0));
        assert_eq!(both(&pay, &[with_fee(support_order(50, 74_000, 0)), creditor])[1], (500, 0));
    }

    #[test]
    fn rows_that_say_nothing_or_come_twice_are_refused() {
        let head = "state,kind,from,first,payment,month,percent,section,source,confidence,note\n";
        for (rows, expected) in [
            ("TX,support,,5,,,,s,s,primary,", "payment, month or percent"),
            ("TX,support,,,-1,,,s,s,primary,", "negative"),
            ("TX,debtor,,,1,,,s,s,primary,", "debtor"),
            ("TX,support,,,1,,,s,s,primary,\nTX,support,,,1,,,s,s,primary,", "two rows"),
        ] {
            let why = EmployerFees::parse(&format!("{head}{rows}\n")).unwrap_err().to_string();
            assert!(why.contains(expected), "{rows}: {why}");
        }
    }
}
