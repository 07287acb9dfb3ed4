//! Settings of `stipend serve` and `stipend dev`: a TOML file, the environment over it, and the command line over
//! both. A key that does not exist or does not fit is named in one line, and the service does not start.

use std::fmt::Display;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::HOST;
use config::{Config, Environment, File, FileFormat};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use store::MasterKeys;

use crate::demo::World;
use crate::error::Error;
use domain::events::delivery::address::Policy;
use domain::loopback::is_loopback_host;

/// Prefix of the environment's variables: `STIPEND_DATABASE_URL` is `database_url` of the file.
const PREFIX: &str = "STIPEND";

/// Everything that can be set.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// address to listen on; port 0 is any free one
    pub listen: String,
    /// `sqlite:PATH`, `sqlite::memory:` or `postgres://…`
    pub database_url: String,
    /// `postgres://…` of a standby of the database server that lists, reports and the console may be read from
    pub replica_url: Option<String>,
    /// how clients reach the service; by default the address it listens on
    pub public_url: Option<String>,
    /// how employees reach the hosted pages; by default `public_url`
    pub flow_url: Option<String>,
    /// file with the master keys, one a line, the current one first
    pub master_key_file: Option<PathBuf>,
    /// the master keys themselves, for environments without files
    pub master_key: Option<String>,
    /// reading threads or database connections; none given is what suits the machine and the server
    pub database_threads: Option<usize>,
    /// requests of an application, and of it for each company, in 60 seconds; 0 is no limit
    pub rate_limit: usize,
    /// requests without a good token from one place in the network in 60 seconds; 0 is no limit
    pub address_rate_limit: usize,
    /// requests to the token endpoint from one place in the network in 60 seconds; 0 is no limit
    pub token_rate_limit: usize,
    /// whether X-Forwarded-For is believed
    pub behind_proxy: bool,
    /// origins of partner pages that may show the hosted pages in a frame, such as `https://app.example`
    #[serde(deserialize_with = "list")]
    pub frame_origins: Vec<String>,
    /// token that GET /metrics asks for; without one it is closed
    pub metrics_token: Option<String>,
    /// such as `info`, or `warn,interface=debug`
    pub log: String,
    /// days after the start date before an invited employee who has not started is overdue
    pub overdue_after_days: i32,
    /// whether pending migrations are applied at the start
    pub migrate: bool,
    /// whether the machine's clock is believed even where the store was changed later than it shows
    pub clock_may_go_back: bool,
    /// whether deliveries and due work are done by this process
    pub worker: bool,
    /// connections at once
    pub connections: usize,
    /// connections at once from one place in the network, where no proxy stands in between; 0 is no limit
    pub connections_per_address: usize,
    /// seconds in which a client has to take something of an answer, and a twentieth of what it has for all of it
    pub answer_seconds: u64,
    /// megabytes of bodies and answers that are held at once; beyond it requests are refused with 503
    pub held_megabytes: usize,
    /// reads of the interface that are worked on at once, and as many writes; more wait a moment, and are then refused with 503
    pub requests: usize,
    /// whether webhooks may go to http, to addresses that are not public and to any port: for development
    pub webhook_private_addresses: bool,
    /// ports that webhooks may go to; 443 where none is named
    #[serde(deserialize_with = "list")]
    pub webhook_ports: Vec<u16>,
    /// calls in 60 seconds that ask one host whether it takes webhooks; 0 is no limit
    pub webhook_verifications: usize,
    /// the command that takes a file for the bank from its folder, with its arguments; none where a tool looks into it
    #[serde(deserialize_with = "list")]
    pub bank_pickup: Vec<String>,
    /// days for which finished deliveries are kept
    pub delivery_days: i64,
    /// set by `stipend dev`: demo world, test clock, open console
    #[serde(skip)]
    pub dev: bool,
    /// set by `stipend dev`: what the pages of `/docs` fill into their examples
    #[serde(skip)]
    pub demo: Option<Arc<World>>,
    /// set by `stipend dev`: operations that stand in for a bank and for the operator who approves companies
    #[serde(skip)]
    pub test_helpers: bool,
}

