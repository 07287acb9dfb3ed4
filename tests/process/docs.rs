//! Every example is run, or held against what there is: the scripts on the pages of `/docs`, and the blocks and
//! commands in README.md and docs/. A block that no rule knows fails the test; CONTRIBUTING.md names the rules.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::binary::{Running, run, stipend};
use crate::demo;
use crate::receiver::Receiver;
use crate::sources;

pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Documents with journeys; each is followed by a test of its own.
const JOURNEYS: [&str; 2] = ["README.md", "oauth.md"];

/// Programs that are not ours; of their lines only the files of the project that they name are looked for.
const OTHERS: [&str; 28] = [
    "npm",
    "pip",
    "helm",
    "kubectl",
    "podman",
    "docker",
    "systemctl",
    "journalctl",
    "install",
    "sudo",
    "psql",
    "createdb",
    "pg_dump",
    "pg_restore",
    "sqlite3",
    "openssl",
    "export",
    "chmod",
    "mkdir",
    "cp",
    "mv",
    "cat",
    "echo",
    "useradd",
    "groupadd",
    "kill",
    "cd",
    "git",
];

fn description() -> Value {
    serde_json::from_str(include_str!("../../openapi.json")).unwrap()
}

fn unescaped(html: &str) -> String {
    let pairs = [
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
    ];
    let text = pairs.iter().fold(html.to_owned(), |text, (code, letter)| text.replace(code, letter));
    text.replace("&#38;", "&").replace("&amp;", "&")
}

/// Runs a script in a shell whose curl prints the status last; what it printed.
fn in_a_shell(script: &str, folder: &Path, environment: &[(&'static str, String)]) -> String {
    let script = format!("curl() {{ command curl -w '\\n%{{http_code}}\\n' \"$@\"; }}\n{script}");
    let mut bash = Command::new("bash");
    let bash = bash.args(["-euo", "pipefail", "-c", &script]).current_dir(folder);
    let done = bash.envs(environment.iter().cloned()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{script}\n{said}{}", String::from_utf8_lossy(&done.stderr));
    said
}

#[test]
fn the_example_of_every_operation_runs_in_the_demo_world_as_its_page_shows_it() {
    let service = demo(&["--seed", "7", "--clock", "2026-11-21T09:00:00Z"]);
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    let (mut ran, mut apart) = (0, 0);
    let described = description();
    let mut paths: Vec<_> = described["paths"].as_object().unwrap().iter().collect();
    // Before other examples ask for time off, which keeps an employee in the policy.
    paths.sort_by_key(|(route, _)| !route.ends_with("/remove_employees"));
    for (route, item) in paths {
        for (method, told) in item.as_object().unwrap() {
            let page = service.get(&format!("/docs/operations/{}", told["operationId"].as_str().unwrap())).1;
            let (_, rest) = page.split_once("<pre id=\"shell\" data-status=\"").unwrap();
            let (attributes, rest) = rest.split_once('>').unwrap();
            if attributes.contains("data-apart") {
                apart += 1;
                continue;
            }
            let status = attributes.split('"').next().unwrap();
            let script = unescaped(rest.split_once("</pre>").unwrap().0);
            assert!(!script.contains('…'), "{method} {route}: a value is not known\n{script}");
            let said = in_a_shell(&script, folder.path(), &[]);
            if said.trim_end().lines().last() != Some(status) {
                wrong.push(format!("{method} {route} was to be answered {status}:\n{script}\n{said}"));
            }
            ran += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(ran >= 300 && apart <= 27, "{ran} ran, {apart} did not");
}

/// A block between fences, and the line before it, which may mark what it is.
pub struct Block {
    pub file: String,
    pub language: String,
    pub text: String,
    pub mark: String,
}

impl Block {
    fn is_journey(&self) -> bool {
        self.mark == "<!-- journey -->"
    }
}

fn documents() -> Vec<(String, String)> {
    let root = Path::new(ROOT);
    let files = [root.join("README.md")].into_iter().chain(sources::files(&root.join("docs"), "md"));
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    files.map(named).collect()
}

pub fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    for (file, text) in documents() {
        let mut before = "";
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                let inside: Vec<_> =
                    lines.by_ref().take_while(|line| !line.trim_start().starts_with("```")).collect();
                found.push(Block {
                    file: file.clone(),
                    language: language.to_owned(),
                    text: inside.join("\n"),
                    mark: before.to_owned(),
                });
            }
            before = line;
        }
    }
    found
}

/// The text without what a shell does not read: ends of lines that go on, and comments.
fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(|line| line.split("&&")).map(|command| command.trim().to_owned()).collect()
}

/// Help of a command of ours, by its words.
#[derive(Default)]
struct Helps(BTreeMap<String, Option<String>>);

impl Helps {
    fn of(&mut self, words: &[&str]) -> Option<String> {
        let ask = || {
            let done = run(stipend().args(words).arg("--help"));
            (done.code == Some(0)).then_some(done.out)
        };
        self.0.entry(words.join(" ")).or_insert_with(ask).clone()
    }

    /// What is wrong with a call of ours, if anything is: a command or an option that does not exist.
    fn check(&mut self, words: &[&str]) -> Option<String> {
        let plain =
            |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
        let mut path: Vec<&str> = Vec::new();
        let Some(mut help) = self.of(&[]) else { return Some("no help".to_owned()) };
        while help.contains("<COMMAND>") {
            let Some(next) = words.get(path.len()).filter(plain) else { break };
            path.push(next);
            match self.of(&path) {
                Some(deeper) => help = deeper,
                None => return Some(format!("there is no command {}", path.join(" "))),
            }
        }
        let options = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
        let named = options.map(|word| word.split('=').next().unwrap_or_default());
        let known = |option: &str| {
            help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).any(|word| word == option)
        };
        let unknown: Vec<_> = named.filter(|option| !known(option)).collect();
        (!unknown.is_empty()).then(|| format!("stipend {} has no {}", path.join(" "), unknown.join(", ")))
    }
}

