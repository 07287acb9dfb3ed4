//! Entries that are incomplete or pay nothing: a tipped job without tips or, in Massachusetts, without the tips of each shift, and regular
//! hours of a salaried job in a payroll that pays no salaries; and hours of a salaried job that leave its salary as it is.

use rules::Amount;
use rules::compensation::PaymentUnit;
use rules::payroll::{FixedKind as PaidAs, Job, deductible_hours};

use crate::pay::payrolls::entry::salaried;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::texts::{
    HOURS_BELOW_SALARY, HOURS_OF_SALARY, NO_TIPS, TIPS_BY_SHIFT, UNPAID_BEYOND_SALARY, UNPAID_PART_OF_DAY,
};
use crate::pay::payrolls::record::warning::Warning;

/// Returns warnings about such entries.
pub(in crate::pay::payrolls) fn incomplete_entry_warnings(
    inputs: &PaycheckInputs,
    payroll: &Payroll,
) -> Vec<Warning> {
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
    let of_salary = inputs.jobs.first().filter(|_| pays_salaries).into_iter();
    let of_salary = of_salary.flat_map(|primary| of_salaried(primary, payroll));
    warnings.into_iter().flatten().chain(of_salary).collect()
}

/// Returns warnings about hours of a salaried job that do not lower its salary: leave without pay of part of a day or beyond the salary,
/// and fewer hours than the salary is paid for.
fn of_salaried(job: &Job, payroll: &Payroll) -> Vec<Warning> {
    let Some(terms) = job.compensations.last().map(|last| last.terms).filter(|terms| terms.is_salary())
    else {
        return Vec::new();
    };
    let sum = |hours: &mut dyn Iterator<Item = Amount>| {
        Amount::from_millionths(hours.map(Amount::millionths).sum())
    };
    let unpaid = sum(&mut job.time_off.iter().filter(|off| off.unpaid).map(|off| off.hours));
    let off = sum(&mut job.time_off.iter().map(|off| off.hours));
    let worked = sum(&mut job.worked.iter().chain(&job.by_week).map(|one| one.regular));
    let (Some(deducted), Some(standard)) =
        (deductible_hours(job, &terms), salaried::of_days(payroll, &job.days_held()))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if deducted < unpaid {
        let kept = unpaid.millionths() - deducted.millionths();
        found.push(UNPAID_PART_OF_DAY.to_warning(&[("hours", &Amount::from_millionths(kept).to_text(3))]));
    }
    if deducted > standard {
        let beyond = Amount::from_millionths(deducted.millionths() - standard.millionths());
        found.push(UNPAID_BEYOND_SALARY.to_warning(&[("hours", &beyond.to_text(3))]));
    }
    let entered = Amount::from_millionths(worked.millionths() + off.millionths());
    if terms.stands_for_hours() && worked > Amount::ZERO && entered < standard {
        let (entered, standard) = (entered.to_text(3), standard.to_text(3));
        found.push(HOURS_BELOW_SALARY.to_warning(&[("entered", &entered), ("standard", &standard)]));
    }
    found
}

fn has_hours(job: &Job) -> bool {
    let mut worked = job.worked.iter().chain(&job.by_week);
    worked.any(|one| one.total_hours().is_none_or(|hours| hours > Amount::ZERO))
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
    NO_TIPS.to_warning(&[("rate", &rate.to_text(2)), ("wage", &minimum_wage.to_text(2))])
}

fn tips_by_shift() -> Warning {
    TIPS_BY_SHIFT.to_warning(&[])
}

fn hours_of_salary() -> Warning {
    HOURS_OF_SALARY.to_warning(&[])
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
