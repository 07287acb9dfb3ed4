//! Which screens a flow shows, what there is to read of deductions, and who helped with Form I-9.

use domain::access::themes::{Color, Theme};
use domain::access::tokens::Caller;
use domain::offboarding::applications;
use serde_json::{Value, json};

use crate::pages::{Browser, HOSTILE, hired, lines_of, unescaped, value_of};
use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

/// A browser that has opened a link to a flow of these types.
async fn open(company: &Company, employee: &str, flow_type: &str) -> Browser {
    let body = json!({ "flow_type": flow_type, "entity_type": "Employee", "entity_uuid": employee });
    let made = company.post("/v1/companies/{company}/flows", body).await.created();
    Browser::follow(company, text(&made, "url").strip_prefix("https://pages.example").unwrap()).await
}

/// The screens in the list of steps.
fn steps(html: &str) -> Vec<String> {
    let list = html.split("<ol>").nth(1).unwrap().split("</ol>").next().unwrap();
    let links = list.split("href=\"/flow/").skip(1);
    links.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

async fn ask_for_i9(company: &Company, employee: &str) {
    let config = format!("/v1/employees/{employee}/onboarding_documents_config");
    company.put(config, json!({ "i9_document": true })).await.ok();
}

#[test]
fn the_screen_of_time_off_says_what_is_left_and_what_has_no_limit() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let screen =
            async || open(&company, &hired.id, "time_off").await.get("time_off").await.is(200).text();
        assert!(screen().await.contains("no time off policy for you"));
        for (of, method) in [("vacation", "per_pay_period"), ("sick", "unlimited")] {
            let policy = json!({ "name": "Days off", "policy_type": of, "accrual_method": method, "accrual_rate": "4" });
            let made = company.post("/v1/companies/{company}/time_off_policies", policy).await.created();
            let joins = json!({ "employees": [{ "uuid": hired.id, "balance": "37.5" }] });
            company.put(format!("/v1/time_off_policies/{}/add_employees", id_of(&made)), joins).await.ok();
        }
        let told = screen().await;
        assert!(told.contains("37.50 hours") && told.contains("unlimited"), "{told}");
    });
}

#[test]
fn a_flow_shows_the_screens_of_its_types_and_no_others() {
    const ALL: [&str; 11] = [
        "welcome",
        "personal",
        "address",
        "federal",
        "state",
        "payment",
        "deductions",
        "i9",
        "documents",
        "review",
        "done",
    ];
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        ask_for_i9(&company, &hired.id).await;
        let cases: [(&str, &[&str]); 9] = [
            ("employee_federal_setup", &["federal", "review"]),
            ("employee_state_setup,employee_federal_setup", &["federal", "state", "review"]),
            ("employee_form_signing", &["i9", "documents", "review"]),
            ("deductions", &["deductions"]),
            ("time_off", &["time_off"]),
            ("time_off,deductions", &["deductions", "time_off"]),
            ("deductions,employee_state_setup", &["state", "deductions", "review"]),
            (
                "employee_self_management",
                &["personal", "address", "federal", "state", "payment", "i9", "documents", "review"],
            ),
            ("employee_self_management,deductions", &ALL[1..10]),
        ];
        for (flow_type, shown) in cases {
            let browser = open(&company, &hired.id, flow_type).await;
            let welcome = browser.get("welcome").await.is(200).text();
            assert_eq!(steps(&welcome), shown, "{flow_type}");
            for screen in ALL {
                let there = shown.contains(&screen) || ["welcome", "done"].contains(&screen);
                let answer = browser.get(screen).await;
                assert_eq!(answer.status == 200, there, "{screen} of {flow_type}");
                let sent =
                    browser.form(screen, &[("form_token", &value_of(&welcome, "form_token"))]).send().await;
                assert!(
                    there || sent.status == 303,
                    "{screen} of {flow_type} takes no form: {}",
                    sent.status
                );
            }
            // What to have at hand is said for what is asked, and for nothing else.
            let asks_numbers = welcome.contains("your Social Security number");
            assert_eq!(asks_numbers, shown.contains(&"personal"), "{flow_type}");
        }
        let told = company.read("employees", &hired.id).await;
        assert_eq!(told["has_ssn"], false, "nothing was stored on the way");
    });
}

