//! Whatever is decided about schedules, and in whatever order: each day of everybody is in one payroll.

use jiff::ToSpan;
use serde_json::{Value, json};

use super::{DEPARTMENTS, Two, two};
use crate::dice::Dice;
use crate::support::{Engine, id_of, on_both_engines, text};

/// What a company with two schedules more has: people with their jobs, and a department.
struct Staff {
    people: Vec<(String, String)>,
    schedules: Vec<String>,
    department: String,
}

/// One of the things that a company does: decides about schedules, changes what decides about them, or runs its next payroll.
async fn act(two: &Two, dice: &mut Dice, staff: &Staff) {
    let default = dice.of(&staff.schedules).clone();
    let (somebody, job) = dice.of(&staff.people).clone();
    match dice.below(10) {
        0 => two.assign(json!({ "type": "single", "default_pay_schedule_uuid": default })).await,
        1 => two.assign(two.by_pay()).await,
        2 => {
            let chosen = json!([{ "department_uuid": staff.department, "pay_schedule_uuid": dice.of(&staff.schedules) }]);
            let body = json!({ "type": "by_department", "default_pay_schedule_uuid": default, "departments": chosen });
            two.assign(body).await;
        }
        3 | 4 => {
            let mut list = Vec::new();
            for (id, _) in &staff.people {
                let chosen = json!({ "employee_uuid": id, "pay_schedule_uuid": dice.of(&staff.schedules) });
                list.extend(dice.percent(60).then_some(chosen));
            }
            let body =
                json!({ "type": "by_employee", "default_pay_schedule_uuid": default, "employees": list });
            two.assign(body.clone()).await;
            assert_eq!(two.preview(body).await, [] as [Value; 0], "what was assigned is in force");
        }
        5 => {
            let path = format!("/v1/departments/{}", staff.department);
            let version = two.company.get(&path).await.ok()["version"].clone();
            let body = json!({ "version": version, "employees": [{ "uuid": somebody }] });
            let what = *dice.of(&["add", "remove"]);
            two.company.put(format!("{path}/{what}"), body).await.ok();
        }
        6 => {
            // Of this day or a later one; one of the same day as another is refused.
            let day = two.company.world.now() + (dice.between(0, 20) * 24).hours();
            let (rate, unit, flsa) =
                *dice.of(&[("20.00", "Hour", "Nonexempt"), ("52000.00", "Year", "Exempt")]);
            let pay = json!({ "rate": rate, "payment_unit": unit, "flsa_status": flsa,
                              "effective_date": day.to_string()[..10] });
            let answer = two.company.post(format!("/v1/jobs/{job}/compensations"), pay).await;
            assert!([201, 422].contains(&answer.status.as_u16()), "{answer:?}");
        }
        _ => {
            let open =
                "/v1/companies/{company}/payrolls?processing_statuses=unprocessed&include_off_cycle=true";
            let open = two.company.get(open).await.list();
            if let Some(first) = open.first() {
                let payroll = text(first, "payroll_uuid");
                two.company.calculate(&payroll).await;
                two.company.submit(&payroll).await;
            }
        }
    }
}

#[test]
fn whatever_is_assigned_in_whatever_order_each_day_of_everybody_is_in_one_payroll() {
    on_both_engines(async |engine: Engine| {
        for seed in [360, 361, 362] {
            let two = two(engine).await;
            let halves = json!({ "frequency": "Twice per month", "anchor_pay_date": "2026-06-15",
                                 "anchor_end_of_pay_period": "2026-06-15", "day_1": 15, "day_2": 31 });
            let halves = two.company.post("/v1/companies/{company}/pay_schedules", halves).await.created();
            let department = two.company.post(DEPARTMENTS, json!({ "title": "Office" })).await.created();
            let schedules = vec![two.weeks.clone(), two.months.clone(), id_of(&halves)];
            let mut staff = Staff { people: Vec::new(), schedules, department: id_of(&department) };
            for name in ["Ana", "Ben", "Max"] {
                let (id, job) =
                    two.company.onboarded(name, &two.location, ("52000.00", "Year", "Exempt")).await;
                staff.people.push((id, id_of(&job)));
            }
            two.run_first().await;
            let mut dice = Dice::new(seed, "assignments");
            // Two months at most, so that all is within what pay periods are listed of.
            for _ in 0..10 {
                act(&two, &mut dice, &staff).await;
                two.company.world.wait((dice.between(1, 6) * 24).hours()).await;
            }
            // What is planned ahead is in payrolls once it has begun.
            two.company.world.wait((45 * 24).hours()).await;
            let today = two.company.world.now().to_string()[..10].to_owned();
            for (employee, _) in &staff.people {
                let paid = two.paid(employee).await;
                assert_eq!(paid[0].0, "2026-06-01", "{paid:?}");
                assert!(
                    paid.iter().any(|(start, end)| *start <= today && *end >= today),
                    "{today}: {paid:?}"
                );
            }
        }
    });
}
