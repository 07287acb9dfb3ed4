//! The contractors of the demo world: those who are paid into their accounts, and people in the middle of onboarding.

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::staff::HIRED_DAYS_AGO;
use super::world::parse_input;
use domain::Error;
use domain::access::tokens::Caller;
use domain::contractors::payments::service as payments;
use domain::contractors::{accounts, addresses, onboarding, profiles};
use domain::pay::payrolls::record::deadlines::earliest_check_date;
use interface::contractors::accounts::wire::ContractorBankAccountInput;
use interface::contractors::addresses::wire::UpdateContractorAddress;
use interface::contractors::onboarding::wire::UpdateContractorOnboardingStatus;
use interface::contractors::payments::wire::{
    CreateContractorPayment, CreateContractorPaymentGroup, PreviewContractorPaymentGroup,
};
use interface::contractors::records::wire::CreateContractor;

/// Address, as street, city, state and ZIP code; number of the account.
type Reach = ([&'static str; 4], &'static str);

/// Pay periods of the past of a contractor, in months.
const MONTHS_OF_PAST: i64 = 11;

/// The contractors of the company without a past: a business that was paid before, and a person who is invited.
pub(super) fn build_contractors(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    let began = caller.today(tx).saturating_sub(HIRED_DAYS_AGO.days()).to_string();
    let business = json!({ "type": "Business", "business_name": "Cedar Signs LLC", "ein": "745550181", "wage_type": "Fixed",
                           "start_date": began, "email": "office@cedarsigns.example" });
    let reach = (["41 Foundry Road", "San Antonio", "TX", "78204"], "4007005120");
    let business = add_onboarded_contractor(tx, caller, &business, reach)?;
    add_invited_contractor(
        tx,
        caller,
        &json!({ "type": "Individual", "first_name": "Lena", "last_name": "Marsh", "wage_type": "Hourly",
                                "hourly_rate": "45.00", "email": "lena.marsh@people.example" }),
    )?;
    let day = caller.today(tx).saturating_sub((HIRED_DAYS_AGO / 2).days());
    paid_before(tx, caller, business, day, ("wage", "850.00"))
}

/// The contractors of the company with a past, at its end: a business and a person who were paid each month since it began, as the company recorded,
/// and whose next payments are on their way; and a person who is invited.
pub(super) fn of_past(tx: &mut Tx<'_>, caller: &Caller, began: Date) -> Result<(), Error> {
    let laundry = json!({ "type": "Business", "business_name": "Bayside Linen Service LLC", "ein": "943550162", "wage_type": "Fixed",
                          "start_date": began.to_string(), "email": "accounts@baysidelinen.example" });
    let laundry = add_onboarded_contractor(
        tx,
        caller,
        &laundry,
        (["910 Tidewater Lane", "San Francisco", "CA", "94124"], "5520014417"),
    )?;
    let pianist = json!({ "type": "Individual", "first_name": "Theo", "last_name": "Vasquez", "ssn": "412551036", "wage_type": "Hourly",
                          "hourly_rate": "60.00", "start_date": began.to_string(), "email": "theo.vasquez@people.example" });
    let pianist = add_onboarded_contractor(
        tx,
        caller,
        &pianist,
        (["288 Fern Terrace", "San Francisco", "CA", "94110"], "5520023308"),
    )?;
    let today = caller.today(tx);
    for months in (1..=MONTHS_OF_PAST).rev() {
        let day = today.saturating_sub(months.months());
        if day < began {
            continue;
        }
        for (contractor, field, value) in [(laundry, "wage", "640.00"), (pianist, "hours", "16")] {
            paid_before(tx, caller, contractor, day, (field, value))?;
        }
    }
    add_invited_contractor(
        tx,
        caller,
        &json!({ "type": "Individual", "first_name": "Iris", "last_name": "Novak", "wage_type": "Fixed",
                                "email": "iris.novak@people.example" }),
    )?;
    let next = [
        json!({ "contractor_uuid": laundry, "wage": "640.00" }),
        json!({ "contractor_uuid": pianist, "hours": "16", "bonus": "50.00" }),
    ];
    pay_contractors(tx, caller, &json!(next))
}

/// A contractor whose onboarding an administrator finishes.
fn add_onboarded_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    body: &Value,
    (place, number): Reach,
) -> Result<Uuid, Error> {
    let contractor =
        profiles::service::create_contractor(tx, caller, &parse_input::<CreateContractor>(body)?.into())?
            .contractor
            .id;
    let [street, city, state, zip] = place;
    let version = addresses::service::get_contractor_address(tx, caller, contractor)?.version();
    let address = json!({ "version": version, "street_1": street, "city": city, "state": state, "zip": zip });
    addresses::service::update_contractor_address(
        tx,
        caller,
        contractor,
        &parse_input::<UpdateContractorAddress>(&address)?.into(),
    )?;
    let account = json!({ "name": "Operating account", "routing_number": "121000374", "account_number": number,
                          "account_type": "Checking" });
    accounts::service::set_account(
        tx,
        caller,
        contractor,
        &parse_input::<ContractorBankAccountInput>(&account)?.into(),
    )?;
    come_to(tx, caller, contractor, "onboarding_completed")?;
    Ok(contractor)
}

/// A contractor who begins today, and is to do the rest.
fn add_invited_contractor(tx: &mut Tx<'_>, caller: &Caller, body: &Value) -> Result<(), Error> {
    let mut body = body.clone();
    body["start_date"] = caller.today(tx).to_string().into();
    body["self_onboarding"] = true.into();
    let person =
        profiles::service::create_contractor(tx, caller, &parse_input::<CreateContractor>(&body)?.into())?
            .contractor
            .id;
    come_to(tx, caller, person, "self_onboarding_invited")
}

/// A payment that the company had made, and records.
fn paid_before(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    day: Date,
    (field, value): (&str, &str),
) -> Result<(), Error> {
    let mut body = json!({ "contractor_uuid": contractor, "date": day.to_string(), "payment_method": "Historical Payment" });
    body[field] = value.into();
    payments::create_payment(tx, caller, &parse_input::<CreateContractorPayment>(&body)?.into()).map(drop)
}

/// A group of payments on the earliest day on which accounts can be paid.
fn pay_contractors(tx: &mut Tx<'_>, caller: &Caller, lines: &Value) -> Result<(), Error> {
    let (now, today) = (tx.now(), caller.today(tx));
    let mut body =
        json!({ "check_date": earliest_check_date(now, today).to_string(), "contractor_payments": lines });
    let preview = payments::preview_group(
        tx,
        caller,
        &parse_input::<PreviewContractorPaymentGroup>(&body)?.into(),
        None,
    )?;
    body["creation_token"] = preview.token.into();
    payments::create_group(tx, caller, &parse_input::<CreateContractorPaymentGroup>(&body)?.into()).map(drop)
}

fn come_to(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid, status: &str) -> Result<(), Error> {
    let body = json!({ "onboarding_status": status });
    onboarding::update_onboarding_status(
        tx,
        caller,
        contractor,
        &parse_input::<UpdateContractorOnboardingStatus>(&body)?.into(),
    )
    .map(drop)
}
