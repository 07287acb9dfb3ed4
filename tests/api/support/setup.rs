//! What a company settles before its first payroll.

use domain::access::tokens::Caller;
use domain::returns::closing;
use serde_json::{Value, json};

use super::{Company, id_of, text};

/// Somebody who signs for a company, with everything that signing takes.
pub fn signatory() -> Value {
    json!({ "first_name": "Susan", "last_name": "Whitfield", "title": "Owner", "phone": "2105550100",
            "birthday": "1971-01-22", "email": "susan@people.example", "ssn": "412551004",
            "home_address": { "street_1": "19 Willow Court", "city": "San Antonio", "state": "TX", "zip": "78209" } })
}

/// The records that a company was set up with.
pub struct SetUp {
    pub signatory: String,
    pub account: String,
    /// of the bank account, which is not verified yet
    pub deposits: (String, String),
    /// the authorization to file, which is not signed yet
    pub form: String,
}

impl SetUp {
    /// The records, by the names that parameters have.
    pub fn ids(self) -> [(&'static str, String); 6] {
        [
            ("signatory_uuid", self.signatory),
            ("company_bank_account_uuid", self.account),
            ("first_deposit", self.deposits.0),
            ("second_deposit", self.deposits.1),
            ("company_form_id", self.form),
            ("state", "TX".to_owned()),
        ]
    }
}

impl Company {
    /// The operator, acting on the company's records.
    pub async fn operator(&self) -> Caller {
        let id = self.id;
        self.world.app.store.read(move |tx| closing::operator_for_company(tx, id)).await.unwrap()
    }

    /// A bank account that payroll is paid from.
    pub async fn bank_account(&self, number: &str) -> Value {
        let body =
            json!({ "routing_number": "021001208", "account_number": number, "account_type": "Checking" });
        self.post("/v1/companies/{company}/bank_accounts", body).await.created()
    }

    /// The amounts of an account's test deposits.
    pub async fn test_deposits(&self, account: &str) -> (String, String) {
        let path = format!("/v1/companies/{{company}}/bank_accounts/{account}/send_test_deposits");
        let told = self.call("POST", path).send().await.ok();
        (text(&told, "deposit_1"), text(&told, "deposit_2"))
    }

    /// Tells the amounts of an account's test deposits.
    pub async fn verify(&self, account: &str, (first, second): (&str, &str)) -> super::Answer {
        let path = format!("/v1/companies/{{company}}/bank_accounts/{account}/verify");
        self.put(path, json!({ "deposit_1": first, "deposit_2": second })).await
    }

    /// Signs a form of the company.
    pub async fn sign_company_form(&self, form: &str) -> super::Answer {
        let body = json!({ "signature_text": "Susan Whitfield", "agree": true, "signed_by_ip_address": "203.0.113.7" });
        self.put(format!("/v1/forms/{form}/sign"), body).await
    }

    /// The company's form of this name.
    pub async fn company_form(&self, name: &str) -> Value {
        let forms = self.get("/v1/companies/{company}/forms").await.list();
        forms
            .into_iter()
            .find(|form| form["name"] == name)
            .unwrap_or_else(|| panic!("there is no form {name}"))
    }

    /// Answers everything that a state asks.
    pub async fn answer_state(&self, state: &str) {
        let path = format!("/v1/companies/{{company}}/tax_requirements/{state}");
        let asked = self.get(&path).await.ok();
        let sets: Vec<Value> = asked["requirement_sets"].as_array().unwrap().iter().map(answers).collect();
        self.put(path, json!({ "requirement_sets": sets })).await.is(200);
    }

    /// A signatory, a bank account with test deposits, and the authorization to take payroll from it, signed.
    pub async fn set_up(&self) -> SetUp {
        self.run_elsewhere().await;
        let admin =
            json!({ "first_name": "Susan", "last_name": "Whitfield", "email": "susan@people.example" });
        self.post("/v1/companies/{company}/admins", admin).await.ok();
        let made = self.post("/v1/companies/{company}/signatories", signatory()).await.ok();
        let account = id_of(&self.bank_account("90126600418").await);
        let deposits = self.test_deposits(&account).await;
        let consent = id_of(&self.company_form("company_direct_deposit").await);
        self.sign_company_form(&consent).await.ok();
        let form = id_of(&self.company_form("US_8655").await);
        SetUp { signatory: id_of(&made), account, deposits, form }
    }
}

fn answers(set: &Value) -> Value {
    let requirements = set["requirements"].as_array().unwrap().iter().map(|asked| {
        let value = match text(&asked["metadata"], "type").as_str() {
            "account_number" => json!("12-345678-9"),
            "tax_rate" => json!("0.027"),
            "percent" | "text" | "currency" => Value::Null,
            _ => asked["metadata"]["options"][0]["value"].clone(),
        };
        json!({ "key": asked["key"], "value": value })
    });
    json!({ "key": set["key"], "state": set["state"], "requirements": requirements.collect::<Vec<_>>() })
}
