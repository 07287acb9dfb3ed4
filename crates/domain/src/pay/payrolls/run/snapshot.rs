//! The inputs of paychecks, made of the records of members.
//!
//! Members of a payroll are read in batches of [`AT_ONCE`], with one statement per table for each batch. What follows from the records
//! needs no store, and is made where the paychecks are calculated.

use std::collections::{BTreeMap, HashMap};

use jiff::ToSpan;
use rules::Amount;
use rules::days::Days;
use rules::payroll::benefits::Benefit;
use rules::payroll::garnishment::{EarlierPay, ManualReason};
use rules::payroll::{FicaExemption, FixedKind as PaidAs, FixedPay, Job, TimeOff, YearToDate};
use rules::places::Certificate;
use rules::taxes::Circumstances;
use rules::wage_hour::FluctuatingWorkweekBar;
use rules::withholding::federal::W4;
use rules::withholding::state::Answer;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::calendar::employed_days::days_held;
use crate::pay::payrolls::calendar::members::Member;
use crate::pay::payrolls::facts::circumstances::answers;
use crate::pay::payrolls::facts::circumstances::workplaces::Worked;
use crate::pay::payrolls::facts::context::{Context, Workplace};
use crate::pay::payrolls::facts::member::{MemberFacts, days_employed};
use crate::pay::payrolls::facts::{circumstances, floors, form_w4, leave, paid_hours, payment};
use crate::pay::payrolls::record::entered::Entered;
use crate::pay::payrolls::record::hours::Hours;
use crate::pay::payrolls::record::kinds::{FixedKind, TimeOffKind};
use crate::pay::payrolls::record::paycheck_inputs::{
    CustomInput, FORMAT, FixedInput, GarnishmentInput, PaycheckInputs, StateInputs,
};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::sums::{Sums, YearSums};
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::record::{entered, texts};
use crate::pay::payrolls::run::records::{MemberRecords, StoredAnswers};
use crate::pay::payrolls::run::workweeks::{PaidWeeks, Workweeks};
use crate::pay::payrolls::run::{earlier_pay, workweeks};
use crate::pay::payrolls::warnings::{
    after_death, long_days, lump_sums, of_addresses_and_entries, open_places, residency,
};
use crate::people::employment::Employment;
use crate::withholding::taxes::rows::{FederalSettings, FederalTaxes};

/// Employees read at once.
pub const AT_ONCE: i64 = 500;

/// The inputs of a paycheck, with the sums of earlier payrolls that it builds on.
#[derive(Debug)]
pub struct Snapshot {
    /// the employee
    pub employee: Uuid,
    /// what the paycheck is calculated from
    pub inputs: PaycheckInputs,
    /// the sums before it
    pub sums: Sums,
}

/// Reads the inputs of some members' paychecks, in order of their ids. Excluded members are omitted.
pub fn read_paycheck_inputs(
    tx: &mut Tx<'_>,
    context: &Context,
    members: &[Member],
) -> Result<Vec<Snapshot>, Error> {
    MemberRecords::read(tx, context, members)?
        .map_or_else(|| Ok(Vec::new()), |records| of_members(context, records))
}

/// Returns the inputs of the members' paychecks, in their order. Excluded members are omitted.
///
/// # Errors
/// A record that this version cannot read.
pub fn of_members(context: &Context, mut records: MemberRecords) -> Result<Vec<Snapshot>, Error> {
    let members = std::mem::take(&mut records.members);
    let mut made = Vec::with_capacity(members.len());
    for member in &members {
        made.extend(of_member(context, &mut records, member)?);
    }
    Ok(made)
}

