//! What a job pays, and from which day on.

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines, text};

const STATUSES: [&str; 6] = [
    "Exempt",
    "Salaried Nonexempt",
    "Nonexempt",
    "Owner",
    "Commission Only Exempt",
    "Commission Only Nonexempt",
];
const UNITS: [&str; 5] = ["Hour", "Week", "Month", "Year", "Paycheck"];

/// An employee with one job since 1 March 2026 whose pay is still empty: employee and job.
async fn with_job(company: &Company) -> (String, Value) {
    let employee = id_of(&company.employee("Ana").await);
    let job = company.job(&employee, "Cook", "2026-03-01").await;
    (employee, job)
}

fn terms(rate: impl Into<Value>, unit: &str, flsa: &str) -> Value {
    json!({ "rate": rate.into(), "payment_unit": unit, "flsa_status": flsa })
}

/// Updates a compensation with its present version.
async fn update(company: &Company, id: &str, mut body: Value) -> crate::support::Answer {
    body["version"] = company.read("compensations", id).await["version"].clone();
    company.put(format!("/v1/compensations/{id}"), body).await
}

async fn raise(company: &Company, job: &Value, rate: &str, from: &str) -> Value {
    let mut body = terms(rate, "Hour", "Nonexempt");
    body["effective_date"] = from.into();
    company.post(format!("/v1/jobs/{}/compensations", id_of(job)), body).await.created()
}

#[test]
fn every_status_is_paid_by_the_units_that_go_with_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        let id = id_of(&job["compensations"][0]);
        for flsa in STATUSES {
            let commission = flsa.starts_with("Commission");
            for unit in UNITS {
                let goes_with = match flsa {
                    "Owner" => unit == "Paycheck",
                    _ if commission => unit == "Year",
                    _ => unit != "Paycheck",
                };
                let rate = if commission { "0.00" } else { "50000" };
                let answer = update(&company, &id, terms(rate, unit, flsa)).await;
                if goes_with {
                    let told = answer.ok();
                    assert_eq!((&told["payment_unit"], &told["flsa_status"]), (&json!(unit), &json!(flsa)));
                } else {
                    assert_eq!(
                        answer.refused(422).fault(),
                        ("payment_unit", "invalid_attribute_value"),
                        "{flsa} {unit}"
                    );
                }
            }
        }
    });
}

#[test]
fn a_rate_suits_its_status() {
    let golden = [
        ("35568", "Year", "Exempt", true),
        ("35567.99", "Year", "Exempt", false),
        ("2964", "Month", "Exempt", true),
        ("2963.99", "Month", "Exempt", false),
        ("684", "Week", "Exempt", true),
        ("683.99", "Week", "Exempt", false),
        ("1.00", "Hour", "Nonexempt", true),
        ("0.99", "Hour", "Nonexempt", false),
        ("0", "Hour", "Nonexempt", false),
        ("0.99", "Year", "Salaried Nonexempt", false),
        ("1", "Paycheck", "Owner", true),
        ("0.99", "Paycheck", "Owner", false),
        ("-20", "Year", "Exempt", false),
        ("0", "Year", "Commission Only Exempt", true),
        ("0.01", "Year", "Commission Only Exempt", false),
        ("1000000000000", "Year", "Exempt", false),
    ];
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        for (day, (rate, unit, flsa, fine)) in (1..).zip(golden) {
            let mut body = terms(rate, unit, flsa);
            body["effective_date"] = format!("2027-01-{day:02}").into();
            let answer = company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), body).await;
            if fine {
                answer.created();
            } else {
                let refused = answer.refused(422);
                assert_eq!(
                    refused.fault(),
                    ("rate", "invalid_attribute_value"),
                    "{rate} a {unit} for {flsa}"
                );
            }
        }
    });
}

#[test]
fn an_exempt_salary_below_the_level_of_the_state_of_work_is_refused() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        // Dollars a year in June 2026: state orders, in New York by county; the federal level elsewhere.
        for (city, state, zip, below, level) in [
            ("San Francisco", "CA", "94103", "70303.99", "70304.00"),
            ("New York", "NY", "10001", "66299.99", "66300.00"),
            ("Albany", "NY", "12207", "62353.19", "62353.20"),
            ("Spokane", "WA", "99201", "80168.39", "80168.40"),
            ("Denver", "CO", "80202", "57783.95", "57783.96"),
            ("Anchorage", "AK", "99501", "54079.99", "54080.00"),
            ("Portland", "ME", "04101", "45300.31", "45300.32"),
            ("San Antonio", "TX", "78205", "35567.99", "35568.00"),
        ] {
            let there = json!({ "street_1": "1 Broad Row", "city": city, "state": state, "zip": zip,
                                "phone_number": "2105550142" });
            let location = company.post("/v1/companies/{company}/locations", there).await.created();
            let employee = id_of(&company.employee("Ana").await);
            company.work_address(&employee, &id_of(&location)).await;
            let job = company.job(&employee, "Cook", "2026-03-01").await;
            let id = id_of(&job["compensations"][0]);
            let refused = update(&company, &id, terms(below, "Year", "Exempt")).await.refused(422);
            assert_eq!(refused.fault().0, "rate", "{city}");
            assert!(refused.message().contains(level), "{city}: {}", refused.message());
            let kept = update(&company, &id, terms(level, "Year", "Exempt")).await.ok();
            assert_eq!(kept["rate"], level, "{city}");
        }
    });
}

