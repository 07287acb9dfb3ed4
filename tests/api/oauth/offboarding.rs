//! What the operator and administrators take back: applications, people, consent and sessions.

use domain::Error;
use domain::access::applications as records;
use domain::access::scope::Scopes;
use domain::access::tokens::{Caller, TokenKind};
use domain::access::users::Role;
use domain::access::users::service::{self as people, RoleHolder};
use domain::company::partners::service as partners;
use domain::events::webhooks::rows::interested_subscriptions;
use domain::offboarding::{applications, people as administrators};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::{
    Browser, User, code_for, connected, exchange, reads, refresh_with, request, token, user, value_of,
};
use crate::support::{Answer, Company, Engine, World, on_both_engines, text};

/// Does something at the command line.
async fn operator<T: Send + 'static>(
    world: &World,
    act: impl Fn(&mut Tx<'_>, &Caller) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let operator = Caller::for_operator(Uuid::nil(), TimeZone::UTC);
    let done = world.app.store.write(move |tx| act(tx, &operator)).await;
    // The command is another process: what this one keeps in memory is believed for a second at most.
    world.app.grants.forget_all();
    done
}

async fn actions(world: &World, entity: Uuid) -> Vec<String> {
    let read = world
        .app
        .store
        .read(move |tx| domain::platform::audit::entries_before(tx, Uuid::nil(), Uuid::max(), 100));
    let mut found = read.await.unwrap();
    found.reverse();
    found.into_iter().filter(|entry| entry.entity == entity).map(|entry| entry.action).collect()
}

/// A company that no partner manages, connected by consent, with its administrator.
async fn consented(world: &World) -> (Company, User, Value) {
    let company = world.company().await;
    company.run_elsewhere().await;
    let user = user(world, &[(&company, Role::FullAccess)]).await;
    let code = code_for(&request(world, &[]), world, &user, &company).await;
    let given = token(world, &exchange(world, &code)).await.ok();
    (company, user, given)
}

/// Gives a role as `stipend user create` does.
async fn give(world: &World, company: &Company, user: &User, role: Role) {
    let (company, email) = (company.id, user.email.clone());
    operator(world, move |tx, _| {
        let person = RoleHolder {
            first_name: "Ann".to_owned(),
            last_name: "Lee".to_owned(),
            email: email.clone(),
            phone: None,
        };
        people::give_role(tx, &Caller::for_operator(company, TimeZone::UTC), &person, role)
    })
    .await
    .unwrap();
}

async fn signed_in(world: &World, user: &User) -> Browser {
    let mut browser = Browser::new(world);
    browser.sign_in(&request(world, &[]), user).await;
    browser
}

/// Whether a page of the authorization server asks for a password.
async fn asks(browser: &mut Browser) -> bool {
    browser.get(&request(&browser.world.clone(), &[])).await.text().contains("name=\"password\"")
}

