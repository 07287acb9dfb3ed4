//! The postings of a payroll: lines of `pay::books`, made from its stored paychecks.
//!
//! Debits are wages, employer taxes, benefit contributions and reimbursed expenses; credits are what is owed to each payee: net pay,
//! taxes, garnishments, benefits. Cash tips are wages that the company does not pay: they appear on both sides of a separate account.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Amount;
use store::{Store, Tx};
use uuid::Uuid;

use crate::company::companies;
use crate::error::Error;
use crate::pay::books::liabilities::OVERPAYMENT;
use crate::pay::books::rows as books;
use crate::pay::books::{Account, Line, Posting};
use crate::pay::compensations::rows as pay;
use crate::pay::payrolls::record::kinds::{FixedKind, HourlyKind, RECALCULATED_PREMIUM};
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::run::snapshot::AT_ONCE;
use crate::people::departments;

/// Agency of child support; other garnishments have none.
pub const CHILD_SUPPORT: &str = "child_support";
/// Name of the line for pay whose earning is no longer known.
const FURTHER_EARNINGS: &str = "Further earnings";

/// Name of net pay paid by paper check.
pub const BY_CHECK: &str = "Check";
/// Name of net pay that this service pays to bank accounts.
pub const BY_DEPOSIT: &str = "Direct deposit";
/// Name of net pay that the partner pays.
pub const BY_PARTNER: &str = "Partner";

/// What a line of the books sums up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    account: Account,
    agency: String,
    name: String,
    /// code of a tax; two taxes of one name are two lines
    code: String,
    department: String,
    job: String,
}

/// The earning, tax, benefit or garnishment of a line, and who receives it.
#[derive(Debug, Clone, Copy, Default)]
struct Item<'i> {
    agency: &'i str,
    code: &'i str,
    name: &'i str,
}

impl<'i> Item<'i> {
    fn named(name: &'i str) -> Self {
        Self { name, ..Self::default() }
    }
}

/// The sums of a payroll's lines while its paychecks are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered {
    /// millionths of a dollar
    amounts: BTreeMap<Key, i64>,
    paychecks: BTreeMap<String, i64>,
}

/// The department and jobs under which a paycheck's lines are posted.
struct Place<'p> {
    department: &'p str,
    /// titles of the jobs, in the order of the inputs
    jobs: Vec<&'p str>,
}

impl Place<'_> {
    fn job(&self, index: usize) -> &str {
        self.jobs.get(index).copied().unwrap_or_default()
    }
}

impl Gathered {
    fn add(&mut self, account: Account, item: Item<'_>, (department, job): (&str, &str), amount: i64) {
        if amount != 0 {
            let Item { agency, code, name } = item;
            let [agency, code, name, department, job] =
                [agency, code, name, department, job].map(str::to_owned);
            let key = Key { account, agency, name, code, department, job };
            *self.amounts.entry(key).or_default() += amount;
        }
    }

    fn paycheck(
        &mut self,
        place: &Place<'_>,
        (outcome, paid): (&Outcome, &Paid),
        inputs: Option<&PaycheckInputs>,
        partner_pays: bool,
    ) {
        *self.paychecks.entry(place.department.to_owned()).or_default() += 1;
        self.earnings(place, outcome, paid, inputs);
        let at = (place.department, place.job(0));
        self.add(Account::Reimbursements, Item::named("Reimbursements"), at, paid.reimbursements);
        for tax in &paid.taxes {
            let agency = tax.jurisdiction.agency();
            let (cost, owed) = (
                Item { agency: "", code: &tax.id.code, name: &tax.label },
                Item { agency: &agency, code: &tax.id.code, name: &tax.label },
            );
            if tax.is_of_employer() {
                self.add(Account::EmployerTaxes, cost, at, tax.amount);
                self.add(Account::EmployerTaxesPayable, owed, ("", ""), -tax.amount);
            } else {
                self.add(Account::EmployeeTaxesPayable, owed, ("", ""), -tax.amount);
            }
        }
        for benefit in &paid.benefits {
            let item = Item::named(&benefit.name);
            self.add(Account::BenefitContributions, item, at, benefit.contribution);
            let both = benefit.deduction + benefit.contribution;
            self.add(Account::BenefitsPayable, item, ("", ""), -both);
        }
        for taken in &paid.deductions {
            let agency = if taken.support { CHILD_SUPPORT } else { "" };
            let item = Item { agency, ..Item::named(&taken.name) };
            if taken.overpayment {
                let employee = outcome.employee.to_string();
                let item = Item { agency: &employee, ..Item::named(OVERPAYMENT) };
                self.add(Account::EmployeeReceivables, item, ("", ""), -taken.amount);
                continue;
            }
            self.add(Account::GarnishmentsPayable, item, ("", ""), -taken.amount);
            if let Some((name, fee)) = taken.fee_line() {
                self.add(Account::GarnishmentFees, Item::named(&name), ("", ""), -fee);
            }
        }
        self.add(Account::CashTips, Item::named("Tips received in cash"), ("", ""), -paid.cash_tips);
        let by = match paid.splits.is_empty() {
            true => BY_CHECK,
            false if partner_pays => BY_PARTNER,
            false => BY_DEPOSIT,
        };
        self.add(Account::NetPayPayable, Item::named(by), ("", ""), -outcome.check_amount.millionths());
    }

