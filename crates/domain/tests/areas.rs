//! The areas of the domain and the order in which they may import each other.
//!
//! [`AREAS`] is the map: lowest first, and an area imports only areas that stand before it, so that no imports close a
//! circle. Where a lower area's change concerns a higher one, `platform::hooks` turns the direction.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

#[path = "../../../tests/support/sources.rs"]
mod sources;

/// Every area with what it is, lowest first. A file belongs to the longest path that its module begins with.
const AREAS: &[(&str, &str)] = &[
    (
        "platform::reference",
        "tables from outside, such as wage statistics, in vintages: the built-in one and imported ones",
    ),
    ("platform::law", "tables of law by year: which are in force, and which are missing"),
    ("access::scope", "scopes: what a token may be used for"),
    ("access::connections", "which applications are connected to which companies"),
    ("access::tokens", "tokens, and the caller that every use case is given"),
    ("access::idempotency", "the first answers to requests that may be repeated"),
    ("platform::hooks", "what areas above do when a record below them changes"),
    ("access::applications", "partner applications: the clients of the service"),
    ("access::themes", "how hosted pages look for the people of an application: name, colours, logo"),
    ("platform::confirmations", "figures of the tax tables in doubt that the operator has confirmed"),
    ("platform::audit", "the audit log: who did what, when and from where"),
    ("platform::moments", "whether the time is to be believed"),
    ("platform::jobs", "work that is due at a moment, run by the worker"),
    ("access::users", "administrators of companies: sign-in, passwords, roles"),
    ("money::bank", "how the operator's bank takes files, banking days, and the receiving banks of agencies"),
    (
        "money::ledger",
        "batches, entries and files as they are recorded, what they are for, and what was paid out",
    ),
    (
        "money::funding",
        "what the credits of a company wait for: wires, and debits that came back and have to be recovered",
    ),
    ("events", "the outbox: an event for every change, written in the transaction of the change"),
    ("events::delivery", "deliveries of events with their attempts, and the addresses that may receive them"),
    ("events::list", "the list of events, for applications and the console"),
    ("events::webhooks", "webhook subscriptions, the deliveries that they cause, and delivering again"),
    (
        "company::taxes::rows",
        "records of a company's federal and state taxes; the EIN is one of their fields",
    ),
    ("company::companies", "companies: name, status, time zone"),
    ("company::locations", "places where a company's people work, and the address that it files from"),
    ("company::signatories", "the person who signs for a company"),
    ("company::banks", "the bank account that payroll is paid from"),
    (
        "withholding::taxes::rows",
        "records of Form W-4 and of the answers to states' questions; places of addresses follow from them",
    ),
    ("people::employees", "employees: the person, apart from work and pay"),
    ("contractors::records", "contractors: the person or business, terms of pay and periods of work"),
    ("people::departments", "departments of a company, and who belongs to which"),
    ("people::addresses", "where employees live, and at which locations they work"),
    (
        "company::taxes",
        "a company's federal and state taxes, and what states ask of it, also by where its people live",
    ),
    ("pay::minimum_wages", "minimum wages by place and day"),
    ("pay::compensations", "jobs and what they pay"),
    ("pay::earning_types", "by which names pay can be entered"),
    ("pay::holiday_pay", "which holidays a company pays, and whom it pays for them"),
    ("pay::reimbursements", "expenses that are paid back with every regular payroll"),
    ("pay::books", "what payrolls came to in double-entry books, and what is owed"),
    ("money::deposits", "which taxes of payrolls are deposited together, and when that is due"),
    ("pay::checks", "the numbers of paper checks"),
    ("pay::pay_schedules", "how often a company pays, and for which days"),
    ("people::employment", "from the hire to the termination, and again after a rehire"),
    ("people::new_hires", "what is reported of new hires"),
    ("pay::time_off", "paid time off: policies, who has which, and balances"),
    ("company::payment_configs", "how payroll is paid, and by whom"),
    ("company::profile", "a company with what belongs to it, as it is read and updated"),
    (
        "withholding::garnishments",
        "garnishments of employees, child support above all, and their remittances",
    ),
    ("people::profiles", "employees with jobs, pay and addresses, as they are listed, read and updated"),
    ("people::historical", "people who left before their company came to the service"),
    ("people::payment_methods", "bank accounts of employees, and how pay is split among them"),
    ("people::batches", "several people who are entered in one piece"),
    ("withholding::taxes", "Form W-4 and the state taxes of employees"),
    ("people::forms", "forms that an employee signs"),
    ("people::onboarding", "the steps of onboarding an employee, and its status"),
    ("pay::low_wages", "rates of pay below the minimum wage, today or soon"),
    ("contractors::addresses", "where contractors live or have their seat"),
    ("contractors::accounts", "bank accounts of contractors, and how they are paid"),
    ("contractors::employment", "dismissal and rehire of contractors"),
    ("contractors::documents", "documents that a contractor signs"),
    ("contractors::onboarding", "the steps of onboarding a contractor, and its status"),
    (
        "contractors::profiles",
        "contractors with address and department, as they are listed, read and updated",
    ),
    ("people::flows", "links to hosted pages, and sessions of those who follow them"),
    ("company::forms", "forms that the signatory signs"),
    (
        "returns::forms",
        "tax forms as they are stored and shown: drafts, and snapshots of closed quarters and years",
    ),
    ("company::attachments", "files that a company hands in"),
    ("company::document_links", "links to one document of an employee or of the company"),
    ("salary::occupations", "occupations, and searching them"),
    ("salary::wages", "wage statistics by occupation and area"),
    ("salary::reference", "occupations and wages, each in the newest vintage"),
    ("salary::estimates", "reasonable salaries of owners who work in the company"),
    ("benefits", "benefits of a company, and which of them an employee has"),
    ("company::setup", "what a company still has to do before its first payroll, and its approval"),
    ("company::suspensions", "suspensions that companies ask for when they leave"),
    (
        "pay::payrolls::record",
        "what is stored: payrolls with what was entered, results of calculations, sums of years, totals",
    ),
    ("pay::payrolls::calendar", "which payrolls exist, for which days, and who is in them"),
    ("pay::payrolls::entry", "what is entered for an employee, and hours off that are paid without an entry"),
    (
        "pay::payrolls::facts",
        "what is known of an employee on the days of a payroll: places, employments, earlier pay, balances",
    ),
    ("pay::payrolls::warnings", "warnings about facts, entries and days that were paid before"),
    ("pay::payrolls::run", "calculating paychecks of what is known, and what changed meanwhile"),
    ("pay::payrolls::service", "payrolls as callers list, create and fill them, and what blocks them"),
    ("pay::payrolls::closing", "submitting, processing, paying, reversing and cancelling"),
    ("pay::payrolls::views", "payrolls and paychecks as they are shown"),
    (
        "pay::payroll_batches",
        "payrolls of several companies of an application that are cancelled in one request",
    ),
    ("contractors::payments", "payments of contractors, with backup withholding, alone and in groups"),
    ("contractors::new_hires", "what is reported of contractors to the states that ask for it"),
    ("contractors::forms", "Forms 1099-NEC of contractors: drafts, and what a year comes to"),
    ("pay::digests", "how payroll stands in several companies of an application"),
    ("pay::time_sheets", "shifts that are reported, and putting their hours into payrolls"),
    ("money::batches", "payments as they are made, funded, held, released, paid again and reversed"),
    ("money::files", "the files that batches go into, and their way to the operator's bank"),
    (
        "money::returns",
        "what the bank sends back: returned payments, corrections of accounts, and their recovery",
    ),
    (
        "money::manual_payments",
        "what the employer pays itself: net pay that is held, taxes that no deposit pays",
    ),
    ("money::views", "payments as they are shown, and what somebody has to act on"),
    ("pay::external_payrolls", "what another provider paid earlier in the year"),
    (
        "withholding::notices",
        "what child support agencies are told: that somebody with an order has left, and of lump sums",
    ),
    ("withholding::previews", "what garnishments would take from a given pay"),
    ("returns", "returns of employment taxes: their figures from what was paid, and whether they agree"),
    ("pay::reports", "reports and checks that are made in the background, to be fetched"),
    ("access::oauth", "authorization codes, sessions and pairs of tokens"),
    ("company::partners", "companies that a partner creates, takes over or gives up"),
    ("offboarding", "applications and administrators who are disabled, signed out or deleted"),
    ("readiness", "conditions that the operator has to look into while requests are served"),
    ("datasets", "every kind of reference data: importing and status"),
    ("placement", "where each table lies in a database of several servers"),
    ("sealed", "where sealed fields lie, for a change of the data keys"),
    ("followers", "which functions follow a change of which record"),
];