/// What a page says in its list of facts.
fn facts(page: &Answer) -> Vec<(String, String)> {
    let html = unescaped(&page.text());
    let inside = |text: &str, end: &str| text.split(end).next().unwrap().to_owned();
    let each = html.split("<dt>").skip(1);
    let pairs = each.map(|fact| (inside(fact, "</dt>"), inside(fact.split("<dd>").nth(1).unwrap(), "</dd>")));
    // The rows of tables: what is not said leaves its cell empty.
    let rows = html.split("<tr><th scope=\"row\">").skip(1).map(|row| {
        let cells = row.split("<td>").skip(1).map(|cell| inside(cell, "</td>"));
        (inside(row, "</th>"), cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("; "))
    });
    pairs.chain(rows).collect()
}

/// Deductions of every kind: that go on, that have ended, that will end, and that take all.
fn orders() -> Vec<Value> {
    vec![
        json!({ "court_ordered": true, "garnishment_type": "child_support", "amount": "50", "recurring": true,
                    "pay_period_maximum": "400", "deduct_as_percentage": true,
                    "child_support": { "state": "AL", "payment_period": "Monthly", "fips_code": "01000", "case_number": "AL-123" } }),
        json!({ "court_ordered": false, "amount": "25", "description": "Uniform", "total_amount": "1000.00",
                    "recurring": true, "deduct_as_percentage": false }),
        json!({ "court_ordered": false, "amount": "7", "description": "Over", "active": false }),
        json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "40", "description": "Ended",
                    "recurring": true, "served_on": "2020-01-01", "ends_on": "2020-05-31" }),
        json!({ "court_ordered": true, "garnishment_type": "creditor_garnishment", "amount": "40", "description": "Ends",
                    "recurring": true, "served_on": "2099-01-01", "ends_on": "2099-05-31" }),
        json!({ "court_ordered": false, "amount": "40", "description": "Twice", "times": 2 }),
        json!({ "court_ordered": false, "amount": "40", "description": "Once" }),
        json!({ "court_ordered": true, "garnishment_type": "federal_tax_lien", "amount": "0.00", "description": "Levy",
                    "recurring": true, "tax_levy": { "filing_status": "single", "dependents": 2, "year": 2026 } }),
    ]
}

