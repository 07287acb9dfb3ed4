//! Worked examples: engine and insurance. `worked.csv` is computed by `tests/worked/state_and_local.py`.

use std::collections::BTreeSet;

use jiff::civil::{Date, date};
use serde::Deserialize;

use super::choose::{Found, choose_row};
use super::*;
use crate::amount::Amount;
use crate::days::Days;
use crate::explain::{Recorder, evaluator};
use crate::payroll::taxes::PayrollTaxes;
use crate::withholding::csv_rows;

pub(super) fn dollars(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

pub(super) fn facts(day: Date) -> Facts<'static> {
    let base = PayrollTaxes::built_in(day.year()).unwrap().social_security_base;
    Facts::new(day, base, BaseTable::built_in())
}

/// Returns biweekly pay of a period that ends on the pay date.
pub(super) fn pay(day: Date, wages: Wages) -> Pay<'static> {
    use jiff::ToSpan;
    let start = day.checked_sub(13.days()).unwrap();
    Pay {
        start,
        end: day,
        employed: Days { first: start, last: day },
        date: day,
        periods: 26,
        employer_periods: 26,
        hours: dollars("80"),
        wages,
        states: &[],
    }
}

/// Returns an outcome's lines as "code amount".
pub(super) fn lines_of(outcome: &Outcome<'_>) -> Vec<String> {
    outcome.lines.iter().map(|line| format!("{} {}", line.code(), line.amount())).collect()
}

pub(super) fn before(taxable: &str, tax: &str, day: Date) -> ToDate {
    let sums = Sums {
        subject: dollars(taxable),
        taxable: dollars(taxable),
        whole: dollars(tax),
        amount: dollars(tax),
    };
    ToDate { last: Some(day), year: sums, ..ToDate::default() }
}

#[derive(Deserialize)]
struct Example {
    table: String,
    code: String,
    state: String,
    place: String,
    date: Date,
    periods: i64,
    wages: Amount,
    taxable_before: String,
    tax_before: String,
    size: String,
    class: String,
    own: String,
    payroll: String,
    taxable: Amount,
    tax: Amount,
}

impl Example {
    fn found(&self) -> Found {
        let mut facts = facts(self.date);
        let optional = |text: &str| Amount::parse(text).ok();
        let setting = Setting {
            confirmed: true,
            class: Some(self.class.clone()),
            own_rate: optional(&self.own),
            filing: Some(Filing::Single),
            ..Setting::default()
        };
        facts.settings.insert(self.code.clone(), setting);
        let place = if self.place.is_empty() { &self.state } else { &self.place };
        facts.sizes.extend(self.size.parse().ok().map(|size| (place.clone(), size)));
        facts.payrolls.extend(optional(&self.payroll).map(|payroll| (place.clone(), payroll)));
        let mut found = Found::default();
        match self.table.as_str() {
            "insurance_2026" => {
                let rows = TaxTable::insurance().of_state(&self.state);
                found.add_choice(choose_row(rows, &self.code, &facts, Share::ALL));
            }
            "local_2026" => {
                let rows = TaxTable::built_in_local().of_place(&self.place);
                found.add_choice(choose_row(rows, &self.code, &facts, Share::ALL));
            }
            _ => {
                let employer = unemployment::Employer { new: true, confirmed: true, ..Default::default() };
                let table = UnemploymentTable::built_in();
                unemployment::add_due_tax(table, &facts, (&self.state, &employer), &mut found);
            }
        }
        found
    }
}

fn examples() -> Vec<Example> {
    csv_rows(include_str!("worked.csv")).unwrap()
}

