//! Published examples of 2026, of states and cities: each from the addresses and the certificate to the line of the paycheck.
//! `law_2026.csv` names the source of each. `work` may name a place of work after `@`; `places` are those of the home.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Deserialize;

use super::sample::{biweekly_payroll, by_the_hour, parse_amount};
use super::{
    Employee, FixedKind, FixedPay, OtherTaxes, Payroll, StateIncomeTax, StateTax, StateTaxTables, Taxpayer,
    calculate_paycheck,
};
use crate::Named;
use crate::amount::Amount;
use crate::explain::{Recorder, evaluator};
use crate::places::is_within_state_tax;
use crate::taxes::{Circumstances, Filing, LivesAt, OnFirstOfJanuary, Setting, TaxTables, WorkedAt};
use crate::withholding::federal::{FilingStatus, PayFrequency, W4};
use crate::withholding::state::{Answer, StateTables, check_answer};

#[derive(Deserialize)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) work: String,
    pub(super) home: String,
    pub(super) places: String,
    pub(super) date: Date,
    pub(super) frequency: String,
    pub(super) wages: Amount,
    pub(super) bonus: Option<Amount>,
    pub(super) flat: String,
    pub(super) answers: String,
    pub(super) w4: String,
    pub(super) extra: Option<Amount>,
    pub(super) tax: String,
    pub(super) expected: Amount,
    pub(super) source: String,
}

impl Case {
    fn state(&self) -> &str {
        self.work.split('@').next().unwrap()
    }

