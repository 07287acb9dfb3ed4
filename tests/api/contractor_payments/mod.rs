//! Payments of contractors: singles and groups, what they come to, who may be paid, and how they are cancelled.

mod forms;
mod pages;
mod sent;
mod withheld;

use domain::Error;
use domain::contractors::records::rows::Contractor;
use serde_json::{Value, json};

use crate::support::{Answer, Company, Engine, World, id_of, on_both_engines, text};

const GROUPS: &str = "/v1/companies/{company}/contractor_payment_groups";
const PREVIEW: &str = "/v1/companies/{company}/contractor_payment_groups/preview";
const SINGLES: &str = "/v1/companies/{company}/contractor_payments";
const JOURNAL: &str = "/v1/companies/{company}/journal?start_date=2026-01-01&end_date=2026-07-31";
/// A Thursday; its cut-off is the Tuesday before at four in the afternoon in California.
const PAYDAY: &str = "2026-06-18";

/// A contractor who is onboarded, with these fields beside or instead of those of a person with a fixed wage.
async fn contractor(company: &Company, fields: Value) -> String {
    let mut body = json!({ "type": "Individual", "wage_type": "Fixed", "start_date": "2026-01-05", "first_name": "Cora",
                           "last_name": "Stone", "ssn": "219098765" });
    for (key, value) in fields.as_object().unwrap() {
        body[key] = value.clone();
    }
    let without_number = body["ssn"].is_null() && body["ein"].is_null();
    if without_number {
        body["ssn"] = json!("219098765");
    }
    let id = id_of(&company.post("/v1/companies/{company}/contractors", body).await.created());
    let address = format!("/v1/contractors/{id}/address");
    let version = company.get(&address).await.ok()["version"].clone();
    let home = json!({ "version": version, "street_1": "300 3rd Street", "city": "San Francisco", "state": "CA", "zip": "94107" });
    company.put(&address, home).await.ok();
    let done = json!({ "onboarding_status": "onboarding_completed" });
    company.put(format!("/v1/contractors/{id}/onboarding_status"), done).await.ok();
    if without_number {
        change(company, &id, |found| (found.ssn, found.ssn_digest) = (None, None)).await;
    }
    id
}

/// Changes the record of a contractor.
async fn change(company: &Company, contractor: &str, change: impl Fn(&mut Contractor) + Send + 'static) {
    let (of, one) = (company.id, contractor.parse().unwrap());
    let done = company.world.app.store.write(move |tx| {
        tx.take_guard(of, "contractor", one)?;
        let mut found = Contractor::find(tx, of, one)?.unwrap();
        change(&mut found);
        assert!(found.update(tx, of)?);
        Ok(())
    });
    done.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
}

/// The contractor's account.
async fn account(company: &Company, contractor: &str, number: &str) -> String {
    let account = json!({ "name": "Main", "routing_number": "021000021", "account_number": number,
                          "account_type": "Checking" });
    id_of(&company.post(format!("/v1/contractors/{contractor}/bank_accounts"), account).await.created())
}

/// A person with a fixed wage, and a business with an hourly one of 50.00, both with accounts.
async fn two(company: &Company) -> [String; 2] {
    let cora = contractor(company, json!({})).await;
    account(company, &cora, "1111222233").await;
    let business = json!({ "type": "Business", "business_name": "Lin Design LLC", "ein": "123456789", "wage_type": "Hourly",
                           "hourly_rate": "50.00", "first_name": null, "last_name": null, "ssn": null });
    let lin = contractor(company, business).await;
    account(company, &lin, "44445555666").await;
    [cora, lin]
}

/// A company of its own world, which can pay.
async fn payer(world: &World) -> Company {
    crate::money::employer(world, "90126600418").await.0
}

/// Both are paid: 1,000.00, and 10 hours with a bonus of 25.00 and expenses of 80.00.
fn pay_of([cora, lin]: &[String; 2]) -> Value {
    json!({ "check_date": PAYDAY, "contractor_payments": [
        { "contractor_uuid": cora, "wage": "1000.00" },
        { "contractor_uuid": lin, "hours": "10", "bonus": "25", "reimbursement": "80.00" }] })
}

/// Previews a group and creates it.
async fn create(company: &Company, body: &Value) -> Value {
    ask(company, body).await.created()
}

