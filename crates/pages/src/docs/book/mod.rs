//! The description of the API, laid out for readers: areas with their operations, parameters, and shapes as rows of a
//! table. It is built once, from the published description, and contains nothing of the running service.

mod reader;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use self::reader::{Reader, plain_text};
use super::areas::AREAS;
use domain::version::{ApiVersion, Change};
use interface::version::Difference;

/// The whole API.
#[derive(Debug)]
pub struct Book {
    /// areas in the order in which a partner meets them
    pub areas: Vec<Area>,
}

/// Operations that belong together.
#[derive(Debug)]
pub struct Area {
    /// its name in URLs
    pub slug: String,
    /// its name
    pub name: String,
    /// its subject
    pub about: &'static str,
    /// its operations
    pub operations: Vec<Operation>,
}

/// One operation.
#[derive(Debug)]
pub struct Operation {
    /// its name in URLs
    pub id: String,
    /// method and route
    pub name: String,
    /// HTTP method
    pub method: String,
    /// path with its parameters in braces
    pub route: String,
    /// summary
    pub summary: String,
    /// paragraphs
    pub description: Vec<String>,
    /// the token that it requires, in words
    pub token: &'static str,
    /// whether that is the application's own token
    pub of_application: bool,
    /// whether it requires a token
    pub needs_token: bool,
    /// the scope that it requires
    pub scope: Option<String>,
    /// of path, query and header
    pub parameters: Vec<Row>,
    /// fields of the body
    pub body: Option<Shape>,
    /// its successful responses
    pub answers: Vec<Answer>,
    /// its error responses
    pub refusals: Vec<Refusal>,
    /// version differences that affect it
    pub differences: Vec<Difference>,
    /// an example of a response
    pub example: Option<String>,
    /// the status of that response
    pub success: u16,
}

/// A parameter or a field.
#[derive(Debug, Clone)]
pub struct Row {
    /// its name
    pub name: String,
    /// path, query or header; empty for a field
    pub place: String,
    /// its type, in words
    pub kind: String,
    /// whether it is required
    pub required: bool,
    /// its meaning
    pub description: String,
    /// its allowed values, if they are few
    pub values: Vec<String>,
    /// its default
    pub default: Option<String>,
    /// its nested fields
    pub fields: Vec<Row>,
}

/// The content of a body.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// its type, in words
    pub kind: String,
    /// its description
    pub description: String,
    /// its allowed values, if they are few
    pub values: Vec<String>,
    /// its fields
    pub fields: Vec<Row>,
}

/// A successful response.
#[derive(Debug)]
pub struct Answer {
    /// HTTP status
    pub status: String,
    /// its meaning
    pub description: String,
    /// its content
    pub shape: Option<Shape>,
}

/// An error response by status.
#[derive(Debug)]
pub struct Refusal {
    /// HTTP status
    pub status: u16,
    /// when it occurs
    pub description: String,
    /// names of the kinds of errors with that status
    pub kinds: Vec<&'static str>,
}

impl Book {
    /// The API as a book.
    ///
    /// # Panics
    /// When the description has an area that is missing in the book: a bug.
    pub fn get_book() -> &'static Self {
        static BOOK: OnceLock<Book> = OnceLock::new();
        BOOK.get_or_init(|| Self::from_description(&crate::routes::expanded_description()))
    }

    fn from_description(api: &Value) -> Self {
        let mut areas: Vec<Area> = AREAS
            .iter()
            .map(|(name, about)| Area {
                slug: url_slug(name),
                name: (*name).to_owned(),
                about,
                operations: Vec::new(),
            })
            .collect();
        for (route, item) in api["paths"].as_object().into_iter().flatten() {
            for (method, described) in item.as_object().into_iter().flatten() {
                let area = plain_text(&described["tags"][0]);
                let place = areas.iter_mut().find(|one| one.name == area);
                let place = place.unwrap_or_else(|| panic!("{area} is missing in docs/areas.rs"));
                place.operations.push(Reader { api }.read_operation(
                    &method.to_uppercase(),
                    route,
                    described,
                ));
            }
        }
        areas.retain(|area| !area.operations.is_empty());
        Self { areas }
    }

    /// Every operation with its area.
    pub fn operations(&self) -> impl Iterator<Item = (&Area, &Operation)> {
        self.areas.iter().flat_map(|area| area.operations.iter().map(move |one| (area, one)))
    }

    /// An operation by its id, with its area.
    pub fn find_operation(&self, id: &str) -> Option<(&Area, &Operation)> {
        self.operations().find(|(_, one)| one.id == id)
    }
}