#[test]
fn an_employee_reads_what_is_taken_from_the_pay_and_can_change_none_of_it() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let employee = format!("/v1/employees/{}", hired.id);
        let browser = open(&company, &hired.id, "deductions").await;
        let nothing = browser.get("deductions").await.is(200);
        assert!(nothing.text().contains("nothing is taken from your pay"));

        let hostile = "<b>401(k)</b> & \"more\"";
        for (kind, description, terms) in [
            (5, hostile, json!({ "employee_deduction": "5.00", "deduct_as_percentage": true })),
            (
                1,
                "Medical",
                json!({ "employee_deduction": "85.00", "effective_date": "2026-01-01", "expiration_date": "2099-12-31" }),
            ),
            (3, "Dental", json!({ "employee_deduction": "9.00", "active": false })),
        ] {
            let offer = json!({ "benefit_type": kind, "description": description });
            let offered = company.post("/v1/companies/{company}/company_benefits", offer).await.created();
            let mut body = terms;
            body["company_benefit_uuid"] = offered["uuid"].clone();
            company.post(format!("{employee}/employee_benefits"), body).await.created();
        }
        for order in orders() {
            company.post(format!("{employee}/garnishments"), order).await.created();
        }
        let known = (company.count_events().await, company.audit().await.len());
        let page = browser.get("deductions").await.is(200);
        let told = facts(&page);
        let told: Vec<_> = told.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(
            told,
            [
                (hostile, "5% of your pay"),
                ("Medical", "$85.00 each payday; from January 1, 2026 until December 31, 2099"),
                ("Child support - AL-123", "50% of your pay; at most $400.00 a month"),
                ("Uniform", "$25.00 each payday; until $1,000.00 are paid"),
                // One that has ended is not among them, and of the others is said how long they go on.
                ("Ends", "$40.00 each payday; from January 1, 2099 until May 31, 2099"),
                ("Twice", "$40.00 each payday; 2 more times"),
                ("Once", "$40.00 each payday; once"),
                ("Levy", "everything the law allows"),
            ]
        );
        assert!(!page.text().contains("<b>"));
        // The one form of the page stores nothing, whatever is sent with it.
        let fields = [("amount", "0"), ("active", "false")];
        assert_eq!(browser.fill_in("deductions", &fields).await.is(303).header("location"), "/flow/done");
        assert_eq!((company.count_events().await, company.audit().await.len()), known);
        // Beside screens that ask it is shown on the way, and once more in the review.
        let both = open(&company, &hired.id, "employee_federal_setup,deductions").await;
        let certificate = [("filing_status", "Single"), ("two_jobs", "false")];
        let next = both.fill_in("federal", &certificate).await.is(303);
        assert_eq!(next.header("location"), "/flow/deductions");
        assert_eq!(both.fill_in("deductions", &[]).await.is(303).header("location"), "/flow/review");
        let review = facts(&both.get("review").await.is(200));
        assert!(review.iter().any(|(name, _)| name == "Uniform"), "{review:?}");
        let (token, _) = both.hidden("deductions").await;
        both.form("language", &[("form_token", &token), ("language", "es"), ("screen", "deductions")])
            .send()
            .await
            .is(303);
        let spanish = facts(&both.get("deductions").await.is(200));
        assert_eq!(spanish[2].1, "50 % de su pago; como máximo $400.00 al mes");
    });
}

/// Somebody who is asked for Form I-9 and has answered it, on the page of documents: its form's id, what the page sends back of it,
/// and the browser.
async fn about_to_sign(company: &Company, employee: &str) -> (String, String, Browser) {
    ask_for_i9(company, employee).await;
    let path = format!("/v1/employees/{employee}/i9_authorization");
    company.put(path, json!({ "authorization_status": "citizen" })).await.ok();
    let forms = company.get(format!("/v1/employees/{employee}/forms")).await.list();
    let form = forms.iter().find(|form| form["name"] == "US_I-9").unwrap();
    let browser = open(company, employee, "employee_form_signing").await;
    let shown = value_of(&browser.get("documents").await.is(200).text(), "document");
    (id_of(form), shown, browser)
}

/// A signature with whoever helped, as the page sends it.
fn signed<'a>(form: &'a str, helpers: &'a [(String, String)]) -> Vec<(&'a str, &'a str)> {
    let mut fields = vec![("document", form)];
    fields.extend(helpers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    fields
}