#[test]
fn a_disabled_application_can_do_nothing_and_can_when_it_is_enabled_again() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, user, given) = connected(&world).await;
        let access = text(&given, "access_token");
        let system = json!({ "grant_type": "system_access", "client_id": world.application,
                             "client_secret": world.client_secret });
        let hook = json!({ "url": "https://hooks.example.com/in", "subscription_types": ["Company"] });
        let subscribed = world.call("POST", "/v1/webhook_subscriptions").bearer(&world.system_token);
        let subscription = subscribed.json(&hook).send().await.created();
        let (application, id) = (world.application, subscription["uuid"].as_str().unwrap().parse().unwrap());
        let of = company.id;
        let verified = operator(&world, move |tx, _| {
            domain::events::webhooks::rows::set_status(
                tx,
                application,
                id,
                domain::events::webhooks::types::SubscriptionStatus::Verified,
            )
        });
        assert!(verified.await.unwrap());
        let hears = async || {
            let found = operator(&world, move |tx, _| {
                let hearing = interested_subscriptions(tx, of)?.len();
                let found = domain::events::webhooks::rows::find_for_delivery(tx, application, id)?.unwrap();
                Ok((hearing, found.status.as_str().to_owned()))
            });
            found.await.unwrap()
        };
        use rules::Named;
        assert_eq!(hears().await, (1, "verified".to_owned()));

        let app = world.application;
        for _ in 0..2 {
            operator(&world, move |tx, caller| applications::disable_application(tx, caller, app))
                .await
                .unwrap();
        }
        assert_eq!(reads(&company, &access).await, 401);
        assert_eq!(reads(&company, &company.token).await, 401);
        let listed = world.call("GET", "/v1/webhook_subscriptions").bearer(&world.system_token);
        listed.send().await.refused(401);
        for body in [&system, &refresh_with(&world, &text(&given, "refresh_token"))] {
            assert_eq!(super::error(&token(&world, body).await.is(401)), "invalid_client");
        }
        let page = Browser::new(&world).get(&request(&world, &[])).await.is(400);
        assert!(page.text().contains("This application is not known here"), "{}", page.text());
        assert_eq!(hears().await, (0, "removed".to_owned()), "nothing is delivered");

        operator(&world, move |tx, caller| applications::enable_application(tx, caller, app)).await.unwrap();
        assert_eq!(reads(&company, &access).await, 200);
        assert_eq!(hears().await, (1, "verified".to_owned()));
        token(&world, &refresh_with(&world, &text(&given, "refresh_token"))).await.ok();
        signed_in(&world, &user).await;
        let done = actions(&world, app).await;
        assert_eq!(
            done.iter().filter(|action| *action != "system_access").collect::<Vec<_>>(),
            ["disabled", "enabled"]
        );
    });
}

#[test]
fn a_new_secret_ends_the_one_before_and_the_api_token() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, _, given) = connected(&world).await;
        let app = world.application;
        let new =
            operator(&world, move |tx, caller| applications::rotate_secret(tx, caller, app)).await.unwrap();
        let mut body =
            json!({ "grant_type": "system_access", "client_id": app, "client_secret": world.client_secret });
        assert_eq!(super::error(&token(&world, &body).await.is(401)), "invalid_client");
        body["client_secret"] = Value::from(new.secret.unwrap().text);
        token(&world, &body).await.ok();
        let api = format!("Token {}", new.api_token.unwrap().text);
        let with = async |header: String| {
            let call = world.call("GET", "/v1/webhook_subscriptions").header("authorization", header);
            call.send().await.status.as_u16()
        };
        assert_eq!(with(api).await, 200);
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 200, "companies' tokens go on");
        let public = super::public_client(&world).await;
        let refused =
            operator(&world, move |tx, caller| applications::rotate_secret(tx, caller, public)).await;
        assert!(matches!(refused, Err(Error::Violations(_))));
        let (another, old) = world.another_application().await;
        assert_eq!(with(format!("Token {old}")).await, 200);
        operator(&world, move |tx, caller| applications::rotate_secret(tx, caller, another)).await.unwrap();
        assert_eq!(with(format!("Token {old}")).await, 401);
    });
}

#[test]
fn an_application_that_may_do_more_can_do_so_at_once_but_where_somebody_consented_to_less() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let app = world.application;
        let company = world.company().await;
        company.run_elsewhere().await;
        let narrow = Scopes::parse("companies:read");
        operator(&world, move |tx, _| records::set_scopes(tx, app, narrow)).await.unwrap();
        let ann = user(&world, &[(&company, Role::FullAccess)]).await;
        let code = code_for(&request(&world, &[]), &world, &ann, &company).await;
        let consented = text(&token(&world, &exchange(&world, &code)).await.ok(), "access_token");
        let managed = world.token(TokenKind::Company, app, Some(company.id), "companies:read", None).await;
        let lists = async |token: &str| {
            let path = format!("/v1/companies/{}/employees", company.id);
            world.call("GET", path).bearer(token).send().await.status.as_u16()
        };
        assert_eq!((lists(&managed).await, lists(&consented).await), (403, 403));
        let more = Scopes::parse("employees:read companies:read");
        let (added, _) = operator(&world, move |tx, caller| applications::add_scopes(tx, caller, app, more))
            .await
            .unwrap();
        assert_eq!(added, ["employees:read"]);
        assert_eq!((lists(&managed).await, lists(&consented).await), (200, 403));
        let again = operator(&world, move |tx, caller| applications::add_scopes(tx, caller, app, more))
            .await
            .unwrap();
        assert_eq!(again, (Vec::new(), 0));
        assert_eq!(actions(&world, app).await.iter().filter(|action| *action == "updated").count(), 1);
    });
}

