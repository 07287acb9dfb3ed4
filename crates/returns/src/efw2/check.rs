//! What the Social Security Administration turns back, checked before a file is written: `data/returns/file_checks.csv`.
//!
//! Names and Social Security numbers are compared with its records later, by letter; no file can be checked for that.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use rules::Named as _;
use rules::payroll::taxes::PayrollTaxes;
use rules::places::number_of_state;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::layout::Layout;
use super::parties::{Contact, Employer, Employment, Party, Software, Submitter};
use super::parts::{form_amounts, key_of_code};
use crate::table::{built_in, deserialize_word, read_rows};
use crate::w2::{Address, Codes, MoneyBox, W2};
use crate::{format_dollars, percent_of};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum Severity {
    /// the file is accepted; a person should look
    #[strum(serialize = "alert")]
    Alert,
    /// the record is wrong
    #[strum(serialize = "error")]
    Error,
    /// the file is turned back
    #[strum(serialize = "reject")]
    Reject,
}

/// A check.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
#[strum(serialize_all = "snake_case")]
pub enum Check {
    /// the user id has eight characters
    UserId,
    /// an EIN of the submitter
    SubmitterEin,
    /// a resubmission has the number of the notice
    Resubmission,
    /// an EIN of the employer
    EmployerEin,
    /// an agent names the employer
    Agent,
    /// something is missing
    Required,
    /// characters outside ASCII
    Characters,
    /// digits of a Social Security number
    Ssn,
    /// letters of a name
    Name,
    /// an amount below zero
    Negative,
    /// an amount that does not fit
    TooLarge,
    /// Medicare wages below those of Social Security
    MedicareWages,
    /// tax without wages
    TaxWithoutWages,
    /// an amount whose position is not known
    OpenPosition,
    /// a code of box 12 that does not exist
    UnknownAmount,
    /// a state without a number
    State,
    /// nothing but zeros
    EmptyRecord,
    /// amounts that the kind of employment excludes
    EmploymentCodeAmounts,
    /// wages above the wage base
    WageBase,
    /// tax that is not the rate times the wages
    TaxRate,
    /// income tax above the wages
    IncomeTaxAboveWages,
    /// text that is truncated
    Shortened,
    /// a Social Security number that was applied for
    MissingSsn,
    /// tips without an occupation
    Occupation,
    /// figures that are not known
    Incomplete,
    /// an employer without employees
    NoEmployees,
}

#[derive(Debug, Deserialize)]
struct Row {
    #[serde(deserialize_with = "deserialize_word")]
    check: Check,
    #[serde(deserialize_with = "deserialize_word")]
    severity: Severity,
}

static SEVERITIES: LazyLock<BTreeMap<Check, Severity>> = LazyLock::new(|| {
    let text = include_str!("../../../../data/returns/file_checks.csv");
    let rows: Vec<Row> = built_in("file_checks.csv", read_rows(text));
    rows.into_iter().map(|row| (row.check, row.severity)).collect()
});

impl Check {
    /// How bad its findings are.
    pub fn severity(self) -> Severity {
        SEVERITIES.get(&self).copied().unwrap_or(Severity::Reject)
    }
}

/// A reason why a file would be turned back, or should be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// the check
    pub check: Check,
    /// the person or employer, as the caller names it; `the submitter` for the sender
    pub who: String,
    /// key of the field
    pub field: String,
    /// what is wrong, and what is allowed
    pub why: String,
}

impl Finding {
    /// Whether no file is written.
    pub fn blocks_file(&self) -> bool {
        self.check.severity() > Severity::Alert
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (severity, check) = (self.check.severity().as_str(), self.check.as_str());
        write!(f, "{severity} ({check}): {}: {} {}", self.who, self.field, self.why)
    }
}

/// Collects findings about a submitter, employer or person.
struct Found<'l> {
    layout: &'l Layout,
    who: String,
    findings: Vec<Finding>,
}

impl<'l> Found<'l> {
    fn findings_about(layout: &'l Layout, who: &str) -> Self {
        Self { layout, who: who.to_owned(), findings: Vec::new() }
    }

    fn push(&mut self, check: Check, field: &str, why: impl Into<String>) {
        let (who, field, why) = (self.who.clone(), field.to_owned(), why.into());
        self.findings.push(Finding { check, who, field, why });
    }

    fn require_unless(&mut self, holds: bool, check: Check, field: &str, why: impl FnOnce() -> String) {
        if !holds {
            self.push(check, field, why());
        }
    }

