//! What a request says of a garnishment, put together with what is held of it, and checked as a whole.

use rules::Named;
use rules::payroll::garnishment::{
    self as rule, Agencies, ChildSupport, GarnishmentTerms, GarnishmentType, IncomeWithholdingOrder,
    PAYMENT_PERIODS, Payee,
};
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Checks, Violation, check};

use crate::error::Error;
use crate::field::{Field, as_is};
use crate::withholding::garnishments::shapes::{
    ChildSupportInput, CreateGarnishment, IncomeWithholdingOrderInput,
};

/// Characters of a description at the most.
const DESCRIPTION: usize = 200;
/// Characters of an identifier at the most.
const IDENTIFIER: usize = 50;

/// A garnishment before it is stored.
#[derive(Debug, Clone)]
pub struct Draft {
    /// what people call it
    pub description: String,
    /// what it says
    pub terms: GarnishmentTerms,
    /// whom child support is paid to
    pub payee: Option<Payee>,
}

impl Default for Draft {
    /// What counts where a new garnishment says nothing.
    fn default() -> Self {
        let terms = GarnishmentTerms {
            active: true,
            court_ordered: false,
            garnishment_type: None,
            amount: Amount::ZERO,
            deduct_as_percentage: false,
            pay_period_maximum: None,
            annual_maximum: None,
            total_amount: None,
            times: None,
            recurring: false,
            child_support: None,
        };
        Self { description: String::new(), terms, payee: None }
    }
}

/// A new garnishment.
///
/// # Errors
/// Every violation.
pub fn new(input: &CreateGarnishment, agencies: &Agencies) -> Result<Draft, Error> {
    let mut checks = Checks::new();
    // Null is told where the field is read.
    if matches!(input.amount, Field::Absent) {
        checks.push(Violation::invalid("amount", "amount can't be blank"));
    }
    if matches!(input.court_ordered, Field::Absent) {
        let message = "court_ordered can't be blank: say whether a court or an agency ordered it";
        checks.push(Violation::invalid("court_ordered", message));
    }
    let mut draft = Draft::default();
    draft.apply(input, &mut checks);
    draft.finish(agencies, checks)
}

/// A garnishment with what an update says. The update's version is read beside.
///
/// # Errors
/// Every violation.
pub fn changed(
    before: Draft,
    input: &CreateGarnishment,
    agencies: &Agencies,
    checks: Checks,
) -> Result<Draft, Error> {
    let mut checks = checks;
    let mut draft = before;
    let input = without_defaults(&draft.terms, input);
    draft.apply(&input, &mut checks);
    draft.finish(agencies, checks)
}

/// An update without what generated clients add to it.
///
/// Such a client fills in five fields that its caller did not name: times null, recurring false, annual_maximum null,
/// pay_period_maximum null and deduct_as_percentage false. Of an order for child support, a body with all five keys and
/// the first three of these values counts as one of theirs, and the defaults among the five are passed over; a null
/// pay_period_maximum never clears the cap, whoever sends it. Of another garnishment they are passed over where all
/// five are defaults and no amount is named; with an amount they are what the caller says of it.
fn without_defaults(before: &GarnishmentTerms, input: &CreateGarnishment) -> CreateGarnishment {
    let mut input = input.clone();
    let all_sent = !matches!(input.pay_period_maximum, Field::Absent)
        && !matches!(input.deduct_as_percentage, Field::Absent);
    let marks = matches!(input.times, Field::Null)
        && matches!(input.recurring, Field::Given(false))
        && matches!(input.annual_maximum, Field::Null);
    let null_cap = matches!(input.pay_period_maximum, Field::Null);
    let false_percentage = matches!(input.deduct_as_percentage, Field::Given(false));
    let no_amount = matches!(input.amount, Field::Absent) && matches!(input.total_amount, Field::Absent);
    let support = before.is_child_support();
    if all_sent && marks && (support || (null_cap && false_percentage && no_amount)) {
        input.times = Field::Absent;
        input.recurring = Field::Absent;
        input.annual_maximum = Field::Absent;
        if false_percentage {
            input.deduct_as_percentage = Field::Absent;
        }
        if null_cap {
            input.pay_period_maximum = Field::Absent;
        }
    }
    if support && null_cap {
        input.pay_period_maximum = Field::Absent;
    }
    input
}

