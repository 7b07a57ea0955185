//! `cargo xtask bundle`: the designer as the browser loads it, in `designer/dist`.
//!
//! ```text
//! designer/dist/index.html       the page; carries the stamp of everything it was made from
//!               assets/          script, WebAssembly and styles: a name holds the hash of its content,
//!                                so a browser may keep these files for ever
//!               icons/ fonts/    copied from the repository's assets
//! ```
//!
//! `inputs.rs` reads what goes in, `page.rs` fills the page's template. wasm-bindgen runs as a library, so that
//! the lock file keeps it equal to the crate the designer was compiled against, and nothing needs installing.
//! wasm-opt is left out: it gains one per cent, and some of its versions break the module without an error.

mod inputs;
mod page;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Args;
use wasm_bindgen_cli_support::Bindgen;

use self::inputs::Inputs;
use crate::files::Size;
use crate::house::{House, WASM};
use crate::setup::{self, Purpose};
use crate::{files, step};

/// How the designer is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Unoptimised: quickest to build, and it shares the procedural macros of an ordinary debug build.
    Debug,
    /// Small and fast: what users get.
    Release,
}

impl Build {
    /// Cargo's profile, and the folder of the target directory that it writes to.
    fn profile(self) -> (&'static str, &'static str) {
        match self {
            Self::Debug => ("dev", "debug"),
            Self::Release => ("wasm-release", "wasm-release"),
        }
    }
}

#[derive(Args)]
pub(crate) struct Options {
    /// Build it quickly instead of small.
    #[arg(long)]
    debug: bool,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    setup::prepare(Purpose::Run)?;
    let build = if options.debug { Build::Debug } else { Build::Release };
    bundle(house, build).map(|_| ())
}

/// Builds the designer and writes the bundle, unless it is there already. Returns its stamp.
pub(crate) fn bundle(house: &House, build: Build) -> Result<String> {
    let (profile, folder) = build.profile();
    let package = ["build", "-p", "fairway-designer", "--target", WASM, "--profile", profile];
    step::must(&mut house.cargo(package))?;
    let wasm = house.target.join(WASM).join(folder).join("fairway-designer.wasm");
    let inputs = Inputs::read(&house.root, &wasm)?;
    let stamp = inputs.stamp();
    let dist = house.bundle();
    if page::stamp_of(&dist.join("index.html")).as_deref() == Some(stamp.as_str()) {
        eprintln!("the bundle is up to date ({stamp})");
        return Ok(stamp);
    }
    write(&inputs, &stamp, &dist)?;
    report(&dist)?;
    Ok(stamp)
}

/// Writes everything; the page last, so that a bundle cut short has no stamp and is made again.
fn write(inputs: &Inputs, stamp: &str, dist: &Path) -> Result<()> {
    if dist.exists() {
        fs::remove_dir_all(dist).with_context(|| format!("cannot empty {}", dist.display()))?;
    }
    let assets = dist.join("assets");
    fs::create_dir_all(&assets).with_context(|| format!("cannot create {}", assets.display()))?;

    let name = format!("designer-{}", inputs.wasm_hash());
    Bindgen::new()
        .input_bytes(&name, inputs.wasm.clone())
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&assets)
        .context("wasm-bindgen failed")?;

    let names = page::Names::new(inputs, &name);
    fs::write(assets.join(&names.styles), &inputs.styles)?;
    fs::write(assets.join(&names.loader), names.fill(&inputs.loader))?;
    for (path, bytes) in &inputs.files {
        let path = dist.join(path);
        fs::create_dir_all(path.parent().unwrap_or(dist))?;
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    fs::write(dist.join("index.html"), names.fill(&inputs.page).replace("{{stamp}}", stamp))?;
    Ok(())
}

/// Prints what a browser fetches: the page and `assets/` file by file, the rest by folder.
fn report(dist: &Path) -> Result<()> {
    let mut rows: BTreeMap<String, Size> = BTreeMap::new();
    let mut total = Size::default();
    for file in files::walk(dist)? {
        let size = files::measure(&file)?;
        let path = file.strip_prefix(dist).unwrap_or(&file);
        let name = match path.iter().next() {
            Some(folder) if path.iter().count() > 1 && folder != "assets" => format!("{}/", folder.display()),
            _ => path.display().to_string(),
        };
        rows.entry(name).or_default().add(&size);
        total.add(&size);
    }
    for (name, size) in rows.iter().chain([(&"all".to_owned(), &total)]) {
        eprintln!("  {name:<48} {:>10}   gzip {:>10}", files::human(size.raw), files::human(size.gzip));
    }
    Ok(())
}
