//! The page and its loader: templates whose `{{placeholders}}` become the names in the bundle.

use std::fs;
use std::path::Path;

use super::inputs::{Inputs, hash};

/// The mark before the stamp in the page.
const STAMP: &str = "<meta name=\"fairway-bundle\" content=\"";

/// The names of the files in `assets/` that depend on content.
pub(super) struct Names {
    script: String,
    wasm: String,
    pub(super) styles: String,
    pub(super) loader: String,
}

impl Names {
    /// `designer` is the name that wasm-bindgen was given; it adds its own endings.
    pub(super) fn new(inputs: &Inputs, designer: &str) -> Self {
        let styles = format!("fairway-{}.css", hash([inputs.styles.as_bytes()]));
        // The loader names the script, so its own name changes with both.
        let loader = format!("loader-{}.js", hash([inputs.loader.as_bytes(), designer.as_bytes()]));
        Self { script: format!("{designer}.js"), wasm: format!("{designer}_bg.wasm"), styles, loader }
    }

    pub(super) fn fill(&self, template: &str) -> String {
        template
            .replace("{{script}}", &self.script)
            .replace("{{wasm}}", &self.wasm)
            .replace("{{styles}}", &self.styles)
            .replace("{{loader}}", &self.loader)
    }
}

/// The stamp that a page carries, if there is such a page.
pub(super) fn stamp_of(page: &Path) -> Option<String> {
    let text = fs::read_to_string(page).ok()?;
    let (_, rest) = text.split_once(STAMP)?;
    rest.split_once('"').map(|(stamp, _)| stamp.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_hold_only_known_placeholders() {
        let names = Names {
            script: "a.js".into(),
            wasm: "a_bg.wasm".into(),
            styles: "s.css".into(),
            loader: "l.js".into(),
        };
        let page = names.fill(include_str!("../../../designer/index.html")).replace("{{stamp}}", "0123");
        let loader = names.fill(include_str!("../../../designer/loader.js"));
        for text in [&page, &loader] {
            assert!(!text.contains("{{"), "unfilled placeholder in:\n{text}");
        }
        for name in ["/assets/l.js", "/assets/s.css", "/assets/a_bg.wasm", "/assets/a.js"] {
            assert!(page.contains(name), "{name} is not in the page");
        }

        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("index.html"), &page).unwrap();
        assert_eq!(stamp_of(&folder.path().join("index.html")).as_deref(), Some("0123"));
        assert_eq!(stamp_of(&folder.path().join("missing.html")), None);
    }
}
