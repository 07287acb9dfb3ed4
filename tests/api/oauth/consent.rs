//! The pages on which an administrator decides: who may, for which company, and that nobody else decides instead.

use domain::Error;
use domain::access::applications;
use domain::access::applications::NewApplication;
use domain::access::users::Role;
use domain::language::Language;
use jiff::ToSpan;
use pages::oauth::texts;

use super::{Browser, address_of, form_action, request, sent, set_role, user, value_of};
use crate::support::{Answer, Call, Engine, ISSUER, REDIRECT_URI, on_both_engines};

fn is_consent(page: &Answer) -> bool {
    page.text().contains("will be able to:")
}

#[test]
fn an_administrator_of_several_companies_chooses_one_and_the_code_is_for_that_one() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (one, two, third) = (world.company().await, world.company().await, world.company().await);
        let user =
            user(&world, &[(&one, Role::Primary), (&two, Role::FullAccess), (&third, Role::Limited)]).await;
        let mut browser = Browser::new(&world);
        let page = browser.sign_in(&request(&world, &[]), &user).await.is(200);
        let offered = |page: &Answer, id: uuid::Uuid| page.text().contains(&id.to_string());
        assert!(offered(&page, one.id) && offered(&page, two.id));
        assert!(!offered(&page, third.id), "with limited rights nobody connects");
        for wrong in [third.id.to_string(), String::new(), crate::support::NOBODY.to_owned()] {
            let again = browser.press(&page, "choose", &[("company", &wrong)]).await.is(422);
            assert!(again.text().contains("Choose one of the companies"));
        }
        let shown = browser.press(&page, "choose", &[("company", &two.id.to_string())]).await.is(200);
        assert!(is_consent(&shown) && offered(&shown, two.id));
        // The page that is shown decides: another company in its form is no consent.
        for wrong in [one.id, third.id] {
            let again = browser.press(&shown, "allow", &[("company", &wrong.to_string())]).await;
            assert_eq!(again.is(422).header("location"), "");
        }
        // Back, and the other one.
        let page = browser.press(&shown, "other", &[]).await.is(200);
        let shown = browser.press(&page, "choose", &[("company", &one.id.to_string())]).await.is(200);
        let left = browser.press(&shown, "allow", &[("company", &one.id.to_string())]).await.is(200);
        // Pressed twice: the browser shows what came of the second.
        let again = browser.press(&shown, "allow", &[("company", &one.id.to_string())]).await.is(200);
        let code = sent(&again, "code").unwrap();
        assert_ne!(sent(&left, "code").unwrap(), code);
        let given = super::token(&world, &super::exchange(&world, &code)).await.ok();
        assert_eq!(super::reads(&one, given["access_token"].as_str().unwrap()).await, 200);
        assert_eq!(super::reads(&two, given["access_token"].as_str().unwrap()).await, 404);
    });
}

#[test]
fn a_choice_for_one_application_is_none_for_another() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (one, two) = (world.company().await, world.company().await);
        let user = user(&world, &[(&one, Role::Primary), (&two, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let page = browser.sign_in(&request(&world, &[]), &user).await;
        let shown = browser.press(&page, "choose", &[("company", &one.id.to_string())]).await;
        assert!(is_consent(&shown));
        let new = NewApplication::new("Clock", &[REDIRECT_URI]);
        let other = world.app.store.write(move |tx| applications::create_application(tx, &new)).await;
        let other = other.unwrap_or_else(|error: Error| panic!("{error:?}")).id.to_string();
        let page = browser.get(&request(&world, &[("client_id", &other)])).await.is(200);
        assert!(page.text().contains("Choose a company"));
    });
}

#[test]
fn only_primary_administrators_and_those_with_full_access_connect_a_company() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        for (role, may) in [(Role::Primary, true), (Role::FullAccess, true), (Role::Limited, false)] {
            let company = world.company().await;
            let user = user(&world, &[(&company, role)]).await;
            let mut browser = Browser::new(&world);
            let page = browser.sign_in(&request(&world, &[]), &user).await;
            assert_eq!((page.status == 200, is_consent(&page)), (may, may), "{role:?}");
            if may {
                // The right is looked at again when the button is pressed.
                set_role(&world, &company, &user, Role::Limited).await;
                let id = company.id.to_string();
                let late = browser.press(&page, "allow", &[("company", &id)]).await.is(403);
                assert_eq!(late.header("location"), "");
            }
            assert_eq!(company.count_events().await, 0);
        }
    });
}

