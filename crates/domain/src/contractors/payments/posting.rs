//! Payments in the books: what they cost, and what is owed to the contractor and, after backup withholding, to the government.

use std::collections::BTreeMap;

use rules::Amount;
use store::Tx;
use uuid::Uuid;

use super::rows::{Method, Payment};
use crate::company::companies;
use crate::error::Error;
use crate::pay::books::rows as books;
use crate::pay::books::rows::Owed;
use crate::pay::books::{Account, BookLine, Posting};

/// Agency that backup withholding is owed to.
const AGENCY: &str = "US";
/// What backup withholding is called in the books, and the return on which it is reported.
pub(super) const BACKUP_WITHHOLDING: &str = "Backup withholding (Form 945)";

/// Posts a payment; no-op for a historical one, which the company has in its books already.
pub(super) fn post_payment(
    tx: &mut Tx<'_>,
    company: Uuid,
    payment: &Payment,
    name: &str,
) -> Result<(), Error> {
    if payment.method == Method::Historical {
        return Ok(());
    }
    let posting = Posting {
        run: payment.id,
        payroll: None,
        check_date: payment.check_date,
        paychecks: BTreeMap::new(),
        posted_at: tx.now(),
        paid_on: None,
        in_transit: false,
        reversed_at: None,
        reverses: None,
        lines: posting_lines(payment, name),
    };
    books::insert_posting(tx, company, &posting)
}

/// Posts the opposite of a payment that was not owed: the money comes back today.
pub(super) fn take_back(tx: &mut Tx<'_>, company: Uuid, payment: &Payment) -> Result<(), Error> {
    let Some(posted) = books::posting_of(tx, company, payment.id)? else { return Ok(()) };
    let now = tx.now();
    let posting = Posting {
        run: tx.new_id(),
        payroll: None,
        check_date: payment.check_date,
        paychecks: BTreeMap::new(),
        posted_at: now,
        paid_on: Some(now.to_zoned(companies::time_zone(tx, company)?).date()),
        in_transit: false,
        reversed_at: None,
        reverses: Some(payment.id),
        lines: posted.lines.into_iter().map(|line| BookLine { cents: -line.cents, ..line }).collect(),
    };
    books::insert_posting(tx, company, &posting)
}

fn posting_lines(payment: &Payment, name: &str) -> Vec<BookLine> {
    let line = |owed: Owed, name: &str, amount: Amount, sign: i64| {
        let Owed { account, agency, code, .. } = owed;
        let [name, department, job] = [name, "", ""].map(str::to_owned);
        BookLine { account, agency, code, name, department, job, cents: sign * amount.cents_half_up() }
    };
    let of = |account| Owed::new(account, "", "", "");
    let withheld = Owed::new(Account::BackupWithholdingPayable, AGENCY, "", "");
    let owed = Owed::to_contractor(payment.contractor, payment.id);
    let all = [
        line(of(Account::ContractorPay), name, payment.wage_total, 1),
        line(of(Account::Reimbursements), name, payment.reimbursement, 1),
        line(withheld, BACKUP_WITHHOLDING, payment.withheld, -1),
        line(owed, name, payment.net(), -1),
    ];
    all.into_iter().filter(|line| line.cents != 0).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::date;
    use proptest::prelude::*;
    use rules::contractor::WageType;
    use rules::contractor_pay::ContractorPayTable;

    use super::*;

    proptest! {
        #[test]
        fn the_lines_of_any_payment_sum_to_zero_and_to_its_cost(
            wage in 0..200_000_000_i64, reimbursement in 0..1_000_000_i64, is_withheld: bool,
        ) {
            let wage_total = Amount::from_cents(wage);
            let day = date(2026, 6, 18);
            let withheld = if is_withheld {
                ContractorPayTable::parse(ContractorPayTable::FILE).unwrap().backup_withholding(day, wage_total)
            } else {
                Amount::ZERO
            };
            let payment = Payment {
                id: Uuid::nil(), group: Uuid::nil(), contractor: Uuid::nil(), check_date: day, method: Method::Check,
                wage_type: WageType::Fixed, hourly_rate: Amount::ZERO, hours: Amount::ZERO, wage: wage_total,
                bonus: Amount::ZERO, reimbursement: Amount::from_cents(reimbursement), wage_total, withheld,
                withheld_for: None, memo: None, invoice_number: None, paid_at: None, disbursed: None, voided_at: None,
                cancelled_at: None, created_at: Timestamp::UNIX_EPOCH, version: 1,
            };
            let lines = posting_lines(&payment, "Ann");
            prop_assert_eq!(lines.iter().map(|line| line.cents).sum::<i64>(), 0);
            let cost = |account| lines.iter().filter(|line| line.account == account).map(|line| line.cents).sum::<i64>();
            prop_assert_eq!(cost(Account::ContractorPay) + cost(Account::Reimbursements), wage + reimbursement);
        }
    }
}
