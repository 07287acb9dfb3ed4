//! The version of what answers tell of an employee of a payroll, and what one that comes back says about the reading.
//!
//! It is that of what was entered, and in its second half of the hours off that are paid where nobody enters others. Those change while
//! somebody holds a payroll open: a request is approved. Sent back as they were read they are no entry even then, and no hours at all
//! would be one: they would stay, whatever was approved.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::entered::TimeOffKind;
use super::granted::Granted;
use crate::pay::payrolls::TABLE;
use crate::pay::payrolls::rows::Input;
use crate::records::version_text;

/// How many digits of a version are of what was entered.
const ENTERED: usize = 16;

/// What a version says about the reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// what is told now was read, or nothing is sent that is told otherwise now
    Current,
    /// other hours off were told, and come back as they were
    OfOtherHours,
    /// something else was told
    Stale,
}

/// The version of an employee with an [`Input`], stored or not, and hours off that are granted.
pub fn of(input: &Input, granted: &Granted) -> String {
    with(input, |kind| granted.hours(kind))
}

/// What a version that came with some hours off, in millionths, says.
pub fn reading(version: &str, (input, granted): (&Input, &Granted), sent: &[(TimeOffKind, i64)]) -> Reading {
    let current = of(input, granted);
    if version == current {
        return Reading::Current;
    }
    if version.get(..ENTERED) != current.get(..ENTERED) {
        return Reading::Stale;
    }
    let came = |kind| sent.iter().find(|(of, _)| *of == kind).map(|(_, hours)| *hours);
    match version == with(input, |kind| came(kind).unwrap_or_else(|| granted.hours(kind))) {
        true => Reading::OfOtherHours,
        false if sent.is_empty() => Reading::Current,
        false => Reading::Stale,
    }
}

fn with(input: &Input, hours: impl Fn(TimeOffKind) -> i64) -> String {
    let both = Uuid::from_u128(input.payroll.as_u128() ^ input.employee.as_u128());
    let text = version_text(TABLE, both, input.version);
    // Of hours that were entered no others are told.
    let is_open = |kind: TimeOffKind| {
        let mut lines = input.entered.time_off.iter();
        lines.all(|line| line.kind != kind || line.hours.is_none())
    };
    let open = TimeOffKind::ALL.iter().map(|kind| if is_open(*kind) { hours(*kind) } else { 0 });
    let open: Vec<i64> = open.collect();
    if open.iter().all(|hours| *hours == 0) {
        return text;
    }
    let mut hash = Sha256::new();
    hash.update(&text);
    open.iter().for_each(|hours| hash.update(hours.to_be_bytes()));
    format!("{}{}", &text[..ENTERED], hex::encode(&hash.finalize()[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pay::payrolls::entry::entered::TimeOff;

    const EIGHT: i64 = 8_000_000;

    fn holiday(hours: i64) -> Granted {
        Granted { holiday_hours: hours, ..Granted::default() }
    }

    fn input(entered: Option<i64>) -> Input {
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
    fn hours_off_that_come_back_as_they_were_read_are_known_when_others_are_granted_since() {
        let (nobody, granted) = (input(None), holiday(EIGHT));
        let before = of(&nobody, &holiday(0));
        let says = |sent: &[(TimeOffKind, i64)]| reading(&before, (&nobody, &granted), sent);
        assert_eq!(says(&[(TimeOffKind::Holiday, 0)]), Reading::OfOtherHours);
        assert_eq!(says(&[(TimeOffKind::Holiday, 0), (TimeOffKind::Sick, 0)]), Reading::OfOtherHours);
        assert_eq!(
            says(&[(TimeOffKind::Holiday, 4_000_000)]),
            Reading::Stale,
            "somebody decided by what is past"
        );
        assert_eq!(says(&[]), Reading::Current, "nothing is sent of it");
        let after = of(&nobody, &granted);
        assert_eq!(reading(&after, (&nobody, &granted), &[(TimeOffKind::Holiday, 0)]), Reading::Current);
    }

    #[test]
    fn what_was_entered_since_makes_a_version_stale_whatever_is_granted() {
        let entered = Input { version: 3, ..input(None) };
        let before = of(&input(None), &holiday(EIGHT));
        assert_eq!(reading(&before, (&entered, &holiday(EIGHT)), &[]), Reading::Stale);
        assert_eq!(reading("short", (&entered, &holiday(0)), &[]), Reading::Stale);
    }

    #[test]
    fn hours_that_were_entered_stand_whatever_is_granted() {
        let entered = input(Some(4_000_000));
        assert_eq!(of(&entered, &holiday(0)), of(&entered, &holiday(EIGHT)));
    }
}
