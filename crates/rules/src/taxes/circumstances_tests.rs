use jiff::civil::date;

use super::super::bases::Wages;
use super::super::engine::Pay;
use super::*;

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
        home: LivesAt { state: state.to_owned(), places, courtesy_withholding: false },
        unemployment_percent: Some(Amount::parse("2.7").unwrap()),
        employees: 60,
        ..Circumstances::default()
    }
}

/// Codes of what is due, and of what is open.
fn found(circumstances: &Circumstances) -> (Vec<String>, Vec<String>) {
    let situation = circumstances.situation(&TaxTables::built_in(), DAY, base());
    let dues = situation.dues().iter().map(|due| due.code.clone());
    (dues.collect(), situation.unworked().iter().map(|one| one.code.clone()).collect())
}

/// The amount of each line on 2,000 dollars of two weeks.
fn amounts(circumstances: &Circumstances) -> BTreeMap<String, String> {
    let situation = circumstances.situation(&TaxTables::built_in(), DAY, base());
    let pay = Pay {
        start: date(2026, 7, 27),
        end: date(2026, 8, 9),
        date: DAY,
        periods: 26,
        hours: Amount::ZERO,
        wages: Wages::of(Amount::from_cents(200_000)),
        states: &[],
    };
    let outcome = situation.lines(&pay, &[]);
    outcome.lines.iter().map(|line| (line.code().to_owned(), line.amount().to_text(2))).collect()
}

#[test]
fn without_a_place_of_work_nothing_is_due() {
    let nowhere = Circumstances { work: Vec::new(), ..works_in("CA", &[]) };
    assert_eq!(found(&nowhere), (Vec::new(), Vec::new()));
}

#[test]
fn california_takes_insurance_from_the_employee_and_training_tax_from_the_employer() {
    let lines = amounts(&works_in("CA", &[]));
    assert_eq!(lines["CA_SDI"], "26.00");
    assert_eq!(lines["CA_ETT"], "2.00");
    assert_eq!(lines["CA_SUI"], "54.00");
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
    // A place without hours has no part, whatever its days are.
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
