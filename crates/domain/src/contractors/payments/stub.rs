//! The document of a payment, as the contractor receives it: what was paid for, what was withheld and why, and the year so far.

use jiff::civil::date;
use rules::contractor::WageType;
use rules::days::Days;
use rules::{Amount, Named as _};
use store::Tx;
use uuid::Uuid;

use super::rows::{self, Method, OfYear, Payment};
use super::service;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::records;
use crate::error::Error;
use crate::language::Language;
use crate::people::forms::document::{Document, DocumentLine, LineKind, Section, Signature};
use crate::people::forms::pdf;
use crate::records::IdRange;

/// Returns the document of a payment as PDF.
///
/// # Errors
/// "Not found"; a store error.
pub fn stub_pdf(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Vec<u8>, Error> {
    Ok(pdf::render_pdf(&stub_document(tx, caller, id)?))
}

/// Returns the document of a payment.
///
/// # Errors
/// "Not found"; a store error.
pub fn stub_document(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Document, Error> {
    let payment = service::find_payment(tx, caller, id)?;
    let contractor = records::service::find_contractor(tx, caller, payment.contractor)?;
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let day = payment.check_date;
    let days = Days { first: date(day.year(), 1, 1), last: day };
    let sums = rows::of_year(tx, caller.company, days, IdRange::only(contractor.id))?;
    let year = sums.get(&contractor.id).copied().unwrap_or_default();
    Ok(Document {
        id: payment.id,
        language: Language::English,
        title: "Payment to a contractor",
        code: day.to_string(),
        intro: "What was paid, and what was withheld. This is not Form 1099-NEC.",
        signer: "Contractor",
        signed_by: vec![contractor.name()],
        on_behalf_of: ("Paid by", vec![company.name]),
        sections: stub_sections(&payment, &year),
        statement: &[],
        signature: Signature::NotAsked,
        preparers: Vec::new(),
        shares: Vec::new(),
    })
}

fn stub_sections(payment: &Payment, year: &OfYear) -> Vec<Section> {
    let plain = |label: &str, value: String| DocumentLine::new("", label, value);
    let section = |heading: &str, lines| Section { heading: heading.to_owned(), lines };
    let mut about = vec![
        plain("Paid on", Language::English.format_day(payment.check_date)),
        plain("Paid by", payment.method.as_str().to_owned()),
    ];
    about.extend(payment.invoice_number.clone().map(|text| plain("Invoice", text)));
    about.extend(payment.memo.clone().map(|text| plain("Memo", text)));
    if payment.voided_at.is_some() {
        about.push(plain("Void", "It was not owed and was reversed; it counts in no total.".to_owned()));
    }
    let amount = |label: String, value: Amount, to_date: Option<Amount>| {
        let line = DocumentLine::new("", label, value.to_text(2)).with_kind(LineKind::Dollars);
        line.to_date(to_date.map(|sum| sum.to_text(2)).unwrap_or_default())
    };
    let mut lines = Vec::new();
    if payment.wage_type == WageType::Hourly {
        let label = format!("{} hours at {}", payment.hours.to_text(0), payment.hourly_rate.to_text(2));
        lines.push(amount(label, payment.pay().for_hours().unwrap_or(Amount::ZERO), None));
        lines.push(amount("Bonus".to_owned(), payment.bonus, None));
    }
    lines.push(amount("Pay".to_owned(), payment.wage_total, Some(year.wages)));
    lines.push(amount("Reimbursed expenses".to_owned(), payment.reimbursement, Some(year.reimbursements)));
    if payment.withheld > Amount::ZERO || year.withheld > Amount::ZERO {
        let why = payment.withheld_for.map(|why| format!(": {}", why.words())).unwrap_or_default();
        let label = format!("Backup withholding (federal income tax){why}");
        let taken = Amount::from_millionths(-payment.withheld.millionths());
        lines.push(amount(label, taken, Some(Amount::from_millionths(-year.withheld.millionths()))));
    }
    let net = match payment.method {
        Method::Historical => "Paid before",
        Method::DirectDeposit | Method::Check => "Paid to you",
    };
    lines.push(DocumentLine::new("", net, payment.net().to_text(2)).with_kind(LineKind::Sum));
    vec![section("Payment", about), section("Amounts", lines)]
}
