//! The commands in groups, as `stipend --help` lists them: by what somebody wants to do.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use super::Cli;

/// Every command, by what it is for.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Try it", &["dev", "world", "listen", "trigger", "verify-signature"]),
    ("Run the service", &["serve", "worker", "health"]),
    ("Keep its store", &["migrate", "copy", "distribute", "backup", "restore", "check", "keys"]),
    (
        "Operate it",
        &["app", "user", "company", "bank", "jobs", "data", "new-hires", "returns", "clock", "audit"],
    ),
    ("Print about it", &["openapi", "compat", "completions", "help"]),
];

/// The command line, with its commands in groups.
pub(super) fn grouped_command_line() -> Command {
    // The command that helps is among the others only in a command line that is built.
    let mut built = Cli::command();
    built.build();
    let groups = command_list(&built);
    Cli::command().help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

fn command_list(command: &Command) -> String {
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (group, names) in GROUPS {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{group}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_default();
            let _ = writeln!(text, "  {name:width$}  {}", wrap_text(&about, width + 4));
        }
        text.push('\n');
    }
    text
}

/// A text in lines of at most a hundred characters, those after the first one indented.
fn wrap_text(text: &str, indent: usize) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > 100 {
            lines.push_str(&line);
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines + &line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut command = Cli::command();
        command.build();
        let mut known: Vec<_> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
        let mut grouped: Vec<_> =
            GROUPS.iter().flat_map(|(_, names)| *names).map(|name| (*name).to_owned()).collect();
        known.sort();
        grouped.sort();
        assert_eq!(known, grouped);
    }

    #[test]
    fn the_help_has_groups_and_no_line_beyond_a_hundred_characters() {
        let help = grouped_command_line().render_help().to_string();
        for (group, _) in GROUPS {
            assert!(help.contains(&format!("{group}:\n")), "{help}");
        }
        assert!(
            help.contains("Options:") && help.contains("Examples:") && !help.contains("Commands:"),
            "{help}"
        );
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}
