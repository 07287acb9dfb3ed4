//! The stored form of a warning.
//!
//! Most of a warning is its sentence, and the sentence of a text of this crate follows from the values in it. Only what does not follow
//! is stored: the sentences of the rules, and the name of a text that is not that of its key.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::pay::payrolls::record::texts::english_text;
use crate::pay::payrolls::record::warning::Warning;

#[derive(Serialize, Deserialize)]
struct StoredWarning<'w> {
    key: Cow<'w, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'w, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'w, str>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    values: Cow<'w, BTreeMap<String, String>>,
}

fn is_empty(values: &BTreeMap<String, String>) -> bool {
    values.is_empty()
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let follows = english_text(&self.text, &self.values).is_some_and(|text| text == self.message);
        let stored = StoredWarning {
            key: Cow::Borrowed(&self.key),
            message: (!follows).then_some(Cow::Borrowed(&self.message)),
            text: (self.text != self.key).then_some(Cow::Borrowed(&self.text)),
            values: Cow::Borrowed(&self.values),
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Warning {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredWarning { key, message, text, values } = StoredWarning::deserialize(deserializer)?;
        let text = text.unwrap_or_else(|| key.clone()).into_owned();
        let message = match message {
            Some(message) => message.into_owned(),
            None => english_text(&text, &values)
                .ok_or_else(|| D::Error::custom(format!("the warning {text} has no sentence")))?,
        };
        Ok(Self { key: key.into_owned(), message, text, values: values.into_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pay::payrolls::record::texts;

    #[test]
    fn the_sentence_of_an_own_text_is_not_stored_and_read_again_and_one_of_the_rules_is_stored() {
        let own = texts::NO_STATE_CERTIFICATE.to_warning(&[("state", &"Illinois")]);
        let stored = serde_json::to_string(&own).unwrap();
        assert_eq!(stored, r#"{"key":"no_state_certificate","values":{"state":"Illinois"}}"#);
        assert_eq!(serde_json::from_str::<Warning>(&stored).unwrap(), own);

        let of_rules = Warning {
            key: "tax_not_worked_out".to_owned(),
            message: "IL SUI was not worked out".to_owned(),
            text: "tax_lacks_company_taxes".to_owned(),
            values: BTreeMap::from([("name".to_owned(), "IL SUI".to_owned())]),
        };
        let stored = serde_json::to_string(&of_rules).unwrap();
        assert!(stored.contains("IL SUI was not worked out"), "{stored}");
        assert_eq!(serde_json::from_str::<Warning>(&stored).unwrap(), of_rules);
    }

    #[test]
    fn a_sentence_that_was_stored_stays_and_a_warning_without_any_is_an_error() {
        let before = r#"{"key":"no_ssn","message":"as an earlier version said it","text":"no_ssn"}"#;
        assert_eq!(serde_json::from_str::<Warning>(before).unwrap().message, "as an earlier version said it");
        let newer = serde_json::from_str::<Warning>(r#"{"key":"of_a_newer_version"}"#);
        assert!(newer.unwrap_err().to_string().contains("of_a_newer_version has no sentence"));
    }
}
