//! `stipend trigger`: makes an event happen in the demo world, through the calls that a partner would make. A recipe
//! ([`recipes`]) lists the calls that lead to the event; later calls can refer to the results of earlier ones. What
//! only a person can do, authorizing the application on the service's pages, is done by [`consent`].

mod consent;
mod contractors;
mod recipes;
mod steps;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde_json::Value;

use super::http::Api;
use interface::demo::World;
use recipes::RECIPES;
use steps::{By, Step};

/// How long to wait for background work, and how often to poll it.
const PATIENCE: u32 = 150;
const LOOK: Duration = Duration::from_millis(100);

/// Maximum number of letters by which a suggested name differs from the given one.
const FARTHEST: usize = 4;

/// Where and with what an event is made to happen.
pub struct Stage {
    /// URL of the service
    pub url: String,
    /// the token of the company
    pub token: String,
    /// the company
    pub company: String,
    /// the whole demo world, if known; some events need more of it than the company
    pub world: Option<World>,
}

/// Events that no call causes: they result from what the operator's bank sends, from changes in closed quarters and years, and from deadlines
/// that pass.
const NOT_OF_CALLS: [&str; 14] = [
    domain::events::NOTIFICATION_RECOVERY_CASE_CREATED.name,
    domain::events::NOTIFICATION_RECOVERY_CASE_RESOLVED.name,
    domain::events::NOTIFICATION_RETURNED_ACCOUNT_CREATED.name,
    domain::events::NOTIFICATION_RETURNED_ACCOUNT_RESOLVED.name,
    domain::events::NOTIFICATION_SUPPORT_RETURNED_CREATED.name,
    domain::events::NOTIFICATION_SUPPORT_RETURNED_RESOLVED.name,
    domain::events::NOTIFICATION_MISSED_PAYDAY_CREATED.name,
    domain::events::NOTIFICATION_MISSED_PAYDAY_RESOLVED.name,
    domain::events::PAYROLL_REVERSED.name,
    domain::events::PAYROLL_PARTIALLY_REVERSED.name,
    domain::events::NOTIFICATION_TAX_FORM_CORRECTION_CREATED.name,
    domain::events::NOTIFICATION_TAX_FORM_CORRECTION_RESOLVED.name,
    domain::events::NOTIFICATION_YEAR_END_CREATED.name,
    domain::events::NOTIFICATION_YEAR_END_RESOLVED.name,
];

/// The names of the events that can be made to happen: all except those that no call causes.
pub fn event_names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|(event, _)| event.name)
}

/// Whether there is such an event.
///
/// # Errors
/// One line that names others.
pub fn check_event(event: &str) -> Result<(), String> {
    find_recipe(event).map(drop)
}

fn find_recipe(event: &str) -> Result<&'static [Step], String> {
    let found = RECIPES.iter().find(|(known, _)| known.name == event);
    found.map(|(_, steps)| *steps).ok_or_else(|| no_event(event))
}

/// Makes an event happen.
///
/// # Errors
/// One line: there is no such event, or the service refused.
pub async fn trigger_event(stage: Stage, event: &str) -> Result<(), String> {
    let recipe = find_recipe(event)?;
    let Stage { url, token, company, world } = stage;
    let known = BTreeMap::from([("company".to_owned(), Value::from(company))]);
    let company = Api::new(&url, &token);
    let application = world.as_ref().map(|world| Api::new(&url, &world.system_access_token));
    let mut play = Play { url, company, application, world, known };
    play.known.insert("today".to_owned(), Value::from(play.service_today().await?.to_string()));
    let before = play.newest_event(event).await?;
    play.run_steps(recipe).await?;
    play.wait_for_event(event, &before).await
}

/// A recipe in progress.
struct Play {
    url: String,
    /// calls with the token of the current company
    company: Api,
    /// calls with the token of the application
    application: Option<Api>,
    world: Option<World>,
    /// results, by the names that the recipe gives them
    known: BTreeMap<String, Value>,
}

impl Play {
    async fn run_steps(&mut self, steps: &[Step]) -> Result<(), String> {
        for step in steps {
            match *step {
                Step::First(steps) => Box::pin(self.run_steps(steps)).await?,
                Step::Call { by, method, path, body, name } => {
                    let answer = self.call_as(by, method, path, body).await?;
                    self.known.insert(name.to_owned(), answer);
                }
                // A refusal here means that it was done before.
                Step::Unless(method, path) => drop(self.call_as(By::Application, method, path, "").await),
                Step::Until(path, field, text) => self.poll_until(path, field, text).await?,
                Step::Enter(name) => {
                    let token = self.recorded_text(&format!("{name}.access_token"))?;
                    let company = self.recorded_text(&format!("{name}.company_uuid"))?;
                    self.company = Api::new(&self.url, &token);
                    self.known.insert("company".to_owned(), Value::from(company));
                }
                Step::Answer { asked, name } => {
                    let asked = self.known.get(asked).ok_or_else(|| format!("{asked} was not read"))?;
                    let answers = consent::state_tax_answers(asked);
                    self.known.insert(name.to_owned(), answers);
                }
                Step::Guess(name, screen) => {
                    let link = self.recorded_text(&format!("{name}.url"))?;
                    consent::fail_identity_check(&self.url, &self.company, &link, screen).await?;
                }
                Step::Consent(name) => {
                    let world = self.world.as_ref().ok_or_else(without_world)?;
                    let connected = consent::connect_company(&self.url, &self.company, world).await?;
                    self.known.insert(name.to_owned(), connected);
                }
            }
        }
        Ok(())
    }

