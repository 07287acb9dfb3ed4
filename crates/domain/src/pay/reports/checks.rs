//! Paper checks of a payroll: check numbers are assigned on request, and the pages are made in the background.

use rules::money::format_amount;
use rules::payment::words::dollars_in_words;
use rules::{Amount, Checks, Violation};
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::rows::Request;
use super::service::insert_request;
use super::sheet::{Printed, print_all};
use super::terms::Terms;
use crate::access::tokens::Caller;
use crate::company::{banks, companies, locations};
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::pay::checks::rows as register;
use crate::pay::checks::rows::Check;
use crate::pay::checks::service as issuing;
use crate::pay::checks::service::Payable;
use crate::pay::payrolls::closing::processing::disbursements::ByCheck;
use crate::pay::payrolls::record::paycheck::DeductionPaid;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::{results, rows};
use crate::pay::payrolls::service as payrolls;
use crate::pay::payrolls::views::stub;
use crate::people::addresses;
use crate::people::employees::Employee;

/// Number of paychecks read at a time.
const STRETCH: i64 = 200;
/// Maximum number of checks of a payroll.
const MOST: usize = 2_000;

/// Position of the check on the page; the other two parts are stubs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Format {
    /// the top third
    #[strum(serialize = "top")]
    Top,
    /// the bottom third
    #[strum(serialize = "bottom")]
    Bottom,
}

/// Requests the checks of a payroll.
#[derive(Debug, Clone, Default)]
pub struct PrintChecks {
    /// position of the check on the page
    pub printing_format: Patch<Format>,
    /// first check number; by default, the next one
    pub starting_check_number: Patch<i64>,
}

/// Numbered checks whose pages are being made.
#[derive(Debug)]
pub struct PrintedChecks {
    /// the payroll
    pub payroll: Uuid,
    /// position of the check on the page
    pub format: Format,
    /// requested first check number
    pub start: Option<i64>,
    /// the request
    pub request: Request,
    /// the checks
    pub checks: Vec<Check>,
}

/// Numbers the checks of the employees whom a processed payroll pays by check, and requests the pages.
///
/// # Errors
/// "Not found"; every violation of the input; 422 if no employee is paid by check; a store error.
pub fn create_printed_checks(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: Uuid,
    input: &PrintChecks,
) -> Result<PrintedChecks, Error> {
    // Keeps the payroll from being cancelled in the meantime.
    tx.take_guard(caller.company, crate::pay::payrolls::record::payroll::TABLE, payroll)?;
    let payroll = payrolls::find_payroll(tx, caller, payroll)?;
    let mut checks = Checks::new();
    let format = input.printing_format.required("printing_format", &mut checks, as_is);
    let start = input.starting_check_number.optional("starting_check_number", &mut checks, |key, number| {
        if (1..=issuing::HIGHEST).contains(number) {
            return Ok(*number);
        }
        Err(Violation::invalid(key, format!("{key} must lie between 1 and {}", issuing::HIGHEST)))
    });
    let run = payroll.run.filter(|_| payroll.is_processed());
    checks.require(run.is_some(), || {
        Violation::invalid_operation("Checks are printed only for processed payrolls.")
    });
    checks.finish()?;
    let (Some(run), Some(format)) = (run, format) else {
        unreachable!("a payroll without a calculation is refused")
    };
    let payables = check_payables(tx, caller.company, (&payroll, run))?;
    if payables.is_empty() {
        return Err(Violation::invalid_operation("Nobody is paid by check in this payroll.").into());
    }
    let checks = issuing::issue_checks(tx, caller, (payroll.id, run), &payables, start)?;
    let at_bottom = format == Format::Bottom;
    let request = insert_request(tx, caller, Terms::PrintableChecks { payroll: payroll.id, run, at_bottom })?;
    Ok(PrintedChecks { payroll: payroll.id, format, start, request, checks })
}

/// Returns the employees who are paid by check, originally or instead of direct deposit, ordered by employee.
fn check_payables(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, run): (&Payroll, Uuid),
) -> Result<Vec<Payable>, Error> {
    let (mut found, mut after) = (Vec::new(), Uuid::nil());
    let by_check = ByCheck::of_payroll(tx, company, payroll)?;
    loop {
        let some = results::outcomes_after(tx, company, run, after, STRETCH)?;
        let Some(last) = some.last() else { return Ok(found) };
        after = last.employee;
        for outcome in &some {
            let cents = by_check.cents_of(outcome, &outcome.read_paycheck()?);
            if cents > 0 {
                found.push(Payable { employee: outcome.employee, cents });
            }
        }
        if found.len() > MOST {
            return Err(Violation::invalid_operation(format!("At most {MOST} checks can be printed.")).into());
        }
    }
}

