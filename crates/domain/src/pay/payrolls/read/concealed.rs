//! Explanations for callers who may not see benefits.

use rules::explain::{Node, Operation, Step};
use rules::payroll::benefits::{contribution_figure, deduction_figure, imputed_figure};
use uuid::Uuid;

/// The note on a benefit's figures for callers who may not see it.
const CONCEALED: &str = "Benefits are visible to tokens with the scope employee_benefits:read; health plans also require \
                         employee_benefits:read:phi.";

/// Reduces hidden benefits to their amounts, on which other figures depend, without names, kinds and terms. `hidden` are the employee's
/// records of them.
pub fn conceal(figures: &mut [Node], hidden: &[Uuid]) {
    for node in figures {
        let name = node.step.figure.as_ref();
        let of_hidden = |id| {
            [deduction_figure(id), contribution_figure(id), imputed_figure(id)].iter().any(|one| one == name)
        };
        if hidden.iter().any(of_hidden) {
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
        conceal(&mut node.because, hidden);
    }
}
