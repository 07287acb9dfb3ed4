use jiff::civil::date;
use proptest::prelude::*;

use super::choose::{Found, choose_row, distinct_codes};
use super::golden_tests::facts;
use super::*;
use crate::amount::Amount;
use crate::explain::{Recorder, evaluator};

/// Returns every tax in the built-in tables that yields a figure, with everything confirmed.
fn all() -> &'static Found {
    static ALL: std::sync::LazyLock<Found> = std::sync::LazyLock::new(found);
    &ALL
}

fn found() -> Found {
    let mut facts = facts(date(2026, 6, 12));
    let mut found = Found::default();
    for tax in TaxTable::insurance().iter().chain(TaxTable::built_in_local().iter()) {
        facts.sizes.insert(tax.jurisdiction.state.clone(), 100);
        facts.sizes.insert(tax.jurisdiction.place.clone(), 100);
        facts.payrolls.insert(tax.jurisdiction.place.clone(), Amount::from_cents(40_000_000));
        facts.payrolls.insert(tax.jurisdiction.state.clone(), Amount::from_cents(40_000_000));
        let setting = Setting {
            confirmed: true,
            class: Some(tax.class.clone()),
            filing: Some(Filing::Joint),
            exemptions: 2,
            ..Setting::default()
        };
        facts.settings.insert(tax.code.clone(), setting);
    }
    for tax in TaxTable::insurance().iter().chain(TaxTable::built_in_local().iter()) {
        let rows = std::slice::from_ref(tax);
        for code in distinct_codes(rows) {
            found.add_choice(choose_row(rows, code, &facts, Share::new(3, 4).unwrap()));
        }
    }
    found.unworked.clear();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_tax_is_below_zero_nor_beyond_its_cap_and_the_lines_add_up(
        cash in 0i64..3_000_000, tips in 0i64..100_000, deferral in 0i64..200_000, health in 0i64..50_000,
        periods in prop::sample::select(vec![12i64, 24, 26, 52]), so_far in 0i64..30_000_000,
    ) {
        let situation = Situation::new([all().clone()]);
        let cents = Amount::from_cents;
        let wages = Wages::of_cash(cents(cash)).with_tips(cents(tips))
            .with_item(Item::Deferral, cents(deferral)).with_item(Item::Section125Health, cents(health));
        let codes: Vec<String> =
            crate::check::STATES.iter().map(|(code, _)| (*code).to_owned()).collect();
        let states: Vec<StateResult<'_>> = codes.iter().map(|state| StateResult {
            state, wages: cents(cash), taxable: Some(cents(cash)), tax: cents(cash / 20), additional: cents(cash / 50),
        }).collect();
        let day = date(2026, 6, 12);
        let pay = Pay { periods, employer_periods: periods, states: &states, ..super::golden_tests::pay(day, wages) };
        let year = Sums { subject: cents(so_far), taxable: cents(so_far), whole: cents(so_far / 200), amount: cents(so_far / 200) };
        let before = situation.to_dates(|_| ToDate { last: Some(day), year, ..ToDate::default() });
        let outcome = situation.calculate_lines(&pay, &before);
        let (mut employee, mut employer) = (Amount::ZERO, Amount::ZERO);
        for line in &outcome.lines {
            let Sums { subject, taxable, whole, amount } = line.sums;
            prop_assert!(amount >= Amount::ZERO && amount <= whole, "{}", line.code());
            prop_assert!(Amount::ZERO <= taxable && taxable <= subject, "{}", line.code());
            if let Some((base, Span::Year)) = line.due.wage_base {
                let counted = line.after.year.taxable;
                prop_assert!(counted <= base.max(year.taxable), "{}", line.code());
            }
            if let Some((cap, Span::Year)) = line.due.tax.cap {
                prop_assert!(line.after.year.whole <= cap.max(year.whole), "{}", line.code());
            }
            prop_assert_eq!(line.after.year.amount, year.amount.checked_add(amount).unwrap());
            let sum = if line.payer() == Payer::Employee { &mut employee } else { &mut employer };
            *sum = sum.checked_add(amount).unwrap();
        }
        prop_assert_eq!((outcome.employee, outcome.employer), (employee, employer));
    }

    #[test]
    fn the_order_of_findings_changes_nothing(seed in any::<u64>(), cash in 0i64..3_000_000) {
        let mut dues = all().dues.clone();
        dues.sort_by_key(|due| due.code.bytes().fold(seed, |hash, byte| hash.rotate_left(5) ^ u64::from(byte).wrapping_mul(31)));
        let shuffled = Situation::new([Found { dues, unworked: Vec::new() }]);
        let sorted = Situation::new([all().clone()]);
        let pay = super::golden_tests::pay(date(2026, 6, 12), Wages::of_cash(Amount::from_cents(cash)));
        let figures = |situation: &Situation| -> Vec<(String, Sums)> {
            situation.calculate_lines(&pay, &[]).lines.iter().map(|line| (line.code().to_owned(), line.sums)).collect()
        };
        prop_assert!(!figures(&sorted).is_empty());
        prop_assert_eq!(figures(&shuffled), figures(&sorted));
    }

    #[test]
    fn every_line_can_be_worked_out_again(cash in 1i64..2_000_000, so_far in 0i64..20_000_000) {
        let facts = facts(date(2026, 6, 12));
        let mut facts = facts;
        facts.sizes.insert("WA".into(), 60);
        let situation = Situation::new(["WA", "NY", "PA", "OR"].map(|state| {
            insurance::due_programs(TaxTable::insurance(), &facts, &[(state, Share::ALL)], state)
        }));
        let day = date(2026, 6, 12);
        let year = Sums { subject: Amount::from_cents(so_far), taxable: Amount::from_cents(so_far), ..Sums::default() };
        let before = situation.to_dates(|_| ToDate { last: Some(day), year, ..ToDate::default() });
        let mut recorder = Recorder::default();
        let pay = super::golden_tests::pay(day, Wages::of_cash(Amount::from_cents(cash)));
        situation.calculate_taxes(&mut recorder, &pay, &before);
        for node in recorder.finish() {
            prop_assert!(evaluator::check(&node.to_json()).is_ok(), "{:?}", evaluator::check(&node.to_json()));
        }
    }
}
