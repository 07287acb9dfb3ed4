//! What is prepared and looked at before a year is closed: returns to states with their days, what is looked at first, what tables lack, who
//! gets paper, and the file of what is corrected afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::Error;
use domain::datasets;
use domain::platform::confirmations;
use domain::returns::amended::{self, Amendment};
use domain::returns::calendar::{self, YearReturns};
use domain::returns::checklist::ChecklistState;
use domain::returns::closing::{self, Filing, Period};
use domain::returns::farm;
use domain::returns::figures;
use domain::returns::file::ClosedYear;
use domain::returns::forms::consents::{self, Said};
use domain::returns::known_years::KnownYear;
use domain::returns::of_states::StateReturnKind;
use jiff::civil::date;
use returns::AnnualLine;
use returns::reconcile::Verdict;
use returns::w2::MoneyBox;
use serde_json::json;

use super::year_end::skip_all;
use super::{company, enter, hours, paid_on};
use crate::submitter::submitter;
use crate::support::{Company, Engine, id_of, on_both_engines, text};

/// A company whose only payroll, of Ana in Oregon, was paid on 18 June: its id, and hers.
async fn paid_in_oregon(engine: Engine) -> (Company, String) {
    let (company, _, payroll) = company(engine).await;
    let oregon = id_of(&company.location("OR").await);
    let (ana, _) = company.onboarded("Ana", &oregon, ("20.00", "Hour", "Nonexempt")).await;
    company.answer_state("OR").await;
    enter(&company, &payroll, &ana, hours("80.25")).await.ok();
    company.calculate(&payroll).await;
    company.submit(&payroll).await;
    (company, ana)
}

async fn year(company: &Company) -> YearReturns {
    let id = company.id;
    company.world.app.store.read(move |tx| calendar::of_year(tx, id, 2026)).await.unwrap()
}

async fn until(company: &Company, moment: &str) {
    company.world.wait_until(moment.parse().unwrap()).await;
}

async fn confirm(company: &Company, key: &str, confirmed: bool) {
    let keys = vec![key.to_owned()];
    company
        .world
        .app
        .store
        .write(move |tx| confirmations::set_confirmed(tx, &keys, confirmed))
        .await
        .unwrap();
}

#[test]
fn returns_to_states_have_figures_and_days_and_a_day_from_memory_says_so_until_it_is_confirmed() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_oregon(engine).await;
        let found = year(&company).await;
        let of = |kind: StateReturnKind| found.of_states.iter().find(|one| one.kind == kind).unwrap().clone();
        for (kind, code) in [
            (StateReturnKind::WithheldIncomeTax, "OR_INCOME"),
            (StateReturnKind::UnemploymentWages, "OR_SUI"),
        ] {
            let (one, tax) = (of(kind), found.other_taxes.iter().find(|tax| tax.id.code == code).unwrap());
            assert_eq!((one.state.as_str(), one.quarter, one.due), ("OR", Some(2), date(2026, 7, 31)));
            assert_eq!((one.taxable, one.amount), (tax.taxable, tax.amount));
            assert!(one.taxable > 0);
        }
        let statements = of(StateReturnKind::WageStatements);
        assert_eq!((statements.form.as_str(), statements.due), ("W-2, OR-WR", date(2027, 2, 1)));
        assert_eq!(statements.taxable, of(StateReturnKind::WithheldIncomeTax).taxable);
        assert!(statements.without_file.unwrap().contains("transit tax"));
        let doubt = of(StateReturnKind::WithheldIncomeTax).doubt_text().unwrap();
        assert!(doubt.contains("stipend data confirm OR_WITHHOLDING_RETURN"), "{doubt}");
        let in_doubt = async || {
            let now = year(&company).await.of_states;
            now.iter().filter_map(|one| one.to_confirm.clone()).collect::<Vec<_>>()
        };
        assert_eq!(in_doubt().await, ["OR_WITHHOLDING_RETURN", "OR_WAGE_REPORT", "OR_W2_RETURN"]);
        confirm(&company, "OR_WITHHOLDING_RETURN", true).await;
        assert_eq!(in_doubt().await, ["OR_WAGE_REPORT", "OR_W2_RETURN"]);
        confirm(&company, "OR_WITHHOLDING_RETURN", false).await;
        assert_eq!(in_doubt().await.len(), 3);
        let keys = vec!["XX_WITHHOLDING_RETURN".to_owned()];
        let refused =
            company.world.app.store.write(move |tx| confirmations::set_confirmed(tx, &keys, true)).await;
        assert!(matches!(refused, Err(Error::Violations(_))), "{refused:?}");
    });
}

