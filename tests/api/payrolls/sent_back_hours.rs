//! Hours that clients read of a payroll and send back: those of a salary, and those entered by day or by workweek.

use serde_json::{Value, json};

use super::sent_back::{change, named, pay, prepared, send};
use super::{company, enter, hours, line, number, of, read};
use crate::support::{Engine, on_both_engines, text};

#[test]
fn a_salary_stands_for_hours_until_some_are_entered() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let yearly = ("52000.00", "Year", "Exempt");
        let (ana, _) = company.onboarded("Ana", &location, yearly).await;
        let (ben, _) = company.onboarded("Ben", &location, ("52000.00", "Year", "Salaried Nonexempt")).await;
        let leaves = json!({ "effective_date": "2026-06-07", "run_termination_payroll": false });
        company.post(format!("/v1/employees/{ben}/terminations"), leaves).await.created();
        let regular = |told: &Value, employee: &str| {
            let line = named(of(told, employee), "hourly_compensations", "Regular Hours");
            (text(line, "hours"), line.get("amount").cloned())
        };
        let of_days =
            |hours: &str, amount: Option<&str>| (hours.to_owned(), amount.map(|amount| json!(amount)));
        let told = prepared(&company, &payroll, "2026-06-15").await;
        assert_eq!(regular(&told, &ana), of_days("80.000", None));
        assert_eq!(regular(&told, &ben), of_days("40.000", None), "seven of fourteen days");
        // They come back as no entry.
        for employee in [&ana, &ben] {
            let record = of(&told, employee);
            let sent = send(&company, &payroll, "2026-06-15", record).await.ok();
            assert_eq!(of(&sent, employee)["version"], record["version"]);
        }
        let told = company.calculate(&payroll).await;
        assert_eq!(regular(&told, &ana), of_days("80.000", Some("2000.00")));
        assert_eq!(regular(&told, &ben), of_days("40.000", Some("1000.00")));
        // Those that are entered are told, and the salary is what it was.
        enter(&company, &payroll, &ana, hours("72")).await.ok();
        let told = company.calculate(&payroll).await;
        assert_eq!(regular(&told, &ana), of_days("72.000", Some("2000.00")));
        company.submit(&payroll).await;
        let told = read(&company, &payroll, "").await;
        assert_eq!(regular(&told, &ben), of_days("40.000", Some("1000.00")));
        // A bonus pays no salary.
        let bonus = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-15", "end_date": "2026-06-15",
                            "employee_uuids": [ana], "check_date": "2026-06-30" });
        let bonus = company.post("/v1/companies/{company}/payrolls", bonus).await.ok();
        assert_eq!(of(&bonus, &ana)["hourly_compensations"], json!([]));
    });
}

#[test]
fn hours_by_day_or_workweek_stay_where_their_sum_comes_back_and_go_where_one_of_them_is_changed() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let day =
            |day: i32| json!({ "name": "Regular Hours", "hours": "9", "date": format!("2026-06-0{day}") });
        let days = json!({ "hourly_compensations": (1..6).map(day).collect::<Vec<_>>() });
        enter(&company, &payroll, &ana, days).await.ok();
        let told = company.calculate(&payroll).await;
        let lines = &of(&told, &ana)["hourly_compensations"];
        let sorted = ["Regular Hours", "Overtime"].map(|name| text(line(lines, name), "hours"));
        assert_eq!(sorted, ["40.000", "5.000"]);
        // 40 x 20.00 + 5 x 30.00
        assert_eq!(number(&of(&told, &ana)["gross_pay"]), "950.00");
        let both = |overtime: &str| {
            json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "40" },
                                             { "name": "Overtime", "hours": overtime }] })
        };
        let one = change(&company, &payroll, &ana, both("5")).await;
        assert_eq!(
            line(&one["hourly_compensations"], "Regular Hours")["entries"].as_array().unwrap().len(),
            5
        );
        let one = change(&company, &payroll, &ana, both("6")).await;
        assert_eq!(line(&one["hourly_compensations"], "Regular Hours").get("entries"), None);
        // 40 x 20.00 + 6 x 30.00
        assert_eq!(pay(&company, &payroll).await[0][0], "980.00");
    });
}
