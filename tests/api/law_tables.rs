//! Tables of law beside those of paychecks, imported by year: due dates, codes, reports, layouts; and the names of imports.

use std::collections::BTreeMap;

use domain::platform::confirmations;
use domain::platform::law::{self, Tables};
use domain::returns::positions;
use domain::{Error, datasets};
use jiff::civil::{Date, date};
use returns::Quarter;
use returns::deadlines::{Deadlines, Return};
use returns::efw2::Layouts;
use returns::state_wages::StateReports;
use returns::state_withholding::WithholdingReturns;
use rules::dated::{Dated, Undated};
use rules::deposits::Form;
use rules::deposits::types::DepositTypes;
use rules::new_hire_file::NewHireFileTable;
use store::Tx;

use crate::support::{Company, Engine, on_both_engines};

/// Imports a file, which may be named by a day.
async fn import(company: &Company, kind: &str, text: &str, day: Option<&str>) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file.csv");
    std::fs::write(&file, text).unwrap();
    let done = datasets::import_file(&company.world.app.store, kind, &file, day, false, &|_, _| ()).await;
    done.map(|done| done.to_text().lines().next().unwrap_or_default().to_owned())
}

/// Rows under the header of a built-in table, which may take the column of days.
fn with_header(built_in: &str, column: &str, rows: &str) -> String {
    format!("{}{column}\n{rows}\n", built_in.lines().next().unwrap())
}

async fn read<T: Send + 'static>(
    company: &Company,
    read: impl Fn(&mut Tx<'_>) -> Result<T, Error> + Send + Sync + 'static,
) -> T {
    company.world.app.store.read(read).await.unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn due_dates_and_reports_of_a_new_year_are_imported_and_the_old_ones_stay() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let later = with_header(
            Deadlines::FILE,
            ",effective_from",
            "941,quarter,1,15,no,secondary,a rule,2027-01-01",
        );
        import(&company, "return-deadlines", &later, None).await.unwrap();
        let due = read(&company, |tx| {
            let table = law::in_force::<Dated<Deadlines>>(tx)?;
            let of = |year, number| {
                let quarter = Quarter::new(year, number).unwrap();
                table
                    .edition_on(quarter.last_day())
                    .return_deadline(Return::F941, quarter, false)
                    .unwrap()
                    .due
            };
            Ok([of(2026, 4), of(2027, 1)])
        });
        assert_eq!(due.await, [date(2027, 2, 1), date(2027, 4, 15)]);
        let wrong = with_header(Deadlines::FILE, "", "941,quarter,1,32,no,secondary,a rule");
        let why = import(&company, "return-deadlines", &wrong, None).await.unwrap_err();
        assert!(why.contains("941: day must be from 1 to 31"), "{why}");

        let texas =
            with_header(StateReports::FILE, ",effective_from", "TX,C-9,15,CSV,,secondary,a rule,2027-01-01");
        import(&company, "state-wage-reports", &texas, None).await.unwrap();
        let forms = read(&company, |tx| {
            let table = law::in_force::<Dated<StateReports>>(tx)?;
            let form = |day: Date| table.edition_on(day).report_of_state("TX").unwrap().form.clone();
            Ok([form(date(2026, 12, 31)), form(date(2027, 3, 31))])
        });
        let [before, after] = forms.await;
        assert!(before != "C-9" && after == "C-9", "{before} {after}");
        let nowhere = with_header(StateReports::FILE, "", "XX,C-9,15,CSV,,secondary,a rule");
        let why = import(&company, "state-wage-reports", &nowhere, None).await.unwrap_err();
        assert!(why.contains("\"XX\" is not the code of a state"), "{why}");
    });
}

