//! Style sheets and scripts of the pages. Their addresses hold a fingerprint of their content, so that browsers keep them for a year and
//! still get a new version at once.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use interface::app::App;
use sha2::{Digest, Sha256};

/// A file of the pages.
pub struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
    path: LazyLock<String>,
}

macro_rules! assets {
    ($($constant:ident: $name:literal, $ending:literal, $kind:literal, [$($file:literal),+];)+) => {
        $(
            /// The file of this name.
            pub static $constant: Asset = Asset {
                name: concat!($name, ".", $ending),
                kind: $kind,
                text: concat!($(include_str!(concat!("../assets/", $file))),+),
                path: LazyLock::new(|| asset_path($name, $ending, $constant.text)),
            };
        )+
        static ALL: &[&Asset] = &[$(&$constant),+];
    };
}

assets! {
    FLOW_STYLE: "flow", "css", "text/css; charset=utf-8", ["design.css", "flow.css"];
    FLOW_SCRIPT: "flow", "js", "text/javascript; charset=utf-8", ["flow.js", "sheet.js"];
    DOCS_STYLE: "docs", "css", "text/css; charset=utf-8", ["design.css", "docs.css"];
    DOCS_SCRIPT: "docs", "js", "text/javascript; charset=utf-8", ["docs.js"];
    CONSOLE_STYLE: "console", "css", "text/css; charset=utf-8", ["design.css", "console.css"];
}

fn asset_path(name: &str, ending: &str, text: &str) -> String {
    format!("/assets/{name}.{}.{ending}", hex::encode(&Sha256::digest(text)[..6]))
}

impl Asset {
    /// The address under which pages name it.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// The address of every file.
pub fn routes() -> Router<App> {
    Router::new().route("/assets/{file}", get(serve_asset))
}

async fn serve_asset(Path(asked): Path<String>) -> Response {
    let path = format!("/assets/{asked}");
    // A page of another version names another fingerprint: it gets today's file, and does not keep it.
    let of_another = |asset: &&&Asset| {
        let (name, ending) = asset.name.split_once('.').unwrap_or((asset.name, ""));
        asked.starts_with(&format!("{name}.")) && asked.ends_with(&format!(".{ending}"))
    };
    let (asset, kept) = match ALL.iter().find(|asset| asset.path() == path) {
        Some(asset) => (asset, "public, max-age=31536000, immutable"),
        None => match ALL.iter().find(of_another) {
            Some(asset) => (asset, "no-store"),
            None => return StatusCode::NOT_FOUND.into_response(),
        },
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static(kept)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, asset.text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_changes_with_the_content_and_no_two_files_share_one() {
        assert_ne!(asset_path("flow", "css", "a"), asset_path("flow", "css", "b"));
        let mut paths: Vec<&str> = ALL.iter().map(|asset| asset.path()).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), ALL.len());
        assert!(FLOW_STYLE.path().starts_with("/assets/flow.") && FLOW_STYLE.path().ends_with(".css"));
    }
}
