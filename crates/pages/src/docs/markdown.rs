//! The guides' subset of Markdown as HTML: headings, paragraphs, lists, tables, code, links and emphasis. Anything else
//! is shown as plain text, escaped.

use super::colours::highlight_code;
use super::rich_text_html;

/// Lines of a list, of a table, and so on, until something else begins.
struct Lines<'t> {
    rest: std::iter::Peekable<std::str::Lines<'t>>,
}

/// A guide as HTML.
pub fn guide_html(text: &str) -> String {
    let mut lines = Lines { rest: text.lines().peekable() };
    let mut made = String::new();
    while let Some(line) = lines.rest.next() {
        if line.trim().is_empty() || is_comment(line) {
            continue;
        }
        if let Some((level, title)) = parse_heading(line) {
            made +=
                &format!("<h{level} id=\"{}\">{}</h{level}>\n", heading_anchor(title), inline_html(title));
        } else if line.starts_with("```") {
            made += &lines.code_block(line);
        } else if line.starts_with('|') {
            made += &lines.table_html(line);
        } else if let Some(first) = list_item_text(line) {
            made += &lines.list_html(line, first);
        } else {
            made += &format!("<p>{}</p>\n", inline_html(&lines.paragraph_html(line)));
        }
    }
    made
}

/// The title of a guide: its first heading.
pub fn guide_title(text: &str) -> &str {
    text.lines().find_map(parse_heading).map_or("", |(_, title)| title)
}

/// A section of a guide.
pub struct Section {
    /// its anchor within the page
    pub anchor: String,
    /// its heading
    pub title: String,
}

/// The sections of a guide: its headings of the second level. What begins with `#` inside a block is none.
pub fn guide_sections(text: &str) -> Vec<Section> {
    let outside = text.split("```").step_by(2);
    let headings = outside.flat_map(str::lines).filter_map(parse_heading).filter(|(level, _)| *level == 2);
    headings
        .map(|(_, title)| Section { anchor: heading_anchor(title), title: title.replace('`', "") })
        .collect()
}

fn is_comment(line: &str) -> bool {
    line.starts_with("<!--") && line.trim_end().ends_with("-->")
}

fn parse_heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=4).contains(&level).then_some((level, title.trim()))
}

/// The anchor of a heading within its page: its words, as GitHub does it.
pub fn heading_anchor(title: &str) -> String {
    let letters = title.to_lowercase();
    let kept = letters.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// The text of a list item.
fn list_item_text(line: &str) -> Option<&str> {
    let text = line.trim_start();
    if let Some(rest) = text.strip_prefix("* ").or_else(|| text.strip_prefix("- ")) {
        return Some(rest);
    }
    let (number, rest) = text.split_once(". ")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

impl Lines<'_> {
    /// What follows a fence, up to the closing one. A drawing keeps its lines: a narrow screen scrolls it.
    fn code_block(&mut self, fence: &str) -> String {
        let class = if fence == "```text" { "example drawing" } else { "example" };
        let mut code = String::new();
        for line in self.rest.by_ref().take_while(|line| !line.starts_with("```")) {
            code += line;
            code.push('\n');
        }
        // A drawing has no colours.
        let code = if fence == "```text" { escape_html(&code) } else { highlight_code(&code) };
        format!(
            "<div class=\"{class}\" role=\"group\" aria-label=\"Example\" tabindex=\"0\"><pre>{code}</pre></div>\n"
        )
    }

    /// A paragraph continues until an empty line or the beginning of something else.
    fn paragraph_html(&mut self, first: &str) -> String {
        let mut text = first.trim().to_owned();
        let ends = |line: &&str| {
            line.trim().is_empty()
                || line.starts_with("```")
                || line.starts_with('|')
                || is_comment(line)
                || parse_heading(line).is_some()
                || list_item_text(line).is_some()
        };
        while let Some(line) = self.rest.next_if(|line| !ends(line)) {
            text.push(' ');
            text += line.trim();
        }
        text
    }

    fn list_html(&mut self, line: &str, first: &str) -> String {
        let ordered = line.trim_start().starts_with(|letter: char| letter.is_ascii_digit());
        let mut items = vec![self.paragraph_html(first)];
        while let Some(next) = self.rest.next_if(|line| list_item_text(line).is_some()) {
            let text = list_item_text(next).unwrap_or_default();
            items.push(self.paragraph_html(text));
        }
        let tag = if ordered { "ol" } else { "ul" };
        let items: String = items.iter().map(|text| format!("<li>{}</li>\n", inline_html(text))).collect();
        format!("<{tag}>\n{items}</{tag}>\n")
    }

    fn table_html(&mut self, head: &str) -> String {
        // An empty header cell is not a header.
        let row = |line: &str, tag: &str| {
            let cell = |text: &String| {
                let tag = if text.is_empty() { "td" } else { tag };
                format!("<{tag}>{}</{tag}>", inline_html(text))
            };
            let cells: String = table_cells(line).iter().map(cell).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let head = match table_cells(head).iter().all(String::is_empty) {
            true => String::new(),
            false => format!("<thead>{}</thead>\n", row(head, "th")),
        };
        let mut body = String::new();
        while let Some(line) = self.rest.next_if(|line| line.starts_with('|')) {
            if !line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ')) {
                body += &row(line, "td");
            }
        }
        format!(
            "<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>\n{head}<tbody>\n{body}</tbody>\n</table></div>\n"
        )
    }
}

/// The cells of a line; a `|` inside code is written as `\|`.
fn table_cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner).replace("\\|", "\u{1}");
    inner.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Inline text: links, emphasis, and code. Text in backticks is only code.
