//! Types of benefits.
//!
//! Types and attributes: API contract, supported benefits. Taxes that a deduction reduces: 26 U.S.C. 106, 125,
//! 129, 132(f) and 223 with 3121(a)(5)(G) and 3306(b)(5)(G) for cafeteria plans and accounts; 402(e)(3), 403(b) and 408
//! with 3121(v)(1)(A) and 3306(r)(1)(A) for deferrals into retirement plans, which remain wages for FICA and FUTA.

/// A type of benefit.
#[derive(Debug, PartialEq, Eq)]
pub struct BenefitType {
    /// Code on the wire.
    pub code: i64,
    /// Name.
    pub name: &'static str,
    /// Description.
    pub description: &'static str,
    /// Tax and limit attributes.
    pub marks: Marks,
    /// Category for listings.
    pub category: &'static str,
}

/// Tax and limit attributes of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// The deduction is pre-tax.
    pub pretax: bool,
    /// The deduction is after-tax.
    pub posttax: bool,
    /// The company contribution is imputed income.
    pub imputed: bool,
    /// Health benefit.
    pub healthcare: bool,
    /// Retirement plan.
    pub retirement: bool,
    /// Subject to an annual legal limit.
    pub yearly_limit: bool,
}

/// Parses attributes from letters: p(retax), a(fter tax), i(mputed), h(ealth care), r(etirement), y(early limit).
const fn parse_marks(letters: &str) -> Marks {
    let bytes = letters.as_bytes();
    let mut marks = Marks {
        pretax: false,
        posttax: false,
        imputed: false,
        healthcare: false,
        retirement: false,
        yearly_limit: false,
    };
    let mut place = 0;
    while place < bytes.len() {
        match bytes[place] {
            b'p' => marks.pretax = true,
            b'a' => marks.posttax = true,
            b'i' => marks.imputed = true,
            b'h' => marks.healthcare = true,
            b'r' => marks.retirement = true,
            b'y' => marks.yearly_limit = true,
            _ => panic!("a letter that is no mark"),
        }
        place += 1;
    }
    marks
}

const HEALTH: &str = "Health";
const SAVINGS: &str = "Savings and Retirement";
const TRANSPORT: &str = "Transportation";
const OTHER: &str = "Other";

macro_rules! types {
    ($($code:literal $letters:literal $category:ident $name:literal $description:literal;)+) => {
        /// All types, by code.
        pub static ALL: &[BenefitType] = &[$(BenefitType {
            code: $code,
            name: $name,
            description: $description,
            marks: parse_marks($letters),
            category: $category,
        }),+];
    };
}

types! {
    1 "ph" HEALTH "Medical Insurance" "Premiums of a medical plan, before taxes.";
    2 "ph" HEALTH "Dental Insurance" "Premiums of a dental plan, before taxes.";
    3 "ph" HEALTH "Vision Insurance" "Premiums of a vision plan, before taxes.";
    5 "pry" SAVINGS "401(k)" "Deferrals into a 401(k) plan, before income tax.";
    6 "py" HEALTH "Health Savings Account" "Savings for health costs beside a high-deductible plan.";
    7 "py" HEALTH "Health FSA" "A flexible spending account for health costs.";
    8 "pry" SAVINGS "SIMPLE IRA" "Deferrals into a SIMPLE IRA that the company matches.";
    9 "pry" SAVINGS "403(b)" "Deferrals into a 403(b) plan, before income tax.";
    10 "p" TRANSPORT "Commuter Benefits (pre-tax)" "Transit passes and parking for the way to work.";
    11 "py" HEALTH "Dependent Care FSA" "A flexible spending account for the care of dependents.";
    14 "pry" SAVINGS "SIMPLE IRA (Non-elective)" "A SIMPLE IRA into which the company pays without matching.";
    100 "ai" OTHER "Other (taxable)" "A benefit that counts as income.";
    105 "ary" SAVINGS "Roth 401(k)" "Deferrals into a 401(k) plan, after taxes.";
    106 "ai" TRANSPORT "Personal Use of Company Car" "The value of driving the company's car on one's own account.";
    107 "ai" HEALTH "Group-Term Life Insurance" "Life insurance; what covers more than $50,000 counts as income.";
    108 "pry" SAVINGS "SEP-IRA" "What the company pays into an employee's SEP-IRA.";
    109 "pry" SAVINGS "SARSEP" "Deferrals into a SEP of before 1997.";
    110 "ary" SAVINGS "Roth 403(b)" "Deferrals into a 403(b) plan, after taxes.";
    111 "ai" OTHER "529 College Savings" "What the company pays into a 529 plan.";
    112 "ai" OTHER "Student Loan Repayment" "What the company pays towards student loans.";
    113 "p" TRANSPORT "Commuter Parking" "Parking at or near work.";
    114 "p" TRANSPORT "Commuter Transit" "Transit passes and van pools.";
    201 "ai" TRANSPORT "Cell Phone (taxable)" "A telephone that is not for the company's business.";
    202 "ai" TRANSPORT "Gym & Fitness (taxable)" "Memberships and classes away from the company's premises.";
    203 "ai" TRANSPORT "Housing (taxable)" "Lodging that is not for the company's convenience.";
    204 "ai" TRANSPORT "Wellness (taxable)" "Wellness programs that count as income.";
    991 "a" HEALTH "Voluntary Short Term Disability (post-tax)" "Short-term disability cover that the employee chose, after taxes.";
    992 "a" HEALTH "Voluntary Long Term Disability (post-tax)" "Long-term disability cover that the employee chose, after taxes.";
    993 "a" HEALTH "Voluntary Life (post-tax)" "Life insurance that the employee chose, after taxes.";
    996 "p" HEALTH "Short Term Disability (pre-tax)" "Short-term disability cover, before taxes.";
    997 "p" HEALTH "Long Term Disability (pre-tax)" "Long-term disability cover, before taxes.";
    998 "a" HEALTH "Short Term Disability (post-tax)" "Short-term disability cover, after taxes.";
    999 "a" HEALTH "Long Term Disability (post-tax)" "Long-term disability cover, after taxes.";
    1000 "ai" HEALTH "Short Term Disability (post-tax, imputed)" "Short-term disability cover whose premiums count as income.";
    1001 "ai" HEALTH "Long Term Disability (post-tax, imputed)" "Long-term disability cover whose premiums count as income.";
}

