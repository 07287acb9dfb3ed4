//! How every figure of a paycheck was calculated, as a tree that opens figure by figure.

use std::collections::HashMap;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use rules::Amount;
use serde_json::Value;
use uuid::Uuid;

use super::access;
use super::access::{File, For, Given};
use super::employees::full_name;
use super::frame;
use super::frame::Frame;
use super::picture;
use super::show::{Dates, plain_words};
use crate::money::dollars_of;
use domain::language::Language;
use domain::pay::compensations::rows as pay;
use domain::pay::payrolls::record::entered_at::EnteredAt;
use domain::pay::payrolls::record::warning::Warning;
use domain::pay::payrolls::views::stub::Stub;
use domain::pay::payrolls::views::{explain, stub};
use domain::people::employees;
use domain::people::forms::document::{DocumentLine, Section};
use domain::withholding::garnishments::rows as garnishments;
use interface::app::App;
use interface::http::InPayrollOfCompany;
use interface::pay::payrolls::wire::Explanation;

/// Decimal places up to which a fraction is written as a decimal.
const PLACES: u32 = 18;

pub(super) fn routes() -> Router<App> {
    let path = "/console/companies/{company}/payrolls/{payroll}/employees/{employee}";
    Router::new().route(path, get(show_paycheck)).route(&format!("{path}/stub"), get(stub_file))
}

/// A figure with its inputs.
#[derive(Default, Template)]
#[template(path = "console/figure.html")]
struct Figure {
    name: String,
    result: String,
    /// how it was calculated, in one line
    formula: String,
    /// words, dates and flags on which it depends
    given: Vec<(String, String)>,
    note: String,
    source: String,
    because: Vec<Figure>,
}

impl Figure {
    /// A figure that was given.
    fn plain(name: String, result: String) -> Self {
        Self { name, result, ..Self::default() }
    }

    /// The figure with its days as the visitor writes them.
    fn with_dates(mut self, dates: Dates) -> Self {
        let texts = [&mut self.name, &mut self.result, &mut self.formula, &mut self.note];
        for text in texts.into_iter().chain(self.given.iter_mut().flat_map(|(word, value)| [word, value])) {
            *text = dates.within_text(text);
        }
        self.because = self.because.into_iter().map(|one| one.with_dates(dates)).collect();
        self
    }

    fn is_bare(&self) -> bool {
        self.formula.is_empty()
            && self.given.is_empty()
            && self.because.is_empty()
            && self.note.is_empty()
            && self.source.is_empty()
    }
}

#[derive(Template)]
#[template(path = "console/paycheck.html")]
struct PaycheckPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    name: String,
    period: String,
    explanation: &'a Explanation,
    gross: String,
    net: String,
    paid: String,
    waterfall: String,
    statement: Vec<Statement>,
    figures: Vec<Figure>,
    warnings: Vec<LinkedWarning>,
}

/// A section of the statement, each line with the figure behind it, if there is one.
struct Statement {
    heading: String,
    has_to_date: bool,
    lines: Vec<(DocumentLine, Option<Figure>)>,
}

impl Statement {
    fn of(section: Section, figures: &[Value], names: &Names, dates: Dates) -> Self {
        let has_to_date = section.has_to_date();
        let explained = |line: DocumentLine| {
            let found = figure_behind(figures, &line);
            let found = found.map(|node| explained_figure(node, names).with_dates(dates));
            (line, found.filter(|figure| !figure.is_bare()))
        };
        Self {
            heading: section.heading,
            has_to_date,
            lines: section.lines.into_iter().map(explained).collect(),
        }
    }
}

/// The figure whose value a line of the statement shows. Where several have its name, such as the salaries of two jobs, it is the one with
/// that value.
fn figure_behind<'v>(figures: &'v [Value], line: &DocumentLine) -> Option<&'v Value> {
    let mut found = figures_named(figures, line.figure.as_deref()?);
    found.retain(|node| value_text(&node["result"]) == line.value);
    (found.len() == 1).then(|| found[0])
}

