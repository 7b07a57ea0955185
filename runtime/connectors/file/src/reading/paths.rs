//! From paths and globs to files, each once, whatever ways lead to it (G6).

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fairway_engine::Error;
use fairway_engine::file_id;
use fairway_engine::files::Files;
use globset::{GlobBuilder, GlobMatcher};

use crate::fault;
use crate::writing::is_side_file;

/// A file that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// How it is called: its path as the settings lead to it, with `/` between folders.
    pub(crate) name: String,
    /// Device and inode.
    pub(crate) id: (u64, u64),
    /// Length in bytes when it was found.
    pub(crate) length: u64,
    /// When it was last written, where the system says so.
    pub(crate) written: Option<SystemTime>,
}

/// Files in the order of their names, and what could not be looked at.
#[derive(Debug, Default)]
pub(crate) struct Finding {
    pub(crate) files: Vec<Found>,
    pub(crate) faults: Vec<Error>,
    /// Folders of globs that do not exist.
    pub(crate) missing: Vec<String>,
}

/// A path or glob, taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// Folders before the first wildcard; the whole path if there is none.
    literal: String,
    /// Parts from the first wildcard on.
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    /// `**`: any number of folders.
    Folders,
    /// Names that match; whether names with a leading dot may.
    Names(GlobMatcher, bool),
}

impl Pattern {
    /// Takes a path or glob apart: `*` and `?` stand for characters of one name, `[a-z]` and `{a,b}` for one of several, `**`
    /// for any folders.
    ///
    /// # Errors
    /// A sentence for the user when it is no glob.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let all: Vec<&str> = text.split('/').filter(|part| !matches!(*part, ".")).collect();
        let wild = |part: &&str| part.contains(['*', '?', '[', '{']);
        let first = all.iter().position(wild).unwrap_or(all.len());
        let mut parts = Vec::new();
        for part in all[first..].iter().filter(|part| !part.is_empty()) {
            parts.push(match *part {
                "**" => Part::Folders,
                name => {
                    let glob = GlobBuilder::new(name).literal_separator(true).backslash_escape(true).build();
                    let glob = glob.map_err(|error| format!("`{text}` is not a path or glob: {error}"))?;
                    Part::Names(glob.compile_matcher(), name.starts_with('.'))
                }
            });
        }
        if let Some(Part::Folders) = parts.last() {
            return Err(format!("`{text}` names folders but no files; end it with `/*`"));
        }
        Ok(Self { literal: all[..first].join("/"), parts })
    }

    /// Whether the pattern leads to a name, by its text alone: `name` is a path as the settings of another component write it.
    pub(crate) fn leads_to(&self, name: &str) -> bool {
        let named: Vec<&str> = plain_parts(name);
        let Some(rest) = named.strip_prefix(plain_parts(&self.literal).as_slice()) else { return false };
        name.starts_with('/') == self.literal.starts_with('/') && matches(&self.parts, rest)
    }

    fn is_literal(&self) -> bool {
        self.parts.is_empty()
    }
}

/// The parts of a path without those that say nothing.
fn plain_parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !matches!(*part, "" | ".")).collect()
}

fn matches(parts: &[Part], names: &[&str]) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((Part::Folders, rest)), _) => {
            matches(rest, names) || names.split_first().is_some_and(|(_, behind)| matches(parts, behind))
        }
        (Some((Part::Names(glob, _), rest)), Some((name, behind))) => {
            glob.is_match(name) && matches(rest, behind)
        }
        _ => false,
    }
}

/// Finds the files of several patterns. With `wait`, a path that leads nowhere yet is no fault.
///
/// # Errors
/// `Config` when a path without wildcards leads nowhere, or out of the folder that files may be in.
pub(crate) fn find(files: &Files, patterns: &[Pattern], wait: bool) -> Result<Finding, Error> {
    let mut walk = Walk { files, ways: Vec::new(), faults: Vec::new() };
    let mut missing = Vec::new();
    for pattern in patterns {
        // A glob may begin at the root folder itself.
        let start = files.resolve(if pattern.literal.is_empty() { "." } else { &pattern.literal })?;
        match std::fs::metadata(&start) {
            Ok(meta) if pattern.is_literal() && meta.is_dir() => {
                let message = format!("`{}` is a folder", pattern.literal);
                let help = format!("to read the files in it, write `{}/*`", pattern.literal);
                return Err(Error::config("file.is_folder", message).help(help));
            }
            Ok(meta) if pattern.is_literal() && !meta.is_file() => {
                return Err(fault::not_regular(&pattern.literal, &meta));
            }
            Ok(_) => walk.follow(&start, &pattern.literal, &pattern.parts, false, &mut HashSet::new()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if !wait {
                    let message = format!("`{}` does not exist", pattern.literal);
                    let help = format!("paths start at `{}`", files.root().display());
                    return Err(Error::config("file.not_found", message).help(help));
                }
                if !pattern.is_literal() {
                    missing.push(pattern.literal.clone());
                }
            }
            Err(error) => walk.faults.push(fault::io(&start, "look at", error)),
        }
    }
    Ok(Finding { missing, ..walk.finish() })
}

