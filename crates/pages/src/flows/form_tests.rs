//! Tests of parsing forms, and of what controls show again.

use jiff::civil::date;

use super::*;

#[test]
fn every_field_that_a_refusal_names_is_marked_once_however_deep_it_lies() {
    let deep = Violation::nested(
        "states",
        vec![Violation::nested("CA", vec![Violation::invalid("allowances", "x")])],
    );
    let problems =
        Problems::from_violations(&[Violation::invalid("zip", "x"), Violation::invalid("zip", "y"), deep]);
    assert_eq!(problems.keys, ["zip", "allowances"]);
}

#[test]
fn an_empty_line_is_refused_where_it_is_needed_and_clears_where_it_is_not() {
    let form = Form::parse(b"first_name=+&street_2=+&city=+San+Antonio+");
    assert!(matches!(form.required_text("first_name"), Patch::Value(text) if text.is_empty()));
    assert!(matches!(form.clearable_text("street_2"), Patch::Null));
    assert!(matches!(form.required_text("city"), Patch::Value(text) if text == "San Antonio"));
}

#[test]
fn a_date_is_taken_as_people_write_it_and_nothing_is_guessed() {
    for written in ["07/31/1990", "7-31-1990", "1990-07-31", "7 31 1990", "07.31.1990"] {
        assert_eq!(written_date(written).unwrap().to_string(), "1990-07-31", "{written}");
    }
    for wrong in
        ["", "7/31/90", "31/7/1990", "2/30/1990", "7/31", "July 31, 1990", "1/2/3/1990", "+7/31/1990"]
    {
        assert_eq!(written_date(wrong), None, "{wrong}");
    }
    let three = Form::parse(b"birth.month=7&birth.day=+31&birth.year=1990");
    assert!(matches!(three.date_entry("birth"), Patch::Value(day) if day == date(1990, 7, 31)));
    let pasted = Form::parse(b"birth.month=07%2F31%2F1990&birth.day=&birth.year=");
    assert!(matches!(pasted.date_entry("birth"), Patch::Value(day) if day == date(1990, 7, 31)));
    let nothing = Form::parse(b"birth.month=&birth.day=&birth.year=");
    assert!(matches!(nothing.clearable_date("birth"), Patch::Null));
}

#[test]
fn a_number_that_identifies_is_never_sent_back() {
    let form = Form::parse(b"ssn=412-55-1077");
    assert_eq!(Control::secret_field("ssn", "").with_value(Some(&form), None).value, "");
}

#[test]
fn a_draft_holds_what_was_entered_but_no_number_that_identifies() {
    let form = Form::parse(
        b"form_token=t&version=v&first_name=Zo%C3%AB+%26+co&ssn=412-55-1077&account_number=99&document_number=A1",
    );
    let draft = Form::parse(form.draft_entries().as_bytes());
    let kept = [("version", "v"), ("first_name", "Zo\u{eb} & co")];
    assert_eq!(draft.0, kept.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn what_was_not_touched_stays_as_it_was_changed_elsewhere_and_what_both_changed_is_a_conflict() {
    let form = Form::parse(b"was.rate=2.5&rate=2.5&was.number=1&number=+7&plain=3");
    assert_eq!(form.watched_entry("rate", "2.5").unwrap(), Entry::Entered("2.5"));
    assert_eq!(form.watched_entry("rate", "3.1").unwrap(), Entry::Untouched);
    assert_eq!(form.watched_entry("number", "1").unwrap(), Entry::Entered("7"));
    assert_eq!(form.watched_entry("number", "7").unwrap(), Entry::Entered("7"), "both say the same");
    assert!(matches!(form.watched_entry("number", "8"), Err(Error::Stale(_))));
    assert_eq!(form.watched_entry("plain", "9").unwrap(), Entry::Entered("3"));

    let shown = |name: &str, stored: &str, problems: &Problems| {
        let control =
            Control::text_line(name, "", "off").with_watched_value(Some(&form), Some(stored), problems);
        (control.value, control.was.unwrap())
    };
    let pair = |value: &str, was: &str| (value.to_owned(), was.to_owned());
    let refused = Problems::at_field("number");
    assert_eq!(shown("rate", "3.1", &refused), pair("3.1", "3.1"));
    assert_eq!(shown("number", "8", &refused), pair(" 7", "1"), "the conflict is still there");
    assert_eq!(shown("number", "8", &Problems::stale_record()), pair(" 7", "8"), "it was told");
}

#[test]
fn a_whole_date_in_the_first_field_comes_back_in_three() {
    let whole = Form::parse(b"birth.month=07%2F31%2F1990&birth.day=&birth.year=");
    let Kind::Date { parts, .. } = Control::date_field("birth", "").with_value(Some(&whole), None).kind
    else {
        panic!()
    };
    assert_eq!(parts, ["7", "31", "1990"]);
    let wrong = Form::parse(b"birth.month=31&birth.day=7&birth.year=1990");
    let Kind::Date { parts, .. } = Control::date_field("birth", "").with_value(Some(&wrong), None).kind
    else {
        panic!()
    };
    assert_eq!(parts, ["31", "7", "1990"]);
}

#[test]
fn numbers_of_people_and_accounts_are_not_shown_again() {
    let form = Form::parse(
        b"form_token=t&name=Savings&account_number=123&account_number_again=123&ssn=412551077&ssn_last_four=1077&ein=1&document_number=A",
    );
    let shown = form.without_secrets();
    assert_eq!(shown.control_names().collect::<Vec<_>>(), ["form_token", "name"]);
}
