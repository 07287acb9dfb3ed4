//! What must stay inside: Social Security numbers, account numbers, dates of birth and tokens. They are planted through
//! the interface, and then everything that leaves the service or lies in its store is searched for them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;

use crate::sources;
use crate::support::{Answer, Company, Engine, World, id_of, on_both_engines};

const PEOPLE: u32 = 50;

/// What was logged while [`RECORDING`] was on, by whichever test.
static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static RECORDING: AtomicBool = AtomicBool::new(false);

struct Recorder;

impl io::Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if RECORDING.load(Ordering::Relaxed) {
            LOG.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Recorder {
    type Writer = Self;
    fn make_writer(&self) -> Self {
        Self
    }
}

/// Begins to keep what is logged, down to the last detail.
fn record_the_log() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(|| Recorder)
            .init();
    });
    RECORDING.store(true, Ordering::Relaxed);
}

fn take_the_log() -> String {
    RECORDING.store(false, Ordering::Relaxed);
    String::from_utf8_lossy(&std::mem::take(&mut *LOG.lock().unwrap_or_else(PoisonError::into_inner)))
        .into_owned()
}

/// The SSN and the date of birth of person `n`; no other value of these tests looks like one of them.
fn secrets_of(n: u32) -> (String, String) {
    let ssn = format!("{}{}{}", 301 + 7 * n, 12 + n, 7_019 + 31 * n);
    (ssn, format!("19{}-{:02}-{:02}", 41 + n, 1 + n % 12, 1 + n % 28))
}

/// The account of person `n`.
fn account_of(n: u32) -> String {
    format!("83{}", 6_104_500_731 + 1_000_003 * u64::from(n))
}

fn dashed(ssn: &str) -> String {
    format!("{}-{}-{}", &ssn[..3], &ssn[3..5], &ssn[5..])
}

/// Everything that was answered.
struct Heard(String);

impl Heard {
    fn note(&mut self, answer: Answer) -> Answer {
        self.0 += &answer.everything();
        answer
    }
}

/// Employs a person, and does with the record what clients do, right and wrong.
async fn live_with(company: &Company, n: u32, heard: &mut Heard) {
    let (ssn, birth) = secrets_of(n);
    let employees = "/v1/companies/{company}/employees";
    let body = json!({ "first_name": "Ana", "last_name": "Lee", "ssn": ssn, "date_of_birth": birth, "self_onboarding": true });
    let call = company.call("POST", employees).header("idempotency-key", format!("hire-{n}"));
    let id = id_of(&heard.note(call.json(&body).send().await).created());
    let path = format!("/v1/employees/{id}");
    for path in [path.clone(), format!("{path}/onboarding_status"), format!("{employees}?search_term={ssn}")]
    {
        heard.note(company.get(path).await).is(200);
    }
    let version = company.read("employees", &id).await["version"].clone();
    let (wrong, other) = (format!("9{}", &ssn[1..]), secrets_of(n + 1).0);
    let number: u64 = ssn.parse().unwrap();
    let bodies = [
        json!({ "version": "stale", "ssn": other, "date_of_birth": birth }),
        json!({ "version": version, "ssn": wrong }),
        json!({ "version": version, "ssn": number }),
        json!({ "version": version, "ssn": dashed(&ssn) }),
        json!({ "version": version, "ssn": [ssn], "date_of_birth": { "day": birth } }),
        json!({ "version": version, "first_name": ssn, "email": ssn, "date_of_birth": ssn }),
        json!({ "ssn": ssn, "date_of_birth": birth }),
    ];
    for body in bodies {
        let answer = heard.note(company.put(&path, body).await);
        assert!(answer.status.is_client_error(), "{}", answer.text());
    }
    for broken in [
        format!("{{\"ssn\": {ssn}"),
        format!("{{\"ssn\": \"{ssn}\", \"ssn\": \"{ssn}\"}}"),
        ssn.clone(),
        format!("[\"{ssn}\"]"),
    ] {
        heard.note(company.call("PUT", &path).raw(broken).send().await).is(400);
    }
    heard.note(company.get(format!("/v1/employees/{ssn}")).await).is(404);
    heard.note(company.get(format!("{path}?include={ssn}")).await).is(422);
    heard.note(company.call("DELETE", format!("/v1/jobs/{ssn}")).body(ssn.clone()).send().await).is(415);
    // The same key with another body, the right update, and the same SSN a second time.
    let call = company.call("POST", employees).header("idempotency-key", format!("hire-{n}"));
    heard.note(call.json(&json!({ "ssn": other })).send().await).is(422);
    heard
        .note(company.put(&path, json!({ "version": version, "ssn": ssn, "date_of_birth": birth })).await)
        .is(200);
    live_with_an_account(company, n, &path, heard).await;
    if n.is_multiple_of(10) {
        let twin = json!({ "first_name": "Ann", "last_name": "Lee", "ssn": ssn });
        heard.note(company.post(employees, twin).await).is(201);
        heard.note(company.get(format!("{path}/onboarding_status")).await).is(200);
        heard.note(company.world.call("GET", company.link(&id).await).send().await).is(303);
        heard.note(company.delete(&path).await).is(204);
    }
}

