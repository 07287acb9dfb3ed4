//! Commands of the operator, and what they say to wrong use.

use crate::binary::{Running, run, stipend};

store::statements! {
    TAMPER = "UPDATE audit SET action = 'deleted' WHERE action = 'updated'";
}

/// Changes entries of the audit log behind the service.
fn tamper(url: &str) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let keys = store::MasterKeys::no_keys();
        let options = store::Options::new(store::Clock::from_system(), keys, domain::SCHEMA);
        let store = store::Store::open(url, options).unwrap();
        let changed =
            store.write(|tx| tx.change_rows(TAMPER, store::params![]).map(|changed| changed.rows()));
        let changed: Result<u64, store::Error> = changed.await;
        assert!(changed.unwrap() > 0);
    });
}

#[test]
fn the_audit_log_is_verified_at_the_command_line_and_a_change_of_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let key = folder.path().join("world.db.key");
    let service = Running::dev(&["--database-url", &url, "--clock", "2026-11-21T09:00:00Z"]);
    let company = service.company().to_owned();
    let verify = |more: &[&str]| {
        let mut command = stipend();
        run(command
            .args(["audit", "verify", "--database-url", &url])
            .args(more)
            .env("STIPEND_MASTER_KEY_FILE", &key))
    };
    // The log is sealed an hour after the worker has begun, which a busy machine does late.
    let sealed = (0..10).any(|_| {
        let moved = service.post("/v1/test_helpers/clock/advance", r#"{"seconds":7200}"#);
        assert_eq!(moved.0, 200, "{}", moved.1);
        verify(&["--company", &company]).out.contains("newest seal")
    });
    assert!(sealed, "the audit log is sealed");
    assert_eq!(service.stop().0, Some(0));

    let whole = verify(&[]);
    assert_eq!((whole.code, whole.err.as_str()), (Some(0), ""));
    assert!(
        whole.out.lines().any(|line| line.starts_with(&company) && line.contains("newest seal")),
        "{}",
        whole.out
    );
    let told: serde_json::Value =
        serde_json::from_str(verify(&["--company", &company, "--json"]).out.trim()).unwrap();
    assert_eq!((&told["company"], &told["broken"]), (&company.as_str().into(), &serde_json::Value::Null));
    let noted = told["newest"].as_str().unwrap();
    assert_eq!(verify(&["--company", &company, "--seal", noted]).code, Some(0));
    assert_eq!(verify(&["--company", &company, "--seal", &"0".repeat(64)]).code, Some(1));
    let cut = verify(&["--company", &company, "--seal", "00"]);
    assert!(cut.code == Some(2) && cut.err.contains("64 hexadecimal digits"), "{}", cut.err);
    let nobody = verify(&["--company", "00000000-0000-4000-8000-000000000001"]);
    assert!(
        nobody.code == Some(1) && nobody.err.contains("there is no company"),
        "{}{}",
        nobody.out,
        nobody.err
    );
    let exported = run(stipend()
        .args(["audit", "export-seals", "--database-url", &url])
        .env("STIPEND_MASTER_KEY_FILE", &key));
    let (kept, line) = (folder.path().join("seals.jsonl"), exported.out.lines().next().unwrap_or_default());
    assert!(exported.code == Some(0) && exported.out.contains(noted), "{}{}", exported.out, exported.err);
    let seals = |text: &str| {
        std::fs::write(&kept, text).unwrap();
        verify(&["--seals", kept.to_str().unwrap()])
    };
    assert_eq!(seals(&exported.out).code, Some(0));
    // A company of which nothing is left, and a file that is none.
    let gone = line.replacen(&line[12..48], "00000000-0000-4000-8000-000000000001", 1);
    let gone = seals(&format!("{}{gone}\n", exported.out));
    assert!(
        gone.code == Some(1) && gone.out.contains("the recorded seal is not in the chain"),
        "{}",
        gone.out
    );
    assert!(seals("{}\n").err.contains("line 1: missing field"), "{}", seals("{}\n").err);

    tamper(&url);
    let broken = verify(&[]);
    assert_eq!(broken.code, Some(1));
    assert!(broken.out.contains("BROKEN: an entry, or the seal, was changed under seal 1"), "{}", broken.out);
    assert!(broken.err.starts_with("stipend: the audit log was changed: "), "{}", broken.err);
}

