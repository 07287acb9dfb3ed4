//! Stored paychecks can be reproduced from their stored inputs, and only from those.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use proptest::prelude::*;
use rules::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use rules::days::Days;
use rules::explain::NoTrace;
use rules::payroll::garnishment::EarlierPay;
use rules::payroll::{Compensation, FixedKind as PaidAs, FixedPay, Job, Worked, YearToDate};
use rules::taxes::{self, Circumstances, LivesAt, ToDate, WorkedAt};
use rules::withholding::federal::{FilingStatus, PayFrequency, W4};
use rules::withholding::state::Answer;

use super::*;
use crate::pay::payrolls::record::kinds::FixedKind;
use crate::pay::payrolls::record::paycheck_inputs::{FORMAT, FixedInput, PaycheckInputs, StateInputs};

const START: Date = date(2026, 6, 1);
const END: Date = date(2026, 6, 14);

fn payroll() -> Payroll {
    let created = (Uuid::nil(), Timestamp::UNIX_EPOCH);
    Payroll::new(created, Days { first: START, last: END }, date(2026, 6, 19), PayFrequency::EveryOtherWeek)
}

fn cents(most: i64) -> impl Strategy<Value = Amount> {
    (0..=most).prop_map(Amount::from_cents)
}

fn job() -> impl Strategy<Value = Job> {
    let pay = (cents(20_000_000), any::<bool>());
    (pay, cents(12_000), cents(4_000), 1_i8..=14).prop_map(|((rate, yearly), regular, overtime, hired)| {
        let unit = if yearly { PaymentUnit::Year } else { PaymentUnit::Hour };
        let flsa = if yearly { FlsaStatus::SalariedNonexempt } else { FlsaStatus::Nonexempt };
        let hired = date(2026, 6, hired);
        Job {
            hired,
            left: None,
            away: None,
            away_again: Vec::new(),
            compensations: vec![Compensation {
                effective: hired,
                terms: PayTerms { rate, unit, flsa },
                floors: Vec::new(),
            }],
            worked: vec![Worked {
                from: START,
                until: END,
                regular,
                overtime,
                double_overtime: Amount::ZERO,
            }],
            by_week: Vec::new(),
            paid_before: Vec::new(),
            later: Vec::new(),
            agreed_overtime_rate: false,
            fluctuating_workweek: false,
            time_off: Vec::new(),
        }
    })
}

fn w4() -> impl Strategy<Value = W4> {
    let status = prop::sample::select(vec![FilingStatus::Single, FilingStatus::Married]);
    (status, any::<bool>(), cents(500_000), cents(10_000)).prop_map(
        |(filing_status, two_jobs, dependents_amount, extra_withholding)| W4::Rev2020 {
            filing_status,
            two_jobs,
            dependents_amount,
            other_income: Amount::ZERO,
            deductions: Amount::ZERO,
            extra_withholding,
        },
    )
}

fn state() -> impl Strategy<Value = StateInputs> {
    let state = prop::sample::select(vec!["", "TX", "IL", "NY", "CA", "SC"]);
    (state, prop::option::of(cents(50_000)), any::<bool>()).prop_map(|(state, supplied, answers)| {
        let extra = ("additional_withholding".to_owned(), Answer::Currency(Amount::from_cents(1_234)));
        let answers = if answers { BTreeMap::from([extra]) } else { BTreeMap::new() };
        StateInputs { state: state.to_owned(), answers, supplied, ..StateInputs::default() }
    })
}

/// Home and work in the state, with an unemployment insurance rate in some cases.
fn circumstances(state: &str, chance: Amount) -> Circumstances {
    if state.is_empty() {
        return Circumstances::default();
    }
    let places = if state == "NY" { vec!["NY-YONKERS".to_owned()] } else { Vec::new() };
    Circumstances {
        work: vec![WorkedAt {
            state: state.to_owned(),
            places: places.clone(),
            days: 14,
            ..WorkedAt::default()
        }],
        home: LivesAt { state: state.to_owned(), places, ..LivesAt::default() },
        unemployment_percent: (chance.millionths() % 2 == 0).then_some(Amount::from_cents(270)),
        employees: 30,
        ..Circumstances::default()
    }
}

/// Earlier taxable wages for unemployment insurance.
fn taxed_before(state: &str, taxable: Amount) -> BTreeMap<String, ToDate> {
    let (last, year) = (Some(date(2026, 6, 5)), taxes::Sums { taxable, ..taxes::Sums::default() });
    BTreeMap::from([(format!("{state}_SUI"), ToDate { last, year, ..ToDate::default() })])
}

