//! Applies the fields of a command to a garnishment, and validates the result as a whole.

use rules::payroll::garnishment::{
    self as rule, Agencies, ChildSupport, GarnishmentTerms, GarnishmentType, IncomeWithholdingOrder,
    PAYMENT_PERIODS, Payee, TaxLevy,
};
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Checks, Named, Violation, check};

use crate::error::Error;
use crate::patch::{Patch, as_is, refuse_null};
use crate::withholding::garnishments::commands::{
    ChildSupportFields, GarnishmentFields, OrderFields, TaxLevyFields,
};
use crate::withholding::garnishments::rows::{Garnishment, payment_period};

/// Maximum length of a description, in characters.
const DESCRIPTION: usize = 200;
/// Maximum length of an identifier, in characters.
const IDENTIFIER: usize = 50;

/// Sets the fields of a new garnishment.
///
/// # Errors
/// Every violation.
pub fn set_new_terms(
    record: &mut Garnishment,
    fields: &GarnishmentFields,
    agencies: &Agencies,
) -> Result<(), Error> {
    let mut checks = Checks::new();
    if matches!(fields.amount, Patch::Absent | Patch::Null) {
        checks.push(Violation::invalid("amount", "amount can't be blank"));
    }
    if matches!(fields.court_ordered, Patch::Absent | Patch::Null) {
        let message = "court_ordered can't be blank: say whether a court or an agency ordered it";
        checks.push(Violation::invalid("court_ordered", message));
    }
    refuse_null("active", &fields.active, &mut checks);
    refuse_null("recurring", &fields.recurring, &mut checks);
    refuse_null("deduct_as_percentage", &fields.deduct_as_percentage, &mut checks);
    refuse_null("employer_fee", &fields.employer_fee, &mut checks);
    apply_fields(record, fields, &mut checks);
    finish_garnishment(record, agencies, checks)
}

/// Updates the fields of a garnishment. `checks` holds the violations of the rest of the update.
///
/// # Errors
/// Every violation.
pub fn update_terms(
    record: &mut Garnishment,
    fields: &GarnishmentFields,
    agencies: &Agencies,
    mut checks: Checks,
) -> Result<(), Error> {
    let fields = without_defaults(&record.terms, fields);
    let derived = record.payee.as_ref().map(Payee::description);
    apply_fields(record, &fields, &mut checks);
    // The name of a case does not describe another garnishment.
    if record.payee.is_none() && derived.as_ref() == Some(&record.description) {
        record.description.clear();
    }
    finish_garnishment(record, agencies, checks)
}

/// Removes the defaults that generated clients add to an update.
///
/// Such a client fills in five fields that its caller did not name: times null, recurring false, annual_maximum null,
/// pay_period_maximum null and deduct_as_percentage false. For an order of child support, a body with all five keys and
/// the first three of these values counts as one of theirs, and the defaults among the five are ignored; a null
/// pay_period_maximum never clears the cap, whoever sends it. For other garnishments they are ignored if all five are
/// defaults and no amount is named; with an amount they are what the caller means.
///
/// Nor does null turn a child support order into another garnishment: its type and its agency are kept, unless another type is sent.
fn without_defaults(before: &GarnishmentTerms, fields: &GarnishmentFields) -> GarnishmentFields {
    let mut fields = fields.clone();
    let all_sent = !matches!(fields.pay_period_maximum, Patch::Absent)
        && !matches!(fields.deduct_as_percentage, Patch::Absent);
    let marks = matches!(fields.times, Patch::Null)
        && matches!(fields.recurring, Patch::Value(false))
        && matches!(fields.annual_maximum, Patch::Null);
    let null_cap = matches!(fields.pay_period_maximum, Patch::Null);
    let false_percentage = matches!(fields.deduct_as_percentage, Patch::Value(false));
    let no_amount = matches!(fields.amount, Patch::Absent) && matches!(fields.total_amount, Patch::Absent);
    let support = before.is_child_support();
    if all_sent && marks && (support || (null_cap && false_percentage && no_amount)) {
        fields.times = Patch::Absent;
        fields.recurring = Patch::Absent;
        fields.annual_maximum = Patch::Absent;
        if false_percentage {
            fields.deduct_as_percentage = Patch::Absent;
        }
        if null_cap {
            fields.pay_period_maximum = Patch::Absent;
        }
    }
    if support && null_cap {
        fields.pay_period_maximum = Patch::Absent;
    }
    let other = |kind: &GarnishmentType| *kind != GarnishmentType::ChildSupport;
    if support && !fields.garnishment_type.value().is_some_and(other) {
        if matches!(fields.garnishment_type, Patch::Null) {
            fields.garnishment_type = Patch::Absent;
        }
        if matches!(fields.child_support, Patch::Null) {
            fields.child_support = Patch::Absent;
        }
    }
    fields
}

