//! What Chromium offers beyond WebDriver: DevTools commands, and the console of the page.

use anyhow::{Context, Result};
use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

use super::Browser;

/// A command of chromedriver's own: a path below the session, and a body.
#[derive(Debug)]
struct Own {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Own {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

impl Browser {
    /// Sends a command of the DevTools protocol and returns its result.
    pub(crate) async fn devtools(&self, command: &str, params: Value) -> Result<Value> {
        let own = Own { path: "goog/cdp/execute", body: json!({ "cmd": command, "params": params }) };
        self.client.issue_cmd(own).await.with_context(|| format!("DevTools refuse {command}"))
    }

    /// Errors that the page wrote to its console since the last call: uncaught ones, failed requests, `console.error`.
    pub(crate) async fn errors(&self) -> Result<Vec<String>> {
        let entries =
            self.client.issue_cmd(Own { path: "se/log", body: json!({ "type": "browser" }) }).await?;
        let entries = entries.as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        Ok(severe.filter_map(|entry| entry["message"].as_str()).map(str::to_owned).collect())
    }
}
