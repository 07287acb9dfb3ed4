use jiff::civil::date;

use super::golden_tests::dollars;
use super::residence::*;

fn work(state: &str, weight: u32) -> Work {
    Work { state: state.into(), weight, office: None, home: None }
}

fn remote(state: &str, weight: u32, office: &str) -> Work {
    Work { office: Some(office.into()), ..work(state, weight) }
}

/// Returns an employee whose home is in one state, with all rules confirmed.
fn living(home: &str, work: Vec<Work>) -> Whereabouts {
    let confirmed = work.iter().map(|one| one.state.clone()).chain([home.to_owned()]).collect();
    let homes = vec![Home { state: home.into(), days: 14 }];
    Whereabouts { work, homes, confirmed, ..Whereabouts::default() }
}

fn with_form(mut whereabouts: Whereabouts, work: &str, home: &str) -> Whereabouts {
    whereabouts.certificates.insert((work.into(), home.into()));
    whereabouts
}

/// Returns each decision as "state part/whole withholding".
fn lines_of(whereabouts: &Whereabouts) -> Vec<String> {
    let decisions = decide_withholding(Tables::built_in(), date(2026, 6, 30), whereabouts);
    let line = |decision: &Decision| {
        let Decision { state, share, withholding, .. } = decision;
        let what = match withholding {
            Withholding::Full => "in full".to_owned(),
            Withholding::Excess(over) => format!("above {}", over.join(" ")),
            Withholding::Nothing => "nothing".to_owned(),
        };
        format!("{state} {}% {what}", u64::from(share.part) * 100 / u64::from(share.of))
    };
    let unworked = decisions.unworked.iter().map(|one| format!("{}: {}", one.code, one.why));
    decisions.decisions.iter().map(line).chain(unworked).collect()
}

#[test]
fn a_new_jersey_resident_in_new_york_bears_new_york_and_what_new_jersey_takes_above() {
    let whereabouts = living("NJ", vec![work("NY", 10)]);
    assert_eq!(lines_of(&whereabouts), ["NJ 100% above NY", "NY 100% in full"]);
}

#[test]
fn a_pennsylvanian_in_new_jersey_bears_pennsylvania_alone_once_the_form_is_on_file() {
    let whereabouts = living("PA", vec![work("NJ", 10)]);
    assert_eq!(lines_of(&whereabouts), ["NJ 100% in full", "PA 100% above NJ"]);
    assert_eq!(lines_of(&with_form(whereabouts, "NJ", "PA")), ["NJ 100% nothing", "PA 100% in full"]);
}

#[test]
fn kentucky_and_ohio_have_an_agreement_that_leaves_local_taxes() {
    let whereabouts = with_form(living("KY", vec![work("OH", 10)]), "OH", "KY");
    assert_eq!(lines_of(&whereabouts), ["KY 100% in full", "OH 100% nothing"]);
    let decisions = decide_withholding(Tables::built_in(), date(2026, 6, 30), &whereabouts);
    let ohio = decisions.decisions.iter().find(|one| one.state == "OH").unwrap();
    assert!(!ohio.relieves_local);
    assert_eq!(
        ohio.reason.to_string(),
        "does not tax residents of the other state who gave form IT 4 (section III; older IT-4NR)"
    );
}

#[test]
fn the_district_takes_nothing_of_marylands_residents_and_maryland_nothing_of_the_districts_with_the_form() {
    assert_eq!(lines_of(&living("MD", vec![work("DC", 10)])), ["DC 100% nothing", "MD 100% in full"]);
    let whereabouts = with_form(living("DC", vec![work("MD", 10)]), "MD", "DC");
    assert_eq!(lines_of(&whereabouts), ["DC 100% in full", "MD 100% nothing"]);
    let decisions = decide_withholding(Tables::built_in(), date(2026, 6, 30), &whereabouts);
    assert!(decisions.decisions[1].relieves_local);
}

#[test]
fn illinois_and_indiana_have_no_agreement_so_that_a_form_changes_nothing() {
    let expected = ["IL 100% in full", "IN 100% above IL"];
    let whereabouts = living("IN", vec![work("IL", 10)]);
    assert_eq!(lines_of(&whereabouts), expected);
    assert_eq!(lines_of(&with_form(whereabouts, "IL", "IN")), expected);
}

#[test]
fn wisconsin_lets_residents_off_whose_pay_bears_minnesotas_withholding() {
    let whereabouts = with_form(living("WI", vec![work("MN", 10)]), "MN", "WI");
    assert_eq!(lines_of(&whereabouts), ["MN 100% in full", "WI 100% nothing"]);
    assert_eq!(lines_of(&living("WI", vec![work("IA", 10)])), ["IA 100% in full", "WI 100% in full"]);
}

#[test]
fn a_nevadan_in_california_bears_california_and_a_californian_in_nevada_california() {
    assert_eq!(lines_of(&living("NV", vec![work("CA", 10)])), ["CA 100% in full"]);
    assert_eq!(lines_of(&living("CA", vec![work("NV", 10)])), ["CA 100% in full", "NV 100% nothing"]);
}

