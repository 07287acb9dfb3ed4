//! Local taxes on 2,000.00 of biweekly pay, worked by hand.

use jiff::civil::{Date, date};

use super::choose::Facts;
use super::golden_tests::{before, dollars, facts, lines_of, pay};
use super::local::*;
use super::*;
use crate::days::Days;
use crate::explain::{Recorder, evaluator};

const DAY: Date = date(2026, 6, 12);

fn half(place: &str) -> WorkPlace {
    WorkPlace { share: Share::new(5, 10).unwrap(), ..WorkPlace::all_work_at(place) }
}

fn home(place: &str) -> Places {
    Places { home: vec![place.into()], ..Places::default() }
}

fn work(place: &str) -> Places {
    Places { work: vec![WorkPlace::all_work_at(place)], ..Places::default() }
}

fn home_and_work(at_home: &str, at_work: &str) -> Places {
    Places { home: vec![at_home.into()], ..work(at_work) }
}

fn single() -> Setting {
    Setting { confirmed: true, filing: Some(Filing::Single), exemptions: 1, ..Setting::default() }
}

/// Returns the lines and the uncalculated taxes of pay in a situation; each line can be recalculated from its explanation.
fn worked(places: &Places, facts: &Facts<'_>, wages: Wages, to_date: ToDate) -> Vec<String> {
    worked_with(places, facts, wages, to_date, ["80", "0"])
}

/// Returns the same with the given income tax of each state, and the part of it requested on top of the formula.
fn worked_with(
    places: &Places,
    facts: &Facts<'_>,
    wages: Wages,
    to_date: ToDate,
    tax_and_additional: [&str; 2],
) -> Vec<String> {
    let situation = Situation::new([due_taxes(Tables::built_in(), facts, places)]);
    let [tax, additional] = tax_and_additional.map(dollars);
    let result = |state| StateResult { state, wages: wages.cash, taxable: Some(wages.cash), tax, additional };
    let states = [result("NY"), result("IN"), result("MD")];
    let pay = Pay { states: &states, ..pay(facts.day, wages) };
    let mut recorder = Recorder::default();
    let outcome = situation.calculate_taxes(&mut recorder, &pay, &situation.to_dates(|_| to_date.clone()));
    for node in recorder.finish() {
        evaluator::check(&node.to_json()).unwrap();
    }
    let unworked = outcome.unworked.iter().map(|one| format!("{}: {}", one.code, one.why));
    lines_of(&outcome).into_iter().chain(unworked).collect()
}

fn of(places: &Places, settings: &[(&str, Setting)]) -> Vec<String> {
    let mut facts = facts(DAY);
    facts.settings.extend(settings.iter().map(|(code, setting)| ((*code).to_owned(), setting.clone())));
    worked(places, &facts, Wages::of_cash(dollars("2000")), ToDate::default())
}

#[test]
fn indiana_asks_where_somebody_lived_on_the_first_of_january() {
    let january = |home: Option<&str>, work: Option<&str>| {
        let january = January { home: home.map(str::to_owned), work: work.map(str::to_owned) };
        Places { january: Some(january), ..Places::default() }
    };
    assert_eq!(of(&january(Some("IN-49"), Some("IN-02")), &[]), ["IN_49 40.40"]);
    assert_eq!(of(&january(None, Some("IN-02")), &[]), ["IN_02 31.80"]);
    assert_eq!(of(&january(None, None), &[]), [""; 0]);
    let moved = Places { home: vec!["IN-02".into()], ..january(Some("IN-49"), None) };
    assert_eq!(of(&moved, &[]), ["IN_49 40.40"]);
    assert_eq!(
        of(&home("IN-49"), &[]),
        [
            "IN_49: the county of residence, or else of work, on 1 January is missing: the employee answers it with the home address"
        ]
    );
}

#[test]
fn maryland_taxes_by_the_county_of_residence_by_schedule_where_it_has_one() {
    assert_eq!(of(&home("MD-04"), &[]), ["MD_04 64.00"]);
    // 52,000 a year: 1,350.00 plus 2.94 percent of 2,000.00, divided by 26.
    assert_eq!(of(&home("MD-02"), &[("MD_02", single())]), ["MD_02 54.18"]);
    // Joint, between 25,000 and 100,000: 2.75 percent of all of it.
    let joint = Setting { filing: Some(Filing::Joint), ..Setting::default() };
    assert_eq!(of(&home("MD-11"), &[("MD_11", joint)]), ["MD_11 55.00"]);
    assert_eq!(of(&home("MD-UNKNOWN"), &[]), ["MD_UNKNOWN 66.00"]);
    assert_eq!(of(&home("MD-NONRESIDENT"), &[]), ["MD_NONRESIDENT 45.00"]);
    assert_eq!(
        of(&home("MD-02"), &[]),
        [
            "MD_02: the filing status is missing: the employee answers it with the state's questions on withholding, as one of single, joint"
        ]
    );
}

