//! The guides of `docs/`, as pages, and the search over them and the operations.

use super::book::Book;
use super::markdown;

/// Maximum of results shown.
const MOST: usize = 40;
/// Maximum characters of a query that are used.
const LONGEST: usize = 100;

/// A guide: its name in URLs, and its text.
pub struct Guide {
    /// the name of its file, without the extension
    pub slug: &'static str,
    /// Markdown
    pub text: &'static str,
}

impl Guide {
    /// Its first heading.
    pub fn title(&self) -> &'static str {
        markdown::title(self.text)
    }
}

macro_rules! guides {
    ($($slug:literal),+ $(,)?) => {
        &[$(Guide { slug: $slug, text: include_str!(concat!("../../../../docs/", $slug, ".md")) }),+]
    };
}

/// Every guide, in reading order.
pub const ALL: &[Guide] = guides![
    "api",
    "oauth",
    "company-setup",
    "onboarding",
    "employment",
    "contractors",
    "payroll",
    "payments",
    "reports",
    "taxes",
    "time-off",
    "benefits",
    "garnishments",
    "salary_estimates",
    "forms",
    "webhooks",
    "versions",
    "migration",
    "console",
    "operations",
    "security",
    "reliability",
    "performance",
    "compatibility",
];

/// The guide of a name.
pub fn find(slug: &str) -> Option<&'static Guide> {
    ALL.iter().find(|guide| guide.slug == slug)
}

/// A search result.
pub struct Found {
    /// its address
    pub path: String,
    /// its title
    pub title: String,
    /// the words around the match
    pub text: String,
}

/// The operations and sections of guides that contain every word of a query; operations first.
pub fn search(query: &str) -> Vec<Found> {
    let query: String = query.chars().take(LONGEST).collect::<String>().to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let holds = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let operations =
        Book::get().operations().filter(|(_, one)| holds(&format!("{} {}", one.name, one.summary)));
    let operations = operations.map(|(_, one)| Found {
        path: format!("/docs/operations/{}", one.id),
        title: one.summary.clone(),
        text: one.name.clone(),
    });
    let parts = ALL.iter().flat_map(parts).filter(|(_, heading, text)| holds(&format!("{heading} {text}")));
    let parts = parts.map(|(guide, heading, text)| Found {
        path: format!("/docs/guides/{}#{}", guide.slug, markdown::anchor(heading)),
        title: format!("{}: {heading}", guide.title()),
        text: around(&text, words.first().copied().unwrap_or_default()),
    });
    operations.take(MOST / 2).chain(parts).take(MOST).collect()
}

/// A guide split at its headings.
fn parts(guide: &'static Guide) -> impl Iterator<Item = (&'static Guide, &'static str, String)> {
    let mut parts: Vec<(&'static Guide, &'static str, String)> = Vec::new();
    for line in guide.text.lines() {
        match line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim()) {
            Some(heading) if line.contains("# ") => parts.push((guide, heading, String::new())),
            _ => {
                if let Some((_, _, text)) = parts.last_mut() {
                    text.push_str(line.trim());
                    text.push(' ');
                }
            }
        }
    }
    parts.into_iter()
}

/// The words around the first occurrence of a word.
fn around(text: &str, word: &str) -> String {
    let lower = text.to_lowercase();
    let at = lower.find(word).map_or(0, |byte| lower[..byte].chars().count());
    let shown: String = text.chars().skip(at.saturating_sub(60)).take(180).collect();
    format!("… {} …", shown.replace(['`', '*', '|'], "").trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_of_the_project_is_shown() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".md").map(str::to_owned))
            .collect();
        files.sort();
        let mut shown: Vec<_> = ALL.iter().map(|guide| guide.slug.to_owned()).collect();
        shown.sort();
        assert_eq!(shown, files);
        assert!(ALL.iter().all(|guide| !guide.title().is_empty()));
    }

    #[test]
    fn operations_and_guides_are_found_by_all_words_of_a_query() {
        let found = search("webhook SIGNATURE");
        assert!(found.iter().any(|one| one.path.starts_with("/docs/guides/webhooks#")), "{}", found.len());
        assert!(search("pay stubs").iter().any(|one| one.path.starts_with("/docs/operations/")));
        assert!(search("  ").is_empty() && search("zzzzqqq").is_empty());
    }
}
