//! Pennsylvania's register as the state publishes it: the report "EIT with collector" of its municipal statistics.
//!
//! A line of instructions may come before the headings. Headings say the unit in parentheses, as in `Municipal Resident EIT (percent)`;
//! columns that are not used are left out.

use super::pennsylvania::COLUMNS;
use super::read::Fault;
use crate::amount::Amount;

/// Lines among which the headings are.
const FIRST_LINES: usize = 10;
/// Where the figures of the register come from.
const SOURCE: &str = "register of the state (municipal statistics, EIT with collector), as imported";

/// The state's headings, in lower case and without units, for each column.
const HEADINGS: [(&str, &[&str]); 13] = [
    ("psd", &["psd code", "psd"]),
    ("county", &["county", "county name"]),
    ("municipality", &["municipality", "municipality name"]),
    ("school_district", &["school district", "school district name"]),
    (
        "resident_percent_municipality",
        &["municipal resident eit", "municipal resident eit rate", "resident eit"],
    ),
    ("resident_percent_school", &["school district eit", "school district eit rate"]),
    ("resident_percent", &["total resident income tax", "total resident eit", "total resident eit rate"]),
    (
        "nonresident_percent",
        &["municipal nonresident eit", "municipal nonresident eit rate", "nonresident eit"],
    ),
    ("low_income_exemption", &["municipal eit lie", "municipal eit lie amount"]),
    ("lst_municipality", &["municipal lst", "municipal lst amount"]),
    ("lst_school", &["school district lst", "school district lst amount"]),
    ("lst_exemption_municipality", &["municipal lst lie", "municipal lst lie amount"]),
    ("collector", &["eit collector", "eit collector name", "collector"]),
];
/// A second tax of school districts on residents, which some take instead of the first; employers withhold both.
const PERSONAL: [&str; 2] = ["school district pit", "school district pit rate"];
/// Columns without which a register is none.
const NEEDED: [&str; 4] = ["psd", "county", "municipality", "nonresident_percent"];