#[test]
fn a_return_of_withheld_tax_is_imported_and_what_is_in_doubt_in_it_is_confirmed_like_a_built_in_row() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let key = "OR_WITHHOLDING_RETURN";
        let awaits = || read(&company, move |tx| confirmations::is_awaiting_confirmation(tx, key));
        let confirm = async || {
            let put = move |tx: &mut Tx<'_>| datasets::confirm_figures(tx, &[key.to_owned()], true);
            company.world.app.store.write(put).await
        };
        let row = |rest: &str| with_header(WithholdingReturns::FILE, ",effective_from", rest);
        assert!(awaits().await);
        confirm().await.unwrap();
        assert!(!awaits().await);
        let doubtful = row("OR,OR-9,quarter,20,memory,a rule,2027-01-01");
        import(&company, "state-withholding-returns", &doubtful, None).await.unwrap();
        assert!(awaits().await, "the row of 2027 was not confirmed");
        confirm().await.unwrap();
        assert!(!awaits().await);
        let due = read(&company, |tx| {
            let table = law::in_force::<Dated<WithholdingReturns>>(tx)?;
            let of = |year| {
                let first = Quarter::new(year, 1).unwrap();
                table.edition_on(first.last_day()).return_of_state("OR").unwrap().due_date(first)
            };
            Ok([of(2026), of(2027)])
        });
        assert_eq!(due.await, [date(2026, 4, 30), date(2027, 4, 20)]);
        let sure = row("OR,OR-9,quarter,20,primary,a rule,");
        import(&company, "state-withholding-returns", &sure, None).await.unwrap();
        let wrong = row("OR,OR-9,quarter,32,primary,a rule,");
        let why = import(&company, "state-withholding-returns", &wrong, None).await.unwrap_err();
        assert!(why.contains("OR: day must be from 1 to 31"), "{why}");
    });
}

#[test]
fn codes_of_deposits_and_directories_of_new_hires_are_imported() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let codes =
            with_header(DepositTypes::FILE, "", "US,941,94199,01,3,US_FIT,2027-01-01,,secondary,a handbook");
        import(&company, "deposit-codes", &codes, None).await.unwrap();
        let told = read(&company, |tx| {
            let table = law::in_force::<DepositTypes>(tx)?;
            let of = |day| table.of_tax("US", Form::F941, "US_FIT", day).unwrap().tax_type.clone();
            Ok([of(date(2026, 12, 31)), of(date(2027, 1, 1))])
        });
        assert_eq!(told.await, ["94105", "94199"]);
        let unknown =
            with_header(DepositTypes::FILE, "", "US,941,94199,01,3,US_NOTHING,2027-01-01,,secondary,x");
        let why = import(&company, "deposit-codes", &unknown, None).await.unwrap_err();
        assert!(why.contains("tax is no code of the tax book"), "{why}");

        let takes = async || {
            let of = |tx: &mut Tx<'_>| {
                let table = law::in_force::<Dated<NewHireFileTable>>(tx)?;
                Ok(table.edition_on(date(2027, 1, 4)).rule_of_state("state", "CA").is_ok())
            };
            read(&company, of).await
        };
        assert!(!takes().await);
        let row = with_header(
            NewHireFileTable::FILE,
            ",effective_from",
            "CA,a page of the directory,secondary,newhire_record,,2027-01-01",
        );
        import(&company, "new-hire-files", &row, None).await.unwrap();
        assert!(takes().await);
    });
}