#[test]
fn a_michigan_city_credits_its_residents_for_the_city_of_work() {
    let settings = [("MI_DETROIT", single()), ("MI_HAMTRAMCK", single())];
    // An exemption is 600 a year, 23.08 a period; 1,976.92 remain.
    assert_eq!(of(&home_and_work("MI-DETROIT", "MI-DETROIT"), &settings), ["MI_DETROIT 47.45"]);
    // 2.4 percent less 0.5 percent; and Hamtramck's 0.5 percent.
    assert_eq!(
        of(&home_and_work("MI-DETROIT", "MI-HAMTRAMCK"), &settings),
        ["MI_DETROIT 37.56", "MI_HAMTRAMCK 9.88"]
    );
    // The credit is at most the city's own nonresident rate.
    assert_eq!(
        of(&home_and_work("MI-HAMTRAMCK", "MI-DETROIT"), &settings),
        ["MI_DETROIT 23.72", "MI_HAMTRAMCK 9.88"]
    );
    let nonresident = Places { work: vec![half("MI-DETROIT")], ..Places::default() };
    assert_eq!(of(&nonresident, &settings), ["MI_DETROIT 11.72"]);
}

#[test]
fn ohio_keeps_twenty_days_in_another_city_with_the_main_place_of_work() {
    let places = |days| {
        let share = |part| Share::new(part, 10).unwrap();
        Places {
            work: vec![
                WorkPlace { share: share(8), ..WorkPlace::all_work_at("OH-18000") },
                WorkPlace { share: share(2), days, ..WorkPlace::all_work_at("OH-16000") },
            ],
            main: Some(MainPlace::City("OH-18000".into())),
            ..Places::default()
        }
    };
    assert_eq!(of(&places(20), &[]), ["OH_18000 50.00"]);
    assert_eq!(of(&places(21), &[]), ["OH_16000 10.00", "OH_18000 40.00"]);
    assert_eq!(of(&work("OH-JEDD-9156"), &[]), ["OH_JEDD_9156 30.00"]);
}

#[test]
fn an_ohio_city_of_residence_is_withheld_by_agreement_alone_and_less_its_credit() {
    let mut places = home_and_work("OH-22694", "OH-18000");
    assert_eq!(of(&places, &[]), ["OH_18000 50.00"]);
    let mut agreed = |percent: &str, up_to: &str| {
        let up_to = crate::Amount::parse(up_to).ok();
        let credit = OhioCredit { percent: dollars(percent), up_to, source: "the city's code".into() };
        places.agreed.insert("OH-22694".into(), Ok(credit));
        of(&places, &[])
    };
    assert_eq!(agreed("100", "2"), ["OH_18000 50.00", "OH_22694_RESIDENCE 0.00"]);
    assert_eq!(agreed("50", "2"), ["OH_18000 50.00", "OH_22694_RESIDENCE 20.00"]);
    assert_eq!(agreed("100", "1"), ["OH_18000 50.00", "OH_22694_RESIDENCE 20.00"]);
    assert_eq!(agreed("75", ""), ["OH_18000 50.00", "OH_22694_RESIDENCE 10.00"]);
    let missing =
        Why::Missing("the credit that the city of residence gives", EnteredBy::CompanyTaxes, Vec::new());
    places.agreed.insert("OH-22694".into(), Err(missing));
    assert_eq!(
        of(&places, &[]),
        [
            "OH_18000 50.00",
            "OH_22694: the credit that the city of residence gives is missing: the employer enters it with the company's taxes of the state"
        ]
    );
}

#[test]
fn ohio_school_districts_have_two_bases_and_the_cities_add_deferrals_back() {
    let exemptions = Setting { exemptions: 2, ..Setting::default() };
    // Two exemptions are 1,300 a year, 50.00 a period.
    assert_eq!(of(&home("OH-SD-2501"), &[("OH_SD_2501", exemptions.clone())]), ["OH_SD_2501 14.63"]);
    assert_eq!(of(&home("OH-SD-2301"), &[("OH_SD_2301", exemptions.clone())]), ["OH_SD_2301 40.00"]);
    let mut facts = facts(DAY);
    facts.settings.insert("OH_SD_2501".into(), exemptions);
    let wages = Wages::of_cash(dollars("2000")).with_item(Item::Deferral, dollars("100"));
    let places = home_and_work("OH-SD-2501", "OH-18000");
    assert_eq!(worked(&places, &facts, wages, ToDate::default()), ["OH_18000 50.00", "OH_SD_2501 13.88"]);
}