/// Modules below all areas.
const FOUNDATION: &[&str] = &[
    "batch",
    "digest",
    "editable",
    "error",
    "field",
    "folding",
    "language",
    "loopback",
    "millionths",
    "paging",
    "patch",
    "records",
    "spreadsheet",
    "version",
];

/// An import between areas, with the places where it is written: file and module.
type Edges = BTreeMap<(String, String), BTreeSet<(String, String)>>;

#[test]
fn areas_import_only_areas_below_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (edges, unknown) = imports(&source);
    assert!(unknown.is_empty(), "these modules are in no area of AREAS:\n{}", unknown.join("\n"));
    let upward: Edges = edges.clone().into_iter().filter(|((from, to), _)| rank(from) < rank(to)).collect();
    assert!(upward.is_empty(), "imports against the order of AREAS: {upward:#?}\n\n{}", circles(&edges));
}

#[test]
fn paths_are_read_out_of_code_and_not_out_of_comments_text_and_tests() {
    let code = r##"
        use crate::pay::{payrolls, compensations::service::{self as jobs, hire}};
        use super::super::companies;
        // use crate::comment;
        /* use crate::comment; */
        const TEXT: &str = "crate::text"; const RAW: &str = r#"crate::"raw""#; const QUOTE: char = '"';
        pub(in crate::company) fn f<'a>(x: &'a crate::people::employees::Employee) { crate::events::emit::<u8>(x) }
        #[cfg(test)]
        mod tests { use crate::tests::Only; }
        #[cfg(test)]
        use crate::tests::Also;
    "##;
    let module: Vec<String> = ["company", "locations", "service"].map(str::to_owned).into();
    let found: Vec<String> = paths(code, &module).into_iter().map(|path| path.join("::")).collect();
    assert_eq!(
        found,
        [
            "pay::payrolls",
            "pay::compensations::service::self",
            "pay::compensations::service::hire",
            "company::companies",
            "people::employees::Employee",
            "events::emit",
        ]
    );
}

