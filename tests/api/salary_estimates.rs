//! Salary estimates: statuses of every fault, one open estimate, acceptance for ever, and the
//! explanation that can be worked out again.

use domain::datasets;
use domain::platform::reference::Dataset;
use domain::salary::wages::statistics::Statistics;
use domain::salary::wages::zip_areas::ZipAreas;
use rules::Named;
use serde_json::{Value, json};

use crate::evaluator;
use crate::support::{Company, Engine, NOBODY, id_of, on_both_engines};

fn part(code: &str, level: &str, share: &str) -> Value {
    json!({ "code": code, "experience_level": level, "time_percentage": share })
}

fn body(zip: &str, occupations: &[Value]) -> Value {
    json!({ "zip_code": zip, "occupations": occupations })
}

/// The same with the first of several occupations as the primary one.
fn several(zip: &str, occupations: &[Value]) -> Value {
    let mut body = body(zip, occupations);
    for (place, occupation) in body["occupations"].as_array_mut().unwrap().iter_mut().enumerate() {
        occupation["primary"] = (place == 0).into();
    }
    body
}

/// A software developer in San Antonio.
fn developer() -> Value {
    body("78205", &[part("151252", "average", "1")])
}

async fn owner(company: &Company) -> String {
    id_of(&company.employee("Olga").await)
}

async fn estimate(company: &Company, employee: &str, body: Value) -> Value {
    company.post(format!("/v1/employees/{employee}/salary_estimates"), body).await.created()
}

fn path(estimate: &Value) -> String {
    format!("/v1/salary_estimates/{}", id_of(estimate))
}

#[test]
fn primary_is_a_required_field_where_several_occupations_are_sent() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let owner = owner(&company).await;
        let create = format!("/v1/employees/{owner}/salary_estimates");
        let two = [part("151252", "average", "0.5"), part("111021", "average", "0.5")];
        let refused = company.post(&create, body("78205", &two)).await.refused(400);
        assert_eq!(refused.keys(), ["occupations[0].primary", "occupations[1].primary"]);
        let mut half = body("78205", &two);
        half["occupations"][0]["primary"] = true.into();
        half["occupations"][1]["primary"] = Value::Null;
        assert_eq!(company.post(&create, half).await.refused(400).keys(), ["occupations[1].primary"]);
        let mut alone = developer();
        alone["occupations"][0]["primary"] = false.into();
        assert_eq!(
            company.post(&create, alone).await.refused(422).keys(),
            ["occupations"],
            "none is primary"
        );
        let made = estimate(&company, &owner, developer()).await;
        assert_eq!(made["occupations"][0]["primary"], true, "a single occupation is the primary one");
        let changed = company.put(path(&made), several("78205", &two)).await.ok();
        let primary = [&changed["occupations"][0]["primary"], &changed["occupations"][1]["primary"]];
        assert_eq!(primary, [&json!(true), &json!(false)]);
    });
}

#[test]
fn an_estimate_is_the_wage_of_the_level_in_the_area_of_the_zip_code() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let owner = owner(&company).await;
        let mut input = body(
            "78205",
            &[
                json!({ "code": "15-1252", "experience_level": "skilled", "time_percentage": "0.6", "primary": false }),
                json!({ "code": "111021", "experience_level": "average", "time_percentage": 0.4, "primary": true }),
            ],
        );
        input["annual_net_revenue"] = "500000".into();
        let made = estimate(&company, &owner, input).await;
        assert_eq!(made["employee_uuid"], owner);
        assert_eq!(made["annual_net_revenue"], "500000.00");
        assert_eq!((&made["accepted_at"], &made["employee_job_uuid"]), (&Value::Null, &Value::Null));
        assert_eq!(made["occupations"][0]["code"], "15-1252");
        assert_eq!(made["occupations"][1]["code"], "11-1021");
        assert_eq!(made["occupations"][1]["time_percentage"], "0.4");
        assert_eq!(made["occupations"][1]["primary"], true);
        assert!(made["created_at"].as_str().unwrap().ends_with("-05:00"), "{made}");
        assert_eq!(company.get(path(&made)).await.ok(), made);

        let told = company.get(path(&made) + "/explain").await.ok();
        evaluator::check(&told["calculation"]).unwrap_or_else(|fault| panic!("{fault}: {told:#}"));
        let root = told["calculation"]["result"].as_str().unwrap().replace('.', "");
        assert_eq!(made["result"].to_string(), root, "cents");
        let first = &told["occupations"][0];
        assert_eq!((&first["percentile"], &first["area"]["code"]), (&json!(75), &json!("0041700")));
        assert_eq!(first["area"]["kind"], "metropolitan");
        assert!(first["lower"]["result"].as_i64() < made["result"].as_i64());
        assert!(first["higher"]["result"].as_i64() > made["result"].as_i64());
        assert_eq!(told["statistics"]["vintage"], "2025-05");
        assert_eq!(told["statistics"]["checksum"].as_str().unwrap().len(), 64);
        assert_eq!(told["annual_net_revenue"]["exceeded"], false);
    });
}