/// The words of a command up to where its output goes.
fn words(command: &str) -> Vec<&str> {
    let ends = |word: &&str| !matches!(*word, ">" | ">>" | "|" | "&" | "<");
    command.split_whitespace().take_while(ends).map(|word| word.trim_matches(['[', ']', '"', '\''])).collect()
}

/// What is wrong with one line of a shell, if anything is.
fn check_line(line: &str, helps: &mut Helps) -> Option<String> {
    let words = words(line);
    let missing = words
        .iter()
        .filter(|word| {
            ["packaging/", "examples/", "docs/", "tests/"].iter().any(|folder| word.starts_with(folder))
        })
        .find(|word| !Path::new(ROOT).join(word).exists());
    if let Some(missing) = missing {
        return Some(format!("{missing} does not exist"));
    }
    match words.first().copied().unwrap_or_default() {
        "stipend" | "target/release/stipend" => helps.check(&words[1..]),
        "cargo" => match words.iter().position(|word| *word == "--") {
            Some(at) if words[1] == "run" => helps.check(&words[at + 1..]),
            _ if ["build", "test", "bench", "install", "run"].contains(&words[1]) => None,
            _ => Some("an unknown use of cargo".to_owned()),
        },
        script if script.starts_with("./") => {
            (!Path::new(ROOT).join(script).exists()).then(|| format!("{script} does not exist"))
        }
        other if OTHERS.contains(&other) => None,
        other => Some(format!("no rule knows {other}")),
    }
}

