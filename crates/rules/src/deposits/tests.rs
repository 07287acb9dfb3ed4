use super::*;

const ALWAYS: Date = date(2000, 1, 1);
const MONTHLY: [Stated; 1] = [(ALWAYS, Some(Schedule::Monthly))];
const SEMIWEEKLY: [Stated; 1] = [(ALWAYS, Some(Schedule::Semiweekly))];

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn days(list: &[(&str, i64)]) -> BTreeMap<Date, i64> {
    list.iter().map(|(text, dollars)| (day(text), dollars * 100)).collect()
}

/// Returns the first and last pay day and the due date of each deposit.
fn told(found: &[Deposit]) -> Vec<String> {
    found
        .iter()
        .map(|one| format!("{} {} {}{}", one.first, one.last, one.due, if one.next_day { "!" } else { "" }))
        .collect()
}

fn of_941(stated: &[Stated], list: &[(&str, i64)]) -> Vec<String> {
    told(&group_withheld_taxes(Form::F941, stated, Paid::no_deposits(), &days(list)))
}

#[test]
fn those_of_a_month_are_due_on_the_15th_of_the_next() {
    // Publication 15: Spruce Co. pays each Friday in May, and nobody in June. June 15, 2026, is a Monday.
    let may = [
        ("2026-05-01", 900),
        ("2026-05-08", 900),
        ("2026-05-15", 900),
        ("2026-05-22", 900),
        ("2026-05-29", 900),
    ];
    assert_eq!(of_941(&MONTHLY, &may), ["2026-05-01 2026-05-29 2026-06-15"]);
    // August 15, 2026, is a Saturday, and February 15, 2027, is Washington's Birthday.
    assert_eq!(of_941(&MONTHLY, &[("2026-07-31", 1)]), ["2026-07-31 2026-07-31 2026-08-17"]);
    assert_eq!(of_941(&MONTHLY, &[("2027-01-29", 1)]), ["2027-01-29 2027-01-29 2027-02-16"]);
    assert_eq!(of_941(&MONTHLY, &[("2026-12-31", 1)]), ["2026-12-31 2026-12-31 2027-01-15"]);
}

#[test]
fn those_of_wednesday_to_friday_are_due_on_wednesday_and_those_of_saturday_to_tuesday_on_friday() {
    // Publication 15 for 2020: Green, Inc., pays on Friday, April 24, and deposits by Wednesday, April 29.
    assert_eq!(of_941(&SEMIWEEKLY, &[("2020-04-24", 5_000)]), ["2020-04-24 2020-04-24 2020-04-29"]);
    // Calendar of the IRS for January 2024, with Martin Luther King's birthday on the 15th.
    for (paid, due) in [
        ("2024-01-03", "2024-01-10"),
        ("2024-01-05", "2024-01-10"),
        ("2024-01-06", "2024-01-12"),
        ("2024-01-09", "2024-01-12"),
        ("2024-01-10", "2024-01-18"),
        ("2024-01-12", "2024-01-18"),
        ("2024-01-13", "2024-01-19"),
        ("2024-01-16", "2024-01-19"),
        ("2023-12-27", "2024-01-04"),
        ("2023-12-30", "2024-01-05"),
        ("2024-01-02", "2024-01-05"),
    ] {
        assert_eq!(of_941(&SEMIWEEKLY, &[(paid, 5_000)]), [format!("{paid} {paid} {due}")]);
    }
}

#[test]
fn a_semiweekly_period_in_two_quarters_has_two_deposits_that_are_due_together() {
    // Publication 15: the pay days of Wednesday, September 30, and Friday, October 2, are in one semiweekly period.
    let found = group_withheld_taxes(
        Form::F941,
        &SEMIWEEKLY,
        Paid::no_deposits(),
        &days(&[("2026-09-30", 10), ("2026-10-02", 20)]),
    );
    assert_eq!(told(&found), ["2026-09-30 2026-09-30 2026-10-07", "2026-10-02 2026-10-02 2026-10-07"]);
    assert_eq!(
        found.iter().map(|one| one.period_end).collect::<Vec<_>>(),
        [day("2026-09-30"), day("2026-12-31")]
    );
    // Form 944 covers a year: its larger quarters are not separate.
    let found = group_withheld_taxes(
        Form::F944,
        &SEMIWEEKLY,
        Paid::no_deposits(),
        &days(&[("2026-09-30", 10), ("2026-10-02", 20)]),
    );
    assert_eq!(told(&found), ["2026-09-30 2026-10-02 2026-10-07"]);
}

