//! What becomes of a service whose file is deleted or damaged, and how its store is brought back from a backup.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use store::Clock;

use crate::binary::{Ended, Running, run, stipend};

/// A demo world in a file, which nobody serves.
struct World {
    folder: tempfile::TempDir,
    url: String,
    token: String,
    company: String,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("world.db").display());
        let dev = Running::dev(&["--database-url", &url]);
        let (token, company) = (dev.token().to_owned(), dev.company().to_owned());
        assert_eq!(dev.stop().0, Some(0));
        Self { folder, url, token, company }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn serve(&self) -> Running {
        Running::serve(&self.url, &self.file("world.db.key"), &self.token, &self.company)
    }

    fn locations(&self, service: &Running) -> (u16, String) {
        service.get(&format!("/v1/companies/{}/locations", self.company))
    }

    /// Stores a location; its status.
    fn add(&self, service: &Running, street: &str) -> u16 {
        service.post(&format!("/v1/companies/{}/locations", self.company), &body(street)).0
    }

    fn command(&self, command: &[&str]) -> Ended {
        let key = ("STIPEND_MASTER_KEY_FILE", self.file("world.db.key"));
        run(stipend().args(command).args(["--database-url", &self.url]).envs([key]))
    }

    fn restore(&self, from: &Path, more: &[&str]) -> Ended {
        self.command(&[&["restore", from.to_str().unwrap()], more].concat())
    }

    fn names(&self) -> Vec<String> {
        let name = |file: std::io::Result<fs::DirEntry>| file.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(self.folder.path()).unwrap().map(name).collect();
        names.sort();
        names
    }
}

fn body(street: &str) -> String {
    format!(
        r#"{{"street_1": "{street}", "city": "Austin", "state": "TX", "zip": "78701", "phone_number": "5125550100"}}"#
    )
}

/// How long the process went on.
fn until_it_ends(service: &mut Running) -> Duration {
    let begun = Clock::monotonic();
    while service.is_running() {
        assert!((Clock::monotonic() - begun) < Duration::from_secs(20), "the process goes on");
    }
    Clock::monotonic() - begun
}

#[test]
fn a_service_whose_file_is_deleted_acknowledges_nothing_more_and_ends_and_none_begins_without_it() {
    let world = World::new();
    let mut service = world.serve();
    assert_eq!(world.add(&service, "1 Main St"), 201);
    fs::remove_file(world.file("world.db")).unwrap();
    let path = format!("/v1/companies/{}/locations", world.company);
    let mut request = TcpStream::connect(service.address()).unwrap();
    let head = service.head("POST", &path, &service.authorization(), &body("2 Main St"));
    request.write_all((head + &body("2 Main St")).as_bytes()).unwrap();
    let mut answer = String::new();
    // The connection may be cut, or the request refused.
    request.read_to_string(&mut answer).ok();
    assert!(!answer.contains("201"), "it would be lost: {answer}");
    let took = until_it_ends(&mut service);
    println!("it ended {} ms after the first request that was not acknowledged", took.as_millis());
    let again = world.command(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("there is no store"), "{}", again.err);
    assert!(!world.file("world.db").exists());
}

