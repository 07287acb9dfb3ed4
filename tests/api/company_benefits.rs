//! What a company offers: supported types, company benefits, and who may know of them.

use domain::Error;
use domain::benefits::payroll;
use domain::benefits::payroll::BenefitItem;
use rules::Amount;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Company, Engine, id_of, on_both_engines, text};

impl Company {
    /// A benefit that the company offers.
    pub async fn offer(&self, benefit_type: i64) -> Value {
        let body = json!({ "benefit_type": benefit_type, "description": format!("Benefit {benefit_type}") });
        self.post("/v1/companies/{company}/company_benefits", body).await.created()
    }

    /// Gives an employee a benefit; `more` is added to the body.
    pub async fn enroll(&self, employee: &str, benefit: &Value, more: Value) -> crate::support::Answer {
        let mut body = json!({ "company_benefit_uuid": benefit["uuid"] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.post(format!("/v1/employees/{employee}/employee_benefits"), body).await
    }
}

#[test]
fn the_types_that_can_be_offered_are_listed_with_what_they_ask_for() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let types = company.get("/v1/benefits").await.list();
        assert_eq!(types.len(), 35);
        let medical = company.get("/v1/benefits/1").await.ok();
        assert_eq!(medical, types[0]);
        assert_eq!((&medical["name"], &medical["pretax"]), (&json!("Medical Insurance"), &json!(true)));
        let asked = company.get("/v1/benefits/6/requirements").await.ok();
        assert_eq!(asked["limit_option"]["choices"], json!(["Family", "Individual"]));
        for unknown in ["4", "x", "1.0", "99999999999999999999"] {
            company.get(format!("/v1/benefits/{unknown}")).await.refused(404);
            company.get(format!("/v1/benefits/{unknown}/requirements")).await.refused(404);
        }
    });
}

#[test]
fn a_company_benefit_is_created_filtered_updated_and_deleted() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let before = company.count_events().await;
        let retirement = company.offer(5).await;
        let gym = company.offer(202).await;
        assert_eq!((&retirement["source"], &retirement["deletable"]), (&json!("external"), &json!(true)));
        assert_eq!(retirement["supports_percentage_amounts"], true);
        assert_eq!(gym["supports_percentage_amounts"], false);
        let list = async |query: &str| {
            let path = format!("/v1/companies/{{company}}/company_benefits{query}");
            company.get(path).await.list().iter().map(id_of).collect::<Vec<_>>()
        };
        assert_eq!(list("").await, [id_of(&retirement), id_of(&gym)]);
        assert_eq!(list("?benefit_type=202,9").await, [id_of(&gym)]);
        company.get("/v1/companies/{company}/company_benefits?benefit_type=gym").await.refused(422);

        let path = format!("/v1/company_benefits/{}", id_of(&gym));
        let put = async |body: Value| company.put(&path, body).await;
        let off = put(json!({ "version": gym["version"], "active": false, "benefit_type": 5 })).await.ok();
        // The type never changes.
        assert_eq!((&off["active"], &off["benefit_type"]), (&json!(false), &json!(202)));
        assert_eq!(list("?active=true").await, [id_of(&retirement)]);
        assert_eq!(
            put(json!({ "version": gym["version"], "description": "Gym" })).await.refused(409).keys(),
            ["base"]
        );
        assert_eq!(put(json!({ "version": off["version"], "active": false })).await.ok(), off);
        let wrong =
            put(json!({ "version": off["version"], "description": "", "catch_up_type": "deemed" })).await;
        assert_eq!(wrong.refused(422).keys(), ["description", "catch_up_type"]);
        company.delete(&path).await.deleted();
        company.get(&path).await.refused(404);
        let expected = [
            "company_benefit.created",
            "company_benefit.created",
            "company_benefit.updated",
            "company_benefit.deleted",
        ];
        assert_eq!(company.event_types_since(before).await, expected);
        let last = company.events().await.pop().unwrap();
        assert_eq!((&*last.entity_type, last.entity.to_string()), ("CompanyBenefit", id_of(&gym)));
    });
}

#[test]
fn what_is_missing_or_unknown_in_a_company_benefit_is_named_as_clients_expect() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let create = async |body: Value| {
            company.post("/v1/companies/{company}/company_benefits", body).await.refused(422)
        };
        assert_eq!(create(json!({ "description": "x" })).await.fault(), ("base", "missing_parameter"));
        let unknown = create(json!({ "benefit_type": 4, "description": "x" })).await;
        assert_eq!(unknown.fault(), ("benefit_type", "invalid_attribute_value"));
        assert_eq!(
            create(json!({ "benefit_type": 5 })).await.fault(),
            ("description", "invalid_attribute_value")
        );
        let all = create(json!({ "active": "yes", "catch_up_type": "late" })).await;
        assert_eq!(all.keys(), ["base", "active", "description", "catch_up_type"]);
    });
}

