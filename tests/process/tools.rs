//! Tools of a partner's engineer: events that are triggered, listened to, and the service that is found.

use std::io::BufRead;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::binary::{Running, run, stipend};
use crate::{demo, receiver};

#[test]
fn every_event_that_there_is_can_be_triggered_and_happens() {
    let service = demo(&["--seed", "9"]);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), service.report().to_string()).unwrap();
    let world = ["--world", file.path().to_str().unwrap()];
    let trigger = |event: &str| run(stipend().args(["trigger", event]).args(world));
    for (unknown, told) in
        [("nothing.happened", "--list"), ("location.moved", "location.created, location.updated")]
    {
        let refused = trigger(unknown);
        assert!(refused.code == Some(1) && refused.err.contains(told), "{}", refused.err);
    }
    let listed = run(stipend().args(["trigger", "--list"]));
    let names: Vec<_> = listed.out.lines().collect();
    assert!(names.len() >= 60, "{names:?}");
    let system = format!("Bearer {}", service.report()["system_access_token"].as_str().unwrap());
    let events = |query: &str| -> Vec<serde_json::Value> {
        let (status, told) = service.call_as(&system, "GET", &format!("/v1/events?{query}"), "").unwrap();
        assert_eq!(status, 200, "{told}");
        serde_json::from_str(&told).unwrap()
    };
    // Twice each: whatever one of them leaves behind stands in nobody's way.
    for name in names.iter().chain(&names) {
        let newest = events("sort_order=desc&limit=1")[0]["uuid"].as_str().unwrap().to_owned();
        let done = trigger(name);
        assert_eq!(done.code, Some(0), "{name}: {}", done.err);
        assert_eq!(done.out, format!("{name} happened\n"));
        let since = events(&format!("limit=100&starting_after_uuid={newest}"));
        assert!(since.iter().any(|event| event["event_type"] == *name), "{name}: {since:?}");
    }
    // Without the demo world's file, the token of a company is enough for what happens to that company alone.
    let told = ["--url", service.base(), "--token", service.token(), "--company", service.company()];
    assert_eq!(run(stipend().args(["trigger", "employee.created"]).args(told)).code, Some(0));
    let refused = run(stipend().args(["trigger", "company.provisioned"]).args(told));
    assert!(refused.code == Some(1) && refused.err.contains("--world"), "{}", refused.err);
}

