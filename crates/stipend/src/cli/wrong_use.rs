//! The message for an invalid command line: one line with what is wrong, what was probably meant, and where to read
//! more.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// The message for an error of this program.
pub(super) fn usage_error(error: &Error, program: Command) -> String {
    let (path, place) = find_command(program, std::env::args().skip(1));
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    ) && place.has_subcommands()
    {
        let names: Vec<_> =
            place.get_subcommands().map(Command::get_name).filter(|name| *name != "help").collect();
        return format!(
            "a command is missing: {path} <COMMAND>, one of {}; {path} --help tells more",
            names.join(", ")
        );
    }
    // The error itself comes before the first empty line; the rest is a screen of usage.
    let text = error.to_string();
    let first: Vec<_> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let first = first.join(" ");
    let meant = suggested_value(error).map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
    format!("{}{meant}; see {path} --help", first.trim_start_matches("error: "))
}

/// The command that the words lead to, as far as they match one, and its full name.
fn find_command(program: Command, words: impl Iterator<Item = String>) -> (String, Command) {
    let (mut path, mut place) = (program.get_name().to_owned(), program);
    for word in words {
        let Some(next) = place.find_subcommand(&word).cloned() else { continue };
        path = format!("{path} {word}");
        place = next;
    }
    (path, place)
}

/// The most similar valid value.
fn suggested_value(error: &Error) -> Option<String> {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    match kinds.into_iter().find_map(|kind| error.get(kind))? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(several) if !several.is_empty() => Some(several.join(" or ")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn program() -> Command {
        let bank = Command::new("bank").subcommand(Command::new("files")).subcommand(Command::new("show"));
        Command::new("stipend")
            .subcommand(Command::new("dev").arg(Arg::new("memory").long("memory")))
            .subcommand(bank)
    }

    #[test]
    fn the_command_is_found_however_the_options_stand() {
        let lead = |words: &[&str]| find_command(program(), words.iter().map(|word| (*word).to_owned())).0;
        assert_eq!(lead(&["--json", "bank", "files", "x"]), "stipend bank files");
        assert_eq!(lead(&["bnak"]), "stipend");
    }

    #[test]
    fn what_is_similar_is_named() {
        let error = program().try_get_matches_from(["stipend", "bnak"]).unwrap_err();
        assert_eq!(suggested_value(&error).as_deref(), Some("bank"));
        let error = program().try_get_matches_from(["stipend", "dev", "--memroy", "x"]).unwrap_err();
        assert_eq!(suggested_value(&error).as_deref(), Some("--memory"));
        let error = program().try_get_matches_from(["stipend", "zzz"]).unwrap_err();
        assert_eq!(suggested_value(&error), None);
    }
}
