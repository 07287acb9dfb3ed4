//! Notifications, information requests and custom fields on the wire.

use std::collections::BTreeMap;

use domain::company::banks::rows::{Account, Verification};
use domain::company::forms::rows::Form;
use domain::money::bank::banking_days::day_start_in_california;
use domain::money::funding::cases::{CaseStatus, RecoveryCase};
use domain::money::ledger::purpose::Purpose;
use domain::money::ledger::rows::{Batch, Entry};
use domain::money::views::notices::{Notice, Returned};
use domain::pay::low_wages::LowWage;
use domain::pay::payrolls::calendar::dismissals::LastPeriod;
use domain::pay::payrolls::record::deadlines::submission_deadline;
use domain::pay::payrolls::record::payroll::Payroll;
use domain::people::addresses::questions::OpenQuestions;
use domain::people::employees::Employee;
use domain::people::payment_methods::rows::BankAccount;
use domain::platform::hooks::PayCause;
use domain::returns::corrections::amended_by;
use domain::returns::forms::preparations::YearPreparation;
use domain::returns::forms::rows::{Correction, TaxForm};
use rules::{Amount, Named, onboarding};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::moment::format_moment;

/// An information request to a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct InformationRequest {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// `company_onboarding`, `account_protection`, `payment_request` or `payment_error`
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// `pending_response`, `pending_review` or `approved`
    pub status: String,
    /// whether payroll is blocked until it is answered
    pub blocking_payroll: bool,
    /// the questions
    pub required_questions: Vec<RequiredQuestion>,
}

/// A question of an information request.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequiredQuestion {
    /// identifier
    pub question_uuid: Uuid,
    /// the question
    pub question_text: String,
    /// `text`, `document`, `persona` or `radio_button`
    pub response_type: String,
}

/// The custom fields of a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyCustomFields {
    /// the fields
    pub custom_fields: Vec<CompanyCustomField>,
}

/// A custom field.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyCustomField {
    /// identifier
    pub uuid: Uuid,
    /// its name
    pub name: String,
    /// `text`, `currency`, `number`, `date` or `radio`
    #[serde(rename = "type")]
    pub kind: String,
    /// its purpose
    pub description: Option<String>,
    /// the choices of a `radio` field
    pub selection_options: Option<Vec<String>>,
}

/// The values of an employee's custom fields.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeCustomFields {
    /// the values
    pub custom_fields: Vec<EmployeeCustomField>,
}

/// The value of a custom field for an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeCustomField {
    /// identifier
    pub id: Uuid,
    /// the custom field
    pub company_custom_field_id: Uuid,
    /// its name
    pub name: String,
    /// `text`, `currency`, `number`, `date` or `radio`
    #[serde(rename = "type")]
    pub kind: String,
    /// its purpose
    pub description: Option<String>,
    /// the value
    pub value: String,
    /// the choices of a `radio` field
    pub selection_options: Option<Vec<String>>,
}

/// A condition that somebody at the company should resolve.
#[derive(Debug, Serialize, ToSchema)]
pub struct Notification {
    /// identifier: that of the event that announced it
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// a short title
    pub title: String,
    /// what to do
    pub message: String,
    /// `open`: a resolved notification disappears
    pub status: &'static str,
    /// its category, as in the event `notification.<category>.created`
    pub category: &'static str,
    /// whether it can be acted upon
    pub actionable: bool,
    /// whether payroll is blocked until it is resolved
    pub can_block_payroll: bool,
    /// when it was created
    #[schema(format = DateTime)]
    pub published_at: String,
    /// when it is due; null without a due date
    pub due_at: Option<String>,
    /// the variable parts of the text
    pub template_variables: BTreeMap<&'static str, String>,
    /// the records concerned
    pub resources: Vec<NotificationResource>,
}

