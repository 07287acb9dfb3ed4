use jiff::civil::date;

use super::super::bases::Wages;
use super::super::engine::Pay;
use super::*;
use crate::days::Days;

const DAY: Date = date(2026, 8, 14);

fn base() -> Amount {
    Amount::parse("184500").unwrap()
}

fn works_in(state: &str, places: &[&str]) -> Circumstances {
    let places: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
    Circumstances {
        work: vec![WorkedAt {
            state: state.to_owned(),
            places: places.clone(),
            days: 14,
            ..WorkedAt::default()
        }],
        home: LivesAt { state: state.to_owned(), places, ..LivesAt::default() },
        unemployment_percent: Some(Amount::parse("2.7").unwrap()),
        employees: 60,
        ..Circumstances::default()
    }
}

/// Returns the codes of taxes due, and of open ones.
fn found(circumstances: &Circumstances) -> (Vec<String>, Vec<String>) {
    let situation = circumstances.find_situation(&TaxTables::built_in(), DAY, base());
    let dues = situation.due_taxes().iter().map(|due| due.code.clone());
    (dues.collect(), situation.uncalculated_taxes().iter().map(|one| one.code.clone()).collect())
}

/// Returns the amount of each line on two weeks' pay of 2,000 dollars.
fn amounts(circumstances: &Circumstances) -> BTreeMap<String, String> {
    amounts_of(circumstances, Days { first: date(2026, 7, 27), last: date(2026, 8, 9) })
}

/// Returns the same for an employee employed on only some of those days.
fn amounts_of(circumstances: &Circumstances, employed: Days) -> BTreeMap<String, String> {
    let situation = circumstances.find_situation(&TaxTables::built_in(), DAY, base());
    let pay = Pay {
        start: date(2026, 7, 27),
        end: date(2026, 8, 9),
        employed,
        date: DAY,
        periods: 26,
        employer_periods: 26,
        hours: Amount::ZERO,
        wages: Wages::of_cash(Amount::from_cents(200_000)),
        states: &[],
    };
    let outcome = situation.calculate_lines(&pay, &[]);
    outcome.lines.iter().map(|line| (line.code().to_owned(), line.amount().to_text(2))).collect()
}

#[test]
fn without_a_place_of_work_nothing_is_due() {
    let nowhere = Circumstances { work: Vec::new(), ..works_in("CA", &[]) };
    assert_eq!(found(&nowhere), (Vec::new(), Vec::new()));
}

#[test]
fn weekly_limits_and_fees_are_for_weeks_of_employment() {
    let (start, end) = (date(2026, 7, 27), date(2026, 8, 9));
    let of = |employed| {
        let new_york = amounts_of(&works_in("NY", &[]), employed);
        let charleston = amounts_of(&works_in("WV", &["WV-CHARLESTON"]), employed);
        (new_york["NY_DBL"].clone(), charleston.get("WV_CHARLESTON").cloned())
    };
    let both = |sdi: &str, fee: &str| (sdi.to_owned(), Some(fee.to_owned()));
    assert_eq!(of(Days { first: start, last: end }), both("1.20", "6.00"));
    // Hired on the second Monday, or left after the first Friday.
    assert_eq!(of(Days { first: date(2026, 8, 3), last: end }), both("0.60", "3.00"));
    assert_eq!(of(Days { first: start, last: date(2026, 7, 31) }), both("0.60", "3.00"));
}

#[test]
fn california_takes_insurance_from_the_employee_and_training_tax_from_the_employer() {
    let lines = amounts(&works_in("CA", &[]));
    assert_eq!(lines["CA_SDI"], "26.00");
    assert_eq!(lines["CA_ETT"], "2.00");
    assert_eq!(lines["CA_SUI"], "54.00");
}

/// Half of the days in California, then half in another state.
fn moved_from_california(to: &str) -> Circumstances {
    let half = |state: &str| WorkedAt { state: state.to_owned(), days: 7, ..WorkedAt::default() };
    Circumstances {
        work: vec![half("CA"), half(to)],
        covered: [("CA".to_owned(), 7), (to.to_owned(), 7)].into(),
        ..works_in(to, &[])
    }
}

