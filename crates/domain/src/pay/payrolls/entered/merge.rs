//! What an update says is taken over into what was entered before.

use jiff::civil::Date;
use rules::{Amount, Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::{
    CustomFixed, Deduction, Entered, FIXED, Fixed, FixedKind, RECALCULATED_PREMIUM, REIMBURSEMENT,
    Reimbursement, TimeOff, TimeOffKind,
};
use crate::patch;
use crate::patch::{Patch, as_is};
use crate::pay::compensations::rows::Pay;
use crate::pay::earning_types::rows::EarningType;
use crate::pay::earning_types::service::same_name;
use crate::pay::payrolls::commands::{self, UpdateEmployee};
use crate::pay::payrolls::earned::Earned;
use crate::pay::payrolls::granted::Granted;
use crate::pay::payrolls::hours::hours;
use crate::pay::payrolls::leave;
use crate::records::id_of;
use crate::version::{ApiVersion, Change};

/// Maximum reimbursements of an employee in one payroll.
const MOST_REIMBURSEMENTS: usize = 50;
/// Maximum lines of one kind in one update.
pub(in crate::pay::payrolls) const MOST_LINES: usize = 200;
/// Maximum taxes whose amounts are supplied for an employee in one payroll.
const MOST_SUPPLIED: usize = 50;
/// Maximum characters of a note.
const MEMO: usize = 255;

/// What the lines of an update can name.
pub struct Known<'k> {
    /// first and last day of the payroll
    pub period: (Date, Date),
    /// the employee's jobs
    pub pay: &'k Pay,
    /// the garnishments that may be given another amount
    pub deductions: &'k [Uuid],
    /// the company's own earning types
    pub types: &'k [EarningType],
    /// what is paid back with every regular payroll
    pub recurring: &'k [Uuid],
    /// hours off that are paid where no others are entered
    pub granted: &'k Granted,
    /// the company's locations; only read where a line of hours names one
    pub locations: &'k [Uuid],
    /// the line of each time off policy that the employee has
    pub policies: &'k [(Uuid, TimeOffKind)],
}

impl Entered {
    /// Takes over what an update says.
    pub fn merge(
        &mut self,
        tx: &mut Tx<'_>,
        version: ApiVersion,
        known: &Known<'_>,
        input: &UpdateEmployee,
        checks: &mut Checks,
    ) {
        let method = |key: &str, value: &String| check::one_of(key, value, &["Direct Deposit", "Check"]);
        if let Some(method) = input.payment_method.optional("payment_method", checks, method) {
            self.payment_method = Some(method.to_owned());
        }
        let memo = |key: &str, value: &String| check::optional_text(key, Some(value), MEMO);
        input.memo.update_or_clear("memo", checks, memo, &mut self.memo);
        let state_tax = |key: &str, value: &Amount| money(key, value).map(|amount| Some(amount.millionths()));
        input.state_income_tax.update_or_clear(
            "state_income_tax",
            checks,
            state_tax,
            &mut self.state_income_tax,
        );
        self.merge_supplied_taxes(&input.supplied_taxes, checks);
        self.merge_hourly(known, &input.hourly_compensations, checks);
        self.merge_fixed(tx, version, known, &input.fixed_compensations, checks);
        self.merge_time_off(known, &input.paid_time_off, checks);
        self.merge_reimbursements(tx, known.recurring, &input.reimbursements, checks);
        self.merge_deductions(known.deductions, &input.deductions, checks);
    }

    fn merge_supplied_taxes(&mut self, lines: &Patch<Vec<commands::SuppliedTaxLine>>, checks: &mut Checks) {
        for line in patch::items("supplied_taxes", lines, MOST_LINES, checks) {
            let code = line.code.required("code", checks, |key, code| tax_code(key, code));
            let mut amount = None;
            let given = |key: &str, value: &Amount| money(key, value).map(|amount| Some(amount.millionths()));
            line.amount.update_or_clear("amount", checks, given, &mut amount);
            match (code, amount) {
                (Some(code), Some(amount)) => _ = self.supplied_taxes.insert(code, amount),
                (Some(code), None) => _ = self.supplied_taxes.remove(&code),
                (None, _) => {}
            }
        }
        checks.require(self.supplied_taxes.len() <= MOST_SUPPLIED, || {
            let message = format!("supplied_taxes can have at most {MOST_SUPPLIED} taxes of a paycheck");
            Violation::invalid("supplied_taxes", message)
        });
    }