struct Walk<'a> {
    files: &'a Files,
    /// Files, and whether a link led to them.
    ways: Vec<(bool, Found)>,
    faults: Vec<Error>,
}

impl Walk<'_> {
    /// Follows the parts of a pattern from a path; `seen` holds the folders that `**` has been in, so that links in a circle
    /// end.
    fn follow(
        &mut self,
        path: &Path,
        name: &str,
        parts: &[Part],
        linked: bool,
        seen: &mut HashSet<(usize, (u64, u64))>,
    ) {
        let Some((part, rest)) = parts.split_first() else { return self.file(path, name, linked) };
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            // Something that is no folder has nothing in it.
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return,
            Err(error) => return self.faults.push(fault::io(path, "list", error)),
        };
        if let Part::Folders = part {
            match std::fs::metadata(path) {
                Ok(meta) if seen.insert((rest.len(), file_id::of(&meta))) => {}
                _ => return,
            }
            self.follow(path, name, rest, linked, seen);
        }
        let mut entries: Vec<_> = entries.flatten().collect();
        // Links last, so that a file is called by its own name where it has one here.
        let is_link = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        entries.sort_by_key(|entry| (is_link(entry), entry.file_name()));
        for entry in entries {
            let text = entry.file_name().to_string_lossy().into_owned();
            let below =
                if name.is_empty() { text.clone() } else { format!("{}/{text}", name.trim_end_matches('/')) };
            let linked = linked || is_link(&entry);
            match part {
                Part::Folders => {
                    if !text.starts_with('.') && entry.path().is_dir() {
                        self.follow(&entry.path(), &below, parts, linked, seen);
                    }
                }
                Part::Names(glob, hidden) => {
                    let shown = *hidden || !text.starts_with('.');
                    if shown && !is_side_file(&text) && glob.is_match(entry.file_name()) {
                        self.follow(&entry.path(), &below, rest, linked, seen);
                    }
                }
            }
        }
    }

    fn file(&mut self, path: &Path, name: &str, linked: bool) {
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_file() => {}
            Ok(meta) if meta.is_dir() => return,
            // Opening a pipe would wait for its writer.
            Ok(meta) => return self.faults.push(fault::not_regular(name, &meta)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return tracing::warn!(path = %path.display(), "a link leads nowhere, skipped");
            }
            Err(error) => return self.faults.push(fault::io(path, "look at", error)),
        }
        // Where files are confined, a link inside the root must not lead out of it.
        let inside = self.files.resolve(&path.to_string_lossy());
        match (std::fs::metadata(path), inside) {
            (Ok(meta), Ok(_)) => {
                let name = exact_name(path, name);
                let found = Found {
                    path: path.to_owned(),
                    name,
                    id: file_id::of(&meta),
                    length: meta.len(),
                    written: meta.modified().ok(),
                };
                self.ways.push((linked, found));
            }
            (Err(error), _) => self.faults.push(fault::io(path, "look at", error)),
            (_, Err(error)) => self.faults.push(error),
        }
    }

    /// One way to each file: without links before with, then the first by name.
    fn finish(self) -> Finding {
        let mut ways = self.ways;
        ways.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
        let mut taken: HashMap<(u64, u64), ()> = HashMap::new();
        let known = cfg!(unix);
        let mut files: Vec<Found> = ways
            .into_iter()
            .map(|(_, found)| found)
            .filter(|found| !known || taken.insert(found.id, ()).is_none())
            .collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files.dedup_by(|a, b| a.name == b.name);
        Finding { files, faults: self.faults, missing: Vec::new() }
    }
}

