//! Signing in: nobody learns who is there, and nobody has many tries.

use domain::access::users::Role;
use jiff::ToSpan;

use super::{Browser, request, user};
use crate::support::{Answer, Engine, on_both_engines};

/// The page as it is shown, without what belongs to the visit.
fn shown(page: &Answer, email: &str) -> (u16, String) {
    let html = page.text().replace(email, "EMAIL");
    let token = super::value_of(&html, "form_token");
    (page.status.as_u16(), html.replace(&token, "TOKEN"))
}

#[test]
fn a_wrong_password_and_an_unknown_address_are_answered_alike_and_both_only_ten_times() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let known = user(&world, &[(&company, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let page = browser.get(&request(&world, &[])).await;
        let unknown = "nobody@diner.example";
        for attempt in 1..=12 {
            let mut told = Vec::new();
            for email in [known.email.as_str(), unknown] {
                // Capitals make no other address.
                let email = if attempt % 2 == 0 { email.to_uppercase() } else { email.to_owned() };
                let answer =
                    browser.press(&page, "sign_in", &[("email", &email), ("password", "wrong")]).await;
                assert_eq!(answer.status == 429, attempt > 10, "attempt {attempt}");
                assert_eq!(answer.header("retry-after"), if attempt > 10 { "900" } else { "" });
                told.push(shown(&answer, &email));
            }
            assert_eq!(told[0], told[1]);
        }
        let right = [("email", known.email.as_str()), ("password", known.password.as_str())];
        assert_eq!(browser.press(&page, "sign_in", &right).await.status, 429, "the right one, too");
        world.wait(15.minutes()).await;
        browser.press(&page, "sign_in", &right).await.is(200);
        assert!(browser.cookie.is_some());
    });
}

#[test]
fn a_sign_in_that_succeeds_begins_the_count_anew() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let known = user(&world, &[(&company, Role::Primary)]).await;
        for _ in 0..3 {
            let mut browser = Browser::new(&world);
            let page = browser.get(&request(&world, &[])).await;
            for _ in 0..9 {
                let wrong = [("email", known.email.as_str()), ("password", "wrong")];
                browser.press(&page, "sign_in", &wrong).await.is(422);
            }
            browser.sign_in(&request(&world, &[]), &known).await.is(200);
        }
    });
}

#[test]
fn one_place_in_the_network_has_a_hundred_attempts_whatever_the_addresses() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let mut browser = Browser::new(&world);
        let page = browser.get(&request(&world, &[])).await;
        let mut answered = Vec::new();
        for n in 0..102 {
            let email = format!("somebody{n}@diner.example");
            let answer = browser.press(&page, "sign_in", &[("email", &email), ("password", "x")]).await;
            answered.push(answer.status.as_u16());
        }
        assert!(answered[..100].iter().all(|status| *status == 422), "{answered:?}");
        assert_eq!(answered[100..], [429, 429]);
    });
}

#[test]
fn an_address_with_a_nul_is_refused_and_is_no_fault_of_the_service() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let known = user(&world, &[(&company, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let page = browser.get(&request(&world, &[])).await;
        for email in
            ["\0".to_owned(), "a\0b".to_owned(), known.email.clone() + "\0", known.email.replace('@', "\0@")]
        {
            let entries = [("email", email.as_str()), ("password", known.password.as_str())];
            let answer = browser.press(&page, "sign_in", &entries).await;
            assert!(answer.status.is_client_error(), "{}", answer.status);
        }
        let password = known.password.clone() + "\0";
        let answer =
            browser.press(&page, "sign_in", &[("email", &known.email), ("password", &password)]).await;
        assert!(answer.status.is_client_error(), "{}", answer.status);
    });
}

#[test]
fn an_administrator_without_a_password_cannot_sign_in() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let caller = domain::access::tokens::Caller::for_service(company.id, jiff::tz::TimeZone::UTC);
        let email = format!("by.name.{}@diner.example", company.id);
        let person = domain::access::users::service::RoleHolder {
            first_name: "Bo".to_owned(),
            last_name: "Ek".to_owned(),
            email: email.clone(),
            phone: None,
        };
        let given = world
            .app
            .store
            .write(move |tx| domain::access::users::service::give_role(tx, &caller, &person, Role::Primary));
        given.await.unwrap();
        let mut browser = Browser::new(&world);
        let page = browser.get(&request(&world, &[])).await;
        for password in ["", "x", "nobody has this password"] {
            browser.press(&page, "sign_in", &[("email", &email), ("password", password)]).await.is(422);
        }
    });
}

#[test]
fn no_password_and_no_code_is_kept_as_it_was_entered() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (_, user, given) = super::connected(&world).await;
        let Some(folder) = world.folder() else { return };
        let mut bytes = Vec::new();
        for file in std::fs::read_dir(folder).unwrap() {
            bytes.extend(std::fs::read(file.unwrap().path()).unwrap());
        }
        let finds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(finds(&user.email.to_lowercase()), "the search finds what is there");
        let secrets = [&user.password, &world.client_secret];
        for secret in secrets
            .into_iter()
            .map(String::as_str)
            .chain(["access_token", "refresh_token"].map(|key| given[key].as_str().unwrap()))
        {
            assert!(!finds(secret), "{secret}");
        }
    });
}

