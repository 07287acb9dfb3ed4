//! A whole store from the command line: copied to the other engine and back, and told about as JSON.

use serde_json::Value;

use crate::binary::{Ended, Running, run, stipend};
use crate::postgres;

/// What the service answers about a company's people and money.
fn answers(service: &Running) -> Vec<(u16, String)> {
    let company = service.company();
    let include = "include=all_compensations,all_home_addresses,current_home_address";
    let people = format!("/employees?{include}");
    let payrolls = "/payrolls?processing_statuses=unprocessed,processed";
    ["", "/locations", "/pay_schedules", payrolls, "/company_benefits", &people]
        .iter()
        .map(|path| service.get(&format!("/v1/companies/{company}{path}")))
        .collect()
}

fn copy(from: &str, to: &str) -> Ended {
    run(stipend().args(["copy", "--json", "--from", from, "--to", to]))
}

#[test]
fn a_store_moves_to_the_other_engine_and_back_and_answers_as_before() {
    let Some(server) = postgres::server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let key = folder.path().join("world.db.key");
    let service = Running::dev(&["--database-url", &file("world.db"), "--clock", "2026-11-21T09:00:00Z"]);
    let (token, company) = (service.token().to_owned(), service.company().to_owned());
    let verify = |url: &str| {
        let audit = ["audit", "verify", "--company", &company, "--database-url", url];
        run(stipend().args(audit).env("STIPEND_MASTER_KEY_FILE", &key))
    };
    // The log is sealed an hour after the worker has begun, which a busy machine does late.
    let sealed = (0..10).any(|_| {
        let moved = service.post("/v1/test_helpers/clock/advance", r#"{"seconds":7200}"#);
        assert_eq!(moved.0, 200, "{}", moved.1);
        verify(&file("world.db")).out.contains("newest seal")
    });
    assert!(sealed, "the audit log is sealed");
    assert_eq!(service.stop().0, Some(0));
    let served = |url: &str| {
        let report = serde_json::json!({ "companies": [{ "uuid": company, "access_token": token }] });
        // What has fallen due since the day of the test is left alone: a payroll that was created would have another
        // identifier in each store.
        let settings = [("STIPEND_CLOCK_MAY_GO_BACK", "true"), ("STIPEND_WORKER", "false")];
        let service = Running::node(url, &key, report, &settings);
        let answers = answers(&service);
        assert_eq!(service.stop().0, Some(0));
        answers
    };
    let before = served(&file("world.db"));
    for (status, answer) in &before {
        assert_eq!(*status, 200, "{answer}");
    }

    let on_server = server.database();
    let stations = [
        (file("world.db"), on_server.clone()),
        (on_server, file("back.db")),
        (file("back.db"), file("again.db")),
    ];
    let mut counts = Vec::new();
    for (from, to) in &stations {
        let copied = copy(from, to);
        assert_eq!(copied.code, Some(0), "{}", copied.err);
        let told: Value = serde_json::from_str(copied.out.trim()).unwrap();
        assert!(told["rows"].as_u64().unwrap() > 100, "{told}");
        counts.push(told["tables"].clone());
        assert!(served(to) == before, "the copy in {to} answers as the store did");
        let verified = verify(to);
        assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
        assert!(verified.out.contains("newest seal"), "{}", verified.out);
    }
    assert!(counts.iter().all(|told| told["employees"] == counts[0]["employees"]), "{counts:?}");
}

#[test]
fn events_that_wait_when_a_store_moves_are_listed_where_it_went_before_those_that_follow() {
    let Some(server) = postgres::server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let key = folder.path().join("world.db.key");
    let service = Running::dev(&["--database-url", &file("world.db")]);
    let report = service.report().clone();
    let system = format!("Bearer {}", report["system_access_token"].as_str().unwrap());
    assert_eq!(service.stop().0, Some(0));
    // A file numbers events as they are written, and a server when they are listed or delivered: here nobody delivers. What is
    // created before a store moves is not listed there.
    let hire = |url: &str, list_before: &[&str], name: &str| {
        let settings = [("STIPEND_CLOCK_MAY_GO_BACK", "true"), ("STIPEND_WORKER", "false")];
        let service = Running::node(url, &key, report.clone(), &settings);
        let listed = || {
            let path = "/v1/events?limit=100&sort_order=desc&event_type=employee.created";
            let (status, told) = service.call_as(&system, "GET", path, "").unwrap();
            assert_eq!(status, 200, "{told}");
            let told: Vec<Value> = serde_json::from_str(&told).unwrap();
            told.iter()
                .rev()
                .map(|event| event["entity_uuid"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        let all = listed();
        let last = &all[all.len() - list_before.len()..];
        assert_eq!(last, list_before, "in {url}");
        let body = serde_json::json!({ "first_name": name, "last_name": "Haddad" }).to_string();
        let (status, told) = service.post(&format!("/v1/companies/{}/employees", service.company()), &body);
        assert_eq!(status, 201, "{told}");
        assert_eq!(service.stop().0, Some(0));
        let told: Value = serde_json::from_str(&told).unwrap();
        told["uuid"].as_str().unwrap().to_owned()
    };
    let moved = |from: &str, to: &str| {
        let copied = copy(from, to);
        assert_eq!(copied.code, Some(0), "{}", copied.err);
    };
    let on_server = server.database();
    let first = hire(&file("world.db"), &[], "Noor");
    moved(&file("world.db"), &on_server);
    let second = hire(&on_server, &[&first], "Mei");
    moved(&on_server, &file("back.db"));
    let third = hire(&file("back.db"), &[&first, &second], "Ines");
    let again = server.database();
    moved(&file("back.db"), &again);
    let fourth = hire(&again, &[&first, &second, &third], "Ada");
    hire(&again, &[&first, &second, &third, &fourth], "Kim");
}

#[test]
fn a_copy_goes_into_an_empty_store_alone_and_a_refused_one_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let service = Running::dev(&["--database-url", &file("world.db")]);
    assert_eq!(service.stop().0, Some(0));
    let cases = [
        (file("missing.db"), file("copy.db"), "there is no store"),
        (file("world.db"), file("world.db"), "must be a new file"),
    ];
    for (from, to, why) in &cases {
        let refused = copy(from, to);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
        assert!(refused.err.contains(why) && refused.err.lines().count() == 1, "{}", refused.err);
    }
    assert!(!folder.path().join("copy.db").exists() && !folder.path().join("missing.db").exists());
    if let Some(server) = postgres::server() {
        let database = server.database();
        assert_eq!(copy(&file("world.db"), &database).code, Some(0));
        let refused = copy(&file("world.db"), &database);
        assert_eq!(refused.code, Some(1));
        assert!(refused.err.contains("the target must be empty"), "{}", refused.err);
    }
}

#[test]
fn what_commands_give_is_json_when_json_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let key = folder.path().join("world.db.key");
    let body = folder.path().join("body.json");
    std::fs::write(&body, "{}").unwrap();
    assert_eq!(Running::dev(&["--database-url", &url]).stop().0, Some(0));
    let copy = folder.path().join("copy.db");
    let commands: [&[&str]; 8] = [
        &["migrate", "--database-url", &url],
        &["backup", copy.to_str().unwrap(), "--database-url", &url],
        &["keys", "new"],
        &["keys", "rotate", "--database-url", &url],
        &["data", "status", "--database-url", &url],
        &["audit", "verify", "--database-url", &url],
        &["trigger", "--list"],
        &["openapi"],
    ];
    for command in commands {
        let done = run(stipend().arg("--json").args(command).env("STIPEND_MASTER_KEY_FILE", &key));
        assert_eq!(done.code, Some(0), "{command:?}: {}", done.err);
        for one in serde_json::Deserializer::from_str(&done.out).into_iter::<Value>() {
            assert!(one.is_ok_and(|one| one.is_object() || one.is_array()), "{command:?}: {}", done.out);
        }
    }
    let wrong = ["verify-signature", "--json", "--secret", "s", "--signature", "00", body.to_str().unwrap()];
    let judged = run(stipend().args(wrong));
    assert_eq!(judged.code, Some(1));
    let told: Value = serde_json::from_str(&judged.out).unwrap();
    assert_eq!(told["right"], false);
}

#[test]
fn shells_get_a_script_that_knows_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = run(stipend().args(["completions", shell]));
        assert_eq!(done.code, Some(0), "{}", done.err);
        for word in ["copy", "verify-signature", "forward-to", "database-url"] {
            assert!(done.out.contains(word), "{shell} does not know {word}");
        }
    }
    // What bash makes of it.
    let script = run(stipend().args(["completions", "bash"])).out;
    let asked = format!(
        "{script}\nCOMP_WORDS=(stipend ke); COMP_CWORD=1; _stipend stipend ke stipend; echo \"${{COMPREPLY[@]}}\""
    );
    // It is too long for an argument.
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), asked).unwrap();
    let done = std::process::Command::new("bash").arg(file.path()).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&done.stdout).trim(),
        "keys",
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[test]
fn no_command_makes_a_store_by_mistake_and_the_first_start_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mistyped.db");
    let url = format!("sqlite:{}", path.display());
    let (key, copy) = ("ab".repeat(32), folder.path().join("copy.db"));
    let company = "0197a1b2-0000-7000-8000-00000000dead";
    let on_it = |command: &[&str]| {
        run(stipend().args(command).args(["--database-url", &url]).env("STIPEND_MASTER_KEY", &key))
    };
    let person = ["--email", "a@b.example", "--first-name", "A", "--last-name", "B", "--company", company];
    let commands: [&[&str]; 11] = [
        &["serve"],
        &["worker"],
        &["migrate"],
        &["backup", copy.to_str().unwrap()],
        &["keys", "rotate"],
        &["app", "create", "--name", "Till"],
        &[&["user", "create"], &person[..]].concat(),
        &["company", "approve", company],
        &["data", "status"],
        &["audit", "verify"],
        &["company", "create", "--name", "Tern Press LLC"],
    ];
    let servers = postgres::server().map(|server| server.database());
    for command in commands {
        let refused = on_it(command);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{command:?}: {}", refused.err);
        assert_eq!(refused.err.trim().lines().count(), 1, "{command:?}: {}", refused.err);
        assert!(refused.err.contains("there is no store in "), "{command:?}: {}", refused.err);
        assert!(refused.err.contains("mistyped.db"), "{command:?}: {}", refused.err);
        assert!(!path.exists() && !copy.exists(), "{command:?}");
        if let (Some(server), false) = (&servers, command[0] == "backup") {
            let options = ["--database-url", server];
            let refused = run(stipend().args(command).args(options).env("STIPEND_MASTER_KEY", &key));
            assert!(refused.code == Some(1) && refused.err.contains("there is no store"), "{}", refused.err);
        }
    }
    assert_eq!(on_it(&["migrate", "--create"]).code, Some(0));
    assert_eq!(on_it(&["migrate", "--create"]).code, Some(0), "a second time changes nothing");
    assert_eq!(on_it(&["app", "create", "--name", "Till"]).code, Some(0));

    // Another master key: nothing starts, and nothing is sealed under it.
    for command in [&["serve"][..], &["worker"], &["app", "create", "--name", "Till"], &["keys", "rotate"]] {
        let other = "cd".repeat(32);
        let options = ["--database-url", &url];
        let refused = run(stipend().args(command).args(options).env("STIPEND_MASTER_KEY", other));
        assert_eq!((refused.code, refused.err.trim().lines().count()), (Some(1), 1), "{}", refused.err);
        assert!(refused.err.contains("the master key is not that of this store"), "{}", refused.err);
    }
}

