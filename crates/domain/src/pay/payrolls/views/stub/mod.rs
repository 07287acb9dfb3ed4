//! The pay stub: earnings, deductions and payments, with year-to-date sums, as a PDF in the reader's language.

mod earnings;
mod lines;
mod taxes;
mod words;
mod year;

use jiff::civil::Date;
use rules::Amount;
use rules::amount::dollars_text;
use rules::days::Days;
use rules::effective;
use rules::payroll::benefits::{contribution_figure, deduction_figure};
use rules::payroll::figures;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::{companies, locations};
use crate::error::Error;
use crate::language::{Language, fill_placeholders};
use crate::money::ledger::paid_out::{self, Part, Whereto};
use crate::pay::payrolls::closing::processing::disbursements::ByCheck;
use crate::pay::payrolls::closing::reversals;
use crate::pay::payrolls::record::lines::StoredPaycheck;
use crate::pay::payrolls::record::paycheck::{DeductionPaid, Paid};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::service::details;
use crate::pay::payrolls::views::explain::find_calculated;
use crate::people::forms::document::{Document, DocumentLine, Section, Share, Signature};
use crate::people::forms::pdf;
use crate::people::{addresses, employees, payment_methods};

use crate::pay::payrolls::views::stub::lines::{
    amount_line, nonempty_section, stub_section, text_line, total_line,
};
pub use crate::pay::payrolls::views::stub::words::Words;
use crate::pay::payrolls::views::stub::year::OfYear;

/// Renders the pay stub of an employee in a calculated payroll, in English.
///
/// # Errors
/// "Not found", also before the payroll is calculated; a store error.
pub fn pay_stub_pdf(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, employee: Uuid) -> Result<Vec<u8>, Error> {
    Ok(pdf::render_pdf(&pay_stub(tx, caller, id, employee, Language::English)?.document))
}

/// A pay stub before layout.
#[derive(Debug)]
pub struct Stub {
    /// its text; the first section is the pay period
    pub document: Document,
    /// first and last day
    pub period: Days,
    /// pay date
    pub check_date: Date,
    /// gross less taxes and deductions
    pub net: Amount,
    /// all wages
    pub gross: Amount,
    /// the employee's taxes
    pub taxes: Amount,
    /// deductions for benefits and garnishments
    pub deductions: Amount,
    /// the employer's taxes and contributions
    pub employer: Amount,
}

/// Returns the pay stub of an employee in a calculated payroll.
///
/// # Errors
/// "Not found", also before the payroll is calculated; a store error.
pub fn pay_stub(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    employee: Uuid,
    language: Language,
) -> Result<Stub, Error> {
    let w = words::words_in(language);
    let (payroll, outcome, is_void) = calculated_or_void(tx, caller, id, employee)?;
    let mut paid = outcome.read_paycheck()?;
    ByCheck::of_payroll(tx, caller.company, &payroll)?.take_out(&outcome, &mut paid);
    // Inputs stored by another version of the program may be unreadable; the paid amounts are not.
    let inputs = outcome.readable_inputs(payroll.id);
    let about = employee_block(tx, caller, w, (employee, payroll.check_date))?;
    let employer = employer_block(tx, caller)?;
    let year = OfYear::read(tx, caller.company, w, (&payroll, &outcome))?;
    let year = year.as_ref();
    let paycheck = StoredPaycheck { outcome: &outcome, paid: &paid, inputs: inputs.as_ref() };
    let earnings = earnings::earnings_section(w, paycheck, year);
    let mut sections = vec![period_section(w, &payroll), earnings, taxes::taxes_section(w, &paid, year)];
    sections.extend(deductions_section(w, &paid, year));
    let parts = parts_of_net_pay(tx, caller, &payroll, (&outcome, &paid))?;
    sections.push(payment_section(tx, caller, w, (&outcome, &paid), &parts, year)?);
    sections.extend(time_off(w, &paid));
    sections.extend(uncollected_section(w, &payroll, &paid));
    sections.extend(employer_section(w, &paid));
    sections.extend(notes_section(language, &paid, inputs.is_some()));
    let withheld = paid.taxes_of_employee().map(|tax| tax.amount).sum::<Amount>();
    let of_orders = paid.deductions.iter().map(DeductionPaid::with_fee);
    let taken = of_orders.chain(paid.benefits.iter().map(|one| one.deduction)).sum();
    let document = Document {
        id: employee,
        language,
        title: w.title,
        code: language.format_day(payroll.check_date),
        intro: match (is_void, payroll.is_processed()) {
            (true, _) => w.intro_void,
            (false, true) => w.intro,
            (false, false) => w.intro_open,
        },
        signer: w.employee,
        signed_by: about,
        on_behalf_of: (w.employer, employer),
        sections,
        statement: &[],
        signature: Signature::NotAsked,
        preparers: Vec::new(),
        shares: shares_of_gross_pay(w, &outcome, (withheld, taken)),
    };
    Ok(Stub {
        document,
        period: payroll.days(),
        check_date: payroll.check_date,
        net: outcome.net,
        gross: outcome.gross,
        taxes: withheld,
        deductions: taken,
        employer: paid
            .taxes_of_employer()
            .map(|tax| tax.amount)
            .chain(paid.benefits.iter().map(|one| one.contribution))
            .sum(),
    })
}