/// Medical insurance.
pub const MEDICAL: i64 = 1;
/// Dental insurance.
pub const DENTAL: i64 = 2;
/// Vision insurance.
pub const VISION: i64 = 3;
/// Pre-tax deferrals into a 401(k) plan.
pub const TRADITIONAL_401K: i64 = 5;
/// Health savings account.
pub const HSA: i64 = 6;
/// Health flexible spending account.
pub const HEALTH_FSA: i64 = 7;
/// SIMPLE IRA with a match.
pub const SIMPLE_IRA: i64 = 8;
/// Pre-tax deferrals into a 403(b) plan.
pub const TRADITIONAL_403B: i64 = 9;
/// Transit passes and parking together.
pub const COMMUTER: i64 = 10;
/// Dependent care flexible spending account.
pub const DEPENDENT_CARE_FSA: i64 = 11;
/// SIMPLE IRA with nonelective contributions.
pub const SIMPLE_IRA_NONELECTIVE: i64 = 14;
/// Roth contributions to a 401(k) plan.
pub const ROTH_401K: i64 = 105;
/// Group-term life insurance, which has special rules.
pub const GROUP_TERM_LIFE: i64 = 107;
/// SEP-IRA, funded by the company alone.
pub const SEP_IRA: i64 = 108;
/// Deferrals into a SEP established before 1997.
pub const SARSEP: i64 = 109;
/// Roth contributions to a 403(b) plan.
pub const ROTH_403B: i64 = 110;
/// Parking at or near work.
pub const COMMUTER_PARKING: i64 = 113;
/// Transit passes and van pools.
pub const COMMUTER_TRANSIT: i64 = 114;
/// First voluntary coverage: short-term disability, after-tax.
const VOLUNTARY_SHORT_TERM_DISABILITY: i64 = 991;
/// Last voluntary coverage: life insurance, after-tax.
const VOLUNTARY_LIFE: i64 = 993;
/// First company disability coverage: short-term, pre-tax.
const SHORT_TERM_DISABILITY: i64 = 996;
/// Last company disability coverage: long-term, imputed.
const LONG_TERM_DISABILITY_IMPUTED: i64 = 1001;

/// Whether deferrals into a type are Roth contributions.
pub(super) fn is_roth(code: i64) -> bool {
    matches!(code, ROTH_401K | ROTH_403B)
}

/// Taxes whose base an amount affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taxes {
    /// Federal and state income tax withheld.
    pub income_tax: bool,
    /// Social Security and Medicare, of employee and company
    pub fica: bool,
    /// Federal unemployment tax.
    pub futa: bool,
}

impl Taxes {
    /// None of them.
    pub const NONE: Self = Self { income_tax: false, fica: false, futa: false };
    /// All of them.
    pub const ALL: Self = Self { income_tax: true, fica: true, futa: true };
    /// Income tax alone.
    pub const INCOME_TAX: Self = Self { income_tax: true, fica: false, futa: false };
}

