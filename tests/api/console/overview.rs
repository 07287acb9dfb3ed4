//! The overview of a company: late payrolls come first, and times are those of the company.

use domain::access::users::Role;
use jiff::ToSpan;
use serde_json::json;

use super::signed_in;
use crate::oauth::user;
use crate::page_entries::quiet;
use crate::support::{Engine, id_of, on_both_engines};

#[test]
fn a_payroll_that_nobody_ran_comes_first_in_red_and_its_deadline_is_told_in_the_time_of_the_company() {
    on_both_engines(async |engine: Engine| {
        let (world, company) = quiet(engine).await;
        let location = id_of(&company.location("TX").await);
        company.onboarded("Ana", &location, ("18.50", "Hour", "Nonexempt")).await;
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        world.wait(1.hour()).await;
        let base = format!("/console/companies/{}", company.id);
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, came) = signed_in(&world, &admin, &base).await;
        let before = came.is(200).text();
        assert!(before.contains("Paid on Jun 26, 2026") && !before.contains("<b>Late:</b>"), "{before}");
        // 4 p.m. in Los Angeles, in Texas.
        assert!(before.contains(", 6:00 PM") && before.contains("Times are in Central time"), "{before}");
        world.wait((24 * 25).hours()).await;
        let (mut later, came) = signed_in(&world, &admin, &base).await;
        let page = came.is(200).text();
        let late = page.find("<b>Late:</b>").expect("the late payroll is told");
        assert!(late < page.find("id=\"next-payroll\"").unwrap(), "and comes first");
        assert!(
            page[late..].contains("the payroll for Jun 26, 2026</a> was not submitted by Jun 2"),
            "{page}"
        );
        assert!(!page.contains("Nothing blocks it"), "{page}");
        let list = later.get(&format!("{base}/payrolls")).await.is(200).text();
        assert!(list.contains("<span class=\"badge bad\">Late</span>"), "{list}");
        browser.get("/console").await;
    });
}