#[test]
fn what_an_accountant_looks_at_first_is_a_list_with_figures_that_says_what_is_missing() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_oregon(engine).await;
        until(&company, "2027-01-04T12:00:00Z").await;
        skip_all(&company).await;
        let states = async || -> BTreeMap<&str, ChecklistState> {
            year(&company).await.checks.into_iter().map(|one| (one.key, one.state)).collect()
        };
        let found = year(&company).await.checks;
        let keys: Vec<_> = found.iter().map(|one| one.key).collect();
        assert_eq!(
            keys,
            [
                "statements",
                "books",
                "bridge",
                "turn_of_the_year",
                "imputed_income",
                "plans",
                "tips_and_overtime",
                "states",
                "unemployment",
                "identities",
                "earlier_provider",
                "receipts"
            ]
        );
        assert!(found.iter().all(|one| !one.figures.is_empty() || one.key == "plans"), "{found:?}");
        let bridge = found.iter().find(|one| one.key == "bridge").unwrap();
        assert!(
            bridge.figures[0].contains("box 1 1605.00") && bridge.figures[0].contains("0.00 are left"),
            "{bridge:?}"
        );
        let first = states().await;
        for agrees in ["statements", "bridge", "turn_of_the_year", "states", "earlier_provider"] {
            assert_eq!(first[agrees], ChecklistState::Agrees, "{agrees}");
        }
        // The forms of the first quarters are late, and credit reductions are not announced.
        assert_eq!([first["receipts"], first["unemployment"]], [ChecklistState::Missing; 2]);
        assert_eq!(first["identities"], ChecklistState::Compare);
    });
}

#[test]
fn a_change_of_a_closed_quarter_that_nobody_has_settled_is_on_the_list() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = paid_in_oregon(engine).await;
        let office = id_of(&company.location("TX").await);
        let (max, _) = company.onboarded("Max", &office, ("20.00", "Hour", "Nonexempt")).await;
        let apart = paid_on(&company, &max, ("2026-06-01", "2026-06-14", "2026-06-19")).await;
        company.submit(&apart).await;
        until(&company, "2026-07-01T12:00:00Z").await;
        let (by, second) = (company.operator().await, returns::Quarter::new(2026, 2).unwrap());
        closing::close_period(&company.world.app.store, &by, Period::Quarter(second)).await.unwrap();
        let state = async || {
            let checks = year(&company).await.checks;
            checks.into_iter().find(|one| one.key == "turn_of_the_year").unwrap().state
        };
        assert_eq!(state().await, ChecklistState::Agrees);
        let all = "/v1/companies/{company}/payrolls?processing_statuses=processed&payroll_types=regular&start_date=2026-05-01&end_date=2026-09-30";
        let payroll = text(&company.get(all).await.list()[0], "payroll_uuid");
        let void = format!("/v1/companies/{{company}}/payrolls/{payroll}/employees/{ana}/void");
        company.put(void, json!({ "reason": "She had left before" })).await.ok();
        assert_eq!(state().await, ChecklistState::Missing);
    });
}