#[test]
fn a_hundred_thousand_dollars_are_due_on_the_next_business_day_and_what_follows_begins_anew() {
    // Publication 15: Fir Co. accumulates 110,000 on Monday and 30,000 on Tuesday.
    let fir = [("2026-06-08", 110_000), ("2026-06-09", 30_000)];
    assert_eq!(
        of_941(&SEMIWEEKLY, &fir),
        ["2026-06-08 2026-06-08 2026-06-09!", "2026-06-09 2026-06-09 2026-06-12"]
    );
    // The same publication: 95,000 on Friday and 10,000 on Monday are in two periods, and are not added together.
    let apart = [("2026-06-05", 95_000), ("2026-06-08", 10_000)];
    assert_eq!(
        of_941(&SEMIWEEKLY, &apart),
        ["2026-06-05 2026-06-05 2026-06-10", "2026-06-08 2026-06-08 2026-06-12"]
    );
    // One cent less is due on the regular schedule.
    let mut exact = days(&[("2026-06-08", 100_000)]);
    assert!(group_withheld_taxes(Form::F941, &SEMIWEEKLY, Paid::no_deposits(), &exact)[0].next_day);
    exact.insert(day("2026-06-08"), NEXT_DAY_THRESHOLD_CENTS - 1);
    assert!(!group_withheld_taxes(Form::F941, &SEMIWEEKLY, Paid::no_deposits(), &exact)[0].next_day);
}

#[test]
fn whoever_accumulates_a_hundred_thousand_in_a_month_is_on_the_semiweekly_schedule_until_the_end_of_the_next_year()
 {
    // Publication 15 for 2020: Elm, Inc., begins in May, with 40,000 on Wednesday the 6th and 60,000 on Friday the 8th.
    let elm = [("2020-05-06", 40_000), ("2020-05-08", 60_000), ("2020-05-15", 500), ("2020-07-31", 500)];
    let deposits = [
        "2020-05-06 2020-05-08 2020-05-11!",
        "2020-05-15 2020-05-15 2020-05-20",
        "2020-07-31 2020-07-31 2020-08-05",
    ];
    assert_eq!(of_941(&MONTHLY, &elm), deposits);
    // Earlier deposits are known by their day.
    let large = [day("2020-05-08")];
    let later = |text| {
        told(&group_withheld_taxes(
            Form::F941,
            &MONTHLY,
            Paid { large: &large, ..Paid::no_deposits() },
            &days(&[(text, 500)]),
        ))
    };
    assert_eq!(later("2021-12-31"), ["2021-12-31 2021-12-31 2022-01-05"]);
    assert_eq!(later("2022-01-07"), ["2022-01-07 2022-01-07 2022-02-15"]);
    assert_eq!(
        later("2020-05-01"),
        ["2020-05-01 2020-05-01 2020-06-15"],
        "the days before are not concerned"
    );
    // Later additions to that day are due with it, however small.
    assert_eq!(later("2020-05-08"), ["2020-05-08 2020-05-08 2020-05-11!"]);
}

