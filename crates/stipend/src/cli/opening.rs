//! How commands open the store: an existing one, unless they may create it.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use rules::Violation;
use store::{Care, Clock, Latest, MasterKeys, Options, Store, Tx};

use super::{StoreArgs, load_settings};
use domain::Error;
use domain::platform::moments;
use domain::{SCHEMA, events};
use interface::config::Settings;

/// How far a machine's clock may be behind the store before it is considered unset: a week.
const FARTHEST_BEHIND: Duration = Duration::from_hours(7 * 24);

/// How often every page of a file store is read, while it is in use, to detect damage.
const CHECK_EVERY: Duration = Duration::from_hours(6);

/// Opens the existing store.
pub(super) fn open_store(settings: &Settings) -> Result<Store, String> {
    open_with(settings, settings.master_keys()?, |_| {})
}

/// Opens the store for production: refuses on a machine whose clock has not been set.
pub(super) fn open_service(settings: &Settings, create: bool) -> Result<Store, String> {
    open_with(settings, settings.master_keys()?, |options| {
        options.create = create;
        options.migrate = settings.migrate;
        options.care = Some(Care { check_every: CHECK_EVERY });
        // Only a developers' world has a test clock.
        options.test_clock = None;
        if let Some(latest) = &mut options.latest {
            latest.most = Some(FARTHEST_BEHIND);
            latest.longest_rest = Some(moments::LONGEST_REST.unsigned_abs());
        }
    })
}

/// Runs one unit on the store of the arguments.
pub(super) async fn run_unit<T: Send + 'static>(
    args: &StoreArgs,
    unit: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, String> {
    self::run_unit_on(&open_store(&load_settings(args)?)?, unit).await
}

/// As [`run_unit`], for a unit that only reads: it holds up no writer.
pub(super) async fn read_unit<T: Send + 'static>(
    args: &StoreArgs,
    unit: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, String> {
    open_store(&load_settings(args)?)?.read(unit).await.map_err(|error| error_line(error, NO_RECORD))
}

/// As [`run_unit`], for a command whose options set fields: messages name the options ([`by_option`]).
pub(super) async fn run_unit_of<T: Send + 'static>(
    args: &StoreArgs,
    options: &[(&str, &str)],
    unit: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, String> {
    open_store(&load_settings(args)?)?.write(unit).await.map_err(|error| match error {
        Error::Violations(wrong) => by_option(wrong, options),
        other => error_line(other, NO_RECORD),
    })
}

/// Runs one unit on an open store; errors in one line.
pub(super) async fn run_unit_on<T: Send + 'static>(
    store: &Store,
    unit: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
) -> Result<T, String> {
    store.write(unit).await.map_err(|error| error_line(error, NO_RECORD))
}

const NO_RECORD: &str = "there is no such company or record";

/// An error in one line; `missing` replaces "not found".
pub(super) fn error_line(error: Error, missing: &str) -> String {
    match error {
        Error::NotFound => missing.to_owned(),
        Error::Violations(wrong) => join_messages(wrong),
        other => format!("it could not be done: {}", other.to_line()),
    }
}

/// The text of a file.
pub(super) fn read_file(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| unreadable_file_error(path, &error))
}

/// The message for a file that cannot be read.
pub(super) fn unreadable_file_error(path: &Path, error: &dyn Display) -> String {
    format!("{} cannot be read: {error}", path.display())
}

/// Violations in one line, with command line options in place of field names. `options` lists the fields whose option
/// has a different name.
pub(super) fn by_option(wrong: Vec<Violation>, options: &[(&str, &str)]) -> String {
    let named = wrong.into_iter().map(|one| {
        let other =
            options.iter().find(|(field, _)| *field == one.key).map(|(_, option)| (*option).to_owned());
        let option = other.unwrap_or_else(|| format!("--{}", one.key.replace('_', "-")));
        Violation { message: one.message.replacen(&*one.key, &option, 1), ..one }
    });
    join_messages(named.collect())
}

/// The whole of a list that is read in pages of the given size, in one unit.
pub(super) fn in_pages<T>(
    tx: &mut Tx<'_>,
    at_once: i64,
    page: impl Fn(&mut Tx<'_>, i64) -> Result<Vec<T>, Error>,
) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    loop {
        let some = page(tx, i64::try_from(all.len()).unwrap_or(i64::MAX))?;
        let is_last = i64::try_from(some.len()).unwrap_or(i64::MAX) < at_once;
        all.extend(some);
        if is_last {
            return Ok(all);
        }
    }
}

/// Violations in one line.
pub(super) fn join_messages(wrong: Vec<Violation>) -> String {
    wrong.into_iter().map(|one| one.message).collect::<Vec<_>>().join("; ")
}

/// Opens the store for work that touches no sealed field and therefore needs no master key.
pub(super) fn open_public(settings: &Settings) -> Result<Store, String> {
    open_with(settings, MasterKeys::no_keys(), |_| {})
}

/// Opens a store, which must exist unless `change` permits creating it.
pub(super) fn open_with(
    settings: &Settings,
    keys: MasterKeys,
    change: impl FnOnce(&mut Options),
) -> Result<Store, String> {
    let mut options = Options::new(Clock::from_system(), keys, SCHEMA);
    let may_go_back = settings.clock_may_go_back;
    options.latest = Some(Latest {
        statement: events::LATEST,
        tables: &["events"],
        most: None,
        may_go_back,
        longest_rest: None,
    });
    options.test_clock = Some(moments::TEST_CLOCK);
    options.threads = settings.database_threads;
    options.replica = settings.replica()?;
    // A command that runs beside the service does not migrate: a newer schema would keep the older service from
    // restarting.
    options.migrate = false;
    options.create = false;
    change(&mut options);
    Store::open(&settings.database_url, options).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_option_in_the_place_of_the_field() {
        let wrong = |key: &str| Violation::invalid(key, format!("{key} must be right, and {key} is not"));
        let told = by_option(vec![wrong("display_name"), wrong("wire")], &[("wire", "--wire-to")]);
        assert_eq!(
            told,
            "--display-name must be right, and display_name is not; --wire-to must be right, and wire is not"
        );
    }
}
