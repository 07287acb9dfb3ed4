use jiff::civil::date;

use super::*;
use crate::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use crate::explain::{NoTrace, Recorder, evaluator};
use crate::payroll::sample::{Chance, biweekly_payroll, by_the_hour, every_garnishment, parse_amount};
use crate::payroll::{FixedKind, FixedPay, Payroll, TimeOff, calculate_paycheck};
use crate::taxes::{BaseTable, Facts, Opened, Share, TaxId, TaxTable, insurance};

/// Returns the employee's programs of a state, with nothing set.
fn programmes(state: &str) -> Arc<Situation> {
    let mut facts = Facts::new(date(2026, 6, 19), parse_amount("184500"), BaseTable::built_in());
    facts.sizes.insert(state.to_owned(), 60);
    Arc::new(Situation::new([insurance::due_programs(
        TaxTable::insurance(),
        &facts,
        &[(state, Share::ALL)],
        state,
    )]))
}

fn of_state(state: &str) -> OtherTaxes {
    OtherTaxes { situation: programmes(state), ..OtherTaxes::default() }
}

#[test]
fn californias_insurance_is_withheld_from_gross_pay_and_leaves_net_and_disposable_pay() {
    let orders = every_garnishment();
    let payroll: Payroll<'static> = biweekly_payroll();
    let mut employee = Chance(7).employee(&orders);
    employee.other_taxes = of_state("CA");
    employee.benefits.clear();
    employee.garnishments.clear();
    let mut recorder = Recorder::default();
    let with = calculate_paycheck(&mut recorder, &payroll, &employee).unwrap();
    employee.other_taxes = OtherTaxes::default();
    let without = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap();
    let sdi = with.other_taxes.iter().find(|tax| tax.of_employee).unwrap().sums;
    assert!(sdi.amount > Amount::ZERO);
    assert_eq!(sdi.amount, super::super::taxes::percent_of(with.gross, parse_amount("1.3")).unwrap());
    assert_eq!(without.net.checked_sub(with.net).unwrap(), sdi.amount);
    let figures = recorder.finish();
    for figure in &figures {
        evaluator::check(&figure.to_json()).unwrap();
    }
    let all = figures.iter().map(|figure| figure.to_json().to_string()).collect::<String>();
    assert!(all.contains("\"CA_SDI\""), "{all}");
}

#[test]
fn a_tax_by_the_hour_is_due_on_a_salary_whose_hours_nobody_knows() {
    let payroll = biweekly_payroll();
    let taxed = |change: &dyn Fn(&mut Job)| {
        let mut employee = by_the_hour("0", "0");
        employee.other_taxes = of_state("OR");
        let job = &mut employee.jobs[0];
        let terms =
            PayTerms { rate: parse_amount("52000"), unit: PaymentUnit::Year, flsa: FlsaStatus::Exempt };
        job.compensations[0].terms = terms;
        job.worked.clear();
        change(job);
        let found = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap();
        let dues = employee.other_taxes.situation.due_taxes();
        let place = dues.iter().position(|due| due.code == "OR_WBF_EE").unwrap();
        found.other_taxes[place].sums.amount.to_text(2)
    };
    // 80 hours of two weeks at 0.9 cents; 40 hours of one week; 72 hours with a day off; and known hours.
    assert_eq!(taxed(&|_| ()), "0.72");
    assert_eq!(taxed(&|job| job.hired = date(2026, 6, 8)), "0.36");
    assert_eq!(taxed(&|job| job.time_off = vec![TimeOff::new(parse_amount("8"), Amount::ZERO)]), "0.65");
    let worked = by_the_hour("0", "50").jobs[0].worked.clone();
    assert_eq!(taxed(&|job| job.worked.clone_from(&worked)), "0.45");
    assert_eq!(taxed(&|job| job.compensations[0].terms.rate = Amount::ZERO), "0.00");
    assert_eq!(taxed(&|job| job.compensations[0].terms.flsa = FlsaStatus::Owner), "0.00");
}

#[test]
fn sums_of_the_paycheck_hold_every_line_and_net_pay_is_never_below_zero() {
    let orders = every_garnishment();
    let mut chance = Chance(2026);
    for state in ["CA", "NY", "NJ", "WA", "CO", "OR", "RI", "CT", "MA", "HI", "AK", "PA"] {
        let situation = programmes(state);
        let mut before = Vec::new();
        for _ in 0..200 {
            let payroll = chance.payroll();
            let mut employee = chance.employee(&orders);
            employee.other_taxes = OtherTaxes { situation: Arc::clone(&situation), before, hours: None };
            let found = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap();
            let deducted = found.benefits.iter().map(|line| line.employee_deduction);
            let taken = found.garnishments.iter().map(|line| line.amount);
            let less = deducted.chain(taken).chain([found.cash_tips, found.taxes_of_employee().unwrap()]);
            let net = less.fold(found.gross, |left, one| left.checked_sub(one).unwrap());
            assert_eq!(net, found.net, "{state}");
            assert!(found.net >= Amount::ZERO, "{state}");
            before = found.other_taxes.iter().map(|line| line.after.clone()).collect();
        }
        assert!(before.iter().any(|to_date| to_date.year.amount > Amount::ZERO), "{state}");
    }
}

