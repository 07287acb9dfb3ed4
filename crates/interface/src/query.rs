//! Query strings of requests.

pub mod paging;

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::patch::Patch;
use domain::records::id_of;
use jiff::civil::Date;
use rules::{Amount, Category, Checks, Named, Violation, check};
use utoipa::openapi::path::{Parameter as OpenApiParameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Required, Schema};
use uuid::Uuid;

use crate::error::Error;
use crate::named::{self, Enum};

/// Maximum characters of a query string.
const LONGEST: usize = 8_192;

/// The query string, in order of its parameters.
#[derive(Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query string.
    ///
    /// # Errors
    /// It is longer than 8,192 characters, or contains a NUL character.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.len() > LONGEST {
            return Err(Error::Unreadable(format!("The query string is longer than {LONGEST} characters.")));
        }
        let pairs: Vec<(String, String)> = form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        if pairs.iter().any(|(_, value)| value.contains('\0')) {
            return Err(Error::Unreadable("The query string contains a NUL character.".to_owned()));
        }
        Ok(Self(pairs))
    }

    /// The last value of a parameter; an empty one is treated as absent.
    pub fn text_value(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Text that a use case checks.
    pub fn unchecked_text(&self, key: &str) -> Patch<String> {
        self.text_value(key).map_or(Patch::Absent, |text| Patch::Value(text.to_owned()))
    }

    /// A parameter that must be `true` or `false`.
    pub fn boolean_value(&self, key: &str, checks: &mut Checks) -> Option<bool> {
        match self.text_value(key)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                checks.push(parameter_violation(key, "must be true or false"));
                None
            }
        }
    }

    /// Every value of a parameter that takes a list. Some clients repeat the parameter for each item, named `key` or
    /// `key[]`, instead of separating items with commas.
    pub fn list_values(&self, key: &str) -> impl Iterator<Item = &str> {
        let named =
            move |name: &str| name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest == "[]");
        self.0
            .iter()
            .filter(move |(name, text)| named(name) && !text.is_empty())
            .map(|(_, text)| text.as_str())
    }

    /// Ids separated by commas. Malformed ids parse as the nil UUID, which names no record.
    pub fn ids(&self, key: &str) -> Option<Vec<Uuid>> {
        let texts: Vec<&str> = self.list_values(key).flat_map(|text| text.split(',')).collect();
        (!texts.is_empty()).then(|| texts.into_iter().map(|id| id_of(id.trim())).collect())
    }

    /// Words separated by commas, each of which must be allowed.
    pub fn words(&self, key: &str, allowed: &[&'static str], checks: &mut Checks) -> Vec<&'static str> {
        let mut words = Vec::new();
        let given = self.list_values(key).flat_map(|text| text.split(','));
        for word in given.map(str::trim).filter(|word| !word.is_empty()) {
            match allowed.iter().find(|name| **name == word) {
                Some(name) => words.push(*name),
                None => {
                    checks.push(parameter_violation(key, &format!("may name only {}", allowed.join(", "))))
                }
            }
        }
        words
    }

    /// A positive whole number.
    pub fn number(&self, key: &str, most: i64, checks: &mut Checks) -> Option<i64> {
        let number = self.text_value(key)?.parse::<i64>().ok().filter(|number| (1..=most).contains(number));
        if number.is_none() {
            checks.push(parameter_violation(key, &format!("must be a whole number from 1 to {most}")));
        }
        number
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        Self::parse(parts.uri.query().unwrap_or(""))
    }
}

/// A violation of a parameter; `what` completes the sentence that begins with its name.
pub fn parameter_violation(key: &str, what: &str) -> Violation {
    Violation::new(key, Category::InvalidParameter, format!("{key} {what}"))
}

/// A type that a query parameter can have.
pub trait Parameter: Sized {
    /// Whether the parameter is required.
    const REQUIRED: bool = false;
    /// Parses the parameter; violations are added to `checks`.
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self;
    /// The schema of its value.
    fn schema() -> Schema;
}

/// The schema of text with a format.
pub fn text_of(format: Option<KnownFormat>) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).format(format.map(SchemaFormat::KnownFormat)).into()
}

/// The schema of a positive whole number.
pub fn number_up_to(most: i64) -> Schema {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(most)).into()
}

