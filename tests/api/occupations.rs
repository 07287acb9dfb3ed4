//! The search for occupations: what it finds, in which order, and with which tokens.

use std::collections::HashSet;

use serde_json::Value;

use crate::support::{Company, Engine, on_both_engines};

#[test]
fn occupations_are_found_with_a_system_token_and_with_a_company_token() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let company = world.company().await;
        for token in [&company.token, &world.system_token] {
            let call = world.call("GET", "/v1/salary_estimates/occupations?search=softwre%20engineer");
            let found = call.bearer(token).send().await.list();
            assert_eq!(found[0]["code"], "15-1252");
            assert_eq!(found[0]["name"], "Software Developers");
            assert_eq!(found[0]["title"], found[0]["name"]);
            assert!(found[0]["description"].as_str().unwrap().len() > 40);
            assert!(found.len() <= 100);
        }
        let search =
            async |query: &str| company.get(format!("/v1/salary_estimates/occupations?{query}")).await;
        for form in ["151252", "15-1252"] {
            assert_eq!(search(&format!("search={form}")).await.list().len(), 1);
        }
        assert_eq!(search("search=qqqzzz").await.list(), [Value::Null; 0]);
        assert_eq!(search("").await.list().len(), 858);
        let page = search("per=10&page=2").await;
        assert_eq!((page.list().len(), page.header("x-total-count")), (10, "858"));
        for short in ["ab", "%20a%20", "a"] {
            assert_eq!(search(&format!("search={short}")).await.refused(422).keys(), ["search"]);
        }
        search(&format!("search={}", "x".repeat(201))).await.refused(422);
    });
}

/// All pages of a search: the codes, and the number that the first page states.
async fn pages(company: &Company, query: &str) -> (Vec<String>, String) {
    let (mut codes, mut total) = (Vec::new(), None);
    for number in 1.. {
        let page = company
            .get(format!("/v1/salary_estimates/occupations?search={query}&per=100&page={number}"))
            .await;
        let list = page.list();
        total.get_or_insert_with(|| page.header("x-total-count").to_owned());
        codes.extend(list.iter().map(|one| one["code"].as_str().unwrap().to_owned()));
        if list.len() < 100 {
            break;
        }
    }
    (codes, total.unwrap())
}

/// Whether a word of the text begins with `start`.
fn has_word(text: &Value, start: &str) -> bool {
    let text = text.as_str().unwrap().to_lowercase();
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word.starts_with(start))
}

#[test]
fn search_filters_by_name_and_description_and_leaves_out_no_match() {
    on_both_engines(async |engine: Engine| {
        let company = engine.world().await.company().await;
        let all = company.get("/v1/salary_estimates/occupations").await.list();
        for (word, named) in
            [("assistant", 23), ("equipment", 27), ("other", 80), ("all", 74), ("and", 411), ("except", 42)]
        {
            let (found, total) = pages(&company, word).await;
            let codes = |by: &dyn Fn(&Value) -> bool| -> HashSet<String> {
                let meant = all.iter().filter(|one| by(one));
                meant.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
            };
            let names = codes(&|one| has_word(&one["name"], word));
            let texts = codes(&|one| has_word(&one["name"], word) || has_word(&one["description"], word));
            assert_eq!(names.len(), named, "{word}");
            assert_eq!(
                found.iter().take(named).cloned().collect::<HashSet<_>>(),
                names,
                "{word}: names first"
            );
            let described = found.iter().take(texts.len()).cloned().collect::<HashSet<_>>();
            assert_eq!(described, texts, "{word}: then descriptions");
            assert!(word != "equipment" || texts.len() == 93, "{}", texts.len());
            assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len(), "{word}: each once");
            assert_eq!(total, found.len().to_string(), "{word}: the total is true");
            // Without a page every match is there.
            let whole = company.get(format!("/v1/salary_estimates/occupations?search={word}")).await;
            let shown: Vec<_> =
                whole.list().iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect();
            assert_eq!(shown, found, "{word}");
        }
    });
}