#[test]
fn figures_that_were_read_are_current_until_something_of_the_company_or_of_the_tables_changes() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = paid_in_oregon(engine).await;
        let (store, id) = (&company.world.app.store, company.id);
        let read = async || Arc::new(store.read(move |tx| KnownYear::read_year(tx, id, 2026)).await.unwrap());
        let is_current = async |known: &Arc<KnownYear>| {
            let known = Arc::clone(known);
            store.read(move |tx| known.is_current(tx, id)).await.unwrap()
        };
        let known = read().await;
        assert!(is_current(&known).await);
        let person = format!("/v1/employees/{ana}");
        let version = text(&company.get(&person).await.ok(), "version");
        company.put(&person, json!({ "version": version, "first_name": "Anna" })).await.ok();
        assert!(!is_current(&known).await, "a name is in what prevents a close");

        let known = read().await;
        assert!(is_current(&known).await);
        let apart = paid_on(&company, &ana, ("2026-06-01", "2026-06-14", "2026-06-19")).await;
        company.submit(&apart).await;
        assert!(!is_current(&known).await, "a payroll was processed");

        let known = read().await;
        until(&company, "2026-11-02T12:00:00Z").await;
        assert!(!is_current(&known).await, "from November on it is looked at what is missing");
    });
}

#[test]
fn the_year_of_farmworkers_is_shown_as_form_943() {
    on_both_engines(async |engine: Engine| {
        let (company, _) = paid_in_oregon(engine).await;
        let (store, id) = (&company.world.app.store, company.id);
        let form = store.read(move |tx| farm::of_year(tx, id, 2026)).await.unwrap();
        // One paycheck of 1,605.00: 12.4 and 2.9 percent.
        let of = |line| form.amount(line);
        assert_eq!(
            (of(AnnualLine::SocialSecurityWages), of(AnnualLine::SocialSecurityTax)),
            (160_500, 19_902)
        );
        assert_eq!((of(AnnualLine::MedicareWages), of(AnnualLine::MedicareTax)), (160_500, 4_655));
        assert_eq!(form.days.iter().map(|day| day.cents).sum::<i64>(), of(AnnualLine::Total));
        assert_eq!(form.employees, 0, "nobody was paid for 12 March");
        let total = returns::format_dollars(of(AnnualLine::Total));
        let document = store.read(move |tx| farm::document(tx, id, &form)).await.unwrap();
        let lines: Vec<_> = document.sections.iter().flat_map(|section| &section.lines).collect();
        assert!(lines.iter().any(|line| line.label.starts_with("13  ") && line.value == total), "{lines:?}");
        assert!(domain::people::forms::pdf::render_pdf(&document).starts_with(b"%PDF"));
        let refused = store.read(move |tx| farm::of_year(tx, id, 1999)).await;
        assert!(matches!(refused, Err(Error::Violations(_))), "{refused:?}");
    });
}

#[test]
fn from_november_on_the_status_of_the_data_names_what_the_file_of_the_year_lacks() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.begins = "2026-10-30T12:00:00Z").await;
        let lacks = async || datasets::dataset_status(&world.app.store).await.unwrap().missing_of_file;
        assert!(lacks().await.is_empty());
        world.wait_until("2026-11-02T12:00:00Z".parse().unwrap()).await;
        let told = lacks().await;
        assert!(
            told.iter().any(|one| one.contains("2026, code_TP") && one.contains("returns positions")),
            "{told:?}"
        );
        // A year without a layout says so.
        world.wait_until("2027-11-02T12:00:00Z".parse().unwrap()).await;
        let told = lacks().await;
        assert!(told.len() == 1 && told[0].contains("2027"), "{told:?}");
    });
}

#[test]
fn whoever_has_left_cannot_open_the_page_and_gets_paper_in_spite_of_the_consent() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = paid_in_oregon(engine).await;
        until(&company, "2027-01-04T12:00:00Z").await;
        skip_all(&company).await;
        let store = &company.world.app.store;
        closing::close_period(store, &company.operator().await, Period::Statements(2026)).await.unwrap();
        let on_paper =
            async || year(&company).await.returns.into_iter().map(|one| one.on_paper.len()).sum::<usize>();
        assert_eq!(on_paper().await, 1);
        let (by, who) = (company.operator().await, ana.parse().unwrap());
        store.write(move |tx| consents::record_consent(tx, &by, who, Said::Given)).await.unwrap();
        assert_eq!(on_paper().await, 0);
        let leaves = json!({ "effective_date": "2027-01-06" });
        company.post(format!("/v1/employees/{ana}/terminations"), leaves).await.created();
        assert_eq!(on_paper().await, 0, "the employment goes on until then");
        until(&company, "2027-01-07T12:00:00Z").await;
        assert_eq!(on_paper().await, 1);
    });
}

