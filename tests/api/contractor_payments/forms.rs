//! Forms 1099-NEC: the year of the check date, the threshold, drafts, the close, and what changes afterwards.

use domain::Error;
use domain::returns::closing::{self, Period};
use domain::returns::forms::rows::{self, State};
use serde_json::{Value, json};

use super::{SINGLES, contractor, payer, told};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

async fn paid_before(company: &Company, who: &str, date: &str, wage: &str) -> Value {
    let body = json!({ "contractor_uuid": who, "date": date, "wage": wage, "reimbursement": "500",
                       "payment_method": "Historical Payment" });
    company.post(SINGLES, body).await.ok()
}

async fn draft(company: &Company, who: &str, year: i16) -> Value {
    let body = json!({ "contractor_id": who, "year": year });
    company.post("/v1/sandbox/generate_1099", body).await.created()
}

/// The figures of a form, by box.
async fn boxes(company: &Company, form: &str) -> Vec<(String, String)> {
    let (of, id) = (company.id, form.parse().unwrap());
    let read = company.world.app.store.read(move |tx| {
        let form = rows::TaxForm::find(tx, of, id)?.unwrap();
        form.read_content(tx, of)
    });
    let content = read.await.unwrap_or_else(|error: Error| panic!("{error:?}"));
    let lines = content.parts().into_iter().flat_map(|part| part.lines);
    lines.map(|line| (line.number.clone(), line.value.shown_text())).collect()
}

fn has(boxes: &[(String, String)], number: &str, value: &str) -> bool {
    boxes.iter().any(|(of, shown)| of == number && shown == value)
}

#[test]
fn a_payment_is_of_the_year_of_its_check_date_without_expenses() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let cora = contractor(&company, json!({})).await;
        paid_before(&company, &cora, "2025-12-31", "700").await;
        paid_before(&company, &cora, "2026-01-01", "800").await;
        let old = draft(&company, &cora, 2025).await;
        assert_eq!(
            (&old["name"], &old["draft"], &old["year"], &old["quarter"], &old["contractor_uuid"]),
            (&json!("US_1099"), &json!(true), &json!(2025), &Value::Null, &json!(cora))
        );
        let of_old = boxes(&company, &id_of(&old)).await;
        assert!(
            has(&of_old, "1", "700.00") && has(&of_old, "4", "0.00") && has(&of_old, "7", "700.00"),
            "{of_old:?}"
        );
        assert!(has(&of_old, "", "XXX-XX-8765"));
        let new = draft(&company, &cora, 2026).await;
        assert!(has(&boxes(&company, &id_of(&new)).await, "1", "800.00"));
        // A draft is made anew.
        paid_before(&company, &cora, "2026-02-02", "1").await;
        assert_eq!(id_of(&draft(&company, &cora, 2026).await), id_of(&new));
        assert!(has(&boxes(&company, &id_of(&new)).await, "1", "801.00"));
        // The first one was of the Form W-9.
        assert_eq!(told(&company, "contractor.form.created").await[1..], [id_of(&old), id_of(&new)]);
        let listed = company.get(format!("/v1/contractors/{cora}/forms")).await.list();
        assert_eq!(listed.len(), 2);
        let one = format!("/v1/contractors/{cora}/forms/{}", id_of(&old));
        company.get(&one).await.ok();
        assert!(text(&company.get(format!("{one}/pdf")).await.ok(), "document_url").contains("/documents/"));
        let nothing = json!({ "contractor_id": cora, "year": 2024 });
        company.post("/v1/sandbox/generate_1099", nothing).await.refused(422);
        // It is nobody else's.
        let other = contractor(&company, json!({ "first_name": "Mia", "ssn": "219098766" })).await;
        company.get(format!("/v1/contractors/{other}/forms/{}", id_of(&old))).await.refused(404);
        company.get(format!("/v1/forms/{}", id_of(&old))).await.refused(404);
    });
}

#[test]
fn a_closed_year_has_those_who_reach_its_threshold_and_later_changes_are_corrections() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        company.location("CA").await;
        company.set_up().await;
        let [above, below] = [("219098765", "Cora"), ("219098766", "Mia")];
        let above = contractor(&company, json!({ "ssn": above.0, "first_name": above.1 })).await;
        let below = contractor(&company, json!({ "ssn": below.0, "first_name": below.1 })).await;
        paid_before(&company, &above, "2025-06-30", "600.00").await;
        paid_before(&company, &below, "2025-06-30", "599.99").await;
        let of_draft = draft(&company, &below, 2025).await;
        let (store, id) = (&world.app.store, company.id);
        let by = &company.operator().await;
        let too_early = closing::close_period(store, by, Period::Contractors(2026)).await;
        assert!(matches!(too_early, Err(Error::Violations(_))));
        let form = closing::close_period(store, by, Period::Contractors(2025)).await.unwrap();
        assert_eq!(form.state, State::Final);
        let sum = boxes(&company, &form.id.to_string()).await;
        assert!(has(&sum, "3", "1") && has(&sum, "5", "600.00") && has(&sum, "4", "0.00"), "{sum:?}");
        let final_one = company.get(format!("/v1/contractors/{above}/forms")).await.list();
        assert!(final_one.len() == 1 && final_one[0]["draft"] == false);
        assert!(company.get(format!("/v1/contractors/{below}/forms")).await.list().is_empty(), "{of_draft}");
        let same = closing::close_period(store, by, Period::Contractors(2025)).await.unwrap();
        assert_eq!(same.id, form.id, "a second close finds the first");

        let late = paid_before(&company, &below, "2025-12-31", "1").await;
        let open = store.read(move |tx| rows::list_corrections(tx, id, true)).await.unwrap();
        let [correction] = &open[..] else { panic!("{open:?}") };
        assert_eq!((correction.form, correction.record.to_string()), (form.id, id_of(&late)));
        let body = json!({ "contractor_id": below, "year": 2025 });
        company.post("/v1/sandbox/generate_1099", body).await.refused(422);
        closing::take_back(store, by, form.id, "too early").await.unwrap();
        let again = closing::close_period(store, by, Period::Contractors(2025)).await.unwrap();
        assert!(has(&boxes(&company, &again.id.to_string()).await, "3", "2"));
    });
}