#[test]
fn days_at_home_in_connecticut_for_an_office_in_new_york_are_new_yorks() {
    let whereabouts = living("CT", vec![work("NY", 4), remote("CT", 6, "NY")]);
    assert_eq!(lines_of(&whereabouts), ["CT 100% above NY", "NY 40% in full", "NY 60% in full"]);
    // At the employer's necessity, not the employee's convenience: the days are Connecticut's.
    let whereabouts = living("CT", vec![work("NY", 4), work("CT", 6)]);
    assert_eq!(lines_of(&whereabouts), ["CT 100% above NY", "NY 40% in full"]);
    // Connecticut reciprocates, but not toward residents of states that have no such rule.
    assert_eq!(
        lines_of(&living("NY", vec![remote("NY", 10, "CT")])),
        ["CT 100% in full", "NY 100% above CT"]
    );
    assert_eq!(lines_of(&living("RI", vec![remote("RI", 10, "CT")])), ["RI 100% in full"]);
}

#[test]
fn a_softened_convenience_rule_is_not_used_until_it_is_confirmed() {
    let mut whereabouts = living("IA", vec![remote("IA", 10, "NE")]);
    let told_apart = lines_of(&whereabouts);
    assert_eq!(told_apart[0], "IA 100% in full");
    assert!(told_apart[1].starts_with("NE_INCOME: the figure is in doubt"), "{told_apart:?}");
    whereabouts.confirmed.insert("NE".into());
    whereabouts
        .presence
        .insert("NE".into(), Presence { days: Some(100), of_year: Some(dollars("90000")), of_quarter: None });
    assert_eq!(lines_of(&whereabouts), ["IA 100% nothing", "NE 100% in full"]);
}

#[test]
fn a_threshold_lets_the_first_days_off_and_home_takes_them() {
    let mut whereabouts = living("CO", vec![work("CO", 8), work("IL", 2)]);
    whereabouts.presence.insert("IL".into(), Presence { days: Some(30), ..Presence::default() });
    assert_eq!(lines_of(&whereabouts), ["CO 100% in full", "IL 20% nothing"]);
    whereabouts.presence.insert("IL".into(), Presence { days: Some(31), ..Presence::default() });
    assert_eq!(lines_of(&whereabouts), ["CO 80% in full", "CO 20% nothing", "IL 20% in full"]);
    whereabouts.presence.clear();
    let decisions = decide_withholding(Tables::built_in(), date(2026, 6, 30), &whereabouts);
    let illinois = decisions.decisions.iter().find(|one| one.state == "IL").unwrap();
    assert_eq!(illinois.reason, Reason::ThresholdNotCounted);
}

#[test]
fn georgia_and_maine_need_both_thresholds_passed_and_alabama_a_state_with_a_like_one() {
    let days = |state: &str, home: &str, days, earned: &str| {
        let mut whereabouts = living(home, vec![work(state, 10)]);
        let presence = Presence { days: Some(days), of_year: Some(dollars(earned)), of_quarter: None };
        whereabouts.presence.insert(state.into(), presence);
        lines_of(&whereabouts).contains(&format!("{state} 100% in full"))
    };
    assert!(!days("GA", "SC", 24, "4999.99"));
    assert!(!days("GA", "SC", 23, "9000"));
    assert!(days("GA", "SC", 24, "5000.01"));
    assert!(days("ME", "NH", 13, "3000.01"));
    assert!(!days("ME", "NH", 12, "9000"));
    // Mississippi taxes from the first day, Tennessee not at all.
    assert!(days("AL", "MS", 10, "2000"));
    assert!(!days("AL", "TN", 10, "2000"));
}

#[test]
fn minnesota_and_oregon_are_not_withheld_for_while_the_pay_expected_there_stays_below_the_standard_deduction()
{
    let with = |state: &str, home: &str, days, earned: &str| {
        let mut whereabouts = living(home, vec![work(home, 10 - days), work(state, days)]);
        let presence = Presence { days: Some(days), of_year: Some(dollars(earned)), of_quarter: None };
        whereabouts.presence.insert(state.into(), presence);
        whereabouts.confirmed.clear();
        lines_of(&whereabouts).contains(&format!("{state} {}% in full", days * 10))
    };
    assert!(!with("MN", "SD", 1, "15300") && with("MN", "SD", 1, "15300.01"));
    assert!(!with("OR", "WA", 1, "2910") && with("OR", "WA", 1, "2910.01"));
    // An employee who works mostly there is expected to earn more, from the first day on.
    assert!(with("MN", "SD", 6, "400") && with("OR", "WA", 10, "400"));
}

#[test]
fn a_move_in_the_middle_of_the_period_divides_the_wages_by_days() {
    let mut whereabouts = living("NJ", vec![work("NJ", 10)]);
    whereabouts.homes = vec![Home { state: "NJ".into(), days: 7 }, Home { state: "PA".into(), days: 7 }];
    whereabouts.confirmed.insert("PA".into());
    assert_eq!(
        lines_of(&with_form(whereabouts, "NJ", "PA")),
        ["NJ 50% in full", "NJ 50% nothing", "PA 50% in full"]
    );
}

