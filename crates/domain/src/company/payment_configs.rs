//! How payroll is paid.
//!
//! Payments reach employees two banking days after a payroll's deadline ([`BANKING_DAYS`]); there is no faster way. A request with the
//! current values succeeds; another speed, or a limit, is refused, so that nobody believes that payments became faster. Each company
//! chooses who pays its employees: the service, or the partner, who then reports each payment as made.

use rules::payroll::schedule::BANKING_DAYS;
use rules::{Amount, Checks, Violation};
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::Patch;
use crate::platform::audit;
use crate::records::Changes;

/// Every payment speed that the API names.
pub const SPEEDS: [&str; 3] = ["1-day", "2-day", "4-day"];

/// The speed of payments.
pub const SPEED: &str = SPEEDS[1];

// A payment takes as many days as its speed says.
const _: () = assert!(SPEED.as_bytes()[0] - b'0' == BANKING_DAYS);

/// Table of the record, in audit entries and for guards.
const TABLE: &str = "payment_configs";

store::statements! {
    FIND = "SELECT partner_owned_disbursement FROM payment_configs WHERE company_id = $1";
    PUT = "INSERT INTO payment_configs (company_id, partner_owned_disbursement, updated_at) VALUES ($1, $2, $3) \
           ON CONFLICT (company_id) DO UPDATE SET partner_owned_disbursement = excluded.partner_owned_disbursement, \
           updated_at = excluded.updated_at";
}

/// How payroll is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentConfigs {
    /// one of [`SPEEDS`]
    pub payment_speed: &'static str,
    /// the maximum amount of faster payments; `None` if there are none
    pub fast_payment_limit: Option<Amount>,
    /// whether the partner pays employees, in payrolls that are calculated from now on
    pub partner_owned_disbursement: bool,
}

/// The fields of a payment configuration.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// one of [`SPEEDS`]
    pub payment_speed: Patch<String>,
    /// the maximum amount of faster payments
    pub fast_payment_limit: Patch<Amount>,
    /// whether the partner pays employees
    pub partner_owned_disbursement: Patch<bool>,
}

/// Sets how payroll is paid.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the fields twice: nested as clients send them, and as documented")]
pub struct UpdatePaymentConfigs {
    pub payment_configs: Patch<Fields>,
    pub payment_speed: Patch<String>,
    pub fast_payment_limit: Patch<Amount>,
    pub partner_owned_disbursement: Patch<bool>,
}

/// How payroll of a company is paid.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<PaymentConfigs, Error> {
    let partner = tx.find_row(FIND, params![company], |row| row.get::<bool>(0))?.unwrap_or(false);
    Ok(PaymentConfigs { payment_speed: SPEED, fast_payment_limit: None, partner_owned_disbursement: partner })
}

/// Sets who pays employees; for speed and limit only the current values are accepted. Payrolls that were calculated before keep their
/// setting.
///
/// # Errors
/// 422 for another speed or limit, with the current one, for two contradictory values, and if no field was sent; a store error.
pub fn update_payment_configs(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &UpdatePaymentConfigs,
) -> Result<PaymentConfigs, Error> {
    let sent = read_partner_pays(input)?;
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = of_company(tx, caller.company)?;
    let after = PaymentConfigs {
        partner_owned_disbursement: sent.unwrap_or(before.partner_owned_disbursement),
        ..before
    };
    let mut changes = Changes::new();
    let (old, new) = (before.partner_owned_disbursement, after.partner_owned_disbursement);
    changes.record_difference("partner_owned_disbursement", &old, &new);
    if !changes.is_empty() {
        let now = tx.now();
        let _one = tx.change_rows(PUT, params![caller.company, new, now])?.is_one();
        audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &changes.to_json())?;
    }
    Ok(after)
}

/// Whether the partner is to pay employees, if that was sent.
fn read_partner_pays(input: &UpdatePaymentConfigs) -> Result<Option<bool>, Error> {
    let mut checks = Checks::new();
    let outer = Fields {
        payment_speed: input.payment_speed.clone(),
        fast_payment_limit: input.fast_payment_limit.clone(),
        partner_owned_disbursement: input.partner_owned_disbursement.clone(),
    };
    let nested =
        input.payment_configs.optional("payment_configs", &mut checks, |_, fields| Ok(fields.clone()));
    let all = [Some(outer), nested];
    let any = all.iter().flatten().any(Fields::has_any);
    let sent: Vec<bool> = all.iter().flatten().filter_map(|fields| fields.check(&mut checks)).collect();
    checks.require(any || matches!(input.payment_configs, Patch::Invalid(_)), || {
        let why = "payment_configs must have payment_speed, fast_payment_limit or partner_owned_disbursement";
        Violation::invalid("payment_configs", why)
    });
    checks.require(sent.iter().all(|one| Some(one) == sent.first()), || {
        let why = "partner_owned_disbursement must be the same outside and inside payment_configs";
        Violation::invalid("partner_owned_disbursement", why)
    });
    checks.finish()?;
    Ok(sent.first().copied())
}

impl Fields {
    fn has_any(&self) -> bool {
        !matches!(self.payment_speed, Patch::Absent | Patch::Null)
            || !matches!(self.fast_payment_limit, Patch::Absent)
            || !matches!(self.partner_owned_disbursement, Patch::Absent | Patch::Null)
    }

    /// Checks the fields that were sent; returns whether the partner is to pay employees, if that is among them.
    fn check(&self, checks: &mut Checks) -> Option<bool> {
        let speed = |key: &str, sent: &String| match sent == SPEED {
            true => Ok(()),
            false => Err(Violation::invalid(
                key,
                format!("{key} must be {SPEED}: every payment takes two banking days"),
            )),
        };
        let limit = |key: &str, _: &Amount| {
            Err::<(), _>(Violation::invalid(key, format!("{key} must be null: no faster payments are made")))
        };
        self.payment_speed.optional("payment_speed", checks, speed);
        self.fast_payment_limit.optional("fast_payment_limit", checks, limit);
        self.partner_owned_disbursement.optional("partner_owned_disbursement", checks, |_, sent| Ok(*sent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_speed_or_limit_is_refused_with_the_current_one() {
        let same = UpdatePaymentConfigs {
            payment_configs: Patch::Value(Fields {
                payment_speed: Patch::Value("2-day".to_owned()),
                partner_owned_disbursement: Patch::Value(true),
                ..Fields::default()
            }),
            ..UpdatePaymentConfigs::default()
        };
        assert_eq!(read_partner_pays(&same).ok(), Some(Some(true)));
        let other = UpdatePaymentConfigs {
            payment_speed: Patch::Value("1-day".to_owned()),
            fast_payment_limit: Patch::Value(Amount::from_cents(100)),
            partner_owned_disbursement: Patch::Value(false),
            ..same
        };
        let Err(Error::Violations(wrong)) = read_partner_pays(&other) else { panic!("it was accepted") };
        let keys: Vec<_> = wrong.iter().map(|one| one.key.to_string()).collect();
        assert_eq!(keys, ["payment_speed", "fast_payment_limit", "partner_owned_disbursement"]);
        assert!(wrong[0].message.contains("2-day"));
    }

    #[test]
    fn at_least_one_field_has_to_be_sent() {
        assert!(matches!(read_partner_pays(&UpdatePaymentConfigs::default()), Err(Error::Violations(_))));
        let null =
            UpdatePaymentConfigs { fast_payment_limit: Patch::Null, ..UpdatePaymentConfigs::default() };
        assert!(read_partner_pays(&null).is_ok(), "null is the current limit");
    }
}
