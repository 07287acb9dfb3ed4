//! What is entered for an employee of a payroll: hours, amounts, time off, expenses, another payment.
//!
//! It is kept as JSON beside the payroll, and only what differs from nothing: an employee for whom nothing was entered
//! has no row. A line is found again by its name and job, hours also by their day or workweek and their location
//! ([`super::hours`]); lines that an update does not name stay.

use std::borrow::Cow;

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::{Amount, Checks, Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use store::Tx;
use uuid::Uuid;

use super::commands;
use super::commands::UpdateEmployee;
use super::earned::Earned;
use super::granted::Granted;
use super::hours::{Hours, hours};
use crate::patch;
use crate::patch::{Patch, as_is};
use crate::pay::compensations::rows::Pay;
use crate::pay::earning_types::rows::EarningType;
use crate::pay::earning_types::service::same_name;
use crate::records::id_of;
use crate::version::{ApiVersion, Change};

/// Declares the kinds of a line: enums that are stored by name.
macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident { $($(#[$variant_about:meta])* $variant:ident = $text:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_about])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every kind, in the order in which lines are shown.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name of the line.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// The kind that a line names, in any case.
            pub(super) fn check(key: &str, name: &str) -> Result<Self, Violation> {
                let found = |name: &str| {
                    Self::ALL.iter().copied().find(|kind| kind.as_str().eq_ignore_ascii_case(name))
                };
                check::named(key, name, &[$($text),+], found)
            }
        }
    )+};
}

kinds! {
    /// Hours worked.
    HourlyKind {
        /// at the regular rate
        Regular = "Regular Hours",
        /// at 1.5 times the rate
        Overtime = "Overtime",
        /// at twice the rate
        DoubleOvertime = "Double overtime",
    }

    /// Lines of pay that are amounts.
    FixedKind {
        /// a bonus
        Bonus = "Bonus",
        /// a commission
        Commission = "Commission",
        /// tips that are paid by the paycheck
        PaycheckTips = "Paycheck Tips",
        /// tips that the employee already has
        CashTips = "Cash Tips",
        /// a correction of an earlier paycheck
        Correction = "Correction Payment",
        /// what brings pay up to the minimum wage; made by calculations alone
        MinimumWageAdjustment = "Minimum Wage Adjustment",
    }

    /// Hours paid without work.
    TimeOffKind {
        /// vacation
        Vacation = "Vacation Hours",
        /// sick leave
        Sick = "Sick Hours",
        /// holidays
        Holiday = "Holiday Hours",
    }
}

impl HourlyKind {
    /// Its place among the kinds.
    pub const fn place(self) -> usize {
        match self {
            Self::Regular => 0,
            Self::Overtime => 1,
            Self::DoubleOvertime => 2,
        }
    }

    /// What the rate is multiplied by, in tenths.
    pub const fn tenths(self) -> i64 {
        match self {
            Self::Regular => 10,
            Self::Overtime => 15,
            Self::DoubleOvertime => 20,
        }
    }
}

/// Names of hourly lines with their multiplier in tenths.
pub const HOURLY: [(&str, i64); 3] = {
    const fn line(kind: HourlyKind) -> (&'static str, i64) {
        (kind.as_str(), kind.tenths())
    }
    [line(HourlyKind::Regular), line(HourlyKind::Overtime), line(HourlyKind::DoubleOvertime)]
};

/// A multiplier in tenths as a JSON number: 1, 1.5 or 2.
pub fn multiple(tenths: i64) -> Number {
    let text =
        if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) };
    text.parse().unwrap_or_else(|_| Number::from(0))
}

/// Names of lines of pay that are amounts; the adjustment is made by calculations alone.
pub const FIXED: [&str; 6] = [
    FixedKind::Bonus.as_str(),
    FixedKind::Commission.as_str(),
    FixedKind::PaycheckTips.as_str(),
    FixedKind::CashTips.as_str(),
    FixedKind::Correction.as_str(),
    FixedKind::MinimumWageAdjustment.as_str(),
];
/// Names of lines of pay that somebody enters: the earning types of every company.
pub const ENTERED_FIXED: [&str; 5] = [FIXED[0], FIXED[1], FIXED[2], FIXED[3], FIXED[4]];
/// Before version 2025-11-15 expenses that are paid back are a line of this name, too.
pub const REIMBURSEMENT: &str = "Reimbursement";
/// Name of the line for overtime premium of earlier workweeks that a bonus brings; made by calculations alone.
pub const RECALCULATED_PREMIUM: &str = "Recalculated Overtime Premium";
/// Names of lines of time off.
pub const TIME_OFF: [&str; 3] =
    [TimeOffKind::Vacation.as_str(), TimeOffKind::Sick.as_str(), TimeOffKind::Holiday.as_str()];

/// Maximum reimbursements of an employee in one payroll.
const MOST_REIMBURSEMENTS: usize = 50;
/// Maximum lines of one kind in one update.
pub(super) const MOST_LINES: usize = 200;
/// Maximum taxes whose amounts are supplied for an employee in one payroll.
const MOST_SUPPLIED: usize = 50;
/// Maximum characters of a note.
const MEMO: usize = 255;