async fn one_primary_and_a_revenue_above_zero(company: &Company, create: &str) {
    let two = body("78205", &[part("151252", "average", "0.5"), part("111021", "average", "0.5")]);
    for primary in [true, false] {
        let mut both = two.clone();
        for place in 0..2 {
            both["occupations"][place]["primary"] = primary.into();
        }
        assert_eq!(company.post(create, both).await.refused(422).keys(), ["occupations"], "{primary}");
    }
    for revenue in [json!("0"), json!(-5), json!("much")] {
        let mut input = developer();
        input["annual_net_revenue"] = revenue;
        assert_eq!(company.post(create, input).await.refused(422).keys(), ["annual_net_revenue"]);
    }
}

#[test]
fn what_is_missing_and_what_is_no_occupation_is_400_and_every_other_fault_422() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let owner = owner(&company).await;
        let good = part("151252", "average", "1");
        let without = |field: &str| {
            let mut part = good.clone();
            part.as_object_mut().unwrap().remove(field);
            body("78205", &[part])
        };
        let cases = [
            (400, json!({ "occupations": [good] }), vec!["zip_code"]),
            (400, json!({ "zip_code": "78205" }), vec!["occupations"]),
            (400, body("78205", &[]), vec!["occupations"]),
            (400, json!({}), vec!["zip_code", "occupations"]),
            (400, without("code"), vec!["occupations[0].code"]),
            (400, without("experience_level"), vec!["occupations[0].experience_level"]),
            (400, without("time_percentage"), vec!["occupations[0].time_percentage"]),
            (400, body("78205", &[part("999999", "average", "1")]), vec!["occupations[0].code"]),
            (400, body("78205", &[part("11-0000", "average", "1")]), vec!["occupations[0].code"]),
            (
                400,
                body("00000", &[part("111031", "guru", "2")]),
                vec![
                    "zip_code",
                    "occupations[0].code",
                    "occupations[0].experience_level",
                    "occupations[0].time_percentage",
                ],
            ),
            (422, body("7820", std::slice::from_ref(&good)), vec!["zip_code"]),
            (422, body("00000", std::slice::from_ref(&good)), vec!["zip_code"]),
            (422, body("78205-1234", std::slice::from_ref(&good)), vec!["zip_code"]),
            (422, body("78205", &[part("151252", "guru", "1")]), vec!["occupations[0].experience_level"]),
            (422, body("78205", &[part("151252", "average", "0.999999")]), vec!["time_percentage"]),
            (
                422,
                several("78205", &[part("151252", "average", "0.5"), part("111021", "average", "0.6")]),
                vec!["time_percentage"],
            ),
            (422, body("78205", &[part("151252", "average", "-1")]), vec!["occupations[0].time_percentage"]),
            (
                422,
                body("78205", &[part("151252", "average", "0.3333333")]),
                vec!["occupations[0].time_percentage"],
            ),
            (422, several("78205", &vec![part("151252", "average", "0.04"); 25]), vec!["occupations"]),
        ];
        let create = format!("/v1/employees/{owner}/salary_estimates");
        for (status, input, keys) in cases {
            let refused = company.post(&create, input.clone()).await.refused(status);
            for key in keys {
                assert!(refused.keys().contains(&key), "{input}: {refused:?}");
            }
        }
        let mut number = body("78205", std::slice::from_ref(&good));
        number["occupations"][0]["code"] = json!(151_252);
        let refused = company.post(&create, number).await.refused(400);
        assert!(refused.message().contains("must be text"), "{}", refused.message());
        one_primary_and_a_revenue_above_zero(&company, &create).await;
        company.post(format!("/v1/employees/{NOBODY}/salary_estimates"), developer()).await.refused(404);
        company.get(format!("/v1/salary_estimates/{NOBODY}")).await.refused(404);
        // Nothing of all that was kept.
        estimate(&company, &owner, developer()).await;
    });
}