#[test]
fn money_is_taken_as_text_or_number_and_told_as_text_to_the_cent() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        let id = id_of(&job["compensations"][0]);
        let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let golden = [
            (json!("40"), "40.00"),
            (json!(40), "40.00"),
            (number("40.10"), "40.10"),
            (number("4.01e1"), "40.10"),
            (json!("18.505"), "18.505"),
            (json!("999999.99"), "999999.99"),
        ];
        for (rate, told) in golden {
            let after = update(&company, &id, terms(rate, "Hour", "Nonexempt")).await.ok();
            assert_eq!(after["rate"], told);
            assert_eq!(company.read("jobs", &id_of(&job)).await["rate"], told);
        }
        for rate in [
            json!("forty"),
            json!("1,000"),
            json!("$9"),
            json!(""),
            json!("9.1234567"),
            number("1e400"),
            json!(true),
        ] {
            let refused = update(&company, &id, terms(rate.clone(), "Hour", "Nonexempt")).await.refused(422);
            assert_eq!(refused.fault(), ("rate", "invalid_attribute_value"), "{rate}");
        }
    });
}

#[test]
fn pay_begins_on_the_hire_date_at_the_earliest_and_on_each_day_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        let path = format!("/v1/jobs/{}/compensations", id_of(&job));
        for day in ["2026-02-28", "2026-03-01", "2026-13-01", "soon"] {
            let mut body = terms("20", "Hour", "Nonexempt");
            body["effective_date"] = day.into();
            let refused = company.post(&path, body).await.refused(422);
            assert_eq!(refused.fault(), ("effective_date", "invalid_attribute_value"), "{day}");
        }
        let later = raise(&company, &job, "20", "2026-03-02").await;
        let first = id_of(&job["compensations"][0]);
        for (id, day) in
            [(&first, "2026-03-02"), (&id_of(&later), "2026-03-01"), (&id_of(&later), "2026-02-01")]
        {
            let refused = update(&company, id, json!({ "effective_date": day })).await.refused(422);
            assert_eq!(refused.fault(), ("effective_date", "invalid_attribute_value"), "{day}");
        }
    });
}

#[test]
fn a_compensation_counts_from_its_day_until_the_next_one_does() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let (employee, job) = with_job(&company).await;
        company.pay(&job, "18.00", "Hour", "Nonexempt").await;
        let july = raise(&company, &job, "20.00", "2026-07-01").await;
        let may = raise(&company, &job, "19.00", "2026-05-01").await;
        let current = async || {
            let job = company.read("jobs", &id_of(&job)).await;
            let listed = company.get(format!("/v1/jobs/{}/compensations", id_of(&job))).await.list();
            let person = company.read("employees", &employee).await;
            assert_eq!(listed.len(), 1);
            assert_eq!(job["compensations"], json!(listed));
            assert_eq!(person["jobs"], json!([job]));
            assert_eq!(job["rate"], listed[0]["rate"]);
            text(&job, "current_compensation_uuid")
        };
        assert_eq!(current().await, id_of(&may));
        world.wait_until("2026-07-01T04:59:59Z".parse().unwrap()).await;
        assert_eq!(current().await, id_of(&may));
        world.wait(1.second()).await;
        assert_eq!(current().await, id_of(&july), "midnight in Texas has passed");
        let all = company
            .get(format!("/v1/jobs/{}/compensations?include=all_compensations", id_of(&job)))
            .await
            .list();
        assert_eq!(all.iter().map(|c| text(c, "rate")).collect::<Vec<_>>(), ["18.00", "20.00", "19.00"]);
        let page = company
            .get(format!("/v1/jobs/{}/compensations?include=all_compensations&per=2&page=2", id_of(&job)));
        let page = page.await;
        assert_eq!((page.header("x-total-count"), page.header("x-total-pages")), ("3", "2"));
        assert_eq!(page.list(), all[2..]);
    });
}

#[test]
fn a_raise_without_rate_and_day_pays_the_present_rate_from_today() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        company.pay(&job, "18.00", "Hour", "Nonexempt").await;
        let body = json!({ "payment_unit": "Hour", "flsa_status": "Nonexempt", "title": "Head Cook" });
        let made = company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), body).await.created();
        let told = ["rate", "effective_date", "title", "job_uuid"].map(|field| text(&made, field));
        assert_eq!(told, ["18.00".to_owned(), "2026-06-15".to_owned(), "Head Cook".to_owned(), id_of(&job)]);
        let body = json!({ "payment_unit": null });
        let refused =
            company.post(format!("/v1/jobs/{}/compensations", id_of(&job)), body).await.refused(422);
        assert_eq!(refused.keys(), ["payment_unit", "flsa_status", "effective_date"]);
    });
}

