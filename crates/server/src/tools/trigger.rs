//! `stipend trigger`: makes an event happen in the demo world, by the calls that a partner would make. A recipe is the
//! calls that lead to the event; what one of them makes can be named in the ones after it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::http::Api;

/// Method, path, body, and the name under which the answer is remembered. `{name}` stands for a remembered identifier,
/// `{name.version}` for its version.
type Step = (&'static str, &'static str, &'static str, &'static str);

const LOCATION: Step = (
    "POST",
    "/v1/companies/{company}/locations",
    r#"{"street_1":"12 Depot Street","city":"Austin","state":"TX","zip":"78701","phone_number":"5125550111"}"#,
    "location",
);
const EMPLOYEE: Step = (
    "POST",
    "/v1/companies/{company}/employees",
    r#"{"first_name":"Robin","last_name":"Trigger","email":"robin@people.example","self_onboarding":true}"#,
    "employee",
);
const HOME: Step = (
    "POST",
    "/v1/employees/{employee}/home_addresses",
    r#"{"street_1":"4 Elm Street","city":"Austin","state":"TX","zip":"78701","effective_date":"2026-01-05"}"#,
    "home",
);
const LATER_HOME: Step = (
    "POST",
    "/v1/employees/{employee}/home_addresses",
    r#"{"street_1":"9 Oak Street","city":"Dallas","state":"TX","zip":"75201","effective_date":"2026-02-02"}"#,
    "later",
);
const WORK: Step = (
    "POST",
    "/v1/employees/{employee}/work_addresses",
    r#"{"location_uuid":"{location}","effective_date":"2026-01-05"}"#,
    "work",
);
const LATER_WORK: Step = (
    "POST",
    "/v1/employees/{employee}/work_addresses",
    r#"{"location_uuid":"{location}","effective_date":"2026-02-02"}"#,
    "later",
);
const JOB: Step =
    ("POST", "/v1/employees/{employee}/jobs", r#"{"title":"Host","hire_date":"2026-01-05"}"#, "job");
const PAY: Step = (
    "PUT",
    "/v1/compensations/{job.compensation}",
    r#"{"version":"{job.compensation.version}","rate":"21.00","payment_unit":"Hour","flsa_status":"Nonexempt"}"#,
    "pay",
);
const RAISE: Step = (
    "POST",
    "/v1/jobs/{job}/compensations",
    r#"{"rate":"23.00","payment_unit":"Hour","flsa_status":"Nonexempt","effective_date":"2026-02-02"}"#,
    "raise",
);
const ACCOUNT: Step = (
    "POST",
    "/v1/employees/{employee}/bank_accounts",
    r#"{"name":"Household","routing_number":"021001208","account_number":"40070045","account_type":"Checking"}"#,
    "account",
);

/// Every event that can be made to happen, with its recipe.
const RECIPES: &[(&str, &[Step])] = &[
    ("location.created", &[LOCATION]),
    (
        "location.updated",
        &[
            LOCATION,
            (
                "PUT",
                "/v1/locations/{location}",
                r#"{"version":"{location.version}","street_2":"Suite 7"}"#,
                "",
            ),
        ],
    ),
    ("employee.created", &[EMPLOYEE]),
    ("employee.marked_for_self_onboarding", &[EMPLOYEE]),
    (
        "employee.updated",
        &[
            EMPLOYEE,
            (
                "PUT",
                "/v1/employees/{employee}",
                r#"{"version":"{employee.version}","last_name":"Triggered"}"#,
                "",
            ),
        ],
    ),
    ("employee.deleted", &[EMPLOYEE, ("DELETE", "/v1/employees/{employee}", "", "")]),
    ("employee.home_address.created", &[EMPLOYEE, HOME]),
    (
        "employee.home_address.updated",
        &[
            EMPLOYEE,
            HOME,
            ("PUT", "/v1/home_addresses/{home}", r#"{"version":"{home.version}","street_2":"Unit 3"}"#, ""),
        ],
    ),
    (
        "employee.home_address.deleted",
        &[EMPLOYEE, HOME, LATER_HOME, ("DELETE", "/v1/home_addresses/{home}", "", "")],
    ),
    ("employee.work_address.created", &[EMPLOYEE, LOCATION, WORK]),
    (
        "employee.work_address.updated",
        &[
            EMPLOYEE,
            LOCATION,
            WORK,
            LATER_WORK,
            (
                "PUT",
                "/v1/work_addresses/{later}",
                r#"{"version":"{later.version}","effective_date":"2026-03-02"}"#,
                "",
            ),
        ],
    ),
    (
        "employee.work_address.deleted",
        &[EMPLOYEE, LOCATION, WORK, LATER_WORK, ("DELETE", "/v1/work_addresses/{work}", "", "")],
    ),
    ("employee_job_compensation.created", &[EMPLOYEE, JOB]),
    ("employee_job_compensation.updated", &[EMPLOYEE, JOB, PAY]),
    (
        "employee_job_compensation.deleted",
        &[EMPLOYEE, JOB, PAY, RAISE, ("DELETE", "/v1/compensations/{raise}", "", "")],
    ),
    ("employee.bank_account.created", &[EMPLOYEE, ACCOUNT]),
    ("employee.payment_method_type_updated", &[EMPLOYEE, ACCOUNT]),
    (
        "employee.bank_account.updated",
        &[
            EMPLOYEE,
            ACCOUNT,
            (
                "PUT",
                "/v1/employees/{employee}/bank_accounts/{account}",
                r#"{"name":"Joint","routing_number":"021001208","account_number":"52190031","account_type":"Savings"}"#,
                "",
            ),
        ],
    ),
    (
        "employee.bank_account.deleted",
        &[EMPLOYEE, ACCOUNT, ("DELETE", "/v1/employees/{employee}/bank_accounts/{account}", "", "")],
    ),
];

/// The names of the events that can be made to happen.
pub fn names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|(name, _)| *name)
}

