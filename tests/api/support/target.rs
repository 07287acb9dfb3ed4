//! A company with a record of every kind, and right calls of every operation on them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use domain::Error;
use domain::access::connections;
use domain::access::tokens::TokenKind;
use domain::pay::external_payrolls::finish;
use domain::pay::payrolls::closing::processing;
use interface::examples::{parameters_of, query_of};
use serde_json::{Value, json};

use super::contractor_payments::contractor_payments;
use super::operations::{Operation, operations};
use super::samples::{
    books, certificates, external_payroll, extra_pay, file_all, held_payment, high_earner, leavers, may_work,
    open_estimate, payrolls, people_and_hours, returned_debit, savings_plan, self_onboarding, sent_payment,
    support_order, tax_payment, time_off, webhook, wire,
};
use super::{Answer, Call, Company, id_of};

/// Stands in a path where the present version of a record goes.
const NO_VERSION: &str = "no-version";

/// A company with one record of every kind that a path or a body can name; each can be updated and deleted.
pub struct Target {
    pub company: Company,
    ids: BTreeMap<&'static str, String>,
    /// the company's bank account that is to be deleted
    account: Mutex<Option<String>>,
}

/// The contractor that an operation concerns: not everybody can be dismissed, rehired or deleted.
fn contractor(operation: &Operation) -> &'static str {
    let route = operation.route.as_str();
    match (operation.method.as_str(), route.rsplit('/').next()) {
        ("DELETE", Some("termination")) => "leaving_contractor",
        ("POST", Some("rehire")) => "former_contractor",
        ("DELETE", Some("rehire")) => "returning_contractor",
        ("PUT", Some("onboarding_status")) => "entered_contractor",
        ("DELETE", Some("{contractor_uuid}")) => "unwanted_contractor",
        _ => "contractor_uuid",
    }
}

impl Target {
    pub async fn of(company: Company) -> Self {
        // Lists of an application hold only what is this target's.
        let company = company.for_another_application().await;
        let location = company.location("TX").await;
        let (employee, work, lives) = self_onboarding(&company, &id_of(&location)).await;
        let barista = company.job(&employee, "Barista", "2026-07-01").await;
        company.pay(&barista, "19.50", "Hour", "Nonexempt").await;
        let waiter = company.job(&employee, "Waiter", "2026-07-01").await;
        company.pay(&waiter, "18.00", "Hour", "Nonexempt").await;
        let raise = json!({ "rate": "19.00", "payment_unit": "Hour", "flsa_status": "Nonexempt", "effective_date": "2027-01-01" });
        let raise = company.post(format!("/v1/jobs/{}/compensations", id_of(&waiter)), raise).await.created();
        let account = json!({ "name": "Household", "routing_number": "021001208", "account_number": "90126600417", "account_type": "Checking" });
        let account =
            company.post(format!("/v1/employees/{employee}/bank_accounts"), account).await.created();
        certificates(&company, &employee).await;
        let forms = company.get(format!("/v1/employees/{employee}/forms")).await.list();
        let form = forms.iter().find(|form| form["name"] == "US_W-4").unwrap();
        let schedule = json!({ "frequency": "Every other week", "anchor_pay_date": "2026-06-26",
                               "anchor_end_of_pay_period": "2026-06-21" });
        let schedule = company.post("/v1/companies/{company}/pay_schedules", schedule).await.created();
        let (offered, enrolled) = savings_plan(&company, &employee).await;
        let support = support_order(&company, &employee).await;
        high_earner(&company, &employee).await;
        let estimate = open_estimate(&company).await;
        let people = leavers(&company, &id_of(&location)).await;
        // No payroll that is to be cancelled may be rested on: this one comes first.
        let booked = books(&company, &id_of(&location)).await;
        let mut ids = payrolls(&company, &id_of(&location)).await;
        ids.extend([
            ("benefit_id", "5".to_owned()),
            ("effective_year", "2026".to_owned()),
            ("company_benefit_id", id_of(&offered)),
            ("employee_benefit_id", id_of(&enrolled)),
            ("garnishment_id", id_of(&support)),
            ("client_id", company.world.application.to_string()),
            ("client_secret", company.world.client_secret.clone()),
            ("pay_schedule_id", id_of(&schedule)),
            ("form_id", id_of(form)),
            ("salary_estimate_id", id_of(&estimate)),
            ("employee_uuid", employee.clone()),
            ("bank_account_uuid", id_of(&account)),
            ("company_id", company.id.to_string()),
            ("company_uuid", company.id.to_string()),
            ("location_id", id_of(&location)),
            ("location_uuid", id_of(&location)),
            ("employee_id", employee),
            ("home_address_uuid", id_of(&lives)),
            ("work_address_uuid", id_of(&work)),
            ("job_id", id_of(&waiter)),
            ("compensation_id", id_of(&raise)),
        ]);
        ids.extend(people);
        ids.extend(webhook(&company, &id_of(&location)).await);
        ids.extend(company.set_up().await.ids());
        let link = json!({ "flow_type": "deductions", "entity_type": "Employee", "entity_uuid": ids["employee_id"] });
        ids.insert("flow_uuid", id_of(&company.post("/v1/companies/{company}/flows", link).await.created()));
        ids.extend(extra_pay(&company, &ids["employee_id"]).await);
        ids.insert("external_payroll_id", external_payroll(&company, &ids["employee_id"]).await);
        company.post("/v1/companies/{company}/holiday_pay_policy", json!({})).await.ok();
        let kitchen = company.post("/v1/companies/{company}/departments", json!({ "title": "Bar" })).await;
        ids.insert("department_uuid", id_of(&kitchen.created()));
        let admin = json!({ "first_name": "Nils", "last_name": "Berg", "email": "nils@people.example" });
        let admin = company.post("/v1/companies/{company}/admins", admin).await.ok();
        ids.insert("admin_uuid", id_of(&admin));
        add_contractors_and_money(&company, &mut ids).await;
        ids.extend(booked);
        ids.extend(time_off(&company, &ids["employee_id"]).await);
        ids.extend(may_work(&company).await);
        ids.extend(people_and_hours(&company, &ids).await);
        Self { company, ids, account: Mutex::default() }
    }

