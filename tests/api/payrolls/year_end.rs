//! Quarters and years are closed: the forms that come of it, the cents that are posted, what is refused, and what changes afterwards.

use std::collections::{BTreeMap, BTreeSet};

use domain::Error;
use domain::access::tokens::Caller;
use domain::access::users::Role;
use domain::platform::hooks::PayCause;
use domain::returns::amended::{self, Amendment};
use domain::returns::calendar;
use domain::returns::closing::{self, Filing, Period};
use domain::returns::figures;
use domain::returns::file::ClosedYear;
use domain::returns::forms::content::{Content, FigureLine, TaxFormKind};
use domain::returns::forms::rows::{self as forms, State, TaxForm};
use domain::returns::lines;
use domain::returns::occupations::{self, JobOccupation};
use domain::returns::other_taxes::TaxOfQuarter;
use domain::returns::positions;
use domain::returns::readiness::Subject;
use domain::returns::wages::{self, WageFileRequest};
use jiff::civil::date;
use returns::efw2::Submitter;
use returns::w2::MoneyBox;
use returns::{Quarter, format_dollars};
use rules::taxes::book::state_of_income_tax;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use stipend::devworld;
use uuid::Uuid;

use super::{cents, company, enter, hours};
use crate::console::{form_token, signed_in};
use crate::oauth::user;
use crate::page_entries::{of_employee, send};
use crate::pages::value_of as value_of_field;
use crate::submitter::submitter;
use crate::support::{Company, Engine, Setup, id_of, on_both_engines, signatory, text};

/// Figures of the demo company's year, worked out from its paychecks by another program.
const GOLDEN: &str = include_str!("../../../crates/returns/tests/golden/juniper_2026.csv");

/// The golden figures of a form: amounts as text by line.
fn golden(form: &str, of: &str) -> BTreeMap<String, String> {
    let rows = GOLDEN.lines().filter_map(|row| row.strip_prefix(&format!("{form},{of},")));
    rows.map(|row| row.split_once(',').map(|(line, amount)| (line.to_owned(), amount.to_owned())).unwrap())
        .collect()
}

async fn close(company: &Company, period: Period) -> Result<TaxForm, Vec<String>> {
    closing::close_period(&company.world.app.store, &company.operator().await, period).await.map_err(
        |error| match error {
            Error::Violations(wrong) => wrong.into_iter().map(|one| one.message).collect(),
            other => panic!("{other:?}"),
        },
    )
}

fn quarter(number: i8) -> Period {
    Period::Quarter(Quarter::new(2026, number).unwrap())
}

async fn content(company: &Company, form: &TaxForm) -> Content {
    let (form, id) = (form.clone(), company.id);
    company.world.app.store.read(move |tx| form.read_content(tx, id)).await.unwrap()
}

fn lines_of(content: &Content) -> Vec<FigureLine> {
    content.parts().into_iter().flat_map(|part| part.lines).collect()
}

fn value_of(lines: &[FigureLine], number: &str) -> String {
    lines
        .iter()
        .find(|line| line.number == number)
        .unwrap_or_else(|| panic!("no line {number}"))
        .value
        .shown_text()
}

/// What the books owe for Form 941 of a quarter: federal taxes but those of Form 940.
async fn owed(company: &Company, (from, until): (&str, &str)) -> i64 {
    let path = format!("/v1/companies/{{company}}/journal?start_date={from}&end_date={until}");
    let journal = company.get(path).await.list();
    let of_941 = |line: &&Value| line["agency"] == "US" && line["description"] != "FUTA";
    journal.iter().filter(of_941).map(|line| cents(&line["credit"]) - cents(&line["debit"])).sum()
}

/// The demo company with a past, on 4 January 2027.
async fn juniper(engine: Engine) -> Company {
    let dev = |setup: &mut Setup| {
        setup.settings.dev = true;
        setup.seed = Some(7);
        setup.time_passes = false;
        setup.begins = "2026-01-04T09:00:00Z";
    };
    let world = engine.own_world_with(dev).await;
    let present = "2027-01-04T09:00:00Z".parse().unwrap();
    let report = devworld::build_world(&world.app.store, Some(7), present).await.unwrap();
    let past = &report.companies[2];
    Company {
        id: past.uuid,
        token: past.access_token.clone().unwrap(),
        application: report.application.client_id.parse().unwrap(),
        system_token: report.system_access_token.clone(),
        world,
    }
}

/// Lines of Form 941, and their names in the golden table.
const LINES_OF_941: [(&str, &str); 15] = [
    ("1", "1"),
    ("2", "2"),
    ("3", "3"),
    ("5a1", "5a col 1"),
    ("5a2", "5a col 2"),
    ("5b1", "5b col 1"),
    ("5b2", "5b col 2"),
    ("5c1", "5c col 1"),
    ("5c2", "5c col 2"),
    ("5d2", "5d col 2"),
    ("5e", "5e"),
    ("6", "6"),
    ("7", "7"),
    ("10", "10"),
    ("12", "12"),
];

