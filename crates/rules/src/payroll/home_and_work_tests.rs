//! Net pay of employees who live in one place and work in another: 2,000.00 for two weeks, single, without allowances. The
//! figures are calculated by hand from the tables that the states publish.

use std::sync::Arc;

use super::garnishment::{GarnishmentLaw, GarnishmentType, MinimumWages, SupportLimits};
use super::sample::{
    biweekly_payroll, by_the_hour, ordered_garnishment, other_terms, parse_amount, support_order,
};
use super::*;
use crate::amount::Amount;
use crate::explain::NoTrace;
use crate::taxes::{
    Circumstances, Filing, LivesAt, OnFirstOfJanuary, PsdCodes, Setting, TaxTables, WorkedAt, residence_key,
};
use crate::withholding::state::Answer;

fn at(state: &str, places: &[&str]) -> WorkedAt {
    let places = places.iter().map(|place| (*place).to_owned()).collect();
    WorkedAt { state: state.to_owned(), places, days: 14, ..WorkedAt::default() }
}

/// Returns the circumstances of a person who lives and works there; everything that needs confirmation is confirmed.
fn lives_and_works(home: WorkedAt, work: WorkedAt) -> Circumstances {
    let mut circumstances = Circumstances {
        confirmed: [residence_key(&home.state), residence_key(&work.state)].into(),
        home: LivesAt { state: home.state, places: home.places, ..LivesAt::default() },
        work: vec![work],
        unemployment_percent: Some(parse_amount("2.7")),
        employees: 60,
        filing: Some(Filing::Single),
        ..Circumstances::default()
    };
    let places = circumstances.work[0].places.iter().chain(&circumstances.home.places);
    let codes: Vec<String> = places.map(|place| place.replace('-', "_")).collect();
    for code in codes {
        circumstances.settings.insert(code, Setting { confirmed: true, ..Setting::default() });
    }
    circumstances
}

fn with_form(circumstances: Circumstances, state: &str) -> Circumstances {
    Circumstances { nonresident_certificates: [state.to_owned()].into(), ..circumstances }
}

/// Returns answers to the certificates: single, nothing claimed.
fn answer(state: &str, key: &str) -> Option<Answer> {
    let text = |text: &str| Some(Answer::Text(text.to_owned()));
    match (state, key) {
        ("CT", "filing_status") => text("F"),
        (_, "filing_status") => text("single"),
        ("NJ", "rate_table_letter") => text("none"),
        // Baltimore.
        ("MD", "local_rate") => text("3.2"),
        (_, "reduced_withholding") => Some(Answer::Currency(Amount::ZERO)),
        _ => Some(Answer::Number(Amount::ZERO)),
    }
}

