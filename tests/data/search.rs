//! What everyday words find: the table beside holds queries and the occupations that somebody who types them may mean.

use std::path::Path;

use domain::platform::reference::Vintage;
use domain::salary::occupations::code_text;
use domain::salary::occupations::data::Occupations;

#[test]
fn the_first_ten_results_of_everyday_queries_hold_the_right_occupation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/search/queries.csv");
    let table = std::fs::read_to_string(path).unwrap();
    let data = Vintage::<Occupations>::built_in();
    let (mut right, mut wrong) = (0, Vec::new());
    for line in table.lines().skip(1) {
        let (query, meant) = line.split_once(',').unwrap();
        let found: Vec<String> = data
            .data
            .search_occupations(query)
            .into_iter()
            .take(10)
            .map(|place| code_text(data.data.occupation_at(place).code))
            .collect();
        match meant.split(' ').all(|code| found.iter().any(|one| one == code)) {
            true => right += 1,
            false => wrong.push(format!("{query}: {meant} not in {found:?}")),
        }
    }
    assert_eq!(right + wrong.len(), 60);
    assert!(right >= 57, "{right} of 60; {wrong:#?}");
    println!("{right} of 60; {wrong:#?}");
}
