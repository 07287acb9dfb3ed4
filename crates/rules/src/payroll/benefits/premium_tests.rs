//! Premiums of insurance that paychecks do not deduct.

use super::*;

/// Returns what a record deducts and leaves missed of a pay period with this pay left for it.
fn premium(missed: Option<&str>, recovers: bool, room: &str, of_period: bool) -> [Option<String>; 2] {
    let record = Benefit { missed: missed.map(amount), recovers, ..benefit(1, dollars("100", "0")) };
    let pay = Pay { room: amount(room), of_period, ..pay() };
    let line = lines(&[record], &pay, &[]).remove(0);
    [Some(line.employee_deduction.to_text(2)), line.missed.map(|left| left.to_text(2))]
}

#[test]
fn a_premium_that_the_pay_does_not_cover_is_open_until_later_paychecks_recover_it() {
    let told = |deducted: &str, left: Option<&str>| [Some(deducted.to_owned()), left.map(str::to_owned)];
    assert_eq!(premium(None, false, "2000", true), told("100.00", None));
    assert_eq!(premium(None, false, "30", true), told("30.00", Some("70.00")));
    assert_eq!(premium(Some("70"), false, "0", true), told("0.00", Some("170.00")));
    // Nothing is recovered unless the company asks for it, and then no more than a second premium at once.
    assert_eq!(premium(Some("170"), false, "2000", true), told("100.00", Some("170.00")));
    assert_eq!(premium(Some("170"), true, "2000", true), told("200.00", Some("70.00")));
    assert_eq!(premium(Some("70"), true, "2000", true), told("170.00", Some("0.00")));
    assert_eq!(premium(Some("0"), true, "2000", true), told("100.00", Some("0.00")));
    assert_eq!(premium(Some("70"), true, "150", true), told("150.00", Some("20.00")));
    // A bonus is not the payroll of a pay period.
    assert_eq!(premium(Some("70"), true, "2000", false), told("100.00", Some("70.00")));
    assert_eq!(premium(None, false, "30", false), told("30.00", None));
}

#[test]
fn only_premiums_of_insurance_are_missed_and_only_what_limits_of_the_benefit_leave() {
    let broke = Pay { room: Amount::ZERO, ..pay() };
    let missed =
        |code, terms: &BenefitElection| lines(&[benefit(code, terms.clone())], &broke, &[])[0].missed;
    let hundred = dollars("100", "0");
    for kind in kind::ALL {
        let insures = matches!(kind.code, 1..=3 | 107 | 991..=993 | 996..=1001);
        let code = u32::try_from(kind.code).unwrap();
        assert_eq!(missed(code, &hundred).is_some(), insures, "{}", kind.name);
    }
    let at_most = BenefitElection { deduction_annual_maximum: Some(amount("60")), ..hundred };
    assert_eq!(missed(1, &at_most), Some(amount("60")));
    assert_eq!(missed(1, &percent("5", "0")), Some(amount("100")));
}

proptest! {
    /// What a year of paychecks deducts, and what is open at its end, is what was due.
    #[test]
    fn what_is_deducted_and_what_stays_open_come_to_the_premiums_due(
        rooms in prop::collection::vec((0i64..40_000, any::<bool>()), 1..26),
        recovers: bool,
    ) {
        let (mut open, mut deducted) = (None, 0);
        let mut due = 0;
        for (room, of_period) in rooms {
            let record = Benefit { missed: open, recovers, ..benefit(1, dollars("100", "0")) };
            let pay = Pay { room: Amount::from_cents(room), of_period, ..pay() };
            let line = lines(&[record], &pay, &[]).remove(0);
            if of_period {
                due += 10_000;
                deducted += line.employee_deduction.cents_half_up();
            }
            prop_assert!(line.employee_deduction <= Amount::from_cents(room.min(20_000)));
            open = line.missed;
        }
        prop_assert_eq!(deducted + open.unwrap_or_default().cents_half_up(), due);
    }
}
