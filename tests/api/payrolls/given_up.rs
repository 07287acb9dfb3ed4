//! Work on payrolls that was given up: it says so, and goes on.

use domain::Error;
use domain::pay::payrolls::closing::recovery;
use serde_json::{Value, json};
use store::params;

use super::runs::{own_events, request};
use super::{company, enter, hours, path};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

store::statements! {
    CLOSE = "UPDATE jobs SET state = 'failed', finished_at = created_at WHERE company_id = $1 AND kind = $2 AND entity_id = $3";
}

/// Closes a piece of work as one that was given up.
async fn close(company: &Company, kind: &'static str, entity: &str) {
    let (id, entity) = (company.id, entity.parse::<uuid::Uuid>().unwrap());
    let closed = company
        .world
        .app
        .store
        .write(move |tx| Ok::<_, Error>(tx.change_rows(CLOSE, params![id, kind, entity])?.is_one()));
    assert!(closed.await.unwrap(), "there was such a piece of work");
}

#[test]
fn a_calculation_that_is_given_up_says_so_and_can_be_asked_for_again() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        request(&company, &payroll).await;
        // Nothing to do while the work is scheduled.
        let store = &company.world.app.store;
        assert_eq!(recovery::fail_abandoned(store).await.unwrap(), 0);
        close(&company, "payroll.calculated", &payroll).await;
        assert_eq!(recovery::fail_abandoned(store).await.unwrap(), 1);
        let told = company.get(path(&payroll, "")).await.ok();
        let request = &told["processing_request"];
        assert_eq!((&request["status"], &told["calculated_at"]), (&json!("processing_failed"), &Value::Null));
        assert!(text(&request["errors"][0], "message").contains("calculate it once more"), "{request}");
        assert_eq!(own_events(&company).await.last().unwrap(), "payroll.processing_failed");
        company.calculate(&payroll).await;
        let told = company.get(path(&payroll, "")).await.ok();
        assert_eq!(told["processing_request"]["status"], "calculate_success");
        // Given up too late: what was calculated stays.
        assert_eq!(recovery::fail_abandoned(store).await.unwrap(), 0);
        assert_eq!(company.get(path(&payroll, "")).await.ok(), told);
    });
}

#[test]
fn a_payroll_whose_processing_was_given_up_says_so_and_is_submitted_again_to_go_on_where_it_stopped() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        company.put(path(&payroll, "/submit"), json!({})).await.is(202);
        close(&company, "payroll.processed", &payroll).await;
        assert_eq!(recovery::fail_abandoned(&company.world.app.store).await.unwrap(), 1);
        let told = company.get(path(&payroll, "")).await.ok();
        let request = &told["processing_request"];
        assert_eq!((&request["status"], &told["processed"]), (&json!("processing_failed"), &json!(false)));
        assert!(text(&request["errors"][0], "message").contains("submit it once more"), "{request}");
        assert_eq!(own_events(&company).await.last().unwrap(), "payroll.processing_failed");
        // It was submitted: what it pays is not changed any more.
        let refused = company.put(path(&payroll, "/calculate"), json!({})).await.refused(422);
        assert!(text(&refused.0[0], "message").contains("submit it once more"), "{refused:?}");
        let done = company.submit(&payroll).await;
        assert_eq!(done["processed"], true);
    });
}

#[test]
fn pay_periods_go_on_when_the_work_that_makes_the_next_one_was_given_up() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let store = &company.world.app.store;
        let schedule = id_of(&company.get("/v1/companies/{company}/pay_schedules").await.list()[0]);
        assert_eq!(recovery::resume_schedules(store).await.unwrap(), 0);
        close(&company, "payroll.created", &schedule).await;
        let until = "2026-08-01T12:00:00Z".parse().unwrap();
        assert!(company.world.wait_until(until).await.iter().all(|fired| fired.kind != "payroll.created"));
        assert_eq!(recovery::resume_schedules(store).await.unwrap(), 1);
        company.world.wait_until(until).await;
        let made = company.get("/v1/companies/{company}/payrolls?start_date=2026-06-01&end_date=2026-07-31&processing_statuses=unprocessed");
        let starts: Vec<_> =
            made.await.list().iter().map(|one| text(&one["pay_period"], "start_date")).collect();
        assert_eq!(starts, ["2026-06-01", "2026-06-15", "2026-06-29", "2026-07-13", "2026-07-27"]);
    });
}
