//! Minimum wages of a location, and compensations that are adjusted to them.

use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

async fn wages(company: &Company, location: &str, query: &str) -> Vec<Value> {
    company.get(format!("/v1/locations/{location}/minimum_wages{query}")).await.list()
}

/// An hourly employee since 1 March 2026 who works at a new location: the compensation and the location.
async fn works_in(company: &Company, state: &str) -> (String, String) {
    let location = id_of(&company.location(state).await);
    let employee = id_of(&company.employee("Ana").await);
    company.work_address(&employee, &location).await;
    let job = company.job(&employee, "Server", "2026-03-01").await;
    let pay = company.pay(&job, "2.13", "Hour", "Nonexempt").await;
    (id_of(&pay), location)
}

async fn adjust(company: &Company, compensation: &str, mut body: Value) -> crate::support::Answer {
    body["version"] = company.read("compensations", compensation).await["version"].clone();
    company.put(format!("/v1/compensations/{compensation}"), body).await
}

fn flagged(wage: &str) -> Value {
    json!({ "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": wage }] })
}

#[test]
fn a_location_has_the_minimum_wages_of_each_authority_on_the_day_that_is_asked_for() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let brooklyn = id_of(&company.location("NY").await);
        let all = wages(&company, &brooklyn, "").await;
        let of_aides: Vec<_> =
            all.iter().filter(|wage| wage["wage_type"] == "Regular-Industry-Specific").collect();
        assert_eq!((of_aides.len(), &of_aides[0]["wage"]), (1, &json!("19.65")));
        let told: Vec<_> = all.iter().filter(|wage| wage["wage_type"] == "Regular").collect();
        let short: Vec<_> = told.iter().map(|wage| (text(wage, "authority"), text(wage, "wage"))).collect();
        assert_eq!(
            short,
            [("State".to_owned(), "17.00".to_owned()), ("Federal".to_owned(), "7.25".to_owned())]
        );
        assert_eq!(told.len() + of_aides.len(), all.len());
        assert_eq!(told[0]["notes"], "New York City, Long Island and Westchester");
        assert_eq!((&told[1]["effective_date"], &told[1]["notes"]), (&json!("2009-07-24"), &json!("")));

        let earlier = wages(&company, &brooklyn, "?effective_date=2025-12-31").await;
        assert_eq!((&earlier[0]["wage"], &earlier[0]["uuid"]), (&json!("16.50"), &told[0]["uuid"]));
        let path = format!("/v1/locations/{brooklyn}/minimum_wages?effective_date=soon");
        assert_eq!(
            company.get(path).await.refused(422).fault(),
            ("effective_date", "invalid_attribute_value")
        );
        company.get(format!("/v1/locations/{NOBODY}/minimum_wages")).await.refused(404);
    });
}

#[test]
fn hourly_pay_can_be_adjusted_to_minimum_wages_of_the_work_location() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (pay, location) = works_in(&company, "TX").await;
        let told = wages(&company, &location, "").await;
        let (state, federal) = (id_of(&told[0]), id_of(&told[1]));

        let adjusted = adjust(&company, &pay, flagged(&state)).await.ok();
        assert_eq!(adjusted["adjust_for_minimum_wage"], true);
        assert_eq!(adjusted["minimum_wages"][0]["uuid"], state);
        assert_eq!(adjusted["minimum_wages"][0]["wage"], "7.25");
        assert_eq!(adjusted["minimum_wages"][0]["effective_date"], told[0]["effective_date"]);
        assert_eq!(company.read("compensations", &pay).await["minimum_wages"], adjusted["minimum_wages"]);
        // The same again changes nothing; a title leaves the choice alone; another choice takes its place.
        assert_eq!(adjust(&company, &pay, flagged(&state)).await.ok()["version"], adjusted["version"]);
        let titled = adjust(&company, &pay, json!({ "title": "Head Server" })).await.ok();
        assert_eq!(titled["minimum_wages"], adjusted["minimum_wages"]);
        let other = json!({ "minimum_wages": [{ "uuid": federal }, { "uuid": state }] });
        assert_eq!(adjust(&company, &pay, other).await.ok()["minimum_wages"].as_array().unwrap().len(), 2);
        let ended = adjust(&company, &pay, json!({ "adjust_for_minimum_wage": false, "minimum_wages": [] }))
            .await
            .ok();
        assert_eq!((&ended["adjust_for_minimum_wage"], &ended["minimum_wages"]), (&json!(false), &json!([])));

        let job = text(&ended, "job_uuid");
        let mut next = flagged(&federal);
        next["payment_unit"] = "Hour".into();
        next["flsa_status"] = "Nonexempt".into();
        let next = company.post(format!("/v1/jobs/{job}/compensations"), next).await.created();
        assert_eq!((&next["rate"], &next["adjust_for_minimum_wage"]), (&json!("2.13"), &json!(true)));
    });
}

