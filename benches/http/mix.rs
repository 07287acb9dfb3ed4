//! Employees to whom as much belongs as in a company that has run for a year: of each twenty, all have a job, twelve time off, two an
//! order of child support, two a second job; one leaves next month, and one leaves and has agreed to come back.

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use store::Clock;

use crate::Outcome;
use crate::load::Connection;
use crate::world::{EMPLOYEES, employee, post};

/// Employees of one pattern.
const PATTERN: u64 = 20;

/// The place of an employee in the pattern.
const fn place(number: u64) -> u64 {
    number % PATTERN
}

/// A company, and how it is asked.
pub struct Hiring<'h> {
    pub connection: &'h mut Connection,
    pub company: &'h str,
    pub token: &'h str,
}

impl Hiring<'_> {
    /// Hires as many as there are without anything; their identifiers.
    pub async fn hire_mix(&mut self) -> Outcome<Vec<String>> {
        let company = format!("/v1/companies/{}", self.company);
        let site = json!({ "street_1": "312 Pecan Bend", "city": "San Antonio", "state": "TX", "zip": "78205",
                           "phone_number": "2105550142" });
        let location = self.made(&format!("{company}/locations"), &site).await?;
        let vacation = json!({ "name": "Vacation of the mix", "policy_type": "vacation", "accrual_method": "per_hour_worked",
                               "accrual_rate": "1", "accrual_rate_unit": "30", "complete": true });
        let vacation = self.made(&format!("{company}/time_off_policies"), &vacation).await?;
        let mut hired = Vec::new();
        for number in 0..EMPLOYEES {
            let one = self.hire(number, &location).await?;
            if place(number) < 12 {
                let joins = json!({ "employees": [{ "uuid": one, "balance": "12" }] });
                self.ask("PUT", &format!("/v1/time_off_policies/{vacation}/add_employees"), &joins).await?;
            }
            hired.push(one);
        }
        Ok(hired)
    }

    async fn hire(&mut self, number: u64, location: &str) -> Outcome<String> {
        let of_company = format!("/v1/companies/{}/employees", self.company);
        let body = serde_json::from_str(&employee(EMPLOYEES + number)).map_err(|error| error.to_string())?;
        let id = self.made(&of_company, &body).await?;
        let person = format!("/v1/employees/{id}");
        let job = self.ask("POST", &format!("{person}/jobs"), &job_as("Line Cook")).await?;
        if matches!(place(number), 2 | 12) {
            let order = json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "10",
                                "deduct_as_percentage": true, "pay_period_maximum": "100",
                                "child_support": { "state": "AL", "payment_period": "Monthly", "fips_code": "01000",
                                                   "case_number": format!("AL-{number}") } });
            self.ask("POST", &format!("{person}/garnishments"), &order).await?;
        }
        if matches!(place(number), 3 | 13) {
            self.ask("POST", &format!("{person}/jobs"), &job_as("Host")).await?;
        }
        if matches!(place(number), 4 | 14) {
            self.onboard(&person, &job, location).await?;
            let last = json!({ "effective_date": in_days(30), "run_termination_payroll": false });
            self.ask("POST", &format!("{person}/terminations"), &last).await?;
        }
        if place(number) == 14 {
            let back = json!({ "effective_date": in_days(90), "file_new_hire_report": true, "work_location_uuid": location,
                               "employment_status": "full_time", "two_percent_shareholder": false });
            self.ask("POST", &format!("{person}/rehire"), &back).await?;
        }
        Ok(id)
    }

    /// Takes somebody through onboarding, without which nobody can leave.
    async fn onboard(&mut self, person: &str, job: &Value, location: &str) -> Outcome<()> {
        let works = json!({ "location_uuid": location });
        self.ask("POST", &format!("{person}/work_addresses"), &works).await?;
        let home =
            json!({ "street_1": "19 Willow Court", "city": "San Antonio", "state": "TX", "zip": "78209" });
        self.ask("POST", &format!("{person}/home_addresses"), &home).await?;
        let pay = &job["compensations"][0];
        let terms_id = pay["uuid"].as_str().ok_or_else(|| format!("a job without pay: {job}"))?;
        let path = format!("/v1/compensations/{terms_id}");
        let terms = json!({ "version": pay["version"], "rate": "18.50", "payment_unit": "Hour", "flsa_status": "Nonexempt" });
        self.ask("PUT", &path, &terms).await?;
        let path = format!("{person}/onboarding_status");
        let steps = self.ask("GET", &path, &Value::Null).await?;
        let open = steps["onboarding_steps"].as_array().into_iter().flatten();
        let open = open.filter(|step| step["completed"] == false && step["id"] != "admin_review");
        let marks: Vec<_> = open.map(|step| json!({ "id": step["id"], "completed": true })).collect();
        let done = json!({ "onboarding_steps": marks, "onboarding_status": "onboarding_completed" });
        self.ask("PUT", &path, &done).await.map(drop)
    }

    /// The identifier of what a request makes.
    async fn made(&mut self, path: &str, body: &Value) -> Outcome<String> {
        let made = self.ask("POST", path, body).await?;
        made["uuid"].as_str().map(str::to_owned).ok_or_else(|| format!("POST {path} made nothing: {made}"))
    }

    async fn ask(&mut self, method: &str, path: &str, body: &Value) -> Outcome<Value> {
        let mut request = Vec::new();
        let head = format!("HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n", self.token);
        match method {
            "GET" => request.extend_from_slice(format!("GET {path} {head}\r\n").as_bytes()),
            _ => post(&mut request, (method, path), &head, &body.to_string()),
        }
        let (status, answer) = self.connection.exchange(&request).await?;
        match status {
            200..300 if answer.is_empty() => Ok(Value::Null),
            200..300 => serde_json::from_slice(answer).map_err(|error| format!("{method} {path}: {error}")),
            _ => Err(format!("{method} {path} was answered {status}: {}", String::from_utf8_lossy(answer))),
        }
    }
}

fn job_as(title: &str) -> Value {
    json!({ "title": title, "hire_date": "2026-01-05" })
}

/// A day from today on by the machine's clock, which the service goes by.
fn in_days(days: i64) -> Date {
    Clock::wall_time().to_zoned(TimeZone::UTC).date().saturating_add(days.days())
}
