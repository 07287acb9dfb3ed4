//! TLS to a server: `sslmode` and `sslrootcert` of the address, with the same meaning as in PostgreSQL's own
//! programs, except for the default: whoever can interfere with the connection could decline TLS and read the password, so without
//! `sslmode` a server on another machine must prove who it is (`verify-full`).
//!
//! | `sslmode` | TLS | the certificate |
//! |---|---|---|
//! | `disable` | no | |
//! | `prefer` (default on this machine) | if the server offers it | is not verified |
//! | `require` | always | is not verified; with `sslrootcert`, as with `verify-ca` |
//! | `verify-ca` | always | must be issued by a trusted authority |
//! | `verify-full` (default elsewhere) | always | must be issued by a trusted authority, for the host's name |
//!
//! The trusted authorities are those in the file that `sslrootcert` names, or the system's if it is `system` or not
//! given.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::Error;

/// The `sslmode` of the address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

const MODES: [(&str, Mode); 5] = [
    ("disable", Mode::Disable),
    ("prefer", Mode::Prefer),
    ("require", Mode::Require),
    ("verify-ca", Mode::VerifyCa),
    ("verify-full", Mode::VerifyFull),
];

/// The security settings of connections to a server.
pub(super) struct Security {
    pub mode: SslMode,
    /// `None` if the connection is not encrypted
    pub connector: Option<MakeRustlsConnect>,
}

/// Removes the TLS options from the address; the driver reads the rest.
pub(super) fn take_options(url: &str) -> Result<(String, Security), Error> {
    let (mut mode, mut root) = (None, None);
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let mut rest = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = || percent_decode_str(value).decode_utf8_lossy().into_owned();
        match name {
            "sslmode" => mode = Some(value()),
            "sslrootcert" => root = Some(value()),
            _ => rest.push(pair),
        }
    }
    let rest = if rest.is_empty() { place.to_owned() } else { format!("{place}?{}", rest.join("&")) };
    let mode = match mode.as_deref() {
        // An address that names authorities expects certificates to be verified.
        None if root.is_some() => Mode::VerifyFull,
        None if is_local(&rest)? => Mode::Prefer,
        None => Mode::VerifyFull,
        Some(given) => {
            MODES.iter().find(|(name, _)| *name == given).map(|(_, mode)| *mode).ok_or_else(|| {
                let names = MODES.map(|(name, _)| name).join(", ");
                Error::Open(format!("sslmode of the database address must be one of {names}"))
            })?
        }
    };
    Ok((rest, Security::new(mode, root.as_deref())?))
}

/// Whether every host of the address is this machine: a socket in a folder, a loopback address, or `localhost`.
fn is_local(url: &str) -> Result<bool, Error> {
    let given: Config = url.parse().map_err(|_| unreadable_address())?;
    let addresses = given.get_hostaddrs();
    if !addresses.is_empty() {
        return Ok(addresses.iter().all(IpAddr::is_loopback));
    }
    Ok(given.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
        }
    }))
}

/// The error of an address. It may contain a password, so the error does not repeat it.
pub(super) fn unreadable_address() -> Error {
    Error::Open("the postgres:// address cannot be read".to_owned())
}

impl Security {
    fn new(mode: Mode, root: Option<&str>) -> Result<Self, Error> {
        let mode = if mode == Mode::Require && root.is_some() { Mode::VerifyCa } else { mode };
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable_tls(&error))?;
        let by = |chain| {
            let verifier = Arc::new(WithoutName { chain, provider: Arc::clone(&provider) });
            config.clone().dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        };
        let config = match mode {
            Mode::Disable => return Ok(Self { mode: SslMode::Disable, connector: None }),
            Mode::Prefer => by(None),
            Mode::Require => {
                tracing::warn!(
                    "the database server's certificate is not verified; sslmode=verify-full does that"
                );
                by(None)
            }
            Mode::VerifyCa => {
                let roots = Arc::new(load_roots(root)?);
                let chain = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
                by(Some(chain.build().map_err(|error| unusable_tls(&error))?))
            }
            Mode::VerifyFull => config.with_root_certificates(load_roots(root)?).with_no_client_auth(),
        };
        let asked = if mode == Mode::Prefer { SslMode::Prefer } else { SslMode::Require };
        Ok(Self { mode: asked, connector: Some(MakeRustlsConnect::new(config)) })
    }
}

