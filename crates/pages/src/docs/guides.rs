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
        markdown::guide_title(self.text)
    }

    /// Its first call; `None` if it begins with something else.
    pub fn first_call(&self) -> Option<FirstCall> {
        let (before, rest) = self.text.split_once("<!-- operation ")?;
        let (operation, rest) = rest.split_once(" -->\n```sh\n")?;
        let (_, after) = rest.split_once("\n```\n")?;
        Some(FirstCall { before, operation, after })
    }
}

/// The call with which a guide begins. The guide has it for curl; a page shows it in every language that its operation has.
pub struct FirstCall {
    /// the guide's text before it
    pub before: &'static str,
    /// id of the operation
    pub operation: &'static str,
    /// the text after it
    pub after: &'static str,
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
    "pay-schedules",
    "gross-to-net",
    "payroll-taxes",
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
pub fn find_guide(slug: &str) -> Option<&'static Guide> {
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

/// Words that developers bring from elsewhere, and those with which these pages say the same.
const SYNONYMS: [(&str, &[&str]); 19] = [
    ("401k", &["401(k)", "retirement"]),
    ("apikey", &["api token", "access token"]),
    ("callback", &["webhook", "redirect"]),
    ("changelog", &["difference"]),
    ("deploy", &["systemd", "container"]),
    ("kubernetes", &["container"]),
    ("login", &["sign in", "signs in", "sign-in"]),
    ("paginate", &["x-total-count"]),
    ("pagination", &["x-total-count"]),
    ("paging", &["x-total-count"]),
    ("payslip", &["pay stub"]),
    ("paystub", &["pay stub"]),
    ("pto", &["time off"]),
    ("sandbox", &["stipend dev", "demo world"]),
    ("ssn", &["social security number"]),
    ("test", &["stipend trigger", "stipend listen", "stipend dev"]),
    ("throttling", &["429"]),
    ("timezone", &["time zone"]),
    ("vacation", &["time off"]),
];

/// Words of a question that say nothing about its subject.
const LITTLE: [&str; 20] = [
    "a", "an", "and", "are", "can", "do", "does", "for", "how", "i", "in", "is", "my", "of", "on", "the",
    "to", "what", "when", "where",
];

/// The operations and sections of guides that contain every word of a query, operations first; after them those that say the same in other
/// words, or in the singular.
pub fn search_docs(query: &str) -> Vec<Found> {
    let query: String = query.chars().take(LONGEST).collect::<String>().to_lowercase();
    let asked = || query.split(|letter: char| letter.is_whitespace() || matches!(letter, '?' | ','));
    let asked = || asked().filter(|word| !word.is_empty());
    let words: Vec<&str> = asked().filter(|word| !LITTLE.contains(word)).collect();
    // A query of little words alone is looked for as it is.
    let words = if words.is_empty() { asked().collect() } else { words };
    if words.is_empty() {
        return Vec::new();
    }
    let mut found = find_matches(&words, |word| vec![word]);
    let more = find_matches(&words, word_forms);
    let more: Vec<Found> =
        more.into_iter().filter(|one| found.iter().all(|known| known.path != one.path)).collect();
    found.extend(more);
    found.truncate(MOST);
    found
}

/// A word, its singular, its stem, and what else is said for it.
fn word_forms(word: &str) -> Vec<&str> {
    let singular = word.strip_suffix('s').filter(|stem| stem.len() > 2);
    let meant = SYNONYMS.iter().filter(|(asked, _)| *asked == word || Some(*asked) == singular);
    let meant = meant.flat_map(|(_, meant)| meant.iter().copied());
    std::iter::once(word).chain(singular).chain(word_stem(word)).chain(meant).collect()
}

/// What the forms of a word have in common: `sign` of signing, `verif` of verify and verifies.
fn word_stem(word: &str) -> Option<&str> {
    let endings = ["ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "y", "e"];
    let stem = endings.iter().find_map(|ending| word.strip_suffix(ending))?;
    (stem.len() >= 4).then_some(stem)
}

/// The operations and sections of guides that contain a form of every word.
fn find_matches<'q>(words: &[&'q str], forms: impl Fn(&'q str) -> Vec<&'q str>) -> Vec<Found> {
    let words: Vec<Vec<&str>> = words.iter().map(|&word| forms(word)).collect();
    let holds = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|forms| forms.iter().any(|form| text.contains(form)))
    };
    let operations =
        Book::get_book().operations().filter(|(_, one)| holds(&format!("{} {}", one.name, one.summary)));
    let operations = operations.map(|(_, one)| Found {
        path: format!("/docs/operations/{}", one.id),
        title: one.summary.clone(),
        text: one.name.clone(),
    });
    let parts = ALL.iter().flat_map(guide_parts);
    let mut parts: Vec<_> = parts
        .filter(|(guide, heading, text)| holds(&format!("{} {heading} {text}", guide.title())))
        .collect();
    // A section whose heading has the words is about them.
    parts.sort_by_key(|(_, heading, _)| !holds(heading));
    let parts = parts.into_iter().map(|(guide, heading, text)| Found {
        path: format!("/docs/guides/{}#{}", guide.slug, markdown::heading_anchor(heading)),
        title: format!("{}: {heading}", guide.title()),
        text: excerpt_around(&text, words.first().map_or(&[] as &[_], Vec::as_slice)),
    });
    operations.take(MOST / 2).chain(parts).take(MOST).collect()
}

