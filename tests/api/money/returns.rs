//! What comes back from the bank, and what follows: pay that is paid again or taken back, and accounts that are corrected.

use domain::Error;
use domain::access::tokens::Caller;
use domain::money::batches::repayments::{self, To};
use domain::money::batches::reversals;
use domain::money::returns::bank_returns::{self, Report};
use domain::money::returns::corrections;
use jiff::Span;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{LIST, all_files, bank, effective, employer, files_in, one_paid, paid, run, transactions};
use crate::sent_back::file;
use crate::support::{Company, Engine, World, on_both_engines, text};

pub async fn take(world: &World, text: &str) -> Report {
    bank_returns::process_bank_file(&world.app.store, text.as_bytes()).await.unwrap()
}

/// The trace number and the cents of the credit to an account.
pub fn sent(folder: &std::path::Path, account: &str) -> (String, u64) {
    let all = files_in(folder);
    let entries = all.iter().flat_map(|(_, text)| ach::read::read_entries(text).unwrap());
    let entry = entries.into_iter().find(|entry| entry.account == account).unwrap();
    (entry.trace, entry.cents)
}

pub async fn act<T: Send + 'static>(
    company: &Company,
    act: impl Fn(&mut store::Tx<'_>, &Caller) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let caller = Caller::for_operator(company.id, TimeZone::UTC);
    company.world.app.store.write(move |tx| act(tx, &caller)).await
}

/// The transaction to an employee.
pub async fn credit(company: &Company) -> Value {
    let list = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
    assert_eq!(list.len(), 1);
    list[0].clone()
}

#[test]
fn pay_that_comes_back_is_held_and_paid_again_to_another_account() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, closed) = paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        let text_of_bank = file(&[
            ("R02", &trace, cents, "ACCOUNT CLOSED"),
            ("R03", "091000019999999", 500, ""),
            ("R03", &trace.replace("09100001", "12100024"), cents, ""),
        ]);
        assert_eq!(
            take(&world, &text_of_bank).await,
            Report { returned: 1, unknown: 2, ..Report::default() }
        );
        assert_eq!(take(&world, &text_of_bank).await, Report { before: 3, ..Report::default() });
        let other = format!("{text_of_bank}\n");
        assert_eq!(
            take(&world, &other).await,
            Report { noted: 1, unknown: 2, ..Report::default() },
            "another file tells it again"
        );
        let unknown =
            world.app.store.read(|tx| bank_returns::list_bank_returns(tx, true, (10, 0))).await.unwrap();
        assert_eq!(unknown.len(), 4);

        let told = credit(&company).await;
        assert_eq!(
            (text(&told, "payment_status"), text(&told, "error_code")),
            ("failed".into(), "R02".into())
        );
        let events = company.get("/v1/events?event_type=employee.bank_account.updated").await.list();
        assert!(events.iter().any(|event| event["entity_uuid"] == closed), "{events:?}");

        let entry = text(&told, "uuid").parse().unwrap();
        let again = |account: &str| {
            let to = To::Account(account.parse().unwrap());
            act(&company, move |tx, caller| repayments::pay_again(tx, caller, entry, to))
        };
        assert!(matches!(again(&closed).await, Err(Error::Violations(_))), "the account is closed");
        let open = super::add_account(&company, &ana, "5555666677").await;
        again(&open).await.unwrap();
        assert!(matches!(again(&open).await, Err(Error::Violations(_))), "it is paid again once");
        world.wait(Span::new().minutes(5)).await;
        let (second, amount) = sent(folder.path(), "5555666677");
        assert_eq!(amount, cents);
        assert_ne!(second, trace);
        let list = transactions(&company, "").await;
        assert_eq!(list.iter().filter(|one| one[0] == "Credit employee pay again").count(), 1);
        assert_eq!(super::told(&company, "payroll.paid", &payroll).await, 1);
    });
}

#[test]
fn nothing_more_is_paid_to_an_account_that_was_returned_until_it_is_corrected() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        take(&world, &file(&[("R04", &trace, cents, "")])).await;
        take(&world, &file(&[("C01", &trace, 0, "9999888877")])).await;
        let id = company.id;
        let open = world.app.store.read(move |tx| corrections::open_corrections(tx, id)).await.unwrap();
        assert_eq!((open.len(), open[0].code.as_str()), (1, "C01"));
        let accounts = format!("/v1/employees/{}/bank_accounts", open[0].employee);
        let number = async || text(&company.get(&accounts).await.list()[0], "hidden_account_number");
        let before = number().await;
        let correction = open[0].id;
        act(&company, move |tx, caller| corrections::decide_correction(tx, caller, correction, true))
            .await
            .unwrap();
        let after = number().await;
        assert!(before.ends_with("2233") && after.ends_with("8877"), "{before} {after}");
        let twice =
            act(&company, move |tx, caller| corrections::decide_correction(tx, caller, correction, false))
                .await;
        assert!(matches!(twice, Err(Error::Violations(_))));
        // It is the account that counts from now on.
        let entry = text(&credit(&company).await, "uuid").parse().unwrap();
        let to = To::Account(open[0].account);
        act(&company, move |tx, caller| repayments::pay_again(tx, caller, entry, to)).await.unwrap();
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(sent(folder.path(), "9999888877").1, cents);
    });
}