#[test]
fn whoever_says_no_sends_the_browser_back_without_a_code() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let first = browser.get(&request(&world, &[])).await.is(200);
        let before_sign_in = browser.press(&first, "deny", &[]).await;
        let page = browser.sign_in(&request(&world, &[]), &user).await;
        let after = browser.press(&page, "deny", &[]).await;
        for answer in [before_sign_in, after] {
            let answer = answer.is(200);
            assert!(address_of(&answer).starts_with(&format!("{REDIRECT_URI}?")));
            assert_eq!(sent(&answer, "error").as_deref(), Some("access_denied"));
            assert_eq!(sent(&answer, "state").as_deref(), Some("state 1"));
            assert_eq!(sent(&answer, "iss").as_deref(), Some(ISSUER));
            assert_eq!(sent(&answer, "code"), None);
        }
    });
}

#[test]
fn a_form_that_was_not_sent_from_the_page_decides_nothing() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let id = company.id.to_string();
        let address = request(&world, &[]);
        let (mut browser, mut other) = (Browser::new(&world), Browser::new(&world));
        let page = browser.sign_in(&address, &user).await.is(200);
        let foreign = value_of(&other.sign_in(&address, &user).await.text(), "form_token");
        let (own, to) = (value_of(&page.text(), "form_token"), form_action(&page.text()));
        let send =
            |token: &str| browser.post(&to, &[("form_token", token), ("action", "allow"), ("company", &id)]);
        let nobody = world.call("POST", &to).header("content-type", "application/x-www-form-urlencoded");
        let mut wrong: Vec<Call> =
            vec![send(""), send(&foreign), send("x"), browser.post(&to, &[("action", "allow")])];
        wrong.push(nobody.body(super::form(&[("form_token", &own), ("action", "allow"), ("company", &id)])));
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "none"),
            ("origin", "https://evil.example"),
            ("origin", "http://localhost.evil.example"),
        ] {
            wrong.push(send(&own).header(name, value));
        }
        for call in wrong {
            assert_eq!(call.send().await.is(403).header("location"), "");
        }
        // The same form from the page itself is taken.
        for header in [("sec-fetch-site", "same-origin"), ("origin", ISSUER)] {
            let taken = send(&own).header(header.0, header.1).send().await.is(200);
            assert!(sent(&taken, "code").is_some());
        }
    });
}

#[test]
fn signing_in_makes_a_new_session_and_it_ends_when_it_is_not_used_or_left() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let address = request(&world, &[]);
        let mut browser = Browser::new(&world);
        browser.get(&address).await;
        let before = browser.cookie.clone();
        assert!(is_consent(&browser.sign_in(&address, &user).await));
        assert_ne!(browser.cookie, before, "what was known before the sign-in is worth nothing");
        let signed_in = async |cookie: &Option<String>| {
            let mut browser = Browser { world: world.clone(), cookie: cookie.clone(), answer: None };
            is_consent(&browser.get(&address).await)
        };
        assert!(!signed_in(&before).await);
        world.wait(29.minutes()).await;
        assert!(signed_in(&browser.cookie).await);
        world.wait(1.minute()).await;
        assert!(!signed_in(&browser.cookie).await, "half an hour without use");
        // However much it is used, it ends after twelve hours.
        browser.sign_in(&address, &user).await;
        let mut hours = 0;
        while signed_in(&browser.cookie).await && hours < 30 {
            let page = browser.get(&address).await;
            browser.press(&page, "other", &[]).await;
            world.wait(20.minutes()).await;
            hours += 1;
        }
        assert_eq!(hours, 30);
        while signed_in(&browser.cookie).await && hours < 99 {
            let page = browser.get(&address).await;
            browser.press(&page, "other", &[]).await;
            world.wait(20.minutes()).await;
            hours += 1;
        }
        assert_eq!(hours, 36, "36 times 20 minutes are twelve hours");
        // Signing out ends it here and for whoever kept the cookie.
        let page = browser.sign_in(&address, &user).await;
        let kept = browser.cookie.clone();
        let out = browser.press(&page, "sign_out", &[]).await.is(200);
        assert!(!is_consent(&out) && !signed_in(&kept).await);
    });
}

