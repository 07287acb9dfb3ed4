//! What ends with the access of an application, or with the right of an administrator: all of it, also what is being made
//! at the same moment, and nothing of anybody else's.

use std::sync::mpsc;
use std::time::Duration;

use domain::Error;
use domain::access::applications as records;
use domain::access::applications::NewApplication;
use domain::access::oauth::tokens::{self, Refreshed};
use domain::access::tokens::Caller;
use domain::access::users::Role;
use domain::access::users::service as people;
use domain::access::users::service::RoleHolder;
use domain::company::partners::service as partners;
use domain::offboarding::{applications, people as administrators};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::{User, code_for, connected, error, exchange, reads, refresh_with, request, token, user};
use crate::support::{Company, Engine, REDIRECT_URI, World, on_both_engines, text};

/// Does something at the command line, of which the service hears nothing.
async fn operator<T: Send + 'static>(
    world: &World,
    act: impl Fn(&mut Tx<'_>, &Caller) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let operator = Caller::for_operator(Uuid::nil(), TimeZone::UTC);
    world.app.store.write(move |tx| act(tx, &operator)).await
}

/// A company that runs elsewhere, and an administrator of it who consented: the code is not used yet.
async fn with_code(world: &World) -> (Company, User, String) {
    let company = world.company().await;
    company.run_elsewhere().await;
    let user = user(world, &[(&company, Role::FullAccess)]).await;
    let code = code_for(&request(world, &[]), world, &user, &company).await;
    (company, user, code)
}

async fn give(world: &World, company: &Company, user: &User, role: Role) -> Result<(), Error> {
    let (company, email) = (company.id, user.email.clone());
    let given = operator(world, move |tx, _| {
        let (first_name, last_name) = ("Ann".to_owned(), "Lee".to_owned());
        let person = RoleHolder { first_name, last_name, email: email.clone(), phone: None };
        people::give_role(tx, &Caller::for_operator(company, TimeZone::UTC), &person, role)
    });
    given.await.map(drop)
}

async fn is_refused(world: &World, code: &str) {
    assert_eq!(error(&token(world, &exchange(world, code)).await.is(400)), "invalid_grant");
}

/// Ends the connection of the world's application with a company, as the operator does.
async fn revoke(world: &World, company: &Company) -> Result<(), Error> {
    let (application, company) = (world.application, company.id);
    operator(world, move |tx, _| {
        let inside = applications::operator_in(tx, company)?;
        partners::revoke_consent(tx, &inside, application)
    })
    .await
}

#[test]
fn a_code_that_was_not_used_yet_ends_with_what_it_would_give() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        // With the administrator.
        let (_, ann, code) = with_code(&world).await;
        let email = ann.email.clone();
        operator(&world, move |tx, caller| administrators::disable_user(tx, caller, &email)).await.unwrap();
        is_refused(&world, &code).await;
        let email = ann.email.clone();
        operator(&world, move |tx, caller| administrators::enable_user(tx, caller, &email)).await.unwrap();
        is_refused(&world, &code).await;
        // With the consent.
        let (company, ann, code) = with_code(&world).await;
        let email = ann.email.clone();
        operator(&world, move |tx, _| administrators::revoke_consent(tx, &email)).await.unwrap();
        is_refused(&world, &code).await;
        let entry = company.audit().await.into_iter().rfind(|entry| entry.action == "revoked").unwrap();
        assert_eq!(entry.changes["ended"], json!({ "codes": 1, "tokens": 0 }));
        // With the right to consent, also where it comes back.
        let (company, ann, code) = with_code(&world).await;
        give(&world, &company, &ann, Role::Limited).await.unwrap();
        give(&world, &company, &ann, Role::FullAccess).await.unwrap();
        is_refused(&world, &code).await;
        // With the connection.
        let (company, ann, first) = with_code(&world).await;
        token(&world, &exchange(&world, &first)).await.ok();
        let second = code_for(&request(&world, &[]), &world, &ann, &company).await;
        revoke(&world, &company).await.unwrap();
        is_refused(&world, &second).await;
        assert!(matches!(revoke(&world, &company).await, Err(Error::NotFound)), "it stays ended");
        // With the access of the application, whose connection stays.
        let (company, _, code) = with_code(&world).await;
        let (application, of) = (world.application, company.id);
        operator(&world, move |tx, _| {
            let inside = applications::operator_in(tx, of)?;
            applications::sign_out_of(tx, &inside, application)
        })
        .await
        .unwrap();
        is_refused(&world, &code).await;
    });
}

