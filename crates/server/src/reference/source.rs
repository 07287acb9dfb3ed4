//! The files that an operator names: one file, or a folder of files that belong together; `.gz` is opened on the way.
//!
//! How far the reading is counts in bytes as they lie on the disk, whatever comes out of them.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

/// Files of a folder at the most.
const MOST_FILES: usize = 100;

/// The files of a request.
pub struct Files<'p> {
    paths: Vec<PathBuf>,
    total: u64,
    done: Rc<Cell<u64>>,
    progress: &'p dyn Fn(u64, u64),
}

impl<'p> Files<'p> {
    /// The file at `path`, or the files of the folder there, by name.
    ///
    /// # Errors
    /// A sentence that names the path.
    pub fn at(path: &Path, progress: &'p dyn Fn(u64, u64)) -> Result<Self, String> {
        let unreadable = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
        let about = path.metadata().map_err(unreadable)?;
        let mut paths = Vec::new();
        if about.is_dir() {
            for entry in path.read_dir().map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?.path();
                if entry.is_file() {
                    paths.push(entry);
                }
                if paths.len() > MOST_FILES {
                    return Err(format!("{} holds more than {MOST_FILES} files", path.display()));
                }
            }
            paths.sort();
        } else {
            paths.push(path.to_owned());
        }
        Ok(Self { paths, total: 0, done: Rc::default(), progress })
    }

    /// The name of each file in lower case, without `.gz`.
    pub fn names(&self) -> Vec<String> {
        self.paths.iter().map(|path| name(path)).collect()
    }

    /// Opens the files whose names `wanted` takes. To be called once for all that will be read.
    ///
    /// # Errors
    /// A sentence that names the path.
    pub fn open(&mut self, wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, Input<'p>)>, String> {
        let mut opened = Vec::new();
        for path in self.paths.iter().filter(|path| wanted(&name(path))) {
            let unreadable = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
            let file = File::open(path).map_err(unreadable)?;
            self.total += file.metadata().map_err(unreadable)?.len();
            opened.push((path, file));
        }
        let input = |(path, file): (&PathBuf, File)| {
            let counted =
                Counted { file, done: Rc::clone(&self.done), total: self.total, progress: self.progress };
            let plain = BufReader::with_capacity(1 << 16, counted);
            let zipped = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
            (name(path), if zipped { Input::Zipped(MultiGzDecoder::new(plain)) } else { Input::Plain(plain) })
        };
        Ok(opened.into_iter().map(input).collect())
    }
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).to_owned()
}

/// A file that is being read.
pub enum Input<'p> {
    /// as it lies there
    Plain(BufReader<Counted<'p>>),
    /// through gzip
    Zipped(MultiGzDecoder<BufReader<Counted<'p>>>),
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(buffer),
            Self::Zipped(reader) => reader.read(buffer),
        }
    }
}

/// Counts what is read from a disk.
pub struct Counted<'p> {
    file: File,
    done: Rc<Cell<u64>>,
    total: u64,
    progress: &'p dyn Fn(u64, u64),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.done.set(self.done.get() + read as u64);
        (self.progress)(self.done.get(), self.total);
        Ok(read)
    }
}
