//! Form W-4, Employee's Withholding Certificate.

use jiff::civil::{Date, date};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::amount::Amount;
use crate::check;
use crate::named::serde_by_name;
use crate::violation::{Checks, Violation};

/// Maximum number of allowances of a form before 2020.
pub const MAX_ALLOWANCES: i64 = 99;

/// Filing status of a Form W-4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum FilingStatus {
    /// Single, or married and filing separately.
    #[strum(serialize = "Single")]
    Single,
    /// Married and filing jointly, or a qualifying surviving spouse.
    #[strum(serialize = "Married")]
    Married,
    /// Head of household.
    #[strum(serialize = "Head of Household")]
    HeadOfHousehold,
    /// Claims exemption from withholding.
    #[strum(serialize = "Exempt from withholding")]
    Exempt,
    /// Married, but withholding at the higher Single rate; only on forms before 2020.
    #[strum(serialize = "Married, but withhold as Single")]
    MarriedWithholdAsSingle,
}

serde_by_name!(FilingStatus);

impl FilingStatus {
    /// Filing statuses of the form of 2020 and later.
    pub const REV_2020: [Self; 4] = [Self::Single, Self::Married, Self::HeadOfHousehold, Self::Exempt];
}

/// A Form W-4. Amounts are dollars in whole cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum W4 {
    /// The form of 2020 and later.
    #[serde(rename = "rev_2020_w4")]
    Rev2020 {
        /// Step 1(c).
        filing_status: FilingStatus,
        /// Step 2(c): two jobs in total, or a working spouse.
        two_jobs: bool,
        /// Step 3: credits for dependents and other credits, per year.
        dependents_amount: Amount,
        /// Step 4(a): other income, per year.
        other_income: Amount,
        /// Step 4(b): deductions, per year.
        deductions: Amount,
        /// Step 4(c): extra withholding, per pay period.
        extra_withholding: Amount,
    },
    /// The form of 2019 and before.
    #[serde(rename = "pre_2020_w4")]
    Pre2020 {
        /// Line 3.
        filing_status: FilingStatus,
        /// Line 5: allowances.
        allowances: i64,
        /// Line 6: additional withholding, per pay period.
        additional_withholding: Amount,
    },
}

impl W4 {
    /// Returns a form of 2020 or later with a filing status and nothing else.
    pub const fn with_filing_status(filing_status: FilingStatus) -> Self {
        Self::Rev2020 {
            filing_status,
            two_jobs: false,
            dependents_amount: Amount::ZERO,
            other_income: Amount::ZERO,
            deductions: Amount::ZERO,
            extra_withholding: Amount::ZERO,
        }
    }

    /// Returns the filing status.
    pub fn filing_status(&self) -> FilingStatus {
        let (Self::Rev2020 { filing_status, .. } | Self::Pre2020 { filing_status, .. }) = self;
        *filing_status
    }

    /// Returns the additional withholding that the form asks for, per pay period.
    pub fn additional_withholding(&self) -> Amount {
        match self {
            Self::Rev2020 { extra_withholding, .. } => *extra_withholding,
            Self::Pre2020 { additional_withholding, .. } => *additional_withholding,
        }
    }

    /// Whether the form claims exemption from withholding.
    pub fn is_exempt(&self) -> bool {
        self.filing_status() == FilingStatus::Exempt
    }
}

/// Returns the last day on which an exemption claimed on `claimed` is in effect: February 15 of the next year
/// (26 CFR 31.3402(f)(4)-2(c)).
pub fn last_day_of_exemption(claimed: Date) -> Date {
    date(claimed.year() + 1, 2, 15)
}