    /// The record that a parameter names.
    pub fn id(&self, parameter: &str) -> &str {
        self.ids
            .get(parameter)
            .unwrap_or_else(|| panic!("tests/api/support/target.rs does not know {parameter}"))
    }

    /// The path of an operation on these records.
    pub fn path(&self, operation: &Operation) -> String {
        // Not every payroll can be submitted, or taken back, or explained.
        let other = match operation.route.rsplit('/').next() {
            Some("prepare") => "fresh_payroll",
            Some("submit") => "calculated_payroll",
            Some("partner_disbursements") if operation.method == "PATCH" => "disbursed_payroll",
            Some("void") if operation.route.contains("payroll_id") => "disbursed_payroll",
            Some("general_ledger" | "printable_payroll_checks") => "checked_payroll",
            Some("cancel" | "explain" | "pay_stub" | "receipt" | "calculate_accruing_time_off_hours") => {
                "processed_payroll"
            }
            _ => "payroll_id",
        };
        self.path_with(operation, &|parameter| match parameter {
            "payroll_id" => self.id(other).to_owned(),
            "ach_transaction_uuid" if operation.route.ends_with("/reverse") => {
                self.id("sent_payment").to_owned()
            }
            "employee_id" if operation.route.contains("/i9_authorization/") => {
                self.id("examined_employee").to_owned()
            }
            "employee_id" if operation.route.ends_with("/void") => self.id("disbursed_employee").to_owned(),
            "employee_id" if operation.route.contains("payroll_id") => {
                self.id("processed_employee").to_owned()
            }
            "employee_id" if operation.route.contains("terminations") && operation.method != "POST" => {
                self.id("leaving_employee").to_owned()
            }
            "employee_id" if operation.route.ends_with("/rehire") => {
                let who = if operation.method == "POST" { "former_employee" } else { "returning_employee" };
                self.id(who).to_owned()
            }
            "contractor_uuid" => self.id(contractor(operation)).to_owned(),
            "form_id" if operation.route.contains("/contractors/") => self.id("contractor_form").to_owned(),
            "contractor_payment_id" if operation.method == "DELETE" => self.id("unwanted_payment").to_owned(),
            "contractor_payment_uuid" if operation.route.ends_with("/receipt") => {
                self.id("funded_payment").to_owned()
            }
            "contractor_payment_group_uuid" if operation.method == "DELETE" => {
                self.id("unwanted_group").to_owned()
            }
            "contractor_payment_group_uuid" if operation.route.ends_with("/fund") => {
                self.id("group_to_fund").to_owned()
            }
            "request_uuid" if operation.route.contains("/generated_documents/") => {
                self.id("document_request").to_owned()
            }
            // A policy stays in force while requests for its hours are pending.
            "time_off_policy_uuid"
                if ["/deactivate", "/remove_employees"].iter().any(|end| operation.route.ends_with(end)) =>
            {
                self.id("other_policy").to_owned()
            }
            "time_off_request_uuid" if operation.route.ends_with("/approve") => {
                self.id("request_to_approve").to_owned()
            }
            "time_off_request_uuid" if operation.route.ends_with("/decline") => {
                self.id("request_to_decline").to_owned()
            }
            "company_bank_account_uuid" if operation.method == "DELETE" => {
                let added = self.account.lock().unwrap().clone();
                added.unwrap_or_else(|| self.id(parameter).to_owned())
            }
            parameter => self.id(parameter).to_owned(),
        })
    }

