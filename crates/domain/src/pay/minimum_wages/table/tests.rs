use jiff::civil::date;

use super::*;

fn listed(place: &Place, day: Date) -> Vec<(Authority, String, String)> {
    let rows = Table::built_in().choosable_wages(place, day);
    rows.into_iter().map(|row| (row.authority, row.wage.to_text(2), row.condition.clone())).collect()
}

fn figures(place: &Place, day: Date) -> Vec<(&'static str, String)> {
    listed(place, day).into_iter().map(|(authority, wage, _)| (authority.as_str(), wage)).collect()
}

fn figure(authority: &'static str, wage: &str) -> (&'static str, String) {
    (authority, wage.to_owned())
}

#[test]
fn the_newest_figure_of_each_authority_is_listed() {
    let denver = Place::from_address("CO", "Denver", "80202");
    let in_2025 = [figure("City", "18.81"), figure("State", "14.81"), figure("Federal", "7.25")];
    assert_eq!(figures(&denver, date(2025, 12, 31)), in_2025);
    let in_2026 = [figure("City", "19.29"), figure("State", "15.16"), figure("Federal", "7.25")];
    assert_eq!(figures(&denver, date(2026, 1, 1)), in_2026);
    let texas = Place::from_address("TX", "San Antonio", "78205");
    assert_eq!(figures(&texas, date(2026, 6, 15)), [figure("State", "7.25"), figure("Federal", "7.25")]);
}

#[test]
fn the_rule_for_a_county_replaces_the_states_own() {
    let brooklyn = Place::from_address("NY", "Brooklyn", "11201");
    assert_eq!(brooklyn.county, Some("36047"));
    let aides = "home care aides (Public Health Law 3614-f)";
    let of = |place: &Place| {
        let rows = listed(place, date(2026, 6, 15));
        rows.into_iter()
            .map(|(authority, wage, condition)| (authority.as_str(), wage, condition))
            .collect::<Vec<_>>()
    };
    let expected = |everybody: &str, of_aides: &str| {
        [("State", everybody, ""), ("State", of_aides, aides), ("Federal", "7.25", "")]
            .map(|(authority, wage, condition)| (authority, wage.to_owned(), condition.to_owned()))
    };
    assert_eq!(of(&brooklyn), expected("17.00", "19.65"));
    let albany = Place::from_address("NY", "Albany", "12207");
    assert_eq!(of(&albany), expected("16.00", "18.65"));
}

#[test]
fn rules_for_a_size_or_an_industry_are_listed_beside_the_others() {
    let hayward = Place::from_address("CA", "Hayward", "94541");
    let rows = listed(&hayward, date(2026, 2, 1));
    let city: Vec<_> = rows.iter().filter(|row| row.0 == Authority::City).collect();
    assert_eq!(city.len(), 2);
    assert!(rows.iter().any(|row| row.2.contains("fast food") && row.1 == "20.00"));
    let richmond = Place::from_address("CA", "richmond", "94801");
    assert!(listed(&richmond, date(2025, 12, 31)).contains(&(
        Authority::City,
        "17.77".to_owned(),
        String::new()
    )));
    assert!(!listed(&richmond, date(2026, 1, 1)).iter().any(|row| row.1 == "17.77"));
}

#[test]
fn an_outdated_figure_has_a_note_from_that_day_on() {
    let place = Place::from_address("CA", "San Francisco", "94103");
    let held = "San Francisco,,Regular,,19.18,,,2025-07-01,,";
    let without_newer = BUILT_IN_TEXT.replace(held, &format!("{held}2026-07-01")).replace(
        "City,CA,San Francisco County,06075,San Francisco,,Regular,,19.61,,,2026-07-01,,,sourced,INV26,\n",
        "",
    );
    let table = Table::parse(&without_newer).unwrap();
    let of_city = |day| {
        let rows = table.choosable_wages(&place, day);
        rows.into_iter().find(|row| row.authority == Authority::City).and_then(|row| row.notes_on(day))
    };
    assert_eq!(of_city(date(2026, 6, 30)), None);
    let note = of_city(date(2026, 7, 1)).unwrap();
    assert!(note.contains("out of date since 2026-07-01") && note.contains("2025-07-01"), "{note}");
    let (rows, outdated) = table.count_rows(date(2026, 7, 1));
    let as_built_in = Table::built_in().count_rows(date(2026, 7, 1)).1;
    assert!(rows > 400 && outdated == as_built_in + 1, "{rows} {outdated}");
    let today = Table::built_in().choosable_wages(&place, date(2026, 7, 1));
    assert!(
        today.iter().any(|row| row.wage.to_text(2) == "19.61" && row.notes_on(date(2026, 7, 1)).is_none())
    );
}

