//! How payroll is paid: the same for every company.
//!
//! Payments reach employees two banking days after a payroll's deadline ([`BANKING_DAYS`]); there is no faster way, and the
//! service, not the partner, notes them as made. A client that sends what is in force already is answered with it; anything
//! else is refused, so that nobody believes that payments became faster.

use rules::payroll::schedule::BANKING_DAYS;
use rules::{Amount, Checks, Violation};

use crate::error::Error;
use crate::patch::Patch;

/// Every speed that the interface has names for.
pub const SPEEDS: [&str; 3] = ["1-day", "2-day", "4-day"];

/// The speed of payments.
pub const SPEED: &str = SPEEDS[1];

// A payment takes as many days as its speed says.
const _: () = assert!(SPEED.as_bytes()[0] - b'0' == BANKING_DAYS);

/// How payroll is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentConfigs {
    /// one of [`SPEEDS`]
    pub payment_speed: &'static str,
    /// up to which amount a faster payment is made; none where no faster payments are made
    pub fast_payment_limit: Option<Amount>,
    /// whether the partner pays out
    pub partner_owned_disbursement: bool,
}

/// How payroll is paid at present.
pub const fn current() -> PaymentConfigs {
    PaymentConfigs { payment_speed: SPEED, fast_payment_limit: None, partner_owned_disbursement: false }
}

/// The fields of how payroll is to be paid.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// one of [`SPEEDS`]
    pub payment_speed: Patch<String>,
    /// up to which amount a faster payment is made
    pub fast_payment_limit: Patch<Amount>,
    /// whether the partner pays out
    pub partner_owned_disbursement: Patch<bool>,
}

/// Says how payroll is to be paid.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the fields twice: as clients nest them, and as they are documented")]
pub struct UpdatePaymentConfigs {
    pub payment_configs: Patch<Fields>,
    pub payment_speed: Patch<String>,
    pub fast_payment_limit: Patch<Amount>,
    pub partner_owned_disbursement: Patch<bool>,
}

/// Takes what is in force already.
///
/// # Errors
/// 422 for any other value, each with the one that is in force, and where no field was sent.
pub fn update(input: &UpdatePaymentConfigs) -> Result<PaymentConfigs, Error> {
    let mut checks = Checks::new();
    let outer = Fields {
        payment_speed: input.payment_speed.clone(),
        fast_payment_limit: input.fast_payment_limit.clone(),
        partner_owned_disbursement: input.partner_owned_disbursement.clone(),
    };
    let nested =
        input.payment_configs.optional("payment_configs", &mut checks, |_, fields| Ok(fields.clone()));
    let all = [Some(outer), nested];
    let any =
        all.iter().flatten().map(|fields| confirm(fields, &mut checks)).fold(false, |any, one| any | one);
    checks.require(any || matches!(input.payment_configs, Patch::Invalid(_)), || {
        let why = "payment_configs must have payment_speed, fast_payment_limit or partner_owned_disbursement";
        Violation::invalid("payment_configs", why)
    });
    checks.finish()?;
    Ok(current())
}

/// Checks the fields that were sent; whether any was.
fn confirm(fields: &Fields, checks: &mut Checks) -> bool {
    let now = current();
    let speed = |key: &str, sent: &String| match sent == now.payment_speed {
        true => Ok(()),
        false => Err(Violation::invalid(
            key,
            format!("{key} must be {SPEED}: every payment takes two banking days"),
        )),
    };
    let limit = |key: &str, _: &Amount| {
        Err::<(), _>(Violation::invalid(key, format!("{key} must be null: no faster payments are made")))
    };
    let partner = |key: &str, sent: &bool| match *sent == now.partner_owned_disbursement {
        true => Ok(()),
        false => {
            Err(Violation::invalid(key, format!("{key} must be false: payments are noted by the service")))
        }
    };
    fields.payment_speed.optional("payment_speed", checks, speed);
    fields.fast_payment_limit.optional("fast_payment_limit", checks, limit);
    fields.partner_owned_disbursement.optional("partner_owned_disbursement", checks, partner);
    !matches!(fields.payment_speed, Patch::Absent | Patch::Null)
        || !matches!(fields.fast_payment_limit, Patch::Absent)
        || !matches!(fields.partner_owned_disbursement, Patch::Absent | Patch::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_force_is_taken_and_anything_else_refused_by_name() {
        let same = UpdatePaymentConfigs {
            payment_configs: Patch::Value(Fields {
                payment_speed: Patch::Value("2-day".to_owned()),
                ..Fields::default()
            }),
            ..UpdatePaymentConfigs::default()
        };
        assert_eq!(update(&same).ok(), Some(current()));
        let other = UpdatePaymentConfigs {
            payment_speed: Patch::Value("1-day".to_owned()),
            fast_payment_limit: Patch::Value(Amount::from_cents(100)),
            partner_owned_disbursement: Patch::Value(true),
            ..UpdatePaymentConfigs::default()
        };
        let Err(Error::Violations(wrong)) = update(&other) else { panic!("it was taken") };
        let keys: Vec<_> = wrong.iter().map(|one| one.key.to_string()).collect();
        assert_eq!(keys, ["payment_speed", "fast_payment_limit", "partner_owned_disbursement"]);
        assert!(wrong[0].message.contains("2-day"));
    }

    #[test]
    fn at_least_one_field_has_to_be_sent() {
        assert!(matches!(update(&UpdatePaymentConfigs::default()), Err(Error::Violations(_))));
        let null =
            UpdatePaymentConfigs { fast_payment_limit: Patch::Null, ..UpdatePaymentConfigs::default() };
        assert!(update(&null).is_ok(), "null is the limit that is in force");
    }
}
