//! The kind of a payroll in words: its title, and how an off-cycle payroll differs.

use domain::language::fill_placeholders;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::pay::payrolls::service::REASONS;

use crate::flows::texts::Texts;

/// The title of a payroll: its payday, and the reason of an off-cycle one.
pub fn payroll_title(t: &Texts, one: &Payroll) -> String {
    let (e, day) = (t.employer, t.format_day(one.check_date));
    match off_cycle_kind(t, one) {
        Some(kind) => fill_placeholders(e.payroll_extra, &[("kind", kind), ("day", &day)]),
        None => fill_placeholders(e.payroll_paid, &[("day", &day)]),
    }
}

/// The name of an off-cycle payroll; `None` for a regular one.
fn off_cycle_kind(t: &Texts, one: &Payroll) -> Option<&'static str> {
    let reason = one.off_cycle_reason.as_deref().filter(|_| one.off_cycle)?;
    let place = REASONS.iter().position(|known| *known == reason)?;
    t.employer.payroll_kinds.get(place).copied()
}

/// How a payroll differs from a regular one.
pub fn payroll_notes(t: &Texts, one: &Payroll) -> Vec<&'static str> {
    let e = t.employer;
    let notes = [
        (!one.pays_wages_of_its_days(), e.note_no_salaries),
        (one.skip_regular_deductions, e.note_no_deductions),
        (one.fixed_withholding_rate, e.note_flat_rate),
        (one.check_only, e.note_checks),
    ];
    notes.into_iter().filter(|(applies, _)| *applies).map(|(_, note)| note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::texts;
    use domain::language::Language;

    #[test]
    fn every_reason_of_a_payroll_outside_the_schedule_has_a_name_of_its_own_in_every_language() {
        for language in [Language::English, Language::Spanish] {
            let kinds = texts::texts_in_language(language).employer.payroll_kinds;
            assert_eq!(kinds.len(), REASONS.len());
            let different: std::collections::BTreeSet<_> = kinds.into_iter().collect();
            assert_eq!(different.len(), REASONS.len(), "{kinds:?}");
        }
    }
}
