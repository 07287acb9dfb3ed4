//! Payments of payrolls: files for the operator's bank, step by step, and what is told of them.

mod accounts;
mod again;
mod asked;
mod crashes;
mod disbursements;
mod expected;
mod gone;
mod hidden;
pub mod in_transit;
mod late;
mod many;
mod partly;
mod partner;
mod pickup;
mod recovery;
mod returned_accounts;
pub mod returns;
mod reversed;
mod settled_once;
mod staged;
mod taxes;
mod taxes_returned;
mod waiting;
mod wires;
mod yearly;

use ach::read::{ReadEntry, read_entries};
use domain::Error;
use domain::access::tokens::Caller;
use domain::datasets;
use domain::money::bank::settings::{self, Debit, Terms};
use domain::money::batches::lifecycle;
use domain::money::files;
use domain::money::funding::{self, Funding, Mode};
use domain::money::ledger::rows;
use domain::money::ledger::rows::{BankFile, FileState, HeldBy};
use domain::money::views::open_items::{self, HeldPayment};
use jiff::civil::time;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

const LIST: &str = "/v1/companies/{company}/ach_transactions";
/// Four in the afternoon in California on Tuesday 16 June: two banking days before the pay date, Thursday.
const CUT_OFF: &str = "2026-06-16T23:00:00Z";
/// After the file of that cut-off was made.
const AFTER: &str = "2026-06-16T23:05:00Z";
/// Routing numbers with a right check digit.
const BANKS: [&str; 2] = ["021000021", "121000248"];

/// A bank that takes files into a folder.
pub async fn bank(world: &World, change: impl FnOnce(&mut Terms)) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    set(world, folder.path(), change).await;
    folder
}

/// A bank, and the accounts of the agencies of all states.
pub async fn bank_and_agencies(world: &World) -> TempDir {
    let folder = bank(world, |_| {}).await;
    let mut rows = String::from("state,name,routing_number,account_number,account_type,source\n");
    for (state, _) in rules::check::STATES {
        rows += &format!("{state},{state} CSPC,062000019,7770001,Checking,letter of 2 March 2026\n");
    }
    let table = folder.path().join(".agencies.csv");
    fs::write(&table, rows).unwrap();
    let import = datasets::import_file(
        &world.app.store,
        "agency-banks",
        &table,
        Some("2026-06-01"),
        false,
        &|_, _| (),
    );
    import.await.unwrap();
    fs::remove_file(&table).unwrap();
    folder
}

/// A bank that debits the operator's account.
async fn offset_bank(world: &World, number: &'static str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let offset = |terms: &mut Terms| {
        (terms.debit, terms.offset_routing) = (Debit::Offset, Some(BANKS[0].to_owned()));
    };
    put(world, folder.path(), offset, Some(number)).await;
    folder
}

async fn set(world: &World, folder: &Path, change: impl FnOnce(&mut Terms)) {
    put(world, folder, change, None).await;
}

async fn put(
    world: &World,
    folder: &Path,
    change: impl FnOnce(&mut Terms),
    offset_account: Option<&'static str>,
) {
    let mut terms = Terms {
        company_id: "1999999999".into(),
        company_name: None,
        bank_routing: "091000019".into(),
        bank_name: "FIRST EXAMPLE BANK".into(),
        origin: " 091000019".into(),
        origin_name: "STIPEND".into(),
        first_modifier: 'A',
        folder: folder.display().to_string(),
        cut_off: time(16, 0, 0, 0),
        same_day: false,
        debit: Debit::Company,
        offset_routing: None,
        file_limit: None,
        company_limit: None,
        day_limit: None,
        approval_above: None,
        wire: None,
        deposit_taxes: false,
    };
    change(&mut terms);
    let put = world.app.store.write(move |tx| settings::replace_settings(tx, &terms, offset_account));
    put.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
}

/// A company in Texas whose bank account is verified, which pays every other week; the payroll of 1 to 14 June 2026.
pub async fn employer(world: &World, number: &str) -> (Company, String, String) {
    let company = world.company().await;
    let location = id_of(&company.location("TX").await);
    let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                           "anchor_end_of_pay_period": "2026-06-14" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    let account = id_of(&company.bank_account(number).await);
    let (first, second) = company.test_deposits(&account).await;
    company.verify(&account, (&first, &second)).await.is(200);
    let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
    let payroll = text(&periods[0]["payroll"], "payroll_uuid");
    (company, location, payroll)
}

