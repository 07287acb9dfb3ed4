//! Checks opening balances for figures that contradict each other or the law.

use rules::payroll::taxes::PayrollTaxes;
use rules::taxes::book::SOCIAL_SECURITY;
use rules::{Amount, Checks, Rounding, Violation};

use crate::pay::payrolls::facts::opening::YearSums;

/// The largest difference caused by rounding in a year's paychecks.
const ROUNDINGS: Amount = Amount::from_cents(100);
/// 100 percent, in millionths.
const WHOLE: i64 = 100_000_000;

/// Adds violations for contradictions. A sum of zero counts as not given and contradicts nothing.
pub(super) fn all(law: Option<&PayrollTaxes>, of_year: &YearSums, checks: &mut Checks) {
    let YearSums { gross, net, .. } = *of_year;
    checks.require(gross == 0 || net <= gross, || {
        let message = format!("wages: net, {}, must not be more than gross, {}", text(net), text(gross));
        Violation::invalid("wages", message)
    });
    let taxes: i64 = of_year.withheld().map(|(_, amount)| amount).sum();
    let benefits: i64 = of_year.benefits.values().map(|(_, deduction, _)| deduction).sum();
    let garnishments: i64 = of_year.garnishments.values().sum();
    let taken = taxes.saturating_add(benefits).saturating_add(garnishments);
    checks.require(gross == 0 || taken <= gross, || {
        let message = format!(
            "taxes ({}), deductions of benefits ({}) and garnishments ({}) must not be more than gross wages, {}, together",
            text(taxes),
            text(benefits),
            text(garnishments),
            text(gross)
        );
        Violation::invalid(if taxes > gross { "taxes" } else { "wages" }, message)
    });
    social_security(law, of_year, checks);
}

/// Social Security tax cannot exceed the rate times the wage base, or times the given wages.
fn social_security(law: Option<&PayrollTaxes>, of_year: &YearSums, checks: &mut Checks) {
    let of_social_security = of_year.withheld().find(|(id, _)| id.code == SOCIAL_SECURITY);
    let withheld = Amount::from_millionths(of_social_security.map_or(0, |(_, amount)| amount));
    let Some(law) = law else { return };
    let base = law.social_security_base;
    let told = Amount::from_millionths(of_year.social_security_wages());
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

fn text(millionths: i64) -> String {
    Amount::from_millionths(millionths).to_text(2)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rules::taxes::TaxId;
    use uuid::Uuid;

    use super::*;

    const DOLLAR: i64 = 1_000_000;

    fn keys(of_year: &YearSums) -> Vec<String> {
        let mut checks = Checks::new();
        all(PayrollTaxes::built_in(2026), of_year, &mut checks);
        checks.finish().err().unwrap_or_default().into_iter().map(|fault| fault.key).collect()
    }

    /// Returns sums with taxes, and with wages that counted for Social Security.
    fn with_taxes(mut sums: YearSums, wages: i64, all: &[(&str, i64)]) -> YearSums {
        sums.taxes.clear();
        let id = TaxId::of_employee("US_SS");
        sums.add_tax(&id, [wages * DOLLAR; 2], 0);
        for (code, dollars) in all {
            sums.add_tax(&TaxId::of_employee(*code), [0; 2], dollars * DOLLAR);
        }
        sums
    }

    #[test]
    fn figures_of_a_year_that_contradict_each_other_are_named() {
        let whole = YearSums { gross: 50_000 * DOLLAR, net: 40_000 * DOLLAR, ..YearSums::default() };
        let whole = with_taxes(whole, 50_000, &[("US_FIT", 4_000), ("US_SS", 3_100)]);
        assert_eq!(keys(&whole), Vec::<String>::new());
        assert_eq!(keys(&YearSums { net: 50_001 * DOLLAR, ..whole.clone() }), ["wages"]);
        let more = with_taxes(whole.clone(), 50_000, &[("US_FIT", 50_001)]);
        assert_eq!(keys(&more), ["taxes"]);
        let benefits = BTreeMap::from([(Uuid::nil(), (5, 43_000 * DOLLAR, 0))]);
        assert_eq!(keys(&YearSums { benefits, ..whole.clone() }), ["wages"]);
        // If gross pay was not given, nothing is compared with it.
        assert_eq!(keys(&YearSums { gross: 0, ..more }), Vec::<String>::new());
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
