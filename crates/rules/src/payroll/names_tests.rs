//! Explanations lead to records: what the wages of each tax are made of is explained down to the pay and the records of benefits.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::calculate_paycheck;
use super::sample::{Chance, every_garnishment};
use crate::explain::Recorder;

/// Inputs that have to be figures of the explanation, with their value.
const FIGURES: [&str; 15] = [
    "annual_wages",
    "benefits_that_are_no_wages_of_the_state",
    "deductions",
    "deductions_of_the_year",
    "futa_wages_of_the_period",
    "gross_pay",
    "gross_pay_and_imputed_income",
    "imputed_income",
    "income",
    "medicare_wages",
    "pay_without_cash_tips",
    "pre_tax_benefits",
    "taxable_wages",
    "wages",
    "wages_of_the_worksheet",
];

fn figures<'v>(node: &'v Value, found: &mut BTreeMap<&'v str, BTreeSet<String>>) {
    let name = node["figure"].as_str().unwrap();
    found.entry(name).or_default().insert(node["result"].to_string());
    for child in node["because"].as_array().into_iter().flatten() {
        figures(child, found);
    }
}

fn inputs<'v>(node: &'v Value, found: &mut Vec<(&'v str, &'v str, String)>) {
    let figure = node["figure"].as_str().unwrap();
    let counting = node["inputs"].as_array().into_iter().flatten().filter(|input| input["counts"] == true);
    found.extend(counting.map(|input| (figure, input["name"].as_str().unwrap(), input["value"].to_string())));
    for child in node["because"].as_array().into_iter().flatten() {
        inputs(child, found);
    }
}

#[test]
fn wages_of_every_tax_lead_to_the_pay_and_the_records_of_benefits() {
    let mut wrong = BTreeSet::new();
    for seed in 0..400 {
        let mut random = Chance(seed);
        let payroll = random.payroll();
        let employee = random.employee(&every_garnishment());
        let mut recorder = Recorder::default();
        calculate_paycheck(&mut recorder, &payroll, &employee).unwrap();
        let nodes: Vec<Value> = recorder.finish().iter().map(|node| node.to_json()).collect();
        let (mut known, mut told) = (BTreeMap::new(), Vec::new());
        for node in &nodes {
            figures(node, &mut known);
            inputs(node, &mut told);
        }
        for (figure, name, value) in told {
            let leads = known.get(name).is_some_and(|values| values.contains(&value));
            if FIGURES.contains(&name) && !leads && value != "\"0.00\"" {
                wrong.insert(format!("{figure} <- {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