#[test]
fn an_employee_has_one_open_estimate_and_may_have_another_once_it_is_accepted() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let owner = owner(&company).await;
        let first = estimate(&company, &owner, developer()).await;
        let again = company.post(format!("/v1/employees/{owner}/salary_estimates"), developer()).await;
        let refused = again.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        assert_eq!(refused.only()["metadata"]["entity_uuid"], first["uuid"]);
        let changed = company.put(path(&first), body("11201", &[part("15-1252", "expert", "1")])).await.ok();
        assert!(changed["result"].as_i64() > first["result"].as_i64());
        assert_eq!(changed["created_at"], first["created_at"]);
        assert_ne!(changed["updated_at"], first["updated_at"]);
        let accepted = company.call("POST", path(&first) + "/accept").send().await.ok();
        assert_eq!(accepted["employee_job_uuid"], Value::Null, "there is no job");
        assert_eq!(accepted["result"], changed["result"]);
        for refused in [
            company.put(path(&first), developer()).await,
            company.put(path(&first), json!({ "zip_code": 7 })).await,
            company.call("POST", path(&first) + "/accept").send().await,
        ] {
            assert_eq!(refused.refused(409).fault(), ("base", "invalid_operation"));
        }
        assert_eq!(company.get(path(&first)).await.ok(), accepted);
        estimate(&company, &owner, developer()).await;
        let entries = company.audit().await;
        let actions = entries.iter().filter(|entry| entry.entity_type == "salary_estimates");
        assert_eq!(
            actions.map(|entry| entry.action.as_str()).collect::<Vec<_>>(),
            ["created", "updated", "accepted", "created"]
        );
    });
}

#[test]
fn an_estimate_is_accepted_for_the_job_that_is_named_or_the_primary_one() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (owner, other) = (owner(&company).await, owner(&company).await);
        let primary = company.job(&owner, "Chief", "2026-07-01").await;
        company.pay(&primary, "30.00", "Hour", "Nonexempt").await;
        let second = company.job(&owner, "Baker", "2026-07-01").await;
        let foreign = company.job(&other, "Chief", "2026-07-01").await;
        let made = estimate(&company, &owner, developer()).await;
        let accept = path(&made) + "/accept";
        for wrong in [id_of(&foreign), NOBODY.to_owned(), "x".to_owned()] {
            let refused = company.post(&accept, json!({ "employee_job_uuid": wrong })).await.refused(422);
            assert_eq!(refused.keys(), ["employee_job_uuid"]);
        }
        let named = company.post(&accept, json!({ "employee_job_uuid": id_of(&second) })).await.ok();
        assert_eq!(named["employee_job_uuid"], second["uuid"]);
        let made = estimate(&company, &owner, developer()).await;
        let taken = company.post(path(&made) + "/accept", json!({})).await.ok();
        assert_eq!(taken["employee_job_uuid"], primary["uuid"]);
    });
}

