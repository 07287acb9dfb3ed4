//! The scripts and the commands of the documents, followed word by word.

use std::process::Command;

use crate::binary::{Running, run, stipend};
use crate::demo;

#[test]
fn the_first_journey_of_the_examples_folder_ends_with_an_onboarded_employee() {
    let service = demo(&["--seed", "5"]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/self_onboarding.sh");
    let done = Command::new("bash").arg(script).envs(service.journey()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(said.lines().last(), Some("onboarding_completed"), "{said}");
}

/// Runs the blocks of a document that are marked as a journey, in the folder of the project; what they printed.
fn follow(document: &str, environment: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let blocks =
        document.split("<!-- journey -->\n```sh\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let script = blocks.collect::<Vec<_>>().join("\n");
    assert!(script.lines().count() > 10, "the document holds no journey:\n{script}");
    let bash = &mut Command::new("bash");
    let bash = bash.args(["-euo", "pipefail", "-c", &script]).envs(environment);
    let done = bash.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert!(!said.contains("\"errors\":[{") && !said.contains("\"error\""), "{said}");
    said.into_owned()
}

#[test]
fn the_journey_in_the_readme_can_be_followed_word_by_word() {
    let service = demo(&["--seed", "6"]);
    let said = follow(include_str!("../../README.md"), service.journey());
    assert!(said.contains("\"onboarding_status\":\"onboarding_completed\""), "{said}");
}

#[test]
fn the_way_to_tokens_and_through_the_move_can_be_followed_word_by_word() {
    let service = demo(&["--seed", "11"]);
    let said = follow(include_str!("../../docs/oauth.md"), service.connection());
    assert!(said.contains("\"migration_status\":true"), "{said}");
    let ended = said.lines().last().unwrap();
    assert!(ended.ends_with("401"), "what was revoked is refused: {ended}");
}

#[test]
fn a_company_moves_to_a_partner_as_the_examples_folder_shows() {
    let service = demo(&["--seed", "12"]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/migration.sh");
    let done = Command::new("bash").arg(script).envs(service.connection()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    assert!(said.contains("\"key\":\"terms_of_service\"\n"), "that alone stands in the way: {said}");
    assert!(said.contains("\"ready_to_migrate\":true"), "{said}");
    assert!(said.contains("\"migration_status\":\"success\""), "{said}");
    assert_eq!(said.lines().last(), Some("\"is_partner_managed\":true"), "{said}");
}

#[test]
fn the_operator_decides_about_a_company_at_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let service = Running::dev(&["--database-url", &url]);
    let key = folder.path().join("world.db.key");
    let company = |arguments: &[&str]| {
        let mut command = stipend();
        command.arg("company").args(arguments).args(["--database-url", &url]);
        run(command.env("STIPEND_MASTER_KEY_FILE", &key))
    };
    let told = |arguments: &[&str]| {
        let ended = company(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.err);
        serde_json::from_str::<serde_json::Value>(&ended.out).unwrap()
    };
    let refused = |arguments: &[&str], code: i32, word: &str| {
        let ended = company(arguments);
        assert!(ended.code == Some(code) && ended.err.contains(word), "{arguments:?}: {}", ended.err);
        assert_eq!(ended.err.trim().lines().count(), 1, "{}", ended.err);
    };
    let demo = service.company();
    let record = || {
        let told = service.get(&format!("/v1/companies/{demo}"));
        serde_json::from_str::<serde_json::Value>(&told.1).unwrap()
    };
    assert_eq!(told(&["suspend", demo])["company_status"], "Suspended");
    assert_eq!((&record()["is_suspended"], &record()["company_status"]), (&true.into(), &"Suspended".into()));
    refused(&["approve", demo], 1, "suspended");
    assert_eq!(told(&["reinstate", demo])["company_status"], "Approved");
    assert_eq!(told(&["approve", demo])["company_status"], "Approved", "a second time changes nothing");
    told(&["note", demo, "high_risk_business", "Fireworks"]);
    assert_eq!(record()["is_high_risk_business"], true);
    told(&["forget", demo, "high_risk_business", "Fireworks"]);
    assert_eq!(record()["is_high_risk_business"], false);
    refused(&["forget", demo, "high_risk_business", "Fireworks"], 1, "no such");
    refused(&["note", demo, "size", "large"], 1, "managed_benefit");

    // A new account of the company proves itself by what the operator was told.
    let accounts = format!("/v1/companies/{demo}/bank_accounts");
    refused(&["test-deposits", demo], 1, "verified");
    let body = r#"{"routing_number":"021000021","account_number":"5550001234","account_type":"Savings"}"#;
    assert_eq!(service.post(&accounts, body).0, 201);
    let deposits = told(&["test-deposits", demo]);
    assert_eq!(deposits["account_number"], "5550001234");
    assert_eq!(told(&["test-deposits", demo]), deposits);
    let verify = format!("{accounts}/{}/verify", deposits["bank_account"].as_str().unwrap());
    let amounts =
        serde_json::json!({ "deposit_1": deposits["deposit_1"], "deposit_2": deposits["deposit_2"] });
    let token = format!("Bearer {}", service.token());
    let verified = service.call_as(&token, "PUT", &verify, &amounts.to_string()).unwrap();
    assert!(verified.0 == 200 && verified.1.contains("\"verification_status\":\"verified\""), "{verified:?}");

    let made = told(&["create", "--name", "Tern Press LLC", "--ein", "74-1852098"]);
    let made = made["uuid"].as_str().unwrap();
    refused(&["approve", made], 1, "has not finished its onboarding");
    refused(&["test-deposits", made], 1, "no bank account");
    refused(&["create", "--name", " ", "--ein", "1"], 1, "--ein");
    refused(&["suspend", "0197a1b2-0000-7000-8000-00000000dead"], 1, "no such company");
    refused(&["suspend", "everybody"], 2, "everybody");
    assert_eq!(service.stop().0, Some(0));
}