#[test]
fn what_an_application_may_do_more_reaches_the_companies_that_it_created() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let app = world.application;
        let narrow = Scopes::parse("companies:read partner_managed_companies:create");
        operator(&world, move |tx, _| records::set_scopes(tx, app, narrow)).await.unwrap();
        let body = json!({ "user": { "first_name": "Nora", "last_name": "Lind", "email": "nora@people.example" },
                           "company": { "name": "Lind and Daughters", "ein": "30-1852096" } });
        let own = world.token(TokenKind::System, app, None, &narrow.to_text(), None).await;
        let call = world.call("POST", "/v1/partner_managed_companies").bearer(&own);
        let made = call.json(&body).send().await.ok();
        let path = format!("/v1/companies/{}/employees", text(&made, "company_uuid"));
        let lists = async || {
            let call = world.call("GET", &path).bearer(&text(&made, "access_token"));
            call.send().await.status.as_u16()
        };
        assert_eq!(lists().await, 403);
        let more = Scopes::parse("employees:read");
        let (added, tokens) =
            operator(&world, move |tx, caller| applications::add_scopes(tx, caller, app, more))
                .await
                .unwrap();
        assert_eq!(added, ["employees:read"]);
        assert_eq!(tokens, 3, "the one that held less, and the pair of the company");
        assert_eq!(lists().await, 200);
        let refreshed = token(&world, &refresh_with(&world, &text(&made, "refresh_token"))).await.ok();
        assert!(text(&refreshed, "scope").contains("employees:read"), "{refreshed}");
    });
}

#[test]
fn a_company_that_consented_to_less_keeps_that_also_when_it_moves_to_the_application() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let app = world.application;
        let nine = "companies:read companies:write company_admin:read pay_schedules:read payrolls:read payrolls:write jobs:read \
                    employees:read employee_payment_methods:write";
        operator(&world, move |tx, _| records::set_scopes(tx, app, Scopes::parse(nine))).await.unwrap();
        let company = world.company().await;
        company.run_elsewhere().await;
        let ann = user(&world, &[(&company, Role::Primary)]).await;
        let seven = "companies:read companies:write company_admin:read pay_schedules:read payrolls:read payrolls:write jobs:read";
        let code = code_for(&request(&world, &[("scope", seven)]), &world, &ann, &company).await;
        let given = token(&world, &exchange(&world, &code)).await.ok();
        // The company moves to the application, which manages it from now on.
        let of = company.id;
        operator(&world, move |tx, _| {
            domain::access::connections::lock_company_access(tx, of)?;
            domain::access::connections::record_managing_application(tx, of, app)
        })
        .await
        .unwrap();
        let narrow = world.token(TokenKind::System, app, None, "companies:read", None).await;
        let more = Scopes::parse("payrolls:run payrolls:read");
        let (added, _) = operator(&world, move |tx, caller| applications::add_scopes(tx, caller, app, more))
            .await
            .unwrap();
        assert_eq!(added, ["payrolls:run"]);
        let holds = async |token: &str| {
            text(&world.call("GET", "/v1/token_info").bearer(token).send().await.ok(), "scope")
        };
        world.app.grants.forget_all();
        assert_eq!(holds(&text(&given, "access_token")).await, Scopes::parse(seven).to_text());
        let renewed = token(&world, &refresh_with(&world, &text(&given, "refresh_token"))).await.ok();
        assert_eq!(text(&renewed, "scope"), Scopes::parse(seven).to_text());
        // Where nobody was asked there is what was added, and nothing beside it.
        assert_eq!(holds(&narrow).await, "companies:read payrolls:run");
    });
}

