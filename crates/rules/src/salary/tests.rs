use proptest::prelude::*;

use super::*;
use crate::explain::{Recorder, evaluator};

fn area(code: &str, kind: AreaKind) -> Area {
    Area { code: code.to_owned(), name: format!("area {code}"), kind }
}

fn areas() -> Vec<Area> {
    vec![
        area("0041700", AreaKind::Metropolitan),
        area("4800000", AreaKind::State),
        area("0000000", AreaKind::National),
    ]
}

fn yearly(dollars: [u32; 5]) -> Option<Wages> {
    Some(dollars.map(|dollars| Some(Wage::Yearly(dollars))))
}

fn occupation(level: Level, share: &str, wages: Vec<Option<Wages>>) -> Occupation {
    Occupation {
        code: "15-1252".to_owned(),
        name: "Software Developers".to_owned(),
        description: String::new(),
        published_as: "15-1252".to_owned(),
        level,
        share: Amount::parse(share).unwrap(),
        primary: false,
        wages,
    }
}

fn basis(occupations: Vec<Occupation>) -> Basis {
    Basis {
        vintage: "2025-05".to_owned(),
        checksum: "ab".repeat(32),
        floor: 239_200,
        in_area: true,
        areas: areas(),
        occupations,
    }
}

const LOCAL: [u32; 5] = [50_010, 60_020, 70_030, 80_040, 90_050];
const STATE: [u32; 5] = [51_000, 61_000, 71_000, 81_000, 91_000];

fn result(basis: &Basis) -> String {
    let mut recorder = Recorder::default();
    let result = basis.explain_estimate(&mut recorder).unwrap();
    assert_eq!(Some(result), basis.estimated_salary(), "tracing changes nothing");
    for node in recorder.finish() {
        evaluator::check(&node.to_json()).unwrap();
    }
    result.to_text(2)
}

#[test]
fn each_level_is_a_point_of_the_wage_distribution() {
    let wages = vec![yearly(LOCAL), yearly(STATE), None];
    for (level, percentile, expected) in [
        (Level::Novice, 10, "50010.00"),
        (Level::Intermediate, 25, "60020.00"),
        (Level::Average, 50, "70030.00"),
        (Level::Skilled, 75, "80040.00"),
        (Level::Expert, 90, "90050.00"),
    ] {
        assert_eq!(level.percentile(), percentile);
        assert_eq!(Level::parse(level.as_str()), Some(level));
        assert_eq!(result(&basis(vec![occupation(level, "1", wages.clone())])), expected);
    }
    assert_eq!(Level::parse("Expert"), None);
}

#[test]
fn wages_count_for_their_part_of_the_time_and_are_rounded_once() {
    let one = |dollars: u32| vec![yearly([dollars; 5]), None, None];
    let thirds = |share: &str, dollars| occupation(Level::Average, share, one(dollars));
    // Rounding each of the three products of about a third of 10,001.00 would lose a cent.
    let three =
        basis(vec![thirds("0.333333", 10_001), thirds("0.333333", 10_001), thirds("0.333334", 10_001)]);
    assert_eq!(result(&three), "10001.00");
    // 0.000005 of 1,000 dollars is half a cent: rounded up.
    assert_eq!(result(&basis(vec![thirds("0.000005", 1_000), thirds("0.999995", 0)])), "0.01");
    assert_eq!(result(&basis(vec![thirds("0.000004", 1_000), thirds("0.999996", 0)])), "0.00");
}

#[test]
fn an_occupation_without_a_figure_falls_back_to_the_state_and_then_to_the_nation() {
    let mut gap = yearly(LOCAL).unwrap();
    gap[Level::Expert.place()] = None;
    let wages = vec![Some(gap), yearly(STATE), yearly([1; 5])];
    let local = basis(vec![occupation(Level::Skilled, "1", wages.clone())]);
    assert_eq!(result(&local), "80040.00");
    let state = basis(vec![occupation(Level::Expert, "1", wages)]);
    assert_eq!(result(&state), "91000.00");
    let why =
        state.reason_for_wage(&state.occupations[0], state.occupations[0].wage_at(Level::Expert).unwrap());
    assert!(why.contains("No wage at this percentile is published for area 0041700"), "{why}");
    let nation = basis(vec![occupation(Level::Expert, "1", vec![None, None, yearly(STATE)])]);
    assert_eq!(result(&nation), "91000.00");
    assert_eq!(basis(vec![occupation(Level::Expert, "1", vec![None, None, None])]).estimated_salary(), None);
}

