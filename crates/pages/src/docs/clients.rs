//! Examples in the languages of the published clients: `tests/examples/clients.json`. The clients' tests run the text
//! of each in the demo world, with the versions of the clients that the example says to install, so a page shows what was run.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::script::{Known, Script};

/// Placeholder for the values with which an example begins.
const KNOWN: &str = "{known}\n";

/// The examples of an operation; empty if a client lacks a method for one of the requests.
#[derive(Debug, Default, Deserialize)]
struct Held {
    typescript: Option<String>,
    python: Option<String>,
}

static ALL: LazyLock<HashMap<String, Held>> = LazyLock::new(|| {
    let text = include_str!("../../../../tests/examples/clients.json");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("clients.json: {error}"))
});

/// How the client for Node.js is installed that the tests use: the newest one of its name is another, older interface.
static NPM: LazyLock<String> = LazyLock::new(|| {
    let text = include_str!("../../../../tests/clients/package.json");
    let packages: serde_json::Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("package.json: {error}"));
    let version = packages["devDependencies"]["@gusto/embedded-api"].as_str();
    format!(
        "npm install @gusto/embedded-api@{}",
        version.unwrap_or_else(|| panic!("package.json names no version"))
    )
});

/// How the client for Python is installed that the tests use.
static PIP: LazyLock<String> = LazyLock::new(|| {
    let mut lines = include_str!("../../../../tests/clients/requirements.txt").lines();
    let line = lines.find(|line| line.starts_with("gusto_embedded=="));
    format!("pip install {}", line.unwrap_or_else(|| panic!("requirements.txt names no client")))
});

/// An example in a language.
#[derive(Debug)]
pub struct Example {
    /// CSS name of the language
    pub id: &'static str,
    /// display name of the language
    pub language: &'static str,
    /// the program
    pub text: String,
}

/// The examples of an operation, given by its id.
pub fn client_examples(operation: &str, script: &Script, base: &str) -> Vec<Example> {
    let Some(held) = ALL.get(operation) else { return Vec::new() };
    let typescript = held.typescript.as_ref().map(|text| Example {
        id: "typescript",
        language: "TypeScript",
        text: format!("// {}\n", *NPM)
            + &insert_known_values(text, script, base, |name, value| format!("const {name} = '{value}';")),
    });
    let python = held.python.as_ref().map(|text| Example {
        id: "python",
        language: "Python",
        text: format!("# {}\n", *PIP)
            + &insert_known_values(text, script, base, |name, value| format!("{name} = \"{value}\"")),
    });
    typescript.into_iter().chain(python).collect()
}

/// The text with a line for each value.
fn insert_known_values(
    text: &str,
    script: &Script,
    base: &str,
    line: impl Fn(&str, &str) -> String,
) -> String {
    let value = |known: &Known| line(&known.name, known.value.as_deref().unwrap_or("…")) + "\n";
    let known: String = script.known.iter().map(value).collect();
    text.replacen(KNOWN, &(line("BASE", base) + "\n" + &known), 1)
}

#[cfg(test)]
mod tests {
    use super::super::book::Book;
    use super::*;

    #[test]
    fn each_example_is_of_an_operation_and_takes_the_values_that_its_script_begins_with() {
        for (id, held) in ALL.iter() {
            let found = Book::get_book().operations().find(|(_, one)| *one.id == **id);
            let (_, one) = found.unwrap_or_else(|| panic!("{id} is no operation: write clients.json anew"));
            for text in [&held.typescript, &held.python].into_iter().flatten() {
                assert_eq!(text.matches(KNOWN).count(), 1, "{id}");
            }
            for example in
                client_examples(id, &Script::for_operation(&one.name, None), "http://127.0.0.1:8080")
            {
                assert!(
                    example.text.contains("http://127.0.0.1:8080") && !example.text.contains("{known}"),
                    "{id}"
                );
            }
        }
    }

    #[test]
    fn the_readme_says_how_the_clients_are_installed_that_the_tests_use() {
        let readme = include_str!("../../../../README.md");
        for line in [&*NPM, &*PIP] {
            assert!(readme.lines().any(|one| one == line.as_str()), "{line}");
        }
    }

    #[test]
    fn hiring_is_shown_in_both_languages() {
        let script = Script::for_operation("POST /v1/companies/{company_id}/employees", None);
        let shown = client_examples("create_employee", &script, "http://127.0.0.1:8080");
        let [typescript, python] = shown.as_slice() else { panic!("{shown:?}") };
        assert!(typescript.text.starts_with("// npm install @gusto/embedded-api@0."), "{}", typescript.text);
        assert!(python.text.starts_with("# pip install gusto_embedded=="), "{}", python.text);
        for part in ["await client.employees.create({", "companyId: COMPANY_ID", "firstName: 'Ana'"] {
            assert!(typescript.text.contains(part), "{}", typescript.text);
        }
        for part in ["client.employees.create(", "company_id=COMPANY_ID", "first_name=\"Ana\""] {
            assert!(python.text.contains(part), "{}", python.text);
        }
    }
}
