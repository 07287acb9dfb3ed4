//! People to employ, and the errands that employing them takes.

use domain::pay::payrolls::closing::processing;
use domain::pay::payrolls::run::calculation;
use serde_json::{Value, json};

use super::Company;
use crate::crowd;

/// The address of a location.
pub fn place(state: &str) -> Value {
    let (street, city, zip) = match state {
        "TX" => ("312 Pecan Bend", "San Antonio", "78205"),
        "NY" => ("88 Wythe Corner", "Brooklyn", "11201"),
        "CA" => ("1450 Larkspur Street", "San Francisco", "94103"),
        "SC" => ("17 Palmetto Row", "Charleston", "29401"),
        "MD" => ("5 Harbor Way", "Baltimore", "21202"),
        "IL" => ("410 Juniper Street", "Chicago", "60601"),
        "HI" => ("9 Ulu Niu Place", "Honolulu", "96813"),
        "CO" => ("1500 Tamarack Street", "Denver", "80202"),
        "OH" => ("65 Buckeye Walk", "Columbus", "43215"),
        "NJ" => ("7 Ferry Landing", "Newark", "07102"),
        "CT" => ("2 Elm Crossing", "Stamford", "06901"),
        "NH" => ("8 Granite Street", "Concord", "03301"),
        "WV" => ("31 Kanawha Terrace", "Charleston", "25301"),
        "TN" => ("1204 Dogwood Avenue", "Nashville", "37203"),
        "PA" => ("30 Foundry Row", "Pittsburgh", "15222"),
        "NM" => ("44 Pinon Trail", "Santa Fe", "87501"),
        "MI" => ("210 Foundry Street", "Detroit", "48226"),
        "IN" => ("500 Speedway Lane", "Indianapolis", "46204"),
        "MA" => ("61 Harbor Row", "Boston", "02110"),
        "WA" => ("19 Cedar Steps", "Spokane", "99201"),
        "MN" => ("3 Lakeside Walk", "Minneapolis", "55401"),
        "KY" => ("77 Bluegrass Lane", "Louisville", "40202"),
        "FL" => ("12 Mangrove Way", "Tampa", "33602"),
        "ND" => ("17 Prairie Lane", "Fargo", "58102"),
        "NE" => ("90 Sandhill Lane", "Omaha", "68102"),
        "OR" => ("2 Rose Row", "Portland", "97201"),
        "AZ" => ("240 Saguaro Street", "Phoenix", "85003"),
        other => panic!("nobody works in {other} yet"),
    };
    json!({ "street_1": street, "city": city, "state": state, "zip": zip, "phone_number": "2105550142" })
}

/// Where an employee lives.
pub fn home() -> Value {
    json!({ "street_1": "19 Willow Court", "city": "San Antonio", "state": "TX", "zip": "78209" })
}

/// The text at a field, which must be there.
#[track_caller]
pub fn text(record: &Value, field: &str) -> String {
    record[field].as_str().unwrap_or_else(|| panic!("no {field} in {record}")).to_owned()
}

/// The identifier of a record.
#[track_caller]
pub fn id_of(record: &Value) -> String {
    text(record, "uuid")
}

/// An employee with everything that an invitation takes; the records as they were made.
pub struct Hired {
    /// the employee's uuid
    pub id: String,
    pub location: String,
    pub work_address: String,
    pub job: String,
    pub compensation: String,
}

impl Company {
    /// A location; the company's first one becomes its filing address.
    pub async fn location(&self, state: &str) -> Value {
        self.post("/v1/companies/{company}/locations", place(state)).await.created()
    }

    /// An employee whose data the employer enters.
    pub async fn employee(&self, first_name: &str) -> Value {
        let body = json!({ "first_name": first_name, "last_name": "Alvarez" });
        self.post("/v1/companies/{company}/employees", body).await.created()
    }

    /// An employee marked for self-onboarding.
    pub async fn self_onboarding_employee(&self, first_name: &str) -> Value {
        let email = format!("{}@people.example", first_name.to_lowercase());
        let body = json!({ "first_name": first_name, "last_name": "Okafor", "email": email, "self_onboarding": true });
        self.post("/v1/companies/{company}/employees", body).await.created()
    }

