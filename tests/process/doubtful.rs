//! Figures in doubt, as the operator lists and confirms them at the command line.

use serde_json::Value;

use crate::binary::{Ended, run, stipend};

#[test]
fn an_operator_lists_figures_in_doubt_confirms_some_and_takes_that_back() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("new.db").display());
    let on = |command: &[&str]| -> Ended {
        run(stipend().args(command).args(["--database-url", &url]).env("STIPEND_MASTER_KEY", "ab".repeat(32)))
    };
    assert_eq!(on(&["migrate", "--create"]).code, Some(0));
    let confirmed = || -> Vec<String> {
        let listed = on(&["data", "doubtful", "--json"]);
        assert_eq!(listed.code, Some(0), "{}", listed.err);
        let all: Vec<Value> = serde_json::from_str(&listed.out).unwrap();
        assert!(all.iter().any(|one| one["key"] == "WV_PARKERSBURG" && one["confidence"] == "unconfirmed"));
        let confirmed = all.iter().filter(|one| one["confirmed_at"].is_string());
        confirmed.map(|one| one["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(confirmed(), Vec::<String>::new());

    let done = on(&["data", "confirm", "PA_RESIDENCE", "WV_PARKERSBURG"]);
    assert!(done.out.contains("Confirmed: PA_RESIDENCE, WV_PARKERSBURG"), "{}{}", done.out, done.err);
    assert_eq!(confirmed(), ["PA_RESIDENCE", "WV_PARKERSBURG"]);
    let listed = on(&["data", "doubtful"]).out;
    let line = listed.lines().find(|line| line.starts_with("PA_RESIDENCE")).unwrap();
    assert!(line.contains("confirmed") && line.contains("residents who work elsewhere"), "{line}");

    let wrong = on(&["data", "confirm", "PA_RESIDENCE", "CA_SDI"]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.out);
    assert!(wrong.err.contains("CA_SDI names no unconfirmed figure"), "{}", wrong.err);
    assert_eq!(confirmed(), ["PA_RESIDENCE", "WV_PARKERSBURG"], "all or none");

    assert_eq!(on(&["data", "confirm", "PA_RESIDENCE", "--withdraw"]).code, Some(0));
    assert_eq!(confirmed(), ["WV_PARKERSBURG"]);
}
