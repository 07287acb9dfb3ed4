//! kill -9 while a payroll of four thousand people is calculated, at moments spread over it: what is told afterwards is
//! whole, and the service that starts next ends the calculation with the same sums.

use std::time::Duration;

use serde_json::Value;

use crate::binary::Running;
use crate::world::{Home, call, until};

#[test]
fn a_payroll_whose_calculation_was_killed_is_whole_and_is_calculated_after_the_restart() {
    let kills: u64 = if crate::long() { 60 } else { 8 };
    let home = Home::new();
    let mut service = home.start();
    home.crowd(&service, 4_000);
    let bearer = format!("Bearer {}", service.token());
    let list = format!("/v1/companies/{}/payrolls", service.company());
    let open = call(&service, &bearer, "GET", &format!("{list}?processing_statuses=unprocessed"), "");
    let path = format!("{list}/{}", open[0]["uuid"].as_str().unwrap());
    let read =
        |service: &Running| call(service, &bearer, "GET", &format!("{path}?include=totals&per=100"), "");
    let status = |told: &Value| told["processing_request"]["status"].as_str().unwrap_or_default().to_owned();
    let (mut sums, mut interrupted) = (None, 0);
    for round in 0..kills {
        call(&service, &bearer, "PUT", &format!("{path}/calculate"), "{}");
        std::thread::sleep(Duration::from_millis(10 + round * 83 % 500));
        service.kill_hard();
        service = home.start();
        let told = read(&service);
        let people = told["employee_compensations"].as_array().unwrap();
        match status(&told).as_str() {
            "calculating" => {
                interrupted += 1;
                assert!(people.iter().all(|one| one["gross_pay"].is_null()), "a half of it was told");
            }
            "calculate_success" => assert!(people.iter().all(|one| !one["gross_pay"].is_null())),
            other => panic!("the payroll is {other}: {told}"),
        }
        until("the payroll was calculated", || status(&read(&service)) == "calculate_success");
        let totals = read(&service)["totals"].clone();
        assert_eq!(*sums.get_or_insert_with(|| totals.clone()), totals, "other sums after kill {round}");
    }
    println!("{kills} kills, {interrupted} of them before the calculation had ended");
    assert!(interrupted > 0, "no calculation was interrupted");
}
