use jiff::Timestamp;
use rules::days::Days;
use rules::taxes::{Payer, TaxId};
use rules::withholding::federal::PayFrequency;

use super::*;
use crate::pay::payrolls::record::kinds::HourlyKind;
use crate::people::addresses::jurisdictions::{ByHand, Postal};

pub(super) const START: Date = date(2026, 6, 1);
const END: Date = date(2026, 6, 14);
pub(super) const PERIOD: [Days; 1] = [Days { first: START, last: END }];
pub(in crate::pay::payrolls) static NOTHING: BTreeMap<String, Visited> = BTreeMap::new();
pub(super) static NONE: BTreeSet<String> = BTreeSet::new();

pub(in crate::pay::payrolls) fn payroll() -> Payroll {
    let created = (Uuid::nil(), Timestamp::UNIX_EPOCH);
    Payroll::new(created, Days { first: START, last: END }, date(2026, 6, 19), PayFrequency::EveryOtherWeek)
}

pub(in crate::pay::payrolls) fn single() -> W4 {
    W4::Pre2020 { filing_status: FilingStatus::Single, allowances: 0, additional_withholding: Amount::ZERO }
}

pub(in crate::pay::payrolls) fn works(location: u128, from: Date) -> WorkAddress {
    WorkAddress {
        employee: Uuid::nil(),
        id: Uuid::nil(),
        location: Uuid::from_u128(location),
        effective_date: from,
        remote_for_own_convenience: false,
        jurisdiction_codes: None,
        updated_at: Timestamp::default(),
        version: 1,
    }
}

pub(in crate::pay::payrolls) fn lives(city: &str, state: &str, zip: &str, from: Date) -> HomeAddress {
    HomeAddress {
        city: city.to_owned(),
        state: state.to_owned(),
        zip: zip.to_owned(),
        effective_date: from,
        ..HomeAddress::default()
    }
}

pub(in crate::pay::payrolls) fn locations() -> HashMap<Uuid, Place> {
    let at = |number, state, city, zip| (Uuid::from_u128(number), Place::from_address(state, city, zip));
    HashMap::from([
        at(1, "OH", "Columbus", "43215"),
        at(2, "OH", "Cincinnati", "45202"),
        at(3, "NY", "New York", "10001"),
        at(4, "IN", "Indianapolis", "46204"),
        at(5, "NJ", "Newark", "07102"),
    ])
}

pub(in crate::pay::payrolls) fn employer(
    answers: &[(&str, &str, &str, &str, Date)],
) -> Result<Employer, String> {
    let answer = |(state, set, key, value, from): &(&str, &str, &str, &str, Date)| company_taxes::Answer {
        state: (*state).to_owned(),
        set: (*set).to_owned(),
        key: (*key).to_owned(),
        value: (*value).to_owned(),
        effective_from: *from,
        updated_at: Timestamp::UNIX_EPOCH,
    };
    let answers: Vec<_> = answers.iter().map(answer).collect();
    let headcount = Headcount::of_each([("OH", 12), ("NY", 12), ("CO", 12), ("MA", 12)]);
    let law = EmployerLaw {
        residents: Vintage::built_in(),
        programs: Vintage::built_in(),
        local: Vintage::built_in(),
    };
    let found =
        Employer::from_answers(&answers, payroll().check_date, law).map_err(|error| error.to_string())?;
    Ok(Employer { headcount, ..found })
}

pub(in crate::pay::payrolls) fn of(
    works: &[WorkAddress],
    homes: &[HomeAddress],
    answers: &[(&str, &str, Answer)],
) -> Circumstances {
    of_days(works, homes, answers, &PERIOD)
}

/// Finds the circumstances of an employee who was employed on some days of the pay period.
pub(in crate::pay::payrolls) fn of_days(
    works: &[WorkAddress],
    homes: &[HomeAddress],
    answers: &[(&str, &str, Answer)],
    employed: &[Days],
) -> Circumstances {
    let mut by_state: BTreeMap<String, BTreeMap<String, Answer>> = BTreeMap::new();
    for (state, key, answer) in answers {
        by_state.entry((*state).to_owned()).or_default().insert((*key).to_owned(), answer.clone());
    }
    let person = PersonFacts {
        works,
        homes,
        answers: &by_state,
        w4: &single(),
        hours: &[],
        visited: &NOTHING,
        given_for: &GivenFor::default(),
        exempt: &NONE,
        employed,
    };
    find_circumstances(&employer(&[]).unwrap(), &locations(), &payroll(), &person)
}

