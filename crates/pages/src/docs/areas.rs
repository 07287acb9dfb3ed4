//! The areas of the API, in the order in which a partner's engineer meets them.

/// Name, as in the description, and subject of the area.
pub const AREAS: &[(&str, &str)] = &[
    ("OAuth", "Tokens: for a company that an administrator connects, and for the application itself."),
    ("Versions", "What changes between the date versions of the interface."),
    ("Companies", "The company itself, and whether it pays only contractors."),
    ("Company onboarding", "The setup before a company's first payroll, and its status."),
    (
        "Company migration",
        "Moving a company to the application: terms of service, readiness, migration, disconnection.",
    ),
    ("Administrators", "Who may act for a company."),
    ("Signatories", "Who signs for a company."),
    ("Company taxes", "Federal tax details, and what each state asks of an employer."),
    ("Company bank accounts", "The account that payroll is paid from, with test deposits."),
    ("Locations", "Where people work, and from where the company files."),
    ("Minimum wages", "The minimum wages of a location, by date."),
    ("Employees", "The people who are paid."),
    ("Employment", "Terminations and rehires, recorded in advance or afterwards."),
    (
        "Contractors",
        "Individuals and businesses who are paid without withholding: record, onboarding, documents, payment method.",
    ),
    (
        "Contractor payments",
        "Paying contractors, alone or in groups, and cancelling that; what banks and partners report of it.",
    ),
    ("Contractor forms", "Forms 1099-NEC of contractors."),
    ("People batches", "Creating several people in one request."),
    ("Departments", "Departments, and who belongs to which."),
    ("Employee addresses", "Where employees live and work, by date."),
    ("Onboarding", "Statuses, steps and links with which an employee enters personal data."),
    ("Jobs and compensations", "What employees do, and what they earn for it, by date."),
    ("Employee payment methods", "Bank accounts of employees, and the split of pay among them."),
    ("Taxes", "Form W-4, and the questions of the states of work and home."),
    ("Forms", "Documents to sign, of companies and employees, as records and as PDF."),
    ("Attachments", "Files that a company uploads, such as an agency's notice."),
    ("Garnishments", "What is withheld for others: child support, levies, loans, creditors."),
    ("Company benefits", "The benefits that a company offers."),
    ("Employee benefits", "Who has which benefit, from which day to which, and what it costs."),
    ("Pay schedules", "When people are paid, and for which days."),
    ("Payrolls", "From hours to net pay: prepare, enter, calculate, submit, and explain each figure."),
    ("Payroll digests", "The status of payroll in several companies at once."),
    ("Payroll batches", "Payrolls of several companies, cancelled in one request."),
    (
        "External payrolls",
        "What another provider paid earlier in the year, so that yearly limits go on from there.",
    ),
    ("Reports", "Double-entry books, liabilities, reports created in the background, and paper checks."),
    (
        "Time sheets",
        "Shifts that a time-tracking application reports, and syncing their hours into payrolls.",
    ),
    ("Time off", "Vacation and sick leave: who earns how much, what is left, and why."),
    ("Payments", "How payroll is paid, and what banks report: wires, debits that failed, transactions."),
    ("Notices", "Notifications, information requests and custom fields."),
    ("Salary estimates", "What an owner's work is worth where the business is."),
    ("Webhooks", "Subscriptions, events, deliveries, and redelivery."),
    ("Test clock", "Moving time. Only under `stipend dev`."),
    ("Operations", "For the operator: health, figures, this description."),
];

/// The areas in six groups, by what a partner's engineer wants to do.
pub const GROUPS: [(&str, &[&str]); 6] = [
    ("Connect", &["OAuth", "Versions", "Company migration", "Webhooks", "Notices"]),
    (
        "Company",
        &[
            "Companies",
            "Company onboarding",
            "Administrators",
            "Signatories",
            "Company taxes",
            "Company bank accounts",
            "Locations",
            "Minimum wages",
            "Departments",
            "Forms",
            "Attachments",
        ],
    ),
    (
        "People",
        &[
            "Employees",
            "Onboarding",
            "Employee addresses",
            "Jobs and compensations",
            "Employee payment methods",
            "Taxes",
            "Employment",
            "Contractors",
            "People batches",
            "Salary estimates",
        ],
    ),
    ("Benefits and deductions", &["Company benefits", "Employee benefits", "Garnishments", "Time off"]),
    (
        "Payroll",
        &[
            "Pay schedules",
            "Payrolls",
            "Payroll digests",
            "Payroll batches",
            "External payrolls",
            "Time sheets",
            "Contractor payments",
        ],
    ),
    (
        "Money, reports and operation",
        &["Payments", "Reports", "Contractor forms", "Test clock", "Operations"],
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_area_is_in_one_group() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, areas)| areas.iter().copied()).collect();
        let (once, known): (BTreeSet<_>, BTreeSet<_>) =
            (grouped.iter().copied().collect(), AREAS.iter().map(|(name, _)| *name).collect());
        assert_eq!((once.len(), &once), (grouped.len(), &known));
    }
}