#[test]
fn minimum_wages_are_imported_from_a_file_while_the_service_runs() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let service = Running::dev(&["--database-url", &url]);
    let json = |path: &str| -> Vec<serde_json::Value> { serde_json::from_str(&service.get(path).1).unwrap() };
    let location = json(&format!("/v1/companies/{}/locations", service.company()))[0]["uuid"].clone();
    let federal = || {
        let path = format!("/v1/locations/{}/minimum_wages", location.as_str().unwrap());
        let found = json(&path).into_iter().find(|wage| wage["authority"] == "Federal").unwrap();
        (found["uuid"].clone(), found["wage"].as_str().unwrap().to_owned())
    };
    let (rule, wage) = federal();
    assert_eq!(wage, "7.25");
    let data = |act: &str, line: &str| {
        let file = folder.path().join("minimum_wages.csv");
        std::fs::write(&file, include_str!("../../data/minimum_wages.csv").to_owned() + line).unwrap();
        let words = ["data", act, "minimum-wages", file.to_str().unwrap(), "--database-url", &url];
        run(stipend().args(words).env("STIPEND_MASTER_KEY_FILE", folder.path().join("world.db.key")))
    };
    let import = |line: &str| data("import", line);
    let broken = import("Federal,US,,,,,Regular,,eight dollars,,,2020-01-01,,,,,\n");
    assert_eq!((broken.code, broken.out.as_str()), (Some(1), ""));
    assert!(broken.err.contains("nothing was imported"), "{}", broken.err);
    assert_eq!(federal(), (rule.clone(), wage));
    let eight = "Federal,US,,,,,Regular,,8.00,,,2020-01-01,,,,,\n";
    let would = data("diff", eight);
    assert_eq!(would.code, Some(0), "{}", would.err);
    assert!(would.out.contains("Federal Regular from 2020-01-01: 8.00"), "{}", would.out);
    assert!(would.out.ends_with("nothing was imported\n"), "{}", would.out);
    assert_eq!(federal().1, "7.25", "a difference is shown, and nothing is imported");
    let done = import(eight);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.contains("Federal Regular from 2020-01-01: 8.00"), "{}", done.out);
    assert_eq!(federal(), (rule, "8.00".to_owned()));
}

#[test]
fn wrong_use_gives_one_clear_line_and_the_right_exit_code() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let key = "ab".repeat(32);
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], i32, &'a str);
    let cases: [Case<'_>; 15] = [
        (&["--json"], &[], 2, "a command is missing: stipend <COMMAND>, one of dev, serve, "),
        (&["keys"], &[], 2, "a command is missing: stipend keys <COMMAND>, one of new, rotate"),
        (&["dev", "--memroy"], &[], 2, "--memroy' found; did you mean --memory?; see stipend dev --help"),
        (&["srve"], &[], 2, "did you mean serve?; see stipend --help"),
        (&["bank", "filse"], &[], 2, "did you mean files?; see stipend bank --help"),
        (&["trigger", "emploee.created"], &[], 1, "did you mean employee.created?"),
        (&["trigger"], &[], 2, "<EVENT>"),
        (&["deliver"], &[], 2, "deliver"),
        (&["dev", "--memory", "--clock", "yesterday"], &[], 2, "--clock"),
        (&["dev", "--memory", "--listen", &taken], &[], 1, &taken),
        (&["serve", "--memory"], &[], 1, "stipend keys new"),
        (&["serve", "--memory"], &[("STIPEND_MASTER_KEY", "too short")], 1, "64 hexadecimal digits"),
        (
            &["serve", "--database-url", "mysql://x"],
            &[("STIPEND_MASTER_KEY", &key)],
            1,
            "sqlite: or postgres://",
        ),
        (
            &["serve", "--memory"],
            &[("STIPEND_RATE_LIMIT", "many"), ("STIPEND_MASTER_KEY", &key)],
            1,
            "rate_limit",
        ),
        (&["serve", "--memory", "--config", "/nowhere.toml"], &[], 1, "/nowhere.toml"),
    ];
    for (arguments, environment, code, named) in cases {
        let done = run(stipend().args(arguments).envs(environment.iter().copied()));
        assert_eq!(done.code, Some(code), "{arguments:?}: {}", done.err);
        assert_eq!(done.err.trim().lines().count(), 1, "{arguments:?}: {}", done.err);
        assert!(done.err.contains(named), "{arguments:?}: {}", done.err);
        assert_eq!(done.out, "", "{arguments:?}");
    }
}