async fn ask(company: &Company, body: &Value) -> Answer {
    let preview = company.post(PREVIEW, body.clone()).await.ok();
    let mut body = body.clone();
    body["creation_token"] = preview["creation_token"].clone();
    company.post(GROUPS, body).await
}

fn cents(amount: &Value) -> i64 {
    let text = amount.as_str().unwrap_or("0.00");
    let digits: i64 = text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
    if text.starts_with('-') { -digits } else { digits }
}

/// The sum of an account in the books, credits above zero; all lines sum to zero.
async fn owed(company: &Company, account: &str) -> i64 {
    let lines = company.get(JOURNAL).await.list();
    let sum = |lines: &[Value]| {
        lines.iter().map(|line| cents(&line["credit"]) - cents(&line["debit"])).sum::<i64>()
    };
    assert_eq!(sum(&lines), 0, "{lines:#?}");
    let of: Vec<Value> = lines.into_iter().filter(|line| line["account"] == account).collect();
    sum(&of)
}

async fn told(company: &Company, event: &str) -> Vec<String> {
    let events = company.get(format!("/v1/events?event_type={event}&limit=100")).await.list();
    events.iter().map(|one| text(one, "entity_uuid")).collect()
}

#[test]
fn a_group_is_previewed_without_a_trace_and_created_once_with_its_token() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let both = two(&company).await;
        let body = pay_of(&both);
        let preview = company.post(PREVIEW, body.clone()).await.ok();
        assert_eq!(
            (&preview["uuid"], &preview["contractor_payments"][0]["uuid"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(preview["submission_blockers"], json!([]));
        // Two banking days before, at the cut-off; it settles on the next day.
        assert_eq!((&preview["check_date"], &preview["debit_date"]), (&json!(PAYDAY), &json!("2026-06-17")));
        let totals = json!({ "amount": "1605.00", "debit_amount": "1605.00", "wage_amount": "1525.00",
                             "reimbursement_amount": "80.00", "check_amount": "0.00", "backup_withholding_amount": "0.00" });
        assert_eq!(preview["totals"], totals);
        let list = format!("{GROUPS}?end_date=2026-07-31");
        assert!(company.get(&list).await.list().is_empty());

        let mut with_token = body.clone();
        with_token["creation_token"] = preview["creation_token"].clone();
        let made = company.post(GROUPS, with_token.clone()).await.created();
        assert_eq!((&made["totals"], &made["status"]), (&totals, &json!("Unfunded")));
        let [cora, lin] = [0, 1].map(|place| made["contractor_payments"][place].clone());
        assert_eq!(
            (&cora["wage"], &cora["wage_total"], &cora["wage_type"]),
            (&json!("1000.00"), &json!("1000.00"), &json!("Fixed"))
        );
        assert_eq!(
            (&lin["hours"], &lin["hourly_rate"], &lin["wage_total"]),
            (&json!("10.0"), &json!("50.00"), &json!("525.00"))
        );
        assert!(cora["may_cancel"] == true && cora.get("memo").is_none(), "memo comes with 2026-02-01");
        let again = company.post(GROUPS, with_token).await.refused(422);
        assert_eq!(again.fault(), ("creation_token", "duplicate_operation"));
        let listed = company.get(&list).await.list();
        assert!(listed.len() == 1 && listed[0].get("contractor_payments").is_none());
        assert_eq!(told(&company, "contractor_payment_group.created").await, [id_of(&made)]);
        assert_eq!(told(&company, "contractor_payment.created").await.len(), 2);
        assert_eq!(owed(&company, "contractors_payable").await, 160_500);
    });
}

#[test]
fn a_token_belongs_to_its_payments_and_one_of_two_at_once_wins() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let both = two(&company).await;
        let mut body = pay_of(&both);
        assert_eq!(company.post(GROUPS, body.clone()).await.refused(422).keys(), ["creation_token"]);
        body["creation_token"] = company.post(PREVIEW, body.clone()).await.ok()["creation_token"].clone();
        let mut other = body.clone();
        other["contractor_payments"][0]["wage"] = json!("1000.01");
        assert_eq!(company.post(GROUPS, other).await.refused(422).keys(), ["creation_token"]);
        let mut later = body.clone();
        later["check_date"] = json!("2026-06-19");
        assert_eq!(company.post(GROUPS, later).await.refused(422).keys(), ["creation_token"]);
        // As numbers or as text, it is the same.
        body["contractor_payments"][0]["wage"] = json!(1000);
        let sent = body.clone();
        let statuses = company.at_once(2, move |company: Company| {
            let body = sent.clone();
            async move { company.post(GROUPS, body).await }
        });
        assert_eq!(statuses.await, [201, 422]);
        assert_eq!(company.get(format!("{GROUPS}?end_date=2026-07-31")).await.list().len(), 1);
        let older = company.call("POST", GROUPS).version("2024-04-01").json(&pay_of(&both)).send().await;
        older.ok();
    });
}

