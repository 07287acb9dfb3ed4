//! What the command line says of a year in which contractors were paid.

use serde_json::{Value, json};

use crate::binary::{Ended, Running, run, stipend};

/// A world in a file whose company has withheld 240.00 from a contractor, and its folder.
fn withheld() -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let service = Running::dev(&["--database-url", &url, "--seed", "7", "--clock", "2026-11-21T09:00:00Z"]);
    let bearer = format!("Bearer {}", service.token());
    let ask = |method: &str, path: &str, body: Value| -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = service.call_as(&bearer, method, path, &body).unwrap();
        assert!((200..300).contains(&status), "{method} {path}: {answer}");
        serde_json::from_str(&answer).unwrap()
    };
    let company = format!("/v1/companies/{}", service.company());
    let made = ask(
        "POST",
        &format!("{company}/contractors"),
        json!({ "type": "Individual", "first_name": "Cora", "last_name": "Stone", "ssn": "219098765", "wage_type": "Fixed",
                "start_date": "2026-01-05" }),
    );
    let one = format!("/v1/contractors/{}", made["uuid"].as_str().unwrap());
    let version = ask("GET", &format!("{one}/address"), Value::Null)["version"].clone();
    let home = json!({ "version": version, "street_1": "300 3rd Street", "city": "San Antonio", "state": "TX", "zip": "78205" });
    ask("PUT", &format!("{one}/address"), home);
    let finished = json!({ "onboarding_status": "onboarding_completed" });
    ask("PUT", &format!("{one}/onboarding_status"), finished);
    let version = ask("GET", &one, Value::Null)["version"].clone();
    ask("PUT", &one, json!({ "version": version, "backup_withholding": true }));
    let payment = json!({ "contractor_uuid": made["uuid"], "payment_method": "Check", "date": "2026-11-23", "wage": "1000.00" });
    let paid = ask("POST", &format!("{company}/contractor_payments"), payment);
    assert_eq!(paid["backup_withholding"], "240.00");
    (folder, service)
}

fn returns(folder: &tempfile::TempDir, company: &str, command: &[&str]) -> Ended {
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let options = ["--company", company, "--year", "2026", "--database-url", &url];
    let key = folder.path().join("world.db.key");
    let mut all = stipend();
    all.arg("returns").args(command).args(options).env("STIPEND_MASTER_KEY_FILE", key);
    run(all.env("STIPEND_CLOCK_MAY_GO_BACK", "true"))
}

#[test]
fn a_year_with_backup_withholding_names_form_945_with_its_due_date_and_its_figure() {
    let (folder, service) = withheld();
    let listed = returns(&folder, service.company(), &["list", "--json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    let told: Value = serde_json::from_str(listed.out.trim()).unwrap();
    let of = |form: &str| told["returns"].as_array().unwrap().iter().find(|one| one["form"] == form).cloned();
    let (of_945, of_1096) = (of("945").unwrap(), of("1096").unwrap());
    // 31 January 2027 is a Sunday.
    assert_eq!((&of_945["due"], &of_945["quarter"]), (&json!("2027-02-01"), &Value::Null));
    assert!(of_945["blockers"][0].as_str().unwrap().contains("lines 2 and 3 are 240.00"), "{of_945}");
    assert_eq!(of_1096["due"], "2027-02-01");
}

#[test]
fn a_file_with_forms_1099_nec_is_refused_with_the_reason_and_nothing_is_written() {
    let (folder, service) = withheld();
    let out = folder.path().join("1099.csv");
    let out = out.to_str().unwrap();
    let refused = returns(&folder, service.company(), &["write", "--form", "1099-nec", "--out", out]);
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{}", refused.err);
    assert!(refused.err.contains("IRIS") && refused.err.contains("header"), "{}", refused.err);
    assert!(!std::path::Path::new(out).exists());
    let unnamed = returns(&folder, service.company(), &["write", "--out", out]);
    assert_eq!(unnamed.code, Some(1));
    assert!(unnamed.err.contains("--submitter is missing"), "{}", unnamed.err);
}

#[test]
fn amended_returns_that_are_not_made_say_what_to_do_and_deposits_that_others_made_are_told() {
    let (folder, service) = withheld();
    for (form, part) in [
        ("943-x", "`stipend returns show --form 943`"),
        ("944-x", "settle the correction with `stipend returns filed`"),
    ] {
        let refused = returns(&folder, service.company(), &["amend", "--form", form]);
        let err = refused.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(refused.code == Some(1) && refused.out.is_empty() && err.contains(part), "{form}: {err}");
    }
    let misplaced = ["write", "--form", "w-2c", "--state", "AZ", "--out", "unused"];
    let refused = returns(&folder, service.company(), &misplaced);
    assert!(
        refused.code == Some(1) && refused.err.contains("--state belongs to Forms W-2 alone"),
        "{}",
        refused.err
    );

    let quarter_of = |form: &'static str| {
        [
            "deposits",
            "--add",
            "1234.56",
            "--form",
            form,
            "--quarter",
            "1",
            "--on",
            "2026-02-15",
            "--receipt",
            "EFT 4711",
        ]
    };
    let told = returns(&folder, service.company(), &quarter_of("941"));
    let line = "Form 941, period to 2026-03-31: 1234.56, paid 2026-02-15, EFT 4711, ";
    assert!(told.code == Some(0) && told.out.starts_with(line), "{}{}", told.out, told.err);
    let refused = returns(&folder, service.company(), &quarter_of("940"));
    assert!(
        refused.code == Some(1) && refused.err.contains("quarter must be from 1 to 4"),
        "{}",
        refused.err
    );
    let unnamed = returns(&folder, service.company(), &["deposits", "--add", "1234.56", "--form", "941"]);
    assert!(unnamed.code == Some(2) && unnamed.err.contains("--receipt"), "{}", unnamed.err);
}
