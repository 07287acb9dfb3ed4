//! Rows of garnishments. Those of an employee are read in the order of creation.

use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::payroll::garnishment::{
    ChildSupport, GarnishmentTerms, GarnishmentType, IncomeWithholdingOrder, Payee,
};
use rules::withholding::federal::PayFrequency;
use store::{Row, Tx, Value, params};
use uuid::Uuid;

use crate::error::Error;

/// What a garnishment says, in the order of [`terms_of`].
macro_rules! terms {
    () => {
        "active, description, court_ordered, garnishment_type, amount, deduct_as_percentage, pay_period_maximum, \
         annual_maximum, total_amount, times, recurring, support_state, fips_code, payment_period, case_number, \
         order_number, remittance_number, current_support, arrears, medical_support, arrears_over_12_weeks, \
         supports_other_family, received_on"
    };
}

/// The parameters of [`terms_of`], which come first in a statement.
macro_rules! values {
    () => {
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23"
    };
}

/// The columns of a garnishment, in the order in which [`garnishment`] reads them.
macro_rules! columns {
    () => {
        concat!("employee_id, id, ", terms!(), ", version, created_on")
    };
}

store::statements! {
    OF_EMPLOYEE = concat!("SELECT ", columns!(), " FROM garnishments WHERE company_id = $1 AND employee_id = $2 ORDER BY id");
    BETWEEN = concat!("SELECT ", columns!(), " FROM garnishments WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 \
              AND active = $4 ORDER BY employee_id, id");
    FIND = concat!("SELECT ", columns!(), " FROM garnishments WHERE company_id = $1 AND id = $2");
    INSERT = concat!("INSERT INTO garnishments (", terms!(), ", company_id, employee_id, id, version, created_on, created_at, \
              updated_at) VALUES (", values!(), ", $24, $25, $26, 1, $27, $28, $28)");
    UPDATE = concat!("UPDATE garnishments SET (", terms!(), ") = (", values!(), "), version = version + 1, updated_at = $24 \
              WHERE company_id = $25 AND employee_id = $26 AND id = $27 AND version = $28");
    DELETE = "DELETE FROM garnishments WHERE company_id = $1 AND employee_id = $2";
}

/// How many parameters [`terms_of`] gives.
const TERMS: usize = 23;

/// A garnishment of an employee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Garnishment {
    /// whose pay it is taken from
    pub employee: Uuid,
    /// identifier
    pub id: Uuid,
    /// what people call it; of child support, what the service calls it
    pub description: String,
    /// what it says
    pub terms: GarnishmentTerms,
    /// whom child support is paid to
    pub payee: Option<Payee>,
    /// counter of updates
    pub version: i64,
    /// the company's date of its creation
    pub created_on: Date,
}

impl Garnishment {
    /// When the order was received, as far as is known: by this, older orders come first.
    pub fn since(&self) -> Date {
        let order = self.terms.child_support.as_ref().and_then(|support| support.order.received_on);
        order.unwrap_or(self.created_on)
    }
}

fn garnishment(row: &Row<'_>) -> Garnishment {
    let amount = |column| row.get::<Option<i64>>(column).map(Amount::from_millionths);
    let kind = row.get::<Option<&str>>(5).map(|text| {
        GarnishmentType::parse(text).unwrap_or_else(|| panic!("{text} is no type of garnishment"))
    });
    let payee = row.get::<Option<String>>(13).map(|state| Payee {
        state,
        fips_code: row.get::<Option<String>>(14).unwrap_or_default(),
        case_number: row.get(16),
        order_number: row.get(17),
        remittance_number: row.get(18),
    });
    let child_support = row.get::<Option<&str>>(15).map(|period| ChildSupport {
        payment_period: PayFrequency::parse(period)
            .unwrap_or_else(|| panic!("{period} is no payment period")),
        order: IncomeWithholdingOrder {
            current_support: amount(19),
            arrears: amount(20),
            medical_support: amount(21),
            arrears_over_12_weeks: row.get(22),
            supports_other_family: row.get(23),
            received_on: row.get(24),
        },
    });
    Garnishment {
        employee: row.get(0),
        id: row.get(1),
        description: row.get(3),
        terms: GarnishmentTerms {
            active: row.get(2),
            court_ordered: row.get(4),
            garnishment_type: kind,
            amount: Amount::from_millionths(row.get(6)),
            deduct_as_percentage: row.get(7),
            pay_period_maximum: amount(8),
            annual_maximum: amount(9),
            total_amount: amount(10),
            times: row.get(11),
            recurring: row.get(12),
            child_support,
        },
        payee,
        version: row.get(25),
        created_on: row.get(26),
    }
}