fn inputs() -> impl Strategy<Value = PaycheckInputs> {
    let fixed = prop::collection::vec((prop::bool::ANY, cents(300_000)), 0..3);
    (prop::collection::vec(job(), 1..3), fixed, w4(), state(), cents(20_000_000), cents(9_999)).prop_map(
        |(jobs, fixed, w4, state, before, reimbursed)| PaycheckInputs {
            format: FORMAT,
            entry: 0,
            roth_catch_up: false,
            jobs,
            tipped_occupations: BTreeMap::new(),
            fixed: fixed
                .into_iter()
                .map(|(bonus, amount)| {
                    let name = if bonus { FixedKind::Bonus } else { FixedKind::CashTips };
                    let kind = PaidAs::of_name(name.as_str());
                    FixedInput { name, pay: FixedPay::new(kind, 0, amount) }
                })
                .collect(),
            custom: Vec::new(),
            leave: Vec::new(),
            time_off: Vec::new(),
            holiday_hours: Amount::ZERO,
            requested: Vec::new(),
            recurring: Vec::new(),
            reimbursements: vec![reimbursed],
            w4,
            nonresident_alien: false,
            fica_exemption: None,
            charitable_employer: before.millionths() % 20_000 == 0,
            after_death: None,
            circumstances: circumstances(&state.state, before),
            taxed_before: taxed_before(&state.state, before),
            opened: None,
            state,
            supplied_taxes: BTreeMap::new(),
            birth_date: None,
            two_percent_shareholder: false,
            benefits: Vec::new(),
            benefits_to_date: Vec::new(),
            garnishments: Vec::new(),
            earlier: EarlierPay::default(),
            garnishment_facts: None,
            overtime: None,
            year_to_date: YearToDate {
                social_security_wages: before,
                medicare_wages: before,
                ..YearToDate::default()
            },
            payment: None,
            warnings: Vec::new(),
        },
    )
}

/// What a calculation stores.
fn stored(tables: &PayrollTables, payroll: &Payroll, inputs: &PaycheckInputs) -> (Outcome, Paid) {
    let terms = tables.terms_of(payroll);
    let paid_to = inputs.to_rules_employee(&terms, tables);
    let pay = calculate_paycheck(&mut NoTrace, &terms, &paid_to).unwrap();
    let paid = crate::pay::payrolls::record::paycheck::to_stored_paycheck(
        &pay,
        inputs,
        &paid_to.other_taxes.situation,
        payroll.off_cycle,
    );
    let outcome = Outcome {
        employee: Uuid::nil(),
        gross: pay.gross,
        net: pay.net,
        check_amount: pay.check_amount,
        paycheck: serde_json::to_string(&paid).unwrap(),
        facts: serde_json::to_string(inputs).unwrap(),
        year_to_date: "{}".to_owned(),
    };
    (outcome, paid)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_stored_paycheck_follows_from_its_stored_inputs_and_every_altered_line_is_noticed(
        inputs in inputs(),
        altered in 0_usize..8,
    ) {
        let (tables, payroll) = (PayrollTables::built_in(date(2026, 6, 19)), payroll());
        let (outcome, paid) = stored(&tables, &payroll, &inputs);
        let read = outcome.read_paycheck().unwrap();
        prop_assert_eq!(&read, &paid);
        let figures = replay_with(&tables, &payroll, &outcome, &read).unwrap_or_else(|_| panic!("it follows"));
        prop_assert!(figures.iter().any(|node| node.step.figure == "net_pay"));

        let mut other = paid.clone();
        let lines = other.taxes.len();
        prop_assume!(lines > 0);
        other.taxes[altered % lines].amount += Amount::from_cents(1);
        let differs = replay_with(&tables, &payroll, &outcome, &other);
        prop_assert!(matches!(differs, Err(Differs::InFigures(net)) if net == outcome.net));
    }

    /// With tables of another year, a paycheck is reproduced only if its lines and the keys of its warnings are the same.
    #[test]
    fn other_tables_give_other_figures_and_are_distinguished_from_those_used(inputs in inputs()) {
        let payroll = payroll();
        let (now, then) = (PayrollTables::built_in(date(2026, 6, 19)), PayrollTables::built_in(date(2025, 6, 20)));
        let (outcome, paid) = stored(&then, &payroll, &inputs);
        let (_, today) = stored(&now, &payroll, &inputs);
        let again = replay_with(&now, &payroll, &outcome, &paid);
        // The wording of warnings may name the tables, so paychecks are compared by the keys of their warnings.
        let without_words = |mut paid: Paid| {
            let keys: Vec<String> = paid.warnings.drain(..).map(|warning| warning.key).collect();
            (paid, keys)
        };
        prop_assert_eq!(again.is_ok(), without_words(today) == without_words(paid));
    }
}