/// A record that a notification concerns.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationResource {
    /// kind of record
    pub entity_type: &'static str,
    /// its identifier
    pub entity_uuid: Uuid,
    /// kind of its parent record, such as `Employee` for a `BankAccount`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_type: Option<&'static str>,
    /// identifier of the parent record
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_uuid: Option<Uuid>,
}

impl NotificationResource {
    fn new(entity_type: &'static str, entity_uuid: Uuid) -> Self {
        Self { entity_type, entity_uuid, reference_type: None, reference_uuid: None }
    }
}

impl Notification {
    /// The notification for a company.
    pub fn new(company: Uuid, notice: &Notice) -> Self {
        match notice {
            Notice::Recovery(case) => Self::recovery_case(company, case),
            Notice::Returned { account, returned, employee } => {
                Self::returned_account(company, account, returned, employee)
            }
            Notice::Unfunded(batch) => Self::held_payments(company, batch),
            Notice::SupportReturned { entry, returned } => Self::returned_support(company, entry, returned),
            Notice::Missed(payroll) => Self::missed_payday(company, payroll),
            Notice::LastWages(period) => Self::last_wages(company, period),
            Notice::Transition(payroll) => Self::schedule_transition(company, payroll),
            Notice::Unverified(account) => Self::bank_account(company, account),
            Notice::Unsigned(form) => Self::unsigned_form(company, form),
            Notice::Correction { correction, form } => Self::form_correction(company, correction, form),
            Notice::YearEnd(year) => Self::year_end(company, year),
            Notice::HomeQuestions(asked) => Self::home_questions(company, asked),
            Notice::LowWage(low) => Self::low_wage(company, low),
            Notice::Review(employee) => Self::employee_review(company, employee),
        }
    }

    /// A debit of the company was returned.
    fn recovery_case(company: Uuid, case: &RecoveryCase) -> Self {
        let amount = Amount::from_cents(case.outstanding_cents).to_text(2);
        let todo = match case.status {
            CaseStatus::RedebitInitiated => {
                "It will be presented again. Make sure the account has sufficient funds."
            }
            CaseStatus::WireInitiated => "We are waiting for the wire.",
            CaseStatus::Open | CaseStatus::Recovered | CaseStatus::Lost => {
                "Request that it be presented again, or send a wire."
            }
        };
        Self {
            uuid: case.id,
            company_uuid: company,
            title: format!("The debit for the payroll of {} was returned", case.check_date),
            message: format!(
                "The bank returned it with code {}; ${amount} is outstanding. {todo}",
                case.code
            ),
            status: "open",
            category: "recovery_case",
            actionable: case.status == CaseStatus::Open,
            can_block_payroll: true,
            published_at: format_moment(case.created_at),
            due_at: None,
            template_variables: BTreeMap::from([
                ("amount_outstanding", amount),
                ("check_date", case.check_date.to_string()),
            ]),
            resources: vec![
                NotificationResource::new("RecoveryCase", case.id),
                NotificationResource::new("Payroll", case.payroll),
            ],
        }
    }

    /// A payment to an employee's account was returned.
    fn returned_account(
        company: Uuid,
        account: &BankAccount,
        Returned { code, at }: &Returned,
        employee: &Employee,
    ) -> Self {
        let name = format!("{} {}", employee.first_name, employee.last_name);
        let itself = NotificationResource {
            reference_type: Some("Employee"),
            reference_uuid: Some(employee.id),
            ..NotificationResource::new("BankAccount", account.id)
        };
        Self {
            uuid: account.id,
            company_uuid: company,
            title: format!("A payment to the account of {name} was returned"),
            message: format!(
                "The bank returned it with code {code}. No further payments go to this account. Correct or delete it; the returned payment can \
                 be paid again."
            ),
            status: "open",
            category: "employee_bank_verification_failure",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(*at),
            due_at: None,
            template_variables: BTreeMap::from([("employee_name", name), ("error_code", code.clone())]),
            resources: vec![itself],
        }
    }

