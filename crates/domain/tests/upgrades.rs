//! Code that only an upgrade needs is marked, and goes with the version that its mark names.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

const MARK: &str = "// UPGRADE(";

/// The files of Rust below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Major and minor number of a version, as in `0.3.1` or `0.3.`.
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, rest) = text.trim_start().split_once('.')?;
    let minor = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// What is wrong with the marks of a text while this version is built.
fn faults(text: &str, now: (u32, u32)) -> Vec<String> {
    let marks = text.split(MARK).skip(1);
    let fault = |mark: &str| {
        // A mark may go on in the next lines of its comment.
        let comment: String = mark
            .lines()
            .scan(true, |first, line| {
                let is_comment = std::mem::take(first) || line.trim_start().starts_with("// ");
                is_comment.then(|| line.trim_start().trim_start_matches("// ").to_owned() + " ")
            })
            .collect();
        let since = comment.split_once(')').and_then(|(since, _)| version(since));
        let until = comment.split_once(" with ").and_then(|(_, until)| version(until));
        match (since, until) {
            (Some(since), Some(until)) if since < until && now < until => None,
            (Some(_), Some(_)) => Some(format!("is due: {comment}")),
            _ => Some(format!("names no versions, as in `UPGRADE(0.1): why; remove with 0.3.`: {comment}")),
        }
    };
    marks.filter_map(fault).collect()
}

#[test]
fn what_only_an_upgrade_needs_goes_with_the_version_that_it_names() {
    let now = version(env!("CARGO_PKG_VERSION")).unwrap();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for one in fs::read_dir(crates).unwrap() {
        sources(&one.unwrap().path().join("src"), &mut files);
    }
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(faults(&text, now), [""; 0], "{}", file.display());
    }
}

#[test]
fn a_mark_that_is_due_or_names_no_version_is_told() {
    let mark = |rest: &str| format!("fn a() {{}}\n    {MARK}{rest}\n    let b = 1;");
    assert_eq!(faults(&mark("0.1): rows of then;\n    // remove with 0.3."), (0, 2)), [""; 0]);
    assert!(faults(&mark("0.1): rows of then; remove with 0.3."), (0, 3))[0].starts_with("is due"));
    assert!(faults(&mark("0.1): rows of then."), (0, 1))[0].starts_with("names no versions"));
}
