//! The pay stub: what was earned, taken and paid, with the sums of the year, as PDF.

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::{Job, Worked};
use store::Tx;
use uuid::Uuid;

use super::entered::{HourlyKind, RECALCULATED_PREMIUM};
use super::explain::calculated;
use super::inputs::PaycheckInputs;
use super::paid::{DeductionPaid, JobPaid, Outcome, Paid};
use super::rows::Payroll;
use super::sums::YearSums;
use crate::access::tokens::Caller;
use crate::company::{companies, locations};
use crate::error::Error;
use crate::people::forms::document::{Document, Line, Section, Signature};
use crate::people::forms::pdf;
use crate::people::{employees, payment_methods};

/// The pay stub of an employee in a calculated payroll.
///
/// # Errors
/// "Not found", also before the payroll is calculated; a store error.
pub fn pdf(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, employee: Uuid) -> Result<Vec<u8>, Error> {
    Ok(pdf::render(&stub(tx, caller, id, employee)?.document))
}

/// A pay stub before it is laid out.
#[derive(Debug)]
pub struct Stub {
    /// what it says
    pub document: Document,
    /// first and last day
    pub period: (Date, Date),
    /// pay date
    pub check_date: Date,
    /// what remains after taxes and deductions
    pub net: Amount,
    /// all wages
    pub gross: Amount,
    /// the employee's taxes
    pub taxes: Amount,
    /// what benefits and garnishments take
    pub deductions: Amount,
    /// the employer's taxes and contributions on top
    pub employer: Amount,
    /// what was earned and what remained in the year, with this pay; none where the sums are of no such year
    pub to_date: Option<(Amount, Amount)>,
}

/// What the pay stub of an employee in a calculated payroll says.
///
/// # Errors
/// "Not found", also before the payroll is calculated; a store error.
pub fn stub(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, employee: Uuid) -> Result<Stub, Error> {
    let (payroll, outcome) = calculated(tx, caller, id, employee)?;
    let paid = outcome.paid()?;
    // What an earlier or a later version of the program left may be unreadable; what was paid is not.
    let inputs = outcome.readable_inputs(payroll.id);
    let person = employees::service::find(tx, caller, employee)?;
    let company = companies::rows::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut employer = vec![company.name];
    let places = locations::rows::of_company(tx, caller.company)?;
    if let Some(place) = places.into_iter().find(|place| place.filing_address) {
        employer.push(place.street_1);
        employer.extend(place.street_2);
        employer.push(format!("{}, {} {}", place.city, place.state, place.zip));
    }
    let mut about = vec![format!("{} {}", person.first_name, person.last_name)];
    if let Some(ssn) = employees::rows::ssn(tx, caller.company, &person)? {
        about.push(format!("SSN ***-**-{}", ssn.get(5..).unwrap_or_default()));
    }
    let sums = outcome.sums()?;
    let year = sums.years.get(&payroll.check_date.year());
    let mut sections =
        vec![period(&payroll), earnings(&outcome, &paid, inputs.as_ref(), year), taxes(&paid, year)];
    sections.extend(deductions(&paid, year));
    sections.push(payment(tx, caller, employee, (&outcome, &paid), year)?);
    sections.extend(time_off(&paid));
    sections.extend(uncollected(&payroll, &paid));
    sections.extend(employers(&paid));
    sections.extend(notes(&paid, inputs.is_some()));
    let document = Document {
        id: employee,
        title: "Pay stub",
        code: payroll.check_date.to_string(),
        intro: if payroll.is_processed() {
            "What was earned, what was taken from it, and what is paid out."
        } else {
            "Not processed yet: these figures can still change."
        },
        signer: "Employee",
        signed_by: about,
        on_behalf_of: ("Employer", employer),
        sections,
        statement: &[],
        signature: Signature::NotAsked,
        preparers: Vec::new(),
    };
    Ok(Stub {
        document,
        period: (payroll.start, payroll.end),
        check_date: payroll.check_date,
        net: outcome.net,
        gross: outcome.gross,
        taxes: sum(paid.taxes.iter().filter(|(_, employer, _)| !employer).map(|tax| tax.2)),
        deductions: sum(paid
            .deductions
            .iter()
            .map(DeductionPaid::with_fee)
            .chain(paid.benefits.iter().map(|one| one.deduction))),
        employer: sum(paid
            .taxes
            .iter()
            .filter(|(_, employer, _)| *employer)
            .map(|tax| tax.2)
            .chain(paid.benefits.iter().map(|one| one.contribution))),
        to_date: year.map(|year| (Amount::from_millionths(year.gross), Amount::from_millionths(year.net))),
    })
}

fn sum(amounts: impl Iterator<Item = i64>) -> Amount {
    Amount::from_millionths(amounts.sum())
}

/// What something comes to in the year so far; nothing where that is not known.
fn of_year(year: Option<&YearSums>, read: impl FnOnce(&YearSums) -> Option<i64>) -> String {
    year.and_then(read).map(dollars).unwrap_or_default()
}

