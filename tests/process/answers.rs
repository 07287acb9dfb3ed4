//! The first requests in README.md are answered as it shows: the test sends them and holds each answer, as far as it is
//! shown, against the one that was given.
//!
//! A block of `sh` after `<!-- request -->` belongs to the block of `json` after the next `<!-- answer STATUS -->`. In
//! an answer a line `…` stands for members or items that were left out, and `…` at the end of a text for its rest.
//! Where no such line is, nothing may be missing.

use std::process::Command;

use serde_json::Value;

use crate::demo;
use crate::docs::{Block, blocks};

/// Name of the member, and the item, that stands for what was left out.
const LEFT_OUT: &str = "…";

/// An answer as shown, as JSON: lines `…` become a member or an item, whichever fits.
fn shown(text: &str) -> Value {
    let mut open = Vec::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim() == LEFT_OUT {
            let inside_object = open.last() == Some(&'{');
            lines.push(if inside_object { "\"…\": 0," } else { "\"…\"," }.to_owned());
            continue;
        }
        for letter in line.chars() {
            match letter {
                '{' | '[' => open.push(letter),
                '}' | ']' => drop(open.pop()),
                _ => (),
            }
        }
        lines.push(line.to_owned());
    }
    let mut joined = lines.join("\n");
    // A comma before a closing bracket is what is left of an ending "…".
    while let Some((at, comma)) = joined.match_indices(',').find_map(|(at, _)| {
        let after = joined[at + 1..].trim_start();
        after.starts_with(['}', ']']).then_some((at, 1))
    }) {
        joined.replace_range(at..at + comma, "");
    }
    serde_json::from_str(&joined).unwrap_or_else(|error| panic!("{error}:\n{joined}"))
}

/// What of `shown` is not in `given`, at which place; empty when it fits.
fn missing(shown: &Value, given: &Value, place: &str) -> Vec<String> {
    match (shown, given) {
        (Value::Object(shown), Value::Object(given)) => {
            let mut wrong = Vec::new();
            for (name, value) in shown.iter().filter(|(name, _)| *name != LEFT_OUT) {
                match given.get(name) {
                    Some(given) => wrong.extend(missing(value, given, &format!("{place}.{name}"))),
                    None => wrong.push(format!("{place} has no {name}")),
                }
            }
            if !shown.contains_key(LEFT_OUT) && shown.len() != given.len() {
                wrong.push(format!("{place} has more members than are shown"));
            }
            wrong
        }
        (Value::Array(shown), Value::Array(given)) => {
            let whole = !shown.iter().any(|item| item == LEFT_OUT);
            if whole && shown.len() != given.len() {
                return vec![format!("{place} has {} items", given.len())];
            }
            let mut rest = given.iter();
            let mut wrong = Vec::new();
            for item in shown.iter().filter(|item| *item != LEFT_OUT) {
                if whole {
                    wrong.extend(rest.next().map(|given| missing(item, given, place)).unwrap_or_default());
                } else if !rest.by_ref().any(|given| missing(item, given, place).is_empty()) {
                    wrong.push(format!("{place} has no such item: {item}"));
                }
            }
            wrong
        }
        (Value::String(shown), Value::String(given))
            if shown.strip_suffix('…').is_some_and(|begin| given.starts_with(begin)) =>
        {
            Vec::new()
        }
        (shown, given) if shown == given => Vec::new(),
        (shown, given) => vec![format!("{place} is {given}, not {shown}")],
    }
}

#[test]
fn the_first_five_requests_are_answered_as_the_readme_shows() {
    let service = demo(&["--seed", "7", "--clock", "2026-11-21T09:00:00Z"]);
    let mut readme = blocks().into_iter().filter(|block| block.file == "README.md");
    let helpers = readme.find(|block| block.mark == "<!-- journey -->").unwrap();
    let (mut script, mut answers) = (helpers.text, Vec::<Block>::new());
    for block in readme.filter(|block| block.mark.starts_with("<!-- ")) {
        match &*block.mark {
            "<!-- request -->" => {
                assert!(!block.text.contains('…'), "{}", block.text);
                script += &format!("\nprintf '\\036'\n{}", block.text);
            }
            mark if mark.starts_with("<!-- answer ") => answers.push(block),
            _ => break,
        }
    }
    assert_eq!(answers.len(), 5);
    let script = format!("curl() {{ command curl -w '\\n%{{http_code}}\\n' \"$@\"; }}\n{script}");
    let bash = &mut Command::new("bash");
    let done = bash.args(["-euo", "pipefail", "-c", &script]).envs(service.journey()).output().unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    let given: Vec<&str> = said.split('\u{1e}').skip(1).collect();
    assert_eq!(given.len(), answers.len(), "{said}");
    let mut wrong = Vec::new();
    for (answer, given) in answers.iter().zip(given) {
        // The last call of a block is the one whose answer is shown.
        let lines: Vec<&str> = given.trim_end().lines().collect();
        let [.., body, status] = lines[..] else { panic!("no answer: {given}") };
        assert_eq!(answer.mark, format!("<!-- answer {status} -->"), "{body}");
        // The README's service has the usual address, this one a free port.
        let body = body.replace(service.base(), "http://127.0.0.1:8080");
        let told = missing(&shown(&answer.text), &serde_json::from_str(&body).unwrap(), "the answer");
        wrong.extend(told.into_iter().map(|fault| format!("{fault}\n{}", answer.text)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_is_shown_must_be_given_and_nothing_may_be_left_out_in_silence() {
    let given = serde_json::json!({ "a": "0197-1", "b": [{ "c": 1 }, { "c": 2, "d": 3 }], "e": null });
    let fits = |text: &str| missing(&shown(text), &given, "it").is_empty();
    assert!(fits("{\n\"a\": \"0197-…\",\n\"b\": [\n…\n{\n\"c\": 2,\n…\n}\n],\n…\n}"));
    assert!(fits("{\n\"b\": [\n{ \"c\": 1 },\n…\n],\n…\n}"));
    for wrong in [
        "{\n\"a\": \"0198-…\",\n…\n}",
        "{\n\"a\": \"0197-1\"\n}",
        "{\n\"b\": [\n{ \"c\": 1 }\n],\n…\n}",
        "{\n\"b\": [\n…\n{ \"c\": 2 },\n…\n],\n…\n}",
        "{\n\"f\": 1,\n…\n}",
        "{\n\"e\": 0,\n…\n}",
    ] {
        assert!(!fits(wrong), "{wrong}");
    }
}