impl Parameter for Option<String> {
    fn read_parameter(query: &Query, key: &str, _: &mut Checks) -> Self {
        query.text_value(key).map(str::to_owned)
    }
    fn schema() -> Schema {
        text_of(None)
    }
}

impl Parameter for Option<bool> {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        query.boolean_value(key, checks)
    }
    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::Boolean).into()
    }
}

/// False by default.
impl Parameter for bool {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        query.boolean_value(key, checks).unwrap_or(false)
    }
    fn schema() -> Schema {
        Option::<Self>::schema()
    }
}

impl Parameter for Option<Date> {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        query.text_value(key).and_then(|day| checks.take_value(check::parse_date(key, day)))
    }
    fn schema() -> Schema {
        text_of(Some(KnownFormat::Date))
    }
}

impl Parameter for Option<Amount> {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let amount = Amount::parse(query.text_value(key)?).ok();
        if amount.is_none() {
            checks.push(parameter_violation(key, "must be a decimal number such as 19.75"));
        }
        amount
    }
    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::Number).into()
    }
}

/// Malformed ids parse as the nil UUID, which names no record.
impl Parameter for Option<Uuid> {
    fn read_parameter(query: &Query, key: &str, _: &mut Checks) -> Self {
        query.text_value(key).map(id_of)
    }
    fn schema() -> Schema {
        text_of(Some(KnownFormat::Uuid))
    }
}

/// Ids separated by commas.
impl Parameter for Option<Vec<Uuid>> {
    fn read_parameter(query: &Query, key: &str, _: &mut Checks) -> Self {
        query.ids(key)
    }
    fn schema() -> Schema {
        ArrayBuilder::new().items(RefOr::T(text_of(Some(KnownFormat::Uuid)))).into()
    }
}

impl<T: Named> Parameter for Option<Enum<T>> {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let text = query.text_value(key)?;
        let found = T::parse(text).map(Enum);
        if found.is_none() {
            checks.push(parameter_violation(key, &format!("must be one of: {}", T::names().join(", "))));
        }
        found
    }
    fn schema() -> Schema {
        named::schema_of::<T>()
    }
}

/// Names separated by commas.
impl<T: Named> Parameter for Vec<Enum<T>> {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let words = query.words(key, &T::names(), checks);
        words.into_iter().filter_map(T::parse).map(Enum).collect()
    }
    fn schema() -> Schema {
        ArrayBuilder::new().items(RefOr::T(named::schema_of::<T>())).into()
    }
}

/// One name, and described as one. Several separated by commas are accepted as well; the operation decides which of
/// them is used.
#[derive(Debug, Clone)]
pub struct Choice<T>(Vec<Enum<T>>);

impl<T: Named> Choice<T> {
    /// The first name.
    pub fn first(&self) -> Option<T> {
        self.0.first().map(|one| one.0)
    }

    /// The last name.
    pub fn last(&self) -> Option<T> {
        self.0.last().map(|one| one.0)
    }
}

impl<T: Named> Parameter for Choice<T> {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        Self(Vec::read_parameter(query, key, checks))
    }
    fn schema() -> Schema {
        named::schema_of::<T>()
    }
}

/// A whole number for a use case that checks it like one in a body.
impl Parameter for Patch<i64> {
    fn read_parameter(query: &Query, key: &str, _: &mut Checks) -> Self {
        match query.text_value(key).map(str::parse) {
            None => Self::Absent,
            Some(Ok(number)) => Self::Value(number),
            Some(Err(_)) => Self::Invalid("a whole number".into()),
        }
    }
    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::Integer).into()
    }
}

/// Text for a use case that parses it like text in a body; described as `T`.
#[derive(Debug, Clone)]
pub struct RawText<T> {
    /// the text as sent
    pub text: Patch<String>,
    what: PhantomData<T>,
}

impl<T> Parameter for RawText<T>
where
    Option<T>: Parameter,
{
    fn read_parameter(query: &Query, key: &str, _: &mut Checks) -> Self {
        Self { text: query.unchecked_text(key), what: PhantomData }
    }
    fn schema() -> Schema {
        Option::<T>::schema()
    }
}

/// A required parameter, whose absence the use case reports.
#[derive(Debug, Clone)]
pub struct Mandatory<T>(pub T);

