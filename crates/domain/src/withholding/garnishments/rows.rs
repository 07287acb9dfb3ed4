//! Rows of garnishments. Those of an employee are read in the order of creation.

use jiff::civil::Date;
use rules::payroll::garnishment::{
    ChildSupport, GarnishmentTerms, GarnishmentType, IncomeWithholdingOrder, LevyFilingStatus,
    PAYMENT_PERIODS, Payee, TaxLevy,
};
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Named};
use store::record::Cursor;
use store::{Row, Tx, Unread, Value, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::{IdRange, Millionths};

/// The columns that an update sets, in the order of [`terms_of`].
macro_rules! terms {
    () => {
        "active, description, court_ordered, garnishment_type, amount, deduct_as_percentage, pay_period_maximum, \
         annual_maximum, total_amount, times, recurring, support_state, fips_code, payment_period, case_number, \
         order_number, remittance_number, current_support, arrears, medical_support, arrears_over_12_weeks, \
         supports_other_family, received_on, served_on, ends_on, levy_filing_status, levy_dependents, levy_year, levy_state, \
         bankruptcy_chapter, health_insurance_premium, levy_additional, employer_fee, overpayment_agreed_on"
    };
}

/// The parameters of [`terms_of`], which come first in a statement.
macro_rules! values {
    () => {
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, \
         $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34"
    };
}

/// The columns of a garnishment, in the order in which [`Garnishment::read_garnishment`] reads them.
macro_rules! columns {
    () => {
        concat!("employee_id, id, ", terms!(), ", version, created_on")
    };
}

store::statements! {
    OF_EMPLOYEE = concat!("SELECT ", columns!(), " FROM garnishments WHERE company_id = $1 AND employee_id = $2 ORDER BY id");
    BETWEEN = concat!("SELECT ", columns!(), " FROM garnishments WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 \
              AND active = $4 ORDER BY employee_id, id");
    ALL_BETWEEN = concat!("SELECT ", columns!(), " FROM garnishments WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 \
                  ORDER BY employee_id, id");
    FIND = concat!("SELECT ", columns!(), " FROM garnishments WHERE company_id = $1 AND id = $2");
    INSERT = concat!("INSERT INTO garnishments (", terms!(), ", company_id, employee_id, id, version, created_on, created_at, \
              updated_at) VALUES (", values!(), ", $35, $36, $37, 1, $38, $39, $39)");
    UPDATE = concat!("UPDATE garnishments SET (", terms!(), ") = (", values!(), "), version = version + 1, updated_at = $35 \
              WHERE company_id = $36 AND employee_id = $37 AND id = $38 AND version = $39");
    DELETE = "DELETE FROM garnishments WHERE company_id = $1 AND employee_id = $2";
}

/// Table of the record, also in versions and audit entries.
pub const TABLE: &str = "garnishments";
/// Number of parameters that [`terms_of`] returns.
const TERMS: usize = 34;

/// A garnishment of an employee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Garnishment {
    /// whose pay is garnished
    pub employee: Uuid,
    /// identifier
    pub id: Uuid,
    /// display name; derived from the payee for child support
    pub description: String,
    /// terms
    pub terms: GarnishmentTerms,
    /// payee of child support
    pub payee: Option<Payee>,
    /// when the employee agreed that it pays back what was overpaid; `None` for any other deduction
    pub overpayment_agreed_on: Option<Date>,
    /// counter of updates
    pub version: i64,
    /// the company's date when it was created
    pub created_on: Date,
}

