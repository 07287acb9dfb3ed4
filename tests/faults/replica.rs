//! Two nodes that read lists from a replica: whoever has changed something sees it in the next list, at whichever node,
//! whether the replica keeps up, is behind, or is gone.

use crate::binary::Running;
use crate::nodes::{Database, figure};
use crate::servers::Cluster;
use crate::world::{PERSON, call, until};

/// The reads that a node has done on its replica, and on the primary instead.
fn reads(node: &Running) -> (u64, u64) {
    let by = |server: &str| figure(node, &format!("store_reads_total{{by=\"{server}\"}}"));
    (by("replica"), by("primary"))
}

/// Makes somebody at one node, and looks for them at the head of the list at the other.
fn make_and_look(one: &Running, other: &Running) {
    let (path, bearer) =
        (format!("/v1/companies/{}/employees", one.company()), format!("Bearer {}", one.token()));
    let made = call(one, &bearer, "POST", &path, PERSON);
    let newest = call(other, &bearer, "GET", &format!("{path}?per=1&sort_by=created_at:desc"), "");
    assert_eq!(newest[0]["uuid"], made["uuid"]);
}

#[test]
fn whoever_has_changed_something_sees_it_in_the_next_list_however_far_the_replica_is_behind() {
    let cluster = Cluster::with_replica();
    let (primary, replica) = (cluster.url_at(0), cluster.url_at(1));
    let database = Database::new(primary.clone());
    let nodes = [(); 2].map(|()| database.node_with(&primary, &[("STIPEND_REPLICA_URL", &replica)]));
    let [one, two] = &nodes;
    let both = |times: usize| {
        (0..times).for_each(|_| [(one, two), (two, one)].iter().for_each(|(a, b)| make_and_look(a, b)))
    };

    both(50);
    let (there, instead) = reads(two);
    println!("the replica keeps up: {there} lists from it, {instead} from the primary");
    assert!(there > 0, "the replica is used");

    cluster.sql(1, "SELECT pg_wal_replay_pause()").unwrap();
    both(25);
    let (still, more) = reads(two);
    println!("it is behind: {} lists from it, {} from the primary", still - there, more - instead);
    assert!(still == there && more > instead, "what it lacks is not read from it");
    cluster.sql(1, "SELECT pg_wal_replay_resume()").unwrap();
    until("the replica is read from again", || {
        make_and_look(one, two);
        reads(two).0 > still
    });

    cluster.kill(1);
    let before = reads(two);
    both(25);
    let after = reads(two);
    println!("it is gone: {} lists from the primary", after.1 - before.1);
    assert!(after.1 > before.1);
    for node in nodes {
        assert_eq!(node.stop().0, Some(0));
    }
}