// Keys, tokens and addresses with passwords are among them: none of it belongs in a log.
store::hidden!(Settings);

/// What is wrong with a file in one line, without the line of it that the parser shows: a key or a password may stand there.
fn without_excerpt(error: &str) -> String {
    let is_excerpt = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        rest.trim_start().starts_with('|')
    };
    let told = error.lines().filter(|line| !is_excerpt(line) && !line.trim().is_empty());
    told.map(str::trim).collect::<Vec<_>>().join(": ")
}

/// Whether an address is that of a database server.
fn is_of_a_server(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8080".to_owned(),
            database_url: "sqlite:stipend.db".to_owned(),
            replica_url: None,
            public_url: None,
            flow_url: None,
            master_key_file: None,
            master_key: None,
            database_threads: None,
            rate_limit: 200,
            address_rate_limit: 1_200,
            token_rate_limit: 600,
            behind_proxy: false,
            frame_origins: Vec::new(),
            metrics_token: None,
            log: "info".to_owned(),
            overdue_after_days: 0,
            migrate: true,
            clock_may_go_back: false,
            worker: true,
            connections: 10_000,
            connections_per_address: 500,
            answer_seconds: 30,
            held_megabytes: 256,
            requests: 256,
            webhook_private_addresses: false,
            webhook_ports: Vec::new(),
            webhook_verifications: 20,
            bank_pickup: Vec::new(),
            delivery_days: 30,
            dev: false,
            demo: None,
            test_helpers: false,
        }
    }
}

impl Settings {
    /// Reads the file, if one is named, and the environment.
    ///
    /// # Errors
    /// One line that names the key and where it stands.
    pub fn load(file: Option<&Path>) -> Result<Self, String> {
        let mut sources = Config::builder();
        if let Some(file) = file {
            let text = std::fs::read_to_string(file).map_err(|error| {
                format!("the configuration file {} cannot be read: {error}", file.display())
            })?;
            sources = sources.add_source(File::from_str(&text, FileFormat::Toml));
        }
        // Each is read as what its setting is. Taken for a number before, a token of digits would be another token.
        let environment = Environment::with_prefix(PREFIX).prefix_separator("_");
        // Variables of the test tools begin alike; they are no settings.
        let variables = std::env::vars().filter(|(name, value)| {
            !name.starts_with("STIPEND_TEST_") && name != "STIPEND_LONG" && !is_of_a_cluster(name, value)
        });
        let environment = environment.source(Some(variables.collect()));
        let settings = sources.add_source(environment).build().and_then(Config::try_deserialize::<Self>);
        let settings = settings.map_err(|error| {
            let place = file.map_or_else(String::new, |file| format!("{} or ", file.display()));
            let why = without_excerpt(&error.to_string());
            format!("a setting in {place}the environment ({PREFIX}_…) is wrong: {why}")
        })?;
        settings.checked()
    }

    /// Hides an operation that is there for developers only.
    ///
    /// # Errors
    /// "Not found", as for an address that does not exist.
    pub fn for_developers(&self) -> Result<(), Error> {
        if self.test_helpers { Ok(()) } else { Err(Error::NotFound) }
    }

