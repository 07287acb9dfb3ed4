//! The pages behind a link, as a browser meets them: who may send a form, what every page carries, and that nothing
//! that was entered runs, is lost or is stored twice.

mod browser;

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::{Company, Engine, Hired, home, id_of, on_both_engines, text};

pub use browser::{Browser, lines_of, unescaped, value_of};

const SCREENS: [&str; 9] =
    ["welcome", "personal", "address", "federal", "state", "payment", "documents", "review", "done"];

pub async fn hired(engine: Engine) -> (Company, Hired) {
    let company = engine.world().await.company().await;
    let hired = company.hire("Ana", "2026-07-01").await;
    (company, hired)
}

fn person() -> Vec<(&'static str, &'static str)> {
    vec![
        ("first_name", "Ana"),
        ("last_name", "Okafor"),
        ("email", "ana@people.example"),
        ("date_of_birth.month", "4"),
        ("date_of_birth.day", "1"),
        ("date_of_birth.year", "1990"),
        ("ssn", "412-55-1031"),
    ]
}

const STREET: [(&str, &str); 4] =
    [("street_1", "19 Willow Court"), ("city", "San Antonio"), ("state", "TX"), ("zip", "78209")];

async fn homes(company: &Company, employee: &str) -> Vec<Value> {
    company.get(format!("/v1/employees/{employee}/home_addresses")).await.list()
}

#[test]
fn opening_a_link_gives_a_cookie_for_the_pages_that_follow() {
    on_both_engines(async |engine: Engine| {
        for (base, name) in
            [("https://pages.example", "__Host-stipend-flow"), ("http://localhost:8080", "stipend-flow")]
        {
            let world = engine.own_world_with(|setup| setup.settings.flow_url = Some(base.to_owned())).await;
            let company = world.company().await;
            let id = id_of(&company.self_onboarding_employee("Ana").await);
            let body = json!({ "flow_type": "employee_self_management", "entity_type": "Employee", "entity_uuid": id });
            let made = company.post("/v1/companies/{company}/flows", body).await.created();
            let link = text(&made, "url").strip_prefix(base).unwrap().to_owned();
            let opened = world.call("GET", &link).send().await.is(303);
            let cookie = opened.header("set-cookie");
            assert!(cookie.starts_with(&format!("{name}=")), "{cookie}");
            for part in ["Path=/", "HttpOnly", "SameSite=Lax"] {
                assert!(cookie.split("; ").any(|found| found == part), "{cookie}");
            }
            assert_eq!(cookie.contains("; Secure"), base.starts_with("https"), "{cookie}");
            assert!(!cookie.contains("Domain") && !cookie.contains(link.trim_start_matches("/flows/")));
        }
    });
}

#[test]
fn a_form_that_no_page_of_the_session_sent_is_refused_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let (browser, other) =
            (Browser::open(&company, &hired.id).await, Browser::open(&company, &hired.id).await);
        let (own, foreign) = (browser.hidden("personal").await.0, other.hidden("personal").await.0);
        assert_ne!(own, foreign);
        let version = browser.hidden("personal").await.1;
        let before = (company.audit().await.len(), company.read("employees", &hired.id).await);
        for screen in SCREENS.into_iter().chain(["language"]) {
            let fields = [person(), STREET.to_vec(), vec![("version", &version), ("language", "es")]];
            let fields = fields.concat();
            let send = |token: Option<&str>, header: Option<(&str, &str)>| {
                let token = token.map(|token| ("form_token", token));
                let fields: Vec<_> = fields.iter().copied().chain(token).collect();
                let call = browser.form(screen, &fields);
                header.map_or_else(|| browser.form(screen, &fields), |(name, value)| call.header(name, value))
            };
            let right = Some(own.as_str());
            for call in [
                send(None, None),
                send(Some(""), None),
                send(Some(&foreign), None),
                send(Some(&own[1..]), None),
                send(right, Some(("origin", "https://evil.example"))),
                send(right, Some(("origin", "https://pages.example.evil.example"))),
                send(right, Some(("origin", "http://pages.example"))),
                send(right, Some(("sec-fetch-site", "cross-site"))),
                send(right, Some(("sec-fetch-site", "same-site"))),
                send(right, Some(("sec-fetch-site", "none"))),
            ] {
                call.send().await.is(403);
            }
        }
        assert_eq!((company.audit().await.len(), company.read("employees", &hired.id).await), before);
        assert!(homes(&company, &hired.id).await.is_empty());
        assert!(browser.get("welcome").await.text().contains("lang=\"en\""), "nor is the language another");
        // The page's own form is taken, with or without what a browser says of where it is from.
        for (name, value) in [("origin", "https://pages.example"), ("sec-fetch-site", "same-origin")] {
            let fields = [("form_token", own.as_str()), ("language", "en")];
            browser.form("language", &fields).header(name, value).send().await.is(303);
        }
    });
}

