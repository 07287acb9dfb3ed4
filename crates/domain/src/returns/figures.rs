//! The forms of a year, and what prevents the close of each.

use std::collections::BTreeSet;

use jiff::civil::{Date, date};
use returns::form_940::{Form940, Sums940, Told940};
use returns::form_941::{Form941, Line941, Sums941, Told941};
use returns::form_944::{Form944, Sums944, Told944};
use returns::payment::{Imputed, Lack};
use returns::reconcile::{self, Books, Comparison, Verdict, Withheld};
use returns::w2::Person;
use returns::{Quarter, W2, W3, format_dollars};
use rules::company::FilingForm;
use rules::days::Days;
use rules::deposits::{Form, Schedule};
use rules::payroll::taxes::PayrollTaxes;
use rules::taxes::book::{FEDERAL_INCOME, FICA};
use rules::{Named as _, Violation};
use store::Tx;
use uuid::Uuid;

use super::forms::content::{FormOf, TaxFormKind};
use super::forms::rows as forms;
use super::forms::rows::TaxForm;
use super::gather::{self, Gathered};
use super::other_taxes::TaxOfQuarter;
use super::{other_taxes, outside_deposits};
use crate::company::taxes::{deposit_schedules, rows as details};
use crate::error::Error;
use crate::money::deposits;
use crate::pay::books::rows as books;
use crate::people::employees::Employee;
use crate::platform::law::{self, Tables};

/// Agency of federal taxes.
const AGENCY: &str = "US";
/// Maximum blockers that are told one by one.
const MOST_BLOCKERS: usize = 1_000;

/// The forms of a year.
#[derive(Debug, Clone)]
pub struct YearFigures {
    /// the year
    pub year: i16,
    /// whether the company files Form 944 for the year in place of Forms 941 for its quarters
    pub files_annually: bool,
    /// Forms 941 of the quarters, as far as they can be made
    pub quarters: Vec<QuarterFigures>,
    /// Form 944, if it can be made
    pub form_944: Option<AnnualFigures>,
    /// Form W-3
    pub w3: W3,
    /// Form 940, if it can be made
    pub form_940: Option<Form940>,
    /// Form W-3 against the Forms 941, or Form 944
    pub comparisons: Vec<Comparison>,
    /// what prevents the close of which form
    pub blockers: Vec<Blocker>,
    /// taxes of states and places by quarter
    pub other_taxes: Vec<TaxOfQuarter>,
    /// who was paid
    pub people: Vec<PaidPerson>,
}

/// Somebody who was paid in the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaidPerson {
    /// the employee
    pub employee: Uuid,
    /// tips, in cents
    pub tips: i64,
    /// wages for Medicare, in cents
    pub medicare_wages: i64,
    /// health insurance of a shareholder with more than two percent, in cents
    pub shareholder_health: i64,
    /// imputed income beside that and group-term life insurance, in cents
    pub other_imputed: i64,
    /// whether earlier pay is not known enough for Form W-2
    pub is_incomplete: bool,
}

impl PaidPerson {
    fn new(employee: Uuid, gathered: &Gathered) -> Self {
        let payments = &gathered.payments;
        let imputed = |kind: Imputed| payments.iter().filter_map(|one| one.imputed.get(&kind)).sum::<i64>();
        Self {
            employee,
            tips: payments.iter().map(|one| one.tips).sum(),
            medicare_wages: payments.iter().map(|one| one.medicare.wages).sum(),
            shareholder_health: imputed(Imputed::ShareholderHealth),
            other_imputed: imputed(Imputed::Other),
            is_incomplete: gathered.has_totals_alone || payments.iter().any(|one| !one.lacks.is_empty()),
        }
    }
}

impl YearFigures {
    /// What prevents the close of a form.
    pub fn blockers_of(&self, of: FormOf) -> impl Iterator<Item = &Blocker> {
        self.blockers.iter().filter(move |one| one.of == of)
    }

