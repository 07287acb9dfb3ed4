//! Questions that a state's insurance programs leave to the employer: size, share, private plan, own rate and class.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::{Format, Requirement, RequirementSet};
use crate::taxes::{Accrual, Applies, Level, Method, Payer, Span, Tax, TaxTable};

/// Key of the set about the employer, for all programs.
pub const EMPLOYER: &str = "employer";
/// Key of the number of employees, as the state counts them.
pub const EMPLOYER_SIZE: &str = "employer_size";
/// Key of the employer's payroll of a quarter: in the set of the employer, of the state or of the districts whose tax depends on it; in
/// that of a city, for work there.
pub const QUARTERLY_PAYROLL: &str = "quarterly_payroll";
/// Key of the part of the tax of the city of work that an Ohio city of residence credits.
pub const CREDIT: &str = "credit_percent";
/// Key of the highest rate of the city of work that counts for the credit.
pub const CREDIT_LIMIT: &str = "credit_limit";
/// Key of the share of the employee's contribution that the employer pays.
pub const BORNE: &str = "employer_pays_employee_share";
/// Key of an approved private plan that replaces a program.
pub const PRIVATE_PLAN: &str = "private_plan";
/// Key of the employer's own rate for a program.
pub const OWN_RATE: &str = "rate";
/// Key of the class of employer, if a program distinguishes classes.
pub const CLASS: &str = "class";

/// Classes of the programs that distinguish employers, by code, in the order of the table.
static CLASSES: LazyLock<BTreeMap<&'static str, &'static [&'static str]>> = LazyLock::new(|| {
    let mut classes: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for tax in TaxTable::insurance().iter().filter(|tax| !tax.class.is_empty()) {
        if seen.insert((&tax.code, &tax.class)) {
            classes.entry(&tax.code).or_default().push(&tax.class);
        }
    }
    classes.into_iter().map(|(code, classes)| (code, &*classes.leak())).collect()
});

/// Labels of employer contributions that have the same name as the employee contribution, by code.
static PARTS: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let all = TaxTable::insurance();
    let shared = |one: &Tax| all.iter().any(|other| other.name == one.name && other.payer == Payer::Employee);
    let parts = all.iter().filter(|tax| tax.payer == Payer::Employer && shared(tax));
    parts.map(|tax| (tax.code.as_str(), &*format!("{}, employer's part", tax.name).leak())).collect()
});

const SIZE: Requirement = Requirement {
    key: EMPLOYER_SIZE,
    label: "Number of employees",
    description: "As the state counts them for its programs. Without an answer, the employees who work in the state are counted, in \
                  Colorado and Oregon all of the company's.",
    format: Format::Count,
    optional: true,
};
const PAYROLL: Requirement = Requirement {
    key: QUARTERLY_PAYROLL,
    label: "Payroll of a quarter",
    description: "The company's payroll of a calendar quarter, in the state or in the districts whose tax depends on it, in dollars.",
    format: Format::Currency,
    optional: true,
};
const PAYROLL_IN_CITY: Requirement = Requirement {
    description: "The company's payroll of a calendar quarter for work in the city, in dollars.",
    ..PAYROLL
};
/// What an Ohio city of residence credits its residents.
const CREDITS: [Requirement; 2] = [
    Requirement {
        key: CREDIT,
        label: "Credit for the tax of the city of work",
        description: "The part of that tax that the city credits its residents, from its ordinance: 1 if all of it, 0 if nothing.",
        format: Format::Percent,
        optional: true,
    },
    Requirement {
        key: CREDIT_LIMIT,
        label: "Highest rate that counts for the credit",
        description: "The highest rate of the city of work that counts, from the ordinance; without an answer, the city's own rate.",
        format: Format::Percent,
        optional: true,
    },
];
pub(super) const SHARE: Requirement = Requirement {
    key: BORNE,
    label: "Employee's share that the company pays",
    description: "Share of the employee's contribution that the company bears.",
    format: Format::Percent,
    optional: true,
};
const PLAN: Requirement = Requirement {
    key: PRIVATE_PLAN,
    label: "Private plan",
    description: "Whether an approved private plan takes the place of the program.",
    format: Format::Select(&["No", "Yes"]),
    optional: true,
};
/// The employer's own rate, for programs based on wages and for programs based on hours.
const RATES_OF_PROGRAMS: [Requirement; 2] = [
    of_program("Percent of wages, from the company's notice.", Format::Percent),
    of_program("Dollars for an hour of work, from the company's notice.", Format::PerHour),
];