    /// Adds the earnings by job and earning. Earnings that are no longer known share one line, so that the lines add up to gross pay.
    fn earnings(
        &mut self,
        place: &Place<'_>,
        outcome: &Outcome,
        paid: &Paid,
        inputs: Option<&PaycheckInputs>,
    ) {
        let mut rest = outcome.gross.millionths();
        let mut earned = |gathered: &mut Self, account: Account, name: &str, job: usize, amount: i64| {
            rest -= amount;
            gathered.add(account, Item::named(name), (place.department, place.job(job)), amount);
        };
        for (job, of_job) in paid.jobs.iter().enumerate() {
            earned(self, Account::Wages, "Salary", job, of_job.salary);
            for (kind, amount) in HourlyKind::ALL.iter().zip(of_job.hourly) {
                earned(self, Account::Wages, kind.as_str(), job, amount);
            }
            let kinds = inputs.map_or(&[][..], |inputs| &inputs.time_off);
            for (line, amount) in of_job.time_off.iter().enumerate() {
                let name = kinds.get(line).map_or("Paid time off", |kind| kind.as_str());
                earned(self, Account::Wages, name, job, *amount);
            }
            earned(self, Account::Wages, rules::payroll::MINIMUM_WAGE_ADJUSTMENT, job, of_job.make_up);
            earned(self, Account::Wages, RECALCULATED_PREMIUM, job, of_job.recalculated);
        }
        earned(self, Account::CashTips, FixedKind::CashTips.as_str(), 0, paid.cash_tips);
        for fixed in inputs.iter().flat_map(|inputs| &inputs.fixed) {
            if !matches!(fixed.name, FixedKind::MinimumWageAdjustment | FixedKind::CashTips) {
                let (name, job) = (fixed.name.as_str(), fixed.pay.job);
                earned(self, Account::Wages, name, job, fixed.pay.amount.millionths());
            }
        }
        for custom in inputs.iter().flat_map(|inputs| &inputs.custom) {
            earned(self, Account::Wages, &custom.name, custom.pay.job, custom.pay.amount.millionths());
        }
        let at = (place.department, place.job(0));
        self.add(Account::Wages, Item::named(FURTHER_EARNINGS), at, rest);
    }

    /// Adds one paycheck, under the employee's department and jobs.
    fn outcome(
        &mut self,
        tx: &mut Tx<'_>,
        company: Uuid,
        outcome: &Outcome,
        partner_pays: bool,
    ) -> Result<(), Error> {
        let id = outcome.employee;
        let departments = departments::rows::between(tx, company, (id, id))?;
        let jobs = pay::of_employees(tx, company, [id])?;
        let titles = jobs.get(&id).map(|pay| &pay.jobs).into_iter().flatten();
        let place = Place {
            department: departments.get(&id).map_or("", |one| one.title.as_str()),
            jobs: titles.map(|job| job.title.as_deref().unwrap_or_default()).collect(),
        };
        let paid = outcome.paid()?;
        self.paycheck(&place, (outcome, &paid), outcome.readable_inputs(id).as_ref(), partner_pays);
        Ok(())
    }

    fn merge(&mut self, more: Self) {
        for (key, amount) in more.amounts {
            *self.amounts.entry(key).or_default() += amount;
        }
        for (department, count) in more.paychecks {
            *self.paychecks.entry(department).or_default() += count;
        }
    }