/// Returns the inputs of a member's paycheck; `None` for an excluded member.
fn of_member(
    context: &Context,
    records: &mut MemberRecords,
    listed: &Member,
) -> Result<Option<Snapshot>, Error> {
    let id = listed.id;
    let entry = records.entries.remove(&id);
    if entry.as_ref().is_some_and(|entry| entry.excluded) {
        return Ok(None);
    }
    let (version, entered) = entry.map_or_else(Default::default, |entry| (entry.version, entry.entered));
    let (pay, employment) = (records.jobs.remove(&id).unwrap_or_default(), records.employments.remove(&id));
    let (works, homes) = (records.works.remove(&id), records.homes.remove(&id));
    let granted = records.grants.grants_of(id, &pay);
    let member = MemberFacts {
        id,
        employed: days_employed(&context.payroll, &pay, employment.as_ref()),
        pay: &pay,
        employment: employment.as_ref(),
        works: works.as_deref().unwrap_or_default(),
        homes: homes.as_deref().unwrap_or_default(),
        entered: &entered.with_granted(&granted),
    };
    let (sums, of_opening) = sums_of(context, records, id);
    let certificates = Certificates {
        stored: records.answers.remove(&id).unwrap_or_default(),
        form: records.w4s.remove(&id),
    };
    let of_year = sums.years.get(&context.payroll.check_date.year());
    let mut taxed = tax_facts_of(context, &member, certificates, of_year)?;
    let (workplace, of_certificates) = (taxed.workplace, std::mem::take(&mut taxed.warnings));
    let mut inputs = of_records(context, records, &member, taxed);
    inputs.entry = version;
    inputs.holiday_hours = granted.holiday_hours;
    inputs.requested = granted.requested;
    add_missed_premiums(context, &mut inputs.benefits, &records.late_premiums, &sums);
    inputs.roth_catch_up = roth_catch_up(context, records.high_earners.get(&id).copied(), &sums);
    payment::add_payment(context, &mut inputs, listed, member.entered, records.plans.remove(&id));
    let paid_weeks = records.paid_weeks.remove(&id).unwrap_or_default();
    add_derived_inputs(context, &mut inputs, &member, workplace, &paid_weeks);
    add_earlier_pay(context, &mut inputs, &member, &sums);
    inputs.benefits_to_date.extend(records.elsewhere.remove(&id).unwrap_or_default());
    earlier_pay::add_same_period(&mut inputs, records.same_period.get(&id));
    inputs.warnings.extend(of_certificates.into_iter().chain(of_opening));
    inputs.warnings.extend(of_addresses_and_entries(context, &inputs, &member, &paid_weeks.days));
    let policies = records.leave.get(&id).map_or(&[] as &[_], Vec::as_slice);
    leave::add_leave_effects(context, &mut inputs, policies, member.entered, records.same_period.get(&id))?;
    add_warnings_of_payroll(context, &mut inputs, &member, &paid_weeks);
    Ok(Some(Snapshot { employee: id, inputs, sums }))
}

/// Returns the inputs that the records tell by themselves: without jobs, earlier pay and payment.
fn of_records(
    context: &Context,
    records: &mut MemberRecords,
    member: &MemberFacts<'_>,
    taxed: Taxed<'_>,
) -> PaycheckInputs {
    let MemberFacts { id, pay, entered, .. } = *member;
    let Taxed { state, circumstances, w4, settings, .. } = taxed;
    PaycheckInputs {
        format: FORMAT,
        entry: 0,
        jobs: Vec::with_capacity(pay.jobs.len()),
        tipped_occupations: BTreeMap::new(),
        fixed: Vec::new(),
        custom: Vec::new(),
        time_off: entered.time_off.iter().map(|line| line.kind).collect(),
        holiday_hours: Amount::ZERO,
        requested: Vec::new(),
        leave: Vec::new(),
        reimbursements: entered.reimbursements.iter().map(|one| one.amount).collect(),
        recurring: records.recurring.remove(&id).unwrap_or_default(),
        w4,
        nonresident_alien: settings.nonresident_alien,
        fica_exemption: settings.fica_exemption.filter(|one| one.is_open_to(&context.legal_form)),
        charitable_employer: context.legal_form.is_charitable(),
        after_death: None,
        state,
        circumstances,
        taxed_before: BTreeMap::new(),
        opened: None,
        supplied_taxes: supplied_taxes(entered),
        birth_date: records.births.get(&id).copied(),
        two_percent_shareholder: pay.primary_job().is_some_and(|job| job.two_percent_shareholder)
            && context.legal_form.may_be_s_corporation(),
        roth_catch_up: false,
        benefits: records.benefits.remove(&id).unwrap_or_default(),
        benefits_to_date: Vec::new(),
        garnishments: records.garnishments.remove(&id).unwrap_or_default(),
        earlier: EarlierPay::default(),
        garnishment_facts: None,
        overtime: None,
        year_to_date: YearToDate::default(),
        payment: None,
        warnings: record_warnings(context, records, id, settings.fica_exemption),
    }
}

