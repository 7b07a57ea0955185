//! Makes cargo notice a new bundle of the designer: a release binary holds it inside. A debug build reads the folder
//! when it runs and need not be built again.

use std::env;
use std::fs;
use std::path::Path;

/// Where `cargo xtask bundle` writes.
const BUNDLE: &str = "../designer/dist";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        // A folder that is missing would count as changed at every build.
        if !Path::new(BUNDLE).exists() {
            fs::create_dir_all(BUNDLE).expect("the checkout can be written to");
        }
        println!("cargo::rerun-if-changed={BUNDLE}");
    }
}