/// Gives the person of a record an account, right and wrong.
async fn live_with_an_account(company: &Company, n: u32, path: &str, heard: &mut Heard) {
    let (accounts, number) = (format!("{path}/bank_accounts"), account_of(n));
    let digits: u64 = number.parse().unwrap();
    let body = |number: Value| json!({ "name": "Household", "routing_number": "021001208", "account_number": number, "account_type": "Checking" });
    let call = company.call("POST", &accounts).header("idempotency-key", format!("account-{n}"));
    let made = heard.note(call.json(&body(number.as_str().into())).send().await).created();
    let call = company.call("POST", &accounts).header("idempotency-key", format!("account-{n}"));
    heard.note(call.json(&body(account_of(n + 1).into())).send().await).is(422);
    for wrong in
        [json!(digits), json!([number]), json!(format!("{number}{number}")), json!(format!("{number}x"))]
    {
        heard.note(company.post(&accounts, body(wrong)).await).is(422);
    }
    let mut swapped = body(number.as_str().into());
    swapped["routing_number"] = number.as_str().into();
    heard.note(company.post(&accounts, swapped).await).is(422);
    heard
        .note(company.put(format!("{accounts}/{}", id_of(&made)), body(number.as_str().into())).await)
        .is(200);
    for path in [accounts, format!("{path}/payment_method"), format!("{path}/forms")] {
        heard.note(company.get(path).await).is(200);
    }
}

/// What must not be found, with a name that can be shown.
pub type Secret = (String, String);

/// Fails with the name of the secret that was found, not with the secret. Text and, as stores write bytes that are
/// no text, hexadecimal digits are both looked at.
pub fn search(place: &str, bytes: &[u8], secrets: &[Secret]) {
    let mut by_length: BTreeMap<usize, HashMap<Vec<u8>, &str>> = BTreeMap::new();
    for (name, secret) in secrets {
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        for form in [secret.clone(), hex] {
            by_length.entry(form.len()).or_default().insert(form.into_bytes(), name);
        }
    }
    for (length, forms) in by_length {
        let first: HashSet<u8> = forms.keys().map(|form| form[0]).collect();
        let mut wanted = [false; 256];
        first.into_iter().for_each(|byte| wanted[usize::from(byte)] = true);
        for window in bytes.windows(length).filter(|window| wanted[usize::from(window[0])]) {
            assert!(!forms.contains_key(window), "{} is in {place}", forms[window]);
        }
    }
}

