//! Files for states: Forms W-2 of a closed year, and wages of a quarter; and deposits that the service did not make.

use domain::Error;
use domain::platform::confirmations;
use domain::returns::closing::{self, Period};
use domain::returns::figures;
use domain::returns::file::ClosedYear;
use domain::returns::outside_deposits::{self, NewDeposit};
use domain::returns::wage_file;
use domain::returns::wages::WageFileRequest;
use jiff::civil::date;
use returns::Quarter;
use returns::form_941::Line941;
use rules::Amount;
use rules::deposits::Form;
use sha2::{Digest as _, Sha256};

use super::year_end::skip_all;
use super::{company, enter, hours};
use crate::submitter::submitter;
use crate::support::{Company, Engine, id_of, on_both_engines};

/// A company that paid Ana 1,605.00 for work in a state on 18 June.
async fn paid_in(engine: Engine, state: &str) -> Company {
    let (company, _, payroll) = company(engine).await;
    let office = id_of(&company.location(state).await);
    let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
    company.answer_state(state).await;
    enter(&company, &payroll, &ana, hours("80.25")).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    company
}

async fn confirm(company: &Company, key: &str) {
    let keys = vec![key.to_owned()];
    company.world.app.store.write(move |tx| confirmations::set_confirmed(tx, &keys, true)).await.unwrap();
}

/// The reasons of a refusal.
fn reasons<T>(refused: Result<T, Error>) -> String {
    match refused {
        Err(Error::Violations(wrong)) => {
            wrong.into_iter().map(|one| one.message).collect::<Vec<_>>().join("\n")
        }
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was not refused"),
    }
}

#[test]
fn forms_w_2_go_to_a_state_in_the_file_that_it_takes_once_a_row_in_doubt_is_confirmed() {
    on_both_engines(async |engine: Engine| {
        let company = paid_in(engine, "CT").await;
        company.world.wait_until("2027-01-04T12:00:00Z".parse().unwrap()).await;
        skip_all(&company).await;
        let store = &company.world.app.store;
        closing::close_period(store, &company.operator().await, Period::Statements(2026)).await.unwrap();
        let closed = ClosedYear::find_closed_year(store, company.id, 2026).await.unwrap();
        let for_state =
            async |state: &str| closed.write_for_state(store, state, &submitter(), Vec::new()).await;
        for (state, why) in [
            ("ZZ", "state must be one that takes Forms W-2: AL, "),
            ("IN", "the county of each employee"),
            ("AZ", "Nobody has wages of AZ on a Form W-2 of 2026."),
            ("CT", "stipend data confirm CT_W2_RETURN"),
        ] {
            let refused = reasons(for_state(state).await);
            assert!(refused.contains(why), "{state}: {refused}");
        }
        confirm(&company, "CT_W2_RETURN").await;
        let (bytes, written) = for_state("CT").await.unwrap();
        assert_eq!((written.employees, written.bytes), (1, bytes.len() as u64));
        assert_eq!(written.digest, Sha256::digest(&bytes).to_vec());
        let text = String::from_utf8(bytes.clone()).unwrap();
        let records: Vec<&str> = text.split_terminator("\r\n").collect();
        let names: Vec<&str> = records.iter().map(|record| &record[..2]).collect();
        assert_eq!(names, ["RA", "RE", "RS", "RT", "RF"], "Connecticut reads no record RW");
        // Wages of the state stand in record RS, and their sum in the state's own record RT.
        assert_eq!(&records[2][275..286], "00000160500");
        assert_eq!(&records[3][2..24], "0000001000000000160500");
        assert_eq!(records[3][39..].trim(), "");
        assert_eq!(&records[4][2..27], "0000000010000000000160500");
        closed.note_for_state(store, "CT", &written).await.unwrap();
        // It is made of the closed forms, so that the bytes stay the same.
        assert_eq!(for_state("CT").await.unwrap().0, bytes);
    });
}

#[test]
fn a_file_for_a_state_is_refused_without_the_account_of_the_company_and_names_the_employee() {
    on_both_engines(async |engine: Engine| {
        let (company, _, payroll) = company(engine).await;
        let office = id_of(&company.location("AZ").await);
        let (ana, _) = company.onboarded("Ana", &office, ("20.00", "Hour", "Nonexempt")).await;
        enter(&company, &payroll, &ana, hours("80.25")).await.ok();
        company.calculate(&payroll).await;
        company.submit(&payroll).await;
        company.world.wait_until("2027-01-04T12:00:00Z".parse().unwrap()).await;
        skip_all(&company).await;
        let store = &company.world.app.store;
        closing::close_period(store, &company.operator().await, Period::Statements(2026)).await.unwrap();
        let closed = ClosedYear::find_closed_year(store, company.id, 2026).await.unwrap();
        let refused = reasons(closed.write_for_state(store, "AZ", &submitter(), Vec::new()).await);
        assert!(
            refused.contains("Ana") && refused.contains("state_employer_account is missing"),
            "{refused}"
        );
    });
}

