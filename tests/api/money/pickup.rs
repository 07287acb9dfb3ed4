//! Files that a command of the operator takes from the folder: once, whatever fails, and again only where nobody knows whether it did.

use domain::Error;
use domain::money::files;
use domain::money::files::pickup;
use domain::money::ledger::rows::Pickup;
use domain::money::ledger::rows::{BankFile, FileState};
use std::fs;
use std::process::Command;
use tempfile::TempDir;

use super::{all_files, bank, employer, files_in, paid, retry, run};
use crate::support::{Company, Engine, World, on_both_engines};

/// A program that notes what it was given, and fails as long as a file says so.
struct Taker {
    folder: TempDir,
}

impl Taker {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lines = "echo \"$STIPEND_BANK_FILE_SHA256 $STIPEND_BANK_FILE\" >> \"$1/taken\"\n[ ! -e \"$1/fail\" ] || exit 7\n";
        fs::write(folder.path().join("take"), lines).unwrap();
        Self { folder }
    }

    fn command(&self) -> Vec<String> {
        let at = self.folder.path().display();
        ["/bin/sh".to_owned(), format!("{at}/take"), at.to_string()].to_vec()
    }

    fn fails(&self, fails: bool) {
        let mark = self.folder.path().join("fail");
        if fails { fs::write(mark, "").unwrap() } else { fs::remove_file(mark).unwrap() }
    }

    /// Digest and path of each time it was run.
    fn taken(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("taken")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// A world with a company whose payroll has its file, and what takes it.
async fn filed(engine: Engine, taker: &Taker) -> (World, TempDir, Company, BankFile) {
    let command = taker.command();
    let world = engine.own_world_with(|setup| setup.settings.bank_pickup = command).await;
    let folder = bank(&world, |_| {}).await;
    let (company, location, payroll) = employer(&world, "90126600418").await;
    paid(&company, &location, "Ana", "1111222233").await;
    run(&company, &payroll).await;
    let file = all_files(&world).await.remove(0);
    (world, folder, company, file)
}

async fn ready(world: &World) -> String {
    world.call("GET", "/readyz").send().await.is(200).text()
}

async fn pickup_of(world: &World) -> Option<Pickup> {
    all_files(world).await.remove(0).pickup
}

#[test]
fn a_command_is_run_once_on_a_file_that_was_written() {
    on_both_engines(async |engine: Engine| {
        let taker = Taker::new();
        let (world, folder, _company, file) = filed(engine, &taker).await;
        world.wait(jiff::Span::new().hours(48)).await;
        let path = folder.path().join(&file.name);
        assert_eq!(taker.taken(), [format!("{} {}", file.digest, path.display())]);
        assert_eq!(pickup_of(&world).await, Some(Pickup::Done));
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            domain::money::files::compose::sha256_hex(&text),
            file.digest,
            "it lies there as it was written"
        );
        let id = file.id;
        assert!(
            matches!(files::void_file(&world.app.store, id).await, Err(Error::Violations(_))),
            "the command has it"
        );
        assert!(path.exists());
    });
}

#[test]
fn a_command_that_fails_is_told_and_run_again_until_it_has_the_file() {
    on_both_engines(async |engine: Engine| {
        let taker = Taker::new();
        taker.fails(true);
        let (world, _folder, _company, file) = filed(engine, &taker).await;
        let failed = all_files(&world).await.remove(0);
        assert_eq!((failed.state, failed.pickup), (FileState::Written, Some(Pickup::Failed)));
        assert_eq!(failed.pickup_note.as_deref(), Some("it ended with status 7"));
        assert!(
            ready(&world).await.contains("1 files for the bank were not taken"),
            "{}",
            ready(&world).await
        );
        let before = taker.taken().len();
        world.wait(jiff::Span::new().minutes(5)).await;
        let tries = taker.taken();
        assert!((before + 1..12).contains(&tries.len()), "later and later: {tries:?}");
        taker.fails(false);
        world.wait(jiff::Span::new().minutes(30)).await;
        assert_eq!(pickup_of(&world).await, Some(Pickup::Done));
        let tries = taker.taken();
        assert!(tries.iter().all(|one| one.starts_with(&file.digest)));
        world.wait(jiff::Span::new().hours(48)).await;
        assert_eq!(taker.taken().len(), tries.len(), "never once it has the file");
        assert!(!ready(&world).await.contains("not taken"));
    });
}

#[test]
fn a_command_of_which_nobody_knows_whether_it_took_the_file_is_run_again_with_the_same_digest() {
    on_both_engines(async |engine: Engine| {
        let taker = Taker::new();
        taker.fails(true);
        let (world, folder, _company, file) = filed(engine, &taker).await;
        taker.fails(false);
        let (id, before) = (file.id, taker.taken().len());
        // The process ends when the command has just taken the file.
        let begun = world.app.store.write(move |tx| pickup::begin_pickup(tx, id)).await;
        let handed = begun.unwrap_or_else(|error: Error| panic!("{error:?}")).unwrap();
        let line = taker.command();
        let mut command = Command::new(&line[0]);
        command
            .args(&line[1..])
            .env("STIPEND_BANK_FILE", &handed.path)
            .env("STIPEND_BANK_FILE_SHA256", &handed.digest);
        assert!(command.status().unwrap().success());
        assert!(
            matches!(files::void_file(&world.app.store, id).await, Err(Error::Violations(_))),
            "it may have it"
        );
        world.wait(jiff::Span::new().hours(2)).await;
        assert_eq!(pickup_of(&world).await, Some(Pickup::Done));
        let taken = taker.taken();
        assert_eq!(taken.len(), before + 2);
        assert!(taken.iter().all(|one| one == &taken[0]), "by the digest it knows the file again: {taken:?}");
        assert_eq!(files_in(folder.path()).len(), 1);
    });
}

#[test]
fn a_file_that_the_command_failed_to_take_can_be_taken_back_and_is_left_alone_then() {
    on_both_engines(async |engine: Engine| {
        let taker = Taker::new();
        taker.fails(true);
        let (world, folder, _company, file) = filed(engine, &taker).await;
        files::void_file(&world.app.store, file.id).await.unwrap();
        let before = taker.taken().len();
        taker.fails(false);
        world.wait(jiff::Span::new().hours(2)).await;
        assert_eq!((taker.taken().len(), files_in(folder.path()).len()), (before, 0));
        assert!(!ready(&world).await.contains("not taken"));
        retry(&world).await;
        let second = all_files(&world).await.remove(0);
        assert_eq!(second.pickup, Some(Pickup::Done));
        assert!(taker.taken().last().unwrap().starts_with(&second.digest));
    });
}