fn pennsylvania(home: Option<&str>, work: Option<&str>) -> Places {
    let residency =
        Residency { home: home.map(str::to_owned), work: work.map(str::to_owned), ..Residency::default() };
    Places { pennsylvania: vec![(residency, Share::ALL)], ..Places::default() }
}

#[test]
fn pennsylvania_takes_the_higher_of_the_rate_at_home_and_the_nonresident_rate_at_work() {
    let of = |home, work| of(&pennsylvania(home, work), &[]);
    assert_eq!(of(Some("700102"), Some("390101")), ["PA_EIT_700102 60.00", "PA_LST_390101 2.00"]);
    assert_eq!(of(Some("671401"), Some("070101")), ["PA_EIT_070101 28.00", "PA_LST_070101 2.00"]);
    // A New Jersey resident pays the nonresident rate; an employee who works elsewhere pays the rate at home.
    assert_eq!(of(None, Some("671401")), ["PA_EIT_671401 25.00", "PA_LST_671401 2.00"]);
    assert_eq!(of(Some("390699"), None), ["PA_EIT_390699 39.50"]);
    assert_eq!(
        of(Some("123456"), Some("671401")),
        ["PA_LST_671401 2.00", "PA_EIT_123456: the tables hold no row for this place and day: import one"]
    );
}

#[test]
fn local_services_tax_of_a_known_place_of_work_does_not_wait_for_the_code_of_the_home() {
    // Butler is not in the built-in register: its earned income tax is open, Pittsburgh's services tax is not.
    let lines = of(&pennsylvania(Some("100201"), Some("700102")), &[]);
    assert_eq!(lines[0], "PA_LST_700102 2.00");
    assert_eq!(lines[1], "PA_PITTSBURGH_PAYROLL 11.00");
    assert!(lines[2].starts_with("PA_EIT_100201: ") && lines.len() == 3, "{lines:?}");
    // For an unknown place of work, both taxes are open.
    let lines = of(&pennsylvania(Some("700102"), Some("100201")), &[]);
    let codes: Vec<_> = lines.iter().filter_map(|line| line.split_once(':')).map(|(code, _)| code).collect();
    assert_eq!((codes, lines.len()), (vec!["PA_EIT_100201", "PA_LST_100201"], 2));
}

#[test]
fn a_school_district_of_ohio_that_the_table_does_not_hold_has_no_tax() {
    for place in ["OH-SD-2503", "OH-SD-NONE"] {
        assert_eq!(of(&home(place), &[]), [""; 0], "{place}");
    }
    assert_eq!(of(&home("OH-SD-2501"), &[]), ["OH_SD_2501 15.00"]);
    // Elsewhere, a place without a row is reported.
    assert!(of(&home("OH-99999"), &[])[0].starts_with("OH_99999: "));
}

#[test]
fn schools_of_fayette_county_take_from_its_residents_what_they_work_in_it() {
    let fayette = "KY-FAYETTE_COUNTY_PUBLIC_SCHOOL_DISTRICT";
    let code = "KY_FAYETTE_COUNTY_PUBLIC_SCHOOL_DISTRICT";
    assert_eq!(of(&home_and_work(fayette, fayette), &[]), [format!("{code} 10.00")]);
    assert_eq!(of(&work(fayette), &[]), [""; 0]);
    assert_eq!(of(&home(fayette), &[]), [""; 0]);
    let half_there = Places { work: vec![half(fayette)], ..home(fayette) };
    assert_eq!(of(&half_there, &[]), [format!("{code} 5.00")]);
}

#[test]
fn the_services_tax_of_a_bonus_by_the_annual_table_is_that_of_the_employers_pay_period() {
    let facts = facts(DAY);
    let situation =
        Situation::new([due_taxes(Tables::built_in(), &facts, &pennsylvania(None, Some("700102")))]);
    let annually = Pay { periods: 1, ..pay(facts.day, Wages::of_cash(dollars("2000"))) };
    let outcome = situation.calculate_lines(&annually, &[]);
    let services = outcome.lines.iter().find(|line| line.code() == "PA_LST_700102").unwrap();
    assert_eq!(services.amount(), dollars("2.00"), "52.00 a year in 26 parts (53 P.S. 6924.301.1)");
}