#[test]
fn an_employee_without_a_work_address_is_taxed_by_no_state() {
    let home = [lives("Columbus", "OH", "43215", START)];
    assert_eq!(of(&[], &home, &[]), Circumstances::default());
}

#[test]
fn a_move_within_the_period_divides_its_days() {
    let found = of(&[works(1, date(2026, 1, 1)), works(2, date(2026, 6, 8))], &[], &[]);
    let days: Vec<_> = found.work.iter().map(|at| (at.places.clone(), at.days)).collect();
    assert_eq!(days, [(vec!["OH-18000".to_owned()], 7), (vec!["OH-15000".to_owned()], 7)]);
    // The first address also applies before its own first day.
    assert_eq!(of(&[works(1, date(2026, 7, 1))], &[], &[]).work[0].days, 14);
}

#[test]
fn a_certificates_answer_about_the_home_takes_precedence_over_the_address() {
    let home = [lives("Brooklyn", "NY", "11201", START)];
    let lives_in_the_city = |found: &Circumstances| found.home.places.iter().any(|p| p == "NY-NEW_YORK_CITY");
    assert!(lives_in_the_city(&of(&[works(3, START)], &home, &[])));
    let no = [("NY", "nyc_resident", Answer::Bool(false))];
    assert!(!lives_in_the_city(&of(&[works(3, START)], &home, &no)));
    let upstate = [lives("Albany", "NY", "12207", START)];
    let yes = [("NY", "nyc_resident", Answer::Bool(true))];
    assert!(lives_in_the_city(&of(&[works(3, START)], &upstate, &yes)));
}

#[test]
fn indianas_county_is_that_of_the_first_of_january() {
    let homes = [
        lives("Indianapolis", "IN", "46204", date(2025, 3, 1)),
        lives("Fort Wayne", "IN", "46802", date(2026, 2, 1)),
    ];
    let found = of(&[works(4, date(2025, 3, 1))], &homes, &[]);
    let january = found.january.unwrap();
    assert_eq!((january.home.as_deref(), january.work.as_deref()), (Some("IN-49"), Some("IN-49")));
    let certificate = [("IN", "county", Answer::Text("allen".to_owned()))];
    let found = of(&[works(4, date(2025, 3, 1))], &homes, &certificate);
    assert_eq!(found.january.unwrap().home.as_deref(), Some("IN-02"));
}

#[test]
fn the_employers_rate_is_the_latest_that_has_begun_in_percent() {
    let employer = employer(&[
        ("OH", "taxrates", "unemployment_rate", "0.027", date(2026, 1, 1)),
        ("OH", "taxrates", "unemployment_rate", "0.031", date(2026, 4, 1)),
        ("OH", "taxrates", "unemployment_rate", "0.04", date(2027, 1, 1)),
    ])
    .unwrap();
    let answers = BTreeMap::new();
    let works = [works(1, START)];
    let person = PersonFacts {
        works: &works,
        homes: &[],
        answers: &answers,
        w4: &single(),
        hours: &[],
        visited: &NOTHING,
        given_for: &GivenFor::default(),
        exempt: &NONE,
        employed: &PERIOD,
    };
    let found = find_circumstances(&employer, &locations(), &payroll(), &person);
    assert_eq!(found.unemployment_percent, Some(Amount::parse("3.1").unwrap()));
}

#[test]
fn additional_rates_in_a_notice_are_added_to_the_employers() {
    let of = |state: &str, answers: &[(&str, &str, &str, &str, Date)]| {
        employer(answers).unwrap().by_state.remove(state).unwrap().unemployment_percent
    };
    let rate = ("ID", "taxrates", "unemployment_rate", "0.01", START);
    let workforce = ("ID", "taxrates", "workforce_development_rate", "0.0003", START);
    let reserve = ("ID", "taxrates", "administrative_reserve_rate", "0.0012", START);
    assert_eq!(of("ID", &[rate, workforce, reserve]), Amount::parse("1.15").ok());
    assert_eq!(of("ID", &[rate]), Amount::parse("1").ok());
    assert_eq!(of("ID", &[workforce]), None, "a part alone is no rate");
}

