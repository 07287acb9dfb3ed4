//! The documents of signed forms.

use jiff::tz::TimeZone;
use rules::Amount;
use rules::withholding::federal::{FilingStatus, W4};
use store::Tx;
use uuid::Uuid;

use super::content::{
    Address, Content, Deposit, DirectDepositContent, EmployeeFormKind, Employer, Masked, Name, Snapshot,
    W4Answers, W4Content,
};
use super::document::Signature;
use super::pdf;
use super::pdf::tests::text_of;
use super::rows::Form;
use super::service;
use super::tests::{SSN, store};
use crate::error::Error;

fn name() -> Name {
    Name { first: "Ana".to_owned(), middle: Some("M".to_owned()), last: "Lee".to_owned() }
}

fn address() -> Address {
    Address {
        street_1: "77 Juniper Lane".to_owned(),
        street_2: Some("Apt 4".to_owned()),
        city: "Denver".to_owned(),
        state: "CO".to_owned(),
        zip: "80202".to_owned(),
    }
}

/// Renders the document of a signed form as PDF.
async fn document_of(content: fn(&mut Tx<'_>) -> Result<Content, Error>) -> Vec<u8> {
    let store = store();
    let document = store.write(move |tx| {
        let employer = Employer {
            name: "Joe's Diner LLC".to_owned(),
            ein: Some("123456789".to_owned()),
            address: Some(address()),
        };
        let content = content(tx)?;
        let kind = content.kind();
        let shown = Snapshot { content, employer, zone: "America/Denver".to_owned() };
        let year = (kind == EmployeeFormKind::W4).then_some(2026);
        let (employee, id) = (Uuid::from_u128(9), tx.new_id());
        let form = Form { employee, id, kind, year, requires_signing: false, digest: Vec::new() };
        let at = tx.now().to_zoned(TimeZone::get(&shown.zone).unwrap());
        let signature = Signature::Given { name: "Ana M. Lee".to_owned(), at, ip: "203.0.113.7".to_owned() };
        Ok::<_, Error>(pdf::render_pdf(&service::compose_document(&form, &shown, signature, &[])))
    });
    document.await.unwrap()
}

#[tokio::test]
async fn a_withholding_certificate_shows_the_lines_of_the_form() {
    let pdf = document_of(|tx| {
        let ssn = Masked::new(tx, Uuid::from_u128(7), SSN)?;
        let w4 = W4::Rev2020 {
            filing_status: FilingStatus::HeadOfHousehold,
            two_jobs: true,
            dependents_amount: Amount::from_cents(200_000),
            other_income: Amount::ZERO,
            deductions: Amount::from_cents(150_050),
            extra_withholding: Amount::from_cents(2_500),
        };
        let answers = W4Answers::from(&w4);
        Ok(Content::W4(W4Content {
            name: name(),
            address: Some(address()),
            ssn: Some(ssn),
            answers,
            rehired_on: None,
            exempt_in: None,
        }))
    })
    .await;
    let text = text_of(&pdf);
    for part in [
        "W-4 answers \u{B7} 2026",
        "Head of Household",
        "$2,000.00",
        "$1,500.50",
        "$25.00",
        "XXX-XX-1099",
        "EIN 12-3456789",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains(SSN));
}

#[tokio::test]
async fn an_older_certificate_shows_allowances() {
    let pdf = document_of(|_| {
        let w4 = W4::Pre2020 {
            filing_status: FilingStatus::MarriedWithholdAsSingle,
            allowances: 3,
            additional_withholding: Amount::from_cents(1_000),
        };
        Ok(Content::W4(W4Content {
            name: name(),
            address: None,
            ssn: None,
            answers: W4Answers::from(&w4),
            rehired_on: None,
            exempt_in: None,
        }))
    })
    .await;
    let text = text_of(&pdf);
    for part in ["Married, but withhold as Single", "Total number of allowances", "$10.00", "not given"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[tokio::test]
async fn a_direct_deposit_authorization_names_each_account() {
    let pdf = document_of(|tx| {
        let company = Uuid::from_u128(7);
        let account = |tx: &mut Tx<'_>, name: &str, number: &str, share: &str| {
            Ok::<_, Error>(Deposit {
                name: name.to_owned(),
                routing_number: "266905059".to_owned(),
                account_number: Masked::new(tx, company, number)?,
                account_type: "Checking".to_owned(),
                share: share.to_owned(),
            })
        };
        let accounts = vec![
            account(tx, "Everyday", "5809431207", "$200.00")?,
            account(tx, "Savings", "12345", "the remainder")?,
        ];
        Ok(Content::DirectDeposit(DirectDepositContent { name: name(), accounts }))
    })
    .await;
    let text = text_of(&pdf);
    for part in ["Account 1: Everyday", "ending in 1207", "ending in 45", "the remainder", "266905059"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains("5809431207") && !text.contains("12345"));
}

#[tokio::test]
async fn a_claim_of_exemption_certifies_both_conditions_and_earlier_signatures_are_unchanged() {
    fn exempt(certifies: bool) -> Result<Content, Error> {
        let w4 = W4::with_filing_status(FilingStatus::Exempt);
        let mut answers = W4Answers::from(&w4);
        let W4Answers::Rev2020 { certifies_exemption, .. } = &mut answers else {
            panic!("of another edition")
        };
        assert!(*certifies_exemption);
        *certifies_exemption = certifies;
        Ok(Content::W4(W4Content {
            name: name(),
            address: Some(address()),
            ssn: None,
            answers,
            rehired_on: None,
            exempt_in: None,
        }))
    }
    let says = |pdf: Vec<u8>| text_of(&pdf).replace('\n', " ");
    let now = says(document_of(|_| exempt(true)).await);
    assert!(now.contains("I had no federal income tax liability"), "{now}");
    let before = says(document_of(|_| exempt(false)).await);
    assert!(!before.contains("liability"), "{before}");
    let Ok(content) = exempt(false) else { panic!("it is content") };
    let stored = String::from_utf8(content.to_bytes()).unwrap();
    assert!(!stored.contains("certifies_exemption"), "its digest is that of before: {stored}");
}