#[test]
fn philadelphia_is_outside_of_act_32() {
    let places = Places { work: vec![half("PA-PHILADELPHIA")], ..pennsylvania(Some("040101"), None) };
    assert_eq!(of(&places, &[]), ["PA_EIT_040101 12.00", "PA_PHILADELPHIA 34.30"]);
    let places = Places { home: vec!["PA-PHILADELPHIA".into()], ..pennsylvania(None, Some("700102")) };
    assert_eq!(
        of(&places, &[]),
        ["PA_LST_700102 2.00", "PA_PHILADELPHIA 74.80", "PA_PITTSBURGH_PAYROLL 11.00"]
    );
    let later = facts(date(2026, 7, 3));
    let lines = worked(&work("PA-PHILADELPHIA"), &later, Wages::of_cash(dollars("2000")), ToDate::default());
    assert_eq!(lines, ["PA_PHILADELPHIA 68.50"]);
}

#[test]
fn the_local_services_tax_is_cut_to_the_cent_and_ends_at_its_amount_of_the_year() {
    let facts = facts(DAY);
    let situation =
        Situation::new([due_taxes(Tables::built_in(), &facts, &pennsylvania(None, Some("700102")))]);
    let tax = |periods, taken: &str| {
        let pay = Pay { employer_periods: periods, ..pay(DAY, Wages::of_cash(dollars("2000"))) };
        let outcome = situation.calculate_lines(&pay, &situation.to_dates(|_| before("0", taken, DAY)));
        outcome.lines.iter().find(|line| line.code() == "PA_LST_700102").unwrap().amount()
    };
    assert_eq!(tax(24, "0"), dollars("2.16"));
    assert_eq!(tax(26, "51"), dollars("1.00"));
    assert_eq!(tax(26, "52"), dollars("0"));
    // A second paycheck in the pay period takes what the first left of the period's part.
    let second = |taken: &str| {
        let period = Sums { whole: dollars(taken), ..Sums::default() };
        let before = ToDate { period, ..before("0", taken, DAY) };
        let outcome = situation.calculate_lines(
            &pay(DAY, Wages::of_cash(dollars("2000"))),
            &situation.to_dates(|_| before.clone()),
        );
        outcome.lines.iter().find(|line| line.code() == "PA_LST_700102").unwrap().amount()
    };
    assert_eq!(["2.00", "1.50", "0"].map(second), ["0", "0.50", "2.00"].map(dollars));
    let mut places = pennsylvania(None, Some("700102"));
    places.pennsylvania[0].0.low_income = true;
    assert_eq!(of(&places, &[]), ["PA_EIT_700102 20.00", "PA_PITTSBURGH_PAYROLL 11.00"]);
}

#[test]
fn the_register_can_be_imported_and_a_wrong_total_is_a_fault() {
    let header = include_str!("../../../../data/taxes/pennsylvania_places.csv").lines().next().unwrap();
    let register = format!(
        "{header}\n\
         010101,Adams,Abbottstown,Conewago Valley,0.5,0.5,1,0.5,,0,0,,,YATB,,2026-06-30,primary,register\n\
         010101,Adams,Abbottstown,Conewago Valley,0.5,1.2,1.7,1,,0,0,,,YATB,2026-07-01,,primary,register\n"
    );
    let table = PennsylvaniaTable::parse(&register).unwrap();
    assert_eq!(table.get("010101", date(2026, 6, 30)).unwrap().resident, dollars("1"));
    assert_eq!(table.get("010101", date(2026, 7, 1)).unwrap().resident, dollars("1.7"));
    let wrong = register.replace("0.5,1.2,1.7", "0.5,1.2,1.8");
    assert_eq!(
        PennsylvaniaTable::parse(&wrong).unwrap_err()[0].to_string(),
        "line 3, resident_percent: must be the sum of municipality and school district"
    );
}

#[test]
fn kentuckys_counties_credit_the_city_within_them_but_kenton_does_not() {
    let city = |name: &str, county: &str| Places {
        work: vec![
            WorkPlace::all_work_at(county),
            WorkPlace { within: Some(county.into()), ..WorkPlace::all_work_at(name) },
        ],
        ..Places::default()
    };
    let confirmed = Setting { confirmed: true, ..Setting::default() };
    assert_eq!(
        of(&city("KY-FLORENCE", "KY-BOONE_COUNTY"), &[("KY_BOONE_COUNTY", confirmed.clone())]),
        ["KY_BOONE_COUNTY 0.00", "KY_FLORENCE 40.00"]
    );
    assert_eq!(
        of(&city("KY-COVINGTON", "KY-KENTON_COUNTY"), &[("KY_COVINGTON", confirmed)]),
        ["KY_COVINGTON 49.00", "KY_KENTON_COUNTY 18.19"]
    );
    // King v. Campbell County: its voters approved the tax, and it does not credit any city's tax.
    let lines = of(&city("KY-ALEXANDRIA", "KY-CAMPBELL_COUNTY"), &[]);
    let of_county: Vec<_> = lines.iter().filter(|line| line.starts_with("KY_CAMPBELL_COUNTY")).collect();
    assert_eq!(
        of_county,
        [
            "KY_CAMPBELL_COUNTY_GENERAL 18.00",
            "KY_CAMPBELL_COUNTY_MENTAL_HEALTH 2.00",
            "KY_CAMPBELL_COUNTY_SENIOR_CITIZENS 1.00"
        ]
    );
}