/// Adds the warnings of hours beyond those of the workweeks, of lump sums, and of what is asked about the payment.
fn add_warnings_of_payroll(
    context: &Context,
    inputs: &mut PaycheckInputs,
    member: &MemberFacts<'_>,
    paid_weeks: &PaidWeeks,
) {
    let (payroll, earlier) = (&context.payroll, paid_weeks.regular);
    let beyond = long_days::beyond_workweeks(payroll, &inputs.jobs, member.entered, earlier);
    inputs.warnings.extend(beyond);
    inputs.warnings.extend(lump_sums::lump_sum_warnings(context, inputs));
    inputs.warnings.extend(payment_information(inputs, payroll));
}

/// The certificates on file for an employee.
struct Certificates {
    /// answers to the questions of states
    stored: StoredAnswers,
    /// Form W-4
    form: Option<FederalTaxes>,
}

/// The facts other than pay that determine an employee's taxes.
struct Taxed<'c> {
    workplace: Workplace<'c>,
    state: StateInputs,
    circumstances: Circumstances,
    w4: W4,
    settings: FederalSettings,
    /// warnings about certificates
    warnings: Vec<Warning>,
}

/// Determines these facts from the addresses, the applicable certificates, and the entered inputs.
fn tax_facts_of<'c>(
    context: &'c Context,
    member: &MemberFacts<'_>,
    Certificates { stored, form }: Certificates,
    of_year: Option<&YearSums>,
) -> Result<Taxed<'c>, Error> {
    let last_day = member.last_day(&context.payroll);
    let work = member.work_address_on(last_day);
    let workplace = context.workplace_at(work.map(|work| work.location));
    let state = workplace.place.map(|place| place.state.clone()).unwrap_or_default();
    let StoredAnswers { by_state, given_for } = stored;
    let mut answers = answers::by_state(context, by_state)?;
    let is_on_file = form.is_some();
    let warning = form.as_ref().and_then(|form| form_w4::exemption_warning(form, context.payroll.check_date));
    let home = member.home_on(last_day);
    let mut warnings: Vec<Warning> = warning.into_iter().collect();
    warnings.extend(residency::residency_warnings(home, (&answers, &given_for), context.payroll.check_date));
    let place = work.and_then(|work| context.places.get(&work.location));
    let worked = work.zip(place).map(|(work, place)| Worked::at_work_address(work, place, home));
    let certificate =
        Certificate::read_answers(|state, key| answers.get(state)?.get(key).cloned(), &given_for);
    warnings.extend(open_places::open_place_warnings(home, worked.as_ref(), &certificate));
    warnings.extend((!is_on_file).then(|| texts::NO_FORM_W4.to_warning(&[])));
    let (w4, settings) = form_w4::w4_and_settings_on(form, context.payroll.check_date);
    let nothing_visited = BTreeMap::new();
    let visited = of_year.map_or(&nothing_visited, |of_year| &of_year.visited);
    let exempt = answers::exempted_tax_codes(context, &answers);
    let salaries = context.tables.terms_of(&context.payroll).pays_salaries;
    let circumstances = context.circumstances_of(&circumstances::PersonFacts {
        works: member.works,
        homes: member.homes,
        employed: &member.employed,
        answers: &answers,
        given_for: &given_for,
        exempt: &exempt,
        w4: &w4,
        hours: &paid_hours::with_unentered(member, salaries),
        visited,
    });
    if is_on_file {
        answers::add_form(context, &w4, &circumstances, &mut answers);
    }
    warnings.extend(answers::missing_certificates(context, &circumstances, &answers));
    answers::add_local_rate(home, context.payroll.check_date, &given_for, &mut answers);
    let supplied = member.entered.state_income_tax;
    let state = state_inputs(state, answers, &circumstances, supplied);
    Ok(Taxed { workplace, state, circumstances, w4, settings, warnings })
}

/// Returns the sums of earlier payrolls of an employee, with opening balances completed by wages for federal unemployment tax if they have
/// none, and a warning where those are not certain.
fn sums_of(context: &Context, records: &mut MemberRecords, id: Uuid) -> (Sums, Option<Warning>) {
    let mut sums = records.sums.remove(&id).unwrap_or_default();
    let year = context.payroll.check_date.year();
    let base = context.tables.terms_of(&context.payroll).taxes.futa_base;
    let derived = sums.years.get_mut(&year).and_then(|of_year| {
        let counted = of_year.derive_futa_wages(base)?.to_text(2);
        let gross = of_year.gross.to_text(2);
        Some(texts::FUTA_WAGES_DERIVED.to_warning(&[
            ("year", &year),
            ("gross", &gross),
            ("counted", &counted),
        ]))
    });
    (sums, derived)
}