    fn checked(self) -> Result<Self, String> {
        for (key, value, least, most) in [
            ("database_threads", self.database_threads.unwrap_or(1), 1, 256),
            ("rate_limit", self.rate_limit, 0, 1_000_000),
            ("address_rate_limit", self.address_rate_limit, 0, 1_000_000),
            ("webhook_verifications", self.webhook_verifications, 0, 1_000_000),
            ("token_rate_limit", self.token_rate_limit, 0, 1_000_000),
            ("connections", self.connections, 1, 1_000_000),
            ("connections_per_address", self.connections_per_address, 0, 1_000_000),
            ("held_megabytes", self.held_megabytes, 8, 1_000_000),
            ("requests", self.requests, 1, 1_000_000),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!("the setting {key} must be from {least} to {most}, but is {value}"));
            }
        }
        if self.replica_url.as_ref().is_some_and(|url| !is_of_a_server(url)) {
            return Err("the setting replica_url must begin with postgres://".to_owned());
        }
        if !(0..=365).contains(&self.overdue_after_days) {
            return Err(format!(
                "the setting overdue_after_days must be from 0 to 365, but is {}",
                self.overdue_after_days
            ));
        }
        if !(1..=3_600).contains(&self.answer_seconds) {
            return Err(format!(
                "the setting answer_seconds must be from 1 to 3600, but is {}",
                self.answer_seconds
            ));
        }
        if !(1..=3_650).contains(&self.delivery_days) {
            return Err(format!(
                "the setting delivery_days must be from 1 to 3650, but is {}",
                self.delivery_days
            ));
        }
        if self.bank_pickup.first().is_some_and(|program| !program.starts_with('/')) {
            return Err("the setting bank_pickup must begin with a program from the root on, such as /usr/local/bin/send".to_owned());
        }
        if let Some(wrong) = self.frame_origins.iter().find(|url| !may_frame(url)) {
            return Err(format!(
                "the setting frame_origins holds {wrong}; an origin is such as https://app.example, \
                 or http://localhost:3000 on a developer's machine"
            ));
        }
        for (key, url) in [("public_url", &self.public_url), ("flow_url", &self.flow_url)] {
            let whole = |url: &String| url.starts_with("https://") || url.starts_with("http://");
            if url
                .as_ref()
                .is_some_and(|url| !whole(url) || url.ends_with('/') || url.contains(['?', '#', ' ']))
            {
                return Err(format!(
                    "the setting {key} must begin with https:// or http://, not end with a slash, and have no ?, # or blank in it"
                ));
            }
        }
        Ok(self)
    }

    /// The address of the replica, if there is one.
    ///
    /// # Errors
    /// One line where there is no server of which it could be one.
    pub fn replica(&self) -> Result<Option<String>, String> {
        match &self.replica_url {
            Some(_) if !is_of_a_server(&self.database_url) => {
                Err("the setting replica_url goes with a database_url that begins with postgres://"
                    .to_owned())
            }
            replica => Ok(replica.clone()),
        }
    }

    /// Who the authorization server says it is: the address under which clients reach it.
    pub fn issuer(&self) -> String {
        self.public_url.clone().unwrap_or_else(|| format!("http://{}", self.listen))
    }

    /// Under `stipend dev`: whether the request was meant for this service by name. A page of another site that
    /// points a name of its own at this address gets nothing.
    pub fn host_is_known(&self, headers: &HeaderMap) -> bool {
        if !self.dev {
            return true;
        }
        let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else { return false };
        let own = self.public_url.as_deref().and_then(|url| url.split('/').nth(2)).unwrap_or_default();
        is_loopback_host(host) || host.eq_ignore_ascii_case(own)
    }

    /// Where webhooks may go.
    pub fn webhook_policy(&self) -> Policy {
        Policy { private: self.dev || self.webhook_private_addresses, ports: self.webhook_ports.clone() }
    }

    /// Warns where every user of the machine may read the master keys.
    pub fn warn_of_open_key_file(&self) {
        let Some(file) = self.master_key_file.as_deref().filter(|file| is_open(file)) else { return };
        tracing::warn!(file = %file.display(), "every user of this machine can read the master keys: chmod o= the file");
    }

    /// The master keys that were configured.
    ///
    /// # Errors
    /// One line that says what to do.
    pub fn master_keys(&self) -> Result<MasterKeys, String> {
        let text = match (&self.master_key, &self.master_key_file) {
            (Some(_), Some(_)) => return Err("set master_key or master_key_file, not both".to_owned()),
            (Some(text), None) => text.clone(),
            (None, Some(file)) => std::fs::read_to_string(file)
                .map_err(|error| format!("master_key_file {} cannot be read: {error}", file.display()))?,
            (None, None) => {
                return Err(
                    "a master key is needed: `stipend keys new > master.key`, then set master_key_file \
                            (or STIPEND_MASTER_KEY_FILE)"
                        .to_owned(),
                );
            }
        };
        MasterKeys::parse(&text)
    }
}

