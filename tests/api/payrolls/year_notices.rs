//! From November on a company is notified of what the close of the year still needs, until nothing is missing.

use std::fs;

use domain::datasets;
use serde_json::Value;

use super::{company, enter, hours};
use crate::support::{Company, Engine, id_of, on_both_engines, text};

const ALL: &str = "/v1/companies/{company}/notifications";

async fn until(company: &Company, moment: &str) {
    company.world.wait_until(moment.parse().unwrap()).await;
}

/// The notifications of years.
async fn of_years(company: &Company) -> Vec<Value> {
    let mut all = company.get(ALL).await.list();
    all.retain(|one| one["category"] == "year_end_preparation");
    all
}

/// Imports reductions of the credit for 2026.
async fn announce(company: &Company) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reductions.csv");
    fs::write(&file, "state,year,percent,source,confidence\nCA,2026,0.9,notice,primary\n").unwrap();
    let store = &company.world.app.store;
    datasets::import_file(store, "futa-credit-reductions", &file, None, false, &|_, _| ()).await.unwrap();
}

#[test]
fn from_november_on_the_company_is_notified_of_what_the_close_needs_until_nothing_is_missing() {
    on_both_engines(async |engine: Engine| {
        let (company, office, payroll) = company(engine).await;
        company.answer_state("TX").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80.25")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        until(&company, "2026-10-31T12:00:00Z").await;
        assert!(of_years(&company).await.is_empty());

        until(&company, "2026-11-02T12:00:00Z").await;
        let found = of_years(&company).await;
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(one["title"], "Prepare the close of 2026");
        assert!(text(one, "due_at").starts_with("2027-02-01"), "{one}");
        assert_eq!(one["template_variables"]["year"], "2026");
        let missing = text(&one["template_variables"], "missing");
        assert!(missing.contains("credit reductions"), "{missing}");
        let path = format!("/v1/notifications/{}", text(one, "uuid"));
        assert_eq!(company.get(&path).await.ok(), *one);

        // It stays one notification, from day to day.
        until(&company, "2026-11-04T12:00:00Z").await;
        assert_eq!(of_years(&company).await, found);

        announce(&company).await;
        until(&company, "2026-11-06T12:00:00Z").await;
        assert!(of_years(&company).await.is_empty(), "nothing is missing any more");
        company.get(&path).await.is(422);
        let types = company.events().await.into_iter().map(|event| event.event_type).collect::<Vec<_>>();
        for kind in ["created", "resolved"] {
            let name = format!("notification.year_end_preparation.{kind}");
            assert_eq!(types.iter().filter(|one| **one == name).count(), 1, "{name}: {types:?}");
        }
    });
}

#[test]
fn a_year_in_which_nobody_was_paid_needs_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, office, _) = company(engine).await;
        let _ana = id_of(&company.employee("Ana").await);
        assert!(!office.is_empty());
        until(&company, "2026-11-02T12:00:00Z").await;
        assert!(of_years(&company).await.is_empty());
    });
}