impl Garnishment {
    /// A new garnishment, with the default of every term.
    pub fn new(employee: Uuid, id: Uuid, created_on: Date) -> Self {
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
            served_on: None,
            ends_on: None,
            tax_levy: None,
            bankruptcy_chapter: None,
            employer_fee: false,
        };
        Self {
            employee,
            id,
            description: String::new(),
            terms,
            payee: None,
            overpayment_agreed_on: None,
            version: 1,
            created_on,
        }
    }

    /// Its name on paychecks: the description, or else its type.
    pub fn name(&self) -> &str {
        use GarnishmentType as Type;
        if !self.description.is_empty() {
            return &self.description;
        }
        match self.terms.garnishment_type {
            None if self.overpayment_agreed_on.is_some() => "Overpayment",
            None => "Deduction",
            Some(Type::ChildSupport) => "Child support",
            Some(Type::FederalTaxLien) => "Federal tax levy",
            Some(Type::StateTaxLien) => "State tax levy",
            Some(Type::StudentLoan) => "Student loan",
            Some(Type::CreditorGarnishment) => "Creditor garnishment",
            Some(Type::FederalLoan) => "Federal debt",
            Some(Type::OtherGarnishment) => "Garnishment",
        }
    }

    /// The details of the order; `None` if nothing is known of it.
    pub fn order_details(&self) -> Option<&IncomeWithholdingOrder> {
        let order = &self.terms.child_support.as_ref()?.order;
        (*order != IncomeWithholdingOrder::default()).then_some(order)
    }

    /// The date that determines precedence among orders: that of service or receipt, or else of creation.
    pub fn precedence_date(&self) -> Date {
        if let Some(served) = self.terms.served_on {
            return served;
        }
        let order = self.terms.child_support.as_ref().and_then(|support| support.order.received_on);
        order.unwrap_or(self.created_on)
    }

    fn read_garnishment(row: &Row<'_>) -> Result<Self, store::Error> {
        let mut columns = Cursor::new(row, TABLE, 0);
        let (employee, id) = (columns.read_plain("employee_id")?, columns.read_plain("id")?);
        let active = columns.read_plain("active")?;
        let description = columns.read_plain("description")?;
        let mut terms = GarnishmentTerms {
            active,
            court_ordered: columns.read_plain("court_ordered")?,
            garnishment_type: columns.text_or_null("garnishment_type", GarnishmentType::parse)?,
            amount: columns.read_stored::<Millionths, _>("amount")?,
            deduct_as_percentage: columns.read_plain("deduct_as_percentage")?,
            pay_period_maximum: columns.stored_or_null::<Millionths, _>("pay_period_maximum")?,
            annual_maximum: columns.stored_or_null::<Millionths, _>("annual_maximum")?,
            total_amount: columns.stored_or_null::<Millionths, _>("total_amount")?,
            times: columns.read_plain("times")?,
            recurring: columns.read_plain("recurring")?,
            child_support: None,
            served_on: None,
            ends_on: None,
            tax_levy: None,
            bankruptcy_chapter: None,
            employer_fee: false,
        };
        let state: Option<String> = columns.read_plain("support_state")?;
        let fips_code: Option<String> = columns.read_plain("fips_code")?;
        let payment_period = columns.text_or_null("payment_period", payment_period)?;
        let mut payee = Payee {
            case_number: columns.read_plain("case_number")?,
            order_number: columns.read_plain("order_number")?,
            remittance_number: columns.read_plain("remittance_number")?,
            ..Payee::default()
        };
        let mut order = IncomeWithholdingOrder {
            current_support: columns.stored_or_null::<Millionths, _>("current_support")?,
            arrears: columns.stored_or_null::<Millionths, _>("arrears")?,
            medical_support: columns.stored_or_null::<Millionths, _>("medical_support")?,
            health_insurance_premium: None,
            arrears_over_12_weeks: columns.read_plain("arrears_over_12_weeks")?,
            supports_other_family: columns.read_plain("supports_other_family")?,
            received_on: columns.read_plain("received_on")?,
        };
        terms.served_on = columns.read_plain("served_on")?;
        terms.ends_on = columns.read_plain("ends_on")?;
        terms.tax_levy = tax_levy(&mut columns)?;
        terms.bankruptcy_chapter = columns.read_plain("bankruptcy_chapter")?;
        order.health_insurance_premium =
            columns.stored_or_null::<Millionths, _>("health_insurance_premium")?;
        let additional: Option<i64> = columns.read_plain("levy_additional")?;
        if let Some(levy) = &mut terms.tax_levy {
            levy.additional = additional.unwrap_or(0);
        }
        terms.employer_fee = columns.read_plain("employer_fee")?;
        let overpayment_agreed_on = columns.read_plain("overpayment_agreed_on")?;
        let payee = match state {
            None => None,
            Some(state) => {
                let missing =
                    |field| Unread::new("is NULL in an order of child support").into_error(TABLE, field);
                payee.state = state;
                payee.fips_code = fips_code.ok_or_else(|| missing("fips_code"))?;
                let payment_period = payment_period.ok_or_else(|| missing("payment_period"))?;
                terms.child_support = Some(ChildSupport { payment_period, order });
                Some(payee)
            }
        };
        let (version, created_on) = (columns.read_plain("version")?, columns.read_plain("created_on")?);
        Ok(Self { employee, id, description, terms, payee, overpayment_agreed_on, version, created_on })
    }
}

