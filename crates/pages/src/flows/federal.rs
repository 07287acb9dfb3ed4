//! Form W-4: filing status and steps 2 to 4, with their effect on the next paycheck if pay is known.

use rules::withholding::federal::{DependentCredits, FilingStatus, W4};
use rules::{Amount, Named, Rounding, Violation};
use store::Tx;

use super::employer::with_own;
use super::form::{Choice, Control, Form, Problems};
use super::frame::Frame;
use super::number::written_number;
use super::plain;
use super::review::Fact;
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::records::version_text;
use domain::withholding::taxes::commands::UpdateFederalTaxes;
use domain::withholding::taxes::rows::{FEDERAL_TABLE, FederalTaxes, REV_2020};
use domain::withholding::taxes::service;
use interface::field::Wire;

/// People who are counted at most.
const MOST_PEOPLE: i64 = 99;
/// Fields of step 3 that count people.
const CHILDREN: &str = "children";
const OTHERS: &str = "other_dependents";

/// Step 3 as its page asks for it: people, and what is beside the credits for them.
struct Dependents {
    children: i64,
    others: i64,
    beside: Amount,
}

impl Dependents {
    /// A stored total in these terms. Few have more than three other dependents: an amount of that size is more likely another credit.
    fn of(total: Amount, credits: Option<DependentCredits>) -> Self {
        let whole = credits.and_then(|DependentCredits { child, other, .. }| {
            let children = total.millionths() / child.millionths();
            let rest = total.millionths() % child.millionths();
            let others = rest / other.millionths();
            let is_whole = rest % other.millionths() == 0;
            (children <= MOST_PEOPLE && others <= 3 && is_whole).then_some((children, others))
        });
        match whole {
            Some((children, others)) => Self { children, others, beside: Amount::ZERO },
            None => Self { children: 0, others: 0, beside: total },
        }
    }

    /// The total of step 3; `None` if it is not a sum of such fields.
    fn total(credits: Option<DependentCredits>, field: impl Fn(&str) -> String) -> Option<Amount> {
        let count = |name: &str| match field(name).trim() {
            "" => Some(0),
            text => text.parse::<i64>().ok().filter(|count| (0..=MOST_PEOPLE).contains(count)),
        };
        let beside = parse_dollars(&field(AMOUNTS[0]))?;
        let Some(DependentCredits { child, other, .. }) = credits else { return Some(beside) };
        let times = |amount: Amount, count: i64| amount.mul_ratio(count, 1, Rounding::HalfUp);
        times(child, count(CHILDREN)?)?.checked_add(times(other, count(OTHERS)?)?)?.checked_add(beside)
    }
}

const AMOUNTS: [&str; 4] = ["dependents_amount", "other_income", "deductions", "extra_withholding"];

pub fn render_w4(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let stored = service::federal::get_federal_taxes(tx, &visitor.caller, visitor.person)?;
    let number = stored.as_ref().map_or(0, |stored| stored.version);
    let version = version_text(FEDERAL_TABLE, visitor.person, number);
    let credits = service::dependent_credits(tx, &visitor.caller)?;
    let controls = w4_controls(t, stored.as_ref(), credits, entered, &problems);
    let mut facts = Vec::new();
    if let Some(w4) = draft_w4(&controls, credits)
        && let Some(preview) = service::federal_preview(tx, &visitor.caller, visitor.person, &w4)?
    {
        let [gross, withheld] = [preview.gross, preview.withheld].map(format_amount);
        let values = [("gross", &*gross), ("withheld", &*withheld)];
        facts.push((t.w4_preview, fill_placeholders(t.w4_preview_text, &values)));
    }
    plain::previewed_form(frame, t.w4_title, &version, controls, &problems, &facts)
}

/// The stored form, for the review.
pub fn w4_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let stored = service::federal::get_federal_taxes(tx, &visitor.caller, visitor.person)?;
    let credits = service::dependent_credits(tx, &visitor.caller)?;
    let controls = w4_controls(frame.texts, stored.as_ref(), credits, None, &Problems::default());
    Ok(Fact::from_controls(&controls, frame.texts))
}