    /// An employee, a citizen, who has signed section 1 of Form I-9.
    pub async fn signed_i9(&self, first_name: &str) -> String {
        let employee = id_of(&self.employee(first_name).await);
        let path = format!("/v1/employees/{employee}");
        self.put(format!("{path}/onboarding_documents_config"), json!({ "i9_document": true })).await.ok();
        let citizen = json!({ "authorization_status": "citizen" });
        self.put(format!("{path}/i9_authorization"), citizen).await.ok();
        let forms = self.get(format!("{path}/forms")).await.list();
        let form = id_of(forms.iter().find(|form| form["name"] == "US_I-9").unwrap());
        let signed =
            json!({ "signature_text": first_name, "agree": true, "signed_by_ip_address": "203.0.113.7" });
        self.put(format!("{path}/forms/{form}/sign"), signed).await.ok();
        employee
    }

    pub async fn job(&self, employee: &str, title: &str, hire_date: &str) -> Value {
        let body = json!({ "title": title, "hire_date": hire_date });
        self.post(format!("/v1/employees/{employee}/jobs"), body).await.created()
    }

    /// Fills in the empty compensation of a new job.
    pub async fn pay(&self, job: &Value, rate: &str, unit: &str, flsa: &str) -> Value {
        let empty = &job["compensations"][0];
        let body =
            json!({ "version": empty["version"], "rate": rate, "payment_unit": unit, "flsa_status": flsa });
        self.put(format!("/v1/compensations/{}", id_of(empty)), body).await.ok()
    }

    pub async fn work_address(&self, employee: &str, location: &str) -> Value {
        let body = json!({ "location_uuid": location });
        self.post(format!("/v1/employees/{employee}/work_addresses"), body).await.created()
    }

    pub async fn home_address(&self, employee: &str) -> Value {
        self.post(format!("/v1/employees/{employee}/home_addresses"), home()).await.created()
    }

    /// An employee marked for self-onboarding, with a job, pay and a place of work, who starts on `hire_date`.
    pub async fn hire(&self, first_name: &str, hire_date: &str) -> Hired {
        let location = text(&self.location("TX").await, "uuid");
        let id = id_of(&self.self_onboarding_employee(first_name).await);
        let job = self.job(&id, "Cook", hire_date).await;
        let pay = self.pay(&job, "18.50", "Hour", "Nonexempt").await;
        let work = self.work_address(&id, &location).await;
        Hired { id, location, work_address: id_of(&work), job: id_of(&job), compensation: id_of(&pay) }
    }

    /// Somebody who has been onboarded and works at a location since 1 March 2026: employee and job.
    pub async fn onboarded(
        &self,
        first_name: &str,
        location: &str,
        pay: (&str, &str, &str),
    ) -> (String, Value) {
        let body = json!({ "first_name": first_name, "last_name": "Silva", "email": "silva@people.example",
                           "date_of_birth": "1988-08-08", "ssn": "412552001" });
        let id = id_of(&self.post("/v1/companies/{company}/employees", body).await.created());
        self.work_address(&id, location).await;
        self.home_address(&id).await;
        let job = self.job(&id, "Cook", "2026-03-01").await;
        self.pay(&job, pay.0, pay.1, pay.2).await;
        let steps = self.get(format!("/v1/employees/{id}/onboarding_status")).await.ok();
        let open = steps["onboarding_steps"].as_array().unwrap().iter();
        let open = open.filter(|step| step["completed"] == false && step["id"] != "admin_review");
        let marks: Vec<_> = open.map(|step| json!({ "id": step["id"], "completed": true })).collect();
        let done = json!({ "onboarding_steps": marks, "onboarding_status": "onboarding_completed" });
        self.put(format!("/v1/employees/{id}/onboarding_status"), done).await.ok();
        (id, job)
    }

    /// Many people with salaries who have been onboarded, put into the store at once.
    pub async fn crowd(&self, location: &str, count: usize) {
        let (company, location) = (self.id, location.parse().unwrap());
        let made = self.world.app.store.write(move |tx| {
            (0..i64::try_from(count).unwrap())
                .try_for_each(|number| crowd::member(tx, company, location, number))
        });
        made.await.unwrap_or_else(|error| panic!("{error:?}"));
    }

