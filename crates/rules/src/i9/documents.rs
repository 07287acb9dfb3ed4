//! Form I-9, section 2: which documents the employer may examine, and which of them are sufficient.
//!
//! An employee presents one document from list A (identity and authorization), or one from list B (identity) and one from list C
//! (authorization); the choice is the employee's. A foreign passport counts in list A together with other documents. Source: Form I-9,
//! Lists of Acceptable Documents and instructions to section 2; 8 CFR 274a.2(b)(1)(v). Receipts, which substitute for a document for
//! 90 days, are not accepted.

use jiff::civil::Date;

use super::Status;
use crate::check;
use crate::violation::{Checks, Violation};

/// Maximum length of a text field about a document, in characters.
const LONGEST: usize = 100;

/// A list of the form, or a part of a list A document that has several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Identity and authorization.
    A,
    /// First part of a combined list A document: the passport.
    A1,
    /// Second part: the record of admission.
    A2,
    /// Third part, which some statuses have in addition.
    A3,
    /// Identity.
    B,
    /// Authorization.
    C,
}

impl List {
    /// Returns the name on the form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::A1 => "A1",
            Self::A2 => "A2",
            Self::A3 => "A3",
            Self::B => "B",
            Self::C => "C",
        }
    }
}

/// Who can present a document, by the status in section 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Anybody,
    CitizenOrNational,
    Resident,
    Alien,
}

impl Holder {
    fn includes_status(self, status: Status) -> bool {
        match self {
            Self::Anybody => true,
            Self::CitizenOrNational => matches!(status, Status::Citizen | Status::Noncitizen),
            Self::Resident => status == Status::PermanentResident,
            Self::Alien => status == Status::Alien,
        }
    }
}

/// A document that an employee can present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Machine-readable name.
    pub name: &'static str,
    /// List that it is on.
    pub list: List,
    /// Description.
    pub description: &'static str,
    /// Titles that it can have.
    pub titles: &'static [&'static str],
    /// Whether it is commonly presented.
    pub common: bool,
    /// Statuses whose holders can have it.
    holder: Holder,
}

const fn document_kind(
    list: List,
    holder: Holder,
    name: &'static str,
    description: &'static str,
    titles: &'static [&'static str],
    common: bool,
) -> Kind {
    Kind { name, list, description, titles, common, holder }
}