/// The call with which a subscription begins, as it was posted to a receiver.
fn posted(service: &Running) -> Value {
    let program = Receiver::new();
    let system = format!("Bearer {}", service.report()["system_access_token"].as_str().unwrap());
    let body = serde_json::json!({ "url": program.url, "subscription_types": ["Location"] }).to_string();
    assert_eq!(service.call_as(&system, "POST", "/v1/webhook_subscriptions", &body).unwrap().0, 201);
    for _ in 0..1_000 {
        if let Some(call) = program.calls().first() {
            return call.json();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("nothing was posted to the url of a subscription");
}

/// Whether some shape of the description has all these fields, or what is posted to a subscription.
fn is_known_shape(body: &Value, api: &Value, posted: &Value) -> bool {
    let Some(fields) = body.as_object() else { return false };
    if fields.keys().all(|name| posted.get(name).is_some()) {
        return true;
    }
    let shapes = api["components"]["schemas"].as_object().unwrap().values();
    shapes
        .filter_map(|shape| shape["properties"].as_object())
        .any(|known| fields.keys().all(|name| known.contains_key(name)))
}

/// What is wrong with a block, if anything is.
fn check_block(
    block: &Block,
    service: &Running,
    (api, posted): (&Value, &Value),
    helps: &mut Helps,
) -> Vec<String> {
    match &*block.language {
        "sh" if block.is_journey() => {
            let known = JOURNEYS.contains(&&*block.file);
            if known { Vec::new() } else { vec!["a journey that no test follows".to_owned()] }
        }
        // What README.md asks and is answered has a test of its own.
        _ if ["<!-- request -->", "<!-- answer "].iter().any(|mark| block.mark.starts_with(mark)) => {
            if block.file == "README.md" { Vec::new() } else { vec!["no test looks at this mark".to_owned()] }
        }
        "sh" if block.text.lines().all(|line| line.starts_with("curl ") || line.starts_with("  ")) => {
            let folder = tempfile::tempdir().unwrap();
            let api_token = service.report()["application"]["api_token"].as_str().unwrap().to_owned();
            let environment = [service.journey().to_vec(), vec![("API_TOKEN", api_token)]].concat();
            let said = in_a_shell(&block.text, folder.path(), &environment);
            let status: u16 = said.trim_end().lines().last().unwrap().parse().unwrap();
            if (200..300).contains(&status) { Vec::new() } else { vec![said] }
        }
        "sh" => commands(&block.text).iter().filter_map(|line| check_line(line, helps)).collect(),
        "json" => match serde_json::from_str::<Value>(&block.text) {
            Ok(body) if is_known_shape(&body, api, posted) => Vec::new(),
            Ok(_) => vec!["no operation takes or answers these fields".to_owned()],
            Err(error) => vec![error.to_string()],
        },
        "toml" => {
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), &block.text).unwrap();
            interface::config::Settings::load(Some(file.path())).err().into_iter().collect()
        }
        // A drawing, or what a program prints: nothing to be run.
        "" | "text" => Vec::new(),
        other => vec![format!("no rule knows the language {other}")],
    }
}

#[test]
fn every_block_of_the_documents_is_run_or_held_against_what_there_is() {
    let service = demo(&["--seed", "8"]);
    let (api, posted, mut helps) = (description(), posted(&service), Helps::default());
    let found = blocks();
    let mut wrong = Vec::new();
    for block in &found {
        for fault in check_block(block, &service, (&api, &posted), &mut helps) {
            wrong.push(format!("{}: {fault}\n{}", block.file, block.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(found.len() >= 20, "only {} blocks were found", found.len());
    for file in JOURNEYS {
        assert!(found.iter().any(|block| block.is_journey() && block.file == file), "{file} has no journey");
    }
}

#[test]
fn every_command_that_the_documents_name_exists_with_its_options() {
    let mut helps = Helps::default();
    let mut wrong = Vec::new();
    let mut looked = 0;
    for (file, text) in documents() {
        let outside: Vec<&str> = text.split("```").step_by(2).collect();
        for named in
            outside.concat().split('`').skip(1).step_by(2).filter(|code| code.starts_with("stipend "))
        {
            looked += 1;
            let fault = helps.check(&words(&named.replace('\n', " "))[1..]);
            wrong.extend(fault.map(|fault| format!("{file}: `{named}`: {fault}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked >= 20, "only {looked} commands were found");
}

#[test]
fn the_help_of_every_command_has_an_example_that_is_right() {
    let (mut helps, mut left, mut wrong) = (Helps::default(), vec![Vec::<String>::new()], Vec::new());
    let mut looked = 0;
    while let Some(path) = left.pop() {
        let words_of: Vec<&str> = path.iter().map(String::as_str).collect();
        let help = helps.of(&words_of).unwrap();
        // Commands, in groups or not, stand between the usage and the options.
        if let Some((_, rest)) = help.split_once("<COMMAND>\n") {
            let lines = rest.lines().take_while(|line| *line != "Options:");
            let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
            let names =
                names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
            left.extend(names.map(|name| [&path[..], &[name.to_owned()]].concat()));
        }
        let examples = help.rsplit_once("Example").map(|(_, rest)| rest.replace("\\\n", " "));
        let examples = examples.unwrap_or_default();
        let ours: Vec<&str> =
            examples.lines().filter_map(|line| Some(&line[line.find("stipend ")?..])).collect();
        if !ours.iter().any(|line| words_of.iter().all(|word| line.contains(word))) {
            wrong.push(format!("stipend {} has no example", path.join(" ")));
        }
        for line in ours.iter().filter(|line| !line.contains("COMMAND")) {
            wrong.extend(helps.check(&words(line)[1..]).map(|fault| format!("{line}: {fault}")));
        }
        looked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked >= 30, "only {looked} commands were found");
}
