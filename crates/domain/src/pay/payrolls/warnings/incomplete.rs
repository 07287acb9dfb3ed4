//! Entries that are incomplete or pay nothing: a tipped job without tips or, in Massachusetts, without the tips of each shift, and regular
//! hours of a salaried job in a payroll that pays no salaries.

use rules::Amount;
use rules::compensation::PaymentUnit;
use rules::payroll::{FixedKind as PaidAs, Job};

use crate::pay::payrolls::calculation::inputs::PaycheckInputs;
use crate::pay::payrolls::paid::Warning;
use crate::pay::payrolls::rows::Payroll;
use crate::pay::payrolls::warnings::texts::{HOURS_OF_SALARY, NO_TIPS, TIPS_BY_SHIFT};

/// Returns warnings about such entries.
pub(in crate::pay::payrolls) fn warnings(inputs: &PaycheckInputs, payroll: &Payroll) -> Vec<Warning> {
    let has_tips = |place: usize| {
        let mut of_job = inputs.fixed.iter().filter(|line| line.pay.job == place);
        of_job.any(|line| matches!(line.pay.kind, PaidAs::PaycheckTips | PaidAs::CashTips))
    };
    let worked = || inputs.jobs.iter().enumerate().filter(|(_, job)| has_hours(job));
    let without_tips = worked().filter(|(place, _)| !has_tips(*place)).find_map(|(_, job)| below_floor(job));
    let pays_salaries = payroll.pays_wages_of_its_days();
    let unpaid = !pays_salaries && inputs.jobs.iter().any(has_regular_hours_of_salary);
    let with_credit = |job: &Job| {
        job.compensations.iter().flat_map(|one| &one.floors).any(|floor| floor.tip_credit > Amount::ZERO)
    };
    let credits =
        worked().any(|(place, job)| has_tips(place) && below_floor(job).is_some() && with_credit(job));
    let by_shift = credits && inputs.circumstances.work.iter().any(|at| at.state == "MA");
    let warnings = [without_tips.map(no_tips), unpaid.then(hours_of_salary), by_shift.then(tips_by_shift)];
    warnings.into_iter().flatten().collect()
}

fn has_hours(job: &Job) -> bool {
    let mut worked = job.worked.iter().chain(&job.by_week);
    worked.any(|one| one.hours().is_none_or(|hours| hours > Amount::ZERO))
}

/// Returns the rate of a tipped job and the minimum wage that its pay is raised to; `None` if its rate is not below that wage.
fn below_floor(job: &Job) -> Option<(Amount, Amount)> {
    let by_hour = job.compensations.iter().filter(|one| one.terms.unit == PaymentUnit::Hour);
    let mut floors =
        by_hour.flat_map(|one| one.floors.iter().map(|floor| (one.terms.rate, floor.minimum_wage)));
    floors.find(|(rate, minimum_wage)| rate < minimum_wage)
}

fn has_regular_hours_of_salary(job: &Job) -> bool {
    let salaried = job.compensations.last().is_some_and(|last| last.terms.is_salary());
    salaried && job.worked.iter().chain(&job.by_week).any(|one| one.regular > Amount::ZERO)
}

fn no_tips((rate, minimum_wage): (Amount, Amount)) -> Warning {
    NO_TIPS.warning(&[("rate", &rate.to_text(2)), ("wage", &minimum_wage.to_text(2))])
}

fn tips_by_shift() -> Warning {
    TIPS_BY_SHIFT.warning(&[])
}

fn hours_of_salary() -> Warning {
    HOURS_OF_SALARY.warning(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_told_in_spanish_too() {
        use crate::language::Language;

        let no_tips = no_tips((Amount::from_cents(213), Amount::from_cents(725)));
        let (text, language) = no_tips.in_language(Language::Spanish);
        assert!(language == Language::Spanish && text.contains("2.13") && text.contains("7.25"), "{text}");
        assert_eq!(hours_of_salary().in_language(Language::Spanish).1, Language::Spanish);
        assert_eq!(tips_by_shift().in_language(Language::Spanish).1, Language::Spanish);
    }
}
