//! Links in the documents lead somewhere: each file exists, each anchor is a heading of its document, and README.md
//! leads to every page of docs/.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::docs::ROOT;
use crate::sources;

/// Documents that people read; the pages of docs/ come besides.
const DOCUMENTS: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "data/README.md"];

fn documents() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let named = DOCUMENTS.iter().map(|name| root.join(name));
    named.chain(sources::files(&root.join("docs"), "md")).collect()
}

/// The text without blocks and pieces of code.
fn prose(text: &str) -> String {
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    outside.concat().split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Targets of links and pictures.
fn targets(prose: &str) -> Vec<&str> {
    prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// Anchors of a document's headings, as forges make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    let outside = outside.concat();
    let headings = outside.lines().filter(|line| line.starts_with('#'));
    let plain = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    plain.map(|heading| heading.chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

#[test]
fn every_link_in_the_documents_leads_to_a_file_and_a_heading_that_exist() {
    let (mut wrong, mut looked) = (Vec::new(), 0);
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&prose(&text)) {
            looked += 1;
            if target.starts_with("https://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { document.clone() } else { document.parent().unwrap().join(file) };
            let known = if anchor.is_empty() {
                path.exists()
            } else {
                fs::read_to_string(&path).is_ok_and(|text| anchors(&text).contains(anchor))
            };
            if !known {
                wrong.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked >= 60, "only {looked} links were found");
}

#[test]
fn the_readme_leads_to_every_page_of_the_docs() {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let prose = prose(&readme);
    let led: BTreeSet<&str> = targets(&prose).into_iter().filter_map(|to| to.split('#').next()).collect();
    for page in fs::read_dir(Path::new(ROOT).join("docs")).unwrap() {
        let name = format!("docs/{}", page.unwrap().file_name().to_string_lossy());
        let known = led.contains(&*name)
            || name == "docs/adr" && led.contains("docs/adr/README.md")
            || name == "docs/pictures" && readme.contains("docs/pictures/");
        assert!(known, "README.md does not lead to {name}");
    }
}
