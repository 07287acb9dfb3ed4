//! What holds for every operation, made from the table of routes: who may call it, and that nobody sees more of
//! another company than of one that does not exist. A new route joins these tests by its entry in
//! `tests/examples/calls.json`, and fails them without.

use std::collections::BTreeSet;

use domain::access::scope;
use domain::access::tokens::TokenKind;
use domain::access::users::Role;

use crate::oauth;
use crate::support::{Engine, NOBODY, Operation, Target, description, on_both_engines, operations};

/// The operations that need a token.
fn guarded() -> impl Iterator<Item = &'static Operation> {
    operations().iter().filter(|o| o.needs_a_token())
}

/// Those whose path names a record.
fn named_in_the_path() -> impl Iterator<Item = &'static Operation> {
    guarded().filter(|o| o.is_of_a_company() && !o.path_parameters().is_empty())
}

#[test]
fn what_the_description_asks_of_a_caller_is_what_is_enforced() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let enforced: BTreeSet<_> =
            world.app.requirements.iter().map(|(route, method, _)| format!("{method} {route}")).collect();
        let described: BTreeSet<_> = guarded().map(Operation::name).collect();
        assert_eq!(enforced, described);
        for operation in guarded() {
            let method = operation.method.parse().unwrap();
            let needs = world.app.requirements.get(&operation.route, &method).unwrap();
            assert_eq!(
                needs.scope.map(str::to_owned),
                operation.security().unwrap().1,
                "{}",
                operation.name()
            );
            // Whoever has a token may ask what it is good for.
            let needs_none = operation.route == "/v1/token_info";
            assert_eq!(needs.scope.is_none(), needs_none, "the scope of {}", operation.name());
        }
    });
}

#[test]
fn every_operation_is_explained_and_declares_what_it_answers() {
    let mut names = BTreeSet::new();
    for operation in operations() {
        let name = operation.name();
        let told = &operation.description;
        assert!(told["summary"].as_str().is_some_and(|text| !text.is_empty()), "{name} has no summary");
        assert!(names.insert(told["operationId"].to_string()), "{name}: {} is taken", told["operationId"]);
        let declared: Vec<_> = told["responses"].as_object().unwrap().keys().collect();
        assert!(
            declared.contains(&&operation.success.to_string()),
            "{name} does not declare {}",
            operation.success
        );
        if operation.needs_a_token() {
            for status in ["401", "403", "404", "406", "422", "429"] {
                assert!(declared.iter().any(|s| *s == status), "{name} does not declare {status}");
            }
        }
        assert_eq!(operation.takes_a_body(), told.get("requestBody").is_some(), "{name}: the body");
        let in_path: BTreeSet<_> = operation.path_parameters().into_iter().map(str::to_owned).collect();
        let parameters = told["parameters"].as_array().cloned().unwrap_or_default();
        let told_in_path =
            parameters.iter().filter(|p| p["in"] == "path").map(|p| crate::support::text(p, "name"));
        assert_eq!(in_path, told_in_path.collect(), "{name}: the parameters of the path");
    }
}

#[test]
fn everything_that_the_description_refers_to_is_described() {
    let text = description().to_string();
    for reference in text.split("\"$ref\":\"").skip(1) {
        let path = reference.split('"').next().unwrap().trim_start_matches('#');
        assert!(description().pointer(path).is_some(), "{path} is missing");
    }
}

#[test]
fn every_operation_answers_a_right_call_with_its_status_of_success() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        for operation in guarded() {
            target.send(operation).await.is(operation.success);
        }
    });
}

#[test]
fn a_record_of_another_company_is_answered_like_one_that_does_not_exist() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let owner = Target::of(world.company().await).await;
        let stranger = world.company_of(world.another_application().await.0).await;
        let before = owner.all_there_is().await;
        for operation in named_in_the_path() {
            let mut answers = Vec::new();
            for path in [owner.path(operation), owner.path_with(operation, &|_| NOBODY.to_owned())] {
                let call = owner.with_body(stranger.call(&operation.method, path), operation).await;
                answers.push(call.send().await.is(404).essence());
            }
            assert_eq!(answers[0], answers[1], "{}", operation.name());
        }
        assert_eq!(owner.all_there_is().await, before);
        assert_eq!(stranger.count_events().await, 0);
    });
}

