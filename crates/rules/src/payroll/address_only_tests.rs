//! An employee with an address and nothing else: each state withholds what it says of employees without a certificate, or a warning
//! says what is missing. The table in docs/payroll-taxes.md is made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jiff::civil::date;

use super::law_2026_tests::Case;
use super::sample::parse_amount;
use super::{Paycheck, Warning, calculate_paycheck};
use crate::amount::Amount;
use crate::explain::NoTrace;
use crate::places::{Address, Facts, Side, find_places, maryland_rate};
use crate::taxes::Payer;
use crate::withholding::state::{Answer, IfNoCertificate, StateCertificate, StateTables};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/payroll-taxes.md");
const BEGIN: &str = "<!-- an address and nothing else -->\n";
const END: &str = "<!-- end of an address and nothing else -->";

/// Each state with its capital, and a ZIP code of it.
const CAPITALS: [(&str, &str, &str); 51] = [
    ("AK", "Juneau", "99801"),
    ("AL", "Montgomery", "36104"),
    ("AR", "Little Rock", "72201"),
    ("AZ", "Phoenix", "85003"),
    ("CA", "Sacramento", "95814"),
    ("CO", "Denver", "80202"),
    ("CT", "Hartford", "06103"),
    ("DC", "Washington", "20001"),
    ("DE", "Dover", "19901"),
    ("FL", "Tallahassee", "32301"),
    ("GA", "Atlanta", "30303"),
    ("HI", "Honolulu", "96813"),
    ("IA", "Des Moines", "50309"),
    ("ID", "Boise", "83702"),
    ("IL", "Springfield", "62701"),
    ("IN", "Indianapolis", "46204"),
    ("KS", "Topeka", "66603"),
    ("KY", "Frankfort", "40601"),
    ("LA", "Baton Rouge", "70802"),
    ("MA", "Boston", "02108"),
    ("MD", "Annapolis", "21401"),
    ("ME", "Augusta", "04330"),
    ("MI", "Lansing", "48933"),
    ("MN", "Saint Paul", "55102"),
    ("MO", "Jefferson City", "65101"),
    ("MS", "Jackson", "39201"),
    ("MT", "Helena", "59601"),
    ("NC", "Raleigh", "27601"),
    ("ND", "Bismarck", "58501"),
    ("NE", "Lincoln", "68508"),
    ("NH", "Concord", "03301"),
    ("NJ", "Trenton", "08608"),
    ("NM", "Santa Fe", "87501"),
    ("NV", "Carson City", "89701"),
    ("NY", "Albany", "12207"),
    ("OH", "Columbus", "43215"),
    ("OK", "Oklahoma City", "73102"),
    ("OR", "Salem", "97301"),
    ("PA", "Harrisburg", "17101"),
    ("RI", "Providence", "02903"),
    ("SC", "Columbia", "29201"),
    ("SD", "Pierre", "57501"),
    ("TN", "Nashville", "37219"),
    ("TX", "Austin", "78701"),
    ("UT", "Salt Lake City", "84111"),
    ("VA", "Richmond", "23219"),
    ("VT", "Montpelier", "05602"),
    ("WA", "Olympia", "98501"),
    ("WI", "Madison", "53703"),
    ("WV", "Charleston", "25301"),
    ("WY", "Cheyenne", "82001"),
];

/// Pay of 4,000.00 for two weeks, to somebody who lives and works in a state's capital.
struct Resident {
    case: Case,
    certificate: &'static StateCertificate,
    /// what the address answers of the certificate: the rate of a county of Maryland
    told: BTreeMap<String, Answer>,
    /// questions about the address that its warnings ask
    asked: usize,
}

impl Resident {
    fn of((state, city, zip): (&str, &str, &str)) -> Self {
        let day = date(2026, 12, 11);
        let found = find_places(Side::Home, Address { state, city, zip }, Facts::default());
        let taxed: Vec<_> = found.places.iter().filter(|at| at.taxed).collect();
        let county = taxed.iter().find(|at| at.place.starts_with("MD-"));
        let rate = county.and_then(|county| maryland_rate(county, day));
        let told = rate.map(|rate| ("local_rate".to_owned(), Answer::Number(rate))).into_iter().collect();
        let listed: Vec<&str> = taxed.iter().map(|at| at.place.as_str()).collect();
        let (listed, asked) = (listed.join(" "), found.open_questions().count());
        let case = Case {
            id: state.to_owned(),
            work: format!("{state}@{listed}"),
            home: state.to_owned(),
            places: listed,
            date: day,
            frequency: "Every other week".to_owned(),
            wages: parse_amount("4000"),
            bonus: None,
            flat: "no".to_owned(),
            answers: "{}".to_owned(),
            w4: "Single".to_owned(),
            extra: None,
            tax: state.to_owned(),
            expected: Amount::ZERO,
            source: String::new(),
        };
        Self { case, certificate: StateTables::built_in().get(state).unwrap(), told, asked }
    }