fn w4_controls(
    t: &'static Texts,
    stored: Option<&FederalTaxes>,
    credits: Option<DependentCredits>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let status = |value: FilingStatus, label: &str| Choice {
        value: value.as_str().to_owned(),
        label: label.to_owned(),
    };
    let statuses = vec![
        status(FilingStatus::Single, t.w4_single),
        status(FilingStatus::Married, t.w4_married),
        status(FilingStatus::HeadOfHousehold, t.w4_head),
        status(FilingStatus::Exempt, t.w4_exempt),
    ];
    let yes_no = [("true", t.yes), ("false", t.no)];
    let yes_no =
        yes_no.map(|(value, label)| Choice { value: value.to_owned(), label: label.to_owned() }).to_vec();
    // A form from before 2020 is replaced as a whole. Before the first answer, amounts are zero.
    let (mut held_status, mut two_jobs, mut dependents) = (None, None, Amount::ZERO);
    let mut amounts = AMOUNTS.map(|_| Amount::ZERO.to_string());
    match stored.map(|stored| stored.w4) {
        Some(W4::Rev2020 {
            filing_status,
            two_jobs: jobs,
            dependents_amount,
            other_income,
            deductions,
            extra_withholding,
        }) => {
            held_status = Some(filing_status.as_str());
            two_jobs = Some(jobs.to_string());
            dependents = dependents_amount;
            amounts = [dependents_amount, other_income, deductions, extra_withholding]
                .map(|amount| amount.to_string());
        }
        Some(W4::Pre2020 { .. }) => amounts = AMOUNTS.map(|_| "0".to_owned()),
        None => {}
    }
    let money = |name: &str, label: &str, help: &str, amount: &str| {
        let control = Control::text_line(name, label, "off").in_dollars().with_help(help);
        control.with_value(entered, Some(amount)).with_problem(problems, t.wrong_money)
    };
    let [_, other_income, deductions, extra_withholding] = &amounts;
    let held = Dependents::of(dependents, credits);
    let mut controls = vec![
        Control::select_field("filing_status", t.w4_status, statuses)
            .with_help(t.w4_status_help)
            .with_value(entered, held_status)
            .with_problem(problems, t.wrong_choice),
        Control::select_field("two_jobs", t.w4_two_jobs, yes_no)
            .with_help(t.w4_two_jobs_help)
            .with_value(entered, two_jobs.as_deref())
            .with_problem(problems, t.wrong_choice),
    ];
    if let Some(credits) = credits {
        controls.extend(people_controls(t, &held, credits, entered, problems));
    }
    controls.extend([
        money("dependents_amount", t.w4_dependents, t.w4_dependents_help, &held.beside.to_string()),
        money("other_income", t.w4_other_income, t.w4_other_income_help, other_income),
        money("deductions", t.w4_deductions, t.w4_deductions_help, deductions),
        money("extra_withholding", t.w4_extra, t.w4_extra_help, extra_withholding),
    ]);
    controls
}

/// The questions for people, with what each of them counts.
fn people_controls(
    t: &'static Texts,
    held: &Dependents,
    credits: DependentCredits,
    entered: Option<&Form>,
    problems: &Problems,
) -> [Control; 2] {
    let amounts = [credits.child, credits.other, credits.income, credits.joint_income];
    let [child, other, income, joint] = amounts.map(whole_dollars);
    let values = [("child", &*child), ("other", &*other), ("income", &*income), ("joint", &*joint)];
    let people = |name: &str, label: &str, help: &str, count: i64| {
        let count = (count > 0).then(|| count.to_string());
        Control::text_line(name, label, "off")
            .with_keyboard("numeric")
            .with_help(&fill_placeholders(help, &values))
            .made_optional()
            .with_value(entered, count.as_deref())
            .with_problem(problems, t.wrong_people)
    };
    [
        people(CHILDREN, t.w4_children, t.w4_children_help, held.children),
        people(OTHERS, t.w4_others, t.w4_others_help, held.others),
    ]
}

/// The form as in the controls, if it is valid.
fn draft_w4(controls: &[Control], credits: Option<DependentCredits>) -> Option<W4> {
    let value = |name: &str| {
        controls.iter().find(|control| control.name == name).map(|control| control.value.as_str())
    };
    let money = |name: &str| parse_dollars(value(name)?).filter(|amount| *amount >= Amount::ZERO);
    Some(W4::Rev2020 {
        filing_status: FilingStatus::parse(value("filing_status")?)?,
        two_jobs: value("two_jobs") == Some("true"),
        dependents_amount: Dependents::total(credits, |name| value(name).unwrap_or_default().to_owned())
            .filter(|amount| *amount >= Amount::ZERO)?,
        other_income: money("other_income")?,
        deductions: money("deductions")?,
        extra_withholding: money("extra_withholding")?,
    })
}

