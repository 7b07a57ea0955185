//! Files: all of them below a folder, copied, and measured as they lie and as they travel.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

/// All files below a folder, sorted by path; none if the folder is missing.
pub(crate) fn walk(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(walk(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Copies a file into a folder, under its own name.
pub(crate) fn copy(from: &Path, folder: &Path) -> Result<()> {
    let name = from.file_name().with_context(|| format!("{} is no file", from.display()))?;
    fs::copy(from, folder.join(name)).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

/// Bytes of a file as it lies, and after gzip at its default level (what the runtime sends).
#[derive(Default)]
pub(crate) struct Size {
    pub(crate) raw: u64,
    pub(crate) gzip: u64,
}

impl Size {
    pub(crate) fn add(&mut self, other: &Self) {
        self.raw += other.raw;
        self.gzip += other.gzip;
    }
}

/// Measures one file.
pub(crate) fn measure(path: &Path) -> Result<Size> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes)?;
    Ok(Size { raw: bytes.len() as u64, gzip: encoder.finish()?.len() as u64 })
}

/// Bytes in the unit a person reads: `812 B`, `40.2 KB`, `11.8 MB` (powers of 1000).
pub(crate) fn human(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} KB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::human;

    #[test]
    fn units_change_at_powers_of_a_thousand() {
        for (bytes, text) in
            [(0, "0 B"), (999, "999 B"), (1_000, "1.0 KB"), (40_260, "40.2 KB"), (11_850_000, "11.8 MB")]
        {
            assert_eq!(human(bytes), text);
        }
    }
}
