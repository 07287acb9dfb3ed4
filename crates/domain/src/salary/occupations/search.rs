//! In-memory search: an inverted index from words to the titles that contain them.
//!
//! A query is a few words in any order. Each matches itself, the words that begin with it, and, if it is in no title,
//! those that are a typing error away. Texts that contain all words are found; if there are none, those that contain
//! the most. Occupations whose name contains all words (or their beginnings) come first, then those whose description
//! does, then those found by another title or a typing error. Within each group the score decides: how exactly the
//! words match, how few other words the title has, and the kind of title; an occupation scores as its best title, and
//! slightly higher for each further one, because common occupations have many names.
//!
//! Every word counts, also "and" and "all". After the matches of a query with such words come those of its other words.

use std::collections::{HashMap, HashSet};

use super::words::{edit_distance, is_filler, letter_bits, split_words};

/// Maximum words of a query; further ones are ignored.
const MOST_WORDS: usize = 8;
/// How exactly a word matches, in units of [`EXACT`].
const EXACT: u32 = 100;
const BEGINNING: u32 = 90;
const ONE_STEP: u32 = 72;
const TWO_STEPS: u32 = 50;
/// Penalty of each additional word of a title, and maximum number of these.
const SURPLUS: u32 = 7;
const MOST_SURPLUS: usize = 6;
/// Bonus of each further title of an occupation.
const MOST_TITLES: u32 = 18;
/// Bonus of a match with the last word of a title: a "nurse manager" is a manager.
const HEAD: u32 = 8;

/// The kind of text that words come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// the occupation's own title
    Name,
    /// a title that the classification lists
    Direct,
    /// an alternate title
    Alternate,
    /// the name with the description
    Description,
}

impl TextKind {
    /// The weight of a match, in hundredths.
    const fn weight(self) -> u32 {
        match self {
            Self::Name => 112,
            Self::Direct => 108,
            Self::Alternate => 100,
            Self::Description => 35,
        }
    }
}

/// A searchable text.
struct Text {
    occupation: u32,
    kind: TextKind,
    /// the positions of its words in `Index::said`
    start: u32,
    end: u32,
}

/// The searchable texts.
pub struct Index {
    /// ascending
    vocabulary: Vec<String>,
    letters: Vec<u64>,
    /// which words of the vocabulary are fillers, such as "and"
    fillers: Vec<bool>,
    texts: Vec<Text>,
    /// the words of all texts, one text after the other
    said: Vec<u32>,
    /// for each word the texts that contain it: from `starts[word]` to `starts[word + 1]`
    postings: Vec<u32>,
    starts: Vec<u32>,
    occupations: usize,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} texts of {} words", self.texts.len(), self.vocabulary.len())
    }
}

/// The matches of a query's word: words of the vocabulary with how exactly they match, ascending.
type Meaning = Vec<(u32, u32)>;