    /// Returns the lines in whole cents. Paychecks are in whole cents, so there is no remainder; one would be logged and posted as
    /// rounding.
    fn lines(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::with_capacity(self.amounts.len());
        for (key, millionths) in &self.amounts {
            let cents = Amount::from_millionths(*millionths).cents_half_up();
            if cents != 0 {
                let Key { account, agency, name, code, department, job } = key.clone();
                lines.push(Line { account, agency, code, name, department, job, cents });
            }
        }
        let left: i64 = lines.iter().map(|line| line.cents).sum();
        if left != 0 {
            tracing::warn!(cents = left, "the lines of a payroll are not whole cents");
            let [agency, code, department, job] = [const { String::new() }; 4];
            let name = "Rounding".to_owned();
            lines.push(Line {
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
///
/// # Errors
/// A store error.
pub(super) async fn gather(
    store: &Store,
    company: Uuid,
    (run, partner_pays): (Uuid, bool),
) -> Result<Gathered, Error> {
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
) -> Result<(Gathered, Option<Uuid>), Error> {
    let some = results::after(tx, company, run, after, AT_ONCE)?;
    let mut gathered = Gathered::default();
    let (Some(first), Some(last)) = (some.first(), some.last()) else { return Ok((gathered, None)) };
    let bounds = (first.employee, last.employee);
    let departments = departments::rows::between(tx, company, bounds)?;
    let jobs = pay::of_employees(tx, company, some.iter().map(|outcome| outcome.employee))?;
    for outcome in &some {
        let paid = outcome.paid()?;
        let inputs = outcome.readable_inputs(run);
        let titles = jobs.get(&outcome.employee).map(|pay| &pay.jobs).into_iter().flatten();
        let place = Place {
            department: departments.get(&outcome.employee).map_or("", |one| one.title.as_str()),
            jobs: titles.map(|job| job.title.as_deref().unwrap_or_default()).collect(),
        };
        gathered.paycheck(&place, (outcome, &paid), inputs.as_ref(), partner_pays);
    }
    Ok((gathered, Some(bounds.1)))
}

/// Posts a payroll in the unit of work that processes it; returns the posting.
///
/// # Errors
/// A store error.
pub(super) fn post(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    gathered: &Gathered,
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
        paychecks: gathered.paychecks.clone(),
        posted_at: tx.now(),
        paid_on,
        reversed_at: None,
        reverses: None,
        lines: gathered.lines(),
    };
    books::post(tx, company, &posting)?;
    Ok(Some(posting))
}

/// Returns the posting that takes back a paycheck of a posted payroll, as of its pay date: the opposite of its lines. Its net pay comes back
/// today, or is owed by the employee.
///
/// # Errors
/// A store error.
pub(in crate::pay::payrolls) fn opposite(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    (outcome, id, owed): (&Outcome, Uuid, bool),
) -> Result<Posting, Error> {
    let mut gathered = Gathered::default();
    gathered.outcome(tx, company, outcome, payroll.partner_pays)?;
    let (paychecks, lines) = (gathered.paychecks.clone(), gathered.lines());
    let now = tx.now();
    let opposite = |line: Line| match line.account {
        Account::NetPayPayable if owed => Line {
            account: Account::EmployeeReceivables,
            agency: outcome.employee.to_string(),
            name: OVERPAYMENT.to_owned(),
            cents: -line.cents,
            ..line
        },
        _ => Line { cents: -line.cents, ..line },
    };
    Ok(Posting {
        run: id,
        payroll: Some(payroll.id),
        check_date: payroll.check_date,
        paychecks: paychecks.into_iter().map(|(department, count)| (department, -count)).collect(),
        posted_at: now,
        paid_on: if owed { None } else { Some(day_of(tx, company, now)?.max(payroll.check_date)) },
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
    use rules::taxes::{Jurisdiction, TaxId};

    use super::*;
    use crate::pay::books::rows::Owed;
    use crate::pay::payrolls::record::by_chance;
    use crate::pay::payrolls::record::paycheck::{BenefitPaid, DeductionPaid, JobPaid};
    use crate::pay::payrolls::record::taxes::TaxPaid;

    const CENT: i64 = 10_000;

    fn tax(id: TaxId, label: &str, amount: i64) -> TaxPaid {
        TaxPaid::reported(id, label.to_owned(), Jurisdiction::country(), amount)
    }

    /// Returns a paycheck in whole cents: earnings, deductions, employer amounts.
    fn paycheck(earned: [i64; 4], taken: [i64; 4], added: [i64; 3]) -> (Outcome, Paid) {
        let [earned, taken] = [earned, taken].map(|list| list.map(|cents| cents * CENT));
        let [own_tax, employers_tax, contribution] = added.map(|cents| cents * CENT);
        let [federal, deduction, garnished, cash_tips] = taken;
        let gross = earned.iter().sum::<i64>() + cash_tips;
        let reimbursements = own_tax;
        let net = gross - taken.iter().sum::<i64>();
        let paid = Paid {
            jobs: vec![JobPaid {
                salary: earned[0],
                hourly: [earned[1], earned[2], 0],
                ..JobPaid::default()
            }],
            cash_tips,
            reimbursements,
            taxes: vec![
                tax(TaxId::of_employee("US_FIT"), "Federal Income Tax", federal),
                tax(TaxId::of_employer("US_FUTA"), "FUTA", employers_tax),
            ],
            benefits: vec![BenefitPaid {
                company_benefit: Uuid::nil(),
                record: Uuid::nil(),
                code: 1,
                name: "Medical".to_owned(),
                deduction,
                contribution,
                imputed: 0,
            }],
            deductions: vec![DeductionPaid {
                id: Uuid::nil(),
                name: "Order".to_owned(),
                amount: garnished,
                support: true,
                manual: None,
                fee: 0,
                overpayment: false,
            }],
            ..Paid::default()
        };
        let outcome = Outcome {
            employee: Uuid::nil(),
            gross: Amount::from_millionths(gross),
            net: Amount::from_millionths(net),
            check_amount: Amount::from_millionths(net + reimbursements),
            paycheck: String::new(),
            facts: String::new(),
            year_to_date: String::new(),
        };
        (outcome, paid)
    }

    proptest! {
        #[test]
        fn two_taxes_never_share_a_line_or_a_payee_whatever_their_labels(
            paychecks in prop::collection::vec(by_chance::taxes(), 0..8),
        ) {
            let (mut gathered, mut expected) = (Gathered::default(), BTreeMap::<Owed, i64>::new());
            let place = Place { department: "Bar", jobs: vec!["Cook"] };
            for taxes in paychecks {
                for tax in &taxes {
                    let account = match tax.is_of_employer() {
                        true => Account::EmployerTaxesPayable,
                        false => Account::EmployeeTaxesPayable,
                    };
                    let owed = Owed::new(account, &tax.jurisdiction.agency(), &tax.id.code, "");
                    *expected.entry(owed).or_default() += tax.amount / CENT;
                }
                let (outcome, paid) = paycheck([0; 4], [0; 4], [0; 3]);
                gathered.paycheck(&place, (&outcome, &Paid { taxes, ..paid }), None, false);
            }
            let mut found = BTreeMap::<Owed, i64>::new();
            for line in gathered.lines() {
                if matches!(line.account, Account::EmployeeTaxesPayable | Account::EmployerTaxesPayable) {
                    let owed = Owed::new(line.account, &line.agency, &line.code, &line.name);
                    prop_assert_eq!(found.insert(owed, -line.cents), None, "one line for each");
                }
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn the_lines_of_any_paychecks_sum_to_zero_and_to_gross_pay(
            paychecks in proptest::collection::vec(
                (prop::array::uniform4(0..1_000_000_i64), prop::array::uniform4(0..100_000_i64),
                 prop::array::uniform3(0..100_000_i64), 0..3_usize), 0..20),
        ) {
            let mut gathered = Gathered::default();
            let (mut gross, mut tips) = (0, 0);
            let count = paychecks.len();
            for (earned, taken, added, department) in paychecks {
                let (outcome, paid) = paycheck(earned, taken, added);
                let place = Place { department: ["", "Bar", "Kitchen"][department], jobs: vec!["Cook"] };
                gathered.paycheck(&place, (&outcome, &paid), None, false);
                gross += outcome.gross.cents_half_up();
                tips += paid.cash_tips / CENT;
            }
            let lines = gathered.lines();
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
