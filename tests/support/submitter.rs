//! Who submits files with Forms W-2 in tests.

use returns::efw2::{Contact, Party, Preparer, Software, Submitter};
use returns::w2::Address;

pub fn submitter() -> Submitter {
    let company = Party {
        name: "Northwind Payroll LLC".to_owned(),
        address: Address {
            delivery: "100 Main Street".to_owned(),
            city: "Austin".to_owned(),
            state: "TX".to_owned(),
            zip: "78701".to_owned(),
            ..Address::default()
        },
    };
    Submitter {
        ein: "123456789".to_owned(),
        user_id: "ABCD1234".to_owned(),
        software: Software::InHouse,
        resubmission: None,
        submitter: company.clone(),
        company,
        contact: Contact {
            name: "Ana Ruiz".to_owned(),
            phone: "5125550100".to_owned(),
            email: "ana.Ruiz@example.test".to_owned(),
            ..Contact::default()
        },
        preparer: Preparer::ServiceBureau,
    }
}
