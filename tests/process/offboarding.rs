//! What the operator takes back from applications and people, at the command line.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::binary::{Ended, run, stipend};

struct Place {
    _folder: TempDir,
    url: String,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("new.db").display());
        let place = Self { _folder: folder, url };
        assert_eq!(place.on(&["migrate", "--create"]).code, Some(0));
        place
    }

    fn on(&self, command: &[&str]) -> Ended {
        let options = ["--database-url", &self.url];
        run(stipend().args(command).args(options).env("STIPEND_MASTER_KEY", "ab".repeat(32)))
    }

    /// The lines of JSON that a command prints.
    #[track_caller]
    fn lines(&self, command: &[&str]) -> Vec<Value> {
        let ended = self.on(&[command, &["--json"]].concat());
        assert_eq!(ended.code, Some(0), "{command:?}: {}", ended.err);
        ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[track_caller]
    fn told(&self, command: &[&str]) -> Value {
        let mut lines = self.lines(command);
        assert_eq!(lines.len(), 1, "{command:?}");
        lines.remove(0)
    }

    #[track_caller]
    fn refused(&self, command: &[&str], word: &str) {
        let ended = self.on(command);
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{command:?}: {}", ended.err);
        assert!(ended.err.contains(word), "{command:?}: {}", ended.err);
    }
}

#[test]
fn applications_are_listed_disabled_given_new_secrets_and_deleted() {
    let place = Place::new();
    let mut ids = Vec::new();
    for name in ["Till", "Register"] {
        ids.push(place.told(&["app", "create", "--name", name])["client_id"].as_str().unwrap().to_owned());
    }
    let id = ids[0].as_str();
    let listed = place.lines(&["app", "list"]);
    assert_eq!(listed.len(), 2);
    let of = |listed: &[Value], field: &str| {
        listed.iter().find(|line| line["client_id"] == id).map(|line| line[field].clone())
    };
    assert_eq!((of(&listed, "name"), of(&listed, "companies")), (Some("Till".into()), Some(0.into())));
    assert_eq!(of(&listed, "disabled_at"), Some(Value::Null));

    let renewed = place.told(&["app", "rotate-secret", id]);
    assert!(renewed["client_secret"].as_str().is_some_and(|text| text.len() >= 36));
    assert!(renewed["api_token"].as_str().is_some_and(|text| text.len() >= 36));
    let narrow = place.told(&["app", "create", "--name", "Kiosk", "--scope", "employees:read"]);
    let narrow = narrow["client_id"].as_str().unwrap();
    let more = place.told(&["app", "add-scopes", narrow, "--scope", "payrolls:read"]);
    assert_eq!((&more["added"], &more["changed_tokens"]), (&json!(["payrolls:read"]), &json!(1)));
    assert_eq!(place.told(&["app", "add-scopes", narrow, "--scope", "payrolls:read"])["added"], json!([]));
    place.refused(&["app", "add-scopes", narrow, "--scope", "everything"], "everything is not a scope");
    place.refused(&["app", "add-scopes", "00000000-0000-0000-0000-000000000000"], "there is no such");
    assert_eq!(place.told(&["app", "sign-out", id])["ended_tokens"], 0);
    place.refused(&["app", "delete", id], "Disable the application first");
    assert_eq!(place.told(&["app", "disable", id])["disabled"], true);
    assert!(of(&place.lines(&["app", "list"]), "disabled_at").unwrap().is_string());
    assert_eq!(place.told(&["app", "enable", id])["disabled"], false);
    place.told(&["app", "disable", id]);
    assert_eq!(place.told(&["app", "delete", id])["ended_connections"], 0);
    assert_eq!(of(&place.lines(&["app", "list"]), "name"), None);
    for command in ["disable", "enable", "delete", "rotate-secret", "sign-out"] {
        place.refused(&["app", command, id], "there is no such company or record");
    }
    let company =
        place.told(&["company", "create", "--name", "Tern Press LLC"])["uuid"].as_str().unwrap().to_owned();
    place.refused(&["app", "revoke-consent", &ids[1], "--company", &company], "there is no such");
    assert_eq!(place.on(&["audit", "verify"]).code, Some(0));
}

#[test]
fn administrators_are_listed_disabled_given_new_passwords_and_deleted() {
    let place = Place::new();
    let company =
        place.told(&["company", "create", "--name", "Tern Press LLC"])["uuid"].as_str().unwrap().to_owned();
    for (email, role) in [("Ann@diner.example", "primary_admin"), ("bo@diner.example", "full_access_admin")] {
        let given = ["--email", email, "--first-name", "Ann", "--last-name", "Lee", "--role", role];
        place.told(&[&["user", "create", "--company", &company], &given[..]].concat());
    }
    let listed = place.lines(&["user", "list"]);
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|line| line["companies"][0]["uuid"] == company.as_str()), "{listed:?}");
    assert!(!format!("{listed:?}").contains("argon2"), "no digest of a password is shown");

    let bo = "BO@diner.example";
    assert!(
        place.told(&["user", "rotate-secret", bo])["password"].as_str().is_some_and(|text| text.len() >= 20)
    );
    assert_eq!(place.told(&["user", "sign-out", bo])["ended_sessions"], 0);
    assert_eq!(place.told(&["user", "revoke-consent", bo])["ended_tokens"], 0);
    place.refused(&["user", "delete", bo], "Disable the user first");
    assert_eq!(place.told(&["user", "disable", bo])["disabled"], true);
    assert_eq!(place.told(&["user", "enable", bo])["disabled"], false);
    place.told(&["user", "disable", bo]);
    assert_eq!(place.told(&["user", "delete", bo])["deleted"], true);
    let ann = "ann@diner.example";
    place.told(&["user", "disable", ann]);
    place.refused(&["user", "delete", ann], "primary administrator");
    assert_eq!(place.lines(&["user", "list"]).len(), 1);
    place.refused(&["user", "disable", bo], "there is no such company or record");
    assert_eq!(place.on(&["audit", "verify"]).code, Some(0));
}