/// Makes an event happen to a company.
///
/// # Errors
/// One line: there is no recipe for the event, or the service refused.
pub async fn run(api: &Api, company: &str, event: &str) -> Result<(), String> {
    let recipe = RECIPES.iter().find(|(name, _)| *name == event).ok_or_else(|| {
        format!("{event} cannot be triggered; these can: {}", names().collect::<Vec<_>>().join(", "))
    })?;
    let mut known = BTreeMap::from([("company".to_owned(), company.to_owned())]);
    for (method, path, body, name) in recipe.1 {
        let body = if body.is_empty() { None } else { serde_json::from_str(&filled(body, &known)).ok() };
        let answer = api.call(method, &filled(path, &known), body.as_ref()).await?;
        remember(&mut known, name, &answer);
        remember(&mut known, &format!("{name}.compensation"), &answer["compensations"][0]);
    }
    Ok(())
}

fn filled(text: &str, known: &BTreeMap<String, String>) -> String {
    known.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

fn remember(known: &mut BTreeMap<String, String>, name: &str, answer: &Value) {
    for (key, field) in [(name.to_owned(), "uuid"), (format!("{name}.version"), "version")] {
        if let Some(value) = answer[field].as_str() {
            known.insert(key, value.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_leads_to_an_event_that_there_is() {
        for name in names() {
            assert!(crate::events::ALL_TYPES.iter().any(|event| event.name == name), "{name}");
        }
    }

    #[test]
    fn a_recipe_names_only_what_was_made_before() {
        for (event, steps) in RECIPES {
            let mut made = vec!["company".to_owned()];
            for (_, path, body, name) in *steps {
                for named in [path, body].into_iter().flat_map(|text| text.split('{').skip(1)) {
                    let named = named.split('}').next().unwrap_or_default();
                    let is_name = named.bytes().all(|b| b.is_ascii_lowercase() || b == b'.' || b == b'_');
                    let root = named.split('.').next().unwrap_or_default();
                    assert!(
                        !is_name || named.is_empty() || made.iter().any(|m| m == root),
                        "{event}: {named}"
                    );
                }
                made.push((*name).to_owned());
            }
        }
    }
}
