//! Taxes that no deposit pays: the amount owed to each agency, its due date if known, and why it is paid by hand.
//!
//! They are the open liabilities in the books, less what scheduled and staged deposits will pay. The amount of a deposit that was returned,
//! or left to the employer, is due on that deposit's due date. For other federal taxes, the return determines the date. There is no table
//! of due dates for state and local agencies; the deposit frequency of state income tax is the one the company has entered.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use rules::Named;
use rules::days::Days;
use rules::deposits::{FORM_944_DEPOSIT_THRESHOLD_CENTS, FUTA_CARRYOVER_CENTS, Form, business, types};
use rules::taxes::book::state_of_income_tax;
use store::Tx;

use super::held_pay;
use crate::access::tokens::Caller;
use crate::company::taxes::rows as answers;
use crate::error::Error;
use crate::money::batches::taxes;
use crate::money::deposits::{self, DepositState, TaxDeposit};
use crate::pay::books::Account;
use crate::pay::books::liabilities::{self, Liability, RecordPayment};
use crate::pay::books::rows::{self as books, LiabilityPayment, Owed, TaxAccrued};

/// The requirement under which a company enters its deposit frequency for state income tax.
const SCHEDULE: (&str, &str) = ("depositschedules", "withholding_deposit_schedule");

/// A tax that is paid by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByHand {
    /// the agency: `US`, a state as `US-TX`, or a locality as `US-PA/` and its key
    pub agency: String,
    /// code of the tax
    pub code: String,
    /// the tax, as shown
    pub tax: String,
    /// the amount owed
    pub cents: i64,
    /// the first and the last check date of the payrolls that owe it
    pub check_dates: Days,
    /// its due date; `None` if unknown
    pub due: Option<Date>,
    /// why it is paid by hand, and what is known about the due date
    pub why: String,
}

/// Records that a liability was paid by hand. Amounts in a deposit that is in progress cannot be paid by hand; held net pay is settled by the
/// payment ([`held_pay`]).
///
/// # Errors
/// As [`liabilities::record_liability_payment`].
pub fn record_payment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &RecordPayment,
) -> Result<LiabilityPayment, Error> {
    if let Some(payee) = held_pay::find_payee(tx, caller.company, input)? {
        return held_pay::record_held_pay(tx, caller, payee, input);
    }
    // Under this guard, a deposit that is being staged either sees this payment or is seen here.
    liabilities::guard_payments(tx, caller.company)?;
    let mut staged: BTreeMap<Owed, i64> = BTreeMap::new();
    for deposit in deposits::deposits_in_payment(tx, caller.company)?
        .iter()
        .filter(|one| one.state == DepositState::Staged)
    {
        for share in &deposit.amounts {
            if let Some(owed) = taxes::owed_liability(deposit, share) {
                *staged.entry(owed).or_default() += share.cents;
            }
        }
    }
    liabilities::record_liability_payment(tx, caller, input, &staged)
}

/// The unpaid amount of a liability.
struct Unpaid {
    /// the tax, as shown
    tax: String,
    cents: i64,
    check_dates: Days,
}

/// Unpaid amounts of liabilities.
type Left = BTreeMap<Owed, Unpaid>;