fn dollars(millionths: i64) -> String {
    Amount::from_millionths(millionths).to_text(2)
}

fn line(label: impl Into<String>, value: impl Into<String>) -> Line {
    Line::new("", label, value)
}

fn section(heading: &str, lines: Vec<Line>) -> Section {
    Section { heading: heading.to_owned(), lines }
}

/// A section, unless it would be empty.
fn some(heading: &str, lines: Vec<Line>) -> Option<Section> {
    (!lines.is_empty()).then(|| section(heading, lines))
}

fn period(payroll: &Payroll) -> Section {
    let days = format!("{} to {}, paid on {}", payroll.start, payroll.end, payroll.check_date);
    section("Pay period", vec![line("From, until and pay date", days)])
}

/// What was earned; without hours, and with further earnings in one line, where the inputs cannot be read.
fn earnings(
    outcome: &Outcome,
    paid: &Paid,
    inputs: Option<&PaycheckInputs>,
    year: Option<&YearSums>,
) -> Section {
    let mut lines = match inputs {
        Some(inputs) => earnings_of(paid, inputs),
        None => earnings_as_paid(outcome, paid),
    };
    lines.push(line("Gross pay", outcome.gross.to_text(2)).to_date(of_year(year, |year| Some(year.gross))));
    section("Earnings", lines)
}

fn earnings_as_paid(outcome: &Outcome, paid: &Paid) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut rest = outcome.gross.millionths();
    for (place, pay) in paid.jobs.iter().enumerate() {
        let of = if paid.jobs.len() > 1 { format!(" (job {})", place + 1) } else { String::new() };
        let hourly = HourlyKind::ALL.iter().map(|kind| kind.as_str()).zip(pay.hourly);
        let others = [
            ("Salary", pay.salary),
            ("Paid time off", pay.time_off.iter().sum()),
            (rules::payroll::MINIMUM_WAGE_ADJUSTMENT, pay.make_up),
            (RECALCULATED_PREMIUM, pay.recalculated),
        ];
        for (name, amount) in hourly.chain(others).filter(|(_, amount)| *amount > 0) {
            rest -= amount;
            lines.push(line(format!("{name}{of}"), dollars(amount)));
        }
    }
    if rest != 0 {
        lines.push(line("Further earnings", dollars(rest)));
    }
    lines
}

fn earnings_of(paid: &Paid, inputs: &PaycheckInputs) -> Vec<Line> {
    let mut lines = Vec::new();
    for (place, (job, pay)) in inputs.jobs.iter().zip(&paid.jobs).enumerate() {
        let of = if inputs.jobs.len() > 1 { format!(" (job {})", place + 1) } else { String::new() };
        if pay.salary > 0 {
            lines.push(line(format!("Salary{of}"), dollars(pay.salary)));
        }
        for (kind, amount) in HourlyKind::ALL.iter().zip(pay.hourly) {
            if amount > 0 {
                let label = format!("{}{of}, {} h", kind.as_str(), hours(job, pay, *kind).to_text(2));
                lines.push(line(label, dollars(amount)));
            }
        }
        for ((kind, off), amount) in inputs.time_off.iter().zip(&job.time_off).zip(&pay.time_off) {
            let hours = Amount::from_millionths(off.hours.millionths() + off.paid_out.millionths());
            lines.push(line(format!("{}, {} h", kind.as_str(), hours.to_text(2)), dollars(*amount)));
        }
        if pay.recalculated > 0 {
            lines.push(line(format!("{RECALCULATED_PREMIUM}{of}"), dollars(pay.recalculated)));
        }
        if pay.make_up > 0 {
            lines
                .push(line(format!("{}{of}", rules::payroll::MINIMUM_WAGE_ADJUSTMENT), dollars(pay.make_up)));
        }
    }
    for fixed in &inputs.fixed {
        lines.push(line(fixed.name.as_str(), fixed.pay.amount.to_text(2)));
    }
    for custom in &inputs.custom {
        lines.push(line(custom.name.as_str(), custom.pay.amount.to_text(2)));
    }
    lines
}

/// Hours of a job, those of all workweeks together, as they were sorted.
pub(crate) fn hours(job: &Job, pay: &JobPaid, kind: HourlyKind) -> Amount {
    let of = |worked: &Worked| match kind {
        HourlyKind::Regular => worked.regular,
        HourlyKind::Overtime => worked.overtime,
        HourlyKind::DoubleOvertime => worked.double_overtime,
    };
    let entered: i64 = job.worked.iter().map(|worked| of(worked).millionths()).sum();
    Amount::from_millionths(entered + pay.hours[kind.place()])
}

fn taxes(paid: &Paid, year: Option<&YearSums>) -> Section {
    let own = paid.taxes.iter().filter(|(_, employer, _)| !employer);
    let so_far = |name: &str| year.and_then(|year| year.taxes.get(name).copied());
    let shown = own.filter(|(name, _, amount)| *amount != 0 || so_far(name).is_some_and(|sum| sum != 0));
    let mut lines: Vec<_> = shown
        .map(|(name, _, amount)| {
            line(name.as_str(), dollars(*amount)).to_date(of_year(year, |_| so_far(name)))
        })
        .collect();
    if lines.is_empty() {
        lines.push(line("No taxes", dollars(0)));
    }
    section("Taxes of the employee", lines)
}