#[test]
fn wages_counted_by_another_states_unemployment_insurance_count_against_the_base() {
    let held = |dollars: i64| ToDate {
        last: Some(date(2026, 6, 5)),
        year: rules::taxes::Sums {
            taxable: Amount::from_cents(dollars * 100),
            ..rules::taxes::Sums::default()
        },
        ..ToDate::default()
    };
    let of_year = YearSums {
        taxes: BTreeMap::from([
            (TaxId::of_employer("OH_SUI"), held(5_000)),
            (TaxId::of_employer("NY_SUI"), held(3_000)),
            (TaxId::of_employer("NY_RSF"), held(3_000)),
            (TaxId::of_employee("NY_PFL"), held(8_000)),
        ]),
        ..YearSums::default()
    };
    let before = earlier_sums_by_tax(TaxTable::insurance(), &of_year, Some("PA"));
    // No wages have been paid under Pennsylvania's insurance yet.
    assert_eq!(before["PA_SUI"].elsewhere, Amount::from_cents(800_000));
    assert_eq!(before["OH_SUI"].elsewhere, Amount::from_cents(300_000));
    assert_eq!(before["NY_SUI"].elsewhere, Amount::from_cents(500_000));
    assert_eq!(before["NY_PFL"].elsewhere, Amount::ZERO);
    // Taxes collected with it use the same wages.
    assert_eq!(before["NY_RSF"].elsewhere, Amount::from_cents(500_000));
    assert!(!before.contains_key("OH_TCSF"), "nothing is due of it, and nothing was counted");
    let before = self::earlier_sums_by_tax(TaxTable::insurance(), &of_year, Some("CA"));
    assert_eq!((before["CA_SUI"].elsewhere, before["CA_ETT"].elsewhere), {
        (Amount::from_cents(800_000), Amount::from_cents(800_000))
    });
    assert!(!before.contains_key("CA_SDI"), "it has wages of its own");
}

#[test]
fn wages_that_one_part_of_a_program_counted_count_for_the_other() {
    let counted = |dollars: i64| rules::taxes::Sums {
        subject: Amount::from_cents(dollars * 100),
        taxable: Amount::from_cents(dollars * 100),
        amount: Amount::from_cents(dollars),
        whole: Amount::from_cents(dollars),
    };
    let held =
        |dollars: i64| ToDate { last: Some(date(2026, 6, 5)), year: counted(dollars), ..ToDate::default() };
    let of = |codes: &[(&str, i64)]| {
        let taxes = codes.iter().map(|(code, dollars)| {
            let payer = if code.ends_with("_ER") { Payer::Employer } else { Payer::Employee };
            (TaxId::new(*code, payer), held(*dollars))
        });
        earlier_sums_by_tax(
            TaxTable::insurance(),
            &YearSums { taxes: taxes.collect(), ..YearSums::default() },
            None,
        )
    };
    // The employer's part of Oregon's paid leave begins with the 25th employee; the amount taken before stays zero.
    let begins = &of(&[("OR_PL", 50_000)])["OR_PL_ER"];
    assert_eq!((begins.year.taxable, begins.year.amount), (Amount::from_cents(5_000_000), Amount::ZERO));
    assert_eq!(begins.last, Some(date(2026, 6, 5)));
    // The employer's part was due, and then not due for a while.
    let both = of(&[("OR_PL", 50_000), ("OR_PL_ER", 20_000)]);
    assert_eq!(both["OR_PL_ER"].year.taxable, Amount::from_cents(5_000_000));
    assert_eq!((&both["OR_PL_ER"].year.amount, &both["OR_PL"]), (&Amount::from_cents(20_000), &held(50_000)));
    // Parts with their own wage base, and programs with a single part, take nothing from another.
    let none = of(&[("NJ_TDI_EE", 50_000), ("NY_PFL", 50_000), ("VT_CCC_EE", 50_000)]);
    assert_eq!(none.len(), 3);
}

#[test]
fn an_answer_that_cannot_be_read_is_an_error_that_names_it() {
    for (set, key) in [("taxrates", "unemployment_rate"), ("employer", "employer_size"), ("CO_FAMLI", "rate")]
    {
        let error = employer(&[("CO", set, key, "many", START)]).err().unwrap();
        let named = format!("holds an answer to {key} of {set} of CO that is not a number");
        assert!(error.contains("company_tax_answers") && error.contains(&named), "{error}");
    }
}

#[test]
fn living_and_working_in_one_state_needs_no_residence() {
    let found = of(&[works(3, date(2026, 1, 1))], &[lives("Albany", "NY", "12207", date(2025, 1, 1))], &[]);
    assert!(found.worked_days.is_empty() && found.lived.is_empty());
    assert!(found.nonresident_certificates.is_empty());
}