#[test]
fn figures_of_2027_are_those_announced_and_others_that_are_due_say_so() {
    let regular = |state: &str, city: &str, zip: &str, day: Date| {
        let rows = Table::built_in().choosable_wages(&Place::from_address(state, city, zip), day);
        let row = rows.into_iter().find(|row| {
            row.authority == Authority::State
                && row.wage_type == WageType::Regular
                && row.condition.is_empty()
        });
        row.map(|row| {
            (row.wage.to_text(2), row.notes_on(day).is_some_and(|note| note.contains("out of date since")))
        })
    };
    for (state, zip, wage, outdated) in [
        ("CA", "94203", "17.40", false),
        ("WA", "98501", "17.73", false),
        ("NJ", "08601", "16.48", false),
        ("CT", "06101", "17.48", false),
        ("VA", "23218", "13.75", false),
        ("CO", "80903", "15.71", false),
        ("AZ", "85001", "15.15", true),
        ("OH", "43004", "11.00", true),
    ] {
        let found = regular(state, "Nowhere", zip, date(2027, 1, 15));
        assert_eq!(found, Some((wage.to_owned(), outdated)), "{state}");
        let (_, before) = regular(state, "Nowhere", zip, date(2026, 12, 31)).unwrap();
        assert!(!before, "{state}");
    }
    assert_eq!(regular("VA", "Nowhere", "23218", date(2028, 1, 1)).unwrap().0, "15.00");
}

#[test]
fn a_rule_keeps_its_uuid_when_its_figure_changes_and_in_a_newer_data_set() {
    let texas = Place::from_address("TX", "San Antonio", "78205");
    let day = date(2026, 12, 1);
    let before = Table::built_in().choosable_wages(&texas, day);
    let newer = BUILT_IN_TEXT.to_owned() + "State,TX,,,,,Regular,,9.00,,,2026-10-01,,,,,\n";
    let newer = Table::parse(&newer).unwrap();
    let after = newer.choosable_wages(&texas, day);
    assert_eq!(after[0].wage, Amount::from_cents(900));
    let rules = |rows: &[&MinimumWage]| rows.iter().map(|row| row.rule).collect::<Vec<_>>();
    assert_eq!(rules(&before), rules(&after));
    assert_eq!(newer.rule_at(before[0].rule, &texas, date(2026, 9, 30)).unwrap().wage.to_text(2), "7.25");
    assert_eq!(newer.days_of_change(&texas, date(2026, 9, 1), date(2026, 10, 15)), [date(2026, 10, 1)]);
}

/// What tips may cover of the highest minimum wage of an authority at a place, at a rate in cents.
fn tips(authority: Authority, place: &Place, day: Date, rate: i64) -> TipCredit {
    let table = Table::built_in();
    let of_it = table.choosable_wages(place, day).into_iter().filter(|row| row.authority == authority);
    let chosen = of_it.max_by_key(|row| row.wage).unwrap();
    table.tip_credit(chosen, place, day, Amount::from_cents(rate))
}

#[test]
fn the_credit_for_tips_is_the_authoritys_own_or_else_the_federal_one() {
    let day = date(2026, 6, 15);
    let credit = |authority, (state, city, zip)| {
        tips(authority, &Place::from_address(state, city, zip), day, 300).credit.to_text(2)
    };
    assert_eq!(credit(Authority::Federal, ("TX", "Dallas", "75201")), "5.12");
    assert_eq!(credit(Authority::State, ("CO", "Pueblo", "81003")), "3.02");
    // Above the state's cash wage of 3.00, tips count in full.
    assert_eq!(credit(Authority::City, ("NM", "Santa Fe", "87501")), "12.40");
    // Outside the city, the county's cash wage is thirty percent of its wage.
    assert_eq!(credit(Authority::County, ("NM", "Eldorado", "87508")), "10.78");
    // The federal credit does not apply where state law lets tips cover nothing.
    assert_eq!(credit(Authority::Federal, ("CA", "Sacramento", "95814")), "0.00");
}

