//! Connections to a server: encrypted or not, and which certificates are accepted. The server's is issued by its own
//! authority, for the name `localhost` and for no address.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use store::{Error, Store, params};

store::statements! {
    ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
}

fn openssl(folder: &Path, arguments: &str) {
    let mut command = Command::new("openssl");
    let done = command.args(arguments.split(' ')).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    assert!(done.status.success(), "{arguments}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Two authorities, `own` and `other`, and a certificate of the first for `localhost`.
fn certificates(folder: &Path) {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let new = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -batch";
    for name in ["own", "other"] {
        openssl(
            folder,
            &format!("{new} -x509 -days 3650 -subj /CN={name} -keyout {name}.key -out {name}.crt"),
        );
    }
    openssl(folder, &format!("{new} -subj /CN=server -keyout server.key -out server.csr"));
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        .unwrap();
    let sign =
        "x509 -req -in server.csr -CA own.crt -CAkey own.key -CAcreateserial -days 3650 -extfile names";
    openssl(folder, &format!("{sign} -out server.crt"));
    // Read by whom the server runs as, who makes a copy of his own.
    std::fs::set_permissions(folder.join("server.key"), std::fs::Permissions::from_mode(0o644)).unwrap();
}

/// Whether the way is encrypted, or why there is none.
fn encrypted(url: &str) -> Result<bool, String> {
    let store = Store::open(url, support::options(support::MIGRATIONS)).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let asked = store.read(|tx| tx.find_row(ENCRYPTED, params![], |row| row.get::<bool>(0)));
    runtime.block_on(asked).map(Option::unwrap).map_err(|error: Error| error.to_string())
}

#[test]
fn each_mode_asks_of_the_certificate_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let Some(server) = postgres_server::server_with_tls(folder.path()) else { return };
    let address = server.database();
    let name = address.replace("127.0.0.1", "localhost");
    let file = |name: &str| folder.path().join(name).display().to_string().replace('/', "%2F");
    let (own, other) = (file("own.crt"), file("other.crt"));
    for (url, mode, expected) in [
        (&name, String::new(), Ok(true)),
        (&name, "?sslmode=disable".into(), Ok(false)),
        (&name, "?sslmode=prefer".into(), Ok(true)),
        (&name, "?sslmode=require".into(), Ok(true)),
        (&name, format!("?sslmode=require&sslrootcert={own}"), Ok(true)),
        (&name, format!("?sslmode=require&sslrootcert={other}"), Err("UnknownIssuer")),
        (&address, format!("?sslmode=verify-ca&sslrootcert={own}"), Ok(true)),
        (&address, format!("?sslmode=verify-ca&sslrootcert={other}"), Err("UnknownIssuer")),
        (&name, format!("?sslmode=verify-full&sslrootcert={own}"), Ok(true)),
        (&name, format!("?application_name=x&sslrootcert={own}&target_session_attrs=any"), Ok(true)),
        (&address, format!("?sslmode=verify-full&sslrootcert={own}"), Err("not valid for name")),
        (&name, format!("?sslmode=verify-full&sslrootcert={other}"), Err("UnknownIssuer")),
        (&name, "?sslmode=verify-full".into(), Err("UnknownIssuer")),
        (&name, "?sslmode=verify-full&sslrootcert=system".into(), Err("UnknownIssuer")),
        (&name, "?sslmode=verify-full&sslrootcert=%2Fnowhere.crt".into(), Err("sslrootcert /nowhere.crt")),
        (&name, format!("?sslmode=verify-full&sslrootcert={}", file("names")), Err("holds no certificate")),
        (&name, "?sslmode=verify".into(), Err("verify-full")),
    ] {
        match (encrypted(&format!("{url}{mode}")), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{mode}"),
            (Err(told), Err(expected)) => {
                assert!(told.contains(expected) && told.lines().count() == 1, "{mode}: {told}")
            }
            (found, _) => panic!("{mode}: {found:?}"),
        }
    }
}

#[test]
fn a_certificate_of_an_old_version_is_taken_where_nothing_is_checked_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    // Without extensions a certificate is of version 1: so are those that Citus makes for its servers.
    openssl(folder.path(), "x509 -req -in server.csr -signkey server.key -days 3650 -out server.crt");
    let mut about = Command::new("openssl");
    about.args(["x509", "-in", "server.crt", "-noout", "-text"]).current_dir(folder.path());
    let text = String::from_utf8(about.output().unwrap().stdout).unwrap();
    assert!(text.contains("Version: 1 "), "{text}");
    let Some(server) = postgres_server::server_with_tls(folder.path()) else { return };
    let url = server.database();
    for mode in ["prefer", "require"] {
        assert_eq!(encrypted(&format!("{url}?sslmode={mode}")), Ok(true), "{mode}");
    }
    let own = folder.path().join("server.crt").display().to_string().replace('/', "%2F");
    for mode in ["verify-ca", "verify-full"] {
        let told = encrypted(&format!("{url}?sslmode={mode}&sslrootcert={own}")).unwrap_err();
        assert!(told.contains("UnsupportedCertVersion"), "{mode}: {told}");
    }
}

#[test]
fn a_server_without_tls_is_used_only_where_that_is_allowed() {
    let Some(server) = postgres_server::server() else { return };
    let url = server.database();
    assert_eq!(encrypted(&url), Ok(false));
    for mode in ["require", "verify-ca", "verify-full"] {
        let told = encrypted(&format!("{url}?sslmode={mode}")).unwrap_err();
        assert!(told.contains("TLS"), "{mode}: {told}");
    }
}
