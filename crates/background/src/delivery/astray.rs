//! URLs that lead to no public address, in every disguise, for the tests of what is refused. `PORT` is a port on which
//! the test listens.

/// Whole URLs.
const URLS: [&str; 24] = [
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://LOCALHOST:PORT/",
    "http://localhost.:PORT/",
    "http://public.example@127.0.0.1:PORT/",
    "http://public.example:443@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT#@public.example/",
    "http://127.0.0.1:PORT\\@public.example/",
    "http:/127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/",
    "http:///127.0.0.1:PORT/",
    "hTtP://127.0.0.1:PORT/",
    "http://%31%32%37.0.0.1:PORT/",
    "http://127%2e0%2e0%2e1:PORT/",
    "http://１２７.０.０.１:PORT/",
    "http://①②⑦.⓪.⓪.①:PORT/",
    "http://127。0。0。1:PORT/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:PORT/_x",
    "ftp://127.0.0.1:PORT/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "unix:/var/run/docker.sock",
    "//127.0.0.1:PORT/",
];

/// Hosts that are addresses of this machine, or invalid, in another notation.
const DISGUISED: [&str; 44] = [
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0x7F.0.0.1",
    "0177.0.0.1",
    "0177.0.0.01",
    "0x7f.0x0.0x0.0x1",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "0",
    "0.0.0.0",
    "0x0",
    "00000000",
    "127.127.127.127",
    "127.255.255.254",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:7f00:0001::1]",
    "[2001::1]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[100::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[fec0::1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:169.254.169.254]",
];

/// First and last address, and one between, of each IPv4 range that is not public.
const RANGES: [[&str; 3]; 15] = [
    ["0.0.0.1", "0.1.2.3", "0.255.255.255"],
    ["10.0.0.0", "10.20.30.40", "10.255.255.255"],
    ["100.64.0.0", "100.100.100.200", "100.127.255.255"],
    ["127.0.0.0", "127.0.0.53", "127.255.255.255"],
    ["169.254.0.0", "169.254.169.254", "169.254.255.255"],
    ["172.16.0.0", "172.17.0.1", "172.31.255.255"],
    ["192.0.0.0", "192.0.0.192", "192.0.0.255"],
    ["192.0.2.0", "192.0.2.99", "192.0.2.255"],
    ["192.88.99.0", "192.88.99.1", "192.88.99.255"],
    ["192.168.0.0", "192.168.1.1", "192.168.255.255"],
    ["198.18.0.0", "198.19.0.1", "198.19.255.255"],
    ["198.51.100.0", "198.51.100.7", "198.51.100.255"],
    ["203.0.113.0", "203.0.113.9", "203.0.113.255"],
    ["224.0.0.0", "239.1.2.3", "239.255.255.255"],
    ["240.0.0.0", "250.1.2.3", "255.255.255.255"],
];

/// All of them, with a port filled in.
pub fn forbidden_urls(port: u16) -> Vec<String> {
    let hosts = DISGUISED.into_iter().map(str::to_owned);
    let ranges = RANGES.iter().flatten().flat_map(|address| {
        let number = u32::from(address.parse::<std::net::Ipv4Addr>().unwrap());
        [(*address).to_owned(), format!("{number}"), format!("[::ffff:{address}]")]
    });
    let made = hosts.chain(ranges).map(|host| format!("http://{host}:{port}/"));
    URLS.iter().map(|url| url.replace("PORT", &port.to_string())).chain(made).collect()
}
