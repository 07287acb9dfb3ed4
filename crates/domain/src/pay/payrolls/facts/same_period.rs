//! Results of other payrolls of the same pay period: a bonus, a correction or final wages beside the regular payroll, or before it.
//!
//! Support orders, garnishment limits and weekly limits of taxes apply to a pay period, however many payrolls pay it. A payroll of
//! regular wages has its own period; an off-cycle payroll belongs to the period that contains its last day, which also determines
//! benefits and addresses: the period of the schedule that it names, or of the one that each employee follows on that day. Without a
//! schedule, its own days are the period.
//!
//! The results are read from those stored with the payrolls, so nothing else has to be stored. Most payrolls have no other payroll in
//! their period, which one query at the start of a calculation finds out.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::Date;
use rules::payroll::benefits::BenefitType;
use rules::payroll::benefits::kind::GROUP_TERM_LIFE;
use rules::payroll::garnishment::EarlierPay;
use rules::taxes::{Sums as TaxSums, TaxId};
use rules::{Amount, Named};
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::payroll::{Payroll, TRANSITION};
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::taxes::TaxPaid;
use crate::records::IdRange;

store::statements! {
    PERIODS = "SELECT pay_schedule_id, start_date, end_date FROM payrolls WHERE company_id = $1 AND (off_cycle = false OR off_cycle_reason = $5) \
               AND start_date <= $2 AND end_date >= $2 AND pay_frequency = $3 AND (pay_schedule_id = $4 OR $4 IS NULL) \
               ORDER BY start_date, id LIMIT 100";
    RUNS = "SELECT run_id FROM payrolls WHERE company_id = $1 AND run_number IS NOT NULL AND id <> $2 \
            AND ((off_cycle = true AND off_cycle_reason <> $7 AND end_date BETWEEN $3 AND $4) \
            OR ($5 = true AND (off_cycle = false OR off_cycle_reason = $7) AND start_date <= $6 AND end_date >= $6)) \
            ORDER BY run_number LIMIT 1000";
    OF_RUN = "SELECT employee_id, gross, paycheck FROM payroll_results \
              WHERE company_id = $1 AND run_id = $2 AND employee_id BETWEEN $3 AND $4 ORDER BY employee_id";
}

/// The processed calculations of other payrolls of a payroll's pay period.
#[derive(Debug, Clone, Default)]
pub(in crate::pay::payrolls) struct SamePeriod {
    runs: Vec<Run>,
    /// the day that determines which schedule each employee follows
    day: Date,
}

/// A pay period, of a schedule or of a single payroll.
struct Period {
    schedule: Option<Uuid>,
    from: Date,
    until: Date,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    id: Uuid,
    /// the schedule whose employees have this pay period; `None` if all employees have the same period
    schedule: Option<Uuid>,
}

/// An employee's results in earlier payrolls of the pay period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::pay::payrolls) struct EarlierInPeriod {
    /// pay, as garnishments count it
    pub(in crate::pay::payrolls) pay: EarlierPay,
    /// amounts withheld, by garnishment
    pub(in crate::pay::payrolls) garnishments: BTreeMap<Uuid, Amount>,
    /// wages and amounts of taxes of states and places other than income tax
    pub(in crate::pay::payrolls) taxes: BTreeMap<TaxId, TaxSums>,
    /// imputed cost of group-term life insurance, by benefit
    pub(in crate::pay::payrolls) imputed: BTreeMap<Uuid, Amount>,
    /// hours of time off accrued, by kind
    pub(in crate::pay::payrolls) earned: BTreeMap<TimeOffKind, Amount>,
}

impl SamePeriod {
    /// Finds the calculations of the payroll's pay period.
    pub(in crate::pay::payrolls) fn read_for_payroll(
        tx: &mut Tx<'_>,
        company: Uuid,
        payroll: &Payroll,
    ) -> Result<Self, Error> {
        // Pay without a payroll, as in a preview, is considered by itself.
        if payroll.id.is_nil() {
            return Ok(Self::default());
        }
        Self::find_calculations(tx, company, payroll, !payroll.pays_regular_wages())
    }

    /// Finds the calculations of the pay period that contains an unsaved payroll's last day.
    pub(in crate::pay::payrolls) fn read_around_last_day(
        tx: &mut Tx<'_>,
        company: Uuid,
        payroll: &Payroll,
    ) -> Result<Self, Error> {
        Self::find_calculations(tx, company, payroll, true)
    }

