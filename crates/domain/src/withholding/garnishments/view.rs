//! How garnishments and agencies are told.

use rules::Amount;
use rules::Named;
use rules::payroll::garnishment::{
    Agencies, Agency, GarnishmentType, Identifier, ManualReason, Remittance, remittance,
};

use super::rows::Garnishment;
use super::service::TABLE;
use super::{shapes, withheld};
use crate::records::version_text;

/// Every agency.
pub fn agencies(agencies: &Agencies) -> shapes::ChildSupportData {
    shapes::ChildSupportData { agencies: agencies.iter().map(agency).collect() }
}

fn agency(agency: &Agency) -> shapes::ChildSupportAgency {
    let code = |code: &rules::payroll::garnishment::FipsCode| shapes::AgencyFipsCode {
        code: code.code.clone(),
        county: code.county.clone(),
    };
    let attribute =
        |needed: &Identifier| shapes::AgencyAttribute { key: needed.as_str(), label: needed.label() };
    shapes::ChildSupportAgency {
        state: agency.state.clone(),
        name: agency.name.clone(),
        manual_payment_required: agency.manual_payment_required,
        remittance_reminder: remittance(agency.manual_payment_required, false)
            .reason()
            .map(ManualReason::reminder),
        fips_codes: agency.fips_codes.iter().map(code).collect(),
        required_attributes: agency.required.iter().map(attribute).collect(),
    }
}

/// A garnishment.
pub fn garnishment(record: &Garnishment, agencies: &Agencies) -> shapes::Garnishment {
    let terms = &record.terms;
    let text = |amount: Option<Amount>| amount.map(|amount| amount.to_text(2));
    let remittance = withheld::remittance_of(record, agencies, false);
    let reason = remittance.and_then(Remittance::reason);
    shapes::Garnishment {
        uuid: record.id,
        version: version_text(TABLE, record.id, record.version),
        employee_uuid: record.employee,
        active: terms.active,
        amount: terms.amount.to_text(2),
        description: record.description.clone(),
        court_ordered: terms.court_ordered,
        times: terms.times,
        recurring: terms.recurring,
        annual_maximum: text(terms.annual_maximum),
        total_amount: text(terms.total_amount),
        pay_period_maximum: text(terms.pay_period_maximum),
        deduct_as_percentage: terms.deduct_as_percentage,
        garnishment_type: terms.garnishment_type.map(GarnishmentType::as_str),
        child_support: child_support(record),
        income_withholding_order: order(record),
        remittance: remittance.map(Remittance::as_str),
        remittance_reason: reason.map(ManualReason::as_str),
        remittance_reminder: reason.map(ManualReason::reminder),
    }
}

fn child_support(record: &Garnishment) -> Option<shapes::GarnishmentChildSupport> {
    let (payee, support) = record.payee.as_ref().zip(record.terms.child_support.as_ref())?;
    Some(shapes::GarnishmentChildSupport {
        state: payee.state.clone(),
        payment_period: support.payment_period.as_str(),
        fips_code: payee.fips_code.clone(),
        case_number: payee.case_number.clone(),
        order_number: payee.order_number.clone(),
        remittance_number: payee.remittance_number.clone(),
    })
}

/// The details of an order; none where nothing is known of it.
fn order(record: &Garnishment) -> Option<shapes::IncomeWithholdingOrder> {
    let order = &record.terms.child_support.as_ref()?.order;
    if *order == Default::default() {
        return None;
    }
    let text = |amount: Option<Amount>| amount.map(|amount| amount.to_text(2));
    Some(shapes::IncomeWithholdingOrder {
        current_support: text(order.current_support),
        arrears: text(order.arrears),
        medical_support: text(order.medical_support),
        arrears_over_12_weeks: order.arrears_over_12_weeks,
        supports_other_family: order.supports_other_family,
        received_on: order.received_on,
    })
}