/// Adds the premiums that earlier paychecks did not deduct, and whether they are recovered.
fn add_missed_premiums(
    context: &Context,
    benefits: &mut [Benefit<Uuid>],
    late: &HashMap<Uuid, Amount>,
    sums: &Sums,
) {
    for benefit in benefits.iter_mut().filter(|one| one.kind.is_insurance()) {
        let counted = sums.missed_premiums.get(&benefit.record).copied();
        benefit.missed = counted.or_else(|| late.get(&benefit.record).copied());
        benefit.recovers = context.recovers_premiums && benefit.missed.is_some();
    }
}

/// Whether catch-up contributions have to be Roth contributions: by the decision for the year, otherwise by the Social Security wages
/// that this employer paid in the previous year.
fn roth_catch_up(context: &Context, decided: Option<bool>, sums: &Sums) -> bool {
    let year = context.payroll.check_date.year();
    let before = sums.years.get(&(year - 1)).map_or(Amount::ZERO, YearSums::social_security_wages);
    decided.unwrap_or_else(|| context.tables.held.roth_catch_up.requires_roth(year, before))
}

/// Adds inputs derived from jobs and work location.
fn add_derived_inputs(
    context: &Context,
    inputs: &mut PaycheckInputs,
    member: &MemberFacts<'_>,
    workplace: Workplace<'_>,
    paid_weeks: &PaidWeeks,
) {
    if !inputs.garnishments.is_empty() {
        inputs.garnishment_facts = Some(context.garnishment_facts(workplace.wages));
        inputs.warnings.extend(workplace.wages.overdue());
    }
    let weeks = Workweeks::from_entered(context, member.entered, paid_weeks);
    add_jobs(context, inputs, member, &weeks);
    add_amounts(context, inputs, member);
    workweeks::add_law(context, inputs, &weeks, &workplace.wages.at_end);
    context.excluded.add_excluded_pay(inputs, member, context.payroll.end);
    add_visited_wages(context, inputs);
    inputs.warnings.extend(context.tables.table_warnings(&context.payroll, inputs));
}

/// Adds the sums of earlier payrolls, and what garnishments ask for after them.
fn add_earlier_pay(
    context: &Context,
    inputs: &mut PaycheckInputs,
    MemberFacts { entered, employment, .. }: &MemberFacts<'_>,
    sums: &Sums,
) {
    let programs = &context.tables.held.state_programs;
    earlier_pay::add_sums(inputs, programs, sums, context.payroll.check_date.year());
    for one in &mut inputs.garnishments {
        let (asked, terms) = (entered.deduction_of(one), &mut one.garnishment.terms);
        let takes_all = terms.takes_all();
        // An employer's fee applies to the regular payment of a period.
        terms.employer_fee &= !context.payroll.off_cycle;
        terms.amount = asked.amount;
        terms.deduct_as_percentage = asked.percent;
        // As a levy's own amount, 0.00 means that it takes everything; as an entered amount, it means nothing is taken.
        if terms.takes_all() && !takes_all {
            terms.pay_period_maximum = Some(Amount::ZERO);
        }
    }
    after_death::drop_support_orders(
        inputs,
        employment.and_then(Employment::date_of_death),
        &context.payroll,
    );
}

/// Adds the pay period's wages to the year's wages in visited states, some of which exempt nonresidents up to an amount.
fn add_visited_wages(context: &Context, inputs: &mut PaycheckInputs) {
    if inputs.circumstances.visited.is_empty() {
        return;
    }
    let terms = context.tables.terms_of(&context.payroll);
    let gross = rules::payroll::calculate_gross(&terms, &inputs.to_rules_employee(&terms, &context.tables));
    let with_wages = gross
        .and_then(|gross| inputs.circumstances.clone().with_visited_wages(context.payroll.check_date, gross));
    // Pay that exceeds the largest amount is refused when the paycheck is calculated.
    if let Some(with_wages) = with_wages {
        inputs.circumstances = with_wages;
    }
}