/// Everything that was entered for an employee. Amounts and hours are in millionths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entered {
    /// `Direct Deposit` or `Check`, where it differs from the employee's own
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_method: Option<String>,
    /// a note on the paycheck
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memo: Option<String>,
    /// hours worked
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hourly: Vec<Hours>,
    /// amounts
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// amounts of the company's own earning types
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<CustomFixed>,
    /// hours paid without work
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub time_off: Vec<TimeOff>,
    /// expenses paid back
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reimbursements: Vec<Reimbursement>,
    /// deductions taken in another amount than their own
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deductions: Vec<Deduction>,
    /// income tax of the state of work, as the partner supplied it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_income_tax: Option<i64>,
    /// other taxes that cannot be worked out, by code, as the partner supplied them
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub supplied_taxes: BTreeMap<String, i64>,
}

/// An amount of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    /// the job
    pub job: Uuid,
    /// which line
    pub kind: FixedKind,
    /// millionths of a dollar
    pub amount: i64,
    /// whether and when it counts towards the regular rate
    #[serde(flatten)]
    pub earned: Earned,
}

/// An amount of a job, of an earning type that the company has made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomFixed {
    /// the job
    pub job: Uuid,
    /// the earning type
    pub earning_type: Uuid,
    /// its name when the amount was entered
    pub name: String,
    /// millionths of a dollar
    pub amount: i64,
    /// whether and when it counts towards the regular rate
    #[serde(flatten)]
    pub earned: Earned,
}

/// Hours paid without work, of the primary job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeOff {
    /// which hours
    pub kind: TimeOffKind,
    /// millionths of an hour taken
    pub hours: i64,
    /// millionths of an hour paid out at the end of employment, where somebody said how many
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid_out: Option<i64>,
}

/// An expense paid back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reimbursement {
    /// identifier
    pub id: Uuid,
    /// millionths of a dollar
    pub amount: i64,
    /// what it was for
    pub description: Option<String>,
}

/// Another amount for a deduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deduction {
    /// the garnishment
    pub id: Uuid,
    /// millionths of a dollar or of a percent
    pub amount: i64,
    /// whether it is a percentage
    pub percent: bool,
}

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
    /// What was entered, with the hours off that are granted. Hours that somebody entered count in their place, none included.
    pub fn with_granted(&self, granted: &Granted) -> Cow<'_, Self> {
        let is_entered = |kind: TimeOffKind| self.time_off.iter().any(|line| line.kind == kind);
        let added =
            TimeOffKind::ALL.iter().copied().filter(|kind| granted.hours(*kind) > 0 && !is_entered(*kind));
        let added: Vec<_> =
            added.map(|kind| TimeOff { kind, hours: granted.hours(kind), paid_out: None }).collect();
        if added.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut filled = self.clone();
        filled.time_off.extend(added);
        Cow::Owned(filled)
    }

    /// When the line of a job was earned.
    pub fn earned(&self, job: Uuid, kind: FixedKind) -> Earned {
        let found = self.fixed.iter().find(|line| line.job == job && line.kind == kind);
        found.map_or(Earned::default(), |line| line.earned)
    }

    /// The amount of a job in a line.
    pub fn amount(&self, job: Uuid, kind: FixedKind) -> Amount {
        let found = self.fixed.iter().find(|line| line.job == job && line.kind == kind);
        Amount::from_millionths(found.map_or(0, |line| line.amount))
    }

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
            let kind = super::leave::named(line, known.policies, checks);
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
            let after = TimeOff { kind, hours: taken.map_or(before, Amount::millionths), paid_out };
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

/// The kind that a line names; the message names the company's own earning types, too.
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

fn fixed_kind(key: &str, name: &str, types: &[EarningType]) -> Result<FixedKind, Violation> {
    FixedKind::check(key, name).map_err(|_| {
        let own = types.iter().filter(|one| one.active).map(|one| one.name.as_str());
        let allowed: Vec<_> = FIXED.into_iter().chain(own).collect();
        Violation::invalid(key, format!("{key} must be one of: {}", allowed.join(", ")))
    })
}

/// The job that a line names, or the primary one.
pub(super) fn job_of(pay: &Pay, job: &Patch<String>, checks: &mut Checks) -> Option<Uuid> {
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

#[cfg(test)]
mod tests {
    use rules::payroll::{FixedKind as PaidAs, MINIMUM_WAGE_ADJUSTMENT};

    use super::*;

    #[test]
    fn lines_are_stored_by_name() {
        let stored = serde_json::to_value(HourlyKind::DoubleOvertime).unwrap();
        assert_eq!(stored, "Double overtime");
        assert_eq!(serde_json::from_value::<HourlyKind>(stored).unwrap(), HourlyKind::DoubleOvertime);
        assert_eq!(FixedKind::MinimumWageAdjustment.as_str(), MINIMUM_WAGE_ADJUSTMENT);
        assert_eq!(PaidAs::of_name(FixedKind::CashTips.as_str()), PaidAs::CashTips);
        assert_eq!(HourlyKind::check("name", "overtime"), Ok(HourlyKind::Overtime));
    }
}
