//! Payroll by workweek: lines that are divided by workweek, the day on which workweeks begin, and which pay counts towards overtime.

use serde_json::{Value, json};

use super::{company, enter, line, of, path, read};
use crate::support::{Company, Engine, Refusal, id_of, on_both_engines, text};

const WEEKS: [(&str, &str); 2] = [("2026-06-01", "2026-06-07"), ("2026-06-08", "2026-06-14")];

/// A line that is divided: a part for each workweek, of hours or of an amount.
fn divided(name: &str, key: &str, total: &str, parts: &[&str]) -> Value {
    let parts: Vec<_> = WEEKS
        .iter()
        .zip(parts)
        .map(|((start, end), part)| json!({ "start_date": start, "end_date": end, key: part }))
        .collect();
    json!({ "name": name, key: total, "breakdowns": parts })
}

fn hours_of(name: &str, total: &str, parts: &[&str]) -> Value {
    divided(name, "hours", total, parts)
}

/// The same hours as lines of our own.
fn by_start(name: &str, parts: &[&str]) -> Vec<Value> {
    let of_week = |((start, _), hours): (&(&str, &str), &&str)| json!({ "name": name, "hours": hours, "workweek_start": start });
    WEEKS.iter().zip(parts).map(of_week).collect()
}

/// The fields that the entries of a payroll are refused for.
fn inner_keys(refused: &Refusal) -> Vec<&str> {
    let errors = refused.only()["errors"].as_array().unwrap();
    errors.iter().map(|error| error["error_key"].as_str().unwrap()).collect()
}

/// What is entered, calculated for two people who are alike: gross pay, the hours of each line, and the warnings.
async fn both_ways(
    company: &Company,
    payroll: &str,
    location: &str,
    ways: [Value; 2],
) -> [(String, Value, Vec<String>); 2] {
    let mut people = Vec::new();
    for (name, what) in ["Ana", "Ben"].into_iter().zip(ways) {
        let (employee, _) = company.onboarded(name, location, ("20.00", "Hour", "Nonexempt")).await;
        enter(company, payroll, &employee, what).await.ok();
        people.push(employee);
    }
    let told = company.calculate(payroll).await;
    [0, 1].map(|place| {
        let one = of(&told, &people[place]);
        let lines = one["hourly_compensations"].as_array().unwrap().iter();
        let lines = lines.map(|line| json!([line["name"], line["hours"], line["amount"]])).collect();
        let warnings = one["warnings"].as_array().cloned().unwrap_or_default();
        (one["gross_pay"].to_string(), lines, warnings.iter().map(|one| text(one, "message")).collect())
    })
}

#[test]
fn hours_divided_by_workweek_are_paid_as_those_entered_by_workweek() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let parts = json!({ "hourly_compensations": [hours_of("Regular Hours", "80", &["60", "20"])] });
        let lines = json!({ "hourly_compensations": by_start("Regular Hours", &["60", "20"]) });
        let [divided, by_week] = both_ways(&company, &payroll, &location, [parts, lines]).await;
        // Paid as entered, and the employer reads that 20 hours of the first week are overtime.
        assert_eq!(divided.0, "1600.00");
        assert!(divided.2.iter().any(|message| message.contains("20.00")), "{:?}", divided.2);
        assert_eq!(divided, by_week);
    });
}

#[test]
fn double_overtime_divided_by_workweek_is_paid_as_entered() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let parts = json!({ "hourly_compensations": [hours_of("Regular Hours", "80", &["40", "40"]),
            hours_of("Overtime", "6", &["5", "1"]), hours_of("Double overtime", "3", &["2", "1"])] });
        let lines: Vec<Value> =
            [("Regular Hours", ["40", "40"]), ("Overtime", ["5", "1"]), ("Double overtime", ["2", "1"])]
                .iter()
                .flat_map(|(name, parts)| by_start(name, parts))
                .collect();
        let lines = json!({ "hourly_compensations": lines });
        let [divided, by_week] = both_ways(&company, &payroll, &location, [parts, lines]).await;
        // 80 x 20.00 + 6 x 30.00 + 3 x 40.00
        assert_eq!(divided.0, "1900.00");
        assert_eq!(divided, by_week);
    });
}

