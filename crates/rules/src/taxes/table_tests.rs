use super::*;

#[test]
fn the_built_in_tables_can_be_read() {
    assert_eq!(TaxTable::insurance().iter().count(), 70);
    assert_eq!(TaxTable::local().iter().count(), 1_466);
    assert_eq!(TaxTable::insurance().of_state("NJ").len(), 6);
    assert_eq!(TaxTable::local().of_place("OH-18000")[0].name, "Columbus city tax");
}

#[test]
fn every_row_names_its_source_and_no_figure_is_without_one() {
    for tax in TaxTable::insurance().iter().chain(TaxTable::local().iter()) {
        assert!(!tax.source.is_empty(), "{}", tax.code);
        assert!(!tax.code.contains(' '), "{}", tax.code);
    }
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