    /// Does in the background what is due.
    pub async fn work(&self) {
        self.world.wait(jiff::Span::new()).await;
    }

    /// A payroll outside the schedule for somebody, from 1 to 14 June 2026.
    pub async fn off_cycle(&self, employees: &[&str]) -> String {
        let body = json!({ "off_cycle": true, "off_cycle_reason": "Bonus", "start_date": "2026-06-01",
                           "end_date": "2026-06-14", "employee_uuids": employees });
        id_of(&self.post("/v1/companies/{company}/payrolls", body).await.ok())
    }

    /// Calculates a payroll and waits for it.
    pub async fn calculate(&self, payroll: &str) -> Value {
        self.put(format!("/v1/companies/{{company}}/payrolls/{payroll}/calculate"), json!({})).await.is(202);
        // Nothing else that is due in a world that others share is done on the way.
        let done =
            calculation::calculate_payroll(&self.world.app.store, self.id, payroll.parse().unwrap()).await;
        done.unwrap_or_else(|error| panic!("{error:?}"));
        let told = self.get(format!("/v1/companies/{{company}}/payrolls/{payroll}")).await.ok();
        assert_eq!(told["processing_request"]["status"], "calculate_success", "{told}");
        told
    }

    /// Submits a payroll and waits for it.
    pub async fn submit(&self, payroll: &str) -> Value {
        self.put(format!("/v1/companies/{{company}}/payrolls/{payroll}/submit"), json!({})).await.is(202);
        let done =
            processing::process_payroll(&self.world.app.store, self.id, payroll.parse().unwrap()).await;
        done.unwrap_or_else(|error| panic!("{error:?}"));
        let told = self.get(format!("/v1/companies/{{company}}/payrolls/{payroll}")).await.ok();
        assert_eq!(told["processing_request"]["status"], "submit_success", "{told}");
        told
    }

    /// The record as it is now.
    pub async fn read(&self, kind: &str, id: &str) -> Value {
        self.get(format!("/v1/{kind}/{id}")).await.ok()
    }

    /// Where onboarding stands.
    pub async fn status(&self, employee: &str) -> String {
        let told = self.get(format!("/v1/employees/{employee}/onboarding_status")).await.ok();
        text(&told, "onboarding_status")
    }

    /// Asks for another status.
    pub async fn ask_for(&self, employee: &str, status: &str) -> super::Answer {
        let body = json!({ "onboarding_status": status });
        self.put(format!("/v1/employees/{employee}/onboarding_status"), body).await
    }

    /// Marks steps as completed.
    pub async fn mark(&self, employee: &str, steps: &[&str]) -> super::Answer {
        let marks: Vec<_> = steps.iter().map(|id| json!({ "id": id, "completed": true })).collect();
        let body = json!({ "onboarding_steps": marks });
        self.put(format!("/v1/employees/{employee}/onboarding_status"), body).await
    }

    /// Marks steps as completed, and asks for a status, at once.
    pub async fn mark_and_ask_for(&self, employee: &str, steps: &[&str], status: &str) -> super::Answer {
        let marks: Vec<_> = steps.iter().map(|id| json!({ "id": id, "completed": true })).collect();
        let body = json!({ "onboarding_steps": marks, "onboarding_status": status });
        self.put(format!("/v1/employees/{employee}/onboarding_status"), body).await
    }

    /// Enters what personal_details asks for beside the name.
    pub async fn enter_personal_details(&self, employee: &str, ssn: &str) -> Value {
        let version = &self.read("employees", employee).await["version"];
        let body = json!({ "version": version, "ssn": ssn, "date_of_birth": "1990-04-01", "email": "a@people.example" });
        self.put(format!("/v1/employees/{employee}"), body).await.ok()
    }

    /// A link to the hosted pages.
    pub async fn link(&self, employee: &str) -> String {
        let body = json!({ "flow_type": "employee_self_management", "entity_type": "Employee", "entity_uuid": employee });
        let made = self.post("/v1/companies/{company}/flows", body).await.created();
        text(&made, "url").strip_prefix("https://pages.example").unwrap().to_owned()
    }
}
