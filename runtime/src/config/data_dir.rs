//! The folder that holds everything one Fairway remembers. One process at a time owns it.
//!
//! ```text
//! DATA/lock          held by the owner; its process id
//!      fairway.db    the services' database
//!      files/        where relative paths of file components start under `fairway serve`
//!      token         of the API, unless one was chosen
//!      secret.key    seals the secrets, unless a key was given
//! ```

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use etcetera::BaseStrategy;

use super::Error;

/// An owned data directory; another process may own it once this is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// Absent where the directory is shared.
    lock: Option<File>,
}

impl DataDir {
    /// The directory that is meant: the one asked for, else `FAIRWAY_DATA`, else the platform's own.
    ///
    /// # Errors
    /// `NoHome`.
    pub fn locate(asked: Option<PathBuf>) -> Result<PathBuf, Error> {
        let given =
            asked.or_else(|| env::var_os("FAIRWAY_DATA").filter(|data| !data.is_empty()).map(PathBuf::from));
        match given {
            Some(path) => Ok(path),
            None => {
                let strategy = etcetera::choose_base_strategy().map_err(|_| Error::NoHome)?;
                Ok(strategy.data_dir().join("fairway"))
            }
        }
    }

    /// Takes the directory over, creating what is missing.
    ///
    /// # Errors
    /// `InUse` when another process owns it; `File` when it cannot be used.
    pub fn open(path: PathBuf) -> Result<Self, Error> {
        create_private(&path).map_err(Error::file("create", &path))?;
        let lock_path = path.join("lock");
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock_path)
            .map_err(Error::file("open", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                // Where the lock keeps others from reading, the process stays unnamed.
                if lock.read_to_string(&mut pid).is_err() || pid.trim().is_empty() {
                    pid = "?".to_owned();
                }
                return Err(Error::InUse { path, pid: pid.trim().to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(Error::file("lock", lock_path)(error)),
        }
        lock.set_len(0)
            .and_then(|()| writeln!(lock, "{}", process::id()))
            .map_err(Error::file("write", &lock_path))?;
        Ok(Self { path, lock: Some(lock) })
    }

    /// Uses a directory without owning it, as the workers of a cluster on one machine do: they have the token and the folder of files in
    /// common, and keep nothing else there.
    ///
    /// # Errors
    /// `File` when it cannot be used.
    pub fn share(path: PathBuf) -> Result<Self, Error> {
        create_private(&path).map_err(Error::file("create", &path))?;
        Ok(Self { path, lock: None })
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The services' database.
    pub fn database(&self) -> PathBuf {
        self.path.join("fairway.db")
    }

    /// The folder of file components under `fairway serve`, created when missing.
    ///
    /// # Errors
    /// `File`.
    pub fn files(&self) -> Result<PathBuf, Error> {
        let files = self.path.join("files");
        fs::create_dir_all(&files).map_err(Error::file("create", &files))?;
        files.canonicalize().map_err(Error::file("find", &files))
    }

    /// The text kept in a file that only its owner may read; made by `new` when there is none.
    ///
    /// # Errors
    /// `File`.
    pub(super) fn kept(&self, name: &str, new: impl FnOnce() -> io::Result<String>) -> Result<String, Error> {
        // Of several that share it, one at a time.
        let _turn = match self.lock {
            Some(_) => None,
            None => {
                let path = self.path.join("shared.lock");
                let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
                let file = file.map_err(Error::file("open", &path))?;
                file.lock().map_err(Error::file("lock", &path))?;
                Some(file)
            }
        };
        let path = self.path.join(name);
        match fs::read_to_string(&path) {
            Ok(text) if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::file("read", path)(error)),
        }
        let text = new().map_err(Error::file("make", &path))?;
        write_private(&path, &text).map_err(Error::file("write", &path))?;
        Ok(text)
    }
}

/// Creates a folder that only its owner may enter.
fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file that only its owner may read: by rename, so that a crash leaves the old one or the new one.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_owner_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        let first = DataDir::open(path.clone()).unwrap();
        match DataDir::open(path.clone()) {
            Err(Error::InUse { pid, .. }) => assert_eq!(pid, process::id().to_string()),
            other => panic!("{other:?}"),
        }
        drop(first);
        DataDir::open(path).unwrap();
    }

    #[test]
    fn those_who_share_it_keep_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let tokens: Vec<String> = std::thread::scope(|scope| {
            let keep = |number: u32| {
                let path = dir.path().join("data");
                scope.spawn(move || DataDir::share(path).unwrap().kept("token", || Ok(number.to_string())))
            };
            let keeping: Vec<_> = (0..8).map(keep).collect();
            keeping.into_iter().map(|kept| kept.join().unwrap().unwrap()).collect()
        });
        assert!(tokens.iter().all(|token| *token == tokens[0]), "{tokens:?}");
    }

    #[test]
    fn what_is_kept_stays_and_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::open(dir.path().join("data")).unwrap();
        assert_eq!(data.kept("token", || Ok("one".into())).unwrap(), "one");
        assert_eq!(data.kept("token", || Ok("two".into())).unwrap(), "one");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(data.path().join("token")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