#[test]
fn kenton_changes_its_rate_at_half_the_social_security_base_and_louisville_taxes_residents_higher() {
    let facts = facts(DAY);
    // 250.00 at 0.9097 percent and 1,750.00 at 0.1097 percent.
    let kenton =
        worked(&work("KY-KENTON_COUNTY"), &facts, Wages::of_cash(dollars("2000")), before("92000", "0", DAY));
    assert_eq!(kenton, ["KY_KENTON_COUNTY 4.19"]);
    assert_eq!(of(&work("KY-LOUISVILLE_METRO"), &[]), ["KY_LOUISVILLE_METRO 29.00"]);
    let resident = home_and_work("KY-LOUISVILLE_METRO", "KY-LOUISVILLE_METRO");
    assert_eq!(of(&resident, &[]), ["KY_LOUISVILLE_METRO 44.00"]);
    let lines = of(&work("KY-BROWNSVILLE"), &[]);
    assert!(lines[0].starts_with("KY_BROWNSVILLE: the figure is in doubt"), "{lines:?}");
}

#[test]
fn new_york_city_taxes_residents_by_schedule_and_yonkers_a_share_of_the_states_tax() {
    // 2,000.00 less 192.30 of deduction and 38.50 of an exemption is 1,769.20: by the table of two weeks 30.12 plus 4.15 percent of what is above 962.
    assert_eq!(of(&home("NY-NEW_YORK_CITY"), &[("NY_NEW_YORK_CITY", single())]), ["NY_NEW_YORK_CITY 63.62"]);
    let nobody_confirmed = Setting { confirmed: false, exemptions: 0, ..single() };
    assert_eq!(
        of(&home("NY-NEW_YORK_CITY"), &[("NY_NEW_YORK_CITY", nobody_confirmed)]),
        ["NY_NEW_YORK_CITY 65.22"]
    );
    assert_eq!(of(&work("NY-NEW_YORK_CITY"), &[]), [""; 0]);
    let supplemental = Setting { election: Some("supplemental".into()), ..single() };
    let settings = [
        ("NY_NEW_YORK_CITY_SUPPLEMENTAL", supplemental),
        ("NY_NEW_YORK_CITY", Setting { exempt: true, ..single() }),
    ];
    assert_eq!(of(&home("NY-NEW_YORK_CITY"), &settings), ["NY_NEW_YORK_CITY_SUPPLEMENTAL 85.00"]);
    assert_eq!(of(&home("NY-YONKERS"), &[]), ["NY_YONKERS_RESIDENT 13.40"]);
    // 16.75 % of 80.98 by the formula; the additional 10.00 requested is for the state alone (NYS-50-T-Y, Method II).
    let wages = Wages::of_cash(dollars("2000"));
    let extra = |tax| worked_with(&home("NY-YONKERS"), &facts(DAY), wages, ToDate::default(), tax);
    assert_eq!(extra(["90.98", "10.00"]), ["NY_YONKERS_RESIDENT 13.56"]);
    assert_eq!(extra(["10.00", "10.00"]), ["NY_YONKERS_RESIDENT 0.00"]);
    assert_eq!(
        of(&work("NY-YONKERS"), &[("NY_YONKERS_NONRESIDENT", single())]),
        ["NY_YONKERS_NONRESIDENT 10.00"]
    );
    assert_eq!(of(&home_and_work("NY-YONKERS", "NY-YONKERS"), &[]), ["NY_YONKERS_RESIDENT 13.40"]);
}