#[test]
fn working_days_of_the_year_count_in_states_that_exempt_some() {
    let home = [lives("Newark", "NJ", "07102", date(2025, 1, 1))];
    let there_and_back =
        [works(5, date(2024, 3, 1)), works(3, date(2026, 6, 3)), works(5, date(2026, 6, 15))];
    let found = of(&there_and_back, &home, &[]);
    // 3 to 12 June without the weekend; the 13th and 14th are a weekend.
    assert_eq!(found.worked_days, [("NY".to_owned(), 8)].into());
    let days: Vec<_> = found.work.iter().map(|at| (at.state.as_str(), at.days)).collect();
    assert_eq!(days, [("NJ", 2), ("NY", 12)]);
    // An open-ended address is expected to continue until the end of the year.
    let found = of(&[works(3, date(2024, 3, 1))], &home, &[]);
    assert_eq!(found.worked_days["NY"], 261);
}

#[test]
fn work_at_home_for_ones_own_convenience_counts_at_home_with_the_office_noted() {
    let home = [lives("Newark", "NJ", "07102", date(2025, 1, 1))];
    let remote = WorkAddress { remote_for_own_convenience: true, ..works(3, date(2025, 1, 1)) };
    let found = of(std::slice::from_ref(&remote), &home, &[]);
    assert_eq!((found.work[0].state.as_str(), found.work[0].office.as_deref()), ("NJ", Some("NY")));
    assert!(found.work[0].places.contains(&"NJ-NEWARK".to_owned()), "{found:?}");
    let without_home = of(&[remote], &[], &[]);
    assert_eq!((without_home.work[0].state.as_str(), without_home.work[0].office.as_deref()), ("NY", None));
}

#[test]
fn a_certificate_of_nonresidence_counts_only_where_it_was_given() {
    let home = [lives("Newark", "NJ", "07102", date(2025, 1, 1))];
    let of_new_york = |given| [("NY", NONRESIDENT_CERTIFICATE, Answer::Bool(given))];
    let found = of(&[works(3, START)], &home, &of_new_york(true));
    assert_eq!(found.nonresident_certificates, ["NY".to_owned()].into());
    assert!(of(&[works(3, START)], &home, &of_new_york(false)).nonresident_certificates.is_empty());
}

#[test]
fn a_move_from_one_state_to_another_divides_the_homes_by_days() {
    let homes = [
        lives("Newark", "NJ", "07102", date(2025, 1, 1)),
        lives("New York", "NY", "10001", date(2026, 6, 11)),
    ];
    let found = of(&[works(3, date(2025, 1, 1))], &homes, &[]);
    assert_eq!(found.lived, [("NJ".to_owned(), 10), ("NY".to_owned(), 4)].into());
    assert_eq!(found.home.state, "NY");
}

#[test]
fn pennsylvanias_codes_count_for_whoever_lives_or_works_there() {
    let mut places = locations();
    places.insert(Uuid::from_u128(6), Place::from_address("PA", "Pittsburgh", "15222"));
    let homes = [lives("Newark", "NJ", "07102", START)];
    let text = |text: &str| Answer::Text(text.to_owned());
    let of = |answers: &[(&str, Answer)]| {
        let answers = answers.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect();
        let by_state = BTreeMap::from([("PA".to_owned(), answers)]);
        let person = PersonFacts {
            works: &[works(6, START)],
            homes: &homes,
            answers: &by_state,
            w4: &single(),
            hours: &[],
            visited: &NOTHING,
            given_for: &GivenFor::default(),
            exempt: &NONE,
            employed: &PERIOD,
        };
        find_circumstances(&employer(&[]).unwrap(), &places, &payroll(), &person).psd
    };
    let found = of(&[("psd_code", text("880000")), ("work_psd_code", text("700102"))]);
    assert_eq!(
        (found.home, found.work.as_deref(), found.exempt_from_services),
        (None, Some("700102"), false)
    );
    assert!(of(&[("lst_exempt", Answer::Bool(true))]).exempt_from_services);
}