#[test]
fn what_cannot_be_worked_out_is_a_warning_that_names_it() {
    let orders = every_garnishment();
    let mut employee = Chance(11).employee(&orders);
    let mut facts = Facts::new(date(2026, 6, 19), parse_amount("184500"), BaseTable::built_in());
    facts.sizes.insert("NV".to_owned(), 60);
    let found = insurance::due_programs(TaxTable::insurance(), &facts, &[("NV", Share::ALL)], "NV");
    employee.other_taxes =
        OtherTaxes { situation: Arc::new(Situation::new([found])), ..OtherTaxes::default() };
    let warnings = calculate_paycheck(&mut NoTrace, &biweekly_payroll(), &employee).unwrap().warnings;
    let of_programme = warnings.iter().find(|warning| warning.key() == "tax_not_worked_out").unwrap();
    assert!(of_programme.message().contains("confirm it"), "{}", of_programme.message());
}

#[test]
fn pay_that_does_not_reach_is_never_overdrawn_and_the_rest_counts_as_not_collected() {
    let orders = every_garnishment();
    let payroll = biweekly_payroll();
    let mut employee = Chance(3).employee(&orders);
    employee.other_taxes = of_state("NY");
    // Tips that the employee already has leave little pay to take taxes from.
    employee.fixed = vec![FixedPay::new(FixedKind::CashTips, 0, parse_amount("90000"))];
    employee.garnishments.clear();
    let found = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap();
    assert!(found.net >= Amount::ZERO);
    assert!(found.warnings.iter().any(|warning| warning.key() == "taxes_not_collected"));
    let pfl = found.other_taxes.iter().filter(|tax| tax.of_employee);
    assert!(pfl.into_iter().all(|tax| tax.after.year.amount == tax.sums.amount));
}

#[test]
fn lines_of_one_row_have_names_of_their_own() {
    let situation = programmes("CO");
    let due = situation.due_taxes().iter().find(|due| due.code == "CO_FAMLI").unwrap();
    let named = |code: &str| {
        let mut due = due.clone();
        code.clone_into(&mut due.code);
        due.name()
    };
    assert_eq!(named("CO_FAMLI"), "CO FAMLI");
    assert_eq!(named("CO_FAMLI_BORNE"), "CO FAMLI (borne)");
    assert_eq!(named("CO_FAMLI_RESIDENCE"), "CO FAMLI (residence)");
}

#[test]
fn a_weekly_limit_is_reached_once_in_a_pay_period_however_many_paychecks_it_has() {
    let orders = every_garnishment();
    let payroll = biweekly_payroll();
    let mut employee = Chance(5).employee(&orders);
    employee.other_taxes = of_state("NY");
    employee.fixed = vec![FixedPay::new(FixedKind::Bonus, 0, parse_amount("1000"))];
    let place =
        employee.other_taxes.situation.due_taxes().iter().position(|due| due.code == "NY_DBL").unwrap();
    // WCL 209(3): half a percent, at most 0.60 a week.
    let first = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap().other_taxes;
    assert_eq!(first[place].sums.amount, parse_amount("1.20"));
    let mut before: Vec<ToDate> = first.iter().map(|line| line.after.clone()).collect();
    employee.other_taxes.before.clone_from(&before);
    let next_period = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap().other_taxes;
    assert_eq!(
        next_period[place].sums.amount,
        parse_amount("1.20"),
        "what another period took does not count"
    );
    before[place].period = Sums { whole: parse_amount("0.70"), ..Sums::default() };
    employee.other_taxes.before = before;
    let second = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap().other_taxes;
    assert_eq!(second[place].sums.amount, parse_amount("0.50"));
    assert_eq!(second[place].after.period, Sums::default(), "it is told for a paycheck, and not carried on");
}

#[test]
fn wages_that_were_paid_before_count_towards_the_wage_bases_of_states_programmes() {
    let orders = every_garnishment();
    let payroll = biweekly_payroll();
    let mut employee = Chance(5).employee(&orders);
    employee.fixed = vec![FixedPay::new(FixedKind::Bonus, 0, parse_amount("4000"))];
    let mut line = |code: &str, opened: &Opened| {
        let situation = programmes(code.split('_').next().unwrap());
        let place = situation.due_taxes().iter().position(|due| due.code == code).unwrap();
        let before = situation.to_dates(|due| opened.opening_amounts(due));
        employee.other_taxes = OtherTaxes { situation, before, hours: None };
        calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap().other_taxes[place].clone()
    };
    let told = |wages: &str, taxes: &[(&str, &str)]| Opened {
        wages: parse_amount(wages),
        taxes: taxes.iter().map(|(code, taken)| (TaxId::of_employee(*code), parse_amount(taken))).collect(),
    };
    for code in ["WA_PFML", "CO_FAMLI", "CT_PFML", "MA_PFML_FAM", "MA_PFML_MED"] {
        assert_eq!(line(code, &told("184500", &[])).sums.amount, Amount::ZERO, "{code}");
        assert_eq!(line(code, &told("184000", &[])).sums.taxable, parse_amount("500"), "{code}");
        assert!(line(code, &Opened::default()).sums.taxable > parse_amount("500"), "{code}");
    }
    // The limit of the tax itself is reached by the tax on those wages, or by the amount reported under its code; nothing is found by a label.
    assert_eq!(
        line("NY_PFL", &told("184500", &[])).sums.amount,
        Amount::ZERO,
        "0.432 % of 95,350 are 411.91"
    );
    let found = line("NY_PFL", &told("184500", &[("NY_PFL", "410.91")]));
    assert_eq!((found.sums.amount, found.after.year.amount), (parse_amount("1"), parse_amount("411.91")));
    let by_label = line("NY_PFL", &told("184500", &[("NY PFL", "410.91")]));
    assert_eq!(by_label, line("NY_PFL", &told("184500", &[])));
}
