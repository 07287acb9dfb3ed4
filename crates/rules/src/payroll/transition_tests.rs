//! Taxes and garnishments for days between two schedules, which are several pay periods or part of one.

use jiff::civil::{Date, date};

use super::garnishment::{GarnishmentTerms, GarnishmentType, LevyFilingStatus, TaxLevy};
use super::sample::{
    biweekly_payroll, by_the_hour, ordered_garnishment, other_terms, parse_amount, support_order,
};
use super::*;
use crate::amount::{Amount, Rounding};
use crate::compensation::PaymentUnit;
use crate::explain::{Node, Recorder, evaluator};
use crate::withholding::federal::PayFrequency;

/// Returns a payroll of the 28 days before the first week of a weekly schedule: four weeks.
fn four_weeks() -> Payroll<'static> {
    Payroll {
        start: date(2026, 6, 8),
        end: date(2026, 7, 5),
        frequency: PayFrequency::EveryWeek,
        withholding_period: PayFrequency::EveryWeek,
        proration: Proration::LeadingUp,
        ..biweekly_payroll()
    }
}

/// Returns a payroll of three days of a 14-day pay period, up to an employee's change to another schedule.
fn three_days() -> Payroll<'static> {
    Payroll {
        start: date(2026, 8, 17),
        end: date(2026, 8, 19),
        proration: Proration::PartOf(14),
        ..biweekly_payroll()
    }
}

fn salaried(a_year: &str) -> Employee<'static, u32> {
    let mut employee = by_the_hour(a_year, "0");
    employee.jobs[0].compensations[0].terms.unit = PaymentUnit::Year;
    employee.jobs[0].worked.clear();
    employee
}

/// 500.00 a month, at most half of disposable earnings.
fn monthly_support() -> GarnishmentTerms {
    let mut terms = support_order("500");
    terms.child_support.as_mut().unwrap().payment_period = PayFrequency::Monthly;
    terms
}

fn paid(payroll: &Payroll<'_>, employee: &Employee<'_, u32>) -> Paycheck<u32> {
    let mut recorder = Recorder::default();
    let found = calculate_paycheck(&mut recorder, payroll, employee).unwrap();
    for node in recorder.finish().iter().map(Node::to_json) {
        evaluator::check(&node).unwrap_or_else(|fault| panic!("{fault}: {node:#}"));
    }
    found
}

fn taken(payroll: &Payroll<'_>, employee: &mut Employee<'static, u32>, terms: &GarnishmentTerms) -> String {
    employee.garnishments = vec![ordered_garnishment(1, terms)];
    paid(payroll, employee).garnishments[0].amount.to_text(2)
}

#[test]
fn income_tax_of_four_weeks_is_that_of_a_week_four_times() {
    // 52,000.00 a year is 1,000.00 a week, from which 78.08 is withheld: 1,240.00 plus 12 % of the part of 43,400.00 (52,000.00 less
    // 8,600.00) above 19,900.00 is 4,060.00 a year.
    let found = paid(&four_weeks(), &salaried("52000"));
    assert_eq!(found.gross.to_text(2), "4000.00");
    assert_eq!(found.taxes.federal_income.to_text(2), "312.32");
    // A withholding period that was chosen applies instead.
    let monthly = Payroll { withholding_period: PayFrequency::Monthly, ..four_weeks() };
    // 48,000.00 less 8,600.00 is 39,400.00: 1,240.00 plus 12 % of 19,500.00 is 3,580.00 a year.
    assert_eq!(paid(&monthly, &salaried("52000")).taxes.federal_income.to_text(2), "298.33");
}

