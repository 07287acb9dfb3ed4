//! The forms of a year, and what prevents its close.

use std::collections::BTreeSet;

use returns::form_940::{Form940, Sums940, Told940};
use returns::form_941::{Form941, Sums941, Told941};
use returns::reconcile::{self, Books, Comparison};
use returns::w2::Person;
use returns::{Quarter, W2, W3};
use rules::deposits::{Form, Schedule};
use rules::payroll::taxes::PayrollTaxes;
use rules::taxes::book::{FEDERAL_INCOME, FICA};
use rules::{Named as _, Violation};
use store::Tx;
use uuid::Uuid;

use super::gather::{self, Gathered};
use crate::company::taxes::deposit_schedules;
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
    /// Forms 941 of the quarters, as far as they can be made
    pub quarters: Vec<QuarterFigures>,
    /// Form W-3
    pub w3: W3,
    /// Form 940
    pub form_940: Form940,
    /// Form W-3 against the Forms 941
    pub comparisons: Vec<Comparison>,
    /// what prevents the close, in words
    pub blockers: Vec<String>,
}

/// Form 941 of a quarter.
#[derive(Debug, Clone)]
pub struct QuarterFigures {
    /// the form
    pub form: Form941,
    /// the form against books and deposits
    pub comparisons: Vec<Comparison>,
}

/// Collects what the payments of a year come to, person by person.
struct Collected<'t> {
    taxes: &'t PayrollTaxes,
    quarters: [Sums941; 4],
    counted: [u32; 4],
    annual: Sums940,
    w3: W3,
    blockers: Vec<String>,
}

impl<'t> Collected<'t> {
    fn new(year: i16, taxes: &'t PayrollTaxes) -> Self {
        Self {
            taxes,
            quarters: Quarter::of_year(year).map(Sums941::new),
            counted: [0; 4],
            annual: Sums940::new(year),
            w3: W3::new(year),
            blockers: Vec::new(),
        }
    }

    fn block(&mut self, why: String) {
        if self.blockers.len() < MOST_BLOCKERS {
            self.blockers.push(why);
        }
    }

    fn add(&mut self, name: &str, gathered: &Gathered) -> Result<(), Error> {
        let year = self.w3.year;
        for payment in &gathered.payments {
            let quarter = usize::from(Quarter::of(payment.pay_date).number().unsigned_abs() - 1);
            self.quarters[quarter].add(payment).map_err(internal)?;
        }
        for (count, quarter) in self.counted.iter_mut().zip(Quarter::of_year(year)) {
            let day = quarter.day_of_count();
            *count += u32::from(gathered.periods.iter().any(|(first, last)| *first <= day && day <= *last));
        }
        self.annual.add(name, &gathered.payments, self.taxes).map_err(internal)?;
        let person = Person { id: name.to_owned(), ..Person::default() };
        let form = W2::new(year, person, &gathered.payments).map_err(internal)?;
        if form.is_needed() {
            self.w3.add(&form).map_err(internal)?;
        }
        if gathered.has_totals_alone {
            self.block(format!("{name}: pay before the service is known only as totals, without pay dates"));
        }
        if !form.lacks.is_empty() {
            let lacks: BTreeSet<&str> = form.lacks.iter().map(|lack| lack.as_str()).collect();
            let lacks = lacks.into_iter().collect::<Vec<_>>().join(", ");
            self.block(format!("{name}: Form W-2 is incomplete: {lacks} of some payment are not known"));
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
    let taxes = tables.payroll_taxes.of(year).ok_or_else(|| {
        Violation::invalid("year", format!("year must be one whose payroll taxes are known: {}", known()))
    })?;
    let mut collected = Collected::new(year, taxes);
    gather::year(tx, company, year, |tx, employee, gathered| {
        let person = Employee::find(tx, company, employee)?;
        let name = person.map(|one| format!("{} {}", one.first_name, one.last_name));
        collected.add(&name.unwrap_or_else(|| employee.to_string()), &gathered)
    })?;
    let Collected { quarters: sums, counted, annual, w3, mut blockers, .. } = collected;
    let (mut quarters, mut before) = (Vec::new(), None);
    for (sums, employees) in sums.iter().zip(counted) {
        let quarter = quarter(tx, company, sums, &Context { taxes, employees, before })?;
        match quarter {
            Ok(made) => {
                before = Some(made.form.amount(returns::form_941::Line941::Total));
                quarters.push(made);
            }
            Err(why) => blockers.push(format!("{}: {why}", sums.quarter())),
        }
    }
    let reductions = law::futa_credit_reductions(tx)?;
    let told =
        Told940 { deposits: deposited(tx, company, Form::F940, year_end(year))?, ..Told940::default() };
    let form_940 = Form940::new(&annual, taxes, &reductions, &told)
        .map_err(|why| Violation::operation(format!("Form 940 of {year}: {why}")))?;
    if !form_940.is_closed {
        blockers
            .push(format!("Form 940 is not closed: the credit reductions of {year} are not in the tables"));
    }
    let uneven = form_940.uneven.iter().take(MOST_BLOCKERS);
    blockers.extend(uneven.map(|one| {
        let [taxable, expected] = [one.taxable, one.expected].map(returns::dollars);
        format!("{}: wages for unemployment tax are {taxable}, expected {expected}", one.person)
    }));
    let forms: Vec<Form941> = quarters.iter().map(|one| one.form.clone()).collect();
    let comparisons = reconcile::reconcile(&w3, &forms);
    Ok(YearFigures { year, quarters, w3, form_940, comparisons, blockers })
}

/// What a Form 941 needs beside its payments.
struct Context<'t> {
    taxes: &'t PayrollTaxes,
    employees: u32,
    before: Option<i64>,
}

/// Makes Form 941 of a quarter and compares it; the inner error is why it can't be made.
fn quarter(
    tx: &mut Tx<'_>,
    company: Uuid,
    sums: &Sums941,
    context: &Context<'_>,
) -> Result<Result<QuarterFigures, returns::Error>, Error> {
    let quarter = sums.quarter();
    let schedule = deposit_schedules::on(tx, company, quarter.last_day())?;
    let deposits = deposited(tx, company, Form::F941, quarter.last_day())?;
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
    let days = (quarter.first_day(), quarter.last_day());
    let lines = books::taxes_between(tx, company, AGENCY, days)?;
    let is_on_form = |code: &str| code == FEDERAL_INCOME || FICA.contains(&code);
    let owed = lines.iter().filter(|line| is_on_form(&line.code)).map(|line| line.cents).sum();
    let comparisons = reconcile::quarter(&form, &Books { owed, deposited: deposits });
    Ok(Ok(QuarterFigures { form, comparisons }))
}

/// Returns what was deposited for a period of a return, in cents.
fn deposited(
    tx: &mut Tx<'_>,
    company: Uuid,
    form: Form,
    period_end: jiff::civil::Date,
) -> Result<i64, Error> {
    let all = deposits::all_of_company(tx, company)?;
    let of_period = all.iter().filter(|one| one.form == form && one.period_end == period_end);
    Ok(of_period.filter(|one| one.state == deposits::State::Sent).map(|one| one.cents).sum())
}

fn year_end(year: i16) -> jiff::civil::Date {
    jiff::civil::date(year, 12, 31)
}

fn internal(error: returns::Error) -> Error {
    Error::internal(error.to_string())
}
