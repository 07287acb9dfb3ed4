//! The postings of a payroll: lines of `pay::books`, made from its stored paychecks.
//!
//! Debits are wages, employer taxes, benefit contributions and reimbursed expenses; credits are what is owed to each payee: net pay,
//! taxes, garnishments, benefits. Cash tips are wages that the company does not pay: they appear on both sides of a separate account.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::{Amount, Named};
use store::{Store, Tx};
use uuid::Uuid;

use crate::company::companies;
use crate::error::Error;
use crate::pay::books::accounts::Way;
use crate::pay::books::liabilities::OVERPAYMENT;
use crate::pay::books::rows as books;
use crate::pay::books::{Account, BookLine, Posting};
use crate::pay::compensations::rows as pay;
use crate::pay::payrolls::record::kinds::FixedKind;
use crate::pay::payrolls::record::lines::{Earning, PaycheckLine, Source, StoredPaycheck};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::run::snapshot::AT_ONCE;
use crate::people::departments;
use crate::records::IdRange;

/// Agency of child support; other garnishments have none.
pub const CHILD_SUPPORT: &str = "child_support";
/// Name of the line that cash tips are balanced by.
const RECEIVED_IN_CASH: &str = "Tips received in cash";

/// What a line of the books sums up. Its texts are those of the paychecks while these are read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'k> {
    account: Account,
    agency: Cow<'k, str>,
    name: Cow<'k, str>,
    /// code of a tax, or of the way in which net pay is paid; two taxes of one name are two lines
    code: Cow<'k, str>,
    department: Cow<'k, str>,
    job: Cow<'k, str>,
}

impl Key<'_> {
    fn into_owned(self) -> Key<'static> {
        let Key { account, agency, name, code, department, job } = self;
        let [agency, name, code, department, job] =
            [agency, name, code, department, job].map(|text| Cow::Owned(text.into_owned()));
        Key { account, agency, name, code, department, job }
    }
}

/// The earning, tax, benefit or garnishment of a line, and who receives it.
#[derive(Debug, Clone, Default)]
struct PostingItem<'i> {
    agency: Cow<'i, str>,
    code: &'i str,
    name: Cow<'i, str>,
}

impl<'i> PostingItem<'i> {
    fn with_name(name: impl Into<Cow<'i, str>>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// The sums of a payroll's lines while its paychecks are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered<'k> {
    amounts: BTreeMap<Key<'k>, Amount>,
    paychecks: BTreeMap<Cow<'k, str>, i64>,
}

/// The department and jobs under which a paycheck's lines are posted.
struct Place<'p> {
    department: &'p str,
    /// titles of the jobs, in the order of the inputs
    jobs: Vec<&'p str>,
}

impl<'p> Place<'p> {
    fn job_title(&self, index: usize) -> &'p str {
        self.jobs.get(index).copied().unwrap_or_default()
    }
}

impl<'k> Gathered<'k> {
    fn add_amount(
        &mut self,
        account: Account,
        item: PostingItem<'k>,
        (department, job): (&'k str, &'k str),
        amount: Amount,
    ) {
        if !amount.is_zero() {
            let PostingItem { agency, code, name } = item;
            let [code, department, job] = [code, department, job].map(Cow::Borrowed);
            let key = Key { account, agency, name, code, department, job };
            *self.amounts.entry(key).or_default() += amount;
        }
    }

    fn add_paycheck(&mut self, place: &Place<'k>, paycheck: StoredPaycheck<'k>, partner_pays: bool) {
        *self.paychecks.entry(Cow::Borrowed(place.department)).or_default() += 1;
        for line in paycheck.paycheck_lines() {
            self.add_paycheck_line(place, paycheck.outcome.employee, &line);
        }
        let by = match paycheck.paid.splits.is_empty() {
            true => Way::Check,
            false if partner_pays => Way::Partner,
            false => Way::Deposit,
        };
        let net = paycheck.outcome.check_amount;
        let item = PostingItem { code: by.as_str(), ..PostingItem::with_name(by.line_name()) };
        self.add_amount(Account::NetPayPayable, item, ("", ""), -net);
    }