#[test]
fn an_application_is_deleted_after_it_was_disabled_and_its_companies_are_told() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await.for_another_application().await;
        let app = company.application;
        let its_token = world.token(TokenKind::Company, app, Some(company.id), "companies:read", None).await;
        assert_eq!(reads(&company, &its_token).await, 200);
        let refused =
            operator(&world, move |tx, caller| applications::delete_application(tx, caller, app)).await;
        assert!(matches!(refused, Err(Error::Violations(_))), "it is not disabled");
        operator(&world, move |tx, caller| applications::disable_application(tx, caller, app)).await.unwrap();
        let refused =
            operator(&world, move |tx, caller| applications::delete_application(tx, caller, app)).await;
        assert!(matches!(refused, Err(Error::Violations(_))), "it is connected");
        let of = company.id;
        operator(&world, move |tx, _| {
            let companies = applications::companies_of(tx, app, Uuid::nil())?;
            assert_eq!(companies, [of]);
            let inside = applications::operator_in(tx, of)?;
            partners::revoke_consent(tx, &inside, app)?;
            applications::delete_application(tx, &Caller::for_operator(Uuid::nil(), TimeZone::UTC), app)
        })
        .await
        .unwrap();
        assert_eq!(reads(&company, &its_token).await, 401);
        assert_eq!(reads(&company, &company.token).await, 200, "the other application goes on");
        let told: Vec<_> = company.events().await.into_iter().map(|event| event.event_type).collect();
        assert!(told.contains(&"company.deprovisioned".to_owned()), "{told:?}");
        let again =
            operator(&world, move |tx, caller| applications::enable_application(tx, caller, app)).await;
        assert!(matches!(again, Err(Error::NotFound)));
        let nobody =
            operator(&world, move |tx, _| applications::list_applications(tx, Uuid::nil())).await.unwrap();
        assert!(nobody.iter().all(|one| one.application.id != app));
    });
}

#[test]
fn signing_an_application_out_ends_its_tokens_and_not_the_connection() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, _, given) = consented(&world).await;
        let (other, _, others) = consented(&world).await;
        let (app, of) = (world.application, company.id);
        let ended = operator(&world, move |tx, _| {
            let inside = applications::operator_in(tx, of)?;
            applications::sign_out_of(tx, &inside, app)
        });
        assert!(ended.await.unwrap() >= 2);
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 401);
        assert_eq!(reads(&other, &text(&others, "access_token")).await, 200);
        let companies = operator(&world, move |tx, _| applications::companies_of(tx, app, Uuid::nil())).await;
        assert!(companies.unwrap().contains(&of));
        assert!(
            operator(&world, move |tx, caller| applications::sign_out(tx, caller, app)).await.unwrap() >= 1
        );
        let listed = world.call("GET", "/v1/webhook_subscriptions").bearer(&world.system_token);
        listed.send().await.refused(401);
    });
}

#[test]
fn the_tokens_of_an_administrator_who_may_no_longer_consent_end_unless_a_partner_manages_the_company() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, user, given) = consented(&world).await;
        let (managed, partners_admin, partners_own) = connected(&world).await;
        let (access, kept) = (text(&given, "access_token"), text(&partners_own, "access_token"));
        // Who consented became the primary administrator, who stays that until somebody else is.
        super::user(&world, &[(&company, Role::Primary), (&managed, Role::Primary)]).await;
        give(&world, &company, &user, Role::FullAccess).await;
        assert_eq!(reads(&company, &access).await, 200, "who still may consent keeps what came of it");
        give(&world, &company, &user, Role::Limited).await;
        assert_eq!(reads(&company, &access).await, 401);
        let renewed = token(&world, &refresh_with(&world, &text(&given, "refresh_token"))).await;
        assert_eq!(super::error(&renewed.is(400)), "invalid_grant");
        assert_eq!(reads(&company, &company.token).await, 200, "nobody's consent stands behind this one");
        give(&world, &managed, &partners_admin, Role::Limited).await;
        assert_eq!(reads(&managed, &kept).await, 200);
        let audit = company.audit().await;
        let demoted = audit.iter().rfind(|entry| entry.entity_type == "company_admins").unwrap();
        assert_eq!(demoted.changes["ended"]["tokens"], 2, "{demoted:?}");
    });
}

