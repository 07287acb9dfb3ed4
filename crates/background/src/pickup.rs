//! Runs the operator's command on a bank file.
//!
//! The command gets no shell and no input; its environment contains only the file's path and digest. After five minutes it is killed, with
//! the processes that it has started. Its output is logged, up to a limit.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use domain::error::Error;
use domain::money::files::pickup::{self, Handed};
use rustix::process::{Pid, Signal, kill_process_group};
use store::{Clock, Store};
use uuid::Uuid;

/// How long the command may take.
const LONGEST: Duration = Duration::from_secs(300);
/// Bytes that are kept of each of the two output streams.
const MOST_OUTPUT: u64 = 4 << 10;
/// Interval at which its exit is polled.
const LOOK: Duration = Duration::from_millis(20);
/// How long to wait for its output once it has ended: a process that it started may still hold the stream.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the command on a written file, unless it has taken the file already.
///
/// # Errors
/// Why it failed, so that it is retried; a store error.
pub(crate) async fn run_pickup_command(store: &Store, file: Uuid, command: &[String]) -> Result<(), Error> {
    let Some(handed) = store.write(move |tx| pickup::begin_pickup(tx, file)).await? else { return Ok(()) };
    let stop = Stop::default();
    let (line, told, stopped) = (command.to_vec(), handed.clone(), Arc::clone(&stop.0));
    let ended = tokio::task::spawn_blocking(move || run_command(&line, &told, LONGEST, &stopped)).await;
    let outcome = ended.unwrap_or_else(|error| Err(error.to_string()));
    let noted = outcome.clone();
    store.write(move |tx| pickup::end_pickup(tx, file, &noted)).await?;
    match outcome {
        Ok(()) => {
            tracing::info!(file = %handed.path.display(), digest = handed.digest, "the command has taken the file");
            Ok(())
        }
        Err(why) => {
            metrics::counter!("bank_pickups_failed_total").increment(1);
            Err(Error::internal(format!("the command has not taken {}: {why}", handed.path.display())))
        }
    }
}

/// Kills the command when nobody waits for it any more.
#[derive(Default)]
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a command to its end, or up to a time limit.
fn run_command(
    command: &[String],
    handed: &Handed,
    longest: Duration,
    stopped: &AtomicBool,
) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("the setting bank_pickup names no command on this node".to_owned());
    };
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("STIPEND_BANK_FILE", &handed.path)
        .env("STIPEND_BANK_FILE_SHA256", &handed.digest)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Its child processes belong to its group, and end with it.
        .process_group(0)
        .spawn()
        .map_err(|error| format!("{program} cannot be run: {error}"))?;
    let printed = [read_output(child.stdout.take()), read_output(child.stderr.take())];
    let ended = await_end(&mut child, longest, stopped);
    kill_process_tree(&child);
    let status = ended.inspect_err(|_| {
        child.wait().ok();
    });
    let [stdout, stderr] = printed.map(|stream| stream.recv_timeout(PATIENCE).unwrap_or_default());
    tracing::info!(program, stdout, stderr, "the command for files of the bank has ended");
    check_exit_status(status?)
}

fn await_end(child: &mut Child, longest: Duration, stopped: &AtomicBool) -> Result<ExitStatus, String> {
    let until = Clock::monotonic() + longest;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Err(error) => return Err(format!("waiting for it failed: {error}")),
            Ok(None) if stopped.load(Ordering::Relaxed) => {
                return Err("the service stopped while it ran".to_owned());
            }
            Ok(None) if Clock::monotonic() >= until => {
                return Err(format!("it took longer than {} s and was killed", longest.as_secs_f32()));
            }
            Ok(None) => thread::sleep(LOOK),
        }
    }
}

/// Kills a command with all its child processes; no-op if all have ended.
fn kill_process_tree(child: &Child) {
    kill_process_group(Pid::from_child(child), Signal::KILL).ok();
}

fn check_exit_status(status: ExitStatus) -> Result<(), String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(code), _) => Err(format!("it ended with status {code}")),
        (None, signal) => Err(format!("it was ended by signal {}", signal.unwrap_or(0))),
    }
}