#[test]
fn what_does_not_belong_to_the_kind_of_wage_or_is_too_much_is_refused() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let [cora, lin] = two(&company).await;
        let group = |payments: Value| json!({ "check_date": PAYDAY, "contractor_payments": payments });
        let refused = async |payments: Value| company.post(PREVIEW, group(payments)).await.refused(422);
        let wrong = refused(json!([{ "contractor_uuid": cora, "hours": "3" }])).await;
        let nested = wrong.only();
        assert_eq!(
            (&nested["error_key"], &nested["category"]),
            (&json!("contractor_payments"), &json!("nested_errors"))
        );
        assert_eq!(nested["metadata"]["contractor_uuid"], cora);
        assert_eq!(nested["errors"][0]["error_key"], "hours");
        let wrong = refused(json!([{ "contractor_uuid": lin, "wage": "3" }])).await;
        assert_eq!(wrong.only()["errors"][0]["error_key"], "wage");
        // What is sent as nothing is nothing.
        let fine = json!([{ "contractor_uuid": cora, "wage": "1", "hours": "0", "bonus": "0.00" }]);
        company.post(PREVIEW, group(fine)).await.ok();
        refused(json!([{ "contractor_uuid": cora, "wage": "0" }])).await;
        assert_eq!(refused(json!([])).await.keys(), ["contractor_payments"]);
        let much = json!([{ "contractor_uuid": cora, "wage": "2000000" }]);
        company.post(PREVIEW, group(much)).await.ok();
        let too_much = json!([{ "contractor_uuid": cora, "wage": "2000000" }, { "contractor_uuid": lin, "bonus": "0.01" }]);
        assert_eq!(refused(too_much).await.keys(), ["contractor_payments"]);
        let nobody = crate::support::NOBODY;
        let unknown = refused(json!([{ "contractor_uuid": nobody, "wage": "1" }])).await;
        assert_eq!(unknown.only()["errors"][0]["error_key"], "contractor_uuid");
        let late = json!({ "check_date": "2026-06-16", "contractor_payments": [{ "contractor_uuid": cora, "wage": "1" }] });
        assert_eq!(company.post(PREVIEW, late).await.refused(422).keys(), ["check_date"]);
        let single = json!({ "contractor_uuid": cora, "date": PAYDAY, "hours": "3" });
        assert!(company.post(SINGLES, single).await.refused(422).keys().contains(&"hours"));
    });
}