#[test]
fn a_figure_goes_on_while_the_one_after_it_is_in_doubt() {
    let places = home_and_work("PA-PHILADELPHIA", "PA-PHILADELPHIA");
    // The built-in table, with the newer figure from memory.
    let in_doubt = |line: &str| match line.starts_with("PA_PHILADELPHIA,") && line.contains(",2026-07-01,") {
        true => line.replacen(",secondary,", ",memory,", 1),
        false => line.to_owned(),
    };
    let text = include_str!("../../../../data/taxes/local_2026.csv");
    let text: Vec<String> = text.lines().map(in_doubt).collect();
    let table = TaxTable::parse(&text.join("\n")).unwrap();
    let on = |day, confirmed| {
        let mut facts = facts(day);
        facts.settings.insert("PA_PHILADELPHIA".into(), Setting { confirmed, ..Setting::default() });
        let found = due_taxes(Tables { local: &table, ..Tables::built_in() }, &facts, &places);
        let situation = Situation::new([found]);
        lines_of(&situation.calculate_lines(&pay(day, Wages::of_cash(dollars("2000"))), &[]))
    };
    assert_eq!(on(date(2026, 6, 30), false), ["PA_PHILADELPHIA 74.80"]);
    assert_eq!(on(date(2026, 7, 1), false), ["PA_PHILADELPHIA 74.80"]);
    assert_eq!(on(date(2026, 7, 1), true), ["PA_PHILADELPHIA 74.70"]);
}

#[test]
fn taxes_on_the_payroll_of_a_place_ask_for_it_and_begin_above_their_limit() {
    let with = |place: &str, payroll: &str, places: &Places| {
        let mut facts = facts(DAY);
        facts.payrolls.insert(place.into(), dollars(payroll));
        worked(places, &facts, Wages::of_cash(dollars("2000")), ToDate::default())
    };
    let zone = work("NY-MCTD_ZONE_1");
    assert_eq!(with("NY-MCTD_ZONE_1", "312500", &zone), [""; 0]);
    assert_eq!(with("NY-MCTD_ZONE_1", "312500.01", &zone), ["NY_MCTD_ZONE_1 1.10"]);
    assert_eq!(with("NY-MCTD_ZONE_1", "500000", &zone), ["NY_MCTD_ZONE_1 12.00"]);
    assert_eq!(
        of(&zone, &[]),
        [
            "NY_MCTD_ZONE_1: the employer's payroll of the quarter in the place is missing: the employer enters it with the company's taxes of the state"
        ]
    );
    // Newark's counts without a confirmation, as Jersey City's under the same statute does.
    assert_eq!(with("NJ-NEWARK", "2500", &work("NJ-NEWARK")), [""; 0]);
    assert_eq!(with("NJ-NEWARK", "2500.01", &work("NJ-NEWARK")), ["NJ_NEWARK 20.00"]);
    assert_eq!(with("NJ-JERSEY_CITY", "90000", &work("NJ-JERSEY_CITY")), ["NJ_JERSEY_CITY 20.00"]);
    let resident = home_and_work("NJ-JERSEY_CITY", "NJ-JERSEY_CITY");
    assert_eq!(with("NJ-JERSEY_CITY", "90000", &resident), ["NJ_JERSEY_CITY 0.00"]);
    assert_eq!(of(&work("CA-SAN_FRANCISCO"), &[]), [""; 0]);
    let seattle = |payroll| with("WA-SEATTLE", payroll, &work("WA-SEATTLE")).concat();
    // The tax on pay above a million needs no payroll.
    assert_eq!(seattle("2268602.25"), "WA_SEATTLE_HOUSING 0.00");
    assert!(seattle("2268602.26").contains("the figure is not known"));
}

#[test]
fn earnings_taxes_follow_residents_everywhere_and_others_by_their_share_of_work() {
    for (place, code, all, part) in [
        ("MO-ST_LOUIS", "MO_ST_LOUIS", "20.00", "10.00"),
        ("MO-KANSAS_CITY", "MO_KANSAS_CITY", "20.00", "10.00"),
        ("DE-WILMINGTON", "DE_WILMINGTON", "25.00", "12.50"),
    ] {
        assert_eq!(of(&home(place), &[]), [format!("{code} {all}")]);
        let nonresident = Places { work: vec![half(place)], ..Places::default() };
        assert_eq!(of(&nonresident, &[])[0], format!("{code} {part}"));
    }
    // The employer's payroll tax covers only work in the city.
    assert_eq!(of(&work("MO-ST_LOUIS"), &[]), ["MO_ST_LOUIS 20.00", "MO_ST_LOUIS_PAYROLL 10.00"]);
    let places = Places { work: vec![half("AL-BIRMINGHAM")], ..Places::default() };
    assert_eq!(of(&places, &[]), ["AL_BIRMINGHAM 10.00"]);
    assert_eq!(of(&work("OR-TRIMET_DISTRICT"), &[]), ["OR_TRIMET_DISTRICT 16.47"]);
}

/// Returns the lines for 4,000.00 with 200.00 of health premiums, 100.00 into a health savings account and 400.00 into a 401(k) plan.
fn with_benefits(place: &str) -> Vec<String> {
    let wages = Wages::of_cash(dollars("4000")).with_item(Item::Section125Health, dollars("200"));
    let wages = wages.with_item(Item::Hsa, dollars("100")).with_item(Item::Deferral, dollars("400"));
    worked(&home_and_work(place, place), &facts(DAY), wages, ToDate::default())
}

