//! Reports of postings: taxes by jurisdiction, the cash requirement of each payroll, and pay by department.

use std::collections::BTreeMap;

use rules::days::Days;
use store::Tx;
use uuid::Uuid;

use super::table::{Cell, Table};
use crate::error::Error;
use crate::pay::books::accounts::Way;
use crate::pay::books::journal::{Reason, list_entries};
use crate::pay::books::{Account, BookLine, rows};
use crate::pay::payrolls::record::rows as payrolls;

/// Maximum numbers of payrolls and of their lines in one report.
const MOST: (i64, i64) = (1_000, 50_000);

/// Returns the postings of payrolls that were not cancelled, with pay dates between two days.
fn postings_by_pay_date(tx: &mut Tx<'_>, company: Uuid, days: Days) -> Result<Vec<rows::Posting>, Error> {
    // Applies the limits of the journal, with the same messages.
    let _within_limits = list_entries(tx, company, days)?;
    let (mut found, _) = rows::postings_between(tx, company, days, MOST)?;
    found.retain(|one| one.reversed_at.is_none() && (days.first..=days.last).contains(&one.check_date));
    Ok(found)
}

/// Sums the taxes of payrolls with pay dates between two days, by jurisdiction, and the payments made in these days.
///
/// # Errors
/// 422 if there are too many payrolls; a store error.
pub fn tax_liability(tx: &mut Tx<'_>, company: Uuid, days: Days) -> Result<Table, Error> {
    let mut sums: BTreeMap<[String; 3], [i64; 3]> = BTreeMap::new();
    let mut add = |line: &BookLine, sign: i64, paid: bool| {
        let place = match line.account {
            _ if paid => 2,
            Account::EmployeeTaxesPayable => 0,
            _ => 1,
        };
        let is_tax = matches!(line.account, Account::EmployeeTaxesPayable | Account::EmployerTaxesPayable);
        if is_tax {
            let tax = [&line.agency, &line.name, &line.code].map(Clone::clone);
            sums.entry(tax).or_default()[place] += sign * line.cents;
        }
    };
    for entry in list_entries(tx, company, days)? {
        let paid = match entry.reason {
            Reason::Payroll | Reason::Reversal | Reason::ReducedCredit | Reason::ContractorPayment => false,
            Reason::Payment => true,
            Reason::NetPay | Reason::Transfer => continue,
        };
        entry.lines.iter().for_each(|line| add(line, if paid { 1 } else { -1 }, paid));
    }
    let columns = ["agency", "tax", "employee_taxes", "employer_taxes", "total", "paid", "code"];
    let mut table = Table::new("Tax liability by jurisdiction", &columns);
    for ([agency, name, code], [own, employers, paid]) in sums {
        if [own, employers, paid] != [0; 3] {
            let amounts = [own, employers, own + employers, paid].map(Cell::from_cents);
            let tax = [Cell::from_text(agency), Cell::from_text(name)].into_iter();
            table.rows.push(tax.chain(amounts).chain([Cell::from_text(code)]).collect());
        }
    }
    Ok(table)
}

/// Sums the cash that each payroll with a pay date between two days requires from the company, by purpose.
///
/// # Errors
/// 422 if there are too many payrolls; a store error.
pub fn cash_requirement(tx: &mut Tx<'_>, company: Uuid, days: Days) -> Result<Table, Error> {
    let columns = [
        "check_date",
        "pay_period_start",
        "pay_period_end",
        "direct_deposit",
        "partner",
        "checks",
        "employee_taxes",
        "employer_taxes",
        "garnishments",
        "benefits",
        "total",
        "payroll_uuid",
    ];
    let mut table = Table::new("Cash requirement", &columns);
    for posting in postings_by_pay_date(tx, company, days)?.into_iter().filter(|one| !one.is_of_contractor())
    {
        let owed = |account: Account, way: Option<Way>| -> i64 {
            let lines = posting.lines.iter().filter(|line| line.account == account);
            -lines.filter(|line| way.is_none_or(|way| line.is_paid(way))).map(|line| line.cents).sum::<i64>()
        };
        let parts = [
            owed(Account::NetPayPayable, Some(Way::Deposit)),
            owed(Account::NetPayPayable, Some(Way::Partner)),
            owed(Account::NetPayPayable, Some(Way::Check)),
            owed(Account::EmployeeTaxesPayable, None),
            owed(Account::EmployerTaxesPayable, None),
            owed(Account::GarnishmentsPayable, None),
            owed(Account::BenefitsPayable, None),
        ];
        let period = match posting.payroll {
            Some(id) => {
                let payroll = payrolls::find_payroll(tx, company, id)?.ok_or(Error::NotFound)?;
                Some((payroll.start, payroll.end))
            }
            None => None,
        };
        let mut row = vec![Cell::from_text(posting.check_date.to_string())];
        row.push(Cell::from_optional_text(period.map(|(start, _)| start.to_string())));
        row.push(Cell::from_optional_text(period.map(|(_, end)| end.to_string())));
        row.extend(parts.map(Cell::from_cents));
        row.push(Cell::from_cents(parts.iter().sum()));
        row.push(Cell::from_optional_text(posting.payroll.map(|id| id.to_string())));
        table.rows.push(row);
    }
    Ok(table)
}

/// Sums paychecks and pay by department, for payrolls with pay dates between two days.
///
/// The books record how many paychecks each payroll had, but not whose: `largest_payroll` is the maximum of one payroll.
///
/// # Errors
/// 422 if there are too many payrolls; a store error.
pub fn by_department(tx: &mut Tx<'_>, company: Uuid, days: Days) -> Result<Table, Error> {
    #[derive(Default)]
    struct SummarySums {
        most: i64,
        paychecks: i64,
        wages: i64,
        /// cash tips, which are wages that the employer does not pay
        cash_tips: i64,
        taxes: i64,
        benefits: i64,
        reimbursed: i64,
    }
    let mut sums: BTreeMap<String, SummarySums> = BTreeMap::new();
    for posting in postings_by_pay_date(tx, company, days)? {
        for (department, count) in &posting.paychecks {
            let of = sums.entry(department.clone()).or_default();
            of.most = of.most.max(*count);
            of.paychecks += count;
        }
        for line in &posting.lines {
            let into = match line.account {
                Account::Wages => |of: &mut SummarySums, cents| of.wages += cents,
                Account::CashTips if line.cents > 0 => |of: &mut SummarySums, cents| of.cash_tips += cents,
                Account::EmployerTaxes => |of: &mut SummarySums, cents| of.taxes += cents,
                Account::BenefitContributions => |of: &mut SummarySums, cents| of.benefits += cents,
                Account::Reimbursements => |of: &mut SummarySums, cents| of.reimbursed += cents,
                _ => continue,
            };
            into(sums.entry(line.department.clone()).or_default(), line.cents);
        }
    }
    let columns = [
        "department",
        "largest_payroll",
        "paychecks",
        "gross_pay",
        "employer_taxes",
        "benefit_contributions",
        "reimbursements",
        "total_cost",
    ];
    let mut table = Table::new("Paychecks and pay by department", &columns);
    for (department, of) in sums {
        let name = if department.is_empty() { "No department".to_owned() } else { department };
        let mut row = vec![Cell::from_text(name), Cell::Count(of.most), Cell::Count(of.paychecks)];
        let others = [of.taxes, of.benefits, of.reimbursed];
        row.push(Cell::from_cents(of.wages + of.cash_tips));
        row.extend(others.map(Cell::from_cents));
        row.push(Cell::from_cents(of.wages + others.iter().sum::<i64>()));
        table.rows.push(row);
    }
    Ok(table)
}
