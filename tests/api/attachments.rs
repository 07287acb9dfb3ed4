//! Files that a company hands in: forms with a file, what is kept of them, and how they are fetched.

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::{Answer, Company, Engine, id_of, on_both_engines, text};

const ATTACHMENTS: &str = "/v1/companies/{company}/attachments";

/// The answer at the address of a file, which needs no token.
async fn download(company: &Company, attachment: &str) -> Answer {
    let told = company.get(format!("{ATTACHMENTS}/{attachment}/download_url")).await.ok();
    company.world.call("GET", path_of(&text(&told, "url"))).send().await
}

/// What a refusal says.
fn said(refusal: &impl std::fmt::Debug) -> String {
    format!("{refusal:?}")
}

/// What an address asks of the service.
fn path_of(url: &str) -> String {
    format!("/documents/{}", url.rsplit('/').next().unwrap())
}

/// A body that says of itself that it is a form with the boundary `b`.
async fn raw_form(company: &Company, body: impl Into<Vec<u8>>) -> Answer {
    let call = company.call("POST", ATTACHMENTS).header("content-type", "multipart/form-data; boundary=b");
    call.body(body.into()).send().await
}

#[test]
fn a_file_is_kept_listed_fetched_as_it_came_and_deleted() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        assert_eq!(company.get(ATTACHMENTS).await.list(), [Value::Null; 0]);
        let content: Vec<u8> = (0..=255).cycle().take(70_000).collect();
        let made = company.attach("C:\\Scans\\Notice \u{202E}März.PDF", &content).await.created();
        assert_eq!((&made["name"], &made["category"]), (&json!("Notice März.PDF"), &json!("compliance")));
        assert!(text(&made, "upload_time").starts_with("2026-06-15T"), "{made}");
        let id = id_of(&made);
        assert_eq!(company.get(ATTACHMENTS).await.list(), std::slice::from_ref(&made));
        assert_eq!(company.get(format!("{ATTACHMENTS}/{id}")).await.ok(), made);

        let file = download(&company, &id).await.is(200);
        assert_eq!(file.body, content);
        assert_eq!(file.header("content-type"), "application/pdf");
        assert_eq!(
            file.header("content-disposition"),
            "attachment; filename=\"Notice M_rz.PDF\"; filename*=UTF-8''Notice%20M%C3%A4rz.PDF"
        );
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert_eq!(file.header("cache-control"), "no-store");
        assert!(file.header("content-security-policy").starts_with("default-src 'none'"));

        company.delete(format!("{ATTACHMENTS}/{id}")).await.deleted();
        company.get(format!("{ATTACHMENTS}/{id}")).await.refused(404);
        company.get(format!("{ATTACHMENTS}/{id}/download_url")).await.refused(404);
        company.delete(format!("{ATTACHMENTS}/{id}")).await.refused(404);
        let audit = company.audit().await;
        let of_it = audit.iter().filter(|entry| format!("{entry:?}").contains(&id));
        assert_eq!(of_it.count(), 3, "made, asked for and deleted: {audit:?}");
    });
}

#[test]
fn an_address_of_a_file_works_for_ten_minutes_and_leads_nowhere_once_the_file_is_deleted() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let company = world.company().await;
        let id = id_of(&company.attach("notice.pdf", b"%PDF-1.7").await.created());
        let address = company.get(format!("{ATTACHMENTS}/{id}/download_url")).await.ok();
        let address = path_of(&text(&address, "url"));
        assert_eq!(world.call("GET", &address).send().await.is(200).body, "%PDF-1.7");
        world.wait(11.minutes()).await;
        world.call("GET", &address).send().await.is(410);
        let address = company.get(format!("{ATTACHMENTS}/{id}/download_url")).await.ok();
        company.delete(format!("{ATTACHMENTS}/{id}")).await.deleted();
        world.call("GET", path_of(&text(&address, "url"))).send().await.is(404);
    });
}

#[test]
fn an_attachment_of_another_company_does_not_exist() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let (owner, stranger) = (world.company().await, world.company().await);
        let id = id_of(&owner.attach("notice.pdf", b"%PDF-1.7").await.created());
        for path in [format!("{ATTACHMENTS}/{id}"), format!("{ATTACHMENTS}/{id}/download_url")] {
            stranger.get(path).await.refused(404);
        }
        stranger.delete(format!("{ATTACHMENTS}/{id}")).await.refused(404);
        assert_eq!(stranger.get(ATTACHMENTS).await.list(), [Value::Null; 0]);
        download(&owner, &id).await.is(200);
    });
}

