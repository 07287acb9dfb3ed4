//! Settings of `stipend serve` and `stipend dev`: a TOML file, overridden by the environment, overridden by the command
//! line. An unknown key of the file or an invalid value is reported in one line, and the service does not start. A variable
//! that names no setting is only warned of: other programs may use the prefix, too.

use std::collections::HashMap;
use std::fmt::Display;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::HOST;
use config::{Config, Environment, File, FileFormat};
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer};
use store::MasterKeys;

use crate::demo::World;
use crate::error::Error;
use domain::events::delivery::address::Policy;
use domain::loopback::is_loopback_host;
use zeroize::Zeroizing;

/// Prefix of environment variables: `STIPEND_DATABASE_URL` is `database_url` in the file.
const PREFIX: &str = "STIPEND";

/// All settings.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// address to listen on; port 0 chooses a free one
    pub listen: String,
    /// `sqlite:PATH`, `sqlite::memory:` or `postgres://…`
    pub database_url: String,
    /// `postgres://…` of a standby from which lists, reports and the console may be read
    pub replica_url: Option<String>,
    /// the URL at which clients reach the service; by default the address it listens on
    pub public_url: Option<String>,
    /// the URL at which employees reach the hosted pages; by default `public_url`
    pub flow_url: Option<String>,
    /// file with the master keys, one per line, the current one first
    pub master_key_file: Option<PathBuf>,
    /// the master keys themselves, for environments without files
    pub master_key: Option<Zeroizing<String>>,
    /// reading threads or database connections; by default a number that suits the machine and the server
    pub database_threads: Option<usize>,
    /// requests per application, and per application and company, in 60 seconds; 0 for no limit
    pub rate_limit: usize,
    /// requests without a valid token per network address in 60 seconds; 0 for no limit
    pub address_rate_limit: usize,
    /// requests to the token endpoint per network address in 60 seconds; 0 for no limit
    pub token_rate_limit: usize,
    /// whether X-Forwarded-For is trusted
    pub behind_proxy: bool,
    /// origins of partner pages that may embed the hosted pages in a frame, such as `https://app.example`
    #[serde(deserialize_with = "deserialize_list")]
    pub frame_origins: Vec<String>,
    /// token required by GET /metrics; without one the endpoint is disabled
    pub metrics_token: Option<String>,
    /// such as `info`, or `warn,interface=debug`
    pub log: String,
    /// days after the start date before an invited employee who has not started is overdue
    pub overdue_after_days: i32,
    /// whether pending migrations are applied at the start
    pub migrate: bool,
    /// whether the machine's clock is trusted even if the store has later changes
    pub clock_may_go_back: bool,
    /// whether this process delivers webhooks and runs due work
    pub worker: bool,
    /// maximum of concurrent connections
    pub connections: usize,
    /// maximum of concurrent connections per network address, if there is no proxy in front; 0 for no limit
    pub connections_per_address: usize,
    /// seconds within which a client must read some of a response; it must read all of it within twenty times that
    pub answer_seconds: u64,
    /// megabytes of bodies and responses held at once; beyond it requests are refused with 503
    pub held_megabytes: usize,
    /// reads of the API in progress at once, and as many writes; further ones wait a moment, and are then refused with
    /// 503
    pub requests: usize,
    /// whether webhooks may go to http, to non-public addresses and to any port: for development
    pub webhook_private_addresses: bool,
    /// ports to which webhooks may go; 443 by default
    #[serde(deserialize_with = "deserialize_list")]
    pub webhook_ports: Vec<u16>,
    /// verification calls to one host in 60 seconds; 0 for no limit
    pub webhook_verifications: usize,
    /// the command that takes a bank file from its folder, with its arguments; empty if another tool watches the folder
    #[serde(deserialize_with = "deserialize_list")]
    pub bank_pickup: Vec<String>,
    /// days for which finished deliveries are kept
    pub delivery_days: i64,
    /// set by `stipend dev`: demo world, test clock, open console
    #[serde(skip)]
    pub dev: bool,
    /// set by `stipend dev`: values that the pages of `/docs` fill into their examples
    #[serde(skip)]
    pub demo: Option<Arc<World>>,
    /// set by `stipend dev`: operations that stand in for a bank and for the operator who approves companies
    #[serde(skip)]
    pub test_helpers: bool,
    /// variables of the environment with the prefix of settings that name none
    #[serde(skip)]
    pub unknown_variables: Vec<String>,
}