#[test]
fn a_year_is_closed_with_the_figures_of_its_golden_table_and_the_books_owe_what_the_forms_report() {
    on_both_engines(async |engine: Engine| {
        let company = juniper(engine).await;
        let days = ["01-01", "03-31", "04-01", "06-30", "07-01", "09-30", "10-01", "12-31"];
        let mut posted = Vec::new();
        for (number, days) in (1..=4).zip(days.chunks(2)) {
            let days = [days[0], days[1]].map(|day| format!("2026-{day}"));
            let days = (days[0].as_str(), days[1].as_str());
            let golden = golden("941", &format!("2026 Q{number}"));
            let booked = owed(&company, days).await;
            assert_eq!(format_dollars(booked), golden["booked tax"]);
            let form = close(&company, quarter(number)).await.unwrap();
            assert_eq!(
                (form.state, form.kind, form.quarter),
                (State::Final, TaxFormKind::F941, Some(number.into()))
            );
            let lines = lines_of(&content(&company, &form).await);
            for (line, of_golden) in LINES_OF_941 {
                assert_eq!(value_of(&lines, line), golden[of_golden], "line {line} of Q{number}");
            }
            let months: Vec<_> =
                lines.iter().filter(|line| line.number == "16").map(|line| line.value.shown_text()).collect();
            let expected: Vec<_> = golden
                .iter()
                .filter(|(line, _)| line.starts_with("16 "))
                .map(|(_, cents)| cents.clone())
                .collect();
            assert_eq!(months, expected);
            assert_eq!(format_dollars(form.posted), golden["posted at close"]);
            // Line 12 is the liability of the pay dates, and what the books owe.
            let total = value_of(&lines, "12");
            assert_eq!(format_dollars(owed(&company, days).await), total);
            posted.push(format_dollars(form.posted));
        }
        assert_eq!(posted, ["-0.02", "-0.03", "-0.04", "-0.02"]);
        let journal = "/v1/companies/{company}/journal?start_date=2026-01-01&end_date=2026-12-31";
        let journal = company.get(journal).await.list();
        let balance: i64 = journal.iter().map(|line| cents(&line["debit"]) - cents(&line["credit"])).sum();
        assert_eq!(balance, 0, "the books balance");

        // The year: Form W-3 is the sum of the quarters, and Form 940 waits for the credit reductions.
        let id = company.id;
        let year = company.world.app.store.read(move |tx| figures::of_year(tx, id, 2026)).await.unwrap();
        for of in golden("W-3", "2026") {
            let found = rules::Named::parse(&format!("box_{}", of.0)).map(|of| year.w3.amount(of)).unwrap();
            assert_eq!(format_dollars(found), of.1, "box {}", of.0);
        }
        let of_940 = year.form_940.as_ref().unwrap().lines();
        let golden_940 = golden("940", "2026");
        for line in ["3", "4", "5", "6", "7", "8"] {
            let found = of_940.iter().find(|one| one.number == line).unwrap().cents;
            let amount = golden_940[line].clone();
            let amount = if amount.contains('.') { amount } else { format!("{amount}.00") };
            assert_eq!(format_dollars(found), amount, "line {line} of Form 940");
        }
        let of_w3: Vec<_> = year.blockers_of(Period::Statements(2026).form_of_period()).collect();
        assert!(of_w3.is_empty(), "{of_w3:?}");
        let refused = close(&company, Period::Unemployment(2026)).await.unwrap_err();
        assert_eq!(refused, ["Form 940 of 2026: the credit reductions of 2026 are not in the tables."]);
        let refused = close(&company, quarter(3)).await.unwrap_err();
        assert!(refused[0].contains("Form 941 of 2026-Q3 is closed already"), "{refused:?}");
        shown_as_forms(&company).await;
        statements(&company).await;
    });
}

/// Forms of closed quarters are listed, sorted and downloaded like any other.
async fn shown_as_forms(company: &Company) {
    let path = "/v1/companies/{company}/forms?sort_by=quarter:desc";
    let listed = company.get(path).await.list();
    let quarters: Vec<_> = listed.iter().filter(|form| form["name"] == "US_941").collect();
    let told: Vec<_> =
        quarters.iter().map(|form| (&form["year"], &form["quarter"], &form["draft"])).collect();
    let expected = [4, 3, 2, 1].map(|number| (json!(2026), json!(number), json!(false)));
    assert_eq!(told, expected.each_ref().map(|(year, quarter, draft)| (year, quarter, draft)));
    let first = id_of(quarters[3]);
    assert_eq!(company.get(format!("/v1/forms/{first}")).await.ok(), *quarters[3]);
    assert_eq!(
        (&quarters[3]["requires_signing"], &quarters[3]["document_content_type"]),
        (&json!(false), &json!("application/pdf"))
    );
    let pdf = company.get(format!("/v1/forms/{first}/pdf")).await.ok();
    let path = text(&pdf, "document_url").strip_prefix("https://pages.example").unwrap().to_owned();
    let shown = company.world.call("GET", path).send().await.is(200);
    assert!(shown.header("content-type").starts_with("application/pdf"));
    let created =
        company.events().await.into_iter().filter(|event| event.event_type == "company.form.created");
    assert!(created.map(|event| event.entity.to_string()).any(|id| id == first));
    let sign =
        json!({ "signature_text": "Ruth Calloway", "agree": true, "signed_by_ip_address": "203.0.113.7" });
    company.put(format!("/v1/forms/{first}/sign"), sign).await.refused(404);
}

/// Forms W-2 of the year: drafts that are made for each employee, then final, with the figures of the golden table. No file is written of
/// them while nobody knows where its tips belong.
async fn statements(company: &Company) {
    let people = company.get("/v1/companies/{company}/employees").await.list();
    let of_year = |forms: Vec<Value>| -> Vec<Value> {
        forms.into_iter().filter(|form| form["name"] == "US_W-2").collect()
    };
    let elena = people.iter().find(|one| one["first_name"] == "Elena").unwrap();
    let asked = json!({ "employee_id": id_of(elena), "year": 2026 });
    let draft = company.post("/v1/sandbox/generate_w2", asked.clone()).await.ok();
    assert_eq!(
        (&draft["draft"], &draft["year"], &draft["employee_uuid"]),
        (&json!(true), &json!(2026), &json!(id_of(elena)))
    );
    assert_eq!(
        company.post("/v1/sandbox/generate_w2", asked.clone()).await.ok(),
        draft,
        "the same figures are the same draft"
    );

    occupations_of_tipped_jobs(company, &people).await;
    let w3 = close(company, Period::Statements(2026)).await.unwrap();
    assert_eq!(
        close(company, Period::Statements(2026)).await.unwrap().id,
        w3.id,
        "what is closed stays closed"
    );
    let after = company.post("/v1/sandbox/generate_w2", asked).await.ok();
    assert_eq!((&after["uuid"], &after["draft"]), (&draft["uuid"], &json!(false)));
    let mut checked = 0;
    for person in &people {
        let name = format!("{} {}", text(person, "first_name"), text(person, "last_name"));
        let golden = golden("W-2", &name);
        let forms = of_year(company.get(format!("/v1/employees/{}/forms", id_of(person))).await.list());
        assert_eq!(forms.len(), usize::from(!golden.is_empty()), "{name}");
        let Some(form) = forms.first() else { continue };
        let (id, company_id) = (id_of(form).parse().unwrap(), company.id);
        let form =
            company.world.app.store.read(move |tx| TaxForm::find(tx, company_id, id)).await.unwrap().unwrap();
        assert_eq!(form.state, State::Final);
        has_golden_boxes(&lines_of(&content(company, &form).await), &name);
        let pdf = company.get(format!("/v1/employees/{}/forms/{id}/pdf", id_of(person))).await.ok();
        let path = text(&pdf, "document_url").strip_prefix("https://pages.example").unwrap().to_owned();
        company.world.call("GET", path).send().await.is(200);
        company.get(format!("/v1/forms/{id}")).await.refused(404);
        checked += 1;
    }
    assert_eq!(checked, 5);
    let year = ClosedYear::find_closed_year(&company.world.app.store, company.id, 2026).await.unwrap();
    let Err(Error::Violations(refused)) =
        year.write_file(&company.world.app.store, &submitter(), Vec::new()).await.map(|_| ())
    else {
        panic!("the position of tips is not known");
    };
    let who = ["Hannah Lindgren", "Luis Ortega"];
    assert!(refused.iter().all(|one| who.iter().any(|who| one.message.contains(who))), "{refused:?}");
    assert!(
        who.iter().all(|who| refused
            .iter()
            .any(|one| one.message.contains(who) && one.message.contains("code_TP"))),
        "{refused:?}"
    );
    file_with_positions(company).await;
}

