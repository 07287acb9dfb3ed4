//! A browser that has opened a link, and what it reads on a page.

use crate::support::{Answer, Call, Company};

/// A browser that has opened a link.
pub struct Browser {
    company: Company,
    pub cookie: String,
}

impl Browser {
    pub async fn open(company: &Company, employee: &str) -> Self {
        let link = company.link(employee).await;
        Self::follow(company, &link).await
    }

    pub async fn follow(company: &Company, link: &str) -> Self {
        let opened = company.world.call("GET", link).send().await.is(303);
        assert_eq!(opened.header("location"), "/flow");
        let cookie = opened.header("set-cookie").split(';').next().unwrap().to_owned();
        Self { company: company.clone(), cookie }
    }

    /// Follows a link with the cookie that is held.
    pub async fn open_again(&self, link: &str) -> Answer {
        self.call("GET", link).send().await
    }

    pub fn call(&self, method: &str, path: &str) -> Call {
        self.company.world.call(method, path).header("cookie", &self.cookie)
    }

    pub async fn get(&self, screen: &str) -> Answer {
        self.call("GET", &format!("/flow/{screen}")).send().await
    }

    /// A form with these fields, as a browser would send it.
    pub fn form(&self, screen: &str, fields: &[(&str, &str)]) -> Call {
        let pairs: Vec<_> =
            fields.iter().map(|(name, value)| format!("{name}={}", url_encoded(value))).collect();
        let call = self.call("POST", &format!("/flow/{screen}"));
        call.header("content-type", "application/x-www-form-urlencoded").body(pairs.join("&"))
    }

    /// What the page of a screen sends back besides what is entered.
    pub async fn hidden(&self, screen: &str) -> (String, String) {
        let html = self.get(screen).await.is(200).text();
        let version =
            if html.contains("name=\"version\"") { value_of(&html, "version") } else { String::new() };
        (value_of(&html, "form_token"), version)
    }

    /// Fills a page in that was just read.
    pub async fn fill_in(&self, screen: &str, fields: &[(&str, &str)]) -> Answer {
        let (token, version) = self.hidden(screen).await;
        let hidden = [("form_token", token.as_str()), ("version", version.as_str())];
        self.form(screen, &[&hidden, fields].concat()).send().await
    }
}

fn url_encoded(value: &str) -> String {
    value.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// What a control holds, as a browser reads it.
#[track_caller]
pub fn value_of(html: &str, name: &str) -> String {
    let marked = format!("name=\"{name}\"");
    let tag = html.split('<').find(|tag| tag.contains(&marked));
    let tag = tag.unwrap_or_else(|| panic!("no {name} in {html}"));
    let value = tag.split_once("value=\"").map_or("", |(_, rest)| rest.split('"').next().unwrap());
    unescaped(value)
}

pub fn unescaped(html: &str) -> String {
    let entities = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")];
    entities.iter().fold(html.to_owned(), |text, (entity, sign)| text.replace(entity, sign))
}

/// The names of a page's lines of text.
pub fn lines_of(html: &str) -> Vec<String> {
    let lines = html.split("<input type=\"text\"").skip(1);
    lines.map(|tag| tag.split_once(" name=\"").unwrap().1.split('"').next().unwrap().to_owned()).collect()
}