    fn merge_fixed(
        &mut self,
        tx: &mut Tx<'_>,
        version: ApiVersion,
        known: &Known<'_>,
        lines: &Patch<Vec<commands::FixedLine>>,
        checks: &mut Checks,
    ) {
        let (pay, types, last) = (known.pay, known.types, known.period.1);
        for line in patch::items("fixed_compensations", lines, MOST_LINES, checks) {
            let amount = line.amount.required("amount", checks, money);
            let is_reimbursement =
                line.name.value().is_some_and(|name| name.eq_ignore_ascii_case(REIMBURSEMENT));
            if is_reimbursement && !version.has(Change::ReimbursementsApart) {
                let Some(amount) = amount else { continue };
                // The older line is one sum; it takes the place of every single expense.
                let id = self.reimbursements.first().map_or_else(|| tx.new_id(), |first| first.id);
                self.reimbursements =
                    vec![Reimbursement { id, amount: amount.millionths(), description: None }];
                self.reimbursements.retain(|one| one.amount > 0);
                continue;
            }
            if let Some(own) = line.name.value().and_then(|name| self.own_type(types, name)) {
                let job = job_of(pay, &line.job_uuid, checks);
                let held = self.custom.iter().find(|old| Some(old.job) == job && old.earning_type == own.0);
                let earned = Earned::merged(held.map(|old| old.earned), line, last, checks);
                self.put_custom(own, job.zip(amount), earned);
                continue;
            }
            if line.name.value().is_some_and(|name| same_name(name, RECALCULATED_PREMIUM)) {
                continue;
            }
            let kind = line.name.required("name", checks, |key, name| fixed_kind(key, name, types));
            let job = job_of(pay, &line.job_uuid, checks);
            // What a calculation makes comes back with what clients send; it is made anew each time.
            let adjustment = kind == Some(FixedKind::MinimumWageAdjustment);
            if let (Some(kind), Some(amount), Some(job), false) = (kind, amount, job, adjustment) {
                let held = self.fixed.iter().find(|old| old.job == job && old.kind == kind);
                let earned = Earned::merged(held.map(|old| old.earned), line, last, checks);
                let tips = matches!(kind, FixedKind::PaycheckTips | FixedKind::CashTips);
                checks.require(!tips || earned == Earned::default(), || {
                    let message = "discretionary, earned_from and earned_to are for pay other than tips";
                    Violation::invalid("discretionary", message)
                });
                self.fixed.retain(|old| !(old.job == job && old.kind == kind));
                if amount > Amount::ZERO {
                    self.fixed.push(Fixed { job, kind, amount: amount.millionths(), earned });
                }
            }
        }
    }

    /// The company's own earning type of a name: an active one, or one that was entered before it became inactive.
    fn own_type(&self, types: &[EarningType], name: &str) -> Option<(Uuid, String)> {
        let active = types.iter().find(|one| one.active && same_name(&one.name, name));
        let active = active.map(|one| (one.id, one.name.clone()));
        let entered = || self.custom.iter().find(|line| same_name(&line.name, name));
        active.or_else(|| entered().map(|line| (line.earning_type, line.name.clone())))
    }

    /// Puts an amount of an earning type in the place of what the job had of it.
    fn put_custom(
        &mut self,
        (earning_type, name): (Uuid, String),
        line: Option<(Uuid, Amount)>,
        earned: Earned,
    ) {
        let Some((job, amount)) = line else { return };
        self.custom.retain(|old| !(old.job == job && old.earning_type == earning_type));
        if amount > Amount::ZERO {
            self.custom.push(CustomFixed { job, earning_type, name, amount: amount.millionths(), earned });
        }
    }

    fn merge_time_off(
        &mut self,
        known: &Known<'_>,
        lines: &Patch<Vec<commands::TimeOffLine>>,
        checks: &mut Checks,
    ) {
        for line in patch::items("paid_time_off", lines, MOST_LINES, checks) {
            let kind = leave::named(line, known.policies, checks);
            let taken = line.hours.optional("hours", checks, hours);
            let out = &line.final_payout_unused_hours_input;
            let mut paid_out =
                kind.and_then(|kind| self.time_off.iter().find(|old| old.kind == kind)?.paid_out);
            let unused = |key: &str, value: &Amount| hours(key, value).map(|hours| Some(hours.millionths()));
            out.update_or_clear("final_payout_unused_hours_input", checks, unused, &mut paid_out);
            let Some(kind) = kind else { continue };
            let granted = known.granted.hours(kind);
            let before = self.time_off.iter().find(|old| old.kind == kind).map_or(granted, |old| old.hours);
            self.time_off.retain(|old| old.kind != kind);
            let hours = taken.map_or(before, Amount::millionths);
            let after = TimeOff { kind, hours, paid_out, days: Vec::new() };
            // No hours where some are granted are hours that somebody decided on.
            if after.hours > 0 || after.paid_out.is_some() || granted > 0 {
                self.time_off.push(after);
            }
        }
    }

