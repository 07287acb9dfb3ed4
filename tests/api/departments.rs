//! Departments: who belongs to which, and what the record of an employee says about it.

use serde_json::{Value, json};

use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

const DEPARTMENTS: &str = "/v1/companies/{company}/departments";

async fn change(company: &Company, department: &str, what: &str, employees: &[&str]) -> Answer {
    let path = format!("/v1/departments/{department}");
    let version = company.get(&path).await.ok()["version"].clone();
    let people: Vec<Value> = employees.iter().map(|id| json!({ "uuid": id })).collect();
    company.put(format!("{path}/{what}"), json!({ "version": version, "employees": people })).await
}

async fn of_employee(company: &Company, employee: &str) -> (Value, Value) {
    let employee = company.read("employees", employee).await;
    (employee["department"].clone(), employee["department_uuid"].clone())
}

#[test]
fn an_employee_belongs_to_one_department_and_moves_from_one_to_another() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (ana, max) = (id_of(&company.employee("Ana").await), id_of(&company.employee("Max").await));
        let made = company.post(DEPARTMENTS, json!({ "title": "Kitchen" })).await.created();
        assert_eq!((&made["employees"], &made["contractors"]), (&json!([]), &json!([])));
        let kitchen = id_of(&made);
        let bar = id_of(&company.post(DEPARTMENTS, json!({ "title": "Bar" })).await.created());
        let both = change(&company, &kitchen, "add", &[&ana, &max]).await.ok();
        assert_ne!(both["version"], made["version"], "who belongs to it counts into its version");
        assert_eq!(both["employees"], json!([{ "uuid": ana }, { "uuid": max }]));
        assert_eq!(of_employee(&company, &ana).await, (json!("Kitchen"), json!(kitchen)));
        change(&company, &bar, "add", &[&ana]).await.ok();
        assert_eq!(of_employee(&company, &ana).await, (json!("Bar"), json!(bar)));
        let listed = company.get(DEPARTMENTS).await.list();
        let people: Vec<_> =
            listed.iter().map(|one| (text(one, "title"), one["employees"].clone())).collect();
        let expected = [("Kitchen", json!([{ "uuid": max }])), ("Bar", json!([{ "uuid": ana }]))];
        assert_eq!(people, expected.map(|(title, employees)| (title.to_owned(), employees)));

        let full = company.delete(format!("/v1/departments/{bar}")).await.refused(422);
        assert_eq!(full.fault(), ("base", "invalid_operation"));
        change(&company, &bar, "remove", &[&ana, &max]).await.ok();
        assert_eq!(of_employee(&company, &ana).await, (Value::Null, Value::Null));
        assert_eq!(of_employee(&company, &max).await.0, "Kitchen", "he belongs to another one");
        company.delete(format!("/v1/departments/{bar}")).await.deleted();
        company.get(format!("/v1/departments/{bar}")).await.refused(404);
        company.delete(format!("/v1/employees/{max}")).await.deleted();
        assert_eq!(company.get(DEPARTMENTS).await.list()[0]["employees"], json!([]));
    });
}

#[test]
fn a_stale_version_and_a_stranger_are_refused() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        assert_eq!(company.post(DEPARTMENTS, json!({})).await.refused(422).keys(), ["title"]);
        let made = company.post(DEPARTMENTS, json!({ "title": "Kitchen" })).await.created();
        let path = format!("/v1/departments/{}", id_of(&made));
        let renamed = company.put(&path, json!({ "version": made["version"], "title": "Bar" })).await.ok();
        company.put(&path, json!({ "version": made["version"], "title": "Hall" })).await.refused(409);
        company.put(format!("{path}/add"), json!({ "version": made["version"] })).await.refused(409);
        let stranger = id_of(&company.world.company().await.employee("Eva").await);
        let version = &renamed["version"];
        for (body, key) in [
            (json!({ "version": version, "employees": [{ "uuid": stranger }] }), "uuid"),
            (json!({ "version": version, "employees": [{}] }), "uuid"),
            (json!({ "version": version, "contractors": [{ "uuid": stranger }] }), "uuid"),
        ] {
            let refused = company.put(format!("{path}/add"), body).await.refused(422);
            assert_eq!(refused.fault(), (key, "invalid_attribute_value"));
        }
        let none = company.put(format!("{path}/add"), json!({ "employees": [] })).await.refused(422);
        assert_eq!(none.keys(), ["version"]);
    });
}