/// The lists of the form, in the order of the form.
#[rustfmt::skip]
const KINDS: [Kind; 27] = [
    document_kind(List::A, Holder::CitizenOrNational, "us_passport", "U.S. passport or passport card", &["U.S. Passport", "U.S. Passport Card"], true),
    document_kind(List::A, Holder::Resident, "permanent_resident_card", "Permanent resident card (Form I-551)",
        &["Permanent Resident Card (Form I-551)", "Alien Registration Receipt Card (Form I-551)"], true),
    document_kind(List::A, Holder::Resident, "foreign_passport_i551", "Foreign passport with a temporary I-551 stamp or notation",
        &["Foreign Passport with a temporary I-551 stamp", "Foreign Passport with a temporary I-551 notation on a visa"], false),
    document_kind(List::A, Holder::Alien, "employment_authorization_card", "Employment authorization document with a photograph (Form I-766)",
        &["Employment Authorization Document (Form I-766)"], true),
    document_kind(List::A1, Holder::Alien, "foreign_passport", "Foreign passport, shown with a record of admission", &["Foreign Passport"], true),
    document_kind(List::A1, Holder::Alien, "compact_passport",
        "Passport of the Federated States of Micronesia or of the Marshall Islands, shown with a record of admission under the Compact of Free Association",
        &["Passport of the Federated States of Micronesia", "Passport of the Republic of the Marshall Islands"], false),
    document_kind(List::A2, Holder::Alien, "admission_record", "Record of admission with the nonimmigrant status", &["Form I-94", "Form I-94A"], true),
    document_kind(List::A3, Holder::Alien, "student_or_exchange_visitor", "Certificate of a student or an exchange visitor", &["Form I-20", "Form DS-2019"], false),
    document_kind(List::B, Holder::Anybody, "driver_license_or_state_id", "Driver's license or ID card of a state or an outlying possession",
        &["Driver's License", "State ID Card"], true),
    document_kind(List::B, Holder::Anybody, "government_id", "ID card of a federal, state or local agency", &["Federal Government ID Card", "State Government ID Card", "Local Government ID Card"], false),
    document_kind(List::B, Holder::Anybody, "school_id", "School ID card with a photograph", &["School ID Card"], false),
    document_kind(List::B, Holder::Anybody, "voter_registration_card", "Voter's registration card", &["Voter Registration Card"], false),
    document_kind(List::B, Holder::Anybody, "us_military_card", "U.S. military card or draft record", &["U.S. Military Card", "U.S. Military Draft Record"], false),
    document_kind(List::B, Holder::Anybody, "military_dependent_id", "Military dependent's ID card", &["Military Dependent's ID Card"], false),
    document_kind(List::B, Holder::Anybody, "merchant_mariner_card", "U.S. Coast Guard merchant mariner card", &["U.S. Coast Guard Merchant Mariner Card"], false),
    document_kind(List::B, Holder::Anybody, "tribal_document_identity", "Native American tribal document", &["Native American Tribal Document"], false),
    document_kind(List::B, Holder::Anybody, "canadian_driver_license", "Driver's license of a Canadian authority", &["Canadian Driver's License"], false),
    document_kind(List::B, Holder::Anybody, "school_record", "School record or report card, for those under 18", &["School Record", "School Report Card"], false),
    document_kind(List::B, Holder::Anybody, "medical_record", "Clinic, doctor or hospital record, for those under 18", &["Clinic Record", "Doctor Record", "Hospital Record"], false),
    document_kind(List::B, Holder::Anybody, "day_care_record", "Day-care or nursery school record, for those under 18", &["Day-care Record", "Nursery School Record"], false),
    document_kind(List::C, Holder::Anybody, "social_security_card", "Social Security card without restriction", &["Social Security Card"], true),
    document_kind(List::C, Holder::CitizenOrNational, "report_of_birth_abroad", "Certification of a report of birth, issued by the Department of State",
        &["Form DS-1350", "Form FS-545", "Form FS-240"], false),
    document_kind(List::C, Holder::CitizenOrNational, "birth_certificate", "Birth certificate of a state, county, municipality or outlying possession, with an official seal",
        &["Birth Certificate"], true),
    document_kind(List::C, Holder::Anybody, "tribal_document_authorization", "Native American tribal document", &["Native American Tribal Document"], false),
    document_kind(List::C, Holder::CitizenOrNational, "citizen_id_card", "U.S. citizen ID card (Form I-197)", &["U.S. Citizen ID Card (Form I-197)"], false),
    document_kind(List::C, Holder::CitizenOrNational, "resident_citizen_id_card", "ID card for a resident citizen (Form I-179)", &["Resident Citizen ID Card (Form I-179)"], false),
    document_kind(List::C, Holder::Anybody, "dhs_authorization", "Employment authorization document issued by the Department of Homeland Security",
        &["Employment Authorization Document issued by DHS"], false),
];

/// Returns the documents that an employee of this status can present.
pub fn presentable_documents(status: Status) -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().filter(move |kind| kind.holder.includes_status(status))
}

/// A document as entered.
#[derive(Clone, Copy)]
pub struct Entered<'a> {
    /// Name of a [`Kind`].
    pub kind: &'a str,
    /// One of its titles.
    pub title: &'a str,
    /// Document number, if it has one.
    pub number: Option<&'a str>,
    /// Expiration date, if it has one.
    pub expires: Option<&'a str>,
    /// Issuing authority.
    pub authority: &'a str,
}

/// A document that was examined.
#[derive(Clone, PartialEq, Eq)]
pub struct Document {
    /// Kind of document.
    pub kind: &'static Kind,
    /// Title.
    pub title: &'static str,
    /// Document number, if it has one.
    pub number: Option<String>,
    /// Expiration date, if it has one.
    pub expires: Option<Date>,
    /// Issuing authority.
    pub authority: String,
}

/// Redacts the details of the document.
impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Document({})", self.kind.name)
    }
}

/// Validates a document that an employee of this status presents today; `path` names it in messages, as in `documents[0]`.
///
/// # Errors
/// One violation per invalid field, such as a document that the status rules out, a title of another document, or a past expiration
/// date.
pub fn check_document(
    path: &str,
    entered: Entered<'_>,
    status: Status,
    today: Date,
) -> Result<Document, Vec<Violation>> {
    let mut checks = Checks::new();
    let key = |name: &str| format!("{path}.{name}");
    let names: Vec<_> = presentable_documents(status).map(|kind| kind.name).collect();
    let find = |name: &str| presentable_documents(status).find(|kind| kind.name == name);
    let kind = checks.take_value(check::parse_named(&key("document_type"), entered.kind, &names, find));
    let title = kind.and_then(|kind| {
        let known = |title: &str| kind.titles.iter().copied().find(|one| *one == title);
        checks.take_value(check::parse_named(&key("document_title"), entered.title, kind.titles, known))
    });
    let number =
        checks.take_value(check::optional_text(&key("document_number"), entered.number, LONGEST)).flatten();
    let expires = entered.expires.filter(|day| !day.is_empty());
    let expires = expires.and_then(|day| checks.take_value(check::parse_date(&key("expiration_date"), day)));
    checks.require(expires.is_none_or(|day| day >= today), || {
        let key = key("expiration_date");
        Violation::invalid(
            &key,
            format!("{key} must not be in the past: only documents that are in force count"),
        )
    });
    let authority =
        checks.take_value(check::validate_text(&key("issuing_authority"), entered.authority, LONGEST));
    checks.finish()?;
    match (kind, title, authority) {
        (Some(kind), Some(title), Some(authority)) => {
            Ok(Document { kind, title, number, expires, authority })
        }
        _ => Err(vec![Violation::invalid(path, format!("{path} is not a document"))]),
    }
}