#[test]
fn a_bonus_divided_by_workweek_counts_towards_the_regular_rate_of_each() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let hours = |bonus: Value| {
            json!({ "hourly_compensations": [hours_of("Regular Hours", "80", &["40", "40"]), hours_of("Overtime", "10", &["10", "0"])],
                    "fixed_compensations": [bonus] })
        };
        let parts = divided("Bonus", "amount", "150.00", &["100.00", "50.00"]);
        let plain = json!({ "name": "Bonus", "amount": "100.00", "earned_from": "2026-06-01", "earned_to": "2026-06-07" });
        let told = both_ways(&company, &payroll, &location, [hours(parts), hours(plain)]).await;
        // The premium of ten hours at half of (50 x 20.00 + 100.00) / 50 = 22.00; the second week has no overtime.
        // 90 x 20.00 + 10 x 11.00 + 150.00
        assert_eq!(told[0].0, "2060.00");
        assert_eq!(told[1].0, "2010.00");
        assert_eq!(told[0].1, told[1].1);
    });
}

#[test]
fn a_prepared_payroll_lists_its_workweeks_and_parts_come_back_as_they_were_sent() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let what = json!({ "hourly_compensations": [hours_of("Regular Hours", "80", &["60", "20"])],
                           "fixed_compensations": [divided("Commission", "amount", "30.00", &["0", "30.00"])] });
        enter(&company, &payroll, &ana, what).await.ok();
        company.calculate(&payroll).await;
        let regular = |told: &Value| line(&of(told, &ana)["hourly_compensations"], "Regular Hours").clone();
        assert_eq!(regular(&read(&company, &payroll, "").await)["breakdowns"].as_array().unwrap().len(), 2);

        let told = company.put(path(&payroll, "/prepare"), json!({ "employee_uuids": [ana] })).await.ok();
        let weeks: Vec<_> = WEEKS.map(|(start, end)| json!({ "start_date": start, "end_date": end })).into();
        assert_eq!(told["workweeks"], json!(weeks));
        let part = |week: usize, key: &str, part: &str| json!({ "start_date": WEEKS[week].0, "end_date": WEEKS[week].1, key: part });
        assert_eq!(
            regular(&told)["breakdowns"],
            json!([part(0, "hours", "60.000"), part(1, "hours", "20.000")])
        );
        let commission = line(&of(&told, &ana)["fixed_compensations"], "Commission").clone();
        assert_eq!(
            (&commission["amount"], &commission["breakdowns"]),
            (&json!("30.00"), &json!([part(0, "amount", "0.00"), part(1, "amount", "30.00")]))
        );
        assert_eq!(commission.get("earned_from"), None);

        // What was read, and the sums alone, change nothing.
        let version = of(&told, &ana)["version"].clone();
        let sums = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "80" }],
                           "fixed_compensations": [{ "name": "Commission", "amount": "30.00" }] });
        let whole = json!({ "hourly_compensations": of(&told, &ana)["hourly_compensations"],
                            "fixed_compensations": of(&told, &ana)["fixed_compensations"] });
        for same in [whole, sums] {
            let sent = enter(&company, &payroll, &ana, same).await.ok();
            assert_eq!(of(&sent, &ana)["version"], version);
            assert_eq!(regular(&sent)["breakdowns"].as_array().unwrap().len(), 2);
        }
        // With no parts the division ends.
        let alone = hours_of("Regular Hours", "80", &[]);
        let sent = enter(&company, &payroll, &ana, json!({ "hourly_compensations": [alone] })).await.ok();
        assert_eq!((&regular(&sent)["hours"], regular(&sent).get("breakdowns")), (&json!("80.000"), None));
        let none = json!({ "fixed_compensations": [{ "name": "Commission", "amount": "30.00", "breakdowns": null }] });
        let sent = enter(&company, &payroll, &ana, none).await.ok();
        let commission = line(&of(&sent, &ana)["fixed_compensations"], "Commission");
        assert_eq!((&commission["amount"], commission.get("breakdowns")), (&json!("30.00"), None));
        // Other parts replace all of them, and another sum ends the division.
        let other = json!({ "hourly_compensations": [hours_of("Regular Hours", "44", &["44"])] });
        let sent = enter(&company, &payroll, &ana, other).await.ok();
        assert_eq!(
            regular(&sent)["breakdowns"],
            json!([part(0, "hours", "44.000"), part(1, "hours", "0.000")])
        );
        let other = json!({ "hourly_compensations": [{ "name": "Regular Hours", "hours": "70" }],
                            "fixed_compensations": [{ "name": "Commission", "amount": "31.00" }] });
        let sent = enter(&company, &payroll, &ana, other).await.ok();
        assert_eq!((&regular(&sent)["hours"], regular(&sent).get("breakdowns")), (&json!("70.000"), None));
        let commission = line(&of(&sent, &ana)["fixed_compensations"], "Commission");
        assert_eq!((&commission["amount"], commission.get("breakdowns")), (&json!("31.00"), None));
    });
}

