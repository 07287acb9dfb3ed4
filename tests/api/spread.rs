//! On a cluster (`STIPEND_TEST_CITUS=1`): what is planned for each statement. One that asks more than one shard costs as many
//! tasks as there are shards, however few rows it finds, so none of them may be part of a request about one company.

use crate::postgres_server;
use crate::support::{Engine, START, open_store, open_store_at};
use pages::routes;

/// What asks all shards, and why that is right.
const WIDE: &[(&str, &str)] = &[
    ("FROM data_keys", "a change of the master key or of the data keys, by the operator"),
    ("created_at <", "a sweep"),
    ("finished_at <", "a sweep"),
    ("failed_at <", "a sweep"),
    ("expires_at <", "a sweep"),
    ("since <", "a sweep"),
    ("seen_at <", "a sweep"),
    ("DELETE FROM known_browsers WHERE user_id", "a person gets a new password, or is deleted"),
    ("FROM user_sessions", "a person signs out everywhere, or changes the password"),
    ("flow_links", "links of a company are revoked, and one of them is looked at"),
    ("flow_sessions", "pages are closed with the links that opened them"),
    ("DELETE FROM document_links", "a company leaves"),
    ("DELETE FROM authorization_codes", "a company leaves, or an administrator may not consent any more"),
    ("FROM company_admins a JOIN companies", "a person chooses one of the companies that they administer"),
    (
        "SELECT count(company_id) FROM payrolls WHERE submitted_at IS NULL",
        "a metric of the operator: paydays that were missed",
    ),
    (
        "FROM home_addresses WHERE state",
        "readiness tells how many people a missing register of places touches",
    ),
    ("FROM companies", "the operator lists companies, and audits are sealed one after the other"),
    ("FROM audit", "audits are verified one after the other"),
    ("FROM events WHERE seq", "events are numbered, and a node compares its clock at the start"),
    ("FROM deliveries WHERE state = 'open'", "the worker looks for what is due"),
    ("FROM jobs", "the worker looks for what is due, and the operator for what was given up"),
    ("UPDATE jobs SET lease_until", "a worker starts or stops"),
    ("FROM payrolls WHERE request_status IN", "a worker starts"),
    ("FROM payment_batches", "a file for the bank holds payments of many companies"),
    (
        "FROM payment_entries e JOIN payment_batches",
        "the operator looks after payments that are held one by one",
    ),
    ("FROM company_fundings WHERE mode", "the operator says where wires go"),
    ("FROM recovery_cases WHERE status", "the operator looks after debits that came back"),
    ("FROM tax_deposits WHERE due", "the operator looks after deposits of taxes"),
    ("DELETE FROM report_links", "a company leaves"),
];

/// What only a file is asked, where units commit one after the other.
const OF_A_FILE: [&str; 1] = ["INSERT INTO events"];

#[test]
fn a_statement_asks_one_shard_unless_it_reaches_across_companies() {
    if !postgres_server::citus::wanted() {
        return;
    }
    let place = Engine::Postgres.empty_database();
    drop(open_store(&place.url, None));
    let statements = routes::all_statements();
    let plans = store::spread_plans(&place.url, &statements).unwrap();
    let mut used = vec![false; WIDE.len()];
    let (mut refused, mut wide) = (Vec::new(), Vec::new());
    for (sql, plan) in statements.iter().zip(plans) {
        let text = sql.text();
        let of_a_file = OF_A_FILE.iter().any(|start| text.starts_with(start)) && text.contains("(SELECT");
        let Ok(plan) = plan.inspect_err(|why| {
            if !of_a_file {
                refused.push(format!("{why}\n    {text}"));
            }
        }) else {
            continue;
        };
        let tasks = plan.lines().filter_map(|line| line.trim().strip_prefix("Task Count: "));
        if tasks.map(|count| count.parse::<u32>().unwrap()).all(|count| count <= 1) {
            continue;
        }
        match WIDE.iter().position(|(said, _)| text.contains(said)) {
            Some(reason) => used[reason] = true,
            None => wide.push(text),
        }
    }
    assert!(refused.is_empty(), "{} are refused:\n{}", refused.len(), refused.join("\n"));
    assert!(wide.is_empty(), "{} ask every shard:\n{}", wide.len(), wide.join("\n"));
    let unused = WIDE.iter().zip(&used).filter(|(_, used)| !**used);
    assert_eq!(
        unused.map(|((said, _), _)| said).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "asks one shard now"
    );
}

#[test]
fn a_replica_is_not_read_from_and_the_reason_is_told() {
    if !postgres_server::citus::wanted() {
        return;
    }
    let place = Engine::Postgres.empty_database();
    drop(open_store(&place.url, None));
    let store = open_store_at(&place.url, START, |options| options.replica = Some(place.url.clone()));
    let why = store.unfit_replica().unwrap_or_default();
    assert!(why.contains("Citus cluster"), "{why}");
}