/// Returns what is wrong with these documents as a whole; `None` if they are sufficient and not too many.
pub fn missing_documents(documents: &[&Kind]) -> Option<&'static str> {
    let count = |list: List| documents.iter().filter(|kind| kind.list == list).count();
    let counts = [List::A, List::A1, List::A2, List::A3, List::B, List::C].map(count);
    match counts {
        [1, 0, 0, 0, 0, 0] | [0, 1, 1, 0 | 1, 0, 0] | [0, 0, 0, 0, 1, 1] => None,
        [0, 0, 0, 0, 0, 0] => Some("No documents were entered."),
        _ => Some(
            "Documents must be one of list A, or its parts A1 and A2 (and A3 where there is one), or one of list B and one of list C.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const TODAY: Date = date(2026, 6, 15);

    fn of(name: &str) -> &'static Kind {
        KINDS.iter().find(|kind| kind.name == name).unwrap()
    }

    fn passport<'a>() -> Entered<'a> {
        Entered {
            kind: "us_passport",
            title: "U.S. Passport",
            number: Some("X1234567"),
            expires: Some("2030-01-31"),
            authority: "U.S. Department of State",
        }
    }

    fn keys(result: Result<Document, Vec<Violation>>) -> Vec<String> {
        result.unwrap_err().into_iter().map(|violation| violation.key).collect()
    }

    #[test]
    fn names_of_documents_are_their_own() {
        let mut names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KINDS.len());
        assert!(KINDS.iter().all(|kind| !kind.titles.is_empty()));
    }

    #[test]
    fn what_can_be_shown_follows_from_section_1() {
        let can = |status, name| presentable_documents(status).any(|kind| kind.name == name);
        assert!(can(Status::Citizen, "us_passport") && !can(Status::Alien, "us_passport"));
        assert!(can(Status::PermanentResident, "permanent_resident_card"));
        assert!(
            !can(Status::Citizen, "permanent_resident_card") && !can(Status::Citizen, "foreign_passport")
        );
        for status in [Status::Citizen, Status::Noncitizen, Status::PermanentResident, Status::Alien] {
            assert!(can(status, "driver_license_or_state_id") && can(status, "social_security_card"));
        }
    }

    #[test]
    fn one_of_list_a_or_one_each_of_b_and_c_is_enough_and_no_more_may_be_asked() {
        let [a, a1, a2, a3] =
            ["us_passport", "foreign_passport", "admission_record", "student_or_exchange_visitor"].map(of);
        let [b, c] = ["school_id", "social_security_card"].map(of);
        for enough in [&[a][..], &[a1, a2], &[a3, a2, a1], &[c, b]] {
            assert_eq!(missing_documents(enough), None, "{enough:?}");
        }
        for not in [&[][..], &[b], &[c], &[b, b], &[a1], &[a2], &[a1, a3], &[a, b], &[a, b, c], &[a, a]] {
            assert!(missing_documents(not).is_some(), "{not:?}");
        }
    }

    #[test]
    fn a_document_that_has_expired_or_belongs_to_another_status_is_none() {
        assert_eq!(check_document("d", passport(), Status::Citizen, TODAY).unwrap().title, "U.S. Passport");
        assert_eq!(keys(check_document("d", passport(), Status::Alien, TODAY)), ["d.document_type"]);
        let on = |day| Entered { expires: Some(day), ..passport() };
        assert!(check_document("d", on("2026-06-15"), Status::Citizen, TODAY).is_ok());
        assert_eq!(
            keys(check_document("d", on("2026-06-14"), Status::Citizen, TODAY)),
            ["d.expiration_date"]
        );
        assert!(check_document("d", on(""), Status::Citizen, TODAY).unwrap().expires.is_none());
        let odd = Entered { title: "Social Security Card", authority: " ", ..passport() };
        assert_eq!(
            keys(check_document("d", odd, Status::Citizen, TODAY)),
            ["d.document_title", "d.issuing_authority"]
        );
    }
}