/// Returns the inputs of state income taxes.
fn state_inputs(
    state: String,
    mut answers: BTreeMap<String, BTreeMap<String, Answer>>,
    circumstances: &Circumstances,
    supplied: Option<Amount>,
) -> StateInputs {
    let own = answers.remove(&state).unwrap_or_default();
    StateInputs { answers: own, elsewhere: answers_of_other_states(answers, circumstances), supplied, state }
}

/// Returns the answers for the other states in which the employee lives or works.
fn answers_of_other_states<T>(
    mut answers: BTreeMap<String, BTreeMap<String, T>>,
    circumstances: &Circumstances,
) -> BTreeMap<String, BTreeMap<String, T>> {
    let concerned = circumstances.states();
    answers.retain(|state, of_state| !of_state.is_empty() && concerned.contains(state.as_str()));
    answers
}

/// Returns the tax amounts that the partner supplied, by code.
fn supplied_taxes(entered: &Entered) -> BTreeMap<String, Amount> {
    entered.supplied_taxes.iter().map(|(code, dollars)| (code.clone(), *dollars)).collect()
}

/// Returns warnings about an employee's records that do not depend on the amounts paid.
fn record_warnings(
    context: &Context,
    records: &MemberRecords,
    id: Uuid,
    exemption: Option<FicaExemption>,
) -> Vec<Warning> {
    let owed = records.owed.get(&id).into_iter().flatten().cloned();
    let left_unpaid = records.left_unpaid.get(&id).into_iter().flatten().cloned();
    let late_wages = records.late_last_wages.get(&id).into_iter().flatten().cloned();
    let exemption = exemption.and_then(|one| exemption_not_applied(context, one));
    let no_ssn = records.without_ssn.contains(&id).then(|| texts::NO_SSN.to_warning(&[]));
    exemption.into_iter().chain(owed).chain(left_unpaid).chain(late_wages).chain(no_ssn).collect()
}

/// Warns about an exemption that the company's legal form does not allow.
fn exemption_not_applied(context: &Context, exemption: FicaExemption) -> Option<Warning> {
    let form = &context.legal_form;
    (!exemption.is_open_to(form)).then(|| {
        let (section, form) = (exemption.section(), form.name());
        texts::EXEMPTION_OF_LEGAL_FORM.to_warning(&[("section", &section), ("form", &form)])
    })
}

/// Warns about each order that the service cannot pay because a payment cannot name the case: the employer has to pay the agency.
fn payment_information(inputs: &PaycheckInputs, payroll: &Payroll) -> Vec<Warning> {
    let missing = |one: &&GarnishmentInput| {
        let goes_on = !one.garnishment.has_ended(payroll.check_date);
        goes_on && one.manual_reason(payroll.off_cycle) == Some(ManualReason::Information)
    };
    let warning = |one: &GarnishmentInput| {
        let reminder = ManualReason::Information.reminder();
        texts::PAYMENT_INFORMATION.to_warning(&[("name", &one.name), ("reminder", &reminder)])
    };
    inputs.garnishments.iter().filter(missing).map(warning).collect()
}

fn fluctuating_workweek_not_applied(bar: &FluctuatingWorkweekBar) -> Warning {
    texts::FLUCTUATING_WORKWEEK.to_warning(&[("state", &bar.state), ("section", &bar.section)])
}

/// Returns lines of hours off, with the rules of a work state.
fn hours_off(context: &Context, state: &str, lines: &[entered::TimeOff]) -> Vec<TimeOff> {
    let law = context.tables.held.sick_leave.edition_on(context.payroll.end).minimum_of_state(state);
    let sick_pay_has_floor = law.is_some_and(|law| law.at_minimum_wage.is_some());
    let line = |line: &entered::TimeOff| TimeOff {
        days: line.days.clone(),
        at_minimum_wage: sick_pay_has_floor && line.kind == TimeOffKind::Sick,
        unpaid: line.kind == TimeOffKind::Unpaid,
        ..TimeOff::new(line.hours_taken(), line.paid_out.unwrap_or(Amount::ZERO))
    };
    lines.iter().map(line).collect()
}