/// Returns a heading in lower case, with single spaces and without its unit.
fn normalize_heading(text: &str) -> String {
    let mut plain = text.to_lowercase();
    for unit in ["(percent)", "(dollars)", "(%)", "($)"] {
        plain = plain.replace(unit, " ");
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text of a cell: figures without `%`, `$` and thousands separators.
fn figure_text(text: &str) -> String {
    let plain: String = text.trim().chars().filter(|letter| !matches!(letter, '%' | '$' | ',')).collect();
    let plain = plain.trim();
    if matches!(plain, "-" | "N/A" | "n/a") { String::new() } else { plain.to_owned() }
}

/// Converts the rows of the published report into the columns of `pennsylvania_places.csv`.
///
/// # Errors
/// The headings that are missing, and what cannot be read, each with its line.
pub fn from_state(rows: &[Vec<String>]) -> Result<String, Vec<Fault>> {
    let fault = |line: usize, field: &str, message: String| Fault {
        line: u64::try_from(line).unwrap_or(u64::MAX),
        field: field.to_owned(),
        message,
    };
    let headings = |row: &Vec<String>| row.iter().map(|cell| normalize_heading(cell)).collect::<Vec<_>>();
    let is_headings =
        |row: &Vec<String>| headings(row).iter().any(|name| HEADINGS[0].1.contains(&name.as_str()));
    let Some(first) = rows.iter().take(FIRST_LINES).position(is_headings) else {
        let message = "must have a line of headings with PSD Code among its first ten lines".to_owned();
        return Err(vec![fault(1, "", message)]);
    };
    let names = headings(&rows[first]);
    let place = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    let places: Vec<(&str, Option<usize>)> =
        HEADINGS.iter().map(|(column, wanted)| (*column, place(wanted))).collect();
    let missing = places.iter().filter(|(column, at)| NEEDED.contains(column) && at.is_none());
    let missing: Vec<Fault> =
        missing.map(|(column, _)| fault(first + 1, column, "must have a column".to_owned())).collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let personal = place(&PERSONAL);
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut faults = Vec::new();
    let _in_memory = out.write_record(COLUMNS);
    for (index, row) in rows.iter().enumerate().skip(first + 1) {
        let cell =
            |at: Option<usize>| at.and_then(|at| row.get(at)).map(|text| text.trim()).unwrap_or_default();
        let at = |column: &str| places.iter().find(|(known, _)| *known == column).and_then(|(_, at)| *at);
        if row.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        // A workbook keeps codes as numbers, which lose their first zero.
        let digits = cell(at("psd")).trim_end_matches(".0");
        let psd = format!("{digits:0>6}");
        if psd.len() != 6 || !psd.bytes().all(|byte| byte.is_ascii_digit()) {
            faults.push(fault(index + 1, "psd", format!("{digits:?} must be a PSD code of six digits")));
            continue;
        }
        let school = figure_text(cell(at("resident_percent_school")));
        let school = match Amount::parse(&figure_text(cell(personal))) {
            Ok(personal) if personal > Amount::ZERO => Amount::parse(&school)
                .unwrap_or(Amount::ZERO)
                .checked_add(personal)
                .map_or(school, |both| both.to_text(0)),
            _ => school,
        };
        let value = |column: &str| match column {
            "psd" => psd.clone(),
            "county" | "municipality" | "school_district" | "collector" => cell(at(column)).to_owned(),
            "resident_percent_school" => school.clone(),
            "nonresident_percent" if figure_text(cell(at(column))).is_empty() => "0".to_owned(),
            "confidence" => "primary".to_owned(),
            "source" => SOURCE.to_owned(),
            _ => figure_text(cell(at(column))),
        };
        let _in_memory = out.write_record(COLUMNS.iter().map(|column| value(column)));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let bytes = out.into_inner().unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::PennsylvaniaTable;
    use super::*;
    use jiff::civil::date;

    fn rows(lines: &[&str]) -> Vec<Vec<String>> {
        lines.iter().map(|line| line.split('|').map(str::to_owned).collect()).collect()
    }

    const HEADING: &str = "Reporting Year|County|Municipality|School District|PSD Code|Municipal Resident EIT (percent)|\
        School District EIT (percent)|School District PIT (percent)|Total Resident Income Tax (percent)|\
        Municipal NonResident EIT (percent)|Municipal LST (dollars)|School District LST (dollars)|EIT Collector";

    #[test]
    fn the_report_is_read_as_the_state_publishes_it_and_keyed_to_municipalities() {
        let text = from_state(&rows(&[
            "Please scroll right to see all columns",
            HEADING,
            "2026|BEAVER|CHIPPEWA TWP|BLACKHAWK SD|40402|0.50%|0.5||1.00|1.0000|$47.00|5|BERKHEIMER",
            "2026|LACKAWANNA|SCRANTON CITY|SCRANTON SD|350901.0|2.4|1||3.4|1|156||SINGLE TAX OFFICE",
            "2026|ALLEGHENY|PITTSBURGH CITY|PITTSBURGH SD|700102|1|0|2|3|1|52|0|JORDAN",
            "||||||||||||",
        ]))
        .unwrap();
        let table = PennsylvaniaTable::parse(&text).unwrap();
        let of = |place: &str| {
            table.get(place, date(2026, 6, 12)).map(|row| (row.psd.as_str(), row.resident.to_text(0)))
        };
        assert_eq!(of("4200713488"), Some(("040402", "1".to_owned())), "Chippewa Township");
        assert_eq!(of("4206969000"), Some(("350901", "3.4".to_owned())));
        assert_eq!(of("4200361000-4219170"), Some(("700102", "3".to_owned())));
        assert_eq!(table.get("040402", date(2026, 6, 12)).unwrap().services.to_text(0), "52");
        assert_eq!(table.municipalities(), 3);
    }

    #[test]
    fn what_is_no_register_is_refused_with_line_and_column() {
        let none = from_state(&rows(&["County|Municipality", "A|B"])).unwrap_err();
        assert!(none[0].to_string().contains("headings with PSD Code"), "{none:?}");
        let lacks = from_state(&rows(&["PSD Code|Municipality", "010101|B"])).unwrap_err();
        assert_eq!(
            lacks.iter().map(|one| one.field.as_str()).collect::<Vec<_>>(),
            ["county", "nonresident_percent"]
        );
        let code = from_state(&rows(&[HEADING, "2026|A|B|C|ABC|1|0|0|1|1|0|0|"])).unwrap_err();
        assert_eq!((code[0].line, code[0].field.as_str()), (2, "psd"));
    }
}
