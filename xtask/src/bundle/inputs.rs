//! What a bundle is made from, read whole, so that its stamp covers exactly what goes in.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::files::walk;

/// The version of the library that turns the compiled module into what a browser loads. It is part of the
/// stamp: another version writes another bundle from the same module.
const BINDGEN: &str = "0.2.130";

/// Everything that goes into a bundle.
pub(super) struct Inputs {
    pub(super) wasm: Vec<u8>,
    /// The template of the page.
    pub(super) page: String,
    /// The template of the script that starts the designer.
    pub(super) loader: String,
    /// All style sheets, in the order of their file names.
    pub(super) styles: String,
    /// Icons and fonts: path in the bundle, content.
    pub(super) files: Vec<(PathBuf, Vec<u8>)>,
}

impl Inputs {
    pub(super) fn read(root: &Path, wasm: &Path) -> Result<Self> {
        let designer = root.join("designer");
        Ok(Self {
            wasm: fs::read(wasm).with_context(|| format!("cannot read {}", wasm.display()))?,
            page: text(&designer.join("index.html"))?,
            loader: text(&designer.join("loader.js"))?,
            styles: styles(&designer.join("styles"))?,
            files: files(&root.join("assets"), &["icons", "fonts"])?,
        })
    }

    /// The hash in the names of the script and the module.
    pub(super) fn wasm_hash(&self) -> String {
        hash([BINDGEN.as_bytes(), &self.wasm])
    }

    /// The hash of everything.
    pub(super) fn stamp(&self) -> String {
        let files = self.files.iter().flat_map(|(path, bytes)| [path.as_os_str().as_encoded_bytes(), bytes]);
        let texts = [self.page.as_bytes(), self.loader.as_bytes(), self.styles.as_bytes()];
        hash([BINDGEN.as_bytes(), &self.wasm].into_iter().chain(texts).chain(files))
    }
}

/// Sixteen hexadecimal digits of SHA-256 over parts, each with its length before it.
pub(super) fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part);
    }
    sha.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn styles(folder: &Path) -> Result<String> {
    let mut sheets = walk(folder)?;
    sheets.retain(|path| path.extension().is_some_and(|extension| extension == "css"));
    let mut all = String::new();
    for sheet in sheets {
        all.push_str(&text(&sheet)?);
        all.push('\n');
    }
    Ok(all)
}

fn files(assets: &Path, folders: &[&str]) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut found = Vec::new();
    for folder in folders {
        for path in walk(&assets.join(folder))? {
            // The notes on where they come from are for people who read the repository.
            if path.extension().is_some_and(|extension| extension == "md") {
                continue;
            }
            let name = path.strip_prefix(assets).context("a file below assets")?.to_path_buf();
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            found.push((name, bytes));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{BINDGEN, hash, styles};

    #[test]
    fn the_hash_keeps_parts_apart() {
        assert_ne!(hash([&b"ab"[..], b"c"]), hash([&b"a"[..], b"bc"]));
        assert_eq!(hash([&b"ab"[..]]).len(), 16);
    }

    #[test]
    fn style_sheets_follow_each_other_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("20-b.css", "b{}"), ("10-a.css", "a{}"), ("notes.txt", "no")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        assert_eq!(styles(folder.path()).unwrap(), "a{}\nb{}\n");
        assert_eq!(styles(&folder.path().join("missing")).unwrap(), "");
    }

    #[test]
    fn the_stamp_names_the_locked_bindgen() {
        let lock = include_str!("../../../Cargo.lock");
        let entry = format!("name = \"wasm-bindgen-cli-support\"\nversion = \"{BINDGEN}\"");
        assert!(lock.contains(&entry), "inputs.rs names another version than Cargo.lock");
    }
}