#[test]
fn the_credit_for_tips_goes_with_the_minimum_wage_of_its_year() {
    let in_2027 = date(2027, 1, 4);
    for (authority, (state, city, zip), cash, credit) in [
        (Authority::State, ("RI", "Providence", "02903"), 389, "13.11"),
        (Authority::State, ("MI", "Ann Arbor", "48104"), 630, "8.70"),
        (Authority::City, ("ME", "Portland", "04101"), 888, "8.87"),
    ] {
        let found = tips(authority, &Place::from_address(state, city, zip), in_2027, cash);
        assert_eq!((found.credit.to_text(2).as_str(), found.outdated), (credit, None), "{state}");
    }
    let found =
        tips(Authority::State, &Place::from_address("HI", "Honolulu", "96813"), date(2028, 1, 3), 1650);
    assert_eq!((found.credit.to_text(2).as_str(), found.outdated), ("1.50", None));
}

#[test]
fn hawaii_counts_no_tips_up_to_seven_dollars_an_hour() {
    let day = date(2026, 6, 15);
    let of = |state: &str, city: &str, zip: &str, cash| {
        tips(Authority::State, &Place::from_address(state, city, zip), day, cash)
    };
    assert_eq!(of("HI", "Honolulu", "96813", 1475).from.to_text(2), "7.00");
    assert_eq!(of("CO", "Pueblo", "81003", 1214).from, Amount::ZERO);
}

#[test]
fn a_credit_of_an_earlier_minimum_wage_is_told() {
    let newer = BUILT_IN_TEXT.to_owned() + "State,RI,,,,,Regular,,18.00,,,2028-01-01,,,,,\n";
    let newer = Table::parse(&newer).unwrap();
    let place = Place::from_address("RI", "Providence", "02903");
    let on = |day| {
        let chosen = newer.choosable_wages(&place, day).into_iter().max_by_key(|row| row.wage).unwrap();
        newer.tip_credit(chosen, &place, day, Amount::from_cents(389)).outdated
    };
    assert_eq!(on(date(2027, 12, 31)), None);
    let told = on(date(2028, 1, 1)).unwrap();
    assert_eq!((told.minimum_wage, told.from), (Amount::from_cents(1_800), date(2028, 1, 1)));
}

#[test]
fn a_cash_wage_without_a_credit_lets_tips_cover_the_rest_of_the_minimum_wage() {
    let day = date(2026, 8, 15);
    let credit = |(state, city, zip)| {
        tips(Authority::County, &Place::from_address(state, city, zip), day, 400).credit.to_text(2)
    };
    // 18.00 - 4.00, and 16.00 - 3.63.
    assert_eq!(credit(("MD", "Rockville", "20850")), "14.00");
    assert_eq!(credit(("MD", "Columbia", "21044")), "12.37");
}

#[test]
fn the_rate_determines_the_kind_of_tipped_work_and_an_ambiguous_rate_is_reported() {
    let brooklyn = Place::from_address("NY", "Brooklyn", "11201");
    let hartford = Place::from_address("CT", "Hartford", "06103");
    let day = date(2026, 6, 15);
    for (place, rate, credit, certain) in [
        // Food service workers get 11.35 in cash, other service employees 14.15.
        (&brooklyn, 1135, "5.65", true),
        (&brooklyn, 1415, "2.85", true),
        (&brooklyn, 1500, "2.85", true),
        // The kind is uncertain: a rate below both has the smaller credit.
        (&brooklyn, 1200, "5.65", false),
        (&brooklyn, 1100, "2.85", false),
        // Hotel and restaurant service employees get 6.38, bartenders 8.23.
        (&hartford, 638, "10.56", true),
        (&hartford, 823, "8.71", true),
        (&hartford, 700, "10.56", false),
    ] {
        let found = tips(Authority::State, place, day, rate);
        assert_eq!((found.credit.to_text(2).as_str(), found.doubt.is_none()), (credit, certain), "{rate}");
    }
    let doubt = tips(Authority::State, &brooklyn, day, 1200).doubt.unwrap();
    assert!(
        doubt.kinds.contains("food service workers (11.35 an hour in cash) or service employees (14.15"),
        "{doubt:?}"
    );
}

#[test]
fn the_wage_of_unincorporated_areas_does_not_apply_in_cities_of_the_county() {
    let local = |city: &str, zip: &str| {
        let place = Place::from_address("CA", city, zip);
        Table::built_in().of_everybody(Some(&place), date(2026, 8, 15)).local.map(|wage| wage.to_text(2))
    };
    assert_eq!(local("Altadena", "91001").as_deref(), Some("18.47"));
    assert_eq!(local("Beverly Hills", "90210"), None);
    // It can be chosen, because addresses outside the city use its name.
    let beverly_hills = Place::from_address("CA", "Beverly Hills", "90210");
    assert!(figures(&beverly_hills, date(2026, 8, 15)).contains(&figure("County", "18.47")));
}

