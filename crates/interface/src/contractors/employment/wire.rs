//! Dismissal and rehire of contractors on the wire.

use domain::contractors::employment;

use crate::field::Field;
use crate::input;
use crate::values::DateText;

input! {
    /// The dismissal of a contractor.
    CreateContractorTermination => employment::CreateContractorTermination {
        /// last day, YYYY-MM-DD
        #[schema(required)]
        end_date: DateText,
    }

    /// The rehire of a contractor.
    CreateContractorRehire => employment::CreateContractorRehire {
        /// first day back, YYYY-MM-DD
        #[schema(required)]
        start_date: DateText,
    }
}