/// An employee who is paid 2,000.00 into an account.
pub async fn paid(company: &Company, location: &str, name: &str, number: &str) -> (String, String) {
    let (id, _) = company.onboarded(name, location, ("52000.00", "Year", "Exempt")).await;
    let account = add_account(company, &id, number).await;
    (id, account)
}

/// A world of its own with a bank, and a company in it that pays one employee: the world, the bank's folder, the company and its payroll.
pub async fn one_paid(
    engine: Engine,
    change: impl FnOnce(&mut Terms),
    number: &str,
) -> (World, TempDir, Company, String) {
    let world = engine.own_world().await;
    let folder = bank(&world, change).await;
    let (company, location, payroll) = employer(&world, number).await;
    paid(&company, &location, "Ana", "1111222233").await;
    (world, folder, company, payroll)
}

async fn add_account(company: &Company, employee: &str, number: &str) -> String {
    let bank = BANKS[number.len() % 2];
    let account = json!({ "name": "Main", "routing_number": bank, "account_number": number, "account_type": "Checking" });
    id_of(&company.post(format!("/v1/employees/{employee}/bank_accounts"), account).await.created())
}

/// The payments that are held individually.
pub async fn held_payments(world: &World) -> Vec<HeldPayment> {
    let listed = world.app.store.read(|tx| open_items::held_payments(tx, 10)).await;
    listed.unwrap_or_else(|error: Error| panic!("{error:?}"))
}

/// Calculates, submits, and waits until the file of the cut-off was made.
pub async fn run(company: &Company, payroll: &str) {
    company.calculate(payroll).await;
    company.submit(payroll).await;
    company.world.wait_until(AFTER.parse().unwrap()).await;
}

