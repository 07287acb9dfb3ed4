//! What earlier payrolls paid, as it counts for a paycheck: of the year, and of the same pay period.

use rules::Amount;
use rules::payroll::YearToDate;
use rules::payroll::benefits::BenefitToDate;
use rules::payroll::benefits::kind::GROUP_TERM_LIFE;
use rules::taxes::TaxTable;

use crate::pay::payrolls::facts::circumstances;
use crate::pay::payrolls::facts::same_period::EarlierInPeriod;
use crate::pay::payrolls::record::paycheck_inputs::{GarnishmentInput, PaycheckInputs};
use crate::pay::payrolls::record::sums::{Sums, YearSums};

/// Adds the results of earlier payrolls of the same pay period.
pub(in crate::pay::payrolls) fn add_same_period(
    inputs: &mut PaycheckInputs,
    earlier: Option<&EarlierInPeriod>,
) {
    let Some(earlier) = earlier else { return };
    inputs.earlier = earlier.pay;
    let imputed = earlier.imputed.iter().map(|(benefit, imputed)| BenefitToDate {
        imputed_in_period: *imputed,
        ..BenefitToDate::new(*benefit, GROUP_TERM_LIFE)
    });
    inputs.benefits_to_date.extend(imputed);
    for GarnishmentInput { garnishment, .. } in &mut inputs.garnishments {
        garnishment.withheld.period = earlier.garnishments.get(&garnishment.id).copied().unwrap_or_default();
    }
    for (id, counted) in &earlier.taxes {
        inputs.taxed_before.entry(id.code.clone()).or_default().period = *counted;
    }
}

/// Adds the sums of earlier payrolls.
pub(in crate::pay::payrolls) fn add_sums(
    inputs: &mut PaycheckInputs,
    programs: &TaxTable,
    sums: &Sums,
    year: i16,
) {
    if let Some(of_year) = sums.years.get(&year) {
        inputs.year_to_date = YearToDate {
            gross: of_year.gross,
            social_security_wages: of_year.social_security_wages(),
            medicare_wages: of_year.medicare_wages(),
            futa_wages: of_year.futa_wages(),
            supplemental_wages: of_year.supplemental_wages,
            fica_withheld: of_year.fica_withheld(),
            uncollected_social_security: of_year.uncollected_social_security,
            uncollected_medicare: of_year.uncollected_medicare,
        };
        inputs.taxed_before =
            circumstances::earlier_sums_by_tax(programs, of_year, inputs.circumstances.covering_state());
        inputs.opened = of_year.opening_totals();
        let benefits = of_year.benefits.iter();
        inputs.benefits_to_date = benefits
            .map(|(id, of)| BenefitToDate {
                deduction: of.deductions,
                contribution: of.contributions,
                left_out: of_year.left_out.get(id).copied().unwrap_or(Amount::ZERO),
                ..BenefitToDate::new(*id, of.code)
            })
            .collect();
    }
    // A week charged in the old year is not charged again in the new one, in which everything else starts at zero.
    let before = sums.years.get(&(year - 1)).into_iter().flat_map(YearSums::taxes_with_counted_wages);
    for (code, before) in before.filter(|(_, before)| !before.charged.is_empty()) {
        let of_code = inputs.taxed_before.entry(code.clone()).or_default();
        if of_code.charged.is_empty() {
            (of_code.through, of_code.charged) = (before.through, before.charged.clone());
        }
    }
    for GarnishmentInput { garnishment, still_owed, .. } in &mut inputs.garnishments {
        garnishment.withheld = sums.garnishment_to_date(garnishment.id, year);
        let most = still_owed.and_then(|owed| garnishment.withheld.total.checked_add(owed));
        let agreed = garnishment.terms.total_amount;
        garnishment.terms.total_amount =
            most.map(|most| agreed.map_or(most, |agreed| agreed.min(most))).or(agreed);
    }
}