#[test]
fn a_top_coded_wage_is_the_floor_at_once_and_an_hourly_one_counts_2080_times() {
    let mut high = yearly(LOCAL).unwrap();
    high[Level::Expert.place()] = Some(Wage::AtLeast);
    let wages = vec![Some(high), yearly(STATE), None];
    assert_eq!(result(&basis(vec![occupation(Level::Expert, "1", wages)])), "239200.00");
    let hourly = Some([Some(Wage::Hourly(2_451)); 5]);
    assert_eq!(result(&basis(vec![occupation(Level::Average, "1", vec![hourly, None, None])])), "50980.80");
    // 0.333333 of it has seven decimal places: the product is a fraction, and still exact.
    let parts = basis(vec![
        occupation(Level::Average, "0.333333", vec![hourly, None, None]),
        occupation(Level::Average, "0.666667", vec![yearly(LOCAL), None, None]),
    ]);
    assert_eq!(result(&parts), "63680.27");
}

#[test]
fn the_sensitivity_is_the_result_one_level_down_and_one_up() {
    let wages = vec![yearly(LOCAL), None, None];
    let of = |level| basis(vec![occupation(level, "1", wages.clone())]).alternative_estimates(0);
    let [down, up] = of(Level::Average);
    assert_eq!(down, Some(Alternative { level: Level::Intermediate, result: Amount::from_cents(6_002_000) }));
    assert_eq!(up, Some(Alternative { level: Level::Skilled, result: Amount::from_cents(8_004_000) }));
    assert_eq!(of(Level::Novice)[0], None);
    assert_eq!(of(Level::Expert)[1], None);
    assert_eq!(basis(vec![]).alternative_estimates(3), [None, None]);
}

#[test]
fn a_wage_survives_being_kept_as_text() {
    for wage in [Wage::Yearly(0), Wage::Yearly(135_980), Wage::Hourly(5), Wage::Hourly(2_451), Wage::AtLeast]
    {
        assert_eq!(Wage::parse(&wage.to_text()), Some(wage));
    }
    for wrong in ["", "-1", "x", "1.5", "/h", "x/h", "-2/h"] {
        assert_eq!(Wage::parse(wrong), None, "{wrong}");
    }
}

proptest! {
    #[test]
    fn every_estimate_can_be_worked_out_again_from_its_explanation_and_lies_between_its_wages(
        parts in proptest::collection::vec((1_i64..1_000_000, 0_u32..300_000, any::<bool>(), 0_usize..5), 1..6),
    ) {
        let total: i64 = parts.iter().map(|part| part.0).sum();
        let mut left = 1_000_000;
        let mut occupations = Vec::new();
        for (place, (weight, dollars, hourly, level)) in parts.iter().enumerate() {
            let share = if place + 1 == parts.len() { left } else { weight * 1_000_000 / total };
            left -= share;
            let wage = if *hourly { Wage::Hourly(dollars % 20_000) } else { Wage::Yearly(*dollars) };
            let wages = vec![None, Some([Some(wage); 5]), None];
            let made = occupation(Level::ALL[*level], "0", wages);
            occupations.push(Occupation { share: Amount::from_millionths(share), ..made });
        }
        let basis = basis(occupations);
        let estimate = Amount::parse(&result(&basis)).unwrap();
        let yearly = basis.occupations.iter().map(|o| o.wage_at(o.level).unwrap().wage.dollars_per_year(basis.floor));
        let (low, high) = (yearly.clone().min().unwrap(), yearly.max().unwrap());
        prop_assert!(estimate >= low && estimate <= high, "{estimate} is not between {low} and {high}");
    }
}
