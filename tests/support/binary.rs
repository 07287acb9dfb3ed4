//! The `stipend` binary as a child process: started on a free port, spoken to over plain sockets, stopped by SIGTERM
//! and never left behind.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "each test crate uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// The command, with an environment that names no setting.
pub fn stipend() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stipend"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).stdin(Stdio::null());
    command
}

/// How a command ended.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ended {
    let done = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
}

/// A running service.
pub struct Running {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
    base: String,
    report: Value,
}

/// The metrics token of services that are started with `serve`.
const OPERATOR: &str = "of-the-operator";

impl Running {
    /// `stipend dev --json` on a free port, ready for requests.
    pub fn dev(arguments: &[&str]) -> Self {
        Self::dev_with(arguments, &[])
    }

    /// The same, with these settings.
    pub fn dev_with(arguments: &[&str], settings: &[(&str, &str)]) -> Self {
        Self::dev_logging(arguments, settings, Stdio::inherit())
    }

    /// The same, with its log to `log`.
    pub fn dev_logging(arguments: &[&str], settings: &[(&str, &str)], log: Stdio) -> Self {
        Self::launch(&[&["--without-history"], arguments].concat(), settings, log)
    }

    /// The whole demo world, with the company that has a past.
    pub fn dev_with_history(arguments: &[&str]) -> Self {
        Self::launch(arguments, &[], Stdio::inherit())
    }