#[test]
fn the_first_start_of_the_service_makes_the_store_where_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("new.db").display());
    let key = "ab".repeat(32);
    let serve = |more: &[&str]| {
        let mut command = stipend();
        command.args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url]).args(more);
        command.env("STIPEND_MASTER_KEY", &key);
        command
    };
    assert_eq!(run(&mut serve(&[])).code, Some(1));
    let mut first = serve(&["--create"]).stderr(std::process::Stdio::null()).spawn().unwrap();
    let migrate =
        || run(stipend().args(["migrate", "--database-url", &url]).env("STIPEND_MASTER_KEY", &key)).code;
    let made = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        migrate() == Some(0)
    });
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(made, "the store was not made");
}

#[test]
fn a_second_dev_on_the_same_world_says_so_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let first = Running::dev(&["--database-url", &url]);
    let refused = run(stipend().args(["dev", "--listen", "127.0.0.1:0", "--database-url", &url]));
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    assert!(refused.err.contains("another `stipend dev` runs on"), "{}", refused.err);
    assert_eq!(first.stop().0, Some(0));
    assert_eq!(Running::dev(&["--database-url", &url]).stop().0, Some(0), "the place is free again");
}

#[test]
fn a_file_has_one_process_that_works_and_any_number_that_only_answer() {
    let (folder, first) = crate::served(&[]);
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let second = |command: &str, option: &[&str]| {
        let mut second = stipend();
        second.args([command, "--database-url", &url]).args(option);
        second.env("STIPEND_MASTER_KEY_FILE", folder.path().join("world.db.key"));
        second.env("STIPEND_CLOCK_MAY_GO_BACK", "true");
        second
    };
    for (command, option) in [("serve", &["--listen", "127.0.0.1:0"][..]), ("worker", &[])] {
        let refused = run(&mut second(command, option));
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{command}");
        assert!(refused.err.contains("another process does the background work of"), "{}", refused.err);
        assert!(refused.err.contains("--no-worker"), "{}", refused.err);
    }
    let settings = [("STIPEND_CLOCK_MAY_GO_BACK", "true"), ("STIPEND_WORKER", "false")];
    let key = folder.path().join("world.db.key");
    let beside = Running::node(&url, &key, first.report().clone(), &settings);
    assert_eq!(beside.get("/v1/token_info").0, 200, "one that does not work is let in");
    assert_eq!(beside.stop().0, Some(0));
    assert_eq!(first.stop().0, Some(0));
    let settings = [("STIPEND_CLOCK_MAY_GO_BACK", "true")];
    let next = Running::node(&url, &key, serde_json::json!({}), &settings);
    assert_eq!(next.stop().0, Some(0), "the file is free again");
}