#[test]
fn a_benefit_stays_while_it_is_used() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (ana, bo) = (id_of(&company.employee("Ana").await), id_of(&company.employee("Bo").await));
        let benefit = company.offer(1).await;
        let path = format!("/v1/company_benefits/{}", id_of(&benefit));
        let count = async || {
            let told =
                company.get("/v1/companies/{company}/company_benefits?enrollment_count=true").await.list();
            told[0]["enrollment_count"].clone()
        };
        assert_eq!(count().await, 0);
        let record = company.enroll(&ana, &benefit, json!({})).await.created();
        company.enroll(&bo, &benefit, json!({ "expiration_date": "2026-06-14" })).await.created();
        company
            .enroll(&bo, &benefit, json!({ "effective_date": "2027-01-01", "active": false }))
            .await
            .created();
        // One has ended, one is inactive.
        assert_eq!(count().await, 1);
        assert_eq!(company.delete(&path).await.refused(422).fault(), ("base", "invalid_operation"));
        assert_eq!(company.get(&path).await.ok()["deletable"], false);

        let ended = json!({ "version": record["version"], "expiration_date": "2026-06-14" });
        company.put(format!("/v1/employee_benefits/{}", id_of(&record)), ended).await.ok();
        let off = json!({ "version": benefit["version"], "active": false });
        assert_eq!(company.put(&path, off).await.ok()["active"], false);
        company.delete(&path).await.refused(422);
    });
}

/// "It must be true on the employee benefit and on the company benefit for it to apply."
#[test]
fn active_must_be_true_on_the_employee_benefit_and_on_the_company_benefit_for_it_to_apply() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let location = id_of(&company.location("TX").await);
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-18",
                               "anchor_end_of_pay_period": "2026-06-14" });
        company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let (ana, _) = company.onboarded("Ana", &location, ("52000.00", "Year", "Exempt")).await;
        let benefit = company.offer(1).await;
        let record = company.enroll(&ana, &benefit, json!({ "employee_deduction": "25.00" })).await.created();
        let periods = company.get("/v1/companies/{company}/pay_periods").await.list();
        let payroll = text(&periods[0]["payroll"], "payroll_uuid");
        let deducted = async || {
            company.calculate(&payroll).await;
            let path = format!("/v1/companies/{{company}}/payrolls/{payroll}?include=benefits");
            let benefits = company.get(path).await.ok()["employee_compensations"][0]["benefits"].clone();
            benefits
                .as_array()
                .into_iter()
                .flatten()
                .any(|one| one["employee_deduction"].to_string().trim_matches('"').starts_with("25"))
        };
        assert!(deducted().await);
        // Enrollments that are active do not keep the company from making its benefit inactive.
        let path = format!("/v1/company_benefits/{}", id_of(&benefit));
        let off = json!({ "version": benefit["version"], "active": false });
        let off = company.put(&path, off).await.ok();
        assert_eq!(off["active"], false);
        assert_eq!(company.read("employee_benefits", &id_of(&record)).await, record, "the record stays");
        assert!(!deducted().await);
        let on = json!({ "version": off["version"], "active": true });
        company.put(&path, on).await.ok();
        assert!(deducted().await);
        let inactive = json!({ "version": record["version"], "active": false });
        company.put(format!("/v1/employee_benefits/{}", id_of(&record)), inactive).await.ok();
        assert!(!deducted().await);
    });
}

#[test]
fn nobody_is_enrolled_in_a_benefit_that_the_company_has_made_inactive() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ana = id_of(&company.employee("Ana").await);
        let benefit = company.offer(1).await;
        let path = format!("/v1/company_benefits/{}", id_of(&benefit));
        let off = json!({ "version": benefit["version"], "active": false });
        let off = company.put(&path, off).await.ok();

        let refused = company.enroll(&ana, &benefit, json!({})).await.refused(422);
        assert_eq!(refused.fault(), ("active", "invalid_attribute_value"));
        let one = json!({ "employee_benefits": [{ "employee_uuid": ana, "action": "create" }] });
        company.put(format!("{path}/employee_benefits"), one).await.refused(422);
        let plan = format!("/v1/employees/{ana}/employee_benefits/plan");
        let wish = |window: Value| json!({ "company_benefit_uuid": benefit["uuid"], "timeline": [window] });
        company.post(&plan, wish(json!({ "effective_date": "2026-07-01" }))).await.refused(422);
        let list = format!("/v1/employees/{ana}/employee_benefits?include=all_benefits");
        assert_eq!(company.get(&list).await.list(), Vec::<Value>::new());

        // What enrolls nobody can be told: a record that has ended, and one that is inactive.
        company.enroll(&ana, &benefit, json!({ "expiration_date": "2026-06-14" })).await.created();
        let later = json!({ "effective_date": "2026-07-01", "active": false });
        let record = company.enroll(&ana, &benefit, later).await.created();
        company.post(&plan, wish(json!({ "effective_date": "2026-07-01", "active": false }))).await.ok();
        let record_path = format!("/v1/employee_benefits/{}", id_of(&record));
        let on = json!({ "version": record["version"], "active": true });
        assert_eq!(company.put(&record_path, on.clone()).await.refused(422).keys(), ["active"]);
        company.put(&path, json!({ "version": off["version"], "active": true })).await.ok();
        company.put(&record_path, on).await.ok();
    });
}