    /// Adds the bank account that is to be deleted, once nothing is to be paid from the one before.
    async fn add_account(&self) {
        let open = "/v1/companies/{company}/payrolls?processing_statuses=unprocessed&payroll_types=regular,off_cycle";
        for payroll in self.company.get(open).await.list() {
            let id = super::text(&payroll, "payroll_uuid").parse().unwrap();
            let done = processing::process_payroll(&self.company.world.app.store, self.company.id, id).await;
            done.unwrap_or_else(|error| panic!("{error:?}"));
        }
        file_all(&self.company).await;
        let account = self.company.bank_account("90126600427").await;
        *self.account.lock().unwrap() = Some(id_of(&account));
    }

    pub fn path_with(&self, operation: &Operation, id: &dyn Fn(&str) -> String) -> String {
        let parameters = operation.path_parameters();
        let fill = |path: String, name: &&str| path.replace(&format!("{{{name}}}"), &id(name));
        let query = query_of(&operation.method, &operation.route).replace("{version}", NO_VERSION);
        parameters.iter().fold(operation.route.clone(), fill) + &query
    }

    /// The identifiers that the operation's body holds.
    pub fn ids_in_body(&self, operation: &Operation) -> Vec<&'static str> {
        let made =
            |name: &&str| !name.ends_with("version") && *name != "plan_hash" && !name.ends_with("_deposit");
        parameters_of(operation.body).into_iter().filter(made).collect()
    }

    /// A right body, with the record's present version.
    pub async fn body(&self, operation: &Operation) -> Value {
        self.body_with(operation, &|parameter| self.id(parameter).to_owned()).await
    }

    pub async fn body_with(&self, operation: &Operation, id: &dyn Fn(&str) -> String) -> Value {
        // The credits of this company wait for wires, and do not come to wait for less.
        if operation.route.ends_with("/prefunding") {
            return json!({ "credits_wait_for": "wire" });
        }
        let mut body = operation.body.to_owned();
        for name in parameters_of(operation.body) {
            let value = match name {
                "input_version" => {
                    let paid = self.company.get(self.path(operation)).await.ok();
                    super::text(&paid["employee_compensations"][0], "version")
                }
                "version" => self.version(operation).await,
                "plan_hash" => self.plan_hash(operation).await,
                name => id(name),
            };
            body = body.replace(&format!("{{{name}}}"), &value);
        }
        if body.is_empty() { Value::Null } else { serde_json::from_str(&body).unwrap() }
    }

    /// The hash of the plan that the operation carries out.
    async fn plan_hash(&self, operation: &Operation) -> String {
        let mut body = operation.body.to_owned();
        for name in self.ids_in_body(operation) {
            body = body.replace(&format!("{{{name}}}"), self.id(name));
        }
        let plan = self.path(operation).replace("/apply", "");
        let planned = self.company.post(plan, serde_json::from_str(&body).unwrap()).await.ok();
        super::text(&planned, "hash")
    }

    /// The version of the record that an operation is about.
    async fn version(&self, operation: &Operation) -> String {
        let path = self.path(operation);
        let path = path.split('?').next().unwrap().to_owned();
        // Who is paid for holidays is a part of the policy, if there is one.
        if let Some((policies, _)) = path.split_once("/holiday_pay_policy") {
            let held = self.company.get(format!("{policies}/holiday_pay_policy")).await;
            return if held.status == 200 { super::text(&held.json(), "version") } else { String::new() };
        }
        // The signatory is read as a list of one.
        if let Some(list) = path.strip_suffix(self.id("signatory_uuid")) {
            let list = self.company.get(list.trim_end_matches('/')).await.list();
            return list.first().map(|one| super::text(one, "version")).unwrap_or_default();
        }
        if path.contains("/historical_employees/") {
            return super::text(
                &self.company.read("employees", self.id("historical_employee_uuid")).await,
                "version",
            );
        }
        // People come into a department, and leave it, by its version.
        let record = path.trim_end_matches("/add").trim_end_matches("/remove");
        let record = record.trim_end_matches("/approve").trim_end_matches("/reject");
        super::text(&self.company.get(record).await.ok(), "version")
    }

    /// Makes room for what an operation adds where there is room for one, and a connection where one is ended.
    pub async fn prepare(&self, operation: &Operation) {
        // The application of these records is connected to the company by a token of its own.
        if ["/disassociate", "/disconnect_app_integration"].iter().any(|end| operation.route.ends_with(end)) {
            let (application, company) = (self.company.application, self.company.id);
            self.company.world.token(TokenKind::Company, application, Some(company), "public", None).await;
            // One that manages a company can leave it in both ways.
            let store = &self.company.world.app.store;
            let noted = store
                .write(move |tx| connections::record_managing_application(tx, company, application))
                .await;
            noted.unwrap_or_else(|error: Error| panic!("{error:?}"));
        }
        if operation.method == "DELETE" && operation.route.contains("{company_bank_account_uuid}") {
            self.add_account().await;
        }
        // An invitation is cancelled once.
        if operation.method == "DELETE" && operation.route.ends_with("/member_portal_invitations") {
            self.company.post(self.path(operation), json!({})).await.created();
        }
        // Nobody is paid while what was paid elsewhere is on its way into the sums of the year.
        if operation.method == "PUT" && operation.route.ends_with("/payrolls/{payroll_id}/submit") {
            let finished =
                finish::finish_external_payrolls(&self.company.world.app.store, self.company.id).await;
            finished.unwrap_or_else(|error| panic!("{error:?}"));
        }
        // A debit is presented again to an account that is verified.
        if operation.route.ends_with("/redebit") {
            let account = self.id("company_bank_account_uuid");
            let held = self.company.get("/v1/companies/{company}/bank_accounts").await.list();
            if held.iter().any(|one| one["uuid"] == account && one["verification_status"] != "verified") {
                let (first, second) = self.company.test_deposits(account).await;
                self.company.verify(account, (&first, &second)).await.is(200);
            }
        }
        // A company that is suspended is not suspended once more.
        if operation.route.ends_with("/suspend")
            || operation.name() == "POST /v1/companies/{company_uuid}/suspensions"
        {
            self.company.put("/v1/companies/{company}/reinstate", json!({})).await.ok();
        }
        if operation.route.contains("/holiday_pay_policy") && operation.method != "GET" {
            let policy = "/v1/companies/{company}/holiday_pay_policy";
            let held = self.company.get(policy).await.status == 200;
            match (operation.method == "POST", held) {
                (true, true) => self.company.delete(policy).await.deleted(),
                (false, false) => drop(self.company.post(policy, json!({})).await.ok()),
                _ => {}
            }
        }
        let signatories = "/v1/companies/{company}/signatories";
        if operation.method == "POST" && operation.route.contains("/signatories") {
            for held in self.company.get(signatories).await.list() {
                self.company.delete(format!("{signatories}/{}", super::id_of(&held))).await.is(204);
            }
        }
    }

    /// A right call, without a token.
    pub async fn call(&self, operation: &Operation) -> Call {
        let mut path = self.path(operation);
        if path.ends_with(&format!("version={NO_VERSION}")) {
            let record = path.split('?').next().unwrap().to_owned();
            let held = self.company.get(&record).await;
            // One that was deleted before has none.
            if held.status == 200 {
                path = path.replace(NO_VERSION, &super::text(&held.json(), "version"));
            }
        }
        let call = self.company.world.call(&operation.method, path);
        self.with_body(call, operation).await
    }

    /// A call with what the operation takes.
    pub async fn with_body(&self, call: Call, operation: &Operation) -> Call {
        match operation.form {
            [] if operation.takes_json() => call.json(&self.body(operation).await),
            [] => call,
            form => call.form(
                form.iter()
                    .map(|part| (part.name.as_str(), part.file_name.as_deref(), part.content.as_bytes())),
            ),
        }
    }

    /// The token that an operation takes.
    pub fn token(&self, operation: &Operation) -> &str {
        if operation.is_for_applications() { &self.company.system_token } else { &self.company.token }
    }

    /// A right call with the right token.
    pub async fn send(&self, operation: &Operation) -> Answer {
        self.prepare(operation).await;
        self.call(operation).await.bearer(self.token(operation)).send().await
    }

    /// How many entries of the audit log and how many events tell of what has changed.
    pub async fn changes_told(&self) -> (usize, usize) {
        (self.company.audit().await.len(), self.company.count_events().await)
    }

    /// Everything that can be read of the company, byte for byte.
    pub async fn all_there_is(&self) -> Vec<String> {
        let mut all = vec![format!("{:?}", self.company.count_events().await)];
        // Each address of a PDF is a new one, each request for a token has it posted, and health is found by the
        // minute.
        let others = ["/pdf", "/download_url", "/request_verification_token", "/health_check"];
        let same = |route: &str| !others.iter().any(|other| route.ends_with(other));
        let told =
            |o: &&Operation| o.method == "GET" && o.needs_a_token() && !o.takes_json() && same(&o.route);
        for operation in operations().iter().filter(told) {
            let included = operation.query_parameters().iter().any(|(name, _)| name == "include");
            let word = match &operation.route {
                route if route.contains("benefits") => "all_benefits",
                route if route.contains("payrolls") => "totals",
                route if route.contains("contractors") => "company_name",
                _ => "all_compensations",
            };
            let path = self.path(operation);
            let path = if included { format!("{path}?include={word}") } else { path };
            all.push(self.company.get(path).await.is(200).text());
        }
        all
    }
}