#[test]
fn every_page_is_guarded_against_strangers() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        company.home_address(&hired.id).await;
        let browser = Browser::open(&company, &hired.id).await;
        let mut pages = vec![
            browser.call("GET", "/flow").send().await.is(303),
            browser.get("nowhere").await.is(303),
            browser.form("personal", &[]).send().await.is(403),
            browser.fill_in("personal", &[]).await.is(422),
            company.world.call("GET", "/flow").send().await.is(410),
            company
                .world
                .call("GET", "/flow/personal")
                .header("cookie", "__Host-stipend-flow=x")
                .send()
                .await
                .is(410),
            company.world.call("GET", "/flows/unknown").send().await.is(404),
        ];
        for screen in SCREENS {
            let page = browser.get(screen).await.is(200);
            let html = page.text();
            for outside in
                ["<script>", "<style", " style=", "javascript:", "http://", "https://", " onclick="]
            {
                assert!(!html.contains(outside), "{outside} on {screen}");
            }
            pages.push(page);
        }
        for page in pages {
            let policy = page.header("content-security-policy");
            assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
            assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
            assert_eq!(page.header("referrer-policy"), "no-referrer");
            assert_eq!((page.header("cache-control"), page.header("x-frame-options")), ("no-store", "DENY"));
        }
    });
}

pub const HOSTILE: [&str; 48] = [
    "<script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "' onmouseover='alert(1)",
    "\" autofocus onfocus=\"alert(1)",
    "<img src=x onerror=alert(1)>",
    "</title><b>x</b>",
    "</textarea><b>x</b>",
    "<!-- x",
    "--><b>x</b>",
    "<svg/onload=alert(1)>",
    "&lt;b&gt;",
    "&#60;b&#62;",
    "&amp;amp;",
    "{{ 7 * 7 }}",
    "{% include \"x\" %}",
    "${7*7} #{7*7}",
    "<%= 7 * 7 %>",
    "`x` \\u003cb\\u003e",
    "O'Neil & \"Sons\" <1>",
    "javascript:alert(1)//",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<script src=//evil.example/x>",
    "<iframe src=javascript:alert(1)>",
    "<body onload=alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=//evil.example>",
    "<meta http-equiv=refresh content=0>",
    "<base href=//evil.example>",
    "<form action=//evil.example>",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<math><mi//xlink:href=x>",
    "<![CDATA[<b>x</b>]]>",
    "<?xml version=\"1.0\"?>",
    "</select><b>x</b>",
    "\" type=\"hidden\" value=\"",
    "x\" checked=\"",
    "%3Cscript%3E",
    "%00%0d%0aSet-Cookie: a=b",
    "a=1&form_token=x",
    "Robert'); DROP TABLE employees;--",
    "' OR '1'='1",
    "$(reboot)",
    "; cat /etc/passwd",
    "../../etc/passwd",
    "\u{ff46}\u{ff55}\u{ff4c}\u{ff4c}\u{ff1c}\u{ff57}\u{ff49}\u{ff44}\u{ff54}\u{ff48}\u{ff1e}",
    "\u{1d54f} \u{1f469}\u{1f373} e\u{301}",
];