#[test]
fn a_second_dev_on_the_same_database_of_a_server_says_so_and_ends() {
    let Some(server) = postgres::server() else { return };
    let url = server.database();
    let first = Running::dev(&["--database-url", &url]);
    let refused = run(stipend().args(["dev", "--listen", "127.0.0.1:0", "--database-url", &url]));
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    assert!(refused.err.contains("another `stipend dev` runs on this database"), "{}", refused.err);
    assert!(!refused.err.contains(&url), "an address may hold a password");
    let other = Running::dev(&["--database-url", &server.database()]);
    assert_eq!(other.stop().0, Some(0), "another database of the server is another world");
    assert_eq!(first.stop().0, Some(0));
}

#[test]
fn what_a_cluster_says_of_its_services_is_no_setting_and_what_only_looks_like_it_is_warned_of() {
    let cluster = [
        ("STIPEND_PORT", "tcp://10.96.7.1:8080"),
        ("STIPEND_SERVICE_HOST", "10.96.7.1"),
        ("STIPEND_SERVICE_PORT", "8080"),
        ("STIPEND_SERVICE_PORT_HTTP", "8080"),
        ("STIPEND_PORT_8080_TCP", "tcp://10.96.7.1:8080"),
        ("STIPEND_PORT_8080_TCP_PROTO", "tcp"),
        ("STIPEND_PORT_8080_TCP_PORT", "8080"),
        ("STIPEND_PORT_8080_TCP_ADDR", "10.96.7.1"),
    ];
    let service = Running::dev_with(&["--memory"], &cluster);
    assert_eq!(service.get("/readyz").0, 200);
    let nobody = ("STIPEND_LISTEN", "127.0.0.1:1");
    for (name, value) in
        [("STIPEND_PORT", "8080"), ("STIPEND_LISTN", "127.0.0.1:80"), ("STIPEND_BIN", "/bin/stipend")]
    {
        let told = run(stipend().arg("health").envs([nobody, (name, value)]));
        let warning = format!("warning: {name} in the environment is no setting");
        assert!(told.err.contains(&warning) && !told.err.contains(value), "{}", told.err);
    }
    let told = run(stipend().arg("health").envs([nobody]).envs(cluster));
    assert!(!told.err.contains("warning"), "{}", told.err);
    let other = Running::dev_with(&["--memory"], &[("STIPEND_BIN", "/bin/stipend")]);
    assert_eq!(other.get("/readyz").0, 200);
}