#[test]
fn a_school_district_is_recognized_by_number_or_name_and_anything_else_stays_open() {
    let home = [lives("Columbus", "OH", "43215", START)];
    let of = |word: &str| {
        of(&[works(1, START)], &home, &[("OH", "school_district", Answer::Text(word.to_owned()))])
    };
    let lives_in = |word: &str, place: &str| of(word).home.places.iter().any(|held| held == place);
    assert!(lives_in("3301", "OH-SD-3301") && lives_in("ada evsd", "OH-SD-3301"));
    assert!(of("none").open.is_empty());
    assert!(of("Atlantis").open.contains(&"OH-SD".to_owned()));
}

#[test]
fn oregons_districts_are_opted_into_and_out_of() {
    let mut places = locations();
    places.insert(Uuid::from_u128(7), Place::from_address("OR", "Portland", "97204"));
    let answer = |key: &str, word: &str| (key.to_owned(), Answer::Text(word.to_owned()));
    let answers = BTreeMap::from([answer("metro_shs", "opt_in"), answer("multnomah_pfa", "opt_out")]);
    let by_state = BTreeMap::from([("OR".to_owned(), answers)]);
    let person = PersonFacts {
        works: &[works(7, START)],
        homes: &[],
        answers: &by_state,
        w4: &single(),
        hours: &[],
        visited: &NOTHING,
        given_for: &GivenFor::default(),
        exempt: &NONE,
        employed: &PERIOD,
    };
    let found = find_circumstances(&employer(&[]).unwrap(), &places, &payroll(), &person);
    assert_eq!(found.settings["OR_METRO"].election.as_deref(), Some("opt_in"));
    assert!(found.settings["OR_MULTNOMAH"].exempt && found.settings["OR_MULTNOMAH"].election.is_none());
}

pub(super) fn by_hand(codes: &[&str], (state, city, zip): (&str, &str, &str)) -> Option<ByHand> {
    let codes = codes.iter().map(|code| (*code).to_owned()).collect();
    Some(ByHand::new(codes, Postal { state, city, zip }))
}

#[test]
fn places_set_by_hand_count_for_home_and_work_as_long_as_the_address_is_the_same() {
    let home = HomeAddress {
        jurisdiction_codes: by_hand(&["OH-16000", "OH-SD-2501"], ("OH", "Columbus", "43215")),
        ..lives("Columbus", "OH", "43215", START)
    };
    let at_work = |codes| WorkAddress { jurisdiction_codes: codes, ..works(1, START) };
    let cincinnati = by_hand(&["OH-15000"], ("OH", "Columbus", "43215"));
    let found = of(&[at_work(cincinnati)], std::slice::from_ref(&home), &[]);
    assert_eq!(found.work[0].places, ["OH-15000"]);
    assert_eq!(found.home.places, ["OH-16000", "OH-SD-2501"]);
    let before_the_move = by_hand(&["OH-15000"], ("OH", "Dublin", "43017"));
    let moved = HomeAddress { zip: "43085".to_owned(), ..home };
    let found = of(&[at_work(before_the_move)], &[moved], &[]);
    assert_eq!(
        (found.work[0].places.as_slice(), found.home.places.as_slice()),
        (&["OH-18000".to_owned()][..], &["OH-18000".to_owned()][..])
    );
}

#[test]
fn a_district_covering_part_of_a_county_is_open_until_the_address_is_confirmed_or_a_table_knows_its_zip_code()
{
    let mut places = locations();
    places.insert(Uuid::from_u128(7), Place::from_address("OR", "Beaverton", "97003"));
    places.insert(Uuid::from_u128(8), Place::from_address("OR", "Portland", "97204"));
    let of = |place: u128, codes: Option<ByHand>| {
        let works = [WorkAddress { jurisdiction_codes: codes, ..works(place, START) }];
        let person = PersonFacts {
            works: &works,
            homes: &[],
            answers: &BTreeMap::new(),
            w4: &single(),
            hours: &[],
            visited: &NOTHING,
            given_for: &GivenFor::default(),
            exempt: &NONE,
            employed: &PERIOD,
        };
        find_circumstances(&employer(&[]).unwrap(), &places, &payroll(), &person)
    };
    assert_eq!(of(7, None).open, ["OR-METRO", "OR-TRIMET_DISTRICT"]);
    let portland = of(8, None);
    assert_eq!(portland.open, [""; 0]);
    assert!(
        portland.work[0].places.iter().any(|place| place == "OR-TRIMET_DISTRICT"),
        "{:?}",
        portland.work[0].places
    );
    let inside = of(8, by_hand(&["OR-METRO", "OR-MULTNOMAH"], ("OR", "Portland", "97204")));
    assert_eq!(inside.open, [""; 0]);
    assert_eq!(inside.work[0].places, ["OR-METRO", "OR-MULTNOMAH"]);
}