// The settings contain keys, tokens and URLs with passwords, none of which may be logged.
store::hidden!(Settings);

/// What is wrong with a file in one line, without the parser's quotation of the file: it may contain a key or a
/// password.
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
            unknown_variables: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the file, if one is named, and the environment.
    ///
    /// # Errors
    /// One line that names the key and its source.
    pub fn load(file: Option<&Path>) -> Result<Self, String> {
        let mut sources = Config::builder();
        if let Some(file) = file {
            let text = std::fs::read_to_string(file).map_err(|error| {
                format!("the configuration file {} cannot be read: {error}", file.display())
            })?;
            sources = sources.add_source(File::from_str(&text, FileFormat::Toml));
        }
        // Each value is parsed as its setting's type: a token of digits parsed as a number would change.
        let environment = Environment::with_prefix(PREFIX).prefix_separator("_");
        // Variables of the test tools share the prefix, but are not settings.
        let variables = std::env::vars().filter(|(name, value)| {
            !name.starts_with("STIPEND_TEST_") && name != "STIPEND_LONG" && !is_of_a_cluster(name, value)
        });
        let (variables, unknown): (HashMap<_, _>, HashMap<_, _>) =
            variables.partition(|(name, _)| names_a_setting(name));
        let environment = environment.source(Some(variables));
        let settings = sources.add_source(environment).build().and_then(Config::try_deserialize::<Self>);
        let settings = settings.map_err(|error| {
            let place = file.map_or_else(String::new, |file| format!("{} or ", file.display()));
            let why = without_excerpt(&error.to_string());
            format!("a setting in {place}the environment ({PREFIX}_…) is wrong: {why}")
        })?;
        let mut unknown: Vec<String> =
            unknown.into_keys().filter(|name| name.to_lowercase().starts_with("stipend_")).collect();
        unknown.sort();
        Self { unknown_variables: unknown, ..settings }.check_settings()
    }

    /// A warning for each variable of the environment that has the prefix of settings and names none.
    pub fn warnings(&self) -> Vec<String> {
        let told = |name: &String| {
            let meant =
                nearest_setting(name).map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
            format!("{name} in the environment is no setting of this service and is ignored{meant}")
        };
        self.unknown_variables.iter().map(told).collect()
    }

    /// Hides an operation that exists only for developers.
    ///
    /// # Errors
    /// "Not found", as for an address that does not exist.
    pub fn for_developers(&self) -> Result<(), Error> {
        if self.test_helpers { Ok(()) } else { Err(Error::NotFound) }
    }

    fn check_settings(self) -> Result<Self, String> {
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

    /// The address of the replica, if one is configured.
    ///
    /// # Errors
    /// One line if `database_url` is not a server that can have a replica.
    pub fn replica(&self) -> Result<Option<String>, String> {
        match &self.replica_url {
            Some(_) if !is_of_a_server(&self.database_url) => {
                Err("the setting replica_url goes with a database_url that begins with postgres://"
                    .to_owned())
            }
            replica => Ok(replica.clone()),
        }
    }

    /// The issuer of the authorization server: the service's public URL.
    pub fn issuer(&self) -> String {
        self.public_url.clone().unwrap_or_else(|| format!("http://{}", self.listen))
    }

    /// Under `stipend dev`: whether the request's host name is this service's. A page of another site that points a
    /// name of its own at this address gets nothing.
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

    /// Warns if every user of the machine can read the master keys.
    pub fn warn_of_open_key_file(&self) {
        let Some(file) = self.master_key_file.as_deref().filter(|file| is_open(file)) else { return };
        tracing::warn!(file = %file.display(), "every user of this machine can read the master keys: chmod o= the file");
    }

    /// The master keys that were configured.
    ///
    /// # Errors
    /// One line that says what to do.
    pub fn master_keys(&self) -> Result<MasterKeys, String> {
        let place = match &self.master_key_file {
            Some(file) => format!("master_key_file {}", file.display()),
            None => "master_key".to_owned(),
        };
        let text = match (&self.master_key, &self.master_key_file) {
            (Some(_), Some(_)) => return Err("set master_key or master_key_file, not both".to_owned()),
            (Some(text), None) => text.clone(),
            (None, Some(file)) => std::fs::read_to_string(file)
                .map(Zeroizing::new)
                .map_err(|error| format!("{place} cannot be read: {error}"))?,
            (None, None) => {
                return Err(
                    "a master key is needed: `stipend keys new > master.key`, then set master_key_file \
                            (or STIPEND_MASTER_KEY_FILE)"
                        .to_owned(),
                );
            }
        };
        MasterKeys::parse(&text).map_err(|why| format!("{place}: {why}"))
    }
}

