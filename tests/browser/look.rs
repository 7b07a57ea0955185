//! Reading the page: values, elements and their places, screenshots; and waiting until something is so.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fantoccini::Locator;
use serde_json::{Value, json};

use super::Browser;

/// How long something may take to come true. Far above what it takes: on a fast machine nobody waits for it.
const LIMIT: Duration = Duration::from_secs(60);

/// How often to look.
const PACE: Duration = Duration::from_millis(20);

/// The place of an element in the viewport, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Place {
    pub(crate) fn middle(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

impl Browser {
    /// The value of a JavaScript expression; a promise is awaited. Arguments are `arguments[0]` and so on.
    pub(crate) async fn eval(&self, expression: &str, args: &[Value]) -> Result<Value> {
        let script = format!("return ({expression});");
        self.client
            .execute(&script, args.to_vec())
            .await
            .with_context(|| format!("cannot evaluate `{expression}`"))
    }

    /// Waits until a JavaScript expression is truthy, and returns its value.
    ///
    /// `what` completes the sentence "waited for …" if it never is.
    pub(crate) async fn until(&self, what: &str, expression: &str) -> Result<Value> {
        let deadline = Instant::now() + LIMIT;
        loop {
            // The page may be loading just now; what counts is how it ends.
            let last = self.eval(expression, &[]).await;
            match &last {
                Ok(value) if truthy(value) => return Ok(value.clone()),
                _ if Instant::now() < deadline => tokio::time::sleep(PACE).await,
                Ok(value) => bail!("waited {LIMIT:?} for {what}: `{expression}` is still {value}"),
                Err(error) => bail!("waited {LIMIT:?} for {what}: {error:#}"),
            }
        }
    }

    /// Waits until an element is there and has a size.
    pub(crate) async fn see(&self, css: &str) -> Result<Place> {
        let selector = json!(css);
        let expression = format!(
            "(() => {{ const e = document.querySelector({selector}); const r = e && e.getBoundingClientRect(); \
             return r && r.width > 0 && r.height > 0 && [r.x, r.y, r.width, r.height]; }})()"
        );
        let value = self.until(&format!("{css} to be seen"), &expression).await?;
        let number =
            |index: usize| value[index].as_f64().with_context(|| format!("{css} has no place: {value}"));
        Ok(Place { x: number(0)?, y: number(1)?, width: number(2)?, height: number(3)? })
    }

    /// Waits until an element contains a text, white space as a reader sees it.
    pub(crate) async fn read(&self, css: &str, text: &str) -> Result<()> {
        let (selector, wanted) = (json!(css), json!(text));
        let expression =
            format!("(document.querySelector({selector})?.innerText ?? \"\").includes({wanted})");
        self.until(&format!("{css} to say {text:?}"), &expression).await.map(|_| ())
    }

    /// How many elements match now.
    pub(crate) async fn count(&self, css: &str) -> Result<u64> {
        let value = self.eval("document.querySelectorAll(arguments[0]).length", &[json!(css)]).await?;
        value.as_u64().with_context(|| format!("{css}: the count is {value}"))
    }

    /// Gives a file to a file input, as the user's choice in its dialog would.
    pub(crate) async fn choose_file(&self, css: &str, path: &Path) -> Result<()> {
        let input =
            self.client.find(Locator::Css(css)).await.with_context(|| format!("there is no {css}"))?;
        input.send_keys(&path.to_string_lossy()).await.with_context(|| format!("{css} takes no file"))
    }

    /// Waits until the page has saved a file of this name, and returns where it is.
    pub(crate) async fn downloaded(&self, name: &str) -> Result<PathBuf> {
        let path = self.downloads.path().join(name);
        let deadline = Instant::now() + LIMIT;
        // Chromium takes the name by an empty file, writes under another one, and renames at the end.
        while !fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() > 0) {
            if Instant::now() > deadline {
                let there = fs::read_dir(self.downloads.path())?.flatten().map(|entry| entry.file_name());
                bail!("waited {LIMIT:?} for {name} to be saved; there are {:?}", there.collect::<Vec<_>>());
            }
            tokio::time::sleep(PACE).await;
        }
        Ok(path)
    }

    /// Saves what the page looks like now as `<scenario>-<label>.png`, in the folder that `FAIRWAY_SCREENSHOTS`
    /// names or in `screenshots` beside this test's build.
    pub(crate) async fn screenshot(&self, label: &str) -> Result<PathBuf> {
        let picture = self.client.screenshot().await.context("the browser takes no screenshot")?;
        let folder = match env::var_os("FAIRWAY_SCREENSHOTS").filter(|folder| !folder.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None => {
                let test = env::current_exe()?;
                let profile =
                    test.parent().and_then(Path::parent).context("a test lies two folders below target")?;
                profile.join("screenshots")
            }
        };
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let path = folder.join(format!("{}-{label}.png", self.name));
        fs::write(&path, picture).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
