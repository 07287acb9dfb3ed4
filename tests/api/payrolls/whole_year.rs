//! A year of a company in two states that is paid by a bank, with what comes back, what was wrong, what is owed and what was missed: at the end of
//! each quarter every sum of it is the same, wherever it is read.

use std::collections::BTreeMap;
use std::path::Path;

use domain::access::tokens::Caller;
use domain::language::Language;
use domain::pay::payrolls::views::stub::pay_stub;
use domain::returns::closing::{self, Period};
use domain::returns::forms::content::Content;
use jiff::{Span, Timestamp};
use returns::{Quarter, format_dollars};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{cents, enter, hours, of, path};
use crate::money::in_transit::{self, days};
use crate::money::returns::{sent, take};
use crate::money::{bank, files_in};
use crate::sent_back::file;
use crate::support::{Company, Engine, Setup, World, id_of, on_both_engines, text};

const ACCOUNT: &str = "90126600418";
/// Last days of the quarters, and the first moment at which one can be closed.
const QUARTERS: [(&str, &str, &str); 4] = [
    ("2026-01-01", "2026-03-31", "2026-04-01T12:00:00Z"),
    ("2026-04-01", "2026-06-30", "2026-07-01T12:00:00Z"),
    ("2026-07-01", "2026-09-30", "2026-10-01T12:00:00Z"),
    ("2026-10-01", "2026-12-31", "2027-01-01T12:00:00Z"),
];

/// A company with people in Texas and New York, who are paid every other week.
struct Town {
    world: World,
    folder: TempDir,
    company: Company,
    weeks: String,
    /// paid by the hour, in Texas
    ana: String,
    /// salaried, in Texas and in New York
    max: String,
    eva: String,
    /// what was paid into accounts by paychecks that are void
    voided: i64,
}

impl Town {
    async fn new(engine: Engine) -> Self {
        let world = engine.own_world_with(|setup: &mut Setup| setup.begins = "2026-03-02T12:00:00Z").await;
        let folder = bank(&world, |_| {}).await;
        let company = world.company().await;
        let texas = id_of(&company.location("TX").await);
        let york = id_of(&company.location("NY").await);
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-03-19",
                               "anchor_end_of_pay_period": "2026-03-15" });
        let weeks = id_of(&company.post("/v1/companies/{company}/pay_schedules", schedule).await.created());
        let account = id_of(&company.bank_account(ACCOUNT).await);
        let (first, second) = company.test_deposits(&account).await;
        company.verify(&account, (&first, &second)).await.is(200);
        let (ana, _) = company.onboarded("Ana", &texas, ("20.00", "Hour", "Nonexempt")).await;
        let (max, _) = company.onboarded("Max", &texas, ("58500.00", "Year", "Exempt")).await;
        let (eva, _) = company.onboarded("Eva", &york, ("78000.00", "Year", "Exempt")).await;
        for (who, number) in [(&ana, "1111222233"), (&max, "2222333344"), (&eva, "3333444455")] {
            add_account(&company, who, number).await;
        }
        Self { world, folder, company, weeks, ana, max, eva, voided: 0 }
    }

    async fn at(&self, moment: &str) {
        self.world.wait_until(moment.parse().unwrap()).await;
    }

    /// The open payrolls, in the order of their check dates.
    async fn open(&self) -> Vec<(String, String)> {
        let list = "/v1/companies/{company}/payrolls?processing_statuses=unprocessed&include_off_cycle=true";
        let all = self.company.get(list).await.list();
        let mut all: Vec<_> =
            all.iter().map(|one| (text(one, "check_date"), text(one, "payroll_uuid"))).collect();
        all.sort();
        all
    }

    async fn deadline(&self, payroll: &str) -> Timestamp {
        text(&self.company.get(path(payroll, "")).await.ok(), "payroll_deadline").parse().unwrap()
    }

    /// Enters Ana's hours, calculates, submits, and waits for the file of the cut-off.
    async fn run(&self, payroll: &str) {
        let prepared = self.company.put(path(payroll, "/prepare"), json!({})).await.ok();
        let members = prepared["employee_compensations"].as_array().unwrap();
        if members.iter().any(|one| one["employee_uuid"] == self.ana.as_str()) {
            enter(&self.company, payroll, &self.ana, hours("80")).await.ok();
        }
        self.company.calculate(payroll).await;
        self.company.submit(payroll).await;
        let cut_off = self.deadline(payroll).await;
        self.world.wait_until(cut_off + Span::new().minutes(10)).await;
    }

    /// Runs the open payrolls in time whose check dates are before a day.
    async fn run_until(&self, day: &str) {
        while let Some((check_date, payroll)) = self.open().await.into_iter().next() {
            if check_date.as_str() >= day {
                return;
            }
            let deadline = self.deadline(&payroll).await;
            let before = (deadline - Span::new().hours(3)).max(self.world.app.store.clock().now());
            self.world.wait_until(before).await;
            self.run(&payroll).await;
        }
    }

    /// The submitted payrolls with a check date in a quarter, read whole.
    async fn processed(&self, (from, until): (&str, &str)) -> Vec<Value> {
        let list = format!(
            "/v1/companies/{{company}}/payrolls?processing_statuses=processed&include_off_cycle=true&start_date=2026-01-01&end_date={until}"
        );
        let mut found = Vec::new();
        for one in self.company.get(list).await.list() {
            if (from..=until).contains(&text(&one, "check_date").as_str()) {
                let include = "?include=totals,taxes";
                found.push(self.company.get(path(&text(&one, "payroll_uuid"), include)).await.ok());
            }
        }
        found
    }

    async fn transaction(&self, payroll: &str, employee: &str) -> String {
        let list = format!("/v1/companies/{{company}}/ach_transactions?payroll_uuid={payroll}");
        let all = self.company.get(list).await.list();
        text(all.iter().find(|one| one["recipient_uuid"] == employee).unwrap(), "uuid")
    }
}