    /// Payments are held until the company has a verified account.
    fn held_payments(company: Uuid, batch: &Batch) -> Self {
        let amount = Amount::from_cents(batch.cents).to_text(2);
        let day = batch.check_date.to_string();
        let payroll =
            (batch.purpose == Purpose::Payroll).then(|| NotificationResource::new("Payroll", batch.payroll));
        Self {
            uuid: batch.id,
            company_uuid: company,
            title: "Add a bank account: payments are held".to_owned(),
            message: format!(
                "${amount} due on {day} is being held because the company has no verified bank account. It will be paid once \
                 it has one."
            ),
            status: "open",
            category: "bank_account",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(batch.created_at),
            due_at: None,
            template_variables: BTreeMap::from([("amount", amount), ("check_date", day)]),
            resources: payroll.into_iter().collect(),
        }
    }

    /// A child support payment by the service was returned.
    fn returned_support(company: Uuid, entry: &Entry, Returned { code, at }: &Returned) -> Self {
        let amount = Amount::from_cents(entry.cents).to_text(2);
        let garnishment = entry.garnishment.map(|id| NotificationResource::new("Garnishment", id));
        let payroll = NotificationResource::new("Payroll", entry.payroll);
        Self {
            uuid: entry.id,
            company_uuid: company,
            title: format!("Child support for {} was returned", entry.name),
            message: format!(
                "The bank returned ${amount} with code {code}: the agency has not received it. Pay it by its due date and record that, or \
                 have it sent again."
            ),
            status: "open",
            category: "child_support_returned",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(*at),
            due_at: None,
            template_variables: BTreeMap::from([("amount", amount), ("error_code", code.clone())]),
            resources: garnishment.into_iter().chain([payroll]).collect(),
        }
    }

    /// The account that payroll is paid from is not verified.
    fn bank_account(company: Uuid, account: &Account) -> Self {
        let message = match account.verification {
            Verification::AwaitingDeposits => {
                "Two test deposits are on their way; their amounts will verify it."
            }
            Verification::Ready | Verification::Verified => {
                "Two test deposits were made to it: enter their amounts."
            }
        };
        Self {
            uuid: account.id,
            company_uuid: company,
            title: "Verify the company's bank account".to_owned(),
            message: message.to_owned(),
            status: "open",
            category: "bank_account",
            actionable: account.verification == Verification::Ready,
            can_block_payroll: true,
            published_at: format_moment(account.created_at),
            due_at: None,
            template_variables: BTreeMap::new(),
            resources: vec![NotificationResource::new("BankAccount", account.id)],
        }
    }

    /// What was paid in a closed quarter or year changed.
    fn form_correction(company: Uuid, correction: &Correction, form: &TaxForm) -> Self {
        let (code, period) = (form.kind.code(), form.period_text());
        let amended = amended_by(form.kind);
        let concerned = match correction.cause {
            PayCause::Processed | PayCause::Cancelled | PayCause::Voided => "Payroll",
            PayCause::Contractor => "ContractorPayment",
            PayCause::External => "ExternalPayroll",
            PayCause::OpeningBalances => "Employee",
        };
        Self {
            uuid: correction.id,
            company_uuid: company,
            title: format!("Form {code} of {period}: what was paid has changed since the close"),
            message: format!(
                "The form stays as it was closed. Compare it with the figures of today; if they differ and it was filed, file {amended}."
            ),
            status: "open",
            category: "tax_form_correction",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(correction.created_at),
            due_at: None,
            template_variables: BTreeMap::from([
                ("form_name", form.kind.as_str().to_owned()),
                ("period", period),
                ("check_date", correction.day.to_string()),
            ]),
            resources: vec![
                NotificationResource::new("Form", form.id),
                NotificationResource::new(concerned, correction.record),
            ],
        }
    }

