//! Explanations of estimates, from the stored basis.

use rules::explain::{Node, Recorder};
use rules::salary::{Alternative, Area, Basis, Occupation, Wage};
use rules::{Amount, Rounding};

use super::rows::Estimate;

/// Publisher of the statistics.
pub const SOURCE: &str = "Occupational Employment and Wage Statistics, U.S. Bureau of Labor Statistics";
/// Rounding of the result.
pub const ROUNDING: &str = "once, to the cent, half up";

/// How an estimate was calculated.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// dollars per year
    pub result: Amount,
    /// in the order of the request
    pub occupations: Vec<ExplainedOccupation>,
    /// the net revenue compared with the result, if it is known
    pub revenue: Option<RevenueComparison>,
    /// every figure with the figures it is calculated from
    pub calculation: Node,
}

/// How an occupation counts.
#[derive(Debug, Clone)]
pub struct ExplainedOccupation {
    /// the occupation
    pub occupation: Occupation,
    /// the area whose wage is used
    pub area: Area,
    /// the wage as published
    pub wage: Wage,
    /// dollars per year
    pub yearly_wage: Amount,
    /// yearly wage times share of time, exact decimal text
    pub product: String,
    /// why this wage of this area is used
    pub reason: String,
    /// the result one level lower
    pub lower: Option<Alternative>,
    /// the result one level higher
    pub higher: Option<Alternative>,
}

/// The net revenue compared with the result.
#[derive(Debug, Clone, Copy)]
pub struct RevenueComparison {
    /// dollars per year
    pub revenue: Amount,
    /// result divided by revenue, rounded half up to four places
    pub ratio: Amount,
    /// whether the result exceeds the revenue
    pub exceeded: bool,
}

/// Explains an estimate; `None` only if its basis gives no result.
pub fn explain_estimate(estimate: &Estimate) -> Option<Explanation> {
    let basis = &estimate.basis;
    let mut recorder = Recorder::default();
    let result = basis.explain_estimate(&mut recorder)?;
    let occupations = basis.occupations.iter().enumerate();
    Some(Explanation {
        result,
        occupations: occupations
            .map(|(place, one)| explain_occupation(basis, place, one))
            .collect::<Option<_>>()?,
        revenue: estimate.revenue.and_then(|revenue| compare_with_revenue(result, revenue)),
        calculation: recorder.finish().into_iter().next()?,
    })
}

fn explain_occupation(basis: &Basis, place: usize, occupation: &Occupation) -> Option<ExplainedOccupation> {
    let finding = occupation.wage_at(occupation.level)?;
    let [lower, higher] = basis.alternative_estimates(place);
    Some(ExplainedOccupation {
        occupation: occupation.clone(),
        area: basis.areas[finding.area].clone(),
        wage: finding.wage,
        yearly_wage: finding.wage.dollars_per_year(basis.floor),
        product: occupation.product_text(finding.wage, basis.floor),
        reason: basis.reason_for_wage(occupation, finding),
        lower,
        higher,
    })
}

fn compare_with_revenue(result: Amount, revenue: Amount) -> Option<RevenueComparison> {
    // In ten-thousandths of the revenue: four places.
    let ratio = Amount::from_cents_ratio(
        i128::from(result.millionths()) * 10_000,
        i128::from(revenue.millionths()),
        Rounding::HalfUp,
    )?;
    let ratio = ratio.mul_ratio(1, 100, Rounding::HalfUp)?;
    Some(RevenueComparison { revenue, ratio, exceeded: result > revenue })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_compared_with_the_net_revenue() {
        let of = |result: i64, revenue: i64| {
            let compared =
                compare_with_revenue(Amount::from_cents(result), Amount::from_cents(revenue)).unwrap();
            (compared.ratio.to_text(4), compared.exceeded)
        };
        assert_eq!(of(13_598_000, 50_000_000), ("0.2720".to_owned(), false));
        assert_eq!(of(100, 100), ("1.0000".to_owned(), false));
        assert_eq!(of(300, 200), ("1.5000".to_owned(), true));
        assert_eq!(of(1, 3), ("0.3333".to_owned(), false));
    }
}