#[test]
fn the_cities_of_missouri_tax_no_deferrals_and_nothing_of_a_cafeteria_plan() {
    assert_eq!(with_benefits("MO-KANSAS_CITY"), ["MO_KANSAS_CITY 33.00"]);
    // The employer's payroll tax is on all pay.
    assert_eq!(with_benefits("MO-ST_LOUIS"), ["MO_ST_LOUIS 33.00", "MO_ST_LOUIS_PAYROLL 20.00"]);
}

#[test]
fn wilmington_taxes_deferrals_and_nothing_of_a_cafeteria_plan() {
    assert_eq!(with_benefits("DE-WILMINGTON")[0], "DE_WILMINGTON 46.25");
}

#[test]
fn eugene_takes_its_safety_tax_of_those_above_its_limit_and_of_employers_of_three() {
    let taxed = |wages: &str, size| {
        let mut facts = facts(DAY);
        facts.sizes.insert("OR-EUGENE".into(), size);
        worked(&work("OR-EUGENE"), &facts, Wages::of_cash(dollars(wages)), ToDate::default())
    };
    assert_eq!(taxed("4000", 3), ["OR_EUGENE 17.60", "OR_EUGENE_ER 8.40"]);
    // 1,204.00 in two weeks is 31,304 a year.
    assert_eq!(taxed("1204", 3), ["OR_EUGENE 5.30", "OR_EUGENE_ER 2.53"]);
    assert_eq!(taxed("1203.99", 3), ["OR_EUGENE 0.00", "OR_EUGENE_ER 2.53"]);
    let small = taxed("4000", 2);
    assert_eq!(small[0], "OR_EUGENE 17.60");
    assert!(small[1].starts_with("OR_EUGENE_ER: the figure is not known"), "{small:?}");
}

#[test]
fn employers_taxes_on_payrolls_of_pittsburgh_seattle_and_wilmington_are_told() {
    let pittsburgh = of(&pennsylvania(None, Some("700102")), &[]);
    assert!(pittsburgh.contains(&"PA_PITTSBURGH_PAYROLL 11.00".to_owned()), "{pittsburgh:?}");
    let elsewhere = of(&pennsylvania(None, Some("390101")), &[]);
    assert!(!elsewhere.concat().contains("PAYROLL"), "{elsewhere:?}");
    let facts = facts(DAY);
    let paid = |taxed: &str| {
        worked(&work("WA-SEATTLE"), &facts, Wages::of_cash(dollars("2000")), before(taxed, "0", DAY))
    };
    assert!(paid("100000").contains(&"WA_SEATTLE_HOUSING 0.00".to_owned()));
    assert!(paid("999000").contains(&"WA_SEATTLE_HOUSING 50.00".to_owned()));
    let mut of_six = facts.clone();
    of_six.sizes.insert("DE-WILMINGTON".into(), 6);
    let wilmington =
        worked(&work("DE-WILMINGTON"), &of_six, Wages::of_cash(dollars("2000")), ToDate::default());
    assert!(
        wilmington.iter().any(|line| line.starts_with("DE_WILMINGTON_HEAD: the figure")),
        "{wilmington:?}"
    );
    assert_eq!(of(&work("AL-MACON_COUNTY"), &[]), ["AL_MACON_COUNTY 20.00"]);
}

#[test]
fn denver_is_taken_once_a_month_from_the_pay_that_reaches_its_floor() {
    let facts = facts(DAY);
    let situation = Situation::new([due_taxes(Tables::built_in(), &facts, &work("CO-DENVER"))]);
    let mut to_date = vec![ToDate::default(); 2];
    let mut taken = Vec::new();
    for (day, wages) in [
        (date(2026, 6, 5), "400"),
        (date(2026, 6, 19), "400"),
        (date(2026, 6, 26), "2000"),
        (date(2026, 7, 3), "500"),
        (date(2026, 7, 10), "499"),
    ] {
        let outcome = situation.calculate_lines(&pay(day, Wages::of_cash(dollars(wages))), &to_date);
        taken.push(outcome.employee.to_string());
        to_date = outcome.lines.iter().map(|line| line.after.clone()).collect();
    }
    assert_eq!(taken, ["0.00", "5.75", "0.00", "5.75", "0.00"]);
    assert_eq!(of(&work("CO-DENVER"), &[]), ["CO_DENVER_OPT 5.75", "CO_DENVER_OPT_ER 4.00"]);
    assert_eq!(of(&work("CO-GLENDALE"), &[]), ["CO_GLENDALE_OPT 5.00", "CO_GLENDALE_OPT_ER 5.00"]);
    assert_eq!(of(&work("CO-GREENWOOD_VILLAGE"), &[])[0], "CO_GREENWOOD_VILLAGE_OPT 2.00");
}

