//! What answers tell of an employee of a payroll, and what of it comes back.
//!
//! Clients send back what they read, with one field changed. Answers tell more than what was entered: what counts where nothing is
//! entered, and what a calculation made of it. So one rule holds for all of it: a value that comes back as it was told is no entry, and
//! what was entered is what is told.

use rules::Amount;
use uuid::Uuid;

use super::{Deduction, Entered, TimeOff, TimeOffKind};
use crate::pay::payrolls::calculation::inputs::GarnishmentInput;
use crate::pay::payrolls::entry::granted::Granted;
use crate::pay::payrolls::paid::{Outcome, Paid};
use crate::pay::payrolls::rows::Payroll;
use crate::people::employees::rows::{CHECK, DIRECT_DEPOSIT};

/// What answers tell of an employee beside what was entered.
#[derive(Debug, Clone, Copy)]
pub struct Told<'t> {
    /// the payroll
    pub payroll: &'t Payroll,
    /// `Direct Deposit` or `Check`: how the employee is paid where nothing else is entered
    pub payment_method: &'t str,
    /// the employee's garnishments
    pub garnishments: &'t [GarnishmentInput],
    /// hours off that are paid where no others are entered
    pub granted: &'t Granted,
    /// what is paid back with every regular payroll
    pub recurring: &'t [Uuid],
    /// what the last calculation made of what is entered now
    pub calculated: Option<&'t (Outcome, Paid)>,
    /// millionths of an hour off that are going to be paid out at the end of the employment by what is entered now, where that is known
    pub unused: Option<&'t [(TimeOffKind, i64)]>,
    /// the hours that salaries stand for where none are entered, by job
    pub salaried: &'t [(Uuid, Amount)],
    /// whether the hours off come back as they were read, when others were granted
    pub as_read: bool,
    /// what brings the pay of a job up to the minimum wage, by job; only read where a line sends it
    pub make_ups: &'t [(Uuid, Amount)],
}

/// What is held of a field for which a value was sent. `own` is the value that counts where nothing is entered, and `told` has those
/// that answers gave.
pub(super) fn entry<T: PartialEq>(held: Option<T>, sent: T, own: &T, told: &[T]) -> Option<T> {
    if told.contains(&sent) { held } else { Some(sent).filter(|sent| sent != own) }
}

/// Puts a line in the place of those that `replaced` finds; without a line they are taken out. The others stay in their order.
pub(in crate::pay::payrolls) fn put<T>(lines: &mut Vec<T>, line: Option<T>, replaced: impl Fn(&T) -> bool) {
    let place = lines.iter().position(&replaced).unwrap_or(lines.len());
    lines.retain(|old| !replaced(old));
    if let Some(line) = line {
        lines.insert(place, line);
    }
}

/// How an employee is paid, as answers tell it: `own` is how in general.
pub fn payment_method<'t>(
    payroll: &Payroll,
    (entered, own): (&'t Entered, &'t str),
    calculated: Option<(&Outcome, &Paid)>,
) -> &'t str {
    match calculated {
        // What was calculated goes by it, whatever the employee is paid by now.
        Some((_, paid)) if !paid.splits.is_empty() => DIRECT_DEPOSIT,
        Some((outcome, _)) if outcome.check_amount > Amount::ZERO => CHECK,
        _ if payroll.check_only => CHECK,
        _ => entered.payment_method.as_deref().unwrap_or(own),
    }
}

impl Deduction {
    /// What a garnishment asks for by its own terms.
    fn of(garnishment: &GarnishmentInput) -> Self {
        let terms = &garnishment.garnishment.terms;
        let (id, amount) = (garnishment.garnishment.id, terms.amount.millionths());
        Self { id, amount, percent: terms.deduct_as_percentage }
    }
}

impl TimeOff {
    /// Millionths of an hour taken, none where it was not said.
    pub fn taken(&self) -> i64 {
        self.hours.unwrap_or(0)
    }
}

impl Entered {
    /// What a garnishment asks for in this payroll: what was entered, or its own terms.
    pub fn asked(&self, garnishment: &GarnishmentInput) -> Deduction {
        let own = Deduction::of(garnishment);
        self.deductions.iter().find(|one| one.id == own.id).copied().unwrap_or(own)
    }
}