    /// Adds a line of a paycheck, with what it costs and what is owed for it.
    fn add_paycheck_line(&mut self, place: &Place<'k>, employee: Uuid, line: &PaycheckLine<'k>) {
        let (at, nowhere, amount) = ((place.department, place.job_title(0)), ("", ""), line.amount);
        match line.source {
            Source::Earning(of) => {
                let (at, item) =
                    ((place.department, place.job_title(of.job)), PostingItem::with_name(of.name));
                if of.earning == Earning::Fixed(FixedKind::CashTips) {
                    self.add_amount(Account::CashTips, item, at, amount);
                    let received = PostingItem::with_name(RECEIVED_IN_CASH);
                    self.add_amount(Account::CashTips, received, nowhere, -amount);
                } else {
                    self.add_amount(Account::Wages, item, at, amount);
                }
            }
            Source::Reimbursement(_) => {
                let item = PostingItem::with_name("Reimbursements");
                self.add_amount(Account::Reimbursements, item, at, amount);
            }
            Source::Tax(tax) => {
                let cost = PostingItem { code: &tax.id.code, ..PostingItem::with_name(&tax.label) };
                let owed = PostingItem { agency: Cow::Owned(tax.jurisdiction.agency()), ..cost.clone() };
                if tax.is_of_employer() {
                    self.add_amount(Account::EmployerTaxes, cost, at, amount);
                    self.add_amount(Account::EmployerTaxesPayable, owed, nowhere, -amount);
                } else {
                    self.add_amount(Account::EmployeeTaxesPayable, owed, nowhere, -amount);
                }
            }
            Source::BenefitDeduction(benefit) => {
                self.add_amount(
                    Account::BenefitsPayable,
                    PostingItem::with_name(&benefit.name),
                    nowhere,
                    -amount,
                );
            }
            Source::BenefitContribution(benefit) => {
                let item = PostingItem::with_name(&benefit.name);
                self.add_amount(Account::BenefitContributions, item.clone(), at, amount);
                self.add_amount(Account::BenefitsPayable, item, nowhere, -amount);
            }
            // It is not paid.
            Source::ImputedIncome(_) => {}
            Source::Order(taken) if taken.overpayment => {
                let item = PostingItem {
                    agency: Cow::Owned(employee.to_string()),
                    ..PostingItem::with_name(OVERPAYMENT)
                };
                self.add_amount(Account::EmployeeReceivables, item, nowhere, -amount);
            }
            Source::Order(taken) => {
                let agency = if taken.support { CHILD_SUPPORT } else { "" };
                let item =
                    PostingItem { agency: Cow::Borrowed(agency), ..PostingItem::with_name(&taken.name) };
                self.add_amount(Account::GarnishmentsPayable, item, nowhere, -amount);
            }
            Source::OrderFee(taken) => {
                self.add_amount(
                    Account::GarnishmentFees,
                    PostingItem::with_name(taken.fee_name()),
                    nowhere,
                    -amount,
                );
            }
        }
    }

    fn into_owned(self) -> Gathered<'static> {
        let paychecks = self.paychecks.into_iter();
        Gathered {
            amounts: self.amounts.into_iter().map(|(key, amount)| (key.into_owned(), amount)).collect(),
            paychecks: paychecks.map(|(department, count)| (department.into_owned().into(), count)).collect(),
        }
    }

    fn merge(&mut self, more: Self) {
        for (key, amount) in more.amounts {
            *self.amounts.entry(key).or_default() += amount;
        }
        for (department, count) in more.paychecks {
            *self.paychecks.entry(department).or_default() += count;
        }
    }

    /// Returns the number of paychecks by department.
    fn paychecks(&self) -> BTreeMap<String, i64> {
        self.paychecks.iter().map(|(department, count)| (department.to_string(), *count)).collect()
    }

    /// Returns the lines in whole cents. Paychecks are in whole cents, so there is no remainder; one would be logged and posted as
    /// rounding.
    fn posting_lines(&self) -> Vec<BookLine> {
        let mut lines: Vec<BookLine> = Vec::with_capacity(self.amounts.len());
        for (key, amount) in &self.amounts {
            let cents = amount.cents_half_up();
            if cents != 0 {
                let [agency, code, name, department, job] =
                    [&key.agency, &key.code, &key.name, &key.department, &key.job]
                        .map(|text| text.to_string());
                lines.push(BookLine { account: key.account, agency, code, name, department, job, cents });
            }
        }
        let left: i64 = lines.iter().map(|line| line.cents).sum();
        if left != 0 {
            tracing::warn!(cents = left, "the lines of a payroll are not whole cents");
            let [agency, code, department, job] = [const { String::new() }; 4];
            let name = "Rounding".to_owned();
            lines.push(BookLine {
                account: Account::Rounding,
                agency,
                code,
                name,
                department,
                job,
                cents: -left,
            });
        }
        lines
    }
}

