//! Whole years of pay days, with the deposits that `tests/worked/deposits.py` calculates from the same pay days.

use serde::Deserialize;

use super::*;
use crate::Amount;
use crate::Named;
use crate::withholding::csv_rows;

#[derive(Deserialize)]
struct Case {
    case: String,
    form: String,
    schedule: String,
    days: String,
    deposits: String,
}

fn days(text: &str) -> BTreeMap<Date, i64> {
    let day = |word: &str| {
        let (day, dollars) = word.split_once(':').unwrap();
        (day.parse().unwrap(), Amount::parse(dollars).unwrap().cents_half_up())
    };
    text.split(' ').map(day).collect()
}

#[test]
fn the_deposits_of_whole_years_are_those_that_were_worked() {
    let cases: Vec<Case> = csv_rows(include_str!("worked.csv")).unwrap();
    for form in Form::ALL {
        assert!(cases.iter().filter(|case| case.form == form.as_str()).count() > 3, "{form:?}");
    }
    for Case { case, form, schedule, days: text, deposits } in cases {
        let (days, form) = (days(&text), Form::parse(&form).unwrap());
        let stated = [(date(2000, 1, 1), Schedule::parse(&schedule))];
        assert!(stated[0].1.is_some(), "{case}: {schedule}");
        let found = match form {
            Form::F941 => group_withheld_taxes(form, &stated, Paid::no_deposits(), &days),
            Form::F944 => group_tax_deposits(&stated, Paid::no_deposits(), &days, &days),
            Form::F940 => group_unemployment_taxes(&days),
        };
        let told = |one: &Deposit| {
            let cents = days.range(one.first..=one.last).map(|(_, cents)| cents).sum();
            format!("{}..{} {} {}", one.first, one.last, one.due, Amount::from_cents(cents).to_text(2))
        };
        let found = found.iter().map(told).collect::<Vec<_>>().join("; ");
        assert_eq!(found, deposits, "{case}");
    }
}