#[test]
fn a_record_of_another_company_inside_a_body_is_refused_like_one_that_does_not_exist() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let owner = Target::of(world.company().await).await;
        let stranger = Target::of(world.company().await).await;
        let before = stranger.all_there_is().await;
        let mut compared = 0;
        for operation in guarded() {
            for foreign in stranger.ids_in_body(operation) {
                let mut answers = Vec::new();
                for id in [owner.id(foreign), NOBODY, "none"] {
                    let told = |name: &str| if name == foreign { id } else { stranger.id(name) }.to_owned();
                    let body = stranger.body_with(operation, &told).await;
                    let call = stranger.company.call(&operation.method, stranger.path(operation)).json(&body);
                    // An answer may name the record that it does not know, as it was sent.
                    let (status, kind, body) = call.send().await.is(422).essence();
                    let body = String::from_utf8_lossy(&body).replace(&format!("\"{id}\""), "\"…\"");
                    answers.push((status, kind, body));
                }
                assert!(
                    answers.iter().all(|answer| *answer == answers[0]),
                    "{}: {foreign}",
                    operation.name()
                );
                compared += 1;
            }
        }
        assert_eq!(stranger.all_there_is().await, before);
        assert!(compared >= 3, "work addresses and flows name other records");
    });
}

#[test]
fn a_record_of_another_company_in_a_filter_finds_nobody() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let owner = Target::of(world.company().await).await;
        let stranger = Target::of(world.company().await).await;
        for (filter, id) in [("location_uuid", owner.id("location_id")), ("uuids", owner.id("employee_id"))] {
            let path = |id: &str| format!("/v1/companies/{{company}}/employees?{filter}={id}");
            let foreign = stranger.company.get(path(id)).await.is(200).essence();
            assert_eq!(foreign, stranger.company.get(path(NOBODY)).await.is(200).essence(), "{filter}");
            assert_eq!(&foreign.2[..], b"[]", "{filter}");
        }
    });
}

#[test]
fn an_identifier_that_is_no_uuid_names_no_record() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        for operation in named_in_the_path() {
            let call = async |path: String| {
                let call = target.company.call(&operation.method, path);
                if operation.takes_json() { call.raw("{}") } else { target.with_body(call, operation).await }
            };
            let unknown = call(target.path_with(operation, &|_| NOBODY.to_owned()))
                .await
                .send()
                .await
                .is(404)
                .essence();
            let mut wrong =
                vec!["1", "null", "%00", "%FF", "%2E%2E", "urn:uuid:0197a1b2-0000-7000-8000-00000000dead"];
            let simple = |name: &str| target.id(name).replace('-', "");
            let long = "7".repeat(5_000);
            wrong.push(&long);
            for id in wrong {
                let answer = call(target.path_with(operation, &|_| id.to_owned())).await.send().await;
                assert_eq!(answer.is(404).essence(), unknown, "{} with {id}", operation.name());
            }
            let other_form = call(target.path_with(operation, &simple)).await.send().await;
            assert_eq!(other_form.is(404).essence(), unknown, "{} without hyphens", operation.name());
        }
    });
}

#[test]
fn a_token_of_the_wrong_kind_is_told_which_one_is_needed() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        for operation in guarded() {
            let (kinds, _) = operation.security().unwrap();
            let mut tokens = Vec::new();
            if !kinds.contains(&"system_access".to_owned()) {
                tokens.push(format!("Bearer {}", world.system_token));
                tokens.push(format!("Token {}", world.api_token));
            }
            if !kinds.contains(&"company_access".to_owned()) {
                tokens.push(format!("Bearer {}", target.company.token));
            }
            for token in tokens {
                let answer = target.call(operation).await.header("authorization", token).send().await;
                assert_eq!(
                    answer.refused(403).fault(),
                    ("request", "missing_permissions"),
                    "{}",
                    operation.name()
                );
            }
        }
    });
}

#[test]
fn a_token_without_the_scope_of_an_operation_is_refused_and_with_that_scope_alone_is_let_in() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        for operation in guarded() {
            let Some(needed) = operation.security().unwrap().1 else { continue };
            let others: Vec<_> = scope::ALL.into_iter().filter(|scope| *scope != needed).collect();
            let (application, kind, company) = if operation.is_for_applications() {
                (target.company.application, TokenKind::System, None)
            } else {
                (world.application, TokenKind::Company, Some(target.company.id))
            };
            let without = world.token(kind, application, company, &others.join(" "), None).await;
            let refused = target.call(operation).await.bearer(&without).send().await.refused(403);
            assert_eq!(refused.fault(), ("request", "missing_oauth_scopes"), "{}", operation.name());
            assert!(refused.message().contains(&needed), "{}", operation.name());
            let with = world.token(kind, application, company, &needed, None).await;
            target.prepare(operation).await;
            target.call(operation).await.bearer(&with).send().await.is(operation.success);
        }
    });
}