#[test]
fn denver_is_taken_once_for_each_month_in_whichever_order_its_pay_dates_are_processed() {
    let facts = facts(DAY);
    let situation = Situation::new([due_taxes(Tables::built_in(), &facts, &work("CO-DENVER"))]);
    let mut to_date = vec![ToDate::default(); 2];
    let days = [date(2026, 7, 2), date(2026, 6, 30), date(2026, 7, 17), date(2026, 6, 5)];
    let taken = days.map(|day| {
        let outcome = situation.calculate_lines(&pay(day, Wages::of_cash(dollars("2000"))), &to_date);
        to_date = outcome.lines.iter().map(|line| line.after.clone()).collect();
        outcome.lines[0].amount().to_text(2)
    });
    assert_eq!(taken, ["5.75", "5.75", "0.00", "0.00"]);
}

#[test]
fn west_virginia_charges_each_week_once() {
    let facts = facts(DAY);
    let situation = Situation::new([due_taxes(Tables::built_in(), &facts, &work("WV-HUNTINGTON"))]);
    let fee = |start: Date, end: Date, before: &ToDate| {
        let pay = Pay {
            start,
            end,
            employed: Days { first: start, last: end },
            ..pay(end, Wages::of_cash(dollars("1000")))
        };
        let line = situation.calculate_lines(&pay, std::slice::from_ref(before)).lines.remove(0);
        (line.sums.amount, line.after)
    };
    let nothing = ToDate::default();
    let (two_weeks, after) = fee(date(2026, 5, 31), date(2026, 6, 13), &nothing);
    assert_eq!(two_weeks, dollars("10.00"));
    // Another paycheck for the same weeks, and one whose period begins among them.
    assert_eq!(fee(date(2026, 6, 7), date(2026, 6, 13), &after).0, dollars("0"));
    assert_eq!(fee(date(2026, 6, 7), date(2026, 6, 20), &after).0, dollars("5.00"));
    // Saturdays of August 2026: five.
    assert_eq!(fee(date(2026, 8, 1), date(2026, 8, 31), &nothing).0, dollars("25.00"));
    // The two previous weeks were paid later: they are charged then, and none of them twice.
    let (later, both) = fee(date(2026, 5, 17), date(2026, 5, 30), &after);
    assert_eq!(later, dollars("10.00"));
    assert_eq!(both.charged, [Days { first: date(2026, 5, 17), last: date(2026, 6, 13) }]);
    assert_eq!(fee(date(2026, 5, 17), date(2026, 6, 20), &both).0, dollars("5.00"));
    assert_eq!(of(&work("WV-CHARLESTON"), &[]), ["WV_CHARLESTON 6.00"]);
    assert_eq!(of(&home_and_work("WV-CHESTER", "WV-CHESTER"), &[]), [""; 0]);
}

#[test]
fn the_portland_taxes_begin_at_200000_a_year_or_by_election() {
    let places = Places { home: vec!["OR-METRO".into(), "OR-MULTNOMAH".into()], ..Places::default() };
    let of = |wages: &str, setting: &Setting| {
        let mut facts = facts(DAY);
        for code in ["OR_METRO", "OR_MULTNOMAH"] {
            facts.settings.insert(code.into(), setting.clone());
        }
        worked(&places, &facts, Wages::of_cash(dollars(wages)), ToDate::default())
    };
    let nothing = Setting::default();
    // 260,000 a year: 60,000 at 1 and at 1.5 percent, divided by 26.
    assert_eq!(of("10000", &nothing), ["OR_METRO 23.08", "OR_MULTNOMAH 34.62"]);
    assert_eq!(of("6000", &nothing), ["OR_METRO 0.00", "OR_MULTNOMAH 0.00"]);
    // 520,000 a year: 3,000.00 plus 3 percent of 120,000, divided by 26.
    assert_eq!(of("20000", &nothing)[1], "OR_MULTNOMAH 253.85");
    let opt_in = Setting { election: Some("opt_in".into()), ..single() };
    assert_eq!(of("6000", &opt_in), ["OR_METRO 11.92", "OR_MULTNOMAH 17.88"]);
    assert_eq!(of("10000", &Setting { exempt: true, ..nothing }), [""; 0]);
}

#[test]
fn a_place_without_a_row_is_told() {
    assert_eq!(
        of(&work("OH-99999"), &[]),
        ["OH_99999: the tables hold no row for this place and day: import one"]
    );
}
