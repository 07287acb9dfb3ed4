//! The argument of a handler: the admitted request, its body, and identifiers in its path.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::access::idempotency;
use domain::access::tokens::Caller;
use domain::records::id_of;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use crate::error::Error;
use crate::field;
use crate::form::Form;

/// A request that may carry an idempotency key.
pub type IdempotencyKey = idempotency::Key<Bytes>;

/// An admitted request, with its body.
#[derive(Debug, Clone)]
pub struct Call {
    /// the caller
    caller: Caller,
    /// its idempotency key, if any
    idempotency: Option<IdempotencyKey>,
    /// whether the path names a company other than the token's
    foreign: bool,
    /// the body as sent
    body: Bytes,
    /// the form sent instead of a body
    form: Option<Arc<Form>>,
}

impl Call {
    /// A request of `caller`. `foreign` says whether its path names a company other than the token's.
    pub(super) fn new(
        caller: Caller,
        idempotency: Option<IdempotencyKey>,
        foreign: bool,
        (body, form): (Bytes, Option<Arc<Form>>),
    ) -> Self {
        Self { caller, idempotency, foreign, body, form }
    }

    /// The caller.
    ///
    /// # Errors
    /// 404 if the path names a company other than the token's.
    pub fn caller(&self) -> Result<&Caller, Error> {
        if self.foreign { Err(Error::NotFound) } else { Ok(&self.caller) }
    }

    /// The caller, and the idempotency key, if any.
    ///
    /// # Errors
    /// As [`Call::caller`].
    pub fn into_caller_and_key(self) -> Result<(Caller, Option<IdempotencyKey>), Error> {
        self.caller()?;
        Ok((self.caller, self.idempotency))
    }

    /// The form sent instead of a body.
    pub fn form(&self) -> Option<Arc<Form>> {
        self.form.clone()
    }
}

impl<S: Sync> FromRequestParts<S> for Call {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        // Missing only if a route's description forgot to name its token.
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or_else(|| Error::internal("the route names no token in the description"))
    }
}

/// A body read into `T`.
#[derive(Debug)]
pub struct Input<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Input<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let call = parts
            .extensions
            .get::<Call>()
            .ok_or_else(|| Error::internal("the route names no token in the description"))?;
        Ok(field::read_body(&call.body).map(Self)?)
    }
}

/// An identifier in a path. Malformed ids parse as the nil UUID and yield 404.
#[derive(Debug, Clone, Copy)]
pub struct Id(pub Uuid);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(id_of(&String::deserialize(deserializer)?)))
    }
}

/// The ids in the path of something that a company has: `/companies/{company_id}/payrolls/{payroll_id}`.
#[derive(Debug, Clone, Copy)]
pub struct InCompany {
    /// the company
    pub company: Uuid,
    /// what it has
    pub id: Uuid,
}

impl<'de> Deserialize<'de> for InCompany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Id(company), Id(id)) = Deserialize::deserialize(deserializer)?;
        Ok(Self { company, id })
    }
}

/// The ids in the path of something that is not found without its owner: `/contractors/{contractor_id}/forms/{form_id}`.
#[derive(Debug, Clone, Copy)]
pub struct Owned {
    /// the person or subscription
    pub owner: Uuid,
    /// what belongs to it
    pub id: Uuid,
}

impl<'de> Deserialize<'de> for Owned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Id(owner), Id(id)) = Deserialize::deserialize(deserializer)?;
        Ok(Self { owner, id })
    }
}

/// The ids in the path of an employee in a payroll: `/payrolls/{payroll_id}/employees/{employee_id}`.
#[derive(Debug, Clone, Copy)]
pub struct InPayroll {
    /// the payroll
    pub payroll: Uuid,
    /// the employee
    pub employee: Uuid,
}

impl<'de> Deserialize<'de> for InPayroll {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Id(payroll), Id(employee)) = Deserialize::deserialize(deserializer)?;
        Ok(Self { payroll, employee })
    }
}

/// The ids of [`InPayroll`] after that of the company.
#[derive(Debug, Clone, Copy)]
pub struct InPayrollOfCompany {
    /// the company
    pub company: Uuid,
    /// the payroll
    pub payroll: Uuid,
    /// the employee
    pub employee: Uuid,
}

impl<'de> Deserialize<'de> for InPayrollOfCompany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (Id(company), Id(payroll), Id(employee)) = Deserialize::deserialize(deserializer)?;
        Ok(Self { company, payroll, employee })
    }
}
