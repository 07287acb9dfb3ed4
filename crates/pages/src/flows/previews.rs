//! Requests for a link that no person made: browsers that load a page in advance, scanners of mail, and programs that show a preview of a
//! link in a message. Opening a link says that an employee has begun, so they get a page that changes nothing.
//!
//! A scanner that pretends to be a browser cannot be told from one.

use axum::http::{HeaderMap, header};

/// Headers in which browsers say that nobody looks at the page yet, with the word in them.
const IN_ADVANCE: [(&str, &str); 4] =
    [("sec-purpose", "prefetch"), ("purpose", "prefetch"), ("x-moz", "prefetch"), ("x-purpose", "preview")];

/// Words in the User-Agent of mail scanners and of previews in chats, in lower case. Each names one program.
const PROGRAMS: [&str; 32] = [
    "applebot",
    "barracuda",
    "bingbot",
    "bingpreview",
    "bitlybot",
    "cloudmark",
    "discordbot",
    "embedly",
    "facebookexternalhit",
    "facebot",
    "fortinet",
    "google-safety",
    "googlebot",
    "googleimageproxy",
    "iframely",
    "linkedinbot",
    "mattermost-bot",
    "microsoftpreview",
    "mimecast",
    "mastodon",
    "pinterestbot",
    "proofpoint",
    "redditbot",
    "rocket.chat",
    "safelinks",
    "signal-desktop-preview",
    "skypeuripreview",
    "slackbot",
    "telegrambot",
    "trendmicro",
    "twitterbot",
    "whatsapp",
];

/// Whether a request says that it is not a person's.
pub(super) fn is_preview(headers: &HeaderMap) -> bool {
    let says = |name: &str, word: &str| {
        headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.split([',', ';']).any(|one| one.trim().eq_ignore_ascii_case(word)))
    };
    if IN_ADVANCE.iter().any(|(name, word)| says(name, word)) {
        return true;
    }
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    agent.is_some_and(|agent| {
        let agent = agent.to_ascii_lowercase();
        PROGRAMS.iter().any(|program| agent.contains(program))
    })
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn sent(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static(value))])
    }

    #[test]
    fn what_loads_in_advance_and_what_shows_a_preview_is_known_and_browsers_are_people() {
        for (name, value) in [
            ("sec-purpose", "prefetch"),
            ("sec-purpose", "prefetch;prerender"),
            ("purpose", "Prefetch"),
            ("x-purpose", "preview"),
            ("user-agent", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"),
            ("user-agent", "facebookexternalhit/1.1"),
            ("user-agent", "WhatsApp/2.23.20.0"),
            ("user-agent", "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5"),
            ("user-agent", "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)"),
        ] {
            assert!(is_preview(&sent(name, value)), "{name}: {value}");
        }
        for (name, value) in [
            (
                "user-agent",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
            ),
            (
                "user-agent",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1",
            ),
            ("user-agent", "curl/8.7.1"),
            ("sec-purpose", "navigate"),
            ("sec-fetch-mode", "navigate"),
        ] {
            assert!(!is_preview(&sent(name, value)), "{name}: {value}");
        }
        assert!(!is_preview(&HeaderMap::new()));
    }
}