#[test]
fn what_is_wrong_with_a_file_and_its_category_is_told_at_once() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let send = async |parts: Vec<(&str, Option<&str>, &[u8])>| {
            company.call("POST", ATTACHMENTS).form(parts).send().await.refused(422)
        };
        assert_eq!(send(Vec::new()).await.keys(), ["document", "category"]);
        let page = ("document", Some("page.html"), &b"<html>"[..]);
        let refused = send(vec![page, ("category", None, &b"other"[..])]).await;
        assert_eq!(refused.keys(), ["document", "category"]);
        assert!(said(&refused).contains("qbb, qbm, gif, jpg, png, pdf, xls, xlsx, doc, docx"));
        assert!(said(&refused).contains("gep_notice, compliance"));
        let category = ("category", None, &b"compliance"[..]);
        for document in [
            ("document", None, &b"only a text"[..]),
            ("document", Some("empty.pdf"), &b""[..]),
            ("document", Some(""), &b"x"[..]),
            ("document", Some("..pdf.exe"), &b"x"[..]),
        ] {
            assert_eq!(send(vec![category, document]).await.keys(), ["document"], "{document:?}");
        }
        let named = ("document", Some("notice.pdf"), &b"x"[..]);
        assert_eq!(send(vec![("category", None, &b"\xff\xfe"[..]), named]).await.keys(), ["category"]);
        let long = format!("{}.pdf", "x".repeat(60_000));
        let refused = send(vec![category, ("document", Some(long.as_str()), &b"x"[..])]).await;
        assert!(said(&refused).contains("255"));
        assert_eq!(company.get(ATTACHMENTS).await.list(), [Value::Null; 0]);
    });
}

#[test]
fn what_is_no_form_is_refused_and_changes_nothing() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let named = "Content-Disposition: form-data; name=\"document\"; filename=\"n.pdf\"";
        let part = |head: &str| format!("--b\r\n{head}\r\n\r\nx\r\n");
        let nested = part(&format!("{named}\r\nContent-Type: multipart/mixed; boundary=c"));
        for body in [
            String::new(),
            "{\"category\": \"compliance\"}".to_owned(),
            part(named),
            format!("{}--b--", part("Content-Disposition: form-data")),
            format!("{}--b--", part("\0\0\0")),
            format!("{nested}--b--"),
            format!("{0}{0}--b--", part(named)),
        ] {
            let refused = raw_form(&company, body.clone()).await.refused(400);
            assert_eq!(refused.fault(), ("request", "invalid_parameter"), "{body:?}");
        }
        let without_boundary =
            company.call("POST", ATTACHMENTS).header("content-type", "multipart/form-data");
        without_boundary.body(part(named)).send().await.refused(400);
        let json = company.call("POST", ATTACHMENTS).raw("{}").send().await.refused(415);
        assert!(said(&json).contains("multipart/form-data"));
        company.call("POST", ATTACHMENTS).send().await.refused(415);
        let declared = company.call("POST", ATTACHMENTS).header("content-length", "20000000");
        let declared = declared.header("content-type", "multipart/form-data; boundary=b");
        assert!(said(&declared.send().await.refused(413)).contains("10 MB"));
        assert_eq!(company.get(ATTACHMENTS).await.list(), [Value::Null; 0]);
    });
}

#[test]
fn a_file_may_be_larger_than_other_bodies_and_has_at_most_ten_megabytes() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let mut content = vec![0x5A; 2 << 20];
        let id = id_of(&company.attach("books.qbb", &content).await.created());
        let file = download(&company, &id).await.is(200);
        assert_eq!(file.header("content-type"), "application/octet-stream");
        assert!(file.body == content, "the same bytes");
        content.resize((10 << 20) + 1, 0);
        assert!(said(&company.attach("books.qbb", &content).await.refused(422)).contains("at most 10 MB"));
        content.resize(11 << 20, 0);
        assert!(said(&company.attach("books.qbb", &content).await.refused(413)).contains("10 MB"));
        assert_eq!(company.get(ATTACHMENTS).await.list().len(), 1);
    });
}

#[test]
fn the_same_form_twice_is_one_attachment_whatever_its_boundary() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let send = async |boundary: &str, content: &str| {
            let body = format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"category\"\r\n\r\ngep_notice\r\n--{boundary}\r\n\
                 Content-Disposition: form-data; name=\"document\"; filename=\"n.pdf\"\r\n\r\n{content}\r\n--{boundary}--\r\n"
            );
            let kind = format!("multipart/form-data; boundary={boundary}");
            let call = company.call("POST", ATTACHMENTS).header("idempotency-key", "monday");
            call.header("content-type", kind).body(body).send().await
        };
        let first = send("one", "a").await.created();
        assert_eq!(send("two", "a").await.created(), first);
        assert_eq!(first["category"], "gep_notice");
        send("one", "b").await.refused(422);
        assert_eq!(company.get(ATTACHMENTS).await.list().len(), 1);
    });
}

#[test]
fn a_company_has_room_for_so_many_attachments() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let id = company.id;
        let filled = company.world.app.store.write(move |tx| {
            use domain::company::attachments::service;
            let caller = domain::access::tokens::Caller::for_service(id, jiff::tz::TimeZone::UTC);
            for _ in 0..service::MOST {
                let document = Some((Some("n.gif"), &b"GIF89a"[..]));
                let input = service::CreateAttachment { document, category: Some("compliance") };
                service::create_attachment(tx, &caller, input)?;
            }
            Ok::<_, domain::Error>(())
        });
        filled.await.unwrap();
        let refused = company.attach("one_more.gif", b"GIF89a").await.refused(422);
        assert_eq!(refused.fault(), ("base", "invalid_operation"));
        let first = id_of(&company.get(ATTACHMENTS).await.list()[0]);
        company.delete(format!("{ATTACHMENTS}/{first}")).await.deleted();
        company.attach("one_more.gif", b"GIF89a").await.created();
    });
}
