//! The demo world as a file of environment variables, for programs that run against it: shells, and the end-to-end
//! suite of the published React components, which reads those with the prefix `E2E_`.

use std::io::Write;
use std::path::Path;

use interface::demo::World;

/// The variables that the examples of the documentation read.
pub fn of_examples(base_url: &str, world: &World) -> [(&'static str, String); 5] {
    let company = world.companies.first();
    let token = company.and_then(|company| company.access_token.clone()).unwrap_or_default();
    let id = company.map(|company| company.uuid.to_string()).unwrap_or_default();
    let onboarded = |company: &interface::demo::Company| {
        let employees = &company.employees;
        let done = employees.iter().find(|one| one.onboarding_status == "onboarding_completed");
        done.or(employees.first()).map(|one| one.uuid.to_string())
    };
    [
        ("BASE", base_url.to_owned()),
        ("TOKEN", token),
        ("COMPANY", id),
        ("EMPLOYEE", company.and_then(onboarded).unwrap_or_default()),
        ("SYSTEM_TOKEN", world.system_access_token.clone()),
    ]
}

/// The variables, one per line.
pub fn environment_text(base_url: &str, world: &World) -> String {
    let examples = of_examples(base_url, world);
    let [_, (_, token), (_, id), (_, employee), _] = &examples;
    let lines: [(&str, &str); 8] = [
        ("CLIENT_ID", &world.application.client_id),
        ("CLIENT_SECRET", &world.application.client_secret),
        ("E2E_LOCAL", "true"),
        ("E2E_USE_REAL_BACKEND", "true"),
        ("E2E_GWS_FLOWS_HOST", base_url),
        ("E2E_FLOW_TOKEN", token),
        ("E2E_COMPANY_ID", id),
        ("E2E_EMPLOYEE_ID", employee),
    ];
    let all = examples.iter().map(|(name, value)| (*name, value.as_str())).chain(lines);
    all.map(|(name, value)| format!("{name}={value}\n")).collect()
}

/// Writes the variables to a file that no other user can read.
///
/// # Errors
/// The file cannot be written.
pub fn write_environment_file(file: &Path, base_url: &str, world: &World) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let mut options = std::fs::OpenOptions::new();
    let mut out = options.write(true).create(true).truncate(true).mode(0o600).open(file)?;
    // The mode above applies to a new file; an existing one may have been readable.
    out.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    out.write_all(environment_text(base_url, world).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = "0197a1b2-0000-7000-8000-000000000004";

    fn world(companies: &serde_json::Value) -> World {
        let world = serde_json::json!({
            "application": { "client_id": "c", "client_secret": "s", "api_token": "a", "redirect_uri": "http://localhost" },
            "system_access_token": "system",
            "companies": companies,
            "users": [],
        });
        serde_json::from_value(world).unwrap()
    }

    #[test]
    fn a_world_without_companies_names_none() {
        let told = environment_text("http://127.0.0.1:7777", &world(&serde_json::json!([])));
        assert!(
            told.lines().any(|line| line == "COMPANY=") && told.lines().any(|line| line == "TOKEN="),
            "{told}"
        );
    }

    #[test]
    fn the_file_can_be_read_by_its_owner_alone_even_where_it_was_readable_before() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("world.env");
        std::fs::write(&file, "OLD=1\n".repeat(100)).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let world = world(&serde_json::json!([]));
        write_environment_file(&file, "http://127.0.0.1:7777", &world).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            environment_text("http://127.0.0.1:7777", &world)
        );
    }

    #[test]
    fn each_variable_is_a_line_and_the_employee_is_one_who_is_onboarded() {
        let companies = serde_json::json!([
            {
                "uuid": "0197a1b2-0000-7000-8000-000000000001", "name": "Inn", "kind": "embedded", "access_token": "token",
                "locations": [], "company_benefits": [], "signatory_email": "a@inn.example",
                "employees": [
                    { "uuid": "0197a1b2-0000-7000-8000-000000000002", "name": "New", "job_uuid": JOB, "compensation_uuid": JOB,
                      "onboarding_status": "admin_onboarding_incomplete" },
                    { "uuid": "0197a1b2-0000-7000-8000-000000000003", "name": "Old", "job_uuid": JOB, "compensation_uuid": JOB,
                      "onboarding_status": "onboarding_completed" },
                ],
            },
        ]);
        let told = environment_text("http://127.0.0.1:7777", &world(&companies));
        let lines: Vec<_> = told.lines().collect();
        assert_eq!(lines.len(), 13);
        assert!(lines.contains(&"CLIENT_ID=c") && lines.contains(&"CLIENT_SECRET=s"));
        assert!(lines.contains(&"E2E_GWS_FLOWS_HOST=http://127.0.0.1:7777"));
        assert!(lines.contains(&"E2E_FLOW_TOKEN=token") && lines.contains(&"TOKEN=token"));
        assert!(lines.contains(&"E2E_EMPLOYEE_ID=0197a1b2-0000-7000-8000-000000000003"), "{told}");
    }
}
