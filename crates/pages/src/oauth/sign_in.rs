//! Signing in with e-mail address and password, protected against guessing.
//!
//! Attempts are counted before the password is verified, whether or not the e-mail address belongs to a user. In a quarter
//! of an hour there are at most a hundred from one network, ten of them for one e-mail address, and a hundred for one
//! address from everywhere. A browser in which the user has signed in before has ten of its own, so that nobody else's
//! attempts lock the user out there. A blocked network does not use up attempts of an address. A successful sign-in
//! resets the count of its network or browser. Neither the response nor its timing reveals whether the user exists.
//!
//! [`sign_in_user`] takes three steps: counting in a unit of work, `password::matches` on its own thread, and the new session
//! in another unit.

use std::net::IpAddr;
use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};
use store::Tx;
use tokio::sync::Semaphore;
use uuid::Uuid;

use domain::Error;
use domain::access::oauth::sessions;
use domain::access::tokens::{Actor, Caller, Token};
use domain::access::users::attempts;
use domain::access::users::browsers;
use domain::access::users::password;
use domain::access::users::rows as users;
use domain::access::users::rows::User;
use domain::access::users::service as people;
use domain::platform::audit;
use interface::app::App;
use interface::rate;

/// Attempts for an e-mail address from one network, or in one known browser, in a quarter of an hour.
const FOR_AN_ADDRESS: i64 = 10;
/// Attempts for an e-mail address from everywhere else in a quarter of an hour.
const FROM_EVERYWHERE: i64 = 100;
/// Attempts per network address in a quarter of an hour.
const FROM_A_PLACE: i64 = 100;
/// Passwords verified at the same time: each takes a core and 19 MiB.
static PASSWORDS: Semaphore = Semaphore::const_new(2);
/// How long a password may wait for its turn.
const TURN: Duration = Duration::from_secs(5);

/// The result of an e-mail address and a password.
#[derive(Debug)]
pub enum Entered {
    /// signed in
    As {
        /// the token of the new session
        session: Token,
        /// the text of the cookie by which the browser is known from now on
        browser: String,
    },
    /// one of them is wrong; which one is not revealed
    Wrong,
    /// nothing was verified; try again in this many seconds
    TooMany(i64),
}

/// Signs in a user with the right password; `browser` is the cookie of a browser in which somebody signed in before.
///
/// # Errors
/// "Busy" if too many passwords are waiting; a store error.
pub async fn sign_in_user(
    app: &App,
    caller: &Caller,
    browser: Option<String>,
    email: &str,
    entered: String,
) -> Result<Entered, Error> {
    let (named, ip, cookie) = (email.to_owned(), caller.ip, browser.clone());
    let (user, counted) =
        match app.store.write(move |tx| count_attempt(tx, &named, ip, cookie.as_deref())).await? {
            Attempt::Open(user, counted) => (user, counted),
            Attempt::TooMany(wait) => return Ok(Entered::TooMany(wait)),
        };
    // A disabled user gets the same answer as an unknown one, after the same time.
    let user = user.filter(|user| user.disabled_at.is_none());
    let hashed = user.as_ref().and_then(|user| user.password_hash.clone());
    let right = match tokio::time::timeout(TURN, PASSWORDS.acquire()).await {
        Ok(Ok(_turn)) => {
            tokio::task::spawn_blocking(move || password::password_matches(&entered, hashed.as_deref())).await
        }
        _ => return Err(Error::Store(store::Error::Busy)),
    };
    let Some(user) = user.filter(|_| right.unwrap_or(false)) else { return Ok(Entered::Wrong) };
    let caller = caller.clone();
    let begun =
        app.store.write(move |tx| finish_sign_in(tx, &caller, &user, &counted, browser.as_deref())).await?;
    Ok(begun.map_or(Entered::Wrong, |(session, browser)| Entered::As { session, browser }))
}

/// Whether a password may be verified.
#[derive(Debug)]
enum Attempt {
    /// it may; the user with the e-mail address, if there is one, and under what the attempt was counted
    Open(Option<User>, [u8; 32]),
    /// only after this many seconds
    TooMany(i64),
}