#[test]
fn what_was_entered_is_shown_as_text_whatever_it_looks_like() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let home = company.home_address(&hired.id).await;
        let browser = Browser::open(&company, &hired.id).await;
        let plain = browser.get("review").await.is(200).text().matches('<').count();
        for hostile in HOSTILE {
            // What was refused comes back.
            let fields = [("first_name", hostile), ("last_name", hostile), ("ssn", hostile)];
            let html = browser.fill_in("personal", &fields).await.is(422).text();
            for (name, value) in fields {
                assert_eq!(value_of(&html, name), if name == "ssn" { "" } else { value });
            }
            let fields = [("street_1", hostile), ("street_2", hostile), ("zip", hostile)];
            let html = browser.fill_in("address", &fields).await.is(422).text();
            for (name, value) in fields {
                assert_eq!(value_of(&html, name), value);
            }
            // And so does what was taken; names hold letters only, streets what they like.
            let path = format!("/v1/home_addresses/{}", id_of(&home));
            let version = &company.get(&path).await.ok()["version"];
            company.put(path, json!({ "version": version, "street_1": hostile })).await.ok();
            assert_eq!(value_of(&browser.get("address").await.text(), "street_1"), hostile);
            let html = browser.get("review").await.is(200).text();
            assert!(unescaped(&html).contains(hostile), "{hostile}: {html}");
            assert_eq!(html.matches('<').count(), plain, "{hostile} is no text");
        }
    });
}

/// Fields that a page never shows again.
const NOT_BACK: [&str; 4] = ["ssn", "account_number", "account_number_again", "document_number"];

#[test]
fn every_line_of_every_page_gives_back_what_was_refused_as_it_was_entered() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let mut address = home();
        (address["state"], address["zip"]) = (json!("NY"), json!("11201"));
        company.post(format!("/v1/employees/{}/home_addresses", hired.id), address).await.created();
        let config = format!("/v1/employees/{}/onboarding_documents_config", hired.id);
        company.put(config, json!({ "i9_document": true })).await.ok();
        let nobody = Browser::open(&company, &hired.id).await;
        // Bank accounts are entered by somebody who has said who it is.
        let second = company.hire("Bea", "2026-07-01").await;
        let known = Browser::open(&company, &second.id).await;
        known.fill_in("personal", &person()).await.is(303);
        let mut lines_seen = 0;
        for screen in ["personal", "address", "federal", "state", "payment", "i9", "documents"] {
            let browser = if screen == "payment" { &known } else { &nobody };
            let html = browser.get(screen).await.is(200).text();
            let names = lines_of(&html);
            assert!(!names.is_empty(), "{screen} has lines");
            lines_seen += names.len();
            let marks = html.matches('<').count();
            for hostile in HOSTILE {
                let mut fields: Vec<_> = names.iter().map(|name| (name.as_str(), hostile)).collect();
                // Which of the page's forms it is; a status that asks for the document's number.
                let document = (screen == "documents").then(|| value_of(&html, "document"));
                if let Some(document) = &document {
                    fields.push(("document", document));
                }
                fields.extend((screen == "payment").then_some(("action", "add")));
                fields.extend((screen == "i9").then_some(("authorization_status", "alien")));
                let shown = browser.fill_in(screen, &fields).await.is(422).text();
                for (name, value) in fields.iter().filter(|(name, _)| names.iter().any(|n| n == name)) {
                    // Numbers that are secret do not come back.
                    let is_secret = |part| NOT_BACK.contains(&part);
                    let back = if name.split('.').any(is_secret) { "" } else { value };
                    assert_eq!(value_of(&shown, name), back, "{name} of {screen}");
                }
                let list =
                    shown.split_once("<ul>").map_or("", |(_, rest)| rest.split("</ul>").next().unwrap());
                assert!(!list.contains(hostile), "the summary of {screen} repeats no entry");
                assert!(shown.matches('<').count() < marks + 80, "{hostile} on {screen} is no text");
            }
        }
        assert!(lines_seen >= 20, "{lines_seen} lines were tried");
        let told = company.read("employees", &hired.id).await;
        assert_eq!((&told["has_ssn"], &told["date_of_birth"]), (&json!(false), &Value::Null));
    });
}

