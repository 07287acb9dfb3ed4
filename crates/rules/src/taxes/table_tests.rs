use std::collections::BTreeSet;

use super::*;

#[test]
fn the_built_in_tables_can_be_read() {
    assert_eq!(TaxTable::insurance().iter().count(), 71);
    assert_eq!(TaxTable::built_in_local().iter().count(), 1_475);
    assert_eq!(TaxTable::insurance().of_state("NJ").len(), 6);
    assert_eq!(TaxTable::built_in_local().of_place("OH-18000")[0].name, "Columbus city tax");
}

#[test]
fn every_row_names_its_source_and_no_figure_is_without_one() {
    for tax in TaxTable::insurance().iter().chain(TaxTable::built_in_local().iter()) {
        assert!(!tax.source.is_empty(), "{}", tax.code);
        assert!(!tax.code.contains(' '), "{}", tax.code);
    }
}

#[test]
fn a_figure_that_ends_with_its_year_goes_on_until_another_follows_unless_its_law_ends() {
    let rows = || TaxTable::insurance().iter().chain(TaxTable::built_in_local().iter());
    let due = |code: &str, day| rows().any(|tax| tax.code == code && tax.is_in_force(day));
    let january = jiff::civil::date(2027, 1, 8);
    for code in ["NJ_FLI_EE", "NJ_TDI_EE", "NJ_UI_EE", "NJ_WF_EE", "RI_TDI", "DE_PFML_MED", "OR_MULTNOMAH"] {
        assert!(due(code, january), "{code} of January 2027");
    }
    for code in ["GA_ADMIN", "OH_SD_3305"] {
        assert!(due(code, jiff::civil::date(2026, 12, 31)) && !due(code, january), "{code} ends by its law");
    }
    // The 2027 rate is known, and is the only one in force that year; it continues in 2028.
    let of =
        |day| rows().filter(move |tax| tax.code == "NY_PFL" && tax.is_in_force(day)).map(|tax| &tax.method);
    for day in [january, jiff::civil::date(2028, 1, 7)] {
        assert_eq!(of(day).collect::<Vec<_>>(), [&Method::Rate(Amount::from_millionths(452_000))]);
    }
    // Taxes due in the tables' year are also due on the first day of the next, except under laws that end.
    let of_day = |day| rows().filter(|tax| tax.is_in_force(day)).map(|tax| tax.code.as_str()).collect();
    let (last, first): (BTreeSet<&str>, BTreeSet<&str>) =
        (of_day(jiff::civil::date(2026, 12, 31)), of_day(jiff::civil::date(2027, 1, 1)));
    let ended: Vec<_> = last.difference(&first).collect();
    assert_eq!(ended, [&"GA_ADMIN", &"OH_SD_0606", &"OH_SD_3305", &"OH_SD_5008"]);
}

#[test]
fn each_fault_of_a_table_is_told_with_line_and_field() {
    let text = include_str!("../../../../data/taxes/insurance_2026.csv");
    let wrong = text.replacen("work,,,,,,,,rate,1.3,", "work,,,,,,,,rate,130,", 1).replacen(
        "CT_PFML,CT,state,,CT paid leave,employee",
        "CT_PFML,CT,state,,,staff",
        1,
    );
    let faults = TaxTable::parse(&wrong).unwrap_err();
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(lines.contains(&"line 5, rate: must be a percentage from 0 to 100".to_owned()), "{lines:?}");
    assert!(lines.contains(&"line 10, name: must not be empty".to_owned()), "{lines:?}");
    assert!(
        lines.contains(&"line 10, payer: \"staff\" must be one of employee, employer".to_owned()),
        "{lines:?}"
    );
    let faults = TaxTable::parse("code,state\nX,NY\n").unwrap_err();
    assert_eq!(faults[0].to_string(), "line 1, level: this column is missing");
}
