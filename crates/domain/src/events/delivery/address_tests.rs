use super::*;

fn policy() -> Policy {
    Policy::default()
}

#[test]
fn addresses_of_the_public_internet_are_allowed() {
    for address in [
        "8.8.8.8",
        "1.1.1.1",
        "93.184.216.34",
        "172.32.0.1",
        "100.128.0.1",
        "2606:4700::1111",
        "2a00:1450::1",
    ] {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
}

#[test]
fn an_https_url_with_a_name_or_a_public_address_is_normalized() {
    for (given, kept) in [
        ("https://hooks.example/events?a=b", "https://hooks.example/events?a=b"),
        ("HTTPS://Hooks.Example", "https://hooks.example/"),
        ("https://93.184.216.34/x", "https://93.184.216.34/x"),
        ("https://hooks.example:443/x", "https://hooks.example/x"),
    ] {
        assert_eq!(policy().check_url("url", given).unwrap().as_str(), kept);
    }
}

#[test]
fn the_refusal_of_a_url_says_why() {
    for (url, why) in [
        ("", "must be a URL"),
        ("hooks.example", "must be a URL"),
        ("http://hooks.example/", "https://"),
        ("ftp://hooks.example/", "https://"),
        ("file:///etc/passwd", "https://"),
        ("https://user:secret@hooks.example/", "password"),
        ("https://hooks.example/#a", "#"),
        ("https://hooks.example:8443/", "port 443"),
        ("https://hooks.example:80/", "port 443"),
        ("https://hooks.example/ x", "blanks"),
        ("https://hooks.example/\u{0}", "control"),
        ("https://127.0.0.1/", "publicly routable"),
    ] {
        let violation = policy().check_url("url", url).unwrap_err();
        assert_eq!(violation.key, "url");
        assert!(violation.message.contains(why), "{url:?}: {}", violation.message);
    }
    let long = format!("https://hooks.example/{}", "a".repeat(2_000));
    assert!(policy().check_url("url", &long).unwrap_err().message.contains("2,000"));
}

#[test]
fn other_ports_and_for_development_other_addresses_can_be_allowed() {
    let ports = Policy { private: false, ports: vec![443, 8443] };
    assert!(ports.check_url("url", "https://hooks.example:8443/").is_ok());
    assert!(ports.check_url("url", "https://hooks.example:8444/").unwrap_err().message.contains("443, 8443"));
    let private = Policy { private: true, ports: vec![] };
    assert!(private.check_url("url", "http://127.0.0.1:8765/hook").is_ok());
    assert!(
        private.is_allowed("127.0.0.1".parse().unwrap())
            && !policy().is_allowed("127.0.0.1".parse().unwrap())
    );
}