/// The largest number of files that may import each other in a circle.
const LARGEST_CIRCLE: usize = 3;

#[test]
fn no_more_than_three_files_import_each_other_in_a_circle() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let larger: Vec<_> = circles_of_files(&arrows(&source))
        .into_iter()
        .filter(|circle| circle.len() > LARGEST_CIRCLE)
        .map(|circle| circle.join(", "))
        .collect();
    assert!(larger.is_empty(), "files that import each other in a circle: {larger:#?}");
}

#[test]
fn a_circle_of_files_is_found_through_the_files_between_them() {
    let arrow = |from: &str, to: &[&str]| (from.to_owned(), to.iter().map(|to| (*to).to_owned()).collect());
    let arrows: Arrows =
        [arrow("a", &["b"]), arrow("b", &["c", "d"]), arrow("c", &["a"]), arrow("d", &[])].into();
    assert_eq!(circles_of_files(&arrows), [["a", "b", "c"]]);
}

/// The modules that each module imports.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The imports between files, by module.
fn arrows(source: &Path) -> Arrows {
    let files: BTreeMap<String, String> = sources::files(source, "rs")
        .into_iter()
        .map(|file| (module(source, &file).join("::"), fs::read_to_string(&file).unwrap()))
        .filter(|(name, _)| !name.is_empty() && !name.ends_with("tests"))
        .collect();
    let mut arrows = Arrows::new();
    for (name, code) in &files {
        let of_file: Vec<String> = name.split("::").map(str::to_owned).collect();
        let to = arrows.entry(name.clone()).or_default();
        for path in paths(code, &of_file) {
            let ends = (1..=path.len()).rev().map(|end| path[..end].join("::"));
            to.extend(ends.into_iter().find(|end| files.contains_key(end)).filter(|end| end != name));
        }
        let words = without_tests(&words(code));
        let below = |word: &String| files.contains_key(&format!("{name}::{word}"));
        for (at, word) in words.iter().enumerate().filter(|(_, word)| below(word)) {
            let from_here = at == 0 || words[at - 1] != "::" || at > 1 && words[at - 2] == "self";
            if from_here && words.get(at + 1).is_some_and(|next| next == "::") {
                to.insert(format!("{name}::{word}"));
            }
        }
    }
    arrows
}

