//! Rows of contractors.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::contractor::{ContractorType, PayBy, Status, WageType};
use rules::{Amount, Named, Violation, check};
use serde::{Deserialize, Serialize};
use store::{Place, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::editable::editable;
use crate::error::Error;
use crate::folding::fold_text;
use crate::patch::as_is;
use crate::records::{IdRange, MOST_TOGETHER, Millionths};

store::record! {
    /// A contractor. SSN and EIN are sealed.
    #[derive(Debug, Clone, Default)]
    pub struct Contractor in "contractors" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// individual or business
            pub kind: ContractorType as text = "contractor_type",
            /// first name of an individual
            pub first_name: Option<String>,
            /// one letter
            pub middle_initial: Option<String>,
            /// last name of an individual
            pub last_name: Option<String>,
            /// name of a business
            pub business_name: Option<String>,
            /// see [`Contractor::name`]; folded
            pub search_name: String,
            /// e-mail address
            pub email: Option<String>,
            /// work e-mail address
            pub work_email: Option<String>,
            /// sealed; SSN or ITIN of an individual
            pub ssn: Option<Vec<u8>> as secret,
            /// a digest of the SSN
            pub ssn_digest: Option<Vec<u8>> as secret,
            /// sealed; EIN of a business
            pub ein: Option<Vec<u8>> as secret,
            /// a digest of the EIN
            pub ein_digest: Option<Vec<u8>> as secret,
            /// fixed amounts or hours
            pub wage_type: WageType as text,
            /// for hours; `None` for fixed amounts
            pub hourly_rate: Option<Amount> as Millionths,
            /// first day of the present period of work
            pub start_date: Date,
            /// whether the state is told of an individual as a new hire
            pub file_new_hire_report: bool,
            /// two-letter state of the work
            pub work_state: Option<String>,
            /// whether the payer was told to withhold from every payment
            pub backup_withholding: bool,
        }
        // Updated by statements of their own, which do not change the version.
        fixed {
            /// onboarding status
            pub status: Status as text = "onboarding_status",
            /// when onboarding was finished
            pub onboarded_at: Option<Timestamp>,
            /// `None` until it is chosen, which counts as by check
            pub payment_method: Option<PayBy> as text,
            /// counter of changes of the payment method and the account
            pub payment_method_version: i64,
            /// the department
            pub department: Option<Uuid> = "department_id",
            /// last day of the present period of work
            pub dismissal_date: Option<Date>,
            /// when that day was recorded
            pub dismissed_at: Option<Timestamp>,
            /// first day of the period after it
            pub rehire_date: Option<Date>,
            /// when that day was recorded
            pub rehired_at: Option<Timestamp>,
            /// periods before the present one, earliest first
            pub earlier: Vec<Period> as json = "earlier_periods",
        }
        times {
            /// when the record was created
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

/// A period of work that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    /// first day
    pub first: Date,
    /// last day
    pub last: Date,
}

editable! {
    Contractor;
    /// Creates a contractor.
    create CreateContractor {
        /// SSN or ITIN; only for individuals
        ssn: String,
        /// only for businesses
        ein: String,
        /// whether the contractor enters personal data on hosted pages
        self_onboarding: bool,
        /// true moves a start date in the future to today
        is_active: bool,
    }
    /// Updates the fields that are given and keeps the rest.
    update UpdateContractor {
        /// an empty or null value keeps the stored one
        ssn: String,
        /// an empty or null value keeps the stored one
        ein: String,
        /// whether the contractor enters personal data on hosted pages
        self_onboarding: bool,
        /// true moves a start date in the future to today
        is_active: bool,
    }
    lenient kind as "type": ContractorType = as_is;
    required wage_type: WageType = as_is;
    required start_date: Date = as_is;
    preset hourly_rate: Amount = read_rate;
    preset first_name: String = name_or_none;
    optional middle_initial: String = |key, letter| check::middle_initial(key, letter);
    preset last_name: String = name_or_none;
    preset business_name: String = |key, name| check::optional_text(key, Some(name), BUSINESS_NAME);
    optional email: String = email_or_none;
    optional work_email: String = email_or_none;
    preset file_new_hire_report: bool = as_is;
    optional work_state: String = state_or_none;
    preset backup_withholding: bool = as_is;
}

/// Maximum characters of the name of a business.
const BUSINESS_NAME: usize = 100;

fn read_rate(key: &str, amount: &Amount) -> Result<Option<Amount>, Violation> {
    check::validate_dollars(key, *amount, check::UP_TO_MAX).map(Some)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn name_or_none(key: &str, name: &String) -> Result<Option<String>, Violation> {
    if name.trim().is_empty() { Ok(None) } else { check::person_name(key, name).map(Some) }
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn email_or_none(key: &str, email: &String) -> Result<Option<String>, Violation> {
    if email.trim().is_empty() { Ok(None) } else { check::validate_email(key, email).map(Some) }
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn state_or_none(key: &str, state: &String) -> Result<Option<String>, Violation> {
    if state.is_empty() {
        Ok(None)
    } else {
        check::parse_state(key, state).map(|state| Some(state.to_owned()))
    }
}

store::statements! {
    records Contractor;
    OF_COMPANY = store::text!(Contractor::SELECT, " ORDER BY id LIMIT $2");
    BETWEEN = store::text!(Contractor::SELECT, " AND id BETWEEN $2 AND $3 ORDER BY id");
    WITH_SSN = "SELECT count(*) FROM contractors WHERE company_id = $1 AND ssn_digest IN ($2, $3) AND id <> $4";
    WITH_EIN = "SELECT count(*) FROM contractors WHERE company_id = $1 AND ein_digest IN ($2, $3) AND id <> $4";
    MOVE = "UPDATE contractors SET onboarding_status = $1, onboarded_at = $2, updated_at = $3 \
            WHERE company_id = $4 AND id = $5 AND onboarding_status = $6";
    SET_METHOD = "UPDATE contractors SET payment_method = $1, payment_method_version = payment_method_version + 1, updated_at = $2 \
                  WHERE company_id = $3 AND id = $4 AND payment_method_version = $5";
    SET_PERIODS = "UPDATE contractors SET start_date = $1, dismissal_date = $2, dismissed_at = $3, rehire_date = $4, rehired_at = $5, \
                   earlier_periods = $6, updated_at = $7 WHERE company_id = $8 AND id = $9";
    SET_DEPARTMENT = "UPDATE contractors SET department_id = $1, updated_at = $2 WHERE company_id = $3 AND id = $4";
    MEMBERS = "SELECT id, department_id FROM contractors WHERE company_id = $1 AND department_id IS NOT NULL ORDER BY id";
    MEMBERS_OF = "SELECT id FROM contractors WHERE company_id = $1 AND department_id = $2 ORDER BY id";
}

impl Contractor {
    /// The name: first and last name, or that of the business.
    pub fn name(&self) -> String {
        match self.kind {
            ContractorType::Business => self.business_name.clone().unwrap_or_default(),
            ContractorType::Individual => {
                let parts = [&self.first_name, &self.last_name];
                parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Whether the contractor works on a day: after the first and until the last day of a period.
    pub fn is_active(&self, day: Date) -> bool {
        let within = |first: Date, last: Option<Date>| first <= day && last.is_none_or(|last| day <= last);
        within(self.start_date, self.dismissal_date)
            || self.rehire_date.is_some_and(|first| within(first, None))
            || self.earlier.iter().any(|period| within(period.first, Some(period.last)))
    }

    /// The last day of the period that ends, or has ended without a rehire that has taken effect.
    pub fn last_dismissal_day(&self, today: Date) -> Option<Date> {
        self.dismissal_date.filter(|_| self.rehire_date.is_none_or(|back| back > today))
    }

    /// Whether the last day has passed.
    pub fn is_dismissed(&self, today: Date) -> bool {
        self.last_dismissal_day(today).is_some_and(|last| last < today)
    }

    /// Whether onboarding is finished.
    pub fn is_onboarded(&self) -> bool {
        self.onboarded_at.is_some()
    }

    /// Whether the number by which the tax authorities know the contractor is on file.
    pub fn has_tin(&self) -> bool {
        match self.kind {
            ContractorType::Individual => self.ssn.is_some(),
            ContractorType::Business => self.ein.is_some(),
        }
    }

    /// Whether the payer has to withhold from every payment: it was told to, or has no taxpayer identification number (26 USC
    /// 3406(a)(1)).
    pub fn is_withheld_from(&self) -> bool {
        self.backup_withholding || !self.has_tin()
    }
}

/// Returns the place of a sealed field of a contractor.
pub fn sealed_field_place(company: Uuid, contractor: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "contractors", row: contractor, column }
}

/// Returns the SSN, unsealed.
pub fn unseal_ssn(
    tx: &mut Tx<'_>,
    company: Uuid,
    one: &Contractor,
) -> Result<Option<Zeroizing<String>>, Error> {
    let Some(sealed) = &one.ssn else { return Ok(None) };
    Ok(Some(tx.unseal_text(sealed_field_place(company, one.id, "ssn"), sealed)?))
}

/// Returns the EIN, unsealed.
pub fn unseal_ein(
    tx: &mut Tx<'_>,
    company: Uuid,
    one: &Contractor,
) -> Result<Option<Zeroizing<String>>, Error> {
    let Some(sealed) = &one.ein else { return Ok(None) };
    Ok(Some(tx.unseal_text(sealed_field_place(company, one.id, "ein"), sealed)?))
}

/// Returns the number of the contractor's own kind, unsealed.
pub fn unseal_tin(
    tx: &mut Tx<'_>,
    company: Uuid,
    one: &Contractor,
) -> Result<Option<Zeroizing<String>>, Error> {
    match one.kind {
        ContractorType::Individual => unseal_ssn(tx, company, one),
        ContractorType::Business => unseal_ein(tx, company, one),
    }
}

/// What the digests of SSNs are made for.
pub const SSN_DIGEST: &str = "contractors.ssn";
/// What the digests of EINs are made for.
pub const EIN_DIGEST: &str = "contractors.ein";

/// Seals the number of the contractor's own kind, with its digest. The number of the other kind is not kept.
pub fn set_tin(tx: &mut Tx<'_>, company: Uuid, one: &mut Contractor, number: &str) -> Result<(), Error> {
    let (column, context) = match one.kind {
        ContractorType::Individual => ("ssn", SSN_DIGEST),
        ContractorType::Business => ("ein", EIN_DIGEST),
    };
    let sealed = Some(tx.seal_field(sealed_field_place(company, one.id, column), number.as_bytes())?);
    let digest = Some(tx.lookup_digest(company, context, number.as_bytes())?);
    match one.kind {
        ContractorType::Individual => (one.ssn, one.ssn_digest) = (sealed, digest),
        ContractorType::Business => (one.ein, one.ein_digest) = (sealed, digest),
    }
    Ok(())
}

/// Whether another contractor of the company has the same number.
pub fn tin_is_shared(tx: &mut Tx<'_>, company: Uuid, one: &Contractor) -> Result<bool, Error> {
    let Some(number) = unseal_tin(tx, company, one)? else { return Ok(false) };
    let (statement, context) = match one.kind {
        ContractorType::Individual => (WITH_SSN, SSN_DIGEST),
        ContractorType::Business => (WITH_EIN, EIN_DIGEST),
    };
    let [newest, before] = tx.lookup_digests(company, context, number.as_bytes())?;
    let others =
        tx.find_row(statement, params![company, &newest, &before, one.id], |row| row.get::<i64>(0))?;
    Ok(others.unwrap_or(0) > 0)
}

/// Returns the name that `search_term` is matched against, and by which lists are sorted.
pub fn search_name(one: &Contractor) -> String {
    fold_text(&one.name())
}

/// Returns a company's contractors, oldest first.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Contractor>, Error> {
    Ok(tx.try_query_all(OF_COMPANY, params![company], MOST_TOGETHER, Contractor::read)?)
}

/// Returns the contractors in a range (ends included), in order of ids.
pub fn contractors_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<Contractor>, Error> {
    Ok(tx.try_query(BETWEEN, params![company, first, last], Contractor::read)?)
}

/// Stores the onboarding status if the stored one is still `from`; returns whether it was.
pub fn move_to(tx: &mut Tx<'_>, company: Uuid, moved: &Contractor, from: Status) -> Result<bool, Error> {
    let now = tx.now();
    let parameters =
        params![moved.status.as_str(), moved.onboarded_at, now, company, moved.id, from.as_str()];
    Ok(tx.change_rows(MOVE, parameters)?.is_one())
}

/// Stores how the contractor is paid; returns whether the version was still that of `changed`.
pub fn set_method(tx: &mut Tx<'_>, company: Uuid, changed: &Contractor) -> Result<bool, Error> {
    let now = tx.now();
    let method = changed.payment_method.map(PayBy::as_str);
    let parameters = params![method, now, company, changed.id, changed.payment_method_version];
    Ok(tx.change_rows(SET_METHOD, parameters)?.is_one())
}

/// Stores the periods of work; returns whether the contractor exists.
pub fn set_periods(tx: &mut Tx<'_>, company: Uuid, changed: &Contractor) -> Result<bool, Error> {
    let now = tx.now();
    let earlier = serde_json::to_string(&changed.earlier)
        .unwrap_or_else(|error| panic!("periods are always JSON: {error}"));
    let parameters = params![
        changed.start_date,
        changed.dismissal_date,
        changed.dismissed_at,
        changed.rehire_date,
        changed.rehired_at,
        store::Json(&earlier),
        now,
        company,
        changed.id
    ];
    Ok(tx.change_rows(SET_PERIODS, parameters)?.is_one())
}

/// Stores to which department the contractor belongs; returns whether the contractor exists.
pub fn set_department(
    tx: &mut Tx<'_>,
    company: Uuid,
    contractor: Uuid,
    department: Option<Uuid>,
) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(SET_DEPARTMENT, params![department, now, company, contractor])?.is_one())
}

/// Returns the contractors who belong to a department, each with it, oldest first.
pub fn department_contractors(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<(Uuid, Uuid)>, Error> {
    Ok(tx.try_query(MEMBERS, params![company], |row| {
        let mut next = store::record::Cursor::new(row, Contractor::TABLE, 0);
        Ok::<_, store::Error>((next.read_plain("id")?, next.read_plain("department_id")?))
    })?)
}

/// Returns the contractors of a department, oldest first.
pub fn members_of(tx: &mut Tx<'_>, company: Uuid, department: Uuid) -> Result<Vec<Uuid>, Error> {
    Ok(tx.try_query(MEMBERS_OF, params![company, department], |row| {
        store::record::Cursor::new(row, Contractor::TABLE, 0).read_plain("id")
    })?)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn working(first: Date, last: Option<Date>, back: Option<Date>) -> Contractor {
        Contractor { start_date: first, dismissal_date: last, rehire_date: back, ..Contractor::default() }
    }

    #[test]
    fn a_contractor_is_active_from_the_first_day_to_the_last_and_again_after_a_rehire() {
        let one = working(date(2026, 3, 2), Some(date(2026, 5, 29)), Some(date(2026, 9, 1)));
        for (day, active) in [
            (date(2026, 3, 1), false),
            (date(2026, 3, 2), true),
            (date(2026, 5, 29), true),
            (date(2026, 5, 30), false),
            (date(2026, 8, 31), false),
            (date(2026, 9, 1), true),
        ] {
            assert_eq!(one.is_active(day), active, "{day}");
        }
        assert!(one.is_dismissed(date(2026, 8, 31)) && !one.is_dismissed(date(2026, 9, 1)));
    }

    #[test]
    fn a_number_of_the_other_kind_is_no_taxpayer_identification_number() {
        let number = Some(vec![1]);
        let person = Contractor { ein: number.clone(), ..Contractor::default() };
        assert!(!person.has_tin() && person.is_withheld_from());
        let business = Contractor { kind: ContractorType::Business, ..person };
        assert!(business.has_tin() && !business.is_withheld_from());
        assert!(Contractor { backup_withholding: true, ..business }.is_withheld_from());
    }
}
