//! Reference data of a running service: a newer vintage comes into use on every node without a restart, and a file
//! with a fault changes nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::Error;
use domain::datasets;
use domain::platform::reference::{Dataset, Vintage, rows};
use domain::salary::reference::Reference;
use domain::salary::wages::zip_areas::ZipAreas;

use crate::support::{Engine, World, on_both_engines};

const WANTED: &str = "zip,state,oews_area\n";

/// A file of 40,001 ZIP codes that all lie in the same area, Brooklyn among them.
fn file(folder: &tempfile::TempDir, name: &str, area: &str, more: &str) -> PathBuf {
    let lines: String = (10_000..50_001).map(|zip| format!("{zip:05},NY,{area}\n")).collect();
    let path = folder.path().join(name);
    std::fs::write(&path, format!("{WANTED}{lines}{more}")).unwrap();
    path
}

async fn import(world: &World, path: &Path, vintage: &str) -> Result<String, String> {
    datasets::import_file(&world.app.store, ZipAreas::KIND, path, Some(vintage), false, &|_, _| ())
        .await
        .map(|done| done.to_text())
}

async fn area_of_brooklyn(reference: &Reference) -> Option<u32> {
    reference.zip_areas.current().await.unwrap().data.find_place("11201").unwrap().area
}

/// Waits until a node has seen what was imported.
async fn until_area(reference: &Reference, area: u32) -> Arc<Vintage<ZipAreas>> {
    for _ in 0..100 {
        let vintage = reference.zip_areas.current().await.unwrap();
        if vintage.data.find_place("11201").unwrap().area == Some(area) {
            return vintage;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the import never came into use");
}

#[test]
fn a_newer_vintage_comes_into_use_on_every_node_without_a_restart() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        // Two nodes, each with connections of its own to the database.
        let other = world.second_node();
        let (here, there) = (&world.app.reference, &other.app.reference);
        assert_eq!(area_of_brooklyn(here).await, Some(35_620));
        assert_eq!(area_of_brooklyn(there).await, Some(35_620));
        let folder = tempfile::tempdir().unwrap();
        let said = import(&world, &file(&folder, "new.csv", "0047900", ""), "2026-03").await.unwrap();
        assert!(said.starts_with("zip-areas 2025 -> 2026-03\n"), "{said}");
        assert!(said.contains("40001 rows"), "{said}");
        for node in [here, there] {
            assert_eq!(until_area(node, 47_900).await.name, "2026-03");
        }
        let status = datasets::status_table(&datasets::dataset_status(&world.app.store).await.unwrap());
        let line = status.lines().find(|line| line.starts_with("zip-areas")).unwrap();
        assert!(line.contains("2026-03") && line.contains("40001") && line.contains("imported"), "{line}");
    });
}

#[test]
fn a_file_with_any_fault_is_refused_with_every_place_and_the_old_data_stay() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = tempfile::tempdir().unwrap();
        let wrong = "1120,NY,\n11202,New York,\n60001,NY,35620\n";
        let why = import(&world, &file(&folder, "wrong.csv", "0047900", wrong), "2026-03").await.unwrap_err();
        assert!(why.contains("3 error(s)"), "{why}");
        for place in ["line 40003", "line 40004", "line 40005"] {
            assert!(why.contains(place), "{why}");
        }
        let twice = import(&world, &file(&folder, "twice.csv", "", "11201,NY,\n"), "2026-03").await;
        assert!(twice.unwrap_err().contains("is listed twice"));
        let short = folder.path().join("short.csv");
        std::fs::write(&short, format!("{WANTED}11201,NY,\n")).unwrap();
        assert!(import(&world, &short, "2026-03").await.unwrap_err().contains("incomplete"));
        std::fs::write(&short, b"PK\x03\x04\xff\x00").unwrap();
        import(&world, &short, "2026-03").await.unwrap_err();
        import(&world, &folder.path().join("nowhere.csv"), "2026-03").await.unwrap_err();
        let status = datasets::status_table(&datasets::dataset_status(&world.app.store).await.unwrap());
        assert!(
            status.lines().any(|line| line.starts_with("zip-areas") && line.ends_with("built in")),
            "{status}"
        );
        tokio::time::sleep(Duration::from_millis(1100)).await;
        assert_eq!(area_of_brooklyn(&world.app.reference).await, Some(35_620));
    });
}

#[test]
fn data_older_than_those_in_use_are_refused() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder, "some.csv", "0047900", "");
        assert!(import(&world, &path, "2024").await.unwrap_err().contains("the data in use is of 2025"));
        import(&world, &path, "2026-03").await.unwrap();
        assert!(
            import(&world, &path, "2026-02").await.unwrap_err().contains("the data in use is of 2026-03")
        );
        import(&world, &file(&folder, "corrected.csv", "0035620", ""), "2026-03").await.unwrap();
        until_area(&world.app.reference, 35_620).await;
        let unknown = datasets::import_file(&world.app.store, "weather", &path, None, false, &|_, _| ())
            .await
            .unwrap_err();
        assert!(unknown.contains("zip-areas"), "{unknown}");
    });
}

/// How many vintages of a kind are stored.
async fn stored(world: &World, checksums: &[String]) -> usize {
    let mut found = 0;
    for checksum in checksums {
        let checksum = checksum.clone();
        let read = move |tx: &mut store::Tx<'_>| rows::vintage_bytes(tx, ZipAreas::KIND, &checksum);
        let bytes: Result<_, Error> = world.app.store.read(read).await;
        found += usize::from(bytes.unwrap().is_some());
    }
    found
}

#[test]
fn the_vintage_in_use_and_the_one_before_are_kept() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = tempfile::tempdir().unwrap();
        let mut known = Vec::new();
        for (vintage, area, held) in [
            ("2026-01", "0047900", 1),
            ("2026-02", "0035620", 2),
            ("2026-03", "0041700", 2),
            ("2026-04", "0047900", 2),
        ] {
            import(&world, &file(&folder, "next.csv", area, ""), vintage).await.unwrap();
            let pointer = world.app.store.read(|tx| rows::current_pointer(tx, ZipAreas::KIND)).await;
            let pointer: Option<rows::Pointer> = pointer.unwrap_or_else(|error: Error| panic!("{error:?}"));
            if !known.contains(&pointer.as_ref().unwrap().checksum) {
                known.push(pointer.unwrap().checksum);
            }
            assert_eq!(stored(&world, &known).await, held, "{vintage}");
        }
        // The same file once more changes nothing, and loses nothing.
        import(&world, &file(&folder, "next.csv", "0047900", ""), "2026-04").await.unwrap();
        until_area(&world.app.reference, 47_900).await;
    });
}

#[test]
fn a_file_with_far_fewer_rows_is_taken_only_when_somebody_says_so() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = tempfile::tempdir().unwrap();
        let lines: String = (10_000..45_000).map(|zip| format!("{zip:05},NY,0047900\n")).collect();
        let path = folder.path().join("cut.csv");
        std::fs::write(&path, format!("{WANTED}{lines}")).unwrap();
        let why = import(&world, &path, "2026-03").await.unwrap_err();
        assert!(why.contains("35000 rows, and 41171") && why.contains("allow fewer rows"), "{why}");
        let taken =
            datasets::import_file(&world.app.store, ZipAreas::KIND, &path, Some("2026-03"), true, &|_, _| ())
                .await;
        assert!(taken.unwrap().to_text().contains("35000 rows"));
    });
}
