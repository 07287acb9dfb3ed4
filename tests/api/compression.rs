//! Texts are delivered compressed to those who accept it, and what browsers have already is not sent again.

use crate::support::{Engine, on_both_engines};

#[test]
fn a_long_text_is_compressed_for_those_who_accept_it_and_nothing_else_is() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let asked = async |path: &str, accepted: &str| {
            world.call("GET", path).header("accept-encoding", accepted).send().await.is(200)
        };
        let plain = world.call("GET", "/openapi.json").send().await.is(200);
        assert_eq!(plain.header("content-encoding"), "");
        assert_eq!(plain.header("vary"), "Accept-Encoding");
        for (accepted, encoding) in [("gzip, deflate, br", "br"), ("gzip", "gzip")] {
            let smaller = asked("/openapi.json", accepted).await;
            assert_eq!(smaller.header("content-encoding"), encoding);
            assert!(
                smaller.body.len() * 4 < plain.body.len(),
                "{} of {}",
                smaller.body.len(),
                plain.body.len()
            );
        }
        assert_eq!(asked("/docs", "br").await.header("content-encoding"), "br", "a page");
        assert_eq!(asked("/healthz", "br").await.header("content-encoding"), "", "a short answer");
    });
}

#[test]
fn the_description_is_not_sent_again_to_those_who_have_it() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let first = world.call("GET", "/openapi.json").send().await.is(200);
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.len() > 10, "{tag}");
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}")] {
            let again =
                world.call("GET", "/openapi.json").header("if-none-match", &known).send().await.is(304);
            assert!(again.body.is_empty() && again.header("etag") == tag, "{known}");
        }
        world.call("GET", "/openapi.json").header("if-none-match", "\"other\"").send().await.is(200);
    });
}
