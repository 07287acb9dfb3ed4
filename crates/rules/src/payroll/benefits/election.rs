//! Elected amounts of a benefit, and their validation by type.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::kind::{BenefitType, DEPENDENT_CARE_FSA, HSA, SEP_IRA, SIMPLE_IRA, SIMPLE_IRA_NONELECTIVE};
use crate::Named;
use crate::amount::{Amount, MAX_AMOUNT};
use crate::named::serde_by_name;
use crate::violation::{Checks, Violation};

/// 100 %.
const HUNDRED: Amount = Amount::from_cents(10_000);
/// Maximum number of tiers of a matching scheme.
pub const MOST_TIERS: usize = 10;
/// Largest rate of a tier in percent: the company may contribute more than the employee.
const MOST_RATE: Amount = Amount::from_cents(100_000);

/// The amounts elected for an employee's benefit in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenefitElection {
    /// Dollars per pay period, or percent of gross pay.
    pub deduction: Amount,
    /// Whether `deduction` is a percentage.
    pub deduct_as_percentage: bool,
    /// Annual maximum in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deduction_annual_maximum: Option<Amount>,
    /// Company contribution.
    pub contribution: Contribution,
    /// Whether the company contributes at most the employee's deduction.
    pub elective: bool,
    /// Annual maximum in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contribution_annual_maximum: Option<Amount>,
    /// Applicable legal limit, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_option: Option<LimitOption>,
    /// Whether the employee makes catch-up contributions.
    pub catch_up: bool,
    /// Insured amount in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_amount: Option<Amount>,
    /// Insured amount as a multiple of the annual salary; 0 for none.
    pub coverage_salary_multiplier: Amount,
    /// Whether the deduction reduces taxable income; `None` for the default of the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduces_taxable_income: Option<bool>,
}

impl Default for BenefitElection {
    /// Returns an election without deduction and contribution.
    fn default() -> Self {
        Self {
            deduction: Amount::ZERO,
            deduct_as_percentage: false,
            deduction_annual_maximum: None,
            contribution: Contribution::Amount(Amount::ZERO),
            elective: false,
            contribution_annual_maximum: None,
            limit_option: None,
            catch_up: false,
            coverage_amount: None,
            coverage_salary_multiplier: Amount::ZERO,
            reduces_taxable_income: None,
        }
    }
}

/// Company contribution per pay period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contribution {
    /// Dollars.
    Amount(Amount),
    /// Percent of gross pay.
    Percentage(Amount),
    /// Percentage of the deduction, by tier.
    Tiered(Vec<Tier>),
}

impl Contribution {
    /// Returns the wire name.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Amount(_) => "amount",
            Self::Percentage(_) => "percentage",
            Self::Tiered(_) => "tiered",
        }
    }

    /// All wire names.
    pub const KINDS: [&'static str; 3] = ["amount", "percentage", "tiered"];
}

/// A tier: the company contributes `rate` percent of the deduction between the previous threshold and this
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tier {
    /// Percent of the deduction.
    pub rate: Amount,
    /// Upper end of the tier, in percent of gross pay.
    pub threshold: Amount,
}

/// Selects one of several legal limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum LimitOption {
    /// HSA with family coverage
    #[strum(serialize = "Family")]
    Family,
    /// HSA with self-only coverage
    #[strum(serialize = "Individual")]
    Individual,
    /// Dependent care, filing jointly or single.
    #[strum(serialize = "Joint Filing or Single")]
    JointFilingOrSingle,
    /// Dependent care, married and filing separately.
    #[strum(serialize = "Married and Filing Separately")]
    MarriedAndFilingSeparately,
    /// SIMPLE IRA of an employer with at most 25 employees, or with up to 100 that elected it (26 U.S.C. 408(p)(2)(E)).
    #[strum(serialize = "Higher SIMPLE Limit")]
    HigherSimpleLimit,
}

serde_by_name!(LimitOption);

impl LimitOption {
    /// Returns the options of a type.
    pub fn options_of_type(kind: &BenefitType) -> &'static [Self] {
        match kind.code {
            HSA => &[Self::Family, Self::Individual],
            DEPENDENT_CARE_FSA => &[Self::JointFilingOrSingle, Self::MarriedAndFilingSeparately],
            SIMPLE_IRA | SIMPLE_IRA_NONELECTIVE => &[Self::HigherSimpleLimit],
            _ => &[],
        }
    }

    /// Returns the option that applies to a type if a record selects none: the one with the smallest limit.
    pub fn by_default(kind: &BenefitType) -> Option<Self> {
        match kind.code {
            HSA => Some(Self::Individual),
            DEPENDENT_CARE_FSA => Some(Self::MarriedAndFilingSeparately),
            _ => None,
        }
    }
}

/// Wire names of the tax treatment of a deduction.
pub const TAXABLE_INCOME: [&str; 3] = ["unset", "reduces_taxable_income", "does_not_reduce_taxable_income"];

