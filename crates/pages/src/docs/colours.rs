//! Colours of code in the documentation: strings, comments, numbers and a few words, in whatever language an example is written. The
//! text stays what it was, so that it can be copied and read by scripts.

/// Words that stand out: commands of a shell, and words of the languages of the examples.
const WORDS: [&str; 26] = [
    "as", "async", "await", "const", "curl", "def", "else", "export", "false", "for", "from", "function",
    "if", "import", "in", "let", "new", "none", "null", "print", "return", "stipend", "throw", "true", "try",
    "with",
];

/// Code as HTML.
pub fn highlight_code(code: &str) -> String {
    code.split_inclusive('\n').map(highlight_line).collect()
}

fn highlight_line(line: &str) -> String {
    let start = line.trim_start();
    if start.starts_with("# ") || start.starts_with("// ") {
        return span_html("c", line.trim_end_matches('\n')) + if line.ends_with('\n') { "\n" } else { "" };
    }
    let (mut made, mut rest) = (String::new(), line);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            letter if letter.is_alphanumeric() || letter == '_' => word_length(rest),
            letter => letter.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        made += &match first {
            '"' if after.trim_start().starts_with(':') => span_html("k", part),
            '"' if length > 1 => span_html("s", part),
            digit if digit.is_ascii_digit() && is_number(part, &made, after) => span_html("n", part),
            _ if WORDS.contains(&part) && stands_alone(&made, after) => span_html("w", part),
            _ => escape_html(part),
        };
        rest = after;
    }
    made
}

/// The length of a string in double quotes; of the quote alone, if it is not closed on the line.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return place + 1,
            '\n' => return 1,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    1
}

/// The length of letters and digits that belong together, with the point of a number.
fn word_length(text: &str) -> usize {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let length = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let (whole, rest) = text.split_at(length);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = rest
        .strip_prefix('.')
        .map(|rest| &rest[..rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())]);
    match fraction.filter(|fraction| digits(whole) && digits(fraction)) {
        Some(fraction) => length + 1 + fraction.len(),
        None => length,
    }
}

/// Whether a part that begins with a digit is a number: a date, a time, an address or a version is none.
fn is_number(part: &str, before: &str, after: &str) -> bool {
    let apart = before.chars().next_back().is_none_or(|letter| matches!(letter, ' ' | ',' | '[' | '('))
        && ends_token(after);
    apart && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn ends_token(after: &str) -> bool {
    after.chars().next().is_none_or(|letter| matches!(letter, ' ' | ',' | '\n' | ')' | ']' | '}' | ';'))
}

fn stands_alone(before: &str, after: &str) -> bool {
    let apart =
        before.chars().next_back().is_none_or(|letter| matches!(letter, ' ' | ':' | ',' | '[' | '(' | '\n'));
    apart
        && after
            .chars()
            .next()
            .is_none_or(|letter| matches!(letter, ' ' | ',' | '\n' | ')' | ']' | '}' | ';' | '('))
}

fn span_html(class: &str, text: &str) -> String {
    format!("<span class=\"{class}\">{}</span>", escape_html(text))
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_strings_numbers_words_and_comments_have_their_colours() {
        assert_eq!(
            highlight_code("{ \"rate\": \"31.50\", \"hours\": 40.5, \"paid\": true }"),
            "{ <span class=\"k\">\"rate\"</span>: <span class=\"s\">\"31.50\"</span>, <span class=\"k\">\"hours\"</span>: \
             <span class=\"n\">40.5</span>, <span class=\"k\">\"paid\"</span>: <span class=\"w\">true</span> }"
        );
        let neither = "17:12:04 http://127.0.0.1:3000 2026-06-15";
        assert_eq!(highlight_code(neither), neither, "a time, an address and a day are no numbers");
        assert_eq!(
            highlight_code("# first\ncurl $BASE/v1\n"),
            "<span class=\"c\"># first</span>\n<span class=\"w\">curl</span> $BASE/v1\n"
        );
    }

    #[test]
    fn the_text_stays_what_it_was() {
        let without_spans = |html: &str| {
            let mut text = String::new();
            for part in html.split('<') {
                text += part.split_once('>').map_or(part, |(_, text)| text);
            }
            text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        };
        for code in [
            "curl -X POST \"$BASE/v1\" -d '{\"a\":\"b \\\" c\"}'\n",
            "a \"quote that is open\nconst x = `é <b> & 2026-06-15`;\n",
            "",
        ] {
            assert_eq!(without_spans(&highlight_code(code)), code);
        }
    }
}