#[test]
fn after_a_move_of_the_work_each_states_programmes_take_their_part_of_the_pay() {
    // 1.3 percent of half of 2,000.00, whichever state comes first.
    let lines = amounts(&moved_from_california("NV"));
    assert_eq!((lines["CA_SDI"].as_str(), lines["CA_ETT"].as_str()), ("13.00", "1.00"));
    let all = amounts(&works_in("NJ", &[]));
    let moved = amounts(&moved_from_california("NJ"));
    assert_eq!(moved["CA_SDI"], "13.00");
    let cents = |text: &str| text.replace('.', "").parse::<i64>().unwrap();
    let half = |code: &str| (2 * cents(&moved[code]) - cents(&all[code])).abs() <= 1;
    assert!(half("NJ_TDI_EE") && half("NJ_FLI_EE"), "{moved:?} {all:?}");
    // The parts of a move are the whole: a move within the state of the same programmes changes nothing.
    let stays = Circumstances { covered: [("CA".to_owned(), 14)].into(), ..works_in("CA", &[]) };
    assert_eq!(amounts(&stays), amounts(&works_in("CA", &[])));
}

#[test]
fn without_the_rate_of_the_employers_notice_unemployment_insurance_is_open() {
    let no_rate = Circumstances { unemployment_percent: None, ..works_in("TX", &[]) };
    assert_eq!(found(&no_rate), (Vec::new(), vec!["TX_SUI".to_owned()]));
}

#[test]
fn a_city_of_ohio_taxes_work_and_the_city_of_residence_only_by_agreement() {
    let mut lives_elsewhere = works_in("OH", &["OH-18000"]);
    lives_elsewhere.home.places = vec!["OH-00198".to_owned()];
    let (dues, open) = found(&lives_elsewhere);
    assert!(dues.contains(&"OH_18000".to_owned()), "{dues:?}");
    assert!(!dues.iter().any(|code| code.contains("00198")) && open.is_empty(), "{dues:?} {open:?}");
    lives_elsewhere.home.courtesy_withholding = true;
    let (_, open) = found(&lives_elsewhere);
    assert_eq!(open, ["OH_00198"], "the credit of the city of residence is not known");
}

/// Lives in an Ohio city, works in Columbus (2.5 %), and the employer has agreed to withhold for the home.
fn by_courtesy(home: &str) -> Circumstances {
    let mut circumstances = works_in("OH", &["OH-18000"]);
    circumstances.home.places = vec![home.to_owned()];
    circumstances.home.courtesy_withholding = true;
    circumstances
}

#[test]
fn the_city_of_residence_in_ohio_takes_its_tax_less_the_credit_of_its_own_row() {
    for (home, code, tax) in [
        // Cleveland 2.5 %, all credited; Parma 2.5 % and Parma Heights 3 %, with 2 credited; Brunswick 2 %, with 1 credited.
        ("OH-16000", "OH_16000_RESIDENCE", "0.00"),
        ("OH-61000", "OH_61000_RESIDENCE", "10.00"),
        ("OH-61028", "OH_61028_RESIDENCE", "20.00"),
        ("OH-09680", "OH_09680_RESIDENCE", "20.00"),
        // Willowick 2 %, seven eighths credited; Seven Hills 2.5 %, up to 1.65; Delphos 1.75 %, up to 0.75.
        ("OH-85638", "OH_85638_RESIDENCE", "5.00"),
        ("OH-71416", "OH_71416_RESIDENCE", "17.00"),
        ("OH-21602", "OH_21602_RESIDENCE", "20.00"),
        // South Euclid 2 % and Wellsville 1.5 % credit nothing.
        ("OH-73264", "OH_73264_RESIDENCE", "40.00"),
        ("OH-82740", "OH_82740_RESIDENCE", "30.00"),
    ] {
        let lines = amounts(&by_courtesy(home));
        assert_eq!(
            (&*lines["OH_18000"], lines.get(code).map(String::as_str)),
            ("50.00", Some(tax)),
            "{home}"
        );
    }
}

#[test]
fn the_credit_of_a_city_is_explained_with_the_source_of_its_row() {
    let situation = by_courtesy("OH-61000").find_situation(&TaxTables::built_in(), DAY, base());
    let pay = super::super::golden_tests::pay(DAY, Wages::of_cash(Amount::from_cents(200_000)));
    let mut recorder = crate::explain::Recorder::default();
    situation.calculate_taxes(&mut recorder, &pay, &[]);
    let nodes = recorder.finish();
    let told: Vec<String> = nodes.iter().map(|node| node.to_json().to_string()).collect();
    let line = told.iter().find(|line| line.contains("OH_61000_RESIDENCE")).unwrap();
    assert!(line.contains("credit_OH-18000") && line.contains("Parma 184.34"), "{line}");
    nodes.iter().for_each(|node| crate::explain::evaluator::check(&node.to_json()).unwrap());
}