/// The employee's garnishments, those that are not active among them.
///
/// # Errors
/// A store error.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Garnishment>, Error> {
    Ok(tx.query(OF_EMPLOYEE, params![company, employee], garnishment)?)
}

/// The active garnishments of the employees in a stretch of ids, by employee.
///
/// # Errors
/// A store error.
pub fn active_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    first: Uuid,
    last: Uuid,
) -> Result<Vec<Garnishment>, Error> {
    Ok(tx.query(BETWEEN, params![company, first, last, true], garnishment)?)
}

/// The garnishment, if it is one of the company's employees'.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Garnishment>, Error> {
    Ok(tx.find(FIND, params![company, id], garnishment)?)
}

/// Stores a new garnishment.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &Garnishment) -> Result<(), Error> {
    let now = tx.now();
    let record = params![company, new.employee, new.id, new.created_on, now];
    Ok(tx.insert(INSERT, &[&terms_of(new)[..], record].concat())?)
}

/// Stores what the record says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &Garnishment) -> Result<bool, Error> {
    let now = tx.now();
    let record = params![now, company, changed.employee, changed.id, changed.version];
    Ok(tx.change(UPDATE, &[&terms_of(changed)[..], record].concat())?.one())
}

/// What the garnishment says, as parameters.
fn terms_of(record: &Garnishment) -> [Value<'_>; TERMS] {
    let (terms, columns) = (&record.terms, SupportColumns::of(record));
    let millionths = |amount: Option<Amount>| Value::from(amount.map(Amount::millionths));
    [
        terms.active.into(),
        (&record.description).into(),
        terms.court_ordered.into(),
        terms.garnishment_type.map(GarnishmentType::as_str).into(),
        terms.amount.millionths().into(),
        terms.deduct_as_percentage.into(),
        millionths(terms.pay_period_maximum),
        millionths(terms.annual_maximum),
        millionths(terms.total_amount),
        terms.times.into(),
        terms.recurring.into(),
        columns.state.into(),
        columns.fips_code.into(),
        columns.payment_period.into(),
        columns.identifiers[0].into(),
        columns.identifiers[1].into(),
        columns.identifiers[2].into(),
        columns.amounts[0].into(),
        columns.amounts[1].into(),
        columns.amounts[2].into(),
        columns.arrears_over_12_weeks.into(),
        columns.supports_other_family.into(),
        columns.received_on.into(),
    ]
}

/// The columns that only child support fills.
#[derive(Default)]
struct SupportColumns<'a> {
    state: Option<&'a str>,
    fips_code: Option<&'a str>,
    payment_period: Option<&'static str>,
    identifiers: [Option<&'a str>; 3],
    amounts: [Option<i64>; 3],
    arrears_over_12_weeks: Option<bool>,
    supports_other_family: Option<bool>,
    received_on: Option<Date>,
}

impl<'a> SupportColumns<'a> {
    fn of(record: &'a Garnishment) -> Self {
        let (Some(payee), Some(support)) = (&record.payee, &record.terms.child_support) else {
            return Self::default();
        };
        let order = &support.order;
        let amounts = [order.current_support, order.arrears, order.medical_support];
        let identifiers = [&payee.case_number, &payee.order_number, &payee.remittance_number];
        Self {
            state: Some(&payee.state),
            fips_code: Some(&payee.fips_code),
            payment_period: Some(support.payment_period.as_str()),
            identifiers: identifiers.map(|identifier| identifier.as_deref()),
            amounts: amounts.map(|amount| amount.map(Amount::millionths)),
            arrears_over_12_weeks: order.arrears_over_12_weeks,
            supports_other_family: order.supports_other_family,
            received_on: order.received_on,
        }
    }
}

/// Deletes an employee's garnishments.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change(DELETE, params![company, employee])?.rows();
    Ok(())
}