/// A name that two files never share, even if it is not Unicode (G12).
fn exact_name(path: &Path, name: &str) -> String {
    if path.to_str().is_some() {
        return name.to_owned();
    }
    format!("{name}#{:016x}", xxhash_rust::xxh3::xxh3_64(path.as_os_str().as_encoded_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(root: &Path, patterns: &[&str]) -> Vec<String> {
        let patterns: Vec<Pattern> = patterns.iter().map(|text| Pattern::new(text).unwrap()).collect();
        let finding = find(&Files::open(root), &patterns, false).unwrap();
        assert!(finding.faults.is_empty(), "{:?}", finding.faults);
        finding.files.into_iter().map(|found| found.name).collect()
    }

    /// Case 018: a file is what is read, a path only a way to it.
    #[cfg(unix)]
    #[test]
    fn each_file_is_found_once_whatever_leads_to_it() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        std::fs::create_dir_all(root.join("in/sub")).unwrap();
        std::fs::write(root.join("in/a.jsonl"), "1").unwrap();
        std::fs::write(root.join("in/sub/b.jsonl"), "2").unwrap();
        std::fs::write(root.join("in/sub/.hidden.jsonl"), "3").unwrap();
        symlink("a.jsonl", root.join("in/link.jsonl")).unwrap();
        symlink(".", root.join("in/loop")).unwrap();
        symlink("nowhere", root.join("in/gone.jsonl")).unwrap();
        std::fs::hard_link(root.join("in/a.jsonl"), root.join("in/z.jsonl")).unwrap();
        let both = ["in/a.jsonl", "in/sub/b.jsonl"];
        assert_eq!(names(root, &["in/*.jsonl", "in/**/*.jsonl"]), both);
        assert_eq!(names(root, &["**/*.jsonl"]), both);
        assert_eq!(names(root, &["./in/**/*", "in/link.jsonl"]), both);
        assert_eq!(names(root, &["in/link.jsonl"]), ["in/link.jsonl"]);
        assert_eq!(names(root, &["in/loop/loop/a*"]), ["in/loop/loop/a.jsonl"]);
        assert_eq!(names(root, &["in/{a,x}.[ji]sonl"]), ["in/a.jsonl"]);
        assert_eq!(names(root, &["in/sub/.*"]), ["in/sub/.hidden.jsonl"]);
        assert_eq!(names(root, &["in/*.csv"]), Vec::<String>::new());
        let absolute = format!("{}/in/*.jsonl", root.display());
        assert_eq!(names(root, &[&absolute]), [format!("{}/in/a.jsonl", root.display())]);
    }

    #[test]
    fn what_leads_nowhere_is_said() {
        let dir = tempfile::tempdir().unwrap();
        for (pattern, code) in
            [("no.csv", "file.not_found"), ("no/*.csv", "file.not_found"), ("sub", "file.is_folder")]
        {
            std::fs::create_dir_all(dir.path().join("sub")).unwrap();
            let patterns = [Pattern::new(pattern).unwrap()];
            let error = find(&Files::open(dir.path()), &patterns, false).unwrap_err();
            assert_eq!(error.code, code);
            assert_eq!(find(&Files::open(dir.path()), &patterns, true).is_ok(), code == "file.not_found");
        }
        assert!(Pattern::new("in/**").is_err());
        assert!(Pattern::new("in/[a").is_err());
    }

    #[test]
    fn a_pattern_leads_to_names_by_text() {
        for (pattern, name, leads) in [
            ("in/a.jsonl", "in/a.jsonl", true),
            ("./in//a.jsonl", "in/./a.jsonl", true),
            ("in/*.jsonl", "in/a.jsonl", true),
            ("in/**/*.jsonl", "in/x/y/a.jsonl", true),
            ("**/*", "a", true),
            ("in/*.jsonl", "in/x/a.jsonl", false),
            ("in/*.jsonl", "out/a.jsonl", false),
            ("/in/*", "in/a", false),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().leads_to(name), leads, "{pattern} {name}");
        }
    }

    /// A pipe has no place to go back to, and opening it would wait for somebody to write.
    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo").arg(dir.path().join("pipe.csv")).status().unwrap();
        assert!(made.success());
        let files = Files::open(dir.path());
        for (pattern, kind) in [("pipe.csv", "a pipe"), ("/dev/null", "a device")] {
            let error = find(&files, &[Pattern::new(pattern).unwrap()], false).unwrap_err();
            assert_eq!(error.code, "file.not_regular");
            assert!(error.message.contains(kind), "{}", error.message);
        }
        let finding = find(&files, &[Pattern::new("*.csv").unwrap()], true).unwrap();
        assert_eq!(finding.faults[0].code, "file.not_regular");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_confined_folder_are_faults() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("root")).unwrap();
        std::fs::write(dir.path().join("secret.csv"), "x").unwrap();
        std::os::unix::fs::symlink("../secret.csv", dir.path().join("root/link.csv")).unwrap();
        let files = Files::confined(dir.path().join("root"));
        let finding = find(&files, &[Pattern::new("*.csv").unwrap()], false).unwrap();
        assert!(finding.files.is_empty());
        assert_eq!(finding.faults[0].code, "file.outside_root");
    }
}
