//! The setup of a demo company before its first payroll: its industry, a verified bank account, its state tax
//! requirements, and its signature. All of it goes through the use cases that requests use, up to the end of the
//! company's onboarding and its approval.

use rules::company::state::Format;
use serde_json::{Value, json};
use store::Tx;

use super::world::parse_input;
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::banks::commands::VerifyAccount;
use domain::company::banks::service as banks;
use domain::company::banks::service::Verified;
use domain::company::forms::service as forms;
use domain::company::setup::{industry, service as setup};
use domain::company::taxes::state;
use domain::company::taxes::state::AnsweredSet;
use domain::patch::Patch;
use interface::company::banks::wire::CreateAccount;
use interface::company::forms::wire::SignCompanyForm;
use interface::company::setup::wire::UpdateIndustry;
use interface::company::taxes::wire::UpdateTaxRequirements;

/// Completes the setup of a company with locations, an onboarded employee, a pay schedule and a signatory with this
/// name.
///
/// # Errors
/// A store error; a violation would be a bug in the demo world.
pub fn finish_company_setup(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (industry_code, industry_title): (&str, &str),
    account: &str,
    signatory: &str,
) -> Result<(), Error> {
    let branch = json!({ "naics_code": industry_code, "title": industry_title });
    industry::update_industry(tx, caller, &parse_input::<UpdateIndustry>(&branch)?.into())?;
    let account =
        json!({ "routing_number": "021001208", "account_number": account, "account_type": "Checking" });
    let (_, account) = banks::create_account(tx, caller, &parse_input::<CreateAccount>(&account)?.into())?;
    let account = account.account.id;
    let deposits = banks::send_test_deposits(tx, caller, account)?;
    let amounts = VerifyAccount {
        deposit_1: Patch::Value(deposits.deposit_1),
        deposit_2: Patch::Value(deposits.deposit_2),
    };
    let Verified::Right(_) = banks::verify_account(tx, caller, account, &amounts)? else {
        return Err(Error::internal("the test deposit amounts were rejected"));
    };
    for asking in state::list_state_setups(tx, caller)? {
        let asked = state::state_requirements(tx, caller, &asking.state, false)?;
        let sets: Vec<Value> = asked.sets.iter().map(|set| requirement_answers(&asked.state, set)).collect();
        let body = json!({ "requirement_sets": sets });
        state::update_requirements(
            tx,
            caller,
            &asking.state,
            &parse_input::<UpdateTaxRequirements>(&body)?.into(),
        )?;
    }
    let signature =
        json!({ "signature_text": signatory, "agree": true, "signed_by_ip_address": "203.0.113.7" });
    for form in forms::list_forms(tx, caller)? {
        forms::sign_form(tx, caller, form.id, &parse_input::<SignCompanyForm>(&signature)?.into())?;
    }
    setup::finish_onboarding(tx, caller)?;
    setup::approve_company(tx, caller).map(drop)
}

/// Answers every requirement of a set that the setup needs; account numbers are invented.
fn requirement_answers(state: &str, asked: &AnsweredSet) -> Value {
    let answered = asked.set.required_requirements().map(|asked| {
        let value = match asked.format {
            Format::Select([first, ..]) => *first,
            Format::TaxRate => "0.027",
            Format::Percent | Format::Count | Format::Currency | Format::PerHour => "0",
            Format::AccountNumber | Format::Select([]) => "12-345678-9",
        };
        json!({ "key": asked.key, "value": value })
    });
    json!({ "key": asked.set.key, "state": state, "requirements": answered.collect::<Vec<_>>() })
}