#[test]
fn without_a_command_the_help_is_printed() {
    let done = run(&mut stipend());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(
        done.out.contains("Try it:\n  dev ")
            && done.out.contains("Operate it:\n  app ")
            && done.out.contains("stipend dev --memory"),
        "{}",
        done.out
    );
}

#[test]
fn the_published_description_is_the_one_that_the_binary_prints() {
    let printed = run(stipend().arg("openapi"));
    let published = include_str!("../../openapi.json");
    assert!(printed.out == published, "renew it: cargo run -p stipend -- openapi > openapi.json");
}

#[test]
fn an_application_is_created_with_secrets_that_are_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("new.db").display());
    let key = "ab".repeat(32);
    let migrate = ["migrate", "--create", "--database-url", &url];
    assert_eq!(run(stipend().args(migrate).env("STIPEND_MASTER_KEY", &key)).code, Some(0));
    let done = run(stipend()
        .args([
            "app",
            "create",
            "--json",
            "--name",
            "Till",
            "--redirect-uri",
            "https://till.example/back",
            "--database-url",
            &url,
        ])
        .env("STIPEND_MASTER_KEY", &key));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let told: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    for secret in ["client_id", "client_secret", "api_token"] {
        assert!(told[secret].as_str().is_some_and(|text| text.len() >= 36), "{secret}");
        let kept = secret == "client_id" || !done.err.contains(told[secret].as_str().unwrap());
        assert!(kept, "what to do next does not repeat the secrets");
    }
    let link = format!("/oauth/authorize?client_id={}", told["client_id"].as_str().unwrap());
    assert!(done.err.contains("/v1/partner_managed_companies") && done.err.contains(&link), "{}", done.err);
    // For people a line for each value.
    let create = ["app", "create", "--name", "Kiosk", "--database-url", &url];
    let shown = run(stipend().args(create).env("STIPEND_MASTER_KEY", &key));
    let lines: Vec<_> = shown.out.lines().filter_map(|line| line.split_once("  ")).collect();
    let named: Vec<_> = lines.iter().map(|(name, _)| *name).collect();
    assert_eq!(named.len(), 3, "{}", shown.out);
    assert!(["api_token", "client_id", "client_secret"].iter().all(|name| named.contains(name)), "{named:?}");
    assert!(lines.iter().all(|(_, value)| value.trim().len() >= 36), "{}", shown.out);
    let listed = run(stipend()
        .args(["app", "list", "--json", "--database-url", &url])
        .env("STIPEND_MASTER_KEY", &key));
    assert!(listed.out.contains("2026-06-15"), "it begins with the newest version: {}", listed.out);
}

#[test]
fn an_administrator_is_created_with_a_password_that_is_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let service = Running::dev(&["--database-url", &url]);
    let company = service.company().to_owned();
    let key = folder.path().join("world.db.key");
    let create = |company: &str, more: &[&str]| {
        let given = ["--email", "Ann@diner.example", "--first-name", "Ann", "--last-name", "Lee"];
        let mut command = stipend();
        command
            .args(["user", "create", "--json", "--company", company, "--database-url", &url])
            .args(given)
            .args(more);
        run(command.env("STIPEND_MASTER_KEY_FILE", &key))
    };
    let told = |ended: crate::binary::Ended| {
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        serde_json::from_str::<serde_json::Value>(&ended.out).unwrap()
    };
    let first = told(create(&company, &["--role", "primary_admin"]));
    assert!(first["password"].as_str().is_some_and(|text| text.len() >= 20));
    assert_eq!((&first["role"], &first["companies"][0]), (&"primary_admin".into(), &company.as_str().into()));
    let again = told(create(&company, &[]));
    assert_eq!((&again["uuid"], again.get("password")), (&first["uuid"], None), "it is kept, and not shown");
    assert_eq!(again["role"], "primary_admin", "so is the role");
    let renewed = told(create(&company, &["--new-password"]));
    assert!(renewed["password"].is_string() && renewed["password"] != first["password"]);
    for (company, more, word) in [
        ("0197a1b2-0000-7000-8000-00000000dead", &[][..], "no such company"),
        (&company, &["--role", "owner"], "--role"),
    ] {
        let refused = create(company, more);
        assert!(refused.code == Some(1) && refused.err.contains(word), "{}", refused.err);
    }
    assert_eq!(service.stop().0, Some(0));
}

