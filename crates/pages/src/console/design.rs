//! The design system at a glance: its tokens and its components, from the style sheets. Only under `stipend dev`.

use askama::Template;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use rules::Amount;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::picture;
use super::picture::Part;
use interface::app::App;

/// Colours, as `assets/design.css` names them.
const COLORS: [&str; 20] = [
    "ground",
    "paper",
    "soft",
    "ink",
    "quiet",
    "line",
    "strong",
    "accent",
    "accent-soft",
    "on-accent",
    "good",
    "good-ground",
    "bad",
    "bad-ground",
    "open",
    "open-ground",
    "one",
    "two",
    "three",
    "four",
];
/// Sizes of type.
const SIZES: [&str; 5] = ["small", "body", "large", "title", "display"];

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/design", get(show_design))
}

#[derive(Template)]
#[template(path = "console/design.html")]
struct DesignPage<'a> {
    frame: &'a Frame,
    colors: [&'static str; 20],
    sizes: [&'static str; 5],
    parts: Vec<Part>,
    waterfall: String,
}

async fn show_design(State(app): State<App>, request: Request) -> Response {
    let dollars = |whole: i64| Amount::from_cents(whole * 100);
    access::show_page(&app, request, For::Developer, move |_, visit| {
        let parts =
            [("Net pay", 1_840), ("Employee taxes", 460), ("Deductions", 200), ("Employer cost on top", 310)];
        frame::render_page(&DesignPage {
            frame: &visit.frame,
            colors: COLORS,
            sizes: SIZES,
            parts: picture::stacked_bar(&parts.map(|(name, whole)| (name, dollars(whole)))),
            waterfall: picture::pay_waterfall(
                dollars(2_500),
                &[("Taxes", "bar-two", dollars(460)), ("Deductions", "bar-three", dollars(200))],
                dollars(1_840),
                dollars(310),
            ),
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_that_the_page_shows_is_one_of_the_style_sheet() {
        let sheet = include_str!("../../assets/design.css");
        for token in COLORS.iter().chain(&SIZES) {
            assert!(sheet.contains(&format!("--{token}: ")), "{token}");
        }
    }
}