#[test]
fn whoever_helped_with_form_i9_attests_it_on_the_page() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let (form, shown, browser) = about_to_sign(&company, &hired.id).await;
        let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let own = vec![of("signature_text", "Ana Okafor"), of("agree", "on")];
        let html = browser.get("documents").await.is(200).text();
        assert!(html.contains("value=\"preparers:1\"") && !html.contains("preparer_first_name"));
        // The form grows without a script and keeps what was entered.
        let mut fields = own.clone();
        fields.push(("action".to_owned(), "preparers:2".to_owned()));
        let html = browser.fill_in("documents", &signed(&shown, &fields)).await.is(200).text();
        assert_eq!(value_of(&html, "signature_text"), "Ana Okafor");
        for name in ["preparer_first_name", "preparer2_zip", "preparer2_agree"] {
            assert!(html.contains(&format!("name=\"{name}\"")), "{name}");
        }
        assert!(!html.contains("preparer3_first_name"));
        // What is missing is told beside each line, and nothing is signed.
        let helper = |prefix: &str, values: [&str; 6]| {
            let names = ["first_name", "last_name", "street_1", "city", "state", "zip"];
            names
                .into_iter()
                .zip(values)
                .map(|(name, value)| of(&format!("{prefix}_{name}"), value))
                .collect::<Vec<_>>()
        };
        let mut fields = own.clone();
        fields.push(of("preparers", "2"));
        fields.extend(helper("preparer", ["Bo", "Kim", "5 Elm St", "Reno", "NV", "89501"]));
        fields.extend(helper("preparer2", ["", "Lind", "", "Austin", "TX", "1"]));
        let html = browser.fill_in("documents", &signed(&shown, &fields)).await.is(422).text();
        for name in [
            "preparer_agree",
            "preparer2_first_name",
            "preparer2_street_1",
            "preparer2_zip",
            "preparer2_agree",
        ] {
            assert!(html.contains(&format!("id=\"{name}-problem\"")), "{name}: {html}");
            assert!(html.contains(&format!("href=\"#{name}\"")), "the summary leads to {name}");
        }
        assert!(!html.contains("id=\"preparer_zip-problem\""));
        assert_eq!(value_of(&html, "preparer_street_1"), "5 Elm St");
        let held = format!("/v1/employees/{}/forms/{form}", hired.id);
        assert_eq!(company.get(&held).await.ok()["requires_signing"], true);
        // All of it right: the signature and the document name both.
        let mut fields = own;
        fields.push(of("preparers", "2"));
        fields.extend(helper("preparer", ["Bo", "Kim", "5 Elm St", "Reno", "NV", "89501"]));
        fields.extend(helper("preparer2", ["Cy", "Lind", "7 Oak Ave", "Austin", "TX", "78701"]));
        fields.extend([of("preparer_agree", "on"), of("preparer2_agree", "on")]);
        browser.fill_in("documents", &signed(&shown, &fields)).await.is(303);
        assert_eq!(company.get(&held).await.ok()["requires_signing"], false);
        let again = browser.fill_in("documents", &[("document", &shown)]).await.is(303);
        assert_eq!(again.text(), "", "sent twice it is signed once");
    });
}

#[test]
fn what_is_entered_of_helpers_comes_back_as_text() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let (_, form, browser) = about_to_sign(&company, &hired.id).await;
        let four = [("document", form.as_str()), ("action", "preparers:9")];
        let html = browser.fill_in("documents", &four).await.is(200).text();
        let mut names = lines_of(&html);
        names.retain(|name| name.starts_with("preparer"));
        assert_eq!(names.len(), 4 * 6, "four helpers at most: {names:?}");
        let count = "preparers".to_owned();
        for hostile in HOSTILE {
            let mut fields: Vec<_> = names.iter().map(|name| (name.as_str(), hostile)).collect();
            fields.extend([("document", form.as_str()), (count.as_str(), "4")]);
            let shown = browser.fill_in("documents", &fields).await.is(422).text();
            for name in &names {
                assert_eq!(value_of(&shown, name), hostile, "{name}");
            }
            assert!(shown.matches('<').count() < html.matches('<').count() + 160, "{hostile} is no text");
        }
    });
}

#[test]
fn a_document_is_framed_by_the_service_s_own_pages_and_by_the_partners_that_are_configured() {
    on_both_engines(async |engine: Engine| {
        let partners = ["https://app.partner.example", "https://till.example"].map(str::to_owned);
        let local = ["http://localhost:*".to_owned()];
        for origins in [&[][..], &partners, &local] {
            let world = engine.own_world_with(|setup| setup.settings.frame_origins = origins.to_vec()).await;
            let company = world.company().await;
            let hired = company.hire("Ana", "2026-07-01").await;
            let (form, ..) = about_to_sign(&company, &hired.id).await;
            let pdf = company.get(format!("/v1/employees/{}/forms/{form}/pdf", hired.id)).await.ok();
            let path = text(&pdf, "document_url").strip_prefix("https://pages.example").unwrap().to_owned();
            let allowed = [&["'self'".to_owned()], origins].concat().join(" ");
            for (path, status) in [(path.as_str(), 200), ("/documents/unknown", 404)] {
                let shown = world.call("GET", path).header("accept-language", "es").send().await.is(status);
                let policy = shown.header("content-security-policy");
                assert!(policy.ends_with(&format!("frame-ancestors {allowed}")), "{policy}");
                // The older header can name no other origin, so it must not contradict.
                let older = if origins.is_empty() { "SAMEORIGIN" } else { "" };
                assert_eq!(shown.header("x-frame-options"), older);
                assert_eq!(status == 404, shown.header("content-type").starts_with("text/html"));
                assert!(status == 200 || shown.text().contains("<html lang=\"es\">"));
            }
        }
    });
}

