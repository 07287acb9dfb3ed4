//! A line to a server that can be made silent: it stays open, and nothing passes, as when a network is cut or a machine
//! is gone without a word. It counts how often something is sent to the server, and can lead to another one, as the address of a proxy
//! does in a failover.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub struct Line {
    /// where to connect to instead of to the server
    pub port: u16,
    silent: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
    servers: Arc<Vec<AtomicU16>>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    /// To the server at a port of this machine.
    pub fn to(server: u16) -> Self {
        Self::to_each(&[server])
    }

    /// To servers at ports of this machine, of which each takes its turn with the next connection.
    pub fn to_each(servers: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let line = Self {
            port: listener.local_addr().unwrap().port(),
            silent: Arc::default(),
            sent: Arc::default(),
            servers: Arc::new(servers.iter().map(|port| AtomicU16::new(*port)).collect()),
            open: Arc::default(),
        };
        let (silent, sent) = (Arc::clone(&line.silent), Arc::clone(&line.sent));
        let (servers, open) = (Arc::clone(&line.servers), Arc::clone(&line.open));
        let turn = AtomicUsize::new(0);
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let server = &servers[turn.fetch_add(1, Ordering::AcqRel) % servers.len()];
                // A server that is not there: the connection ends at once.
                let Ok(far) = TcpStream::connect(("127.0.0.1", server.load(Ordering::Acquire))) else {
                    continue;
                };
                open.lock().unwrap().push(near.try_clone().unwrap());
                pass(
                    near.try_clone().unwrap(),
                    far.try_clone().unwrap(),
                    Arc::clone(&silent),
                    Arc::clone(&sent),
                );
                pass(far, near, Arc::clone(&silent), Arc::default());
            }
        });
        line
    }

    /// To the server of a database at this address, and the address of the database through it.
    pub fn before(url: &str) -> (Self, String) {
        let (server, name) = url.rsplit_once('/').unwrap();
        let (host, port) = server.rsplit_once(':').unwrap();
        let line = Self::to(port.parse().unwrap());
        let through = format!("{host}:{}/{name}", line.port);
        (line, through)
    }

    /// How often something was sent to the server. What is sent at once counts once, up to 64 kB of it.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Acquire)
    }

    /// Leads to another server from the next connection on.
    pub fn lead_to(&self, server: u16) {
        self.servers.iter().for_each(|one| one.store(server, Ordering::Release));
    }

    /// Ends the connections that there are.
    pub fn cut(&self) {
        for near in self.open.lock().unwrap().drain(..) {
            near.shutdown(Shutdown::Both).ok();
        }
    }

    /// Lets nothing pass any more, or everything again that was held up.
    pub fn be_silent(&self, silent: bool) {
        self.silent.store(silent, Ordering::Release);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, silent: Arc<AtomicBool>, passed: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut bytes = vec![0; 64 << 10];
        loop {
            let read = from.read(&mut bytes).unwrap_or(0);
            passed.fetch_add(1, Ordering::AcqRel);
            // The end of a connection does not pass, either.
            while silent.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(5));
            }
            if read == 0 || to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        to.shutdown(Shutdown::Both).ok();
    });
}