fn apply_fields(record: &mut Garnishment, fields: &GarnishmentFields, checks: &mut Checks) {
    let terms = &mut record.terms;
    fields.active.update("active", checks, as_is, &mut terms.active);
    fields.amount.update("amount", checks, as_is, &mut terms.amount);
    fields.court_ordered.update("court_ordered", checks, as_is, &mut terms.court_ordered);
    fields.recurring.update("recurring", checks, as_is, &mut terms.recurring);
    fields.employer_fee.update("employer_fee", checks, as_is, &mut terms.employer_fee);
    fields.deduct_as_percentage.update(
        "deduct_as_percentage",
        checks,
        as_is,
        &mut terms.deduct_as_percentage,
    );
    fields.garnishment_type.update_or_clear(
        "garnishment_type",
        checks,
        check_clearable,
        &mut terms.garnishment_type,
    );
    fields.times.update_or_clear("times", checks, check_clearable, &mut terms.times);
    fields.annual_maximum.update_or_clear(
        "annual_maximum",
        checks,
        check_clearable,
        &mut terms.annual_maximum,
    );
    fields.pay_period_maximum.update_or_clear(
        "pay_period_maximum",
        checks,
        check_clearable,
        &mut terms.pay_period_maximum,
    );
    fields.total_amount.update_or_clear("total_amount", checks, check_clearable, &mut terms.total_amount);
    let mut description = Some(std::mem::take(&mut record.description));
    let text = |key: &str, text: &String| check::optional_text(key, Some(text), DESCRIPTION);
    fields.description.update_or_clear("description", checks, text, &mut description);
    record.description = description.unwrap_or_default();
    fields.served_on.update_or_clear("served_on", checks, check_clearable, &mut record.terms.served_on);
    fields.ends_on.update_or_clear("ends_on", checks, check_clearable, &mut record.terms.ends_on);
    fields.overpayment_agreed_on.update_or_clear(
        "overpayment_agreed_on",
        checks,
        check_clearable,
        &mut record.overpayment_agreed_on,
    );
    let terms = &mut record.terms;
    fields.bankruptcy_chapter.update_or_clear(
        "bankruptcy_chapter",
        checks,
        check_clearable,
        &mut terms.bankruptcy_chapter,
    );
    apply_tax_levy(&mut record.terms, &fields.tax_levy, checks);
    apply_child_support(record, &fields.child_support, checks);
    apply_order(&mut record.terms, &fields.income_withholding_order, checks);
}

fn apply_child_support(record: &mut Garnishment, field: &Patch<ChildSupportFields>, checks: &mut Checks) {
    let key = "child_support";
    match field {
        Patch::Absent => {}
        Patch::Null => {
            record.payee = None;
            record.terms.child_support = None;
        }
        Patch::Value(fields) => {
            let mut own = Checks::new();
            apply_payee(record, fields, &mut own);
            apply_payment_period(&mut record.terms, &fields.payment_period, &mut own);
            nest_violations(key, own, checks);
        }
        Patch::Invalid(expected) => {
            checks.push(Violation::invalid(key, format!("{key} must be {expected}")));
        }
    }
}

fn apply_payee(record: &mut Garnishment, fields: &ChildSupportFields, checks: &mut Checks) {
    let is_new = record.payee.is_none();
    let payee = record.payee.get_or_insert_default();
    let required = |field: &Patch<String>, key: &str, checks: &mut Checks, target: &mut String| {
        let trimmed = |key: &str, text: &String| check::validate_text(key, text, IDENTIFIER);
        if is_new {
            *target = field.required(key, checks, trimmed).unwrap_or_default();
        } else {
            field.update(key, checks, trimmed, target);
        }
    };
    let untouched = !is_new && omits_identifiers(fields, &payee.state);
    required(&fields.state, "state", checks, &mut payee.state);
    required(&fields.fips_code, "fips_code", checks, &mut payee.fips_code);
    for (field, key, target) in [
        (&fields.case_number, "case_number", &mut payee.case_number),
        (&fields.order_number, "order_number", &mut payee.order_number),
        (&fields.remittance_number, "remittance_number", &mut payee.remittance_number),
    ] {
        let text = |key: &str, text: &String| check::optional_text(key, Some(text), IDENTIFIER);
        if !untouched {
            field.update_or_clear(key, checks, text, target);
        }
    }
}

