//! The contractors of the demo world: a business that is paid into its account, and a person in the middle of onboarding.

use jiff::ToSpan;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::staff::HIRED_DAYS_AGO;
use super::world::input;
use domain::Error;
use domain::access::tokens::Caller;
use domain::contractors::{accounts, addresses, onboarding, profiles};
use interface::contractors::accounts::wire::ContractorBankAccountInput;
use interface::contractors::addresses::wire::UpdateContractorAddress;
use interface::contractors::onboarding::wire::UpdateContractorOnboardingStatus;
use interface::contractors::records::wire::CreateContractor;

/// Both contractors, entered as an administrator does.
pub(super) fn build(tx: &mut Tx<'_>, caller: &Caller) -> Result<[Uuid; 2], Error> {
    let began = caller.today(tx).saturating_sub(HIRED_DAYS_AGO.days()).to_string();
    let business = json!({ "type": "Business", "business_name": "Cedar Signs LLC", "ein": "745550181", "wage_type": "Fixed",
                           "start_date": began, "email": "office@cedarsigns.example" });
    let business =
        profiles::service::create(tx, caller, &input::<CreateContractor>(&business)?.into())?.contractor.id;
    let version = addresses::service::get(tx, caller, business)?.version();
    let address = json!({ "version": version, "street_1": "41 Foundry Road", "city": "San Antonio", "state": "TX", "zip": "78204" });
    addresses::service::update(tx, caller, business, &input::<UpdateContractorAddress>(&address)?.into())?;
    let account = json!({ "name": "Operating account", "routing_number": "121000374", "account_number": "4007005120",
                          "account_type": "Checking" });
    accounts::service::set_account(
        tx,
        caller,
        business,
        &input::<ContractorBankAccountInput>(&account)?.into(),
    )?;
    finish(tx, caller, business, "onboarding_completed")?;

    let person = json!({ "type": "Individual", "first_name": "Lena", "last_name": "Marsh", "wage_type": "Hourly", "hourly_rate": "45.00",
                         "start_date": caller.today(tx).to_string(), "email": "lena.marsh@people.example", "self_onboarding": true });
    let person =
        profiles::service::create(tx, caller, &input::<CreateContractor>(&person)?.into())?.contractor.id;
    finish(tx, caller, person, "self_onboarding_invited")?;
    Ok([business, person])
}

fn finish(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid, status: &str) -> Result<(), Error> {
    let body = json!({ "onboarding_status": status });
    onboarding::update(tx, caller, contractor, &input::<UpdateContractorOnboardingStatus>(&body)?.into())
        .map(drop)
}