#[test]
fn the_file_of_what_is_corrected_is_written_once_its_positions_are_confirmed_for_the_year() {
    on_both_engines(async |engine: Engine| {
        let (company, ana) = paid_in_oregon(engine).await;
        until(&company, "2027-01-04T12:00:00Z").await;
        skip_all(&company).await;
        let (store, id) = (&company.world.app.store, company.id);
        let refused = async || match ClosedYear::find_corrections(store, id, 2026).await.map(|_| ()) {
            Err(Error::Violations(wrong)) => wrong.into_iter().map(|one| one.message).collect::<String>(),
            other => panic!("{other:?}"),
        };
        let w3 =
            closing::close_period(store, &company.operator().await, Period::Statements(2026)).await.unwrap();
        assert!(refused().await.contains("no Forms W-2c of 2026"));
        let (by, filing) = (
            company.operator().await,
            Filing { on: date(2027, 1, 4), receipt: "confirmation 4711".to_owned() },
        );
        store.write(move |tx| closing::record_filing(tx, &by, w3.id, &filing)).await.unwrap();
        let path = format!("/v1/employees/{ana}");
        let version = text(&company.get(&path).await.ok(), "version");
        company.put(&path, json!({ "version": version, "last_name": "Okafor" })).await.ok();
        amended::close_amended_return(store, &company.operator().await, Amendment::Statements(2026))
            .await
            .unwrap();

        let why = refused().await;
        assert!(why.contains("read for 2023 and not for 2026") && why.contains("EFW2C_2026"), "{why}");
        confirm(&company, "EFW2C_2026", true).await;
        let year = ClosedYear::find_corrections(store, id, 2026).await.unwrap();
        let (bytes, written) = year.write_corrections(store, &submitter(), Vec::new()).await.unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let records: Vec<&str> = text.split_terminator("\r\n").collect();
        let names: Vec<&str> = records.iter().map(|record| &record[..3]).collect();
        assert_eq!((names, written.employees), (vec!["RCA", "RCE", "RCW", "RCT", "RCF"], 1));
        assert_eq!((records[2][51..71].trim(), records[2][101..121].trim()), ("SILVA", "OKAFOR"));
        assert_eq!(records[2][243..1_002].trim(), "", "no amount is corrected");
        year.record_file_written(store, &written, false).await.unwrap();
        let year = ClosedYear::find_corrections(store, id, 2026).await.unwrap();
        assert!(year.refuse_second(false).is_err());
        let (again, same) = year.write_corrections(store, &submitter(), Vec::new()).await.unwrap();
        assert_eq!((again, same), (bytes, written));
    });
}

/// Ana's payroll of March with another provider, finished: 3,000.00 of wages and 200.00 of tips, with the wages of each tax if they are told.
async fn paid_elsewhere(company: &Company, ana: &str, tells_wages: bool) {
    let days = json!({ "check_date": "2026-03-31", "payment_period_start_date": "2026-03-01",
                       "payment_period_end_date": "2026-03-31" });
    let made = company.post("/v1/companies/{company}/external_payrolls", days).await.ok();
    let tax = |name: &str, employer: bool, amount: &str, wages: &str| {
        let all = made["applicable_taxes"].as_array().unwrap();
        let found = all.iter().find(|one| one["name"] == name && one["employer_tax"] == employer);
        let id = &found.unwrap_or_else(|| panic!("no {name} in {all:?}"))["id"];
        match tells_wages {
            true => json!({ "tax_id": id, "amount": amount, "taxable_wages": wages }),
            false => json!({ "tax_id": id, "amount": amount }),
        }
    };
    let taxes = json!([
        tax("Federal Income Tax", false, "240.00", "3200.00"),
        tax("Social Security", false, "198.40", "3200.00"),
        tax("Social Security", true, "198.40", "3200.00"),
        tax("Medicare", false, "46.40", "3200.00"),
        tax("Medicare", true, "46.40", "3200.00"),
        tax("FUTA", true, "19.20", "3200.00"),
        tax("TX SUI", true, "86.40", "3200.00"),
    ]);
    let paid = json!({ "external_payroll_items": [{ "employee_uuid": ana, "taxes": taxes, "earnings": [
        { "earning_id": 1, "amount": "3000.00", "hours": "160" }, { "earning_id": 7, "amount": "200.00" }] }] });
    let one = format!("/v1/companies/{{company}}/external_payrolls/{}", id_of(&made));
    let told = company.put(&one, paid).await.ok();
    let shown = &told["external_payroll_items"][0]["taxes"][0]["taxable_wages"];
    assert_eq!(*shown, if tells_wages { json!("3200.00") } else { serde_json::Value::Null });
    let finish = "/v1/companies/{company}/external_payrolls/tax_liabilities/finish";
    company.put(finish, json!({})).await.is(202);
    company.world.wait(jiff::Span::new().minutes(1)).await;
}

