//! Employment exempt from Social Security, Medicare and federal unemployment tax.

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::company::LegalForm;
use crate::named::serde_by_name;

/// Why an employee's pay is exempt from Social Security and Medicare tax. Income tax is not affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum FicaExemption {
    /// A child employed by a parent as sole proprietor, or by a partnership of both parents: exempt until 18, and until 21
    /// from federal unemployment tax.
    #[strum(serialize = "child_of_sole_proprietor")]
    ChildOfSoleProprietor,
    /// A student employed by their school or college.
    #[strum(serialize = "student")]
    Student,
    /// A nonresident with visa F, J, M or Q, for the purpose of the visa.
    #[strum(serialize = "nonresident_student_or_exchange_visitor")]
    NonresidentStudentOrExchangeVisitor,
    /// Covered by another country's social security under an agreement, with a certificate of coverage; federal
    /// unemployment tax is due.
    #[strum(serialize = "totalization_agreement")]
    TotalizationAgreement,
}

serde_by_name!(FicaExemption);

/// The sections of the code that exempt from each tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exempt {
    /// From Social Security, Medicare and additional Medicare tax, of employee and employer.
    pub fica: Option<&'static str>,
    /// From federal unemployment tax.
    pub futa: Option<&'static str>,
}

/// The section that exempts service for an organization under section 501(c)(3) from federal unemployment tax; Social Security and
/// Medicare tax are due.
pub(super) const CHARITY: &str = "26 USC 3306(c)(8)";

/// Legal forms in which the employer can be a parent or a partnership of both parents. A corporation, association, trust or
/// estate is not a parent, even if a parent owns it (26 CFR 31.3121(b)(3)-1(c); Publication 15, section 3); a limited liability
/// company that one parent owns is (31.3121(b)(3)-1(d)).
const OF_PARENTS: [&str; 7] = [
    "Sole proprietor",
    "LLC",
    "LLP",
    "Limited partnership",
    "General partnership",
    "Co-ownership",
    "Joint venture",
];

/// Age at which a parent's employee becomes subject to Social Security and Medicare tax.
const CHILD_FICA: i16 = 18;
/// Age at which a parent's employee becomes subject to federal unemployment tax.
const CHILD_FUTA: i16 = 21;

impl FicaExemption {
    /// Returns the section of the code.
    pub fn section(self) -> &'static str {
        match self {
            Self::ChildOfSoleProprietor => "26 USC 3121(b)(3)(A)",
            Self::Student => "26 USC 3121(b)(10)",
            Self::NonresidentStudentOrExchangeVisitor => "26 USC 3121(b)(19)",
            Self::TotalizationAgreement => "26 USC 3101(c), 3111(c)",
        }
    }

    /// Whether the exemption depends on the date of birth.
    pub fn depends_on_age(self) -> bool {
        self == Self::ChildOfSoleProprietor
    }

    /// Whether an employer of a legal form can have employees with this exemption. Unknown facts about the employer rule nothing out.
    pub fn is_open_to(self, employer: &LegalForm) -> bool {
        let of_parents = |kind: &String| OF_PARENTS.contains(&kind.as_str());
        match self {
            Self::ChildOfSoleProprietor => {
                !employer.taxable_as_scorp && employer.tax_payer_type.as_ref().is_none_or(of_parents)
            }
            Self::Student | Self::NonresidentStudentOrExchangeVisitor | Self::TotalizationAgreement => true,
        }
    }

    /// Returns the exemptions for a pay period that ends on a day. The age on that day counts; without a date of birth,
    /// exemptions that depend on it do not apply.
    pub fn exemptions_on(self, day: Date, birth: Option<Date>) -> Exempt {
        let fica = Some(self.section());
        match self {
            Self::ChildOfSoleProprietor => {
                let younger = |limit: i16| birth.is_some_and(|birth| age_on(birth, day) < limit);
                Exempt {
                    fica: fica.filter(|_| younger(CHILD_FICA)),
                    futa: Some("26 USC 3306(c)(5)").filter(|_| younger(CHILD_FUTA)),
                }
            }
            Self::Student => Exempt { fica, futa: Some("26 USC 3306(c)(10)(B)") },
            Self::NonresidentStudentOrExchangeVisitor => Exempt { fica, futa: Some("26 USC 3306(c)(19)") },
            Self::TotalizationAgreement => Exempt { fica, futa: None },
        }
    }
}

/// Returns the full years of age on a day.
fn age_on(birth: Date, day: Date) -> i16 {
    let before_birthday = (day.month(), day.day()) < (birth.month(), birth.day());
    day.year() - birth.year() - i16::from(before_birthday)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_child_of_the_owner_is_free_of_fica_until_18_and_of_unemployment_tax_until_21() {
        let on = |day| {
            let exempt = FicaExemption::ChildOfSoleProprietor.exemptions_on(day, Some(date(2008, 6, 10)));
            (exempt.fica.is_some(), exempt.futa.is_some())
        };
        assert_eq!(on(date(2026, 6, 9)), (true, true));
        assert_eq!(on(date(2026, 6, 10)), (false, true));
        assert_eq!(on(date(2029, 6, 9)), (false, true));
        assert_eq!(on(date(2029, 6, 10)), (false, false));
        let unknown = FicaExemption::ChildOfSoleProprietor.exemptions_on(date(2026, 6, 9), None);
        assert_eq!(unknown, Exempt::default(), "without a date of birth every tax is due");
    }

    #[test]
    fn a_corporation_is_nobodys_parent() {
        let open = |kind: Option<&str>, taxable_as_scorp| {
            let employer = LegalForm { tax_payer_type: kind.map(str::to_owned), taxable_as_scorp };
            FicaExemption::ChildOfSoleProprietor.is_open_to(&employer)
        };
        let of_parents = crate::company::TAX_PAYER_TYPES.into_iter().filter(|kind| open(Some(kind), false));
        let expected = [
            "Sole proprietor",
            "LLC",
            "LLP",
            "Limited partnership",
            "Co-ownership",
            "General partnership",
            "Joint venture",
        ];
        assert_eq!(of_parents.collect::<Vec<_>>(), expected);
        assert!(!open(Some("LLC"), true), "what is taxed as a corporation is one");
        assert!(open(None, false) && !open(None, true));
        let school = LegalForm { tax_payer_type: Some("Non-Profit".to_owned()), taxable_as_scorp: false };
        assert!(FicaExemption::Student.is_open_to(&school));
    }

    #[test]
    fn who_is_insured_abroad_still_costs_unemployment_tax() {
        let on = |exemption: FicaExemption| exemption.exemptions_on(date(2026, 6, 9), None);
        assert_eq!(on(FicaExemption::TotalizationAgreement).futa, None);
        assert_eq!(on(FicaExemption::Student).fica, Some("26 USC 3121(b)(10)"));
        assert_eq!(on(FicaExemption::NonresidentStudentOrExchangeVisitor).futa, Some("26 USC 3306(c)(19)"));
    }
}
