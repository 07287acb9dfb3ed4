//! The version of a payroll's employee in responses, and what a version sent back shows about the client's last read.
//!
//! The first half identifies the inputs, the second half the hours off that are paid unless others are entered. Those hours can change
//! while a client edits a payroll, because a request is approved. If the client sends the old hours back as it read them, that must not
//! count as an entry, because otherwise they would stay regardless of what was approved.

use rules::Amount;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::time_off::Granted;
use crate::records::version_text;

/// Number of digits of a version that identify the inputs.
const ENTERED: usize = 16;

/// What a version shows about the client's last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// the current data was read, or nothing is sent that has changed since
    Current,
    /// other hours off were read, and are sent back unchanged
    OfOtherHours,
    /// other data was read
    Stale,
}

/// Returns the version of an employee with an [`Input`], stored or not, and approved hours off.
pub fn employee_version(input: &Input, granted: &Granted) -> String {
    version_with_hours(input, |kind| granted.hours_of_kind(kind))
}

/// Compares a version, sent together with hours off, with the current data.
pub fn compare_version(
    version: &str,
    (input, granted): (&Input, &Granted),
    sent: &[(TimeOffKind, Amount)],
) -> Reading {
    let current = employee_version(input, granted);
    if version == current {
        return Reading::Current;
    }
    if version.get(..ENTERED) != current.get(..ENTERED) {
        return Reading::Stale;
    }
    let came = |kind| sent.iter().find(|(of, _)| *of == kind).map(|(_, hours)| *hours);
    match version
        == version_with_hours(input, |kind| came(kind).unwrap_or_else(|| granted.hours_of_kind(kind)))
    {
        true => Reading::OfOtherHours,
        false if sent.is_empty() => Reading::Current,
        false => Reading::Stale,
    }
}

fn version_with_hours(input: &Input, hours: impl Fn(TimeOffKind) -> Amount) -> String {
    let both = Uuid::from_u128(input.payroll.as_u128() ^ input.employee.as_u128());
    let text = version_text(TABLE, both, input.version);
    // Approved hours are not returned for a kind for which hours were entered.
    let is_open = |kind: TimeOffKind| {
        let mut lines = input.entered.time_off.iter();
        lines.all(|line| line.kind != kind || line.hours.is_none())
    };
    let open = TimeOffKind::ALL.iter().map(|kind| if is_open(*kind) { hours(*kind) } else { Amount::ZERO });
    let open: Vec<Amount> = open.collect();
    if open.iter().all(Amount::is_zero) {
        return text;
    }
    let mut hash = Sha256::new();
    hash.update(&text);
    open.iter().for_each(|hours| hash.update(hours.millionths().to_be_bytes()));
    format!("{}{}", &text[..ENTERED], hex::encode(&hash.finalize()[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pay::payrolls::record::entered::TimeOff;

    const EIGHT: Amount = Amount::from_cents(800);

    fn holiday(hours: Amount) -> Granted {
        Granted { holiday_hours: hours, ..Granted::default() }
    }

    fn input(entered: Option<Amount>) -> Input {
        let mut input = Input::new(Uuid::from_u128(1), Uuid::from_u128(2));
        let line = |hours| TimeOff {
            kind: TimeOffKind::Holiday,
            hours: Some(hours),
            paid_out: None,
            days: Vec::new(),
        };
        input.entered.time_off.extend(entered.map(line));
        input
    }

    #[test]
    fn hours_off_sent_back_as_read_are_recognized_after_others_were_granted() {
        let (nobody, granted) = (input(None), holiday(EIGHT));
        let before = employee_version(&nobody, &holiday(Amount::ZERO));
        let says = |sent: &[(TimeOffKind, Amount)]| compare_version(&before, (&nobody, &granted), sent);
        assert_eq!(says(&[(TimeOffKind::Holiday, Amount::ZERO)]), Reading::OfOtherHours);
        assert_eq!(
            says(&[(TimeOffKind::Holiday, Amount::ZERO), (TimeOffKind::Sick, Amount::ZERO)]),
            Reading::OfOtherHours
        );
        assert_eq!(
            says(&[(TimeOffKind::Holiday, Amount::from_cents(400))]),
            Reading::Stale,
            "somebody decided by what is past"
        );
        assert_eq!(says(&[]), Reading::Current, "nothing is sent of it");
        let after = employee_version(&nobody, &granted);
        assert_eq!(
            compare_version(&after, (&nobody, &granted), &[(TimeOffKind::Holiday, Amount::ZERO)]),
            Reading::Current
        );
    }

    #[test]
    fn entries_made_since_make_a_version_stale_whatever_is_granted() {
        let entered = Input { version: 3, ..input(None) };
        let before = employee_version(&input(None), &holiday(EIGHT));
        assert_eq!(compare_version(&before, (&entered, &holiday(EIGHT)), &[]), Reading::Stale);
        assert_eq!(compare_version("short", (&entered, &holiday(Amount::ZERO)), &[]), Reading::Stale);
    }

    #[test]
    fn entered_hours_are_kept_whatever_is_granted() {
        let entered = input(Some(Amount::from_cents(400)));
        assert_eq!(
            employee_version(&entered, &holiday(Amount::ZERO)),
            employee_version(&entered, &holiday(EIGHT))
        );
    }
}
