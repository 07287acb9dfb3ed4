//! Positions of amounts that the table leaves open, as a person has read them in the agency's publication.
//!
//! They are laid into blanks of the layout. Nothing else can be moved: a position that overlaps a field, that is too short, or that is not
//! open is refused.

use std::fmt;

use rules::taxes::Confidence;

use super::layout::{Field, Kind, Layout};

/// Amount for the codes of box 14b.
pub const OCCUPATIONS: &str = "box_14b";
/// Keys of the fields with the two codes of box 14b.
pub const OCCUPATION_FIELDS: [&str; 2] = ["box_14b_1", "box_14b_2"];
/// Characters of a code of box 14b.
const CODE: usize = 3;

/// Positions in a record, from the first to the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// the record
    pub record: String,
    /// first position, from 1
    pub from: usize,
    /// last position
    pub to: usize,
}

impl Span {
    fn width(&self) -> usize {
        (self.to + 1).saturating_sub(self.from)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}-{}", self.record, self.from, self.to)
    }
}

/// Where an amount is written: in the record of a person and, for money, in the totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// key of the amount, such as `code_TP`
    pub amount: String,
    /// its positions
    pub spans: Vec<Span>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spans: Vec<String> = self.spans.iter().map(ToString::to_string).collect();
        write!(f, "{}={}", self.amount, spans.join(","))
    }
}

/// Why a position can't be used, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{amount}: {why}")]
pub struct Refused {
    /// the amount
    pub amount: String,
    /// what is wrong, and what is allowed
    pub why: String,
}

impl Position {
    /// Reads `code_TP=RW:490-500,RT:415-429`.
    ///
    /// # Errors
    /// It is not written like that.
    pub fn parse(text: &str) -> Result<Self, Refused> {
        let refused = || Refused {
            amount: text.to_owned(),
            why: "a position is written like code_TP=RW:490-500,RT:415-429".to_owned(),
        };
        let (amount, spans) = text.split_once('=').ok_or_else(refused)?;
        let span = |text: &str| {
            let (record, places) = text.split_once(':')?;
            let (from, to) = places.split_once('-')?;
            let (from, to) = (from.parse().ok()?, to.parse().ok()?);
            (from > 0 && to >= from).then(|| Span { record: record.to_owned(), from, to })
        };
        let spans = spans.split(',').map(span).collect::<Option<Vec<Span>>>().ok_or_else(refused)?;
        Ok(Self { amount: amount.to_owned(), spans })
    }

    fn refuse_position(&self, why: impl Into<String>) -> Refused {
        Refused { amount: self.amount.clone(), why: why.into() }
    }

    /// The fields that it makes.
    fn fields(&self, layout: &Layout) -> Result<Vec<Field>, Refused> {
        if layout.reason_unknown(&self.amount).is_none() {
            let open: Vec<&str> = layout.open_amounts().map(|(amount, _)| amount).collect();
            let open = if open.is_empty() { "no amount".to_owned() } else { open.join(", ") };
            return Err(
                self.refuse_position(format!("is not open in the layout of {}; open is {open}", layout.year))
            );
        }
        if self.amount == OCCUPATIONS { self.codes(layout) } else { self.money(layout) }
    }

    fn field(&self, layout: &Layout, span: &Span, key: &str, kind: Kind, sum_of: &str) -> Field {
        Field {
            year: layout.year,
            record: span.record.clone(),
            key: key.to_owned(),
            from: span.from,
            to: span.to,
            kind,
            required: kind == Kind::Money,
            sum_of: sum_of.to_owned(),
            confidence: Confidence::Primary,
        }
    }

    fn codes(&self, layout: &Layout) -> Result<Vec<Field>, Refused> {
        let wrong = || {
            let why = "needs two positions of 3 characters, or one of 6, in RW or in RO: box_14b=RW:342-347";
            self.refuse_position(why)
        };
        let of_person = |span: &Span| ["RW", "RO"].contains(&span.record.as_str());
        let halves = |span: &Span| {
            let middle = span.from + CODE;
            [Span { to: middle - 1, ..span.clone() }, Span { from: middle, ..span.clone() }]
        };
        let spans = match self.spans.as_slice() {
            [one] if one.width() == 2 * CODE => halves(one),
            [one, two] if [one, two].iter().all(|span| span.width() == CODE) => [one.clone(), two.clone()],
            _ => return Err(wrong()),
        };
        if !spans.iter().all(of_person) || spans[0].record != spans[1].record {
            return Err(wrong());
        }
        let fields = spans.iter().zip(OCCUPATION_FIELDS);
        Ok(fields.map(|(span, key)| self.field(layout, span, key, Kind::Text, "")).collect())
    }