async fn add_account(company: &Company, employee: &str, number: &str) -> String {
    let account = json!({ "name": "Main", "routing_number": "021000021", "account_number": number,
                          "account_type": "Checking" });
    id_of(&company.post(format!("/v1/employees/{employee}/bank_accounts"), account).await.created())
}

/// Sums of a quarter, in cents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sums {
    gross: i64,
    net: i64,
    of_employees: i64,
    of_employer: i64,
}

impl Sums {
    fn add(&mut self, [gross, net, of_employees, of_employer]: [i64; 4]) {
        self.gross += gross;
        self.net += net;
        self.of_employees += of_employees;
        self.of_employer += of_employer;
    }

    fn taxes(&self) -> i64 {
        self.of_employees + self.of_employer
    }
}

/// What the quarters so far come to.
#[derive(Default)]
struct Year {
    taxes: i64,
    /// by employee
    gross: BTreeMap<String, i64>,
    /// net pay of paychecks that go to accounts
    deposited: i64,
}

/// What the paychecks of payrolls come to, added up one by one, and the gross pay of each employee.
fn of_paychecks(payrolls: &[Value], year: &mut Year) -> (Sums, BTreeMap<String, i64>) {
    let (mut sums, mut gross) = (Sums::default(), BTreeMap::new());
    for paycheck in payrolls.iter().flat_map(|one| one["employee_compensations"].as_array().unwrap()) {
        if paycheck["excluded"] == true || paycheck["gross_pay"].is_null() {
            continue;
        }
        let by = |employer: bool| -> i64 {
            let taxes = paycheck["taxes"].as_array().unwrap();
            taxes.iter().filter(|tax| tax["employer"] == employer).map(|tax| cents(&tax["amount"])).sum()
        };
        let pay = cents(&paycheck["gross_pay"]);
        if paycheck["payment_method"] == "Direct Deposit" {
            year.deposited += cents(&paycheck["net_pay"]);
        }
        *gross.entry(text(paycheck, "employee_uuid")).or_default() += pay;
        sums.add([pay, cents(&paycheck["net_pay"]), by(false), by(true)]);
    }
    (sums, gross)
}

fn of_totals(payrolls: &[Value]) -> Sums {
    let mut sums = Sums::default();
    for totals in payrolls.iter().map(|one| &one["totals"]) {
        sums.add(
            ["gross_pay", "net_pay", "employee_taxes", "employer_taxes"].map(|name| cents(&totals[name])),
        );
    }
    sums
}

/// Net pay, the employees' taxes and all taxes by the receipts.
async fn of_receipts(company: &Company, payrolls: &[Value]) -> [i64; 3] {
    let mut sums = [0; 3];
    for one in payrolls {
        let receipt = company.get(format!("/v1/payrolls/{}/receipt", text(one, "payroll_uuid"))).await.ok();
        let people = receipt["employee_compensations"].as_array().unwrap();
        sums[0] += people.iter().map(|one| cents(&one["net_pay"])).sum::<i64>();
        sums[1] += people.iter().map(|one| cents(&one["total_tax"])).sum::<i64>();
        sums[2] += receipt["taxes"].as_array().unwrap().iter().map(|tax| cents(&tax["amount"])).sum::<i64>();
    }
    sums
}

