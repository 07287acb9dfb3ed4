//! Crashes while payments are prepared and a file is brought to the bank: between any two steps, and within one.

use domain::Error;
use domain::money::batches::payroll;
use domain::money::files::Taker;
use domain::money::files::compose::Next;
use domain::money::files::{self, compose};
use domain::money::ledger::rows::{FileState, of_payroll};
use std::fs;
use store::Store;
use tempfile::TempDir;

use super::{CUT_OFF, all_files, bank, employer, files_in, paid, told};
use crate::support::{Engine, on_both_engines};

/// After which step the process ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    SomePrepared,
    Prepared,
    Recorded,
    HalfStaged,
    Staged,
    Given,
    Taken,
    Written,
}

pub const STEPS: [Step; 8] = [
    Step::SomePrepared,
    Step::Prepared,
    Step::Recorded,
    Step::HalfStaged,
    Step::Staged,
    Step::Given,
    Step::Taken,
    Step::Written,
];

/// Brings a recorded file as far as a step; what the bank's tool has taken by then.
pub async fn interrupted(store: &Store, folder: &TempDir, next: Next, crash: Step) -> Vec<(String, String)> {
    let at = folder.path();
    if crash == Step::HalfStaged {
        fs::create_dir_all(at.join(".stipend")).unwrap();
        fs::write(at.join(".stipend").join(format!("{}.half", next.file.name)), "101 half").unwrap();
    }
    if matches!(crash, Step::HalfStaged | Step::Recorded) {
        return Vec::new();
    }
    let file = files::stage_file(store, next).await.unwrap();
    if crash == Step::Staged {
        return Vec::new();
    }
    files::give_file(store, &file).await.unwrap();
    if crash == Step::Written {
        let id = file.id;
        let marked = store.write(move |tx| files::record_file_written(tx, id, Taker::Tool)).await;
        marked.unwrap_or_else(|error: Error| panic!("{error:?}"));
    }
    if crash != Step::Taken {
        return Vec::new();
    }
    let taken = files_in(at);
    fs::remove_file(at.join(&file.name)).unwrap();
    taken
}

#[test]
fn whatever_step_a_crash_interrupts_each_payment_is_filed_once_and_told_with_its_file() {
    on_both_engines(async |engine: Engine| {
        for crash in STEPS {
            let world = engine.own_world().await;
            let folder = bank(&world, |_| {}).await;
            let (company, location, payroll) = employer(&world, "90126600418").await;
            for (name, number) in [("Ana", "1111222233"), ("Max", "2222333344")] {
                paid(&company, &location, name, number).await;
            }
            company.calculate(&payroll).await;
            company.submit(&payroll).await;
            world.app.store.clock().advance_to(CUT_OFF.parse().unwrap());
            let (store, id, run) = (&world.app.store, company.id, payroll.parse().unwrap());
            let fine = |error: Error| -> bool { panic!("{crash:?}: {error:?}") };

            store.write(move |tx| payroll::prepare_some_payments(tx, id, run)).await.unwrap_or_else(fine);
            if crash != Step::SomePrepared {
                payroll::prepare_payroll_payments(store, id, run).await.unwrap();
            }
            let mut taken = Vec::new();
            if !matches!(crash, Step::SomePrepared | Step::Prepared) {
                let file = store
                    .write(compose::next)
                    .await
                    .unwrap_or_else(|error: Error| panic!("{error:?}"))
                    .unwrap();
                assert_eq!(told(&company, "payroll.paid", &payroll).await, 0, "{crash:?}");
                taken = interrupted(store, &folder, file, crash).await;
            }
            // The process begins anew, and does what is due, and once more, as after a lease that was lost.
            for minutes in [5, 60] {
                world.wait(jiff::Span::new().minutes(minutes)).await;
            }
            files::bring_files(store, Taker::Tool).await.unwrap();

            let mut seen = files_in(folder.path());
            seen.extend(taken);
            assert_eq!(
                seen.len(),
                1,
                "{crash:?}: {:?}",
                seen.iter().map(|(name, _)| name).collect::<Vec<_>>()
            );
            let entries = ach::read::read_entries(&seen[0].1).unwrap();
            let mut accounts: Vec<_> = entries.iter().map(|entry| entry.account.as_str()).collect();
            accounts.sort_unstable();
            assert_eq!(accounts, ["1111222233", "2222333344", "90126600418"], "{crash:?}");
            let made = all_files(&world).await;
            assert_eq!(
                made.iter().map(|file| file.state).collect::<Vec<_>>(),
                [FileState::Written],
                "{crash:?}"
            );
            assert_eq!(compose::sha256_hex(&seen[0].1), made[0].digest, "{crash:?}");
            assert_eq!(told(&company, "payroll.paid", &payroll).await, 1, "{crash:?}");
            let batches = store
                .read(move |tx| of_payroll(tx, id, run))
                .await
                .unwrap_or_else(|error: Error| panic!("{error:?}"));
            assert_eq!(batches.iter().filter(|batch| batch.entries > 0).count(), 2, "{crash:?}");
        }
    });
}