    fn money(&self, layout: &Layout) -> Result<Vec<Field>, Refused> {
        let [of_person, of_totals] = self.spans.as_slice() else {
            return Err(self.refuse_position("needs a position in RW and one in RT, or in RO and RU"));
        };
        let records = (of_person.record.as_str(), of_totals.record.as_str());
        if ![("RW", "RT"), ("RO", "RU")].contains(&records) {
            return Err(self.refuse_position("needs a position in RW and one in RT, or in RO and RU"));
        }
        for span in [of_person, of_totals] {
            let money = layout.record_fields(&span.record).iter().find(|field| field.kind == Kind::Money);
            let width = money.map(Field::width).unwrap_or_default();
            if span.width() != width {
                let why = format!(
                    "{span} has {} characters; amounts of {} have {width}",
                    span.width(),
                    span.record
                );
                return Err(self.refuse_position(why));
            }
        }
        Ok(vec![
            self.field(layout, of_person, &self.amount, Kind::Money, ""),
            self.field(layout, of_totals, &self.amount, Kind::Money, &self.amount),
        ])
    }
}

impl Layout {
    /// Returns the layout with positions of amounts that it leaves open.
    ///
    /// # Errors
    /// An amount is not open, or its position is no blank that it fits in.
    pub fn with_positions(&self, positions: &[Position]) -> Result<Self, Refused> {
        let mut layout = self.clone();
        for position in positions {
            for field in position.fields(&layout)? {
                layout.lay_field(field).map_err(|why| position.refuse_position(why))?;
            }
            layout.open.remove(&position.amount);
        }
        Ok(layout)
    }

    /// Lays a field into a blank, of which the rest remains.
    fn lay_field(&mut self, field: Field) -> Result<(), String> {
        let fields = self.records.entry(field.record.clone()).or_default();
        let within = |blank: &Field| blank.from <= field.from && field.to <= blank.to;
        let place = fields.iter().position(|blank| blank.kind == Kind::Blank && within(blank));
        let Some(place) = place else {
            let blanks = fields.iter().filter(|blank| blank.kind == Kind::Blank);
            let blanks: Vec<String> = blanks.map(|blank| format!("{}-{}", blank.from, blank.to)).collect();
            return Err(format!(
                "{}:{}-{} is not blank; blank in {} are {}",
                field.record,
                field.from,
                field.to,
                field.record,
                blanks.join(", ")
            ));
        };
        let blank = fields.remove(place);
        let before = (blank.from < field.from).then(|| Field { to: field.from - 1, ..blank.clone() });
        let after = (field.to < blank.to).then(|| Field { from: field.to + 1, ..blank.clone() });
        let laid = before.into_iter().chain([field]).chain(after);
        fields.splice(place..place, laid.collect::<Vec<_>>());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::{Layouts, RECORDS};
    use super::*;

    fn layout() -> &'static Layout {
        Layouts::built_in().layout_of_year(2026).unwrap()
    }

    fn with(texts: &[&str]) -> Result<Layout, String> {
        let positions: Result<Vec<Position>, Refused> =
            texts.iter().map(|text| Position::parse(text)).collect();
        layout().with_positions(&positions.map_err(|why| why.to_string())?).map_err(|why| why.to_string())
    }

    #[test]
    fn a_position_is_laid_into_a_blank_and_every_position_remains_there_once() {
        let made =
            with(&["code_TP=RW:490-500,RT:415-429", "box_14b=RW:342-347", "code_TT=RO:155-165,RU:205-219"]);
        let made = made.unwrap();
        for record in RECORDS {
            let mut next = 1;
            for field in made.record_fields(record) {
                assert_eq!(field.from, next, "{record} {}", field.key);
                next = field.to + 1;
            }
            assert_eq!(next, super::super::RECORD + 1, "{record}");
        }
        assert_eq!(made.find_field("RT", "code_TP").unwrap().sum_of, "code_TP");
        assert_eq!(made.find_field("RW", "box_14b_2").unwrap().from, 345);
        assert_eq!(made.open_amounts().map(|(amount, _)| amount).collect::<Vec<_>>(), ["code_TA"]);
    }

    #[test]
    fn a_position_that_is_taken_of_another_width_or_not_open_is_refused_with_what_is_allowed() {
        let refused = |text: &str| with(&[text]).unwrap_err();
        assert!(refused("code_TP").contains("is written like"));
        assert!(refused("code_TP=RW:500-490").contains("is written like"));
        assert!(
            refused("code_D=RW:490-500,RT:415-429").contains("is not open"),
            "{}",
            refused("code_D=RW:490-500")
        );
        assert!(refused("code_TP=RW:490-500").contains("RW and one in RT"));
        assert!(refused("code_TP=RW:490-500,RU:190-204").contains("RW and one in RT"));
        assert!(refused("code_TP=RW:490-499,RT:415-429").contains("amounts of RW have 11"));
        assert!(refused("code_TP=RW:3-13,RT:415-429").contains("is not blank; blank in RW are"));
        assert!(refused("code_TP=RW:505-515,RT:415-429").contains("is not blank"));
        assert!(refused("box_14b=RW:342-346").contains("one of 6"));
        let twice = ["code_TP=RW:490-500,RT:415-429", "code_TT=RW:495-505,RT:430-444"];
        assert!(with(&twice).unwrap_err().contains("is not blank"));
        let again = ["code_TP=RW:490-500,RT:415-429", "code_TP=RW:490-500,RT:415-429"];
        assert!(with(&again).unwrap_err().contains("is not open"));
    }
}