/// The files in a folder that the bank's tool sees, by name.
pub fn files_in(folder: &Path) -> Vec<(String, String)> {
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let seen = all.filter(|entry| entry.file_type().unwrap().is_file());
    let mut files: Vec<_> = seen
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

/// The entries of the only file of a folder.
fn only(folder: &Path) -> Vec<ReadEntry> {
    let files = files_in(folder);
    assert_eq!(files.len(), 1, "{:?}", files.iter().map(|(name, _)| name).collect::<Vec<_>>());
    read_entries(&files[0].1).unwrap()
}

/// On which days the batches of a file move money, year first.
fn effective(text: &str) -> Vec<String> {
    text.lines().filter(|line| line.starts_with('5')).map(|line| line[69..75].to_owned()).collect()
}

/// How often an event was told of a payroll.
pub async fn told(company: &Company, event: &str, payroll: &str) -> usize {
    let events = company.get(format!("/v1/events?event_type={event}&limit=100")).await.list();
    events.iter().filter(|one| one["entity_uuid"] == payroll).count()
}

/// Type, direction, status and amount of each transaction.
async fn transactions(company: &Company, query: &str) -> Vec<[String; 4]> {
    let list = company.get(format!("{LIST}{query}")).await.list();
    let essence = |one: &Value| {
        ["transaction_type", "payment_direction", "payment_status", "amount"].map(|field| text(one, field))
    };
    list.iter().map(essence).collect()
}

/// Says what the credits of a company wait for.
pub async fn fund(company: &Company, mode: Mode, days: i64) {
    let id = company.id;
    let put = company.world.app.store.write(move |tx| {
        if let Some(mut bank) =
            settings::find_settings(tx)?.filter(|bank| mode == Mode::Wire && bank.terms.wire.is_none())
        {
            bank.terms.wire = Some(wires::to());
            settings::replace_settings(tx, &bank.terms, None)?;
        }
        let caller = Caller::for_operator(id, jiff::tz::TimeZone::UTC);
        funding::store_funding(tx, &caller, Funding { mode, days })
    });
    put.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
}

async fn held(world: &World) -> Vec<String> {
    let found = world
        .app
        .store
        .read(|tx| rows::held_batches(tx, 10))
        .await
        .unwrap_or_else(|error: Error| panic!("{error:?}"));
    found.into_iter().map(|one| one.batch.reason.unwrap()).collect()
}

/// Lets what is held go on, as the operator does, and waits for the next file.
pub async fn retry(world: &World) {
    let done = world.app.store.write(|tx| lifecycle::retry_held_batches(tx, 100)).await;
    done.unwrap_or_else(|error: Error| panic!("{error:?}"));
    world.wait(jiff::Span::new().minutes(5)).await;
}

pub async fn all_files(world: &World) -> Vec<BankFile> {
    let found = world.app.store.read(|tx| rows::list_files(tx, 100, 0)).await;
    found.unwrap_or_else(|error: Error| panic!("{error:?}"))
}

#[test]
fn the_file_of_a_payroll_pays_each_split_account_from_the_employers() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, first) = paid(&company, &location, "Ana", "1111222233").await;
        let second = add_account(&company, &ana, "44445555666").await;
        let method = company.get(format!("/v1/employees/{ana}/payment_method")).await.ok();
        let splits = json!([{ "uuid": first, "priority": 1, "split_amount": 50000 },
                            { "uuid": second, "priority": 2, "split_amount": null }]);
        let body = json!({ "version": method["version"], "type": "Direct Deposit", "split_by": "Amount", "splits": splits });
        company.put(format!("/v1/employees/{ana}/payment_method"), body).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        let told_of =
            company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=totals")).await.ok();
        let net = text(&told_of["totals"], "net_pay_debit");

        // Until the deadline it can be cancelled, and there is no file.
        world.wait_until(CUT_OFF.parse::<jiff::Timestamp>().unwrap() - jiff::Span::new().seconds(1)).await;
        assert!(files_in(folder.path()).is_empty());
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 0);
        world.wait_until(AFTER.parse().unwrap()).await;
        let entries = only(folder.path());
        let cents = |entry: &ReadEntry| (entry.kind.clone(), entry.code, entry.account.clone(), entry.cents);
        let rest = (net.parse::<f64>().unwrap() * 100.0).round() as u64 - 50_000;
        let mut found: Vec<_> = entries.iter().map(cents).collect();
        found.sort();
        let expected = [
            ("CCD".to_owned(), 27, "90126600418".to_owned(), rest + 50_000),
            ("PPD".to_owned(), 22, "1111222233".to_owned(), 50_000),
            ("PPD".to_owned(), 22, "44445555666".to_owned(), rest),
        ];
        assert_eq!(found, expected);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);

        let list = transactions(&company, "").await;
        assert_eq!(list.len(), 3, "{list:?}");
        assert!(list.iter().all(|one| one[2] == "submitted"), "{list:?}");
        let debit = transactions(&company, "?payment_direction=debit").await;
        assert_eq!(debit, [["Debit employer", "debit", "submitted", net.as_str()].map(str::to_owned)]);
        let credits = transactions(&company, "?transaction_type=Credit%20employee%20pay").await;
        assert_eq!(credits.len(), 2);
        let all = company.get(format!("{LIST}?payroll_uuid={payroll}")).await;
        let whole = all.text();
        assert!(!whole.contains("1111222233") && !whole.contains("44445555666"), "{whole}");
        // What nobody returned in time has gone through; nothing more is sent or told.
        world.wait(jiff::Span::new().hours(240)).await;
        assert!(transactions(&company, "").await.iter().all(|one| one[2] == "successful"));
        assert_eq!((files_in(folder.path()).len(), told(&company, "payroll.paid", &payroll).await), (1, 1));
        let other = world.company().await;
        assert!(other.get(format!("{LIST}?payroll_uuid={payroll}")).await.list().is_empty());
    });
}

#[test]
fn without_a_bank_nothing_is_generated_and_payrolls_are_paid_on_their_pay_dates() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 0);
        world.wait_until("2026-06-18T06:00:00Z".parse().unwrap()).await;
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
        assert!(company.get(LIST).await.list().is_empty());
    });
}

#[test]
fn a_payroll_that_is_cancelled_leaves_no_file() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.put(format!("/v1/companies/{{company}}/payrolls/{payroll}/cancel"), json!({})).await.ok();
        world.wait_until(AFTER.parse().unwrap()).await;
        assert!(files_in(folder.path()).is_empty() && company.get(LIST).await.list().is_empty());
    });
}

