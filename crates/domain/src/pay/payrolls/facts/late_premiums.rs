//! Premiums of pay periods that were paid before the record of their benefit was entered, such as after a late enrollment, or a late notice
//! of an order for medical support.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Amount;
use rules::payroll::benefits::Benefit;
use store::record::{Cursor, JsonText};
use store::{Row, Tx, Value, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::calendar::submitted::Submitted;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::record::json::from_json;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::sums::Sums;
use crate::records::IdRange;

store::statements! {
    ENTERED_SINCE = "SELECT id, created_at FROM employee_benefits WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 \
                     AND created_at >= $4";
    PAYCHECKS = "SELECT p.id, r.facts, r.paycheck FROM payrolls p \
                 JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = $2 \
                 WHERE p.company_id = $1 AND p.submitted_at IS NOT NULL AND p.off_cycle = false AND p.end_date BETWEEN $3 AND $4";
}

/// Returns the premiums that paid payrolls of the schedule could not deduct, by record, for the employees between two (both included) with
/// these benefits. Records whose missed premiums are counted already are left out.
pub(in crate::pay::payrolls) fn missed_premiums(
    tx: &mut Tx<'_>,
    context: &Context,
    IdRange { first, last }: IdRange,
    benefits: &HashMap<Uuid, Vec<Benefit<Uuid>>>,
    sums: &HashMap<Uuid, Sums>,
) -> Result<HashMap<Uuid, Amount>, Error> {
    let mut found = HashMap::new();
    let paid: Vec<&Submitted> = context.before.iter().filter(|one| !one.skipped).collect();
    let Some(calculated) = paid.iter().map(|one| one.calculated_at()).min() else { return Ok(found) };
    let may_be_late = |employee: Uuid, one: &Benefit<Uuid>| {
        let is_counted =
            || sums.get(&employee).is_some_and(|sums| sums.missed_premiums.contains_key(&one.record));
        one.kind.is_insurance()
            && !one.terms.deduct_as_percentage
            && one.window.effective < context.payroll.start
            && !is_counted()
    };
    let premiums: Vec<(Uuid, &Benefit<Uuid>)> = benefits
        .iter()
        .flat_map(|(employee, held)| held.iter().map(|one| (*employee, one)))
        .filter(|(employee, one)| may_be_late(*employee, one))
        .collect();
    if premiums.is_empty() {
        return Ok(found);
    }
    let read = |row: &Row<'_>| (row.get::<Uuid>(0), row.get::<Timestamp>(1));
    let entered: HashMap<Uuid, Timestamp> = tx
        .query_rows(ENTERED_SINCE, params![context.company, first, last, calculated], read)?
        .into_iter()
        .collect();
    let mut late = Vec::new();
    for (employee, benefit) in premiums {
        let Some(entered) = entered.get(&benefit.record) else { continue };
        let is_before =
            |one: &&&Submitted| one.calculated_at() <= *entered && benefit.window.contains(one.days.last);
        let payrolls: Vec<&Submitted> = paid.iter().filter(is_before).copied().collect();
        late.extend(Late::from_payrolls(employee, benefit, payrolls));
    }
    for together in late.chunks(TOGETHER) {
        for one in together {
            tx.announce_query(PAYCHECKS, &one.query_parameters(context.company))?;
        }
        for one in together {
            let missed = one.missed_amount(tx, context.company)?;
            if missed > Amount::ZERO {
                found.insert(one.benefit.record, missed);
            }
        }
    }
    Ok(found)
}

/// Records whose paychecks are asked for together.
const TOGETHER: usize = 16;

/// A record that was entered after payrolls of its days.
struct Late<'a> {
    employee: Uuid,
    benefit: &'a Benefit<Uuid>,
    payrolls: Vec<&'a Submitted>,
    /// last day of the first of these payrolls, and of the last
    ends: [Date; 2],
}

impl<'a> Late<'a> {
    /// `None` without payrolls.
    fn from_payrolls(
        employee: Uuid,
        benefit: &'a Benefit<Uuid>,
        payrolls: Vec<&'a Submitted>,
    ) -> Option<Self> {
        let ends = || payrolls.iter().map(|one| one.days.last);
        let ends = [ends().min()?, ends().max()?];
        Some(Self { employee, benefit, payrolls, ends })
    }

    fn query_parameters(&self, company: Uuid) -> [Value<'static>; 4] {
        let [from, until] = self.ends;
        [company.into(), self.employee.into(), from.into(), until.into()]
    }

    /// Returns what the paychecks of these payrolls would have deducted more with the record.
    fn missed_amount(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Amount, Error> {
        let read = |row: &Row<'_>| {
            let mut next = Cursor::new(row, results::TABLE, 0);
            let payroll: Uuid = next.read_plain("id")?;
            let facts: String = next.read_stored::<JsonText, _>("facts")?;
            let paycheck: String = next.read_stored::<JsonText, _>("paycheck")?;
            Ok::<_, store::Error>((payroll, facts, paycheck))
        };
        let mut missed = Amount::ZERO;
        for (payroll, facts, paycheck) in tx.try_query(PAYCHECKS, &self.query_parameters(company), read)? {
            let inputs = results::readable_inputs(&facts, payroll, self.employee);
            // The record was known to the payroll, or nothing is known of what the payroll knew.
            let is_known = inputs
                .is_none_or(|inputs| inputs.benefits.iter().any(|one| one.record == self.benefit.record));
            if is_known || !self.payrolls.iter().any(|one| one.id == payroll) {
                continue;
            }
            let paid: Paid = from_json(results::TABLE, "paycheck", &paycheck)?;
            let of_benefit =
                paid.benefits.iter().filter(|one| one.company_benefit == self.benefit.company_benefit);
            let deducted: Amount = of_benefit.map(|one| one.deduction).sum();
            missed += (self.benefit.terms.deduction - deducted).max(Amount::ZERO);
        }
        Ok(missed)
    }
}
