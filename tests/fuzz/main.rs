//! What fuzzing guided by coverage begins with, and what it has found, on a stable compiler: every input of
//! `fuzz/corpus` goes through the function that fuzzing calls. `fuzz/run` looks for more.
//!
//! `STIPEND_CORPUS=write cargo test -p stipend --test fuzz` makes the inputs anew that come from the examples.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code, reason = "what is not expected is a finding")]

#[path = "../simulation/base.rs"]
mod base;
#[path = "../../fuzz/src/targets.rs"]
mod targets;
#[path = "../simulation/wire.rs"]
mod wire;

use std::collections::BTreeMap;
use std::path::PathBuf;

fn corpus(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

/// Has every input of a target go through it; how many there were.
fn replay(target: &str, run: fn(&[u8])) {
    let mut inputs: Vec<_> =
        std::fs::read_dir(corpus(target)).unwrap().map(|file| file.unwrap().path()).collect();
    inputs.sort();
    for input in &inputs {
        // Named before it is tried: it may end the process.
        println!("{}", input.display());
        run(&std::fs::read(input).unwrap());
    }
    assert!(!inputs.is_empty(), "there is nothing in fuzz/corpus/{target}");
}

/// What the examples give: name and bytes of each input.
fn of_the_examples() -> BTreeMap<(&'static str, String), String> {
    let mut inputs = BTreeMap::new();
    let name = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "-").replace("v1-", "");
    for (method, route, body) in targets::with_body() {
        let key = format!("{method}{}", name(route));
        inputs.insert(("json", key), format!("{method} {route}\n{body}"));
    }
    let queries =
        ["page=2&per=10", "include=all_compensations&page=1&per=100", "search=co%20ok&sort_by=name%3Adesc"];
    for (number, route) in targets::reading().enumerate() {
        inputs.insert(("query", name(route)), format!("{route}\n{}", queries[number % queries.len()]));
    }
    inputs
}

#[test]
fn the_corpus_holds_an_input_for_every_example() {
    let write = std::env::var("STIPEND_CORPUS").is_ok_and(|wish| wish == "write");
    for ((target, name), text) in of_the_examples() {
        let file = corpus(target).join(&name);
        if write {
            std::fs::create_dir_all(corpus(target)).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let held = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(held, text, "STIPEND_CORPUS=write renews {}", file.display());
    }
}

#[test]
fn bodies_of_the_corpus_are_answered_well() {
    replay("json", targets::json);
}

#[test]
fn queries_of_the_corpus_are_answered_well() {
    replay("query", targets::query);
}

#[test]
fn requests_of_the_corpus_to_the_authorization_server_are_answered_well() {
    replay("oauth", targets::oauth);
}

#[test]
fn data_files_of_the_corpus_are_read_or_refused() {
    replay("wages", targets::wages);
}

#[test]
fn signatures_of_the_corpus_are_judged_well() {
    replay("signature", targets::signature);
}