    /// Form 941 of a quarter, if it can be made.
    pub fn find_quarter(&self, number: i8) -> Option<&QuarterFigures> {
        self.quarters.iter().find(|one| one.form.quarter.number() == number)
    }
}

/// What prevents the close of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// the form
    pub of: FormOf,
    /// why, in words
    pub why: String,
}

/// Form 941 of a quarter.
#[derive(Debug, Clone)]
pub struct QuarterFigures {
    /// the form
    pub form: Form941,
    /// the form against books and deposits
    pub comparisons: Vec<Comparison>,
    /// taxes of it that are in the books of another provider, in cents
    pub elsewhere: i64,
}

/// Form 944 of a year.
#[derive(Debug, Clone)]
pub struct AnnualFigures {
    /// the form
    pub form: Form944,
    /// the form against books and deposits
    pub comparisons: Vec<Comparison>,
}

/// Collects what the payments of a year come to, person by person.
struct Collected<'t> {
    taxes: &'t PayrollTaxes,
    files_annually: bool,
    quarters: [Sums941; 4],
    counted: [u32; 4],
    /// withheld taxes of other providers' payrolls by quarter, in cents
    elsewhere: [i64; 4],
    year: Sums944,
    annual: Sums940,
    w3: W3,
    blockers: Vec<Blocker>,
    other_taxes: other_taxes::OtherTaxSums,
    people: Vec<PaidPerson>,
}

impl<'t> Collected<'t> {
    fn new(year: i16, taxes: &'t PayrollTaxes, files_annually: bool) -> Self {
        Self {
            taxes,
            files_annually,
            quarters: Quarter::of_year(year).map(Sums941::new),
            counted: [0; 4],
            elsewhere: [0; 4],
            year: Sums944::new(year),
            annual: Sums940::new(year),
            w3: W3::new(year),
            blockers: Vec::new(),
            other_taxes: other_taxes::OtherTaxSums::default(),
            people: Vec::new(),
        }
    }

    fn add_blocker(&mut self, kind: TaxFormKind, quarter: Option<i8>, why: impl Into<String>) {
        let of = FormOf { kind, year: self.w3.year, quarter };
        let blocker = Blocker { of, why: why.into() };
        if self.blockers.len() < MOST_BLOCKERS && !self.blockers.contains(&blocker) {
            self.blockers.push(blocker);
        }
    }

    /// What prevents the close of the return of withheld taxes that a quarter is part of.
    fn block_withheld(&mut self, quarter: i8, why: impl Into<String>) {
        match self.files_annually {
            true => self.add_blocker(TaxFormKind::F944, None, why),
            false => self.add_blocker(TaxFormKind::F941, Some(quarter), why),
        }
    }

    /// Notes what is not known of the payments of a person.
    fn note_lacks(&mut self, name: &str, gathered: &Gathered) {
        for payment in &gathered.payments {
            let quarter = Quarter::containing_day(payment.pay_date).number();
            let on_941 = [Lack::FederalIncomeWages, Lack::Tips];
            for lack in payment.lacks.iter().filter(|lack| on_941.contains(lack)) {
                let why =
                    format!("{name}: {} of the payment of {} are not known", lack.as_str(), payment.pay_date);
                self.block_withheld(quarter, why);
            }
        }
        let lacks = |lack| gathered.payments.iter().any(|payment| payment.lacks.contains(&lack));
        if lacks(Lack::ExemptPayments) {
            self.add_blocker(
                TaxFormKind::F940,
                None,
                format!("{name}: exempt payments of another provider are not known"),
            );
        }
        let without_state: i64 = gathered.payments.iter().map(|payment| payment.futa.without_state).sum();
        if without_state != 0 {
            let why = format!(
                "{name}: the state whose unemployment insurance covers the work is not known for wages of {}",
                format_dollars(without_state)
            );
            self.add_blocker(TaxFormKind::F940, None, why);
        }
        if gathered.has_totals_alone {
            let why = format!("{name}: pay before the service is known only as totals, without pay dates");
            // They lie before the first payment here.
            let last =
                gathered.payments.first().map_or(4, |first| Quarter::containing_day(first.pay_date).number());
            for quarter in 1..=last {
                self.block_withheld(quarter, why.clone());
            }
            self.add_blocker(TaxFormKind::F940, None, why.clone());
            self.add_blocker(TaxFormKind::W3, None, why);
        }
    }

