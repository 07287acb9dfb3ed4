//! Refused forms: the browser is sent back to their page, which says why and has what was entered.

use domain::access::users::Role;
use jiff::ToSpan;

use super::{form_token, signed_in};
use crate::oauth::{Browser, request, user};
use crate::pages::value_of;
use crate::support::{Engine, on_both_engines};

#[test]
fn a_refused_form_leads_back_to_its_page_with_the_reason_and_the_entries_for_ten_minutes() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.time_passes = false).await;
        let company = world.company().await;
        let admin = user(&world, &[(&company, Role::FullAccess)]).await;
        let (mut browser, _) = signed_in(&world, &admin, "/console").await;
        let page = format!("/console/companies/{}/owed", company.id);
        let token = form_token(&mut browser).await;
        let at = format!("{page}?done=recorded&page=1");
        let fields = [("form_token", token.as_str()), ("back", at.as_str()), ("days", "soon")];
        let sent = browser.post(&format!("{page}/prefunding"), &fields).staying().send().await.is(303);
        browser.keep(&sent);
        let to = sent.header("location").to_owned();
        assert!(to.starts_with(&format!("{page}?page=1&answer=")), "{to}");
        assert!(!sent.header("set-cookie").contains("soon"), "it is sealed");
        for _ in 0..2 {
            let shown = browser.get(&to).await.is(422).text();
            assert!(shown.contains("days must be a whole number"), "{shown}");
            assert!(shown.contains("name=\"days\" min=\"0\" max=\"10\" value=\"soon\""), "{shown}");
        }
        // Neither another page, nor somebody else with the same cookie, nor anybody later.
        let elsewhere = to.replace("/owed", "/money");
        assert!(!browser.get(&elsewhere).await.is(200).text().contains("whole number"));
        let (mut other, _) = signed_in(&world, &admin, "/console").await;
        other.answer = browser.answer.clone();
        assert!(!other.get(&to).await.is(200).text().contains("whole number"));
        world.wait(11.minutes()).await;
        assert!(!browser.get(&to).await.is(200).text().contains("whole number"));
        // A page outside of the console is no page to go back to.
        let fields = [("form_token", token.as_str()), ("back", "https://evil.example/"), ("days", "soon")];
        let sent = browser.post(&format!("{page}/prefunding"), &fields).staying().send().await.is(303);
        assert!(sent.header("location").starts_with("/console?answer="), "{:?}", sent.headers);
    });
}

#[test]
fn a_wrong_password_is_answered_by_the_page_of_the_sign_in_with_the_address_and_never_the_password() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        let admin = user(&world, &[(&company, Role::Primary)]).await;
        for (address, action) in [("/console".to_owned(), ""), (request(&world, &[]), "sign_in")] {
            let mut browser = Browser::new(&world);
            let page = browser.get(&address).await.is(200).text();
            let (to, token) = (crate::oauth::form_action(&page), value_of(&page, "form_token"));
            let fields = [
                ("form_token", token.as_str()),
                ("action", action),
                ("email", admin.email.as_str()),
                ("password", "not this one"),
            ];
            let sent = browser.post(&to, &fields).staying().send().await.is(303);
            browser.keep(&sent);
            let shown = browser.get(sent.header("location")).await.is(422).text();
            assert!(shown.contains(&format!("value=\"{}\"", admin.email)), "{shown}");
            assert!(shown.contains("is wrong") && !shown.contains("not this one"), "{shown}");
        }
    });
}