#[test]
fn of_many_that_accept_or_change_at_once_exactly_one_settles_the_estimate() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let owner = owner(&company).await;
        for round in 0..3 {
            let made = estimate(&company, &owner, developer()).await;
            let calls: Vec<_> = (0..24)
                .map(|n| {
                    let (company, path) = (company.clone(), path(&made));
                    tokio::spawn(async move {
                        if n % 3 == 0 {
                            let level = ["novice", "expert"][n % 2];
                            company.put(path, body("11201", &[part("15-1252", level, "1")])).await
                        } else {
                            company.call("POST", path + "/accept").send().await
                        }
                    })
                })
                .collect();
            let (mut accepted, mut changed) = (Vec::new(), Vec::new());
            for call in calls {
                let answer = call.await.unwrap();
                match answer.status.as_u16() {
                    200 if answer.json()["accepted_at"].is_string() => accepted.push(answer.json()),
                    200 => changed.push(answer.json()),
                    409 => {}
                    other => panic!("round {round}: {other} {}", answer.text()),
                }
            }
            assert_eq!(accepted.len(), 1, "round {round}");
            let stands = company.get(path(&made)).await.ok();
            assert_eq!(stands, accepted[0], "what was answered is what stands");
            let last = changed.iter().map(|one| &one["result"]).chain([&made["result"]]);
            assert!(last.into_iter().any(|result| *result == stands["result"]));
        }
        let create = |company: Company| {
            let path = format!("/v1/employees/{owner}/salary_estimates");
            async move { company.post(path, developer()).await }
        };
        let statuses = company.at_once(12, create).await;
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "one open estimate");
    });
}

/// The built-in tables with every wage of Texas and San Antonio a dollar higher, as files.
fn newer_wages(folder: &std::path::Path) {
    let release = domain::salary::wages::release::Release::unpack(Statistics::BUILT_IN.bytes).unwrap();
    let mut areas = String::from("area_code,kind,primary_state,name\n");
    for (code, area) in &release.areas {
        areas += &format!("{code:07},{},{},\"{}\"\n", area.kind.as_str(), area.state, area.name);
    }
    std::fs::write(folder.join("areas.csv"), areas).unwrap();
    let mut rows = String::from(
        "area_code,occ_code,employment,h_mean,h_p10,h_p25,h_p50,h_p75,h_p90,a_mean,a_p10,a_p25,a_p50,a_p75,a_p90,topcoded\n",
    );
    for row in &release.rows {
        let more = u32::from(row.area == 41_700 || row.area == 4_800_000);
        rows += &format!("{:07},{:06},,,,,,,,", row.area, row.occupation);
        for wage in &row.yearly {
            rows += &wage.value().map_or(",".to_owned(), |dollars| format!(",{}", dollars + more));
        }
        rows += if row.yearly.contains(&domain::salary::wages::release::Figure::AT_LEAST) {
            ",1\n"
        } else {
            ",\n"
        };
    }
    std::fs::write(folder.join("wages.csv"), rows).unwrap();
}

#[test]
fn an_accepted_estimate_keeps_its_bytes_after_an_import_and_an_open_one_changes_when_it_is_modified() {
    let folder = tempfile::tempdir().unwrap();
    newer_wages(folder.path());
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let (settled, open) = (owner(&company).await, owner(&company).await);
        let settled = estimate(&company, &settled, developer()).await;
        company.call("POST", path(&settled) + "/accept").send().await.ok();
        let open = estimate(&company, &open, developer()).await;
        let third = owner(&company).await;
        let elsewhere = estimate(&company, &third, body("11201", &[part("151252", "average", "1")])).await;
        let read = async |what: &Value| {
            let answers = [
                path(what),
                path(what) + "/explain",
                path(what) + "/report",
                path(what) + "/report?format=pdf",
            ];
            let mut bytes = Vec::new();
            for address in answers {
                bytes.push(company.get(address).await.is(200).body);
            }
            bytes
        };
        let before = (read(&settled).await, read(&open).await);
        let said = datasets::import_file(
            &world.app.store,
            Statistics::KIND,
            folder.path(),
            Some("2026-05"),
            false,
            &|_, _| (),
        )
        .await
        .unwrap()
        .to_text();
        assert!(said.contains("wages 2025-05 -> 2026-05"), "{said}");
        for tries in 0.. {
            assert!(tries < 100, "the import never came into use");
            if world.app.reference.wages.current().await.unwrap().name == "2026-05" {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        assert_eq!((read(&settled).await, read(&open).await), before, "reading changes nothing");
        // "The service always uses the most current data": the old figure is not accepted, nor one that nobody has seen.
        let refused = company.call("POST", path(&open) + "/accept").send().await.refused(409);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        let old = open["result"].as_i64().unwrap();
        let figures = json!({ "result": old, "vintage": "2025-05", "newest_result": old + 100, "newest_vintage": "2026-05" });
        for (name, figure) in figures.as_object().unwrap() {
            assert_eq!(refused.only()["metadata"][name], *figure, "{name}");
        }
        assert_eq!(read(&open).await, before.1, "a refusal changes nothing");
        let changed = company.put(path(&open), developer()).await.ok();
        assert_eq!(changed["result"].as_i64().unwrap(), open["result"].as_i64().unwrap() + 100);
        let told = company.get(path(&open) + "/explain").await.ok();
        assert_eq!(told["statistics"]["vintage"], "2026-05");
        let accepted = company.call("POST", path(&open) + "/accept").send().await.ok();
        assert_eq!(accepted["result"], changed["result"]);
        company.put(path(&settled), developer()).await.refused(409);
        assert_eq!(read(&settled).await, before.0);
        same_figure(&company, &elsewhere).await;
    });
}