fn figures_named<'v>(figures: &'v [Value], name: &str) -> Vec<&'v Value> {
    let below = |node: &'v Value| match node["figure"] == name {
        true => vec![node],
        false => figures_named(array_member(node, "because"), name),
    };
    figures.iter().flat_map(below).collect()
}

/// A warning, with where the console leads for what it asks.
struct LinkedWarning {
    text: String,
    link: Option<(String, &'static str)>,
}

impl LinkedWarning {
    fn of(warning: &Warning, dates: Dates, (company, employee): (Uuid, Uuid)) -> Self {
        let link = match warning.entered_at() {
            Some(EnteredAt::Employee) => {
                Some((format!("/console/companies/{company}/employees/{employee}"), "The employee"))
            }
            Some(EnteredAt::CompanyTaxes) => {
                Some((format!("/console/companies/{company}/taxes"), "The company's taxes"))
            }
            Some(EnteredAt::Tables) => Some(("/console/data".to_owned(), "Tables")),
            _ => None,
        };
        Self { text: dates.within_text(&warning.message), link }
    }
}

/// The pay stub as PDF.
async fn stub_file(
    State(app): State<App>,
    Path(InPayrollOfCompany { company, payroll, employee }): Path<InPayrollOfCompany>,
    request: Request,
) -> Response {
    access::show_page_or_file(&app, request, For::Company(company, "payrolls:read"), move |tx, visit| {
        let bytes = stub::pay_stub_pdf(tx, &visit.caller, payroll, employee)?;
        Ok(Given::File(File { kind: "application/pdf", name: format!("pay-stub-{payroll}.pdf"), bytes }))
    })
    .await
}

/// The paycheck from what was earned to what was paid.
fn stub_waterfall(held: &Stub) -> String {
    let known = held.taxes.millionths() + held.deductions.millionths();
    // Such as cash tips: earned, and not paid again.
    let rest = held.gross.millionths() - known - held.net.millionths();
    let taken = [
        ("Taxes", "bar-two", held.taxes),
        ("Deductions", "bar-three", held.deductions),
        ("Received already", "bar-rest", Amount::from_millionths(rest)),
    ];
    picture::pay_waterfall(held.gross, &taken, held.net, held.employer)
}

async fn show_paycheck(
    State(app): State<App>,
    Path(InPayrollOfCompany { company, payroll, employee }): Path<InPayrollOfCompany>,
    request: Request,
) -> Response {
    access::show_page(&app, request, For::Company(company, "payrolls:read"), move |tx, visit| {
        let explained = explain::paycheck_of(tx, &visit.caller, payroll, employee)?;
        let of = &explained.payroll;
        let [start, end, paid] =
            [of.start, of.end, of.check_date].map(|day| visit.frame.dates.format_day(day));
        let period = format!("{start} to {end}, paid {paid}");
        let asked = |warning: &Warning| LinkedWarning::of(warning, visit.frame.dates, (company, employee));
        let warnings = explained.warnings.iter().map(asked).collect();
        let explanation = Explanation::new(explained);
        let person = employees::service::find_employee(tx, &visit.caller, employee)?;
        let name = full_name(&person.first_name, &person.last_name);
        let mut names = Names::new();
        collect_figure_names(&explanation.figures, &mut names);
        // With several jobs a figure's number does not show to which of them it belongs.
        let jobs = pay::of_employee(tx, company, employee)?;
        if let [job] = jobs.jobs.as_slice()
            && let Some(title) = &job.title
        {
            names.insert("job:1".to_owned(), title.clone());
        }
        for order in garnishments::of_employee(tx, company, employee)? {
            names.insert(order.id.to_string(), order.description);
        }
        let held = stub::pay_stub(tx, &visit.caller, payroll, employee, Language::English)?;
        frame::render_page(&PaycheckPage {
            frame: &visit.frame,
            company,
            name,
            period,
            gross: dollars_of(&explanation.gross_pay),
            net: dollars_of(&explanation.net_pay),
            paid: dollars_of(&explanation.check_amount),
            waterfall: stub_waterfall(&held),
            // The period is shown above.
            statement: held
                .document
                .sections
                .into_iter()
                .skip(1)
                .map(|section| Statement::of(section, &explanation.figures, &names, visit.frame.dates))
                .collect(),
            figures: explanation
                .figures
                .iter()
                .map(|node| explained_figure(node, &names).with_dates(visit.frame.dates))
                .collect(),
            explanation: &explanation,
            warnings,
        })
    })
    .await
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Display names of figures: `employee_deduction:019b…` belongs to the benefit that is among the figure's inputs, and a
/// tax with a code, such as `CA_SDI`, has its name there.
type Names = HashMap<String, String>;

fn collect_figure_names(nodes: &[Value], names: &mut Names) {
    for node in nodes {
        if let Some((_, id)) = node["figure"].as_str().and_then(|figure| figure.split_once(':')) {
            let called =
                array_member(node, "inputs").iter().find(|input| input["counts"] == Value::Bool(false));
            if let Some(name) = called.and_then(|input| input["value"].as_str()) {
                names.entry(id.to_owned()).or_insert_with(|| name.to_owned());
            }
        }
        let input = |name: &str| array_member(node, "inputs").iter().find(|input| input["name"] == name);
        if let (Some(figure), Some(_), Some(name)) = (node["figure"].as_str(), input("row"), input("name")) {
            names.insert(figure.to_owned(), value_text(&name["value"]));
        }
        collect_figure_names(array_member(node, "because"), names);
    }
}

fn array_member<'v>(node: &'v Value, key: &str) -> &'v [Value] {
    node.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A figure's display name.
fn figure_name(figure: &str, names: &Names) -> String {
    if let Some(name) = names.get(figure) {
        return name.clone();
    }
    match figure.split_once(':') {
        Some((what, id)) => match names.get(id) {
            Some(name) => format!("{} of {name}", plain_words(what)),
            None => format!("{} {id}", plain_words(what)),
        },
        None => of_order(figure, names).unwrap_or_else(|| plain_words(figure)),
    }
}

/// The name of a figure that ends in the id of a garnishment, such as `deduction 019b…` or `current_support of 019b…`.
fn of_order(figure: &str, names: &Names) -> Option<String> {
    let (what, id) = figure.rsplit_once(' ')?;
    let name = names.get(id)?;
    Some(format!("{} of {name}", plain_words(what.trim_end_matches(" of"))))
}

/// A value for display. A fraction with a finite decimal expansion is written as a decimal, below one as a percentage;
/// others are not changed, because they would have to be rounded.
fn format_value(text: &str) -> String {
    format_fraction(text).unwrap_or_else(|| text.to_owned())
}

fn format_fraction(text: &str) -> Option<String> {
    let (number, denominator) = text.split_once('/')?;
    let (number, denominator) = (number.parse::<i128>().ok()?, denominator.parse::<i128>().ok()?);
    if number < 0 || denominator < 1 {
        return None;
    }
    let places = (0..=PLACES).find(|places| 10_i128.pow(*places) % denominator == 0)? as usize;
    let percent = number > 0 && number < denominator && places >= 2;
    let digits = number.checked_mul(10_i128.pow(places as u32) / denominator)?;
    let shown = if percent { places - 2 } else { places };
    let digits = format!("{digits:0>width$}", width = shown + 1);
    let (whole, fraction) = digits.split_at(digits.len() - shown);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{whole}{point}{fraction}{}", if percent { "%" } else { "" }))
}

fn explained_figure(node: &Value, names: &Names) -> Figure {
    let member = |key: &str| node.get(key).map(value_text).unwrap_or_default();
    let of = |input: &Value| {
        (figure_name(&value_text(&input["name"]), names), format_value(&value_text(&input["value"])))
    };
    let given = array_member(node, "inputs").iter().filter(|input| input["counts"] != Value::Bool(true));
    let counts: Vec<_> = counting(node).map(of).collect();
    let mut formula = figure_formula(&member("operation"), &counts);
    if let Some(rounding) = node.get("rounding") {
        let direction = plain_words(&value_text(&rounding["direction"])).to_lowercase();
        formula += &format!(", rounded {direction} to {}", value_text(&rounding["unit"]));
    }
    Figure {
        name: figure_name(&member("figure"), names),
        result: format_value(&member("result")),
        formula,
        given: given.map(of).collect(),
        note: member("note"),
        source: member("source"),
        because: operands(node, names),
    }
}

/// The inputs of the formula. A sum that begins with nothing does not name it.
fn counting(node: &Value) -> impl Iterator<Item = &Value> {
    let all = array_member(node, "inputs").iter();
    all.filter(|input| input["counts"] == Value::Bool(true) && input["name"] != "nothing")
}

/// What a figure was made of, in the order of its formula: an operand with figures of its own opens, any other is a line. What
/// follows is none of the formula, such as figures that only decided which rule applies.
fn operands(node: &Value, names: &Names) -> Vec<Figure> {
    let mut behind: Vec<&Value> = array_member(node, "because").iter().collect();
    if behind.is_empty() {
        return Vec::new();
    }
    let counts = counting(node);
    let mut operand = |input: &Value| match behind.iter().position(|one| one["figure"] == input["name"]) {
        Some(place) => explained_figure(behind.remove(place), names),
        None => Figure::plain(
            figure_name(&value_text(&input["name"]), names),
            format_value(&value_text(&input["value"])),
        ),
    };
    let mut operands: Vec<Figure> = counts.map(&mut operand).collect();
    operands.extend(behind.into_iter().map(|node| explained_figure(node, names)));
    operands
}

/// The inputs joined by the operation.
fn figure_formula(operation: &str, inputs: &[(String, String)]) -> String {
    let all: Vec<_> = inputs.iter().map(|(name, value)| format!("{name} {value}")).collect();
    match operation {
        _ if all.is_empty() => String::new(),
        "sum" => all.join(" + "),
        "difference" => all.join(" − "),
        "product" => all.join(" × "),
        "quotient" => all.join(" ÷ "),
        "remaining" => format!("{}, at least 0", all.join(" − ")),
        "least" => format!("the least of {}", all.join(", ")),
        "greatest" => format!("the greatest of {}", all.join(", ")),
        "share" => format!("a share by {}", all.join(", ")),
        _ => all.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_figure_tells_its_inputs_joined_by_the_operation_and_its_words_apart() {
        let node = json!({ "figure": "net_pay", "result": "90.00", "operation": "difference",
            "inputs": [{ "name": "gross_pay", "value": "100.00", "counts": true },
                       { "name": "state", "value": "TX", "counts": false },
                       { "name": "taxes", "value": "10.00", "counts": true }],
            "rounding": { "unit": "0.01", "direction": "half_up" },
            "because": [{ "figure": "taxes", "result": "10.00", "operation": "given" }] });
        let shown = explained_figure(&node, &Names::new());
        assert_eq!(shown.name, "Net pay");
        assert_eq!(shown.formula, "Gross pay 100.00 − Taxes 10.00, rounded half up to 0.01");
        assert_eq!(shown.given, [("State".to_owned(), "TX".to_owned())]);
        assert!(shown.because[0].is_bare() && !shown.is_bare());
    }

    #[test]
    fn a_line_of_the_statement_finds_its_figure_by_name_and_value_whatever_its_label_is() {
        let job = |place: u32, salary: &str| {
            json!({ "figure": format!("job_{place}"), "result": salary, "because": [
            { "figure": "salary", "result": salary }] })
        };
        let figures = [
            json!({ "figure": "net_pay", "result": "900.00", "because": [
                { "figure": "federal_income_tax", "result": "50.00", "note": "by the table" },
                { "figure": "employee_deduction:7", "result": "5.00" }] }),
            json!({ "figure": "gross_pay", "because": [job(1, "500.00"), job(2, "700.00"), job(3, "700.00")] }),
        ];
        let found = |figure: &str, value: &str| {
            let line = DocumentLine::new("", "Impuesto", value).explained_by(figure);
            figure_behind(&figures, &line).map(|node| value_text(&node["figure"]))
        };
        assert_eq!(found("federal_income_tax", "50.00").as_deref(), Some("federal_income_tax"));
        assert_eq!(found("employee_deduction:7", "5.00").as_deref(), Some("employee_deduction:7"));
        assert_eq!(found("salary", "500.00").as_deref(), Some("salary"));
        // Which of the two it is, nobody can tell.
        assert_eq!(found("salary", "700.00"), None);
        assert_eq!(found("medicare", "1.45"), None);
        assert!(figure_behind(&figures, &DocumentLine::new("", "Net pay", "900.00")).is_none());
    }

    #[test]
    fn operands_stand_in_the_order_of_the_formula_and_what_only_decides_follows() {
        let node = json!({ "figure": "net_pay", "result": "70.00", "operation": "difference",
            "inputs": [{ "name": "gross_pay", "value": "100.00", "counts": true },
                       { "name": "taxes", "value": "20.00", "counts": true },
                       { "name": "deductions", "value": "10.00", "counts": true }],
            "because": [{ "figure": "filing_status", "result": "Single" }, { "figure": "deductions", "result": "10.00" },
                        { "figure": "gross_pay", "result": "100.00", "note": "the salary" }] });
        let shown = explained_figure(&node, &Names::new());
        let names: Vec<_> = shown.because.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["Gross pay", "Taxes", "Deductions", "Filing status"]);
        assert!(!shown.because[0].is_bare() && shown.because[1].is_bare());
    }

    #[test]
    fn a_record_goes_by_what_it_is_called() {
        let nodes =
            [json!({ "figure": "net_pay", "because": [{ "figure": "employee_deduction:7", "result": "5.00",
            "inputs": [{ "name": "benefit", "value": "401(k)", "counts": false }] }] })];
        let mut names = Names::new();
        collect_figure_names(&nodes, &mut names);
        assert_eq!(figure_name("employee_deduction:7", &names), "Employee deduction of 401(k)");
        assert_eq!(figure_name("employee_deduction:8", &names), "Employee deduction 8");
        names.insert("9".to_owned(), "Child support - TX-1".to_owned());
        assert_eq!(figure_name("deduction 9", &names), "Deduction of Child support - TX-1");
        assert_eq!(figure_name("current_support of 9", &names), "Current support of Child support - TX-1");
        assert_eq!(figure_name("deduction 10", &names), "Deduction 10");
    }

    #[test]
    fn a_tax_goes_by_its_name_wherever_it_counts() {
        let nodes = [
            json!({ "figure": "employee_taxes", "inputs": [{ "name": "CA_SDI", "value": "20.80", "counts": true }],
            "because": [{ "figure": "CA_SDI", "result": "20.80", "inputs": [
                { "name": "row", "value": "CA_SDI", "counts": false },
                { "name": "name", "value": "CA SDI", "counts": false }] }] }),
        ];
        let mut names = Names::new();
        collect_figure_names(&nodes, &mut names);
        let shown = explained_figure(&nodes[0], &names);
        assert_eq!(shown.because[0].name, "CA SDI");
        assert_eq!(shown.formula, "CA SDI 20.80");
    }

    #[test]
    fn fractions_are_written_without_rounding() {
        for (held, expected) in [
            ("62/1000", "6.2%"),
            ("100/100", "1"),
            ("830769/10000", "83.0769"),
            ("26/1", "26"),
            ("0/1", "0"),
            ("1/26", "1/26"),
            ("36000/13", "36000/13"),
            ("5/10", "0.5"),
            ("553831/20000", "27.69155"),
            ("1/3", "1/3"),
            ("2769.23", "2769.23"),
            ("-5/100", "-5/100"),
            ("1970-01-01", "1970-01-01"),
        ] {
            assert_eq!(format_value(held), expected, "{held}");
        }
    }
}