    fn find_calculations(
        tx: &mut Tx<'_>,
        company: Uuid,
        payroll: &Payroll,
        outside: bool,
    ) -> Result<Self, Error> {
        let mut periods = if outside { pay_periods_around(tx, company, payroll)? } else { Vec::new() };
        if periods.is_empty() {
            periods.push(Period { schedule: None, from: payroll.start, until: payroll.end });
        }
        let several = periods.len() > 1;
        let read = |row: &Row<'_>| Cursor::new(row, TABLE, 0).read_plain("run_id");
        let mut runs = Vec::new();
        for Period { schedule, from, until } in periods {
            let parameters = params![company, payroll.id, from, until, outside, payroll.end, TRANSITION];
            let of_period = tx.try_query(RUNS, parameters, read)?;
            runs.extend(of_period.into_iter().map(|id| Run { id, schedule: schedule.filter(|_| several) }));
        }
        Ok(Self { runs, day: payroll.end })
    }

    /// Reads the results for the employees between two (both included).
    pub(in crate::pay::payrolls) fn results_between(
        &self,
        tx: &mut Tx<'_>,
        company: Uuid,
        IdRange { first, last }: IdRange,
    ) -> Result<HashMap<Uuid, EarlierInPeriod>, Error> {
        let read = |row: &Row<'_>| {
            let mut next = Cursor::new(row, results::TABLE, 0);
            let (employee, gross): (Uuid, i64) = (next.read_plain("employee_id")?, next.read_plain("gross")?);
            let gross = Amount::from_millionths(gross);
            Ok::<(Uuid, Amount, Paid), store::Error>((employee, gross, next.read_json("paycheck")?))
        };
        let mut found: HashMap<Uuid, EarlierInPeriod> = HashMap::new();
        let mut followed: HashMap<Uuid, Option<Uuid>> = HashMap::new();
        for run in &self.runs {
            let of_run = tx.try_query(OF_RUN, params![company, run.id, first, last], read)?;
            for (employee, gross, paid) in of_run {
                if let Some(schedule) = run.schedule {
                    let follows = match followed.entry(employee) {
                        Entry::Occupied(known) => *known.get(),
                        Entry::Vacant(open) => {
                            let follows = schedule_spans::of_employee(tx, company, employee, self.day)?;
                            *open.insert(follows.map(|follows| follows.schedule.id))
                        }
                    };
                    if follows != Some(schedule) {
                        continue;
                    }
                }
                found.entry(employee).or_default().add_paycheck(gross, &paid);
            }
        }
        Ok(found)
    }
}

/// Finds the pay periods that an off-cycle payroll belongs to, one for each schedule that its employees may follow.
fn pay_periods_around(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<Vec<Period>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>(Period {
            schedule: next.read_plain("pay_schedule_id")?,
            from: next.read_plain("start_date")?,
            until: next.read_plain("end_date")?,
        })
    };
    let parameters =
        params![company, payroll.end, payroll.frequency.as_str(), payroll.pay_schedule, TRANSITION];
    let mut found = tx.try_query(PERIODS, parameters, read)?;
    let mut schedules = BTreeSet::new();
    // A transition within a period of its schedule is not a second one.
    found.retain(|period| schedules.insert(period.schedule));
    // The regular payroll of the period may not exist yet.
    for schedule in schedule_spans::in_use(tx, company, payroll.end)? {
        let is_meant = payroll.pay_schedule.is_none_or(|named| named == schedule.id);
        if is_meant && schedule.frequency == payroll.frequency && schedules.insert(Some(schedule.id)) {
            let period = schedule.pay_periods()?.period_of(payroll.end);
            found.push(Period { schedule: Some(schedule.id), from: period.start, until: period.end });
        }
    }
    Ok(found)
}

impl EarlierInPeriod {
    /// Returns the garnishments for which an amount was withheld.
    pub(in crate::pay::payrolls) fn withheld_garnishments(&self) -> impl Iterator<Item = Uuid> {
        self.garnishments.iter().filter(|(_, taken)| **taken > Amount::ZERO).map(|(id, _)| *id)
    }