impl Index {
    /// The index of texts, each of an occupation (its index in a list of the given length).
    pub fn new<'t>(occupations: usize, texts: impl Iterator<Item = (usize, TextKind, &'t str)>) -> Self {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let (mut made, mut said) = (Vec::new(), Vec::new());
        for (occupation, kind, text) in texts {
            let start = place_number(said.len());
            for word in split_words(text) {
                let next = place_number(numbers.len());
                said.push(*numbers.entry(word).or_insert(next));
            }
            made.push(Text {
                occupation: place_number(occupation),
                kind,
                start,
                end: place_number(said.len()),
            });
        }
        // When sorted, words with a common prefix are adjacent.
        let mut sorted: Vec<(String, u32)> = numbers.into_iter().collect();
        sorted.sort_unstable();
        let mut places = vec![0; sorted.len()];
        for (place, (_, old)) in sorted.iter().enumerate() {
            places[*old as usize] = place_number(place);
        }
        for word in &mut said {
            *word = places[*word as usize];
        }
        let vocabulary: Vec<String> = sorted.into_iter().map(|(word, _)| word).collect();
        let (starts, postings) = invert_texts(vocabulary.len(), &made, &said);
        let letters = vocabulary.iter().map(|word| letter_bits(word)).collect();
        let fillers = vocabulary.iter().map(|word| is_filler(word)).collect();
        Self { vocabulary, letters, fillers, texts: made, said, postings, starts, occupations }
    }

    /// The matching occupations, best first, as indices of the list.
    pub fn find_matches(&self, query: &str) -> Vec<usize> {
        let mut asked = split_words(query);
        asked.truncate(MOST_WORDS);
        let telling: Vec<String> = asked.iter().filter(|word| !is_filler(word)).cloned().collect();
        if telling.len() == asked.len() {
            return self.match_words(&asked, false);
        }
        let mut found = self.match_words(&asked, true);
        if !telling.is_empty() {
            let known: HashSet<usize> = found.iter().copied().collect();
            found
                .extend(self.match_words(&telling, false).into_iter().filter(|place| !known.contains(place)));
        }
        found
    }

    /// The occupations with a text that contains all words or, unless `all` is required, the most of them.
    fn match_words(&self, asked: &[String], all: bool) -> Vec<usize> {
        let mut meanings: Vec<Meaning> = asked.iter().map(|word| self.meaning_of_word(word)).collect();
        self.add_compounds(asked, &mut meanings);
        if all && meanings.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        meanings.retain(|meaning| !meaning.is_empty());
        if meanings.is_empty() {
            return Vec::new();
        }
        let mut tally = Tally::new(self.occupations);
        // The rarest word has the fewest texts to check; the other words must be in these texts, too.
        meanings.sort_by_key(|meaning| self.texts_of(meaning));
        let least = if all { meanings.len() } else { 1 };
        for wanted in (least..=meanings.len()).rev() {
            // If one word may be missing, it may be the rarest one.
            for rarest in 0..=meanings.len() - wanted {
                self.score_texts(&meanings, rarest, wanted, &mut tally);
            }
            if tally.best.iter().any(|score| *score > 0) {
                break;
            }
        }
        tally.ranking()
    }

    /// Scores the texts of one word that contain at least the given number of all words.
    fn score_texts(&self, meanings: &[Meaning], rarest: usize, wanted: usize, tally: &mut Tally) {
        let mut lookup: Vec<(u32, u32, u32)> = Vec::new();
        for (place, meaning) in meanings.iter().enumerate() {
            lookup.extend(meaning.iter().map(|(word, quality)| (*word, place_number(place), *quality)));
        }
        lookup.sort_unstable();
        for (word, _) in &meanings[rarest] {
            for text in self.texts_with(*word) {
                let text = &self.texts[*text as usize];
                if let Some(found) = self.score_text(text, &lookup, meanings.len(), wanted) {
                    tally.add_match(text.occupation as usize, found);
                }
            }
        }
    }

    fn score_text(
        &self,
        text: &Text,
        lookup: &[(u32, u32, u32)],
        asked: usize,
        wanted: usize,
    ) -> Option<Match> {
        let said = &self.said[text.start as usize..text.end as usize];
        let mut found = [0_u32; MOST_WORDS * 2];
        let (mut surplus, mut head) = (0, false);
        for (place, word) in said.iter().enumerate() {
            let from = lookup.partition_point(|(known, ..)| known < word);
            let matches = lookup[from..].iter().take_while(|(known, ..)| known == word);
            let mut counts = false;
            for (_, meaning, quality) in matches {
                let best = &mut found[*meaning as usize];
                *best = (*best).max(*quality);
                counts = true;
            }
            surplus += usize::from(!counts && !self.fillers[*word as usize]);
            head |= counts && place + 1 == said.len();
        }
        let matched = found.iter().filter(|quality| **quality > 0).count();
        if matched < wanted {
            return None;
        }
        let unmistakable = found.iter().filter(|quality| **quality >= BEGINNING).count() == asked;
        let group = match text.kind {
            TextKind::Name if unmistakable => Group::Name,
            TextKind::Description if unmistakable => Group::Description,
            _ => Group::Other,
        };
        let exactness = found.iter().sum::<u32>() / place_number(asked.max(1));
        let score = exactness * text.kind.weight() / 100;
        if text.kind == TextKind::Description {
            return Some(Match { group, score: score.max(1) });
        }
        let surplus = place_number(surplus.min(MOST_SURPLUS)) * SURPLUS;
        let score = (score + if head { HEAD } else { 0 }).saturating_sub(surplus).max(2);
        Some(Match { group, score })
    }

    fn texts_with(&self, word: u32) -> &[u32] {
        let word = word as usize;
        &self.postings[self.starts[word] as usize..self.starts[word + 1] as usize]
    }

    fn texts_of(&self, meaning: &Meaning) -> usize {
        meaning.iter().map(|(word, _)| self.texts_with(*word).len()).sum()
    }

    /// The matches of a word.
    fn meaning_of_word(&self, word: &str) -> Meaning {
        let from = self.vocabulary.partition_point(|known| known.as_str() < word);
        let mut meaning: Meaning = Vec::new();
        for (place, known) in self.vocabulary.iter().enumerate().skip(from) {
            if !known.starts_with(word) {
                break;
            }
            meaning.push((place_number(place), if known.len() == word.len() { EXACT } else { BEGINNING }));
        }
        let exact = meaning.first().is_some_and(|(_, quality)| *quality == EXACT);
        if !exact {
            self.add_misspelt(word, &mut meaning);
        }
        meaning
    }

    /// Adds the words that are a typing error away: one edit, in long words two.
    fn add_misspelt(&self, word: &str, meaning: &mut Meaning) {
        let most = match word.len() {
            ..=3 => return,
            4..=7 => 1,
            _ => 2,
        };
        let (own, before) = (letter_bits(word), meaning.len());
        let limit = u32::try_from(most * 2).unwrap_or(u32::MAX);
        for (place, known) in self.vocabulary.iter().enumerate() {
            let apart = (self.letters[place] ^ own).count_ones() > limit;
            if apart || known.len().abs_diff(word.len()) > most {
                continue;
            }
            if let Some(steps) = edit_distance(word.as_bytes(), known.as_bytes(), most)
                && !meaning[..before].iter().any(|(known, _)| *known == place_number(place))
            {
                meaning.push((place_number(place), if steps <= 1 { ONE_STEP } else { TWO_STEPS }));
            }
        }
    }

    /// "Book keeper" is a bookkeeper, and "truckdriver" a truck driver: two words that are one in the titles, and one
    /// that is two.
    fn add_compounds(&self, asked: &[String], meanings: &mut Vec<Meaning>) {
        let exactly = |word: &str| {
            let found = self.vocabulary.binary_search_by(|known| known.as_str().cmp(word));
            found.ok().map(place_number)
        };
        for (place, pair) in asked.windows(2).enumerate() {
            if let Some(joined) = exactly(&pair.concat()) {
                for meaning in &mut meanings[place..place + 2] {
                    meaning.retain(|(word, _)| *word != joined);
                    meaning.push((joined, BEGINNING));
                }
            }
        }
        for (place, word) in asked.iter().enumerate().filter(|(_, word)| word.len() >= 6 && word.is_ascii()) {
            if !meanings[place].is_empty() {
                continue;
            }
            let halves = (3..=word.len() - 3).find_map(|at| exactly(&word[..at]).zip(exactly(&word[at..])));
            if let Some((first, second)) = halves {
                meanings[place] = vec![(first, BEGINNING)];
                meanings.push(vec![(second, BEGINNING)]);
            }
        }
    }
}

