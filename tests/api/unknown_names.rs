//! What a client sends and no operation reads is told, and refused where the application wants it so.

use serde_json::{Value, json};

use crate::support::{Engine, NOBODY, Operation, on_both_engines, operations};

const TOLD: &str = "x-unknown-fields";

/// The operation's path, with a record that nobody has.
fn path_of(operation: &Operation) -> String {
    let fill = |path: String, name: &str| path.replace(&format!("{{{name}}}"), NOBODY);
    let path = operation.path_parameters().into_iter().fold(operation.route.clone(), fill);
    format!("{path}?limitt=5")
}

#[test]
fn every_operation_tells_the_names_of_its_query_and_its_body_that_it_does_not_read() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut bodies = 0;
        for operation in operations().iter().filter(|operation| operation.needs_a_token()) {
            let call = company.call(&operation.method, path_of(operation));
            let (call, expected) = if operation.takes_json() {
                bodies += 1;
                (call.json(&json!({ "frist_nmae": "Ann" })), "?limitt, frist_nmae")
            } else {
                (call, "?limitt")
            };
            let answer = call.send().await;
            // A body that is no form is refused before it is looked at.
            if answer.status != 415 {
                assert_eq!(answer.header(TOLD), expected, "{}: {}", operation.name(), answer.text());
            }
        }
        assert!(bodies > 100, "{bodies}");
    });
}

#[test]
fn a_misspelt_name_in_a_list_is_told_with_its_place_and_what_is_read_is_not() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let person = json!({ "first_name": "Ann", "last_name": "Lee", "frist_nmae": "Ann" });
        let made = company.call("POST", "/v1/companies/{company}/employees").json(&person).send().await;
        assert_eq!((made.status.as_u16(), made.header(TOLD)), (201, "frist_nmae"));
        let right = json!({ "first_name": "Ann", "last_name": "Lee" });
        let made = company.call("POST", "/v1/companies/{company}/employees").json(&right).send().await;
        assert_eq!((made.status.as_u16(), made.header(TOLD)), (201, ""));
        let list =
            company.get("/v1/companies/{company}/employees?page=1&per=5&include=all_compensations").await;
        assert_eq!(list.header(TOLD), "");
    });
}

#[test]
fn an_application_in_strict_mode_is_refused_with_every_name_and_nothing_is_changed() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (application, _) = world.another_application().await;
        world.make_strict(application).await;
        let company = world.company_of(application).await;
        let body = json!({ "first_name": "Ann", "last_name": "Lee", "frist_nmae": "Ann", "address": { "zip": "x" } });
        let refused =
            company.call("POST", "/v1/companies/{company}/employees?dry=1").json(&body).send().await;
        let refused = refused.refused(422);
        assert_eq!(refused.keys(), ["?dry", "address", "frist_nmae"]);
        assert_eq!(company.get("/v1/companies/{company}/employees").await.list(), Vec::<Value>::new());
    });
}