#[test]
fn who_has_a_benefit_is_told_with_it_when_asked() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ana = id_of(&company.employee("Ana").await);
        let benefit = company.offer(5).await;
        company.enroll(&ana, &benefit, json!({})).await.created();
        let later = company.enroll(&ana, &benefit, json!({ "effective_date": "2026-06-01" })).await.created();
        let path = format!("/v1/company_benefits/{}", id_of(&benefit));
        assert_eq!(company.get(&path).await.ok().get("employee_benefits"), None);
        let with = |query: &str| format!("{path}?with_employee_benefits=true{query}");
        let told = company.get(with("")).await.ok();
        // Generated clients take no null here: the last day of an open record is left out.
        let mut expected = later;
        assert_eq!(expected.as_object_mut().unwrap().shift_remove("expiration_date"), Some(Value::Null));
        assert_eq!(told["employee_benefits"], json!([expected]));
        let told = company.get(with("&include=all_benefits")).await.ok();
        assert_eq!(told["employee_benefits"].as_array().unwrap().len(), 2);
        let narrow = company.with_scopes("company_benefits:read").await;
        narrow.get(&path).await.ok();
        assert_eq!(narrow.get(with("")).await.refused(403).fault().1, "missing_oauth_scopes");
    });
}

#[test]
fn health_information_takes_a_scope_of_its_own() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let ana = id_of(&company.employee("Ana").await);
        let (medical, retirement) = (company.offer(1).await, company.offer(5).await);
        let record = company.enroll(&ana, &medical, json!({})).await.created();
        company.enroll(&ana, &retirement, json!({})).await.created();
        let scopes =
            "company_benefits:read company_benefits:write employee_benefits:read employee_benefits:write";
        let narrow = company.with_scopes(scopes).await;
        let offered = narrow.get("/v1/companies/{company}/company_benefits").await.list();
        assert_eq!(offered.iter().map(id_of).collect::<Vec<_>>(), [id_of(&retirement)]);
        let own = narrow.get(format!("/v1/employees/{ana}/employee_benefits")).await.list();
        assert_eq!(own.len(), 1);
        let days = narrow.get(format!("/v1/employees/{ana}/employee_benefits/timeline")).await.list();
        assert_eq!(days.len(), 1);
        for path in [
            format!("/v1/company_benefits/{}", id_of(&medical)),
            format!("/v1/company_benefits/{}/summary", id_of(&medical)),
            format!("/v1/company_benefits/{}/employee_benefits", id_of(&medical)),
            format!("/v1/employee_benefits/{}", id_of(&record)),
        ] {
            let refused = narrow.get(&path).await.refused(403);
            assert!(refused.message().contains("read:phi"), "{path}");
            company.get(&path).await.is(200);
        }
        let raised = json!({ "version": record["version"], "employee_deduction": "1.00" });
        narrow.put(format!("/v1/employee_benefits/{}", id_of(&record)), raised).await.refused(403);
        narrow.enroll(&ana, &medical, json!({ "effective_date": "2027-01-01" })).await.refused(403);
        let with_phi = company
            .with_scopes(&format!("{scopes} company_benefits:read:phi employee_benefits:read:phi"))
            .await;
        with_phi.get(format!("/v1/employee_benefits/{}", id_of(&record))).await.ok();
    });
}

/// What a payroll took from an employee and gave.
fn item(
    benefit: &Value,
    employee: &str,
    record: &Value,
    payroll: u128,
    day: &str,
    cents: i64,
) -> BenefitItem {
    let id = |value: &Value| -> Uuid { id_of(value).parse().unwrap() };
    BenefitItem {
        run: None,
        company_benefit: id(benefit),
        employee: employee.parse().unwrap(),
        payroll: Uuid::from_u128(payroll),
        employee_benefit: id(record),
        benefit_type: 5,
        payroll_type: "Regular".to_owned(),
        check_date: day.parse().unwrap(),
        period_start: None,
        period_end: Some(day.parse().unwrap()),
        gross_pay: Amount::from_cents(200_000),
        imputed_pay: Amount::ZERO,
        employee_deduction: Amount::from_cents(cents),
        company_contribution: Amount::from_cents(cents / 2),
    }
}