    /// Text of a field: present if it has to be, ASCII, and not longer than the field.
    fn check_text(&mut self, record: &str, field: &str, text: &str) {
        let Some(of) = self.layout.find_field(record, field) else { return };
        let (required, width) = (of.required, of.width());
        self.require_unless(!required || !text.trim().is_empty(), Check::Required, field, || {
            "is missing".to_owned()
        });
        self.require_unless(
            text.chars().all(|c| c == ' ' || c.is_ascii_graphic()),
            Check::Characters,
            field,
            || "may hold only printable ASCII characters".to_owned(),
        );
        self.require_unless(text.trim().chars().count() <= width, Check::Shortened, field, || {
            format!("is truncated to {width} characters")
        });
    }

    fn check_address(&mut self, record: &str, prefix: &str, address: &Address) {
        let Address { location, delivery, city, state, zip } = address;
        for (name, text) in
            [("location_address", location), ("delivery_address", delivery), ("city", city), ("state", state)]
        {
            self.check_text(record, &format!("{prefix}{name}"), text);
        }
        let (five, four) = zip.split_once('-').unwrap_or((zip, ""));
        let digits = |text: &str, count| text.len() == count && text.bytes().all(|c| c.is_ascii_digit());
        let is_zip = digits(five, 5) && (four.is_empty() || digits(four, 4));
        self.require_unless(is_zip, Check::Required, &format!("{prefix}zip"), || {
            "must be five digits, or nine with a hyphen".to_owned()
        });
    }

    fn check_party(&mut self, record: &str, prefix: &str, name: &str, party: &Party) {
        self.check_text(record, name, &party.name);
        self.check_address(record, prefix, &party.address);
    }

    fn check_contact(&mut self, record: &str, contact: &Contact) {
        let Contact { name, phone, extension, email, fax } = contact;
        for (field, text) in [
            ("contact_name", name),
            ("contact_phone", phone),
            ("contact_phone_extension", extension),
            ("contact_email", email),
            ("contact_fax", fax),
        ] {
            self.check_text(record, field, text);
        }
        self.require_unless(
            phone.bytes().all(|c| c.is_ascii_digit()),
            Check::Characters,
            "contact_phone",
            || "must be digits alone".to_owned(),
        );
    }

    fn check_ein(&mut self, check: Check, field: &str, ein: &str) {
        let is_ein = ein.len() == 9 && ein.bytes().all(|c| c.is_ascii_digit()) && !ein.starts_with("00");
        self.require_unless(is_ein, check, field, || {
            "must be nine digits that do not begin with 00".to_owned()
        });
    }
}

/// Checks the submitter.
pub fn submitter_findings(layout: &Layout, one: &Submitter) -> Vec<Finding> {
    let mut found = Found::findings_about(layout, "the submitter");
    found.check_ein(Check::SubmitterEin, "submitter_ein", &one.ein);
    let is_id = one.user_id.len() == 8 && one.user_id.bytes().all(|c| c.is_ascii_alphanumeric());
    found.require_unless(is_id, Check::UserId, "bso_user_id", || {
        "must be the eight characters that the Social Security Administration assigned".to_owned()
    });
    if let Some(id) = &one.resubmission {
        let is_id = !id.is_empty() && id.len() <= 6 && id.bytes().all(|c| c.is_ascii_alphanumeric());
        found.require_unless(is_id, Check::Resubmission, "resubmission_file_id", || {
            "must be the number on the notice, at most six characters".to_owned()
        });
    }
    if let Software::Bought(vendor) = &one.software {
        let is_code = vendor.len() == 4 && vendor.bytes().all(|c| c.is_ascii_digit());
        found.require_unless(is_code, Check::Required, "software_vendor_code", || {
            "must be four digits".to_owned()
        });
    }
    found.check_party("RA", "company_", "company_name", &one.company);
    found.check_party("RA", "submitter_", "submitter_name", &one.submitter);
    found.check_contact("RA", &one.contact);
    found.findings
}

/// Checks an employer.
pub fn employer_findings(layout: &Layout, one: &Employer) -> Vec<Finding> {
    let mut found = Found::findings_about(layout, &one.party.name);
    found.check_ein(Check::EmployerEin, "employer_or_agent_ein", &one.ein);
    if let Some(agent) = &one.agent {
        found.check_ein(Check::Agent, "agent_for_ein", &agent.for_ein);
    }
    if !one.other_ein.is_empty() {
        found.check_ein(Check::EmployerEin, "other_ein", &one.other_ein);
    }
    found.require_unless(one.sick_pay_tax >= 0, Check::Negative, "third_party_sick_pay_tax", || {
        "can't be negative".to_owned()
    });
    found.check_party("RE", "", "employer_name", &one.party);
    if let Some(contact) = &one.contact {
        found.check_contact("RE", contact);
    }
    found.findings
}