/// The groups of modules that reach each other, each in order.
fn circles_of_files(arrows: &Arrows) -> Vec<Vec<&str>> {
    let reached = |from: &str| {
        let (mut reached, mut left) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(next) = left.pop() {
            for to in arrows.get(&next).into_iter().flatten() {
                if reached.insert(to.clone()) {
                    left.push(to.clone());
                }
            }
        }
        reached
    };
    let reach: BTreeMap<&str, BTreeSet<String>> =
        arrows.keys().map(|name| (name.as_str(), reached(name))).collect();
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for name in reach.keys().filter(|name| reach[*name].contains(**name)) {
        match groups
            .iter_mut()
            .find(|group| reach[name].contains(group[0]) && reach[group[0]].contains(*name))
        {
            Some(group) => group.push(name),
            None => groups.push(vec![name]),
        }
    }
    groups
}

/// The path of a file's module, from the root of the crate.
fn module(source: &Path, file: &Path) -> Vec<String> {
    let name = file.strip_prefix(source).unwrap().with_extension("").to_string_lossy().replace('\\', "/");
    let mut module: Vec<String> = name.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// The place of an area in the order.
fn rank(area: &str) -> Option<usize> {
    AREAS.iter().position(|(name, _)| *name == area)
}

/// The area of a module path.
fn area(path: &[String]) -> Option<&'static str> {
    let text = path.join("::");
    let inside = |area: &str| text == area || text.starts_with(&format!("{area}::"));
    AREAS.iter().map(|(name, _)| *name).filter(|name| inside(name)).max_by_key(|name| name.len())
}

/// The imports between areas, and the modules that are in none.
fn imports(source: &Path) -> (Edges, Vec<String>) {
    let (mut edges, mut unknown) = (Edges::new(), Vec::new());
    for file in sources::files(source, "rs") {
        let name = file.strip_prefix(source).unwrap().with_extension("").to_string_lossy().replace('\\', "/");
        let module = module(source, &file);
        if module.first().is_none_or(|first| FOUNDATION.contains(&first.as_str())) || name.ends_with("tests")
        {
            continue;
        }
        let code = fs::read_to_string(&file).unwrap();
        let paths = paths(&code, &module);
        let Some(from) = area(&module) else {
            // The module of a group of areas, such as `company`, only declares them.
            if !paths.is_empty() || !name.ends_with("/mod") {
                unknown.push(name);
            }
            continue;
        };
        for path in paths {
            if path.first().is_none_or(|first| {
                FOUNDATION.contains(&first.as_str()) || first.starts_with(char::is_uppercase)
            }) {
                continue;
            }
            match area(&path) {
                Some(to) if to == from => {}
                Some(to) => {
                    let places = edges.entry((from.to_owned(), to.to_owned())).or_default();
                    places.insert((format!("{name}.rs"), path.join("::")));
                }
                None => unknown.push(format!("{} in {name}.rs", path.join("::"))),
            }
        }
    }
    (edges, unknown)
}

/// The groups of areas that import each other, with the imports against the order that close the circles.
fn circles(edges: &Edges) -> String {
    let mut reach: BTreeSet<(&str, &str)> =
        edges.keys().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    for (by, _) in AREAS {
        for (from, _) in AREAS.iter().filter(|(from, _)| reach.contains(&(*from, *by))).collect::<Vec<_>>() {
            for (to, _) in AREAS {
                if reach.contains(&(*by, *to)) {
                    reach.insert((*from, *to));
                }
            }
        }
    }
    let together = |a: &str, b: &str| a == b || reach.contains(&(a, b)) && reach.contains(&(b, a));
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for (area, _) in AREAS {
        match groups.iter_mut().find(|group| together(group[0], area)) {
            Some(group) => group.push(area),
            None => groups.push(vec![area]),
        }
    }
    let mut text = String::new();
    for group in groups.iter().filter(|group| group.len() > 1) {
        text += &format!("{} import each other:\n", group.join(", "));
        for ((from, to), places) in edges {
            if group.contains(&from.as_str()) && group.contains(&to.as_str()) && rank(from) < rank(to) {
                text += &format!("  {from} -> {to}\n");
                for (file, module) in places {
                    text += &format!("    {file} -> {module}\n");
                }
            }
        }
    }
    text
}

