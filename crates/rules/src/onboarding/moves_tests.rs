//! Tests of the transitions, one by one and as a complete table.

use super::*;
use crate::onboarding::steps::is_required;
use jiff::civil::date;
use proptest::prelude::*;

const TODAY: Date = date(2026, 6, 15);
const READY: InviteFacts =
    InviteFacts { names: true, start_date: true, work_address: true, compensation: true };

/// Returns the facts of an employee with every step marked except the review.
fn everything() -> Facts {
    marked(&Step::ALL[..9])
}

/// Returns the facts of an employee with no data except the partner's marks.
fn marked(steps: &[Step]) -> Facts {
    Facts { marked: steps.iter().copied().collect(), ..Facts::default() }
}

fn keys(violations: &[Violation]) -> Vec<&str> {
    violations.iter().map(|violation| violation.key.as_str()).collect()
}

/// Rows: from; columns: to, in the order of `Status::ALL`. `=` is the current status, `+` a transition that a
/// partner may request, `.` one that is refused.
const ASKED_FOR: [(&str, &str); 8] = [
    ("admin_onboarding_incomplete", "= + + . . . . +"),
    ("self_onboarding_pending_invite", "+ = + . . . . +"),
    ("self_onboarding_invited", "+ . = . . . . +"),
    ("self_onboarding_invited_started", ". . . = . . . +"),
    ("self_onboarding_invited_overdue", ". . . . = . . +"),
    ("self_onboarding_completed_by_employee", ". . . . . = + +"),
    ("self_onboarding_awaiting_admin_review", ". . . . . . = +"),
    ("onboarding_completed", ". . . . . . . ="),
];

#[test]
fn a_partner_may_ask_for_the_moves_of_the_table_and_for_no_other() {
    for (from, row) in ASKED_FOR {
        let from = Status::parse(from).unwrap();
        for (to, cell) in Status::ALL.iter().copied().zip(row.split(' ')) {
            let answer = requested_status(from, to, &everything(), &READY);
            match cell {
                "=" | "+" => assert_eq!(answer, Ok(to), "{from:?} to {to:?}"),
                _ => assert_eq!(keys(&answer.unwrap_err()), ["onboarding_status"], "{from:?} to {to:?}"),
            }
            assert_eq!(cell == "=", from == to);
        }
    }
}

#[test]
fn the_automatic_moves_start_where_the_table_says() {
    let [started, overdue] = [Some(SelfOnboardingInvitedStarted), Some(SelfOnboardingInvitedOverdue)];
    let [done, review] = [Some(SelfOnboardingCompletedByEmployee), Some(SelfOnboardingAwaitingAdminReview)];
    // Columns: the link is opened, the start date passes, the employee is done, every step is marked.
    let golden = [
        (AdminOnboardingIncomplete, [None, None, None, review]),
        (SelfOnboardingPendingInvite, [started, None, done, review]),
        (SelfOnboardingInvited, [started, overdue, done, review]),
        (SelfOnboardingInvitedStarted, [None, None, done, review]),
        (SelfOnboardingInvitedOverdue, [started, None, done, review]),
        (SelfOnboardingCompletedByEmployee, [None, None, None, review]),
        (SelfOnboardingAwaitingAdminReview, [None; 4]),
        (OnboardingCompleted, [None; 4]),
    ];
    for (from, expected) in golden {
        let found = [
            status_once_opened(from),
            became_overdue(from, (Some(date(2026, 6, 1)), None), TODAY, 0),
            employee_finished(from, &everything()),
            after_marking(from, &everything()),
        ];
        assert_eq!(found, expected, "{from:?}");
    }
}

#[test]
fn a_refused_move_names_the_allowed_ones() {
    let refuse = |from, to| requested_status(from, to, &everything(), &READY).unwrap_err().remove(0);
    let refused = refuse(SelfOnboardingInvited, SelfOnboardingInvitedStarted);
    assert_eq!(refused.category, Category::InvalidOperation);
    assert_eq!(
        refused.message,
        "onboarding_status cannot move from self_onboarding_invited to self_onboarding_invited_started; \
         allowed from here: admin_onboarding_incomplete, onboarding_completed"
    );
    let refused = refuse(OnboardingCompleted, AdminOnboardingIncomplete);
    assert!(
        refused.message.ends_with("onboarding is finished and nothing follows it"),
        "{}",
        refused.message
    );
}

#[test]
fn an_employee_can_only_be_invited_with_a_start_date() {
    let invite = InviteFacts { start_date: false, ..READY };
    let refused =
        requested_status(SelfOnboardingPendingInvite, SelfOnboardingInvited, &Facts::default(), &invite)
            .unwrap_err();
    assert_eq!(keys(&refused), ["start_date"]);
}

