//! Speed of the calculation alone: `cargo bench -p rules --bench gross_to_net`.
//!
//! Employees are prepared in memory, and one core turns them into paychecks; nothing is read or stored. Beside it runs
//! the bare arithmetic that any payroll needs (gross pay, Social Security, Medicare and federal income tax on 64-bit
//! cents) as the ceiling of the same run. Processor time counts, not the clock on the wall. Being slow is never an
//! error here: each figure is printed beside its goal.
//!
//! Options, after `--`: the number of rounds (default 5), and `profile`, which repeats the payroll with six lines of
//! other taxes for a while.

#![allow(clippy::float_arithmetic, reason = "figures for people")]

use std::hint::black_box;
use std::sync::Arc;

use jiff::civil::{Date, date};
use rules::Amount;
use rules::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use rules::explain::NoTrace;
use rules::payroll::benefits::{Benefit, BenefitElection, BenefitType, Contribution, Exclusions, Limits};
use rules::payroll::garnishment::{
    ChildSupport, EarlierPay, Garnishment, GarnishmentLaw, GarnishmentTerms as Order, GarnishmentType,
    IncomeWithholdingOrder, MinimumWages, SupportLimits, WithheldToDate,
};
use rules::payroll::taxes::PayrollTaxes;
use rules::payroll::{
    Compensation, Employee, Job, OtherTaxes, Overtime, Payroll, Proration, StateIncomeTax, StateTax,
    StateTaxTables, Totals, Worked, YearToDate, calculate_paycheck,
};
use rules::taxes::{
    BaseTable, Facts, Share, Situation, TaxTable, ToDate, UnemploymentTable, insurance, local, unemployment,
};
use rules::window::{BASELINE, Window};
use rules::withholding::federal::{Bracket, FederalTables, FilingStatus, PayFrequency, W4};
use rustix::time::{ClockId, clock_gettime};
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const START: Date = date(2026, 6, 1);
const END: Date = date(2026, 6, 14);
/// Paychecks of one core in a second.
const GOAL: f64 = 1_000_000.0;
/// The same, with six lines of taxes of states and places.
const GOAL_WITH_LINES: f64 = 700_000.0;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let rounds = words.iter().find_map(|word| word.parse::<usize>().ok()).unwrap_or(5).clamp(1, 1_000);
    let order = order();
    let payroll = payroll();
    println!("paychecks on one core, best of {rounds} rounds, processor time\n");
    println!("{:<44} {:>9} {:>12} {:>14}", "what", "employees", "each", "a second");
    let plain = |number| employee(number, None, &payroll);
    let whole = |number| employee(number, Some(&order), &payroll);
    for count in [1_000, 10_000, 100_000] {
        let ours: Vec<_> = (0..count).map(whole).collect();
        line(
            "one job, two benefits, one order",
            rounds,
            &ours,
            |employees| run(&payroll, employees),
            Some(GOAL),
        );
    }
    let mut ours: Vec<_> = (0..100_000).map(plain).collect();
    line("one job, income tax of a state", rounds, &ours, |employees| run(&payroll, employees), None);
    let situation = Arc::new(six_lines());
    for employee in &mut ours {
        let before = situation.to_dates(|_| ToDate::default());
        employee.other_taxes = OtherTaxes { situation: Arc::clone(&situation), before, hours: None };
    }
    line(
        "the same, and six lines of other taxes",
        rounds,
        &ours,
        |employees| run(&payroll, employees),
        Some(GOAL_WITH_LINES),
    );
    if words.iter().any(|word| word == "profile") {
        for _ in 0..30 {
            black_box(run(&payroll, &ours));
        }
    }
    drop(ours);
    let mut untaxed: Vec<_> = (0..100_000).map(whole).collect();
    for employee in &mut untaxed {
        employee.states = vec![StateIncomeTax::of_one(StateTax::NoTax { state: "TX".to_owned() })];
    }
    line(
        "two benefits, one order, no state tax",
        rounds,
        &untaxed,
        |employees| run(&payroll, employees),
        None,
    );
    let hours: Vec<(i64, i64)> = (0..100_000).map(|number| (rate(number), hours(number))).collect();
    line("bare 64-bit arithmetic", rounds, &hours, |hours| bare(&payroll, hours), None);
}