    fn add_employee(&mut self, name: &str, gathered: &Gathered) -> Result<(), Error> {
        let year = self.w3.year;
        for payment in &gathered.payments {
            let quarter = usize::from(Quarter::containing_day(payment.pay_date).number().unsigned_abs() - 1);
            match self.files_annually {
                true => self.year.add_payment(payment),
                false => self.quarters[quarter].add_payment(payment),
            }
            .map_err(internal_error)?;
        }
        for (day, cents) in &gathered.elsewhere {
            self.elsewhere[usize::from(Quarter::containing_day(*day).number().unsigned_abs() - 1)] += cents;
        }
        for (count, quarter) in self.counted.iter_mut().zip(Quarter::of_year(year)) {
            let day = quarter.day_of_count();
            *count +=
                u32::from(gathered.periods.iter().any(|Days { first, last }| *first <= day && day <= *last));
        }
        self.annual.add_payments(name, &gathered.payments, self.taxes).map_err(internal_error)?;
        let person = Person { id: name.to_owned(), ..Person::default() };
        let form = W2::new(year, person, &gathered.payments).map_err(internal_error)?;
        if form.is_needed() {
            self.w3.add_form(&form).map_err(internal_error)?;
        }
        self.note_lacks(name, gathered);
        if !form.lacks.is_empty() {
            let lacks: BTreeSet<&str> = form.lacks.iter().map(|lack| lack.as_str()).collect();
            let lacks = lacks.into_iter().collect::<Vec<_>>().join(", ");
            let why = format!("{name}: Form W-2 is incomplete: {lacks} of some payment are not known");
            self.add_blocker(TaxFormKind::W3, None, why);
        }
        Ok(())
    }
}