/// Runs a unit that is about to be committed when `beside` begins.
async fn unfinished<T: Send + 'static, B: Future>(
    world: &World,
    unit: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
    beside: impl FnOnce() -> B,
) -> (T, B::Output) {
    let (begun, waits) = mpsc::channel();
    let store = world.app.store.clone();
    let running = tokio::spawn(async move {
        store
            .write(move |tx| {
                let done = unit(tx)?;
                let _nobody_waits = begun.send(());
                std::thread::sleep(Duration::from_millis(300));
                Ok::<_, Error>(done)
            })
            .await
    });
    tokio::task::spawn_blocking(move || waits.recv().unwrap()).await.unwrap();
    let other = beside().await;
    (running.await.unwrap().unwrap(), other)
}

#[test]
fn a_pair_that_is_being_made_while_the_application_leaves_ends_with_the_others() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, _, given) = connected(&world).await;
        let (application, refresh) = (world.application, text(&given, "refresh_token"));
        let leave = format!("/v1/partner_managed_companies/{}/disassociate", company.id);
        let (next, left) = unfinished(
            &world,
            move |tx| match tokens::refresh_pair(tx, application, &refresh, None)? {
                Refreshed::Pair(pair) => Ok((pair.access, pair.refresh)),
                other => panic!("{other:?}"),
            },
            || world.call("PUT", &leave).bearer(&world.system_token).send(),
        )
        .await;
        left.is(200);
        assert_eq!(reads(&company, &next.0).await, 401);
        let renewed = token(&world, &refresh_with(&world, &next.1)).await;
        assert_eq!(error(&renewed.is(400)), "invalid_grant");
        assert!(matches!(revoke(&world, &company).await, Err(Error::NotFound)), "it stays ended");
    });
}

#[test]
fn a_pair_that_is_being_made_while_its_administrator_is_disabled_ends_with_the_others() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, ann, code) = with_code(&world).await;
        let given = token(&world, &exchange(&world, &code)).await.ok();
        let (application, refresh) = (world.application, text(&given, "refresh_token"));
        let (access, ended) = unfinished(
            &world,
            move |tx| match tokens::refresh_pair(tx, application, &refresh, None)? {
                Refreshed::Pair(pair) => Ok(pair.access),
                other => panic!("{other:?}"),
            },
            || operator(&world, move |tx, caller| administrators::disable_user(tx, caller, &ann.email)),
        )
        .await;
        assert!(ended.unwrap().tokens >= 4);
        assert_eq!(reads(&company, &access).await, 401);
    });
}

#[test]
fn a_code_that_is_exchanged_while_its_administrator_loses_the_right_gives_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, ann, code) = with_code(&world).await;
        let (of, email, who) = (company.id, ann.email.clone(), ann.id);
        let (_, exchanged) = unfinished(
            &world,
            move |tx| {
                let (first_name, last_name) = ("Ann".to_owned(), "Lee".to_owned());
                let person = RoleHolder { first_name, last_name, email: email.clone(), phone: None };
                people::give_role(tx, &Caller::for_operator(of, TimeZone::UTC), &person, Role::Limited)
            },
            || is_refused(&world, &code),
        )
        .await;
        let () = exchanged;
        let role = operator(&world, move |tx, _| domain::access::users::rows::role_in(tx, of, who)).await;
        assert_eq!(role.unwrap(), Some(Role::Limited));
    });
}

#[test]
fn a_link_made_with_a_token_that_was_just_withdrawn_is_refused() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let ana = company.hire("Ana", "2026-07-01").await;
        let (application, of) = (world.application, company.id);
        assert_eq!(reads(&company, &company.token).await, 200, "what it grants is believed for a second");
        operator(&world, move |tx, _| {
            let inside = applications::operator_in(tx, of)?;
            applications::sign_out_of(tx, &inside, application)
        })
        .await
        .unwrap();
        let body = json!({ "flow_type": "employee_self_management", "entity_type": "Employee", "entity_uuid": ana.id });
        company.post("/v1/companies/{company}/flows", body).await.refused(401);
    });
}