#[test]
fn entries_that_come_after_the_session_wait_for_the_next_one_but_numbers_do_not() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let browser = Browser::open(&company, &hired.id).await;
        let (token, version) = browser.hidden("personal").await;
        world.app.store.clock().advance_to(world.now() + 2.hours());
        let entered =
            [("form_token", token.as_str()), ("version", &version), ("first_name", "Zo\u{eb} & Ana")];
        let entered = [&entered[..], &person()[1..]].concat();
        let late = browser.form("personal", &entered).send().await.is(410).text();
        assert!(late.contains("is kept"), "{late}");
        // A form of no page of that session waits for nobody.
        let forged = [("form_token", "x"), ("street_1", "1 Elsewhere")];
        browser.form("address", &forged).send().await.is(410);
        let stranger = company.self_onboarding_employee("Ben").await;
        let stranger = Browser::open(&company, &id_of(&stranger)).await;
        assert!(!stranger.get("personal").await.is(200).text().contains("Zo\u{eb}"));

        let again = Browser::open(&company, &hired.id).await;
        assert_eq!(value_of(&again.get("address").await.is(200).text(), "street_1"), "");
        let shown = again.get("personal").await.is(200).text();
        assert!(shown.contains("role=\"status\""), "the page says that these entries are not saved");
        assert_eq!(value_of(&shown, "first_name"), "Zo\u{eb} & Ana");
        assert_eq!(value_of(&shown, "date_of_birth.year"), "1990");
        assert_eq!(value_of(&shown, "ssn"), "");
        assert_eq!(company.read("employees", &hired.id).await["first_name"], "Ana");

        again.fill_in("personal", &person()).await.is(303);
        let saved = again.get("personal").await.is(200).text();
        assert_eq!(value_of(&saved, "first_name"), "Ana");
        assert!(!saved.contains("role=\"status\""), "what was saved waits no longer");
    });
}

#[test]
fn a_form_that_is_wrong_shows_what_was_entered_and_stores_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let browser = Browser::open(&company, &hired.id).await;
        let before = (company.audit().await.len(), company.read("employees", &hired.id).await);
        for (name, wrong) in [
            ("first_name", ""),
            ("last_name", " "),
            ("email", "nobody"),
            ("date_of_birth.day", "31"),
            ("ssn", "000-00-0000"),
        ] {
            let mut fields = person();
            fields.retain(|(field, _)| *field != name);
            fields.push((name, wrong));
            let html = browser.fill_in("personal", &fields).await.is(422).text();
            for (field, value) in fields {
                let back = if field == "ssn" { "" } else { value };
                assert_eq!(value_of(&html, field), back, "with a wrong {name}");
            }
        }
        assert_eq!((company.audit().await.len(), company.read("employees", &hired.id).await), before);
        for name in ["street_1", "city", "state", "zip"] {
            let fields: Vec<_> = STREET.into_iter().filter(|(field, _)| *field != name).collect();
            browser.fill_in("address", &fields).await.is(422);
        }
        assert!(homes(&company, &hired.id).await.is_empty());
        // Put right, it is taken, and by the employee.
        browser.fill_in("personal", &person()).await.is(303);
        let told = company.read("employees", &hired.id).await;
        assert_eq!((&told["date_of_birth"], &told["has_ssn"]), (&json!("1990-04-01"), &json!(true)));
        let entry = company.audit().await.pop().unwrap();
        assert_eq!((entry.actor_kind.as_str(), entry.actor.to_string()), ("employee", hired.id));
        assert!(!browser.get("personal").await.text().contains("1031"), "the number is never shown again");
    });
}