#[test]
fn listening_hands_events_on_as_they_came_and_fetches_those_that_were_missed() {
    let (service, program) = (demo(&["--seed", "10"]), receiver::Receiver::new());
    let location = r#"{"street_1":"12 Depot Street","city":"Austin","state":"TX","zip":"78701","phone_number":"5125550111"}"#;
    let locations = format!("/v1/companies/{}/locations", service.company());
    let token = service.report()["system_access_token"].as_str().unwrap();
    let mut listen = stipend();
    listen.args(["listen", "--forward-to", &program.url, "--since", "1h", "--types", "Location"]);
    let listen =
        listen.args(["--url", service.base(), "--token", token]).stdout(Stdio::piped()).spawn().unwrap();
    let wait_for = |count: usize| {
        for _ in 0..1_000 {
            if program.events().len() >= count {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{count} events did not come: {:?}", program.calls());
    };
    wait_for(4); // the locations of the demo world were missed
    assert_eq!(service.post(&locations, location).0, 201);
    wait_for(5);
    let token = program.tokens().pop().unwrap();
    for call in program.events() {
        let (right, file) =
            (call.header("x-service-signature").to_owned(), tempfile::NamedTempFile::new().unwrap());
        std::fs::write(file.path(), &call.body).unwrap();
        let verify = |signature: &str| {
            let told = ["verify-signature", "--secret", &token, "--signature", signature];
            run(stipend().args(told).arg(file.path()))
        };
        assert_eq!(verify(&right).code, Some(0));
        let wrong = verify(&right[..40]);
        assert_eq!(wrong.code, Some(1));
        assert!(wrong.err.contains("40 of 64"), "{}", wrong.err);
    }
    Command::new("kill").args(["-TERM", &listen.id().to_string()]).status().unwrap();
    let ended = listen.wait_with_output().unwrap();
    assert!(ended.status.success());
    let said = String::from_utf8(ended.stdout).unwrap();
    let lines: Vec<_> = said.lines().filter(|line| line.contains("  200  location.created  ")).collect();
    assert_eq!(lines.len(), 6, "{said}");
    assert_eq!(lines.iter().filter(|line| line.ends_with("  missed")).count(), 5, "{said}");
    assert!(!said.contains('\u{1b}'), "colours are for a terminal");
    assert!(said.ends_with("6 events, 0 not accepted. The subscription is removed.\n"), "{said}");
    let left = service.call_as(
        &format!("Bearer {}", service.report()["system_access_token"].as_str().unwrap()),
        "GET",
        "/v1/webhook_subscriptions",
        "",
    );
    assert_eq!(left.unwrap().1, "[]", "the subscription is removed at the end");
}

#[test]
fn with_a_clock_that_stands_it_is_said_once_how_a_failed_delivery_comes_again() {
    let service = demo(&["--seed", "10", "--clock", "2026-06-15T15:00:00Z"]);
    let token = service.report()["system_access_token"].as_str().unwrap();
    let mut listen = stipend();
    listen.args(["listen", "--forward-to", "http://127.0.0.1:1/hooks", "--types", "Location"]);
    let mut listen =
        listen.args(["--url", service.base(), "--token", token]).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = std::io::BufReader::new(listen.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut lines: Vec<String> =
        said.by_ref().take_while(|line| !line.contains("Stop with Ctrl-C.")).collect();
    let location = r#"{"street_1":"12 Depot Street","city":"Austin","state":"TX","zip":"78701","phone_number":"5125550111"}"#;
    let locations = format!("/v1/companies/{}/locations", service.company());
    for _ in 0..2 {
        assert_eq!(service.post(&locations, location).0, 201);
    }
    let count = |lines: &[String], what: &str| lines.iter().filter(|line| line.contains(what)).count();
    while count(&lines, "location.created") < 2 {
        lines.push(said.next().unwrap_or_else(|| panic!("{lines:?}")));
    }
    Command::new("kill").args(["-TERM", &listen.id().to_string()]).status().unwrap();
    lines.extend(said);
    assert!(listen.wait().unwrap().success());
    assert_eq!(count(&lines, "The service's clock stands"), 1, "{lines:?}");
    assert_eq!(count(&lines, "POST /v1/test_helpers/clock/advance"), 1, "{lines:?}");
}

#[test]
fn what_runs_in_memory_on_any_port_is_found_by_the_tools_of_a_developer() {
    let folder = tempfile::tempdir().unwrap();
    let here = [("XDG_RUNTIME_DIR", folder.path().to_str().unwrap())];
    let tool = |arguments: &[&str]| run(stipend().args(arguments).envs(here));
    let gone = tool(&["trigger", "employee.created"]);
    assert_eq!(gone.code, Some(1), "nothing runs: {}", gone.out);

    let first = Running::dev_with(&["--memory", "--seed", "31"], &here);
    let done = tool(&["trigger", "employee.created"]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), "employee.created happened\n"), "{}", done.err);
    // More of the world than one company is known, too.
    let done = tool(&["trigger", "company.provisioned"]);
    assert_eq!(done.code, Some(0), "{}", done.err);

    let second = Running::dev_with(&["--memory", "--seed", "32"], &here);
    let refused = tool(&["trigger", "employee.created"]);
    assert_eq!(refused.code, Some(1));
    for service in [&first, &second] {
        assert!(refused.err.contains(&format!("--url {}", service.base())), "{}", refused.err);
        let done = tool(&["trigger", "employee.created", "--url", service.base()]);
        assert_eq!(done.code, Some(0), "{}", done.err);
    }
    assert_eq!(first.stop().0, Some(0));
    let mut listen = stipend();
    listen.args(["listen", "--types", "Location"]).envs(here).stdout(Stdio::piped());
    let mut listen = listen.spawn().unwrap();
    let mut said = std::io::BufReader::new(listen.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("Listening") {
        line.clear();
        assert!(
            std::io::BufRead::read_line(&mut said, &mut line).unwrap() > 0,
            "it listens to the one that is left"
        );
    }
    Command::new("kill").args(["-TERM", &listen.id().to_string()]).status().unwrap();
    assert!(listen.wait().unwrap().success());
    assert_eq!(second.stop().0, Some(0));
    assert!(
        std::fs::read_dir(folder.path().join("stipend")).unwrap().next().is_none(),
        "nothing is left behind"
    );
}