/// The cookie of a session of hosted pages, and its first page.
async fn opened(world: &World, link: &str) -> (String, String) {
    let opened = world.call("GET", link).send().await.is(303);
    let cookie = opened.header("set-cookie").split(';').next().unwrap().to_owned();
    let onward = world.call("GET", opened.header("location")).header("cookie", &cookie).send().await;
    (cookie, onward.is(303).header("location").to_owned())
}

#[test]
fn an_application_that_leaves_takes_nothing_of_the_others_and_tells_them_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let other = company.for_another_application().await;
        let ana = company.hire("Ana", "2026-07-01").await;
        let link = company.link(&ana.id).await;
        let (cookie, page) = opened(&world, &link).await;
        let leave = async |what: &str, of: &Company| {
            let path = match what {
                "disassociate" => format!("/v1/partner_managed_companies/{}/disassociate", of.id),
                _ => format!("/v1/companies/{}/disconnect_app_integration", of.id),
            };
            let method = if what == "disassociate" { "PUT" } else { "POST" };
            world.call(method, path).bearer(&of.system_token).send().await
        };
        let told = leave("disassociate", &other).await.refused(422);
        assert!(told.message().contains("Another application manages this company"), "{}", told.message());
        leave("disconnect", &other).await.is(204);
        leave("disassociate", &other).await.refused(404);

        world.call("GET", &page).header("cookie", &cookie).send().await.is(200);
        world.call("GET", &link).send().await.is(303);
        let managed = company.get("/v1/companies/{company}").await.ok();
        assert_eq!(managed["is_partner_managed"], true);
        let hears = async |of: &Company| {
            let call = world.call("GET", format!("/v1/events?resource_uuid={}&event_type=company.*", of.id));
            let told = call.bearer(&of.system_token).send().await.list();
            told.iter().filter(|event| text(event, "event_type") == "company.deprovisioned").count()
        };
        assert_eq!((hears(&company).await, hears(&other).await), (0, 1));

        leave("disconnect", &company).await.is(204);
        world.call("GET", &link).send().await.is(410);
        let shown = world.call("GET", &page).header("cookie", &cookie).send().await;
        assert_ne!(shown.status, 200);
        assert_eq!((hears(&company).await, hears(&other).await), (1, 1));
        let of = company.id;
        let held =
            operator(&world, move |tx, _| domain::company::companies::find_company(tx, of)).await.unwrap();
        assert!(!held.unwrap().is_partner_managed, "the one that managed it is gone");
    });
}

/// A further application to which administrators can consent.
async fn clock(world: &World) -> (Uuid, String) {
    let new = NewApplication::new("Clock", &[REDIRECT_URI]);
    let made = world.app.store.write(move |tx| records::create_application(tx, &new)).await;
    let made = made.unwrap_or_else(|error: Error| panic!("{error:?}"));
    (made.id, made.secret.unwrap().text)
}

async fn consents_to(
    world: &World,
    (client, secret): &(Uuid, String),
    ann: &User,
    company: &Company,
) -> Value {
    let id = client.to_string();
    let code = code_for(&request(world, &[("client_id", &id)]), world, ann, company).await;
    let body = json!({ "grant_type": "authorization_code", "client_id": id, "client_secret": secret,
                       "code": code, "redirect_uri": REDIRECT_URI });
    token(world, &body).await.ok()
}

#[test]
fn in_a_managed_company_the_consent_to_another_application_ends_and_the_managing_one_goes_on() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let clock = clock(&world).await;
        let company = world.company().await;
        let (first, ann) = (
            user(&world, &[(&company, Role::FullAccess)]).await,
            user(&world, &[(&company, Role::FullAccess)]).await,
        );
        let given = consents_to(&world, &clock, &ann, &company).await;
        // Somebody has to be the primary administrator afterwards.
        give(&world, &company, &first, Role::Primary).await.unwrap();
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 200);
        give(&world, &company, &ann, Role::Limited).await.unwrap();
        world.app.grants.forget_all();
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 401);
        let again = json!({ "grant_type": "refresh_token", "client_id": clock.0, "client_secret": clock.1,
                            "refresh_token": text(&given, "refresh_token") });
        assert_eq!(error(&token(&world, &again).await.is(400)), "invalid_grant");
        assert_eq!(reads(&company, &company.token).await, 200);
    });
}

