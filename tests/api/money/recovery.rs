//! Debits of companies that came back: what is blocked and held until they are recovered, and how they are.

use domain::Error;
use domain::access::tokens::Caller;
use domain::money::funding::Mode;
use domain::money::ledger::rows::HeldBy;
use domain::money::returns::recovery::{self, Close};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::returns::{sent, take};
use super::{LIST, employer, files_in, fund, held, one_paid, paid, run, told, transactions};
use crate::sent_back::file;
use crate::support::{Company, Engine, NOBODY, World, on_both_engines, text};

const CASES: &str = "/v1/companies/{company}/recovery_cases";
const WIRES: &str = "/v1/companies/{company}/wire_in_requests";
const NOTICES: &str = "/v1/companies/{company}/notifications";
const BLOCKERS: &str = "/v1/companies/{company}/payrolls/blockers";
const ACCOUNT: &str = "90126600418";

/// A company whose debit came back.
struct Failed {
    world: World,
    folder: TempDir,
    company: Company,
    payroll: String,
    /// trace and cents of the debit
    debit: (String, u64),
}

impl Failed {
    async fn with(engine: Engine, code: &str) -> Self {
        Self::funded(engine, code, Mode::None).await
    }

    async fn funded(engine: Engine, code: &str, mode: Mode) -> Self {
        let (world, folder, company, payroll) = one_paid(engine, |_| {}, ACCOUNT).await;
        fund(&company, mode, 2).await;
        run(&company, &payroll).await;
        let debit = sent(folder.path(), ACCOUNT);
        let failed = Self { world, folder, company, payroll, debit };
        failed.returned(code, &failed.debit.0).await;
        failed
    }

    async fn returned(&self, code: &str, trace: &str) {
        assert_eq!(take(&self.world, &file(&[(code, trace, self.debit.1, "")])).await.returned, 1);
    }

    async fn case(&self) -> Value {
        let list = self.company.get(CASES).await.list();
        assert_eq!(list.len(), 1);
        list[0].clone()
    }

    async fn status(&self) -> String {
        text(&self.case().await, "status")
    }

    async fn redebit(&self) -> String {
        format!("/v1/recovery_cases/{}/redebit", text(&self.case().await, "uuid"))
    }

    /// The debit that was sent last, once the next file was made.
    async fn next_debit(&self) -> ach::read::ReadEntry {
        self.world.wait(jiff::Span::new().minutes(5)).await;
        let files = files_in(self.folder.path());
        ach::read::read_entries(&files.last().unwrap().1).unwrap().remove(0)
    }

    async fn is_blocked(&self) -> bool {
        let blockers = self.company.get(BLOCKERS).await.list();
        blockers.iter().any(|one| one["key"] == "pending_recovery_case")
    }

    /// How often it was told that a case is made, and that it is closed.
    async fn told(&self) -> [usize; 2] {
        let case = text(&self.case().await, "uuid");
        let of = async |what| told(&self.company, &format!("notification.recovery_case.{what}"), &case).await;
        [of("created").await, of("resolved").await]
    }

    async fn close(&self, how: Close) -> Result<(), Error> {
        let (company, case) = (self.company.id, text(&self.case().await, "uuid").parse().unwrap());
        let caller = Caller::for_operator(company, TimeZone::UTC);
        self.world.app.store.write(move |tx| recovery::close_case(tx, &caller, case, how)).await
    }

    /// The statuses of the wires that are asked for.
    async fn wires(&self) -> Vec<String> {
        self.company.get(WIRES).await.list().iter().map(|one| text(one, "status")).collect()
    }
}

fn cents(amount: &str) -> u64 {
    amount.replace('.', "").parse().unwrap()
}

