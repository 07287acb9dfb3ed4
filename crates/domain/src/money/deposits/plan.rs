//! Divides the parts that are in no staged deposit among deposits, according to the rules (`rules::deposits`).

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan};
use rules::Named;
use rules::days::Days;
use rules::deposits::types::DepositTypes;
use rules::deposits::{self, Deposit, Form, Paid, Stated};
use rules::payroll::holidays;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::{
    ASSIGN, BANKING_DAYS, DepositState, LARGE, MADE_PARTS, MOST, MOST_PARTS, OPEN_PARTS, SCHEDULED, Share,
    TaxDeposit, audit_deposit, save_deposit, taken,
};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::taxes::deposit_schedules;
use crate::error::Error;
use crate::money::bank::settings;
use crate::money::funding::{self, Mode};
use crate::pay::books::Account;
use crate::pay::books::rows::{self as books, TaxAccrued};
use crate::platform::{jobs, law};

/// An amount of a payroll's taxes that is to be deposited.
struct Part {
    run: Uuid,
    account: Account,
    agency: String,
    /// code of the tax
    code: String,
    form: Form,
    check_date: Date,
    cents: i64,
    deposit: Option<Uuid>,
}

fn read_part(row: &Row<'_>) -> Result<Part, store::Error> {
    let mut next = Cursor::new(row, "tax_deposit_parts", 0);
    Ok(Part {
        run: next.read_plain("run_id")?,
        account: next.read_text("account", Account::parse)?,
        agency: next.read_plain("agency")?,
        code: next.read_plain("code")?,
        form: next.read_text("form", Form::parse)?,
        check_date: next.read_plain("check_date")?,
        cents: next.read_plain("cents")?,
        deposit: next.read_plain("deposit_id")?,
    })
}

/// Divides the parts in no staged deposit among deposits, and schedules each deposit to be staged in time.
pub(super) fn plan_deposits(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let parts = tx.try_query_all(OPEN_PARTS, params![company], MOST_PARTS, read_part)?;
    let stated = deposit_schedules::of_company(tx, company)?;
    let day = |row: &Row<'_>| Cursor::new(row, TaxDeposit::TABLE, 0).read_plain::<Date>("last_day");
    let large = tx.try_query_all(LARGE, params![company], MOST, day)?;
    let (liable, made) = (form_944_liabilities(tx, company, &parts)?, made_parts(tx, company, &parts)?);
    let known = Known { stated, large, liable, made };
    let mut before = tx.try_query_all(SCHEDULED, params![company], MOST, TaxDeposit::read)?;
    for form in Form::ALL {
        let own: Vec<&Part> = parts.iter().filter(|part| part.form == *form).collect();
        let planned = divide_into_deposits(*form, &known, &own);
        for one in &planned {
            let within: Vec<&Part> = own.iter().copied().filter(|part| covers_part(one, part)).collect();
            schedule_deposit(tx, &caller, &mut before, (*form, one), &within)?;
            if one.next_day {
                taken::move_up(tx, &caller, (*form, one), (&known.stated, &known.large))?;
            }
        }
        for part in own.iter().filter(|part| !planned.iter().any(|one| covers_part(one, part))) {
            assign_part(tx, company, part, None)?;
        }
    }
    for mut gone in before {
        (gone.state, gone.cents) = (DepositState::Canceled, 0);
        gone.amounts.clear();
        save_deposit(tx, &caller, &mut gone, "canceled")?;
        jobs::cancel_job(tx, company, jobs::JobKind::TaxDeposit, gone.id)?;
    }
    Ok(())
}

fn covers_part(deposit: &Deposit, part: &Part) -> bool {
    (deposit.first..=deposit.last).contains(&part.check_date)
}

/// The data on which the division of a company's parts depends.
struct Known {
    /// its schedules
    stated: Vec<Stated>,
    /// days that reached 100,000 dollars, whose deposits are made
    large: Vec<Date>,
    /// cents of each pay day that count toward Form 944, deposited or not
    liable: BTreeMap<Date, i64>,
    /// cents of each pay day, by return, in deposits that are made: they count toward the 100,000 dollars of their period
    made: BTreeMap<(Form, Date), i64>,
}

/// Returns the amounts in deposits that are made, for the days that may share a period with open parts.
fn made_parts(tx: &mut Tx<'_>, company: Uuid, parts: &[Part]) -> Result<BTreeMap<(Form, Date), i64>, Error> {
    let Some(first) = parts.first() else { return Ok(BTreeMap::new()) };
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "tax_deposit_parts", 0);
        let form = next.read_text("form", Form::parse)?;
        Ok::<_, store::Error>((
            form,
            next.read_plain::<Date>("check_date")?,
            next.read_plain::<i64>("cents")?,
        ))
    };
    // A period is a month at most.
    let from = first.check_date.saturating_sub(31.days());
    let mut sums = BTreeMap::new();
    for (form, day, cents) in tx.try_query_all(MADE_PARTS, params![company, from], MOST_PARTS, read)? {
        *sums.entry((form, day)).or_default() += cents;
    }
    Ok(sums)
}

