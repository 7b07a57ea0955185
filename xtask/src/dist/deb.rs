//! The Debian package of the desktop app: both binaries, their entry in menus, and channel documents that open with a
//! double click.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::house::{House, VERSION};

/// Name of the app for the desktop: its entry, icon and type of document are called so.
const APP: &str = "org.fairway.desktop";

/// A file of the package: where it goes, where it comes from, its mode.
struct Piece {
    to: String,
    from: PathBuf,
    mode: u32,
}

/// Makes the package in `dist`, and answers where it is.
pub(super) fn make(house: &House, binaries: &[PathBuf], dist: &Path) -> Result<PathBuf> {
    let architecture = architecture()?;
    let pieces = pieces(house, binaries)?;
    let bytes: u64 = pieces.iter().map(|piece| fs::metadata(&piece.from).map_or(0, |meta| meta.len())).sum();
    let control = control(architecture, &depends(binaries)?, bytes.div_ceil(1024));
    let package = dist.join(format!("fairway_{VERSION}_{architecture}.deb"));
    write(&package, &control, &pieces)?;
    Ok(package)
}

fn architecture() -> Result<&'static str> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => bail!("no Debian architecture is known for {other}"),
    }
}

fn pieces(house: &House, binaries: &[PathBuf]) -> Result<Vec<Piece>> {
    let assets = house.root.join("assets");
    let mut pieces = Vec::new();
    for binary in binaries {
        let name = binary.file_name().context("a binary has a name")?.to_string_lossy();
        pieces.push(Piece { to: format!("usr/bin/{name}"), from: binary.clone(), mode: 0o755 });
    }
    let mut plain = |to: String, from: PathBuf| pieces.push(Piece { to, from, mode: 0o644 });
    plain(format!("usr/share/applications/{APP}.desktop"), assets.join(format!("desktop/{APP}.desktop")));
    plain(format!("usr/share/mime/packages/{APP}.xml"), assets.join(format!("desktop/{APP}.xml")));
    for (size, file) in [("32x32", "icon-32.png"), ("128x128", "icon-128.png"), ("512x512", "icon.png")] {
        plain(format!("usr/share/icons/hicolor/{size}/apps/{APP}.png"), assets.join("icons").join(file));
    }
    for text in super::TEXTS {
        plain(format!("usr/share/doc/fairway/{text}"), house.root.join(text));
    }
    for piece in &pieces {
        ensure!(piece.from.is_file(), "{} is missing", piece.from.display());
    }
    Ok(pieces)
}

fn control(architecture: &str, depends: &str, kibibytes: u64) -> String {
    format!(
        "Package: fairway\nVersion: {VERSION}\nArchitecture: {architecture}\nMaintainer: The Fairway project\n\
         Installed-Size: {kibibytes}\nDepends: {depends}\nSection: devel\nPriority: optional\n\
         Description: visual integration platform\n \
         Draw data channels from many sources to many targets, deploy them, watch them run.\n"
    )
}

/// The packages whose libraries the binaries ask for: what this machine has them from.
fn depends(binaries: &[PathBuf]) -> Result<String> {
    let known = said(Command::new("/sbin/ldconfig").arg("-p"))?;
    let mut packages = BTreeSet::new();
    for binary in binaries {
        let asked = said(Command::new("objdump").arg("-p").arg(binary))?;
        for library in asked.lines().filter_map(|line| line.trim().strip_prefix("NEEDED")).map(str::trim) {
            let path = place(&known, library).with_context(|| format!("{library} is not installed"))?;
            packages.insert(package_of(path)?);
        }
    }
    Ok(packages.into_iter().collect::<Vec<_>>().join(", "))
}

/// Where the list of `ldconfig -p` has a library.
fn place<'l>(known: &'l str, library: &str) -> Option<&'l str> {
    let line = known.lines().find(|line| line.trim().split(' ').next() == Some(library))?;
    line.split_once("=> ").map(|(_, path)| path.trim())
}