/// Where a query was found, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// all its words, or words that begin with them, are in the occupation's name
    Name,
    /// the same in its name and description
    Description,
    /// in another title, with a typing error, or not all words
    Other,
}

/// A text that matches a query.
struct Match {
    group: Group,
    score: u32,
}

/// The score of each occupation.
struct Tally {
    group: Vec<Group>,
    best: Vec<u32>,
    texts: Vec<u32>,
}

impl Tally {
    fn new(occupations: usize) -> Self {
        Self {
            group: vec![Group::Other; occupations],
            best: vec![0; occupations],
            texts: vec![0; occupations],
        }
    }

    fn add_match(&mut self, place: usize, found: Match) {
        self.group[place] = self.group[place].min(found.group);
        self.best[place] = self.best[place].max(found.score);
        self.texts[place] += 1;
    }

    fn ranking(self) -> Vec<usize> {
        let mut found: Vec<usize> = (0..self.best.len()).filter(|place| self.best[*place] > 0).collect();
        let score = |place: usize| self.best[place] + self.texts[place].min(MOST_TITLES);
        // Indices are in the order of codes, which breaks ties.
        found.sort_unstable_by_key(|place| (self.group[*place], u32::MAX - score(*place), *place));
        found
    }
}

/// For each word the texts that contain it, without duplicates.
fn invert_texts(vocabulary: usize, texts: &[Text], said: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(said.len());
    for (place, text) in texts.iter().enumerate() {
        let words = &said[text.start as usize..text.end as usize];
        pairs.extend(words.iter().map(|word| (*word, place_number(place))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut starts = vec![0; vocabulary + 1];
    for (word, _) in &pairs {
        starts[*word as usize + 1] += 1;
    }
    for word in 0..vocabulary {
        starts[word + 1] += starts[word];
    }
    (starts, pairs.into_iter().map(|(_, text)| text).collect())
}

fn place_number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or_else(|_| panic!("{place} texts or words are more than an index holds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = [
        "Software Developers",
        "Bookkeeping, Accounting, and Auditing Clerks",
        "Heavy and Tractor-Trailer Truck Drivers",
        "Registered Nurses",
        "Nursing Assistants",
    ];

    fn index() -> Index {
        let names = NAMES.iter().enumerate().map(|(place, name)| (place, TextKind::Name, *name));
        let more = [
            (0, TextKind::Alternate, "Software Engineer"),
            (1, TextKind::Direct, "Bookkeeper"),
            (2, TextKind::Direct, "Truck Driver"),
            (3, TextKind::Description, "Assess patient health problems and needs"),
        ];
        Index::new(NAMES.len(), names.chain(more))
    }

    fn best(query: &str) -> Option<usize> {
        index().find_matches(query).first().copied()
    }

    #[test]
    fn occupations_are_found_by_words_in_any_order_prefixes_and_alternate_titles() {
        assert_eq!(best("software developer"), Some(0));
        assert_eq!(best("developers SOFTWARE"), Some(0));
        assert_eq!(best("softw dev"), Some(0));
        assert_eq!(best("engineer, software"), Some(0));
        assert_eq!(best("bookkeeper"), Some(1));
        assert_eq!(best("patient needs"), Some(3));
    }

    #[test]
    fn typing_errors_and_misplaced_blanks_are_tolerated() {
        assert_eq!(best("softwre engineer"), Some(0));
        assert_eq!(best("truk driver"), Some(2));
        assert_eq!(best("book keeper"), Some(1));
        assert_eq!(best("truckdriver"), Some(2));
        assert_eq!(best("regsitered nurse"), Some(3));
    }

    #[test]
    fn unknown_words_find_nothing_and_one_known_word_is_enough() {
        for nothing in ["zzzzqqq", "", "--", "and the of"] {
            assert_eq!(index().find_matches(nothing), [0; 0], "{nothing}");
        }
        assert_eq!(best("freelance zzzz nurse"), Some(3));
    }

    #[test]
    fn names_come_first_then_descriptions_then_other_titles() {
        let texts = [
            (0, TextKind::Name, "Night Auditors"),
            (0, TextKind::Alternate, "Clerk"),
            (1, TextKind::Name, "Cashiers"),
            (1, TextKind::Description, "Cashiers. Help the clerk and all others"),
            (2, TextKind::Name, "Hotel, Motel, and Resort Desk Clerks, All Other"),
            (3, TextKind::Name, "Bakers"),
        ];
        let index = Index::new(4, texts.into_iter());
        assert_eq!(index.find_matches("clerk"), [2, 1, 0]);
        assert_eq!(index.find_matches("all"), [2, 1], "no word is left out");
        assert_eq!(index.find_matches("and"), [2, 1]);
        assert_eq!(
            index.find_matches("clerks, all other"),
            [2, 1, 0],
            "the whole first, then what the other words find"
        );
        assert_eq!(index.find_matches("cashier clerk"), [1], "one word of the name, one of the description");
    }

    #[test]
    fn the_better_match_comes_first() {
        assert_eq!(index().find_matches("nurs"), [3, 4]);
        assert_eq!(index().find_matches("nursing"), [4]);
    }
}