#[test]
fn a_new_password_ends_every_session_that_began_with_another_one() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let (company, second) = (world.company().await, world.company().await);
        let (known, other) = (
            user(&world, &[(&company, Role::Primary)]).await,
            user(&world, &[(&second, Role::Primary)]).await,
        );
        let signed_in = async |user: &super::User| {
            let mut browser = Browser::new(&world);
            browser.sign_in(&request(&world, &[]), user).await.is(200);
            browser
        };
        let (mut browser, mut elsewhere) = (signed_in(&known).await, signed_in(&other).await);
        let (id, of) = (known.id, company.id);
        let changed = world.app.store.write(move |tx| {
            tx.take_guard(of, "company_admins", of)?;
            domain::access::users::service::new_password(tx, id)
        });
        let changed: Result<String, domain::Error> = changed.await;
        changed.unwrap();
        let asks = async |browser: &mut Browser| {
            browser.get(&request(&world, &[])).await.text().contains("name=\"password\"")
        };
        assert!(asks(&mut browser).await, "whoever had the old password signs in anew");
        assert!(!asks(&mut elsewhere).await, "others stay");
    });
}

#[test]
fn wrong_passwords_from_elsewhere_lock_nobody_out_of_a_network_or_of_a_browser_that_is_known() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let known = user(&world, &[(&company, Role::Primary)]).await;
        let (mut browser, page) = (Browser::new(&world), request(&world, &[]));
        let first = browser.get(&page).await;
        let (to, token) = (super::form_action(&first.text()), super::value_of(&first.text(), "form_token"));
        let attempt = async |from: &str, password: &str, cookie: &str| {
            let fields = [
                ("form_token", token.as_str()),
                ("action", "sign_in"),
                ("email", known.email.as_str()),
                ("password", password),
            ];
            let held = format!("__Host-stipend-user={}{cookie}", browser.cookie.as_deref().unwrap());
            let call = world.call("POST", &to).header("cookie", held);
            let call =
                call.header("content-type", "application/x-www-form-urlencoded").body(super::form(&fields));
            call.from(from).send().await
        };
        let signed_in = attempt("203.0.113.1:1", &known.password, "").await.is(303);
        let browsers: Vec<_> =
            signed_in.headers.get_all("set-cookie").iter().map(|one| one.to_str().unwrap()).collect();
        let named = browsers.iter().find_map(|one| one.strip_prefix("__Host-stipend-browser=")).unwrap();
        assert!(named.contains("; Secure; HttpOnly; SameSite=Lax; Max-Age=34560000"), "{named}");
        let same = format!("; __Host-stipend-browser={}", named.split(';').next().unwrap());
        // Ten wrong ones from one network lock that network alone.
        for n in 0..11 {
            let refused = attempt("203.0.113.2:1", "wrong", "").await.status.as_u16();
            assert_eq!(refused, if n < 10 { 422 } else { 429 });
        }
        attempt("203.0.113.3:1", &known.password, "").await.is(303);
        // From many networks, the address is closed to whoever is not known, and open in the browser that is.
        for n in 10..20 {
            for _ in 0..10 {
                attempt(&format!("198.51.100.{n}:1"), "wrong", "").await;
            }
        }
        let strange = "; __Host-stipend-browser=0123456789012345678901234567890123456789012";
        for cookie in ["", strange] {
            assert_eq!(attempt("203.0.113.4:1", &known.password, cookie).await.status, 429);
        }
        attempt("203.0.113.4:1", &known.password, &same).await.is(303);
        // It lets nobody in, and has ten attempts of its own.
        for n in 0..11 {
            let refused = attempt("203.0.113.5:1", "wrong", &same).await.status.as_u16();
            assert_eq!(refused, if n < 10 { 422 } else { 429 });
        }
        world.wait(15.minutes()).await;
        attempt("203.0.113.5:1", &known.password, "").await.is(303);
        // A new password forgets the browsers in which the old one was used.
        let id = known.id;
        let changed = world.app.store.write(move |tx| {
            tx.take_guard(uuid::Uuid::nil(), "company_admins", id)?;
            domain::access::users::service::new_password(tx, id)
        });
        let _new: String = changed.await.unwrap_or_else(|error: domain::Error| panic!("{error:?}"));
        let cookie = same.split('=').nth(1).unwrap().to_owned();
        let knows = world
            .app
            .store
            .read(move |tx| domain::access::users::browsers::is_known_browser(tx, id, &cookie));
        assert!(!knows.await.unwrap());
    });
}

#[test]
fn a_place_that_is_refused_does_not_lock_an_administrator_out() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let known = user(&world, &[(&company, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let page = browser.get(&request(&world, &[])).await;
        let (to, token) = (super::form_action(&page.text()), super::value_of(&page.text(), "form_token"));
        let attempt = async |browser: &Browser, from: &str, email: &str, password: &str| {
            let fields = [
                ("form_token", token.as_str()),
                ("action", "sign_in"),
                ("email", email),
                ("password", password),
            ];
            browser.post(&to, &fields).from(from).send().await.status.as_u16()
        };
        for n in 0..100 {
            let status = attempt(&browser, "203.0.113.7:1", &format!("somebody{n}@diner.example"), "x").await;
            assert_eq!(status, 422);
        }
        for _ in 0..20 {
            assert_eq!(attempt(&browser, "203.0.113.7:1", &known.email, "x").await, 429);
        }
        assert_eq!(attempt(&browser, "203.0.113.8:1", &known.email, &known.password).await, 303);
    });
}
