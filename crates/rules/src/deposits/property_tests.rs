//! Properties of the deposits of any pay days.

use proptest::prelude::*;

use super::*;

const SCHEDULES: [Schedule; 3] = [Schedule::Monthly, Schedule::Semiweekly, Schedule::Quarterly];

/// Generates pay days in two years, each with at most `most` cents.
fn pay_days(most: i64) -> impl Strategy<Value = BTreeMap<Date, i64>> {
    let first = date(2026, 1, 1);
    proptest::collection::btree_map(0..730_i64, 1..=most, 1..40).prop_map(move |days| {
        days.into_iter().map(|(n, cents)| (first.saturating_add(n.days()), cents)).collect()
    })
}

fn of(deposit: &Deposit, days: &BTreeMap<Date, i64>) -> i64 {
    days.range(deposit.first..=deposit.last).map(|(_, cents)| cents).sum()
}

/// Returns the days that are in no deposit.
fn left(found: &[Deposit], days: &BTreeMap<Date, i64>) -> BTreeMap<Date, i64> {
    let is_in = |day: &Date| found.iter().any(|one| (one.first..=one.last).contains(day));
    days.iter().filter(|(day, _)| !is_in(day)).map(|(day, cents)| (*day, *cents)).collect()
}

/// Checks that deposits do not overlap, begin and end with a pay day of one tax period, and are due on a business day after the last.
fn are_in_order(found: &[Deposit], form: Form, days: &BTreeMap<Date, i64>) -> Result<(), TestCaseError> {
    for one in found {
        prop_assert!(days.contains_key(&one.first) && days.contains_key(&one.last), "{:?}", one);
        prop_assert!(
            one.first <= one.last && one.last < one.due && business::is_business_day(one.due),
            "{:?}",
            one
        );
        prop_assert_eq!(
            (form.period_end(one.first), form.period_end(one.last)),
            (one.period_end, one.period_end)
        );
    }
    prop_assert!(found.windows(2).all(|pair| pair[0].last < pair[1].first), "{:?}", found);
    Ok(())
}

proptest! {
    #[test]
    fn each_pay_day_of_form_941_is_in_one_deposit(days in pay_days(12_000_000), schedule in 0..3_usize) {
        let stated = [(date(2026, 1, 1), Some(SCHEDULES[schedule]))];
        let found = group_withheld_taxes(Form::F941, &stated, Paid::no_deposits(), &days);
        are_in_order(&found, Form::F941, &days)?;
        prop_assert!(left(&found, &days).is_empty());
        prop_assert_eq!(found.iter().map(|one| of(one, &days)).sum::<i64>(), days.values().sum::<i64>());
        for one in &found {
            prop_assert_eq!(one.next_day, of(one, &days) >= NEXT_DAY_THRESHOLD_CENTS, "{:?}", one);
        }
    }

    #[test]
    fn what_form_944_leaves_to_the_return_is_less_than_2_500_dollars_of_a_year_or_of_its_fourth_quarter(
        days in prop_oneof![pay_days(20_000), pay_days(12_000_000)], schedule in 0..3_usize,
    ) {
        let schedule = SCHEDULES[schedule];
        let found = group_tax_deposits(&[(date(2026, 1, 1), Some(schedule))], Paid::no_deposits(), &days, &days);
        are_in_order(&found, Form::F944, &days)?;
        let left = left(&found, &days);
        for year in [2026, 2027] {
            let sum = |of: &BTreeMap<Date, i64>, from: i8, until: i8| -> i64 {
                of.iter().filter(|(day, _)| day.year() == year && (from..=until).contains(&day.month())).map(|(_, cents)| cents).sum()
            };
            let (whole, fourth) = (sum(&days, 1, 12), sum(&days, 10, 12));
            let to_return = if whole < FORM_944_DEPOSIT_THRESHOLD_CENTS && schedule != Schedule::Quarterly {
                whole
            } else if fourth < FORM_944_DEPOSIT_THRESHOLD_CENTS {
                fourth
            } else {
                0
            };
            prop_assert_eq!(sum(&left, 1, 12), to_return);
            prop_assert!(to_return < FORM_944_DEPOSIT_THRESHOLD_CENTS);
        }
    }

    #[test]
    fn what_was_deposited_before_changes_no_due_date_of_form_944(days in pay_days(90_000), made in 0..40_usize) {
        let stated = [(date(2026, 1, 1), Some(Schedule::Monthly))];
        let whole = group_tax_deposits(&stated, Paid::no_deposits(), &days, &days);
        // The first deposits have been made, and their days are no longer open.
        let gone = &whole[..made.min(whole.len())];
        let open: BTreeMap<Date, i64> = left(gone, &days);
        prop_assert_eq!(group_tax_deposits(&stated, Paid::no_deposits(), &days, &open), whole[gone.len()..].to_vec());
    }

    #[test]
    fn what_was_deposited_before_changes_no_due_date_of_form_941(
        days in pay_days(6_000_000), made in 0..40_usize, schedule in 0..2_usize,
    ) {
        let stated = [(date(2026, 1, 1), Some(SCHEDULES[schedule]))];
        let whole = group_withheld_taxes(Form::F941, &stated, Paid::no_deposits(), &days);
        let gone = &whole[..made.min(whole.len())];
        let open = left(gone, &days);
        let large: Vec<Date> = gone.iter().filter(|one| one.next_day).map(|one| one.last).collect();
        let made = days.iter().filter(|(day, _)| !open.contains_key(*day)).map(|(day, cents)| (*day, *cents)).collect();
        let found = group_withheld_taxes(Form::F941, &stated, Paid { large: &large, made: &made }, &open);
        prop_assert_eq!(found, whole[gone.len()..].to_vec());
    }

    #[test]
    fn what_form_940_leaves_to_the_return_is_500_dollars_of_a_year_at_most(days in pay_days(60_000)) {
        let found = group_unemployment_taxes(&days);
        are_in_order(&found, Form::F940, &days)?;
        prop_assert!(found.iter().all(|one| of(one, &days) > FUTA_CARRYOVER_CENTS));
        let left = left(&found, &days);
        for year in [2026, 2027] {
            let sum: i64 = left.iter().filter(|(day, _)| day.year() == year).map(|(_, cents)| cents).sum();
            prop_assert!(sum <= FUTA_CARRYOVER_CENTS, "{}", sum);
        }
    }
}
