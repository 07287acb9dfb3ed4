//! What the service wrote down beside its answers: events, audit entries, links.

use domain::Error;
use domain::access::tokens::Caller;
use domain::company::setup::service as setup;
use jiff::tz::TimeZone;
use serde_json::Value;
use store::{Tx, params};
use uuid::Uuid;

use super::{Company, World};

/// What an application may do in the companies that it reaches with its own token.
const SCOPES: &str = "payrolls:read payrolls:run company_reports:read company_reports:write";

store::statements! {
    EVENTS = "SELECT event_type, entity_type, entity_id, payload FROM events WHERE company_id = $1 ORDER BY id";
    AUDIT = "SELECT actor_kind, actor_id, action, entity_type, entity_id, request_id, changes FROM audit \
             WHERE company_id = $1 OR (company_id = $2 AND actor_id = $3) ORDER BY id";
    KEPT_ANSWERS = "SELECT count(*) FROM idempotency";
    RUN_ELSEWHERE = "UPDATE companies SET is_partner_managed = false WHERE company_id = $1";
    NOBODY_MANAGES = "UPDATE connections SET manages = false WHERE company_id = $1";
    HOLD = "INSERT INTO tokens (hash, kind, application_id, company_id, scopes, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    REVOKE = "UPDATE tokens SET revoked_at = $1 WHERE hash = $2";
    MAKE_STRICT = "UPDATE applications SET strict = true WHERE id = $1";
    SET_VERSION = "UPDATE applications SET minimum_version = $1 WHERE id = $2";
}

#[derive(Debug, Clone)]
pub struct Event {
    pub event_type: String,
    pub entity_type: String,
    pub entity: Uuid,
    pub payload: Value,
}

#[derive(Debug, Clone)]
pub struct AuditEntry {
    pub actor_kind: String,
    pub actor: Uuid,
    pub action: String,
    pub entity_type: String,
    pub entity: Uuid,
    pub request_id: String,
    pub changes: Value,
}

impl Company {
    /// Makes it a company that runs its payroll elsewhere so far, and is only connected.
    pub async fn run_elsewhere(&self) {
        self.change(RUN_ELSEWHERE).await;
        let company = self.id;
        let nobody =
            move |tx: &mut Tx<'_>| Ok::<_, Error>(tx.change_rows(NOBODY_MANAGES, params![company])?.rows());
        self.world.app.store.write(nobody).await.unwrap();
    }

    /// Lets the application have a token of the company that reads payrolls and that nobody knows: it takes no chance, as one that is issued
    /// does, so that what comes after it stays as it was.
    pub async fn hold_a_token(&self) {
        let (company, application) = (self.id, self.application);
        let hold = move |tx: &mut Tx<'_>| {
            let (mut hash, now) = ([0_u8; 32], tx.now());
            hash[..16].copy_from_slice(company.as_bytes());
            Ok::<_, Error>(tx.insert_row(HOLD, params![&hash, "company", application, company, SCOPES, now])?)
        };
        self.world.app.store.write(hold).await.unwrap();
    }

    /// Does something as the operator would at the command line.
    pub async fn as_operator<T: Send + 'static>(
        &self,
        act: impl Fn(&mut Tx<'_>, &Caller) -> Result<T, Error> + Send + 'static,
    ) -> T {
        let operator = Caller::for_operator(self.id, TimeZone::UTC);
        let done = self.world.app.store.write(move |tx| act(tx, &operator)).await;
        done.unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// Suspends it.
    pub async fn suspend(&self) {
        self.as_operator(setup::suspend_company).await;
    }

    async fn change(&self, statement: store::Sql) {
        let company = self.id;
        let changed = self
            .world
            .app
            .store
            .write(move |tx| Ok::<_, Error>(tx.change_rows(statement, params![company])?.is_one()));
        assert!(changed.await.unwrap());
    }

    /// The company's events, oldest first.
    pub async fn events(&self) -> Vec<Event> {
        let company = self.id;
        let events = self.world.app.store.read(move |tx| {
            Ok::<_, Error>(tx.query_rows(EVENTS, params![company], |row| Event {
                event_type: row.get(0),
                entity_type: row.get(1),
                entity: row.get(2),
                payload: serde_json::from_str(row.json(3).unwrap()).unwrap(),
            })?)
        });
        events.await.unwrap()
    }

    /// The types of the company's events from the given number on.
    pub async fn event_types_since(&self, known: usize) -> Vec<String> {
        self.events().await.into_iter().skip(known).map(|event| event.event_type).collect()
    }

    /// The token that is posted to the url of a subscription, taken out of the store.
    pub async fn verification_token(&self, subscription: &str) -> String {
        let (application, id) = (self.application, subscription.parse().unwrap());
        let token = self.world.app.store.read(move |tx| {
            let now = tx.now();
            let found = domain::events::webhooks::rows::find_subscription(tx, application, id)?
                .ok_or(Error::NotFound)?;
            Ok::<_, Error>(found.valid_secrets(tx, now)?.0.text().to_owned())
        });
        token.await.unwrap()
    }

    pub async fn count_events(&self) -> usize {
        self.events().await.len()
    }

    /// The audit entries of the company, and of its application's own work, oldest first.
    pub async fn audit(&self) -> Vec<AuditEntry> {
        let (company, application) = (self.id, self.application);
        let entries = self.world.app.store.read(move |tx| {
            Ok::<_, Error>(tx.query_rows(AUDIT, params![company, Uuid::nil(), application], |row| {
                AuditEntry {
                    actor_kind: row.get(0),
                    actor: row.get(1),
                    action: row.get(2),
                    entity_type: row.get(3),
                    entity: row.get(4),
                    request_id: row.get(5),
                    changes: serde_json::from_str(row.json(6).unwrap()).unwrap(),
                }
            })?)
        });
        entries.await.unwrap()
    }
}

impl World {
    /// Answers that are kept for repetitions.
    pub async fn kept_answers(&self) -> i64 {
        let count = self
            .app
            .store
            .read(|tx| Ok::<_, Error>(tx.find_row(KEPT_ANSWERS, params![], |row| row.get::<i64>(0))?));
        count.await.unwrap().unwrap()
    }

    /// Withdraws a token, as another node would.
    pub async fn revoke(&self, token: &str) {
        let hash = domain::access::tokens::Token::hash_of(token);
        let revoked = self.app.store.write(move |tx| {
            let now = tx.now();
            Ok::<_, Error>(tx.change_rows(REVOKE, params![now, &hash])?.is_one())
        });
        assert!(revoked.await.unwrap());
    }

    /// Puts an application into strict mode.
    pub async fn make_strict(&self, application: Uuid) {
        let changed = self
            .app
            .store
            .write(move |tx| Ok::<_, Error>(tx.change_rows(MAKE_STRICT, params![application])?.is_one()));
        assert!(changed.await.unwrap());
    }

    /// The version that an application's requests have when they name none.
    pub async fn set_default_version(&self, application: Uuid, version: &'static str) {
        let changed = self.app.store.write(move |tx| {
            Ok::<_, Error>(tx.change_rows(SET_VERSION, params![version, application])?.is_one())
        });
        assert!(changed.await.unwrap());
    }
}
