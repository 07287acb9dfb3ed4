//! Every operation of the interface.

use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::company::{
    attachments, banks, companies, forms as company_forms, locations, money, notices, partners, places,
    setup, signatories, suspensions, taxes as company_taxes,
};
use crate::contractors;
use crate::pay::{
    books, checks, compensations, digests, earning_types, external_payrolls, holiday_pay, minimum_wages,
    pay_schedules, payroll_batches, payrolls, reimbursements, reports, taxes as tax_catalog, time_off,
    time_off_requests, time_sheets,
};
use crate::people::{
    addresses, batches, departments, employees, employment, flows, forms, historical, new_hires, onboarding,
    payment_methods,
};
use crate::salary::{estimates, occupations};
use crate::withholding::{garnishments, taxes};
use crate::{access, benefits, events, openapi, operations, test_clock, version};

/// The published description of the operations of this crate, for tests of what it says.
#[cfg(test)]
pub fn published_description() -> utoipa::openapi::OpenApi {
    openapi::complete_operations(all_operations(true).into_openapi())
}

/// Every operation with its description. The test clock is described always and served only by `stipend dev`.
pub fn all_operations(dev: bool) -> OpenApiRouter<App> {
    let router = OpenApiRouter::with_openapi(openapi::description_frame())
        .merge(companies::routes())
        .merge(signatories::routes())
        .merge(company_taxes::routes())
        .merge(banks::routes())
        .merge(company_forms::routes())
        .merge(attachments::routes())
        .merge(setup::routes())
        .merge(partners::routes())
        .merge(suspensions::routes())
        .merge(money::routes())
        .merge(notices::routes())
        .merge(locations::routes())
        .merge(places::routes())
        .merge(minimum_wages::routes())
        .merge(employees::routes())
        .merge(historical::routes())
        .merge(batches::routes())
        .merge(employment::routes())
        .merge(departments::routes())
        .merge(new_hires::routes())
        .merge(contractors::records::routes())
        .merge(contractors::addresses::routes())
        .merge(contractors::accounts::routes())
        .merge(contractors::onboarding::routes())
        .merge(contractors::employment::routes())
        .merge(contractors::documents::routes())
        .merge(contractors::payments::routes())
        .merge(contractors::forms::routes())
        .merge(contractors::new_hires::routes())
        .merge(addresses::routes())
        .merge(compensations::routes())
        .merge(taxes::routes())
        .merge(onboarding::routes())
        .merge(payment_methods::routes())
        .merge(pay_schedules::routes())
        .merge(payrolls::routes())
        .merge(digests::routes())
        .merge(payroll_batches::routes())
        .merge(earning_types::routes())
        .merge(external_payrolls::routes())
        .merge(holiday_pay::routes())
        .merge(reimbursements::routes())
        .merge(books::routes())
        .merge(reports::routes())
        .merge(checks::routes())
        .merge(time_off::routes())
        .merge(time_off_requests::routes())
        .merge(time_sheets::routes())
        .merge(tax_catalog::routes())
        .merge(benefits::routes())
        .merge(flows::routes())
        .merge(forms::routes())
        .merge(garnishments::routes())
        .merge(events::webhooks::routes())
        .merge(events::routes())
        .merge(access::oauth::routes())
        .merge(access::me::routes())
        .merge(occupations::routes())
        .merge(estimates::routes())
        .merge(version::api::routes())
        .merge(operations::routes());
    if dev { router.merge(test_clock::routes()) } else { router }
}
