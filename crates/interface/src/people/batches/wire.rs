//! Batches of people on the wire.

use domain::pay::compensations::commands::CreateJob;
use domain::people::batches;
use domain::people::batches::ENTITIES;
use rules::Amount;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::batch::{Batch, BatchAction};
use crate::field::{Field, List};
use crate::people::addresses::wire::input_with_residence;
use crate::values::{
    AccountNumberText, AccountTypeName, ClassCodeText, CountryName, DateText, Decimal, DirectDepositName,
    EmailText, FlsaStatusName, IdText, InitialText, LineText, LongLineText, OptionalLineText,
    PaymentUnitName, PersonName, RoutingNumberText, SplitByName, SsnText,
};
use crate::{batch_results, input, objects, words};

words! {
    /// The kind of people in a batch.
    PeopleBatchEntity = ENTITIES;
    /// The result for a person in a batch.
    PeopleBatchItemStatus = ["success", "partial_success", "failed"];
}

batch_results! {
    /// The results of a batch of people.
    PeopleBatchResults of PeopleBatchItem, PeopleBatchExclusion
}

/// The result for a person in a batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeopleBatchItem {
    /// the caller's identifier of the person
    pub external_id: String,
    /// `employee`
    #[schema(value_type = PeopleBatchEntity)]
    pub role: &'static str,
    /// the result: `partial_success` for a person who was created without everything that was sent
    #[schema(value_type = PeopleBatchItemStatus)]
    pub status: &'static str,
    /// index in the batch, from 0
    pub idx: usize,
    /// the employee, if created
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
    /// the employee, if created
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_uuid: Option<Uuid>,
    /// what was refused, as in the `errors` of a response
    pub errors: Vec<Value>,
}

/// A person who was not processed.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeopleBatchExclusion {
    /// the caller's identifier of the person
    pub external_id: String,
    /// machine-readable reason: `duplicate`
    pub category: String,
    /// the reason in words
    pub message: String,
    /// 1
    pub item_count: usize,
}

/// The response to a batch of people.
pub fn batch_summary(batch: &batches::Batch) -> Batch {
    Batch::of_items::<batches::PersonItem>(batch.id, batch.idempotency_key.clone(), batch.status)
}

/// The response with the results of a batch of people.
pub fn people_results(batch: batches::Batch) -> PeopleBatchResults {
    let (about, at) = (batch_summary(&batch), batch.created_at);
    let item = |one: batches::Entered| PeopleBatchItem {
        role: ENTITIES[0],
        status: one.status(),
        idx: one.index,
        uuid: one.employee,
        employee_uuid: one.employee,
        external_id: one.external_id,
        errors: one.errors,
    };
    let exclusion = |one: batches::Excluded| PeopleBatchExclusion {
        external_id: one.external_id,
        category: one.category,
        message: one.message,
        item_count: 1,
    };
    let results = batch.results.into_iter().map(item).collect();
    PeopleBatchResults::new(about, at, results, batch.exclusions.into_iter().map(exclusion).collect())
}

input_with_residence! {
    /// A home address.
    BatchHomeAddress => batches::Home {
        /// `USA`
        #[schema(nullable)]
        country: CountryName,
        /// true creates a work location at the home address; then work_address is not allowed
        #[schema(nullable)]
        work_from_home: bool,
    }
}

input! {
    /// Several people.
    CreatePeopleBatch => batches::CreateBatch {
        /// idempotency key of your choice, a UUID unique per company
        #[schema(required)]
        idempotency_key: IdText,
        /// the action
        #[schema(required)]
        batch_action: BatchAction,
        /// 1 to 50 people
        #[schema(required)]
        batch: List<PersonOfBatch>,
    }

    /// A person with the records that belong to them.
    PersonOfBatch => batches::PersonItem {
        /// the kind of person
        #[schema(required)]
        entity_type: PeopleBatchEntity,
        /// name and other personal data
        #[schema(required)]
        person: BatchPerson,
        /// the home address
        #[schema(nullable)]
        home_address: BatchHomeAddress,
        /// the work address
        #[schema(nullable)]
        work_address: BatchWorkAddress,
        /// the job; required with a compensation
        #[schema(nullable)]
        job: BatchJob,
        /// the department
        #[schema(nullable)]
        department: BatchDepartment,
        /// the job's compensation; required with a job
        #[schema(nullable)]
        compensation: BatchCompensation,
        /// at most 10; pay is split among them as they say
        #[schema(nullable)]
        bank_accounts: List<BatchBankAccount>,
    }

    /// A work address.
    BatchWorkAddress => batches::Work {
        /// a location of the company
        #[schema(required)]
        location_uuid: IdText,
    }

    /// The person's department.
    BatchDepartment => batches::Membership {
        /// the department
        #[schema(required)]
        department_uuid: IdText,
    }

    /// The compensation of a job.
    BatchCompensation => batches::Pay {
        /// dollars
        #[schema(required, value_type = Decimal)]
        rate: Amount,
        /// the payment unit
        #[schema(required)]
        payment_unit: PaymentUnitName,
        /// FLSA status
        #[schema(required)]
        flsa_status: FlsaStatusName,
    }
}