#[test]
fn work_that_was_given_up_is_listed_shown_and_begun_again_from_the_command_line() {
    use domain::platform::jobs;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("jobs.db").display());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let keys = store::MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let clock = store::Clock::standing_at("2026-06-15T12:00:00Z".parse().unwrap());
    let store = store::Store::open(&url, store::Options::new(clock, keys, domain::SCHEMA)).unwrap();
    let id = runtime.block_on(store.write(|tx| {
        let (now, company) = (tx.now(), uuid::Uuid::from_u128(5));
        jobs::schedule_job(tx, company, jobs::JobKind::PayrollForget, company, now)?;
        loop {
            let far = "2026-06-16T12:00:00Z".parse().unwrap();
            let due = jobs::due_until(tx, far, (jiff::Timestamp::UNIX_EPOCH, uuid::Uuid::nil()), 1)?;
            if jobs::put_off(tx, &due[0], "the disk is full")? {
                return Ok::<_, domain::Error>(due[0].id.to_string());
            }
        }
    }));
    let id = id.unwrap();
    drop(store);
    let jobs = |rest: &[&str]| run(stipend().arg("jobs").args(rest).args(["--database-url", &url]));
    let told = |ended: Ended| -> Value {
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        serde_json::from_str(ended.out.trim()).unwrap()
    };
    let listed = told(jobs(&["list", "--json"]));
    assert_eq!((&listed[0]["id"], &listed[0]["tries"]), (&Value::from(&*id), &Value::from(12)));
    assert_eq!((&listed[0]["reason"], &listed[1]), (&Value::from("the disk is full"), &Value::Null));
    let line = jobs(&["list"]).out;
    assert!(
        line.contains(&id) && line.contains("failed 12 times") && line.contains("the disk is full"),
        "{line}"
    );
    assert_eq!(told(jobs(&["show", &id, "--json"]))["kind"], "payroll.forgotten");
    assert_eq!(told(jobs(&["retry", &id, "--json"]))["retried"], Value::from(vec![id.clone()]));
    let again = jobs(&["retry", &id]);
    assert!(again.code == Some(1) && again.err.contains("was not given up"), "{}", again.err);
    assert_eq!(told(jobs(&["show", &id, "--json"]))["state"], "open");
    assert_eq!(jobs(&["list"]).out.trim(), "no work was given up");
    assert_eq!(told(jobs(&["retry", "--all", "--json"]))["retried"], Value::from(Vec::<String>::new()));
    assert_eq!(jobs(&["show", "00000000-0000-0000-0000-000000000000"]).code, Some(1));
}