/// The best of some rounds, as one line.
fn line<E>(what: &str, rounds: usize, employees: &[E], work: impl Fn(&[E]) -> i64, goal: Option<f64>) {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        // Short payrolls are repeated, so that the clock can tell.
        let repeats = (100_000 / employees.len()).max(1);
        let before = processor_seconds();
        for _ in 0..repeats {
            black_box(work(black_box(employees)));
        }
        let each = (processor_seconds() - before) / (repeats * employees.len()) as f64;
        best = best.min(each);
    }
    let a_second = 1.0 / best;
    let met = goal.map_or(String::new(), |goal| {
        let met = if a_second >= goal { "yes" } else { "no" };
        format!("  (goal {goal:.0}: {met})")
    });
    println!("{what:<44} {:>9} {:>9.0} ns {a_second:>14.0}{met}", employees.len(), best * 1e9);
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Calculates a payroll; cents of net pay, so that nothing can be left out.
fn run(payroll: &Payroll, employees: &[Employee<'_, Uuid>]) -> i64 {
    let mut totals = Totals::default();
    for employee in employees {
        let paycheck = calculate_paycheck(&mut NoTrace, payroll, employee);
        let with = paycheck.as_ref().and_then(|paycheck| totals.add_paycheck(paycheck));
        totals = with.unwrap_or_else(|| panic!("the sums of the bench fit"));
    }
    totals.net.cents_half_up()
}

/// Unemployment insurance of employee and employer, earned income and local services tax, and taxes of two cities.
fn six_lines() -> Situation {
    let day = date(2026, 6, 19);
    let base = PayrollTaxes::built_in(2026).map_or(Amount::ZERO, |taxes| taxes.social_security_base);
    let facts = Facts::new(day, base, BaseTable::built_in());
    let mut found = insurance::due_programs(TaxTable::insurance(), &facts, &[("PA", Share::ALL)], "PA");
    let employer = unemployment::Employer { new: true, ..Default::default() };
    unemployment::add_due_tax(UnemploymentTable::built_in(), &facts, ("PA", &employer), &mut found);
    let residency = local::Residency {
        home: Some("700102".to_owned()),
        work: Some("390101".to_owned()),
        ..Default::default()
    };
    let places = local::Places {
        home: vec!["MO-KANSAS_CITY".to_owned(), "DE-WILMINGTON".to_owned()],
        pennsylvania: vec![(residency, Share::ALL)],
        ..Default::default()
    };
    let situation = Situation::new([found, local::due_taxes(local::Tables::built_in(), &facts, &places)]);
    assert_eq!(
        (situation.due_taxes().len(), situation.uncalculated_taxes().len()),
        (6, 0),
        "six lines are worked out"
    );
    situation
}

/// What no payroll can do without, in cents.
fn bare(payroll: &Payroll, hours: &[(i64, i64)]) -> i64 {
    let rows: Vec<(i64, i64, i64)> = payroll.federal.standard.single.iter().map(cents_of).collect();
    let mut net = 0;
    for (rate, hours) in hours {
        let gross = (rate * hours + 50) / 100;
        let social_security = (gross * 62 + 500) / 1_000;
        let medicare = (gross * 145 + 5_000) / 10_000;
        let annual = (gross * 26 - 860_000).max(0);
        let row = rows.iter().rev().find(|row| row.0 <= annual).copied().unwrap_or_default();
        let tax = (row.1 * 100 + (annual - row.0) * row.2 + 1_300) / 2_600;
        net += gross - social_security - medicare - tax;
    }
    net
}

fn cents_of(row: &Bracket) -> (i64, i64, i64) {
    (row.at_least.cents_half_up(), row.base.cents_half_up(), row.percent.cents_half_up() / 100)
}

fn payroll() -> Payroll<'static> {
    let year = "the tables of 2026 come with the crate";
    Payroll {
        start: START,
        end: END,
        check_date: date(2026, 6, 19),
        frequency: PayFrequency::EveryOtherWeek,
        withholding_period: PayFrequency::EveryOtherWeek,
        fixed_withholding_rate: false,
        skip_regular_deductions: false,
        pays_salaries: true,
        proration: Proration::Whole,
        federal: FederalTables::built_in(2026).unwrap_or_else(|| panic!("{year}")),
        taxes: PayrollTaxes::built_in(2026).unwrap_or_else(|| panic!("{year}")),
        benefit_limits: Limits::built_in(),
    }
}

/// Cents an hour.
fn rate(number: u32) -> i64 {
    1_500 + i64::from(number * 37 % 4_000)
}

/// Hundredths of hours.
fn hours(number: u32) -> i64 {
    6_000 + i64::from(number * 53 % 2_000)
}