#[test]
fn a_disabled_administrator_is_out_everywhere_and_a_deleted_one_is_nobody() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, known, given) = consented(&world).await;
        let second = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, mut other) = (signed_in(&world, &known).await, signed_in(&world, &second).await);
        let email = known.email.clone();
        let ended = operator(&world, move |tx, caller| administrators::disable_user(tx, caller, &email))
            .await
            .unwrap();
        assert_eq!((ended.sessions >= 1, ended.tokens), (true, 2));
        assert_eq!(reads(&company, &text(&given, "access_token")).await, 401);
        assert!(asks(&mut browser).await && !asks(&mut other).await);
        let refused = browser.sign_in(&request(&world, &[]), &known).await.is(422);
        assert!(refused.text().contains("The e-mail address or the password is wrong."), "as for nobody");

        // The primary administrator cannot be deleted before there is another one.
        let email = known.email.clone();
        let refused =
            operator(&world, move |tx, caller| administrators::delete_user(tx, caller, &email)).await;
        assert!(matches!(refused, Err(Error::Violations(_))));
        let (of, heir) = (company.id, second.id);
        operator(&world, move |tx, _| {
            people::make_primary(tx, &Caller::for_operator(of, TimeZone::UTC), heir)
        })
        .await
        .unwrap();
        let email = known.email.clone();
        operator(&world, move |tx, caller| administrators::enable_user(tx, caller, &email)).await.unwrap();
        let mut back = signed_in(&world, &known).await;
        assert!(!asks(&mut back).await);
        let email = known.email.clone();
        let refused =
            operator(&world, move |tx, caller| administrators::delete_user(tx, caller, &email)).await;
        assert!(matches!(refused, Err(Error::Violations(_))), "only what is disabled is deleted");
        let email = known.email.clone();
        operator(&world, move |tx, caller| {
            administrators::disable_user(tx, caller, &email)?;
            administrators::delete_user(tx, caller, &email)
        })
        .await
        .unwrap();
        let admins = company.get("/v1/companies/{company}/admins").await.list();
        assert_eq!(admins.len(), 1, "{admins:?}");
        let email = known.email.clone();
        let gone = operator(&world, move |tx, caller| administrators::sign_out(tx, caller, &email)).await;
        assert!(matches!(gone, Err(Error::NotFound)));
        let listed =
            operator(&world, move |tx, _| administrators::list_users(tx, Uuid::nil())).await.unwrap();
        assert!(
            listed.iter().any(|one| one.user.id == heir) && listed.iter().all(|one| one.user.id != known.id)
        );
    });
}

#[test]
fn consent_password_and_sessions_of_an_administrator_are_taken_back_one_by_one() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, known, given) = consented(&world).await;
        let mut browser = signed_in(&world, &known).await;
        let email = known.email.clone();
        let ended = operator(&world, move |tx, _| administrators::revoke_consent(tx, &email)).await.unwrap();
        assert_eq!((ended, reads(&company, &text(&given, "access_token")).await), (2, 401));
        assert!(!asks(&mut browser).await, "who consented is still signed in");
        let email = known.email.clone();
        assert!(
            operator(&world, move |tx, caller| administrators::sign_out(tx, caller, &email)).await.unwrap()
                >= 1
        );
        assert!(asks(&mut browser).await);
        let email = known.email.clone();
        let new = operator(&world, move |tx, caller| administrators::rotate_secret(tx, caller, &email))
            .await
            .unwrap();
        browser.sign_in(&request(&world, &[]), &known).await.is(422);
        let renewed = User { password: new, ..known.clone() };
        browser.sign_in(&request(&world, &[]), &renewed).await.is(200);
        assert_eq!(
            actions(&world, known.id).await,
            ["signed_in", "signed_in", "signed_out", "rotated", "signed_in"]
        );
    });
}

/// Sends a form of the console.
async fn press(browser: &mut Browser, page: &str, to: &str, field: (&str, &str)) -> Answer {
    let token = value_of(&browser.get(page).await.is(200).text(), "form_token");
    browser.post(to, &[("form_token", &token), field]).send().await
}

