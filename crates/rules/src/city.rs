//! Names of cities, as addresses and tables write them.
//!
//! One city is written in many ways: `St. Marys`, `Saint Marys`, `SAINT MARYS`; `Mt. Vernon` and `Mount Vernon`; `Garfield Hts`. Names
//! are compared by [`key`], on both sides. Abbreviations are those of USPS Publication 28: section 223 has city names follow
//! the logic of those of suffixes (appendix C1) and of directional words (section 233).

/// Words that stand for the same wherever they are in a name.
const ABBREVIATIONS: [(&str, &str); 26] = [
    ("bch", "beach"),
    ("crk", "creek"),
    ("ctr", "center"),
    ("fls", "falls"),
    ("frst", "forest"),
    ("ft", "fort"),
    ("gdns", "gardens"),
    ("grn", "green"),
    ("grv", "grove"),
    ("hbr", "harbor"),
    ("hl", "hill"),
    ("hls", "hills"),
    ("hts", "heights"),
    ("jct", "junction"),
    ("lk", "lake"),
    ("mt", "mount"),
    ("pk", "park"),
    ("pt", "point"),
    ("rdg", "ridge"),
    ("riv", "river"),
    ("spg", "spring"),
    ("spgs", "springs"),
    ("st", "saint"),
    ("ste", "sainte"),
    ("vlg", "village"),
    ("vly", "valley"),
];

/// Words that stand for the same at the beginning of a name.
const DIRECTIONS: [(&str, &str); 4] = [("e", "east"), ("n", "north"), ("s", "south"), ("w", "west")];

/// What a place is, which people write before its name.
const BEFORE: [&str; 4] = ["borough", "city", "town", "village"];

/// What a place is, which some write after its name and others do not.
const AFTER: [&str; 4] = ["city", "metro", "town", "village"];

/// Returns the name in the form in which names are compared: in lower case, with abbreviations in full, without `City of` before it,
/// without spaces and punctuation.
pub fn key(name: &str) -> String {
    words(name).concat()
}

/// Whether two names are of the same city of a state.
pub fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || key(one) == key(other)
}

/// Returns the same without a last word that says what the place is, such as `City`. Names that agree only so may be of one place, or
/// of two.
pub fn key_without_kind(name: &str) -> String {
    let mut words = words(name);
    if words.len() > 1 && words.last().is_some_and(|last| AFTER.contains(&last.as_str())) {
        words.pop();
    }
    words.concat()
}

fn words(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if let [kind, "of", _, ..] = words.as_slice()
        && BEFORE.contains(kind)
    {
        words.drain(..2);
    }
    let full = |(place, word): (usize, &str)| {
        let direction = DIRECTIONS.iter().find(|(short, _)| place == 0 && *short == word);
        let known = direction.or_else(|| ABBREVIATIONS.iter().find(|(short, _)| *short == word));
        known.map_or(word, |(_, full)| *full).to_owned()
    };
    words.into_iter().enumerate().map(full).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        for (one, other) in [
            ("St. Marys", "SAINT MARYS"),
            ("st marys", "Saint Mary's"),
            ("Mt. Vernon", "mount vernon"),
            ("Ft Thomas", "Fort Thomas"),
            ("Garfield Hts.", "Garfield Heights"),
            ("W. Carrollton", "West Carrollton"),
            ("De Graff", "DeGraff"),
            ("Geneva-on-the-Lake", "Geneva on the Lake"),
            ("City of Columbus", " columbus "),
            ("Sault Ste. Marie", "Sault Sainte Marie"),
        ] {
            assert_eq!(key(one), key(other), "{one}");
        }
    }

    #[test]
    fn names_of_several_places_stay_apart() {
        for (one, other) in [
            ("Union", "Union City"),
            ("Newark", "New Ark City"),
            ("Jamestown", "James"),
            ("East Liverpool", "Liverpool"),
            ("Springfield", "Spring"),
        ] {
            assert_ne!(key(one), key(other), "{one}");
        }
        // What is left of a name without its kind only says that it may be the same place.
        assert_eq!(key_without_kind("Waverly City"), key_without_kind("Waverly"));
        assert_eq!(key_without_kind("Jamestown"), "jamestown");
        assert_eq!(key_without_kind("Village"), "village");
        // A township is not the city of the same name.
        assert_ne!(key_without_kind("Union Township"), key_without_kind("Union"));
    }
}