/// An open estimate to which the newest data make no difference is accepted, and is then one of the newest data.
async fn same_figure(company: &Company, open: &Value) {
    let accepted = company.call("POST", path(open) + "/accept").send().await.ok();
    assert_eq!(accepted["result"], open["result"]);
    let told = company.get(path(open) + "/explain").await.ok();
    assert_eq!(told["statistics"]["vintage"], "2026-05");
}

#[test]
fn the_report_is_a_page_or_a_pdf_that_says_what_the_explanation_says() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let owner = id_of(&company.employee("Zoë").await);
        let made = estimate(&company, &owner, developer()).await;
        let told = company.get(path(&made) + "/explain").await.ok();
        let page = company.get(path(&made) + "/report").await.is(200);
        assert!(page.header("content-type").starts_with("text/html"));
        assert!(page.header("content-security-policy").contains("default-src 'none'"));
        let text = page.text();
        let checksum = told["statistics"]["checksum"].as_str().unwrap();
        for said in
            ["Software Developers", "average, percentile 50", "not yet", "2025-05", checksum, "0041700"]
        {
            assert!(text.contains(said), "{said}");
        }
        let pdf = company.get(path(&made) + "/report?format=pdf").await.is(200);
        assert_eq!(pdf.header("content-type"), "application/pdf");
        assert!(pdf.body.starts_with(b"%PDF-") && pdf.body.len() > 3_000);
        assert_eq!(company.get(path(&made) + "/report?format=xml").await.refused(422).keys(), ["format"]);
        company.get(format!("/v1/salary_estimates/{NOBODY}/report")).await.refused(404);
    });
}

#[test]
fn zip_codes_of_every_kind_of_area_have_an_estimate() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        assert_eq!(ZipAreas::KIND, "zip-areas");
        for (zip, kind) in [
            ("11201", "metropolitan"),
            ("59301", "nonmetropolitan"),
            ("96799", "national"),
            ("96910", "state"),
        ] {
            let owner = owner(&company).await;
            let made = estimate(&company, &owner, body(zip, &[part("11-1021", "average", "1")])).await;
            let told = company.get(path(&made) + "/explain").await.ok();
            assert_eq!(told["occupations"][0]["area"]["kind"], kind, "{zip}: {told:#}");
        }
    });
}

#[test]
fn three_hundred_cases_come_to_the_cents_that_a_separate_script_worked_out() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let owner = owner(&company).await;
        let open = estimate(&company, &owner, developer()).await;
        let cases: Vec<&str> = include_str!("../salary/cases.csv").lines().skip(1).collect();
        assert_eq!(cases.len(), 300);
        for case in cases {
            let [zip, code, level, cents, area, basis] = case.split(',').collect::<Vec<_>>()[..] else {
                panic!("{case}")
            };
            let changed = company.put(path(&open), body(zip, &[part(code, level, "1")])).await.ok();
            assert_eq!(changed["result"].to_string(), cents, "{case}");
            let told = company.get(path(&open) + "/explain").await.ok();
            let first = &told["occupations"][0];
            assert_eq!(
                (first["area"]["code"].as_str(), first["wage_basis"].as_str()),
                (Some(area), Some(basis)),
                "{case}"
            );
            evaluator::check(&told["calculation"]).unwrap_or_else(|fault| panic!("{case}: {fault}"));
        }
    });
}
