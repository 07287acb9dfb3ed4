//! Form W-4 as it applies on a pay date.

use jiff::civil::Date;
use rules::withholding::federal::{FilingStatus, W4, last_day_of_exemption};

use crate::pay::payrolls::record::texts::{W4_EXEMPTION_ENDS, W4_EXEMPTION_OVER};
use crate::pay::payrolls::record::warning::Warning;
use crate::withholding::taxes::rows::{FederalSettings, FederalTaxes};

/// Returns the form with the employer's settings. A form with an expired claim of exemption counts as no form.
pub(in crate::pay::payrolls) fn w4_and_settings_on(
    form: Option<FederalTaxes>,
    day: Date,
) -> (W4, FederalSettings) {
    let Some(form) = form else { return (no_certificate(), FederalSettings::default()) };
    let is_over = form.claimed_on().is_some_and(|claimed| last_day_of_exemption(claimed) < day);
    (if is_over { no_certificate() } else { form.w4 }, form.settings)
}

/// Warns that a claim of exemption from an earlier year has ended, or when it will end.
pub(in crate::pay::payrolls) fn exemption_warning(form: &FederalTaxes, day: Date) -> Option<Warning> {
    let claimed = form.claimed_on().filter(|claimed| claimed.year() < day.year())?;
    let (year, last) = (claimed.year(), last_day_of_exemption(claimed));
    let text = if last < day { W4_EXEMPTION_OVER } else { W4_EXEMPTION_ENDS };
    Some(text.to_warning(&[("year", &year), ("last", &last)]))
}

/// Returns the form of an employee without a certificate, who is not exempt but treated as single without adjustments
/// (26 CFR 31.3402(f)(2)-1(a)(4)).
fn no_certificate() -> W4 {
    W4::with_filing_status(FilingStatus::Single)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;

    fn form(filing_status: FilingStatus, exempt_since: Option<Date>) -> FederalTaxes {
        FederalTaxes {
            employee: Uuid::nil(),
            w4: W4::with_filing_status(filing_status),
            settings: FederalSettings::default(),
            exempt_since,
            updated_at: "2026-05-01T12:00:00Z".parse::<Timestamp>().unwrap(),
            version: 1,
        }
    }

    /// Whether tax is withheld on a day, and the key of the warning.
    fn counts(form: &FederalTaxes, day: Date) -> (bool, Option<String>) {
        let key = exemption_warning(form, day).map(|warning| warning.key);
        (!w4_and_settings_on(Some(form.clone()), day).0.is_exempt(), key)
    }

    #[test]
    fn a_claim_of_exemption_ends_with_15_february_of_the_next_year() {
        let claimed = form(FilingStatus::Exempt, Some(date(2026, 12, 30)));
        let ends = || Some("w4_exemption_ends".to_owned());
        assert_eq!(counts(&claimed, date(2026, 12, 31)), (false, None));
        assert_eq!(counts(&claimed, date(2027, 1, 8)), (false, ends()));
        assert_eq!(counts(&claimed, date(2027, 2, 15)), (false, ends()));
        assert_eq!(counts(&claimed, date(2027, 2, 16)), (true, Some("w4_exemption_over".to_owned())));
        // For a claim in an older row, expiry counts from the form's last change; other forms never expire.
        let older = form(FilingStatus::Exempt, None);
        assert_eq!(counts(&older, date(2027, 2, 15)), (false, ends()));
        assert_eq!(counts(&form(FilingStatus::Married, None), date(2030, 1, 1)), (true, None));
    }
}
