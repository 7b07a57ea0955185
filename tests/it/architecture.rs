//! Guards the shape of the repository: which crate may know which, and how long a file may grow.
//!
//! The picture that these rules draw is in `ARCHITECTURE.md`. A new crate gets its line in [`ALLOWED`] together with
//! its place in that picture.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Crate, and the crates of the house that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("fairway-shared", &[]),
    ("fairway-engine", &["fairway-shared"]),
    ("fairway-transforms", &["fairway-shared", "fairway-engine"]),
    ("fairway-cluster", &["fairway-shared"]),
    ("fairway-kafka", &["fairway-shared", "fairway-engine"]),
    ("fairway-connector-kafka", &["fairway-shared", "fairway-engine", "fairway-kafka"]),
    ("fairway-connector-", &["fairway-shared", "fairway-engine"]),
    (
        "fairway-runtime",
        &[
            "fairway-shared",
            "fairway-engine",
            "fairway-cluster",
            "fairway-transforms",
            "fairway-kafka",
            "fairway-connector-",
        ],
    ),
    ("fairway-desktop", &["fairway-shared", "fairway-runtime"]),
    ("fairway-canvas", &["fairway-shared"]),
    ("fairway-designer", &["fairway-shared", "fairway-canvas"]),
    ("fairway-peers", &[]),
    ("xtask", &[]),
];

/// Foreign crate, and the only crates of the house that may name it outside their tests.
const KNOWN_BY: &[(&str, &[&str])] = &[
    ("axum", &["fairway-runtime", "fairway-connector-http"]),
    ("sqlx", &["fairway-runtime", "fairway-connector-sql"]),
    ("rdkafka", &["fairway-kafka", "fairway-peers"]),
    ("tauri", &["fairway-desktop"]),
    ("leptos", &["fairway-designer"]),
    ("web-sys", &["fairway-designer"]),
    ("wasm-bindgen-cli-support", &["xtask"]),
];

/// Crates that hold rules only: no runtime, no input or output.
const PURE: &[&str] = &["fairway-shared", "fairway-canvas", "fairway-cluster"];

/// Lines that no Rust file may exceed.
const LONGEST: usize = 600;

/// Lines that half of the Rust files must not exceed.
const MEDIAN: usize = 200;

/// One arrow between crates.
#[derive(Debug)]
struct Arrow {
    from: String,
    to: String,
    dev: bool,
}

#[test]
fn crates_of_the_house_know_only_those_below_them() {
    let arrows = arrows();
    assert!(arrows.iter().any(|arrow| arrow.to == "fairway-shared"), "the arrows were not read");
    let wrong: Vec<String> = arrows
        .iter()
        .filter(|arrow| is_house(&arrow.to))
        // A test kit is a crate's own features, asked for by its own tests; any test may need a real peer, and how much it is
        // to do is said by the engine's test kit.
        .filter(|arrow| {
            let for_tests = [arrow.from.as_str(), "fairway-peers", "fairway-engine"];
            !(arrow.dev && for_tests.contains(&arrow.to.as_str()))
        })
        .filter(|arrow| !allowed(&arrow.from).iter().any(|name| covers(name, &arrow.to)))
        .map(|arrow| format!("{} -> {}", arrow.from, arrow.to))
        .collect();
    assert!(wrong.is_empty(), "arrows that ARCHITECTURE.md does not draw: {wrong:?}");
}

#[test]
fn foreign_crates_stay_in_their_rooms() {
    let arrows = arrows();
    for (foreign, homes) in KNOWN_BY {
        let strangers: BTreeSet<&str> = arrows
            .iter()
            .filter(|arrow| arrow.to == *foreign && !arrow.dev && !homes.contains(&arrow.from.as_str()))
            .map(|arrow| arrow.from.as_str())
            .collect();
        assert!(strangers.is_empty(), "only {homes:?} may know {foreign}, but {strangers:?} do");
    }
}

#[test]
fn pure_crates_bring_no_runtime_along() {
    for package in PURE {
        let args = ["tree", "--locked", "--offline", "-e", "normal", "--prefix", "none", "-p", package];
        let tree = cargo(&args);
        assert!(tree.starts_with(package), "cargo tree printed: {tree}");
        let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
        for banned in ["tokio", "async-std", "reqwest", "hyper", "chrono", "rand", "uuid"] {
            assert!(!names.contains(banned), "{package} brings {banned} along");
        }
    }
}

#[test]
fn no_banned_crate_is_built() {
    let args = ["tree", "--locked", "--offline", "--workspace", "--target", "all", "-e", "normal,build"];
    let tree = cargo(&[&args[..], &["--prefix", "none"]].concat());
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains("serde"), "the tree was not read");
    // A second cryptographic provider beside aws-lc makes rustls panic when it has to choose. OpenSSL comes with the
    // Kafka client, which knows no other TLS, and with nothing else.
    for banned in ["ring", "native-tls"] {
        assert!(!names.contains(banned), "{banned} came back, see `cargo tree -i {banned}`");
    }
    let openssl =
        cargo(&["tree", "--locked", "--offline", "--workspace", "-i", "openssl-sys", "--prefix", "none"]);
    let through = openssl.lines().nth(1).unwrap_or_default();
    assert!(through.starts_with("rdkafka-sys "), "OpenSSL came in by {through}");
}

#[test]
fn files_stay_short() {
    let mut sizes = Vec::new();
    for folder in ["designer", "runtime", "shared", "tests", "xtask"] {
        rust_files(&root().join(folder), &mut sizes);
    }
    assert!(sizes.len() > 10, "only {} files were found", sizes.len());
    let long: Vec<_> = sizes.iter().filter(|(lines, _)| *lines > LONGEST).collect();
    assert!(long.is_empty(), "split these by what they are about: {long:?}");
    sizes.sort();
    let (median, _) = sizes[sizes.len() / 2];
    assert!(median <= MEDIAN, "half of the files have more than {median} lines");
}

fn allowed(from: &str) -> &'static [&'static str] {
    let entry = ALLOWED.iter().find(|(name, _)| covers(name, from));
    entry.map(|(_, to)| *to).unwrap_or_else(|| panic!("{from} has no line in ALLOWED"))
}

/// A name that ends in a hyphen stands for every crate that begins with it.
fn covers(name: &str, package: &str) -> bool {
    if name.ends_with('-') { package.starts_with(name) } else { package == name }
}

fn is_house(package: &str) -> bool {
    package.starts_with("fairway-") || package == "xtask"
}

fn arrows() -> Vec<Arrow> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--no-deps", "--format-version", "1"])).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let of = |package: &Value| -> Vec<Arrow> {
        let from = package["name"].as_str().unwrap();
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        dependencies
            .map(|dependency| Arrow {
                from: from.to_owned(),
                to: dependency["name"].as_str().unwrap().to_owned(),
                dev: dependency["kind"] == "dev",
            })
            .collect()
    };
    packages.iter().flat_map(of).collect()
}

fn cargo(args: &[&str]) -> String {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let output = command.current_dir(root()).args(args).output().unwrap();
    assert!(output.status.success(), "cargo {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Collects the number of lines and the path of each Rust file.
fn rust_files(folder: &Path, found: &mut Vec<(usize, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "dist", "node_modules"].contains(&name.as_str()) {
            rust_files(&path, found);
        } else if name.ends_with(".rs") {
            found.push((fs::read_to_string(&path).unwrap().lines().count(), path));
        }
    }
}