/// Returns all violations: amounts are whole cents from zero to [`MAX_AMOUNT`](crate::amount::MAX_AMOUNT),
/// allowances are 0 to [`MAX_ALLOWANCES`], and the filing status exists on the form. Keys are those of the
/// federal_taxes resource.
pub fn check_w4(w4: &W4) -> Vec<Violation> {
    match *w4 {
        W4::Rev2020 {
            filing_status,
            two_jobs: _,
            dependents_amount,
            other_income,
            deductions,
            extra_withholding,
        } => {
            let amounts = [
                ("dependents_amount", dependents_amount),
                ("other_income", other_income),
                ("deductions", deductions),
                ("extra_withholding", extra_withholding),
            ];
            let status = check_status(filing_status, &FilingStatus::REV_2020);
            status.into_iter().chain(amounts.into_iter().filter_map(check_amount)).collect()
        }
        W4::Pre2020 { filing_status, allowances, additional_withholding } => {
            let mut checks = Checks::new();
            checks.extend(check_status(filing_status, FilingStatus::ALL));
            checks.require((0..=MAX_ALLOWANCES).contains(&allowances), || {
                let key = "federal_withholding_allowance";
                Violation::invalid(key, format!("{key} must be a whole number from 0 to {MAX_ALLOWANCES}"))
            });
            checks.extend(check_amount(("additional_withholding", additional_withholding)));
            checks.finish().err().unwrap_or_default()
        }
    }
}

fn check_status(status: FilingStatus, allowed: &[FilingStatus]) -> Option<Violation> {
    let names: Vec<_> = allowed.iter().map(|status| status.as_str()).collect();
    // One of the names contains a comma.
    let message = format!("filing_status must be one of: {}", names.join("; "));
    (!allowed.contains(&status)).then(|| Violation::invalid("filing_status", message))
}

fn check_amount((key, amount): (&str, Amount)) -> Option<Violation> {
    check::validate_dollars(key, amount, check::UP_TO_MAX).err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use FilingStatus::*;

    fn rev_2020(filing_status: FilingStatus, amounts: [&str; 4]) -> W4 {
        let [dependents_amount, other_income, deductions, extra_withholding] =
            amounts.map(|text| Amount::parse(text).unwrap());
        let two_jobs = false;
        W4::Rev2020 {
            filing_status,
            two_jobs,
            dependents_amount,
            other_income,
            deductions,
            extra_withholding,
        }
    }

    fn pre_2020(filing_status: FilingStatus, allowances: i64, additional: &str) -> W4 {
        W4::Pre2020 { filing_status, allowances, additional_withholding: Amount::parse(additional).unwrap() }
    }

    fn keys(w4: &W4) -> Vec<String> {
        check_w4(w4).into_iter().map(|violation| violation.key).collect()
    }

    #[test]
    fn each_form_has_its_own_filing_statuses() {
        for &status in FilingStatus::ALL {
            assert_eq!(keys(&pre_2020(status, 2, "0")), [""; 0], "{status:?}");
            let found = check_w4(&rev_2020(status, ["0"; 4]));
            assert_eq!(found.is_empty(), status != MarriedWithholdAsSingle, "{status:?}");
        }
        assert_eq!(
            check_w4(&rev_2020(MarriedWithholdAsSingle, ["0"; 4]))[0].message,
            "filing_status must be one of: Single; Married; Head of Household; Exempt from withholding"
        );
    }

    #[test]
    fn the_amounts_of_a_form_are_cents_and_not_negative() {
        assert_eq!(keys(&rev_2020(Single, ["2200", "0.01", "0", "999999999.99"])), [""; 0]);
        let all = ["dependents_amount", "other_income", "deductions", "extra_withholding"];
        assert_eq!(keys(&rev_2020(Single, ["-0.01", "0.001", "1000000000", "-1"])), all);
        assert_eq!(keys(&pre_2020(Married, 99, "-1")), ["additional_withholding"]);
        let found = check_w4(&rev_2020(Single, ["0", "0", "0", "0.005"]));
        let message =
            "extra_withholding must be an amount from 0.00 to 999999999.99 with at most 2 decimal places";
        assert_eq!(found, [Violation::invalid("extra_withholding", message)]);
    }

    #[test]
    fn allowances_have_at_most_two_digits() {
        for (allowances, fine) in [(0, true), (99, true), (-1, false), (100, false)] {
            let expected: &[&str] = if fine { &[] } else { &["federal_withholding_allowance"] };
            assert_eq!(keys(&pre_2020(Single, allowances, "0")), expected, "{allowances}");
        }
    }

    #[test]
    fn the_words_of_requests_and_answers_are_the_same() {
        for &status in FilingStatus::ALL {
            assert_eq!(FilingStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(FilingStatus::parse("single"), None);
    }
}