/// Checks the Form W-2 of a person.
pub fn employee_findings(
    layout: &Layout,
    taxes: &PayrollTaxes,
    employer: &Employer,
    form: &W2,
) -> Vec<Finding> {
    let mut found = Found::findings_about(layout, &form.person.id);
    check_identity(&mut found, form);
    check_positions(&mut found, form);
    check_fit(&mut found, form);
    check_figures(&mut found, taxes, employer.employment, form);
    found.findings
}

fn check_identity(found: &mut Found<'_>, form: &W2) {
    let person = &form.person;
    match &person.ssn {
        None => found.push(Check::MissingSsn, "ssn", "is zero, as if it was applied for"),
        Some(ssn) => {
            let is_ssn = ssn.len() == 9 && ssn.bytes().all(|c| c.is_ascii_digit());
            let is_issued = !["000", "666", "9"].iter().any(|start| ssn.starts_with(start));
            found.require_unless(is_ssn && is_issued, Check::Ssn, "ssn", || {
                "must be nine digits that do not begin with 000, 666 or 9".to_owned()
            });
        }
    }
    for (field, name) in [
        ("first_name", &person.first_name),
        ("middle_name", &person.middle_name),
        ("last_name", &person.last_name),
        ("suffix", &person.suffix),
    ] {
        found.check_text("RW", field, name);
        let is_name = name.chars().all(|c| c.is_ascii_alphabetic() || [' ', '-', '\''].contains(&c));
        found.require_unless(is_name || !name.is_ascii(), Check::Name, field, || {
            "may hold only letters, blanks, hyphens and apostrophes".to_owned()
        });
    }
    found.check_address("RW", "", &person.address);
    for one in &form.states {
        found.require_unless(number_of_state(&one.state).is_some(), Check::State, "state_code", || {
            format!("{:?} is no state with a number", one.state)
        });
    }
}

fn check_positions(found: &mut Found<'_>, form: &W2) {
    for (code, cents) in &form.box_12 {
        match Codes::built_in().get(code) {
            None => found.push(Check::UnknownAmount, &format!("code_{code}"), "is no code of box 12"),
            Some(known) if !known.in_file => {}
            Some(_) => {
                let key = key_of_code(code);
                if ["RW", "RO"].iter().all(|record| found.layout.find_field(record, &key).is_none()) {
                    let why =
                        found.layout.reason_unknown(&key).unwrap_or("its position is not known").to_owned();
                    found.push(
                        Check::OpenPosition,
                        &key,
                        format!("of {} can't be written: {why}", format_dollars(*cents)),
                    );
                }
            }
        }
    }
    if form.code("TP") != 0 {
        let (is_told, key) = (!form.occupations.is_empty(), "box_14b");
        found.require_unless(is_told, Check::Occupation, key, || {
            "needs the occupation in which tips were earned".to_owned()
        });
        if let Some(why) = found.layout.reason_unknown(key).filter(|_| is_told).map(str::to_owned) {
            found.push(Check::OpenPosition, key, format!("can't be written: {why}"));
        }
    }
}

fn check_fit(found: &mut Found<'_>, form: &W2) {
    for lack in &form.lacks {
        found.push(Check::Incomplete, lack.as_str(), "is not known of each payment");
    }
    let amounts = form_amounts(form);
    for (key, cents) in &amounts {
        let Some(field) = ["RW", "RO"].iter().find_map(|record| found.layout.find_field(record, key)) else {
            continue;
        };
        let most = 10_i64.saturating_pow(u32::try_from(field.width()).unwrap_or(18));
        found.require_unless(*cents >= 0, Check::Negative, key, || {
            format!("can't be negative: {}", format_dollars(*cents))
        });
        found.require_unless(*cents < most, Check::TooLarge, key, || {
            format!("is too large: {}", format_dollars(*cents))
        });
    }
    let any = amounts.iter().any(|(_, cents)| *cents != 0);
    found.require_unless(any, Check::EmptyRecord, "box_1", || "and all other amounts are zero".to_owned());
}

