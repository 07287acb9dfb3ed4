//! The occupations of the classification for which wages are published, alone or within a combination.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::search::{Index, TextKind};
use super::{code_text, parse_code};
use crate::platform::reference::columns::{Reader, Texts, Writer};
use crate::platform::reference::source::{Files, Input};
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage};

const FORM: [u8; 8] = *b"occups 1";
/// Minimum number of occupations of the classification: with fewer the files are incomplete.
const FEWEST: usize = 800;
/// Maximum characters of a title and of a description.
const LONGEST_TITLE: usize = 200;
const LONGEST: usize = 2_000;

/// Every occupation that an estimate can contain.
#[derive(Debug)]
pub struct Occupations {
    /// ascending
    codes: Vec<u32>,
    titles: Texts,
    descriptions: Texts,
    /// the code under which its wages are published
    published: Vec<u32>,
    /// the search index
    pub index: Index,
}

/// An occupation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupation<'o> {
    /// six digits
    pub code: u32,
    /// its title
    pub title: &'o str,
    /// its description; empty for a combination
    pub description: &'o str,
    /// the code under which its wages are published
    pub published_as: u32,
}

impl Occupations {
    /// Number of occupations.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The occupation at an index, by code.
    pub fn occupation_at(&self, place: usize) -> Occupation<'_> {
        Occupation {
            code: self.codes[place],
            title: self.titles.get(place),
            description: self.descriptions.get(place),
            published_as: self.published[place],
        }
    }

    /// The occupation with a code of six digits.
    pub fn find_by_code(&self, code: u32) -> Option<Occupation<'_>> {
        self.codes.binary_search(&code).ok().map(|place| self.occupation_at(place))
    }

    /// Matches of a query, best first: a code in either form, or words.
    pub fn search_occupations(&self, query: &str) -> Vec<usize> {
        match parse_code(query.trim()) {
            Some(code) => self.codes.binary_search(&code).into_iter().collect(),
            None => self.index.find_matches(query),
        }
    }
}

/// Columns of the packed format.
#[derive(Default)]
struct Tables {
    /// by code: title, description, published as
    occupations: BTreeMap<u32, (String, String, u32)>,
    /// code, title, whether it is one of O*NET's
    titles: Vec<(u32, String, bool)>,
}

impl Dataset for Occupations {
    const KIND: &'static str = "occupations";
    const BUILT_IN: Bundle =
        Bundle { vintage: "2018", bytes: include_bytes!("../../../../../data/packed/occupations.bin") };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        static CELL: OnceLock<Arc<Vintage<Occupations>>> = OnceLock::new();
        &CELL
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = Reader::new(FORM, bytes)?;
        let codes = reader.take_numbers()?;
        let (titles, descriptions) = (reader.take_texts()?, reader.take_texts()?);
        let published = reader.take_numbers()?;
        let (of, more, kinds) = (reader.take_numbers()?, reader.take_texts()?, reader.take_numbers()?);
        reader.finish()?;
        let fits = [titles.len(), descriptions.len(), published.len()] == [codes.len(); 3]
            && [more.len(), kinds.len()] == [of.len(); 2]
            && codes.is_sorted_by(|a, b| a < b)
            && of.iter().all(|place| (*place as usize) < codes.len());
        if !fits {
            return Err("its columns do not fit together".to_owned());
        }
        let names = titles.iter().enumerate().map(|(place, title)| (place, TextKind::Name, title));
        // A word of the name and one of the description find the occupation together.
        let described: Vec<String> =
            titles.iter().zip(descriptions.iter()).map(|(title, text)| format!("{title}. {text}")).collect();
        let described =
            described.iter().enumerate().map(|(place, text)| (place, TextKind::Description, text.as_str()));
        let kind = |kind: u32| if kind == 0 { TextKind::Direct } else { TextKind::Alternate };
        let further = of.iter().zip(more.iter()).zip(&kinds);
        let further = further.map(|((place, title), number)| (*place as usize, kind(*number), title));
        let index = Index::new(codes.len(), names.chain(described).chain(further));
        Ok(Self { codes, titles, descriptions, published, index })
    }

    fn read(request: &Request<'_>, _: Option<&Self>) -> Result<Packed, Faults> {
        let Some(vintage) = request.vintage else {
            return Err("the vintage must be given: the files do not state it".to_owned().into());
        };
        let mut faults = Faults::default();
        let tables = read_tables(request, &mut faults)?;
        if tables.occupations.len() < FEWEST {
            let found = tables.occupations.len();
            faults.push(|| format!("only {found} occupations: the files are not the whole classification"));
        }
        faults.finish()?;
        Ok(Packed { vintage: vintage.to_owned(), bytes: pack_tables(&tables) })
    }

    fn rows(&self) -> usize {
        self.codes.len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        let lacking =
            |a: &Self, b: &Self| a.codes.iter().filter(|code| b.find_by_code(**code).is_none()).count();
        let renamed = |code: &&u32| {
            before
                .find_by_code(**code)
                .is_some_and(|old| self.find_by_code(**code).is_some_and(|new| new.title != old.title))
        };
        vec![format!(
            "{} occupations are new, {} are gone, {} are renamed",
            lacking(self, before),
            lacking(before, self),
            self.codes.iter().filter(renamed).count()
        )]
    }

    fn template() -> String {
        "occupations.csv: code,title,description,level,oews_detail\nsoc_to_oews.csv: soc_code,oews_code\nany other .csv: code,title\n".to_owned()
    }
}

