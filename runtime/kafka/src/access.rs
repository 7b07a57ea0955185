//! Where the brokers are and how to get in: the settings that source, sink and a connection share.

use fairway_engine::Error;
use fairway_engine::component::Issue;
use fairway_engine::files::Files;
use fairway_engine::secret::Secret;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How to get in where brokers do not let everybody in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Security {
    /// Whether the way to the brokers is encrypted (TLS).
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 1}))]
    pub tls: bool,
    /// File with the certificates of those whom to trust, in PEM; empty for those of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 2, "widget": "path", "show_if": {"tls": [true]}}))]
    pub ca: Option<String>,
    /// File with Fairway's own certificate, in PEM, where brokers ask for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 3, "widget": "path", "show_if": {"tls": [true]}}))]
    pub certificate: Option<String>,
    /// File with the private key of that certificate, in PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 4, "widget": "path", "show_if": {"tls": [true]}}))]
    pub private_key: Option<String>,
    /// Password of the private key, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 5, "secret": true, "show_if": {"tls": [true]}}))]
    pub private_key_password: Option<Secret>,
    /// How Fairway says who it is.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 6}))]
    pub sasl: Mechanism,
    /// Name of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 7, "show_if": {"sasl": ["plain", "scram_sha_256", "scram_sha_512"]}}))]
    pub user: Option<String>,
    /// Password of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 8, "secret": true, "show_if": {"sasl": ["plain", "scram_sha_256", "scram_sha_512"]}}))]
    pub password: Option<Secret>,
}

/// How Fairway says who it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// Not at all, or by its certificate.
    #[default]
    None,
    /// By user and password as they are: use it with TLS only.
    Plain,
    /// By user and password, which do not travel (SCRAM with SHA-256).
    #[serde(rename = "scram_sha_256")]
    ScramSha256,
    /// By user and password, which do not travel (SCRAM with SHA-512).
    #[serde(rename = "scram_sha_512")]
    ScramSha512,
}

impl Security {
    /// Rules across the settings that are broken; `field` is the name of the whole.
    pub fn check(&self, field: &str) -> Vec<Issue> {
        let mut issues = Vec::new();
        let at = |name: &str| format!("{field}.{name}");
        if self.sasl != Mechanism::None {
            let missing = [("user", self.user.is_none()), ("password", self.password.is_none())];
            for (name, _) in missing.iter().filter(|(_, missing)| *missing) {
                issues.push(Issue::new(at(name), format!("no {name} is given"), "brokers ask for both"));
            }
        }
        if self.certificate.is_some() != self.private_key.is_some() {
            let missing = if self.certificate.is_some() { "private_key" } else { "certificate" };
            let message = "a certificate and its private key go together";
            issues.push(Issue::new(at(missing), message, "name both files, or neither"));
        }
        if !self.tls && (self.ca.is_some() || self.certificate.is_some()) {
            let message = "certificates mean nothing without TLS";
            issues.push(Issue::new(at("tls"), message, "switch it on, or take the files out"));
        }
        issues
    }
}

/// The settings of a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Brokers to begin with, as `host:port` with commas between.
    #[serde(default)]
    pub brokers: Option<String>,
    /// How to get in.
    #[serde(default)]
    pub security: Security,
}

impl Settings {
    /// What they say to a client; files are looked for in `files`.
    ///
    /// # Errors
    /// As [`Access::new`].
    pub fn access(&self, files: &Files) -> Result<Access, Error> {
        Access::new(self.brokers.as_deref().unwrap_or_default(), &self.security, files)
    }
}

/// Everything that a client needs to know of the brokers.
#[derive(Debug, Clone)]
pub struct Access {
    config: ClientConfig,
    brokers: String,
}

impl Access {
    /// Access to brokers, given as `host:port` with commas between.
    ///
    /// # Errors
    /// `kafka.bad_config` for settings that cannot work, `file.outside_root` for files out of bounds.
    pub fn new(brokers: &str, security: &Security, files: &Files) -> Result<Self, Error> {
        if brokers.trim().is_empty() {
            return Err(Error::config("kafka.no_brokers", "no broker is named")
                .help("set `brokers` here or in the connection, such as `broker-1:9092,broker-2:9092`"));
        }
        if let Some(issue) = security.check("security").into_iter().next() {
            let error = Error::config("kafka.bad_config", format!("`{}`: {}", issue.field, issue.message));
            return Err(issue.help.into_iter().fold(error, Error::help));
        }
        let mut config = ClientConfig::new();
        config.set_log_level(RDKafkaLogLevel::Warning);
        let sasl = match security.sasl {
            Mechanism::None => None,
            Mechanism::Plain => Some("PLAIN"),
            Mechanism::ScramSha256 => Some("SCRAM-SHA-256"),
            Mechanism::ScramSha512 => Some("SCRAM-SHA-512"),
        };
        let protocol = match (security.tls, sasl.is_some()) {
            (false, false) => "plaintext",
            (true, false) => "ssl",
            (false, true) => "sasl_plaintext",
            (true, true) => "sasl_ssl",
        };
        config
            .set("bootstrap.servers", brokers.trim())
            .set("security.protocol", protocol)
            .set("client.software.name", "fairway")
            // The defaults of ten seconds and a minute make the end of an outage late, and its beginning later.
            .set("reconnect.backoff.ms", "100")
            .set("reconnect.backoff.max.ms", "1000")
            .set("socket.timeout.ms", "10000")
            .set("socket.keepalive.enable", "true");
        for (key, file) in [
            ("ssl.ca.location", &security.ca),
            ("ssl.certificate.location", &security.certificate),
            ("ssl.key.location", &security.private_key),
        ] {
            if let Some(file) = file.as_ref().filter(|_| security.tls) {
                config.set(key, files.resolve(file)?.to_string_lossy());
            }
        }
        if let Some(password) = security.private_key_password.as_ref().filter(|_| security.tls) {
            config.set("ssl.key.password", password.reveal());
        }
        if let Some(sasl) = sasl {
            config.set("sasl.mechanism", sasl);
            config.set("sasl.username", security.user.as_deref().unwrap_or_default());
            config.set("sasl.password", security.password.as_ref().map_or("", Secret::reveal));
        }
        Ok(Self { config, brokers: brokers.trim().to_owned() })
    }

    /// The brokers as they were given, for messages.
    pub fn brokers(&self) -> &str {
        &self.brokers
    }

    pub(crate) fn config(&self) -> ClientConfig {
        self.config.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_does_not_fit_together() {
        let security: Security = serde_json::from_str(r#"{"sasl":"scram_sha_512","ca":"ca.pem"}"#).unwrap();
        let fields: Vec<String> = security.check("security").into_iter().map(|issue| issue.field).collect();
        assert_eq!(fields, ["security.user", "security.password", "security.tls"]);
        let files = Files::open(".");
        assert_eq!(Access::new("h:1", &security, &files).unwrap_err().code, "kafka.bad_config");
        assert_eq!(Access::new(" ", &Security::default(), &files).unwrap_err().code, "kafka.no_brokers");
    }

    #[test]
    fn secrets_stay_out_of_what_is_shown() {
        let security: Security =
            serde_json::from_str(r#"{"tls":true,"sasl":"plain","user":"u","password":"hunter2"}"#).unwrap();
        assert!(!format!("{security:?}").contains("hunter2"));
        let access = Access::new("h:1", &security, &Files::open(".")).unwrap();
        assert!(!format!("{access:?}").contains("hunter2"), "{access:?}");
    }
}