#[test]
fn indianas_county_set_by_hand_counts_before_the_certificate() {
    let home = HomeAddress {
        jurisdiction_codes: by_hand(&["IN-49"], ("IN", "Fort Wayne", "46802")),
        ..lives("Fort Wayne", "IN", "46802", date(2025, 1, 1))
    };
    let certificate = [("IN", "county", Answer::Text("adams".to_owned()))];
    let found = of(&[works(4, date(2025, 3, 1))], &[home], &certificate);
    assert_eq!(found.january.unwrap().home.as_deref(), Some("IN-49"));
}

#[test]
fn work_at_two_places_of_pennsylvania_goes_by_the_code_of_the_last() {
    let mut places = locations();
    places.insert(Uuid::from_u128(6), Place::from_address("PA", "Pittsburgh", "15222"));
    places.insert(Uuid::from_u128(8), Place::from_address("PA", "Allentown", "18101"));
    let works = [
        WorkAddress {
            jurisdiction_codes: by_hand(&["PA-700102"], ("PA", "Pittsburgh", "15222")),
            ..works(6, date(2026, 1, 1))
        },
        WorkAddress {
            jurisdiction_codes: by_hand(&["PA-390101"], ("PA", "Allentown", "18101")),
            ..works(8, date(2026, 6, 8))
        },
    ];
    let homes = [lives("Altoona", "PA", "16601", START)];
    let answers = BTreeMap::from([(
        "PA".to_owned(),
        BTreeMap::from([("psd_code".to_owned(), Answer::Text("070101".to_owned()))]),
    )]);
    let person = PersonFacts {
        works: &works,
        homes: &homes,
        answers: &answers,
        w4: &single(),
        hours: &[],
        visited: &NOTHING,
        given_for: &GivenFor::default(),
        exempt: &NONE,
        employed: &PERIOD,
    };
    let found = find_circumstances(&employer(&[]).unwrap(), &places, &payroll(), &person);
    assert_eq!((found.psd.home.as_deref(), found.psd.work.as_deref()), (Some("070101"), Some("390101")));
    assert!(found.work.iter().all(|at| at.places.is_empty()));
}

fn line(hours: i64, date: Option<Date>, location: Option<u128>) -> Hours {
    Hours {
        job: Uuid::nil(),
        kind: HourlyKind::Regular,
        week: None,
        date,
        location: location.map(Uuid::from_u128),
        hours: Amount::from_cents(100 * hours),
    }
}

/// Returns the state, days and hours of each place of work.
fn by_hours(works: &[WorkAddress], homes: &[HomeAddress], hours: &[Hours]) -> Vec<(String, u32, u32)> {
    let person = PersonFacts {
        works,
        homes,
        answers: &BTreeMap::new(),
        w4: &single(),
        hours,
        visited: &NOTHING,
        given_for: &GivenFor::default(),
        exempt: &NONE,
        employed: &PERIOD,
    };
    let found = find_circumstances(&employer(&[]).unwrap(), &locations(), &payroll(), &person);
    found
        .work
        .iter()
        .map(|at| (at.places.first().unwrap_or(&at.state).clone(), at.days, at.hours / 1_000))
        .collect()
}

#[test]
fn hours_that_name_a_location_count_there_and_the_others_at_the_work_address_of_their_days() {
    let works = [works(1, date(2026, 1, 1)), works(2, date(2026, 6, 8))];
    let of = |hours: &[Hours]| by_hours(&works, &[], hours);
    let (columbus, cincinnati) = ("OH-18000".to_owned(), "OH-15000".to_owned());
    // Without a location, days are divided.
    let days = [(columbus.clone(), 7, 0), (cincinnati.clone(), 7, 0)];
    assert_eq!(of(&[line(80, None, None)]), days);
    assert_eq!(of(&[line(80, Some(START), None)]), days);
    // 40 hours of the whole period are 20 in each city; 8 hours of a day are at the work address of that day.
    let hours = [line(40, None, None), line(8, Some(date(2026, 6, 9)), None), line(4, None, Some(1))];
    assert_eq!(of(&hours), [(columbus.clone(), 7, 24), (cincinnati.clone(), 7, 28)]);
    // Another location comes first, so the last place remains that of the last day.
    let visited = [line(30, None, Some(1)), line(10, Some(date(2026, 6, 3)), Some(5))];
    let newark = "NJ-NEWARK".to_owned();
    assert_eq!(of(&visited), [(newark, 0, 10), (columbus, 7, 30), (cincinnati, 7, 0)]);
}