/// Every byte that the store keeps.
pub fn everything_stored(world: &World) -> Vec<(String, Vec<u8>)> {
    if let Some(folder) = world.folder() {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        return files.map(|file| (file.display().to_string(), std::fs::read(&file).unwrap())).collect();
    }
    let ask = |sql: &str| {
        let output =
            Command::new(psql()).args(["-X", "-A", "-t", "-d", world.url(), "-c", sql]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let tables =
        String::from_utf8(ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).unwrap();
    let dump = |table: &str| (table.to_owned(), ask(&format!("SELECT CAST(t AS text) FROM \"{table}\" t")));
    tables.lines().map(dump).collect()
}

fn psql() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let packaged = folders.map(|entry| entry.path().join("bin/psql")).find(|file| file.is_file());
    packaged.unwrap_or_else(|| Path::new("psql").to_owned())
}

#[test]
fn no_ssn_and_no_token_leaves_the_service_or_lies_open_in_its_store() {
    on_both_engines(async |engine: Engine| {
        record_the_log();
        let world = engine.own_world_with(|setup| setup.settings.behind_proxy = true).await;
        let company = world.company().await;
        let mut heard = Heard(String::new());
        for n in 0..PEOPLE {
            live_with(&company, n, &mut heard).await;
        }
        for list in ["", "?per=100", "?sort_by=name", "?include=all_home_addresses,company_name"] {
            heard.note(company.get(format!("/v1/companies/{{company}}/employees{list}")).await).is(200);
        }
        let link = company.link(&id_of(&company.self_onboarding_employee("Bo").await)).await;
        world.call("GET", &link).send().await.is(303);
        world.call("GET", format!("{link}x")).send().await.is(404);
        heard.note(world.call("GET", "/v1/companies").bearer(&world.system_token).send().await);
        let log = take_the_log();

        let mut numbers = Vec::new();
        let mut births = Vec::new();
        for n in 0..PEOPLE {
            let (ssn, birth) = secrets_of(n);
            numbers.push((format!("the SSN of person {n}"), dashed(&ssn)));
            numbers.push((format!("the refused SSN of person {n}"), format!("9{}", &ssn[1..])));
            numbers.push((format!("the SSN of person {n}"), ssn));
            numbers.push((format!("the account of person {n}"), account_of(n)));
            births.push((format!("the date of birth of person {n}"), birth));
        }
        let tokens: Vec<_> = [&company.token, &world.api_token, &world.system_token]
            .into_iter()
            .map(|token| ("a token".to_owned(), token.clone()))
            .chain([("the token of a link".to_owned(), link.replace("/flows/", ""))])
            .collect();
        search("an answer", heard.0.as_bytes(), &numbers);
        search("an answer", heard.0.as_bytes(), &tokens[..3]);
        let hidden = [numbers, births, tokens].concat();
        assert!(log.contains("/v1/employees/{employee_id}"), "the log was kept");
        search("the log", log.as_bytes(), &hidden);
        let stored = everything_stored(&world);
        assert!(stored.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > 100_000);
        for (place, bytes) in stored {
            search(&place, &bytes, &hidden);
        }
    });
}

#[test]
fn what_was_planted_would_be_found() {
    let secrets = [("the SSN".to_owned(), "412551001".to_owned())];
    for hidden in [&b"x\xff412551001\0"[..], b"\\x343132353531303031"] {
        assert!(std::panic::catch_unwind(|| search("a test", hidden, &secrets)).is_err());
    }
    let (mut numbers, mut days): (Vec<_>, Vec<_>) = (0..=PEOPLE).map(secrets_of).unzip();
    assert!(numbers.iter().all(|ssn| ssn.len() == 9) && days.iter().all(|day| day.len() == 10));
    for planted in [&mut numbers, &mut days] {
        planted.sort();
        planted.dedup();
        assert_eq!(planted.len(), 51);
    }
}

/// Fields that hold what nobody may read in a log, wherever they stand.
const SECRET_FIELDS: [&str; 17] = [
    "access_token",
    "account_number",
    "api_token",
    "birthday",
    "client_secret",
    "code_verifier",
    "cookie",
    "date_of_birth",
    "form_token",
    "master_key",
    "metrics_token",
    "password",
    "password_hash",
    "refresh_token",
    "routing_number",
    "ssn",
    "system_access_token",
];

/// The structs of a source whose derived `Debug` shows one of [`SECRET_FIELDS`] in clear: with the field.
fn shown_in_clear(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut derived, mut name) = (false, None);
    for line in source.lines().map(str::trim) {
        if let Some(traits) = line.strip_prefix("#[derive(") {
            derived = traits.contains("Debug");
        } else if let Some((_, rest)) =
            line.split_once("struct ").filter(|(before, _)| !before.contains("//"))
        {
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            name = Some(rest[..end].to_owned()).filter(|_| derived);
            derived = false;
        } else if line == "}" || line.starts_with("impl") || line.contains("enum ") {
            (name, derived) = (None, false);
        }
        let field = line.rsplit_once("pub ").map_or(line, |(_, field)| field);
        let Some((field, holds)) = field.split_once(": ") else { continue };
        // Patches do not show what they hold, constants are no secrets, and sealed bytes are shown to nobody.
        let hidden =
            ["Patch<", "&'static", "Option<Vec<u8>>", "Secret"].iter().any(|kind| holds.starts_with(kind));
        if let Some(name) = name.as_ref().filter(|_| SECRET_FIELDS.contains(&field) && !hidden) {
            found.push((name.clone(), field.to_owned()));
        }
    }
    found
}