/// What is missing for the close is told from November on, and no longer once it is entered: here the occupations of the two who have tips.
async fn occupations_of_tipped_jobs(company: &Company, people: &[Value]) {
    let (store, id) = (&company.world.app.store, company.id);
    let missing = async || {
        let found = store.read(move |tx| calendar::of_year(tx, id, 2026)).await.unwrap();
        found.missing.into_iter().filter(|one| one.subject == Subject::TippedOccupation).collect::<Vec<_>>()
    };
    let before = missing().await;
    let tipped: Vec<&Value> = ["Hannah", "Luis"]
        .iter()
        .map(|first| people.iter().find(|one| one["first_name"] == *first).unwrap())
        .collect();
    assert_eq!(before.len(), 2, "{before:?}");
    assert!(before.iter().any(|one| one.why.contains("Hannah Lindgren: tips of 12695.00")), "{before:?}");
    let mut told = Vec::new();
    for person in &tipped {
        let jobs = company.get(format!("/v1/employees/{}/jobs", id_of(person))).await.list();
        told.push(JobOccupation { job: id_of(&jobs[0]).parse().unwrap(), code: Some("102".to_owned()) });
    }
    let (wrong, by) =
        (vec![JobOccupation { code: Some("999".to_owned()), ..told[0].clone() }], company.operator().await);
    let refused = store.write(move |tx| occupations::set_occupations(tx, &by, &wrong)).await;
    assert!(matches!(refused, Err(Error::Violations(_))), "{refused:?}");
    let by = company.operator().await;
    store.write(move |tx| occupations::set_occupations(tx, &by, &told)).await.unwrap();
    assert!(missing().await.is_empty());
}

/// The file is written once the operator has confirmed where tips and occupations belong, and adds up.
async fn file_with_positions(company: &Company) {
    const TOLD: [&str; 2] = ["code_TP=RW:490-500,RT:415-429", "box_14b=RW:342-347"];
    let store = &company.world.app.store;
    let put = async |told: Vec<String>, withdrawn: Vec<String>| {
        store.write(move |tx| positions::confirm_positions(tx, 2026, &told, &withdrawn)).await
    };
    let told = TOLD.map(str::to_owned).to_vec();
    let taken = put(vec!["code_TP=RW:3-13,RT:415-429".to_owned()], Vec::new()).await;
    assert!(matches!(taken, Err(Error::Violations(_))), "{taken:?}");
    put(told.clone(), Vec::new()).await.unwrap();
    put(Vec::new(), vec!["box_14b".to_owned()]).await.unwrap();
    let open = store.read(move |tx| positions::open_amounts(tx, 2026)).await.unwrap();
    let open: Vec<_> =
        open.iter().filter(|one| one.confirmed.is_none()).map(|one| one.amount.as_str()).collect();
    assert_eq!(open, ["box_14b", "code_TA", "code_TT"]);
    put(told, Vec::new()).await.unwrap();

    let year = ClosedYear::find_closed_year(store, company.id, 2026).await.unwrap();
    let (bytes, written) = year.write_file(store, &submitter(), Vec::new()).await.unwrap();
    assert_eq!((written.employees, written.alerts.len()), (5, 0), "{:?}", written.alerts);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let of =
        |name: &'static str| text.split_terminator("\r\n").filter(move |record| record.starts_with(name));
    let number = |record: &str, from: usize, to: usize| record[from - 1..to].parse::<i64>().unwrap();
    let totals = of("RT").next().unwrap();
    let year = store.read({
        let id = company.id;
        move |tx| figures::of_year(tx, id, 2026)
    });
    let w3 = year.await.unwrap().w3;
    for (money, at, sum_at) in [
        (MoneyBox::Wages, 188, 10),
        (MoneyBox::IncomeTax, 199, 25),
        (MoneyBox::SocialSecurityWages, 210, 40),
        (MoneyBox::MedicareWages, 232, 70),
    ] {
        let sum: i64 = of("RW").map(|record| number(record, at, at + 10)).sum();
        assert_eq!((sum, number(totals, sum_at, sum_at + 14)), (w3.amount(money), sum), "{money:?}");
    }
    let tips: Vec<_> = of("RW").map(|record| number(record, 490, 500)).filter(|cents| *cents != 0).collect();
    assert_eq!((tips.iter().sum::<i64>(), tips.len()), (w3.code("TP"), 2));
    assert_eq!(number(totals, 415, 429), w3.code("TP"));
    assert_eq!(of("RW").filter(|record| &record[341..347] == "102   ").count(), 2);
    // It can be given to another checker.
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("efw2_juniper_2026.txt");
    std::fs::write(path, &bytes).unwrap();
}

#[test]
fn the_file_of_a_closed_year_is_written_once_and_again_only_with_the_same_bytes() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_june(engine).await;
        let store = &company.world.app.store;
        company.world.wait_until("2027-01-02T12:00:00Z".parse().unwrap()).await;
        let early = ClosedYear::find_closed_year(store, company.id, 2026).await.map(|_| ());
        assert!(matches!(early, Err(Error::Violations(_))), "{early:?}");
        skip_all(&company).await;
        close(&company, Period::Statements(2026)).await.unwrap();
        let year = ClosedYear::find_closed_year(store, company.id, 2026).await.unwrap();
        let (bytes, written) = year.write_file(store, &submitter(), Vec::new()).await.unwrap();
        assert_eq!((written.employees, written.bytes), (1, bytes.len() as u64));
        let text = String::from_utf8(bytes.clone()).unwrap();
        let records: Vec<_> = text.split_terminator("\r\n").map(|record| &record[..2]).collect();
        assert_eq!(records, ["RA", "RE", "RW", "RT", "RF"]);
        assert!(text.contains("BLUE HERON DINERS") && text.contains("00000160500"), "{text}");
        assert_eq!(written.digest, Sha256::digest(&bytes).to_vec());
        year.record_file_written(store, &written, false).await.unwrap();
        let year = ClosedYear::find_closed_year(store, company.id, 2026).await.unwrap();
        assert!(year.refuse_second(false).is_err());
        let (again, same) = year.write_file(store, &submitter(), Vec::new()).await.unwrap();
        assert_eq!((again, &same), (bytes, &written));
        year.record_file_written(store, &same, true).await.unwrap();
        let other = Submitter { user_id: "WXYZ9876".to_owned(), ..submitter() };
        let (_, differing) = year.write_file(store, &other, Vec::new()).await.unwrap();
        assert!(matches!(year.record_file_written(store, &differing, true).await, Err(Error::Violations(_))));
    });
}