#[test]
fn a_company_is_not_left_without_its_primary_administrator() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let (ann, bo) = (
            user(&world, &[(&company, Role::Primary)]).await,
            user(&world, &[(&company, Role::FullAccess)]).await,
        );
        for less in [Role::FullAccess, Role::Limited] {
            assert!(matches!(give(&world, &company, &ann, less).await, Err(Error::Violations(_))));
        }
        give(&world, &company, &bo, Role::Primary).await.unwrap();
        give(&world, &company, &ann, Role::Limited).await.unwrap();
        let email = ann.email.clone();
        operator(&world, move |tx, caller| administrators::disable_user(tx, caller, &email)).await.unwrap();
        let disabled = give(&world, &company, &ann, Role::Primary).await;
        assert!(matches!(disabled, Err(Error::Violations(_))), "somebody who can do nothing is none");
    });
}

#[test]
fn links_of_an_application_that_may_do_nothing_open_nothing_until_it_may_again() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let ana = company.hire("Ana", "2026-07-01").await;
        let (link, application) = (company.link(&ana.id).await, world.application);
        let (cookie, page) = opened(&world, &link).await;
        let visit = async || world.call("GET", &page).header("cookie", &cookie).send().await.status.as_u16();
        assert_eq!(visit().await, 200);
        operator(&world, move |tx, caller| applications::disable_application(tx, caller, application))
            .await
            .unwrap();
        assert_ne!(visit().await, 200);
        world.call("GET", &link).send().await.is(410);
        operator(&world, move |tx, caller| applications::enable_application(tx, caller, application))
            .await
            .unwrap();
        assert_eq!(visit().await, 200);
        world.call("GET", &link).send().await.is(303);
    });
}

#[test]
fn an_application_that_was_signed_out_has_no_links_and_can_still_leave() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let ana = company.hire("Ana", "2026-07-01").await;
        let (link, unopened) = (company.link(&ana.id).await, company.link(&ana.id).await);
        let (cookie, page) = opened(&world, &link).await;
        let (application, of) = (world.application, company.id);
        operator(&world, move |tx, _| {
            let inside = applications::operator_in(tx, of)?;
            applications::sign_out_of(tx, &inside, application)
        })
        .await
        .unwrap();
        world.call("GET", &unopened).send().await.is(410);
        assert_ne!(world.call("GET", &page).header("cookie", &cookie).send().await.status, 200);
        let leave = format!("/v1/partner_managed_companies/{of}/disassociate");
        world.call("PUT", &leave).bearer(&world.system_token).send().await.ok();
    });
}

#[test]
fn an_application_that_is_connected_again_still_sees_the_events_of_the_time_before() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, ann, first) = with_code(&world).await;
        token(&world, &exchange(&world, &first)).await.ok();
        company.self_onboarding_employee("Ana").await;
        revoke(&world, &company).await.unwrap();
        let types = async || -> Vec<String> {
            let call = world.call("GET", format!("/v1/events?resource_uuid={}", company.id));
            let told = call.bearer(&world.system_token).send().await.list();
            told.iter().map(|event| text(event, "event_type")).collect()
        };
        let before = types().await;
        assert_eq!(before.last().unwrap(), "company.deprovisioned");
        // What happens meanwhile is not told, then or later.
        let of = company.id;
        operator(&world, move |tx, _| {
            domain::events::emit_event(tx, of, domain::events::COMPANY_UPDATED, of)
        })
        .await
        .unwrap();
        let second = code_for(&request(&world, &[]), &world, &ann, &company).await;
        token(&world, &exchange(&world, &second)).await.ok();
        let expected =
            [&before[..], &["company.partner_authorized".to_owned(), "company.provisioned".to_owned()]];
        assert_eq!(types().await, expected.concat());
    });
}