/// Counts an attempt.
fn count_attempt(tx: &mut Tx<'_>, email: &str, ip: IpAddr, browser: Option<&str>) -> Result<Attempt, Error> {
    let (place, user) = (rate::address_key(ip), users::find_by_email(tx, email)?);
    let id = user.as_ref().map_or(Uuid::nil(), |user| user.id);
    let known = match browser {
        Some(cookie) if browsers::is_known_browser(tx, id, cookie)? => Some(cookie),
        _ => None,
    };
    let own = match known {
        Some(cookie) => of_address(email, b"browser\0", &Token::hash_of(cookie)),
        None => of_address(email, b"place\0", &place),
    };
    // The network first: a blocked one uses up no attempts of an e-mail address.
    let mut counts = vec![(place, FROM_A_PLACE), (own, FOR_AN_ADDRESS)];
    if known.is_none() {
        counts.push((of_address(email, b"everywhere\0", &[]), FROM_EVERYWHERE));
    }
    for (subject, most) in counts {
        if let Some(seconds) = attempts::count_attempt(tx, &subject, most)? {
            metrics::counter!("sign_in_refused_total").increment(1);
            return Ok(Attempt::TooMany(seconds));
        }
    }
    Ok(Attempt::Open(user, own))
}

/// Signs in a user whose password was right, and forgets the attempts that were `counted` with this one; returns the token of the new
/// session and the cookie of the browser. `None` if the password was replaced, or the user disabled, during the verification: that has
/// ended every session, and this one must not survive it.
fn finish_sign_in(
    tx: &mut Tx<'_>,
    caller: &Caller,
    seen: &User,
    counted: &[u8; 32],
    browser: Option<&str>,
) -> Result<Option<(Token, String)>, Error> {
    let user = seen.id;
    people::lock_user_credentials(tx, user)?;
    let still = users::find_user(tx, user)?
        .is_some_and(|held| held.disabled_at.is_none() && held.password_hash == seen.password_hash);
    if !still {
        return Ok(None);
    }
    attempts::clear_attempts(tx, counted)?;
    let by_user = Caller { actor: Actor::User(user), ..caller.clone() };
    audit::record_audit_entry(tx, &by_user, "signed_in", ("users", user), &json!({}))?;
    let browser = browsers::remember_browser(tx, user, browser)?;
    Ok(Some((sessions::begin_session(tx, user)?, browser)))
}

/// What attempts for an e-mail address are counted under, from one network, in one browser, or from everywhere.
fn of_address(email: &str, kind: &[u8], from: &[u8]) -> [u8; 32] {
    let address = Sha256::digest(email.trim().to_lowercase());
    Sha256::new_with_prefix(kind).chain_update(address).chain_update(from).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_was_replaced_while_it_was_looked_at_begins_no_session() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let keys = store::MasterKeys::parse(&store::MasterKeys::generate_key()).unwrap();
            let clock = store::Clock::standing_at("2026-06-15T12:00:00Z".parse().unwrap());
            let options = store::Options::new(clock, keys, domain::SCHEMA);
            let store = store::Store::open("sqlite::memory:", options).unwrap();
            let told = store.write(|tx| {
                let email = "ann@diner.example";
                let person = people::RoleHolder {
                    first_name: "Ann".to_owned(),
                    last_name: "Lee".to_owned(),
                    email: email.to_owned(),
                    phone: None,
                };
                let user = people::find_or_create_user(tx, &person)?.id;
                let mut seen = Vec::new();
                for _ in 0..2 {
                    people::new_password(tx, user)?;
                    seen.push(users::find_user(tx, user)?.ok_or(Error::NotFound)?);
                }
                let caller = Caller::for_operator(Uuid::nil(), jiff::tz::TimeZone::UTC);
                let mut begun = Vec::new();
                for one in &seen {
                    begun.push(finish_sign_in(tx, &caller, one, &[0; 32], None)?.is_some());
                }
                users::set_disabled(tx, user, true)?;
                begun.push(finish_sign_in(tx, &caller, &seen[1], &[0; 32], None)?.is_some());
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