#[test]
fn a_single_payment_has_a_memo_and_an_invoice_and_is_in_no_group() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let [cora, lin] = two(&company).await;
        let body = json!({ "contractor_uuid": cora, "date": PAYDAY, "wage": "250.5", "memo": "Logo", "invoice_number": "A-7" });
        let newest = |method: &str, path: &str, body: &Value| {
            company.call(method, path).version("2026-02-01").json(body).send()
        };
        let made = newest("POST", SINGLES, &body).await.ok();
        assert_eq!(
            (&made["memo"], &made["invoice_number"], &made["wage"]),
            (&json!("Logo"), &json!("A-7"), &json!("250.50"))
        );
        let mut long = body.clone();
        long["invoice_number"] = json!("x".repeat(26));
        assert_eq!(newest("POST", SINGLES, &long).await.refused(422).keys(), ["invoice_number"]);
        let one = format!("{SINGLES}/{}", id_of(&made));
        assert!(company.get(&one).await.ok().get("memo").is_none());
        assert!(company.get(format!("{GROUPS}?end_date=2026-07-31")).await.list().is_empty());

        let check =
            json!({ "contractor_uuid": lin, "date": PAYDAY, "hours": "2", "payment_method": "Check" });
        company.post(SINGLES, check).await.ok();
        let before = json!({ "contractor_uuid": cora, "date": "2026-03-02", "wage": "40", "payment_method": "Historical Payment" });
        company.post(SINGLES, before.clone()).await.ok();
        let mut future = before;
        future["date"] = json!("2026-06-16");
        assert_eq!(company.post(SINGLES, future).await.refused(422).keys(), ["date"]);

        let list = company.get(format!("{SINGLES}?start_date=2026-01-01&end_date=2026-07-31")).await.ok();
        assert_eq!(list["total"], json!({ "wages": "390.50", "reimbursements": "0.00" }));
        let rows = list["contractor_payments"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0]["contractor_uuid"]), (2, &json!(lin)), "the newest payment first");
        assert_eq!(
            (&rows[1]["wage_total"], rows[1]["payments"].as_array().unwrap().len()),
            (&json!("290.50"), 2)
        );
        let by_date = company
            .get(format!("{SINGLES}?start_date=2026-01-01&end_date=2026-07-31&group_by_date=true"))
            .await
            .ok();
        assert_eq!(by_date["contractor_payments"].as_array().unwrap().len(), 3);
        assert_eq!(company.get(SINGLES).await.refused(422).keys(), ["start_date"]);
        assert_eq!(company.get(format!("/v1/contractors/{cora}/payments")).await.list().len(), 2);
        // What was paid before is no debt.
        assert_eq!(owed(&company, "contractors_payable").await, 35_050);
        let preview =
            json!({ "contractor_payments": [{ "contractor_uuid": cora, "date": PAYDAY, "wage": "1" }] });
        let debited = company.call("GET", format!("{SINGLES}/preview")).json(&preview).send().await.ok();
        assert_eq!(debited["expected_debit_date"], "2026-06-17");
        let pdf = company.get(format!("/v1/contractor_payments/{}/pdf", id_of(&made))).await.is(200);
        assert!(pdf.text().starts_with("%PDF") || !pdf.text().is_empty());
    });
}

#[test]
fn who_has_no_account_is_paid_by_check_only_if_that_is_chosen() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let cora = contractor(&company, json!({})).await;
        let body = json!({ "check_date": PAYDAY, "contractor_payments": [{ "contractor_uuid": cora, "wage": "100" }] });
        let preview = company.post(PREVIEW, body.clone()).await.ok();
        let blocker = &preview["submission_blockers"][0];
        assert_eq!(
            (&blocker["blocker_type"], &blocker["status"]),
            (&json!("missing_contractor_bank_account"), &json!("unresolved"))
        );
        assert_eq!(blocker["unblock_options"][0]["unblock_type"], "pay_by_check");
        let mut body = body;
        body["creation_token"] = preview["creation_token"].clone();
        let refused = company.post(GROUPS, body.clone()).await.refused(422);
        assert_eq!(
            (refused.categories(), &refused.only()["metadata"]["key"]),
            (vec!["payroll_blocker"], &json!("missing_contractor_bank_account"))
        );
        body["submission_blockers"] =
            json!([{ "blocker_type": "missing_contractor_bank_account", "selected_option": "pay_by_check" }]);
        let made = company.post(GROUPS, body).await.created();
        assert_eq!(
            (&made["totals"]["check_amount"], &made["totals"]["debit_amount"]),
            (&json!("100.00"), &json!("0.00"))
        );
        company.suspend().await;
        account(&company, &cora, "1111222233").await;
        let single = json!({ "contractor_uuid": cora, "date": PAYDAY, "wage": "5" });
        let refused = company.post(SINGLES, single.clone()).await.refused(422);
        assert_eq!(refused.only()["metadata"]["key"], "suspended");
        let mut before = single;
        (before["date"], before["payment_method"]) = (json!("2026-05-04"), json!("Historical Payment"));
        company.post(SINGLES, before).await.ok();
    });
}