/// Returns the taxes that a company pays by hand, by agency and due date; within an agency, those without a date are last.
///
/// # Errors
/// 422 if there are more lines in the books, or more deposits, than can be read at once; a store error.
pub fn list_manual_taxes(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<ByHand>, Error> {
    let (mut left, mut backup): (Left, Vec<Liability>) = (BTreeMap::new(), Vec::new());
    for one in liabilities::list_liabilities(tx, caller.company, Date::MAX, true)? {
        let is_tax = matches!(one.account, Account::EmployeeTaxesPayable | Account::EmployerTaxesPayable);
        let cents = one.balance();
        if one.account == Account::BackupWithholdingPayable && cents > 0 {
            backup.push(one);
        } else if is_tax && cents > 0 {
            let owed = one.debt_key();
            let Liability { name, check_dates, .. } = one;
            left.insert(owed, Unpaid { tax: name, cents, check_dates });
        }
    }
    let mut deposits = deposits::all_of_company(tx, caller.company)?;
    deposits.sort_by_key(|one| one.due);
    for one in
        deposits.iter().filter(|one| matches!(one.state, DepositState::Scheduled | DepositState::Staged))
    {
        subtract_deposit(&mut left, one);
    }
    let mut found = Vec::new();
    for one in
        deposits.iter().filter(|one| matches!(one.state, DepositState::Returned | DepositState::Manual))
    {
        let why = one.reason.clone().unwrap_or_else(|| one.state.as_str().to_owned());
        let rows = subtract_deposit(&mut left, one).into_iter().map(|(code, (tax, cents))| ByHand {
            agency: one.authority.clone(),
            code,
            tax,
            cents,
            check_dates: Days { first: one.first_day, last: one.last_day },
            due: Some(one.due),
            why: why.clone(),
        });
        found.extend(rows);
    }
    found.extend(taxes_in_no_deposit(tx, caller, &deposits, left)?);
    found.extend(backup.into_iter().map(backup_withholding));
    found.sort_by_key(|one| {
        (one.agency.clone(), one.due.unwrap_or(Date::MAX), one.tax.clone(), one.code.clone())
    });
    Ok(found)
}

/// Returns backup withholding from contractors: it is reported on Form 945, by 31 January after the year, and deposited before unless it is less than
/// 2,500 dollars in the year (Instructions for Form 945; Publication 15, section 11).
fn backup_withholding(one: Liability) -> ByHand {
    let balance = one.balance();
    let last = one.check_dates.last;
    let why = "with Form 945, unless the year comes to 2,500 dollars: it is then deposited monthly or semiweekly, by the lookback period of Form 945";
    ByHand {
        agency: one.agency,
        code: one.code,
        tax: one.name,
        cents: balance,
        check_dates: one.check_dates,
        due: Some(business::from(date(last.year() + 1, 1, 31))),
        why: why.to_owned(),
    }
}

/// Subtracts what a deposit pays from the unpaid amounts; returns what it covered, by code: the tax as shown, and cents.
fn subtract_deposit(left: &mut Left, deposit: &TaxDeposit) -> BTreeMap<String, (String, i64)> {
    let mut taken: BTreeMap<String, (String, i64)> = BTreeMap::new();
    for share in &deposit.amounts {
        let Some(owed) = taxes::owed_liability(deposit, share) else { continue };
        let Some(unpaid) = left.get_mut(&owed) else { continue };
        let part = share.cents.min(unpaid.cents);
        unpaid.cents -= part;
        if part > 0 {
            taken.entry(share.code.clone()).or_insert_with(|| (unpaid.tax.clone(), 0)).1 += part;
        }
    }
    taken
}

/// Returns the amounts in no deposit, employee and employer taxes combined.
fn taxes_in_no_deposit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    deposits: &[TaxDeposit],
    left: Left,
) -> Result<Vec<ByHand>, Error> {
    let mut sums: BTreeMap<(String, String), Unpaid> = BTreeMap::new();
    for (owed, unpaid) in left.into_iter().filter(|(_, unpaid)| unpaid.cents > 0) {
        let Unpaid { tax, cents, check_dates } = unpaid;
        let none = || Unpaid { tax, cents: 0, check_dates };
        let sum = sums.entry((owed.agency, owed.code)).or_insert_with(none);
        sum.cents += cents;
        let Days { first, last } = sum.check_dates;
        sum.check_dates = Days { first: first.min(check_dates.first), last: last.max(check_dates.last) };
    }
    let today = caller.today(tx);
    let held = answers::list_answers(tx, caller.company)?;
    let mut found = Vec::new();
    for ((agency, code), Unpaid { tax, cents, check_dates }) in sums {
        let (due, why) = match agency.strip_prefix("US-") {
            None => {
                let one = ByHand { agency, code, tax, cents, check_dates, due: None, why: String::new() };
                found.extend(of_country(tx, caller, deposits, one)?);
                continue;
            }
            Some(_) if state_of_income_tax(&code).is_none() => {
                (None, "see the agency's notices: its due dates are not in any table".to_owned())
            }
            Some(state) => match answers::current_answer(&held, (state, SCHEDULE.0, SCHEDULE.1), today) {
                Some(answer) => (
                    None,
                    format!(
                        "{}, as the state has told the company: the due date is not in any table",
                        answer.value
                    ),
                ),
                None => (None, format!("the deposit frequency of {state} is not set ({})", SCHEDULE.1)),
            },
        };
        found.push(ByHand { agency, code, tax, cents, check_dates, due, why });
    }
    Ok(found)
}