    /// Something is missing for the close of a year.
    fn year_end(company: Uuid, one: &YearPreparation) -> Self {
        let year = one.year.to_string();
        let subjects: Vec<String> = one.subjects.iter().map(|subject| subject.replace('_', " ")).collect();
        let subjects = subjects.join(", ");
        Self {
            uuid: one.id,
            company_uuid: company,
            title: format!("Prepare the close of {year}"),
            message: format!(
                "Forms W-2 and the returns of {year} still need: {subjects} ({} in all). The page of the tax returns says what, and of whom.",
                one.missing
            ),
            status: "open",
            category: "year_end_preparation",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(one.created_at),
            due_at: Some(format_moment(day_start_in_california(one.due))),
            template_variables: BTreeMap::from([
                ("year", year),
                ("missing_count", one.missing.to_string()),
                ("missing", subjects),
            ]),
            resources: Vec::new(),
        }
    }

    /// A form of the company is not signed.
    fn unsigned_form(company: Uuid, form: &Form) -> Self {
        let title = form.kind.title();
        Self {
            uuid: form.id,
            company_uuid: company,
            title: format!("Sign the {title}"),
            message: "The signatory must sign it; onboarding is complete only when every form is signed."
                .to_owned(),
            status: "open",
            category: "sign_company_documents",
            actionable: true,
            can_block_payroll: true,
            published_at: format_moment(form.updated_at),
            due_at: None,
            template_variables: BTreeMap::from([("form_name", title.to_owned())]),
            resources: Vec::new(),
        }
    }

    /// A regular payroll was not submitted by its deadline.
    fn missed_payday(company: Uuid, payroll: &Payroll) -> Self {
        let check_date = payroll.initial_check_date.to_string();
        let (start, end) = (payroll.start.to_string(), payroll.end.to_string());
        let schedule = payroll.pay_schedule.map(|id| NotificationResource::new("PaySchedule", id));
        Self {
            uuid: payroll.id,
            company_uuid: company,
            title: format!("The payroll of {check_date} was not run"),
            message: format!(
                "Its deadline has passed. Calculate and submit the payroll of {start} to {end}: employees are then paid on the next possible \
                 day. Or skip it, if nobody is owed anything."
            ),
            status: "open",
            category: "missed_anchor_pay_day",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(payroll.deadline_of_first_pay_date()),
            due_at: Some(format_moment(payroll.deadline_of_first_pay_date())),
            template_variables: BTreeMap::from([
                ("check_date", check_date),
                ("start_date", start),
                ("end_date", end),
            ]),
            resources: std::iter::once(NotificationResource::new("Payroll", payroll.id))
                .chain(schedule)
                .collect(),
        }
    }

    /// The final wages of somebody who left wait for a payroll of their own.
    fn last_wages(company: Uuid, period: &LastPeriod) -> Self {
        let (last_day, check_date) = (period.last_day.to_string(), period.check_date.to_string());
        let payroll = period.payroll.map(|id| NotificationResource::new("Payroll", id));
        let due = period.due_on.map(|day| format!(", due by {day}")).unwrap_or_default();
        Self {
            uuid: period.termination,
            company_uuid: company,
            title: format!("Pay the final wages of {}", period.name),
            message: format!(
                "{} worked until {last_day}, and the final wages{due} are paid by a payroll of their own: run it, or skip it, if nothing is owed.",
                period.name
            ),
            status: "open",
            category: "employees_termination_payroll",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(period.since),
            due_at: Some(format_moment(submission_deadline(period.check_date))),
            template_variables: BTreeMap::from([
                ("employee_name", period.name.clone()),
                ("last_day", last_day),
                ("check_date", check_date),
            ]),
            resources: std::iter::once(NotificationResource::new("Employee", period.employee))
                .chain(payroll)
                .collect(),
        }
    }