/// Returns the forms of a year from what was paid.
///
/// # Errors
/// 422 for a year whose rates are not known; a figure that contradicts another one; a store error.
pub fn of_year(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<YearFigures, Error> {
    let tables = Tables::read(tx)?;
    let known = || tables.payroll_taxes.iter().map(|one| one.year.to_string()).collect::<Vec<_>>().join(", ");
    let taxes = tables.payroll_taxes.taxes_of_year(year).ok_or_else(|| {
        Violation::invalid("year", format!("year must be one whose payroll taxes are known: {}", known()))
    })?;
    let filed = details::find_federal(tx, company)?.map(|federal| federal.filing_form);
    let mut collected = Collected::new(year, taxes, filed == Some(FilingForm::Annual));
    gather::for_each_paid_in_year(tx, company, year, |tx, employee, gathered| {
        let person = Employee::find(tx, company, employee)?;
        let name = person.map(|one| format!("{} {}", one.first_name, one.last_name));
        gathered.taxes.iter().for_each(|tax| collected.other_taxes.add_tax(tax));
        collected.people.push(PaidPerson::new(employee, &gathered));
        collected.add_employee(&name.unwrap_or_else(|| employee.to_string()), &gathered)
    })?;
    let closed = forms::of_company(tx, company)?;
    let (quarters, form_944) = match collected.files_annually {
        true => (Vec::new(), withheld_of_year(tx, company, &mut collected, &closed)?),
        false => (make_941s(tx, company, &mut collected, &closed)?, None),
    };
    let form_940 = make_940(tx, company, &mut collected)?;
    let forms: Vec<Form941> = quarters.iter().map(|one| one.form.clone()).collect();
    let comparisons = match &form_944 {
        Some(one) => reconcile::reconcile_w3(&collected.w3, Withheld::Year(&one.form)),
        // What prevents it is told of Form 944.
        None if collected.files_annually => Vec::new(),
        None => reconcile::reconcile_w3(&collected.w3, Withheld::Quarters(&forms)),
    };
    for one in &comparisons {
        if let Some(why) = describe_contradiction(one) {
            collected.add_blocker(TaxFormKind::W3, None, why);
        }
    }
    let Collected { files_annually, w3, blockers, other_taxes, people, .. } = collected;
    Ok(YearFigures {
        year,
        files_annually,
        quarters,
        form_944,
        w3,
        form_940,
        comparisons,
        blockers,
        other_taxes: other_taxes.into_taxes(),
        people,
    })
}

/// Why a comparison prevents the close, in words.
pub(super) fn describe_contradiction(one: &Comparison) -> Option<String> {
    let Verdict::Blocker(why) = &one.verdict else { return None };
    let [left, right] = [one.left, one.right].map(format_dollars);
    Some(format!("{} {left}, {} {right}: {why}", one.left_name, one.right_name))
}

/// Makes the Forms 941 of the year, as far as that can be done.
fn make_941s(
    tx: &mut Tx<'_>,
    company: Uuid,
    collected: &mut Collected<'_>,
    closed: &[TaxForm],
) -> Result<Vec<QuarterFigures>, Error> {
    let (mut made, mut before) = (Vec::new(), None);
    let quarters = collected.quarters.clone();
    for ((sums, employees), elsewhere) in quarters.iter().zip(collected.counted).zip(collected.elsewhere) {
        let (taxes, number) = (collected.taxes, sums.quarter().number());
        let of = FormOf { kind: TaxFormKind::F941, year: sums.quarter().year(), quarter: Some(number) };
        let is_closed = is_closed(closed, of);
        match make_quarter_figures(
            tx,
            company,
            sums,
            &Context { taxes, employees, before, is_closed, elsewhere },
        )? {
            Ok(one) => {
                before = Some(one.form.amount(Line941::Total));
                for why in one.comparisons.iter().filter_map(describe_contradiction) {
                    collected.add_blocker(TaxFormKind::F941, Some(number), why);
                }
                made.push(one);
            }
            Err(why) => collected.add_blocker(TaxFormKind::F941, Some(number), why.to_string()),
        }
    }
    Ok(made)
}

/// Makes Form 944 of the year, if that can be done.
fn withheld_of_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    collected: &mut Collected<'_>,
    closed: &[TaxForm],
) -> Result<Option<AnnualFigures>, Error> {
    let year = collected.w3.year;
    let schedule = deposit_schedules::schedule_on(tx, company, year_end(year))?;
    let deposits = deposited_cents(tx, company, Form::F944, year_end(year))?;
    // Without a stated schedule every day is told, which no depositor is refused for.
    let schedule = schedule.unwrap_or(Schedule::Semiweekly);
    let told = Told944 { sick_pay: 0, research_credit: 0, deposits, schedule };
    let form = match Form944::new(&collected.year, collected.taxes, &told) {
        Ok(form) => form,
        Err(why) => {
            collected.add_blocker(TaxFormKind::F944, None, why.to_string());
            return Ok(None);
        }
    };
    let of = FormOf { kind: TaxFormKind::F944, year, quarter: None };
    let to_post = if is_closed(closed, of) { 0 } else { form.to_post };
    let days = Days { first: date(year, 1, 1), last: year_end(year) };
    let owed = booked_taxes(tx, company, days)? + collected.elsewhere.iter().sum::<i64>() + to_post;
    let comparisons = reconcile::compare_year(&form, &Books { owed, deposited: deposits });
    for why in comparisons.iter().filter_map(describe_contradiction) {
        collected.add_blocker(TaxFormKind::F944, None, why);
    }
    Ok(Some(AnnualFigures { form, comparisons }))
}

/// Whether a form is closed: then the cents of the close are in the books.
fn is_closed(closed: &[TaxForm], of: FormOf) -> bool {
    closed.iter().any(|form| form.is_form(of) && form.is_closed())
}