/// Returns a federal tax that is in no deposit, with its due date and the reason. Amounts paid with a return are grouped by year.
fn of_country(
    tx: &mut Tx<'_>,
    caller: &Caller,
    deposits: &[TaxDeposit],
    one: ByHand,
) -> Result<Vec<ByHand>, Error> {
    let day = one.check_dates.last;
    if let Some(why) = deposits::left_out(tx, caller.company, day)? {
        return Ok(vec![ByHand { why: why.to_owned(), ..one }]);
    }
    let form = deposits::form_of(tx, caller.company, (&one.agency, &one.code), day)?;
    let why = match form {
        Some(Form::F940) => {
            format!("with Form 940, unless more than {} come together", in_dollars(FUTA_CARRYOVER_CENTS))
        }
        Some(Form::F944) => {
            format!(
                "with Form 944, unless the year comes to {}",
                in_dollars(FORM_944_DEPOSIT_THRESHOLD_CENTS)
            )
        }
        Some(Form::F941) | None => {
            let why = match form {
                Some(_) => "its payrolls were processed before its deposit schedule was set".to_owned(),
                None => format!("{} has no code for it", types::FILE),
            };
            return Ok(vec![ByHand { why, ..one }]);
        }
    };
    let is_deposited = |day: Date| {
        let mut own = deposits
            .iter()
            .filter(|deposit| Some(deposit.form) == form && deposit.state != DepositState::Canceled);
        own.any(|deposit| (deposit.first_day..=deposit.last_day).contains(&day))
    };
    let mut years: BTreeMap<i16, (i64, Days)> = BTreeMap::new();
    for TaxAccrued { day, code, cents } in
        books::taxes_between(tx, caller.company, &one.agency, one.check_dates)?
    {
        if code == one.code && !is_deposited(day) {
            let (sum, Days { first, last }) =
                years.entry(day.year()).or_insert((0, Days { first: day, last: day }));
            *sum += cents;
            (*first, *last) = ((*first).min(day), (*last).max(day));
        }
    }
    // The employer's payments apply to the oldest taxes first, so the remainder belongs to the newest.
    let (mut left, mut found) = (one.cents, Vec::new());
    for (year, (sum, check_dates)) in years.into_iter().rev() {
        let cents = sum.min(left);
        left -= cents;
        if cents > 0 {
            let due = Some(business::from(date(year + 1, 1, 31)));
            found.push(ByHand { cents, check_dates, due, why: why.clone(), ..one.clone() });
        }
    }
    if left > 0 {
        found.push(ByHand { cents: left, why: "the part not covered by deposits".to_owned(), ..one });
    }
    Ok(found)
}

/// Formats a threshold of whole dollars, such as `2,500 dollars`.
fn in_dollars(cents: i64) -> String {
    match cents / 100 {
        dollars @ ..1_000 => format!("{dollars} dollars"),
        dollars => format!("{},{:03} dollars", dollars / 1_000, dollars % 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_told_as_the_forms_print_them() {
        let told = [FUTA_CARRYOVER_CENTS, FORM_944_DEPOSIT_THRESHOLD_CENTS, 100_000].map(in_dollars);
        assert_eq!(told, ["500 dollars", "2,500 dollars", "1,000 dollars"]);
    }
}