#[test]
fn a_debit_that_came_back_is_presented_again_and_recovered_once_it_can_come_back_no_more() {
    on_both_engines(async |engine: Engine| {
        let failed = Failed::with(engine, "R01").await;
        let company = &failed.company;
        let case = failed.case().await;
        assert_eq!((text(&case, "status"), text(&case, "latest_error_code")), ("open".into(), "R01".into()));
        assert_eq!(
            (text(&case, "check_date"), text(&case, "payroll_uuid")),
            ("2026-06-18".into(), failed.payroll.clone())
        );
        assert_eq!(text(&case, "original_debit_date"), "2026-06-17");
        assert_eq!(cents(&text(&case, "amount_outstanding")), failed.debit.1);
        assert_eq!(case["event_total_amount"], case["amount_outstanding"]);
        assert!(failed.is_blocked().await);
        let notice = company.get(NOTICES).await.list().remove(0);
        assert_eq!(
            (text(&notice, "category"), &notice["can_block_payroll"]),
            ("recovery_case".into(), &json!(true))
        );
        assert_eq!(
            notice["resources"][0],
            json!({ "entity_type": "RecoveryCase", "entity_uuid": case["uuid"] })
        );
        assert_eq!(company.get(format!("/v1/notifications/{}", text(&case, "uuid"))).await.ok(), notice);
        assert_eq!((failed.told().await, failed.wires().await), ([1, 0], vec!["awaiting_funds".to_owned()]));

        let path = failed.redebit().await;
        failed.world.company().await.put(&path, json!({})).await.is(404);
        company.put(&path, json!({})).await.is(202);
        assert_eq!(
            (failed.status().await, failed.wires().await),
            ("redebit_initiated".into(), vec!["canceled".to_owned()])
        );
        let again = company.put(&path, json!({})).await.refused(422);
        assert_eq!(again.fault(), ("base", "invalid_operation"));
        let entry = failed.next_debit().await;
        assert_eq!((entry.code, entry.account.as_str(), entry.cents), (27, ACCOUNT, failed.debit.1));
        assert!(
            files_in(failed.folder.path())[1].1.contains("CCDRETRY PYMT"),
            "the words that the rules ask for"
        );
        let types = transactions(company, "?payment_direction=debit").await;
        assert_eq!(
            types.iter().map(|one| [one[0].as_str(), one[2].as_str()]).collect::<Vec<_>>(),
            [["Debit employer", "failed"], ["Debit employer again", "submitted"]]
        );

        // It settles on Wednesday 17 June. Juneteenth is no banking day, so that it comes back until Monday.
        failed.world.wait_until("2026-06-23T06:59:00Z".parse().unwrap()).await;
        assert_eq!((failed.status().await, failed.is_blocked().await), ("redebit_initiated".into(), true));
        failed.world.wait_until("2026-06-23T07:01:00Z".parse().unwrap()).await;
        let case = failed.case().await;
        assert_eq!(
            (text(&case, "status"), text(&case, "amount_outstanding")),
            ("recovered".into(), "0.00".into())
        );
        assert!(
            !failed.is_blocked().await
                && company.get(NOTICES).await.list().iter().all(|one| one["category"] != "recovery_case")
        );
        assert_eq!(
            company.get(format!("/v1/notifications/{}", text(&case, "uuid"))).await.refused(422).fault(),
            ("base", "invalid_operation")
        );
        assert_eq!(failed.told().await, [1, 1]);
    });
}

#[test]
fn a_debit_is_presented_again_twice_and_then_a_wire_has_to_come() {
    on_both_engines(async |engine: Engine| {
        let failed = Failed::with(engine, "R09").await;
        for code in ["R01", "R09"] {
            failed.company.put(failed.redebit().await, json!({})).await.is(202);
            let entry = failed.next_debit().await;
            failed.returned(code, &entry.trace).await;
            let case = failed.case().await;
            assert_eq!(
                (text(&case, "status"), text(&case, "latest_error_code")),
                ("open".into(), code.into())
            );
            assert_eq!(cents(&text(&case, "amount_outstanding")), failed.debit.1);
        }
        let third = failed.company.put(failed.redebit().await, json!({})).await.refused(422);
        assert!(third.message().contains("at most 2 times"), "{}", third.message());
        // What was scheduled for the debits that came back recovers nothing.
        failed.world.wait(jiff::Span::new().hours(240)).await;
        assert_eq!((failed.status().await, failed.told().await), ("open".into(), [3, 0]));
        let wires = failed.company.get(WIRES).await.list();
        assert_eq!(failed.wires().await, ["canceled", "canceled", "awaiting_funds"]);
        assert_eq!(wires[2]["requested_amount"], failed.case().await["amount_outstanding"]);

        let wire = format!("/v1/wire_in_requests/{}", text(&wires[2], "uuid"));
        failed.company.put(&wire, super::wires::sent()).await.ok();
        assert_eq!(failed.status().await, "wire_initiated");
        failed.company.put(failed.redebit().await, json!({})).await.refused(422);
        super::wires::arrived(&failed.company, &wires[2]).await;
        assert_eq!((failed.status().await, failed.is_blocked().await), ("recovered".into(), false));
        assert_eq!(failed.told().await, [3, 1]);
    });
}