/// A name as it appears in URLs.
fn url_slug(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// Whether an operation requires a token, and whether that is the application's own.
pub fn token_needs(name: &str) -> (bool, bool) {
    static NEEDS: OnceLock<BTreeMap<String, (bool, bool)>> = OnceLock::new();
    let needs = NEEDS.get_or_init(|| {
        let described = Book::get_book()
            .operations()
            .map(|(_, one)| (one.name.clone(), (one.needs_token, one.of_application)));
        described.collect()
    });
    needs.get(name).copied().unwrap_or_default()
}

/// The summary of an operation.
pub fn operation_summary(name: &str) -> &'static str {
    let mut operations = Book::get_book().operations();
    operations.find(|(_, one)| one.name == name).map_or("", |(_, one)| &one.summary)
}

/// The versions, newest first, with what each introduced.
pub fn version_history() -> Vec<(&'static str, Vec<Difference>)> {
    let mut versions: Vec<_> = ApiVersion::ALL
        .into_iter()
        .map(|version| {
            let of_version = Change::ALL.into_iter().filter(|change| change.since() == version);
            (version.as_str(), of_version.map(interface::version::describe_change).collect())
        })
        .collect();
    versions.reverse();
    versions
}

#[cfg(test)]
mod tests {
    use interface::examples;

    use super::*;

    #[test]
    fn every_operation_says_in_words_what_it_does_takes_and_answers() {
        let mut silent = Vec::new();
        for (_, one) in Book::get_book().operations() {
            let name = &one.name;
            if one.summary.is_empty() || one.description.iter().all(String::is_empty) {
                silent.push(format!("{name}: a description"));
            }
            if one.example.is_none() && !examples::answers_without_json(name) {
                silent.push(format!("{name}: an example of its answer"));
            }
            for row in &one.parameters {
                if row.description.is_empty() {
                    silent.push(format!("{name}: {}", row.name));
                }
            }
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }

    fn silent_rows(place: &str, rows: &[Row], silent: &mut Vec<String>) {
        for row in rows {
            let place = format!("{place}.{}", row.name);
            if row.description.is_empty() {
                silent.push(place.clone());
            }
            silent_rows(&place, &row.fields, silent);
        }
    }

    #[test]
    fn every_field_of_a_body_and_of_an_answer_says_what_it_means() {
        let mut silent = Vec::new();
        for (_, one) in Book::get_book().operations() {
            let shapes = one.body.iter().chain(one.answers.iter().filter_map(|answer| answer.shape.as_ref()));
            shapes.for_each(|shape| silent_rows(&one.id, &shape.fields, &mut silent));
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }

    #[test]
    fn a_difference_names_operations_that_there_are() {
        let known: Vec<&str> = Book::get_book().operations().map(|(_, one)| &*one.name).collect();
        for (_, differences) in version_history() {
            for one in differences {
                for operation in one.operations {
                    assert!(known.contains(operation), "{operation}");
                }
                assert!(AREAS.iter().any(|(name, _)| *name == one.area), "{}", one.area);
            }
        }
    }

    /// The differences in the format of docs/versions.md.
    fn as_a_page() -> String {
        let mut page = String::new();
        for (version, differences) in
            version_history().into_iter().filter(|(_, differences)| !differences.is_empty())
        {
            page += &format!("\n## {version}\n");
            for one in differences {
                page += &format!("\n**{}.** {}\n{}\n\n", one.area, one.change, one.action);
                for operation in one.operations {
                    page += &format!("* `{operation}`\n");
                }
            }
        }
        page + "\n"
    }

    #[test]
    fn the_page_of_versions_tells_the_differences_that_the_code_makes() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/versions.md");
        let text = std::fs::read_to_string(file).unwrap();
        let (before, rest) = text.split_once("differences.rs -->\n").unwrap();
        let (described, after) = rest.split_once("<!-- end of differences -->").unwrap();
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            let renewed =
                format!("{before}differences.rs -->\n{}<!-- end of differences -->{after}", as_a_page());
            std::fs::write(file, renewed).unwrap();
        } else {
            assert!(described == as_a_page(), "docs/versions.md is old: INSTA_UPDATE=always renews it");
        }
    }
}