    fn paid(&self, answers: &BTreeMap<String, Answer>) -> Paid {
        let payroll = self.case.payroll();
        let mut answers = answers.clone();
        answers.extend(self.told.clone());
        let employee = self.case.employee(&payroll, &answers);
        let paid = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap();
        let dues = employee.other_taxes.situation.due_taxes().iter().zip(&paid.other_taxes);
        let of_employee = dues.filter(|(_, line)| line.of_employee && line.sums.amount > Amount::ZERO);
        let names =
            of_employee.map(|(due, line)| format!("{} {}", due.tax.name, line.sums.amount.to_text(2)));
        let others = names.collect();
        let open = employee.other_taxes.situation.uncalculated_taxes().iter();
        let of_employee = open.filter(|open| open.payer == Payer::Employee);
        let missing = of_employee.map(|open| format!("{}: {}", open.name, open.why));
        let given =
            paid.warnings.iter().filter(|warning| !matches!(warning, Warning::TaxNotWorkedOut { .. }));
        let asked = (self.asked > 0).then(|| "place_not_known".to_owned());
        let missing = missing.chain(given.map(|warning| warning.key().to_owned())).chain(asked).collect();
        Paid { others, missing, paycheck: paid }
    }
}

/// A paycheck, the other taxes of the employee by name, and what warnings say is missing for the employee's taxes.
struct Paid {
    paycheck: Paycheck<u32>,
    others: Vec<String>,
    missing: BTreeSet<String>,
}

fn income_tax(paid: &Paycheck<u32>) -> Amount {
    paid.state_taxes.iter().fold(Amount::ZERO, |sum, line| sum.checked_add(line.amount).unwrap())
}

fn shown(answer: &Answer) -> String {
    match answer {
        Answer::Text(text) => text.clone(),
        Answer::Bool(yes) => yes.to_string(),
        Answer::Number(number) | Answer::Currency(number) => number.to_text(0),
        Answer::Date(day) => day.to_string(),
    }
}

fn rule(certificate: &StateCertificate) -> String {
    match &certificate.if_no_certificate {
        _ if !certificate.wage_tax => "no income tax".to_owned(),
        _ if !certificate.by_federal_w4.is_empty() => "as Form W-4, or the default without it".to_owned(),
        IfNoCertificate::FlatPercent(percent) => format!("{} % of wages", percent.to_text(0)),
        IfNoCertificate::Answers(answers) if answers.is_empty() => "the certificate's defaults".to_owned(),
        IfNoCertificate::Answers(answers) => {
            let one = |(key, answer): &(String, Answer)| format!("{key} {}", shown(answer));
            answers.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

fn table() -> String {
    let mut table = String::from(
        "| state | lives and works in | counts without a certificate | state income tax | other taxes of the employee | warned of as missing |\n\
         |---|---|---|---|---|---|\n",
    );
    for capital in CAPITALS {
        let resident = Resident::of(capital);
        let Paid { paycheck, others, missing } = resident.paid(&BTreeMap::new());
        let cells = [
            rule(resident.certificate),
            income_tax(&paycheck).to_text(2),
            others.join(", "),
            missing.into_iter().collect::<Vec<_>>().join("; "),
        ];
        writeln!(table, "| {} | {} | {} |", capital.0, capital.1, cells.join(" | ")).unwrap();
    }
    table
}

#[test]
fn whoever_has_answered_nothing_is_withheld_what_counts_without_a_certificate() {
    for capital in CAPITALS {
        let resident = Resident::of(capital);
        let paid = resident.paid(&BTreeMap::new());
        let tax = income_tax(&paid.paycheck);
        assert_eq!(tax > Amount::ZERO, resident.certificate.wage_tax, "{capital:?}: {:?}", paid.missing);
        if let IfNoCertificate::Answers(answers) = &resident.certificate.if_no_certificate
            && resident.certificate.by_federal_w4.is_empty()
        {
            let answered = resident.paid(&answers.iter().cloned().collect()).paycheck;
            assert_eq!(tax, income_tax(&answered), "{capital:?}: as if these answers were given");
        }
    }
}

#[test]
fn the_table_of_the_documentation_is_what_is_withheld() {
    let held = std::fs::read_to_string(DOCS).unwrap();
    let (before, rest) =
        held.split_once(BEGIN).expect("docs/payroll-taxes.md has the beginning of the table");
    let (_, after) = rest.split_once(END).expect("docs/payroll-taxes.md has the end of the table");
    let made = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(DOCS, &made).unwrap();
    } else {
        assert!(made == held, "docs/payroll-taxes.md is old: INSTA_UPDATE=always renews it");
    }
}