/// Reads the sums of all paychecks of a calculation.
pub(super) async fn gather_paychecks(
    store: &Store,
    company: Uuid,
    (run, partner_pays): (Uuid, bool),
) -> Result<Gathered<'static>, Error> {
    let (mut gathered, mut after) = (Gathered::default(), Uuid::nil());
    loop {
        let (some, last) = store.read(move |tx| gather_some(tx, company, (run, partner_pays), after)).await?;
        gathered.merge(some);
        let Some(last) = last else { return Ok(gathered) };
        after = last;
    }
}

fn gather_some(
    tx: &mut Tx<'_>,
    company: Uuid,
    (run, partner_pays): (Uuid, bool),
    after: Uuid,
) -> Result<(Gathered<'static>, Option<Uuid>), Error> {
    let some = results::outcomes_after(tx, company, run, after, AT_ONCE)?;
    let last = some.last().map(|outcome| outcome.employee);
    Ok((gathered_of(tx, company, (run, partner_pays), &some)?, last))
}

/// Returns the sums of paychecks, each under its employee's department and jobs.
fn gathered_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    (run, partner_pays): (Uuid, bool),
    outcomes: &[Outcome],
) -> Result<Gathered<'static>, Error> {
    let (Some(first), Some(last)) = (outcomes.first(), outcomes.last()) else {
        return Ok(Gathered::default());
    };
    let departments = departments::rows::departments_of_employees(
        tx,
        company,
        IdRange { first: first.employee, last: last.employee },
    )?;
    let jobs = pay::of_employees(tx, company, outcomes.iter().map(|outcome| outcome.employee))?;
    let read = |outcome: &Outcome| Ok((outcome.read_paycheck()?, outcome.readable_inputs(run)));
    let paychecks = outcomes.iter().map(read).collect::<Result<Vec<_>, store::Error>>()?;
    let mut gathered = Gathered::default();
    for (outcome, (paid, inputs)) in outcomes.iter().zip(&paychecks) {
        let titles = jobs.get(&outcome.employee).map(|pay| &pay.jobs).into_iter().flatten();
        let place = Place {
            department: departments.get(&outcome.employee).map_or("", |one| one.title.as_str()),
            jobs: titles.map(|job| job.title.as_deref().unwrap_or_default()).collect(),
        };
        let paycheck = StoredPaycheck { outcome, paid, inputs: inputs.as_ref() };
        gathered.add_paycheck(&place, paycheck, partner_pays);
    }
    Ok(gathered.into_owned())
}

/// Posts a payroll in the unit of work that processes it; returns the posting.
pub(super) fn post_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    gathered: &Gathered<'_>,
) -> Result<Option<Posting>, Error> {
    let Some(run) = payroll.run else { return Ok(None) };
    let paid_on = match payroll.paid_at {
        Some(at) => Some(day_of(tx, company, at)?),
        None => None,
    };
    let posting = Posting {
        run,
        payroll: Some(payroll.id),
        check_date: payroll.check_date,
        paychecks: gathered.paychecks(),
        posted_at: tx.now(),
        paid_on,
        in_transit: false,
        reversed_at: None,
        reverses: None,
        lines: gathered.posting_lines(),
    };
    books::insert_posting(tx, company, &posting)?;
    Ok(Some(posting))
}