#[test]
fn those_who_are_paid_by_check_are_in_no_file() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
        run(&company, &payroll).await;
        assert!(files_in(folder.path()).is_empty() && company.get(LIST).await.list().is_empty());
        world.wait_until("2026-06-18T06:00:00Z".parse().unwrap()).await;
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn two_agencies_are_paid_where_their_banks_are_known_and_else_by_the_employer() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let table = folder.path().join(".agencies.csv");
        let rows = "state,name,routing_number,account_number,account_type,source\n\
                    AL,ALABAMA CSPC,062000019,7770001,Checking,letter of 2 March 2026\n\
                    OH,OHIO CSPC,041000124,7770002,Checking,letter of 2 March 2026\n";
        fs::write(&table, rows).unwrap();
        let import = datasets::import_file(
            &world.app.store,
            "agency-banks",
            &table,
            Some("2026-06-01"),
            false,
            &|_, _| (),
        );
        import.await.unwrap();
        fs::remove_file(&table).unwrap();
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, _) = paid(&company, &location, "Ana", "1111222233").await;
        for (state, fips, case, dollars) in
            [("AL", "01000", "AL-77", 120), ("OH", "39000", "OH-5", 60), ("TX", "48000", "TX-9", 40)]
        {
            let body = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50",
                               "deduct_as_percentage": true, "pay_period_maximum": dollars,
                               "child_support": { "state": state, "payment_period": "Every other week", "fips_code": fips,
                                                  "case_number": case, "order_number": case, "remittance_number": case } });
            company.post(format!("/v1/employees/{ana}/garnishments"), body).await.created();
        }
        run(&company, &payroll).await;
        let entries = only(folder.path());
        let support: Vec<_> = entries.iter().filter(|entry| !entry.addenda.is_empty()).collect();
        let accounts: Vec<_> = support.iter().map(|entry| (entry.account.as_str(), entry.cents)).collect();
        assert_eq!(accounts, [("7770001", 12_000), ("7770002", 6_000)]);
        assert!(support.iter().all(|entry| entry.kind == "CCD"));
        let told = &support[0].addenda[0];
        assert!(told.contains("DED*CS*AL-77*260618*12000*") && !told.contains('X'), "{told}");
        let remittances = company.get("/v1/companies/{company}/child_support_remittances").await.list();
        let of = |case: &str| {
            remittances.iter().find(|one| one["case_number"] == case).unwrap()["remittance"].clone()
        };
        assert_eq!(
            [of("AL-77"), of("OH-5"), of("TX-9")],
            ["automatic", "automatic", "manual"].map(|word| json!(word))
        );
        // What the employer pays itself is told so from the calculation on, and it is not debited for it.
        let told =
            company.get(format!("/v1/companies/{{company}}/payrolls/{payroll}?include=totals")).await.ok();
        assert_eq!(told["totals"]["child_support_debit"], "180.00");
        let orders = company.get(format!("/v1/employees/{ana}/garnishments")).await.list();
        let of_texas = orders.iter().find(|one| one["child_support"]["case_number"] == "TX-9").unwrap();
        assert_eq!(
            (&of_texas["remittance"], &of_texas["remittance_reason"]),
            (&json!("manual"), &json!("no_account_of_agency"))
        );
        let debit = transactions(&company, "?payment_direction=debit").await;
        let credits: u64 = entries.iter().filter(|entry| !entry.is_debit()).map(|entry| entry.cents).sum();
        assert_eq!(debit[0][3], format!("{}.{:02}", credits / 100, credits % 100));
    });
}

#[test]
fn two_companies_share_the_file_of_a_cut_off_and_see_nothing_of_each_other() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (one, place, first) = employer(&world, "90126600418").await;
        paid(&one, &place, "Ana", "1111222233").await;
        let (two, place, second) = employer(&world, "80126600419").await;
        paid(&two, &place, "Max", "2222333344").await;
        for (company, payroll) in [(&one, &first), (&two, &second)] {
            company.calculate(payroll).await;
            company.submit(payroll).await;
        }
        world.wait_until(AFTER.parse().unwrap()).await;
        let traces: Vec<_> = only(folder.path()).into_iter().map(|entry| entry.trace).collect();
        assert_eq!(traces, ["1", "2", "3", "4"].map(|n| format!("09100001000000{n}")));
        assert_eq!(
            (told(&one, "payroll.paid", &first).await, told(&two, "payroll.paid", &second).await),
            (1, 1)
        );
        assert_eq!(one.get(LIST).await.list().len(), 2);
    });
}