/// Returns the lines that name the employee: name, the end of the SSN, home address on the check date.
fn employee_block(
    tx: &mut Tx<'_>,
    caller: &Caller,
    w: &Words,
    (employee, check_date): (Uuid, Date),
) -> Result<Vec<String>, Error> {
    let person = employees::service::find_employee(tx, caller, employee)?;
    let mut about = vec![format!("{} {}", person.first_name, person.last_name)];
    if let Some(ssn) = employees::rows::unseal_ssn(tx, caller.company, &person)? {
        about.push(fill_placeholders(w.ssn, &[("digits", ssn.get(5..).unwrap_or_default())]));
    }
    let homes = addresses::rows::home_addresses(tx, caller.company, employee)?;
    if let Some(home) = effective::active_record(&homes, check_date, |home| home.effective_date) {
        about.push(home.street_1.clone());
        about.extend(home.street_2.clone());
        about.push(format!("{}, {} {}", home.city, home.state, home.zip));
    }
    Ok(about)
}

/// Returns the lines that name the employer: name and filing address.
fn employer_block(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<String>, Error> {
    let company = companies::rows::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut employer = vec![company.name];
    let places = locations::rows::of_company(tx, caller.company)?;
    if let Some(place) = places.into_iter().find(|place| place.filing_address) {
        employer.push(place.street_1);
        employer.extend(place.street_2);
        employer.push(format!("{}, {} {}", place.city, place.state, place.zip));
    }
    Ok(employer)
}

/// Returns where the gross pay went.
fn shares_of_gross_pay(w: &Words, outcome: &Outcome, (withheld, taken): (Amount, Amount)) -> Vec<Share> {
    let known = outcome.net + withheld + taken;
    // Such as cash tips: earned, and not paid again.
    let rest = outcome.gross - known;
    let parts = [(w.net, outcome.net), (w.taxes, withheld), (w.deductions, taken), (w.cash_tips, rest)];
    parts
        .into_iter()
        .filter(|(_, amount)| *amount > Amount::ZERO)
        .map(|(name, amount)| Share { name, amount })
        .collect()
}

/// Returns a paycheck of a calculated payroll, and whether it was reversed because it was not owed.
fn calculated_or_void(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    employee: Uuid,
) -> Result<(Payroll, Outcome, bool), Error> {
    let payroll = details::find_payroll(tx, caller, id)?;
    if let Some(run) = payroll.run
        && let Some(outcome) = reversals::find_voided_paycheck(tx, caller.company, run, employee)?
    {
        return Ok((payroll, outcome, true));
    }
    let (payroll, outcome) = find_calculated(tx, caller, id, employee)?;
    Ok((payroll, outcome, false))
}

/// Returns the earnings of a paycheck with hours and rates, in English: for the stub of a check.
pub fn earnings_of(payroll: Uuid, outcome: &Outcome, paid: &Paid) -> Vec<(String, Amount)> {
    let inputs = outcome.readable_inputs(payroll);
    let paycheck = StoredPaycheck { outcome, paid, inputs: inputs.as_ref() };
    earnings::labelled_earnings(words::words_in(Language::English), paycheck)
}

fn period_section(w: &Words, payroll: &Payroll) -> Section {
    let [from, until, payday] =
        [payroll.start, payroll.end, payroll.check_date].map(|day| w.language.format_day(day));
    let days = fill_placeholders(w.period_days, &[("from", &from), ("until", &until)]);
    stub_section(w.period, vec![text_line(w.period_line, days), text_line(w.payday, payday)])
}

fn deductions_section(w: &Words, paid: &Paid, year: Option<&OfYear>) -> Option<Section> {
    let name = |id: Uuid| year.map(|year| year.deduction_name(id)).unwrap_or_default();
    let called = |id: Uuid, now: Option<&str>| now.map_or_else(|| name(id), str::to_owned);
    let order = |id: Uuid| paid.deductions.iter().find(|one| one.id == id).map(|one| one.name.as_str());
    let taken = paid.deductions.iter().map(|one| (one.id, one.amount));
    let orders = year::with_rest(taken.collect(), &year.map(|year| year.sums.garnishments.clone()));
    let orders = orders.into_iter().map(|(id, taken, sum)| {
        amount_line(called(id, order(id)), taken).to_date(sum).explained_by(figures::garnishment_figure(&id))
    });
    let kept = paid.deductions.iter().map(|one| (one.id, one.fee));
    let fees = year::with_rest(kept.collect(), &year.map(|year| year.sums.garnishment_fees.clone()));
    let fees = fees.into_iter().map(|(id, fee, sum)| {
        amount_line(fill_placeholders(w.fee, &[("name", &called(id, order(id)))]), fee)
            .to_date(sum)
            .explained_by(figures::garnishment_fee_figure(&id))
    });
    let plan = |id: Uuid| paid.benefits.iter().find(|one| one.company_benefit == id);
    let taken = paid.benefits.iter().map(|one| (one.company_benefit, one.deduction));
    let of_year =
        year.map(|year| year.sums.benefits.iter().map(|(id, benefit)| (*id, benefit.deductions)).collect());
    let benefits = year::with_rest(taken.collect(), &of_year);
    let benefits = benefits.into_iter().map(|(id, taken, sum)| {
        let plan = plan(id);
        let line = amount_line(called(id, plan.map(|one| one.name.as_str())), taken).to_date(sum);
        match plan {
            Some(one) => line.explained_by(deduction_figure(&one.record)),
            None => line,
        }
    });
    let mut lines: Vec<_> = orders.chain(fees).chain(benefits).collect();
    if lines.len() > 1 {
        lines.push(all_deductions(w, paid, year));
    }
    nonempty_section(w.deductions, lines)
}

/// Returns the total of all deductions.
fn all_deductions(w: &Words, paid: &Paid, year: Option<&OfYear>) -> DocumentLine {
    let of_orders = paid.deductions.iter().map(DeductionPaid::with_fee);
    let now = of_orders.chain(paid.benefits.iter().map(|one| one.deduction)).sum();
    let so_far = year.map(|year| {
        let orders = year.sums.garnishments.values().chain(year.sums.garnishment_fees.values());
        let benefits = year.sums.benefits.values().map(|benefit| benefit.deductions);
        dollars_text(orders.copied().chain(benefits).sum())
    });
    total_line(w.all_deductions, now).to_date(so_far.unwrap_or_default())
}

/// Returns where the net pay of a paycheck went; for one whose payments the service does not make, or not yet, as it is divided.
fn parts_of_net_pay(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
    (outcome, paid): (&Outcome, &Paid),
) -> Result<Vec<Part>, Error> {
    if paid.splits.is_empty() {
        return Ok(vec![Part { cents: outcome.check_amount.cents_half_up(), whereto: Whereto::Employer }]);
    }
    let mut parts = paid_out::of_paycheck(tx, caller.company, payroll.id, outcome.employee)?;
    if parts.is_empty() {
        let splits = paid.splits.iter();
        parts = splits
            .map(|(account, cents)| Part { cents: *cents, whereto: Whereto::Account(*account) })
            .collect();
    }
    Ok(parts)
}

fn payment_section(
    tx: &mut Tx<'_>,
    caller: &Caller,
    w: &Words,
    (outcome, paid): (&Outcome, &Paid),
    parts: &[Part],
    year: Option<&OfYear>,
) -> Result<Section, Error> {
    let mut lines = Vec::new();
    if paid.cash_tips > Amount::ZERO {
        lines.push(amount_line(w.cash_tips, paid.cash_tips));
    }
    lines.push(
        total_line(w.net, outcome.net)
            .to_date(year.map(|year| dollars_text(year.sums.net)).unwrap_or_default())
            .explained_by(figures::NET_PAY),
    );
    if paid.reimbursements > Amount::ZERO {
        lines.push(amount_line(w.reimbursements, paid.reimbursements));
    }
    lines.push(total_line(w.paid_out, outcome.check_amount).explained_by(figures::CHECK_AMOUNT));
    let accounts = payment_methods::rows::employee_accounts(tx, caller.company, outcome.employee)?;
    for Part { cents, whereto } in parts {
        let mut named = |account: &Uuid| match accounts.iter().find(|held| held.id == *account) {
            Some(held) => {
                Ok::<_, Error>(format!("{} {}", held.name, held.hidden_account_number(tx, caller.company)?))
            }
            None => Ok(w.account_gone.to_owned()),
        };
        let label = match whereto {
            Whereto::Account(account) => named(account)?,
            Whereto::Reversed(account) => {
                fill_placeholders(w.debited_again, &[("account", &named(account)?)])
            }
            Whereto::Employer => w.by_check.to_owned(),
            Whereto::Held => w.not_paid_out.to_owned(),
        };
        lines.push(amount_line(label, Amount::from_cents(*cents)));
    }
    Ok(stub_section(w.payment, lines))
}

/// Returns the section of time off accrued, taken and paid out, and the balance.
fn time_off(w: &Words, paid: &Paid) -> Option<Section> {
    let mut lines = Vec::new();
    for one in &paid.leave {
        let moves = [(w.earned, one.earned), (w.taken, one.used), (w.hours_paid_out, one.paid_out)];
        let moves = moves.into_iter().filter(|(_, moved)| *moved != Amount::ZERO);
        let all = moves.chain(one.balance.map(|balance| (w.balance, balance)));
        lines.extend(all.map(|(label, hours)| {
            let hours = hours.to_text(2);
            text_line(fill_placeholders(label, &[("name", w.time_off_label(one.kind))]), hours)
        }));
    }
    nonempty_section(w.time_off, lines)
}

/// Returns the section of taxes on tips that the pay was insufficient for, year to date.
fn uncollected_section(w: &Words, payroll: &Payroll, paid: &Paid) -> Option<Section> {
    let lines = paid.uncollected.iter().map(|tax| {
        let name = w.uncollected[usize::from(tax.code != "A")];
        amount_line(fill_placeholders(w.box_12, &[("name", name), ("code", &tax.code)]), tax.year_to_date)
    });
    let year = payroll.check_date.year().to_string();
    nonempty_section(&fill_placeholders(w.year, &[("year", &year)]), lines.collect())
}

fn employer_section(w: &Words, paid: &Paid) -> Option<Section> {
    let taxes = paid.taxes_of_employer().filter(|tax| tax.amount != Amount::ZERO);
    let taxes = taxes.map(|tax| {
        let line = amount_line(w.tax_label(&tax.id, &tax.label), tax.amount);
        line.explained_by(figures::tax_figure(&tax.id.code))
    });
    let benefits = paid.benefits.iter().filter(|one| one.contribution > Amount::ZERO);
    let benefits = benefits.map(|one| {
        let line = amount_line(one.name.as_str(), one.contribution);
        line.explained_by(contribution_figure(&one.record))
    });
    nonempty_section(w.on_top, taxes.chain(benefits).collect())
}

/// Returns the warnings of the paycheck that are meant for its employee, and a note if there are no hours because its inputs cannot be read.
fn notes_section(language: Language, paid: &Paid, hours_known: bool) -> Option<Section> {
    let w = words::words_in(language);
    let note = |warning: &Warning| {
        let (text, told_in) = warning.in_language(language);
        if told_in == language { text_line(text, "") } else { text_line(text, "").in_language(told_in) }
    };
    let mut lines: Vec<_> = paid.warnings.iter().filter(|one| one.is_for_employees()).map(note).collect();
    if !hours_known {
        lines.push(text_line(w.hours_unknown, ""));
    }
    nonempty_section(w.notes, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_without_hours_says_why() {
        let english = Language::English;
        assert!(notes_section(english, &Paid::default(), true).is_none());
        let told = notes_section(english, &Paid::default(), false).unwrap();
        assert!(told.lines.len() == 1 && told.lines[0].label.contains("can no longer be read"));
    }

    #[test]
    fn what_is_asked_of_the_employer_is_not_on_a_stub() {
        let warning = |key: &str| {
            Warning {
            key: key.to_owned(),
            message: "WA L&I was not worked out: the employer's rate per hour is missing: the employer enters it with the company's taxes of the state"
                .to_owned(),
            text: key.to_owned(),
            values: std::collections::BTreeMap::new(),
        }
        };
        let warnings = vec![warning("tax_not_worked_out"), warning("place_not_known")];
        assert!(notes_section(Language::English, &Paid { warnings, ..Paid::default() }, true).is_none());
    }

    #[test]
    fn a_note_without_spanish_words_is_marked_as_english() {
        let warning = |text: &str| Warning {
            key: "deductions_cut".to_owned(),
            message: "the pay does not reach for all deductions: 41.07 was not taken".to_owned(),
            text: text.to_owned(),
            values: std::collections::BTreeMap::from([("amount".to_owned(), "41.07".to_owned())]),
        };
        let warnings = [warning("deductions_cut"), warning("a_text_of_a_newer_version")];
        let paid = Paid { warnings: warnings.to_vec(), ..Paid::default() };
        let languages = |language| -> Vec<_> {
            notes_section(language, &paid, true).unwrap().lines.iter().map(|line| line.language).collect()
        };
        assert_eq!(languages(Language::Spanish), [None, Some(Language::English)]);
        assert_eq!(languages(Language::English), [None, None]);
    }
}
