//! Text in files that are opened with a spreadsheet.

/// Characters with which a spreadsheet begins a formula, also in the wide forms of East Asian keyboards, which some programs treat alike.
const BEGINNINGS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// Prefixes text that a spreadsheet would read as a formula with an apostrophe.
pub fn escape_formula(text: &str) -> String {
    if text.trim_start_matches(' ').starts_with(BEGINNINGS) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spreadsheet_finds_no_formula() {
        for formula in ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "＝1+1", "＋1", "－1", "＠A1", " =1+1"]
        {
            assert_eq!(escape_formula(formula), format!("'{formula}"));
        }
        for text in ["AL-1", "Ann = Lee", "", " ", "1=1"] {
            assert_eq!(escape_formula(text), text);
        }
    }
}
