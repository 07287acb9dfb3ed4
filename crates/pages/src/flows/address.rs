//! Where the employee lives, and, to read, where the employee works.

use rules::Violation;
use store::Tx;

use super::form::{Control, Form, Problems, states};
use super::frame::Frame;
use super::plain;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::fill;
use domain::patch::Patch;
use domain::people::addresses::commands::{CreateHomeAddress, UpdateHomeAddress};
use domain::people::addresses::rows::HomeAddress;
use domain::people::addresses::service;
use domain::people::flows::session::Visitor;
use domain::records::version_text;
use domain::salary::wages::zip_areas::ZipAreas;

fn active(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Option<HomeAddress>, Error> {
    let all = service::home_addresses(tx, &visitor.caller, visitor.employee)?;
    Ok(all.into_iter().find(|home| home.active).map(|home| home.address))
}

pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let held = active(tx, visitor)?;
    let t = frame.texts;
    let controls = controls(t, held.as_ref(), entered, &problems);
    let work =
        service::list_work(tx, &visitor.caller, visitor.employee)?.into_iter().find(|work| work.active);
    let place = work.map_or_else(
        || t.work_address_none.to_owned(),
        |work| {
            let at = work.address;
            format!("{}, {}, {} {}. {}", at.street_1, at.city, at.state, at.zip, t.work_address_wrong)
        },
    );
    let version = held.map(|home| version_text(service::HOME, home.id, home.version)).unwrap_or_default();
    plain::form(frame, t.address_title, &version, controls, &problems, &[(t.work_address, place)])
}

/// What is held, for the review.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = active(tx, visitor)?;
    Ok(Fact::of(&controls(frame.texts, held.as_ref(), None, &Problems::default()), frame.texts))
}

/// An address that is held.
pub struct Held<'h> {
    pub street_1: &'h str,
    pub street_2: Option<&'h str>,
    pub city: &'h str,
    pub state: &'h str,
    pub zip: &'h str,
}

/// The lines of an address; `second` is what the second one is called.
pub fn lines(
    t: &'static Texts,
    second: &str,
    held: Option<&Held<'_>>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let line = |name: &str, label: &str, autocomplete, stored: Option<&str>, wrong: &str| {
        Control::line(name, label, autocomplete).holding(entered, stored).judged(problems, wrong)
    };
    vec![
        line("street_1", t.street_1, "address-line1", held.map(|h| h.street_1), t.wrong_street_1),
        line("street_2", second, "address-line2", held.and_then(|h| h.street_2), t.wrong_street_2).optional(),
        line("city", t.city, "address-level2", held.map(|h| h.city), t.wrong_city),
        Control { autocomplete: "address-level1", ..Control::select("state", t.state, states()) }
            .holding(entered, held.map(|h| h.state))
            .judged(problems, t.wrong_state),
        line("zip", t.zip, "postal-code", held.map(|h| h.zip), &zip_problem(t, problems)).keyboard("numeric"),
    ]
}

fn controls(
    t: &'static Texts,
    held: Option<&HomeAddress>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let courtesy = match entered {
        Some(form) => form.ticked("courtesy_withholding"),
        None => held.is_some_and(|home| home.courtesy_withholding),
    };
    let held = held.map(|home| Held {
        street_1: &home.street_1,
        street_2: home.street_2.as_deref(),
        city: &home.city,
        state: &home.state,
        zip: &home.zip,
    });
    let mut controls = lines(t, t.street_2, held.as_ref(), entered, problems);
    controls
        .push(Control::tick("courtesy_withholding", t.courtesy_withholding, courtesy).help(t.courtesy_help));
    controls
}

/// What is wrong with a ZIP code: its form, or that it lies in another state.
pub fn zip_problem(t: &'static Texts, problems: &Problems) -> String {
    match problems.detail(ELSEWHERE).and_then(state_name) {
        Some(state) => fill(t.wrong_zip_state, &[("state", state)]),
        None => t.wrong_zip.to_owned(),
    }
}

fn state_name(code: &str) -> Option<&'static str> {
    rules::check::STATES.iter().find(|(known, _)| *known == code).map(|(_, name)| *name)
}

/// The state in which a ZIP code lies, where it is known and not the one that was chosen. Only states that can be chosen
/// are told.
pub fn zip_elsewhere(zips: &ZipAreas, form: &Form) -> Option<Violation> {
    let zip = form.get("zip").unwrap_or_default().trim();
    let place = zips.find(zip.get(..5)?)?;
    let code = std::str::from_utf8(&place.state).ok()?;
    let elsewhere = state_name(code).is_some() && form.get("state").is_some_and(|state| state != code);
    let chosen = form.get("state").is_some_and(|state| !state.is_empty());
    (elsewhere && chosen).then(|| Violation::invalid("zip", format!("{ELSEWHERE}{code}")))
}

/// What the message of a violation begins with that tells the state.
const ELSEWHERE: &str = "the ZIP code lies in ";

pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form, zips: Option<&ZipAreas>) -> Result<(), Error> {
    let stored = store_address(tx, visitor, form);
    let elsewhere = zips.and_then(|zips| zip_elsewhere(zips, form));
    match (stored, elsewhere) {
        (Ok(()), Some(wrong)) => Err(Error::from(wrong)),
        (stored, _) => stored,
    }
}

fn store_address(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let (street_1, street_2) = (form.needed("street_1"), form.clearable("street_2"));
    let (city, state, zip) = (form.needed("city"), form.needed("state"), form.needed("zip"));
    let courtesy_withholding = Patch::Value(form.ticked("courtesy_withholding"));
    // The page was made without an address when its version is empty; another one may have come meanwhile.
    match active(tx, visitor)? {
        Some(held) => {
            let version = form.needed("version");
            let input = UpdateHomeAddress {
                version,
                street_1,
                street_2,
                city,
                state,
                zip,
                courtesy_withholding,
                ..Default::default()
            };
            service::update_home(tx, &visitor.caller, held.id, &input).map(drop)
        }
        None => {
            let input = CreateHomeAddress {
                street_1,
                street_2,
                city,
                state,
                zip,
                courtesy_withholding,
                ..Default::default()
            };
            service::create_home(tx, &visitor.caller, visitor.employee, &input).map(drop)
        }
    }
}