#[test]
fn every_scope_that_a_call_is_refused_for_is_declared_by_its_operation() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        let mut conditional = BTreeSet::new();
        for operation in guarded().filter(|o| o.method == "GET") {
            let Some(needed) = operation.security().unwrap().1 else { continue };
            let (application, kind, company) = if operation.is_for_applications() {
                (target.company.application, TokenKind::System, None)
            } else {
                (world.application, TokenKind::Company, Some(target.company.id))
            };
            let token = world.token(kind, application, company, &needed, None).await;
            let path = target.path(operation);
            let plain = path.split('?').next().unwrap().to_owned();
            let mut paths = vec![path.clone(), plain.clone()];
            for (name, _) in operation.query_parameters() {
                for value in ["true", "all"] {
                    paths.push(format!("{plain}?{name}={value}"));
                }
            }
            for path in paths {
                let answer = world.call("GET", &path).bearer(&token).send().await;
                if answer.status == 403 {
                    let refused = answer.refused(403);
                    let named: Vec<_> = scope::ALL
                        .into_iter()
                        .filter(|name| {
                            refused.message().split([' ', ';', ',', '.']).any(|word| word == *name)
                        })
                        .collect();
                    assert_eq!(named.len(), 1, "{}: {}", operation.name(), refused.message());
                    let declared = operation.declared_scopes();
                    assert!(
                        declared.contains(&named[0].to_owned()),
                        "{path} needs {}: {declared:?}",
                        named[0]
                    );
                    conditional.insert((operation.name(), named[0]));
                }
            }
        }
        assert!(conditional.len() >= 2, "previews of garnishments ask for what shows pay: {conditional:?}");
    });
}

#[test]
fn a_version_that_is_not_served_is_refused_with_the_served_ones_named() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        for operation in guarded() {
            for header in ["x-service-api-version", "x-gusto-api-version"] {
                for version in ["2023-01-01", "2999-01-01", "latest", ""] {
                    let call = target
                        .company
                        .call(&operation.method, target.path(operation))
                        .header(header, version);
                    let refused = call.send().await.refused(406);
                    assert_eq!(refused.fault(), ("request", "invalid_api_version"), "{}", operation.name());
                    assert!(refused.message().contains("2024-04-01, 2025-06-15"), "{}", refused.message());
                }
            }
        }
    });
}

#[test]
fn another_method_is_told_which_ones_the_address_takes() {
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.settings.dev = true).await;
        let target = Target::of(world.company().await).await;
        for operation in operations() {
            let mut takes: BTreeSet<_> = operations()
                .iter()
                .filter(|o| o.route == operation.route)
                .map(|o| o.method.clone())
                .collect();
            if takes.contains("GET") {
                takes.insert("HEAD".to_owned());
            }
            for method in ["PATCH", "TRACE", "OPTIONS", "PUT", "DELETE", "CONNECT", "BREW"] {
                if takes.contains(method) || method == "CONNECT" {
                    continue; // CONNECT has no path
                }
                let answer = world.call(method, target.path(operation)).send().await.is(405);
                let allowed: BTreeSet<_> =
                    answer.header("allow").split(',').map(|m| m.trim().to_owned()).collect();
                assert_eq!(allowed, takes, "{method} {}", operation.route);
            }
        }
    });
}

#[test]
fn the_test_clock_is_there_only_for_developers() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        for operation in operations().iter().filter(|o| o.route.starts_with("/v1/test_helpers")) {
            let call = world.call(&operation.method, &operation.route).raw("{\"seconds\": 1}");
            assert_eq!(call.send().await.refused(404).fault(), ("request", "not_found"));
        }
    });
}