#[test]
fn every_page_says_where_its_form_may_lead_and_may_be_shown_in_no_frame() {
    on_both_engines(async |engine: Engine| {
        let world = engine
            .own_world_with(|setup| setup.settings.frame_origins = vec!["https://partner.example".to_owned()])
            .await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let mut browser = Browser::new(&world);
        let first = browser.get(&request(&world, &[])).await.is(200);
        let cookie = first.header("set-cookie");
        for part in ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"] {
            assert!(cookie.split("; ").any(|found| found == part), "{cookie}");
        }
        assert!(cookie.starts_with("__Host-") && !cookie.contains("Domain"), "{cookie}");
        let consent = browser.sign_in(&request(&world, &[]), &user).await.is(200);
        let fault = browser.get(&request(&world, &[("client_id", "x")])).await.is(400);
        // Browsers apply form-action to each redirect that follows a form, and the application may redirect to anywhere: the
        // form leads to a page of the service, from which the browser goes on by itself, or by a link.
        let fields = [("company", &*company.id.to_string())];
        let left = browser.press(&consent, "allow", &fields).await.is(200);
        let to = address_of(&left).to_owned();
        assert!(to.starts_with("https://pos.example/callback?code="), "{to}");
        assert!(left.text().contains(&format!("href=\"{}\"", to.replace('&', "&#38;"))), "{}", left.text());
        assert_eq!((left.header("location"), left.header("cache-control")), ("", "no-store"));
        for page in [&first, &consent, &fault, &left] {
            let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                          form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
            assert_eq!(page.header("content-security-policy"), policy);
            assert_eq!(page.header("x-frame-options"), "DENY");
            assert_eq!(page.header("referrer-policy"), "no-referrer");
            assert!(page.header("strict-transport-security").starts_with("max-age="));
        }
    });
}

#[test]
fn names_are_shown_as_text_whatever_they_are() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
        let new = NewApplication::new(hostile, &[REDIRECT_URI]);
        let made = world.app.store.write(move |tx| applications::create_application(tx, &new)).await;
        let client = made.unwrap_or_else(|error: Error| panic!("{error:?}")).id.to_string();
        let address = request(&world, &[("client_id", &client), ("state", hostile)]);
        let mut browser = Browser::new(&world);
        let first = browser.get(&address).await;
        let fields = [("email", hostile), ("password", "x")];
        let wrong = browser.press(&first, "sign_in", &fields).await;
        let consent = browser.sign_in(&address, &user).await;
        for page in [first, wrong, consent] {
            let html = page.text();
            assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
        }
    });
}

#[test]
fn the_pages_speak_the_browser_s_language_or_the_one_that_the_address_names() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (one, two) = (world.company().await, world.company().await);
        let user = user(&world, &[(&one, Role::Primary), (&two, Role::Primary)]).await;
        let (english, spanish) =
            (texts::texts_in_language(Language::English), texts::texts_in_language(Language::Spanish));
        let heading = |page: &Answer| {
            let html = page.text();
            let lang = html.split("<html lang=\"").nth(1).unwrap()[..2].to_owned();
            (lang, html.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap().to_owned())
        };
        let address = request(&world, &[]);
        for (asked, code, t) in [("es-MX,es;q=0.9", "es", spanish), ("fr", "en", english)] {
            let page = world.call("GET", &address).header("accept-language", asked).send().await.is(200);
            assert_eq!(heading(&page), (code.to_owned(), t.sign_in.to_owned()));
        }
        // The link on the page asks for the other language; every page that follows keeps it.
        let mut browser = Browser::new(&world);
        let page = browser.get(&address).await;
        let html = page.text();
        let link = html.split("hreflang").next().unwrap().rsplit("href=\"").next().unwrap();
        let link = link.split('"').next().unwrap().replace("&#38;", "&");
        assert_eq!(sent_language(&link), Some("es".to_owned()));
        let page = browser.get(&link).await.is(200);
        let wrong = [("email", user.email.as_str()), ("password", "wrong")];
        let refused = browser.press(&page, "sign_in", &wrong).await.is(422);
        assert!(refused.text().contains(spanish.wrong_password));
        let right = [("email", user.email.as_str()), ("password", user.password.as_str())];
        let choose = browser.press(&refused, "sign_in", &right).await.is(200);
        assert_eq!(heading(&choose), ("es".to_owned(), spanish.choose_title.to_owned()));
        let id = one.id.to_string();
        let consent = browser.press(&choose, "choose", &[("company", &id)]).await.is(200);
        assert!(consent.text().contains("Ver y cambiar los calendarios de pago"), "{}", consent.text());
        let left = browser.press(&consent, "allow", &[("company", &id)]).await.is(200);
        assert_eq!(heading(&left), ("es".to_owned(), spanish.leave_title.to_owned()));
        assert!(sent(&left, "code").is_some() && sent(&left, "ui_locales").is_none());
        // Faults are told in it, too.
        let fault = browser.get(&request(&world, &[("client_id", "x"), ("ui_locales", "fr es-419")])).await;
        assert_eq!(heading(&fault.is(400)), ("es".to_owned(), spanish.fault_title.to_owned()));
    });
}