/// Skips the payrolls of 2026 that were not run; the next one comes with each.
pub(super) async fn skip_all(company: &Company) {
    let open = "/v1/companies/{company}/payrolls?processing_statuses=unprocessed&payroll_types=regular&start_date=2026-01-01&end_date=2026-12-31";
    let mut skipped = BTreeSet::new();
    loop {
        let all = company.get(open).await.list();
        let left = all.iter().find(|one| {
            text(one, "check_date").as_str() < "2027" && skipped.insert(text(one, "payroll_uuid"))
        });
        let Some(period) = left.map(|one| &one["pay_period"]) else { return };
        let skip = json!({ "payroll_type": "Regular", "start_date": period["start_date"], "end_date": period["end_date"],
                           "pay_schedule_uuid": period["pay_schedule_uuid"] });
        company.post("/v1/companies/{company}/payrolls/skip", skip).await.is(202);
    }
}

/// Reverses the only paycheck, of Ana, as not owed.
pub(super) async fn void_only_paycheck(company: &Company) {
    let ids = company.get("/v1/companies/{company}/payrolls?processing_statuses=processed&start_date=2026-05-01&end_date=2026-09-30").await.list();
    let ana = id_of(&company.get("/v1/companies/{company}/employees").await.list()[0]);
    let void =
        format!("/v1/companies/{{company}}/payrolls/{}/employees/{ana}/void", text(&ids[0], "payroll_uuid"));
    company.put(void, json!({ "reason": "She had left before" })).await.ok();
}

/// A company whose only payroll, of Ana, was paid on 18 June, on 1 July.
async fn paid_in_june(engine: Engine) -> (Company, String) {
    let (company, location, payroll) = company(engine).await;
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    enter(&company, &payroll, &ana, hours("80.25")).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    (company, location)
}

#[test]
fn a_quarter_is_not_closed_before_it_ends_and_every_reason_is_told_at_once() {
    on_both_engines(async |engine: Engine| {
        let (company, ..) = company(engine).await;
        let refused = close(&company, quarter(2)).await.unwrap_err();
        for part in ["ends on 2026-06-30", "pay date 2026-06-18 is not run yet"] {
            assert!(refused.iter().any(|why| why.contains(part)), "{part}: {refused:?}");
        }
        let bare = company.world.company().await;
        let refused = close(&bare, quarter(1)).await.unwrap_err();
        assert_eq!(refused, ["The company has no filing address."]);
        let id = company.id;
        let kept = company.world.app.store.read(move |tx| forms::of_company(tx, id)).await.unwrap();
        assert!(kept.is_empty(), "nothing is kept of a close that was refused");
        let nobody = Caller { company: Uuid::nil(), ..company.operator().await };
        let nobody = closing::close_period(&company.world.app.store, &nobody, quarter(2)).await;
        assert!(matches!(nobody, Err(Error::NotFound)), "{nobody:?}");
    });
}

#[test]
fn a_quarter_is_closed_taken_back_and_filed_on_the_console() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_june(engine).await;
        company.world.wait_until("2026-07-01T12:00:00Z".parse().unwrap()).await;
        let path = format!("/console/companies/{}/tax_returns", company.id);
        let admin = user(&company.world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, page) = signed_in(&company.world, &admin, &format!("{path}?year=2026")).await;
        let shown = page.is(200).text();
        for part in [
            "Form 941, quarter 2",
            "ready to close",
            "Jul 31, 2026",
            "Taxes of states and places",
            "not over yet",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let token = form_token(&mut browser).await;
        let token = ("form_token", token.as_str());
        let close = format!("{path}/close");
        let (second, fourth) = (("period", "941-2026-2"), ("period", "941-2026-4"));
        browser.post(&close, &[("form_token", "another"), second]).send().await.is(403);
        browser.post(&close, &[token, ("period", "941-2026-7")]).send().await.is(404);
        let refused = browser.post(&close, &[token, fourth]).send().await.is(422).text();
        assert!(refused.contains("ends on 2026-12-31"), "{refused}");

        let closed = |kept: Vec<TaxForm>| kept.into_iter().rfind(|form| form.state != State::Void).unwrap();
        for reason in ["a late payroll", ""] {
            browser.post(&close, &[token, ("year", "2026"), second]).send().await.is(303);
            let id = company.id;
            let kept = company.world.app.store.read(move |tx| forms::of_company(tx, id)).await.unwrap();
            let form = closed(kept).id.to_string();
            let after = browser.get(&format!("{path}?year=2026")).await.is(200).text();
            assert!(after.contains("closed, not filed") && after.contains("$1,605.00"), "{after}");
            if !reason.is_empty() {
                let fields = [token, ("form", form.as_str()), ("reason", reason)];
                browser.post(&format!("{path}/void"), &fields).send().await.is(303);
                continue;
            }
            let filed = format!("{path}/filed");
            let fields = |on| [token, ("form", form.as_str()), ("on", on), ("receipt", "confirmation 4711")];
            let future = browser.post(&filed, &fields("2026-07-09")).send().await.is(422).text();
            assert!(future.contains("on must not lie in the future"), "{future}");
            browser.post(&filed, &fields("2026-07-01")).send().await.is(303);
        }
        let after = browser.get(&format!("{path}?year=2026")).await.is(200).text();
        assert!(after.contains("filed on") && after.contains("confirmation 4711"), "{after}");
        let audited = browser.get(&format!("/console/companies/{}/audit", company.id)).await.is(200).text();
        assert!(audited.contains(&admin.email), "who closed it is on record: {audited}");
    });
}

