//! Contractors where the records of a company are looked after: what is deleted in time and what stays, what a deletion leaves, the access of an
//! application that ends, new data keys, and the audit log.

use domain::offboarding::applications;
use jiff::ToSpan;
use serde_json::{Value, json};
use store::{Rotation, Sql, params};
use uuid::Uuid;

use crate::pages::{Browser, value_of};
use crate::support::{Company, Engine, World, id_of, on_both_engines, text};

const CONTRACTORS: &str = "/v1/companies/{company}/contractors";
const SSN: &str = "412551234";
const ACCOUNT: &str = "40070051";
/// What the company has paid the contractor, and nobody is asked to send.
const PAID_BEFORE: &str = "2026-05-29";

store::statements! {
    LINKS = "SELECT count(*) FROM flow_links WHERE company_id = $1";
    SESSIONS = "SELECT count(*) FROM flow_sessions WHERE company_id = $1";
    DRAFTS = "SELECT count(*) FROM flow_drafts WHERE company_id = $1";
    WRONG_ANSWERS = "SELECT count(*) FROM flow_confirmations WHERE company_id = $1";
    INVITATIONS = "SELECT count(*) FROM member_portal_invitations WHERE company_id = $1";
    RECORDS = "SELECT count(*) FROM contractors WHERE company_id = $1";
    ADDRESSES = "SELECT count(*) FROM contractor_addresses WHERE company_id = $1";
    ACCOUNTS = "SELECT count(*) FROM contractor_bank_accounts WHERE company_id = $1";
    DOCUMENTS = "SELECT count(*) FROM contractor_documents WHERE company_id = $1";
    SIGNATURES = "SELECT count(*) FROM contractor_document_signatures WHERE company_id = $1";
    SEALED_SSN = "SELECT ssn, ssn_digest FROM contractors WHERE company_id = $1";
    SEALED_ACCOUNT = "SELECT routing_number, account_number FROM contractor_bank_accounts WHERE company_id = $1";
    SEALED_SIGNATURE = "SELECT content, signature_text FROM contractor_document_signatures WHERE company_id = $1";
}

/// What is counted of the hosted pages: links, sessions, entries that came too late, and wrong answers.
const OF_PAGES: [Sql; 4] = [LINKS, SESSIONS, DRAFTS, WRONG_ANSWERS];
/// Everything that is stored of a contractor alone.
const OF_CONTRACTORS: [Sql; 7] = [RECORDS, ADDRESSES, ACCOUNTS, DOCUMENTS, SIGNATURES, INVITATIONS, DRAFTS];
/// What is sealed of a contractor, or is a digest of it.
const SEALED: [Sql; 3] = [SEALED_SSN, SEALED_ACCOUNT, SEALED_SIGNATURE];

/// The rows that a company has of something.
async fn rows<const N: usize>(company: &Company, statements: [Sql; N]) -> [i64; N] {
    let id = company.id;
    let counted = company.world.app.store.read(move |tx| {
        let mut counts = [0; N];
        for (count, statement) in counts.iter_mut().zip(statements) {
            *count = tx.find_row(statement, params![id], |row| row.get::<i64>(0))?.unwrap_or(-1);
        }
        Ok::<_, domain::Error>(counts)
    });
    counted.await.unwrap()
}

/// What is stored in two sealed columns of the only row.
async fn stored(company: &Company, statement: Sql) -> [Vec<u8>; 2] {
    let id = company.id;
    let read = company.world.app.store.read(move |tx| {
        let found =
            tx.find_row(statement, params![id], |row| [row.get::<Vec<u8>>(0), row.get::<Vec<u8>>(1)])?;
        Ok::<_, domain::Error>(found.expect("a row"))
    });
    read.await.unwrap()
}

/// A company whose clock only the test moves.
async fn quiet(engine: Engine) -> (World, Company) {
    let world = engine.own_world_with(|setup| setup.time_passes = false).await;
    let company = world.company().await;
    (world, company)
}