#[test]
fn a_layout_of_a_new_tax_year_is_imported_with_the_positions_that_the_old_one_left_open() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let list = |year| {
            read(&company, move |tx| Ok(positions::open_amounts(tx, year).map(|open| open.len()).ok()))
        };
        assert_eq!([list(2026).await, list(2027).await], [Some(4), None]);
        let next = Layouts::FILE.replace("\n2026,", "\n2027,");
        let awaits = || read(&company, |tx| confirmations::is_awaiting_confirmation(tx, "EFW2C_2027"));
        assert!(!awaits().await);
        import(&company, "efw2-layouts", &next, None).await.unwrap();
        assert_eq!([list(2026).await, list(2027).await], [Some(4), Some(0)]);
        assert!(awaits().await, "nobody has read the positions of its corrections");
        // The publication of 2026 was read: the codes of occupations have a place.
        let blank =
            Layouts::FILE.lines().find(|line| line.contains(",RW,") && line.contains(",blank,")).unwrap();
        let cells: Vec<&str> = blank.split(',').collect();
        let (from, to): (usize, usize) = (cells[3].parse().unwrap(), cells[4].parse().unwrap());
        assert!(to - from >= 3, "{blank}");
        let field = |key: &str, from: usize, to: usize, kind: &str| {
            format!("2026,RW,{key},{from},{to},{kind},no,,secondary,Publication 42-007 of 2026")
        };
        let laid =
            [field("box_14b_1", from, from + 2, "text"), field("blank", from + 3, to, "blank")].join("\n");
        let of_2026 = Layouts::FILE.replace(blank, &laid);
        import(&company, "efw2-layouts", &of_2026, None).await.unwrap();
        assert_eq!(list(2026).await, Some(3));
        let gap = Layouts::FILE.replace(&format!("{blank}\n"), "");
        let why = import(&company, "efw2-layouts", &gap, None).await.unwrap_err();
        assert!(why.contains("must begin at"), "{why}");
    });
}

#[test]
fn each_import_has_a_name_of_its_own_and_what_was_calculated_from_it_is_found_by_it() {
    on_both_engines(async |engine: Engine| {
        let company = engine.own_world().await.company().await;
        let built_in = read(&company, |tx| Ok(law::in_force::<Dated<FinalPay>>(tx)?.name.clone())).await;
        let header = FinalPay::FILE.lines().next().unwrap();
        let texas = FinalPay::FILE.lines().find(|line| line.starts_with("TX,")).unwrap();
        let file = |note: &str| format!("{header},effective_from\n{texas},2027-0{note}-01\n");
        let named =
            async |text: &str, day: &str| import(&company, "final-pay", text, Some(day)).await.unwrap();
        // Three different imports of the day of the built-in table.
        assert_eq!(named(&file("1"), &built_in).await, format!("final-pay {built_in} -> {built_in}+02"));
        assert_eq!(named(&file("2"), &built_in).await, format!("final-pay {built_in}+02 -> {built_in}+03"));
        // The same file once more is the same vintage.
        assert_eq!(named(&file("2"), &built_in).await, format!("final-pay {built_in}+03 -> {built_in}+03"));
        assert_eq!(named(&file("3"), "2026-12-24").await, format!("final-pay {built_in}+03 -> 2026-12-24"));
        let refused = import(&company, "final-pay", &file("4"), Some(&built_in)).await.unwrap_err();
        assert!(refused.contains("the data in use is of 2026-12-24"), "{refused}");
        // Each is found by its name, with its own rows.
        for (name, rows) in [
            (built_in.clone(), vec![]),
            (format!("{built_in}+02"), vec!["TX from 2027-01-01"]),
            (format!("{built_in}+03"), vec!["TX from 2027-01-01", "TX from 2027-02-01"]),
            ("2026-12-24".to_owned(), vec!["TX from 2027-01-01", "TX from 2027-02-01", "TX from 2027-03-01"]),
        ] {
            let wanted = name.clone();
            let found = read(&company, move |tx| {
                let mut names: BTreeMap<String, String> = Tables::read(tx)?
                    .vintages()
                    .into_iter()
                    .map(|(kind, name)| (kind.to_owned(), name.to_owned()))
                    .collect();
                names.insert("final-pay".to_owned(), wanted.clone());
                let tables = Tables::named(tx, &names)?.unwrap_or_else(|| panic!("{wanted} is kept"));
                let rows = tables.final_pay.rows().map(|(row, _)| row.to_owned());
                Ok(rows.filter(|row| row.starts_with("TX from")).collect::<Vec<_>>())
            });
            assert_eq!(found.await, rows, "{name}");
        }
    });
}

type FinalPay = rules::final_pay::FinalPayTable;