/// Adds the jobs that begin by the end of the pay period.
fn add_jobs(context: &Context, inputs: &mut PaycheckInputs, member: &MemberFacts<'_>, weeks: &Workweeks<'_>) {
    let MemberFacts { pay, employment, works, entered, .. } = *member;
    let Payroll { start, end, .. } = context.payroll;
    for (index, job) in pay.jobs.iter().filter(|job| job.hire_date <= end).enumerate() {
        let time_off = if index == 0 { entered.time_off.as_slice() } else { &[] };
        let days = Days { first: weeks.first_day, last: weeks.last_day };
        let hours: Vec<&Hours> = entered.hourly.iter().filter(|line| line.job == job.id).collect();
        let places = floors::Whereabouts { works, hours: &hours, days };
        let terms =
            floors::compensations_in_force(context, &mut inputs.warnings, pay.of_job(job.id), &places);
        let (compensations, later) = terms;
        if compensations.iter().any(|one| !one.floors.is_empty())
            && entered_by_period(entered, job.id, Days { first: start, last: end })
        {
            inputs.warnings.push(texts::MINIMUM_WAGE_OF_PERIOD.to_warning(&[]));
        }
        let days = days_held(&context.payroll, job.employment_dates(), employment);
        let bars = context.tables.held.fluctuating_workweek.edition_on(end);
        let barred = bars.bar_in_state(&inputs.state.state).filter(|_| job.fluctuating_workweek);
        inputs.warnings.extend(barred.map(fluctuating_workweek_not_applied));
        inputs.tipped_occupations.extend(job.tipped_occupation.clone().map(|code| (index, code)));
        inputs.jobs.push(Job {
            hired: days.from,
            left: days.until,
            away: days.away.first().copied(),
            away_again: days.away.get(1..).unwrap_or_default().to_vec(),
            worked: weeks.hours_as_entered(job.id, &compensations),
            by_week: weeks.by_week(job.id, &compensations),
            paid_before: weeks.paid_before(job.id, &compensations),
            agreed_overtime_rate: job.agreed_overtime_rate.is_some(),
            fluctuating_workweek: job.fluctuating_workweek && barred.is_none(),
            compensations,
            later,
            time_off: hours_off(context, &inputs.state.state, time_off),
        });
    }
}

/// Adds the amounts entered for jobs that begin by the end of the pay period; those of other jobs are not paid.
fn add_amounts(context: &Context, inputs: &mut PaycheckInputs, member: &MemberFacts<'_>) {
    let entered = member.entered;
    let begun = || member.pay.jobs.iter().filter(|job| job.hire_date <= context.payroll.end);
    inputs.fixed.extend(entered.fixed.iter().filter_map(|line| {
        let job = begun().position(|job| job.id == line.job)?;
        // What is taken back was paid as regular wages, and lowers those.
        let kind =
            if line.amount < Amount::ZERO { PaidAs::Wages } else { PaidAs::of_name(line.kind.as_str()) };
        let pay = FixedPay {
            // A correction of an earlier paycheck is not pay for work in this period.
            excluded: line.earned.discretionary
                || (line.kind == FixedKind::Correction && line.earned.earning_period().is_none()),
            earned: line.earned.earning_period(),
            ..FixedPay::new(kind, job, line.amount)
        };
        Some(FixedInput { name: line.kind, pay })
    }));
    let taken_back: i64 = inputs.fixed.iter().map(|line| line.pay.amount.millionths().min(0)).sum();
    if taken_back < 0 {
        let amount = Amount::from_millionths(-taken_back).to_text(2);
        inputs
            .warnings
            .push(texts::TAKEN_BACK.to_warning(&[("amount", &amount), ("state", &inputs.state.state)]));
    }
    inputs.custom.extend(entered.custom.iter().filter_map(|line| {
        let job = begun().position(|job| job.id == line.job)?;
        let pay = FixedPay {
            excluded: line.earned.discretionary || context.left_out.contains(&line.earning_type),
            earned: line.earned.earning_period(),
            ..FixedPay::new(PaidAs::Earnings, job, line.amount)
        };
        Some(CustomInput { earning_type: line.earning_type, name: line.name.clone(), pay })
    }));
}

/// Whether hours of a job were entered for a pay period longer than a workweek, without their workweeks.
fn entered_by_period(entered: &Entered, job: Uuid, Days { first: start, last: end }: Days) -> bool {
    let without_week = |line: &Hours| line.job == job && line.of_period() && line.hours > Amount::ZERO;
    start.saturating_add(6.days()) < end && entered.hourly.iter().any(without_week)
}
