//! What a bank sends back: returned payments and corrections of accounts, in one file.

/// A file of the bank that sends entries back: code, trace, cents, and what the addendum says.
pub fn file(back: &[(&str, &str, u64, &str)]) -> String {
    let line = |text: String| format!("{text:<94}");
    let mut lines = vec![
        line(
            "101 09100001912345678926061809 00A094101FIRST EXAMPLE BANK     STIPEND".replace("09 00", "0900"),
        ),
        line(
            "5200EXAMPLE BANK                        1999999999PPDRETURN          260618   1021000020000001"
                .to_owned(),
        ),
    ];
    let mut cents = 0;
    for (place, (code, trace, amount, data)) in (1..).zip(back) {
        let own = format!("02100002{place:07}");
        let amount = if code.starts_with('R') { *amount } else { 0 };
        lines.push(line(format!(
            "621091000019{:<17}{amount:010}{:<15}{:<22}  1{own}",
            "1111222233", "E-1", "ANA SILVA"
        )));
        let kind = if code.starts_with('R') { "99" } else { "98" };
        let width = if kind == "99" { 44 } else { 29 };
        let rest = if kind == "99" { 0 } else { 15 };
        lines.push(format!("7{kind}{code}{trace}      02100002{data:<width$}{:rest$}{own}", ""));
        cents += amount;
    }
    let (records, hash) = (2 * back.len(), 9_100_001 * back.len());
    lines.push(format!("8200{records:06}{hash:010}{:012}{cents:012}1999999999{:25}021000020000001", 0, ""));
    let blocks = (lines.len() + 1).div_ceil(10);
    lines.push(line(format!("9000001{blocks:06}{records:08}{hash:010}{:012}{cents:012}", 0)));
    assert!(lines.iter().all(|line| line.len() == 94), "{lines:#?}");
    lines.join("\n")
}