/// Returns the posting that takes back a paycheck of a posted payroll, as of its pay date: the opposite of its lines. Its net pay comes back
/// today, or is owed by the employee.
pub(in crate::pay::payrolls) fn reversing_posting(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    (outcome, id, owed): (&Outcome, Uuid, bool),
) -> Result<Posting, Error> {
    let of = (payroll.run.unwrap_or(id), payroll.partner_pays);
    let gathered = gathered_of(tx, company, of, std::slice::from_ref(outcome))?;
    let (paychecks, lines) = (gathered.paychecks(), gathered.posting_lines());
    let now = tx.now();
    let opposite = |line: BookLine| match line.account {
        Account::NetPayPayable if owed => BookLine {
            account: Account::EmployeeReceivables,
            agency: outcome.employee.to_string(),
            name: OVERPAYMENT.to_owned(),
            code: String::new(),
            cents: -line.cents,
            ..line
        },
        _ => BookLine { cents: -line.cents, ..line },
    };
    Ok(Posting {
        run: id,
        payroll: Some(payroll.id),
        check_date: payroll.check_date,
        paychecks: paychecks.into_iter().map(|(department, count)| (department, -count)).collect(),
        posted_at: now,
        paid_on: if owed { None } else { Some(day_of(tx, company, now)?.max(payroll.check_date)) },
        in_transit: false,
        reversed_at: None,
        reverses: payroll.run,
        lines: lines.into_iter().map(opposite).collect(),
    })
}

/// Returns the date of a moment in the company's time zone.
pub(super) fn day_of(tx: &mut Tx<'_>, company: Uuid, at: Timestamp) -> Result<Date, Error> {
    Ok(at.to_zoned(companies::time_zone(tx, company)?).date())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pay::books::rows::Owed;
    use crate::pay::payrolls::record::by_chance;
    use crate::pay::payrolls::record::paycheck::Paid;

    proptest! {
        #[test]
        fn two_taxes_never_share_a_line_or_a_payee_whatever_their_labels(
            paychecks in prop::collection::vec(by_chance::arbitrary_taxes(), 0..8),
        ) {
            let place = Place { department: "Bar", jobs: vec!["Cook"] };
            let paychecks: Vec<_> = paychecks
                .into_iter()
                .map(|taxes| {
                    let (outcome, paid) = by_chance::paycheck_of([0; 4], [0; 4], [0; 3]);
                    (outcome, Paid { taxes, ..paid })
                })
                .collect();
            let (mut gathered, mut expected) = (Gathered::default(), BTreeMap::<Owed, i64>::new());
            for (outcome, paid) in &paychecks {
                for tax in &paid.taxes {
                    let account = match tax.is_of_employer() {
                        true => Account::EmployerTaxesPayable,
                        false => Account::EmployeeTaxesPayable,
                    };
                    let owed = Owed::new(account, &tax.jurisdiction.agency(), &tax.id.code, "");
                    *expected.entry(owed).or_default() += tax.amount.cents_half_up();
                }
                gathered.add_paycheck(&place, StoredPaycheck { outcome, paid, inputs: None }, false);
            }
            let mut found = BTreeMap::<Owed, i64>::new();
            for line in gathered.posting_lines() {
                if matches!(line.account, Account::EmployeeTaxesPayable | Account::EmployerTaxesPayable) {
                    let owed = Owed::new(line.account, &line.agency, &line.code, &line.name);
                    prop_assert_eq!(found.insert(owed, -line.cents), None, "one line for each");
                }
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn the_lines_of_any_paychecks_sum_to_zero_and_to_gross_pay(
            paychecks in prop::collection::vec((by_chance::arbitrary_paycheck(), 0..3_usize), 0..20),
        ) {
            let mut gathered = Gathered::default();
            let (mut gross, mut tips) = (0, 0);
            let count = paychecks.len();
            for ((outcome, paid), department) in &paychecks {
                let place = Place { department: ["", "Bar", "Kitchen"][*department], jobs: vec!["Cook"] };
                gathered.add_paycheck(&place, StoredPaycheck { outcome, paid, inputs: None }, false);
                gross += outcome.gross.cents_half_up();
                tips += paid.cash_tips.cents_half_up();
            }
            let lines = gathered.posting_lines();
            prop_assert_eq!(lines.iter().map(|line| line.cents).sum::<i64>(), 0);
            prop_assert!(lines.iter().all(|line| line.account != Account::Rounding && line.cents != 0));
            let sum = |account: Account| -> i64 {
                lines.iter().filter(|line| line.account == account).map(|line| line.cents).sum()
            };
            prop_assert_eq!(sum(Account::Wages) + tips, gross);
            prop_assert_eq!(sum(Account::CashTips), 0);
            prop_assert_eq!(gathered.paychecks.values().sum::<i64>(), i64::try_from(count).unwrap());
        }
    }
}