#[test]
fn everything_that_is_missing_for_an_invitation_is_reported_at_once() {
    let nothing = InviteFacts::default();
    let refused = requested_status(AdminOnboardingIncomplete, SelfOnboardingInvited, &everything(), &nothing)
        .unwrap_err();
    assert_eq!(keys(&refused), ["first_name", "start_date", "work_address", "compensation"]);
    let again = requested_status(SelfOnboardingInvited, SelfOnboardingInvited, &everything(), &nothing);
    assert_eq!(again, Ok(SelfOnboardingInvited), "asking for the present status changes and needs nothing");
}

#[test]
fn onboarding_finishes_without_direct_deposit_and_without_a_marked_review() {
    let mut facts = everything();
    facts.marked = facts.marked.iter().filter(|step| *step != Step::DirectDepositSetup).collect();
    for &from in Status::ALL {
        assert_eq!(
            requested_status(from, OnboardingCompleted, &facts, &READY),
            Ok(OnboardingCompleted),
            "{from:?}"
        );
    }
}

#[test]
fn whom_an_administrator_onboards_alone_has_finished_with_the_last_required_step() {
    let mut facts = everything();
    facts.documents_asked = false;
    let unsigned = facts.marked.iter().filter(|step| *step != Step::EmployeeFormSigning).collect();
    facts.marked = unsigned;
    for &from in Status::ALL {
        let to = (from == AdminOnboardingIncomplete).then_some(OnboardingCompleted);
        assert_eq!(administrator_finished(from, &facts), to, "{from:?}");
    }
    let asked = Facts { documents_asked: true, ..facts.clone() };
    assert_eq!(administrator_finished(AdminOnboardingIncomplete, &asked), None, "a signature is asked for");
    facts.marked = facts.marked.iter().filter(|step| *step != Step::FileNewHireReport).collect();
    assert_eq!(administrator_finished(AdminOnboardingIncomplete, &facts), None);
}

#[test]
fn onboarding_with_open_steps_cannot_finish_and_says_which_they_are() {
    let facts =
        marked(&[Step::PersonalDetails, Step::AddWorkAddress, Step::AddHomeAddress, Step::StateTaxSetup]);
    let refused =
        requested_status(SelfOnboardingAwaitingAdminReview, OnboardingCompleted, &facts, &READY).unwrap_err();
    assert_eq!(keys(&refused), ["base"]);
    let open = ["compensation_details", "federal_tax_setup", "employee_form_signing", "file_new_hire_report"];
    assert_eq!(refused[0].metadata, Some(json!({ "open_steps": open })));
}

#[test]
fn a_step_cannot_be_marked_before_its_requirements() {
    let refused = mark_steps(
        SelfOnboardingInvited,
        &marked(&[Step::AddWorkAddress]),
        &[Step::EmployeeFormSigning, Step::StateTaxSetup],
    )
    .unwrap_err();
    let metadata: Vec<_> = refused.into_iter().filter_map(|violation| violation.metadata).collect();
    let expected = [
        json!({ "id": "state_tax_setup", "requirements": ["add_home_address"] }),
        json!({ "id": "employee_form_signing", "requirements": ["federal_tax_setup"] }),
    ];
    assert_eq!(metadata, expected);
}

#[test]
fn requirements_are_met_by_data_by_earlier_marks_and_by_the_same_call() {
    let facts = Facts { federal_tax: true, ..marked(&[Step::AddWorkAddress]) };
    let marks = [Step::EmployeeFormSigning, Step::StateTaxSetup, Step::AddHomeAddress];
    let kept = mark_steps(AdminOnboardingIncomplete, &facts, &marks).unwrap();
    let expected =
        [Step::AddWorkAddress, Step::AddHomeAddress, Step::StateTaxSetup, Step::EmployeeFormSigning];
    assert_eq!(kept, expected.into_iter().collect());
    assert_eq!(mark_steps(AdminOnboardingIncomplete, &facts, &[]), Ok(facts.marked));
}

#[test]
fn nothing_is_marked_after_the_end_and_no_review_without_self_onboarding() {
    assert_eq!(
        keys(&mark_steps(OnboardingCompleted, &everything(), &[Step::AdminReview]).unwrap_err()),
        ["onboarding_steps"]
    );
    assert_eq!(mark_steps(OnboardingCompleted, &everything(), &[]), Ok(everything().marked));
    let refused = mark_steps(AdminOnboardingIncomplete, &everything(), &[Step::AdminReview]).unwrap_err();
    assert_eq!(refused[0].message, "admin_review is a step of self-onboarding only");
}

