//! Nodes whose clocks differ: one that is behind the store calculates no payrolls.

use domain::Error;
use domain::events::{LATEST, newest};
use domain::pay::payrolls::run::calculation;
use jiff::Span;
use serde_json::json;
use store::{Clock, Latest, Store};

use super::{company, enter, hours, path};
use crate::support::{Company, Engine, on_both_engines, text};

#[test]
fn a_node_whose_clock_is_behind_the_newest_change_calculates_no_payrolls() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let (here, late) = (company.world.clone(), company.world.second_node());
        let ahead =
            |seconds: i64| late.app.store.clock().advance_to(here.now() - Span::new().seconds(seconds));
        here.app.store.clock().advance_to(here.now() + Span::new().minutes(1));
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        ahead(7);
        let behind = Company { world: late.clone(), ..company.clone() };
        let ask = || behind.call("PUT", path(&payroll, "/calculate")).json(&json!({})).among_too_many();
        let refused = ask().send().await.refused(503);
        let why = text(refused.only(), "message");
        assert!(why.contains("clock of this node") && why.contains("s behind"), "{why}");

        // What the other node was asked for is left to it.
        company.put(path(&payroll, "/calculate"), json!({})).await.is(202);
        let id = payroll.parse().unwrap();
        let left = calculation::calculate_payroll(&late.app.store, company.id, id).await;
        assert!(matches!(left, Err(Error::NotNow(_))), "{left:?}");
        calculation::calculate_payroll(&here.app.store, company.id, id).await.unwrap();

        // Nodes whose clocks differ by less work as if they did not.
        ahead(3);
        ask().send().await.is(202);
        calculation::calculate_payroll(&late.app.store, company.id, id).await.unwrap();
        let told = company.get(path(&payroll, "")).await.ok();
        assert_eq!(told["processing_request"]["status"], "calculate_success");
    });
}

#[test]
fn a_node_tells_how_far_its_clock_is_behind_the_store_and_the_server() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        company.employee("Ana").await;
        let store = &company.world.app.store;
        let behind = async || {
            let read = store.read(newest::clock_lag).await;
            read.unwrap_or_else(|error: Error| panic!("{error:?}")).unwrap()
        };
        assert_eq!(behind().await, 0);
        store.clock().advance_to(store.clock().now() + Span::new().seconds(2));
        assert_eq!(behind().await, -2_000_000);
        let server = store.read(|tx| tx.server_time()).await;
        let server = server.unwrap_or_else(|error: store::Error| panic!("{error}"));
        assert_eq!(server.is_some(), engine == Engine::Postgres, "a file has no clock of its own");
        if let Some(server) = server {
            let apart = server.as_second() - store::Clock::from_system().now().as_second();
            assert!(apart.abs() < 60, "{apart} s from the clock of the same machine");
        }
    });
}

/// Whether a node calculates payrolls, as far as its clock goes.
async fn calculates(store: &Store) -> bool {
    match store.read(newest::refuse_behind).await {
        Ok(()) => true,
        Err(Error::NotNow(_)) => false,
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn a_node_whose_clock_is_believed_calculates_payrolls_although_the_store_is_ahead_by_mistake() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80")).await.ok();
        let (here, wrong) = (company.world.clone(), company.world.second_node());
        wrong.app.store.clock().advance_to(here.now() + Span::new().hours(20));
        let ahead = Company { world: wrong, ..company.clone() };
        let order =
            json!({ "court_ordered": true, "description": "Levy", "amount": "10.00", "recurring": true });
        ahead.post(format!("/v1/employees/{ana}/garnishments"), order).await.created();
        ahead.employee("Ben").await;
        assert!(!calculates(&here.app.store).await);

        let right = here.second_node_with(|options| {
            options.clock = Clock::standing_at(here.now());
            options.latest = Some(Latest {
                statement: LATEST,
                tables: &["events"],
                most: None,
                may_go_back: true,
                longest_rest: None,
            });
        });
        assert!(calculates(&right.app.store).await);
        let believed = Company { world: right.clone(), ..company.clone() };
        believed.calculate(&payroll).await;
        let told = believed.get(path(&payroll, "?include=totals")).await.ok();
        assert_eq!(told.get("changed_since_calculation"), None, "what was there before is in it");

        // What is written later than that all the same is another node's, whose clock may be the right one.
        ahead.employee("Cem").await;
        assert!(!calculates(&right.app.store).await);
    });
}

#[test]
fn of_two_clocks_that_differ_that_of_the_database_server_is_believed() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let now = Clock::from_system().now();
        let wrong = company.world.second_node_with(|options| {
            options.clock = Clock::standing_at(now + Span::new().hours(1));
        });
        Company { world: wrong, ..company.clone() }.employee("Ana").await;
        let right = company.world.second_node_with(|options| options.clock = Clock::from_system());
        assert_eq!(calculates(&right.app.store).await, engine == Engine::Postgres);
        let behind = company
            .world
            .second_node_with(|options| options.clock = Clock::standing_at(now - Span::new().hours(1)));
        assert!(!calculates(&behind.app.store).await, "one that differs from the server, too");
    });
}