/// Adds contractors with their payments, and what the bank has or brings back.
async fn add_contractors_and_money(company: &Company, ids: &mut BTreeMap<&'static str, String>) {
    ids.extend(contractors(company).await);
    ids.extend(contractor_payments(company, &ids["contractor_uuid"]).await);
    ids.insert("tax_payment_uuid", tax_payment(company).await);
    ids.insert("wire_in_request_uuid", wire(company, ids["payroll_id"].parse().unwrap()).await);
    let of_payment = ["employee_id", "bank_account_uuid"].map(|key| ids[key].parse().unwrap());
    ids.extend(held_payment(company, of_payment).await);
    ids.insert("sent_payment", sent_payment(company, of_payment).await);
    ids.extend([returned_debit(company, ids["company_bank_account_uuid"].parse().unwrap()).await]);
}

/// Contractors at every point of their work.
async fn contractors(company: &Company) -> BTreeMap<&'static str, String> {
    let new = async |name: &str, ssn: &str| {
        let body = json!({ "type": "Individual", "wage_type": "Fixed", "start_date": "2026-01-05", "first_name": name,
                           "last_name": "Ford", "ssn": ssn });
        id_of(&company.post("/v1/companies/{company}/contractors", body).await.created())
    };
    let settled = async |name: &str, ssn: &str| {
        let id = new(name, ssn).await;
        let path = format!("/v1/contractors/{id}/address");
        let version = super::text(&company.get(&path).await.ok(), "version");
        let address = json!({ "version": version, "street_1": "7 Mill Lane", "city": "Austin", "state": "TX", "zip": "78701" });
        company.put(path, address).await.ok();
        id
    };
    let change = async |id: &str, what: &str, body: Value| {
        company.post(format!("/v1/contractors/{id}/{what}"), body).await.is(204);
    };
    let (lina, entered) = (settled("Lina", "412551071").await, settled("Emil", "412551072").await);
    let (leaving, former) = (new("Leo", "412551073").await, new("Fay", "412551074").await);
    let (returning, unwanted) = (new("Rita", "412551075").await, new("Udo", "412551076").await);
    change(&leaving, "termination", json!({ "end_date": "2027-12-31" })).await;
    for left in [&former, &returning] {
        change(left, "termination", json!({ "end_date": "2026-03-31" })).await;
    }
    change(&returning, "rehire", json!({ "start_date": "2027-12-01" })).await;
    let invitation = format!("/v1/contractors/{lina}/member_portal_invitations");
    company.post(invitation, json!({})).await.created();
    let documents = company.get(format!("/v1/contractors/{lina}/documents")).await.list();
    BTreeMap::from([
        ("document_uuid", id_of(&documents[0])),
        ("contractor_uuid", lina),
        ("entered_contractor", entered),
        ("leaving_contractor", leaving),
        ("former_contractor", former),
        ("returning_contractor", returning),
        ("unwanted_contractor", unwanted),
    ])
}