#[test]
fn a_credit_in_doubt_counts_once_the_operator_has_confirmed_it() {
    // Strongsville 2 %: by the 2016 table, three quarters of the work tax, up to its own rate.
    let (place, key) = ("OH-75098", "OH_75098_CREDIT");
    let mut circumstances = by_courtesy(place);
    assert_eq!(found(&circumstances).1, ["OH_75098"]);
    assert!(super::super::doubtful_figures().iter().any(|one| one.key == key), "{key}");
    circumstances.confirmed.insert(key.to_owned());
    assert_eq!(amounts(&circumstances)["OH_75098_RESIDENCE"], "10.00");
    assert_eq!(found(&circumstances).1, [""; 0]);
}

#[test]
fn days_divide_work_between_cities() {
    let mut moved = works_in("OH", &["OH-18000"]);
    moved.work[0].days = 7;
    moved.work.push(WorkedAt {
        state: "OH".to_owned(),
        places: vec!["OH-15000".to_owned()],
        days: 7,
        ..WorkedAt::default()
    });
    moved.home.places.clear();
    let (columbus, cincinnati) = (&amounts(&moved)["OH_18000"], &amounts(&moved)["OH_15000"]);
    assert_eq!((columbus.as_str(), cincinnati.as_str()), ("25.00", "18.00"));
}

#[test]
fn hours_that_were_entered_by_place_divide_work_instead_of_days() {
    let mut two_cities = works_in("OH", &["OH-18000"]);
    two_cities.work[0].hours = 60_000;
    two_cities.work.push(WorkedAt {
        state: "OH".to_owned(),
        places: vec!["OH-15000".to_owned()],
        hours: 20_000,
        ..WorkedAt::default()
    });
    // A place without hours has no share, whatever its days are.
    let nowhere = WorkedAt {
        state: "OH".to_owned(),
        places: vec!["OH-16000".to_owned()],
        days: 7,
        ..WorkedAt::default()
    };
    two_cities.work.push(nowhere);
    two_cities.home.places.clear();
    let lines = amounts(&two_cities);
    // 2.5 % of 1,500.00 and 1.8 % of 500.00.
    assert_eq!((lines["OH_18000"].as_str(), lines["OH_15000"].as_str()), ("37.50", "9.00"));
    assert!(!lines.contains_key("OH_16000"), "{lines:?}");
}

#[test]
fn indiana_looks_at_the_first_of_january() {
    let mut lives_there = works_in("IN", &["IN-49"]);
    lives_there.january = Some(OnFirstOfJanuary { home: Some("IN-02".to_owned()), work: None });
    let (dues, open) = found(&lives_there);
    assert!(dues.contains(&"IN_02".to_owned()) && open.is_empty(), "{dues:?} {open:?}");
}

#[test]
fn pennsylvania_asks_for_the_codes_of_home_and_work_and_philadelphia_does_not() {
    assert_eq!(found(&works_in("PA", &[])).1, ["PA_EIT", "PA_LST"]);
    assert!(found(&works_in("PA", &["PA-PHILADELPHIA"])).1.iter().all(|code| !code.starts_with("PA_EIT")));
    let mut asked = works_in("PA", &[]);
    asked.psd =
        PsdCodes { home: Some("390101".to_owned()), work: Some("390101".to_owned()), ..PsdCodes::default() };
    let (dues, open) = found(&asked);
    assert!(open.is_empty() && dues.contains(&"PA_EIT_390101".to_owned()), "{dues:?} {open:?}");
}

#[test]
fn a_district_that_the_address_only_touches_is_open_until_somebody_says() {
    let mut portland = works_in("OR", &["OR-MULTNOMAH"]);
    portland.filing = Some(Filing::Single);
    portland.open = vec!["OR-METRO".to_owned(), "OR-TRIMET_DISTRICT".to_owned()];
    let (_, open) = found(&portland);
    assert!(
        open.contains(&"OR_METRO".to_owned()) && open.contains(&"OR_TRIMET_DISTRICT".to_owned()),
        "{open:?}"
    );
    portland.work[0].places.push("OR-TRIMET_DISTRICT".to_owned());
    let (dues, open) = found(&portland);
    assert!(
        dues.contains(&"OR_TRIMET_DISTRICT".to_owned()) && !open.contains(&"OR_TRIMET_DISTRICT".to_owned())
    );
}