impl Draft {
    /// Takes over what was sent.
    fn apply(&mut self, input: &CreateGarnishment, checks: &mut Checks) {
        let terms = &mut self.terms;
        input.active.update("active", checks, as_is, &mut terms.active);
        input.amount.update("amount", checks, as_is, &mut terms.amount);
        input.court_ordered.update("court_ordered", checks, as_is, &mut terms.court_ordered);
        input.recurring.update("recurring", checks, as_is, &mut terms.recurring);
        input.deduct_as_percentage.update(
            "deduct_as_percentage",
            checks,
            as_is,
            &mut terms.deduct_as_percentage,
        );
        let kind = |key: &str, text: &String| {
            let allowed = GarnishmentType::names();
            check::named(key, text, &allowed, GarnishmentType::parse).map(Some)
        };
        input.garnishment_type.update_or_clear("garnishment_type", checks, kind, &mut terms.garnishment_type);
        input.times.update_or_clear("times", checks, some, &mut terms.times);
        input.annual_maximum.update_or_clear("annual_maximum", checks, some, &mut terms.annual_maximum);
        input.pay_period_maximum.update_or_clear(
            "pay_period_maximum",
            checks,
            some,
            &mut terms.pay_period_maximum,
        );
        input.total_amount.update_or_clear("total_amount", checks, some, &mut terms.total_amount);
        let mut description = Some(std::mem::take(&mut self.description));
        let text = |key: &str, text: &String| check::optional_text(key, Some(text), DESCRIPTION);
        input.description.update_or_clear("description", checks, text, &mut description);
        self.description = description.unwrap_or_default();
        self.child_support(&input.child_support, checks);
        self.order(&input.income_withholding_order, checks);
    }

    fn child_support(&mut self, input: &Field<ChildSupportInput>, checks: &mut Checks) {
        match input {
            Field::Absent => {}
            Field::Null => {
                self.payee = None;
                self.terms.child_support = None;
            }
            Field::Given(input) => {
                let mut own = Checks::new();
                self.merge(input, &mut own);
                nest("child_support", own, checks);
            }
            Field::Wrong => {
                checks.push(Violation::invalid("child_support", "child_support must be an object"));
            }
        }
    }

    fn merge(&mut self, input: &ChildSupportInput, checks: &mut Checks) {
        let is_new = self.payee.is_none();
        let payee = self.payee.get_or_insert_default();
        let required = |field: &Field<String>, key: &str, checks: &mut Checks, target: &mut String| {
            let trimmed = |key: &str, text: &String| check::text(key, text, IDENTIFIER);
            if is_new {
                *target = field.required(key, checks, trimmed).unwrap_or_default();
            } else {
                field.update(key, checks, trimmed, target);
            }
        };
        let untouched = !is_new && leaves_identifiers(input, &payee.state);
        required(&input.state, "state", checks, &mut payee.state);
        required(&input.fips_code, "fips_code", checks, &mut payee.fips_code);
        for (field, key, target) in [
            (&input.case_number, "case_number", &mut payee.case_number),
            (&input.order_number, "order_number", &mut payee.order_number),
            (&input.remittance_number, "remittance_number", &mut payee.remittance_number),
        ] {
            let text = |key: &str, text: &String| check::optional_text(key, Some(text), IDENTIFIER);
            if !untouched {
                field.update_or_clear(key, checks, text, target);
            }
        }
        let periods = PAYMENT_PERIODS.map(PayFrequency::as_str);
        let period = |key: &str, text: &String| {
            let parse = |text: &str| PAYMENT_PERIODS.into_iter().find(|period| period.as_str() == text);
            check::named(key, text, &periods, parse)
        };
        match &mut self.terms.child_support {
            Some(support) => {
                input.payment_period.update("payment_period", checks, period, &mut support.payment_period);
            }
            none => {
                let given = input.payment_period.required("payment_period", checks, period);
                let order = IncomeWithholdingOrder::default();
                // Where the period is at fault, that is told already.
                *none = Some(ChildSupport { payment_period: given.unwrap_or(PayFrequency::Monthly), order });
            }
        }
    }