fn apply_payment_period(terms: &mut GarnishmentTerms, field: &Patch<String>, checks: &mut Checks) {
    let key = "payment_period";
    let names = PAYMENT_PERIODS.map(PayFrequency::as_str);
    let period = |key: &str, text: &String| check::parse_named(key, text, &names, payment_period);
    match &mut terms.child_support {
        Some(support) => field.update(key, checks, period, &mut support.payment_period),
        none => {
            let payment_period = field.required(key, checks, period);
            // A violation of the period has been reported; the rest is checked with any.
            let payment_period = payment_period.unwrap_or(PayFrequency::Monthly);
            *none = Some(ChildSupport { payment_period, order: IncomeWithholdingOrder::default() });
        }
    }
}

fn apply_tax_levy(terms: &mut GarnishmentTerms, field: &Patch<TaxLevyFields>, checks: &mut Checks) {
    let key = "tax_levy";
    match field {
        Patch::Absent => {}
        Patch::Null => terms.tax_levy = None,
        Patch::Value(fields) => {
            let mut own = Checks::new();
            apply_levy_fields(terms.tax_levy.get_or_insert_default(), fields, &mut own);
            nest_violations(key, own, checks);
        }
        Patch::Invalid(expected) => {
            checks.push(Violation::invalid(key, format!("{key} must be {expected}")));
        }
    }
}

fn apply_levy_fields(levy: &mut TaxLevy, fields: &TaxLevyFields, checks: &mut Checks) {
    fields.filing_status.update("filing_status", checks, as_is, &mut levy.filing_status);
    fields.dependents.update("dependents", checks, as_is, &mut levy.dependents);
    let key = "additional_standard_deductions";
    fields.additional_standard_deductions.update(key, checks, as_is, &mut levy.additional);
    // A year beyond the largest is out of its bounds, too.
    let year = |_: &str, year: &i64| Ok(Some(i16::try_from(*year).unwrap_or(i16::MAX)));
    fields.year.update_or_clear("year", checks, year, &mut levy.year);
    let state = |key: &str, text: &String| {
        check::optional_text(key, Some(text), IDENTIFIER)
            .map(|state| state.map(|state| state.to_ascii_uppercase()))
    };
    fields.state.update_or_clear("state", checks, state, &mut levy.state);
}

fn apply_order(terms: &mut GarnishmentTerms, field: &Patch<OrderFields>, checks: &mut Checks) {
    let key = "income_withholding_order";
    match (field, &mut terms.child_support) {
        (Patch::Absent, _) | (Patch::Null, None) => {}
        (Patch::Null, Some(support)) => support.order = IncomeWithholdingOrder::default(),
        (Patch::Value(fields), Some(support)) => {
            let mut own = Checks::new();
            apply_order_fields(&mut support.order, fields, &mut own);
            nest_violations(key, own, checks);
        }
        (Patch::Value(_), None) => {
            checks.push(Violation::invalid(key, format!("{key} is only for child support")));
        }
        (Patch::Invalid(expected), _) => {
            checks.push(Violation::invalid(key, format!("{key} must be {expected}")));
        }
    }
}

/// Applies the amounts and the answer that are sent under the names of the federal form (OMB 0970-0154). If any amount of a group is sent,
/// the group replaces the stored amounts, and omitted ones count as zero.
fn apply_form(order: &mut IncomeWithholdingOrder, fields: &OrderFields, checks: &mut Checks) {
    let current = [
        ("current_child_support", &fields.current_child_support),
        ("current_spousal_support", &fields.current_spousal_support),
    ];
    let medical = [("current_cash_medical_support", &fields.current_cash_medical_support)];
    let past_due = [
        ("past_due_child_support", &fields.past_due_child_support),
        ("past_due_spousal_support", &fields.past_due_spousal_support),
        ("past_due_cash_medical_support", &fields.past_due_cash_medical_support),
    ];
    let sum_of = |own: (&str, &Patch<Amount>),
                  parts: &[(&str, &Patch<Amount>)],
                  checks: &mut Checks,
                  target: &mut Option<Amount>| {
        let sent = || parts.iter().filter(|(_, field)| !matches!(field, Patch::Absent));
        let Some((first, _)) = sent().next() else { return };
        if !matches!(own.1, Patch::Absent) {
            let message = format!("send either {} or the names of the form, such as {first}", own.0);
            checks.push(Violation::invalid(own.0, message));
            return;
        }
        let mut sum = Amount::ZERO;
        for &(key, field) in sent() {
            let mut part = None;
            field.update_or_clear(key, checks, check_clearable, &mut part);
            let more = sum.checked_add(part.unwrap_or(Amount::ZERO));
            checks.require(more.is_some(), || Violation::invalid(key, format!("{key} is too large")));
            sum = more.unwrap_or(sum);
        }
        *target = Some(sum);
    };
    sum_of(("current_support", &fields.current_support), &current, checks, &mut order.current_support);
    sum_of(("medical_support", &fields.medical_support), &medical, checks, &mut order.medical_support);
    sum_of(("arrears", &fields.arrears), &past_due, checks, &mut order.arrears);
    fields.arrears_greater_than_12_weeks.update_or_clear(
        "arrears_greater_than_12_weeks",
        checks,
        check_clearable,
        &mut order.arrears_over_12_weeks,
    );
}