#[test]
fn wages_of_a_quarter_go_to_a_state_in_its_own_format_once_it_is_confirmed() {
    on_both_engines(async |engine: Engine| {
        let company = paid_in(engine, "WV").await;
        let store = &company.world.app.store;
        let of = |state: &str| WageFileRequest {
            state: state.to_owned(),
            quarter: Quarter::new(2026, 2).unwrap(),
        };
        let write = async |state: &str| {
            let wanted = of(state);
            wage_file::write_wage_file(store, company.id, (&wanted, &submitter()), Vec::new()).await
        };
        for (state, why) in [
            ("PA", "the number of weeks in which 100 dollars or more were earned is not kept"),
            ("OR", "must be one whose format of wage files was read: DC, MD, NY, TN, WA, WV"),
            ("WV", "stipend data confirm WV_WAGE_FILE"),
            // Its report is to be checked before use, whatever the format.
            ("GA", "stipend data confirm GA_WAGE_REPORT"),
        ] {
            let refused = reasons(write(state).await.map(|_| ()));
            assert!(refused.contains(why), "{state}: {refused}");
        }
        confirm(&company, "WV_WAGE_FILE").await;
        let written = write("WV").await.unwrap();
        assert_eq!((written.sums.people, written.sums.wages.total), (1, 160_500));
        let text = String::from_utf8(written.out).unwrap();
        let records: Vec<&str> = text.split_terminator("\r\n").collect();
        let names: Vec<&str> = records.iter().map(|record| &record[..1]).collect();
        assert_eq!(names, ["A", "E", "S", "T", "F"]);
        assert_eq!(records[1][172..187].trim(), "12-345678-9", "the account of the company");
        assert_eq!(&records[2][49..63], "00000000160500");
        assert_eq!(&records[3][26..40], "00000000160500");
    });
}

#[test]
fn deposits_that_others_made_count_for_the_return_of_their_period() {
    on_both_engines(async |engine: Engine| {
        let company = paid_in(engine, "TX").await;
        let (store, id) = (&company.world.app.store, company.id);
        let deposited = async || {
            let found = store.read(move |tx| figures::of_year(tx, id, 2026)).await.unwrap();
            let line = |number| found.find_quarter(number).unwrap().form.amount(Line941::Deposits);
            [line(1), line(2)]
        };
        let before = deposited().await;
        let told = NewDeposit {
            form: Form::F941,
            year: 2026,
            quarter: Some(1),
            amount: Amount::parse("1234.56").unwrap(),
            paid_on: date(2026, 2, 15),
            receipt: "EFT 4711".to_owned(),
        };
        let (by, one) = (company.operator().await, told.clone());
        let made = store.write(move |tx| outside_deposits::add_outside_deposit(tx, &by, &one)).await.unwrap();
        assert_eq!((made.cents, made.period_end), (123_456, date(2026, 3, 31)));
        assert_eq!(deposited().await, [before[0] + 123_456, before[1]]);

        let wrong = NewDeposit {
            quarter: None,
            amount: Amount::parse("0.001").unwrap(),
            paid_on: date(2031, 1, 1),
            receipt: " ".to_owned(),
            ..told
        };
        let by = company.operator().await;
        let refused =
            reasons(store.write(move |tx| outside_deposits::add_outside_deposit(tx, &by, &wrong)).await);
        for part in
            ["amount must be", "paid_on must not be after today", "receipt must have", "quarter must be"]
        {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        let by = company.operator().await;
        store.write(move |tx| outside_deposits::remove_outside_deposit(tx, &by, made.id)).await.unwrap();
        assert_eq!(deposited().await, before);
        let by = company.operator().await;
        let again = store.write(move |tx| outside_deposits::remove_outside_deposit(tx, &by, made.id)).await;
        assert!(matches!(again, Err(Error::NotFound)), "{again:?}");
    });
}

#[test]
fn a_year_whose_only_paycheck_is_voided_after_the_close_still_has_its_list() {
    on_both_engines(async |engine: Engine| {
        let company = paid_in(engine, "TX").await;
        company.world.wait_until("2026-07-01T12:00:00Z".parse().unwrap()).await;
        let (store, id) = (&company.world.app.store, company.id);
        let second = Period::Quarter(Quarter::new(2026, 2).unwrap());
        closing::close_period(store, &company.operator().await, second).await.unwrap();
        let checks = async || {
            let year = store.read(move |tx| domain::returns::calendar::of_year(tx, id, 2026)).await.unwrap();
            year.checks
                .into_iter()
                .map(|one| (one.key, one.state))
                .collect::<std::collections::BTreeMap<_, _>>()
        };
        let before = checks().await;
        super::year_end::void_only_paycheck(&company).await;
        let after = checks().await;
        assert_eq!(after.len(), before.len());
        let state = domain::returns::checklist::ChecklistState::Missing;
        assert_eq!(after["turn_of_the_year"], state, "the change of the closed quarter is not settled");
    });
}
