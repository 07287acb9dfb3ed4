//! Comparison of city names, as spelled in addresses and tables.
//!
//! The same city is spelled in many ways: `St. Marys`, `Saint Marys`, `SAINT MARYS`; `Mt. Vernon` and `Mount Vernon`; `Garfield Hts`.
//! Both sides of a comparison are normalized by [`comparison_key`]. Abbreviations follow USPS Publication 28: under section 223, city names use
//! the logic of street suffixes (appendix C1) and directional words (section 233).

/// Abbreviations that are expanded anywhere in a name.
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

/// Directional abbreviations that are expanded only at the beginning of a name.
const DIRECTIONS: [(&str, &str); 4] = [("e", "east"), ("n", "north"), ("s", "south"), ("w", "west")];

/// Kinds of place that can precede a name, as in `City of`.
const BEFORE: [&str; 4] = ["borough", "city", "town", "village"];

/// Kinds of place that may or may not follow a name.
const AFTER: [&str; 4] = ["city", "metro", "town", "village"];

/// Returns the normalized name for comparison: in lower case, with abbreviations expanded, without a leading `City of` or the like,
/// and without spaces or punctuation.
pub fn comparison_key(name: &str) -> String {
    normalized_words(name).concat()
}

/// Whether two names in a state refer to the same city.
pub fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || comparison_key(one) == comparison_key(other)
}

/// Like [`comparison_key`], but drops a last word that names the kind of place, such as `City`. Names that match only in this form may refer to
/// one place or to two.
pub fn key_without_kind(name: &str) -> String {
    let mut words = normalized_words(name);
    if words.len() > 1 && words.last().is_some_and(|last| AFTER.contains(&last.as_str())) {
        words.pop();
    }
    words.concat()
}

fn normalized_words(name: &str) -> Vec<String> {
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
            assert_eq!(comparison_key(one), comparison_key(other), "{one}");
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
            assert_ne!(comparison_key(one), comparison_key(other), "{one}");
        }
        // A match without the kind of place only means that it may be the same place.
        assert_eq!(key_without_kind("Waverly City"), key_without_kind("Waverly"));
        assert_eq!(key_without_kind("Jamestown"), "jamestown");
        assert_eq!(key_without_kind("Village"), "village");
        // A township is not the city of the same name.
        assert_ne!(key_without_kind("Union Township"), key_without_kind("Union"));
    }
}