#[test]
fn a_service_without_requests_notices_within_a_second_that_its_file_was_replaced() {
    let world = World::new();
    let copy = world.file("copy.db");
    assert_eq!(world.command(&["backup", copy.to_str().unwrap()]).code, Some(0));
    let mut service = world.serve();
    fs::rename(&copy, world.file("world.db")).unwrap();
    let took = until_it_ends(&mut service);
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_service_notices_within_a_second_that_its_log_was_deleted() {
    let world = World::new();
    let mut service = world.serve();
    assert_eq!(world.add(&service, "1 Main St"), 201);
    // It has looked at the log by then.
    std::thread::sleep(Duration::from_millis(700));
    assert!(service.is_running());
    fs::remove_file(world.file("world.db-wal")).unwrap();
    let took = until_it_ends(&mut service);
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_service_notices_within_a_second_whichever_file_of_its_store_was_removed_or_replaced() {
    for name in ["world.db-shm", "world.db-wal", "world.db.lock"] {
        for replaced in [false, true] {
            let world = World::new();
            let mut service = world.serve();
            assert_eq!(world.add(&service, "1 Main St"), 201);
            if replaced {
                let copy = world.file("copy");
                fs::copy(world.file(name), &copy).unwrap();
                fs::rename(copy, world.file(name)).unwrap();
            } else {
                fs::remove_file(world.file(name)).unwrap();
            }
            let took = until_it_ends(&mut service);
            assert!(took < Duration::from_secs(2), "{name}: {took:?}");
            assert_eq!(service.stop().0, Some(74), "{name}");
        }
    }
}

/// What a process reads of the store while nobody serves it.
fn stored(world: &World, sql: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(world.file("world.db")).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let found = statement.query_map([], |row| row.get(0)).unwrap();
    found.map(Result::unwrap).collect()
}

const STREETS: &str = "SELECT street_1 FROM locations";
const COMPANIES: &str = "SELECT lower(hex(company_id)) FROM companies";

fn signal(service: &Running, name: &str) {
    let done = std::process::Command::new("kill").args([name, &service.pid().to_string()]).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_second_process_writes_nothing_while_the_index_of_the_log_is_gone_under_a_service() {
    let world = World::new();
    let mut service = world.serve();
    assert_eq!(world.add(&service, "1 Main St"), 201);
    // It notices nothing for now.
    signal(&service, "-STOP");
    fs::remove_file(world.file("world.db-shm")).unwrap();
    let create = ["company", "create", "--name", "Second"];
    for command in [&create[..], &["check"], &["backup", world.file("copy.db").to_str().unwrap()]] {
        let refused = world.command(command);
        assert_eq!(refused.code, Some(1), "{command:?}: {}", refused.out);
        assert!(
            refused.err.contains("world.db-shm was removed") && refused.err.contains("stop that process"),
            "{}",
            refused.err
        );
    }
    assert!(!world.file("world.db-shm").exists(), "nobody has made another one");
    signal(&service, "-CONT");
    until_it_ends(&mut service);
    // Nobody shares it any more.
    let created = world.command(&create);
    assert_eq!(created.code, Some(0), "{}", created.err);
    assert!(stored(&world, STREETS).contains(&"1 Main St".to_owned()));
}

#[test]
fn nothing_acknowledged_is_lost_whichever_file_is_removed_under_load_with_and_without_a_second_process() {
    // Once nobody has the store open, a process cannot know that there was a log: so none comes second where that is removed.
    let alone = ["world.db", "world.db-wal", "world.db-shm", "world.db.lock"].map(|name| (name, false));
    let beside = ["world.db", "world.db-shm", "world.db.lock"].map(|name| (name, true));
    for (name, second) in alone.into_iter().chain(beside) {
        let world = World::new();
        let service = world.serve();
        let path = format!("/v1/companies/{}/locations", world.company);
        let post = |client: usize| {
            let mut acknowledged = Vec::new();
            for number in 0..2_000 {
                let street = format!("{number} Street {client}");
                let answer =
                    service.call_as(&format!("Bearer {}", world.token), "POST", &path, &body(&street));
                match answer {
                    Ok((201, _)) => acknowledged.push(street),
                    // The limit on requests of a token.
                    Ok((429, _)) => std::thread::sleep(Duration::from_millis(20)),
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
            acknowledged
        };
        let create = || {
            let mut acknowledged = Vec::new();
            for number in 0..if second { 12 } else { 0 } {
                let done = world.command(&["company", "create", "--name", &format!("Second {number}")]);
                if done.code == Some(0) {
                    let told: serde_json::Value = serde_json::from_str(&done.out).unwrap();
                    acknowledged.push(told["uuid"].as_str().unwrap().replace('-', ""));
                }
            }
            acknowledged
        };
        let (streets, companies) = std::thread::scope(|scope| {
            let clients = [0, 1].map(|client| scope.spawn(move || post(client)));
            let commands = scope.spawn(create);
            std::thread::sleep(Duration::from_millis(400));
            // Not deleted, to be put back: what was acknowledged before is in it.
            fs::rename(world.file(name), world.file("aside")).unwrap();
            let streets: Vec<_> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
            (streets, commands.join().unwrap())
        });
        assert_eq!(service.stop().0, Some(74), "{name}");
        if !name.ends_with("-shm") && !name.ends_with(".lock") {
            fs::rename(world.file("aside"), world.file(name)).unwrap();
        }
        let (there, known) = (stored(&world, STREETS), stored(&world, COMPANIES));
        let lost = streets.iter().filter(|street| !there.contains(street)).count();
        assert_eq!(lost, 0, "{name}, a second process: {second}: of {} streets", streets.len());
        let lost = companies.iter().filter(|company| !known.contains(company)).count();
        assert_eq!(lost, 0, "{name}: of {} companies", companies.len());
        println!(
            "R34: {name}, a second process: {second}: {} and {} acknowledged, none lost",
            streets.len(),
            companies.len()
        );
    }
}

#[test]
fn a_service_on_damaged_pages_says_so_and_answers_nothing_from_them() {
    let world = World::new();
    let copy = world.file("copy.db");
    assert_eq!(world.command(&["backup", copy.to_str().unwrap()]).code, Some(0));
    let mut bytes = fs::read(&copy).unwrap();
    // Pages with events, from their middle on: a start needs none of them.
    let word = b"employee.created";
    let holds =
        |page: &&mut [u8]| [10, 13].contains(&page[0]) && page.windows(word.len()).any(|part| part == word);
    let damaged = bytes.chunks_mut(4096).filter(holds).take(3).map(|page| page[2048..].fill(0xff)).count();
    assert!(damaged > 0);
    for file in ["world.db-wal", "world.db-shm"] {
        fs::remove_file(world.file(file)).ok();
    }
    fs::write(world.file("world.db"), bytes).unwrap();
    let service = world.serve();
    let begun = Clock::monotonic();
    while service.get("/readyz").0 != 503 {
        assert!((Clock::monotonic() - begun) < Duration::from_secs(60), "the damage was not found");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(service.get("/readyz").1.contains("the store is damaged"), "{:?}", service.get("/readyz"));
    let (status, told) = world.locations(&service);
    assert!(status == 503 && told.contains("restored"), "{status} {told}");
    assert_eq!(world.add(&service, "1 Main St"), 503);
    assert_eq!(service.get("/healthz").0, 200);
    assert_eq!(service.stop().0, Some(0));
    let refused = world.command(&["backup", world.file("other.db").to_str().unwrap()]);
    assert!(refused.code == Some(1) && refused.err.contains("damaged"), "{}", refused.err);
}

/// What the service answers to several lists.
fn lists(world: &World, service: &Running) -> Vec<(u16, String)> {
    let lists = ["employees?per=100", "locations", "pay_schedules"];
    lists.iter().map(|list| service.get(&format!("/v1/companies/{}/{list}", world.company))).collect()
}

/// The first three pages with rows of these lists, counted from 0.
fn pages_of_rows(file: &Path) -> Vec<usize> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let leaves = "SELECT pageno - 1 FROM dbstat WHERE name IN ('employees', 'locations', 'pay_schedules') \
                  AND pagetype = 'leaf' ORDER BY name, pageno LIMIT 3";
    let mut statement = connection.prepare(leaves).unwrap();
    let pages = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    pages.map(|page| usize::try_from(page.unwrap()).unwrap()).collect()
}

/// Damages a page; another page is given as well.
type Damage = fn(&mut [u8], &[u8]);

const DAMAGES: [(&str, Damage); 5] = [
    ("garbage", |page, _| {
        page[1000..].iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 31 % 251) as u8)
    }),
    ("a page without cells", |page, _| page[3..5].fill(0)),
    ("zeros", |page, _| page.fill(0)),
    ("another page", |page, other| page.copy_from_slice(other)),
    ("one bit of a cell", |page, _| page[4080] ^= 16),
];

#[test]
fn every_list_is_whole_or_refused_whatever_was_done_to_three_pages_of_rows() {
    let world = World::new();
    let copy = world.file("copy.db");
    assert_eq!(world.command(&["backup", copy.to_str().unwrap()]).code, Some(0));
    let whole = fs::read(&copy).unwrap();
    let put = |bytes: &[u8]| {
        for file in ["world.db-wal", "world.db-shm"] {
            fs::remove_file(world.file(file)).ok();
        }
        fs::write(world.file("world.db"), bytes).unwrap();
    };
    put(&whole);
    let service = world.serve();
    let expected = lists(&world, &service);
    assert!(expected.iter().all(|(status, _)| *status == 200), "{expected:?}");
    assert_eq!(service.stop().0, Some(0));
    let pages = pages_of_rows(&copy);
    assert_eq!(pages.len(), 3);
    for (name, damage) in DAMAGES {
        let mut bytes = whole.clone();
        for page in &pages {
            let other = whole[4096 * (page - 1)..4096 * page].to_vec();
            damage(&mut bytes[4096 * page..4096 * (page + 1)], &other);
        }
        put(&bytes);
        let service = world.serve();
        let told = lists(&world, &service);
        for (told, expected) in told.iter().zip(&expected) {
            assert!(told == expected || told.0 == 503, "{name}: {told:?} for {expected:?}");
        }
        assert!(told.iter().any(|(status, _)| *status == 503), "{name}: {told:?}");
        let (status, why) = service.get("/readyz");
        assert!(
            status == 503 && why.contains("the store is damaged: ") && why.contains("page "),
            "{name}: {why}"
        );
        assert!(why.contains("world.db does not match its checksum"), "{name}: {why}");
        assert_eq!(service.stop().0, Some(0));
        let checked = world.command(&["check"]);
        assert!(checked.code == Some(1) && checked.err.contains("is damaged: "), "{}", checked.err);
    }
}

#[test]
fn check_reads_a_store_beside_its_service_and_adds_checksums_where_there_are_none() {
    let world = World::new();
    let service = world.serve();
    let checked = world.command(&["check"]);
    assert!(checked.code == Some(0) && checked.out.contains("pages have checksums"), "{}", checked.err);
    assert!(!service.get("/readyz").1.contains("checksums"));
    let before = world.locations(&service);
    assert_eq!(service.stop().0, Some(0));

    // A store as older versions made it.
    let flags = rusqlite::OpenFlags::default();
    let old = rusqlite::Connection::open_with_flags_and_vfs(world.file("world.db"), flags, c"unix").unwrap();
    let target = format!("file:{}?reserve=0", world.file("old.db").display());
    old.execute("VACUUM INTO ?1", [target]).unwrap();
    drop(old);
    fs::rename(world.file("old.db"), world.file("world.db")).unwrap();
    let service = world.serve();
    let (status, told) = service.get("/readyz");
    assert!(status == 200 && told.contains("stipend check --add-checksums"), "{status} {told}");
    assert_eq!(world.locations(&service), before);
    let refused = world.command(&["check", "--add-checksums"]);
    assert!(refused.code == Some(1) && refused.err.contains("in use"), "{}", refused.err);
    assert_eq!(service.stop().0, Some(0));
    let checked = world.command(&["check"]);
    assert!(checked.code == Some(0) && checked.out.contains("pages have no checksums"), "{}", checked.err);

    let added = world.command(&["check", "--add-checksums"]);
    assert!(added.code == Some(0) && added.out.contains("set aside"), "{}{}", added.out, added.err);
    let service = world.serve();
    assert!(!service.get("/readyz").1.contains("checksums"));
    assert_eq!(world.locations(&service), before);
    assert_eq!(world.add(&service, "1 Main St"), 201);
}

#[test]
fn the_restore_drill_of_the_operations_guide() {
    let world = World::new();
    let service = world.serve();
    let monday = world.file("monday.db");
    assert_eq!(world.add(&service, "1 Main St"), 201);
    let before = world.locations(&service);
    assert_eq!(world.command(&["backup", monday.to_str().unwrap()]).code, Some(0));
    assert_eq!(world.add(&service, "2 Main St"), 201);
    let after = world.locations(&service);

    // In use, with a flag or without: nothing is touched.
    let refused = world.restore(&monday, &["--replace"]);
    assert!(refused.code == Some(1) && refused.err.contains("in use"), "{}", refused.err);
    service.kill_hard();
    drop(service);
    let there = world.names();
    assert!(there.contains(&"world.db-wal".to_owned()), "{there:?}");
    let refused = world.restore(&monday, &[]);
    assert!(refused.code == Some(1) && refused.err.contains("--replace"), "{}", refused.err);

    // Nor by a copy that is cut short, or another key.
    let part = world.file("part.db");
    let whole = fs::read(&monday).unwrap();
    fs::write(&part, &whole[..whole.len() / 2]).unwrap();
    let refused = world.restore(&part, &["--replace"]);
    assert!(refused.code == Some(1) && refused.err.contains("nothing was restored"), "{}", refused.err);
    fs::remove_file(&part).unwrap();
    let with_other_key = run(stipend()
        .args(["restore", monday.to_str().unwrap(), "--replace", "--database-url", &world.url])
        .env("STIPEND_MASTER_KEY", "cd".repeat(32)));
    assert!(with_other_key.code == Some(1) && with_other_key.err.contains("key"), "{}", with_other_key.err);
    assert_eq!(world.names(), there);
    let still = world.serve();
    assert_eq!(world.locations(&still), after);
    still.kill_hard();
    drop(still);

    // The log of the old file would make the new one unreadable: it is set aside with it.
    // What is put back belongs to whom the file belonged; only the administrator of a machine can try that.
    let file = world.file("world.db");
    let other = 65_534;
    let given = chown(&file, Some(other), Some(other)).is_ok();
    let restored = world.restore(&monday, &["--replace"]);
    assert_eq!(restored.code, Some(0), "{}", restored.err);
    assert!(restored.out.contains("set aside"), "{}", restored.out);
    let owner = fs::metadata(&file).unwrap();
    assert!(!given || (owner.uid(), owner.gid()) == (other, other), "{owner:?}");
    let names = world.names();
    let aside = |name: &str| names.iter().any(|held| held.starts_with(name));
    assert!(aside("world.db.before-") && aside("world.db-wal.before-"), "{names:?}");
    let again = world.serve();
    assert_eq!(world.locations(&again), before);
    assert_eq!(world.add(&again, "3 Main St"), 201);
    assert_eq!(again.stop().0, Some(0));
}

#[test]
fn a_backup_for_which_there_is_no_room_leaves_nothing() {
    let world = World::new();
    let copy = world.file("copy.db");
    // No file may grow past 200 kB, and the signal that says so is passed over, as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 200; exec {} backup {} --database-url {}",
        env!("CARGO_BIN_EXE_stipend"),
        copy.display(),
        world.url
    );
    let refused = run(std::process::Command::new("bash").args(["-c", &script]));
    assert_eq!(refused.code, Some(1), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("the backup was not made"), "{}", refused.err);
    assert!(world.names().iter().all(|name| !name.starts_with("copy.db")), "{:?}", world.names());
    assert_eq!(world.command(&["backup", copy.to_str().unwrap()]).code, Some(0));
}
