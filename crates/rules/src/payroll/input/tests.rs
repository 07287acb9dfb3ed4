use std::fmt::Debug;

use serde::de::DeserializeOwned;

use super::*;
use crate::payroll::benefits::{Contribution, Tier};
use crate::payroll::garnishment::{ChildSupport, IncomeWithholdingOrder, WithheldToDate};
use crate::payroll::sample::{Chance, every_garnishment, sample_benefit};
use crate::withholding::federal::FilingStatus;
use crate::withholding::state::Answer;

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(input: &T) {
    let json = serde_json::to_string(input).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), input, "{json}");
}

#[test]
fn inputs_survive_json() {
    let orders = every_garnishment();
    for seed in 0..500 {
        let employee = Chance(seed).employee(&orders);
        round_trip(&employee.jobs);
        round_trip(&employee.fixed);
        round_trip(&employee.reimbursements);
        round_trip(&employee.w4);
        round_trip(&employee.benefits);
        round_trip(&employee.garnishments);
        round_trip(&employee.support_limits.clone());
        round_trip(&employee.year_to_date);
        round_trip(&employee.payment);
    }
}

#[test]
fn inputs_that_samples_do_not_have_survive_json() {
    let amount = Amount::from_millionths(1_234_567);
    let some = Some(amount);
    let order = IncomeWithholdingOrder {
        current_support: some,
        arrears: some,
        medical_support: some,
        health_insurance_premium: some,
        arrears_over_12_weeks: Some(true),
        supports_other_family: Some(false),
        received_on: Some(Date::MAX),
    };
    round_trip(&ChildSupport { payment_period: PayFrequency::TwicePerMonth, order });
    round_trip(&WithheldToDate { times: 3, year: amount, total: amount, period: amount, off_cycle_times: 1 });
    round_trip(&BenefitToDate { contribution: amount, ..BenefitToDate::new(7, 5) });
    let tier = Tier { rate: Amount::from_cents(5_000), threshold: Amount::from_cents(600) };
    for contribution in [Contribution::Percentage(amount), Contribution::Tiered(vec![tier])] {
        round_trip(&contribution);
    }
    round_trip(&vec![
        Answer::Text("Single".to_owned()),
        Answer::Bool(false),
        Answer::Number(amount),
        Answer::Currency(Amount::from_cents(5)),
        Answer::Date(Date::MIN),
    ]);
}

#[test]
fn names_and_amounts_in_json_are_text_and_absent_values_are_left_out() {
    let w4 = W4::Pre2020 {
        filing_status: FilingStatus::Single,
        allowances: 2,
        additional_withholding: Amount::from_cents(1_250),
    };
    let expected =
        r#"{"pre_2020_w4":{"filing_status":"Single","allowances":2,"additional_withholding":"12.5"}}"#;
    assert_eq!(serde_json::to_string(&w4).unwrap(), expected);
    let benefit = sample_benefit(1, 5, "3.5", true);
    let json = serde_json::to_value(&benefit).unwrap();
    assert_eq!(json["kind"], 5);
    assert_eq!(json["terms"]["contribution"], serde_json::json!({ "amount": "10" }));
    assert!(json["terms"].get("limit_option").is_none());
    let unknown = serde_json::to_string(&benefit).unwrap().replace(r#""kind":5"#, r#""kind":4"#);
    let error = serde_json::from_str::<Benefit<u32>>(&unknown).unwrap_err().to_string();
    assert!(error.starts_with("unknown type of benefit 4"), "{error}");
}

#[test]
fn a_line_is_recognised_by_its_name_in_any_case() {
    assert_eq!(FixedKind::of_name("paycheck tips"), FixedKind::PaycheckTips);
    assert_eq!(FixedKind::of_name("Cash Tips"), FixedKind::CashTips);
    assert_eq!(FixedKind::of_name("minimum wage adjustment"), FixedKind::MinimumWageAdjustment);
    assert_eq!(FixedKind::of_name("Bonus"), FixedKind::Bonus);
    assert_eq!(FixedKind::of_name("Commission"), FixedKind::Earnings);
    assert!(FixedKind::CashTips.is_tips() && !FixedKind::Earnings.is_tips());
}