/// Makes the pages of a calculation's checks that are not void.
///
/// # Errors
/// "Not found"; 422 if all are void; a store error.
pub(super) fn print_checks(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    at_bottom: bool,
) -> Result<Vec<u8>, Error> {
    let checks = register::of_run(tx, company, run)?;
    let Some(payroll) = checks.first().map(|check| check.payroll) else {
        return Err(Violation::invalid_operation("Every check is void.").into());
    };
    let payroll = rows::find_payroll(tx, company, payroll)?.ok_or(Error::NotFound)?;
    let payer = payer_lines(tx, company)?;
    let micr = micr_account(tx, company)?;
    let mut printed = Vec::with_capacity(checks.len());
    for check in checks {
        let micr = micr.as_ref().map(|(routing, account)| micr_line(check.number, routing, account));
        printed.push(printed_check(tx, company, &payroll, check, (payer.clone(), micr))?);
    }
    Ok(print_all(&printed, at_bottom))
}

/// Makes the pages of a payroll's checks, with the check at the top.
///
/// # Errors
/// "Not found"; 422 if none was issued, or all are void; a store error.
pub fn check_pages(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid) -> Result<Vec<u8>, Error> {
    let payroll = payrolls::find_payroll(tx, caller, payroll)?;
    print_checks(tx, caller.company, payroll.run.ok_or(Error::NotFound)?, false)
}

/// Returns the company's name and, if it has a filing address, that address.
fn payer_lines(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<String>, Error> {
    let mut lines = vec![companies::rows::find_company(tx, company)?.ok_or(Error::NotFound)?.name];
    let places = locations::rows::of_company(tx, company)?;
    if let Some(place) = places.into_iter().find(|place| place.filing_address) {
        lines.push(match place.street_2 {
            Some(second) => format!("{}, {second}", place.street_1),
            None => place.street_1,
        });
        lines.push(format!("{}, {} {}", place.city, place.state, place.zip));
    }
    Ok(lines)
}

/// Returns the routing and account number of the company's bank account, if the MICR line is enabled.
fn micr_account(
    tx: &mut Tx<'_>,
    company: Uuid,
) -> Result<Option<(String, zeroize::Zeroizing<String>)>, Error> {
    if !register::micr_line(tx, company)? {
        return Ok(None);
    }
    let Some(account) = banks::rows::current_account(tx, company)? else {
        return Err(Violation::invalid_operation(
            "The MICR line is enabled, but the company has no bank account.",
        )
        .into());
    };
    Ok(Some((account.routing_number(tx, company)?, account.account_number(tx, company)?)))
}

/// Formats the MICR line with the letters that E-13B fonts use for its symbols: `C` around the check number and after the account number,
/// `A` around the routing number.
fn micr_line(number: i64, routing: &str, account: &str) -> String {
    format!("C{number:06}C A{routing}A {account}C")
}

fn printed_check(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    check: Check,
    (payer, micr): (Vec<String>, Option<String>),
) -> Result<Printed, Error> {
    let outcome = results::find_outcome(tx, company, check.run, check.employee)?.ok_or(Error::NotFound)?;
    let paid = outcome.read_paycheck()?;
    let employee = Employee::find(tx, company, check.employee)?.ok_or(Error::NotFound)?;
    let homes = addresses::rows::home_addresses(tx, company, check.employee)?;
    let name = format!("{} {}", employee.first_name, employee.last_name);
    let mut payee = vec![name];
    if let Some(home) =
        rules::effective::active_record(&homes, payroll.check_date, |home| home.effective_date)
    {
        payee.push(match &home.street_2 {
            Some(second) => format!("{}, {second}", home.street_1),
            None => home.street_1.clone(),
        });
        payee.push(format!("{}, {} {}", home.city, home.state, home.zip));
    }
    let earned = stub::earnings_of(payroll.id, &outcome, &paid).into_iter();
    let taxes = paid.taxes_of_employee().filter(|tax| tax.amount != Amount::ZERO);
    let mut taken: Vec<(String, String)> =
        taxes.map(|tax| (tax.label.clone(), format_amount(tax.amount))).collect();
    let orders = paid.deductions.iter().map(|one| (one.name.clone(), one.amount));
    let fees = paid.deductions.iter().filter_map(DeductionPaid::fee_line);
    let benefits = paid.benefits.iter().map(|one| (one.name.clone(), one.deduction));
    let deductions = orders.chain(fees).chain(benefits).filter(|(_, amount)| *amount != Amount::ZERO);
    taken.extend(deductions.map(|(name, amount)| (name, format_amount(amount))));
    let mut sums = vec![("Gross pay".to_owned(), format_amount(outcome.gross))];
    if paid.cash_tips != Amount::ZERO {
        sums.push(("Tips received in cash".to_owned(), format_amount(paid.cash_tips)));
    }
    sums.push(("Net pay".to_owned(), format_amount(outcome.net)));
    if paid.reimbursements != Amount::ZERO {
        sums.push(("Reimbursements".to_owned(), format_amount(paid.reimbursements)));
    }
    Ok(Printed {
        number: check.number,
        date: payroll.check_date,
        period: payroll.days(),
        payer,
        payee,
        amount: Amount::from_cents(check.cents).to_text(2),
        words: dollars_in_words(check.cents),
        earned: earned.map(|(label, paid_for)| (label, format_amount(paid_for))).collect(),
        taken,
        sums,
        micr,
    })
}
