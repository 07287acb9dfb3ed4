//! An example as a script: known values, requests that get the others, and the request of the example.

use serde::Serialize;

use super::book;
use interface::demo::World;
use interface::examples;
use interface::examples::{FormPart, Source};

/// A value with which a script begins.
#[derive(Debug, Clone, Serialize)]
pub struct Known {
    /// name of its variable
    pub name: String,
    /// the value; `None` outside a demo world
    pub value: Option<String>,
    /// its description
    pub about: &'static str,
}

/// One request. Path and body contain `$NAME` for variables.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// HTTP method
    pub method: &'static str,
    /// path and query
    pub path: String,
    /// the body; may be empty
    pub body: String,
    /// the form instead of a body; may be empty
    pub form: &'static [FormPart],
    /// the variable of its token; `None` if no token is required
    pub token: Option<&'static str>,
    /// variables set from its response, with the fields they come from
    pub gives: Vec<(String, &'static str)>,
    /// its description
    pub about: &'static str,
    #[serde(skip)]
    name: &'static str,
    /// its body before variables were inserted, if it differs from the table's
    #[serde(skip)]
    of: Option<&'static str>,
}

/// See the module.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Script {
    /// the known values
    pub known: Vec<Known>,
    /// the requests in order; the last one is the example
    pub steps: Vec<Step>,
}

impl Script {
    /// The script of an operation.
    pub fn for_operation(operation: &'static str, world: Option<&World>) -> Self {
        let mut made = Self::default();
        if let Some(earlier) = &examples::example_call(operation).after {
            made.add_request(operation, earlier, None, world);
        }
        let own = examples::demo_body(operation);
        made.add_request(operation, operation, own, world);
        made
    }

    /// Adds a request, preceded by those that get its values.
    fn add_request(
        &mut self,
        operation: &'static str,
        name: &'static str,
        body: Option<&'static str>,
        world: Option<&World>,
    ) {
        let examples::Call { method, route, body: usual, form, .. } = examples::example_call(name);
        let wanted = body.unwrap_or(usual);
        let token = self.token_variable(operation, name, world);
        let path = format!("{route}{}", examples::query_of(method, route));
        let path = self.fill_variables(operation, name, &path, world);
        let filled = self.fill_variables(operation, name, wanted, world);
        let about = book::operation_summary(name);
        let gives = Vec::new();
        self.steps.push(Step { method, path, body: filled, form, token, gives, about, name, of: body });
    }

    /// The variable of the token that a request requires.
    fn token_variable(
        &mut self,
        operation: &'static str,
        name: &'static str,
        world: Option<&World>,
    ) -> Option<&'static str> {
        let (needs, of_application) = book::token_needs(name);
        if !needs {
            return None;
        }
        if of_application {
            self.add_known_value("SYSTEM_TOKEN", "the application's system token", || {
                Some(world?.system_access_token.clone())
            });
            return Some("SYSTEM_TOKEN");
        }
        match examples::special_source(operation, "token") {
            Some(source) => self.add_source(operation, "token", source, world),
            None => self.add_known_value("TOKEN", "a company's token", || {
                world?.companies.first()?.access_token.clone()
            }),
        }
        Some("TOKEN")
    }

    /// Replaces names in braces by variables.
    fn fill_variables(
        &mut self,
        operation: &'static str,
        name: &'static str,
        text: &str,
        world: Option<&World>,
    ) -> String {
        let mut filled = text.to_owned();
        let mut parameters = examples::parameters_of(text);
        // Other preparations may change the record, so its version is read last.
        parameters.sort_by_key(|name| *name == "version");
        for parameter in parameters {
            let source = match parameter {
                "version" if examples::special_source(operation, "version").is_none() => {
                    self.add_version_source(operation, name, world);
                    None
                }
                parameter => Some(examples::value_source(operation, parameter)),
            };
            match source {
                Some(Source::Fixed(value)) => filled = filled.replace(&format!("{{{parameter}}}"), value),
                source => {
                    if let Some(source) = source {
                        self.add_source(operation, parameter, source, world);
                    }
                    filled = filled
                        .replace(&format!("{{{parameter}}}"), &format!("${}", variable_name(parameter)));
                }
            }
        }
        filled
    }

    /// The source of the version of a request's record: the operation that reads the record.
    fn add_version_source(&mut self, operation: &'static str, name: &'static str, world: Option<&World>) {
        if self.has_variable("VERSION") {
            return;
        }
        let (_, route) = name.split_once(' ').unwrap_or_default();
        let read = examples::example_calls().iter().find(|call| call.method == "GET" && call.route == route);
        let Some(examples::Call { route, .. }) = read else { panic!("{name}: its record cannot be read") };
        let token = self.token_variable(operation, name, world);
        let path = self.fill_variables(operation, name, route, world);
        let gives = vec![("VERSION".to_owned(), "version")];
        self.steps.push(Step {
            method: "GET",
            path,
            body: String::new(),
            form: &[],
            token,
            gives,
            about: "The version that it has now",
            name: "",
            of: None,
        });
    }

    fn add_known_value(&mut self, name: &str, about: &'static str, value: impl FnOnce() -> Option<String>) {
        if !self.has_variable(name) {
            self.known.push(Known { name: name.to_owned(), value: value(), about });
        }
    }

    fn has_variable(&self, name: &str) -> bool {
        self.known.iter().any(|known| known.name == name)
            || self.steps.iter().any(|step| step.gives.iter().any(|(given, _)| given == name))
    }

    fn add_source(
        &mut self,
        operation: &'static str,
        parameter: &str,
        source: Source,
        world: Option<&World>,
    ) {
        let name = variable_name(parameter);
        if self.has_variable(&name) {
            return;
        }
        match source {
            Source::Fixed(_) => {}
            Source::World(about, value) => self.add_known_value(&name, about, || value(world?)),
            Source::Answer { call, body, field, then } => {
                let same = |step: &Step| step.name == call && step.of == body;
                let there = self.steps.iter().position(same);
                let at = there.unwrap_or_else(|| {
                    self.add_request(operation, call, body, world);
                    self.steps.len() - 1
                });
                self.steps[at].gives.push((name, field));
                for &(between, body) in then {
                    self.add_request(operation, between, body, world);
                }
            }
        }
    }

    /// The script for a shell.
    pub fn to_shell(&self, base: &str) -> String {
        let mut text = format!("BASE={base}\n");
        for known in &self.known {
            let value = known.value.as_deref().unwrap_or("…");
            text += &format!("# {}\n{}={value}\n", known.about, known.name);
        }
        if self.steps.iter().any(|step| !step.gives.is_empty()) {
            text += "field() { grep -o \"\\\"$1\\\":\\\"[^\\\"]*\\\"\" | head -n 1 | cut -d '\"' -f 4; }\n";
        }
        let last = self.steps.len() - 1;
        for (place, step) in self.steps.iter().enumerate() {
            text += &format!("\n# {}\n", step.about);
            text += &match step.gives.as_slice() {
                [] if place < last => format!("{} > /dev/null\n", step.curl_command()),
                [] => step.curl_command() + "\n",
                [(name, field)] if place < last => {
                    format!("{name}=$({} | field {field})\n", step.curl_command())
                }
                several => {
                    let taken = several
                        .iter()
                        .map(|(name, field)| format!("{name}=$(echo \"$ANSWER\" | field {field})\n"));
                    format!("ANSWER=$({})\n", step.curl_command()) + &taken.collect::<String>()
                }
            };
        }
        text
    }
}