/// Parses one of [`TAXABLE_INCOME`].
pub fn parse_taxable_income(word: &str) -> Option<Option<bool>> {
    match word {
        "unset" => Some(None),
        "reduces_taxable_income" => Some(Some(true)),
        "does_not_reduce_taxable_income" => Some(Some(false)),
        _ => None,
    }
}

/// Returns the wire name.
pub fn taxable_income_word(reduces: Option<bool>) -> &'static str {
    match reduces {
        None => "unset",
        Some(true) => "reduces_taxable_income",
        Some(false) => "does_not_reduce_taxable_income",
    }
}

/// Returns all violations of an election for this type.
pub fn check_election(terms: &BenefitElection, kind: &BenefitType) -> Vec<Violation> {
    let mut checks = Checks::new();
    check_deduction(terms, kind, &mut checks);
    check_contribution(terms, kind, &mut checks);
    for (key, maximum) in [
        ("employee_deduction_annual_maximum", terms.deduction_annual_maximum),
        ("company_contribution_annual_maximum", terms.contribution_annual_maximum),
        ("coverage_amount", terms.coverage_amount),
    ] {
        checks.extend(maximum.and_then(|amount| not_dollars(key, amount)));
    }
    let options = LimitOption::options_of_type(kind);
    checks.require(terms.limit_option.is_none_or(|option| options.contains(&option)), || {
        let named: Vec<_> = options.iter().map(|option| option.as_str()).collect();
        let allowed =
            if named.is_empty() { "left out".to_owned() } else { format!("one of: {}", named.join(", ")) };
        Violation::invalid("limit_option", format!("limit_option must be {allowed} for {}", kind.name))
    });
    checks.require(!terms.catch_up || kind.takes_catch_up(), || {
        Violation::invalid("catch_up", "catch_up is only for 401(k) and Roth 401(k)")
    });
    check_coverage(terms, kind, &mut checks);
    checks.finish().err().unwrap_or_default()
}

fn check_deduction(terms: &BenefitElection, kind: &BenefitType, checks: &mut Checks) {
    let key = "employee_deduction";
    checks.require(kind.code != SEP_IRA || terms.deduction == Amount::ZERO, || {
        Violation::invalid(
            key,
            "employee_deduction must be 0.00 for a SEP-IRA: the company alone pays into it",
        )
    });
    checks.require(!terms.deduct_as_percentage || kind.supports_percentages(), || {
        no_percentages("deduct_as_percentage", kind)
    });
    checks.extend(if terms.deduct_as_percentage {
        not_percent(key, terms.deduction, HUNDRED)
    } else {
        not_dollars(key, terms.deduction)
    });
}

fn check_contribution(terms: &BenefitElection, kind: &BenefitType, checks: &mut Checks) {
    let key = "contribution";
    match &terms.contribution {
        Contribution::Amount(amount) => checks.extend(not_dollars(key, *amount)),
        Contribution::Percentage(percent) => {
            checks.require(kind.supports_percentages(), || no_percentages(key, kind));
            checks.extend(not_percent(key, *percent, HUNDRED));
        }
        Contribution::Tiered(tiers) => {
            checks.require(kind.takes_tiers(), || {
                let message = format!(
                    "contribution cannot be tiered for {}: only a retirement plan matches in tiers",
                    kind.name
                );
                Violation::invalid(key, message)
            });
            checks.require((1..=MOST_TIERS).contains(&tiers.len()), || {
                Violation::invalid(key, format!("contribution must have 1 to {MOST_TIERS} tiers"))
            });
            for tier in tiers {
                checks.extend(not_percent("contribution.value.rate", tier.rate, MOST_RATE));
                checks.extend(not_percent("contribution.value.threshold", tier.threshold, HUNDRED));
            }
            let ascends = tiers.first().is_none_or(|tier| tier.threshold > Amount::ZERO)
                && tiers.is_sorted_by(|one, next| one.threshold < next.threshold);
            checks.require(ascends, || {
                let message = "contribution.value.threshold must be above 0 and rise from tier to tier";
                Violation::invalid("contribution.value.threshold", message)
            });
        }
    }
}

fn check_coverage(terms: &BenefitElection, kind: &BenefitType, checks: &mut Checks) {
    let key = "coverage_salary_multiplier";
    let multiplier = terms.coverage_salary_multiplier;
    checks.require((Amount::ZERO..=HUNDRED).contains(&multiplier), || {
        Violation::invalid(key, "coverage_salary_multiplier must be between 0 and 100")
    });
    let (by_amount, by_salary) = (terms.coverage_amount.is_some(), multiplier > Amount::ZERO);
    for (key, given) in [("coverage_amount", by_amount), (key, by_salary)] {
        checks.require(!given || kind.takes_coverage(), || {
            Violation::invalid(
                key,
                format!("{key} is only for life and disability insurance, not for {}", kind.name),
            )
        });
    }
    checks.require(!(by_amount && by_salary), || {
        Violation::invalid(
            key,
            "coverage_salary_multiplier must be 0 where coverage_amount says what is insured",
        )
    });
}