    fn merge_reimbursements(
        &mut self,
        tx: &mut Tx<'_>,
        recurring: &[Uuid],
        lines: &Patch<Vec<commands::ReimbursementLine>>,
        checks: &mut Checks,
    ) {
        for line in patch::items("reimbursements", lines, MOST_LINES, checks) {
            let amount = line.amount.required("amount", checks, money);
            let text = |key: &str, value: &String| check::optional_text(key, Some(value), MEMO);
            let description = line.description.optional("description", checks, text).flatten();
            let known = line.uuid.value().map(|id| id_of(id));
            // Clients send back what they read; one that recurs is changed at the employee alone.
            if known.is_some_and(|id| recurring.contains(&id)) {
                continue;
            }
            if let Some(id) = known
                && !self.reimbursements.iter().any(|one| one.id == id)
            {
                checks.push(Violation::invalid(
                    "uuid",
                    "uuid must be that of a reimbursement of this paycheck",
                ));
                continue;
            }
            let Some(amount) = amount else { continue };
            match known.and_then(|id| self.reimbursements.iter_mut().find(|one| one.id == id)) {
                Some(one) => {
                    one.amount = amount.millionths();
                    if !matches!(line.description, Patch::Absent) {
                        one.description = description;
                    }
                }
                None => {
                    let id = tx.new_id();
                    self.reimbursements.push(Reimbursement { id, amount: amount.millionths(), description });
                }
            }
        }
        self.reimbursements.retain(|one| one.amount > 0);
        checks.require(self.reimbursements.len() <= MOST_REIMBURSEMENTS, || {
            Violation::invalid(
                "reimbursements",
                format!("a paycheck has at most {MOST_REIMBURSEMENTS} reimbursements"),
            )
        });
    }

    fn merge_deductions(
        &mut self,
        allowed: &[Uuid],
        lines: &Patch<Vec<commands::DeductionLine>>,
        checks: &mut Checks,
    ) {
        for line in patch::items("deductions", lines, MOST_LINES, checks) {
            let amount = line.amount.required("amount", checks, money);
            let kind = |key: &str, value: &String| check::one_of(key, value, &["fixed", "percent"]);
            let percent = line.amount_type.optional("amount_type", checks, kind) == Some("percent");
            let id = line.uuid.value().map(|id| id_of(id)).filter(|id| allowed.contains(id));
            let Some(id) = id else {
                let message = "uuid must be that of a deduction of the employee other than child support";
                checks.push(Violation::invalid("uuid", message));
                continue;
            };
            if let Some(amount) = amount {
                let most = Amount::from_cents(10_000);
                checks.require(!percent || amount <= most, || {
                    Violation::invalid("amount", "amount must be at most 100 with amount_type percent")
                });
                self.deductions.retain(|old| old.id != id);
                self.deductions.push(Deduction { id, amount: amount.millionths(), percent });
            }
        }
    }
}

/// The code of a tax: capitals, digits and underscores.
fn tax_code(key: &str, code: &str) -> Result<String, Violation> {
    let of_code = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    match !code.is_empty() && code.len() <= 100 && code.chars().all(of_code) {
        true => Ok(code.to_owned()),
        false => Err(Violation::invalid(
            key,
            format!("{key} must be the code of a tax, such as PA_EIT: capitals, digits and underscores"),
        )),
    }
}

/// The kind that a line names; the message names the company's own earning types, too.
fn fixed_kind(key: &str, name: &str, types: &[EarningType]) -> Result<FixedKind, Violation> {
    FixedKind::check(key, name).map_err(|_| {
        let own = types.iter().filter(|one| one.active).map(|one| one.name.as_str());
        let allowed: Vec<_> = FIXED.into_iter().chain(own).collect();
        Violation::invalid(key, format!("{key} must be one of: {}", allowed.join(", ")))
    })
}

/// The job that a line names, or the primary one.
pub(in crate::pay::payrolls) fn job_of(pay: &Pay, job: &Patch<String>, checks: &mut Checks) -> Option<Uuid> {
    match job {
        Patch::Absent | Patch::Null => pay.primary().map(|job| job.id),
        job => job.optional("job_uuid", checks, |key, id| {
            let known = pay.job(id_of(id)).map(|job| job.id);
            known.ok_or_else(|| Violation::invalid(key, format!("{key} must be one of the employee's jobs")))
        }),
    }
}

/// Dollars and cents that can be paid.
fn money(key: &str, amount: &Amount) -> Result<Amount, Violation> {
    if *amount < Amount::ZERO || *amount > rules::amount::MAX_AMOUNT {
        let most = rules::amount::MAX_AMOUNT;
        return Err(Violation::invalid(key, format!("{key} must lie between 0.00 and {most}")));
    }
    if amount.round_to_cents(rules::Rounding::Down) != *amount {
        return Err(Violation::invalid(key, format!("{key} must not have more than 2 decimal places")));
    }
    as_is(key, amount)
}