#[test]
fn a_compensation_that_is_sent_back_as_it_was_read_is_what_it_was() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        let id = id_of(&job["compensations"][0]);
        let read = company.read("compensations", &id).await;
        let events = company.count_events().await;
        let again = company.put(format!("/v1/compensations/{id}"), read.clone()).await.ok();
        assert_eq!(again, read);
        assert_eq!(company.count_events().await, events);
        let renamed =
            json!({ "version": company.read("jobs", &id_of(&job)).await["version"], "title": "Chef" });
        company.put(format!("/v1/jobs/{}", id_of(&job)), renamed).await.ok();
        assert_eq!(company.read("compensations", &id).await["title"], "Chef");
    });
}

#[test]
fn a_compensation_without_a_title_has_that_of_its_job() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        let id = id_of(&job["compensations"][0]);
        assert_eq!(company.read("compensations", &id).await["title"], "Cook");
        assert_eq!(update(&company, &id, json!({ "title": "Sous-chef" })).await.ok()["title"], "Sous-chef");
        assert_eq!(update(&company, &id, json!({ "title": null })).await.ok()["title"], "Cook");
        let refused = update(&company, &id, json!({ "title": "x".repeat(256) })).await.refused(422);
        assert_eq!(refused.fault(), ("title", "invalid_attribute_value"));
    });
}

#[test]
fn a_job_keeps_its_last_compensation() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        let first = id_of(&job["compensations"][0]);
        let second = id_of(&raise(&company, &job, "20", "2027-01-01").await);
        let known = company.count_events().await;
        company.delete(format!("/v1/compensations/{first}")).await.deleted();
        company.get(format!("/v1/compensations/{first}")).await.refused(404);
        let refused = company.delete(format!("/v1/compensations/{second}")).await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        assert_eq!(company.event_types_since(known).await, ["employee_job_compensation.deleted"]);
        assert_eq!(
            company.read("jobs", &id_of(&job)).await["rate"],
            "20.00",
            "pay to come counts where there is no other"
        );
    });
}

#[test]
fn what_is_not_sent_stays_and_what_does_not_change_is_told_to_nobody() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (_, job) = with_job(&company).await;
        let paid = company.pay(&job, "18.00", "Hour", "Nonexempt").await;
        let path = format!("/v1/compensations/{}", id_of(&paid));
        let known = (company.count_events().await, company.audit().await.len());
        assert_eq!(company.put(&path, json!({ "version": paid["version"], "rate": 18 })).await.ok(), paid);
        let mut mine = paid.clone();
        for field in ["uuid", "job_uuid", "employee_uuid"] {
            mine[field] = NOBODY.into();
        }
        mine["title"] = Value::Null;
        assert_eq!(company.put(&path, mine).await.ok(), paid);
        assert_eq!((company.count_events().await, company.audit().await.len()), known);

        let after = company.put(&path, json!({ "version": paid["version"], "rate": "18.50" })).await.ok();
        for (field, value) in paid.as_object().unwrap() {
            assert_eq!(after[field] == *value, !["rate", "version"].contains(&field.as_str()), "{field}");
        }
        assert_eq!(company.event_types_since(known.0).await, ["employee_job_compensation.updated"]);
        let stale = json!({ "version": paid["version"], "rate": "19", "effective_date": "2026-04-01", "flsa_status": "Nonexempt" });
        let stale = company.put(&path, stale).await.refused(409);
        assert_eq!(stale.only()["metadata"]["current_version"], after["version"]);
        assert_eq!(stale.only()["metadata"]["differing_fields"], json!(["rate", "effective_date"]));
        assert_eq!(company.read("compensations", &id_of(&paid)).await, after);
    });
}

#[test]
fn pay_cannot_be_adjusted_to_the_minimum_wage_where_there_is_no_tip_credit() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let location = id_of(&company.location("CA").await);
        let (employee, job) = with_job(&company).await;
        company.work_address(&employee, &location).await;
        let mut body = terms("16.90", "Hour", "Nonexempt");
        body["adjust_for_minimum_wage"] = true.into();
        body["minimum_wages"] = json!([{ "uuid": NOBODY }]);
        let refused = update(&company, &id_of(&job["compensations"][0]), body).await.refused(422);
        assert!(refused.keys().contains(&"adjust_for_minimum_wage"));
        let mut body = terms("16.90", "Hour", "Nonexempt");
        body["adjust_for_minimum_wage"] = false.into();
        body["minimum_wages"] = json!([]);
        let told = update(&company, &id_of(&job["compensations"][0]), body).await.ok();
        assert_eq!((&told["adjust_for_minimum_wage"], &told["minimum_wages"]), (&json!(false), &json!([])));
    });
}