#[test]
fn an_application_of_the_device_is_opened_by_a_redirect_to_its_own_scheme() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        const OWN: &str = "com.example.app:/callback";
        let new = NewApplication { public: true, ..NewApplication::new("Phone", &[OWN]) };
        let made = world.app.store.write(move |tx| applications::create_application(tx, &new)).await;
        let client = made.unwrap_or_else(|error: Error| panic!("{error:?}")).id.to_string();
        let asked = [
            ("client_id", client.as_str()),
            ("redirect_uri", OWN),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
        ];
        let mut browser = Browser::new(&world);
        let consent = browser.sign_in(&request(&world, &asked), &user).await.is(200);
        let policy = consent.header("content-security-policy");
        assert!(policy.contains("form-action 'self' com.example.app:;"), "{policy}");
        let left = browser.press(&consent, "allow", &[("company", &company.id.to_string())]).await.is(303);
        assert!(left.header("location").starts_with("com.example.app:/callback?code="));
    });
}

#[test]
fn a_public_client_on_the_user_s_machine_may_listen_on_any_port() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let user = user(&world, &[(&company, Role::Primary)]).await;
        let client = async |public: bool| {
            let new =
                NewApplication { public, ..NewApplication::new("Desk", &["http://127.0.0.1/callback"]) };
            let made = world.app.store.write(move |tx| applications::create_application(tx, &new)).await;
            made.unwrap_or_else(|error: Error| panic!("{error:?}")).id.to_string()
        };
        let (public, confidential) = (client(true).await, client(false).await);
        let asked = |client: &str, to: &str| {
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
            let parameters = [
                ("client_id", client),
                ("redirect_uri", to),
                ("code_challenge", challenge),
                ("code_challenge_method", "S256"),
            ];
            request(&world, &parameters)
        };
        for port in ["51004", "65535", "1"] {
            let to = format!("http://127.0.0.1:{port}/callback");
            let code = super::code_for(&asked(&public, &to), &world, &user, &company).await;
            let exchange = |to: &str| {
                serde_json::json!({ "grant_type": "authorization_code", "client_id": public, "code": code, "redirect_uri": to,
                                    "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" })
            };
            // The port of the request counts when the code is exchanged.
            super::token(&world, &exchange("http://127.0.0.1/callback")).await.is(400);
            super::token(&world, &exchange(&to)).await.ok();
        }
        for (client, to) in [
            (&public, "http://127.0.0.1:51004/other"),
            (&public, "http://127.0.0.1:51004@evil.example/callback"),
            (&public, "http://localhost:51004/callback"),
            (&public, "http://[::1]:51004/callback"),
            (&confidential, "http://127.0.0.1:51004/callback"),
        ] {
            let refused = world.call("GET", asked(client, to)).send().await.is(400);
            assert_eq!(address_of(&refused), "", "{to}");
        }
    });
}

fn sent_language(address: &str) -> Option<String> {
    super::query(address).into_iter().find(|(name, _)| name == "ui_locales").map(|(_, value)| value)
}
