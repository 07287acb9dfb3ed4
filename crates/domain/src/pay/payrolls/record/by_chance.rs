//! Taxes and paychecks by chance, for the properties that hold of any.

use proptest::prelude::*;
use rules::Amount;
use rules::taxes::{Jurisdiction, Level, Payer, TaxId};
use uuid::Uuid;

use crate::pay::payrolls::record::paycheck::{BenefitPaid, DeductionPaid, JobPaid, Paid};
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::taxes::TaxPaid;

/// Returns the taxes of a paycheck in whole cents, each once. Codes differ; labels and jurisdictions are often the same.
pub fn arbitrary_taxes() -> impl Strategy<Value = Vec<TaxPaid>> {
    let one = (0_u8..12, prop::bool::ANY, 1_i64..1_000_000);
    prop::collection::vec(one, 0..10).prop_map(|drawn| {
        let mut taxes: Vec<TaxPaid> = drawn.into_iter().map(tax_from_draw).collect();
        taxes.sort_by(|a, b| a.id.cmp(&b.id));
        taxes.dedup_by(|a, b| a.id == b.id);
        taxes
    })
}

fn tax_from_draw((number, of_employer, cents): (u8, bool, i64)) -> TaxPaid {
    let payer = if of_employer { Payer::Employer } else { Payer::Employee };
    let label = ["Harrison county tax", "Campbell county tax"][usize::from(number % 2)];
    let jurisdiction = match number % 3 {
        0 => Jurisdiction { level: Level::County, place: "IN-31".to_owned(), ..Jurisdiction::state("IN") },
        1 => Jurisdiction { level: Level::County, place: "KY-H".to_owned(), ..Jurisdiction::state("KY") },
        _ => Jurisdiction::state("KY"),
    };
    TaxPaid::from_reported_amount(
        TaxId::new(format!("TAX_{number}"), payer),
        label.to_owned(),
        jurisdiction,
        Amount::from_cents(cents),
    )
}

fn federal_tax(id: TaxId, label: &str, amount: Amount) -> TaxPaid {
    TaxPaid::from_reported_amount(id, label.to_owned(), Jurisdiction::country(), amount)
}

/// Returns a paycheck in whole cents.
pub fn arbitrary_paycheck() -> impl Strategy<Value = (Outcome, Paid)> {
    let earned = prop::array::uniform4(0..1_000_000_i64);
    let (taken, added) = (prop::array::uniform4(0..100_000_i64), prop::array::uniform3(0..100_000_i64));
    (earned, taken, added).prop_map(|(earned, taken, added)| paycheck_of(earned, taken, added))
}

/// Returns a paycheck of amounts in cents: earnings, what is taken, and what the employer adds.
pub fn paycheck_of(earned: [i64; 4], taken: [i64; 4], added: [i64; 3]) -> (Outcome, Paid) {
    let [earned, taken] = [earned, taken].map(|list| list.map(Amount::from_cents));
    let [own_tax, employers_tax, contribution] = added.map(Amount::from_cents);
    let [federal, deduction, garnished, cash_tips] = taken;
    let gross = earned.into_iter().sum::<Amount>() + cash_tips;
    let reimbursements = own_tax;
    let net = gross - taken.into_iter().sum::<Amount>();
    let paid = Paid {
        jobs: vec![JobPaid {
            salary: earned[0],
            hourly: [earned[1], earned[2], Amount::ZERO],
            ..JobPaid::default()
        }],
        cash_tips,
        reimbursements,
        taxes: vec![
            federal_tax(TaxId::of_employee("US_FIT"), "Federal Income Tax", federal),
            federal_tax(TaxId::of_employer("US_FUTA"), "FUTA", employers_tax),
        ],
        benefits: vec![BenefitPaid {
            company_benefit: Uuid::nil(),
            record: Uuid::nil(),
            code: 1,
            name: "Medical".to_owned(),
            deduction,
            contribution,
            imputed: Amount::ZERO,
        }],
        deductions: vec![DeductionPaid {
            id: Uuid::nil(),
            name: "Order".to_owned(),
            amount: garnished,
            support: true,
            manual: None,
            fee: Amount::ZERO,
            overpayment: false,
        }],
        ..Paid::default()
    };
    let outcome = Outcome {
        employee: Uuid::nil(),
        gross,
        net,
        check_amount: net + reimbursements,
        paycheck: String::new(),
        facts: String::new(),
        year_to_date: String::new(),
    };
    (outcome, paid)
}
