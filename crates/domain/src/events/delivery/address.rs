//! Allowed webhook addresses: public ones only, whatever a URL says.
//!
//! A URL is checked when a subscription is created, so that the caller learns at once what is wrong; but names can resolve to other
//! addresses later, so every connection checks again (`background::delivery::client`): the address that is dialled is the one that was
//! checked. Ranges are those of the IANA registries of special-purpose addresses; of IPv6 only global unicast (2000::/3) is allowed at all.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rules::Violation;
use url::{Host, Url};

/// Maximum characters of a URL.
const LONGEST: usize = 2_000;

/// Whether an address is on the public Internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// First address and prefix length of ranges that are not public.
const NOT_PUBLIC_V4: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // shared by carriers
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local, metadata services
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // 6to4 relays
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, broadcast
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !NOT_PUBLIC_V4
        .iter()
        .any(|(first, length)| (bits ^ Ipv4Addr::from(*first).to_bits()).leading_zeros() >= *length)
}

/// Ranges inside 2000::/3 that are not public.
const NOT_PUBLIC_V6: [(u128, u32); 4] = [
    (0x2001_0000 << 96, 23), // protocol assignments, Teredo among them
    (0x2001_0db8 << 96, 32), // documentation
    (0x2002 << 112, 16),     // 6to4
    (0x3fff << 112, 20),     // documentation
];

/// Mapped, compatible and translated IPv4 addresses are outside 2000::/3, as are loopback, link-local, unique local and multicast.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    bits >> 125 == 1 && !NOT_PUBLIC_V6.iter().any(|(first, length)| (bits ^ first).leading_zeros() >= *length)
}

/// Which addresses the service may deliver to.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// whether http, private addresses and any port are allowed: for development
    pub private: bool,
    /// allowed ports of https; only 443 if none are given
    pub ports: Vec<u16>,
}

impl Policy {
    /// Whether a connection to this address may be made.
    pub fn is_allowed(&self, address: IpAddr) -> bool {
        self.private || is_public(address)
    }

    /// The normalized URL of a subscription.
    ///
    /// # Errors
    /// A single violation that says what is allowed.
    pub fn check_url(&self, key: &str, text: &str) -> Result<Url, Violation> {
        let wrong = |what: &str| Err(Violation::invalid(key, format!("{key} {what}")));
        if text.len() > LONGEST {
            return wrong("must have at most 2,000 characters");
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return wrong("must not contain blanks or control characters");
        }
        let Ok(url) = Url::parse(text) else {
            return wrong("must be a URL such as https://hooks.example/events");
        };
        match url.scheme() {
            "https" => {}
            "http" if self.private => {}
            // What stands before the first colon of localhost:3000 is read as a scheme.
            _ if self.private => {
                return wrong(
                    "must begin with https:// or, since private addresses are allowed here, http://, such as http://127.0.0.1:3000/hook",
                );
            }
            _ => return wrong("must begin with https://"),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return wrong("must not contain a user name or a password");
        }
        if url.fragment().is_some() {
            return wrong("must not have a part after #");
        }
        let port = url.port().unwrap_or(443);
        let ports = if self.ports.is_empty() { &[443][..] } else { &self.ports };
        if !self.private && !ports.contains(&port) {
            let allowed: Vec<_> = ports.iter().map(u16::to_string).collect();
            return wrong(&format!("may name only the port {}", allowed.join(", ")));
        }
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(name)) if !name.is_empty() => None,
            _ => return wrong("must name a host"),
        };
        if literal.is_some_and(|address| !self.is_allowed(address)) {
            return Err(not_public(key));
        }
        Ok(url)
    }
}

/// The violation of a URL that leads to a non-public address.
pub fn not_public(key: &str) -> Violation {
    Violation::invalid(
        key,
        format!("{key} must be publicly routable: its host is an address that is not public"),
    )
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