/// A part of the year, and days that are none.
async fn summary_of_june(company: &Company, path: &str) {
    let june = format!("{path}?start_date=2026-06-01&end_date=2026-06-30&detailed=true");
    let month = company.get(june).await.ok();
    assert_eq!(month["company_benefit_deduction"], "100.00");
    assert_eq!(month["employees"][0]["payroll_benefits"][0]["check_date"], "2026-06-12");
    company.get(format!("{path}?start_date=2026-06-01&end_date=2026-05-30")).await.refused(422);
    company.get(format!("{path}?start_date=June")).await.refused(422);
}

/// Lets go of what cancelled payrolls took for benefits.
async fn forget(company: &Company, items: Vec<BenefitItem>) {
    let id = company.id;
    let forgotten: Result<(), Error> = company
        .world
        .app
        .store
        .write(move |tx| {
            tx.take_guard(id, "payroll_runs", id)?;
            items.iter().try_for_each(|item| {
                let of = (item.company_benefit, item.employee, item.payroll);
                payroll::forget_one(tx, id, of, Uuid::nil())
            })
        })
        .await;
    forgotten.unwrap();
}

#[test]
fn the_summary_adds_up_what_payrolls_took_and_gave() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let (ana, bo) = (id_of(&company.employee("Ana").await), id_of(&company.employee("Bo").await));
        let benefit = company.offer(5).await;
        let a = company.enroll(&ana, &benefit, json!({})).await.created();
        let b = company.enroll(&bo, &benefit, json!({})).await.created();
        let items = vec![
            item(&benefit, &ana, &a, 1, "2026-01-09", 10_050),
            item(&benefit, &bo, &b, 1, "2026-01-09", 20_000),
            item(&benefit, &ana, &a, 2, "2026-06-12", 10_000),
            item(&benefit, &ana, &a, 3, "2025-12-26", 99_999),
        ];
        let (id, employee, recorded) = (company.id, ana.parse().unwrap(), items.clone());
        let taken: Result<_, Error> = company
            .world
            .app
            .store
            .write(move |tx| {
                tx.take_guard(id, "payroll_runs", id)?;
                payroll::record_payroll_benefits(tx, id, &recorded)?;
                payroll::year_to_date(tx, id, employee, 2026)
            })
            .await;
        let taken = taken.unwrap();
        assert_eq!(taken.len(), 1);
        assert_eq!(
            (taken[0].deduction.to_text(2), taken[0].contribution.to_text(2)),
            ("200.50".to_owned(), "100.25".to_owned())
        );

        let path = format!("/v1/company_benefits/{}/summary", id_of(&benefit));
        let year = company.get(&path).await.ok();
        assert_eq!((&year["start_date"], &year["end_date"]), (&json!("2026-01-01"), &json!("2026-12-31")));
        assert_eq!(
            (&year["company_benefit_deduction"], &year["company_benefit_contribution"]),
            (&json!("400.50"), &json!("200.25"))
        );
        assert_eq!(year.get("employees"), None, "only with detailed=true");
        let before = company.get(format!("{path}?end_date=2025-12-31")).await.ok();
        assert_eq!(
            (&before["start_date"], &before["end_date"]),
            (&json!("2025-01-01"), &json!("2025-12-31"))
        );
        assert_eq!(before["company_benefit_deduction"], "999.99");
        let detailed = company.get(format!("{path}?detailed=true")).await.ok();
        assert_eq!(detailed["employees"].as_array().unwrap().len(), 2);
        let of_ana = &detailed["employees"][0];
        assert_eq!(
            (&of_ana["benefit_deduction"], &of_ana["gross_pay"]),
            (&json!("200.50"), &json!("4000.00"))
        );
        assert_eq!(of_ana["payroll_benefits"].as_array().unwrap().len(), 2);
        summary_of_june(&company, &path).await;

        // What a payroll took keeps the benefit, even when nobody has it any more; a cancelled payroll lets it go.
        for record in [&a, &b] {
            company.delete(format!("/v1/employee_benefits/{}", id_of(record))).await.deleted();
        }
        let delete = format!("/v1/company_benefits/{}", id_of(&benefit));
        company.delete(&delete).await.refused(422);
        forget(&company, items).await;
        company.delete(&delete).await.deleted();
    });
}