#[test]
fn an_account_to_which_a_payment_came_back_is_a_notification_until_it_is_corrected() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        let (ana, account) = paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        assert_eq!(take(&world, &file(&[("R03", &trace, cents, "")])).await.returned, 1);
        let one = format!("/v1/notifications/{account}");
        let told = company.get(&one).await.ok();
        assert_eq!(
            (&told["category"], &told["template_variables"]["error_code"]),
            (&json!("employee_bank_verification_failure"), &json!("R03"))
        );
        let resource = json!({ "entity_type": "BankAccount", "entity_uuid": account,
                               "reference_type": "Employee", "reference_uuid": ana });
        assert_eq!(told["resources"], json!([resource]));
        let listed = company.get("/v1/companies/{company}/notifications").await.list();
        assert!(listed.contains(&told), "{listed:?}");
        let events = async || {
            let all = company.events().await.into_iter().filter(|event| event.entity.to_string() == account);
            all.map(|event| event.event_type)
                .filter(|name| name.starts_with("notification."))
                .collect::<Vec<_>>()
        };
        let [created, resolved] = ["created", "resolved"]
            .map(|what| format!("notification.employee_bank_verification_failure.{what}"));
        assert_eq!(events().await, std::slice::from_ref(&created));

        // Another name makes no other account of it.
        let path = format!("/v1/employees/{ana}/bank_accounts/{account}");
        let held = |name: &str, number: &str| json!({ "name": name, "routing_number": super::BANKS[0], "account_number": number, "account_type": "Checking" });
        company.put(&path, held("Renamed", "1111222233")).await.ok();
        company.get(&one).await.ok();
        company.put(&path, held("Renamed", "1111222244")).await.ok();
        assert_eq!(events().await, [created, resolved]);
        assert_eq!(company.get(&one).await.refused(422).fault(), ("base", "invalid_operation"));
    });
}

#[test]
fn a_payment_is_taken_back_within_five_banking_days() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let (company, location, payroll) = employer(&world, "90126600418").await;
        paid(&company, &location, "Ana", "1111222233").await;
        paid(&company, &location, "Max", "2222333344").await;
        run(&company, &payroll).await;
        let file = all_files(&world).await.remove(0).id;
        let list = company.get(format!("{LIST}?transaction_type=Credit%20employee%20pay")).await.list();
        let ids: Vec<_> = list.iter().map(|one| text(one, "uuid").parse().unwrap()).collect();
        let (first, cents) = (ids[0], sent(folder.path(), "1111222233").1);
        act(&company, move |tx, caller| reversals::reverse_payment(tx, caller, first)).await.unwrap();
        let twice = act(&company, move |tx, caller| reversals::reverse_payment(tx, caller, first)).await;
        assert!(matches!(twice, Err(Error::Violations(_))));
        world.wait(Span::new().minutes(5)).await;
        let files = files_in(folder.path());
        let back = ach::read::read_entries(&files[1].1).unwrap();
        assert_eq!(back.iter().map(|one| (one.code, one.cents)).collect::<Vec<_>>(), [(27, cents)]);
        assert!(files[1].1.contains("PPDREVERSAL "), "the description that the rules ask for");
        assert_eq!(effective(&files[1].1), ["260618"], "not before the pay has arrived");
        // The rest of the file goes back as well.
        assert_eq!(reversals::reverse_file(&world.app.store, file).await.unwrap(), 1);
        world.wait(Span::new().minutes(5)).await;
        assert_eq!(files_in(folder.path()).len(), 3);
        assert_eq!(transactions(&company, "?payment_direction=debit").await.len(), 3);
    });
}