#[test]
fn who_works_at_home_is_at_the_office_during_hours_that_name_it() {
    let home = [lives("Newark", "NJ", "07102", date(2025, 1, 1))];
    let remote = [WorkAddress { remote_for_own_convenience: true, ..works(3, date(2025, 1, 1)) }];
    let found = by_hours(&remote, &home, &[line(60, None, None), line(20, None, Some(3))]);
    assert_eq!(found, [("NY-MCTD_ZONE_1".to_owned(), 0, 20), ("NJ-NEWARK".to_owned(), 14, 60)]);
}

#[test]
fn more_hours_than_a_period_has_are_recorded_with_less_precision() {
    let hours: Vec<Hours> = (0..300).map(|_| line(9_000, None, Some(1))).collect();
    let person = PersonFacts {
        works: &[works(1, START)],
        homes: &[],
        answers: &BTreeMap::new(),
        w4: &single(),
        hours: &hours,
        visited: &NOTHING,
        given_for: &GivenFor::default(),
        exempt: &NONE,
        employed: &PERIOD,
    };
    let found = find_circumstances(&employer(&[]).unwrap(), &locations(), &payroll(), &person);
    assert!(found.work[0].hours > 0 && found.work[0].hours <= 9_000_000, "{found:?}");
}

#[test]
fn days_at_locations_that_are_no_work_address_are_counted_over_the_year() {
    let works = [works(1, date(2026, 1, 1))];
    let homes = [lives("Columbus", "OH", "43215", date(2026, 1, 1))];
    let before = BTreeMap::from([
        ("OH-15000".to_owned(), Visited { days: 18, ..Visited::default() }),
        ("NY".to_owned(), Visited { days: 3, ..Visited::default() }),
        ("IL".to_owned(), Visited { days: 9, ..Visited::default() }),
    ]);
    let of = |hours: &[Hours]| {
        let person = PersonFacts {
            works: &works,
            homes: &homes,
            answers: &BTreeMap::new(),
            w4: &single(),
            hours,
            visited: &before,
            given_for: &GivenFor::default(),
            exempt: &NONE,
            employed: &PERIOD,
        };
        find_circumstances(&employer(&[]).unwrap(), &locations(), &payroll(), &person).visited
    };
    let on = |day, hours, location| line(hours, Some(date(2026, 6, day)), location);
    // Cincinnati has all of one day, most of a second and less than half of a third; Columbus is the work address.
    let found = of(&[
        on(2, 8, Some(2)),
        on(3, 5, Some(2)),
        on(3, 3, None),
        on(4, 2, Some(2)),
        on(4, 6, Some(1)),
        on(5, 4, Some(3)),
    ]);
    let days: Vec<_> = found.iter().map(|(key, visited)| (key.as_str(), visited.known_days())).collect();
    assert_eq!(
        days,
        [("NY", Some(4)), ("OH-15000", Some(20))],
        "Ohio is home, and nothing was worked in Illinois"
    );
    let undated = of(&[line(8, None, Some(3)), on(2, 8, Some(2))]);
    assert_eq!((undated["NY"].known_days(), undated["OH-15000"].known_days()), (None, Some(19)));
    assert!(of(&[line(80, None, None)]).is_empty());
}

#[test]
fn a_move_between_localities_that_tax_residents_divides_the_days() {
    let homes = [
        lives("Brooklyn", "NY", "11201", date(2026, 1, 1)),
        lives("Albany", "NY", "12207", date(2026, 6, 5)),
    ];
    let found = of(&[works(3, date(2026, 1, 1))], &homes, &[]);
    let in_the_city = |home: &LivedAt| home.places.iter().any(|place| place == "NY-NEW_YORK_CITY");
    let days: Vec<_> = found.lived_at.iter().map(|home| (in_the_city(home), home.days)).collect();
    assert_eq!(days, [(true, 4), (false, 10)]);
    let near = [
        lives("Brooklyn", "NY", "11201", date(2026, 1, 1)),
        lives("New York", "NY", "10001", date(2026, 6, 5)),
    ];
    assert!(of(&[works(3, date(2026, 1, 1))], &near, &[]).lived_at.is_empty());
}
