//! The employer's pages of payments of contractors: amounts, preview, submission, receipt and cancelling.

use serde_json::{Value, json};

use super::{GROUPS, PAYDAY, account, contractor, payer, two};
use crate::page_entries::{of_company, send};
use crate::pages::{Browser, value_of};
use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

const NEW: &str = "contractor_payments/new";

/// The groups with check dates until far ahead.
async fn groups(company: &Company) -> Vec<Value> {
    company.get(format!("{GROUPS}?start_date=2026-01-01&end_date=2027-01-01")).await.list()
}

/// Sends the page of amounts as it is shown now, but for these fields.
async fn enter(page: &Browser, entries: &[(String, &str)], action: &str) -> Answer {
    let shown = page.get(NEW).await.is(200).text();
    let day = [
        ("check_date.month", "6"),
        ("check_date.day", "18"),
        ("check_date.year", "2026"),
        ("action", action),
    ];
    let entries: Vec<_> = entries.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    send(page, NEW, &shown, &[&entries[..], &day].concat()).await
}

fn of(field: &str, contractor: &str) -> String {
    format!("{field}.{contractor}")
}

#[test]
fn what_was_previewed_is_paid_once_however_often_the_form_is_sent_and_can_be_cancelled() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let [cora, lin] = two(&company).await;
        let page = of_company(&company, "contractor_payments").await;
        let list = page.get("contractor_payments").await.is(200).text();
        assert!(list.contains("No contractors were paid in the last six months."), "{list}");
        let entries = [
            (of("wage", &cora), "1,000"),
            (of("memo", &cora), "Logo"),
            (of("hours", &lin), "10"),
            (of("bonus", &lin), "25.00"),
            (of("reimbursement", &lin), "80"),
        ];
        let preview = enter(&page, &entries, "preview").await.is(200).text();
        for told in
            ["Cora Stone", "Lin Design LLC", "$1,000.00", "10 × $50.00", "$1,605.00", "Nothing is paid until"]
        {
            assert!(preview.contains(told), "{told}: {preview}");
        }
        assert_eq!(groups(&company).await.len(), 0, "nothing is stored");
        let changed = send(&page, NEW, &preview, &[("action", "change")]).await.is(200).text();
        assert_eq!(value_of(&changed, &of("wage", &cora)), "1,000");
        let mut led = Vec::new();
        for _ in 0..2 {
            led.push(
                send(&page, NEW, &preview, &[("action", "submit")])
                    .await
                    .is(303)
                    .header("location")
                    .to_owned(),
            );
        }
        assert_eq!(led[0], led[1], "sent twice, paid once");
        let made = groups(&company).await;
        assert_eq!(made.len(), 1);
        assert_eq!(
            (text(&made[0], "check_date"), text(&made[0]["totals"], "debit_amount")),
            (PAYDAY.into(), "1605.00".into())
        );
        let id = id_of(&made[0]);
        let receipt = format!("contractor_payments/{id}");
        let shown = page.get(&receipt).await.is(200).text();
        assert!(
            shown.contains("on its way") && shown.contains("$1,605.00") && shown.contains("Logo"),
            "{shown}"
        );
        assert!(page.get("contractor_payments").await.text().contains("2 contractors, $1,605.00"));
        let asked = page.fill_in(&receipt, &[("action", "cancel")]).await.is(200).text();
        assert!(asked.contains("Cancel the payments?"), "{asked}");
        let known = company.count_events().await;
        page.fill_in(&receipt, &[("action", "cancelled")]).await.is(303);
        assert_eq!(groups(&company).await.len(), 0);
        assert!(
            company.event_types_since(known).await.contains(&"contractor_payment_group.cancelled".to_owned())
        );
        assert_eq!(page.get(&receipt).await.is(303).header("location"), "/flow/contractor_payments");
    });
}

#[test]
fn what_cannot_be_paid_is_told_at_its_field_and_the_entries_stay() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let [cora, lin] = two(&company).await;
        let page = of_company(&company, "contractor_payments").await;
        let nothing = enter(&page, &[], "preview").await.is(422).text();
        assert!(nothing.contains("Nothing is entered for anybody."), "{nothing}");
        let entries = [(of("wage", &cora), "1.000,50"), (of("hours", &lin), "10")];
        let wrong = enter(&page, &entries, "preview").await.is(422).text();
        assert!(wrong.contains("Check these entries") && wrong.contains("aria-invalid"), "{wrong}");
        assert_eq!(value_of(&wrong, &of("wage", &cora)), "1.000,50");
        assert_eq!(value_of(&wrong, &of("hours", &lin)), "10");
        let early = [("action", "preview"), ("check_date.day", "10"), (&*of("wage", &cora), "10")];
        let early = send(&page, NEW, &wrong, &early).await.is(422).text();
        assert!(early.contains("check_date-problem") && early.contains("for a bank account June"), "{early}");

        // The rate changes between preview and submission: something else would be paid than was shown.
        let preview = enter(&page, &[(of("hours", &lin), "10")], "preview").await.is(200).text();
        assert!(preview.contains("$500.00"), "{preview}");
        let path = format!("/v1/contractors/{lin}");
        let version = company.get(&path).await.ok()["version"].clone();
        company.put(&path, json!({ "version": version, "hourly_rate": "55.00" })).await.ok();
        let again = send(&page, NEW, &preview, &[("action", "submit")]).await.is(422).text();
        assert!(
            again.contains("has changed since you previewed this") && again.contains("$550.00"),
            "{again}"
        );
        assert_eq!(groups(&company).await.len(), 0);
        send(&page, NEW, &again, &[("action", "submit")]).await.is(303);
        assert_eq!(text(&groups(&company).await[0]["totals"], "amount"), "550.00");
    });
}

