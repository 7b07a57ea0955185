//! Files that are written from the code and committed: with `UPDATE=1` they are written, otherwise compared.

use std::path::PathBuf;

/// A path from the root of the repository.
pub(crate) fn root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// What is committed at a path; nothing where the file is new.
pub(crate) fn committed(path: &str) -> Option<String> {
    std::fs::read_to_string(root(path)).ok()
}

/// Compares or writes a generated file.
pub(crate) fn check(path: &str, expected: &str) {
    if std::env::var_os("UPDATE").is_some() {
        let file = root(path);
        std::fs::create_dir_all(file.parent().expect("a file lies in a folder")).unwrap();
        std::fs::write(file, expected).unwrap();
    } else {
        let found = committed(path).unwrap_or_default();
        assert!(
            found == expected,
            "{path} is not what the code says; run the tests with UPDATE=1 and commit it"
        );
    }
}