fn no_percentages(key: &str, kind: &BenefitType) -> Violation {
    Violation::invalid(
        key,
        format!("{key} cannot be a percentage for {}: its value is in dollars", kind.name),
    )
}

fn not_dollars(key: &str, amount: Amount) -> Option<Violation> {
    let fine =
        (Amount::ZERO..=MAX_AMOUNT).contains(&amount) && amount == Amount::from_cents(amount.cents_half_up());
    (!fine).then(|| {
        Violation::invalid(key, format!("{key} must be dollars and whole cents, from 0.00 to {MAX_AMOUNT}"))
    })
}

fn not_percent(key: &str, percent: Amount, most: Amount) -> Option<Violation> {
    let fine = (Amount::ZERO..=most).contains(&percent);
    (!fine)
        .then(|| Violation::invalid(key, format!("{key} must be a percentage from 0 to {}", most.to_text(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(code: i64) -> &'static BenefitType {
        BenefitType::find_by_code(code).unwrap()
    }

    fn keys(code: i64, change: impl FnOnce(&mut BenefitElection)) -> Vec<String> {
        let mut terms = BenefitElection::default();
        change(&mut terms);
        check_election(&terms, kind(code)).into_iter().map(|violation| violation.key).collect()
    }

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    #[test]
    fn empty_terms_suit_every_type() {
        for kind in super::super::kind::ALL {
            assert_eq!(check_election(&BenefitElection::default(), kind), [], "{}", kind.name);
        }
    }

    #[test]
    fn a_deduction_is_dollars_and_cents_or_a_percentage() {
        assert_eq!(keys(1, |t| t.deduction = amount("999999999.99")), [""; 0]);
        for wrong in ["-0.01", "1000000000", "0.001"] {
            assert_eq!(keys(1, |t| t.deduction = amount(wrong)), ["employee_deduction"], "{wrong}");
        }
        let percent = |text: &str| keys(5, |t| (t.deduction, t.deduct_as_percentage) = (amount(text), true));
        assert_eq!(percent("100"), [""; 0]);
        assert_eq!(percent("3.333333"), [""; 0]);
        assert_eq!(percent("100.000001"), ["employee_deduction"]);
        assert_eq!(keys(106, |t| t.deduct_as_percentage = true), ["deduct_as_percentage"]);
        assert_eq!(keys(108, |t| t.deduction = amount("5")), ["employee_deduction"]);
    }

    #[test]
    fn tiers_rise_and_belong_to_retirement_plans() {
        let tiers = |code, tiers: &[(&str, &str)]| {
            let tiers = tiers
                .iter()
                .map(|(rate, threshold)| Tier { rate: amount(rate), threshold: amount(threshold) });
            keys(code, |t| t.contribution = Contribution::Tiered(tiers.collect()))
        };
        assert_eq!(tiers(5, &[("100", "3"), ("50", "5")]), [""; 0]);
        assert_eq!(tiers(1, &[("100", "3")]), ["contribution"]);
        assert_eq!(tiers(108, &[("100", "3")]), ["contribution"]);
        assert_eq!(tiers(5, &[]), ["contribution"]);
        assert_eq!(tiers(5, &[("100", "0")]), ["contribution.value.threshold"]);
        assert_eq!(tiers(5, &[("100", "5"), ("50", "5")]), ["contribution.value.threshold"]);
        assert_eq!(tiers(5, &[("1000.01", "3")]), ["contribution.value.rate"]);
        assert_eq!(tiers(5, &[("100", "100.5")]), ["contribution.value.threshold"]);
    }

    #[test]
    fn options_catch_up_and_coverage_belong_to_their_types() {
        for &option in LimitOption::ALL {
            let fits = |code| keys(code, |t| t.limit_option = Some(option)).is_empty();
            let health = matches!(option, LimitOption::Family | LimitOption::Individual);
            let simple = option == LimitOption::HigherSimpleLimit;
            let of_types = (fits(6), fits(11), fits(8) && fits(14), fits(5));
            assert_eq!(of_types, (health, !health && !simple, simple, false));
            assert_eq!(LimitOption::parse(option.as_str()), Some(option));
        }
        let catch_up = |code| keys(code, |t| t.catch_up = true).is_empty();
        assert_eq!([5, 105, 9, 6, 1].map(catch_up), [true, true, false, false, false]);
        assert_eq!(keys(107, |t| t.coverage_amount = Some(amount("75000"))), [""; 0]);
        assert_eq!(keys(1, |t| t.coverage_amount = Some(amount("75000"))), ["coverage_amount"]);
        assert_eq!(
            keys(107, |t| t.coverage_salary_multiplier = amount("-1")),
            ["coverage_salary_multiplier"]
        );
        let both = |t: &mut BenefitElection| {
            (t.coverage_amount, t.coverage_salary_multiplier) = (Some(amount("75000")), amount("2"));
        };
        assert_eq!(keys(107, both), ["coverage_salary_multiplier"]);
    }
}