#[test]
fn hours_by_day_are_told_by_workweek_too() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let day =
            |day: u32| json!({ "name": "Regular Hours", "hours": "8", "date": format!("2026-06-{day:02}") });
        let days: Vec<_> = [1, 2, 3, 8, 9].map(day).into();
        let sent = enter(&company, &payroll, &ana, json!({ "hourly_compensations": days })).await.ok();
        let regular = line(&of(&sent, &ana)["hourly_compensations"], "Regular Hours").clone();
        let hours: Vec<_> =
            regular["breakdowns"].as_array().unwrap().iter().map(|part| &part["hours"]).collect();
        assert_eq!(hours, ["24.000", "16.000"]);
        // Sent back as they are told, the days stay.
        let again = enter(&company, &payroll, &ana, json!({ "hourly_compensations": [regular] })).await.ok();
        assert_eq!(of(&again, &ana)["version"], of(&sent, &ana)["version"]);
        assert_eq!(
            line(&of(&again, &ana)["hourly_compensations"], "Regular Hours")["entries"]
                .as_array()
                .unwrap()
                .len(),
            5
        );
        // Once overtime was made of them, they would not add up to the hours of the line.
        let long: Vec<_> = (1..6)
            .map(|of| json!({ "name": "Regular Hours", "hours": "9", "date": format!("2026-06-{of:02}") }))
            .collect();
        enter(&company, &payroll, &ana, json!({ "hourly_compensations": long })).await.ok();
        let told = company.calculate(&payroll).await;
        let regular = line(&of(&told, &ana)["hourly_compensations"], "Regular Hours");
        assert_eq!(regular.get("breakdowns"), None, "{regular}");
    });
}

