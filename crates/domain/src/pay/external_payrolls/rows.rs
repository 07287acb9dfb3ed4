//! Rows of external payrolls, employees' items, and tax amounts owed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::taxes::{Payer, TaxId};
use rules::{Amount, Named};
use store::record::Cursor;
use store::{Json, Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::items::Item;
use crate::error::Error;
use crate::records::IdRange;

/// Table of the items.
const ITEMS: &str = "external_payroll_items";
/// Table of the tax amounts owed.
const LIABILITIES: &str = "external_tax_liabilities";
/// Maximum number of external payrolls of a company: enough for weekly ones over more than two years.
pub const MOST: usize = 120;

/// The status of an external payroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ExternalPayrollStatus {
    /// can be changed
    #[strum(serialize = "unprocessed")]
    Unprocessed,
    /// sums are being added to the opening balances
    #[strum(serialize = "processing")]
    Processing,
    /// sums are in the opening balances
    #[strum(serialize = "processed")]
    Processed,
}

store::record! {
    /// A payroll of another provider.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ExternalPayroll in "external_payrolls" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// status
            pub status: ExternalPayrollStatus as text,
        }
        fixed {
            /// pay date
            pub check_date: Date,
            /// first day of the pay period
            pub start: Date = "start_date",
            /// last day of the pay period
            pub end: Date = "end_date",
        }
        times {
            /// time of creation
            pub created_at: Timestamp,
            /// time of the last change; once processed, time of processing
            pub updated_at: Timestamp,
        }
        version
    }
}

store::statements! {
    records ExternalPayroll;
    OF_COMPANY = store::text!(ExternalPayroll::SELECT, " ORDER BY check_date, id");
    DELETE_ITEMS = "DELETE FROM external_payroll_items WHERE company_id = $1 AND payroll_id = $2";
    ITEMS_OF = "SELECT employee_id, item FROM external_payroll_items WHERE company_id = $1 AND payroll_id = $2 ORDER BY employee_id";
    ITEMS_BETWEEN = "SELECT payroll_id, employee_id, item FROM external_payroll_items WHERE company_id = $1 \
                     AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id";
    EMPLOYEES_AFTER = "SELECT DISTINCT employee_id FROM external_payroll_items WHERE company_id = $1 AND employee_id > $2 \
                       ORDER BY employee_id LIMIT $3";
    PUT_ITEM = "INSERT INTO external_payroll_items (company_id, payroll_id, employee_id, item) VALUES ($1, $2, $3, $4) \
                ON CONFLICT (company_id, payroll_id, employee_id) DO UPDATE SET item = excluded.item";
    FORGET = "DELETE FROM external_payroll_items WHERE company_id = $1 AND employee_id = $2";
    OWED = "SELECT tax, employer, last_unpaid_id, amount FROM external_tax_liabilities WHERE company_id = $1 ORDER BY tax, employer";
    PUT_OWED = "INSERT INTO external_tax_liabilities (company_id, tax, employer, last_unpaid_id, amount, updated_at) \
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (company_id, tax, employer) DO UPDATE \
                SET last_unpaid_id = excluded.last_unpaid_id, amount = excluded.amount, updated_at = excluded.updated_at";
    DELETE_OWED_UNTIL = "DELETE FROM external_tax_liabilities WHERE company_id = $1 AND last_unpaid_id = $2";
}

/// Returns the external payrolls of the company, ordered by pay date.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<ExternalPayroll>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], ExternalPayroll::read)?)
}

/// Returns the items of an external payroll, by employee.
pub fn items_of_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
) -> Result<BTreeMap<Uuid, Item>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, ITEMS, 0);
        Ok::<_, store::Error>((next.read_plain("employee_id")?, next.read_json("item")?))
    };
    Ok(tx.try_query(ITEMS_OF, params![company, payroll], read)?.into_iter().collect())
}

/// Returns the items of the employees between two (both included), each with its external payroll and employee.
pub fn items_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<(Uuid, Uuid, Item)>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, ITEMS, 0);
        Ok::<_, store::Error>((
            next.read_plain("payroll_id")?,
            next.read_plain("employee_id")?,
            next.read_json("item")?,
        ))
    };
    Ok(tx.try_query(ITEMS_BETWEEN, params![company, first, last], read)?)
}

/// Returns at most `most` employees with items that follow the employee `after`, in order.
pub fn employees_after(tx: &mut Tx<'_>, company: Uuid, after: Uuid, most: i64) -> Result<Vec<Uuid>, Error> {
    let read = |row: &Row<'_>| Cursor::new(row, ITEMS, 0).read_plain("employee_id");
    Ok(tx.try_query(EMPLOYEES_AFTER, params![company, after, most], read)?)
}

/// Stores the item of an employee.
pub fn put_item(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    employee: Uuid,
    item: &Item,
) -> Result<(), Error> {
    let item = store::record::serialize_json(ITEMS, "item", item)?;
    Ok(tx.insert_row(PUT_ITEM, params![company, payroll, employee, Json(&item)])?)
}

/// Deletes the items of an external payroll.
pub fn delete_items(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(DELETE_ITEMS, params![company, payroll])?.rows();
    Ok(())
}

/// Deletes the items of an employee who is being deleted. The caller holds the employee's guard.
pub fn delete_employee_items(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(FORGET, params![company, employee])?.rows();
    Ok(())
}

/// The amount owed for a tax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owed {
    /// code and payer of the tax
    pub id: TaxId,
    /// last external payroll whose tax was not paid; `None` if nothing is owed
    pub last_unpaid: Option<Uuid>,
    /// dollars
    pub amount: Amount,
}

/// Returns the amounts owed, ordered by tax.
pub fn list_owed_taxes(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Owed>, Error> {
    Ok(tx.try_query(OWED, params![company], |row| {
        let mut next = Cursor::new(row, LIABILITIES, 0);
        let code: String = next.read_plain("tax")?;
        let payer = if next.read_plain("employer")? { Payer::Employer } else { Payer::Employee };
        let last_unpaid = next.read_plain("last_unpaid_id")?;
        Ok::<_, store::Error>(Owed {
            id: TaxId { code, payer },
            last_unpaid,
            amount: Amount::from_millionths(next.read_plain("amount")?),
        })
    })?)
}

/// Stores the amount owed for a tax.
pub fn put_owed(tx: &mut Tx<'_>, company: Uuid, owed: &Owed) -> Result<(), Error> {
    let now = tx.now();
    let Owed { id, last_unpaid, amount } = owed;
    let row = params![company, &id.code, id.is_of_employer(), *last_unpaid, amount.millionths(), now];
    Ok(tx.insert_row(PUT_OWED, row)?)
}

/// Deletes the amounts owed up to an external payroll that is being deleted.
pub fn forget_owed(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(DELETE_OWED_UNTIL, params![company, payroll])?.rows();
    Ok(())
}