/// A guide split at its headings.
fn guide_parts(guide: &'static Guide) -> impl Iterator<Item = (&'static Guide, &'static str, String)> {
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

/// The words around the first occurrence of a form of a word.
fn excerpt_around(text: &str, forms: &[&str]) -> String {
    let lower = text.to_lowercase();
    let found = forms.iter().find_map(|form| lower.find(form));
    let at = found.map_or(0, |byte| lower[..byte].chars().count());
    let from = at.saturating_sub(60);
    let shown: String = text.chars().skip(from).take(180).collect();
    // Whole words alone.
    let shown = if from == 0 { &*shown } else { shown.split_once(' ').map_or(&*shown, |(_, rest)| rest) };
    let shown = shown.rsplit_once(' ').map_or(shown, |(whole, _)| whole);
    format!("… {} …", shown.replace(['`', '*', '|'], "").trim())
}

#[cfg(test)]
mod tests {
    use super::super::clients;
    use super::super::script::Script;
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
    fn every_guide_begins_with_a_block_that_runs_and_names_an_operation_in_every_language() {
        for guide in ALL {
            // Where the first section begins at once, its block does.
            let begins: String = guide.text.split("\n## ").take(2).collect();
            // The list of operations is a table.
            assert!(begins.contains("```sh\n") || guide.slug == "compatibility", "{}", guide.slug);
            assert_eq!(
                guide.text.contains("<!-- operation "),
                guide.first_call().is_some(),
                "{}",
                guide.slug
            );
            let Some(call) = guide.first_call() else { continue };
            assert!(call.before.len() < begins.len(), "{}", guide.slug);
            let (_, one) = Book::get_book().find_operation(call.operation).expect(call.operation);
            let shown = clients::client_examples(
                &one.id,
                &Script::for_operation(&one.name, None),
                "http://127.0.0.1:8080",
            );
            let languages: Vec<_> = shown.iter().map(|example| example.id).collect();
            assert_eq!(languages, ["typescript", "python"], "{}: {}", guide.slug, one.id);
        }
    }

    #[test]
    fn operations_and_guides_are_found_by_all_words_of_a_query() {
        let found = search_docs("webhook SIGNATURE");
        assert!(found.iter().any(|one| one.path.starts_with("/docs/guides/webhooks#")), "{}", found.len());
        assert!(search_docs("pay stubs").iter().any(|one| one.path.starts_with("/docs/operations/")));
        assert!(search_docs("  ").is_empty() && search_docs("zzzzqqq").is_empty());
    }

    #[test]
    fn what_is_shown_of_a_text_has_whole_words() {
        let text = format!("{}the signature {}", "before ".repeat(30), "afterwards ".repeat(30));
        let shown = excerpt_around(&text, &["signature"]);
        let words: Vec<_> = shown.split(' ').collect();
        assert!(
            words.iter().all(|word| ["…", "before", "the", "signature", "afterwards"].contains(word)),
            "{shown}"
        );
    }

    #[test]
    fn words_of_other_products_find_what_says_the_same() {
        for (query, path) in [
            ("pagination", "/docs/guides/api#lists"),
            ("test webhooks", "/docs/guides/webhooks#on-the-command-line"),
            ("verify signatures", "/docs/guides/webhooks#receiving"),
            ("How do I verify a signature?", "/docs/guides/webhooks#receiving"),
            ("payslips", "/docs/operations/get_pay_stub"),
        ] {
            let found = search_docs(query);
            let paths: Vec<_> = found.iter().map(|one| one.path.as_str()).collect();
            assert!(paths.contains(&path), "{query}: {paths:?}");
        }
        assert!(!search_docs("sandbox").is_empty());
        assert!(SYNONYMS.is_sorted_by_key(|(asked, _)| *asked));
        // What the words themselves find comes first.
        let titles = |found: Vec<Found>| found.into_iter().map(|one| one.title).collect::<Vec<_>>();
        let themselves = titles(find_matches(&["vacation"], |word| vec![word]));
        assert!(!themselves.is_empty() && titles(search_docs("vacation")).starts_with(&themselves));
    }
}
