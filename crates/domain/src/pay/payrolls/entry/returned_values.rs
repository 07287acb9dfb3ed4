//! The values that responses return for a payroll's employee, and how clients send them back.
//!
//! Clients send back what they read, with one field changed. Responses contain more than what was entered: the values that apply if nothing
//! is entered, and the results of a calculation. One rule covers all of it: a value sent back as it was returned is not an entry, and
//! responses return entered values as they are.

use rules::Amount;
use uuid::Uuid;

use crate::pay::payrolls::record::entered::{Deduction, Entered};
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::GarnishmentInput;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::time_off::Granted;
use crate::people::employees::rows::{CHECK, DIRECT_DEPOSIT};

/// The values that responses return for an employee besides the inputs.
#[derive(Debug, Clone, Copy)]
pub struct ReturnedValues<'t> {
    /// the payroll
    pub payroll: &'t Payroll,
    /// `Direct Deposit` or `Check`: how the employee is paid unless another method is entered
    pub payment_method: &'t str,
    /// the employee's garnishments
    pub garnishments: &'t [GarnishmentInput],
    /// approved hours off, paid unless others are entered
    pub granted: &'t Granted,
    /// reimbursements that recur with every regular payroll
    pub recurring: &'t [Uuid],
    /// the last calculation's results for the current inputs
    pub calculated: Option<&'t (Outcome, Paid)>,
    /// millionths of an hour off that will be paid out on termination with the current inputs, if known
    pub unused: Option<&'t [(TimeOffKind, Amount)]>,
    /// the standard hours of salaries, which apply if none are entered, by job
    pub salaried: &'t [(Uuid, Amount)],
    /// whether the hours off are sent back as they were read before others were approved
    pub as_read: bool,
    /// the minimum wage adjustment of each job; read only if a line contains it
    pub make_ups: &'t [(Uuid, Amount)],
}

/// Returns the value to store for a field for which `sent` was received. `own` applies if nothing is entered, and `told` are the values
/// that responses returned.
pub(in crate::pay::payrolls) fn value_to_store<T: PartialEq>(
    held: Option<T>,
    sent: T,
    own: &T,
    told: &[T],
) -> Option<T> {
    if told.contains(&sent) { held } else { Some(sent).filter(|sent| sent != own) }
}

/// Returns how an employee is paid, as shown in responses. `own` is the employee's usual method.
pub fn payment_method<'t>(
    payroll: &Payroll,
    (entered, own): (&'t Entered, &'t str),
    calculated: Option<(&Outcome, &Paid)>,
) -> &'t str {
    match calculated {
        // A calculated paycheck keeps its method, whatever the employee's method is now.
        Some((_, paid)) if !paid.splits.is_empty() => DIRECT_DEPOSIT,
        Some((outcome, _)) if outcome.check_amount > Amount::ZERO => CHECK,
        _ if payroll.check_only => CHECK,
        _ => entered.payment_method.as_deref().unwrap_or(own),
    }
}

impl Deduction {
    /// Returns what a garnishment deducts under its own terms.
    fn from_garnishment(garnishment: &GarnishmentInput) -> Self {
        let terms = &garnishment.garnishment.terms;
        let (id, amount) = (garnishment.garnishment.id, terms.amount);
        Self { id, amount, percent: terms.deduct_as_percentage }
    }
}

impl Entered {
    /// Returns what a garnishment is to deduct in this payroll: the entered amount, or the one under its own terms.
    pub fn deduction_of(&self, garnishment: &GarnishmentInput) -> Deduction {
        let own = Deduction::from_garnishment(garnishment);
        self.deductions.iter().find(|one| one.id == own.id).copied().unwrap_or(own)
    }
}