fn inline_html(text: &str) -> String {
    let mut made = String::new();
    for (place, part) in text.split('`').enumerate() {
        if place % 2 == 1 {
            made += &format!("<code>{}</code>", escape_html(part));
        } else {
            made += &part_with_links(part);
        }
    }
    made
}

fn part_with_links(part: &str) -> String {
    let mut made = String::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(label, tail)| Some((label, tail.split_once(')')?)));
        let Some((label, (target, tail))) = link else { break };
        made += &emphasis_html(before.strip_suffix('!').unwrap_or(before));
        made += &match link_target(target) {
            Some(address) => format!("<a href=\"{}\">{}</a>", escape_html(&address), emphasis_html(label)),
            None => emphasis_html(label),
        };
        rest = tail;
    }
    made + &emphasis_html(rest)
}

fn emphasis_html(text: &str) -> String {
    let mut made = String::new();
    for (place, part) in text.split("**").enumerate() {
        match place % 2 {
            1 => made += &format!("<strong>{}</strong>", rich_text_html(part)),
            _ => made += &rich_text_html(part),
        }
    }
    made
}

/// The target of a guide's link: another guide, the same page, or the web. Other files of the project are not shown
/// here, so links to them become plain text.
fn link_target(target: &str) -> Option<String> {
    if target.starts_with("https://") || target.starts_with('#') {
        return Some(target.to_owned());
    }
    let (file, place) = target.split_once('#').map_or((target, None), |(file, place)| (file, Some(place)));
    let slug = file.strip_suffix(".md").filter(|slug| super::guides::find_guide(slug).is_some())?;
    Some(match place {
        Some(place) => format!("/docs/guides/{slug}#{place}"),
        None => format!("/docs/guides/{slug}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_guides_use_becomes_html_and_nothing_of_it_is_markup() {
        let made = guide_html(
            "# A *title*\n\nOne `<b>` [two](webhooks.md#signature) and **three**\nfour <i>.\n\n* a\n  b\n* c\n\n1. d\n",
        );
        assert!(made.contains("<h1 id=\"a-title\">"), "{made}");
        assert!(
            made.contains(
                "<p>One <code>&lt;b&gt;</code> <a href=\"/docs/guides/webhooks#signature\">two</a>"
            ),
            "{made}"
        );
        assert!(made.contains("<strong>three</strong> four &lt;i&gt;.</p>"), "{made}");
        assert!(
            made.contains("<ul>\n<li>a b</li>\n<li>c</li>\n</ul>") && made.contains("<ol>\n<li>d</li>"),
            "{made}"
        );
    }

    #[test]
    fn sections_are_the_headings_outside_of_blocks() {
        let found = guide_sections("# A\n\n## One `two`\n\n```sh\n## not one\n```\n\n### Three\n\n## Four\n");
        let found: Vec<_> = found.iter().map(|one| (&*one.anchor, &*one.title)).collect();
        assert_eq!(found, [("one-two", "One two"), ("four", "Four")]);
    }

    #[test]
    fn tables_and_code_keep_what_they_hold() {
        let made =
            guide_html("| a | b |\n|---|---|\n| `x \\| y` | z |\n\n```sh\nls <dir> # not a heading\n```\n");
        assert!(made.contains("<tr><th>a</th><th>b</th></tr>"), "{made}");
        assert!(made.contains("<td><code>x | y</code></td><td>z</td>"), "{made}");
        assert!(
            made.contains("<div class=\"example\"")
                && made.contains("<pre>ls &lt;dir&gt; # not a heading\n</pre>"),
            "{made}"
        );
        assert!(guide_html("```text\na -> b\n```\n").contains("<div class=\"example drawing\""));
    }

    #[test]
    fn links_to_files_that_are_not_shown_stay_text_and_no_script_becomes_one() {
        assert_eq!(inline_html("[x](../Cargo.toml) [y](javascript:alert(1))"), "x y)");
    }
}