fn package_of(path: &str) -> Result<String> {
    // Debian knows files below /usr; what was /lib is a link to there.
    let real = fs::canonicalize(path).with_context(|| format!("{path} is not there"))?;
    let real = real.display().to_string();
    let unmerged = real.strip_prefix("/usr").unwrap_or(&real).to_owned();
    let found =
        [real.as_str(), &unmerged].iter().find_map(|path| said(Command::new("dpkg").args(["-S", path])).ok());
    let found = found.with_context(|| format!("no package has {path}"))?;
    Ok(found.split(':').next().unwrap_or_default().to_owned())
}

fn said(command: &mut Command) -> Result<String> {
    let output =
        command.output().with_context(|| format!("{} cannot be started", command.get_program().display()))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The parts in the order that dpkg wants; no times and no owners, so that the same content packs to the same bytes.
fn write(package: &Path, control: &str, pieces: &[Piece]) -> Result<()> {
    let mut sums = String::new();
    for piece in pieces {
        let content = fs::read(&piece.from)?;
        let sum: String = md5(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(sums, "{sum}  {}", piece.to)?;
    }
    let head = packed(|tar| {
        append(tar, "control", control.as_bytes(), 0o644)?;
        append(tar, "md5sums", sums.as_bytes(), 0o644)
    })?;
    let data = packed(|tar| {
        let mut folders = BTreeSet::new();
        for piece in pieces {
            for folder in
                Path::new(&piece.to).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty())
            {
                folders.insert(folder.to_owned());
            }
        }
        for folder in folders {
            let mut header = header(0, 0o755);
            header.set_entry_type(tar::EntryType::Directory);
            tar.append_data(&mut header, format!("./{}/", folder.display()), std::io::empty())?;
        }
        pieces.iter().try_for_each(|piece| append(tar, &piece.to, &fs::read(&piece.from)?, piece.mode))
    })?;
    let mut archive = ar::Builder::new(
        File::create(package).with_context(|| format!("cannot create {}", package.display()))?,
    );
    for (name, content) in
        [("debian-binary", &b"2.0\n"[..]), ("control.tar.gz", &head), ("data.tar.gz", &data)]
    {
        let mut header = ar::Header::new(name.into(), content.len() as u64);
        header.set_mode(0o100_644);
        archive.append(&header, content)?;
    }
    archive.into_inner()?.sync_all()?;
    Ok(())
}

type Tar = tar::Builder<GzEncoder<Vec<u8>>>;

fn packed(fill: impl FnOnce(&mut Tar) -> Result<()>) -> Result<Vec<u8>> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    fill(&mut tar)?;
    Ok(tar.into_inner()?.finish()?)
}

fn header(size: u64, mode: u32) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(mode);
    header
}

fn append(tar: &mut Tar, to: &str, content: &[u8], mode: u32) -> Result<()> {
    tar.append_data(&mut header(content.len() as u64, mode), format!("./{to}"), content)?;
    Ok(())
}

fn md5(content: &[u8]) -> [u8; 16] {
    use md5::{Digest as _, Md5};
    Md5::digest(content).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_one_that_dpkg_reads() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("fairway");
        fs::write(&from, "#!/bin/sh\n").unwrap();
        let pieces = [Piece { to: "usr/bin/fairway".into(), from, mode: 0o755 }];
        let package = folder.path().join("a.deb");
        write(&package, &control("amd64", "libc6", 1), &pieces).unwrap();
        let Ok(shown) = Command::new("dpkg-deb").arg("--info").arg(&package).output() else {
            return println!("SKIPPED: dpkg-deb is not installed");
        };
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("Package: fairway") && shown.contains("Depends: libc6"), "{shown}");
        let out = folder.path().join("out");
        let taken = Command::new("dpkg-deb").arg("-x").arg(&package).arg(&out).status().unwrap();
        assert!(taken.success());
        assert_eq!(fs::read_to_string(out.join("usr/bin/fairway")).unwrap(), "#!/bin/sh\n");
    }

    #[test]
    fn a_library_is_found_by_its_whole_name() {
        let known = "2 libs found\n\tlibssl.so.3 (libc6,x86-64) => /lib/libssl.so.3\n\tlibssl.so (libc6,x86-64) => /lib/libssl.so\n";
        assert_eq!(place(known, "libssl.so"), Some("/lib/libssl.so"));
        assert_eq!(place(known, "libssl"), None);
    }
}