impl ReturnedValues<'_> {
    /// Returns the results of the current calculation. A discarded one does not reflect later changes, so its values count as entries.
    fn current_calculation(&self) -> Option<&(Outcome, Paid)> {
        self.calculated.filter(|_| self.payroll.run.is_some())
    }

    /// Returns the payment method to store after `sent` was received. `before` are the earlier inputs.
    pub(in crate::pay::payrolls) fn payment_method(&self, before: &Entered, sent: String) -> Option<String> {
        let of =
            |calculated| payment_method(self.payroll, (before, self.payment_method), calculated).to_owned();
        let calculated = self.current_calculation().map(|(outcome, paid)| of(Some((outcome, paid))));
        let told: Vec<_> = [of(None)].into_iter().chain(calculated).collect();
        value_to_store(before.payment_method.clone(), sent, &self.payment_method.to_owned(), &told)
    }

    /// Returns the hours off of a kind to store after `sent` was received.
    pub(in crate::pay::payrolls) fn hours_off(
        &self,
        kind: TimeOffKind,
        held: Option<Amount>,
        sent: Amount,
    ) -> Option<Amount> {
        if self.as_read {
            return held;
        }
        let own = self.granted.hours_of_kind(kind);
        let calculated =
            self.current_calculation().map(|(_, paid)| paid.granted_hours_off().hours_of_kind(kind));
        let told: Vec<_> =
            [own].into_iter().chain(calculated).map(|granted| held.unwrap_or(granted)).collect();
        value_to_store(held, sent, &own, &told)
    }

    /// Returns the hours off of a kind to store for payout on termination after `sent` was received. Responses return what the policy or
    /// the work state requires before and after the calculation; clients send 0 if there is nothing.
    pub(in crate::pay::payrolls) fn paid_out(
        &self,
        kind: TimeOffKind,
        held: Option<Amount>,
        sent: Amount,
    ) -> Option<Amount> {
        let nothing = || held.is_none().then_some(Amount::ZERO);
        let calculated = self.current_calculation().and_then(|(_, paid)| {
            let leave = paid.leave.iter().find(|one| one.kind == kind);
            leave.map(|leave| leave.paid_out).or_else(nothing)
        });
        let unused = self.unused.and_then(|unused| {
            let due = unused.iter().find(|(of, _)| *of == kind);
            due.map(|(_, hours)| *hours).or_else(nothing)
        });
        if [calculated, unused].contains(&Some(sent)) { held } else { Some(sent) }
    }

    /// Whether regular hours of a job equal the standard hours of its salary.
    pub(in crate::pay::payrolls) fn stands_for(&self, job: Uuid, hours: Amount) -> bool {
        self.salaried.contains(&(job, hours))
    }

    /// Returns what a calculation deducted for a garnishment.
    pub(in crate::pay::payrolls) fn calculated_deduction(&self, garnishment: Uuid) -> Option<Deduction> {
        let (_, paid) = self.calculated?;
        let taken = paid.deductions.iter().find(|one| one.id == garnishment)?;
        Some(Deduction { id: taken.id, amount: taken.amount, percent: false })
    }

    /// Returns the entry to store for a garnishment after `sent` was received.
    pub(in crate::pay::payrolls) fn deduction_to_store(
        &self,
        before: &Entered,
        garnishment: &GarnishmentInput,
        sent: Deduction,
    ) -> Option<Deduction> {
        let held = before.deductions.iter().find(|old| old.id == sent.id).copied();
        let told: Vec<_> = [before.deduction_of(garnishment)]
            .into_iter()
            .chain(self.calculated_deduction(sent.id))
            .collect();
        value_to_store(held, sent, &Deduction::from_garnishment(garnishment), &told)
    }

    /// Whether an amount is the job's minimum wage adjustment, or zero.
    pub(in crate::pay::payrolls) fn is_make_up(&self, job: Uuid, amount: Amount) -> bool {
        amount == Amount::ZERO || self.make_ups.contains(&(job, amount))
    }

    /// Whether a reimbursement recurs with every regular payroll. Such reimbursements are changed only on the employee.
    pub(in crate::pay::payrolls) fn is_recurring(&self, reimbursement: Uuid) -> bool {
        let mut calculated = self.calculated.iter().flat_map(|(_, paid)| &paid.recurring);
        self.recurring.contains(&reimbursement) || calculated.any(|one| one.id == reimbursement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pay::payrolls::record::entered::replace_lines;

    #[test]
    fn values_sent_back_as_they_were_returned_are_not_entries() {
        // 15 applies, and was reduced to 12; nothing is entered.
        assert_eq!(value_to_store(None, 15, &15, &[15, 12]), None);
        assert_eq!(value_to_store(None, 12, &15, &[15, 12]), None);
        assert_eq!(value_to_store(None, 30, &15, &[15, 12]), Some(30));
        // 30 is entered, and was reduced to 28.
        assert_eq!(value_to_store(Some(30), 30, &15, &[30, 28]), Some(30));
        assert_eq!(value_to_store(Some(30), 28, &15, &[30, 28]), Some(30));
        assert_eq!(value_to_store(Some(30), 15, &15, &[30, 28]), None, "back to what counts by itself");
        assert_eq!(value_to_store(Some(30), 20, &15, &[30, 28]), Some(20));
    }

    #[test]
    fn a_line_replaces_the_previous_one_and_the_others_keep_their_order() {
        let mut lines = vec![(1, 'a'), (2, 'b'), (1, 'c'), (3, 'd')];
        replace_lines(&mut lines, Some((1, 'x')), |old| old.0 == 1);
        assert_eq!(lines, [(1, 'x'), (2, 'b'), (3, 'd')]);
        replace_lines(&mut lines, Some((4, 'y')), |old| old.0 == 4);
        replace_lines(&mut lines, None, |old| old.0 == 2);
        assert_eq!(lines, [(1, 'x'), (3, 'd'), (4, 'y')]);
        replace_lines(&mut lines, [(3, 'e'), (3, 'f')], |old| old.0 == 3);
        assert_eq!(lines, [(1, 'x'), (3, 'e'), (3, 'f'), (4, 'y')]);
    }
}