#[test]
fn no_type_with_a_secret_derives_a_debug_that_shows_it() {
    let caught =
        shown_in_clear("#[derive(Clone, Debug)]\npub struct Login {\n    pub password: String,\n}\n");
    assert_eq!(caught, [("Login".to_owned(), "password".to_owned())]);
    let mut found = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in ["ach", "returns", "rules", "store", "domain", "background", "interface", "pages", "stipend"]
    {
        for path in sources::files(&crates.join(name).join("src"), "rs") {
            let shown = shown_in_clear(&std::fs::read_to_string(&path).unwrap()).into_iter();
            found.extend(shown.map(|(name, field)| format!("{}: {name}.{field}", path.display())));
        }
    }
    assert!(found.is_empty(), "use store::hidden! for the Debug of\n{}", found.join("\n"));
}

#[test]
fn what_is_formatted_for_a_log_shows_no_secret() {
    use domain::company::banks::commands::CreateAccount;
    use domain::patch::Patch;
    use interface::demo;

    let secret = "903-24-8816";
    let value = || Patch::Value(secret.to_owned());
    let account =
        CreateAccount { routing_number: value(), account_number: value(), account_type: Patch::Absent };
    let user = demo::User {
        email: "ana@payroll.example".to_owned(),
        password: secret.to_owned(),
        role: "primary_admin".to_owned(),
        companies: Vec::new(),
    };
    let application = demo::Application {
        client_id: "register".to_owned(),
        client_secret: secret.to_owned(),
        api_token: secret.to_owned(),
        redirect_uri: "https://pos.example/callback".to_owned(),
    };
    let token = domain::access::tokens::Token { text: secret.to_owned(), hash: [0; 32] };
    let pair = domain::access::oauth::tokens::Pair {
        access: secret.to_owned(),
        refresh: secret.to_owned(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
        scopes: String::new(),
    };
    let answer = interface::access::oauth::wire::TokenAnswer {
        access_token: secret.to_owned(),
        token_type: "Bearer",
        expires_in: 7_200,
        created_at: json!(0),
        refresh_token: Some(secret.to_owned()),
        scope: String::new(),
    };
    let told = [
        format!("{account:?}"),
        format!("{user:?}"),
        format!("{application:?}"),
        format!("{token:?}"),
        format!("{pair:?}"),
        format!("{answer:?}"),
        format!("{:?}", Patch::<String>::Null),
        format!("{:?}", store::MasterKeys::parse(&"5e".repeat(32)).unwrap()),
        format!("{:?}", store::Value::Text(secret)),
    ];
    for text in &told {
        assert!(!text.contains(secret) && !text.contains(&"5e".repeat(32)), "{text}");
    }
    assert!(told[0].contains("Value(***)") && told[0].contains("Absent"), "{}", told[0]);
    assert_eq!(told[6], "Null");
}