    /// Days between two pay schedules, or between old and new terms of one, wait to be paid.
    fn schedule_transition(company: Uuid, payroll: &Payroll) -> Self {
        let (start, end) = (payroll.start.to_string(), payroll.end.to_string());
        let schedule = payroll.pay_schedule;
        let schedule = schedule.map(|id| NotificationResource::new("PaySchedule", id));
        let payroll_itself = NotificationResource::new("Payroll", payroll.id);
        Self {
            uuid: payroll.id,
            company_uuid: company,
            title: format!("Pay the days from {start} to {end}"),
            message: "These days fall between two pay schedules. Run the transition payroll, or skip it."
                .to_owned(),
            status: "open",
            category: "pay_schedule_transition",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(payroll.created_at),
            due_at: Some(format_moment(submission_deadline(payroll.check_date))),
            template_variables: BTreeMap::from([("start_date", start), ("end_date", end)]),
            resources: std::iter::once(payroll_itself).chain(schedule).collect(),
        }
    }

    /// The tables do not tell all places of the home of somebody who is paid.
    fn home_questions(company: Uuid, asked: &OpenQuestions) -> Self {
        let OpenQuestions { home, employee, kinds, since } = asked;
        let name = format!("{} {}", employee.first_name, employee.last_name);
        let day = home.effective_date.to_string();
        let keys: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let itself = NotificationResource {
            reference_type: Some("Employee"),
            reference_uuid: Some(employee.id),
            ..NotificationResource::new("HomeAddress", home.id)
        };
        Self {
            uuid: home.id,
            company_uuid: company,
            title: format!("Where the home of {name} lies is not known"),
            message: format!(
                "The address in {}, {} {}, from {day} on, does not tell its {}. {name} answers that on the page of the home address, \
                 or an application with the address. Until then paychecks withhold what is likely, and warn.",
                home.city,
                home.state,
                home.zip,
                keys.join(", ").replace('_', " ")
            ),
            status: "open",
            category: "home_address_questions",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(*since),
            due_at: None,
            template_variables: BTreeMap::from([
                ("effective_date", day),
                ("employee_name", name),
                ("questions", keys.join(", ")),
            ]),
            resources: vec![itself],
        }
    }

    /// A rate is below the minimum wage, or will be.
    fn low_wage(company: Uuid, LowWage { employee, compensation, floor, since }: &LowWage) -> Self {
        let name = format!("{} {}", employee.first_name, employee.last_name);
        let (rate, wage) = (compensation.rate.to_text(2), floor.wage.to_text(2));
        let day = floor.day.to_string();
        Self {
            uuid: compensation.id,
            company_uuid: company,
            title: format!("The pay of {name} is below the minimum wage"),
            message: format!(
                "{name} is paid ${rate} an hour; the minimum wage at the workplace is ${wage} on {day}. Enter a higher rate from that day on, or, \
                 if tips make up the rest, have pay adjusted for the minimum wage."
            ),
            status: "open",
            category: "update_min_wages",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(*since),
            due_at: Some(format_moment(day_start_in_california(floor.day))),
            template_variables: BTreeMap::from([
                ("employee_name", name),
                ("rate", rate),
                ("minimum_wage", wage),
                ("effective_date", day),
            ]),
            resources: vec![NotificationResource::new("Employee", employee.id)],
        }
    }

    /// An employee of a company waits for the administrator's review.
    fn employee_review(company: Uuid, employee: &Employee) -> Self {
        let name = format!("{} {}", employee.first_name, employee.last_name);
        Self {
            uuid: employee.id,
            company_uuid: company,
            title: format!("Review the onboarding of {name}"),
            message: match employee.status {
                onboarding::Status::SelfOnboardingCompletedByEmployee => {
                    format!(
                        "{name} has completed the employee's part; look at the answers and finish the onboarding."
                    )
                }
                _ => {
                    format!("{name} has completed every step; look at the answers and finish the onboarding.")
                }
            },
            status: "open",
            category: "employee_review",
            actionable: true,
            can_block_payroll: false,
            published_at: format_moment(employee.self_completed_at.unwrap_or(employee.created_at)),
            due_at: None,
            template_variables: BTreeMap::from([("employee_name", name)]),
            resources: vec![NotificationResource::new("Employee", employee.id)],
        }
    }
}