/// What the books have of the payrolls of a quarter.
async fn of_journal(company: &Company, (from, until): (&str, &str)) -> Sums {
    let journal = format!("/v1/companies/{{company}}/journal?start_date={from}&end_date={until}");
    let mut sums = Sums::default();
    for line in company.get(journal).await.list() {
        if !matches!(line["reason"].as_str(), Some("payroll" | "reversal")) {
            continue;
        }
        let debit = cents(&line["debit"]) - cents(&line["credit"]);
        match line["account"].as_str().unwrap() {
            "wages" => sums.gross += debit,
            "employee_taxes_payable" => sums.of_employees -= debit,
            "employer_taxes_payable" => sums.of_employer -= debit,
            // A void paycheck is owed by the employee in place of the net pay that it takes back.
            "net_pay_payable" => sums.net -= debit,
            "employee_receivables" if line["reason"] == "reversal" => sums.net -= debit,
            _ => {}
        }
    }
    sums
}

/// Taxes that the books say are owed since the year began.
async fn of_liabilities(company: &Company, day: &str) -> i64 {
    let all = company.get(format!("/v1/companies/{{company}}/liabilities?all=true&as_of={day}")).await.list();
    let taxes =
        all.iter().filter(|one| one["account"].as_str().is_some_and(|of| of.ends_with("taxes_payable")));
    taxes.map(|one| cents(&one["accrued"])).sum()
}

/// The taxes of a quarter by the report by jurisdiction.
async fn of_report(company: &Company, (from, until): (&str, &str)) -> i64 {
    let terms = json!({ "report_type": "tax_liability", "columns": [], "groupings": [], "file_type": "json",
                        "start_date": from, "end_date": until });
    let asked = company.post("/v1/companies/{company}/reports", terms).await.created();
    company.work().await;
    let done = company.get(format!("/v1/reports/{}", text(&asked, "request_uuid"))).await.ok();
    assert_eq!(done["status"], "succeeded", "{done}");
    let url = done["report_urls"][0].as_str().unwrap();
    let path = url.strip_prefix("https://pages.example").unwrap().to_owned();
    let report = company.world.call("GET", path).send().await.is(200).json();
    report["rows"].as_array().unwrap().iter().map(|row| cents(&row["total"])).sum()
}

/// The cents of all credits and of all debits in the bank's files.
fn of_files(folder: &Path) -> [i64; 2] {
    let mut sums = [0; 2];
    for entry in files_in(folder).iter().flat_map(|(_, text)| ach::read::read_entries(text).unwrap()) {
        sums[usize::from(entry.is_debit())] += i64::try_from(entry.cents).unwrap();
    }
    sums
}

/// The same, as the transactions say that the bank has them.
async fn of_transactions(company: &Company) -> [i64; 2] {
    let mut sums = [0; 2];
    for one in company.get("/v1/companies/{company}/ach_transactions").await.list() {
        if one["payment_status"] != "unsubmitted" {
            sums[usize::from(one["payment_direction"] == "debit")] += cents(&one["amount"]);
        }
    }
    sums
}

/// The gross pay of the year on an employee's newest stub.
async fn of_stub(town: &Town, employee: &str, payroll: &str) -> i64 {
    let (company, payroll, employee) = (town.company.id, payroll.parse().unwrap(), employee.parse().unwrap());
    let read = move |tx: &mut store::Tx<'_>| {
        let caller = Caller::for_operator(company, jiff::tz::TimeZone::UTC);
        pay_stub(tx, &caller, payroll, employee, Language::English)
    };
    let stub = town.world.app.store.read(read).await.unwrap();
    let mut lines = stub.document.sections.iter().flat_map(|section| &section.lines);
    cents(&json!(lines.find(|line| line.label == "Gross pay").unwrap().to_date))
}

/// Closes a quarter: line 12 of Form 941 is what the books owe to the federal government for it, after the cents of rounding are posted.
async fn of_return(town: &Town, number: i8, (from, until): (&str, &str)) -> (String, String) {
    let period = Period::Quarter(Quarter::new(2026, number).unwrap());
    let form = closing::close_period(&town.world.app.store, &town.company.operator().await, period)
        .await
        .unwrap_or_else(|error| panic!("Q{number}: {error:?}"));
    let id = town.company.id;
    let content: Content = town.world.app.store.read(move |tx| form.read_content(tx, id)).await.unwrap();
    let lines: Vec<_> = content.parts().into_iter().flat_map(|part| part.lines).collect();
    let line = lines.iter().find(|line| line.number == "12").unwrap().value.shown_text();
    let journal = format!("/v1/companies/{{company}}/journal?start_date={from}&end_date={until}");
    let journal = town.company.get(journal).await.list();
    let of_941 = |line: &&Value| line["agency"] == "US" && line["description"] != "FUTA";
    let owed: i64 =
        journal.iter().filter(of_941).map(|line| cents(&line["credit"]) - cents(&line["debit"])).sum();
    (line, format_dollars(owed))
}

