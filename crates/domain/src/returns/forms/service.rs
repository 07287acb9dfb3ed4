//! Finding and listing tax forms, together with the forms that are signed.

use rules::Named as _;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::content::TaxFormKind;
use super::rows;
use super::rows::{State, TaxForm};
use crate::access::tokens::Caller;
use crate::company::{companies, forms as company_forms, locations};
use crate::error::Error;
use crate::language::Language;
use crate::paging::SortBy;
use crate::people::employees;
use crate::people::forms as employee_forms;
use crate::people::forms::content::{Address, Employer};
use crate::people::forms::document::{Document, Signature};

/// Table of the record, in audit entries.
pub const TABLE: &str = TaxForm::TABLE;
/// Media type of the documents.
const CONTENT_TYPE: &str = "application/pdf";

/// A form of a company.
#[derive(Debug, Clone)]
pub enum CompanyForm {
    /// one that the signatory signs
    Signed(company_forms::rows::Form),
    /// one about taxes
    Tax(Box<TaxForm>),
}

/// A form of an employee.
#[derive(Debug, Clone)]
pub enum EmployeeForm {
    /// one that the employee signs
    Signed(employee_forms::rows::Form),
    /// one about taxes
    Tax(Box<TaxForm>),
}

/// Sort keys of forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum FormKey {
    /// its name
    #[strum(serialize = "name")]
    Name,
    /// its year
    #[strum(serialize = "year")]
    Year,
    /// its quarter
    #[strum(serialize = "quarter")]
    Quarter,
    /// whether it is a draft
    #[strum(serialize = "draft")]
    Draft,
    /// media type of its document
    #[strum(serialize = "document_content_type")]
    ContentType,
    /// creation time
    #[strum(serialize = "created_at")]
    Created,
}

/// What forms are sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Sorted {
    Text(&'static str),
    Number(Option<i64>),
}

impl CompanyForm {
    fn id(&self) -> Uuid {
        match self {
            Self::Signed(form) => form.id,
            Self::Tax(form) => form.id,
        }
    }

    fn sorted_by(&self, key: FormKey) -> Sorted {
        let tax = match self {
            Self::Signed(_) => None,
            Self::Tax(form) => Some(form),
        };
        match (key, self) {
            (FormKey::Name, Self::Signed(form)) => Sorted::Text(form.kind.as_str()),
            (FormKey::Name, Self::Tax(form)) => Sorted::Text(form.kind.as_str()),
            (FormKey::Year, _) => Sorted::Number(tax.map(|form| form.year)),
            (FormKey::Quarter, _) => Sorted::Number(tax.and_then(|form| form.quarter)),
            (FormKey::Draft, _) => {
                Sorted::Number(Some(tax.is_some_and(|form| form.state == State::Draft).into()))
            }
            (FormKey::ContentType, _) => Sorted::Text(CONTENT_TYPE),
            // Ids are in the order of creation, and both lists are put together by them.
            (FormKey::Created, _) => Sorted::Number(None),
        }
    }
}

/// The company's forms, oldest first by default; those without a year or a quarter come first.
pub fn of_company(
    tx: &mut Tx<'_>,
    caller: &Caller,
    sort: &[SortBy<FormKey>],
) -> Result<Vec<CompanyForm>, Error> {
    let signed = company_forms::service::list_forms(tx, caller)?.into_iter().map(CompanyForm::Signed);
    let taxes = rows::of_company(tx, caller.company)?.into_iter().filter(|form| form.state != State::Void);
    let taxes = taxes.map(|form| CompanyForm::Tax(Box::new(form)));
    let mut found: Vec<CompanyForm> = signed.chain(taxes).collect();
    found.sort_by_key(CompanyForm::id);
    for one in sort.iter().rev() {
        found.sort_by(|a, b| {
            let order = match one.key {
                FormKey::Created => a.id().cmp(&b.id()),
                key => a.sorted_by(key).cmp(&b.sorted_by(key)),
            };
            if one.descending { order.reverse() } else { order }
        });
    }
    Ok(found)
}