/// The paths that begin with `crate` or `super`, from the root of the crate, without those of tests and of `pub(in ...)`.
fn paths(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let words = without_tests(&words(code));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let begins =
            (words[at] == "crate" || words[at] == "super") && words.get(at + 1).is_some_and(|w| w == "::");
        let is_visibility = at > 1 && words[at - 1] == "in" && words[at - 2] == "(";
        if begins && !is_visibility && (at == 0 || words[at - 1] != "::") {
            at = path(&words, at, &mut module.to_vec(), &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one path, or a tree of them in braces, from `at` on; returns the place after it.
fn path(words: &[String], mut at: usize, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    loop {
        match words.get(at).map(String::as_str) {
            Some("crate") => prefix.clear(),
            Some("super") => drop(prefix.pop()),
            Some("{") => {
                at += 1;
                while words.get(at).is_some_and(|word| word != "}") {
                    at = path(words, at, &mut prefix.clone(), found);
                    while words.get(at).is_some_and(|word| word != "," && word != "}") {
                        at += 1; // `as` and the other name
                    }
                    at += usize::from(words.get(at).is_some_and(|word| word == ","));
                }
                return at + 1;
            }
            Some(word) if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                prefix.push(word.to_owned());
            }
            _ => {
                found.push(prefix.clone());
                return at;
            }
        }
        at += 1;
        if words.get(at).is_none_or(|word| word != "::") {
            found.push(prefix.clone());
            return at;
        }
        at += 1;
    }
}

/// Leaves out every item with `#[cfg(test)]`.
fn without_tests(words: &[String]) -> Vec<String> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < words.len() {
        if words[at..].len() < TEST.len() || !words[at..].iter().zip(TEST).all(|(word, test)| word == test) {
            kept.push(words[at].clone());
            at += 1;
            continue;
        }
        let mut depth = 0_usize;
        for word in &words[at + TEST.len()..] {
            at += 1;
            match word.as_str() {
                "{" => depth += 1,
                "}" if depth == 1 => break,
                "}" => depth -= 1,
                ";" if depth == 0 => break,
                _ => {}
            }
        }
        at += TEST.len();
    }
    kept
}

/// Code as names and punctuation, without comments, text, characters and lifetimes.
fn words(code: &str) -> Vec<String> {
    let code: Vec<char> = code.chars().collect();
    let is = |at: usize, text: &str| text.chars().enumerate().all(|(i, c)| code.get(at + i) == Some(&c));
    let find = |from: usize, text: &str| (from..code.len()).find(|at| is(*at, text)).unwrap_or(code.len());
    let (mut words, mut at) = (Vec::new(), 0);
    while at < code.len() {
        let c = code[at];
        if is(at, "//") {
            at = find(at, "\n");
        } else if is(at, "/*") {
            at = find(at, "*/") + 2;
        } else if c == 'r'
            && (is(at, "r\"") || is(at, "r#"))
            && code[at + 1..].iter().find(|c| **c != '#') == Some(&'"')
        {
            let hashes = code[at + 1..].iter().take_while(|c| **c == '#').count();
            let end = format!("\"{}", "#".repeat(hashes));
            at = find(at + hashes + 2, &end) + end.len();
        } else if c == '"' {
            at += 1;
            while at < code.len() && code[at] != '"' {
                at += if code[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if c == '\'' {
            let closing = if is(at + 1, "\\") { find(at + 3, "'") } else { at + 2 };
            at = if code.get(closing) == Some(&'\'') { closing + 1 } else { at + 1 };
        } else if c.is_alphanumeric() || c == '_' {
            let length = code[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
            words.push(code[at..at + length].iter().collect());
            at += length;
        } else if is(at, "::") {
            words.push("::".to_owned());
            at += 2;
        } else {
            if !c.is_whitespace() {
                words.push(c.to_string());
            }
            at += 1;
        }
    }
    words
}
