//! Certificates for peers that speak TLS: an authority made for one test, and those it vouches for.

use anyhow::Result;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

/// One who vouches for servers. Nobody trusts it but who is given its certificate.
#[derive(Debug)]
pub struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A server's certificate and its private key, both in PEM.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The certificate.
    pub certificate: String,
    /// The private key (PKCS#8).
    pub key: String,
}

impl Authority {
    /// A new one; what it is called appears in messages of those that do not trust it.
    ///
    /// # Errors
    /// If the machine has no randomness.
    pub fn new(name: &str) -> Result<Self> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self { certificate, issuer: Issuer::new(params, key) })
    }

    /// Its certificate, in PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Vouches for a server of these names or addresses.
    ///
    /// # Errors
    /// If a name cannot be one.
    pub fn vouch(&self, names: &[&str]) -> Result<Identity> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names)?;
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Identity { certificate, key: key.serialize_pem() })
    }
}

#[cfg(test)]
mod tests {
    use super::Authority;

    #[test]
    fn vouches_by_name() {
        let authority = Authority::new("an authority of tests").expect("an authority");
        let identity = authority.vouch(&["localhost", "127.0.0.1"]).expect("an identity");
        assert!(authority.certificate().starts_with("-----BEGIN CERTIFICATE-----"));
        assert_ne!(identity.certificate, authority.certificate());
        assert!(identity.key.starts_with("-----BEGIN PRIVATE KEY-----"));
    }
}