const fn of_program(description: &'static str, format: Format) -> Requirement {
    Requirement { key: OWN_RATE, label: "The company's rate", description, format, optional: true }
}

const fn class_of(classes: &'static [&'static str]) -> Requirement {
    Requirement {
        key: CLASS,
        label: "Class of employer",
        description: "The class by which the program sets the company's rate.",
        format: Format::Select(classes),
        optional: true,
    }
}

/// Whether a program asks for the employer's own rate: its row allows one, or has only a ceiling for it.
fn asks_for_rate(tax: &Tax) -> bool {
    tax.options.own_rate || matches!(tax.method, Method::Ceiling(_))
}

/// Whether a program charges an amount per hour of work.
fn goes_by_hours(method: &Method) -> bool {
    matches!(
        method,
        Method::Amount(_, Span::Hour) | Method::OwnRate | Method::OnReturn(Accrual::OwnAmountByHour)
    )
}

/// Returns the requirements that a state's programs leave to the employer: one set about the employer, and one per program.
pub(super) fn sets_of_programs(state: &str) -> Vec<RequirementSet> {
    let (programs, places) = (TaxTable::insurance().of_state(state), TaxTable::built_in_local());
    let of_places = places.iter().filter(|tax| tax.jurisdiction.state == state);
    let all: Vec<_> = programs.iter().chain(of_places).collect();
    let sized = all.iter().any(|tax| tax.sizes != (None, None));
    let by_payroll = all.iter().any(|tax| tax.rests_on_payroll() && !is_of_city(tax));
    let asked = asked_where([(sized, SIZE), (by_payroll, PAYROLL)]);
    let mut sets = Vec::new();
    if !asked.is_empty() {
        sets.push(requirement_set(EMPLOYER, "Employer", asked));
    }
    for tax in programs {
        let options = tax.options;
        let [of_wages, of_hours] = RATES_OF_PROGRAMS;
        let rate = if goes_by_hours(&tax.method) { of_hours } else { of_wages };
        let classes = CLASSES.get(tax.code.as_str()).copied().unwrap_or_default();
        let asked = asked_where([
            (options.bear, SHARE),
            (options.private_plan, PLAN),
            (asks_for_rate(tax), rate),
            (!classes.is_empty(), class_of(classes)),
        ]);
        if !asked.is_empty() && sets.iter().all(|set| set.key != tax.code) {
            let label = PARTS.get(tax.code.as_str()).copied().unwrap_or(&tax.name);
            sets.push(requirement_set(&tax.code, label, asked));
        }
    }
    // What is paid in one city does not count in another.
    for tax in places.iter().filter(|tax| tax.jurisdiction.state == state) {
        if tax.rests_on_payroll() && is_of_city(tax) && sets.iter().all(|set| set.key != tax.code) {
            sets.push(requirement_set(&tax.code, &tax.name, vec![PAYROLL_IN_CITY]));
        }
    }
    sets
}

fn requirement_set(key: &'static str, label: &'static str, requirements: Vec<Requirement>) -> RequirementSet {
    RequirementSet { key, label, dated: true, requirements }
}

/// Whether a tax is that of a city, which asks for the payroll in the city alone.
fn is_of_city(tax: &Tax) -> bool {
    tax.jurisdiction.level == Level::City
}

/// Returns the questions for the credit of an Ohio city of residence, by the key of its place, such as `OH-16000`: its set has the code of
/// the city's tax. `None` for a place that is no city of Ohio with a tax.
pub fn credit_set(place: &str) -> Option<RequirementSet> {
    let tax =
        TaxTable::built_in_local().of_place(place).iter().find(|tax| tax.applies == Applies::OhioCity)?;
    Some(requirement_set(&tax.code, &tax.name, CREDITS.to_vec()))
}

/// Returns the requirements whose condition holds.
fn asked_where<const N: usize>(asked: [(bool, Requirement); N]) -> Vec<Requirement> {
    asked.into_iter().filter(|(holds, _)| *holds).map(|(_, requirement)| requirement).collect()
}
