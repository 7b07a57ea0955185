//! A disk that is soon full.

use std::path::Path;
use std::process::Command;

/// A small disk of a folder's own; gone with this.
#[derive(Debug)]
pub struct SmallDisk<'p>(&'p Path);

impl<'p> SmallDisk<'p> {
    /// Mounts one of so many KiB, and makes the folder. `None` where this user may not mount one; the test then says that
    /// it was skipped, and why.
    #[must_use]
    pub fn mount(at: &'p Path, kib: u32) -> Option<Self> {
        let size = format!("size={kib}k");
        let mounted =
            std::fs::create_dir_all(at).is_ok() && run("mount", &["-t", "tmpfs", "-o", &size, "none"], at);
        if !mounted {
            println!("SKIPPED: no file system can be mounted here");
        }
        mounted.then_some(Self(at))
    }

    /// Makes room; answers whether that could be done.
    #[must_use]
    pub fn grow(&self) -> bool {
        run("mount", &["-o", "remount,size=32m"], self.0)
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        run("umount", &["--lazy"], self.0);
    }
}

fn run(program: &str, arguments: &[&str], at: &Path) -> bool {
    Command::new(program).args(arguments).arg(at).output().is_ok_and(|output| output.status.success())
}