impl Told<'_> {
    /// What the calculation that counts made of it. One that was forgotten tells nothing of what may have changed beside it since: there
    /// the same value is what somebody decided.
    fn current(&self) -> Option<&(Outcome, Paid)> {
        self.calculated.filter(|_| self.payroll.run.is_some())
    }

    /// How the employee is paid once `sent` came for it; `before` is what was entered before.
    pub(super) fn payment_method(&self, before: &Entered, sent: String) -> Option<String> {
        let of =
            |calculated| payment_method(self.payroll, (before, self.payment_method), calculated).to_owned();
        let calculated = self.current().map(|(outcome, paid)| of(Some((outcome, paid))));
        let told: Vec<_> = [of(None)].into_iter().chain(calculated).collect();
        entry(before.payment_method.clone(), sent, &self.payment_method.to_owned(), &told)
    }

    /// The hours off of a kind that are held once `sent` came for them.
    pub(super) fn hours_off(&self, kind: TimeOffKind, held: Option<i64>, sent: i64) -> Option<i64> {
        if self.as_read {
            return held;
        }
        let own = self.granted.hours(kind);
        let calculated = self.current().map(|(_, paid)| paid.granted().hours(kind));
        let told: Vec<_> =
            [own].into_iter().chain(calculated).map(|granted| held.unwrap_or(granted)).collect();
        entry(held, sent, &own, &told)
    }

    /// The hours off of a kind that are paid out at the end once `sent` came for them. What the policy or the state of work asks for is
    /// told before the calculation and after it; where it is nothing, clients send 0.
    pub(super) fn paid_out(&self, kind: TimeOffKind, held: Option<i64>, sent: i64) -> Option<i64> {
        let nothing = || held.is_none().then_some(0);
        let calculated = self.current().and_then(|(_, paid)| {
            let leave = paid.leave.iter().find(|one| one.kind == kind);
            leave.map(|leave| leave.paid_out).or_else(nothing)
        });
        let unused = self.unused.and_then(|unused| {
            let due = unused.iter().find(|(of, _)| *of == kind);
            due.map(|(_, hours)| *hours).or_else(nothing)
        });
        if [calculated, unused].contains(&Some(sent)) { held } else { Some(sent) }
    }

    /// Whether regular hours of a job are those that its salary stands for.
    pub(in crate::pay::payrolls) fn stands_for(&self, job: Uuid, hours: i64) -> bool {
        self.salaried.contains(&(job, Amount::from_millionths(hours)))
    }

    /// What a calculation took for a garnishment.
    pub(super) fn taken(&self, garnishment: Uuid) -> Option<Deduction> {
        let (_, paid) = self.calculated?;
        let taken = paid.deductions.iter().find(|one| one.id == garnishment)?;
        Some(Deduction { id: taken.id, amount: taken.amount, percent: false })
    }

    /// What is held for a garnishment once `sent` came for it.
    pub(super) fn deduction(
        &self,
        before: &Entered,
        garnishment: &GarnishmentInput,
        sent: Deduction,
    ) -> Option<Deduction> {
        let held = before.deductions.iter().find(|old| old.id == sent.id).copied();
        let told: Vec<_> = [before.asked(garnishment)].into_iter().chain(self.taken(sent.id)).collect();
        entry(held, sent, &Deduction::of(garnishment), &told)
    }

    /// Whether an amount is what brings the pay of a job up to the minimum wage, or none.
    pub(super) fn is_make_up(&self, job: Uuid, amount: Amount) -> bool {
        amount == Amount::ZERO || self.make_ups.contains(&(job, amount))
    }

    /// Whether a reimbursement is one of those of every regular payroll, which are changed at the employee alone.
    pub(super) fn recurs(&self, reimbursement: Uuid) -> bool {
        let mut calculated = self.calculated.iter().flat_map(|(_, paid)| &paid.recurring);
        self.recurring.contains(&reimbursement) || calculated.any(|one| one.id == reimbursement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_as_it_was_told_is_no_entry() {
        // 15 counts, and 12 was made of it; nothing is entered.
        assert_eq!(entry(None, 15, &15, &[15, 12]), None);
        assert_eq!(entry(None, 12, &15, &[15, 12]), None);
        assert_eq!(entry(None, 30, &15, &[15, 12]), Some(30));
        // 30 is entered, and 28 was made of it.
        assert_eq!(entry(Some(30), 30, &15, &[30, 28]), Some(30));
        assert_eq!(entry(Some(30), 28, &15, &[30, 28]), Some(30));
        assert_eq!(entry(Some(30), 15, &15, &[30, 28]), None, "back to what counts by itself");
        assert_eq!(entry(Some(30), 20, &15, &[30, 28]), Some(20));
    }

    #[test]
    fn a_line_is_put_in_the_place_of_the_one_before_and_the_others_stay_in_their_order() {
        let mut lines = vec![(1, 'a'), (2, 'b'), (1, 'c'), (3, 'd')];
        put(&mut lines, Some((1, 'x')), |old| old.0 == 1);
        assert_eq!(lines, [(1, 'x'), (2, 'b'), (3, 'd')]);
        put(&mut lines, Some((4, 'y')), |old| old.0 == 4);
        put(&mut lines, None, |old| old.0 == 2);
        assert_eq!(lines, [(1, 'x'), (3, 'd'), (4, 'y')]);
    }
}