#[test]
fn whoever_has_no_account_is_paid_by_check_and_a_blocker_leaves_no_button_to_submit() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let ana = contractor(&company, json!({ "first_name": "Ana", "ssn": "219098766" })).await;
        let page = of_company(&company, "contractor_payments,add_contractors").await;
        let entries = [(of("wage", &ana), "300"), (of("method", &ana), "Direct Deposit")];
        let blocked = enter(&page, &entries, "preview").await.is(200).text();
        assert!(blocked.contains("Ana Stone has no bank account"), "{blocked}");
        assert!(!blocked.contains("value=\"submit\""), "{blocked}");
        // Even a form that the page did not offer pays nobody.
        send(&page, NEW, &blocked, &[("action", "submit")]).await.is(422);
        assert_eq!(groups(&company).await.len(), 0);
        let shown = page.get(NEW).await.text();
        assert!(
            shown.contains("<option value=\"Check\" selected>"),
            "without an account, a check is proposed"
        );
        let preview = enter(&page, &[(of("wage", &ana), "300")], "preview").await.is(200).text();
        assert!(preview.contains("nothing leaves the company"), "{preview}");
        send(&page, NEW, &preview, &[("action", "submit")]).await.is(303);
        assert_eq!(text(&groups(&company).await[0]["totals"], "check_amount"), "300.00");
    });
}

#[test]
fn entries_of_every_page_of_the_list_count_and_notes_stay_while_they_are_hidden() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let mut all = Vec::new();
        for number in 0..27_u8 {
            let name = format!("Person{}{}", char::from(b'a' + number / 9), char::from(b'a' + number % 9));
            let one =
                json!({ "first_name": name, "last_name": "Stone", "ssn": format!("2190987{number:02}") });
            all.push(contractor(&company, one).await);
        }
        account(&company, &all[0], "1111222233").await;
        let page = of_company(&company, "contractor_payments").await;
        let first = page.get(NEW).await.is(200).text();
        assert_eq!(first.matches("<fieldset class=\"person\"").count(), 25);
        assert!(first.len() < crate::employer_pages::LARGEST, "{} bytes", first.len());
        let entries = [(of("wage", &all[0]), "100"), (of("memo", &all[0]), "Sign")];
        let second = enter(&page, &entries, "page:2").await.is(200).text();
        assert_eq!(second.matches("<fieldset class=\"person\"").count(), 2);
        let preview =
            send(&page, NEW, &second, &[("action", "preview"), (&*of("wage", &all[26]), "50")]).await;
        let preview = preview.is(200).text();
        assert!(
            preview.contains("Personaa Stone") && preview.contains("Sign") && preview.contains("$150.00"),
            "{preview}"
        );
        send(&page, NEW, &preview, &[("action", "submit")]).await.is(303);
        assert_eq!(text(&groups(&company).await[0]["totals"], "amount"), "150.00");
    });
}

#[test]
fn the_pages_of_one_company_show_no_payments_of_another_and_are_in_spanish_too() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = payer(&world).await;
        let cora = contractor(&company, json!({})).await;
        let page = of_company(&company, "contractor_payments").await;
        let preview = enter(&page, &[(of("wage", &cora), "300")], "preview").await.is(200).text();
        send(&page, NEW, &preview, &[("action", "submit")]).await.is(303);
        let id = id_of(&groups(&company).await[0]);
        let other = world.company().await;
        let foreign = of_company(&other, "contractor_payments").await;
        let path = format!("contractor_payments/{id}");
        assert_eq!(foreign.get(&path).await.is(303).header("location"), "/flow/contractor_payments");
        let token = foreign.hidden("contractor_payments/new").await;
        assert!(!token.0.is_empty());
        let cancel = [("form_token", token.0.as_str()), ("action", "cancelled")];
        assert_eq!(
            foreign.form(&path, &cancel).send().await.is(303).header("location"),
            "/flow/contractor_payments"
        );
        assert_eq!(groups(&company).await.len(), 1);
        let nobody = foreign.get(NEW).await.is(200).text();
        assert!(nobody.contains("No contractor can be paid yet"), "{nobody}");
        // Of a contractor of another company nothing is told, not even the name.
        let shown = page.get(NEW).await.text();
        let wage = of("wage", &cora);
        let sent = [("form_token", token.0.as_str()), ("action", "preview"), (wage.as_str(), "9")];
        let told = send(&foreign, NEW, &shown, &sent).await.is(422).text();
        assert!(!told.contains("Cora"), "{told}");

        let spoken = [
            ("form_token", value_of(&shown, "form_token")),
            ("language", "es".into()),
            ("screen", NEW.into()),
        ];
        let spoken: Vec<(&str, &str)> = spoken.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(
            page.form("language", &spoken).send().await.is(303).header("location"),
            format!("/flow/{NEW}")
        );
        assert!(page.get(NEW).await.text().contains("A quién paga, y cuánto"));
        assert!(page.get(&path).await.text().contains("Cancelar estos pagos"));
    });
}