    pub(super) fn payroll(&self) -> Payroll<'static> {
        let frequency = PayFrequency::parse(&self.frequency).unwrap();
        let flat = self.flat == "yes";
        Payroll {
            start: self.date.checked_sub(6.days()).unwrap(),
            end: self.date,
            check_date: self.date,
            frequency,
            withholding_period: frequency,
            fixed_withholding_rate: flat,
            pays_salaries: !flat,
            ..biweekly_payroll()
        }
    }

    /// Reads the answers as the interface would.
    fn answers(&self) -> BTreeMap<String, Answer> {
        let certificate = StateTables::built_in().get(self.state()).unwrap();
        let sent: BTreeMap<String, serde_json::Value> = serde_json::from_str(&self.answers).unwrap();
        let read = |(key, value): (String, serde_json::Value)| {
            let question = certificate.questions.iter().find(|question| question.key == key);
            let question = question.unwrap_or_else(|| panic!("{}: no question {key}", self.id));
            let answer =
                check_answer(question, &value).unwrap_or_else(|why| panic!("{}: {}", self.id, why.message));
            (key, answer)
        };
        sent.into_iter().map(read).collect()
    }

    fn circumstances(&self, answers: &BTreeMap<String, Answer>) -> Circumstances {
        let list = |text: &str| -> Vec<String> {
            text.split(' ').filter(|one| !one.is_empty()).map(str::to_owned).collect()
        };
        let place = self.work.split_once('@').map_or("", |(_, place)| place);
        let (within, own_lines): (Vec<_>, Vec<_>) =
            list(&self.places).into_iter().partition(|place| is_within_state_tax(place));
        let mut found = Circumstances {
            work: vec![WorkedAt {
                state: self.state().to_owned(),
                places: list(place),
                days: 5,
                ..WorkedAt::default()
            }],
            home: LivesAt {
                state: self.home.clone(),
                places: own_lines,
                county_within_state_tax: within.into_iter().next(),
                ..LivesAt::default()
            },
            january: (self.home == "IN").then(|| OnFirstOfJanuary {
                home: list(&self.places).into_iter().next(),
                work: list(place).into_iter().next(),
            }),
            ..Circumstances::default()
        };
        // As New York City uses the state's certificate.
        let count = match answers.get("allowances") {
            Some(Answer::Number(count)) => u32::try_from(count.millionths() / 1_000_000).unwrap(),
            _ => 0,
        };
        let married = answers.get("filing_status") == Some(&Answer::Text("married".to_owned()));
        let filing = Some(if married { Filing::Joint } else { Filing::Single });
        let setting = Setting { filing, exemptions: count, ..Setting::default() };
        found.settings.insert("NY_NEW_YORK_CITY".to_owned(), setting);
        found
    }

    fn w4(&self) -> W4 {
        match W4::with_filing_status(FilingStatus::parse(&self.w4).unwrap()) {
            W4::Rev2020 { filing_status, two_jobs, dependents_amount, other_income, deductions, .. } => {
                W4::Rev2020 {
                    filing_status,
                    two_jobs,
                    dependents_amount,
                    other_income,
                    deductions,
                    extra_withholding: self.extra.unwrap_or_default(),
                }
            }
            earlier @ W4::Pre2020 { .. } => earlier,
        }
    }

    pub(super) fn employee(
        &self,
        payroll: &Payroll<'static>,
        answers: &BTreeMap<String, Answer>,
    ) -> Employee<'static, u32> {
        let circumstances = self.circumstances(answers);
        let base = payroll.taxes.social_security_base;
        let situation =
            Arc::new(circumstances.find_situation(&TaxTables::built_in(), payroll.check_date, base));
        let tax = |state: &str| {
            let taxpayer = Taxpayer { state, home: Some(&circumstances.home) };
            let answer = |key: &str| answers.get(key).filter(|_| state == self.state()).cloned();
            StateTax::find_state_tax(StateTaxTables::built_in(), payroll, taxpayer, answer, None)
        };
        let states: Vec<_> = match situation.states() {
            [] => vec![StateIncomeTax::of_one(tax(self.state()))],
            several => several
                .iter()
                .map(|income| StateIncomeTax {
                    share: income.share,
                    credits: income.credits.clone(),
                    why: income.why.clone(),
                    ..StateIncomeTax::of_one(tax(&income.state))
                })
                .collect(),
        };
        let line = |kind, pay: Amount| FixedPay::new(kind, 0, pay);
        Employee {
            fixed: [line(FixedKind::Earnings, self.wages)]
                .into_iter()
                .chain(self.bonus.map(|bonus| line(FixedKind::Bonus, bonus)))
                .filter(|line| line.amount > Amount::ZERO)
                .collect(),
            w4: self.w4(),
            states,
            other_taxes: OtherTaxes { situation, ..OtherTaxes::default() },
            annual_salary: Some(parse_amount("60000")),
            ..by_the_hour("0", "0")
        }
    }
}

#[test]
fn every_published_example_of_2026_comes_out_to_the_cent() {
    let text = include_str!("law_2026.csv").as_bytes();
    let mut reader = csv::ReaderBuilder::new().delimiter(b';').quoting(false).from_reader(text);
    let cases: Vec<Case> = reader.deserialize().collect::<Result<_, _>>().unwrap();
    assert!(cases.len() > 50);
    let mut wrong = Vec::new();
    for case in &cases {
        assert!(!case.source.is_empty(), "{}", case.id);
        let payroll = case.payroll();
        let employee = case.employee(&payroll, &case.answers());
        let mut recorder = Recorder::default();
        let found = calculate_paycheck(&mut recorder, &payroll, &employee).unwrap();
        for node in recorder.finish() {
            evaluator::check(&node.to_json()).unwrap_or_else(|error| panic!("{}: {error}", case.id));
        }
        let of_state = found.state_taxes.iter().find(|line| line.state == case.tax).map(|line| line.amount);
        let dues = employee.other_taxes.situation.due_taxes().iter().zip(&found.other_taxes);
        let of_place = dues.filter(|(due, _)| due.code == case.tax).map(|(_, line)| line.sums.amount).next();
        let tax = of_state.or(of_place);
        if tax != Some(case.expected) {
            wrong.push(format!("{}: {tax:?} instead of {} ({})", case.id, case.expected, case.source));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