impl Step {
    fn curl_command(&self) -> String {
        // With a body, curl sends a POST unless it is told otherwise.
        let is_plain = self.method == "GET" && self.body.is_empty();
        let method = if is_plain { String::new() } else { format!(" -X {}", self.method) };
        let mut text = format!("curl -sS{method} \"$BASE{}\"", self.path);
        if let Some(token) = self.token {
            text += &format!(" \\\n  -H \"Authorization: Bearer ${token}\"");
        }
        // A response that a terminal cannot show goes to a file.
        if self.path.ends_with("/pay_stub") {
            text += " \\\n  -o pay_stub.pdf";
        }
        if !self.body.is_empty() {
            text += &format!(
                " \\\n  -H 'Content-Type: application/json' \\\n  -d '{}'",
                shell_quoted_body(&laid_out(&self.body).replace('\'', "'\\''"))
            );
        }
        for FormPart { name, file_name, content } in self.form {
            let file_name = file_name.as_ref().map(|name| format!(";filename={name}"));
            text += &format!(" \\\n  -F '{name}={content}{}'", file_name.unwrap_or_default());
        }
        text
    }
}

/// A formatted body: a long one in several lines.
fn laid_out(body: &str) -> String {
    const SHORT: usize = 64;
    let read = serde_json::from_str::<serde_json::Value>(body).ok().filter(|_| body.len() > SHORT);
    read.and_then(|body| serde_json::to_string_pretty(&body).ok()).unwrap_or_else(|| body.to_owned())
}

/// A body in single quotes, with its variables outside them.
fn shell_quoted_body(body: &str) -> String {
    let mut parts = body.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        text += &format!("'\"${name}\"'{rest}");
    }
    text
}

/// The variable of a parameter.
fn variable_name(parameter: &str) -> String {
    match parameter {
        "company_uuid" => "COMPANY_ID".to_owned(),
        "employee_uuid" | "paid_employee" => "EMPLOYEE_ID".to_owned(),
        "location_uuid" => "LOCATION_ID".to_owned(),
        parameter => parameter.to_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::book::Book;
    use super::*;

    #[test]
    fn every_operation_has_a_script_that_ends_with_it_and_knows_each_of_its_values() {
        for (_, one) in Book::get_book().operations() {
            let script = Script::for_operation(&one.name, None);
            let last = script.steps.last().unwrap();
            assert_eq!(last.name, one.name);
            let shell = script.to_shell("http://127.0.0.1:8080");
            let used = shell.split('$').skip(1).map(|rest| {
                let end = rest.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(rest.len());
                &rest[..end]
            });
            for name in used.filter(|name| !name.is_empty()) {
                assert!(shell.contains(&format!("{name}=")), "{}: {name}\n{shell}", one.name);
            }
            assert!(!last.path.contains('{'), "{}", last.path);
        }
    }
}