#[test]
fn a_part_of_a_pay_period_bears_its_part_of_the_income_tax_and_of_support() {
    // 104,000.00 a year: 3/14 of 4,000.00 is 857.14, which for the whole period would be 3,999.99. On 103,999.74 a year less 8,600.00,
    // 95,399.74, the tax is 5,800.00 plus 22 % of 37,499.74, or 14,049.94, and 540.38 a pay period; 3/14 of that is 115.80.
    let mut employee = salaried("104000");
    let found = paid(&three_days(), &employee);
    assert_eq!(found.gross.to_text(2), "857.14");
    assert_eq!(found.taxes.federal_income.to_text(2), "115.80");
    // 500.00 a month is 230.77 every other week, of which 3/14 is 49.45.
    assert_eq!(taken(&three_days(), &mut employee, &monthly_support()), "49.45");
}

#[test]
fn support_levies_and_creditors_are_limited_by_the_weeks_that_are_paid() {
    let mut employee = salaried("52000");
    // 500.00 x 12 / 52 x 4.
    assert_eq!(taken(&four_weeks(), &mut employee, &monthly_support()), "461.54");
    // 4,000.00 less 312.32, 248.00 and 58.00 of taxes is 3,381.68; 16,100.00 / 52 x 4 = 1,238.46 is exempt.
    let levy = GarnishmentTerms {
        tax_levy: Some(TaxLevy {
            filing_status: LevyFilingStatus::Single,
            dependents: 0,
            additional: 0,
            year: Some(2026),
            state: None,
        }),
        ..other_terms(Some(GarnishmentType::FederalTaxLien), "0")
    };
    assert_eq!(taken(&four_weeks(), &mut employee, &levy), "2143.22");
    // 280.00 a week: 1,120.00 less 69.44 and 16.24 of taxes is 1,034.32. Of that, 870.00 (30 hours at 7.25 in each of four weeks) is
    // protected, so 164.32 may be taken rather than a quarter, 258.58.
    let creditor = other_terms(Some(GarnishmentType::CreditorGarnishment), "9000");
    let mut employee = salaried("14560");
    let terms = GarnishmentTerms { deduct_as_percentage: true, amount: parse_amount("100"), ..creditor };
    employee.garnishment_law.state = String::new();
    assert_eq!(taken(&four_weeks(), &mut employee, &terms), "164.32");
}

#[test]
fn whoever_was_hired_in_the_last_of_four_weeks_is_paid_a_week() {
    let hired = |day: Date| {
        let mut employee = salaried("52000");
        employee.jobs[0].hired = day;
        employee
    };
    let of_a_week = paid(&four_weeks(), &hired(date(2026, 6, 29)));
    assert_eq!(
        [of_a_week.gross, of_a_week.taxes.federal_income].map(|one| one.to_text(2)),
        ["1000.00", "78.08"]
    );
    let support = taken(&four_weeks(), &mut hired(date(2026, 6, 29)), &monthly_support());
    assert_eq!(support, "115.38");
    // A week that has begun counts, as it does in a regular payroll.
    assert_eq!(taken(&four_weeks(), &mut hired(date(2026, 6, 28)), &monthly_support()), "230.77");
}

#[test]
fn the_tax_of_a_state_and_the_addition_for_nonresident_aliens_are_those_of_each_week() {
    let week = Payroll { start: date(2026, 6, 29), proration: Proration::Whole, ..four_weeks() };
    for code in ["CA", "NY", "OR", "AL", "GA"] {
        let mut employee = salaried("52000");
        let tax = StateTax::find_state_tax(StateTaxTables::built_in(), &week, code, |_| None, None);
        employee.states = vec![StateIncomeTax::of_one(tax)];
        employee.nonresident_alien = true;
        let once = paid(&week, &employee).taxes;
        let four_times = paid(&four_weeks(), &employee).taxes;
        for (once, four_times) in
            [(once.state_income, four_times.state_income), (once.federal_income, four_times.federal_income)]
        {
            assert!(once > Amount::ZERO, "{code}");
            assert_eq!(once.mul_ratio(4, 1, Rounding::HalfUp), Some(four_times), "{code}");
        }
    }
}