    /// Adds a paycheck.
    fn add_paycheck(&mut self, gross: Amount, paid: &Paid) {
        let payable = gross - paid.cash_tips;
        let taxes: Amount = paid.taxes_of_employee().map(|tax| tax.amount).sum();
        let premiums = paid
            .benefits
            .iter()
            .filter(|line| BenefitType::find_by_code(line.code).is_some_and(|kind| kind.marks.healthcare));
        let fees = paid.deductions.iter().map(|taken| taken.fee);
        self.pay.gross += payable;
        self.pay.disposable_earnings += (payable - taxes).max(Amount::ZERO);
        self.pay.health_premiums += premiums.map(|line| line.deduction).sum();
        self.pay.fees += fees.sum();
        for taken in &paid.deductions {
            *self.garnishments.entry(taken.id).or_default() += taken.amount;
        }
        for line in paid.benefits.iter().filter(|line| line.code == GROUP_TERM_LIFE) {
            *self.imputed.entry(line.company_benefit).or_default() += line.imputed;
        }
        for leave in &paid.leave {
            *self.earned.entry(leave.kind).or_default() += leave.earned;
        }
        for tax in paid.taxes.iter().filter(|tax| tax.is_of_tables()) {
            let whole = paid.taxes.iter().filter(|other| table_row_code(other) == table_row_code(tax));
            let sums = self.taxes.entry(tax.id.clone()).or_default();
            sums.subject += tax.subject;
            sums.taxable += tax.taxable;
            sums.whole += whole.map(|other| other.amount).sum();
            sums.amount += tax.amount;
        }
    }
}

/// Returns the code of the table row that a line belongs to: the employer's part of a tax is a separate line.
fn table_row_code(tax: &TaxPaid) -> &str {
    tax.id.code.strip_suffix("_BORNE").unwrap_or(&tax.id.code)
}

#[cfg(test)]
mod tests {
    use rules::taxes::{Jurisdiction, Payer};

    use super::*;
    use crate::pay::payrolls::record::paycheck::{BenefitPaid, DeductionPaid};

    fn tax(code: &str, payer: Payer, amount: i64) -> TaxPaid {
        let id = TaxId::new(code, payer);
        TaxPaid {
            subject: Amount::from_millionths(1_000),
            taxable: Amount::from_millionths(900),
            ..TaxPaid::from_reported_amount(
                id,
                code.to_owned(),
                Jurisdiction::state("NY"),
                Amount::from_millionths(amount),
            )
        }
    }

    fn federal(payer: Payer, amount: i64) -> TaxPaid {
        let id = TaxId::new("US_MEDICARE", payer);
        TaxPaid::from_reported_amount(
            id,
            "Medicare".to_owned(),
            Jurisdiction::country(),
            Amount::from_millionths(amount),
        )
    }

    #[test]
    fn taxes_and_garnishments_add_up_over_the_payrolls_of_a_period() {
        let order = Uuid::from_u128(1);
        let benefit = |code, deduction| BenefitPaid {
            company_benefit: Uuid::nil(),
            record: Uuid::nil(),
            code,
            name: String::new(),
            deduction: Amount::from_millionths(deduction),
            contribution: Amount::from_millionths(7),
            imputed: Amount::ZERO,
        };
        let paid = Paid {
            cash_tips: Amount::from_millionths(100),
            taxes: vec![
                federal(Payer::Employee, 30),
                federal(Payer::Employer, 30),
                tax("NY_SDI", Payer::Employee, 40),
                tax("NY_SDI_BORNE", Payer::Employer, 20),
            ],
            benefits: vec![benefit(1, 50), benefit(5, 60)],
            deductions: vec![DeductionPaid {
                id: order,
                name: String::new(),
                amount: Amount::from_millionths(200),
                support: true,
                manual: None,
                fee: Amount::from_millionths(5),
                overpayment: false,
            }],
            ..Paid::default()
        };
        let mut earlier = EarlierInPeriod::default();
        earlier.add_paycheck(Amount::from_millionths(1_000), &paid);
        earlier.add_paycheck(Amount::from_millionths(1_000), &paid);
        let amount = Amount::from_millionths;
        let pay = EarlierPay {
            gross: amount(1_800),
            disposable_earnings: amount(1_660),
            health_premiums: amount(100),
            fees: amount(10),
        };
        assert_eq!(earlier.pay, pay);
        assert_eq!(earlier.garnishments, BTreeMap::from([(order, amount(400))]));
        let sums = |own: i64| TaxSums {
            subject: amount(2_000),
            taxable: amount(1_800),
            whole: amount(120),
            amount: amount(own),
        };
        let (own, borne) = (TaxId::of_employee("NY_SDI"), TaxId::of_employer("NY_SDI_BORNE"));
        assert_eq!(earlier.taxes, BTreeMap::from([(own, sums(80)), (borne, sums(40))]));
    }
}