#[test]
fn a_home_rule_from_memory_is_told_and_not_used() {
    let mut whereabouts = living("PA", vec![work("NY", 10)]);
    whereabouts.confirmed.clear();
    assert_eq!(
        lines_of(&whereabouts),
        [
            "NY 100% in full",
            "PA_INCOME: the figure is not confirmed by a second source: compare it with the authority's notice and confirm it"
        ]
    );
}

#[test]
fn home_rules_that_were_read_count_without_a_confirmation() {
    for (home, expected) in [
        ("AL", "AL 100% nothing"),
        ("AZ", "AZ 100% nothing"),
        ("KS", "KS 100% above CO"),
        ("ND", "ND 100% nothing"),
        ("NJ", "NJ 100% above CO"),
        ("NM", "NM 100% in full"),
        ("UT", "UT 100% above CO"),
    ] {
        let mut whereabouts = living(home, vec![work("CO", 10)]);
        whereabouts.confirmed.clear();
        let mut expected = [expected, "CO 100% in full"];
        expected.sort_unstable();
        assert_eq!(lines_of(&whereabouts), expected, "{home}");
    }
}

#[test]
fn every_state_and_home_is_decided_or_told_and_nobody_is_taxed_on_more_than_the_wages() {
    let states: Vec<&str> = crate::check::STATES.iter().map(|(code, _)| *code).collect();
    for home in &states {
        for at in &states {
            let whereabouts = living(home, vec![work(at, 7), work(home, 3)]);
            let decisions = decide_withholding(Tables::built_in(), date(2026, 6, 30), &whereabouts);
            assert_eq!(decisions.unworked, [], "{home} {at}");
            for state in [home, at] {
                let parts = decisions.decisions.iter().filter(|one| one.state == *state);
                let part: u32 = parts.map(|one| one.share.part).sum();
                assert!((1..=140).contains(&part) || home == at, "{home} {at} {state} {part}");
            }
        }
    }
}

#[test]
fn the_order_of_work_and_homes_changes_nothing() {
    let forward = living("CT", vec![work("NY", 3), remote("CT", 5, "NY"), work("MA", 2)]);
    let mut backward = forward.clone();
    backward.work.reverse();
    assert_eq!(lines_of(&forward), lines_of(&backward));
}

#[test]
fn no_work_or_no_home_is_told() {
    let lines = lines_of(&Whereabouts::default());
    assert_eq!(
        lines,
        [
            "US_INCOME: where the employee lived and worked in the period is missing: it is answered with the address, by the employee for the home and by the employer for a work location"
        ]
    );
}

#[test]
fn an_agreement_from_memory_is_not_applied_until_it_is_confirmed() {
    let csv = "work_state,residence_state,kind,form,relieves_local,condition,effective_since,effective_to,confidence,source\n\
               OH,KY,agreement,IT 4,no,,,2026-12-31,memory,law\n";
    let table = super::ReciprocityTable::parse(csv).unwrap();
    assert!(table.get("OH", "KY", date(2026, 12, 31)).is_some());
    assert!(table.get("OH", "KY", date(2027, 1, 1)).is_none(), "the agreement has ended");
    let tables = Tables { reciprocity: &table, ..Tables::built_in() };
    let mut whereabouts = with_form(living("KY", vec![work("OH", 10)]), "OH", "KY");
    let reason = |whereabouts: &Whereabouts| {
        let decisions = decide_withholding(tables, date(2026, 6, 30), whereabouts);
        decisions.decisions.into_iter().find(|one| one.state == "OH").unwrap().reason
    };
    assert_eq!(reason(&whereabouts), Reason::Reciprocity("IT 4".into()));
    whereabouts.confirmed.remove("OH");
    assert_eq!(reason(&whereabouts), Reason::AgreementUnconfirmed);
}

#[test]
fn by_courtesy_withholding_the_home_state_gets_what_it_does_not_ask_the_employer_for() {
    let lives_in_colorado = living("CO", vec![work("NY", 10)]);
    assert_eq!(lines_of(&lives_in_colorado), ["CO 100% nothing", "NY 100% in full"]);
    let asked = Whereabouts { courtesy: true, ..lives_in_colorado };
    assert_eq!(lines_of(&asked), ["CO 100% above NY", "NY 100% in full"]);
    let decisions = decide_withholding(Tables::built_in(), date(2026, 6, 30), &asked);
    assert!(decisions.decisions[0].reason.to_string().contains("by courtesy withholding"));
    // A rule that is not followed needs no confirmation.
    let in_alabama = Whereabouts {
        confirmed: std::collections::BTreeSet::new(),
        courtesy: true,
        ..living("AL", vec![work("NY", 10)])
    };
    assert_eq!(lines_of(&in_alabama), ["AL 100% above NY", "NY 100% in full"]);
}