/// The beginning of a stream, once it ends; the rest is read and discarded, so that the writer never blocks.
fn read_output(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let Some(mut stream) = stream else { return };
        let mut kept = Vec::new();
        let read = stream.by_ref().take(MOST_OUTPUT).read_to_end(&mut kept);
        let more = read.and_then(|_| io::copy(&mut stream, &mut io::sink())).unwrap_or(0);
        let mut text = String::from_utf8_lossy(&kept).trim_end().to_owned();
        if more > 0 {
            text.push('…');
        }
        send.send(text).ok();
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    struct Script {
        folder: tempfile::TempDir,
        command: Vec<String>,
    }

    /// A command with these lines. It is read by a shell, because a program that another process still has open for writing cannot be
    /// executed.
    fn script(lines: &str) -> Script {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().display();
        fs::write(folder.path().join("take"), lines).unwrap();
        let command = ["/bin/sh", &format!("{at}/take"), "two words; rm", &at.to_string()];
        let command = command.map(str::to_owned).to_vec();
        Script { folder, command }
    }

    fn handed() -> Handed {
        Handed { path: PathBuf::from("/var/spool/bank/a file.ach"), digest: "12ab".to_owned() }
    }

    fn run(script: &Script, longest: Duration) -> Result<(), String> {
        run_command(&script.command, &handed(), longest, &AtomicBool::new(false))
    }

    fn text(script: &Script, name: &str) -> String {
        fs::read_to_string(script.folder.path().join(name)).unwrap()
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_command_gets_its_arguments_unchanged_and_only_the_file_in_its_environment() {
        let script = script(
            "echo \"$1|$STIPEND_BANK_FILE|$STIPEND_BANK_FILE_SHA256|$HOME|$CARGO\" > \"$2/said\"; cat > \"$2/input\"",
        );
        run(&script, LONG).unwrap();
        assert_eq!(text(&script, "said"), "two words; rm|/var/spool/bank/a file.ach|12ab||\n");
        assert_eq!(text(&script, "input"), "");
    }

    #[test]
    fn the_errors_of_failed_and_missing_commands_are_clear() {
        assert_eq!(run(&script("exit 3"), LONG), Err("it ended with status 3".to_owned()));
        assert_eq!(run(&script("kill -9 $$"), LONG), Err("it was ended by signal 9".to_owned()));
        let nowhere = ["/nowhere/at/all".to_owned()];
        let missing = run_command(&nowhere, &handed(), LONG, &AtomicBool::new(false)).unwrap_err();
        assert!(missing.contains("/nowhere/at/all"), "{missing}");
        let none = run_command(&[], &handed(), LONG, &AtomicBool::new(false)).unwrap_err();
        assert!(none.contains("bank_pickup"), "{none}");
    }

    /// Whether a process exists.
    fn lives(process: &str) -> bool {
        let status = fs::read_to_string(Path::new("/proc").join(process.trim()).join("status"));
        status.is_ok_and(|text| !text.contains("State:\tZ"))
    }

    #[test]
    fn a_command_that_hangs_is_killed_with_its_child_processes() {
        let script = script("sleep 600 & echo $! > \"$2/child\"; echo $$ > \"$2/own\"; wait");
        let why = run(&script, Duration::from_millis(500)).unwrap_err();
        assert!(why.contains("longer than 0.5 s"), "{why}");
        assert!(!lives(&text(&script, "own")));
        for _ in 0..100 {
            if !lives(&text(&script, "child")) {
                return;
            }
            thread::sleep(LOOK);
        }
        panic!("its child process still runs");
    }

    #[test]
    fn a_command_is_killed_when_the_service_stops() {
        let why =
            run_command(&script("sleep 600").command, &handed(), LONG, &AtomicBool::new(true)).unwrap_err();
        assert_eq!(why, "the service stopped while it ran");
    }

    #[test]
    fn the_beginning_of_the_output_is_kept_and_the_rest_never_blocks() {
        run(&script("head -c 3000000 /dev/zero | tr '\\0' x; echo done > \"$2/end\""), LONG).unwrap();
        let long = read_output(Some(io::Cursor::new(vec![b'x'; 1 << 20]))).recv().unwrap();
        assert_eq!(long.len() as u64, MOST_OUTPUT + '…'.len_utf8() as u64);
        assert_eq!(read_output(Some(io::Cursor::new(b"short\n".to_vec()))).recv().unwrap(), "short");
    }

    #[test]
    fn a_process_that_leaves_the_group_and_holds_the_streams_is_not_awaited() {
        let began = Clock::monotonic();
        run(&script("setsid sleep 20 & exit 0"), LONG).unwrap();
        assert!(Clock::monotonic().saturating_sub(began) < Duration::from_secs(15));
    }
}