fn deductions(paid: &Paid, year: Option<&YearSums>) -> Option<Section> {
    let orders = paid.deductions.iter().filter(|one| one.amount > 0).map(|one| {
        let so_far = of_year(year, |year| year.garnishments.get(&one.id).copied());
        line(one.name.as_str(), dollars(one.amount)).to_date(so_far)
    });
    let fees = paid.deductions.iter().filter_map(|one| {
        let (name, fee) = one.fee_line()?;
        let so_far = of_year(year, |year| year.garnishment_fees.get(&one.id).copied());
        Some(line(name.as_str(), dollars(fee)).to_date(so_far))
    });
    let benefits = paid.benefits.iter().filter(|one| one.deduction > 0).map(|one| {
        let so_far = of_year(year, |year| Some(year.benefits.get(&one.company_benefit)?.1));
        line(one.name.as_str(), dollars(one.deduction)).to_date(so_far)
    });
    some("Deductions", orders.chain(fees).chain(benefits).collect())
}

fn payment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    (outcome, paid): (&Outcome, &Paid),
    year: Option<&YearSums>,
) -> Result<Section, Error> {
    let mut lines = Vec::new();
    if paid.cash_tips > 0 {
        lines.push(line("Tips received in cash", dollars(paid.cash_tips)));
    }
    lines.push(line("Net pay", outcome.net.to_text(2)).to_date(of_year(year, |year| Some(year.net))));
    if paid.reimbursements > 0 {
        lines.push(line("Reimbursements", dollars(paid.reimbursements)));
    }
    lines.push(line("Paid out", outcome.check_amount.to_text(2)));
    if paid.splits.is_empty() {
        lines.push(line("By check", outcome.check_amount.to_text(2)));
    } else {
        let accounts = payment_methods::rows::accounts(tx, caller.company, employee)?;
        for (account, cents) in &paid.splits {
            let label = match accounts.iter().find(|held| held.id == *account) {
                Some(held) => format!("{} {}", held.name, held.hidden_account_number(tx, caller.company)?),
                None => "A bank account that is no longer held".to_owned(),
            };
            lines.push(line(label, Amount::from_cents(*cents).to_text(2)));
        }
    }
    Ok(section("Payment", lines))
}

/// What was earned and taken of time off, and what is left.
fn time_off(paid: &Paid) -> Option<Section> {
    let hours = |millionths: i64| Amount::from_millionths(millionths).to_text(2);
    let mut lines = Vec::new();
    for one in &paid.leave {
        let name = one.kind.as_str();
        let moves = [("earned", one.earned), ("taken", one.used), ("paid out", one.paid_out)];
        let moves = moves.into_iter().filter(|(_, moved)| *moved != 0);
        lines.extend(moves.map(|(what, moved)| line(format!("{name}, {what}"), hours(moved))));
        lines.extend(one.balance.map(|balance| line(format!("{name}, balance"), hours(balance))));
    }
    some("Time off", lines)
}

/// Taxes on tips that pay did not reach for, in the year so far.
fn uncollected(payroll: &Payroll, paid: &Paid) -> Option<Section> {
    let lines = paid.uncollected.iter().map(|tax| {
        let label = format!("{} (Form W-2, box 12, code {})", tax.name(), tax.code);
        line(label, dollars(tax.year_to_date))
    });
    some(&format!("Year {} to date", payroll.check_date.year()), lines.collect())
}

fn employers(paid: &Paid) -> Option<Section> {
    let taxes = paid.taxes.iter().filter(|(_, employer, amount)| *employer && *amount != 0);
    let taxes = taxes.map(|(name, _, amount)| (name.as_str(), *amount));
    let benefits = paid.benefits.iter().filter(|one| one.contribution > 0);
    let benefits = benefits.map(|one| (one.name.as_str(), one.contribution));
    some(
        "Paid by the employer on top",
        taxes.chain(benefits).map(|(name, amount)| line(name, dollars(amount))).collect(),
    )
}

/// The warnings of the paycheck, and why there are no hours where its inputs cannot be read.
fn notes(paid: &Paid, hours_known: bool) -> Option<Section> {
    let mut lines: Vec<_> = paid.warnings.iter().map(|warning| line(warning.message.as_str(), "")).collect();
    if !hours_known {
        lines.push(line(
            "The hours of this pay period can no longer be read; the amounts are those that were paid.",
            "",
        ));
    }
    some("Notes", lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_without_hours_says_why() {
        assert!(notes(&Paid::default(), true).is_none());
        let told = notes(&Paid::default(), false).unwrap();
        assert!(told.lines.len() == 1 && told.lines[0].label.contains("can no longer be read"));
    }
}