/// Every sum of a quarter that is over, wherever it is read; returns the gross pay of the employees.
async fn compare(town: &Town, number: usize, year: &mut Year) {
    let (from, until, end) = QUARTERS[number];
    town.at(end).await;
    let payrolls = town.processed((from, until)).await;
    let (paychecks, gross) = of_paychecks(&payrolls, year);
    assert!(paychecks.gross > 0 && paychecks.of_employer > 0, "{paychecks:?}");
    assert_eq!(of_totals(&payrolls), paychecks, "totals of Q{}", number + 1);
    let receipts = of_receipts(&town.company, &payrolls).await;
    assert_eq!(
        receipts,
        [paychecks.net, paychecks.of_employees, paychecks.taxes()],
        "receipts of Q{}",
        number + 1
    );
    assert_eq!(of_journal(&town.company, (from, until)).await, paychecks, "journal of Q{}", number + 1);
    year.taxes += paychecks.taxes();
    assert_eq!(of_report(&town.company, (from, until)).await, paychecks.taxes(), "report of Q{}", number + 1);
    for (employee, pay) in gross {
        *year.gross.entry(employee).or_default() += pay;
    }
    for (employee, pay) in &year.gross {
        let paid = payrolls.iter().filter(|one| {
            let all = one["employee_compensations"].as_array().unwrap();
            all.iter().any(|one| one["employee_uuid"] == employee.as_str() && !one["gross_pay"].is_null())
        });
        let last = paid.max_by_key(|one| text(one, "check_date")).unwrap();
        assert_eq!(
            of_stub(town, employee, &text(last, "payroll_uuid")).await,
            *pay,
            "stub of Q{}",
            number + 1
        );
    }
    assert_eq!(
        of_files(town.folder.path()),
        of_transactions(&town.company).await,
        "files of Q{}",
        number + 1
    );
    let paid = "/v1/companies/{company}/ach_transactions?transaction_type=Credit%20employee%20pay";
    let paid: i64 = town.company.get(paid).await.list().iter().map(|one| cents(&one["amount"])).sum();
    assert_eq!(paid, year.deposited + town.voided, "payments until Q{}", number + 1);
    assert_eq!(of_liabilities(&town.company, until).await, year.taxes, "liabilities of Q{}", number + 1);
    let (line, owed) = of_return(town, i8::try_from(number).unwrap() + 1, (from, until)).await;
    assert_eq!(line, owed, "Form 941 of Q{}", number + 1);
    // The cents of rounding that the close has posted are owed from now on.
    year.taxes = of_liabilities(&town.company, until).await;
    // Everything that was debited is paid out, and on no day was anything paid before it was owed.
    let balances = days(&town.company).await;
    let (day, last) = balances.range(..=until.to_owned()).next_back().unwrap();
    for account in ["funds_in_transit", "net_pay_payable"] {
        assert_eq!(in_transit::of(last, account), 0, "{account} on {day}");
    }
}

#[test]
fn a_year_with_all_that_comes_back_adds_up_at_the_end_of_each_quarter() {
    on_both_engines(async |engine: Engine| {
        let mut town = Town::new(engine).await;
        let mut year = Year::default();
        first_quarter(&town).await;
        compare(&town, 0, &mut year).await;
        second_quarter(&mut town).await;
        compare(&town, 1, &mut year).await;
        third_quarter(&town).await;
        compare(&town, 2, &mut year).await;
        fourth_quarter(&town).await;
        compare(&town, 3, &mut year).await;
        let last = days(&town.company).await;
        let last = last.last_key_value().unwrap().1;
        assert_eq!(in_transit::of(last, "employee_receivables"), 0, "what Ana owed is paid back");
    });
}