/// What a tax levy says of the employee; the filing status is NULL if nothing is known.
fn tax_levy(columns: &mut Cursor<'_, '_>) -> Result<Option<TaxLevy>, store::Error> {
    let status = columns.text_or_null("levy_filing_status", LevyFilingStatus::parse)?;
    let dependents: Option<i64> = columns.read_plain("levy_dependents")?;
    let year: Option<i64> = columns.read_plain("levy_year")?;
    let state = columns.read_plain("levy_state")?;
    let Some(filing_status) = status else { return Ok(None) };
    let unread = |field, why: &str| Unread::new(why.to_owned()).into_error(TABLE, field);
    let dependents = dependents.ok_or_else(|| unread("levy_dependents", "is NULL in a levy for taxes"))?;
    let year = year.map(i16::try_from).transpose().map_err(|_| unread("levy_year", "is no year"))?;
    Ok(Some(TaxLevy { filing_status, dependents, year, state, additional: 0 }))
}

/// The payment period with this name.
pub(super) fn payment_period(name: &str) -> Option<PayFrequency> {
    PAYMENT_PERIODS.into_iter().find(|period| period.as_str() == name)
}

/// The employee's garnishments, including inactive ones.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Garnishment>, Error> {
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee], Garnishment::read_garnishment)?)
}

/// The active garnishments of the employees in a range of ids, by employee.
pub fn active_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    first: Uuid,
    last: Uuid,
) -> Result<Vec<Garnishment>, Error> {
    Ok(tx.try_query(BETWEEN, params![company, first, last, true], Garnishment::read_garnishment)?)
}

/// The garnishments of the employees in a range of ids, by employee, including inactive ones.
pub fn garnishments_of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<Garnishment>, Error> {
    Ok(tx.try_query(ALL_BETWEEN, params![company, first, last], Garnishment::read_garnishment)?)
}

/// Announces the query of [`garnishments_of_employees`].
pub fn announce_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<(), Error> {
    Ok(tx.announce_query(ALL_BETWEEN, params![company, first, last])?)
}

/// The garnishment, if it belongs to an employee of the company.
pub fn find_garnishment(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Garnishment>, Error> {
    Ok(tx.try_find(FIND, params![company, id], Garnishment::read_garnishment)?)
}

/// Stores a new garnishment.
pub fn insert_garnishment(tx: &mut Tx<'_>, company: Uuid, new: &Garnishment) -> Result<(), Error> {
    let now = tx.now();
    let record = params![company, new.employee, new.id, new.created_on, now];
    Ok(tx.insert_row(INSERT, &[&terms_of(new)[..], record].concat())?)
}

/// Stores a changed garnishment; `false`, and nothing is stored, if its version has moved on.
pub fn update_garnishment(tx: &mut Tx<'_>, company: Uuid, changed: &Garnishment) -> Result<bool, Error> {
    let now = tx.now();
    let record = params![now, company, changed.employee, changed.id, changed.version];
    Ok(tx.change_rows(UPDATE, &[&terms_of(changed)[..], record].concat())?.is_one())
}

/// The parameters of the columns that an update sets. Those of child support are NULL in other garnishments.
fn terms_of(record: &Garnishment) -> [Value<'_>; TERMS] {
    let terms = &record.terms;
    let (payee, support) = record.payee.as_ref().zip(terms.child_support.as_ref()).unzip();
    let order = support.map(|support| &support.order);
    let levy = terms.tax_levy.as_ref();
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
        payee.map(|payee| &payee.state).into(),
        payee.map(|payee| &payee.fips_code).into(),
        support.map(|support| support.payment_period.as_str()).into(),
        payee.and_then(|payee| payee.case_number.as_deref()).into(),
        payee.and_then(|payee| payee.order_number.as_deref()).into(),
        payee.and_then(|payee| payee.remittance_number.as_deref()).into(),
        millionths(order.and_then(|order| order.current_support)),
        millionths(order.and_then(|order| order.arrears)),
        millionths(order.and_then(|order| order.medical_support)),
        order.and_then(|order| order.arrears_over_12_weeks).into(),
        order.and_then(|order| order.supports_other_family).into(),
        order.and_then(|order| order.received_on).into(),
        terms.served_on.into(),
        terms.ends_on.into(),
        levy.map(|levy| levy.filing_status.as_str()).into(),
        levy.map(|levy| levy.dependents).into(),
        levy.and_then(|levy| levy.year).map(i64::from).into(),
        levy.and_then(|levy| levy.state.as_deref()).into(),
        terms.bankruptcy_chapter.into(),
        millionths(order.and_then(|order| order.health_insurance_premium)),
        levy.map(|levy| levy.additional).into(),
        terms.employer_fee.into(),
        record.overpayment_agreed_on.into(),
    ]
}

/// Deletes an employee's garnishments.
pub fn delete_garnishments(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(DELETE, params![company, employee])?.rows();
    Ok(())
}