fn check_figures(found: &mut Found<'_>, taxes: &PayrollTaxes, employment: Employment, form: &W2) {
    let of = |money| form.amount(money);
    let social_security = of(MoneyBox::SocialSecurityWages) + of(MoneyBox::SocialSecurityTips);
    let (medicare, wages) = (of(MoneyBox::MedicareWages), of(MoneyBox::Wages));
    let (social_tax, medicare_tax) = (of(MoneyBox::SocialSecurityTax), of(MoneyBox::MedicareTax));
    let is_railroad = employment == Employment::Railroad;
    let holds = is_railroad || medicare >= social_security;
    found.require_unless(holds, Check::MedicareWages, "box_5", || {
        "must not be below boxes 3 and 7 together".to_owned()
    });
    let holds = social_tax == 0 || social_security != 0;
    found.require_unless(holds, Check::TaxWithoutWages, "box_4", || "needs box 3 or 7".to_owned());
    let holds = medicare_tax == 0 || medicare != 0;
    found.require_unless(holds, Check::TaxWithoutWages, "box_6", || "needs box 5".to_owned());
    let excluded = match employment {
        Employment::MedicareOnly => social_security != 0 || social_tax != 0,
        Employment::Railroad => {
            [social_security, social_tax, medicare, medicare_tax].iter().any(|one| *one != 0)
        }
        _ => false,
    };
    found.require_unless(!excluded, Check::EmploymentCodeAmounts, "box_3", || {
        "must be zero for the employer's kind of employment, as the boxes that belong to it".to_owned()
    });
    let base = taxes.social_security_base.cents_half_up();
    found.require_unless(social_security <= base, Check::WageBase, "box_3", || {
        format!("and box 7 exceed the wage base of {}", format_dollars(base))
    });
    let above = (medicare - taxes.additional_medicare_threshold.cents_half_up()).max(0);
    let expected = percent_of(social_security, taxes.social_security);
    let near = |tax: i64, expected: i64| tax.abs_diff(expected) <= form.payments + 1;
    found.require_unless(near(social_tax + form.code("A"), expected), Check::TaxRate, "box_4", || {
        format!(
            "{} is not the rate times boxes 3 and 7, {}",
            format_dollars(social_tax),
            format_dollars(expected)
        )
    });
    let expected = percent_of(medicare, taxes.medicare) + percent_of(above, taxes.additional_medicare);
    found.require_unless(near(medicare_tax + form.code("B"), expected), Check::TaxRate, "box_6", || {
        format!("{} is not the rates times box 5, {}", format_dollars(medicare_tax), format_dollars(expected))
    });
    found.require_unless(
        of(MoneyBox::IncomeTax) <= wages.max(0),
        Check::IncomeTaxAboveWages,
        "box_2",
        || "is above box 1".to_owned(),
    );
}

/// Checks a whole file as a stream, and tells every reason at once.
#[derive(Debug)]
pub struct Checker<'l> {
    layout: &'l Layout,
    taxes: &'l PayrollTaxes,
    employer: Option<(Employer, u64)>,
    findings: Vec<Finding>,
}

impl<'l> Checker<'l> {
    /// Begins with the submitter.
    pub fn new(layout: &'l Layout, taxes: &'l PayrollTaxes, one: &Submitter) -> Self {
        Self { layout, taxes, employer: None, findings: submitter_findings(layout, one) }
    }

    /// Begins an employer.
    pub fn begin_employer(&mut self, one: &Employer) {
        self.close_employer();
        self.findings.extend(employer_findings(self.layout, one));
        self.employer = Some((one.clone(), 0));
    }

    /// Checks a Form W-2 of the employer.
    pub fn check_form(&mut self, form: &W2) {
        if let Some((of, count)) = &mut self.employer {
            *count += 1;
            self.findings.extend(employee_findings(self.layout, self.taxes, of, form));
        }
    }

    /// Returns all findings; no file is written while one of them blocks.
    pub fn finish(mut self) -> Vec<Finding> {
        self.close_employer();
        self.findings
    }

    fn close_employer(&mut self) {
        if let Some((of, 0)) = self.employer.take() {
            let mut found = Found::findings_about(self.layout, &of.party.name);
            found.push(Check::NoEmployees, "employees", "can't be none");
            self.findings.extend(found.findings);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_a_severity_in_the_table() {
        for check in Check::ALL {
            assert!(SEVERITIES.contains_key(check), "{check:?}");
        }
    }
}