#[test]
fn only_insufficient_and_uncollected_funds_are_tried_again_within_180_days_from_the_same_account() {
    on_both_engines(async |engine: Engine| {
        let closed = Failed::with(engine, "R02").await;
        let refused = closed.company.put(closed.redebit().await, json!({})).await.refused(422);
        assert!(refused.message().contains("only after R01 and R09"), "{}", refused.message());
        closed.company.put(format!("/v1/recovery_cases/{NOBODY}/redebit"), json!({})).await.is(404);

        let moved = Failed::with(engine, "R01").await;
        moved.company.bank_account("90126600777").await;
        let refused = moved.company.put(moved.redebit().await, json!({})).await.refused(422);
        assert!(refused.message().contains("now pays from another account"), "{}", refused.message());

        // Debited on 17 June: what settles after 14 December is too late.
        let late = Failed::with(engine, "R01").await;
        late.world.wait_until("2026-12-14T20:00:00Z".parse().unwrap()).await;
        let refused = late.company.put(late.redebit().await, json!({})).await.refused(422);
        assert!(refused.message().contains("until 2026-12-14"), "{}", refused.message());
    });
}

#[test]
fn credits_that_wait_for_the_debit_go_out_once_it_is_recovered() {
    on_both_engines(async |engine: Engine| {
        let failed = Failed::funded(engine, "R01", Mode::Debit).await;
        let company = &failed.company;
        failed.world.wait_until("2026-06-23T20:00:00Z".parse().unwrap()).await;
        assert_eq!(held(&failed.world).await, [HeldBy::NotRecovered.reason_text()]);
        assert_eq!(files_in(failed.folder.path()).len(), 1, "nobody is paid");
        company.put(failed.redebit().await, json!({})).await.is(202);
        failed.next_debit().await;
        super::retry(&failed.world).await;
        assert_eq!(
            held(&failed.world).await,
            [HeldBy::NotRecovered.reason_text()],
            "a retry changes nothing of it"
        );
        failed.world.wait(jiff::Span::new().hours(24 * 7)).await;
        assert_eq!(failed.status().await, "recovered");
        let files = files_in(failed.folder.path());
        assert_eq!(files.len(), 3);
        let credit = ach::read::read_entries(&files[2].1).unwrap();
        assert_eq!(credit.iter().map(|entry| entry.code).collect::<Vec<_>>(), [22]);
        assert_eq!(told(company, "payroll.paid", &failed.payroll).await, 1);
    });
}

#[test]
fn a_company_is_blocked_until_the_operator_closes_the_case_or_has_it_wire_ahead() {
    on_both_engines(async |engine: Engine| {
        let failed = Failed::with(engine, "R03").await;
        let company = &failed.company;
        let next = text(
            &company.get("/v1/companies/{company}/payrolls?processing_statuses=unprocessed").await.list()[0],
            "payroll_uuid",
        );
        let calculate = format!("/v1/companies/{{company}}/payrolls/{next}/calculate");
        let blocked = company.put(&calculate, json!({})).await.refused(422);
        assert_eq!(blocked.only()["metadata"]["key"], "pending_recovery_case");
        failed.close(Close::Lost).await.unwrap();
        assert_eq!((failed.status().await, failed.is_blocked().await), ("lost".into(), true));
        assert_eq!((failed.wires().await, failed.told().await), (vec!["canceled".to_owned()], [1, 1]));
        fund(company, Mode::Wire, 0).await;
        assert!(!failed.is_blocked().await, "what it owes for the next payroll is there before");
        company.put(&calculate, json!({})).await.is(202);
        fund(company, Mode::None, 0).await;
        failed.close(Close::Recovered).await.unwrap();
        assert_eq!((failed.status().await, failed.is_blocked().await), ("recovered".into(), false));
        assert!(matches!(failed.close(Close::Lost).await, Err(Error::Violations(_))));
        // Nothing of it is told twice, and it is paid as any other company.
        assert!(company.get(format!("{LIST}?payment_direction=debit")).await.list().len() == 1);
    });
}

#[test]
fn a_debit_of_the_operators_own_account_opens_no_case() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = super::offset_bank(&world, "7001002003").await;
        let (company, location, payroll) = employer(&world, ACCOUNT).await;
        paid(&company, &location, "Ana", "1111222233").await;
        run(&company, &payroll).await;
        let (trace, cents) = sent(folder.path(), "7001002003");
        assert_eq!(take(&world, &file(&[("R01", &trace, cents, "")])).await.returned, 1);
        assert!(company.get(CASES).await.list().is_empty());
    });
}
