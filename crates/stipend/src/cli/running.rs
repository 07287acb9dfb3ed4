//! How a command finds the service that it works with: from its options, or a `stipend dev` running on this machine.

use std::io::Write;
use std::path::{Path, PathBuf};

use axum::http::Uri;
use clap::Args;
use interface::demo::World;

use super::opening::{read_file, unreadable_file_error};
use crate::devworld;
use crate::devworld::report::ParsedReport;

/// URL of the service if nothing else is known.
const USUAL: &str = "http://127.0.0.1:8080";

/// An HTTP URL.
///
/// # Errors
/// The expected form of such a URL.
pub(super) fn web_address(text: &str) -> Result<String, String> {
    let address =
        text.parse::<Uri>().ok().filter(|address| address.host().is_some_and(|host| !host.is_empty()));
    let scheme = address.as_ref().and_then(Uri::scheme_str);
    if scheme.is_some_and(|scheme| matches!(scheme, "http" | "https")) {
        return Ok(text.to_owned());
    }
    Err("must begin with http:// or https:// and name a host, such as http://127.0.0.1:8080".to_owned())
}

/// Which running service, and with which token.
#[derive(Args)]
pub(super) struct ServiceArgs {
    /// URL of the service; by default that of the `stipend dev` running on this machine, else http://127.0.0.1:8080
    #[arg(long, value_name = "URL", value_parser = web_address)]
    url: Option<String>,
    /// The token; that of the demo world by default
    #[arg(long)]
    pub token: Option<String>,
    /// Output of `stipend dev --json`, for a service on another machine
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
}

impl ServiceArgs {
    /// The URL of the service, and its demo world, if one is known.
    ///
    /// # Errors
    /// One line: the file cannot be read, or several services run.
    pub(super) fn find_service(&self) -> Result<(String, Option<World>), String> {
        let found = match &self.world {
            Some(file) => Some(read_report(file)?),
            None => choose_running(devworld::running::running_reports(), self.url.as_deref())?,
        };
        if let Some(report) = found {
            return Ok((self.url.clone().unwrap_or(report.base_url), Some(report.world)));
        }
        let kept =
            if self.token.is_some() { None } else { devworld::Home::for_store(None)?.find_world(None)? };
        Ok((self.url.clone().unwrap_or_else(|| USUAL.to_owned()), kept))
    }
}

fn read_report(file: &Path) -> Result<ParsedReport, String> {
    let text = read_file(file)?;
    serde_json::from_str(&text).map_err(|error| unreadable_file_error(file, &error))
}

/// Of the running ones, the one with this URL, or the only one.
fn choose_running(mut running: Vec<ParsedReport>, url: Option<&str>) -> Result<Option<ParsedReport>, String> {
    if let Some(url) = url {
        return Ok(running.into_iter().find(|one| comparable_url(&one.base_url) == comparable_url(url)));
    }
    if running.len() > 1 {
        let addresses: Vec<_> = running.iter().map(|one| one.base_url.as_str()).collect();
        return Err(format!(
            "several `stipend dev` run here; choose one: --url {}",
            addresses.join(" or --url ")
        ));
    }
    Ok(running.pop())
}

/// Prints the report of a running service again.
///
/// # Errors
/// One line: none runs, or several do.
pub(super) fn print_world(url: Option<&str>, json: bool) -> Result<(), String> {
    let found = choose_running(devworld::running::running_reports(), url)?;
    let Some(found) = found else { return Err("no `stipend dev` runs on this machine".to_owned()) };
    let report = found.as_report();
    let text = if json { report.to_json() } else { report.to_text() };
    // A reader that closed standard output does not want a message.
    writeln!(std::io::stdout(), "{text}").ok();
    Ok(())
}

/// A URL in comparable form: this machine has two names.
fn comparable_url(url: &str) -> String {
    url.trim_end_matches('/').replacen("://localhost", "://127.0.0.1", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(url: &str) -> ParsedReport {
        let report = serde_json::json!({
            "base_url": url, "flow_url": url, "system_access_token": "system", "companies": [], "users": [],
            "application": { "client_id": "c", "client_secret": "s", "api_token": "a", "redirect_uri": "http://localhost" },
        });
        serde_json::from_value(report).unwrap()
    }

    #[test]
    fn only_http_is_spoken_to_a_service_and_to_what_events_are_handed_on_to() {
        for right in ["http://127.0.0.1:8080", "https://payroll.example/hooks", "http://localhost:3000/x?y=z"]
        {
            assert_eq!(web_address(right).as_deref(), Ok(right));
        }
        for wrong in [
            "ftp://127.0.0.1/hooks",
            "127.0.0.1:8080",
            "localhost",
            "http://",
            "http:///hooks",
            "",
            "http://a b",
        ] {
            assert!(web_address(wrong).unwrap_err().contains("http:// or https://"), "{wrong}");
        }
    }

    #[test]
    fn the_only_one_is_meant_and_of_several_the_one_that_is_named() {
        let (one, two) = (|| at("http://127.0.0.1:8080"), || at("http://127.0.0.1:9090"));
        let address = |found: Result<Option<ParsedReport>, String>| found.unwrap().map(|one| one.base_url);
        assert_eq!(address(choose_running(vec![], None)), None);
        assert_eq!(address(choose_running(vec![two()], None)).as_deref(), Some("http://127.0.0.1:9090"));
        let named = choose_running(vec![one(), two()], Some("http://localhost:9090/"));
        assert_eq!(address(named).as_deref(), Some("http://127.0.0.1:9090"));
        assert_eq!(
            address(choose_running(vec![one()], Some("https://payroll.example"))),
            None,
            "another service is meant"
        );
        let refused = choose_running(vec![one(), two()], None).err().unwrap();
        assert!(refused.contains("--url http://127.0.0.1:8080 or --url http://127.0.0.1:9090"), "{refused}");
    }
}
