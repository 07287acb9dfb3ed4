//! The names by which a machine calls itself.

const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Whether a host, with or without a port, is this machine itself. Decided by the name alone: nothing is resolved, because
/// whoever controls a name can point it anywhere.
pub fn is_loopback_host(host: &str) -> bool {
    let with_port = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let name = with_port.map_or(host, |(name, _)| name);
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether two redirect URIs of an application on this machine differ in the port alone. It listens on whatever port is free, so that any
/// port matches (RFC 8252, section 7.3); for `localhost` the same is not recommended (section 8.3), and the port counts.
pub fn differs_in_port_alone(registered: &str, sent: &str) -> bool {
    without_port(registered).is_some_and(|parts| without_port(sent) == Some(parts))
}

/// Address, and path with query, of `http://127.0.0.1` or `http://[::1]`, with any port or none.
fn without_port(uri: &str) -> Option<(&str, &str)> {
    let rest = uri.strip_prefix("http://")?;
    let (address, rest) =
        ["127.0.0.1", "[::1]"].iter().find_map(|address| Some((*address, rest.strip_prefix(address)?)))?;
    let Some(port) = rest.strip_prefix(':') else {
        return (rest.is_empty() || rest.starts_with(['/', '?'])).then_some((address, rest));
    };
    let end = port.find(['/', '?']).unwrap_or(port.len());
    let (port, rest) = port.split_at(end);
    let is_port = port.bytes().all(|b| b.is_ascii_digit()) && port.parse().is_ok_and(|port: u16| port > 0);
    is_port.then_some((address, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_on_this_machine_may_listen_on_any_port() {
        let same = differs_in_port_alone;
        assert!(same("http://127.0.0.1/callback", "http://127.0.0.1:51004/callback"));
        assert!(same("http://127.0.0.1:8765/callback", "http://127.0.0.1:51004/callback"));
        assert!(same("http://[::1]:1/a?b=c", "http://[::1]/a?b=c"));
        for sent in [
            "http://127.0.0.1:51004/Callback",
            "http://127.0.0.1:51004/callback/",
            "http://127.0.0.1:51004/callback?x=1",
            "http://127.0.0.1:51004@evil.example/callback",
            "http://127.0.0.1:0/callback",
            "http://127.0.0.1:65536/callback",
            "http://127.0.0.1:/callback",
            "http://127.0.0.1:+1/callback",
            "http://127.0.0.1.evil.example:51004/callback",
            "http://127.0.0.2:51004/callback",
            "http://[::1]:51004/callback",
            "https://127.0.0.1:51004/callback",
            "http://localhost:51004/callback",
        ] {
            assert!(!same("http://127.0.0.1/callback", sent), "{sent}");
        }
        assert!(!same("http://localhost/callback", "http://localhost:51004/callback"));
    }

    #[test]
    fn this_machine_is_known_with_and_without_a_port() {
        for host in
            ["localhost", "LocalHost:3000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8080", "localhost:"]
        {
            assert!(is_loopback_host(host), "{host}");
        }
    }

    #[test]
    fn nothing_else_is_this_machine() {
        for host in [
            "",
            ":80",
            "localhost.evil.example",
            "evil.example:127.0.0.1",
            "localhost:80@evil.example",
            "localhost:a",
            "127.0.0.1.evil.example",
            "127.0.0.2",
            "::1",
            "[::2]",
            "[::1].evil.example",
        ] {
            assert!(!is_loopback_host(host), "{host}");
        }
    }
}