#[test]
fn every_state_finds_its_programmes_or_says_what_is_missing_and_survives_json() {
    for state in
        ["AK", "CA", "CO", "CT", "DE", "HI", "MA", "ME", "MN", "NJ", "NY", "OR", "PA", "RI", "VT", "WA"]
    {
        let circumstances = works_in(state, &[]);
        let (dues, open) = found(&circumstances);
        assert!(dues.iter().chain(&open).any(|code| code.starts_with(state)), "{state}");
        let json = serde_json::to_string(&circumstances).unwrap();
        assert_eq!(serde_json::from_str::<Circumstances>(&json).unwrap(), circumstances, "{json}");
    }
}

fn psd(code: &str) -> Option<String> {
    Some(code.to_owned())
}

#[test]
fn a_move_within_pennsylvania_divides_earned_income_tax_by_the_days_at_each_home() {
    let mut moved = works_in("PA", &[]);
    moved.psd = PsdCodes { home: psd("070101"), work: psd("040101"), exempt_from_services: false };
    let at = |code: Option<String>, days| LivedAt { psd: code, days, ..LivedAt::default() };
    moved.lived_at = vec![at(psd("700102"), 4), at(psd("070101"), 10)];
    let lines = amounts(&moved);
    // Pittsburgh 3 % of 4/14 of 2,000.00, Altoona 1.7 % of the rest; both exceed the 1.2 % at work.
    assert_eq!((&*lines["PA_EIT_700102"], &*lines["PA_EIT_070101"]), ("17.14", "24.29"));
    // The services tax is due once: 52 a year, divided by 26.
    assert_eq!(lines["PA_LST_040101"], "2.00");
    // From Altoona to New York: the days there are taxed at Aliquippa's nonresident rate.
    moved.lived_at = vec![at(psd("070101"), 7), at(None, 7)];
    let lines = amounts(&moved);
    assert_eq!((&*lines["PA_EIT_070101"], &*lines["PA_EIT_040101"]), ("17.00", "12.00"));
}

#[test]
fn two_places_of_work_in_pennsylvania_are_each_held_against_the_home() {
    let mut visited = works_in("PA", &[]);
    visited.psd = PsdCodes { home: None, work: psd("390101"), exempt_from_services: false };
    visited.work = vec![
        WorkedAt { psd: psd("040101"), days: 7, ..visited.work[0].clone() },
        WorkedAt { psd: psd("390101"), days: 7, ..visited.work[0].clone() },
    ];
    visited.home = LivesAt { state: "NY".to_owned(), ..LivesAt::default() };
    let lines = amounts(&visited);
    assert_eq!((&*lines["PA_EIT_040101"], &*lines["PA_EIT_390101"]), ("12.00", "12.80"));
    assert!(lines.contains_key("PA_LST_390101") && !lines.contains_key("PA_LST_040101"), "{lines:?}");
    // An employee who moves into the city of work pays its resident rate from then on.
    let mut moved = works_in("PA", &[]);
    moved.psd = PsdCodes { home: psd("390101"), work: psd("390101"), exempt_from_services: true };
    let at = |code: Option<String>| LivedAt { psd: code, days: 7, ..LivedAt::default() };
    moved.lived_at = vec![at(None), at(psd("390101"))];
    let lines = amounts(&moved);
    let both: Vec<&str> =
        lines.values().map(String::as_str).filter(|tax| ["12.80", "19.75"].contains(tax)).collect();
    assert_eq!(both.len(), 2, "{lines:?}");
}

#[test]
fn a_move_of_home_and_work_within_pennsylvania_pairs_each_place_with_the_home_of_its_days() {
    let mut moved = works_in("PA", &[]);
    moved.psd = PsdCodes { home: psd("390101"), work: psd("390101"), exempt_from_services: true };
    let at = |code: &str| LivedAt { psd: psd(code), days: 7, ..LivedAt::default() };
    moved.lived_at = vec![at("700102"), at("390101")];
    let from = |code: &str| {
        let lived = Some(LivedIn { state: "PA".to_owned(), psd: psd(code) });
        WorkedAt { psd: psd(code), days: 7, lived, ..moved.work[0].clone() }
    };
    moved.work = vec![from("700102"), from("390101")];
    let lines = amounts(&moved);
    // Pittsburgh 3 % and Allentown 1.975 % of 1,000.00 each; no days combine work in one with a home in the other.
    assert_eq!((&*lines["PA_EIT_700102"], &*lines["PA_EIT_390101"]), ("30.00", "19.75"));
    assert_eq!(lines.keys().filter(|code| code.starts_with("PA_EIT")).count(), 2, "{lines:?}");
}