    /// The same, with no file allowed to grow beyond so many kilobytes.
    pub fn dev_limited(arguments: &[&str], kilobytes: u64) -> Self {
        let mut command = Command::new("bash");
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).stdin(Stdio::null());
        let script = format!("ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_stipend")]);
        Self::launch_by(command, &[&["--without-history"], arguments].concat(), &[], Stdio::inherit())
    }

    fn launch(arguments: &[&str], settings: &[(&str, &str)], log: Stdio) -> Self {
        Self::launch_by(stipend(), arguments, settings, log)
    }

    fn launch_by(mut command: Command, arguments: &[&str], settings: &[(&str, &str)], log: Stdio) -> Self {
        command.args(["dev", "--json", "--listen", "127.0.0.1:0"]).args(arguments);
        command
            .env("STIPEND_LOG", "warn")
            .env("STIPEND_METRICS_TOKEN", OPERATOR)
            .envs(settings.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let report: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let base = report["base_url"].as_str().unwrap().to_owned();
        Self { child, out, base, report }
    }

    /// `stipend serve` on a store that `dev` filled; `token` and `company` are those of its report.
    pub fn serve(url: &str, key_file: &Path, token: &str, company: &str) -> Self {
        let report = serde_json::json!({ "companies": [{ "uuid": company, "access_token": token }] });
        // The test clock of `dev` may have been ahead of this machine's.
        Self::node(url, key_file, report, &[("STIPEND_CLOCK_MAY_GO_BACK", "true")])
    }

    /// `stipend serve` with these settings on a store that `dev` filled, of which it told `report`.
    pub fn node(url: &str, key_file: &Path, report: Value, settings: &[(&str, &str)]) -> Self {
        // A port that was free a moment ago: serve prints no address.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let base = format!("http://127.0.0.1:{port}");
        let mut command = stipend();
        command.args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--database-url", url]);
        command.env("STIPEND_MASTER_KEY_FILE", key_file).env("STIPEND_LOG", "warn");
        command.env("STIPEND_METRICS_TOKEN", OPERATOR);
        command.envs(settings.iter().copied());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let running = Self { child, out, base, report };
        for _ in 0..400 {
            if TcpStream::connect(running.address()).is_ok() {
                return running;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("stipend serve does not answer");
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    pub fn report(&self) -> &Value {
        &self.report
    }

    pub fn company(&self) -> &str {
        self.report["companies"][0]["uuid"].as_str().unwrap()
    }

    pub fn token(&self) -> &str {
        self.report["companies"][0]["access_token"].as_str().unwrap()
    }

    /// The first employee of the company who is onboarded.
    fn onboarded_employee(&self) -> &str {
        let employees = self.report["companies"][0]["employees"].as_array().unwrap();
        let onboarded = employees.iter().find(|one| one["onboarding_status"] == "onboarding_completed");
        onboarded.unwrap()["uuid"].as_str().unwrap()
    }

    /// What the examples ask for in their environment.
    pub fn journey(&self) -> [(&'static str, String); 5] {
        [
            ("BASE", self.base.clone()),
            ("TOKEN", self.token().to_owned()),
            ("COMPANY", self.company().to_owned()),
            ("EMPLOYEE", self.onboarded_employee().to_owned()),
            ("SYSTEM_TOKEN", self.report()["system_access_token"].as_str().unwrap().to_owned()),
        ]
    }

    /// What the examples of OAuth ask for: the application, and an administrator of the company that is not connected
    /// yet, and of no other.
    pub fn connection(&self) -> Vec<(&'static str, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (application, company) = (&self.report["application"], &self.report["companies"][1]);
        let users = self.report["users"].as_array().unwrap();
        let administers = |user: &&Value| user["companies"] == serde_json::json!([company["uuid"]]);
        let user = users.iter().find(administers).unwrap();
        vec![
            ("BASE", self.base.clone()),
            ("CLIENT_ID", text(&application["client_id"])),
            ("CLIENT_SECRET", text(&application["client_secret"])),
            ("REDIRECT_URI", text(&application["redirect_uri"])),
            ("EMAIL", text(&user["email"])),
            ("PASSWORD", text(&user["password"])),
            ("SIGNATORY", text(&company["signatory_email"])),
        ]
    }

    /// Status and body of a GET with the company's token.
    pub fn get(&self, path: &str) -> (u16, String) {
        self.exchange("GET", path, "")
    }

    /// Status and body of a POST with the company's token.
    pub fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.exchange("POST", path, body)
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        self.base.strip_prefix("http://").unwrap()
    }

    /// The head of a request that ends its connection. `headers` are further lines, each with its end.
    pub fn head(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\n{headers}content-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            self.address(),
            body.len()
        )
    }

    /// The header line of the company's token.
    pub fn authorization(&self) -> String {
        format!("authorization: Bearer {}\r\n", self.token())
    }

    /// Status and body of a call with this Authorization, or why there was no answer.
    pub fn call_as(
        &self,
        authorization: &str,
        method: &str,
        path: &str,
        body: &str,
    ) -> std::io::Result<(u16, String)> {
        let mut stream = TcpStream::connect(self.address())?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        // Why a service is or is not ready it says to its operator alone.
        let operator = format!("Bearer {OPERATOR}");
        let authorization = if path == "/readyz" { &operator } else { authorization };
        let head = self.head(method, path, &format!("authorization: {authorization}\r\n"), body);
        stream.write_all((head + body).as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let cut = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(cut)?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
        Ok((status, body.to_owned()))
    }

    /// The number of the process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended; one that is about to has a moment for it.
    pub fn is_running(&mut self) -> bool {
        std::thread::sleep(Duration::from_millis(5));
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends SIGKILL: the process ends in the middle of whatever it does.
    pub fn kill_hard(&self) {
        let done = Command::new("kill").args(["-KILL", &self.child.id().to_string()]).status().unwrap();
        assert!(done.success());
        // It is gone once none of its threads is left; on a busy machine that takes a moment.
        let tasks = format!("/proc/{}/task", self.child.id());
        for _ in 0..1_000 {
            let state =
                std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
            let ended = state.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.starts_with(" Z"));
            if ended && std::fs::read_dir(&tasks).map_or(0, Iterator::count) <= 1 {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn exchange(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // Why a service is or is not ready it says to its operator alone.
        let operator = format!("authorization: Bearer {OPERATOR}\r\n");
        let authorization = if path == "/readyz" { operator } else { self.authorization() };
        stream.write_all((self.head(method, path, &authorization, body) + body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// A POST of which the last bytes are still to be sent.
    pub fn half_a_post(&self, path: &str, body: &str) -> Half {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let (now, later) = body.split_at(body.len() / 2);
        stream.write_all((self.head("POST", path, &self.authorization(), body) + now).as_bytes()).unwrap();
        Half { stream, rest: later.to_owned() }
    }

    /// Sends SIGTERM.
    pub fn signal(&self) {
        // The child is our own and was not waited for, so its number still names it.
        let done = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// Stops the service; its exit code, and what else it printed.
    pub fn stop(mut self) -> (Option<i32>, String) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal();
        }
        let code = self.child.wait().unwrap().code();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        (code, rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A request that is not finished yet.
pub struct Half {
    stream: TcpStream,
    rest: String,
}

impl Half {
    /// Sends the rest and reads the answer.
    pub fn finish(mut self) -> String {
        self.stream.write_all(self.rest.as_bytes()).unwrap();
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).unwrap();
        answer
    }
}