#[test]
fn after_five_banking_days_a_payment_stays() {
    on_both_engines(async |engine: Engine| {
        let (world, _folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        // Paid on Thursday 18 June: without Juneteenth and a weekend, Friday 26 June is the fifth day; what is filed on it settles later.
        world.wait_until("2026-06-26T12:00:00Z".parse().unwrap()).await;
        let entry = text(&credit(&company).await, "uuid").parse().unwrap();
        let late = act(&company, move |tx, caller| reversals::reverse_payment(tx, caller, entry)).await;
        let Err(Error::Violations(why)) = late else { panic!("{late:?}") };
        assert!(why[0].message.contains("2026-06-26"), "{}", why[0].message);
    });
}

/// Everything that the bank sent, by record: code, state and why.
async fn listed(world: &World) -> Vec<(i64, Option<String>, &'static str, String)> {
    let kept = world.app.store.read(|tx| bank_returns::list_bank_returns(tx, false, (100, 0))).await;
    let kept = kept.unwrap_or_else(|error: Error| panic!("{error:?}"));
    let mut rows: Vec<_> = kept
        .into_iter()
        .map(|one| (one.record, one.code, rules::Named::as_str(one.state), one.why.unwrap_or_default()))
        .collect();
    rows.sort();
    rows
}

#[test]
fn a_return_in_a_file_with_harmless_differences_is_a_return() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        let whole = file(&[("R02", &trace, cents, "ACCOUNT CLOSED")]);
        let (head, rest) = whole.split_at(10);
        // A mark of the beginning and the end, trimmed blanks, CR alone, an é in Latin-1, another count of blocks, and another file.
        let other = file(&[("R03", "091000019999999", 500, "")]);
        let text = format!("{head}{rest}").replace("ANA SILVA ", "ANA SILV\u{e9} ");
        let trimmed: Vec<&str> = text.lines().chain(other.lines()).map(str::trim_end).collect();
        let text = trimmed.join("\r").replace("9000001000001", "9000001000007") + "\r\u{1a}";
        let bytes: Vec<u8> = text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
        let report = bank_returns::process_bank_file(&world.app.store, &bytes).await.unwrap();
        assert_eq!(report, Report { returned: 1, unknown: 1, ..Report::default() });
        assert_eq!(credit(&company).await["error_code"], "R02");
        assert_eq!(
            bank_returns::process_bank_file(&world.app.store, &bytes).await.unwrap(),
            Report { before: 2, ..Report::default() }
        );
        // The same return in a file of other bytes does nothing twice.
        assert_eq!(take(&world, &whole).await, Report { noted: 1, ..Report::default() });
    });
}

#[test]
fn what_cannot_be_read_is_listed_line_by_line_and_no_return_is_lost() {
    on_both_engines(async |engine: Engine| {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, "90126600418").await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "1111222233");
        // There is no R99; the amount of the second entry is no number; the totals match no longer.
        let text = file(&[
            ("R99", &trace, cents, ""),
            ("R03", "091000019999999", 500, ""),
            ("R02", &trace, cents, "ACCOUNT CLOSED"),
        ]);
        let text = text.replacen("0000000500", "00000005OO", 1);
        let report = take(&world, &text).await;
        assert_eq!(report, Report { returned: 1, unknown: 4, ..Report::default() });
        assert_eq!(credit(&company).await["error_code"], "R02");
        let rows = listed(&world).await;
        let whys: Vec<(i64, &str)> = rows.iter().map(|(record, .., why)| (*record, why.as_str())).collect();
        assert!(whys[0].1.contains("R99") && whys[0].0 == 3, "{whys:?}");
        assert!(whys[1].1.contains("not digits") && whys[1].0 == 5, "{whys:?}");
        assert_eq!((whys[2].0, whys[2].1, rows[2].2), (7, "", "returned"));
        assert!(whys[3].1.contains("the control of the batch says") && whys[3].0 == 9, "{whys:?}");
        assert!(whys[4].1.contains("the control of the file says") && whys[4].0 == 10, "{whys:?}");
        // A file that was cut off loses nothing of what arrived.
        let cut = file(&[("R03", &trace, cents, "")]);
        let cut: String = cut.lines().take(4).map(|line| format!("{line}\n")).collect();
        let report = take(&world, &cut).await;
        assert_eq!(report, Report { noted: 1, unknown: 1, ..Report::default() });
        // What is no file at all is refused, and so is an empty one.
        for none in ["", "\n \r\n", "<html>404</html>"] {
            let refused = bank_returns::process_bank_file(&world.app.store, none.as_bytes()).await;
            assert!(matches!(refused, Err(Error::Unreadable(_))), "{none:?}: {refused:?}");
        }
    });
}

#[test]
fn the_processors_file_without_entries_is_read() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let zero = format!(
            "101 091000019123456789260618{:4}A094101FIRST EXAMPLE BANK     STIPEND\n9{:054}\n",
            "0900", 0
        );
        assert_eq!(take(&world, &zero).await, Report::default());
        assert!(listed(&world).await.is_empty());
    });
}