#[test]
fn parts_that_do_not_fit_are_refused_with_the_reason() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let with = |mut line: Value, key: &str, value: Value| {
            line[key] = value;
            line
        };
        let parts = |start: &str, end: &str| json!([{ "start_date": start, "end_date": end, "hours": "40" }]);
        let regular = |parts: Value| json!({ "name": "Regular Hours", "hours": "40", "breakdowns": parts });
        let bonus = divided("Bonus", "amount", "30.00", &["10.00", "20.00"]);
        let cases = [
            ("hourly_compensations", hours_of("Regular Hours", "81", &["60", "20"]), "hours"),
            ("hourly_compensations", regular(parts("2026-06-15", "2026-06-21")), "start_date"),
            ("hourly_compensations", regular(parts("2026-06-01", "2026-06-08")), "end_date"),
            ("hourly_compensations", regular(parts("2026-06-01", "soon")), "end_date"),
            (
                "hourly_compensations",
                regular(json!([{ "start_date": "2026-06-01", "end_date": "2026-06-07" }])),
                "hours",
            ),
            (
                "hourly_compensations",
                with(hours_of("Regular Hours", "20", &["10", "10"]), "date", "2026-06-02".into()),
                "breakdowns",
            ),
            ("fixed_compensations", with(bonus.clone(), "amount", "31.00".into()), "amount"),
            (
                "fixed_compensations",
                with(
                    with(bonus.clone(), "earned_from", "2026-06-01".into()),
                    "earned_to",
                    "2026-06-07".into(),
                ),
                "earned_from",
            ),
            ("fixed_compensations", with(bonus, "name", "Paycheck Tips".into()), "discretionary"),
        ];
        for (list, line, key) in cases {
            let refused = enter(&company, &payroll, &ana, json!({ list: [line] })).await.refused(422);
            assert_eq!(inner_keys(&refused), [key], "{line}");
        }
        let twice = json!([{ "start_date": "2026-06-01", "end_date": "2026-06-07", "hours": "20" },
                           { "start_date": "2026-06-03", "end_date": "2026-06-07", "hours": "20" }]);
        let refused = enter(&company, &payroll, &ana, json!({ "hourly_compensations": [regular(twice)] }))
            .await
            .refused(422);
        assert!(inner_keys(&refused).contains(&"breakdowns"), "{:?}", refused.0);
        let told = read(&company, &payroll, "").await;
        assert_eq!(
            line(&of(&told, &ana)["hourly_compensations"], "Regular Hours")["hours"],
            "0.000",
            "nothing was entered"
        );
    });
}

#[test]
fn workweeks_begin_on_the_day_of_the_pay_schedule() {
    on_both_engines(async |engine: Engine| {
        let (company, location, payroll) = company(engine).await;
        let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
        let schedule = company.get("/v1/companies/{company}/pay_schedules").await.list().remove(0);
        assert_eq!(schedule["workweek_start_day"], Value::Null);
        let at = format!("/v1/companies/{{company}}/pay_schedules/{}", id_of(&schedule));
        let set = async |day: Value| {
            let version = company.get(&at).await.ok()["version"].clone();
            company.put(&at, json!({ "version": version, "workweek_start_day": day })).await
        };
        // The company's own setting gives way to that of the schedule.
        let settings = json!({ "workweek_first_day": "Friday" });
        company.put("/v1/companies/{company}/payroll_settings", settings).await.ok();
        assert_eq!(set("Thursday".into()).await.ok()["workweek_start_day"], "Thursday");
        let weeks = async || {
            let told = company.put(path(&payroll, "/prepare"), json!({ "employee_uuids": [ana] })).await.ok();
            let weeks = told["workweeks"].as_array().unwrap().iter();
            weeks
                .map(|week| format!("{} {}", text(week, "start_date"), text(week, "end_date")))
                .collect::<Vec<_>>()
        };
        let from_thursday = ["2026-05-28 2026-06-03", "2026-06-04 2026-06-10", "2026-06-11 2026-06-17"];
        assert_eq!(weeks().await, from_thursday);
        let day = |day: u32, hours: &str| json!({ "name": "Regular Hours", "hours": hours, "date": format!("2026-06-{day:02}") });
        // Nine days in a row: by weeks from Thursday 1 to 3 June are a week of their own.
        let days: Vec<_> = (1..10).map(|of| day(of, "8")).collect();
        enter(&company, &payroll, &ana, json!({ "hourly_compensations": days })).await.ok();
        let told = company.calculate(&payroll).await;
        let overtime =
            |told: &Value| line(&of(told, &ana)["hourly_compensations"], "Overtime")["hours"].clone();
        assert_eq!(overtime(&told), "8.000", "48 hours from Thursday 4 to Tuesday 9 June");
        assert_eq!(set(Value::Null).await.ok()["workweek_start_day"], Value::Null);
        assert_eq!(weeks().await[0], "2026-05-29 2026-06-04", "Friday, as the company says");
        assert_eq!(overtime(&company.calculate(&payroll).await), "0.000", "32 and 40 hours");

        // With another frequency it has no meaning, and goes.
        set("Monday".into()).await.ok();
        let version = company.get(&at).await.ok()["version"].clone();
        let monthly = json!({ "version": version, "frequency": "Monthly", "anchor_pay_date": "2026-07-31",
                              "anchor_end_of_pay_period": "2026-07-31", "day_1": 31 });
        assert_eq!(company.put(&at, monthly).await.ok()["workweek_start_day"], Value::Null);

        let refused = set("Someday".into()).await.refused(422);
        assert_eq!(refused.keys(), ["workweek_start_day"]);
        let monthly = json!({ "frequency": "Monthly", "anchor_pay_date": "2026-07-31", "day_1": 31,
                              "anchor_end_of_pay_period": "2026-07-31", "workweek_start_day": "Sunday" });
        let refused = company.post("/v1/companies/{company}/pay_schedules", monthly).await.refused(422);
        assert_eq!(refused.keys(), ["workweek_start_day"]);
    });
}