/// Returns what was booked of withheld taxes and the employer's share of them in the days of a period, in cents.
pub(super) fn booked_taxes(tx: &mut Tx<'_>, company: Uuid, days: Days) -> Result<i64, Error> {
    let lines = books::taxes_between(tx, company, AGENCY, days)?;
    let is_withheld = |code: &str| code == FEDERAL_INCOME || FICA.contains(&code);
    Ok(lines.iter().filter(|line| is_withheld(&line.code)).map(|line| line.cents).sum())
}

/// Makes Form 940 of the year, if that can be done.
fn make_940(tx: &mut Tx<'_>, company: Uuid, collected: &mut Collected<'_>) -> Result<Option<Form940>, Error> {
    let year = collected.w3.year;
    let reductions = law::futa_credit_reductions(tx)?;
    let told =
        Told940 { deposits: deposited_cents(tx, company, Form::F940, year_end(year))?, ..Told940::default() };
    let form = match Form940::new(&collected.annual, collected.taxes, &reductions, &told) {
        Ok(form) => form,
        Err(why) => {
            collected.add_blocker(TaxFormKind::F940, None, why.to_string());
            return Ok(None);
        }
    };
    if !form.is_closed {
        let why = format!("the credit reductions of {year} are not in the tables");
        collected.add_blocker(TaxFormKind::F940, None, why);
    }
    for one in form.uneven.iter().take(MOST_BLOCKERS) {
        let [taxable, expected] = [one.taxable, one.expected].map(format_dollars);
        let why = format!("{}: wages for unemployment tax are {taxable}, expected {expected}", one.person);
        collected.add_blocker(TaxFormKind::F940, None, why);
    }
    Ok(Some(form))
}

/// What a Form 941 needs beside its payments.
struct Context<'t> {
    taxes: &'t PayrollTaxes,
    employees: u32,
    before: Option<i64>,
    /// whether the cents of the close are in the books
    is_closed: bool,
    /// withheld taxes that are in the books of another provider
    elsewhere: i64,
}

/// Makes Form 941 of a quarter and compares it; the inner error is why it can't be made.
fn make_quarter_figures(
    tx: &mut Tx<'_>,
    company: Uuid,
    sums: &Sums941,
    context: &Context<'_>,
) -> Result<Result<QuarterFigures, returns::Error>, Error> {
    let quarter = sums.quarter();
    let schedule = deposit_schedules::schedule_on(tx, company, quarter.last_day())?;
    let deposits = deposited_cents(tx, company, Form::F941, quarter.last_day())?;
    let told = Told941 {
        employees: context.employees,
        deposits,
        before: context.before,
        // Without a stated schedule every day is told, which no depositor is refused for.
        schedule: schedule.unwrap_or(Schedule::Semiweekly),
        ..Told941::default()
    };
    let form = match Form941::new(sums, context.taxes, &told) {
        Ok(form) => form,
        Err(why) => return Ok(Err(why)),
    };
    let booked = booked_taxes(tx, company, Days { first: quarter.first_day(), last: quarter.last_day() })?;
    let elsewhere = context.elsewhere;
    let owed = booked + elsewhere + if context.is_closed { 0 } else { form.to_post };
    let comparisons = reconcile::compare_quarter(&form, &Books { owed, deposited: deposits });
    Ok(Ok(QuarterFigures { form, comparisons, elsewhere }))
}

/// Returns what was deposited for a period of a return, in cents: by this service, and as far as it was told, elsewhere.
fn deposited_cents(tx: &mut Tx<'_>, company: Uuid, form: Form, period_end: Date) -> Result<i64, Error> {
    let all = deposits::all_of_company(tx, company)?;
    let of_period = all.iter().filter(|one| one.form == form && one.period_end == period_end);
    let sent: i64 =
        of_period.filter(|one| one.state == deposits::DepositState::Sent).map(|one| one.cents).sum();
    Ok(sent + outside_deposits::of_period(tx, company, (form, period_end))?)
}

fn year_end(year: i16) -> Date {
    date(year, 12, 31)
}

fn internal_error(error: returns::Error) -> Error {
    Error::internal(error.to_string())
}