impl BenefitType {
    /// Returns the type with a code.
    pub fn find_by_code(code: i64) -> Option<&'static Self> {
        ALL.iter().find(|kind| kind.code == code)
    }

    /// Whether deductions are premiums of insurance, which remain owed if pay does not cover them.
    pub fn is_insurance(&self) -> bool {
        matches!(
            self.code,
            MEDICAL
                | DENTAL
                | VISION
                | GROUP_TERM_LIFE
                | VOLUNTARY_SHORT_TERM_DISABILITY..=VOLUNTARY_LIFE
                | SHORT_TERM_DISABILITY..=LONG_TERM_DISABILITY_IMPUTED
        )
    }

    /// Whether amounts may be percentages of pay. Imputed benefits have a dollar value.
    pub fn supports_percentages(&self) -> bool {
        !self.marks.imputed
    }

    /// Whether it is health information: medical, dental, vision and life plans.
    pub fn is_health_information(&self) -> bool {
        self.marks.healthcare || matches!(self.code, GROUP_TERM_LIFE | VOLUNTARY_LIFE)
    }

    /// Whether it has a catch-up flag.
    pub fn takes_catch_up(&self) -> bool {
        matches!(self.code, TRADITIONAL_401K | ROTH_401K)
    }

    /// Whether the company may match in tiers.
    pub fn takes_tiers(&self) -> bool {
        self.marks.retirement && self.code != SEP_IRA
    }

    /// Whether company contributions count pay only up to the annual limit of 26 U.S.C. 401(a)(17): in retirement plans,
    /// except for the match of a SIMPLE IRA (26 U.S.C. 408(p)(2)(A)(iii) has no such limit, (B)(ii) does).
    pub fn limits_compensation(&self) -> bool {
        self.marks.retirement && self.code != SIMPLE_IRA
    }

    /// Whether it has a coverage amount.
    pub fn takes_coverage(&self) -> bool {
        matches!(
            self.code,
            GROUP_TERM_LIFE
                | VOLUNTARY_SHORT_TERM_DISABILITY..=VOLUNTARY_LIFE
                | SHORT_TERM_DISABILITY..=LONG_TERM_DISABILITY_IMPUTED
        )
    }

    /// Whether the company matches in a SIMPLE IRA: yes ([`SIMPLE_IRA`]) or no ([`SIMPLE_IRA_NONELECTIVE`]).
    pub fn elective_by_type(&self) -> Option<bool> {
        match self.code {
            SIMPLE_IRA => Some(true),
            SIMPLE_IRA_NONELECTIVE => Some(false),
            _ => None,
        }
    }

    /// Returns the taxes that a deduction reduces by default.
    pub fn deduction_lowers(&self) -> Taxes {
        match self.code {
            SEP_IRA => Taxes::NONE,
            _ if !self.marks.pretax => Taxes::NONE,
            _ if self.marks.retirement => Taxes::INCOME_TAX,
            _ => Taxes::ALL,
        }
    }

    /// Returns the taxes due on imputed income. On the cost of group-term life insurance, no income
    /// tax is withheld and no unemployment tax is due: 26 U.S.C. 3401(a)(14), 3306(b)(2)(C).
    pub fn imputed_income_is_subject_to(&self) -> Taxes {
        match self.code {
            GROUP_TERM_LIFE => Taxes { income_tax: false, fica: true, futa: false },
            _ if self.marks.imputed => Taxes::ALL,
            _ => Taxes::NONE,
        }
    }
}

/// Serializes a [`BenefitType`] as its code.
pub(super) mod by_code {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    use super::BenefitType;

    pub fn serialize<S: Serializer>(kind: &BenefitType, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(kind.code)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static BenefitType, D::Error> {
        let code = i64::deserialize(deserializer)?;
        BenefitType::find_by_code(code)
            .ok_or_else(|| D::Error::custom(format_args!("unknown type of benefit {code}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deduction_lowers_the_taxes_that_its_type_says() {
        for kind in ALL {
            let expected = match kind.code {
                1 | 2 | 3 | 6 | 7 | 10 | 11 | 113 | 114 | 996 | 997 => Taxes::ALL,
                5 | 8 | 9 | 14 | 109 => Taxes::INCOME_TAX,
                _ => Taxes::NONE,
            };
            assert_eq!(kind.deduction_lowers(), expected, "{}", kind.name);
        }
    }

    #[test]
    fn the_types_are_numbered_once_and_either_before_or_after_taxes() {
        assert!(ALL.is_sorted_by(|one, next| one.code < next.code));
        assert_eq!(ALL.len(), 35);
        for BenefitType { code, marks, .. } in ALL {
            assert_ne!(marks.pretax, marks.posttax, "{code}");
            assert!(!marks.imputed || marks.posttax, "{code}");
            assert!(!marks.retirement || marks.yearly_limit, "{code}");
        }
        assert_eq!(BenefitType::find_by_code(5).map(|kind| kind.name), Some("401(k)"));
        assert_eq!(BenefitType::find_by_code(4), None);
    }
}