fn unusable_tls(error: &dyn std::fmt::Display) -> Error {
    Error::Open(format!("TLS to the database server cannot be used: {error}"))
}

/// Loads the trusted authorities.
fn load_roots(file: Option<&str>) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file.filter(|file| *file != "system") else {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err(Error::Open(
                "the system has no certificates of authorities: install them (ca-certificates), or name a file with \
                 sslrootcert"
                    .to_owned(),
            ));
        }
        return Ok(roots);
    };
    let unread =
        |why: &dyn std::fmt::Display| Error::Open(format!("sslrootcert {file} cannot be used: {why}"));
    for certificate in CertificateDer::pem_file_iter(Path::new(file)).map_err(|error| unread(&error))? {
        roots.add(certificate.map_err(|error| unread(&error))?).map_err(|error| unread(&error))?;
    }
    if roots.is_empty() { Err(unread(&"it holds no certificate")) } else { Ok(roots) }
}

/// Accepts a certificate for any host name: without `chain` any certificate, otherwise one issued by a trusted
/// authority. The peer must prove possession of its key either way, except for a certificate that cannot be read because
/// of its version: some servers make such certificates for themselves, and where any certificate is accepted, the proof
/// of possessing its key shows nothing.
#[derive(Debug)]
struct WithoutName {
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl WithoutName {
    /// The proof that the peer has the key, which is not required of a certificate of an old version where nothing is.
    fn judge_proof(
        &self,
        proof: Result<HandshakeSignatureValid, TlsError>,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        match proof {
            Err(TlsError::InvalidCertificate(CertificateError::Other(why)))
                if self.chain.is_none() && why.to_string().contains("UnsupportedCertVersion") =>
            {
                Ok(HandshakeSignatureValid::assertion())
            }
            proof => proof,
        }
    }
}

impl ServerCertVerifier for WithoutName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(certificate, between, name, ocsp, now) {
            // The name is checked last, so the chain is valid.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        self.judge_proof(verify_tls12_signature(message, certificate, signed, algorithms))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        self.judge_proof(verify_tls13_signature(message, certificate, signed, algorithms))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_elsewhere_gets_no_password_before_it_has_proved_who_it_is() {
        for (url, local) in [
            ("postgres://stipend:secret@localhost/stipend", true),
            ("postgres://stipend:secret@127.0.0.1:5433/stipend", true),
            ("postgres://stipend:secret@[::1]/stipend", true),
            ("postgres:///stipend?host=/run/postgresql", true),
            ("postgres://stipend:secret@127.0.0.1,db.example/stipend", false),
            ("postgres://stipend:secret@db.example/stipend", false),
            ("postgres://stipend:secret@10.0.0.7/stipend?application_name=x", false),
            ("postgres://stipend:secret@localhost/stipend?hostaddr=10.0.0.7", false),
        ] {
            assert_eq!(is_local(url).unwrap(), local, "{url}");
            let (_, security) = take_options(&format!(
                "{url}{}sslrootcert=system",
                if url.contains('?') { '&' } else { '?' }
            ))
            .unwrap_or_else(|error| panic!("{url}: {error}"));
            assert_eq!(security.mode, SslMode::Require, "{url}: named authorities are asked");
        }
        assert!(
            take_options("postgres://stipend@db.example/stipend")
                .is_ok_and(|(_, security)| security.mode == SslMode::Require)
        );
        assert!(
            take_options("postgres://stipend@localhost/stipend")
                .is_ok_and(|(_, security)| security.mode == SslMode::Prefer)
        );
        let (rest, asked) = take_options("postgres://stipend@db.example/stipend?sslmode=prefer").unwrap();
        assert!(asked.mode == SslMode::Prefer && rest == "postgres://stipend@db.example/stipend");
    }
}
