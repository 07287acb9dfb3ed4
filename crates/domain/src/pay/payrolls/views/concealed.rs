//! Explanations for callers who may not see benefits.

use rules::explain::{Node, Operation, Step};
use rules::payroll::benefits::{contribution_figure, deduction_figure, imputed_figure};
use uuid::Uuid;

/// The note on a benefit's figures for callers who may not see it.
const CONCEALED: &str = "Benefits are visible to tokens with the scope employee_benefits:read; health plans also require \
                         employee_benefits:read:phi.";

/// Sums of benefits by their treatment in a tax.
const TELL_KINDS: [&str; 4] = [
    "pre_tax_benefits",
    "imputed_income",
    "gross_pay_and_imputed_income",
    "benefits_that_are_no_wages_of_the_state",
];

/// Reduces hidden benefits to their amounts, on which other figures depend, without names, kinds and terms. `hidden` are the employee's
/// records of them.
pub fn conceal_benefits(figures: &mut [Node], hidden: &[Uuid]) {
    for node in figures {
        let name = node.step.figure.as_ref();
        let is_of_hidden = |name: &str| {
            let of = |id| [deduction_figure(id), contribution_figure(id), imputed_figure(id)];
            hidden.iter().flat_map(of).any(|figure| figure == name)
        };
        // What lowers the wages of a tax tells the kind of a benefit.
        let tells_kind = TELL_KINDS.contains(&name)
            && node.step.inputs.iter().any(|(name, _)| is_of_hidden(name.as_ref()));
        if is_of_hidden(name) || tells_kind {
            let bare = Step::new(name.to_owned(), Operation::Given, node.step.result.clone());
            *node = Node { step: bare.note(CONCEALED), because: Vec::new() };
            continue;
        }
        // Premiums that an order leaves to the employee are named by the kind of plan.
        for (name, _) in &mut node.step.inputs {
            if let Some(id) = hidden.iter().find(|id| name.ends_with(&format!(" {id}"))) {
                *name = format!("benefit {id}").into();
            }
        }
        conceal_benefits(&mut node.because, hidden);
    }
}