fn order() -> Order {
    Order {
        active: true,
        court_ordered: true,
        garnishment_type: Some(GarnishmentType::ChildSupport),
        amount: Amount::from_cents(5_000),
        deduct_as_percentage: true,
        pay_period_maximum: Some(Amount::from_cents(30_000)),
        annual_maximum: None,
        total_amount: None,
        times: None,
        recurring: true,
        child_support: Some(ChildSupport {
            payment_period: PayFrequency::EveryOtherWeek,
            order: IncomeWithholdingOrder::default(),
        }),
        served_on: None,
        ends_on: None,
        tax_levy: None,
        bankruptcy_chapter: None,
        employer_fee: false,
    }
}

/// A job by the hour, with a little overtime for some.
fn job(number: u32) -> Job {
    let terms = PayTerms {
        rate: Amount::from_cents(rate(number)),
        unit: PaymentUnit::Hour,
        flsa: FlsaStatus::Nonexempt,
    };
    let worked = Worked {
        from: START,
        until: END,
        regular: Amount::from_cents(hours(number)),
        overtime: Amount::from_cents(i64::from(number % 5) * 100),
        double_overtime: Amount::ZERO,
    };
    Job {
        hired: date(2020, 1, 1),
        left: None,
        away: None,
        away_again: Vec::new(),
        compensations: vec![Compensation { effective: date(2020, 1, 1), terms, floors: Vec::new() }],
        later: Vec::new(),
        worked: vec![worked],
        by_week: Vec::new(),
        paid_before: Vec::new(),
        agreed_overtime_rate: false,
        fluctuating_workweek: false,
        time_off: Vec::new(),
    }
}

/// An employee paid by the hour in one of five states, with two benefits and an order where there is one.
fn employee<'a>(number: u32, order: Option<&'a Order>, payroll: &Payroll) -> Employee<'a, Uuid> {
    let code = ["IL", "PA", "GA", "CO", "OH"][(number % 5) as usize];
    let tables = StateTaxTables::built_in();
    let id = |kind: u128| Uuid::from_u128(u128::from(number) << 8 | kind);
    let benefits = order.map_or_else(Vec::new, |_| {
        vec![benefit(id(1), 1, "Medical", 12_000, false), benefit(id(2), 5, "401(k)", 500, true)]
    });
    let garnishments = order.map_or_else(Vec::new, |terms| {
        vec![Garnishment {
            id: id(3),
            since: date(2024, 1, 1),
            terms: terms.clone(),
            withheld: WithheldToDate::default(),
        }]
    });
    Employee {
        jobs: vec![job(number)],
        fixed: Vec::new(),
        reimbursements: Vec::new(),
        w4: W4::Rev2020 {
            filing_status: if number.is_multiple_of(3) {
                FilingStatus::Married
            } else {
                FilingStatus::Single
            },
            two_jobs: false,
            dependents_amount: Amount::ZERO,
            other_income: Amount::ZERO,
            deductions: Amount::ZERO,
            extra_withholding: Amount::ZERO,
        },
        nonresident_alien: false,
        fica_exemption: None,
        charitable_employer: false,
        after_death: None,
        states: vec![StateIncomeTax::of_one(StateTax::find_state_tax(tables, payroll, code, |_| None, None))],
        benefits,
        benefits_to_date: Vec::new(),
        birth_date: Some(date(1980, 2, 3)),
        annual_salary: None,
        two_percent_shareholder: false,
        roth_catch_up: false,
        garnishments,
        support_limits: SupportLimits::built_in().limits_of_state(code, jiff::civil::date(2026, 6, 1)),
        garnishment_law: GarnishmentLaw::built_in(
            code,
            jiff::civil::date(2026, 6, 1),
            MinimumWages::of_country(Amount::from_cents(725)),
        ),
        earlier: EarlierPay::default(),
        other_taxes: OtherTaxes::default(),
        overtime: Overtime::federal_law(),
        year_to_date: YearToDate::default(),
        payment: None,
    }
}

fn benefit(record: Uuid, code: i64, name: &str, cents: i64, as_percentage: bool) -> Benefit<Uuid> {
    Benefit {
        company_benefit: record,
        record,
        name: name.to_owned(),
        kind: BenefitType::find_by_code(code).unwrap_or_else(|| panic!("{code} is a type of benefit")),
        window: Window { effective: BASELINE, expiration: None },
        terms: BenefitElection {
            deduction: Amount::from_cents(cents),
            deduct_as_percentage: as_percentage,
            contribution: Contribution::Amount(Amount::from_cents(2_500)),
            ..BenefitElection::default()
        },
        active: true,
        company_active: true,
        excluded: Exclusions::default(),
        missed: None,
        recovers: false,
    }
}