/// A form of the company.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_of_company(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<CompanyForm, Error> {
    match find_form(tx, caller.company, id)?.filter(TaxForm::is_of_company) {
        Some(form) => Ok(CompanyForm::Tax(Box::new(form))),
        None => Ok(CompanyForm::Signed(company_forms::service::find_form(tx, caller, id)?)),
    }
}

/// The employee's forms: those that are signed, then the statements, each oldest first.
///
/// # Errors
/// "Not found"; a store error.
pub fn of_employee(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<EmployeeForm>, Error> {
    let signed =
        employee_forms::service::list_forms(tx, caller, employee)?.into_iter().map(EmployeeForm::Signed);
    let taxes = rows::of_employee(tx, caller.company, employee)?;
    Ok(signed.chain(taxes.into_iter().map(|form| EmployeeForm::Tax(Box::new(form)))).collect())
}

/// A form of the employee.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_of_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    id: Uuid,
) -> Result<EmployeeForm, Error> {
    match find_form(tx, caller.company, id)?.filter(|form| form.employee == Some(employee)) {
        Some(form) => {
            employees::service::find_employee(tx, caller, employee)?;
            Ok(EmployeeForm::Tax(Box::new(form)))
        }
        None => Ok(EmployeeForm::Signed(employee_forms::service::find_form(tx, caller, employee, id)?)),
    }
}

/// A form that counts, of the company or of one of its people.
pub fn find_form(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<TaxForm>, Error> {
    Ok(TaxForm::find(tx, company, id)?.filter(|form| form.state != State::Void))
}

/// The document of a form.
///
/// # Errors
/// The form can't be read; a store error.
pub fn form_document(tx: &mut Tx<'_>, company: Uuid, form: &TaxForm) -> Result<Document, Error> {
    let content = form.read_content(tx, company)?;
    let draft = if form.state == State::Draft { " \u{B7} draft" } else { "" };
    let signed_by = match form.kind {
        TaxFormKind::W2 | TaxFormKind::W2C | TaxFormKind::F1099 => content.person_lines(),
        _ => content.employer.employer_lines(),
    };
    let (signer, on_behalf_of) = match form.kind {
        TaxFormKind::W2 | TaxFormKind::W2C => ("Employee", ("Employer", content.employer.employer_lines())),
        TaxFormKind::F1099 => ("Recipient", ("Payer", content.employer.employer_lines())),
        TaxFormKind::F941
        | TaxFormKind::F944
        | TaxFormKind::F940
        | TaxFormKind::W3
        | TaxFormKind::F941X
        | TaxFormKind::W3C
        | TaxFormKind::F1096 => ("Employer", ("Period", vec![form.period_text()])),
    };
    Ok(Document {
        id: form.id,
        language: Language::English,
        title: form.kind.title(),
        code: format!("{} \u{B7} {}{draft}", form.kind.code(), form.period_text()),
        intro: form.kind.intro(),
        signer,
        signed_by,
        on_behalf_of,
        sections: content.sections(),
        statement: &[],
        signature: Signature::NotAsked,
        preparers: Vec::new(),
        shares: Vec::new(),
    })
}

/// The employer as it is named on forms, with its legal name and filing address.
///
/// # Errors
/// "Not found"; a store error.
pub fn form_employer(tx: &mut Tx<'_>, company: Uuid) -> Result<Employer, Error> {
    let record = companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
    let places = locations::rows::of_company(tx, company)?;
    let seat = places.iter().find(|place| place.filing_address);
    let address = seat.map(|place| Address {
        street_1: place.street_1.clone(),
        street_2: place.street_2.clone(),
        city: place.city.clone(),
        state: place.state.clone(),
        zip: place.zip.clone(),
    });
    Ok(Employer { name: record.name, ein: record.ein, address })
}
