//! Merges an update into what was entered before.

use rules::amount::MAX_AMOUNT;
use rules::{Amount, Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use crate::patch;
use crate::patch::Patch;
use crate::pay::earning_types::rows::EarningType;
use crate::pay::earning_types::service::same_name;
use crate::pay::payrolls::entry::by_workweek::OfWorkweek;
use crate::pay::payrolls::entry::known::{Known, MOST_LINES, check_payable_amount, check_payable_hours};
use crate::pay::payrolls::entry::returned_values::ReturnedValues;
use crate::pay::payrolls::entry::{by_workweek, time_off};
use crate::pay::payrolls::record::commands;
use crate::pay::payrolls::record::commands::UpdateEmployee;
use crate::pay::payrolls::record::earned::Earned;
use crate::pay::payrolls::record::entered::{
    CustomFixed, Deduction, Entered, Fixed, Reimbursement, TimeOff, replace_lines,
};
use crate::pay::payrolls::record::kinds::{
    FIXED, FixedKind, RECALCULATED_PREMIUM, REIMBURSEMENT, TimeOffKind,
};
use crate::records::id_of;
use crate::version::{ApiVersion, Change};

/// Maximum number of an employee's reimbursements in one payroll.
const MOST_REIMBURSEMENTS: usize = 50;
/// Maximum number of taxes with supplied amounts for an employee in one payroll.
const MOST_SUPPLIED: usize = 50;
/// Maximum length of a note, in characters.
const MEMO: usize = 255;

impl Entered {
    /// Merges an update.
    pub fn merge_update(
        &mut self,
        tx: &mut Tx<'_>,
        version: ApiVersion,
        known: &Known<'_>,
        input: &UpdateEmployee,
        checks: &mut Checks,
    ) {
        let before = self.clone();
        let method = |key: &str, value: &String| check::one_of(key, value, &["Direct Deposit", "Check"]);
        if let Some(method) = input.payment_method.optional("payment_method", checks, method) {
            self.payment_method = known.told.payment_method(&before, method.to_owned());
        }
        let memo = |key: &str, value: &String| check::optional_text(key, Some(value), MEMO);
        input.memo.update_or_clear("memo", checks, memo, &mut self.memo);
        let state_tax = |key: &str, value: &Amount| check_payable_amount(key, value).map(Some);
        input.state_income_tax.update_or_clear(
            "state_income_tax",
            checks,
            state_tax,
            &mut self.state_income_tax,
        );
        self.merge_supplied_taxes(&input.supplied_taxes, checks);
        self.merge_hourly(known, &before, &input.hourly_compensations, checks);
        self.merge_fixed(tx, version, known, &input.fixed_compensations, checks);
        self.merge_time_off(known, &input.paid_time_off, checks);
        self.check_all_hours(known, &before, checks);
        self.merge_reimbursements(tx, (known, &before), &input.reimbursements, checks);
        self.merge_deductions((known, &before), &input.deductions, checks);
    }

    fn merge_supplied_taxes(&mut self, lines: &Patch<Vec<commands::SuppliedTaxLine>>, checks: &mut Checks) {
        for line in patch::check_items("supplied_taxes", lines, MOST_LINES, checks) {
            let code = line.code.required("code", checks, |key, code| tax_code(key, code));
            let mut amount = None;
            let given = |key: &str, value: &Amount| check_payable_amount(key, value).map(Some);
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
        let types = known.types;
        for line in patch::check_items("fixed_compensations", lines, MOST_LINES, checks) {
            let is_correction =
                line.name.value().is_some_and(|name| same_name(name, FixedKind::Correction.as_str()));
            let amount = line.amount.required(
                "amount",
                checks,
                if is_correction { check_correction } else { check_payable_amount },
            );
            let is_reimbursement =
                line.name.value().is_some_and(|name| name.eq_ignore_ascii_case(REIMBURSEMENT));
            if is_reimbursement && !version.includes_change(Change::ReimbursementsApart) {
                let told: Amount = self.reimbursements.iter().map(|one| one.amount).sum();
                let Some(amount) = amount.filter(|amount| *amount != told) else { continue };
                // The older line is a single sum: a different sum replaces all individual expenses.
                let id = self.reimbursements.first().map_or_else(|| tx.new_id(), |first| first.id);
                self.reimbursements = vec![Reimbursement { id, amount, description: None }];
                self.reimbursements.retain(|one| one.amount > Amount::ZERO);
                continue;
            }
            if let Some((earning_type, name)) = line.name.value().and_then(|name| self.own_type(types, name))
            {
                let job = known.job_paid(&line.job_uuid, amount, checks);
                let Some((job, amount)) = job.zip(amount) else { continue };
                let held: Vec<_> =
                    self.custom_of(job, earning_type).map(|old| (old.amount, old.earned)).collect();
                let entries = amounts_to_store(line, amount, &held, known, checks).unwrap_or(held);
                let custom =
                    |(amount, earned)| CustomFixed { job, earning_type, name: name.clone(), amount, earned };
                let is_of = |old: &CustomFixed| old.job == job && old.earning_type == earning_type;
                replace_lines(&mut self.custom, entries.into_iter().map(custom), is_of);
                continue;
            }
            if line.name.value().is_some_and(|name| same_name(name, RECALCULATED_PREMIUM)) {
                continue;
            }
            let kind = line.name.required("name", checks, |key, name| fixed_kind(key, name, types));
            let job = known.job_paid(&line.job_uuid, amount, checks);
            // Clients send back the calculated amount, which is recalculated each time.
            let adjustment = kind == Some(FixedKind::MinimumWageAdjustment);
            if let (true, Some(amount), Some(job)) = (adjustment, amount, job) {
                checks.require(known.told.is_make_up(job, amount), || {
                    let message = "amount of Minimum Wage Adjustment must be 0.00 or the calculated amount";
                    Violation::invalid("amount", message)
                });
            }
            if let (Some(kind), Some(amount), Some(job), false) = (kind, amount, job, adjustment) {
                let held: Vec<_> = self.fixed_of(job, kind).map(|old| (old.amount, old.earned)).collect();
                let entries = amounts_to_store(line, amount, &held, known, checks).unwrap_or(held);
                let tips = matches!(kind, FixedKind::PaycheckTips | FixedKind::CashTips);
                let is_plain = entries.iter().all(|(_, earned)| *earned == Earned::default());
                checks.require(!tips || is_plain, || {
                    let message =
                        "discretionary, earned_from, earned_to and breakdowns are for pay other than tips";
                    Violation::invalid("discretionary", message)
                });
                let fixed = |(amount, earned)| Fixed { job, kind, amount, earned };
                let is_of = |old: &Fixed| old.job == job && old.kind == kind;
                replace_lines(&mut self.fixed, entries.into_iter().map(fixed), is_of);
            }
        }
    }

    /// Returns the company's earning type with this name: an active one, or one that was entered before it became inactive.
    fn own_type(&self, types: &[EarningType], name: &str) -> Option<(Uuid, String)> {
        let active = types.iter().find(|one| one.active && same_name(&one.name, name));
        let active = active.map(|one| (one.id, one.name.clone()));
        let entered = || self.custom.iter().find(|line| same_name(&line.name, name));
        active.or_else(|| entered().map(|line| (line.earning_type, line.name.clone())))
    }

    fn merge_time_off(
        &mut self,
        known: &Known<'_>,
        lines: &Patch<Vec<commands::TimeOffLine>>,
        checks: &mut Checks,
    ) {
        for line in patch::check_items("paid_time_off", lines, MOST_LINES, checks) {
            let kind = time_off::read_time_off_kind(line, known.policies, checks);
            let taken = line.hours.optional("hours", checks, check_payable_hours);
            let out = &line.final_payout_unused_hours_input;
            let mut unused = None;
            let of = |key: &str, value: &Amount| check_payable_hours(key, value).map(Some);
            out.update_or_clear("final_payout_unused_hours_input", checks, of, &mut unused);
            let Some(kind) = kind else { continue };
            let held = self.time_off.iter().find(|old| old.kind == kind);
            let (held_hours, held_out) = held.map_or((None, None), |held| (held.hours, held.paid_out));
            let hours = match taken {
                Some(taken) => known.told.hours_off(kind, held_hours, taken),
                None => held_hours,
            };
            let paid_out = match (out, unused) {
                (Patch::Null, _) => None,
                (_, Some(unused)) => known.told.paid_out(kind, held_out, unused),
                _ => held_out,
            };
            checks.require(
                kind != TimeOffKind::Unpaid || paid_out.is_none_or(|hours| hours == Amount::ZERO),
                || {
                    let key = "final_payout_unused_hours_input";
                    let message = format!(
                        "{key} must be null or 0 for {}: leave without pay is not paid out",
                        kind.as_str()
                    );
                    Violation::invalid(key, message)
                },
            );
            let entered = TimeOff { kind, hours, paid_out, days: Vec::new() };
            let says = hours.is_some() || paid_out.is_some();
            replace_lines(&mut self.time_off, says.then_some(entered), |old| old.kind == kind);
        }
    }

    fn merge_reimbursements(
        &mut self,
        tx: &mut Tx<'_>,
        (known, before): (&Known<'_>, &Self),
        lines: &Patch<Vec<commands::ReimbursementLine>>,
        checks: &mut Checks,
    ) {
        let lines = patch::check_items("reimbursements", lines, MOST_LINES, checks);
        let mut plain = Vec::new();
        for line in lines {
            let amount = line.amount.required("amount", checks, check_payable_amount);
            let text = |key: &str, value: &String| check::optional_text(key, Some(value), MEMO);
            let description = line.description.optional("description", checks, text).flatten();
            let id = line.uuid.value().map(|id| id_of(id));
            // A recurring reimbursement is changed only on the employee.
            if id.is_some_and(|id| known.told.is_recurring(id)) {
                continue;
            }
            let as_told = |one: &Reimbursement| {
                Some(one.id) == id
                    && amount == Some(one.amount)
                    && (matches!(line.description, Patch::Absent) || one.description == description)
            };
            if before.reimbursements.iter().any(as_told) {
                continue;
            }
            let held = id.and_then(|id| self.reimbursements.iter_mut().find(|one| one.id == id));
            let Some(amount) = amount else { continue };
            match (id, held) {
                (Some(_), Some(one)) => {
                    one.amount = amount;
                    if !matches!(line.description, Patch::Absent) {
                        one.description = description;
                    }
                }
                (Some(_), None) => {
                    checks.push(Violation::invalid("uuid", "uuid must name a reimbursement of this paycheck"))
                }
                (None, _) if description.is_none() => plain.push(amount),
                (None, _) => {
                    self.reimbursements.push(Reimbursement { id: tx.new_id(), amount, description });
                }
            }
        }
        let named: Vec<Uuid> =
            lines.iter().filter_map(|line| line.uuid.value().map(|id| id_of(id))).collect();
        self.put_plain(tx, &plain, &named);
        self.reimbursements.retain(|one| one.amount > Amount::ZERO);
        checks.require(self.reimbursements.len() <= MOST_REIMBURSEMENTS, || {
            Violation::invalid(
                "reimbursements",
                format!("a paycheck has at most {MOST_REIMBURSEMENTS} reimbursements"),
            )
        });
    }

    /// Replaces the expenses without a description, except those `named` by uuid: clients cannot tell them apart, and send back their sum.
    fn put_plain(&mut self, tx: &mut Tx<'_>, sent: &[Amount], named: &[Uuid]) {
        let is_plain = |one: &Reimbursement| one.description.is_none() && !named.contains(&one.id);
        let held: Vec<&Reimbursement> = self.reimbursements.iter().filter(|one| is_plain(one)).collect();
        let sums = [held.iter().map(|one| one.amount).sum::<Amount>(), sent.iter().copied().sum()];
        if sent.is_empty() || sums[0] == sums[1] {
            return;
        }
        let mut ids = held.into_iter().map(|one| one.id).collect::<Vec<_>>().into_iter();
        self.reimbursements.retain(|one| !is_plain(one));
        for amount in sent {
            let id = ids.next().unwrap_or_else(|| tx.new_id());
            self.reimbursements.push(Reimbursement { id, amount: *amount, description: None });
        }
    }

    fn merge_deductions(
        &mut self,
        (known, before): (&Known<'_>, &Self),
        lines: &Patch<Vec<commands::DeductionLine>>,
        checks: &mut Checks,
    ) {
        let ReturnedValues { garnishments, .. } = known.told;
        for line in patch::check_items("deductions", lines, MOST_LINES, checks) {
            let amount = line.amount.required("amount", checks, check_payable_amount);
            let kind = |key: &str, value: &String| check::one_of(key, value, &["fixed", "percent"]);
            let percent = line.amount_type.optional("amount_type", checks, kind) == Some("percent");
            let id = line.uuid.value().map(|id| id_of(id));
            let sent = id.zip(amount).map(|(id, amount)| Deduction { id, amount, percent });
            let Some(garnishment) = garnishments.iter().find(|one| Some(one.garnishment.id) == id) else {
                // A garnishment that has ended since may be sent back as the calculation returned it.
                let is_told = sent.is_some_and(|sent| known.told.calculated_deduction(sent.id) == Some(sent));
                checks.require(is_told, || {
                    Violation::invalid("uuid", "uuid must name a deduction of the employee")
                });
                continue;
            };
            let Some(sent) = sent else { continue };
            let entered = known.told.deduction_to_store(before, garnishment, sent);
            checks.require(entered.is_none() || !garnishment.is_child_support(), || {
                let message =
                    "deductions must not change the amount of child support, which is set by its order";
                Violation::invalid("deductions", message)
            });
            let most = Amount::from_cents(10_000);
            checks
                .require(entered != Some(sent) || !percent || amount.is_none_or(|sent| sent <= most), || {
                    Violation::invalid("amount", "amount must be at most 100 with amount_type percent")
                });
            replace_lines(&mut self.deductions, entered, |old| old.id == sent.id);
        }
    }
}

/// Returns the amounts other than zero that a line is stored as, each with when it was earned: one, or one for each workweek by which it is
/// divided. `None` if the line is the sum of the amounts `held`, which is how responses return them to whoever does not know the parts.
fn amounts_to_store(
    line: &commands::FixedLine,
    amount: Amount,
    held: &[(Amount, Earned)],
    known: &Known<'_>,
    checks: &mut Checks,
) -> Option<Vec<(Amount, Earned)>> {
    let last = known.period.last;
    let earned = Earned::merge_line(held.first().map(|(_, earned)| *earned), line, last, checks);
    let Some(parts) = by_workweek::amounts_of(&line.breakdowns, known, checks) else {
        let is_divided = held.iter().any(|(_, earned)| earned.is_part);
        let is_sum = held.iter().map(|(amount, _)| *amount).sum::<Amount>() == amount;
        if is_divided && is_sum && matches!(line.breakdowns, Patch::Absent) {
            return None;
        }
        checks.require(amount >= Amount::ZERO || earned == Earned::default(), || {
            let message = "discretionary, earned_from and earned_to are for pay, not for what is taken back";
            Violation::invalid("earned_from", message)
        });
        let whole = Some((amount, earned)).filter(|(amount, _)| !amount.is_zero());
        return Some(whole.into_iter().collect());
    };
    let sum = by_workweek::sum_of_parts(&parts);
    checks.require(amount == sum, || {
        let text = sum.to_text(2);
        Violation::invalid(
            "amount",
            format!("amount must be the sum of breakdowns, {text}, not {}", amount.to_text(2)),
        )
    });
    checks.require(earned.earning_period().is_none(), || {
        let message = "omit earned_from and earned_to where breakdowns divide the amount by workweek";
        Violation::invalid("earned_from", message)
    });
    let of_week = |one: &OfWorkweek| (one.part, earned.in_workweek(one.start, last));
    Some(parts.iter().map(of_week).collect())
}

/// Parses the code of a tax: capital letters, digits and underscores.
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

/// Returns the kind that a line names. The violation also lists the company's own earning types.
fn fixed_kind(key: &str, name: &str, types: &[EarningType]) -> Result<FixedKind, Violation> {
    FixedKind::check(key, name).map_err(|_| {
        let own = types.iter().filter(|one| one.active).map(|one| one.name.as_str());
        let allowed: Vec<_> = FIXED.into_iter().chain(own).collect();
        Violation::invalid(key, format!("{key} must be one of: {}", allowed.join(", ")))
    })
}

/// Checks the amount of a correction, which takes back earlier pay below zero.
fn check_correction(key: &str, amount: &Amount) -> Result<Amount, Violation> {
    check::validate_dollars(key, *amount, -MAX_AMOUNT..=MAX_AMOUNT)
}