#[test]
fn an_open_optional_step_keeps_marks_from_calling_the_employer() {
    let facts = marked(&[&Step::ALL[..6], &Step::ALL[7..9]].concat());
    assert!(!facts.is_complete(Step::DirectDepositSetup));
    assert_eq!(after_marking(SelfOnboardingInvitedStarted, &facts), None);
    assert_eq!(
        employee_finished(SelfOnboardingInvitedStarted, &facts),
        Some(SelfOnboardingCompletedByEmployee)
    );
}

#[test]
fn an_invited_employee_is_overdue_only_when_the_start_date_has_passed() {
    let overdue = |start, grace| became_overdue(SelfOnboardingInvited, (start, None), TODAY, grace).is_some();
    assert!(overdue(Some(date(2026, 6, 14)), 0));
    assert!(!overdue(Some(TODAY), 0));
    assert!(!overdue(Some(date(2026, 6, 16)), 0));
    assert!(!overdue(Some(date(2026, 6, 12)), 3));
    assert!(overdue(Some(date(2026, 6, 11)), 3));
    assert!(!overdue(None, 0));
    assert!(!overdue(Some(date(2026, 6, 1)), i32::MAX));
    assert!(!overdue(Some(Date::MAX), 1));
}

#[test]
fn the_later_of_invitation_and_start_date_counts_for_being_overdue() {
    let overdue = |start, invited| {
        became_overdue(SelfOnboardingInvited, (Some(start), Some(invited)), TODAY, 0).is_some()
    };
    let (long_ago, yesterday) = (date(2026, 5, 25), date(2026, 6, 14));
    assert!(!overdue(long_ago, TODAY), "invited today, three weeks after the start");
    assert!(overdue(long_ago, yesterday));
    assert!(!overdue(TODAY, long_ago));
    assert!(overdue(yesterday, long_ago));
}

prop_compose! {
    fn any_facts()(bits in 0u16..1024, marks in 0u16..1024) -> Facts {
        let held = |step: Step| StepSet::from_bits(bits).contains(step);
        Facts {
            personal_details: held(Step::PersonalDetails),
            compensation: held(Step::CompensationDetails),
            work_address: held(Step::AddWorkAddress),
            home_address: held(Step::AddHomeAddress),
            federal_tax: held(Step::FederalTaxSetup),
            state_tax: held(Step::StateTaxSetup),
            direct_deposit: held(Step::DirectDepositSetup),
            forms_signed: held(Step::EmployeeFormSigning),
            signature_asked: false,
            without_forms: !held(Step::EmployeeFormSigning),
            documents_asked: held(Step::AdminReview),
            new_hire_report: held(Step::FileNewHireReport),
            marked: StepSet::from_bits(marks),
        }
    }
}

proptest! {
    #[test]
    fn nothing_leads_out_of_onboarding_completed(
        facts in any_facts(), to in 0usize..7, step in 0usize..10, grace: i32
    ) {
        let end = OnboardingCompleted;
        prop_assert!(requested_status(end, Status::ALL[to], &facts, &READY).is_err());
        prop_assert!(mark_steps(end, &facts, &[Step::ALL[step]]).is_err());
        prop_assert_eq!(status_once_opened(end), None);
        prop_assert_eq!(became_overdue(end, (Some(date(2026, 6, 1)), None), TODAY, grace), None);
        prop_assert_eq!(employee_finished(end, &facts), None);
        prop_assert_eq!(after_marking(end, &facts), None);
    }

    #[test]
    fn onboarding_finishes_exactly_when_no_required_step_is_open(facts in any_facts(), from in 0usize..7) {
        let required = |step| is_required(step, Status::ALL[from], &facts);
        let open = Step::ALL[..9].iter().any(|step| required(*step) && !facts.is_complete(*step));
        let answer = requested_status(Status::ALL[from], OnboardingCompleted, &facts, &READY);
        prop_assert_eq!(answer.is_err(), open);
    }

    #[test]
    fn marks_are_never_lost_and_their_order_never_matters(
        facts in any_facts(), marks in prop::collection::vec(0usize..10, 0..5)
    ) {
        let mut chosen: Vec<_> = marks.into_iter().map(|number| Step::ALL[number]).collect();
        let forwards = mark_steps(SelfOnboardingInvited, &facts, &chosen);
        chosen.reverse();
        prop_assert_eq!(&forwards, &mark_steps(SelfOnboardingInvited, &facts, &chosen));
        if let Ok(kept) = forwards {
            prop_assert!(facts.marked.iter().chain(chosen).all(|step| kept.contains(step)));
        }
    }
}