#[test]
fn the_page_on_deductions_names_the_taxes_of_state_and_city() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let office = id_of(&company.location("OH").await);
        company.answer_state("OH").await;
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        let page = open(&company, &ana, "deductions").await.get("deductions").await.is(200);
        let told = facts(&page);
        let taxes: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
        assert!(taxes.contains(&"Columbus city tax") && taxes.contains(&"OH income tax"), "{taxes:?}");
        assert!(!taxes.contains(&"OH SUI"), "what the employer pays is taken from nobody: {taxes:?}");
    });
}

#[test]
fn pages_have_the_face_of_the_application_that_made_the_link_and_lead_back_to_it() {
    on_both_engines(async |engine: Engine| {
        let (company, hired) = hired(engine).await;
        let world = &company.world;
        let application = world.application;
        let set = |theme: Option<Theme>| {
            let theme = theme.map(|theme| theme.check_and_complete().unwrap());
            let operator = Caller::for_operator(uuid::Uuid::nil(), jiff::tz::TimeZone::UTC);
            world
                .app
                .store
                .write(move |tx| applications::set_theme(tx, &operator, application, theme.as_ref()))
        };
        let plain = open(&company, &hired.id, "deductions").await.get("done").await.is(200).text();
        assert!(!plain.contains("/flow-theme/") && plain.contains("You can close this page."));
        let logo = [&[0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a][..], b"..."].concat();
        let theme = Theme {
            display_name: Some("Till & Co <b>".to_owned()),
            accent: Color::parse("#8a1c5b"),
            logo: Some(logo.clone()),
            return_url: Some("https://till.example/people?a=1&b=2".to_owned()),
            ..Theme::default()
        };
        set(Some(theme)).await.unwrap();
        let done = open(&company, &hired.id, "deductions").await.get("done").await.is(200).text();
        assert!(unescaped(&done).contains("Back to Till & Co <b>") && !done.contains("<b>"), "{done}");
        assert!(unescaped(&done).contains("href=\"https://till.example/people?a=1&b=2\""), "{done}");
        let sheet = format!("/flow-theme/{application}/style.css");
        assert!(done.contains(&sheet));
        let css = world.call("GET", &sheet).send().await.is(200).text();
        assert!(css.contains("--accent: #8a1c5b;") && css.contains("prefers-color-scheme: dark"), "{css}");
        let image = world.call("GET", format!("/flow-theme/{application}/logo.png")).send().await.is(200);
        assert_eq!(image.header("content-type"), "image/png");
        // The address of a link comes before that of the theme.
        let body = |address: &str| json!({ "flow_type": "deductions", "entity_type": "Employee", "entity_uuid": hired.id, "redirect_url": address });
        let made =
            company.post("/v1/companies/{company}/flows", body("https://till.example/hired")).await.created();
        let url = text(&made, "url").to_owned();
        let link = url.strip_prefix("https://pages.example").unwrap();
        let done = Browser::follow(&company, link).await.get("done").await.is(200).text();
        assert!(done.contains("href=\"https://till.example/hired\""), "{done}");
        for wrong in ["javascript:alert(1)", "http://till.example/", "https://a@till.example/", "till"] {
            let refused = company.post("/v1/companies/{company}/flows", body(wrong)).await.is(422).text();
            assert!(refused.contains("redirect_url"), "{refused}");
        }
        set(None).await.unwrap();
        let again = open(&company, &hired.id, "deductions").await.get("done").await.is(200).text();
        assert!(!again.contains("/flow-theme/"));
        world.call("GET", format!("/flow-theme/{application}/logo.png")).send().await.is(404);
    });
}