#[test]
fn taxes_of_states_and_places_by_quarter_add_up_to_the_statements_of_the_year() {
    on_both_engines(async |engine: Engine| {
        let company = juniper(engine).await;
        let (store, id) = (&company.world.app.store, company.id);
        let of = async |year| store.read(move |tx| figures::of_year(tx, id, year)).await.unwrap();
        let year = of(2026).await;
        assert!(of(2025).await.other_taxes.is_empty());
        let taxes = year.other_taxes;
        for (state, of_state) in &year.w3.states {
            let is_income = |code: &str| state_of_income_tax(code) == Some(state.as_str());
            let income: Vec<_> = taxes.iter().filter(|tax| is_income(&tax.id.code)).collect();
            assert_eq!(income.iter().map(|tax| tax.amount).sum::<i64>(), of_state.tax, "{state}");
            assert_eq!(income.iter().map(|tax| tax.taxable).sum::<i64>(), of_state.wages, "{state}");
        }
        let quarters: BTreeSet<_> = taxes.iter().map(|tax| tax.quarter.number()).collect();
        assert_eq!(quarters, BTreeSet::from([1, 2, 3, 4]));
        for tax in &taxes {
            assert!(tax.taxable <= tax.subject && tax.paychecks > 0 && !tax.lacks_wages, "{tax:?}");
        }
        wages_of_states(&company, &taxes).await;
        let other = taxes.iter().filter(|tax| state_of_income_tax(&tax.id.code).is_none());
        assert!(other.map(|tax| tax.amount).sum::<i64>() > 0, "programmes of states are among them");
    });
}

/// The boxes of a Form W-2, and the taxes of states and places on it, are those of the golden table; only the last digits of the SSN are shown.
fn has_golden_boxes(lines: &[FigureLine], name: &str) {
    let golden = golden("W-2", name);
    for (line, amount) in golden.iter().filter(|(line, _)| line.starts_with(char::is_numeric)) {
        let amount = if amount == "0" { "0.00" } else { amount };
        assert_eq!(value_of(lines, line), amount, "{name}: box {line}");
    }
    let taxes = golden.iter().filter_map(|(line, amount)| Some((line.strip_prefix("tax ")?, amount)));
    for (label, amount) in taxes {
        let is_it = |line: &&FigureLine| match label.strip_suffix(" Withholding Tax") {
            Some(state) => line.number == "17" && line.title.starts_with(state),
            None => ["14a", "19"].contains(&line.number.as_str()) && line.title.contains(label),
        };
        let found = lines.iter().find(is_it).unwrap_or_else(|| panic!("{name}: no {label}"));
        assert_eq!(found.value.shown_text(), *amount, "{name}: {label}");
    }
    assert!(
        lines.iter().any(|line| line.value.shown_text().starts_with("XXX-XX-")),
        "only the last digits are shown"
    );
}

/// The list for each state's unemployment insurance adds up to the taxes of the quarter, and names everybody with a number.
async fn wages_of_states(company: &Company, taxes: &[TaxOfQuarter]) {
    let store = &company.world.app.store;
    let insured: Vec<&TaxOfQuarter> = taxes.iter().filter(|tax| tax.id.code.ends_with("_SUI")).collect();
    assert!(insured.len() >= 8, "two states or more in each quarter: {insured:?}");
    let mut hours = 0;
    for tax in insured {
        let state = tax.jurisdiction.state.clone();
        let wanted = WageFileRequest { state: state.clone(), quarter: tax.quarter };
        let wages::Written { out: list, sums, .. } =
            wages::write_wage_list(store, company.id, &wanted, Vec::new()).await.unwrap();
        let wages = sums.wages;
        assert_eq!((wages.total, wages.taxable, wages.contributions), (tax.subject, tax.taxable, tax.amount));
        let list = String::from_utf8(list).unwrap();
        let lines: Vec<Vec<&str>> = list.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!((lines.len() as u64, sums.without_ssn, sums.incomplete), (sums.people, 0, 0));
        let column = |place: usize| lines.iter().map(|line| cents(&json!(line[place]))).sum::<i64>();
        assert_eq!([column(4), column(5), column(6)], [tax.subject, tax.taxable, tax.subject - tax.taxable]);
        assert!(lines.iter().all(|line| line[0].len() == 9 && line[0].bytes().all(|c| c.is_ascii_digit())));
        assert!(sums.on_the_12th.iter().all(|count| u64::from(*count) <= sums.people && *count > 0));
        hours += column(9);
    }
    assert!(hours > 100_000 && hours < 1_500_000, "hundredths of hours: {hours}");
    for (state, quarter) in [("ZZ", Quarter::new(2026, 1)), ("AK", Quarter::new(2026, 1))] {
        let wanted = WageFileRequest { state: state.to_owned(), quarter: quarter.unwrap() };
        let refused = wages::write_wage_list(store, company.id, &wanted, Vec::new()).await.map(|_| ());
        assert!(matches!(refused, Err(Error::Violations(_))), "{refused:?}");
    }
}

