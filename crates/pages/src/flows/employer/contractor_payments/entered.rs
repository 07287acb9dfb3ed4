//! The entries of the employer: a field for each kind of amount and each contractor, on however many pages of the list. The forms carry those that
//! they do not show.

use std::collections::BTreeMap;

use rules::{Amount, Violation};
use serde_json::json;
use uuid::Uuid;

use super::super::super::form::Form;
use super::super::super::number::written_number;
use domain::contractors::payments::commands::{GroupPayments, PaymentInput};
use domain::patch::Patch;
use interface::field::Wire;

/// The day of the payments.
pub const DAY: &str = "check_date";
/// The token of the preview.
pub const TOKEN: &str = "creation_token";
/// The fields of a contractor.
pub const METHOD: &str = "method";
pub const WAGE: &str = "wage";
pub const HOURS: &str = "hours";
pub const BONUS: &str = "bonus";
pub const REIMBURSEMENT: &str = "reimbursement";
pub const MEMO: &str = "memo";
pub const INVOICE: &str = "invoice_number";
const AMOUNTS: [&str; 4] = [WAGE, HOURS, BONUS, REIMBURSEMENT];
const FIELDS: [&str; 7] = [METHOD, WAGE, HOURS, BONUS, REIMBURSEMENT, MEMO, INVOICE];

/// The name of a contractor's field.
pub fn field_name(field: &str, contractor: Uuid) -> String {
    format!("{field}.{contractor}")
}

/// The field and the contractor of a name.
fn split_field_name(name: &str) -> Option<(&'static str, Uuid)> {
    let (field, id) = name.split_once('.')?;
    let field = FIELDS.into_iter().find(|known| *known == field)?;
    Some((field, id.parse().ok()?))
}

/// What was entered for a contractor, by field.
type OfContractor<'f> = BTreeMap<&'static str, &'f str>;

/// The entries of a form, by contractor; those who have no amount are left out.
#[derive(Debug, Default)]
pub struct Entries<'f>(BTreeMap<Uuid, OfContractor<'f>>);

impl<'f> Entries<'f> {
    /// Reads a form.
    pub fn from_form(form: &'f Form) -> Self {
        let mut all: BTreeMap<Uuid, OfContractor<'f>> = BTreeMap::new();
        for (name, value) in form.name_value_pairs() {
            let value = value.trim();
            if let Some((field, id)) = split_field_name(name).filter(|_| !value.is_empty()) {
                all.entry(id).or_default().entry(field).or_insert(value);
            }
        }
        all.retain(|_, of| AMOUNTS.iter().any(|field| of.contains_key(field)));
        Self(all)
    }

    /// Whether nobody has an amount.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries that a page does not show, as its hidden fields.
    pub fn hidden_fields(&self, shows: impl Fn(&str, Uuid) -> bool) -> Vec<(String, String)> {
        let all =
            self.0.iter().flat_map(|(id, of)| of.iter().map(move |(field, value)| (*field, *id, *value)));
        all.filter(|(field, id, _)| !shows(field, *id))
            .map(|(field, id, value)| (field_name(field, id), value.to_owned()))
            .collect()
    }

    /// The payments to request.
    ///
    /// # Errors
    /// Each entry that is no number, and having no entry.
    pub fn payments_request(&self, form: &Form) -> Result<GroupPayments, Vec<Violation>> {
        let (mut payments, mut wrong) = (Vec::new(), Vec::new());
        for (id, of) in &self.0 {
            let mut own = Vec::new();
            let mut amount = |field: &'static str| match of.get(field) {
                None => Patch::Absent,
                Some(text) => Patch::Value(written_number(text).unwrap_or_else(|| {
                    own.push(Violation::invalid(field, Amount::EXPECTED));
                    Amount::ZERO
                })),
            };
            let text =
                |field: &str| of.get(field).map_or(Patch::Absent, |text| Patch::Value((*text).to_owned()));
            payments.push(PaymentInput {
                contractor_uuid: Patch::Value(id.to_string()),
                payment_method: text(METHOD).named(),
                wage: amount(WAGE),
                hours: amount(HOURS),
                bonus: amount(BONUS),
                reimbursement: amount(REIMBURSEMENT),
                memo: text(MEMO),
                invoice_number: text(INVOICE),
            });
            if !own.is_empty() {
                let whose = json!({ "contractor_uuid": id });
                wrong.push(Violation::nested("contractor_payments", own).with_metadata(whose));
            }
        }
        if payments.is_empty() {
            wrong.push(Violation::invalid("contractor_payments", "nothing is entered for anybody"));
        }
        if wrong.is_empty() {
            Ok(GroupPayments {
                check_date: form.date_entry(DAY),
                contractor_payments: Patch::Value(payments),
            })
        } else {
            Err(wrong)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "01900000-0000-7000-8000-000000000001";
    const OTHER: &str = "01900000-0000-7000-8000-000000000002";

    #[test]
    fn whoever_has_no_amount_is_left_out_and_what_is_not_shown_is_carried() {
        let body = format!(
            "check_date.month=7&wage.{ONE}=1%2C250.50&memo.{ONE}=Logo&method.{ONE}=Check&method.{OTHER}=Check&memo.{OTHER}=x&wage.x=1&note.{ONE}=y"
        );
        let form = Form::parse(body.as_bytes());
        let entries = Entries::from_form(&form);
        let payments = entries.payments_request(&form).unwrap().contractor_payments;
        let payments = payments.value().unwrap();
        assert_eq!(payments.len(), 1, "{payments:?}");
        assert_eq!(payments[0].wage.value().map(|wage| wage.to_text(2)).as_deref(), Some("1250.50"));
        assert_eq!(payments[0].memo.value().map(String::as_str), Some("Logo"));
        let carried = entries.hidden_fields(|field, _| field == WAGE);
        let names: Vec<_> = carried.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, [format!("memo.{ONE}"), format!("method.{ONE}")]);
    }

    #[test]
    fn what_is_no_number_is_told_with_its_contractor_and_an_empty_form_is_refused() {
        let body = format!("hours.{ONE}=20%2C5&wage.{OTHER}=10");
        let form = Form::parse(body.as_bytes());
        let wrong = Entries::from_form(&form).payments_request(&form).unwrap_err();
        assert_eq!(wrong.len(), 1);
        assert_eq!(wrong[0].metadata, Some(json!({ "contractor_uuid": ONE })));
        assert_eq!(&*wrong[0].errors[0].key, HOURS);
        let empty = Form::parse(format!("memo.{ONE}=x").as_bytes());
        assert!(Entries::from_form(&empty).is_empty());
        assert_eq!(Entries::from_form(&empty).payments_request(&empty).unwrap_err().len(), 1);
    }
}