/// A contractor with everything: address, account, signed Form W-9; the record's path.
async fn entered(company: &Company) -> String {
    let body = json!({ "type": "Individual", "wage_type": "Fixed", "start_date": "2026-01-05", "first_name": "Lina",
                       "last_name": "Ford", "email": "lina@people.example", "ssn": SSN, "self_onboarding": true });
    let path = format!("/v1/contractors/{}", id_of(&company.post(CONTRACTORS, body).await.created()));
    let address = json!({ "street_1": "7 Mill Lane", "city": "Austin", "state": "TX", "zip": "78701" });
    company.put(format!("{path}/address"), address).await.ok();
    let account = json!({ "name": "Main", "routing_number": "021000021", "account_number": ACCOUNT, "account_type": "Checking" });
    company.post(format!("{path}/bank_accounts"), account).await.created();
    let document = id_of(&company.get(format!("{path}/documents")).await.list()[0]);
    let signed = json!({ "fields": [{ "key": "signature_text", "value": "Lina Ford" }], "agree": true,
                         "signed_by_ip_address": "203.0.113.7" });
    company.put(format!("/v1/documents/{document}/sign"), signed).await.ok();
    path
}

fn id_in(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// A link to the contractor's pages.
async fn link(company: &Company, path: &str) -> String {
    let body = json!({ "flow_type": "contractor_self_management", "entity_type": "Contractor", "entity_uuid": id_in(path) });
    let made = company.post("/v1/companies/{company}/flows", body).await.created();
    text(&made, "url").strip_prefix("https://pages.example").unwrap().to_owned()
}

/// Everything that the interface shows of a contractor.
async fn shown(company: &Company, path: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for what in
        ["", "/address", "/bank_accounts", "/payment_method", "/onboarding_status", "/documents", "/payments"]
    {
        all.push(company.get(format!("{path}{what}")).await.ok());
    }
    all
}

/// Which requests the audit log tells of, oldest first.
async fn requests(company: &Company) -> Vec<String> {
    company.audit().await.into_iter().map(|entry| entry.request_id).collect()
}

/// What was recorded about a record: the action, and the kind of record.
async fn recorded(company: &Company, about: &[Uuid]) -> Vec<String> {
    let entries = company.audit().await.into_iter().filter(|entry| about.contains(&entry.entity));
    entries.map(|entry| format!("{} {}", entry.action, entry.entity_type)).collect()
}

#[test]
fn what_the_pages_of_a_contractor_leave_is_swept_in_time_and_the_record_and_what_was_paid_stay() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        // What begins with the worker: the daily sweeping.
        world.app.worker.schedule_upkeep().await;
        let lina = entered(&company).await;
        let payment = json!({ "contractor_uuid": id_in(&lina), "payment_method": "Historical Payment", "date": PAID_BEFORE, "wage": "700.00" });
        company.post("/v1/companies/{company}/contractor_payments", payment).await.ok();
        let page = Browser::follow(&company, &link(&company, &lina).await).await;
        page.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", "0000")]).await.is(422);
        let address = value_of(&page.get("address").await.is(200).text(), "form_token");
        let (mut before, written) = (shown(&company, &lina).await, requests(&company).await);

        // The page stands open for longer than a session lasts, and what is entered then is kept.
        world.wait(61.minutes()).await;
        let late = [("form_token", address.as_str()), ("street_1", "9 Mill Lane")];
        page.form("address", &late).send().await.is(410);
        // Of the wrong answer, the page that told so is kept, too.
        assert_eq!(rows(&company, OF_PAGES).await, [1, 1, 2, 1]);
        // Wrong answers are kept for two days, entries for seven, links and sessions for eight: the sweeper comes once a day.
        for (days, left) in [(3, [1, 1, 2, 0]), (3, [1, 1, 2, 0]), (2, [1, 1, 0, 0]), (2, [0, 0, 0, 0])] {
            world.wait((days * 24).hours()).await;
            assert_eq!(rows(&company, OF_PAGES).await, left, "{days} days later");
        }
        let told = async || {
            let events = company.events().await.into_iter().map(|event| event.event_type);
            events.filter(|name| name == "contractor.created").count()
        };
        assert_eq!(told().await, 1, "events are kept for thirty days");
        world.wait((23 * 24).hours()).await;
        assert_eq!(told().await, 0);

        // A year later the record, its signed form and what was paid are still there, and who did it.
        company.post(format!("{lina}/termination"), json!({ "end_date": "2026-07-31" })).await.is(204);
        world.wait((370 * 24).hours()).await;
        let after = shown(&company, &lina).await;
        assert_eq!(
            (&after[0]["is_active"], &after[0]["dismissal_date"]),
            (&json!(false), &json!("2026-07-31"))
        );
        before[1]["active"] = json!(false);
        assert_eq!(after[1..], before[1..]);
        assert_eq!(after[6][0]["wage"], "700.00");
        let document = id_of(&after[5][0]);
        assert_eq!(company.get(format!("/v1/documents/{document}/pdf")).await.status, 200);
        assert_eq!(rows(&company, OF_CONTRACTORS).await, [1, 1, 1, 1, 1, 0, 0]);
        assert_eq!(requests(&company).await[..written.len()], written, "nothing of the audit log is swept");
    });
}