#[test]
fn what_was_deposited_early_counts_towards_the_hundred_thousand_dollars_of_its_period() {
    // Wednesday's 60,000 is already deposited when Friday's taxes are added: together they have accumulated in the period.
    let early = days(&[("2027-03-17", 60_000)]);
    let beside = |large: &[Date], made: &BTreeMap<Date, i64>, friday: i64| {
        let paid = Paid { large, made };
        told(&group_withheld_taxes(Form::F941, &SEMIWEEKLY, paid, &days(&[("2027-03-19", friday)])))
    };
    assert_eq!(beside(&[], &early, 60_000), ["2027-03-19 2027-03-19 2027-03-22!"]);
    assert_eq!(beside(&[], &early, 39_999), ["2027-03-19 2027-03-19 2027-03-24"]);
    // After a day on which 100,000 dollars had accumulated, accumulation starts again from zero.
    let large = [day("2027-03-17")];
    let made = days(&[("2027-03-17", 110_000)]);
    assert_eq!(beside(&large, &made, 60_000), ["2027-03-19 2027-03-19 2027-03-24"]);
    // A monthly depositor is on the semiweekly schedule from the next day on.
    let made = days(&[("2027-03-05", 70_000)]);
    let paid = Paid { large: &[], made: &made };
    let open = days(&[("2027-03-12", 30_000), ("2027-03-19", 500)]);
    assert_eq!(
        told(&group_withheld_taxes(Form::F941, &MONTHLY, paid, &open)),
        ["2027-03-12 2027-03-12 2027-03-15!", "2027-03-19 2027-03-19 2027-03-24"]
    );
}

#[test]
fn a_schedule_holds_from_its_day_on() {
    let stated = [
        (day("2027-01-01"), Some(Schedule::Semiweekly)),
        (day("2026-01-01"), Some(Schedule::Monthly)),
        (day("2028-01-01"), None),
    ];
    let on = |text| stated_on(&stated, day(text));
    assert_eq!(on("2025-12-31"), None);
    assert_eq!((on("2026-12-31"), on("2027-01-01")), (Some(Schedule::Monthly), Some(Schedule::Semiweekly)));
    assert_eq!(on("2028-01-01"), None, "the employer deposits again");
    let turn = [("2026-12-31", 500), ("2027-01-01", 500)];
    assert_eq!(
        of_941(&stated, &turn),
        ["2026-12-31 2026-12-31 2027-01-15", "2027-01-01 2027-01-01 2027-01-06"]
    );
}

#[test]
fn unemployment_tax_up_to_500_dollars_is_carried_over_to_the_next_quarter() {
    let of = |list: &[(&str, i64)]| told(&group_unemployment_taxes(&days(list)));
    // Due by the end of the month after the quarter; October 31, 2026, is a Saturday, and January 31, 2027, a Sunday.
    assert_eq!(of(&[("2026-03-06", 501)]), ["2026-03-06 2026-03-06 2026-04-30"]);
    assert_eq!(of(&[("2026-03-06", 500)]), [""; 0]);
    assert_eq!(of(&[("2026-03-06", 300), ("2026-06-05", 201)]), ["2026-03-06 2026-06-05 2026-07-31"]);
    assert_eq!(of(&[("2026-03-06", 300), ("2026-09-04", 300)]), ["2026-03-06 2026-09-04 2026-11-02"]);
    assert_eq!(of(&[("2026-12-04", 600)]), ["2026-12-04 2026-12-04 2027-02-01"]);
    let two = ["2026-03-06 2026-03-06 2026-04-30", "2026-06-05 2026-06-05 2026-07-31"];
    assert_eq!(of(&[("2026-03-06", 600), ("2026-06-05", 600)]), two);
    // The remainder of a year is paid with Form 940, and not carried over to the next.
    assert_eq!(of(&[("2026-12-04", 400), ("2027-01-08", 400)]), [""; 0]);
    assert_eq!(of(&[("2026-12-04", 400), ("2027-01-08", 501)]), ["2027-01-08 2027-01-08 2027-04-30"]);
}

