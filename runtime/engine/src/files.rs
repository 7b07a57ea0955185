//! Where file components may read and write. Relative paths start at the root; when confined, no path leaves it, by
//! `..`, absolute path or symbolic link.

use std::path::{Component, Path, PathBuf};

use crate::error::Error;

/// The folder that relative paths start from.
#[derive(Debug, Clone)]
pub struct Files {
    root: PathBuf,
    confined: bool,
}

impl Files {
    /// Paths start at `root` and may leave it (`fairway run`).
    pub fn open(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), confined: false }
    }

    /// Paths start at `root` and must stay inside (`fairway serve`). A relative `root` is one of the present directory,
    /// for good: `.` and `..` have no text that a path could be compared with.
    pub fn confined(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let from_here = if root.as_os_str().is_empty() { Path::new(".") } else { &root };
        let absolute = std::path::absolute(from_here).unwrap_or(root);
        Self { root: normal(&real(&absolute)), confined: true }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path that a component means.
    ///
    /// # Errors
    /// `file.outside_root` when confined and the path, or what its existing part links to, is outside.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, Error> {
        if path.is_empty() || path.contains('\0') {
            return Err(Error::config("file.bad_path", format!("{path:?} is not a path")).help("name a file"));
        }
        let joined = self.root.join(path);
        if !self.confined {
            return Ok(joined);
        }
        let clean = normal(&joined);
        let root = real(&self.root);
        let leads_to = followed(&clean).map(|path| real(&path));
        // Every path starts with an empty one: what is no whole path confines nothing.
        if root.is_absolute() && leads_to.is_some_and(|path| path.starts_with(&root)) {
            return Ok(clean);
        }
        Err(Error::config(
            "file.outside_root",
            format!("`{path}` is outside the folder that files may be in"),
        )
        .help(format!("use a path below `{}`", self.root.display())))
    }
}

/// Removes `.` and `..` by text, without asking the file system.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// Follows every link on the way, also one to something that is not there yet: whoever creates a file by such a link creates
/// it there. `None` where there are more links than any system follows.
fn followed(path: &Path) -> Option<PathBuf> {
    const MOST_LINKS: usize = 40;
    let parts = |path: &Path| -> Vec<PathBuf> {
        path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
    };
    // No part of `out` is a link, so that `..` behind it is its parent.
    let (mut out, mut left, mut links) = (PathBuf::new(), parts(path), 0);
    while let Some(part) = left.pop() {
        match part.components().next() {
            Some(Component::ParentDir) => {
                out.pop();
                continue;
            }
            Some(Component::CurDir) | None => continue,
            Some(_) => {}
        }
        let there = out.join(&part);
        match std::fs::read_link(&there) {
            Ok(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return None;
                }
                left.extend(parts(&target));
            }
            Err(_) => out = there,
        }
    }
    Some(out)
}

/// Follows links of the longest part that exists.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut head = path;
    loop {
        if let Ok(found) = head.canonicalize() {
            return rest.iter().rev().fold(found, |path, name| path.join(name));
        }
        match (head.parent(), head.file_name()) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                head = parent;
            }
            _ => return path.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_root_confines_as_well() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        for (root, means) in
            [(".", here.clone()), ("", here.clone()), ("..", here.parent().unwrap().to_owned())]
        {
            let files = Files::confined(root);
            assert_eq!(files.root(), means, "{root:?}");
            assert_eq!(files.resolve("in/a.csv").unwrap(), means.join("in/a.csv"), "{root:?}");
            assert_eq!(files.resolve(".").unwrap(), means, "{root:?}");
            for bad in ["/etc/passwd", "../a.csv", "in/../../x"] {
                assert!(files.resolve(bad).is_err(), "{root:?}: {bad}");
            }
        }
    }

    /// A link to what is not there yet counts as where it leads: opening it would create a file there.
    #[cfg(unix)]
    #[test]
    fn links_to_what_is_not_there_stay_inside() {
        use std::os::unix::fs::symlink;
        let dir = std::env::temp_dir().join(format!("fairway-links-{}", std::process::id()));
        let root = dir.join("root");
        std::fs::create_dir_all(root.join("in/deep")).unwrap();
        std::fs::create_dir_all(dir.join("out")).unwrap();
        let link = |target: &str, name: &str| {
            symlink(target.replace('$', dir.to_str().unwrap()), root.join(name)).unwrap();
        };
        for (name, target) in [
            ("out.jsonl", "$/out/new.jsonl"),
            ("up.jsonl", "../out/new.jsonl"),
            ("chain.jsonl", "next.jsonl"),
            ("next.jsonl", "in/last.jsonl"),
            ("in/last.jsonl", "deep/../../../new.jsonl"),
            ("folder", "../out/new"),
            ("circle", "other"),
            ("other", "circle"),
            // By text it would be `root/in/new.jsonl`.
            ("away", "$/out"),
            ("in/by_link.jsonl", "../away/../new.jsonl"),
            ("beside.jsonl", "$/root.jsonl"),
        ] {
            link(target, name);
        }
        let files = Files::confined(&root);
        for bad in [
            "out.jsonl",
            "up.jsonl",
            "chain.jsonl",
            "next.jsonl",
            "in/last.jsonl",
            "folder/a.csv",
            "circle",
            "in/by_link.jsonl",
            "beside.jsonl",
        ] {
            let error = files.resolve(bad).unwrap_err();
            assert_eq!(error.code, "file.outside_root", "{bad}");
            assert!(Files::open(&root).resolve(bad).is_ok(), "{bad}");
        }
        for (name, target) in [
            ("good.jsonl", "in/new.jsonl"),
            ("absolute.jsonl", "$/root/in/new.jsonl"),
            ("in/back.jsonl", "../new.jsonl"),
            ("to_good.jsonl", "good.jsonl"),
        ] {
            link(target, name);
            assert_eq!(files.resolve(name).unwrap(), files.root().join(name), "{name}");
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn confined_paths_stay_inside() {
        let dir = std::env::temp_dir().join(format!("fairway-files-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("root/in")).unwrap();
        std::fs::create_dir_all(dir.join("out")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(dir.join("out"), dir.join("root/link")).unwrap();
        let files = Files::confined(dir.join("root"));
        for good in ["a.csv", "in/a.csv", "in/../b.csv", "new/deep/c.csv", "in/*.csv"] {
            assert!(files.resolve(good).is_ok(), "{good}");
        }
        for bad in ["../a.csv", "/etc/passwd", "in/../../x", "link/x.csv", "", "a\0b"] {
            assert!(files.resolve(bad).is_err(), "{bad}");
        }
        assert!(Files::open(dir.join("root")).resolve("../a.csv").is_ok());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