    async fn call_as(&self, by: By, method: &str, path: &str, body: &str) -> Result<Value, String> {
        let api = match by {
            By::Company => &self.company,
            By::Application => self.application.as_ref().ok_or_else(without_world)?,
        };
        let body = self.fill_in_names(body)?;
        let body: Option<Value> = if body.is_empty() {
            None
        } else {
            Some(serde_json::from_str(&body).map_err(|error| format!("{error} in {body}"))?)
        };
        api.call_operation(method, &self.fill_in_names(path)?, body.as_ref()).await
    }

    /// Polls until a field of the response has this text.
    async fn poll_until(&self, path: &str, field: &str, text: &str) -> Result<(), String> {
        let mut seen = Value::Null;
        for _ in 0..PATIENCE {
            let answer = self.call_as(By::Company, "GET", path, "").await?;
            seen = response_field(&answer, field).cloned().unwrap_or_default();
            if seen.as_str() == Some(text) {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(format!("{field} did not become {text}: it is {seen}. Is the service's background work running?"))
    }

    /// The newest event of a type; null if there is no way to look it up.
    async fn newest_event(&self, event: &str) -> Result<Value, String> {
        let Some(application) = &self.application else { return Ok(Value::Null) };
        let path = format!("/v1/events?event_type={event}&sort_order=desc&limit=1");
        Ok(application.call_operation("GET", &path, None).await?[0]["uuid"].clone())
    }

    /// Waits until the event is listed: some things happen in the background.
    async fn wait_for_event(&self, event: &str, before: &Value) -> Result<(), String> {
        if self.application.is_none() {
            return Ok(());
        }
        for _ in 0..PATIENCE {
            if self.newest_event(event).await? != *before {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(format!(
            "everything was done, but {event} did not happen. Is the service's background work running?"
        ))
    }

    /// The date on the service's clock; that of this machine, if the service has no test clock.
    async fn service_today(&self) -> Result<Date, String> {
        let answer = self.company.call_operation("GET", "/v1/test_helpers/clock", None).await;
        let now = answer.ok().and_then(|answer| answer["now"].as_str()?.parse::<Timestamp>().ok());
        let now = now.unwrap_or_else(|| store::Clock::from_system().now());
        Ok(now.to_zoned(jiff::tz::TimeZone::UTC).date())
    }

    /// Replaces `{name}` by the record's identifier, `{name.field}` by a field of it, and `{today+3}` by a date
    /// relative to today.
    fn fill_in_names(&self, text: &str) -> Result<String, String> {
        let mut made = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(begin) = rest.find('{') {
            made.push_str(&rest[..begin]);
            rest = &rest[begin..];
            match name_in_braces(rest) {
                Some(name) => {
                    made.push_str(&self.recorded_text(name)?);
                    rest = &rest[name.len() + 2..];
                }
                None => {
                    made.push('{');
                    rest = &rest[1..];
                }
            }
        }
        Ok(made + rest)
    }

    fn recorded_text(&self, name: &str) -> Result<String, String> {
        if let Some(days) = name.strip_prefix("today") {
            let today = self.known.get("today").and_then(Value::as_str).unwrap_or_default();
            let today: Date = today.parse().map_err(|_| format!("{today} is no date"))?;
            let days: i64 = if days.is_empty() { 0 } else { days.parse().map_err(|_| name.to_owned())? };
            return Ok(today.saturating_add(days.days()).to_string());
        }
        let (root, path) = name.split_once('.').unwrap_or((name, ""));
        let found = self.known.get(root).and_then(|value| response_field(value, path));
        match found {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Object(record)) if record.contains_key("uuid") => {
                Ok(record["uuid"].as_str().unwrap_or_default().to_owned())
            }
            Some(other) if !other.is_null() => Ok(other.to_string()),
            _ => Err(format!("the service did not return {name}")),
        }
    }
}

/// Names those with the same beginning, or else the most similar one.
fn no_event(event: &str) -> String {
    if NOT_OF_CALLS.contains(&event) {
        return format!(
            "no call causes {event}: it results from what the operator's bank sends (docs/payments.md) or from a change in a closed quarter or the end of the year (docs/taxes.md)"
        );
    }
    let first = event.split('.').next().unwrap_or_default();
    let near: Vec<_> = event_names().filter(|name| name.split('.').next() == Some(first)).collect();
    let near = if near.is_empty() {
        let distance = |name: &&str| strsim::osa_distance(name, event);
        let nearest = event_names().min_by_key(distance).filter(|name| distance(name) <= FARTHEST);
        nearest.map_or_else(|| ".".to_owned(), |name| format!("; did you mean {name}?"))
    } else {
        format!(". There are {}.", near.join(", "))
    };
    format!("{event} is not an event{near} stipend trigger --list names all")
}

fn without_world() -> String {
    "this event takes more of the demo world than one company: --world FILE, with what `stipend dev --json` printed"
        .to_owned()
}

/// The name in braces with which a text begins; JSON's own braces do not match.
fn name_in_braces(text: &str) -> Option<&str> {
    let name = &text[1..text.find('}')?];
    let fits = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    (name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(fits)).then_some(name)
}

/// A field of a response. In a list, a number is an index, and a word selects the element with that name.
fn response_field<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').filter(|part| !part.is_empty()).try_fold(value, |value, part| match value {
        Value::Array(list) => match part.parse::<usize>() {
            Ok(place) => list.get(place),
            Err(_) => list
                .iter()
                .find(|one| ["name", "onboarding_status"].iter().any(|key| one[*key].as_str() == Some(part))),
        },
        other => other.get(part),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_type_has_one_recipe() {
        let mut without: Vec<_> = domain::events::ALL_TYPES.iter().map(|event| event.name).collect();
        for name in event_names() {
            let at = without.iter().position(|known| *known == name);
            without.remove(at.unwrap_or_else(|| panic!("{name} has two recipes, or is no event type")));
        }
        without.retain(|name| !NOT_OF_CALLS.contains(name));
        assert!(without.is_empty(), "without a recipe in tools/trigger/recipes.rs: {without:?}");
    }

    /// Collects what steps name before it was answered.
    fn unknown(steps: &[Step], made: &mut Vec<&'static str>, wrong: &mut Vec<String>) {
        for step in steps {
            let (texts, name): (Vec<&str>, &'static str) = match *step {
                Step::First(steps) => {
                    unknown(steps, made, wrong);
                    continue;
                }
                Step::Call { path, body, name, .. } => (vec![path, body], name),
                Step::Unless(_, path) | Step::Until(path, ..) => (vec![path], ""),
                Step::Enter(_) | Step::Guess(..) => (vec![], ""),
                Step::Answer { name, .. } | Step::Consent(name) => (vec![], name),
            };
            for text in texts {
                for (begin, _) in text.match_indices('{') {
                    let Some(name) = name_in_braces(&text[begin..]) else { continue };
                    let root = name.split(['.', '+', '-']).next().unwrap_or_default();
                    if root != "today" && !made.contains(&root) {
                        wrong.push(name.to_owned());
                    }
                }
            }
            made.push(name);
        }
    }

    #[test]
    fn a_recipe_names_only_what_was_answered_before() {
        for (event, steps) in RECIPES {
            let mut wrong = Vec::new();
            unknown(steps, &mut vec!["company"], &mut wrong);
            assert!(wrong.is_empty(), "{}: {wrong:?}", event.name);
        }
    }

    #[test]
    fn a_name_in_braces_stands_for_what_was_answered_and_other_braces_for_themselves() {
        let known = BTreeMap::from([
            ("today".to_owned(), Value::from("2026-11-28")),
            ("job".to_owned(), serde_json::json!({ "uuid": "j", "pays": [{ "uuid": "p", "version": 3 }] })),
            (
                "forms".to_owned(),
                serde_json::json!([{ "uuid": "a", "name": "I-9" }, { "uuid": "b", "name": "W-4" }]),
            ),
        ]);
        let api = || Api::new("http://127.0.0.1:1", "");
        let play = Play { url: String::new(), company: api(), application: None, world: None, known };
        for (text, filled) in [
            (r#"{"a":{"b":"{job}"}}"#, r#"{"a":{"b":"j"}}"#),
            ("/{job.pays.0}/{job.pays.0.version}", "/p/3"),
            ("{forms.W-4}{forms.0.name}", "bI-9"),
            ("{today} {today+3} {today-28}", "2026-11-28 2026-12-01 2026-10-31"),
            ("{}{ }", "{}{ }"),
        ] {
            assert_eq!(play.fill_in_names(text).unwrap(), filled);
        }
        for missing in ["{nothing}", "{job.title}", "{forms.W-2}"] {
            assert!(
                play.fill_in_names(missing).unwrap_err().contains(missing.trim_matches(['{', '}'])),
                "{missing}"
            );
        }
    }
}