#[test]
fn a_change_in_a_closed_quarter_opens_a_correction_and_leaves_what_was_closed() {
    on_both_engines(async |engine: Engine| {
        let (company, location) = paid_in_june(engine).await;
        company.world.wait_until("2026-07-01T12:00:00Z".parse().unwrap()).await;
        let closed = close(&company, quarter(2)).await.unwrap();
        let before = content(&company, &closed).await;
        assert_eq!(value_of(&lines_of(&before), "5a1"), "1605.00");
        let none = "/v1/companies/{company}/notifications";
        let category = |list: &[Value]| list.iter().any(|one| one["category"] == "tax_form_correction");
        assert!(!category(&company.get(none).await.list()));

        // Max was paid by another provider in April, which is told only now.
        let (max, _) = company.onboarded("Max", &location, ("20.00", "Hour", "Nonexempt")).await;
        let days = json!({ "check_date": "2026-04-30", "payment_period_start_date": "2026-04-01",
                           "payment_period_end_date": "2026-04-30" });
        let made = id_of(&company.post("/v1/companies/{company}/external_payrolls", days).await.ok());
        let earned = json!({ "external_payroll_items": [{ "employee_uuid": max, "earnings": [
            { "earning_type": "CompanyPayType", "earning_id": 1, "amount": "3000.00", "hours": "160" }] }] });
        company.put(format!("/v1/companies/{{company}}/external_payrolls/{made}"), earned).await.ok();
        company
            .put("/v1/companies/{company}/external_payrolls/tax_liabilities/finish", json!({}))
            .await
            .is(202);
        company.world.wait(jiff::Span::new().minutes(1)).await;

        let told = company.get(none).await.list();
        let notice = told
            .iter()
            .find(|one| one["category"] == "tax_form_correction")
            .unwrap_or_else(|| panic!("{told:?}"));
        assert_eq!(
            notice["resources"],
            json!([{ "entity_type": "Form", "entity_uuid": closed.id },
                                               { "entity_type": "ExternalPayroll", "entity_uuid": made }])
        );
        let id = company.id;
        let kept = company.world.app.store.read(move |tx| forms::of_company(tx, id)).await.unwrap();
        assert_eq!((kept.len(), &kept[0].digest, kept[0].state), (1, &closed.digest, State::Final));
        assert!(content(&company, &kept[0]).await == before, "what was closed never changes");

        // The close is filed, so that it can't be taken back; the correction is settled by a person.
        let (form, on) = (closed.id, date(2026, 7, 1));
        let store = &company.world.app.store;
        let (by, receipt) = (company.operator().await, |text: &str| Filing { on, receipt: text.to_owned() });
        let (caller, filing) = (by.clone(), receipt("confirmation 4711"));
        store.write(move |tx| closing::record_filing(tx, &caller, form, &filing)).await.unwrap();
        let caller = by.clone();
        let refused = store.write(move |tx| closing::void_close(tx, &caller, form, "a late payroll")).await;
        assert!(matches!(refused, Err(Error::Violations(_))), "{refused:?}");
        let correction: Uuid = id_of(notice).parse().unwrap();
        let filing = receipt("Form 941-X, 4712");
        store.write(move |tx| closing::record_filing(tx, &by, correction, &filing)).await.unwrap();
        assert!(!category(&company.get(none).await.list()));
        let types = company.events().await.into_iter().map(|event| event.event_type).collect::<Vec<_>>();
        for kind in [
            "notification.tax_form_correction.created",
            "notification.tax_form_correction.resolved",
            "company.form.updated",
        ] {
            assert!(types.iter().any(|one| one == kind), "{kind}: {types:?}");
        }
    });
}

#[test]
fn a_paycheck_that_turns_out_not_to_be_owed_is_a_correction_with_what_each_line_says_now() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_june(engine).await;
        company.world.wait_until("2026-07-01T12:00:00Z".parse().unwrap()).await;
        let closed = close(&company, quarter(2)).await.unwrap();
        let before = content(&company, &closed).await;
        void_only_paycheck(&company).await;
        let id = company.id;
        let open =
            company.world.app.store.read(move |tx| forms::list_corrections(tx, id, true)).await.unwrap();
        assert_eq!((open.len(), open[0].cause, open[0].form), (1, PayCause::Voided, closed.id));
        let year = company.world.app.store.read(move |tx| figures::of_year(tx, id, 2026)).await.unwrap();
        let figures = lines::of_941(&year.find_quarter(2).unwrap().form);
        let changed = before.differences(&Content { employer: before.employer.clone(), figures });
        let of = |number: &str| {
            let one = changed.iter().find(|one| one.number == number).unwrap();
            [&one.before, &one.now].map(|value| value.clone().unwrap())
        };
        assert_eq!(of("5a1"), ["1605.00", "0.00"]);
        assert_eq!(of("12")[1], "0.00");
        assert!(content(&company, &closed).await == before, "what was closed never changes");
    });
}

/// Closes the amended return of what has changed since a return was filed.
async fn amend(company: &Company, amendment: Amendment) -> Result<TaxForm, String> {
    let made =
        amended::close_amended_return(&company.world.app.store, &company.operator().await, amendment).await;
    made.map_err(|error| match error {
        Error::Violations(wrong) => wrong.into_iter().map(|one| one.message).collect::<String>(),
        other => panic!("{other:?}"),
    })
}

async fn file(company: &Company, form: &TaxForm, (year, month, day): (i16, i8, i8)) {
    let (by, form) = (company.operator().await, form.id);
    let filing = Filing { on: date(year, month, day), receipt: "confirmation 4711".to_owned() };
    company.world.app.store.write(move |tx| closing::record_filing(tx, &by, form, &filing)).await.unwrap();
}

#[test]
fn a_quarter_that_was_filed_is_corrected_by_form_941_x_and_the_books_owe_both_returns_together() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_june(engine).await;
        company.world.wait_until("2026-07-01T12:00:00Z".parse().unwrap()).await;
        let (store, id) = (&company.world.app.store, company.id);
        let second = Amendment::Quarter(Quarter::new(2026, 2).unwrap());
        assert!(amend(&company, second).await.unwrap_err().contains("is not closed"));
        let original = close(&company, quarter(2)).await.unwrap();
        assert!(amend(&company, second).await.unwrap_err().contains("take back the close"));
        file(&company, &original, (2026, 7, 1)).await;
        assert!(amend(&company, second).await.unwrap_err().contains("Nothing has changed"));

        void_only_paycheck(&company).await;
        let days = ("2026-04-01", "2026-06-30");
        let made = amend(&company, second).await.unwrap();
        let lines = lines_of(&content(&company, &made).await);
        let columns = |number: &str| -> Vec<String> {
            lines.iter().filter(|line| line.number == number).map(|line| line.value.shown_text()).collect()
        };
        assert_eq!(columns("8"), ["0.00", "1605.00", "-1605.00", "-199.02"]);
        assert_eq!(columns("12"), ["0.00", "1605.00", "-1605.00", "-46.55"]);
        let reported = value_of(&lines_of(&content(&company, &original).await), "12");
        let together = cents(&json!(reported)) + cents(&json!(value_of(&lines, "27")));
        assert_eq!(owed(&company, days).await, together, "the books owe both returns together");
        assert!(amend(&company, second).await.unwrap_err().contains("Nothing has changed"));

        // It can be taken back before it is filed, like a close.
        let (by, form) = (company.operator().await, made.id);
        store.write(move |tx| closing::void_close(tx, &by, form, "to be made again")).await.unwrap();
        let made = amend(&company, second).await.unwrap();
        assert_eq!(owed(&company, days).await, together);

        // What is filed settles the corrections that it covers.
        let open = async || store.read(move |tx| forms::list_corrections(tx, id, true)).await.unwrap().len();
        assert_eq!(open().await, 1);
        file(&company, &made, (2026, 7, 1)).await;
        assert_eq!(open().await, 0);
        let year = store.read(move |tx| calendar::of_year(tx, id, 2026)).await.unwrap();
        let second = year.returns.iter().find(|one| one.quarter == Some(2)).unwrap();
        assert_eq!((second.amended.len(), second.changed.len()), (1, 0), "{second:?}");
    });
}