#[test]
fn whoever_came_in_the_middle_of_a_year_gets_a_form_w_2_if_the_other_provider_told_the_wages() {
    on_both_engines(async |engine: Engine| {
        for tells_wages in [true, false] {
            let (company, location, payroll) = company(engine).await;
            let (ana, _) = company.onboarded("Ana", &location, ("20.00", "Hour", "Nonexempt")).await;
            company.answer_state("TX").await;
            paid_elsewhere(&company, &ana, tells_wages).await;
            enter(&company, &payroll, &ana, hours("80.25")).await.ok();
            company.calculate(&payroll).await;
            company.submit(&payroll).await;
            until(&company, "2027-01-04T12:00:00Z").await;
            skip_all(&company).await;
            let store = &company.world.app.store;
            let state = async |key: &str| {
                year(&company).await.checks.into_iter().find(|one| one.key == key).unwrap().state
            };
            let first = Period::Quarter(returns::Quarter::new(2026, 1).unwrap());
            let by = company.operator().await;
            if !tells_wages {
                assert_eq!(state("earlier_provider").await, ChecklistState::Missing);
                for period in [first, Period::Statements(2026)] {
                    let refused = closing::close_period(store, &by, period).await;
                    let Err(Error::Violations(wrong)) = refused else { panic!("{period:?} is incomplete") };
                    assert!(wrong.iter().any(|one| one.message.contains("Ana Silva")), "{wrong:?}");
                }
                continue;
            }
            assert_eq!(state("earlier_provider").await, ChecklistState::Agrees);
            let closed = closing::close_period(store, &by, first).await.unwrap();
            let id = company.id;
            let content = store.read(move |tx| closed.read_content(tx, id)).await.unwrap();
            let lines: Vec<_> = content.parts().into_iter().flat_map(|part| part.lines).collect();
            let of =
                |number: &str| lines.iter().find(|line| line.number == number).unwrap().value.shown_text();
            for (number, amount) in [
                ("2", "3200.00"),
                ("3", "240.00"),
                ("5a1", "3000.00"),
                ("5b1", "200.00"),
                ("5c1", "3200.00"),
                ("12", "729.60"),
            ] {
                assert_eq!(of(number), amount, "line {number}");
            }
            closing::close_period(store, &by, Period::Statements(2026)).await.unwrap();
            let year = store.read(move |tx| figures::of_year(tx, id, 2026)).await.unwrap();
            // 3,200.00 from the other provider, and 1,605.00 from here.
            assert_eq!(year.w3.amount(MoneyBox::Wages), 480_500);
            assert_eq!((year.w3.amount(MoneyBox::SocialSecurityTips), year.w3.code("TP")), (20_000, 20_000));
            assert!(year.comparisons.iter().all(|one| !matches!(one.verdict, Verdict::Blocker(_))));
            let futa = year.form_940.unwrap();
            assert_eq!(
                futa.states.iter().map(|one| (one.state.as_str(), one.wages)).collect::<Vec<_>>(),
                [("TX", 480_500)]
            );
        }
    });
}