#[test]
fn a_move_divides_what_only_residents_bear_by_days() {
    let mut moved = works_in("OH", &["OH-18000"]);
    moved.home.places = vec!["OH-SD-2501".to_owned()];
    let at = |place: &str| LivedAt { places: vec![place.to_owned()], days: 7, ..LivedAt::default() };
    moved.lived_at = vec![LivedAt { days: 7, ..LivedAt::default() }, at("OH-SD-2501")];
    // 0.75 % of half of 2,000.00.
    assert_eq!(amounts(&moved)["OH_SD_2501"], "7.50");
}

#[test]
fn twenty_days_in_another_city_of_ohio_stay_with_the_main_place_of_work() {
    let at = |place: &str, hours| WorkedAt {
        state: "OH".to_owned(),
        places: vec![place.to_owned()],
        hours,
        ..WorkedAt::default()
    };
    let mut circumstances = works_in("OH", &[]);
    circumstances.work = vec![at("OH-15000", 16_000), at("OH-18000", 64_000)];
    let with = |circumstances: &Circumstances, days, undated| {
        let visited = Visited { days, undated, ..Visited::default() };
        amounts(&Circumstances {
            visited: [("OH-15000".to_owned(), visited)].into(),
            ..circumstances.clone()
        })
    };
    // Columbus 2.5 % of everything; then Cincinnati 1.8 % of a fifth.
    let lines = with(&circumstances, 20, false);
    assert_eq!((lines.get("OH_15000"), &*lines["OH_18000"]), (None, "50.00"));
    for (days, undated) in [(21, false), (2, true)] {
        let lines = with(&circumstances, days, undated);
        assert_eq!((&*lines["OH_15000"], &*lines["OH_18000"]), ("7.20", "40.00"));
    }
    // If no city taxes the main place of work, short visits are not taxed.
    circumstances.work[1].places.clear();
    assert_eq!(with(&circumstances, 20, false).get("OH_15000"), None);
    assert_eq!(with(&circumstances, 21, false)["OH_15000"], "7.20");
}

#[test]
fn new_york_city_takes_its_rate_for_supplemental_wages_where_flat_rates_are_withheld() {
    let mut city = works_in("NY", &["NY-NEW_YORK_CITY"]);
    city.filing = Some(Filing::Single);
    let of_city = |circumstances: &Circumstances| {
        let (dues, open) = found(circumstances);
        let all: Vec<String> = dues.into_iter().chain(open).collect();
        all.into_iter().filter(|code| code.starts_with("NY_NEW_YORK_CITY")).collect::<Vec<_>>()
    };
    assert_eq!(of_city(&city), ["NY_NEW_YORK_CITY"]);
    city.supplemental = true;
    assert_eq!(of_city(&city), ["NY_NEW_YORK_CITY_SUPPLEMENTAL"]);
}

#[test]
fn premiums_of_a_shareholder_are_wages_of_cities_that_follow_income_tax_and_not_of_those_that_follow_medicare()
 {
    let tax = |state: &str, place: &str| {
        let situation = works_in(state, &[place]).find_situation(&TaxTables::built_in(), DAY, base());
        let wages = Wages::of_cash(Amount::from_cents(200_000))
            .with_item(crate::taxes::Item::ShareholderInsurance, Amount::from_cents(10_000));
        let outcome = situation.calculate_lines(&super::super::golden_tests::pay(DAY, wages), &[]);
        let code = place.replace('-', "_");
        outcome.lines.iter().find(|line| line.code() == code).map(|line| line.amount().to_text(2))
    };
    // Detroit 2.4 % of 2,100.00, Columbus 2.5 % of 2,000.00.
    assert_eq!(tax("MI", "MI-DETROIT").as_deref(), Some("50.40"));
    assert_eq!(tax("OH", "OH-18000").as_deref(), Some("50.00"));
}