#[test]
fn statements_that_were_filed_are_corrected_by_form_w_2c_and_the_next_one_begins_where_it_ended() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_june(engine).await;
        company.world.wait_until("2027-01-02T12:00:00Z".parse().unwrap()).await;
        skip_all(&company).await;
        let of_year = Amendment::Statements(2026);
        let w3 = close(&company, Period::Statements(2026)).await.unwrap();
        file(&company, &w3, (2027, 1, 2)).await;
        assert!(amend(&company, of_year).await.unwrap_err().contains("Nothing has changed"));
        let ana = id_of(&company.get("/v1/companies/{company}/employees").await.list()[0]);
        let rename = async |name: &str| {
            let path = format!("/v1/employees/{ana}");
            let version = text(&company.get(&path).await.ok(), "version");
            company.put(&path, json!({ "version": version, "last_name": name })).await.ok();
        };
        let corrected = async || {
            let forms = company.get(format!("/v1/employees/{ana}/forms")).await.list();
            forms.into_iter().filter(|form| form["name"] == "US_W-2c").collect::<Vec<_>>()
        };
        rename("Okafor").await;
        let w3c = amend(&company, of_year).await.unwrap();
        assert_eq!(value_of(&lines_of(&content(&company, &w3c).await), "c"), "1");
        assert!(amend(&company, of_year).await.unwrap_err().contains("Nothing has changed"));
        let forms = corrected().await;
        assert_eq!(forms.len(), 1);
        company.get(format!("/v1/employees/{ana}/forms/{}/pdf", id_of(&forms[0]))).await.ok();
        let (id, found) = (company.id, id_of(&forms[0]).parse().unwrap());
        let store = &company.world.app.store;
        let w2c = store.read(move |tx| TaxForm::find(tx, id, found)).await.unwrap().unwrap();
        let shown: Vec<_> =
            lines_of(&content(&company, &w2c).await).iter().map(|line| line.value.shown_text()).collect();
        assert!(shown.iter().any(|one| one.ends_with("Okafor")), "{shown:?}");
        assert!(!shown.iter().any(|one| one == "1605.00"), "boxes without a change are left out: {shown:?}");

        // Taken back, its statements go with it; filed, the next one begins where it ended.
        let (by, form) = (company.operator().await, w3c.id);
        closing::take_back(store, &by, form, "another name").await.unwrap();
        assert!(corrected().await.is_empty());
        rename("Lund").await;
        let w3c = amend(&company, of_year).await.unwrap();
        file(&company, &w3c, (2027, 1, 2)).await;
        rename("Lund-Silva").await;
        amend(&company, of_year).await.unwrap();
        assert_eq!(corrected().await.len(), 2);
        assert!(amend(&company, of_year).await.unwrap_err().contains("Nothing has changed"));
    });
}

/// What 26 CFR 31.6051-1(j)(3)(ii) to (viii) asks to disclose, by the paragraphs.
const DISCLOSED: [&str; 13] = [
    "If you do not agree, you get your forms on paper",
    "year after year, until you withdraw your consent or your employment ends",
    "ask for a paper copy",
    "does not withdraw your consent",
    "Susan Whitfield, Blue Heron Diners, 312 Pecan Bend, San Antonio, TX 78205, telephone 2105550100",
    "susan@people.example",
    "confirms the withdrawal with its day",
    "before that day are not affected",
    "on paper again when your employment ends",
    "have it changed with your employer",
    "a current browser and a program for PDF files",
    "at least until October 15",
    "attach it to a federal, state or local income tax return",
];

#[test]
fn employees_see_their_closed_forms_and_say_whether_they_come_on_paper() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_june(engine).await;
        company.world.wait_until("2027-01-02T12:00:00Z".parse().unwrap()).await;
        skip_all(&company).await;
        let ana = id_of(&company.get("/v1/companies/{company}/employees").await.list()[0]);
        let (store, id) = (&company.world.app.store, company.id);
        let on_paper = async || {
            let year = store.read(move |tx| calendar::of_year(tx, id, 2026)).await.unwrap();
            year.returns.into_iter().map(|one| one.on_paper.len()).sum::<usize>()
        };
        let browser = of_employee(&company, "tax_forms", &ana).await;
        let page = async || browser.get("tax_forms").await.is(200).text();
        let first = page().await;
        assert!(first.contains("You have no Form W-2 yet") && first.contains("You get your forms on paper"));
        assert_eq!(on_paper().await, 0, "nothing is closed yet");
        let draft = json!({ "employee_id": ana, "year": 2026 });
        company.post("/v1/sandbox/generate_w2", draft).await.ok();
        assert!(page().await.contains("You have no Form W-2 yet"), "a draft can still change");
        close(&company, Period::Statements(2026)).await.unwrap();
        assert_eq!(on_paper().await, 1);

        let shown = page().await;
        for part in ["Form W-2 of 2026", "Social security wages", "$1,605.00", "has not named yet"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        // Nobody can consent before it is said to whom they can write about that.
        send(&browser, "tax_forms", &shown, &[("action", "agree")]).await.is(303);
        assert_eq!(on_paper().await, 1);
        company.post("/v1/companies/{company}/signatories", signatory()).await.ok();
        let shown = page().await;
        for part in DISCLOSED {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let pdf = shown.split("/flow/").find_map(|part| part.strip_prefix("tax_forms/")).unwrap();
        let pdf = format!("tax_forms/{}", pdf.split('"').next().unwrap());
        assert!(browser.get(&pdf).await.is(200).header("content-type").starts_with("application/pdf"));
        send(&browser, "tax_forms", &shown, &[("action", "agree")]).await.is(303);
        let agreed = page().await;
        assert!(
            agreed.contains("You agreed on January 2, 2027") && !agreed.contains("If you agree"),
            "{agreed}"
        );
        assert_eq!(on_paper().await, 0);
        send(&browser, "tax_forms", &agreed, &[("action", "paper")]).await.is(303);
        let asked = page().await;
        assert!(asked.contains("You asked for a paper copy on January 2, 2027"), "{asked}");
        assert_eq!(on_paper().await, 1);
        send(&browser, "tax_forms", &asked, &[("action", "withdraw")]).await.is(303);
        let withdrawn = page().await;
        assert!(withdrawn.contains("You withdrew your consent on January 2, 2027"), "{withdrawn}");

        let token = value_of_field(&withdrawn, "form_token");
        let spanish = [("form_token", token.as_str()), ("language", "es"), ("screen", "tax_forms")];
        browser.form("language", &spanish).send().await.is(303);
        let spanish = page().await;
        for part in
            ["Formulario W-2 de 2026", "Salarios sujetos al Seguro Social", "retiró su consentimiento"]
        {
            assert!(spanish.contains(part), "{part}: {spanish}");
        }
        // A link to other pages does not open them.
        let other = of_employee(&company, "pay_stubs", &ana).await;
        other.get("tax_forms").await.is(303);
        other.get(&pdf).await.is(303);
    });
}

