//! Where the money of a payroll goes, in sums that add up: from what is earned to what people are paid, and from there to what leaves
//! the company's account; and what each person earned the last time.

use std::cmp::Ordering;

use rules::Amount;
use store::Tx;
use uuid::Uuid;

use crate::flows::texts::Texts;
use crate::money::{dollars_of, format_amount};
use domain::Error;
use domain::language::fill_placeholders;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::service::PayrollEmployee;
use domain::pay::payrolls::views::last_time;
use domain::pay::payrolls::views::last_time::{Change, LastTime};

/// A line of a sum.
pub struct SumLine {
    pub name: String,
    pub amount: String,
    /// whether it is the sum of the lines above
    pub is_sum: bool,
}

/// Lines under a title.
pub struct Part {
    pub title: &'static str,
    pub lines: Vec<SumLine>,
}

impl Part {
    fn add_line(&mut self, name: &str, millionths: i64) {
        if millionths != 0 {
            self.lines.push(SumLine {
                name: name.to_owned(),
                amount: signed_money(millionths),
                is_sum: false,
            });
        }
    }

    fn add_sum(&mut self, name: &str, millionths: i64) {
        self.lines.push(SumLine { name: name.to_owned(), amount: signed_money(millionths), is_sum: true });
    }
}

fn signed_money(millionths: i64) -> String {
    let amount = format_amount(Amount::from_millionths(millionths.abs()));
    if millionths < 0 { format!("−{amount}") } else { amount }
}

/// The sums of a calculated payroll.
pub fn payroll_sums(t: &'static Texts, one: &Payroll) -> Vec<Part> {
    let e = t.employer;
    let held = |key: &str| {
        let text = one.totals.totals.as_ref().and_then(|totals| totals.get(key)?.as_str().map(str::to_owned));
        text.and_then(|text| Amount::parse(&text).ok()).unwrap_or_default().millionths()
    };
    let (gross, net, expenses) = (held("gross_pay"), held("net_pay"), held("reimbursements"));
    let mut pay = Part { title: e.sums_title, lines: Vec::new() };
    let taken = [
        (e.sum_employee_taxes, held("employee_taxes")),
        (e.sum_deductions, held("employee_benefits_deductions")),
        (e.sum_other_deductions, held("other_deductions")),
        (e.sum_cash_tips, held("employee_cash_tips")),
    ];
    pay.add_line(e.sum_gross, gross);
    let mut left = gross;
    for (name, amount) in taken {
        left -= amount;
        pay.add_line(name, -amount);
    }
    pay.add_line(e.sum_rest, net - left);
    pay.add_sum(e.sum_net, net);
    if expenses != 0 {
        pay.add_line(e.sum_reimbursements, expenses);
        pay.add_sum(e.sum_paid_out, net + expenses);
    }
    let mut account = Part { title: e.sum_debit, lines: Vec::new() };
    let (of_people, of_company, taxes) = (held("employee_taxes"), held("employer_taxes"), held("tax_debit"));
    account.add_line(e.cash_net, held("net_pay_debit"));
    account.add_line(e.cash_expenses, held("reimbursement_debit"));
    account.add_line(e.cash_support, held("child_support_debit"));
    if taxes == of_people + of_company {
        account.add_line(e.sum_employee_taxes, of_people);
        account.add_line(e.sum_employer_taxes, of_company);
    } else {
        account.add_line(e.cash_taxes, taxes);
    }
    let debit = held("company_debit");
    account.add_sum(e.sum_debit, debit);
    let mut beside = Part { title: e.beside_title, lines: Vec::new() };
    beside.add_line(e.sum_checks, held("check_amount"));
    beside.add_line(e.sum_benefits, held("benefits"));
    let parts = [(pay, true), (account, debit != 0), (beside, true)];
    parts.into_iter().filter(|(part, some)| *some && !part.lines.is_empty()).map(|(part, _)| part).collect()
}