/// How many entries the audit log has of what the operator did that concerns no company.
fn of_operator(url: &str, key: &str) -> u64 {
    let told = run(stipend()
        .args(["audit", "verify", "--json", "--database-url", url])
        .env("STIPEND_MASTER_KEY", key));
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
    let chains = told.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let own = { chains }.find(|chain| chain["company"] == "00000000-0000-0000-0000-000000000000");
    own.map_or(0, |chain| chain["entries"].as_u64().unwrap() + chain["unsealed"].as_u64().unwrap())
}

#[test]
fn what_the_operator_does_that_concerns_no_company_is_in_the_audit_log_too() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("s.db").display());
    let key = run(stipend().args(["keys", "new"])).out.trim().to_owned();
    let on = |command: &[&str]| {
        let done =
            run(stipend().args(command).args(["--database-url", &url]).env("STIPEND_MASTER_KEY", &key));
        assert_eq!(done.code, Some(0), "{command:?}: {}", done.err);
        done.out
    };
    on(&["migrate", "--create"]);
    let company = ["company", "create", "--name", "Diner"];
    let made = run(stipend().args(company).args(["--database-url", &url]).env("STIPEND_MASTER_KEY", &key));
    assert_eq!(made.code, Some(0), "{}", made.err);
    let made: serde_json::Value = serde_json::from_str(&made.out).unwrap();
    let company = made["uuid"].as_str().unwrap().to_owned();
    let known = of_operator(&url, &key);
    let user = [
        "user",
        "create",
        "--email",
        "ann@diner.example",
        "--first-name",
        "Ann",
        "--last-name",
        "Lee",
        "--company",
        &company,
    ];
    let table = folder.path().join("reductions.csv");
    std::fs::write(&table, "state,year,percent,source,confidence\nCA,2026,25.0,notice,primary\n").unwrap();
    let import = ["data", "import", "futa-credit-reductions", table.to_str().unwrap()];
    // How many entries each makes: a user who is there already gets no password, and what is confirmed already is no news.
    for (command, entries) in [
        (&["app", "create", "--name", "Till"][..], 1),
        (&user, 2),
        (&user, 0),
        (&[&user[..], &["--new-password"]].concat(), 1),
        (&import, 1),
        (&["data", "confirm", "PA_RESIDENCE"], 1),
        (&["data", "confirm", "PA_RESIDENCE"], 0),
        (&["data", "confirm", "PA_RESIDENCE", "--withdraw"], 1),
        (&["clock", "confirm"], 1),
    ] {
        let before = of_operator(&url, &key);
        on(command);
        assert_eq!(of_operator(&url, &key) - before, entries, "{command:?}");
    }
    assert_eq!(of_operator(&url, &key), known + 8);
}

#[test]
fn what_is_wrong_with_the_settings_of_the_bank_is_named_by_its_option() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("s.db").display());
    let key = run(stipend().args(["keys", "new"])).out.trim().to_owned();
    let on = |command: &[&str]| {
        run(stipend().args(command).args(["--database-url", &url]).env("STIPEND_MASTER_KEY", &key))
    };
    assert_eq!(on(&["migrate", "--create"]).code, Some(0));
    let spool = folder.path().display().to_string();
    let bank = [
        "bank",
        "settings",
        "set",
        "--company-id",
        "1999999999",
        "--origin",
        " 021000021",
        "--origin-name",
        "Stipend",
        "--bank-routing",
        "021000021",
        "--bank-name",
        "First Bank",
        "--folder",
        &spool,
    ];
    let refused =
        on(&[&bank[..], &["--file-limit", "0", "--debit", "offset", "--offset-routing", "021000021"]]
            .concat());
    assert_eq!(refused.code, Some(1), "{}", refused.out);
    for named in ["--file-limit must be more than zero", "--offset-account-file must be given where"] {
        assert!(refused.err.contains(named), "{named}: {}", refused.err);
    }
    assert!(!refused.err.contains("file_limit"), "{}", refused.err);
    assert_eq!(on(&bank).code, Some(0));
}
