//! What a company of the demo world has settled before its first payroll: its industry, a bank account that has proved
//! itself, what its states asked, and its signature. All of it goes through the services that requests go through, up
//! to the finish of the company's onboarding and its approval.

use rules::company::state::Format;
use serde_json::{Value, json};
use store::Tx;

use super::world::input;
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::banks::service as banks;
use domain::company::banks::service::Verified;
use domain::company::forms::service as forms;
use domain::company::setup::{industry, service as setup};
use domain::company::taxes::shapes::TaxRequirementSet;
use domain::company::taxes::state;
use interface::company::setup::wire::UpdateIndustry;

/// Settles what is open for a company with locations, an onboarded employee, a pay schedule and a signatory, who signs
/// with this name.
///
/// # Errors
/// A store error; a violation would be a mistake in the demo world.
pub fn finish(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (industry_code, industry_title): (&str, &str),
    account: &str,
    signatory: &str,
) -> Result<(), Error> {
    let branch = json!({ "naics_code": industry_code, "title": industry_title });
    industry::update(tx, caller, &input::<UpdateIndustry>(&branch)?.into())?;
    let account =
        json!({ "routing_number": "021001208", "account_number": account, "account_type": "Checking" });
    let (_, account) = banks::create(tx, caller, &input(&account)?)?;
    let deposits = banks::send_test_deposits(tx, caller, account.uuid)?;
    let deposits = json!({ "deposit_1": deposits.deposit_1, "deposit_2": deposits.deposit_2 });
    let Verified::Right(_) = banks::verify(tx, caller, account.uuid, &input(&deposits)?)? else {
        return Err(Error::Internal);
    };
    for asking in state::list(tx, caller)? {
        let asked = state::get(tx, caller, &asking.state, false)?;
        let sets: Vec<Value> = asked.requirement_sets.iter().map(answers).collect();
        state::update(tx, caller, &asking.state, &input(&json!({ "requirement_sets": sets }))?)?;
    }
    let signature =
        json!({ "signature_text": signatory, "agree": true, "signed_by_ip_address": "203.0.113.7" });
    for form in forms::list(tx, caller, None)? {
        forms::sign(tx, caller, form.uuid, &input(&signature)?, None)?;
    }
    setup::finish(tx, caller)?;
    setup::approve(tx, caller).map(drop)
}

/// An answer to each requirement of a set; numbers of accounts are invented.
fn answers(set: &TaxRequirementSet) -> Value {
    let answered = set.requirements.iter().map(|asked| {
        let options = asked.metadata.options.as_ref();
        let value = match options.and_then(|options| options.first()) {
            Some(first) => first["value"].clone(),
            None if asked.metadata.kind == Format::TaxRate.as_str() => json!("0.027"),
            None => json!("12-345678-9"),
        };
        json!({ "key": asked.key, "value": value })
    });
    json!({ "key": set.key, "state": set.state, "requirements": answered.collect::<Vec<_>>() })
}