/// Personal data.
#[derive(Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct BatchPerson {
    /// your identifier of the person; repeated in the results
    #[schema(required)]
    pub external_id: Field<LongLineText>,
    /// first name
    #[schema(required)]
    pub first_name: Field<PersonName>,
    /// last name
    #[schema(required)]
    pub last_name: Field<PersonName>,
    /// one letter
    #[schema(nullable)]
    pub middle_initial: Field<InitialText>,
    /// preferred first name
    #[schema(nullable)]
    pub preferred_first_name: Field<OptionalLineText>,
    /// personal e-mail address
    #[schema(nullable)]
    pub email: Field<EmailText>,
    /// e-mail address at work
    #[schema(nullable)]
    pub work_email: Field<EmailText>,
    /// nine digits, with dashes or without
    #[schema(nullable)]
    pub ssn: Field<SsnText>,
    /// YYYY-MM-DD
    #[schema(nullable)]
    pub date_of_birth: Field<DateText>,
    /// whether the person enters the remaining personal data (self-onboarding)
    #[schema(nullable)]
    pub self_onboarding: Field<bool>,
}

store::hidden!(BatchPerson);

impl From<BatchPerson> for batches::NewPerson {
    fn from(body: BatchPerson) -> Self {
        Self {
            external_id: body.external_id.into(),
            first_name: body.first_name.into(),
            last_name: body.last_name.into(),
            middle_initial: body.middle_initial.into(),
            preferred_first_name: body.preferred_first_name.into(),
            email: body.email.into(),
            work_email: body.work_email.into(),
            ssn: body.ssn.into(),
            date_of_birth: body.date_of_birth.into(),
            self_onboarding: body.self_onboarding.into(),
        }
    }
}

/// The job of a person.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct BatchJob {
    /// its title
    #[schema(required)]
    pub title: Field<LongLineText>,
    /// YYYY-MM-DD: the first day of work
    #[schema(required)]
    pub hire_date: Field<DateText>,
    /// whether the person owns more than 2 % of an S corporation
    #[schema(nullable)]
    pub two_percent_shareholder: Field<bool>,
    /// whether the job is covered by the state's workers' compensation
    #[schema(nullable)]
    pub state_wc_covered: Field<bool>,
    /// risk class of the state's workers' compensation
    #[schema(nullable)]
    pub state_wc_class_code: Field<ClassCodeText>,
}

impl From<BatchJob> for CreateJob {
    fn from(body: BatchJob) -> Self {
        Self {
            title: body.title.into(),
            hire_date: body.hire_date.into(),
            two_percent_shareholder: body.two_percent_shareholder.into(),
            state_wc_covered: body.state_wc_covered.into(),
            state_wc_class_code: body.state_wc_class_code.into(),
            ..Self::default()
        }
    }
}

/// A bank account for pay.
#[derive(Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct BatchBankAccount {
    /// the person's name for it
    #[schema(nullable)]
    pub name: Field<LineText>,
    /// `Checking` or `Savings`
    #[schema(required)]
    pub account_type: Field<AccountTypeName>,
    /// nine digits
    #[schema(required)]
    pub routing_number: Field<RoutingNumberText>,
    /// 1 to 17 digits
    #[schema(required)]
    pub account_number: Field<AccountNumberText>,
    /// `Direct Deposit`
    #[schema(required)]
    pub r#type: Field<DirectDepositName>,
    /// `Amount` or `Percentage`, the same for all accounts
    #[schema(required)]
    pub split_by: Field<SplitByName>,
    /// percent or cents; null for the last account with `Amount`, which gets the remainder
    #[schema(nullable, value_type = Decimal)]
    pub split_amount: Field<Amount>,
}

store::hidden!(BatchBankAccount);

impl From<BatchBankAccount> for batches::Account {
    fn from(body: BatchBankAccount) -> Self {
        Self {
            name: body.name.into(),
            account_type: body.account_type.into(),
            routing_number: body.routing_number.into(),
            account_number: body.account_number.into(),
            kind: body.r#type.into(),
            split_by: body.split_by.into(),
            split_amount: body.split_amount.into(),
        }
    }
}

objects!(
    BatchPerson: "an object with external_id, first_name and last_name",
    BatchHomeAddress: "an object with street_1, city, state and zip",
    BatchWorkAddress: "an object with location_uuid",
    BatchDepartment: "an object with department_uuid",
    BatchCompensation: "an object with rate, payment_unit and flsa_status",
    BatchJob: "an object with title and hire_date",
);