/// A list as the file has it, or its items in one text with commas between them, as the environment has it.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de> + FromStr<Err: Display>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Listed<T> {
        Items(Vec<T>),
        Text(String),
    }
    match Listed::deserialize(from)? {
        Listed::Items(items) => Ok(items),
        Listed::Text(text) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            items
                .map(|item| item.parse().map_err(|error| D::Error::custom(format!("{item}: {error}"))))
                .collect()
        }
    }
}

/// Whether a file may be read by everybody.
fn is_open(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|file| file.permissions().mode() & 0o004 != 0)
}

/// Whether this is an origin, and one that nobody between it and the browser can speak for: https, or http that does
/// not leave the machine. An address of IPv6 is none: a content security policy cannot name it, and browsers would ignore it.
fn may_frame(origin: &str) -> bool {
    let safe = origin.starts_with("https://") || origin.strip_prefix("http://").is_some_and(is_loopback_host);
    safe && origin.matches('/').count() == 2 && !origin.contains([';', ' ', '*', '['])
}

/// Whether a variable describes a service of the cluster, as Kubernetes sets them in every container beside one that is
/// named `stipend`, or `stipend-` and more. They are known by name and value: what looks like one by its name alone
/// is somebody's mistake, and refused as such.
fn is_of_a_cluster(name: &str, value: &str) -> bool {
    let Some(name) = name.strip_prefix("STIPEND_") else { return false };
    let number = |text: &str| text.parse::<u16>().is_ok();
    let address = |text: &str| text.parse::<IpAddr>().is_ok();
    let link = |text: &str| ["tcp://", "udp://", "sctp://"].iter().any(|scheme| text.starts_with(scheme));
    let words: Vec<&str> = name.split('_').collect();
    match words.as_slice() {
        [.., "SERVICE", "HOST"] => address(value),
        [.., "PORT", port, "TCP" | "UDP" | "SCTP"] if number(port) => link(value),
        [.., "PORT", port, kind @ ("TCP" | "UDP" | "SCTP"), "PROTO"] if number(port) => {
            value.eq_ignore_ascii_case(kind)
        }
        [.., "PORT", port, "TCP" | "UDP" | "SCTP", "PORT"] if number(port) => value == *port,
        [.., "PORT", port, "TCP" | "UDP" | "SCTP", "ADDR"] if number(port) => address(value),
        [.., "SERVICE", "PORT"] => number(value),
        [.., "PORT"] => link(value),
        // A port that has a name: `SERVICE_PORT_HTTP`.
        words if words.windows(2).any(|pair| pair == ["SERVICE", "PORT"]) => number(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cluster_tells_of_its_services_is_passed_over_and_nothing_that_only_looks_like_it() {
        for (name, value) in [
            ("STIPEND_SERVICE_HOST", "10.96.7.1"),
            ("STIPEND_SERVICE_HOST", "fd00::1"),
            ("STIPEND_SERVICE_PORT", "8080"),
            ("STIPEND_SERVICE_PORT_HTTP", "8080"),
            ("STIPEND_PORT", "tcp://10.96.7.1:8080"),
            ("STIPEND_PORT_8080_TCP", "tcp://10.96.7.1:8080"),
            ("STIPEND_PORT_8080_TCP_PROTO", "tcp"),
            ("STIPEND_PORT_8080_TCP_PORT", "8080"),
            ("STIPEND_PORT_8080_TCP_ADDR", "10.96.7.1"),
            ("STIPEND_DB_PORT_5432_TCP", "tcp://10.96.7.2:5432"),
            ("STIPEND_DB_SERVICE_HOST", "10.96.7.2"),
            ("STIPEND_DB_PORT", "tcp://10.96.7.2:5432"),
        ] {
            assert!(is_of_a_cluster(name, value), "{name}");
        }
        for (name, value) in [
            ("STIPEND_PORT", "8080"),
            ("STIPEND_PORT_8080_TCP", "8080"),
            ("STIPEND_SERVICE_HOST", "payroll.example"),
            ("STIPEND_SERVICE_PORT", "http"),
            ("STIPEND_PUBLIC_URL", "tcp://10.96.7.1:8080"),
            ("STIPEND_WEBHOOK_PORTS", "443"),
            ("STIPEND_LISTEN", "tcp://10.96.7.1:8080"),
            ("STIPENDS_PORT", "tcp://10.96.7.1:8080"),
        ] {
            assert!(!is_of_a_cluster(name, value), "{name}");
        }
    }

    fn load(text: &str) -> Result<Settings, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Settings::load(Some(file.path()))
    }

    #[test]
    fn a_file_changes_what_it_names_and_leaves_the_rest() {
        let settings = load("listen = \"0.0.0.0:80\"\nrate_limit = 7").unwrap();
        assert_eq!(
            (settings.listen.as_str(), settings.rate_limit, settings.overdue_after_days),
            ("0.0.0.0:80", 7, 0)
        );
    }

    #[test]
    fn a_wrong_key_or_value_is_named() {
        for (text, named) in [
            ("lisen = \"0.0.0.0:80\"", "lisen"),
            ("rate_limit = \"many\"", "rate_limit"),
            ("overdue_after_days = 400", "overdue_after_days"),
            ("database_threads = 0", "database_threads"),
            ("public_url = \"payroll.example\"", "public_url"),
        ] {
            let error = load(text).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn a_page_that_frames_comes_over_https_or_from_this_machine() {
        for origin in
            ["https://app.example", "http://localhost:3000", "http://127.0.0.1:8081", "http://localhost"]
        {
            let settings = load(&format!("frame_origins = [\"{origin}\"]")).unwrap();
            assert_eq!(settings.frame_origins, [origin]);
        }
        for origin in [
            "http://app.example",
            "http://localhost.example",
            "http://localhost:3000/",
            "https://*.example",
            "http://[::1]:3000",
            "http://localhost:port",
            "app",
        ] {
            let error = load(&format!("frame_origins = [\"{origin}\"]")).unwrap_err();
            assert!(error.contains("frame_origins") && error.contains(origin), "{error}");
        }
    }

    #[test]
    fn the_demo_world_answers_only_to_names_of_this_machine_and_its_public_one() {
        let settings =
            Settings { dev: true, public_url: Some("https://dev.example".into()), ..Settings::default() };
        let known = |host: &'static str| {
            settings.host_is_known(&HeaderMap::from_iter([(HOST, host.parse().unwrap())]))
        };
        assert!(
            ["localhost:8080", "127.0.0.1:1", "[::1]:8080", "localhost", "dev.example"]
                .into_iter()
                .all(known)
        );
        assert!(
            !["evil.example:8080", "localhost.evil.example", "dev.example.evil", ""].into_iter().any(known)
        );
    }

    #[test]
    fn a_key_file_that_everybody_may_read_is_noticed() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, open) in [(0o600, false), (0o640, false), (0o644, true)] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_open(file.path()), open, "{mode:o}");
        }
    }

    #[test]
    fn without_a_master_key_the_operator_is_told_how_to_make_one() {
        assert!(Settings::default().master_keys().unwrap_err().contains("stipend keys new"));
    }
}
