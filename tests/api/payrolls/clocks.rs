//! Nodes whose clocks differ: one that is behind the store calculates no payrolls.

use domain::Error;
use domain::events::newest;
use domain::pay::payrolls::run;
use jiff::Span;
use serde_json::json;

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
        let left = run::calculate(&late.app.store, company.id, id).await;
        assert!(matches!(left, Err(Error::NotNow(_))), "{left:?}");
        run::calculate(&here.app.store, company.id, id).await.unwrap();

        // Nodes whose clocks differ by less work as if they did not.
        ahead(3);
        ask().send().await.is(202);
        run::calculate(&late.app.store, company.id, id).await.unwrap();
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
            let read = store.read(newest::behind).await;
            read.unwrap_or_else(|error: Error| panic!("{error:?}")).unwrap()
        };
        assert_eq!(behind().await, 0);
        store.clock().advance_to(store.clock().now() + Span::new().seconds(2));
        assert_eq!(behind().await, -2_000_000);
        let server = store.read(|tx| tx.server_time()).await;
        let server = server.unwrap_or_else(|error: store::Error| panic!("{error}"));
        assert_eq!(server.is_some(), engine == Engine::Postgres, "a file has no clock of its own");
        if let Some(server) = server {
            let apart = server.as_second() - store::Clock::system().now().as_second();
            assert!(apart.abs() < 60, "{apart} s from the clock of the same machine");
        }
    });
}
