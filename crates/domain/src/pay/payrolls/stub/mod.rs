//! The pay stub: what was earned, taken and paid, with the sums of the year, as PDF, in the language of whoever reads it.

pub mod warnings;
mod words;

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::{Job, Worked};
use store::Tx;
use uuid::Uuid;

use super::disbursements::ByCheck;
use super::entered::{FixedKind, HourlyKind};
use super::explain::calculated;
use super::inputs::PaycheckInputs;
use super::paid::{DeductionPaid, JobPaid, Outcome, Paid};
use super::rows::Payroll;
use super::sums::YearSums;
use crate::access::tokens::Caller;
use crate::company::{companies, locations};
use crate::error::Error;
use crate::language::{Language, fill};
use crate::people::forms::document::{Document, Line, LineKind, Section, Signature};
use crate::people::forms::pdf;
use crate::people::{employees, payment_methods};

pub use self::words::Words;

/// The pay stub of an employee in a calculated payroll, in English.
///
/// # Errors
/// "Not found", also before the payroll is calculated; a store error.
pub fn pdf(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, employee: Uuid) -> Result<Vec<u8>, Error> {
    Ok(pdf::render(&stub(tx, caller, id, employee, Language::English)?.document))
}

/// A pay stub before it is laid out.
#[derive(Debug)]
pub struct Stub {
    /// what it says; its first section is the pay period
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
pub fn stub(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    employee: Uuid,
    language: Language,
) -> Result<Stub, Error> {
    let w = words::of(language);
    let (payroll, outcome) = calculated(tx, caller, id, employee)?;
    let mut paid = outcome.paid()?;
    ByCheck::of(tx, caller.company, &payroll)?.take_out(&outcome, &mut paid);
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
        about.push(fill(w.ssn, &[("digits", ssn.get(5..).unwrap_or_default())]));
    }
    let sums = outcome.sums()?;
    let year = sums.years.get(&payroll.check_date.year());
    let mut sections =
        vec![period(w, &payroll), earnings(w, &outcome, &paid, inputs.as_ref(), year), taxes(w, &paid, year)];
    sections.extend(deductions(w, &paid, year));
    sections.push(payment(tx, caller, w, employee, (&outcome, &paid), year)?);
    sections.extend(time_off(w, &paid));
    sections.extend(uncollected(w, &payroll, &paid));
    sections.extend(employers(w, &paid));
    sections.extend(notes(language, &paid, inputs.is_some()));
    let document = Document {
        id: employee,
        language,
        title: w.title,
        code: payroll.check_date.to_string(),
        intro: if payroll.is_processed() { w.intro } else { w.intro_open },
        signer: w.employee,
        signed_by: about,
        on_behalf_of: (w.employer, employer),
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

/// A line of words or hours.
fn line(label: impl Into<String>, value: impl Into<String>) -> Line {
    Line::new("", label, value)
}

/// A line of an amount.
fn amount(label: impl Into<String>, millionths: i64) -> Line {
    line(label, dollars(millionths)).of(LineKind::Dollars)
}

/// A line that sums up those before it.
fn total(label: &str, sum: Amount) -> Line {
    line(label, sum.to_text(2)).of(LineKind::Sum)
}

fn section(heading: &str, lines: Vec<Line>) -> Section {
    Section { heading: heading.to_owned(), lines }
}

/// A section, unless it would be empty.
fn some(heading: &str, lines: Vec<Line>) -> Option<Section> {
    (!lines.is_empty()).then(|| section(heading, lines))
}

fn period(w: &Words, payroll: &Payroll) -> Section {
    let days = [payroll.start, payroll.end, payroll.check_date].map(|day| day.to_string());
    let days = fill(w.period_days, &[("from", &days[0]), ("until", &days[1]), ("day", &days[2])]);
    section(w.period, vec![line(w.period_line, days)])
}

/// What was earned; without hours, and with further earnings in one line, where the inputs cannot be read.
fn earnings(
    w: &Words,
    outcome: &Outcome,
    paid: &Paid,
    inputs: Option<&PaycheckInputs>,
    year: Option<&YearSums>,
) -> Section {
    let mut lines = match inputs {
        Some(inputs) => earnings_of(w, paid, inputs),
        None => earnings_as_paid(w, outcome, paid),
    };
    lines.push(total(w.gross, outcome.gross).to_date(of_year(year, |year| Some(year.gross))));
    section(w.earnings, lines)
}

/// What a line of a job is called; with the job's number where there are several.
fn of_job(w: &Words, name: &str, place: usize, jobs: usize) -> String {
    match jobs > 1 {
        true => fill(w.of_job, &[("name", name), ("number", &(place + 1).to_string())]),
        false => name.to_owned(),
    }
}

fn earnings_as_paid(w: &Words, outcome: &Outcome, paid: &Paid) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut rest = outcome.gross.millionths();
    for (place, pay) in paid.jobs.iter().enumerate() {
        let hourly = HourlyKind::ALL.iter().map(|kind| w.hourly(*kind)).zip(pay.hourly);
        let others = [
            (w.salary, pay.salary),
            (w.time_off_paid, pay.time_off.iter().sum()),
            (w.fixed(FixedKind::MinimumWageAdjustment), pay.make_up),
            (w.premium, pay.recalculated),
        ];
        for (name, paid_for) in hourly.chain(others).filter(|(_, paid_for)| *paid_for > 0) {
            rest -= paid_for;
            lines.push(amount(of_job(w, name, place, paid.jobs.len()), paid_for));
        }
    }
    if rest != 0 {
        lines.push(amount(w.further, rest));
    }
    lines
}

fn earnings_of(w: &Words, paid: &Paid, inputs: &PaycheckInputs) -> Vec<Line> {
    let with_hours =
        |name: &str, hours: Amount| fill(w.hours, &[("name", name), ("hours", &hours.to_text(2))]);
    let mut lines = Vec::new();
    for (place, (job, pay)) in inputs.jobs.iter().zip(&paid.jobs).enumerate() {
        let called = |name: &str| of_job(w, name, place, inputs.jobs.len());
        if pay.salary > 0 {
            lines.push(amount(called(w.salary), pay.salary));
        }
        for (kind, paid_for) in HourlyKind::ALL.iter().zip(pay.hourly) {
            if paid_for > 0 {
                let label = with_hours(&called(w.hourly(*kind)), hours(job, pay, *kind));
                lines.push(amount(label, paid_for));
            }
        }
        for ((kind, off), paid_for) in inputs.time_off.iter().zip(&job.time_off).zip(&pay.time_off) {
            let hours = Amount::from_millionths(off.hours.millionths() + off.paid_out.millionths());
            lines.push(amount(with_hours(w.off(*kind), hours), *paid_for));
        }
        for (name, paid_for) in
            [(w.premium, pay.recalculated), (w.fixed(FixedKind::MinimumWageAdjustment), pay.make_up)]
        {
            if paid_for > 0 {
                lines.push(amount(called(name), paid_for));
            }
        }
    }
    lines.extend(inputs.fixed.iter().map(|fixed| amount(w.fixed(fixed.name), fixed.pay.amount.millionths())));
    let custom = inputs.custom.iter();
    lines.extend(custom.map(|custom| amount(custom.name.as_str(), custom.pay.amount.millionths())));
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

fn taxes(w: &Words, paid: &Paid, year: Option<&YearSums>) -> Section {
    let own = paid.taxes.iter().filter(|(_, employer, _)| !employer);
    let so_far = |name: &str| year.and_then(|year| year.taxes.get(name).copied());
    let shown = own.filter(|(name, _, due)| *due != 0 || so_far(name).is_some_and(|sum| sum != 0));
    let mut lines: Vec<_> = shown
        .map(|(name, _, due)| amount(w.tax(name), *due).to_date(of_year(year, |_| so_far(name))))
        .collect();
    if lines.is_empty() {
        lines.push(amount(w.no_taxes, 0));
    }
    section(w.taxes, lines)
}

fn deductions(w: &Words, paid: &Paid, year: Option<&YearSums>) -> Option<Section> {
    let orders = paid.deductions.iter().filter(|one| one.amount > 0).map(|one| {
        let so_far = of_year(year, |year| year.garnishments.get(&one.id).copied());
        amount(one.name.as_str(), one.amount).to_date(so_far)
    });
    let fees = paid.deductions.iter().filter(|one| one.fee != 0).map(|one| {
        let so_far = of_year(year, |year| year.garnishment_fees.get(&one.id).copied());
        amount(fill(w.fee, &[("name", &one.name)]), one.fee).to_date(so_far)
    });
    let benefits = paid.benefits.iter().filter(|one| one.deduction > 0).map(|one| {
        let so_far = of_year(year, |year| Some(year.benefits.get(&one.company_benefit)?.1));
        amount(one.name.as_str(), one.deduction).to_date(so_far)
    });
    some(w.deductions, orders.chain(fees).chain(benefits).collect())
}

fn payment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    w: &Words,
    employee: Uuid,
    (outcome, paid): (&Outcome, &Paid),
    year: Option<&YearSums>,
) -> Result<Section, Error> {
    let mut lines = Vec::new();
    if paid.cash_tips > 0 {
        lines.push(amount(w.cash_tips, paid.cash_tips));
    }
    lines.push(total(w.net, outcome.net).to_date(of_year(year, |year| Some(year.net))));
    if paid.reimbursements > 0 {
        lines.push(amount(w.reimbursements, paid.reimbursements));
    }
    lines.push(total(w.paid_out, outcome.check_amount));
    if paid.splits.is_empty() {
        lines.push(amount(w.by_check, outcome.check_amount.millionths()));
    } else {
        let accounts = payment_methods::rows::accounts(tx, caller.company, employee)?;
        for (account, cents) in &paid.splits {
            let label = match accounts.iter().find(|held| held.id == *account) {
                Some(held) => format!("{} {}", held.name, held.hidden_account_number(tx, caller.company)?),
                None => w.account_gone.to_owned(),
            };
            lines.push(amount(label, Amount::from_cents(*cents).millionths()));
        }
    }
    Ok(section(w.payment, lines))
}

/// What was earned and taken of time off, and what is left.
fn time_off(w: &Words, paid: &Paid) -> Option<Section> {
    let mut lines = Vec::new();
    for one in &paid.leave {
        let moves = [(w.earned, one.earned), (w.taken, one.used), (w.hours_paid_out, one.paid_out)];
        let moves = moves.into_iter().filter(|(_, moved)| *moved != 0);
        let all = moves.chain(one.balance.map(|balance| (w.balance, balance)));
        lines.extend(all.map(|(label, hours)| {
            let hours = Amount::from_millionths(hours).to_text(2);
            line(fill(label, &[("name", w.off(one.kind))]), hours)
        }));
    }
    some(w.time_off, lines)
}

/// Taxes on tips that pay did not reach for, in the year so far.
fn uncollected(w: &Words, payroll: &Payroll, paid: &Paid) -> Option<Section> {
    let lines = paid.uncollected.iter().map(|tax| {
        let name = w.uncollected[usize::from(tax.code != "A")];
        amount(fill(w.box_12, &[("name", name), ("code", &tax.code)]), tax.year_to_date)
    });
    let year = payroll.check_date.year().to_string();
    some(&fill(w.year, &[("year", &year)]), lines.collect())
}

fn employers(w: &Words, paid: &Paid) -> Option<Section> {
    let taxes = paid.taxes.iter().filter(|(_, employer, due)| *employer && *due != 0);
    let taxes = taxes.map(|(name, _, due)| amount(w.tax(name), *due));
    let benefits = paid.benefits.iter().filter(|one| one.contribution > 0);
    let benefits = benefits.map(|one| amount(one.name.as_str(), one.contribution));
    some(w.on_top, taxes.chain(benefits).collect())
}

/// The warnings of the paycheck, and why there are no hours where its inputs cannot be read.
fn notes(language: Language, paid: &Paid, hours_known: bool) -> Option<Section> {
    let w = words::of(language);
    let told = paid.warnings.iter().map(|warning| warnings::told(warning, language).0);
    let mut lines: Vec<_> = told.map(|text| line(text, "")).collect();
    if !hours_known {
        lines.push(line(w.hours_unknown, ""));
    }
    some(w.notes, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_without_hours_says_why() {
        let english = Language::English;
        assert!(notes(english, &Paid::default(), true).is_none());
        let told = notes(english, &Paid::default(), false).unwrap();
        assert!(told.lines.len() == 1 && told.lines[0].label.contains("can no longer be read"));
    }
}