impl<T: Parameter> Parameter for Mandatory<T> {
    const REQUIRED: bool = true;
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        Self(T::read_parameter(query, key, checks))
    }
    fn schema() -> Schema {
        T::schema()
    }
}

/// The description of one parameter of a query string.
pub fn describe_parameter<T: Parameter>(
    name: &str,
    lines: &[&str],
    example: Option<&str>,
) -> OpenApiParameter {
    let lists = matches!(T::schema(), Schema::Array(_));
    ParameterBuilder::new()
        .name(name.strip_prefix("r#").unwrap_or(name))
        .parameter_in(ParameterIn::Query)
        .required(if T::REQUIRED { Required::True } else { Required::False })
        .description(Some(lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")))
        .schema(Some(T::schema()))
        .style(lists.then_some(ParameterStyle::Form))
        .explode(lists.then_some(false))
        .example(example.map(Into::into))
        .build()
}

/// Declares the query string of an operation: a struct that handlers take as an argument and that `utoipa::path` takes
/// among its `params`. All violations are reported together. `..page` at the end adds `page` and `per`, optionally with
/// descriptions in braces that replace the usual ones. `..page_after` also adds the parameter that names the row after
/// which a page begins.
///
/// ```text
/// query! {
///     /// Which jobs are listed, and with what.
///     ListJobs {
///         /// every compensation, not only the current one
///         include: Vec<Enum<JobInclude>>,
///         ..page
///     }
/// }
/// ```
#[macro_export]
macro_rules! query {
    ($($(#[$about:meta])* $name:ident {
        $($(#[doc = $line:literal])+ $(#[example = $example:literal])? $field:ident: $type:ty,)*
        $(..$page:ident $({ $number:literal, $rows:literal })?)?
    })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $name {
            $($(#[doc = $line])+ pub $field: $type,)*
            $(/// which page of the list
            pub $page: domain::paging::Page,)?
        }

        impl<S: Sync> axum::extract::FromRequestParts<S> for $name {
            type Rejection = $crate::error::Error;

            async fn from_request_parts(
                parts: &mut axum::http::request::Parts,
                state: &S,
            ) -> Result<Self, Self::Rejection> {
                let query = $crate::query::Query::from_request_parts(parts, state).await?;
                let mut checks = rules::Checks::new();
                let read = Self {
                    $($page: query.$page(&mut checks),)?
                    $($field: $crate::query::Parameter::read_parameter(
                        &query,
                        stringify!($field).trim_start_matches("r#"),
                        &mut checks,
                    ),)*
                };
                checks.finish()?;
                Ok(read)
            }
        }

        impl utoipa::IntoParams for $name {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                #[allow(unused_mut, reason = "not every query string is paged")]
                let mut all = vec![
                    $($crate::query::describe_parameter::<$type>(
                        stringify!($field),
                        &[$($line),+],
                        None$(.or(Some($example)))?,
                    ),)*
                ];
                $(all.extend($crate::query::paging::described::$page(None$(.or(Some([$number, $rows])))?));)?
                all
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    #[test]
    fn include_takes_words_joined_by_commas_and_names_the_allowed_ones() {
        let mut checks = Checks::new();
        let allowed = ["all_compensations", "company_name"];
        assert_eq!(
            query("include=all_compensations%2Ccompany_name").words("include", &allowed, &mut checks),
            allowed
        );
        query("include=everything").words("include", &allowed, &mut checks);
        assert!(checks.finish().unwrap_err()[0].message.contains("all_compensations, company_name"));
    }

    #[test]
    fn a_list_is_read_with_commas_and_from_a_parameter_for_each_item() {
        let ids = |text: &str| query(text).ids("uuids");
        let [one, two] = ["018f4f3e-0000-7000-8000-000000000001", "018f4f3e-0000-7000-8000-000000000002"];
        let both = Some(vec![id_of(one), id_of(two)]);
        assert_eq!(ids(&format!("uuids={one},{two}")), both);
        assert_eq!(ids(&format!("uuids={one}&uuids={two}")), both);
        assert_eq!(ids(&format!("uuids[]={one}&uuids[]={two}")), both);
        assert_eq!((ids("uuids="), ids("uuidsx=1"), ids("uuids=x")), (None, None, Some(vec![Uuid::nil()])));
    }
}