#[test]
fn the_category_of_an_earning_type_says_whether_it_is_part_of_overtime_pay() {
    on_both_engines(async |engine: Engine| {
        let (company, _, _) = company(engine).await;
        let at = "/v1/companies/{company}/earning_types";
        let cases = [
            (json!({ "name": "A", "category": "Commission" }), ("Commission", true)),
            (json!({ "name": "B", "category": "DiscretionaryBonus" }), ("DiscretionaryBonus", false)),
            (
                json!({ "name": "C", "category": "ServiceCharges", "included_in_overtime_pay": true }),
                ("ServiceCharges", true),
            ),
            (json!({ "name": "D", "category": "OnCallPay" }), ("OnCallPay", true)),
            (json!({ "name": "E", "category": "Other" }), ("Other", true)),
            (
                json!({ "name": "F", "category": "Other", "included_in_overtime_pay": false }),
                ("Other", false),
            ),
            (json!({ "name": "G", "counts_in_regular_rate": false }), ("Other", false)),
            (json!({ "name": "H" }), ("Other", true)),
        ];
        for (body, (category, counts)) in cases {
            let made = company.post(at, body.clone()).await.created();
            let told =
                (&made["category"], &made["included_in_overtime_pay"], &made["counts_in_regular_rate"]);
            assert_eq!(told, (&json!(category), &json!(counts), &json!(counts)), "{body}");
        }
        let wrong = [
            (json!({ "name": "I", "category": "Nonsense" }), "category"),
            (
                json!({ "name": "I", "category": "Commission", "included_in_overtime_pay": false }),
                "included_in_overtime_pay",
            ),
            (
                json!({ "name": "I", "category": "DiscretionaryBonus", "counts_in_regular_rate": true }),
                "counts_in_regular_rate",
            ),
            (
                json!({ "name": "I", "included_in_overtime_pay": true, "counts_in_regular_rate": false }),
                "counts_in_regular_rate",
            ),
        ];
        for (body, key) in wrong {
            assert_eq!(company.post(at, body.clone()).await.refused(422).keys(), [key], "{body}");
        }
        // It stays as it was made.
        let all = company.get(at).await.ok();
        let of = |name: &str| {
            all["custom"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone()
        };
        let change =
            async |name: &str, body: Value| company.put(format!("{at}/{}", id_of(&of(name))), body).await;
        let refused = change("B", json!({ "counts_in_regular_rate": true })).await.refused(422);
        assert_eq!(refused.keys(), ["counts_in_regular_rate"]);
        let kept = change("B", json!({ "name": "Spot bonus", "category": "Commission" })).await.ok();
        assert_eq!((&kept["category"], &kept["name"]), (&json!("DiscretionaryBonus"), &json!("Spot bonus")));
        assert_eq!(
            change("F", json!({ "counts_in_regular_rate": true })).await.ok()["included_in_overtime_pay"],
            true
        );
    });
}