#[test]
fn pay_of_days_before_a_move_is_adjusted_to_the_minimum_wages_of_the_place_before() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (pay, texas) = works_in(&company, "TX").await;
        let of_texas = id_of(&wages(&company, &texas, "").await[0]);
        let job = text(&company.read("compensations", &pay).await, "job_uuid");
        let employee = text(&company.read("jobs", &job).await, "employee_uuid");
        let addresses = format!("/v1/employees/{employee}/work_addresses");
        let address = company.get(&addresses).await.list().remove(0);
        let since = json!({ "version": address["version"], "effective_date": "2026-03-01" });
        company.put(format!("/v1/work_addresses/{}", id_of(&address)), since).await.ok();
        let florida = id_of(&company.location("FL").await);
        let of_florida = id_of(&wages(&company, &florida, "").await[0]);
        let moves = json!({ "location_uuid": florida, "effective_date": "2026-06-15" });
        company.post(&addresses, moves).await.created();
        let next = json!({ "rate": "10.98", "payment_unit": "Hour", "flsa_status": "Nonexempt",
                           "effective_date": "2026-06-15" });
        let next = company.post(format!("/v1/jobs/{job}/compensations"), next).await.created();

        // The flag of the days in Texas can be set afterwards, and what is read can be sent back.
        let refused = adjust(&company, &pay, flagged(&of_florida)).await.refused(422);
        assert_eq!(refused.keys(), ["minimum_wages"]);
        let told = adjust(&company, &pay, flagged(&of_texas)).await.ok();
        let mut again = json!({ "rate": "3.00", "adjust_for_minimum_wage": true });
        again["minimum_wages"] = told["minimum_wages"].clone();
        let told = adjust(&company, &pay, again).await.ok();
        assert_eq!((&told["rate"], &told["minimum_wages"][0]["uuid"]), (&json!("3.00"), &json!(of_texas)));
        let mut april = flagged(&of_texas);
        for (key, value) in
            [("payment_unit", "Hour"), ("flsa_status", "Nonexempt"), ("effective_date", "2026-04-01")]
        {
            april[key] = json!(value);
        }
        company.post(format!("/v1/jobs/{job}/compensations"), april).await.created();

        // Pay of today is that of Florida.
        adjust(&company, &id_of(&next), flagged(&of_texas)).await.refused(422);
        adjust(&company, &id_of(&next), flagged(&of_florida)).await.ok();
    });
}

#[test]
fn an_adjustment_that_cannot_be_is_refused_with_the_reason_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (pay, location) = works_in(&company, "TX").await;
        let state = id_of(&wages(&company, &location, "").await[0]);
        let elsewhere = id_of(&company.location("NY").await);
        let of_new_york = id_of(&wages(&company, &elsewhere, "").await[0]);
        let yearly = json!({ "adjust_for_minimum_wage": true, "minimum_wages": [{ "uuid": state }],
                             "rate": 52000, "payment_unit": "Year", "flsa_status": "Salaried Nonexempt" });
        let golden = [
            (json!({ "adjust_for_minimum_wage": true }), "minimum_wages"),
            (json!({ "adjust_for_minimum_wage": true, "minimum_wages": [] }), "minimum_wages"),
            (json!({ "adjust_for_minimum_wage": true, "minimum_wages": null }), "minimum_wages"),
            (json!({ "adjust_for_minimum_wage": "yes" }), "adjust_for_minimum_wage"),
            (
                json!({ "adjust_for_minimum_wage": false, "minimum_wages": [{ "uuid": state }] }),
                "minimum_wages",
            ),
            (json!({ "minimum_wages": [{ "uuid": state }] }), "minimum_wages"),
            (json!({ "adjust_for_minimum_wage": true, "minimum_wages": "7.25" }), "minimum_wages"),
            (flagged(NOBODY), "minimum_wages"),
            (flagged("none"), "minimum_wages"),
            (flagged(&of_new_york), "minimum_wages"),
            (yearly, "adjust_for_minimum_wage"),
        ];
        let before = company.read("compensations", &pay).await;
        for (body, key) in golden {
            let refused = adjust(&company, &pay, body.clone()).await.refused(422);
            assert_eq!(refused.keys(), [key], "{body}");
        }
        let refused = adjust(&company, &pay, flagged(NOBODY)).await.refused(422);
        assert!(refused.message().contains(&state), "the allowed ones are named");
        assert_eq!(company.read("compensations", &pay).await, before);

        // Once it is there, the pay cannot become a salary under it.
        adjust(&company, &pay, flagged(&state)).await.ok();
        let salary = json!({ "rate": 52000, "payment_unit": "Year", "flsa_status": "Salaried Nonexempt" });
        let refused = adjust(&company, &pay, salary).await.refused(422);
        assert_eq!(refused.fault(), ("adjust_for_minimum_wage", "invalid_attribute_value"));
    });
}

#[test]
fn where_tips_cover_no_part_of_the_minimum_wage_there_is_no_adjustment() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (pay, location) = works_in(&company, "CA").await;
        let city = id_of(&wages(&company, &location, "").await[0]);
        let refused = adjust(&company, &pay, flagged(&city)).await.refused(422);
        assert_eq!(refused.fault(), ("adjust_for_minimum_wage", "invalid_attribute_value"));
        assert!(refused.message().contains("does not apply to CA"));

        let nowhere = id_of(&company.employee("Ben").await);
        let job = company.job(&nowhere, "Server", "2026-03-01").await;
        let pay = id_of(&company.pay(&job, "2.13", "Hour", "Nonexempt").await);
        let refused = adjust(&company, &pay, flagged(&city)).await.refused(422);
        assert_eq!(refused.fault(), ("adjust_for_minimum_wage", "invalid_attribute_value"));
    });
}
