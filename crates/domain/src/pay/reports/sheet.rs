//! Printed checks: US Letter in three parts of 3 2/3 inches, one check and two stubs. Positions match common payroll check stock with the
//! check at the top or at the bottom.

use jiff::civil::Date;
use rules::days::Days;
use rules::money::dollars_of;

use crate::language::Language;
use crate::people::forms::pdf::text::{Face, make_drawable, text_width, wrap_text};
use crate::people::forms::pdf::{INK, MUTED, PLAIN, Page, SMALL, bind_pages, draw_rule, pt, write_text};

const LEFT: i32 = pt(36);
const RIGHT: i32 = pt(576);
/// A third of the page.
const PART: i32 = pt(264);
/// Maximum number of deduction lines on a stub; if there are more, the last line gives the number of the rest.
const LINES: usize = 11;

/// A check with its stub.
pub(super) struct Printed {
    pub(super) number: i64,
    pub(super) date: Date,
    pub(super) period: Days,
    /// name and address of the company
    pub(super) payer: Vec<String>,
    /// name and address of the employee
    pub(super) payee: Vec<String>,
    /// amount in decimal
    pub(super) amount: String,
    pub(super) words: String,
    /// earnings, with hours and rates
    pub(super) earned: Vec<(String, String)>,
    /// taxes and deductions
    pub(super) taken: Vec<(String, String)>,
    /// gross pay, net pay, cash tips and reimbursements
    pub(super) sums: Vec<(String, String)>,
    /// MICR line, if enabled
    pub(super) micr: Option<String>,
}

/// Makes a PDF with one page for each check.
pub(super) fn print_all(checks: &[Printed], at_bottom: bool) -> Vec<u8> {
    let page = |printed: &Printed| {
        let mut page = Page::new();
        let (check, stubs) = if at_bottom { (2 * PART, [0, PART]) } else { (0, [PART, 2 * PART]) };
        print_check(&mut page, check, printed);
        for top in stubs {
            print_stub(&mut page, top, printed);
        }
        page
    };
    bind_pages("Payroll checks", Language::English, checks.iter().map(page).collect())
}

/// Writes text up to a width, and omits the rest.
fn write_clipped(page: &mut Page, x: i32, y: i32, style: (Face, i32, i32), text: &str, room: i32) {
    let (text, _) = make_drawable(text);
    let line = wrap_text(&text, style.0, style.1, room).into_iter().next().unwrap_or_default();
    write_text(page, x, y, style, &line);
}

fn put_right(page: &mut Page, y: i32, style: (Face, i32, i32), text: &str, right: i32) {
    let (text, _) = make_drawable(text);
    write_text(page, right - text_width(&text, style.0, style.1), y, style, &text);
}

fn print_check(page: &mut Page, top: i32, check: &Printed) {
    let plain = (Face::Regular, PLAIN, INK);
    let bold = (Face::Bold, pt(11), INK);
    let small = (Face::Regular, SMALL, MUTED);
    for (place, line) in (0..).zip(&check.payer) {
        let style = if place == 0 { (Face::Bold, PLAIN, INK) } else { plain };
        write_clipped(page, LEFT, top + pt(34) + place * pt(12), style, line, pt(320));
    }
    put_right(page, top + pt(34), bold, &check.number.to_string(), RIGHT);
    put_right(page, top + pt(62), plain, &us_date(check.date), RIGHT);
    let to = top + pt(108);
    write_clipped(page, LEFT, to, small, "PAY TO THE ORDER OF", pt(110));
    write_clipped(page, LEFT + pt(112), to, (Face::Bold, PLAIN, INK), first_line(&check.payee), pt(280));
    put_right(page, to, bold, &format!("$**{}", check.amount), RIGHT);
    draw_rule(page, LEFT + pt(110), pt(470), to + pt(4), 500, MUTED);
    let y = top + pt(132);
    write_clipped(page, LEFT, y, plain, &format!("{} dollars", check.words), RIGHT - LEFT);
    draw_rule(page, LEFT, RIGHT, y + pt(4), 500, MUTED);
    for (place, line) in (0..).zip(&check.payee) {
        write_clipped(page, LEFT + pt(40), top + pt(160) + place * pt(12), plain, line, pt(300));
    }
    let period = format!("Pay for {} to {}", us_date(check.period.first), us_date(check.period.last));
    write_clipped(page, LEFT, top + pt(214), small, &format!("MEMO  {period}"), pt(300));
    draw_rule(page, pt(380), RIGHT, top + pt(210), 500, INK);
    write_clipped(page, pt(380), top + pt(220), small, "AUTHORIZED SIGNATURE", pt(190));
    if let Some(line) = &check.micr {
        write_clipped(page, pt(80), top + pt(246), (Face::Regular, pt(11), INK), line, pt(480));
    }
}

fn print_stub(page: &mut Page, top: i32, check: &Printed) {
    let plain = (Face::Regular, SMALL, INK);
    let bold = (Face::Bold, PLAIN, INK);
    draw_rule(page, LEFT, RIGHT, top, 300, MUTED);
    write_clipped(page, LEFT, top + pt(26), bold, first_line(&check.payer), pt(250));
    write_clipped(page, LEFT, top + pt(39), bold, first_line(&check.payee), pt(250));
    let number = format!("Check {}", check.number);
    put_right(page, top + pt(26), bold, &number, RIGHT);
    let dates = format!(
        "Paid on {}, for {} to {}",
        us_date(check.date),
        us_date(check.period.first),
        us_date(check.period.last)
    );
    put_right(page, top + pt(39), plain, &dates, RIGHT);
    draw_rule(page, LEFT, RIGHT, top + pt(46), 300, MUTED);
    let middle = pt(306);
    let earned = [shorten_lines(&check.earned, LINES - 1 - check.sums.len()), check.sums.clone()].concat();
    let columns = [(LEFT, middle - pt(16), earned), (middle, RIGHT, shorten_lines(&check.taken, LINES))];
    for (left, right, lines) in columns {
        let mut y = top + pt(62);
        for (name, amount) in lines {
            write_clipped(page, left, y, plain, &name, right - left - pt(60));
            put_right(page, y, plain, &amount, right);
            y += pt(13);
        }
    }
    write_clipped(page, middle, top + pt(206), bold, "Amount of the check", pt(150));
    put_right(page, top + pt(206), bold, &dollars_of(&check.amount), RIGHT);
}

/// Returns as many lines as fit, and replaces the rest with their number.
fn shorten_lines(lines: &[(String, String)], most: usize) -> Vec<(String, String)> {
    if lines.len() <= most {
        return lines.to_vec();
    }
    let kept = lines.iter().take(most - 1).cloned();
    let more = lines.len() + 1 - most;
    kept.chain([(format!("and {more} more lines on the pay stub"), String::new())]).collect()
}

fn first_line(lines: &[String]) -> &str {
    lines.first().map_or("", String::as_str)
}

/// Formats a date as on checks in the United States.
fn us_date(day: Date) -> String {
    day.strftime("%m/%d/%Y").to_string()
}
