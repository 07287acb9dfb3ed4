//! How an estimate comes about, from what is kept with it.

use jiff::tz::TimeZone;
use rules::Named;
use rules::explain::Recorder;
use rules::salary::{Alternative, Basis, Occupation, Wage};
use rules::{Amount, Rounding};

use super::rows::Estimate;
use super::view::moment;
use crate::salary::estimates::shapes::{
    EstimateAlternative, EstimateArea, EstimateStatistics, ExplainedOccupation, RevenueComparison,
    SalaryEstimateExplanation,
};

/// Who publishes the statistics.
pub const SOURCE: &str = "Occupational Employment and Wage Statistics, U.S. Bureau of Labor Statistics";
/// How the result is rounded.
pub const ROUNDING: &str = "once, to the cent, half up";

/// The explanation; `None` only for an estimate that could not have been made.
pub fn explanation(estimate: &Estimate, zone: &TimeZone) -> Option<SalaryEstimateExplanation> {
    let basis = &estimate.basis;
    let mut recorder = Recorder::default();
    let result = basis.explain(&mut recorder)?;
    let occupations = basis.occupations.iter().enumerate();
    Some(SalaryEstimateExplanation {
        uuid: estimate.id,
        employee_uuid: estimate.employee,
        zip_code: estimate.zip_code.clone(),
        result: estimate.result.cents_half_up(),
        accepted_at: estimate.accepted_at.map(|at| moment(at, zone)),
        statistics: EstimateStatistics {
            source: SOURCE,
            vintage: basis.vintage.clone(),
            checksum: basis.checksum.clone(),
        },
        occupations: occupations
            .map(|(place, one)| occupation(basis, place, one, result))
            .collect::<Option<Vec<_>>>()?,
        rounding: ROUNDING,
        annual_net_revenue: estimate.revenue.and_then(|revenue| comparison(result, revenue)),
        calculation: recorder.finish().first()?.to_json(),
    })
}

fn occupation(basis: &Basis, place: usize, one: &Occupation, result: Amount) -> Option<ExplainedOccupation> {
    let finding = one.wage_at(one.level)?;
    let area = &basis.areas[finding.area];
    let [lower, higher] = basis.sensitivity(place).map(|other| other.map(|other| alternative(other, result)));
    Some(ExplainedOccupation {
        code: one.code.clone(),
        name: one.name.clone(),
        published_as: one.published_as.clone(),
        experience_level: one.level.as_str(),
        percentile: one.level.percentile(),
        area: EstimateArea { code: area.code.clone(), name: area.name.clone(), kind: area.kind.as_str() },
        why: basis.why(one, finding),
        wage_basis: match finding.wage {
            Wage::Yearly(_) => "yearly",
            Wage::Hourly(_) => "hourly",
            Wage::AtLeast => "floor",
        },
        yearly_wage: finding.wage.yearly(basis.floor).to_text(2),
        time_percentage: one.share.to_text(1),
        product: one.product_text(finding.wage, basis.floor),
        lower,
        higher,
    })
}

fn alternative(other: Alternative, result: Amount) -> EstimateAlternative {
    let cents = other.result.cents_half_up();
    EstimateAlternative {
        experience_level: other.level.as_str(),
        result: cents,
        difference: cents - result.cents_half_up(),
    }
}

fn comparison(result: Amount, revenue: Amount) -> Option<RevenueComparison> {
    // Ten-thousandths of the revenue, as if they were cents of a hundredth: four places.
    let part = Amount::from_cents_ratio(
        i128::from(result.millionths()) * 10_000,
        i128::from(revenue.millionths()),
        Rounding::HalfUp,
    )?;
    let part = part.mul_ratio(1, 100, Rounding::HalfUp)?;
    Some(RevenueComparison { amount: revenue.to_text(2), part: part.to_text(4), exceeded: result > revenue })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_told_as_a_part_of_the_net_revenue() {
        let of = |result: i64, revenue: i64| {
            let told = comparison(Amount::from_cents(result), Amount::from_cents(revenue)).unwrap();
            (told.part, told.exceeded)
        };
        assert_eq!(of(13_598_000, 50_000_000), ("0.2720".to_owned(), false));
        assert_eq!(of(100, 100), ("1.0000".to_owned(), false));
        assert_eq!(of(300, 200), ("1.5000".to_owned(), true));
        assert_eq!(of(1, 3), ("0.3333".to_owned(), false));
    }
}