#[derive(Deserialize)]
struct OccupationLine {
    code: String,
    title: String,
    description: String,
    level: String,
    oews_detail: String,
}

#[derive(Deserialize)]
struct PublishedLine {
    soc_code: String,
    oews_code: String,
}

#[derive(Deserialize)]
struct TitleLine {
    code: String,
    title: String,
}

/// Reads `occupations.csv`, `soc_to_oews.csv` and every other table, which contain titles.
fn read_tables(request: &Request<'_>, faults: &mut Faults) -> Result<Tables, String> {
    let mut published = BTreeMap::new();
    let mut listed = Vec::new();
    let mut titles = Vec::new();
    for (name, input) in
        Files::at_path(request.path, request.progress)?.open_matching(|name| name.ends_with(".csv"))?
    {
        match name.as_str() {
            "occupations.csv" => read_lines(&name, input, faults, |line: OccupationLine| {
                let code = parse_code(&line.code).ok_or("code does not have the form 15-1252")?;
                let short = line.title.chars().count() <= LONGEST_TITLE
                    && line.description.chars().count() <= LONGEST;
                if line.title.is_empty()
                    || !short
                    || format!("{}{}", line.title, line.description).contains('\n')
                {
                    return Err("title or description is empty, too long or has several lines");
                }
                listed.push((code, line));
                Ok(())
            }),
            "soc_to_oews.csv" => read_lines(&name, input, faults, |line: PublishedLine| {
                let soc = parse_code(&line.soc_code).ok_or("soc_code does not have the form 15-1252")?;
                let oews = match line.oews_code.as_str() {
                    "" => None,
                    text => Some(parse_code(text).ok_or("oews_code does not have the form 15-1252")?),
                };
                published.insert(soc, oews);
                Ok(())
            }),
            _ => read_lines(&name, input, faults, |line: TitleLine| {
                let code = parse_code(&line.code).ok_or("code does not have the form 15-1252")?;
                if line.title.is_empty()
                    || line.title.chars().count() > LONGEST_TITLE
                    || line.title.contains('\n')
                {
                    return Err("title is empty, too long or has several lines");
                }
                titles.push((code, line.title, name.contains("onet")));
                Ok(())
            }),
        }
    }
    let mut occupations = BTreeMap::new();
    for (code, line) in listed {
        // A detailed occupation has its own wages or those of a combination, or none; a combination has its own.
        let published_as = match published.get(&code) {
            Some(oews) => *oews,
            None => Some(code).filter(|_| line.oews_detail == "1"),
        };
        let detailed = line.level == "detailed" || line.oews_detail == "1";
        if let Some(published_as) = published_as.filter(|_| detailed)
            && occupations.insert(code, (line.title, line.description, published_as)).is_some()
        {
            faults.push(|| format!("{} is listed twice", code_text(code)));
        }
    }
    let known: HashSet<u32> = occupations.keys().copied().collect();
    titles.retain(|(code, ..)| known.contains(code));
    Ok(Tables { occupations, titles })
}

fn read_lines<L: DeserializeOwned>(
    name: &str,
    input: Input<'_>,
    faults: &mut Faults,
    mut take: impl FnMut(L) -> Result<(), &'static str>,
) {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(input);
    for (line, place) in reader.deserialize::<L>().zip(2_u32..) {
        let taken = line.map_err(|error| error.to_string()).and_then(|line| Ok(take(line)?));
        if let Err(why) = taken {
            faults.push(|| format!("{name} line {place}: {why}"));
        }
    }
}

fn pack_tables(tables: &Tables) -> Vec<u8> {
    let Tables { occupations, titles } = tables;
    let codes: Vec<u32> = occupations.keys().copied().collect();
    let mut writer = Writer::new(FORM);
    writer.put_numbers(&codes);
    writer.put_texts(occupations.values().map(|(title, ..)| title));
    writer.put_texts(occupations.values().map(|(_, description, _)| description));
    writer.put_numbers(&occupations.values().map(|(.., published)| *published).collect::<Vec<_>>());
    let place = |code: &u32| codes.binary_search(code).ok().and_then(|place| u32::try_from(place).ok());
    writer.put_numbers(&titles.iter().filter_map(|(code, ..)| place(code)).collect::<Vec<_>>());
    writer.put_texts(titles.iter().map(|(_, title, _)| title));
    writer.put_numbers(&titles.iter().map(|(.., onet)| u32::from(*onet)).collect::<Vec<_>>());
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Arc<Vintage<Occupations>> {
        Vintage::built_in()
    }

    #[test]
    fn every_occupation_with_wages_exists_and_those_of_a_combination_refer_to_it() {
        let data = &data().data;
        // 818 with wages of their own, 28 inside combinations, and the 12 combinations.
        assert_eq!(data.len(), 858);
        let published_as = |code| data.find_by_code(code).map(|occupation| occupation.published_as);
        assert_eq!(published_as(151_252), Some(151_252));
        assert_eq!(published_as(311_121), Some(311_120), "home health aides");
        assert_eq!(published_as(311_120), Some(311_120));
        assert_eq!(published_as(111_031), None, "legislators have no wages");
        assert_eq!(published_as(110_000), None, "a group is not an occupation");
    }

    #[test]
    fn a_code_is_found_in_both_forms() {
        let data = &data().data;
        let first =
            |query| data.search_occupations(query).first().map(|place| data.occupation_at(*place).title);
        for form in ["151252", "15-1252", " 15-1252 "] {
            assert_eq!(first(form), Some("Software Developers"));
        }
        assert_eq!(first("999999"), None);
    }
}
