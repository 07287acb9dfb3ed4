//! The employer enters hours by day or by workweek on a page, where the law counts overtime so; and the receipt of a payroll.

use jiff::{Span, ToSpan};
use serde_json::{Value, json};

use crate::page_entries::{of_company, quiet, send};
use crate::pages::Browser;
use crate::support::{Company, Engine, World, id_of, on_both_engines};

/// A company in California that pays Ana by the hour every other week, and its first payroll's address on the pages.
async fn californian(engine: Engine) -> (World, Company, Browser, (String, String)) {
    let (world, company) = quiet(engine).await;
    let location = id_of(&company.location("CA").await);
    let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
    let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                           "anchor_end_of_pay_period": "2026-06-21" });
    company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
    world.wait(Span::new()).await;
    let browser = of_company(&company, "run_payroll").await;
    let list = browser.get("payrolls").await.is(200).text();
    let id = list.split("href=\"/flow/payrolls/").nth(1).unwrap().split('"').next().unwrap();
    let payroll = format!("payrolls/{id}");
    (world, company, browser, (payroll, ana))
}

/// The name of the field of a day's or workweek's regular hours.
#[track_caller]
fn field_on(page: &str, day: &str) -> String {
    let named = format!("name=\"d{day}.");
    let found = page.split(&named).nth(1).unwrap_or_else(|| panic!("no field of {day}: {page}"));
    format!("d{day}.{}", found.split('"').next().unwrap())
}

async fn entered(company: &Company, payroll: &str) -> Value {
    let told = company.get(format!("/v1/companies/{{company}}/{payroll}")).await.ok();
    told["employee_compensations"][0].clone()
}

#[test]
fn hours_by_day_are_entered_on_a_page_and_daily_overtime_follows() {
    on_both_engines(async |engine: Engine| {
        let (world, _company, browser, (payroll, ana)) = californian(engine).await;
        let hours = format!("{payroll}/hours");
        let page = browser.get(&hours).await.is(200).text();
        let regular = crate::page_entries::field_of(&page, "Regular hours");
        send(&browser, &hours, &page, &[(&regular, "50"), ("action", "calculate")]).await.is(303);
        world.wait(Span::new()).await;

        // The warning names who enters what, and leads to the field.
        let days = format!("{hours}/{ana}");
        let preview = browser.get(&payroll).await.is(200).text();
        assert!(preview.contains("the employer enters them by day"), "{preview}");
        assert!(preview.contains(&format!("href=\"/flow/{days}\"")), "{preview}");

        let page = browser.get(&days).await.is(200).text();
        assert!(page.contains("Hours of Ana Silva by day"), "{page}");
        assert!(page.contains("50 hours are entered for the whole pay period."), "{page}");
        let (monday, tuesday) = (field_on(&page, "2026-06-08"), field_on(&page, "2026-06-09"));
        for wrong in ["many", "25", "-1"] {
            let refused = send(&browser, &days, &page, &[(&monday, wrong)]).await.is(422).text();
            assert!(refused.contains("Check the hours") && refused.contains(wrong), "{refused}");
        }
        let stored = send(&browser, &days, &page, &[(&monday, "10"), (&tuesday, "8")]).await.is(303);
        assert_eq!(stored.header("location"), format!("/flow/{hours}?page=1"));

        let grid = browser.get(&hours).await.is(200).text();
        assert!(grid.contains("Regular hours: 18"), "the grid shows their sum: {grid}");
        send(&browser, &hours, &grid, &[("action", "calculate")]).await.is(303);
        world.wait(Span::new()).await;
        let preview = browser.get(&payroll).await.is(200).text();
        // Sixteen hours at 20.00, and two beyond eight of a day at 30.00.
        assert!(preview.contains("$380.00"), "{preview}");
        assert!(!preview.contains("enters them by day"), "{preview}");
    });
}

#[test]
fn hours_by_workweek_replace_those_by_day_and_a_change_elsewhere_is_told() {
    on_both_engines(async |engine: Engine| {
        let (_world, company, browser, (payroll, ana)) = californian(engine).await;
        let days = format!("{payroll}/hours/{ana}");
        let page = browser.get(&days).await.is(200).text();
        let monday = field_on(&page, "2026-06-08");
        send(&browser, &days, &page, &[(&monday, "8")]).await.is(303);

        // The page of another tab still shows an empty Monday.
        let outdated = send(&browser, &days, &page, &[(&monday, "9")]).await;
        let told = outdated.is(409).text();
        assert!(told.contains("value=\"9\""), "what was entered is still there: {told}");

        let weekly = format!("{days}?by=week");
        let page = browser.get(&weekly).await.is(200).text();
        assert!(page.contains("8 hours are entered by day."), "{page}");
        let week = field_on(&page, "2026-06-08");
        send(&browser, &days, &page, &[(&week, "38.5")]).await.is(303);
        let line = entered(&company, &payroll).await["hourly_compensations"][0].clone();
        assert_eq!(line["hours"].as_str().or(line["hours"].as_str()), Some("38.500"), "{line}");
        let page = browser.get(&days).await.is(200).text();
        assert!(
            page.contains("by workweek") && page.contains("value=\"38.5\""),
            "as they were entered: {page}"
        );
    });
}

#[test]
fn a_receipt_tells_who_submitted_and_has_checks_stubs_and_a_table() {
    on_both_engines(async |engine: Engine| {
        let (world, _company, browser, (payroll, ana)) = californian(engine).await;
        let hours = format!("{payroll}/hours");
        let page = browser.get(&hours).await.is(200).text();
        let regular = crate::page_entries::field_of(&page, "Regular hours");
        send(&browser, &hours, &page, &[(&regular, "40"), ("action", "calculate")]).await.is(303);
        world.wait(Span::new()).await;
        let early = browser.get(&format!("{payroll}/receipt.csv")).await.is(303);
        assert_eq!(early.header("location"), "/flow/payrolls", "there is no receipt before it is submitted");
        let preview = browser.get(&payroll).await.is(200).text();
        send(&browser, &payroll, &preview, &[("action", "submitted"), ("confirmed", "on")]).await.is(303);
        world.wait(Span::new()).await;

        let receipt = browser.get(&payroll).await.is(200).text();
        assert!(receipt.contains("Submitted by the employer, on this page, "), "{receipt}");
        assert!(receipt.contains("Checks to hand out"), "{receipt}");
        let table = browser.get(&format!("{payroll}/receipt.csv")).await.is(200);
        assert!(table.header("content-type").starts_with("text/csv"));
        let lines = table.text();
        assert!(lines.lines().any(|line| line.starts_with("Silva,Ana,800.00,")), "{lines}");
        assert!(lines.lines().last().is_some_and(|line| line.starts_with("Total,,800.00,")), "{lines}");
        let stub = browser.get(&format!("{payroll}/stubs/{ana}")).await.is(200);
        assert_eq!(stub.header("content-type"), "application/pdf");
        world.wait(1.hour()).await;
    });
}