#[test]
fn whoever_files_form_944_deposits_once_the_year_comes_to_2_500_dollars_and_else_pays_with_the_return() {
    let of = |stated: &[Stated], list: &[(&str, i64)]| {
        told(&group_tax_deposits(stated, Paid::no_deposits(), &days(list), &days(list)))
    };
    let small = [("2026-03-13", 1_000), ("2026-06-12", 1_000)];
    assert_eq!(of(&MONTHLY, &small), [""; 0]);
    // The third quarter reaches 2,500 dollars: those of the first two quarters are overdue, and due at once.
    let more = [("2026-03-13", 1_000), ("2026-06-12", 1_000), ("2026-09-11", 500), ("2026-12-11", 500)];
    let deposits = [
        "2026-03-13 2026-03-13 2026-04-30",
        "2026-06-12 2026-06-12 2026-07-31",
        "2026-09-11 2026-09-11 2026-11-02",
    ];
    assert_eq!(of(&MONTHLY, &more), deposits, "those of the fourth quarter are paid with the return");
    // An employer who may reach the amount deposits each quarter, and pays the fourth with the return.
    let quarterly = [(ALWAYS, Some(Schedule::Quarterly))];
    assert_eq!(of(&quarterly, &small), deposits[..2]);
    assert_eq!(of(&quarterly, &[("2026-12-11", 2_499)]), [""; 0]);
    assert_eq!(of(&quarterly, &[("2026-12-11", 2_500)]), ["2026-12-11 2026-12-11 2027-01-15"]);
    // Years are not added together.
    assert_eq!(of(&MONTHLY, &[("2026-09-11", 2_000), ("2027-01-08", 2_000)]), [""; 0]);
}

#[test]
fn what_was_deposited_counts_for_the_2_500_dollars_of_form_944() {
    let liable = days(&[("2026-03-13", 2_500), ("2026-06-12", 100)]);
    let open = days(&[("2026-06-12", 100)]);
    assert_eq!(
        told(&group_tax_deposits(&MONTHLY, Paid::no_deposits(), &liable, &open)),
        ["2026-06-12 2026-06-12 2026-07-31"]
    );
    assert_eq!(told(&group_tax_deposits(&MONTHLY, Paid::no_deposits(), &open, &open)), [""; 0]);
}

#[test]
fn what_a_reduced_credit_costs_is_deposited_with_the_fourth_quarter() {
    let counted = reduced_credit_counts_on(2025);
    let of = |list: &[(&str, i64)], reduced: i64| {
        let mut days = days(list);
        days.insert(counted, reduced * 100);
        told(&group_unemployment_taxes(&days))
    };
    // 168 for the year plus 1.2 percent of 28,000; January 31, 2026, is a Saturday.
    assert_eq!(of(&[("2025-02-14", 168)], 336), ["2025-02-14 2025-12-31 2026-02-02"]);
    assert_eq!(
        of(&[("2025-02-14", 546)], 501),
        ["2025-02-14 2025-02-14 2025-04-30", "2025-12-31 2025-12-31 2026-02-02"]
    );
    assert_eq!(of(&[("2025-02-14", 126)], 252), [""; 0], "500 dollars are paid with Form 940");
}

#[test]
fn taxes_accumulate_within_their_period_and_anew_after_a_hundred_thousand_dollars() {
    let semiweekly = [(date(2027, 1, 1), Some(Schedule::Semiweekly))];
    let monthly = [(date(2027, 1, 1), Some(Schedule::Monthly))];
    let from = |stated: &[Stated], large: &[Date], day| accumulates_from(Form::F941, stated, large, day);
    // Wednesday to Friday, Saturday to Tuesday.
    assert_eq!(from(&semiweekly, &[], date(2027, 3, 19)), date(2027, 3, 17));
    assert_eq!(from(&semiweekly, &[], date(2027, 3, 23)), date(2027, 3, 20));
    assert_eq!(from(&semiweekly, &[date(2027, 3, 17)], date(2027, 3, 19)), date(2027, 3, 18));
    // Thursday, April 1, begins a quarter in the middle of a period.
    assert_eq!(from(&semiweekly, &[], date(2027, 4, 2)), date(2027, 4, 1));
    assert_eq!(from(&monthly, &[], date(2027, 3, 19)), date(2027, 3, 1));
    // A depositor that has reached 100,000 dollars deposits semiweekly from the next day on.
    assert_eq!(from(&monthly, &[date(2027, 3, 5)], date(2027, 3, 19)), date(2027, 3, 17));
}