/// A list as in the file, or its items in one text separated by commas, as in the environment.
fn deserialize_list<'de, D: Deserializer<'de>, T: Deserialize<'de> + FromStr<Err: Display>>(
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

/// Whether a file can be read by every user.
fn is_open(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|file| file.permissions().mode() & 0o004 != 0)
}

/// Whether this is an origin whose traffic cannot be intercepted: https, or http to this machine. An IPv6 address is
/// refused: a content security policy cannot name it, and browsers would ignore it.
fn may_frame(origin: &str) -> bool {
    let safe = origin.starts_with("https://") || origin.strip_prefix("http://").is_some_and(is_loopback_host);
    safe && origin.matches('/').count() == 2 && !origin.contains([';', ' ', '*', '['])
}

/// The names of all settings: those of the struct's fields.
fn settings_names() -> &'static [&'static str] {
    let mut names = FieldNames(&[]);
    let _no_value = Settings::deserialize(&mut names);
    names.0
}

/// Whether a variable of the environment is a setting.
fn names_a_setting(variable: &str) -> bool {
    variable.to_lowercase().strip_prefix("stipend_").is_some_and(|name| settings_names().contains(&name))
}

/// The variable of the setting whose name is nearest, if it differs by a third of its letters at most.
fn nearest_setting(variable: &str) -> Option<String> {
    let asked = variable.to_lowercase();
    let asked = asked.strip_prefix("stipend_")?;
    let near = settings_names().iter().map(|name| (strsim::osa_distance(asked, name), *name)).min()?;
    (near.0 * 3 <= near.1.len()).then(|| format!("STIPEND_{}", near.1.to_uppercase()))
}

/// Reads nothing, but remembers the names of the fields that a struct expects.
struct FieldNames(&'static [&'static str]);

impl<'de> Deserializer<'de> for &mut FieldNames {
    type Error = serde::de::value::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        self.0 = fields;
        Err(Self::Error::custom("only the names of fields are read"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("only the names of fields are read"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Whether a variable describes a service of the cluster, as Kubernetes sets them in every container if a service is
/// named `stipend` or `stipend-…`. Both name and value must match: a variable that matches only by name is probably a
/// mistake, and refused.
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
        // A port with a name: `SERVICE_PORT_HTTP`.
        words if words.windows(2).any(|pair| pair == ["SERVICE", "PORT"]) => number(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_variable_is_told_with_the_setting_that_is_meant() {
        assert_eq!(nearest_setting("STIPEND_DATABSE_URL").as_deref(), Some("STIPEND_DATABASE_URL"));
        assert_eq!(nearest_setting("stipend_metric_token").as_deref(), Some("STIPEND_METRICS_TOKEN"));
        assert_eq!(nearest_setting("STIPEND_BIN"), None);
    }

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

    #[test]
    fn a_variable_names_a_setting_or_is_only_warned_of() {
        for name in [
            "STIPEND_DATABASE_URL",
            "STIPEND_LISTEN",
            "STIPEND_MASTER_KEY_FILE",
            "STIPEND_OVERDUE_AFTER_DAYS",
        ] {
            assert!(names_a_setting(name), "{name}");
        }
        for name in ["STIPEND_BIN", "STIPEND_LISEN", "STIPEND_", "STIPEND_UNKNOWN_VARIABLES", "LISTEN"] {
            assert!(!names_a_setting(name), "{name}");
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
