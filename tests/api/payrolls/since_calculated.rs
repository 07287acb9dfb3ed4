//! What is changed after the calculation of a payroll and before its submission.

use jiff::ToSpan;
use serde_json::{Value, json};

use super::{company, enter, hours, read};
use crate::support::{Company, Engine, id_of, on_both_engines};

async fn raise(company: &Company, job: &str, rate: &str, day: &str) -> String {
    let pay =
        json!({ "rate": rate, "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": day });
    id_of(&company.post(format!("/v1/jobs/{job}/compensations"), pay).await.created())
}

async fn order(company: &Company, employee: &str) {
    let order = json!({ "court_ordered": true, "description": "Levy", "amount": "10.00", "recurring": true });
    company.post(format!("/v1/employees/{employee}/garnishments"), order).await.created();
}

/// What a payroll tells of changes since its calculation: how many employees, whose ids, and which other records.
async fn changed(company: &Company, payroll: &str) -> Option<(Value, Value, Value)> {
    let told = read(company, payroll, "totals").await;
    let told = told.get("changed_since_calculation")?;
    assert_eq!(told["at_least"], false);
    Some((told["employee_count"].clone(), told["employee_uuids"].clone(), told["other_records"].clone()))
}

#[test]
fn what_is_changed_after_a_calculation_is_told_with_the_payroll_before_it_is_submitted_and_after_that() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let by_hour = ("20.00", "Hour", "Nonexempt");
        let (ana, job) = company.onboarded("Ana", &location, by_hour).await;
        let job = id_of(&job);
        let (ben, _) = company.onboarded("Ben", &location, by_hour).await;
        let (cem, _) = company.onboarded("Cem", &location, by_hour).await;
        let new = id_of(&company.employee("Dee").await);
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        assert_eq!(changed(&company, &payroll).await, None, "what was changed before is in it");

        // A raise within the period, an order, and the order of somebody who is in no payroll yet.
        let before = read(&company, &payroll, "totals").await["totals"].clone();
        raise(&company, &job, "25.00", "2026-06-02").await;
        order(&company, &ben).await;
        order(&company, &new).await;
        let both = Some((json!(2), json!([ana, ben]), json!([])));
        assert_eq!(changed(&company, &payroll).await, both);
        assert_eq!(read(&company, &payroll, "totals").await["totals"], before, "the figures stay");
        order(&company, &ana).await;
        assert_eq!(changed(&company, &payroll).await, both, "each is told once");

        // Calculated again it has them.
        company.calculate(&payroll).await;
        assert_eq!(changed(&company, &payroll).await, None);
        assert_ne!(read(&company, &payroll, "totals").await["totals"], before);

        // A record that is gone names nobody any more.
        let later = raise(&company, &job, "30.00", "2026-12-01").await;
        company.delete(format!("/v1/compensations/{later}")).await.deleted();
        order(&company, &ben).await;
        let told = Some((json!(1), json!([ben]), json!(["compensations"])));
        assert_eq!(changed(&company, &payroll).await, told);
        // Submitted it tells what it was submitted without, and nothing that came after it.
        company.submit(&payroll).await;
        order(&company, &cem).await;
        assert_eq!(read(&company, &payroll, "").await["processed"], true);
        assert_eq!(changed(&company, &payroll).await, told);
    });
}

#[test]
fn a_change_that_is_committed_after_a_calculation_is_told_although_its_unit_is_dated_before_it() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, job) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        company.calculate(&payroll).await;
        // A node whose clock is behind by less than it may be; on a server a unit that waits is as late.
        let late = company.world.second_node();
        late.app.store.clock().advance_to(company.world.now() - 3.seconds());
        let there = Company { world: late, ..company.clone() };
        raise(&there, &id_of(&job), "25.00", "2026-06-02").await;
        assert!(there.world.now() < company.world.now(), "it is dated before the calculation");
        assert_eq!(changed(&company, &payroll).await, Some((json!(1), json!([ana]), json!([]))));
        company.calculate(&payroll).await;
        assert_eq!(changed(&company, &payroll).await, None);
    });
}