/// A formatted total of the payroll, if known.
pub fn total_of(one: &Payroll, name: &str) -> Option<String> {
    Some(dollars_of(one.totals.totals.as_ref()?.get(name)?.as_str()?))
}

/// The amount debited from the company's account, with the date; if nothing is debited, the sum of the checks.
pub fn debit_amount(
    t: &'static Texts,
    one: &Payroll,
    (debited, payday): (&str, &str),
    handed: &str,
) -> (String, String) {
    let (e, sum) = (t.employer, |name: &str| total_of(one, name).unwrap_or_default());
    let (debit, checks) = (sum("company_debit"), sum("check_amount"));
    let values = [("day", debited), ("payday", payday), ("checks", handed)];
    match is_some(&checks) {
        true if !is_some(&debit) => (checks, fill_placeholders(e.debit_none, &values)),
        true => (debit, fill_placeholders(e.debit_beside_checks, &values)),
        false => (debit, fill_placeholders(e.debit_on, &values)),
    }
}

/// The checks to hand out, in words: how many, if that is known, and for how much.
pub fn handed_out(t: &Texts, count: Option<usize>, sum: &str) -> String {
    let words = match count {
        Some(1) => t.employer.checks_one,
        Some(_) => t.employer.checks_many,
        None => t.employer.checks_some,
    };
    fill_placeholders(words, &[("count", &count.unwrap_or_default().to_string()), ("amount", sum)])
}

/// Whether a formatted sum is more than zero.
pub fn is_some(sum: &str) -> bool {
    sum.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

/// What a person earned the last time, and by how much it has changed.
pub struct Before {
    pub earned: String,
    /// in percent; empty without a change
    pub change: String,
    pub is_large: bool,
}

/// What everybody on a page earned the last time: the heading of the column, and each person's in the order of the page.
pub struct LastOnes {
    pub heading: String,
    /// how many earn much more or less, in words; empty if nobody does
    pub told: String,
    pub people: Vec<Before>,
}

/// What these people earned in the regular payroll before this one.
pub fn last_earnings(
    tx: &mut Tx<'_>,
    company: Uuid,
    (t, one): (&'static Texts, &Payroll),
    people: &[PayrollEmployee],
) -> Result<Option<LastOnes>, Error> {
    let ids: Vec<Uuid> = people.iter().map(|person| person.member.id).collect();
    let Some(last) = last_time::previous_earnings(tx, company, one, &ids)? else { return Ok(None) };
    let paid = people.iter().filter_map(|person| Some((person.member.id, person.outcome.as_ref()?.0.gross)));
    let people: Vec<Before> = paid.map(|(id, now)| earnings_change(t, &last, id, now)).collect();
    let large = people.iter().filter(|one| one.is_large).count();
    let e = t.employer;
    let told = match large {
        0 => String::new(),
        1 => e.changed_one.to_owned(),
        count => fill_placeholders(e.changed_many, &[("count", &count.to_string())]),
    };
    Ok(Some(LastOnes {
        heading: fill_placeholders(e.earned_on, &[("day", &t.format_day(last.check_date))]),
        told,
        people,
    }))
}

fn earnings_change(t: &Texts, last: &LastTime, id: Uuid, now: Amount) -> Before {
    let Some(earned) = last.gross.get(&id).copied() else {
        return Before { earned: t.employer.earned_first.to_owned(), change: String::new(), is_large: false };
    };
    let change = Change::from_amounts(earned, now);
    let words = |change: Change| match change.percent.cmp(&0) {
        Ordering::Equal => String::new(),
        Ordering::Greater => format!("+{}%", change.percent),
        Ordering::Less => format!("−{}%", change.percent.unsigned_abs()),
    };
    Before {
        earned: format_amount(earned),
        change: change.map(words).unwrap_or_default(),
        is_large: change.is_some_and(|change| change.is_large),
    }
}