#[test]
fn a_form_that_is_sent_twice_makes_no_second_home_address() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let browser = Browser::open(&company, &hired.id).await;
        let (token, version) = browser.hidden("address").await;
        let hidden = [("form_token", token.as_str()), ("version", version.as_str())];
        let fields = [&hidden[..], &STREET].concat();
        let send = || browser.form("address", &fields).send();
        let (one, two) = tokio::join!(send(), send());
        assert_eq!([one.status.as_u16(), two.status.as_u16()], [303, 303]);
        send().await.is(303);
        assert_eq!(homes(&company, &hired.id).await.len(), 1);
    });
}

#[test]
fn a_page_that_is_out_of_date_overwrites_nothing_and_loses_nothing() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let browser = Browser::open(&company, &hired.id).await;
        let (token, version) = browser.hidden("personal").await;
        let current = &company.read("employees", &hired.id).await["version"];
        let change = json!({ "version": current, "middle_initial": "Q" });
        company.put(format!("/v1/employees/{}", hired.id), change).await.ok();
        let hidden = [("form_token", token.as_str()), ("version", version.as_str())];
        let mut entered = person();
        entered[1].1 = "Okafor-Lee";
        let page = browser.form("personal", &[&hidden[..], &entered].concat()).send().await.is(409);
        let told = company.read("employees", &hired.id).await;
        assert_eq!((&told["last_name"], &told["middle_initial"]), (&json!("Okafor"), &json!("Q")));
        for (name, value) in &entered {
            assert_eq!(value_of(&page.text(), name), if *name == "ssn" { "" } else { value });
        }
        // Sent again from the page that was answered, it is taken.
        let version = value_of(&page.text(), "version");
        let hidden = [("form_token", token.as_str()), ("version", version.as_str())];
        browser.form("personal", &[&hidden[..], &entered].concat()).send().await.is(303);
        assert_eq!(company.read("employees", &hired.id).await["last_name"], "Okafor-Lee");
        // The same where the page knew of no address, and one has come since.
        let (_, version) = browser.hidden("address").await;
        company.home_address(&hired.id).await;
        let hidden = [("form_token", token.as_str()), ("version", version.as_str())];
        let other = [("street_1", "7 Elm"), ("city", "Dallas"), ("state", "TX"), ("zip", "75201")];
        browser.form("address", &[&hidden[..], &other].concat()).send().await.is(409);
        assert_eq!(homes(&company, &hired.id).await[0]["street_1"], home()["street_1"]);
    });
}

#[test]
fn a_session_ends_after_an_hour_without_use_and_with_its_links_day() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let hired = company.hire("Ana", "2026-07-01").await;
        let browser = Browser::open(&company, &hired.id).await;
        let token = browser.hidden("personal").await.0;
        world.wait(3_599.seconds()).await;
        browser.get("personal").await.is(200);
        world.wait(3_599.seconds()).await;
        browser.get("welcome").await.is(200);
        world.wait(1.hours()).await;
        browser.get("welcome").await.is(410);
        let fields = [person(), vec![("form_token", token.as_str())]].concat();
        browser.form("personal", &fields).send().await.is(410);
        assert_eq!(company.read("employees", &hired.id).await["has_ssn"], false);
        // However much it is used, it ends a day after the link was made.
        let browser = Browser::open(&company, &hired.id).await;
        for _ in 0..47 {
            world.wait(30.minutes()).await;
            browser.get("welcome").await.is(200);
        }
        world.wait(30.minutes()).await;
        browser.get("welcome").await.is(410);
    });
}

#[test]
fn a_link_that_is_opened_twice_gives_two_sessions_that_both_work() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let link = company.link(&hired.id).await;
        let (phone, desk) = (Browser::follow(&company, &link).await, Browser::follow(&company, &link).await);
        assert_ne!(phone.cookie, desk.cookie);
        phone.fill_in("personal", &person()).await.is(303);
        desk.fill_in("address", &STREET).await.is(303);
        assert_eq!(value_of(&phone.get("address").await.text(), "street_1"), STREET[0].1);
        assert_eq!(value_of(&desk.get("personal").await.text(), "date_of_birth.month"), "4");
        company.delete(format!("/v1/employees/{}", hired.id)).await.deleted();
        phone.get("welcome").await.is(410);
    });
}