#[test]
fn a_close_that_is_taken_back_leaves_the_books_as_they_were_and_can_be_repeated() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_june(engine).await;
        company.world.wait_until("2026-07-01T12:00:00Z".parse().unwrap()).await;
        let days = ("2026-04-01", "2026-06-30");
        let booked = owed(&company, days).await;
        let closed = close(&company, quarter(2)).await.unwrap();
        assert_eq!(owed(&company, days).await, booked + closed.posted);
        let (id, form) = (company.id, closed.id);
        let store = &company.world.app.store;
        let (first, second) = (company.operator().await, company.operator().await);
        let refused = store.write(move |tx| closing::void_close(tx, &first, form, " ")).await;
        assert!(matches!(refused, Err(Error::Violations(_))), "{refused:?}");
        store.write(move |tx| closing::void_close(tx, &second, form, "the wrong quarter")).await.unwrap();
        assert_eq!(owed(&company, days).await, booked);
        company.get(format!("/v1/forms/{form}")).await.refused(404);
        let again = close(&company, quarter(2)).await.unwrap();
        assert_eq!((again.digest == closed.digest, again.posted), (true, closed.posted), "the same figures");
        let kept = store.read(move |tx| forms::of_company(tx, id)).await.unwrap();
        assert_eq!(kept.iter().map(|form| form.state).collect::<Vec<_>>(), [State::Void, State::Final]);
        assert_eq!(kept[0].reason.as_deref(), Some("the wrong quarter"));
    });
}

#[test]
fn a_company_that_files_once_a_year_closes_form_944_in_place_of_four_forms_941() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_june(engine).await;
        let details = "/v1/companies/{company}/federal_tax_details";
        let version = text(&company.get(details).await.ok(), "version");
        company.put(details, json!({ "version": version, "filing_form": "944" })).await.ok();
        company.world.wait_until("2027-01-02T12:00:00Z".parse().unwrap()).await;
        skip_all(&company).await;

        let refused = close(&company, quarter(2)).await.unwrap_err();
        let why = "By its federal tax details the company files Form 944 for the year, not Forms 941.";
        assert!(refused.iter().any(|one| one == why), "{refused:?}");
        let days = ("2026-01-01", "2026-12-31");
        let booked = owed(&company, days).await;
        let form = close(&company, Period::Withheld(2026)).await.unwrap();
        assert_eq!((form.kind, form.quarter, form.state), (TaxFormKind::F944, None, State::Final));
        let lines = lines_of(&content(&company, &form).await);
        assert_eq!(value_of(&lines, "4a1"), "1605.00");
        // 12.4 and 2.9 percent of 1,605.00.
        assert_eq!(["4a2", "4c2", "4e"].map(|line| value_of(&lines, line)), ["199.02", "46.55", "245.57"]);
        assert_eq!(value_of(&lines, "13"), "not reported below 2,500.00");
        assert_eq!(owed(&company, days).await, booked + form.posted);
        assert_eq!(
            format_dollars(booked + form.posted),
            value_of(&lines, "9"),
            "the books owe what the form reports"
        );

        // Form W-3 agrees with it, and the file of the Forms W-2 names the return.
        let id = company.id;
        let year = company.world.app.store.read(move |tx| figures::of_year(tx, id, 2026)).await.unwrap();
        assert!(year.quarters.is_empty() && year.comparisons.len() == 7, "{:?}", year.comparisons);
        assert!(year.comparisons.iter().all(|one| one.right_name.starts_with("Form 944")));
        close(&company, Period::Statements(2026)).await.unwrap();
        let closed = ClosedYear::find_closed_year(&company.world.app.store, id, 2026).await.unwrap();
        let (bytes, _) = closed.write_file(&company.world.app.store, &submitter(), Vec::new()).await.unwrap();
        let file = String::from_utf8(bytes).unwrap();
        let employer = file.split_terminator("\r\n").find(|record| record.starts_with("RE")).unwrap();
        assert_eq!(&employer[218..219], "F", "employment code of Form 944");

        // What the company files is what it closes.
        let version = text(&company.get(details).await.ok(), "version");
        company.put(details, json!({ "version": version, "filing_form": "941" })).await.ok();
        let refused = close(&company, Period::Withheld(2026)).await.unwrap_err();
        assert!(refused[0].contains("is closed already"), "{refused:?}");
    });
}

#[test]
fn the_occupation_in_which_tips_were_earned_is_in_box_14b() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = super::company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let jobs = company.get(format!("/v1/employees/{ana}/jobs")).await.list();
        let path = format!("/v1/jobs/{}", id_of(&jobs[0]));
        let put = |code: &str| json!({ "version": jobs[0]["version"], "tipped_occupation": code });
        let refused = company.put(&path, put("waiter")).await.refused(422);
        assert!(refused.0.iter().any(|fault| fault["error_key"] == "tipped_occupation"), "{refused:?}");
        assert_eq!(company.put(&path, put("102")).await.ok()["tipped_occupation"], "102");
        let worked = json!({ "fixed_compensations": [{ "name": "Cash Tips", "amount": "50.00" }],
                             "hourly_compensations": [{ "name": "Regular Hours", "hours": "80" }] });
        super::enter(&company, &payroll, &ana, worked).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        // What the job says later changes nothing of what was paid.
        let version = company.get(&path).await.ok()["version"].clone();
        company.put(&path, json!({ "version": version, "tipped_occupation": null })).await.ok();
        let draft =
            company.post("/v1/sandbox/generate_w2", json!({ "employee_id": ana, "year": 2026 })).await.ok();
        let (id, company_id) = (id_of(&draft).parse().unwrap(), company.id);
        let form =
            company.world.app.store.read(move |tx| TaxForm::find(tx, company_id, id)).await.unwrap().unwrap();
        assert_eq!(value_of(&lines_of(&content(&company, &form).await), "14b"), "102");
    });
}