/// Returns what payrolls owe in taxes that count toward Form 944, for the years that have open parts.
fn form_944_liabilities(
    tx: &mut Tx<'_>,
    company: Uuid,
    parts: &[Part],
) -> Result<BTreeMap<Date, i64>, Error> {
    let own = || parts.iter().filter(|part| part.form == Form::F944);
    let (Some(first), Some(last)) = (own().next(), own().next_back()) else { return Ok(BTreeMap::new()) };
    let years =
        Days { first: date(first.check_date.year(), 1, 1), last: date(last.check_date.year(), 12, 31) };
    let (codes, mut sums) = (law::in_force::<DepositTypes>(tx)?, BTreeMap::new());
    for TaxAccrued { day, code, cents } in books::taxes_between(tx, company, &first.agency, years)? {
        if codes.of_tax(&first.agency, Form::F944, &code, day).is_some() {
            *sums.entry(day).or_default() += cents;
        }
    }
    Ok(sums)
}

/// Divides parts into deposits, leaving out those whose total is zero or less.
fn divide_into_deposits(form: Form, known: &Known, parts: &[&Part]) -> Vec<Deposit> {
    let mut days: BTreeMap<Date, i64> = BTreeMap::new();
    for part in parts {
        *days.entry(part.check_date).or_default() += part.cents;
    }
    let made = known.made.iter().filter(|((of, _), _)| *of == form);
    let made = made.map(|((_, day), cents)| (*day, *cents)).collect();
    let paid = Paid { large: &known.large, made: &made };
    let mut found = match form {
        Form::F940 => deposits::group_unemployment_taxes(&days),
        Form::F944 => deposits::group_tax_deposits(&known.stated, paid, &known.liable, &days),
        Form::F941 => deposits::group_withheld_taxes(form, &known.stated, paid, &days),
    };
    found.retain(|one| days.range(one.first..=one.last).map(|(_, cents)| cents).sum::<i64>() > 0);
    found
}

/// Schedules a deposit of these parts: the one already scheduled for that due date, or a new one.
fn schedule_deposit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &mut Vec<TaxDeposit>,
    (form, planned): (Form, &Deposit),
    parts: &[&Part],
) -> Result<(), Error> {
    let company = caller.company;
    let same =
        |one: &TaxDeposit| (one.form, one.period_end, one.due) == (form, planned.period_end, planned.due);
    let held = before.iter().position(same).map(|at| before.swap_remove(at));
    let is_new = held.is_none();
    let mut deposit = match held {
        Some(held) => held,
        None => new_deposit(tx, form, planned, parts),
    };
    let amounts = total_shares(parts);
    (deposit.first_day, deposit.last_day, deposit.next_day) = (planned.first, planned.last, planned.next_day);
    let changed = deposit.amounts != amounts;
    deposit.cents = amounts.iter().map(|share| share.cents).sum();
    deposit.amounts = amounts;
    if is_new {
        deposit.insert(tx, company)?;
        audit_deposit(tx, caller, &deposit, "scheduled")?;
    } else if changed {
        save_deposit(tx, caller, &mut deposit, "scheduled")?;
    }
    for part in parts {
        assign_part(tx, company, part, Some(deposit.id))?;
    }
    let due = staged_at(tx, company, &deposit)?;
    jobs::schedule_job(tx, company, jobs::JobKind::TaxDeposit, deposit.id, due)
}

fn new_deposit(tx: &mut Tx<'_>, form: Form, planned: &Deposit, parts: &[&Part]) -> TaxDeposit {
    TaxDeposit {
        id: tx.new_id(),
        authority: parts.first().map_or_else(String::new, |part| part.agency.clone()),
        form,
        first_day: planned.first,
        last_day: planned.last,
        period_end: planned.period_end,
        due: planned.due,
        next_day: planned.next_day,
        state: DepositState::Scheduled,
        reason: None,
        amounts: Vec::new(),
        cents: 0,
        batch: None,
        debit: None,
        settles_on: None,
        version: 1,
    }
}

/// Totals parts by account and tax.
fn total_shares(parts: &[&Part]) -> Vec<Share> {
    let mut sums: BTreeMap<(Account, &str), i64> = BTreeMap::new();
    for part in parts {
        *sums.entry((part.account, &part.code)).or_default() += part.cents;
    }
    let share = |((account, code), cents): ((Account, &str), i64)| Share {
        account: account.as_str().to_owned(),
        code: code.to_owned(),
        cents,
    };
    sums.into_iter().map(share).collect()
}

fn assign_part(tx: &mut Tx<'_>, company: Uuid, part: &Part, deposit: Option<Uuid>) -> Result<(), Error> {
    if part.deposit == deposit {
        return Ok(());
    }
    let account: &str = part.account.into();
    let assigned =
        tx.change_rows(ASSIGN, params![deposit, company, part.run, account, &part.agency, &part.code])?;
    assert!(assigned.is_one(), "the part was read under the guard of the company's deposits");
    Ok(())
}

/// Returns when a deposit is staged: early enough before its due date for its debit to settle if the company's credits wait for that, but
/// not before its payrolls can no longer be cancelled.
fn staged_at(tx: &mut Tx<'_>, company: Uuid, deposit: &TaxDeposit) -> Result<Timestamp, Error> {
    let now = tx.now();
    let Some(settings) = settings::find_settings(tx)? else { return Ok(now) };
    let funding = funding::of_company(tx, company)?;
    let days = u8::try_from(funding.days);
    let days = days.map_err(|_| Error::internal("a funding waits for more days than can be set"))?;
    let waits = if funding.mode == Mode::Debit { days } else { 0 };
    let by_due = holidays::banking_days_before(deposit.due, BANKING_DAYS + waits);
    let by_pay = holidays::banking_days_before(deposit.last_day, BANKING_DAYS);
    let moment = settings.terms.cut_off_on(by_due.max(by_pay));
    // After the payrolls of the same cut-off, whose file it shares.
    Ok((moment + 1.second()).max(now))
}