#[test]
fn payments_are_cancelled_until_their_cut_off_alone_or_with_their_group() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = crate::money::bank(&world, |_| {}).await;
        let company = payer(&world).await;
        let both = two(&company).await;
        let group = create(&company, &pay_of(&both)).await;
        let [cora, lin] = [0, 1].map(|place| id_of(&group["contractor_payments"][place]));
        company.delete(format!("{SINGLES}/{cora}")).await.deleted();
        company.get(format!("{SINGLES}/{cora}")).await.refused(404);
        assert_eq!(owed(&company, "contractors_payable").await, 60_500);
        let path = format!("/v1/contractor_payment_groups/{}", id_of(&group));
        assert_eq!(company.get(&path).await.ok()["contractor_payments"].as_array().unwrap().len(), 1);
        company.delete(&path).await.deleted();
        company.get(&path).await.refused(404);
        assert_eq!(told(&company, "contractor_payment.cancelled").await, [cora, lin.clone()]);
        assert_eq!(told(&company, "contractor_payment_group.cancelled").await, [id_of(&group)]);
        assert_eq!(owed(&company, "contractors_payable").await, 0);
        let sent = create(&company, &pay_of(&both)).await;
        world.wait_until("2026-06-16T23:05:00Z".parse().unwrap()).await;
        assert_eq!(crate::money::files_in(folder.path()).len(), 1, "that of the second group alone");
        let path = format!("/v1/contractor_payment_groups/{}", id_of(&sent));
        let now = company.get(&path).await.ok();
        assert!(now["status"] == "Funded" && now["contractor_payments"][0]["may_cancel"] == false);
        company.delete(&path).await.refused(422);
        company.delete(format!("{SINGLES}/{}", id_of(&now["contractor_payments"][0]))).await.refused(422);
    });
}

#[test]
fn a_partner_pays_what_goes_to_accounts_and_reports_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = crate::money::bank(&world, |_| {}).await;
        let company = payer(&world).await;
        let both = two(&company).await;
        let configs = json!({ "partner_owned_disbursement": true });
        company.put("/v1/companies/{company}/payment_configs", configs).await.ok();
        let group = create(&company, &pay_of(&both)).await;
        assert!(group["partner_owned_disbursement"] == true && group["totals"]["debit_amount"] == "0.00");
        world.wait_until("2026-06-19T12:00:00Z".parse().unwrap()).await;
        assert!(crate::money::files_in(folder.path()).is_empty());
        let path = format!("/v1/contractor_payment_groups/{}/partner_disbursements", id_of(&group));
        let all = company.get(&path).await.ok();
        assert!(
            all["disbursements"].as_array().unwrap().iter().all(|one| one["payment_status"] == "Pending")
        );
        let [cora, lin] = [0, 1].map(|place| id_of(&group["contractor_payments"][place]));
        let report = |payment: &str, status: &str| json!({ "disbursements": [{ "contractor_payment_uuid": payment, "payment_status": status }] });
        let done = company.call("PATCH", &path).json(&report(&cora, "Paid")).send().await.ok();
        assert_eq!(done["disbursements"][0]["payment_status"], "Paid");
        company.delete(format!("{SINGLES}/{cora}")).await.refused(422);
        assert_eq!(company.get(format!("{SINGLES}/{cora}")).await.ok()["status"], "Funded");
        let done = company.call("PATCH", &path).json(&report(&lin, "Converted to check")).send().await.ok();
        assert_eq!(done["disbursements"][1]["payment_method"], "Check");
        assert_eq!(owed(&company, "contractors_payable").await, 0);
        company.call("PATCH", &path).json(&report(&lin, "Not partner managed")).send().await.refused(422);
    });
}

#[test]
fn funded_payments_have_receipts_and_checks_stay_unfunded() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let both = two(&company).await;
        let mut body = pay_of(&both);
        body["contractor_payments"][1]["payment_method"] = json!("Check");
        let group = create(&company, &body).await;
        let [cora, lin] = [0, 1].map(|place| id_of(&group["contractor_payments"][place]));
        let receipt = |payment: &str| format!("/v1/contractor_payments/{payment}/receipt");
        company.get(receipt(&cora)).await.refused(404);
        let funded = company
            .put(format!("/v1/contractor_payment_groups/{}/fund", id_of(&group)), json!({}))
            .await
            .ok();
        assert_eq!(funded["status"], "Funded");
        assert_eq!(funded["contractor_payments"][1]["status"], "Unfunded");
        let told = company.get(receipt(&cora)).await.ok();
        assert_eq!(
            (&told["totals"]["company_debit"], &told["name_of_recipient"]),
            (&json!("1000.00"), &json!("Cora Stone"))
        );
        company.get(receipt(&lin)).await.refused(404);
        company.put(format!("/v1/contractor_payments/{lin}/fund"), json!({})).await.refused(422);
        world.wait_until("2026-06-18T12:00:00Z".parse().unwrap()).await;
        assert_eq!(owed(&company, "contractors_payable").await, 0, "the check was handed over");
    });
}