/// Max's pay comes back, and is paid again to another account.
async fn first_quarter(town: &Town) {
    town.run_until("2026-03-20").await;
    town.at("2026-03-20T17:00:00Z").await;
    let (trace, amount) = sent(town.folder.path(), "2222333344");
    assert_eq!(take(&town.world, &file(&[("R03", &trace, amount, "")])).await.returned, 1);
    let other = add_account(&town.company, &town.max, "5555666677").await;
    let payroll = &town.processed(("2026-03-19", "2026-03-19")).await[0];
    let entry = town.transaction(&text(payroll, "payroll_uuid"), &town.max).await;
    let again = format!("/v1/ach_transactions/{entry}/pay_again");
    town.company.put(again, json!({ "bank_account_uuid": other })).await.is(202);
    town.world.wait(Span::new().minutes(10)).await;
    town.run_until("2026-04-01").await;
}

/// Eva is paid twice and gives one of it back; Ana's last paycheck was too much, and is made again.
async fn second_quarter(town: &mut Town) {
    let company = &town.company;
    town.run_until("2026-05-29").await;
    town.at("2026-05-29T17:00:00Z").await;
    let payroll = text(&town.processed(("2026-05-28", "2026-05-28")).await[0], "payroll_uuid");
    let entry = town.transaction(&payroll, &town.eva).await;
    let why = json!({ "category": "paid_twice", "reason": "A check was cashed" });
    company.put(format!("/v1/ach_transactions/{entry}/reverse"), why).await.is(202);
    let owed = company.get("/v1/companies/{company}/liabilities?as_of=2026-12-31").await.list();
    let owed = owed.iter().find(|one| one["account"] == "net_pay_payable").unwrap();
    let check = json!({ "liability_uuid": owed["uuid"], "amount": owed["balance"], "paid_on": "2026-05-29" });
    company.post("/v1/companies/{company}/liability_payments", check).await.created();

    town.run_until("2026-06-26").await;
    town.at("2026-06-26T17:00:00Z").await;
    let payroll = &town.processed(("2026-06-25", "2026-06-25")).await[0];
    let (start, end) =
        (payroll["pay_period"]["start_date"].clone(), payroll["pay_period"]["end_date"].clone());
    let voided = cents(&of(payroll, &town.ana)["net_pay"]);
    let void = path(&text(payroll, "payroll_uuid"), &format!("/employees/{}/void", town.ana));
    company.put(void, json!({ "reason": "She worked 70 hours" })).await.ok();
    let right = json!({ "off_cycle": true, "off_cycle_reason": "Correction", "start_date": start, "end_date": end,
                        "employee_uuids": [town.ana], "is_check_only_payroll": true, "check_date": "2026-06-26" });
    let right = id_of(&company.post("/v1/companies/{company}/payrolls", right).await.ok());
    enter(company, &right, &town.ana, hours("70")).await.ok();
    company.calculate(&right).await;
    company.submit(&right).await;
    let agreed = json!({ "court_ordered": false, "amount": "200.00", "recurring": true,
                         "overpayment_agreed_on": "2026-06-26" });
    company.post(format!("/v1/employees/{}/garnishments", town.ana), agreed).await.created();
    town.voided += voided;
    town.run_until("2026-07-01").await;
}

/// Salaries are paid monthly from August on: the days between are a transition.
async fn third_quarter(town: &Town) {
    town.run_until("2026-07-24").await;
    town.at("2026-07-24T17:00:00Z").await;
    let months = json!({ "frequency": "Monthly", "anchor_pay_date": "2026-08-31",
                         "anchor_end_of_pay_period": "2026-08-31" });
    let months = id_of(&town.company.post("/v1/companies/{company}/pay_schedules", months).await.created());
    let by_pay = json!({ "type": "hourly_salaried", "hourly_pay_schedule_uuid": town.weeks,
                         "salaried_pay_schedule_uuid": months });
    town.company.post("/v1/companies/{company}/pay_schedules/assign", by_pay).await.is(200);
    let notices = town.company.get("/v1/companies/{company}/notifications").await.list();
    assert!(notices.iter().any(|one| one["category"] == "pay_schedule_transition"), "{notices:?}");
    town.run_until("2026-10-01").await;
}

/// A payday is missed, told, and paid late.
async fn fourth_quarter(town: &Town) {
    town.run_until("2026-10-05").await;
    let (_, payroll) = town.open().await.remove(0);
    let late = town.deadline(&payroll).await + Span::new().hours(2);
    town.world.wait_until(late).await;
    let notices = async || {
        let all = town.company.get("/v1/companies/{company}/notifications").await.list();
        all.iter().filter(|one| one["category"] == "missed_anchor_pay_day").count()
    };
    assert_eq!(notices().await, 1);
    town.run(&payroll).await;
    assert_eq!(notices().await, 0);
    town.run_until("2027-01-01").await;
}
