//! `stipend check --production`: what README.md asks for before the data of real people are entered, as far as a program can see it.

use std::fs;
use std::path::{Path, PathBuf};

use domain::datasets;
use interface::config::Settings;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use store::{Clock, Tx};

use super::opening::{open_public, unreadable_file_error};
use super::{StoreArgs, load_settings, print_result};
use crate::held;

/// How old the newest backup may be.
const OLDEST_BACKUP: SignedDuration = SignedDuration::from_hours(24);

/// A point of the list.
#[derive(Serialize)]
struct Point {
    point: &'static str,
    done: bool,
    /// what was found, or what is to do
    told: String,
}

impl Point {
    /// `Ok` with what was found, `Err` with what is to do.
    fn new(point: &'static str, found: Result<String, String>) -> Self {
        let done = found.is_ok();
        Self { point, done, told: found.unwrap_or_else(|todo| todo) }
    }
}

/// Prints the list.
///
/// # Errors
/// One line if a point is open, or if the settings or the store cannot be read.
pub(super) async fn check_production(
    args: &StoreArgs,
    backup: Option<&Path>,
    json: bool,
) -> Result<(), String> {
    let settings = load_settings(args)?;
    let points = [
        Point::new("master key", key_apart(&settings)),
        Point::new("TLS", check_tls(&settings)),
        Point::new("backup", backup_age(backup, Clock::wall_time())),
        Point::new("watching", check_monitoring(&settings)),
        Point::new("tables", check_tables(&settings).await?),
    ];
    let line =
        |one: &Point| format!("{}  {:<10}  {}", if one.done { "ok  " } else { "open" }, one.point, one.told);
    let text: Vec<String> = points.iter().map(line).collect();
    print_result(json, &text.join("\n"), &points)?;
    match points.iter().filter(|one| !one.done).count() {
        0 => Ok(()),
        open => Err(format!("{open} of {} points are open", points.len())),
    }
}

/// The keys open every sealed field, so whoever holds the store or its backup must not hold them as well.
fn key_apart(settings: &Settings) -> Result<String, String> {
    settings.master_keys()?;
    let Some(file) = &settings.master_key_file else {
        return Ok(
            "it comes from the environment; see that it is kept where no backup of the store is".to_owned()
        );
    };
    let name = file.display();
    if is_open_to_others(file)? {
        return Err(format!("{name} can be read by other users: chmod 600 {name}"));
    }
    let folder = |path: &Path| fs::canonicalize(path).ok()?.parent().map(Path::to_owned);
    match held::file_of(&settings.database_url) {
        Some(store) if folder(&store) == folder(file) => Err(format!(
            "{name} lies beside the store {}: keep it in another place, and out of its backups",
            store.display()
        )),
        _ => Ok(format!("{name} is readable by its user only, and not beside the store")),
    }
}

#[cfg(unix)]
fn is_open_to_others(file: &Path) -> Result<bool, String> {
    use std::os::unix::fs::PermissionsExt as _;
    let about = fs::metadata(file).map_err(|error| unreadable_file_error(file, &error))?;
    Ok(about.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> Result<bool, String> {
    Ok(false)
}

fn check_tls(settings: &Settings) -> Result<String, String> {
    let Some(url) = &settings.public_url else {
        return Err("set public_url to the https address of the proxy in front".to_owned());
    };
    let plain = [Some(url), settings.flow_url.as_ref()]
        .into_iter()
        .flatten()
        .find(|url| !url.starts_with("https://"));
    match plain {
        Some(plain) => {
            Err(format!("{plain} is not https: public_url and flow_url are addresses of the proxy in front"))
        }
        None if !settings.behind_proxy => {
            Err("set behind_proxy, so that audit entries and limits name clients instead of the proxy"
                .to_owned())
        }
        None => Ok(format!("clients reach {url} through a proxy")),
    }
}

/// `place` is the newest backup, or the folder that holds it.
fn backup_age(place: Option<&Path>, now: Timestamp) -> Result<String, String> {
    let Some(place) = place else {
        return Err("name the newest backup, or its folder, with --backup".to_owned());
    };
    let (newest, made) =
        newest_file(place)?.ok_or_else(|| format!("there is no backup in {}", place.display()))?;
    let (name, age) = (newest.display(), now.duration_since(made));
    let hours = age.as_hours();
    if age > OLDEST_BACKUP {
        return Err(format!(
            "{name} was written {hours} hours ago: back up at least once a day (stipend backup)"
        ));
    }
    Ok(format!("{name} was written {hours} hours ago"))
}

/// The file that was written last, and when.
fn newest_file(place: &Path) -> Result<Option<(PathBuf, Timestamp)>, String> {
    let told = |error: std::io::Error| unreadable_file_error(place, &error);
    let files: Vec<PathBuf> = if place.is_dir() {
        let entries = fs::read_dir(place).map_err(told)?;
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(told)?
    } else {
        vec![place.to_owned()]
    };
    let mut newest = None;
    for file in files {
        let about = fs::metadata(&file).map_err(|error| unreadable_file_error(&file, &error))?;
        if !about.is_file() {
            continue;
        }
        let made = about.modified().map_err(|error| unreadable_file_error(&file, &error))?;
        let made = Timestamp::try_from(made).map_err(|error| unreadable_file_error(&file, &error))?;
        if newest.as_ref().is_none_or(|(_, before)| made > *before) {
            newest = Some((file, made));
        }
    }
    Ok(newest)
}

fn check_monitoring(settings: &Settings) -> Result<String, String> {
    match settings.metrics_token {
        Some(_) => Ok("/metrics can be read with the token of the settings".to_owned()),
        None => Err("set metrics_token: without it /metrics is off, and /readyz says no reasons".to_owned()),
    }
}

/// `Ok` if every table of law is held.
async fn check_tables(settings: &Settings) -> Result<Result<String, String>, String> {
    let store = open_public(settings)?;
    let missing = store.read(|tx: &mut Tx<'_>| datasets::missing_entries(tx)).await;
    let missing = missing
        .map_err(|error: domain::Error| format!("the tables could not be read: {}", error.to_line()))?;
    if missing.is_empty() {
        return Ok(Ok("every table of law is held".to_owned()));
    }
    let named: Vec<_> = missing.iter().map(|table| format!("{} of {}", table.kind, table.year)).collect();
    let named = named.join(", ");
    Ok(Err(format!(
        "missing, in whole or in part: {named}; stipend data status says which parts, stipend data import loads them"
    )))
}
