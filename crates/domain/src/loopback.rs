//! The names by which a machine calls itself.

const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Whether a host, with or without a port, is this machine itself. Decided by the name alone: nothing is resolved, because
/// whoever controls a name can point it anywhere.
pub fn is_loopback_host(host: &str) -> bool {
    let with_port = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let name = with_port.map_or(host, |(name, _)| name);
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

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