#[test]
fn credits_wait_for_the_debit_where_a_company_is_set_so() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        fund(&company, Mode::Debit, 2).await;
        run(&company, &payroll).await;
        // The debit alone; it settles on Wednesday 17 June, and two banking days later, without Juneteenth, is Monday 22 June.
        assert_eq!(only(folder.path()).iter().map(|entry| entry.code).collect::<Vec<_>>(), [27]);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 0);
        world.wait_until("2026-06-22T06:59:00Z".parse().unwrap()).await;
        assert_eq!(files_in(folder.path()).len(), 1);
        world.wait_until("2026-06-22T08:00:00Z".parse().unwrap()).await;
        let files = files_in(folder.path());
        assert_eq!((files.len(), told(&company, "payroll.paid", &payroll).await), (2, 1));
        let credit = read_entries(&files[1].1).unwrap();
        assert_eq!(credit.iter().map(|entry| entry.code).collect::<Vec<_>>(), [22]);
        // Traces go on from file to file.
        assert_eq!(credit[0].trace, "091000010000002");
    });
}

#[test]
fn a_company_without_a_verified_account_is_held_until_it_has_one() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let company = world.company().await;
        let location = id_of(&company.location("TX").await);
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                               "anchor_end_of_pay_period": "2026-06-14" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        paid(&company, &location, "Ana", "1111222233").await;
        let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
        let payroll = text(&periods[0]["payroll"], "payroll_uuid");
        run(&company, &payroll).await;
        assert!(files_in(folder.path()).is_empty());
        assert_eq!(held(&world).await, [HeldBy::NoCompanyAccount.reason_text()]);
        assert_eq!(transactions(&company, "").await[0][2], "unsubmitted");
        let told_of = company.get("/v1/companies/{company}/notifications").await.list();
        assert_eq!(
            (&told_of[0]["category"], &told_of[0]["title"]),
            (&json!("bank_account"), &json!("Add a bank account: payments are held"))
        );
        let notice = format!("/v1/notifications/{}", text(&told_of[0], "uuid"));
        assert_eq!(company.get(&notice).await.ok(), told_of[0]);
        let account = id_of(&company.bank_account("90126600418").await);
        let (first, second) = company.test_deposits(&account).await;
        company.verify(&account, (&first, &second)).await.is(200);
        // Nobody has to do anything about it.
        world.wait(jiff::Span::new().minutes(5)).await;
        assert_eq!(only(folder.path()).len(), 2);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn credits_beyond_a_limit_are_held_and_a_large_file_waits_for_a_second_pair_of_eyes() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |terms| terms.company_limit = Some(100_000)).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let limit = "its credits exceed the limit of a company on one day";
        assert_eq!(held(&world).await, [limit; 2], "the debit stays back with the credits that it pays for");
        assert!(files_in(folder.path()).is_empty());
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 0);
        set(&world, folder.path(), |terms| terms.approval_above = Some(100_000)).await;
        retry(&world).await;
        let waiting = all_files(&world)
            .await
            .into_iter()
            .find(|file| file.state == FileState::AwaitingApproval)
            .unwrap();
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 0);
        let id = waiting.id;
        let nobody = world.app.store.write(move |tx| files::approve_file(tx, id, " ")).await;
        assert!(matches!(nobody, Err(Error::Violations(_))));
        let approved = world.app.store.write(move |tx| files::approve_file(tx, id, "Ann Lee")).await;
        assert_eq!(approved.unwrap_or_else(|error: Error| panic!("{error:?}")).state, FileState::Recorded);
        world.wait(jiff::Span::new().minutes(1)).await;
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn a_file_that_the_bank_does_not_have_is_taken_back_and_made_again() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let file = all_files(&world).await.remove(0);
        files::void_file(&world.app.store, file.id).await.unwrap();
        assert!(files_in(folder.path()).is_empty());
        assert_eq!(transactions(&company, "").await[0][2], "unsubmitted");
        retry(&world).await;
        assert_eq!(only(folder.path()).len(), 2);
        assert_eq!(told(&company, "payroll.paid", &payroll).await, 1, "it was told before");
        // The bank's tool takes the second one: it cannot be taken back.
        let second = all_files(&world).await.remove(0);
        fs::remove_file(folder.path().join(&second.name)).unwrap();
        assert!(matches!(files::void_file(&world.app.store, second.id).await, Err(Error::Violations(_))));
    });
}