/// Returns the employee in some circumstances, on a payroll.
fn employee(circumstances: &Circumstances, payroll: &Payroll<'static>) -> Employee<'static, u32> {
    let base = payroll.taxes.social_security_base;
    let situation = Arc::new(circumstances.find_situation(&TaxTables::built_in(), payroll.check_date, base));
    let tables = StateTaxTables::built_in();
    let states = situation.states().iter().map(|income| {
        let tax =
            StateTax::find_state_tax(tables, payroll, &income.state, |key| answer(&income.state, key), None);
        let tax = if income.withheld { tax } else { tax.not_withheld() };
        let (share, credits, why) = (income.share, income.credits.clone(), income.why.clone());
        StateIncomeTax { share, credits, why, ..StateIncomeTax::of_one(tax) }
    });
    Employee {
        states: states.collect(),
        other_taxes: OtherTaxes { situation: Arc::clone(&situation), ..OtherTaxes::default() },
        ..by_the_hour("25", "80")
    }
}

/// Returns the employee's taxes other than federal taxes, as "code amount".
fn worked(circumstances: &Circumstances) -> Vec<String> {
    let payroll = biweekly_payroll();
    let employee = employee(circumstances, &payroll);
    let found = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap();
    let of_states = found.state_taxes.iter().map(|line| (line.state.clone(), line.amount));
    let dues = employee.other_taxes.situation.due_taxes().iter();
    let others = dues.zip(&found.other_taxes).filter(|(_, tax)| tax.of_employee);
    let lines: Vec<(String, Amount)> =
        of_states.chain(others.map(|(due, tax)| (due.code.clone(), tax.sums.amount))).collect();
    let taken = lines.iter().map(|(_, amount)| *amount);
    let left = taken.fold(parse_amount(AFTER_FEDERAL), |left, tax| left.checked_sub(tax).unwrap());
    assert_eq!(found.net, left, "the lines are all that is taken");
    lines.into_iter().map(|(code, amount)| format!("{code} {amount}")).collect()
}

/// Pay after federal taxes: 124.00 and 29.00 for Social Security and Medicare; income tax by Worksheet 1A: 52,000 a
/// year less 8,600 is 43,400; 1,240 plus 12 % of the amount above 19,900 is 4,060 a year, 156.15.
const AFTER_FEDERAL: &str = "1690.85";

const NEW_JERSEYS: [&str; 4] = ["NJ_FLI_EE 4.60", "NJ_TDI_EE 3.80", "NJ_UI_EE 7.65", "NJ_WF_EE 0.85"];

#[test]
fn new_jersey_to_new_york_bears_new_yorks_tax_which_is_above_new_jerseys() {
    // New York: 22.54 plus 5.4 % of the part of 1,715.40 above 535. New Jersey: 31 plus 6.1 % above 1,538: 59.18, credited.
    let circumstances = lives_and_works(at("NJ", &[]), at("NY", &[]));
    assert_eq!(worked(&circumstances), ["NY 86.28", "NJ 0.00", "NY_DBL 1.20", "NY_PFL 8.64"]);
}

#[test]
fn new_jersey_credits_new_yorks_tax_against_its_own_on_the_same_days_alone() {
    // Eight of ten days in New York: 22.54 plus 5.4 % of the part of 1,315.40 above 535, on 1,600.00. New Jersey's 59.18 on all
    // wages is 47.34 on the same wages, which is all that is credited; 11.84 is left for the days at home.
    let days = |state: &str, days| WorkedAt { days, ..at(state, &[]) };
    let circumstances = Circumstances {
        work: vec![days("NY", 8), days("NJ", 2)],
        ..lives_and_works(at("NJ", &[]), at("NY", &[]))
    };
    let mut expected = vec!["NJ 11.84", "NY 64.68"];
    expected.extend(NEW_JERSEYS);
    let mut found = worked(&circumstances);
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn pennsylvania_to_new_jersey_bears_pennsylvania_and_the_local_tax_of_the_home() {
    let york = PsdCodes { home: Some("671401".to_owned()), ..PsdCodes::default() };
    let circumstances = Circumstances { psd: york, ..lives_and_works(at("PA", &[]), at("NJ", &[])) };
    let mut expected = vec!["NJ 0.00", "PA 61.40"];
    expected.extend(NEW_JERSEYS);
    expected.push("PA_EIT_671401 25.00");
    let mut found = worked(&with_form(circumstances, "NJ"));
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn ohio_to_kentucky_bears_ohio_and_the_places_of_kentucky_that_the_agreement_leaves() {
    // Ohio: 462.39 plus 2.99 % of 25,950, divided by 26. Covington 2.45 % and Kenton County 0.9097 % of pay for work there.
    let work = at("KY", &["KY-COVINGTON", "KY-KENTON_COUNTY"]);
    let circumstances = with_form(lives_and_works(at("OH", &["OH-15000"]), work), "KY");
    assert_eq!(
        worked(&circumstances),
        ["KY 0.00", "OH 47.63", "KY_COVINGTON 49.00", "KY_KENTON_COUNTY 18.19"]
    );
}

#[test]
fn maryland_to_the_district_bears_maryland_with_its_county() {
    // 2,000.00 less 130.76, at 4.75 % and Baltimore's 3.2 %.
    let circumstances = lives_and_works(at("MD", &[]), at("DC", &[]));
    assert_eq!(worked(&circumstances), ["DC 0.00", "MD 148.60"]);
    // The reverse, with the form: 2,200 plus 6.5 % of 12,000, divided by 26.
    let circumstances = with_form(lives_and_works(at("DC", &[]), at("MD", &[])), "MD");
    assert_eq!(worked(&circumstances), ["DC 114.62", "MD 0.00"]);
}

#[test]
fn indiana_to_illinois_bears_illinois_and_the_county_of_indiana() {
    // Illinois 4.95 %; Indiana's 59.00 is below it; Marion County 2.02 %.
    let january = OnFirstOfJanuary { home: Some("IN-49".to_owned()), work: None };
    let circumstances =
        Circumstances { january: Some(january), ..lives_and_works(at("IN", &["IN-49"]), at("IL", &[])) };
    assert_eq!(worked(&circumstances), ["IL 99.00", "IN 0.00", "IN_49 40.40"]);
}

#[test]
fn kentucky_to_indiana_bears_kentucky_and_the_county_of_work_that_the_agreement_leaves() {
    // Kentucky: 3.5 % of the part of 52,000 above 3,360, divided by 26. Marion County 2.02 %.
    let january = OnFirstOfJanuary { home: None, work: Some("IN-49".to_owned()) };
    let circumstances =
        Circumstances { january: Some(january), ..lives_and_works(at("KY", &[]), at("IN", &["IN-49"])) };
    assert_eq!(worked(&with_form(circumstances, "IN")), ["IN 0.00", "KY 65.48", "IN_49 40.40"]);
}

#[test]
fn wisconsin_to_minnesota_bears_minnesota_alone() {
    // 1,782.09 plus 6.8 % of the part of 52,000 above 38,010, divided by 26.
    let circumstances = lives_and_works(at("WI", &[]), at("MN", &[]));
    assert_eq!(worked(&circumstances), ["MN 105.13", "WI 0.00", "MN_PL 8.80"]);
}

#[test]
fn california_and_nevada_bear_california_both_ways() {
    // 43.24 plus 6.6 % of the part of 1,781 above 1,594; disability insurance follows the work.
    let to_california = lives_and_works(at("NV", &[]), at("CA", &[]));
    assert_eq!(worked(&to_california), ["CA 55.58", "CA_SDI 26.00"]);
    let to_nevada = lives_and_works(at("CA", &[]), at("NV", &[]));
    assert_eq!(worked(&to_nevada), ["CA 55.58", "NV 0.00"]);
}

#[test]
fn work_at_home_in_connecticut_for_an_office_in_new_york_bears_new_york() {
    // Connecticut: 2,110 less a tenth, divided by 26, is 73.04, below New York's.
    let remote = WorkedAt { office: Some("NY".to_owned()), ..at("CT", &[]) };
    let mut circumstances = lives_and_works(at("CT", &[]), remote);
    circumstances.confirmed.insert(residence_key("NY"));
    assert_eq!(worked(&circumstances), ["NY 86.28", "CT 0.00", "CT_PFML 10.00"]);
}

#[test]
fn detroit_to_hamtramck_bears_both_cities_less_the_credit() {
    // Michigan 4.25 %; Detroit 2.4 % less the 0.5 % that Hamtramck charges nonresidents.
    let circumstances = lives_and_works(at("MI", &["MI-DETROIT"]), at("MI", &["MI-HAMTRAMCK"]));
    assert_eq!(worked(&circumstances), ["MI 85.00", "MI_DETROIT 38.00", "MI_HAMTRAMCK 10.00"]);
}

#[test]
fn pittsburgh_to_allentown_bears_the_rate_at_home_and_the_services_tax_at_work() {
    // 3 % at home is more than 1.28 % at work; 52 a year divided by 26.
    let codes = PsdCodes {
        home: Some("700102".to_owned()),
        work: Some("390101".to_owned()),
        exempt_from_services: false,
    };
    let circumstances = Circumstances { psd: codes, ..lives_and_works(at("PA", &[]), at("PA", &[])) };
    assert_eq!(
        worked(&circumstances),
        ["PA 61.40", "PA_EIT_700102 60.00", "PA_LST_390101 2.00", "PA_UC_EE 1.40"]
    );
}

#[test]
fn portland_bears_its_taxes_above_200000_and_the_employer_the_transit_district() {
    let places: &[&str] = &["OR-METRO", "OR-MULTNOMAH", "OR-TRIMET_DISTRICT"];
    let found = worked(&lives_and_works(at("OR", places), at("OR", places)));
    // Metro and Multnomah begin at 200,000 a year; transit 0.1 %; paid leave 0.6 %; 80 hours at 0.9 cents.
    let without_income_tax: Vec<&str> =
        found.iter().map(String::as_str).filter(|line| !line.starts_with("OR ")).collect();
    assert_eq!(
        without_income_tax,
        ["OR_METRO 0.00", "OR_MULTNOMAH 0.00", "OR_PL 12.00", "OR_STT 2.00", "OR_WBF_EE 0.72"]
    );
}

#[test]
fn a_move_in_the_middle_of_the_period_divides_the_wages_between_the_homes() {
    // New Jersey on 1,000.00: 12 plus 2 % of the amount above 769. Pennsylvania 3.07 % of the other half.
    let york = PsdCodes { home: Some("671401".to_owned()), ..PsdCodes::default() };
    let circumstances = Circumstances {
        psd: york,
        lived: [("NJ".to_owned(), 7), ("PA".to_owned(), 7)].into(),
        ..lives_and_works(at("PA", &[]), at("NJ", &[]))
    };
    let found = worked(&with_form(circumstances, "NJ"));
    assert!(found.contains(&"NJ 16.62".to_owned()) && found.contains(&"PA 30.70".to_owned()), "{found:?}");
}

/// Returns what a support order for half of disposable earnings takes, and what a creditor takes without it.
fn garnished(circumstances: &Circumstances) -> [String; 2] {
    let payroll = biweekly_payroll();
    let state = circumstances.covering_state().unwrap().to_owned();
    let minimum =
        MinimumWages { state: Some(parse_amount("16.90")), ..MinimumWages::of_country(parse_amount("7.25")) };
    let (half, creditor) =
        (support_order("5000"), other_terms(Some(GarnishmentType::CreditorGarnishment), "1000"));
    [half, creditor].map(|terms| {
        let employee = Employee {
            support_limits: SupportLimits::built_in().limits_of_state(&state, payroll.check_date),
            garnishment_law: GarnishmentLaw::built_in(&state, payroll.check_date, minimum),
            garnishments: vec![ordered_garnishment(1, &terms)],
            ..employee(circumstances, &payroll)
        };
        calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap().garnishments[0].amount.to_text(2)
    })
}

#[test]
fn californias_insurance_leaves_less_for_support_and_nothing_for_creditors() {
    // 1,690.85 less 55.58 and 26.00 is 1,609.27, below 1,622.40: 48 hours a week at 16.90.
    let circumstances = lives_and_works(at("CA", &[]), at("CA", &[]));
    assert_eq!(garnished(&circumstances), ["804.63", "0.00"]);
}

#[test]
fn new_york_citys_tax_leaves_less_for_support_and_creditors_take_a_tenth_of_gross_pay() {
    // The city: 1,807.69 a period is 46,999.94 a year; 783 plus 4.15 % of the amount above 25,000 is 65.23.
    // 1,690.85 less 86.28, 65.23, 1.20 and 8.64 is 1,529.50.
    let places: &[&str] = &["NY-NEW_YORK_CITY"];
    let circumstances = lives_and_works(at("NY", places), at("NY", places));
    assert_eq!(garnished(&circumstances), ["764.75", "200.00"]);
}

#[test]
fn columbus_and_the_school_district_leave_less_for_support_and_a_quarter_for_creditors() {
    // 1,690.85 less 47.63, 50.00 and 0.75 % is 1,578.22.
    let circumstances = lives_and_works(at("OH", &["OH-18000", "OH-SD-2501"]), at("OH", &["OH-18000"]));
    assert_eq!(garnished(&circumstances), ["789.11", "394.55"]);
}

#[test]
fn pittsburgh_leaves_less_for_support_and_nothing_for_creditors() {
    // 1,690.85 less 61.40, 60.00, 2.00 and 1.40 is 1,566.05.
    let pittsburgh = Some("700102".to_owned());
    let codes = PsdCodes { home: pittsburgh.clone(), work: pittsburgh, exempt_from_services: false };
    let circumstances = Circumstances { psd: codes, ..lives_and_works(at("PA", &[]), at("PA", &[])) };
    assert_eq!(garnished(&circumstances), ["783.02", "0.00"]);
}