fn apply_order_fields(order: &mut IncomeWithholdingOrder, fields: &OrderFields, checks: &mut Checks) {
    apply_form(order, fields, checks);
    fields.health_insurance_premium.update_or_clear(
        "health_insurance_premium",
        checks,
        check_clearable,
        &mut order.health_insurance_premium,
    );
    fields.current_support.update_or_clear(
        "current_support",
        checks,
        check_clearable,
        &mut order.current_support,
    );
    fields.arrears.update_or_clear("arrears", checks, check_clearable, &mut order.arrears);
    fields.medical_support.update_or_clear(
        "medical_support",
        checks,
        check_clearable,
        &mut order.medical_support,
    );
    fields.arrears_over_12_weeks.update_or_clear(
        "arrears_over_12_weeks",
        checks,
        check_clearable,
        &mut order.arrears_over_12_weeks,
    );
    fields.supports_other_family.update_or_clear(
        "supports_other_family",
        checks,
        check_clearable,
        &mut order.supports_other_family,
    );
    fields.received_on.update_or_clear("received_on", checks, check_clearable, &mut order.received_on);
}

/// Validates the garnishment as a whole, and derives the description of child support.
fn finish_garnishment(record: &mut Garnishment, agencies: &Agencies, checks: Checks) -> Result<(), Error> {
    let mut violations = checks.finish().err().unwrap_or_default();
    for violation in rule::check_terms(&record.terms) {
        add_violation(&mut violations, violation);
    }
    let plain = !record.terms.court_ordered && record.terms.garnishment_type.is_none();
    if record.overpayment_agreed_on.is_some() && !plain {
        let message = "overpayment_agreed_on is only for a deduction that nobody ordered: court_ordered false, garnishment_type null";
        add_violation(&mut violations, Violation::invalid("overpayment_agreed_on", message));
    }
    if let Some(payee) = &mut record.payee {
        payee.state.make_ascii_uppercase();
        // Blank fields have been reported.
        let blank = |key: &str| {
            (key == "state" && payee.state.is_empty()) || (key == "fips_code" && payee.fips_code.is_empty())
        };
        let faults: Vec<_> =
            agencies.check_payee(payee).into_iter().filter(|fault| !blank(&fault.key)).collect();
        if !faults.is_empty() {
            add_violation(&mut violations, Violation::nested("child_support", faults));
        }
        record.description = payee.description();
    }
    if violations.is_empty() { Ok(()) } else { Err(Error::from(violations)) }
}

/// Whether an update sends null for all three identifiers of an order that stays in its state, which leaves them as
/// they are.
///
/// An agency requires at least one, so nobody can mean to clear them all. A published form sends this whenever its user
/// does not touch the identifiers that it displays.
fn omits_identifiers(fields: &ChildSupportFields, stored_state: &str) -> bool {
    let stays = match &fields.state {
        Patch::Absent => true,
        Patch::Value(state) => state.trim().eq_ignore_ascii_case(stored_state),
        Patch::Null | Patch::Invalid(_) => false,
    };
    let all = [&fields.case_number, &fields.order_number, &fields.remittance_number];
    stays && all.into_iter().all(|field| matches!(field, Patch::Null))
}

/// The check of a field that may be cleared and needs none beyond its type.
fn check_clearable<T: Copy>(_: &str, value: &T) -> Result<Option<T>, Violation> {
    Ok(Some(*value))
}

/// Nests the violations of an object under its key.
fn nest_violations(key: &str, inside: Checks, checks: &mut Checks) {
    if let Err(violations) = inside.finish() {
        checks.push(Violation::nested(key, violations));
    }
}

/// Adds a violation, merging it with a nested one of the same key. An attribute is reported once.
fn add_violation(violations: &mut Vec<Violation>, new: Violation) {
    match violations.iter_mut().find(|known| known.key == new.key) {
        None => violations.push(new),
        Some(known) => {
            for error in new.errors {
                if !known.errors.iter().any(|reported| reported.key == error.key) {
                    known.errors.push(error);
                }
            }
        }
    }
}