/// An amount without its cents, if it has none.
fn whole_dollars(amount: Amount) -> String {
    format_amount(amount).trim_end_matches(".00").to_owned()
}

/// Formatted dollars: empty for zero.
fn parse_dollars(text: &str) -> Option<Amount> {
    if text.trim().is_empty() { Some(Amount::ZERO) } else { written_number(text) }
}

pub fn save_w4(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let money = |name: &str| {
        parse_dollars(form.get(name).unwrap_or_default())
            .map_or(Patch::Invalid(Amount::EXPECTED.into()), Patch::Value)
    };
    let text = |name: &str| Patch::Value(form.get(name).unwrap_or_default().trim().to_owned());
    let [beside, other_income, deductions, extra_withholding] = AMOUNTS.map(money);
    let credits = service::dependent_credits(tx, &visitor.caller)?;
    let total = Dependents::total(credits, |name| form.get(name).unwrap_or_default().to_owned());
    let dependents_amount = total.map_or(beside, Patch::Value);
    let command = UpdateFederalTaxes {
        version: text("version"),
        w4_data_type: Patch::Value(REV_2020.to_owned()),
        filing_status: text("filing_status"),
        two_jobs: match form.get("two_jobs") {
            Some("true") => Patch::Value(true),
            Some("false") => Patch::Value(false),
            _ => Patch::Invalid(bool::EXPECTED.into()),
        },
        dependents_amount,
        other_income,
        deductions,
        extra_withholding,
        ..UpdateFederalTaxes::default()
    };
    let stored =
        service::federal::update_federal_taxes(tx, &visitor.caller, visitor.person, &command).map(drop);
    with_own(stored, wrong_counts(form))
}

/// Problems of fields that are not numbers of people.
fn wrong_counts(form: &Form) -> Vec<Violation> {
    let is_wrong = |name: &&str| {
        let text = form.get(name).unwrap_or_default().trim();
        !text.is_empty() && !text.parse().is_ok_and(|count: i64| (0..=MOST_PEOPLE).contains(&count))
    };
    let wrong = [CHILDREN, OTHERS].into_iter().filter(is_wrong);
    wrong
        .map(|name| Violation::invalid(name, format!("{name} must be a number from 0 to {MOST_PEOPLE}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn dollars(amount: i64) -> Amount {
        Amount::from_cents(100 * amount)
    }

    const CREDITS: Option<DependentCredits> = Some(DependentCredits {
        child: dollars(2_200),
        other: dollars(500),
        income: dollars(200_000),
        joint_income: dollars(400_000),
    });

    #[test]
    fn the_page_multiplies_children_and_other_dependents_and_tells_a_stored_total_in_people_where_it_can() {
        let total = |children: &str, others: &str, beside: &str| {
            let field = |name: &str| match name {
                CHILDREN => children.to_owned(),
                OTHERS => others.to_owned(),
                _ => beside.to_owned(),
            };
            Dependents::total(CREDITS, field).map(|amount| amount.to_text(2))
        };
        assert_eq!(total("2", "1", "").as_deref(), Some("4900.00"));
        assert_eq!(total("", "", "2,000").as_deref(), Some("2000.00"));
        assert_eq!((total("two", "", ""), total("-1", "", ""), total("1.5", "", "")), (None, None, None));
        let told = |amount: i64| {
            let held = Dependents::of(dollars(amount), CREDITS);
            (held.children, held.others, held.beside.to_text(0))
        };
        assert_eq!(told(4_900), (2, 1, "0".to_owned()));
        assert_eq!(told(2_000), (0, 0, "2000".to_owned()), "a credit, rather than four other dependents");
        assert_eq!(told(2_300), (0, 0, "2300".to_owned()));
        assert_eq!(told(0), (0, 0, "0".to_owned()));
        // Where no table says what a child counts, the total is entered.
        assert_eq!(Dependents::of(dollars(4_900), None).beside.to_text(0), "4900");
        let beside = |name: &str| if name == AMOUNTS[0] { "4,900".to_owned() } else { String::new() };
        assert_eq!(Dependents::total(None, beside).unwrap().to_text(0), "4900");
    }
}