#[test]
fn nothing_is_stored_of_a_contractor_who_was_deleted_but_the_log_of_who_did_it() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let lina = entered(&company).await;
        let invitation = format!("{lina}/member_portal_invitations");
        let invited = text(&company.post(&invitation, json!({})).await.created(), "url");
        let url = invited.strip_prefix("https://pages.example").unwrap();
        let page = Browser::follow(&company, url).await;
        let address = value_of(&page.get("address").await.is(200).text(), "form_token");
        world.wait(61.minutes()).await;
        page.form("address", &[("form_token", &address), ("street_1", "9 Mill Lane")]).send().await.is(410);
        assert_eq!(rows(&company, OF_CONTRACTORS).await, [1; 7]);
        company.delete(&lina).await.deleted();
        assert_eq!(rows(&company, OF_CONTRACTORS).await, [0; 7]);
        company.get(&lina).await.refused(404);
        company.get(&invitation).await.refused(404);
        for answer in [page.get("address").await, page.open_again(url).await] {
            assert!(matches!(answer.status.as_u16(), 404 | 410), "{}", answer.status);
            assert!(!answer.text().contains("Lina"), "{}", answer.text());
        }
        let id = id_in(&lina).parse().unwrap();
        assert_eq!(recorded(&company, &[id]).await.last().unwrap(), "deleted contractors");
    });
}

#[test]
fn whoever_is_deleted_leaves_no_invitation_whether_employee_or_contractor() {
    on_both_engines(async |engine: Engine| {
        let (_, company) = quiet(engine).await;
        let ana = format!("/v1/employees/{}", id_of(&company.employee("Ana").await));
        let lina = entered(&company).await;
        for member in [&ana, &lina] {
            company.post(format!("{member}/member_portal_invitations"), json!({})).await.created();
        }
        assert_eq!(rows(&company, [INVITATIONS]).await, [2]);
        for (member, left) in [(&ana, 1), (&lina, 0)] {
            company.delete(member).await.deleted();
            assert_eq!(rows(&company, [INVITATIONS]).await, [left], "{member}");
        }
    });
}

#[test]
fn the_pages_of_contractors_end_with_the_access_of_the_application_that_made_their_link_and_no_record_does() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let lina = entered(&company).await;
        let other = company.for_another_application().await;
        let all = domain::access::scope::Scopes::ALL.to_text();
        let kind = domain::access::tokens::TokenKind::Company;
        let token = world.token(kind, other.application, Some(company.id), &all, None).await;
        let other = Company { token, ..other };
        let (ours, theirs) = (link(&company, &lina).await, link(&other, &lina).await);
        let (page, beside) =
            (Browser::follow(&company, &ours).await, Browser::follow(&company, &theirs).await);
        let before = shown(&other, &lina).await;

        let application = company.application;
        company.as_operator(move |tx, caller| applications::sign_out_of(tx, caller, application)).await;
        // The command is another process: what this one keeps in memory is believed for a second at most.
        world.app.grants.forget_all();
        company.get(&lina).await.refused(401);
        page.get("address").await.is(410);
        page.open_again(&ours).await.is(410);
        let late = [("form_token", "x"), ("street_1", "9 Mill Lane")];
        page.form("address", &late).send().await.is(410);
        beside.get("address").await.is(200);
        assert_eq!(shown(&other, &lina).await, before, "the record belongs to the company");
        let id = id_in(&lina);
        assert!(other.get(CONTRACTORS).await.list().iter().any(|one| id_of(one) == id));
    });
}

