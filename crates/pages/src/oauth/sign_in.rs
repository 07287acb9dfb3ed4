//! Signing in with e-mail address and password, protected against guessing.
//!
//! Attempts are counted before the password is verified, per e-mail address whether or not it belongs to a user, and
//! per network address: at most ten and a hundred in a quarter of an hour. The network address is counted first, so
//! that a blocked one cannot lock an administrator out. A successful sign-in resets the count of its e-mail address.
//! Neither the response nor its timing reveals whether the user exists.
//!
//! [`enter`] takes three steps: counting in a unit of work, `password::matches` on its own thread, and the new session
//! in another unit.

use std::net::IpAddr;
use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};
use store::Tx;
use tokio::sync::Semaphore;

use domain::Error;
use domain::access::oauth::sessions;
use domain::access::tokens::{Actor, Caller, Token};
use domain::access::users::attempts;
use domain::access::users::password;
use domain::access::users::rows as users;
use domain::access::users::rows::User;
use domain::access::users::service as people;
use domain::platform::audit;
use interface::app::App;
use interface::rate;

/// Attempts per e-mail address in a quarter of an hour.
const FOR_AN_ADDRESS: i64 = 10;
/// Attempts per network address in a quarter of an hour.
const FROM_A_PLACE: i64 = 100;
/// Passwords verified at the same time: each takes a core and 19 MiB.
static PASSWORDS: Semaphore = Semaphore::const_new(2);
/// How long a password may wait for its turn.
const TURN: Duration = Duration::from_secs(5);

/// The result of an e-mail address and a password.
#[derive(Debug)]
pub enum Entered {
    /// signed in: the token of the new session
    As(Token),
    /// one of them is wrong; which one is not revealed
    Wrong,
    /// nothing was verified; try again in this many seconds
    TooMany(i64),
}

/// Signs in a user with the right password.
///
/// # Errors
/// "Busy" if too many passwords are waiting; a store error.
pub async fn enter(app: &App, caller: &Caller, email: &str, entered: String) -> Result<Entered, Error> {
    let (named, ip) = (email.to_owned(), caller.ip);
    let user = match app.store.write(move |tx| begin(tx, &named, ip)).await? {
        Attempt::Open(user) => user,
        Attempt::TooMany(wait) => return Ok(Entered::TooMany(wait)),
    };
    // A disabled user gets the same answer as an unknown one, after the same time.
    let user = user.filter(|user| user.disabled_at.is_none());
    let hashed = user.as_ref().and_then(|user| user.password_hash.clone());
    let right = match tokio::time::timeout(TURN, PASSWORDS.acquire()).await {
        Ok(Ok(_turn)) => {
            tokio::task::spawn_blocking(move || password::matches(&entered, hashed.as_deref())).await
        }
        _ => return Err(Error::Store(store::Error::Busy)),
    };
    let Some(user) = user.filter(|_| right.unwrap_or(false)) else { return Ok(Entered::Wrong) };
    let (caller, email) = (caller.clone(), email.to_owned());
    let begun = app.store.write(move |tx| succeed(tx, &caller, &user, &email)).await?;
    Ok(begun.map_or(Entered::Wrong, Entered::As))
}

/// Whether a password may be verified.
#[derive(Debug)]
enum Attempt {
    /// it may; the user with the e-mail address, if there is one
    Open(Option<User>),
    /// only after this many seconds
    TooMany(i64),
}

/// Counts an attempt.
fn begin(tx: &mut Tx<'_>, email: &str, ip: IpAddr) -> Result<Attempt, Error> {
    // The network address first: a blocked one does not use up attempts of an e-mail address.
    for (subject, most) in [(rate::place(ip), FROM_A_PLACE), (of_address(email), FOR_AN_ADDRESS)] {
        if let Some(seconds) = attempts::count(tx, &subject, most)? {
            metrics::counter!("sign_in_refused_total").increment(1);
            return Ok(Attempt::TooMany(seconds));
        }
    }
    Ok(Attempt::Open(users::find_by_email(tx, email)?))
}

/// Signs in a user whose password was right; returns the token of the new session. `None` if the password was replaced,
/// or the user disabled, during the verification: that has ended every session, and this one must not survive it.
fn succeed(tx: &mut Tx<'_>, caller: &Caller, seen: &User, email: &str) -> Result<Option<Token>, Error> {
    let user = seen.id;
    people::guard(tx, user)?;
    let still = users::find(tx, user)?
        .is_some_and(|held| held.disabled_at.is_none() && held.password_hash == seen.password_hash);
    if !still {
        return Ok(None);
    }
    attempts::clear(tx, &of_address(email))?;
    let by_user = Caller { actor: Actor::User(user), ..caller.clone() };
    audit::record(tx, &by_user, "signed_in", ("users", user), &json!({}))?;
    sessions::begin(tx, user).map(Some)
}

fn of_address(email: &str) -> [u8; 32] {
    Sha256::new_with_prefix(b"address\0").chain_update(email.trim().to_lowercase()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_password_that_was_replaced_while_it_was_looked_at_begins_no_session() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let keys = store::MasterKeys::parse(&store::MasterKeys::generate()).unwrap();
            let clock = store::Clock::standing("2026-06-15T12:00:00Z".parse().unwrap());
            let options = store::Options::new(clock, keys, domain::SCHEMA);
            let store = store::Store::open("sqlite::memory:", options).unwrap();
            let told = store.write(|tx| {
                let email = "ann@diner.example";
                let person = people::Person {
                    first_name: "Ann".to_owned(),
                    last_name: "Lee".to_owned(),
                    email: email.to_owned(),
                    phone: None,
                };
                let user = people::ensure(tx, &person)?.id;
                let mut seen = Vec::new();
                for _ in 0..2 {
                    people::new_password(tx, user)?;
                    seen.push(users::find(tx, user)?.ok_or(Error::NotFound)?);
                }
                let caller = Caller::operator(Uuid::nil(), jiff::tz::TimeZone::UTC);
                let mut begun = Vec::new();
                for one in &seen {
                    begun.push(succeed(tx, &caller, one, email)?.is_some());
                }
                users::set_disabled(tx, user, true)?;
                begun.push(succeed(tx, &caller, &seen[1], email)?.is_some());
                Ok::<_, Error>(begun)
            });
            assert_eq!(
                told.await.unwrap(),
                [false, true, false],
                "replaced, held, and held by nobody who may come in"
            );
        });
    }
}
