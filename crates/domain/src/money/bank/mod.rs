//! The operator's bank, the banks of agencies, and the days on which they work.

pub mod agencies;
pub mod banking_days;
pub mod receiving_banks;
pub mod settings;
pub mod tax_agencies;