#[test]
fn numbers_accounts_and_signatures_of_contractors_are_sealed_anew_with_new_data_keys_and_read_as_before() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let lina = entered(&company).await;
        let before = shown(&company, &lina).await;
        let mut old = Vec::new();
        for statement in SEALED {
            old.push(stored(&company, statement).await);
        }
        // A field is put in place of the one that was read, whoever else is at work, and so without a guard.
        let beside = world.second_node_with(|options| options.watch = None);
        let store = &beside.app.store;
        let Rotation::Waiting(until) = store.rotate_data_keys(&domain::sealed::SEALED).await.unwrap() else {
            panic!("other processes hear of the new keys first");
        };
        world.wait_until(until).await;
        store.clock().advance_to(until);
        let done = store.rotate_data_keys(&domain::sealed::SEALED).await.unwrap();
        assert!(matches!(done, Rotation::Done { .. }), "{done:?}");
        for (statement, old) in SEALED.into_iter().zip(old) {
            let new = stored(&company, statement).await;
            for (new, old) in new.iter().zip(&old) {
                // A sealed value begins with the number of its key.
                assert_ne!(new[..8], old[..8], "{statement:?}");
            }
        }

        assert_eq!(shown(&company, &lina).await, before);
        let page = Browser::follow(&company, &link(&company, &lina).await).await;
        page.fill_in("payment", &[("action", "confirm"), ("ssn_last_four", &SSN[5..])]).await.is(303);
        // The digest is that of the new key: an equal number is still found.
        let twin = json!({ "type": "Individual", "wage_type": "Fixed", "start_date": "2026-06-01", "first_name": "Lena",
                           "last_name": "Ford", "ssn": SSN });
        let twin = id_of(&company.post(CONTRACTORS, twin).await.created());
        let status = company.get(format!("/v1/contractors/{twin}/onboarding_status")).await.ok();
        let blocker = &status["blockers"][0];
        assert_eq!((&blocker["field"], &blocker["category"]), (&json!("ssn"), &json!("duplicate_value")));
    });
}

#[test]
fn every_change_of_a_contractor_is_written_down_without_a_number() {
    on_both_engines(async |engine: Engine| {
        let (_, company) = quiet(engine).await;
        let lina = entered(&company).await;
        let version = company.get(&lina).await.ok()["version"].clone();
        let changed = json!({ "version": version, "ssn": "412551235", "last_name": "Ford-Hill" });
        company.put(&lina, changed).await.ok();
        company.post(format!("{lina}/termination"), json!({ "end_date": "2026-06-10" })).await.is(204);
        let payment = json!({ "contractor_uuid": id_in(&lina), "payment_method": "Historical Payment", "date": PAID_BEFORE, "wage": "700.00" });
        let paid = company.post("/v1/companies/{company}/contractor_payments", payment).await.ok();
        company
            .delete(format!("/v1/companies/{{company}}/contractor_payments/{}", id_of(&paid)))
            .await
            .is(204);

        let entries = company.audit().await;
        let by = &company.world.application;
        assert!(entries.iter().all(|one| one.actor_kind == "application" && one.actor == *by));
        assert!(entries.iter().all(|one| !one.request_id.is_empty()));
        let told: Vec<_> = entries.iter().map(|one| format!("{} {}", one.action, one.entity_type)).collect();
        for expected in EXPECTED {
            assert!(told.contains(&expected.to_owned()), "{expected} among {told:?}");
        }
        let update = entries.iter().rfind(|one| one.action == "updated" && one.changes.get("ssn").is_some());
        let update = &update.unwrap().changes;
        assert_eq!(
            (&update["ssn"], &update["last_name"]),
            (&json!(["***", "***"]), &json!(["Ford", "Ford-Hill"]))
        );
        let all = format!("{entries:?}");
        for secret in [SSN, "412551235", ACCOUNT, "021000021"] {
            assert!(!all.contains(secret), "{secret} in {all}");
        }
    });
}

/// What is written down of a contractor's way.
const EXPECTED: [&str; 8] = [
    "created contractors",
    "updated contractors",
    "created contractor_addresses",
    "created contractor_bank_accounts",
    "signed contractor_documents",
    "dismissed contractors",
    "created contractor_payments",
    "cancelled contractor_payments",
];
