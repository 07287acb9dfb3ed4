//! Checks opening balances for figures that contradict each other or the law.

use rules::amount::dollars_text;
use rules::payroll::taxes::PayrollTaxes;
use rules::taxes::book::SOCIAL_SECURITY;
use rules::{Amount, Checks, Rounding, Violation};

use crate::pay::payrolls::facts::opening::YearSums;

/// The largest difference caused by rounding in a year's paychecks.
const ROUNDINGS: Amount = Amount::from_cents(100);
/// 100 percent, in millionths.
const WHOLE: i64 = 100_000_000;

/// Adds violations for contradictions. A sum of zero counts as not given and contradicts nothing.
pub(super) fn check_opening_balances(law: Option<&PayrollTaxes>, of_year: &YearSums, checks: &mut Checks) {
    let YearSums { gross, net, .. } = *of_year;
    checks.require(gross == Amount::ZERO || net <= gross, || {
        let message = format!(
            "wages: net, {}, must not be more than gross, {}",
            dollars_text(net),
            dollars_text(gross)
        );
        Violation::invalid("wages", message)
    });
    let taxes: Amount = of_year.taxes_withheld().map(|(_, amount)| amount).sum();
    let benefits: Amount = of_year.benefits.values().map(|benefit| benefit.deductions).sum();
    let garnishments: Amount = of_year.garnishments.values().copied().sum();
    let taken = taxes + benefits + garnishments;
    checks.require(gross == Amount::ZERO || taken <= gross, || {
        let message = format!(
            "taxes ({}), deductions of benefits ({}) and garnishments ({}) must not be more than gross wages, {}, together",
            dollars_text(taxes),
            dollars_text(benefits),
            dollars_text(garnishments),
            dollars_text(gross)
        );
        Violation::invalid(if taxes > gross { "taxes" } else { "wages" }, message)
    });
    social_security(law, of_year, checks);
}

/// Social Security tax cannot exceed the rate times the wage base, or times the given wages.
fn social_security(law: Option<&PayrollTaxes>, of_year: &YearSums, checks: &mut Checks) {
    let of_social_security = of_year.taxes_withheld().find(|(id, _)| id.code == SOCIAL_SECURITY);
    let withheld = of_social_security.map_or(Amount::ZERO, |(_, amount)| amount);
    let Some(law) = law else { return };
    let base = law.social_security_base;
    let told = of_year.social_security_wages();
    let wages = if told > Amount::ZERO { told.min(base) } else { base };
    let tax = wages.mul_ratio(law.social_security.millionths(), WHOLE, Rounding::HalfUp);
    let most = tax.and_then(|tax| tax.checked_add(ROUNDINGS));
    checks.require(most.is_none_or(|most| withheld <= most), || {
        let message = format!(
            "Social Security must not be more than {} % of the wages that count for it: {} of {}, and at most the wage base of {}, {}",
            law.social_security,
            tax.unwrap_or_default().to_text(2),
            wages.to_text(2),
            law.year,
            base.to_text(2)
        );
        Violation::invalid("taxes", message)
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rules::taxes::TaxId;
    use uuid::Uuid;

    use super::*;
    use crate::pay::payrolls::record::sums::BenefitSums;

    const fn dollars(dollars: i64) -> Amount {
        Amount::from_cents(100 * dollars)
    }

    fn keys(of_year: &YearSums) -> Vec<String> {
        let mut checks = Checks::new();
        check_opening_balances(PayrollTaxes::built_in(2026), of_year, &mut checks);
        checks.finish().err().unwrap_or_default().into_iter().map(|fault| fault.key).collect()
    }

    /// Returns sums with taxes, and with wages that counted for Social Security.
    fn with_taxes(mut sums: YearSums, wages: i64, all: &[(&str, i64)]) -> YearSums {
        sums.taxes.clear();
        let id = TaxId::of_employee("US_SS");
        sums.add_tax(&id, [dollars(wages); 2], Amount::ZERO);
        for (code, amount) in all {
            sums.add_tax(&TaxId::of_employee(*code), [Amount::ZERO; 2], dollars(*amount));
        }
        sums
    }

    #[test]
    fn figures_of_a_year_that_contradict_each_other_are_named() {
        let whole = YearSums { gross: dollars(50_000), net: dollars(40_000), ..YearSums::default() };
        let whole = with_taxes(whole, 50_000, &[("US_FIT", 4_000), ("US_SS", 3_100)]);
        assert_eq!(keys(&whole), Vec::<String>::new());
        assert_eq!(keys(&YearSums { net: dollars(50_001), ..whole.clone() }), ["wages"]);
        let more = with_taxes(whole.clone(), 50_000, &[("US_FIT", 50_001)]);
        assert_eq!(keys(&more), ["taxes"]);
        let of_benefit = BenefitSums { code: 5, deductions: dollars(43_000), contributions: Amount::ZERO };
        let benefits = BTreeMap::from([(Uuid::nil(), of_benefit)]);
        assert_eq!(keys(&YearSums { benefits, ..whole.clone() }), ["wages"]);
        // If gross pay was not given, nothing is compared with it.
        assert_eq!(keys(&YearSums { gross: Amount::ZERO, ..more }), Vec::<String>::new());
    }

    #[test]
    fn social_security_tax_is_limited_by_the_wage_base_and_the_wages() {
        let of = |wages: i64, tax: i64| with_taxes(YearSums::default(), wages, &[("US_SS", tax)]);
        // 6.2 % of 184,500 is 11,439; rounding may add up to a dollar.
        assert_eq!(keys(&of(0, 11_440)), Vec::<String>::new());
        assert_eq!(keys(&of(0, 11_441)), ["taxes"]);
        assert_eq!(keys(&of(200_000, 11_441)), ["taxes"]);
        assert_eq!(keys(&of(10_000, 621)), Vec::<String>::new());
        assert_eq!(keys(&of(10_000, 622)), ["taxes"]);
    }
}