#[test]
fn each_programme_each_state_and_each_flat_local_tax_comes_to_what_was_worked_apart() {
    for example in examples() {
        let situation = Situation::new([example.found()]);
        let states = [StateResult {
            state: &example.state,
            wages: example.wages,
            taxable: Some(example.wages),
            tax: Amount::ZERO,
            additional: Amount::ZERO,
        }];
        let pay = Pay {
            periods: example.periods,
            employer_periods: example.periods,
            hours: dollars("79.5"),
            states: &states,
            ..pay(example.date, Wages::of_cash(example.wages))
        };
        let before = before(&example.taxable_before, &example.tax_before, example.date);
        let mut recorder = Recorder::default();
        let outcome = situation.calculate_taxes(&mut recorder, &pay, &[before]);
        let name = format!("{} {} {}", example.code, example.date, example.wages);
        assert_eq!(outcome.unworked, [], "{name}");
        let [line] = &outcome.lines[..] else { panic!("{name}: {:?}", outcome.lines) };
        assert_eq!((line.sums.taxable, line.amount()), (example.taxable, example.tax), "{name}");
        for node in recorder.finish() {
            evaluator::check(&node.to_json()).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn every_programme_and_every_state_is_among_the_worked_examples() {
    let examples = examples();
    let worked: BTreeSet<(&str, &str)> =
        examples.iter().map(|example| (example.table.as_str(), example.code.as_str())).collect();
    for tax in TaxTable::insurance().iter() {
        assert!(
            worked.contains(&("insurance_2026", tax.code.as_str())),
            "{} has no worked example",
            tax.code
        );
    }
    for row in UnemploymentTable::built_in().iter() {
        let code = format!("{}_SUI", row.state);
        let known = row.wage_base.is_some() && row.new_employer.is_some();
        assert_eq!(worked.contains(&("unemployment_2026", code.as_str())), known, "{code}");
    }
    assert_eq!(UnemploymentTable::built_in().iter().map(|row| &row.state).collect::<BTreeSet<_>>().len(), 53);
}

fn insurance_of(state: &str, facts: &Facts<'_>) -> Found {
    insurance::due_programs(TaxTable::insurance(), facts, &[(state, Share::ALL)], state)
}

fn why(found: &Found, code: &str) -> String {
    found.unworked.iter().find(|one| one.code == code).map(|one| one.why.to_string()).unwrap_or_default()
}

#[test]
fn the_weekly_cap_of_new_york_disability_is_built_from_weeks_for_each_pay_period() {
    let day = date(2026, 3, 31);
    let situation = Situation::new([insurance_of("NY", &facts(day))]);
    for (periods, expected) in [(52, "0.60"), (26, "1.20"), (24, "1.30"), (12, "2.60")] {
        let pay = Pay { periods, employer_periods: periods, ..pay(day, Wages::of_cash(dollars("9000"))) };
        let outcome = situation.calculate_lines(&pay, &[]);
        let line = outcome.lines.iter().find(|line| line.code() == "NY_DBL").unwrap();
        assert_eq!(line.amount(), dollars(expected), "{periods}");
    }
}

#[test]
fn a_bonus_by_the_annual_table_bears_the_caps_of_the_employers_pay_period_and_of_the_year() {
    let day = date(2026, 6, 26);
    let situation = Situation::new([insurance_of("NY", &facts(day))]);
    let annually = Pay { periods: 1, ..pay(day, Wages::of_cash(dollars("5000"))) };
    for (taken, expected) in [("0", "1.20"), ("30.60", "0.60"), ("31.20", "0.00")] {
        let outcome =
            situation.calculate_lines(&annually, &situation.to_dates(|_| before("95000", taken, day)));
        let line = outcome.lines.iter().find(|line| line.code() == "NY_DBL").unwrap();
        assert_eq!(line.amount(), dollars(expected), "{taken} taken (WCL 209(3): 60 cents a week)");
    }
}

#[test]
fn new_york_family_leave_ends_at_its_cap_of_the_year() {
    let day = date(2026, 12, 31);
    let mut situation = Situation::new([insurance_of("NY", &facts(day))]);
    let outcome = situation.calculate_lines(
        &pay(day, Wages::of_cash(dollars("5000"))),
        &situation.to_dates(|_| before("95000", "400.00", day)),
    );
    assert!(lines_of(&outcome).contains(&"NY_PFL 11.91".to_owned()), "{:?}", lines_of(&outcome));
    situation = Situation::default();
    assert_eq!(situation.calculate_lines(&pay(day, Wages::default()), &[]), Outcome::default());
}

#[test]
fn a_size_that_is_not_known_is_asked_for_and_a_small_employer_pays_no_share() {
    let mut facts = facts(date(2026, 3, 31));
    let found = insurance_of("WA", &facts);
    assert_eq!(
        why(&found, "WA_PFML_ER"),
        "the number of employees is missing: the employer enters it with the company's taxes of the state"
    );
    assert_eq!(
        why(&found, "WA_LNI_EE"),
        "the employer's rate per hour is missing: the employer enters it with the company's taxes of the state"
    );
    let has_share = |size: u32, facts: &mut Facts<'_>| {
        facts.sizes.insert("WA".into(), size);
        insurance_of("WA", facts).dues.iter().any(|due| due.code == "WA_PFML_ER")
    };
    assert!(!has_share(49, &mut facts));
    assert!(has_share(50, &mut facts));
}

#[test]
fn what_the_employer_bears_leaves_the_employee_and_becomes_a_line_of_its_own() {
    let day = date(2026, 3, 31);
    let mut facts = facts(day);
    let bears = |percent: &str| Setting { borne: Some(dollars(percent)), ..Setting::default() };
    facts.settings.insert("OR_PL".into(), bears("25"));
    facts.sizes.insert("OR".into(), 3);
    let situation = Situation::new([insurance_of("OR", &facts)]);
    let outcome = situation.calculate_lines(&pay(day, Wages::of_cash(dollars("1000.01"))), &[]);
    let lines = lines_of(&outcome);
    assert!(
        lines.contains(&"OR_PL 4.50".to_owned()) && lines.contains(&"OR_PL_BORNE 1.50".to_owned()),
        "{lines:?}"
    );
    assert!(!lines.iter().any(|line| line.starts_with("OR_PL_ER")), "{lines:?}");
    facts.settings.insert("OR_STT".into(), bears("100"));
    let found = insurance_of("OR", &facts);
    assert_eq!(
        why(&found, "OR_STT"),
        "bearing the employee's share is not possible for this tax: take the setting back"
    );
}

#[test]
fn a_private_plan_or_a_waiver_takes_the_programme_away_where_the_row_allows_it() {
    let mut facts = facts(date(2026, 3, 31));
    facts.settings.insert("CA_SDI".into(), Setting { private_plan: true, ..Setting::default() });
    assert!(insurance_of("CA", &facts).dues.iter().all(|due| due.code != "CA_SDI"));
    facts.settings.insert("NY_PFL".into(), Setting { exempt: true, ..Setting::default() });
    assert!(insurance_of("NY", &facts).dues.iter().all(|due| due.code != "NY_PFL"));
    facts.settings.insert("NY_DBL".into(), Setting { private_plan: true, ..Setting::default() });
    assert_eq!(
        why(&insurance_of("NY", &facts), "NY_DBL"),
        "a private plan is not possible for this tax: take the setting back"
    );
}

#[test]
fn figures_of_2024_or_from_memory_are_told_and_never_used_until_they_are_confirmed() {
    let mut facts = facts(date(2026, 3, 31));
    let found = insurance_of("NV", &facts);
    assert_eq!(found.dues, []);
    assert!(why(&found, "NV_CEP").starts_with("the figure is not confirmed by a second source"), "{found:?}");
    facts.settings.insert("NV_CEP".into(), Setting { confirmed: true, ..Setting::default() });
    assert_eq!(insurance_of("NV", &facts).dues[0].code, "NV_CEP");
    // Georgia's assessment ends with the year (O.C.G.A. 34-8-180).
    let of_day = |day| insurance_of("GA", &self::facts(day)).dues.len();
    assert_eq!((of_day(date(2026, 12, 31)), of_day(date(2027, 1, 4))), (1, 0));
}

#[test]
fn what_is_settled_on_the_employers_return_accrues_once_the_employer_has_told_what_it_rests_on() {
    let day = date(2026, 3, 31);
    let mut facts = facts(day);
    facts.sizes.insert("VT".into(), 12);
    for (state, code) in [("HI", "HI_TDI_ER"), ("NV", "NV_MBT"), ("VT", "VT_HCC")] {
        assert_eq!(why(&insurance_of(state, &facts), code), "the employer settles it on its return");
    }
    assert!(why(&insurance_of("ME", &facts), "ME_CSSF").contains("the employer enters it"));
    let own = |percent: &str| Setting { own_rate: Some(dollars(percent)), ..Setting::default() };
    for (code, rate) in [("HI_TDI_ER", "0.6"), ("VT_HCC", "0.25"), ("ME_CSSF", "0.07")] {
        facts.settings.insert(code.into(), own(rate));
    }
    facts.payrolls.insert("NV".into(), dollars("200000"));
    let tax = |facts: &Facts<'_>, state: &str, code: &str| {
        let situation = Situation::new([insurance_of(state, facts)]);
        let outcome = situation.calculate_lines(&pay(day, Wages::of_cash(dollars("4000"))), &[]);
        outcome.lines.iter().find(|line| line.code() == code).map(|line| line.amount().to_text(2))
    };
    // 0.6 % of twice 1,500.21; 80 hours at 0.25; 0.07 % of 4,000.00; 1.17 % of three quarters of 4,000.00.
    assert_eq!(tax(&facts, "HI", "HI_TDI_ER").as_deref(), Some("18.00"));
    assert_eq!(tax(&facts, "VT", "VT_HCC").as_deref(), Some("20.00"));
    assert_eq!(tax(&facts, "ME", "ME_CSSF").as_deref(), Some("2.80"));
    assert_eq!(tax(&facts, "NV", "NV_MBT").as_deref(), Some("35.10"));
    // The first fifty thousand dollars of a quarter are free, and so are Vermont employers with four employees.
    facts.payrolls.insert("NV".into(), dollars("50000"));
    facts.sizes.insert("VT".into(), 4);
    assert_eq!(
        (tax(&facts, "NV", "NV_MBT"), why(&insurance_of("NV", &facts), "NV_MBT")),
        (None, String::new())
    );
    assert_eq!(
        (tax(&facts, "VT", "VT_HCC"), why(&insurance_of("VT", &facts), "VT_HCC")),
        (None, String::new())
    );
}

#[test]
fn tips_and_benefits_count_as_each_programme_says() {
    let day = date(2026, 3, 31);
    let wages = Wages::of_cash(dollars("2000"))
        .with_tips(dollars("200"))
        .with_item(Item::Section125Health, dollars("100"))
        .with_item(Item::Deferral, dollars("150"));
    let subject = |state: &str, code: &str| {
        let mut facts = facts(day);
        facts.sizes.insert(state.into(), 100);
        let situation = Situation::new([insurance_of(state, &facts)]);
        let outcome = situation.calculate_lines(&pay(day, wages), &[]);
        outcome.lines.iter().find(|line| line.code() == code).map(|line| line.sums.subject.to_string())
    };
    for (state, code, expected) in [
        ("CA", "CA_SDI", "2100.00"),
        ("NJ", "NJ_TDI_EE", "2200.00"),
        ("RI", "RI_TDI", "1950.00"),
        ("WA", "WA_PFML", "2000.00"),
        ("MA", "MA_PFML_MED", "2200.00"),
        // As for unemployment insurance, which counts deferrals but not cafeteria plan contributions as wages.
        ("MN", "MN_PL", "2100.00"),
        ("OR", "OR_STT", "1950.00"),
    ] {
        assert_eq!(subject(state, code).as_deref(), Some(expected), "{code}");
    }
}

#[test]
fn a_benefit_of_which_a_base_is_in_doubt_switches_no_tax_off() {
    let day = date(2026, 3, 31);
    let wages = Wages::of_cash(dollars("4000"))
        .with_item(Item::Commuter, dollars("100"))
        .with_item(Item::GroupTermLife, dollars("13.85"));
    let subject = |state: &str, code: &str, confirmed: &[&str]| {
        let mut facts = facts(day);
        facts.sizes.insert(state.into(), 100);
        for key in confirmed {
            facts.settings.insert((*key).into(), Setting { confirmed: true, ..Setting::default() });
        }
        let situation = Situation::new([insurance_of(state, &facts)]);
        let outcome = situation.calculate_lines(&pay(day, wages), &[]);
        let line = outcome.lines.iter().find(|line| line.code() == code);
        line.map(|line| line.sums.subject.to_string())
    };
    // As for federal unemployment tax at first; once confirmed, all pay in a base that counts everything.
    assert_eq!(subject("MA", "MA_PFML_MED", &[]).as_deref(), Some("4000.00"));
    assert_eq!(subject("MA", "MA_PFML_MED", &["GROSS_WAGES"]).as_deref(), Some("4013.85"));
    assert_eq!(subject("CA", "CA_SDI", &[]).as_deref(), Some("3900.00"));
    assert_eq!(subject("CA", "CA_SDI", &["SECTION125_WAGES"]).as_deref(), Some("4013.85"));
    // The wages of a program whose base was not read.
    let mut facts = facts(day);
    let wages = Wages::of_cash(dollars("1000")).with_item(Item::Section125Health, dollars("50"));
    let chosen = Setting { confirmed: true, base: Some(Base::NotRead), ..Setting::default() };
    facts.settings.insert("MN_PL".into(), chosen);
    let situation = Situation::new([insurance_of("MN", &facts)]);
    assert_eq!(lines_of(&situation.calculate_lines(&pay(day, wages), &[])), ["MN_PL 4.18", "MN_WDF 0.95"]);
}

#[test]
fn pennsylvania_cuts_after_the_third_decimal_and_then_rounds() {
    let day = date(2026, 3, 31);
    let situation = Situation::new([insurance_of("PA", &facts(day))]);
    // 0.07 percent of 2,106.43 is 1.474501: 1.474, and 1.47. Of 2,107.14 it is 1.474998: cut to 1.474, 1.47 too.
    for (wages, tax) in [("2106.43", "1.47"), ("2107.14", "1.47"), ("2107.15", "1.48")] {
        let outcome = situation.calculate_lines(&pay(day, Wages::of_cash(dollars(wages))), &[]);
        assert_eq!(lines_of(&outcome), [format!("PA_UC_EE {tax}")], "{wages}");
    }
}

#[test]
fn the_quarterly_fee_of_new_mexico_is_taken_once_in_the_period_of_the_last_working_day() {
    let mut facts = facts(date(2026, 5, 29));
    facts.sizes.insert("NM".into(), 3);
    let situation = Situation::new([insurance_of("NM", &facts)]);
    let fee = |day: Date, before: ToDate| {
        let outcome =
            situation.calculate_lines(&pay(day, Wages::of_cash(dollars("1000"))), &[before.clone(), before]);
        let line = outcome.lines.iter().find(|line| line.code() == "NM_WC_FEE_EE").unwrap();
        (line.amount(), line.after.clone())
    };
    // The last working day of the second quarter of 2026 is Tuesday, 30 June; of the third, Wednesday, 30 September.
    assert_eq!(fee(date(2026, 6, 19), ToDate::default()).0, Amount::ZERO);
    let (amount, after) = fee(date(2026, 7, 3), ToDate::default());
    assert_eq!(amount, dollars("2.25"));
    assert_eq!(fee(date(2026, 7, 3), after.clone()).0, Amount::ZERO);
    assert_eq!(fee(date(2026, 10, 2), after).0, dollars("2.25"));
}

#[test]
fn the_quarterly_fee_of_new_mexico_is_for_those_who_were_employed_on_the_last_working_day() {
    let mut facts = facts(date(2026, 5, 29));
    facts.sizes.insert("NM".into(), 3);
    let situation = Situation::new([insurance_of("NM", &facts)]);
    let of_period = pay(date(2026, 7, 3), Wages::of_cash(dollars("1000")));
    let fee = |employed: Days| {
        let outcome = situation.calculate_lines(&Pay { employed, ..of_period }, &[]);
        outcome.lines.iter().find(|line| line.code() == "NM_WC_FEE_EE").unwrap().amount()
    };
    let (start, end) = (of_period.start, of_period.end);
    assert_eq!(fee(Days { first: start, last: date(2026, 6, 29) }), Amount::ZERO, "who left before 30 June");
    assert_eq!(fee(Days { first: date(2026, 7, 1), last: end }), Amount::ZERO, "who was hired after it");
    assert_eq!(fee(Days { first: start, last: date(2026, 6, 30) }), dollars("2.25"));
    assert_eq!(fee(Days { first: date(2026, 6, 30), last: end }), dollars("2.25"));
}

#[test]
fn wages_under_another_states_insurance_fill_the_wage_base_of_the_same_employer() {
    let day = date(2026, 6, 30);
    let facts = facts(day);
    let own =
        unemployment::Rate { percent: dollars("3.1"), from: date(2026, 1, 1), to: None, with_funds: false };
    let employer = unemployment::Employer { rates: vec![own], ..Default::default() };
    let mut found = Found::default();
    unemployment::add_due_tax(UnemploymentTable::built_in(), &facts, ("OH", &employer), &mut found);
    let situation = Situation::new([found]);
    let moved = ToDate { last: Some(day), elsewhere: dollars("8200"), ..ToDate::default() };
    let outcome = situation.calculate_lines(&pay(day, Wages::of_cash(dollars("2000"))), &[moved]);
    assert_eq!(lines_of(&outcome), ["OH_SUI 24.80"]);
    assert_eq!(outcome.lines[0].after.elsewhere, dollars("8200"));
    let mut next_year = outcome.lines[0].after.clone();
    next_year.turn_to(date(2027, 1, 8));
    assert_eq!(next_year.elsewhere, Amount::ZERO);
}

#[test]
fn a_fund_inside_the_rate_of_the_notice_is_not_counted_twice() {
    let day = date(2026, 3, 31);
    let facts = facts(day);
    let lines = |with_funds| {
        let rate =
            unemployment::Rate { percent: dollars("4.1"), from: date(2026, 1, 1), to: None, with_funds };
        let employer = unemployment::Employer { rates: vec![rate], ..Default::default() };
        let mut found = insurance_of("NY", &facts);
        unemployment::add_due_tax(UnemploymentTable::built_in(), &facts, ("NY", &employer), &mut found);
        let situation = Situation::new([found]);
        lines_of(&situation.calculate_lines(&pay(day, Wages::of_cash(dollars("1000"))), &[]))
    };
    assert_eq!(lines(false), ["NY_DBL 1.20", "NY_PFL 4.32", "NY_RSF 0.75", "NY_SUI 41.00"]);
    assert_eq!(lines(true), ["NY_DBL 1.20", "NY_PFL 4.32", "NY_SUI 41.00"]);
}

#[test]
fn an_employers_own_rate_counts_from_its_day_and_without_one_it_is_asked_for() {
    let employer = unemployment::Employer {
        rates: vec![
            unemployment::Rate {
                percent: dollars("1"),
                from: date(2026, 1, 1),
                to: Some(date(2026, 6, 30)),
                with_funds: false,
            },
            unemployment::Rate { percent: dollars("2"), from: date(2026, 7, 1), to: None, with_funds: false },
        ],
        ..Default::default()
    };
    let lines = |day, employer: &unemployment::Employer, state| {
        let mut found = Found::default();
        unemployment::add_due_tax(UnemploymentTable::built_in(), &facts(day), (state, employer), &mut found);
        let situation = Situation::new([found]);
        let outcome = situation.calculate_lines(&pay(day, Wages::of_cash(dollars("1000"))), &[]);
        (lines_of(&outcome), outcome.unworked.first().map(|one| one.why.to_string()))
    };
    assert_eq!(lines(date(2026, 6, 30), &employer, "TX").0, ["TX_SUI 10.00"]);
    assert_eq!(lines(date(2026, 7, 1), &employer, "TX").0, ["TX_SUI 20.00"]);
    let none = unemployment::Employer::default();
    let asked = "the rate of the employer's notice is missing: the employer enters it with the company's taxes of the state";
    assert_eq!(lines(date(2026, 7, 1), &none, "TX").1.as_deref(), Some(asked));
    let new = unemployment::Employer { new: true, ..Default::default() };
    // West Virginia's rates fell on 1 July 2026.
    assert_eq!(lines(date(2026, 6, 30), &new, "WV").0, ["WV_SUI 27.00"]);
    assert_eq!(lines(date(2026, 7, 1), &new, "WV").0, ["WV_SUI 25.11"]);
    assert!(lines(date(2026, 7, 1), &new, "MN").1.unwrap().starts_with("the figure is not known"));
}

#[test]
fn an_own_rate_takes_the_place_of_the_tables_figure() {
    let day = date(2026, 3, 31);
    let mut facts = facts(day);
    facts.sizes.insert("OR".into(), 3);
    let own = Setting { own_rate: Some(dollars("0.012")), ..Setting::default() };
    let row = TaxTable::insurance().of_state("OR").iter().find(|tax| tax.code == "OR_WBF_EE").unwrap();
    let in_doubt = [std::sync::Arc::new(Tax { confidence: Confidence::Unconfirmed, ..(**row).clone() })];
    let chosen = |facts: &Facts<'_>| choose_row(&in_doubt, "OR_WBF_EE", facts, Share::ALL);
    assert!(chosen(&facts).unwrap_err().why.to_string().starts_with("the figure is in doubt"));
    facts.settings.insert("OR_WBF_EE".into(), own.clone());
    assert!(chosen(&facts).unwrap().is_some());
    facts.settings.insert("OR_STT".into(), own);
    let found = insurance_of("OR", &facts);
    assert_eq!(why(&found, "OR_STT"), "an own rate is not possible for this tax: take the setting back");
    let situation = Situation::new([found]);
    let lines = lines_of(&situation.calculate_lines(&pay(day, Wages::of_cash(dollars("1000"))), &[]));
    assert!(lines.contains(&"OR_WBF_EE 0.96".to_owned()), "{lines:?}");
}

#[test]
fn oregons_transit_tax_follows_its_residents_and_takes_others_for_work_in_oregon() {
    let day = date(2026, 3, 31);
    let facts = facts(day);
    let tax = |covered: &str, share: Share, home: &str| {
        let found = insurance::due_programs(TaxTable::insurance(), &facts, &[(covered, share)], home);
        let situation = Situation::new([found]);
        let lines = lines_of(&situation.calculate_lines(&pay(day, Wages::of_cash(dollars("1000"))), &[]));
        lines.into_iter().find(|line| line.starts_with("OR_STT"))
    };
    assert_eq!(tax("OR", Share::new(1, 2).unwrap(), "OR").as_deref(), Some("OR_STT 1.00"));
    assert_eq!(tax("OR", Share::new(1, 2).unwrap(), "WA").as_deref(), Some("OR_STT 0.50"));
    assert_eq!(tax("WA", Share::ALL, "OR").as_deref(), Some("OR_STT 1.00"));
    assert_eq!(tax("WA", Share::ALL, "WA"), None);
}

#[test]
#[should_panic(expected = "what was counted so far is told for each tax that is due")]
fn sums_of_another_situation_do_not_count() {
    let day = date(2026, 3, 31);
    let situation = Situation::new([insurance_of("PA", &facts(day))]);
    situation.calculate_lines(&pay(day, Wages::default()), &[ToDate::default(), ToDate::default()]);
}

#[test]
fn a_wage_base_from_memory_needs_to_be_confirmed_even_with_an_own_rate() {
    let csv = "state,wage_base,new_employer_percent,least_percent,most_percent,base,effective_from,effective_to,\
               base_confidence,rate_confidence,source,note\nTX,9000,2.7,,,futa,2026-01-01,,memory,primary,law,\n";
    let table = UnemploymentTable::parse(csv).unwrap();
    let day = date(2026, 3, 31);
    let rate =
        unemployment::Rate { percent: dollars("1"), from: date(2026, 1, 1), to: None, with_funds: false };
    let mut employer = unemployment::Employer { rates: vec![rate], ..Default::default() };
    let unworked = |employer: &unemployment::Employer| {
        let mut found = Found::default();
        unemployment::add_due_tax(&table, &facts(day), ("TX", employer), &mut found);
        why(&found, "TX_SUI")
    };
    assert!(unworked(&employer).starts_with("the figure is not confirmed by a second source"));
    employer.confirmed = true;
    assert_eq!(unworked(&employer), "");
}