    fn order(&mut self, input: &Field<IncomeWithholdingOrderInput>, checks: &mut Checks) {
        let key = "income_withholding_order";
        match (input, &mut self.terms.child_support) {
            (Field::Absent, _) | (Field::Null, None) => {}
            (Field::Null, Some(support)) => support.order = IncomeWithholdingOrder::default(),
            (Field::Given(input), Some(support)) => {
                let mut own = Checks::new();
                merge_order(&mut support.order, input, &mut own);
                nest(key, own, checks);
            }
            (Field::Given(_), None) => {
                checks.push(Violation::invalid(key, format!("{key} is only for child support")));
            }
            (Field::Wrong, _) => checks.push(Violation::invalid(key, format!("{key} must be an object"))),
        }
    }

    /// The garnishment as it may be stored: checked as a whole, with the description of child support made anew.
    fn finish(mut self, agencies: &Agencies, mut checks: Checks) -> Result<Self, Error> {
        let mut violations = checks_of(&mut checks);
        for violation in rule::check(&self.terms) {
            add(&mut violations, violation);
        }
        if let Some(payee) = &mut self.payee {
            payee.state.make_ascii_uppercase();
            let blank = [("state", &payee.state), ("fips_code", &payee.fips_code)]
                .into_iter()
                .filter(|(_, value)| value.is_empty())
                .map(|(key, _)| key)
                .collect::<Vec<_>>();
            // What is blank was told with the field.
            let faults = agencies.check(payee).into_iter().filter(|fault| !blank.contains(&&*fault.key));
            let faults: Vec<_> = faults.collect();
            if !faults.is_empty() {
                add(&mut violations, Violation::nested("child_support", faults));
            }
            self.description = payee.description();
        }
        if violations.is_empty() { Ok(self) } else { Err(Error::from(violations)) }
    }
}

/// Whether an update says nothing of the identifiers: all three null, of an order that stays in its state.
///
/// Nobody can mean that, because an agency needs at least one. A published form sends it whenever its user leaves the
/// identifiers, which it shows as they are held, alone.
fn leaves_identifiers(input: &ChildSupportInput, held: &str) -> bool {
    let stays = match &input.state {
        Field::Absent => true,
        Field::Given(state) => state.trim().eq_ignore_ascii_case(held),
        Field::Null | Field::Wrong => false,
    };
    let all = [&input.case_number, &input.order_number, &input.remittance_number];
    stays && all.into_iter().all(|field| matches!(field, Field::Null))
}

fn merge_order(order: &mut IncomeWithholdingOrder, input: &IncomeWithholdingOrderInput, checks: &mut Checks) {
    input.current_support.update_or_clear("current_support", checks, some, &mut order.current_support);
    input.arrears.update_or_clear("arrears", checks, some, &mut order.arrears);
    input.medical_support.update_or_clear("medical_support", checks, some, &mut order.medical_support);
    input.arrears_over_12_weeks.update_or_clear(
        "arrears_over_12_weeks",
        checks,
        some,
        &mut order.arrears_over_12_weeks,
    );
    input.supports_other_family.update_or_clear(
        "supports_other_family",
        checks,
        some,
        &mut order.supports_other_family,
    );
    let day = |key: &str, text: &String| check::date(key, text).map(Some);
    input.received_on.update_or_clear("received_on", checks, day, &mut order.received_on);
}

/// The check of a field that may be cleared and whose type says all.
fn some<T: Copy>(_: &str, value: &T) -> Result<Option<T>, Violation> {
    Ok(Some(*value))
}

/// Puts what was found inside an object under its key.
fn nest(key: &str, inside: Checks, checks: &mut Checks) {
    if let Err(faults) = inside.finish() {
        checks.push(Violation::nested(key, faults));
    }
}

fn checks_of(checks: &mut Checks) -> Vec<Violation> {
    std::mem::take(checks).finish().err().unwrap_or_default()
}

/// Adds a violation: inside the container of the same key where there is one, and not where the attribute is at fault
/// already.
fn add(violations: &mut Vec<Violation>, new: Violation) {
    match violations.iter_mut().find(|known| known.key == new.key) {
        None => violations.push(new),
        Some(known) => {
            for fault in new.errors {
                if !known.errors.iter().any(|told| told.key == fault.key) {
                    known.errors.push(fault);
                }
            }
        }
    }
}