#[test]
fn each_kind_of_credential_opens_the_operations_that_name_it_and_no_other() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        let target = Target::of(world.company().await).await;
        let refresh = {
            let (application, company) = (world.application, Some(target.company.id));
            world.token(TokenKind::Refresh, application, company, &scope::Scopes::ALL.to_text(), None).await
        };
        let administrator = oauth::user(&world, &[(&target.company, Role::Primary)]).await;
        let address = oauth::request(&world, &[]);
        let code = oauth::code_for(&address, &world, &administrator, &target.company).await;
        let mut browser = oauth::Browser::new(&world);
        browser.sign_in(&address, &administrator).await.is(200);
        let session = browser.cookie.clone().unwrap();
        let application = target.company.application;
        let own =
            async |kind| world.token(kind, application, None, &scope::Scopes::ALL.to_text(), None).await;
        let (system, api) = (own(TokenKind::System).await, own(TokenKind::Api).await);
        // Of the application that the target's subscription belongs to.
        let all = scope::ALL.join(" ");
        let of_subscriber =
            world.token(TokenKind::Company, application, Some(target.company.id), &all, None).await;
        for operation in guarded() {
            let subscribes = operation.route.starts_with("/v1/webhook_subscriptions");
            let of_company = if subscribes { &of_subscriber } else { &target.company.token };
            let (kinds, _) = operation.security().unwrap();
            let takes = |kind: &str| if kinds.iter().any(|held| held == kind) { None } else { Some(403) };
            let credentials = [
                ("company token", format!("Bearer {of_company}"), takes("company_access")),
                ("company token by the older scheme", format!("Token {of_company}"), Some(401)),
                ("system token", format!("Bearer {}", system), takes("system_access")),
                ("system token by the older scheme", format!("Token {}", system), takes("system_access")),
                ("API token", format!("Token {}", api), takes("system_access")),
                ("API token as bearer", format!("Bearer {}", api), Some(401)),
                ("refresh token", format!("Bearer {refresh}"), Some(401)),
                ("code", format!("Bearer {code}"), Some(401)),
                ("session of an administrator", format!("Bearer {session}"), Some(401)),
                ("client secret", format!("Bearer {}", world.client_secret), Some(401)),
                ("password", format!("Bearer {}", administrator.password), Some(401)),
            ];
            let mut done = false;
            target.prepare(operation).await;
            for (name, value, refused) in credentials {
                // What was done by one credential cannot always be done by the next: then it is let in nevertheless.
                let answer = target.call(operation).await.header("authorization", value).send().await;
                let status = answer.status.as_u16();
                let as_wanted = match refused {
                    Some(wanted) => status == wanted,
                    None if done => ![401, 403].contains(&status),
                    None => status == operation.success,
                };
                done |= refused.is_none();
                assert!(as_wanted, "{} with a {name}: {status} {}", operation.name(), answer.text());
            }
            // The cookie of an administrator is no credential of the interface.
            let call =
                target.call(operation).await.header("cookie", format!("__Host-stipend-user={session}"));
            call.send().await.refused(401);
        }
    });
}

#[test]
fn what_the_role_of_an_administrator_opens_for_an_application_is_every_operation_or_none() {
    on_both_engines(async |engine: Engine| {
        let world = engine.world().await;
        for role in [Some(Role::Primary), Some(Role::FullAccess), Some(Role::Limited), None] {
            let target = Target::of(world.company().await).await;
            let another = world.company().await;
            let roles: Vec<_> = match role {
                Some(role) => vec![(&target.company, role)],
                None => vec![(&another, Role::Primary)],
            };
            let administrator = oauth::user(&world, &roles).await;
            let mut browser = oauth::Browser::new(&world);
            let page = browser.sign_in(&oauth::request(&world, &[]), &administrator).await;
            let id = target.company.id.to_string();
            let token = if page.text().contains("will be able to") {
                let left = browser.press(&page, "allow", &[("company", &id)]).await;
                match oauth::sent(&left, "code") {
                    Some(code) => {
                        oauth::token(&world, &oauth::exchange(&world, &code)).await.ok()["access_token"]
                            .clone()
                    }
                    None => serde_json::Value::Null,
                }
            } else {
                serde_json::Value::Null
            };
            let may = role.is_some_and(Role::may_authorize);
            assert_eq!(token.is_string(), may, "{role:?}");
            let token = token.as_str().unwrap_or("none");
            // The target's subscription belongs to another application.
            for operation in guarded()
                .filter(|o| o.security().unwrap().0.contains(&"company_access".to_owned()))
                .filter(|o| !o.is_for_applications())
            {
                target.prepare(operation).await;
                let answer = target.call(operation).await.bearer(token).send().await;
                let wanted = if may { operation.success } else { 401 };
                assert_eq!(
                    answer.status.as_u16(),
                    wanted,
                    "{role:?}: {} {}",
                    operation.name(),
                    answer.text()
                );
            }
        }
    });
}