#[test]
fn an_administrator_sees_the_applications_of_a_company_and_ends_a_connection() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, known, given) = consented(&world).await;
        let access = text(&given, "access_token");
        let (page, app) =
            (format!("/console/companies/{}/applications", company.id), world.application.to_string());
        let limited = user(&world, &[(&company, Role::Limited)]).await;
        let mut lesser = signed_in(&world, &limited).await;
        lesser.get(&page).await.is(403);
        let mut browser = signed_in(&world, &known).await;
        let shown = browser.get(&page).await.is(200).text();
        assert!(shown.contains("connected") && shown.contains("Run payroll"), "{shown}");
        // What its tokens hold, and not what the application could have asked for.
        let second = world.company().await;
        let (of, its) = (second.id, world.application);
        operator(&world, move |tx, _| {
            domain::access::connections::lock_company_access(tx, of)?;
            domain::access::oauth::tokens::revoke_all(tx, its, of)
        })
        .await
        .unwrap();
        let bo = user(&world, &[(&second, Role::Primary)]).await;
        let mut theirs = signed_in(&world, &bo).await;
        let its_page = format!("/console/companies/{}/applications", second.id);
        let shown = theirs.get(&its_page).await.is(200).text();
        assert!(shown.contains("it holds no valid token"), "{shown}");
        let code = code_for(&request(&world, &[("scope", "garnishments:read")]), &world, &bo, &second).await;
        token(&world, &exchange(&world, &code)).await.ok();
        let shown = theirs.get(&its_page).await.is(200).text();
        assert!(shown.contains("See benefits and garnishments") && !shown.contains("Run payroll"), "{shown}");
        let foreign = world.company().await;
        let elsewhere = format!("/console/companies/{}/applications/end", foreign.id);
        press(&mut browser, &page, &elsewhere, ("application", &app)).await.is(404);
        press(&mut lesser, "/console", &format!("{page}/end"), ("application", &app)).await.is(403);
        assert_eq!(reads(&company, &access).await, 200);
        press(&mut browser, &page, &format!("{page}/end"), ("application", &app)).await.is(303);
        assert_eq!(reads(&company, &access).await, 401);
        assert_eq!(reads(&foreign, &foreign.token).await, 200);
        let shown = browser.get(&page).await.is(200).text();
        assert!(shown.contains("ended") && !shown.contains("End the connection"), "{shown}");
        press(&mut browser, &page, &format!("{page}/end"), ("application", &app)).await.is(404);
        let told: Vec<_> = company.events().await.into_iter().map(|event| event.event_type).collect();
        assert_eq!(told.last().unwrap(), "company.deprovisioned");
    });
}

#[test]
fn an_administrator_sees_and_ends_the_sessions_under_this_name_and_no_others() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let (known, other) = (
            user(&world, &[(&company, Role::FullAccess)]).await,
            user(&world, &[(&company, Role::FullAccess)]).await,
        );
        let (mut here, mut there, mut third) = (
            signed_in(&world, &known).await,
            signed_in(&world, &known).await,
            signed_in(&world, &known).await,
        );
        let mut stranger = signed_in(&world, &other).await;
        const PAGE: &str = "/console/account";
        let shown = here.get(PAGE).await.is(200).text();
        assert_eq!(
            (shown.matches("name=\"session\"").count(), shown.matches("this one").count()),
            (3, 1),
            "{shown}"
        );
        let name = value_of(&shown, "session");
        press(&mut stranger, PAGE, PAGE, ("session", &name)).await.is(303);
        assert!(
            !asks(&mut there).await && !asks(&mut third).await,
            "a session of somebody else is not ended"
        );
        press(&mut here, PAGE, PAGE, ("session", &name)).await.is(303);
        assert!(asks(&mut there).await != asks(&mut third).await, "one of the two is over");
        press(&mut here, PAGE, PAGE, ("session", "others")).await.is(303);
        assert!(asks(&mut there).await && asks(&mut third).await);
        assert!(!asks(&mut here).await && !asks(&mut stranger).await);
    });
}