#[test]
fn some_states_let_tips_cover_nothing() {
    let none: Vec<_> = {
        let allows = |state: &&str| Table::built_in().allows_tip_credit(state, date(2026, 6, 15));
        rules::check::STATES.iter().map(|state| state.0).filter(|state| !allows(state)).collect()
    };
    assert_eq!(none, ["AK", "CA", "MN", "MT", "NV", "OR", "WA"]);
    assert!(!Table::built_in().allows_tip_credit("GU", date(2026, 6, 15)));
    assert!(!Table::built_in().allows_tip_credit("CA", date(2024, 6, 15)), "before its first row");
}

#[test]
fn an_invalid_file_is_rejected_with_its_line() {
    let header = "authority,state,county_fips,city,wage_type,wage,tip_credit,effective_date\n";
    let rejected = |line: &str| Table::parse(&format!("{header}{line}\n")).unwrap_err();
    let golden = [
        (
            "Village,TX,,,Regular,7.25,,2026-01-01",
            "line 2: authority must be one of: City, County, State, Federal",
        ),
        ("State,XX,,,Regular,7.25,,2026-01-01", "line 2: state must be"),
        ("State,TX,,,Regular,-1,,2026-01-01", "line 2: wage must lie between"),
        ("State,TX,,,Regular,0,,2026-01-01", "line 2: wage must be more than 0"),
        ("State,TX,,,Regular,much,,2026-01-01", "line 2: wage must be a decimal number"),
        ("State,TX,,,Regular,7.25,,yesterday", "line 2: effective_date must be a day"),
        ("City,TX,,,Regular,7.25,,2026-01-01", "line 2: city is needed"),
        ("County,TX,,,Regular,7.25,,2026-01-01", "line 2: county_fips is needed"),
        ("County,TX,12,,Regular,7.25,,2026-01-01", "line 2: county_fips must have five digits"),
        ("State,TX,,,Regular,7.25,,2026-01-01", "there is no federal minimum wage"),
        (
            "State,TX,,,Regular,7.25,,2026-01-01\nState,TX,,,Regular,8,,2026-01-01",
            "two rows of the same rule",
        ),
    ];
    for (line, fault) in golden {
        let message = rejected(line);
        assert!(message.starts_with(fault), "{line}: {message}");
    }
    assert!(Table::parse("authority,state\nFederal,US\n").unwrap_err().contains("line 2"));
}

#[test]
fn the_figure_of_a_city_counts_however_its_name_is_written() {
    let spelled = |city: &str| figures(&Place::from_address("MN", city, "55101"), date(2026, 6, 15));
    let paul = spelled("Saint Paul");
    assert_eq!(paul[0].0, "City");
    for city in ["St. Paul", "ST PAUL", "City of Saint Paul"] {
        assert_eq!(spelled(city), paul, "{city}");
    }
    assert_ne!(spelled("Saint Paul Park"), paul);
}

#[test]
fn a_figure_renewed_every_year_is_overdue_once_it_is_a_year_old() {
    let table = Table::built_in();
    assert_eq!(table.overdue_states(date(2026, 11, 26)), [] as [&str; 0]);
    let missed = table.overdue_states(date(2027, 1, 1));
    // California's own figure of 2027 is in the table and those of its cities are not; New York's is, and those of tipped employees are not.
    for (state, is_missed) in
        [("CA", true), ("AZ", true), ("NY", true), ("TX", false), ("PA", false), ("OR", false)]
    {
        assert_eq!(missed.contains(&state), is_missed, "{state}");
    }
    // Oregon's change in July, and Michigan's of 2027 is in the table already.
    assert!(table.overdue_states(date(2027, 7, 1)).contains(&"OR"));
    let of = |state: &str, zip: &str| {
        let place = Place::from_address(state, "Nowhere", zip);
        table
            .overdue_of_everybody(&place, date(2027, 1, 8))
            .map(|row| (row.authority_and_place(), row.effective_date))
    };
    assert_eq!((of("TX", "78701"), of("MI", "48201")), (None, None));
    assert_eq!(of("AZ", "85001"), Some(("State AZ".to_owned(), date(2026, 1, 1))));
    let newer = BUILT_IN_TEXT.to_owned() + "State,AZ,,,,,Regular,,15.50,,,2027-01-01,,,,,\n";
    let newer = Table::parse(&newer).unwrap();
    let place = Place::from_address("AZ", "Nowhere", "85001");
    assert_eq!(newer.overdue_of_everybody(&place, date(2027, 1, 8)), None);
}
