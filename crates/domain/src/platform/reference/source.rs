//! The files that an operator names: one file, a folder of files that belong together, or a zip file of them; `.gz` is
//! decompressed.
//!
//! Progress is counted in bytes on disk, whatever their uncompressed size.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;

use super::Request;

/// Maximum files of a folder or zip file.
const MOST_FILES: usize = 100;
/// Maximum uncompressed bytes of a file in a zip file.
const LARGEST: u64 = 4 << 30;

/// The text of a request's only file, with a maximum size.
///
/// # Errors
/// A sentence that names the file.
pub fn text_file(request: &Request<'_>, most: u64) -> Result<String, String> {
    let mut files = Files::at_path(request.path, request.progress)?.open_matching(|_| true)?;
    let (1, Some((name, file))) = (files.len(), files.pop()) else {
        return Err("name one file, not a folder of several".to_owned());
    };
    let mut bytes = Vec::new();
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("{name} cannot be read: {error}"))?;
    if bytes.len() as u64 > most {
        return Err(format!("{name} is larger than {} MB", most >> 20));
    }
    String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text"))
}

/// The files of a request.
pub struct Files<'p> {
    sources: Vec<Source>,
    total: u64,
    done: Rc<Cell<u64>>,
    progress: &'p dyn Fn(u64, u64),
}

/// The location of a file.
struct Source {
    path: PathBuf,
    /// its index and name in the zip file at `path`
    entry: Option<(usize, String)>,
}

impl<'p> Files<'p> {
    /// The file at `path`, or the files of the folder or zip file there, by name.
    ///
    /// # Errors
    /// A sentence that names the path.
    pub fn at_path(path: &Path, progress: &'p dyn Fn(u64, u64)) -> Result<Self, String> {
        let unreadable = |error: std::io::Error| unreadable_message(path, &error);
        let mut sources = Vec::new();
        if path.metadata().map_err(unreadable)?.is_dir() {
            for entry in path.read_dir().map_err(unreadable)? {
                let path = entry.map_err(unreadable)?.path();
                if path.is_file() {
                    sources.push(Source { path, entry: None });
                }
            }
            sources.sort_by(|a, b| a.path.cmp(&b.path));
        } else if has_extension(path, "zip") {
            let archive = open_archive(path)?;
            for (place, name) in archive.file_names().enumerate() {
                let name = name.map_err(|error| format!("{}: {error}", path.display()))?;
                if !name.ends_with('/') {
                    sources.push(Source { path: path.to_owned(), entry: Some((place, name.into_owned())) });
                }
            }
        } else {
            sources.push(Source { path: path.to_owned(), entry: None });
        }
        if sources.len() > MOST_FILES {
            return Err(format!("{} contains more than {MOST_FILES} files", path.display()));
        }
        Ok(Self { sources, total: 0, done: Rc::default(), progress })
    }

    /// The name of each file in lower case, without folder and `.gz`.
    pub fn file_names(&self) -> Vec<String> {
        self.sources.iter().map(Source::name).collect()
    }

    /// Opens the files whose names `wanted` accepts. Call it once for all that will be read.
    ///
    /// # Errors
    /// A sentence that names the path.
    pub fn open_matching(
        &mut self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, Input<'p>)>, String> {
        let mut opened = Vec::new();
        for source in self.sources.iter().filter(|source| wanted(&source.name())) {
            let file = source.open()?;
            self.total += file.metadata().map_err(|error| unreadable_message(&source.path, &error))?.len();
            opened.push((source.name(), source.is_gzip(), file));
        }
        let input = |(name, gzip, file): (String, bool, File)| {
            let counted =
                Counted { file, done: Rc::clone(&self.done), total: self.total, progress: self.progress };
            let plain = BufReader::with_capacity(1 << 16, counted);
            (
                name,
                if gzip { Input::Zipped(Box::new(MultiGzDecoder::new(plain))) } else { Input::Plain(plain) },
            )
        };
        Ok(opened.into_iter().map(input).collect())
    }
}

impl Source {
    fn full_name(&self) -> &Path {
        self.entry.as_ref().map_or(&self.path, |(_, name)| Path::new(name))
    }

    fn name(&self) -> String {
        let name = self.full_name().file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        name.strip_suffix(".gz").unwrap_or(&name).to_owned()
    }

    fn is_gzip(&self) -> bool {
        has_extension(self.full_name(), "gz")
    }

    /// The file itself; a zip entry is unpacked into an unnamed temporary file, which is deleted when closed.
    fn open(&self) -> Result<File, String> {
        let failed = |error: std::io::Error| unreadable_message(&self.path, &error);
        match &self.entry {
            None => File::open(&self.path).map_err(failed),
            Some((place, name)) => unpack_entry(&self.path, (*place, name), LARGEST),
        }
    }
}

/// A file of a zip file, with a maximum size.
fn unpack_entry(path: &Path, (place, name): (usize, &str), most: u64) -> Result<File, String> {
    let failed = |error: std::io::Error| unreadable_message(path, &error);
    let mut archive = open_archive(path)?;
    let entry = archive.by_index(place).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut unpacked = tempfile::tempfile().map_err(failed)?;
    let written = std::io::copy(&mut entry.take(most.saturating_add(1)), &mut unpacked).map_err(failed)?;
    if written > most {
        return Err(format!("{name} in {} is larger than {most} bytes", path.display()));
    }
    unpacked.rewind().map_err(failed)?;
    Ok(unpacked)
}

fn open_archive(path: &Path) -> Result<ZipArchive<BufReader<File>>, String> {
    let file = File::open(path).map_err(|error| unreadable_message(path, &error))?;
    ZipArchive::new(BufReader::new(file)).map_err(|error| format!("{}: {error}", path.display()))
}

fn unreadable_message(path: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be read: {error}", path.display())
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// A file being read.
pub enum Input<'p> {
    /// uncompressed
    Plain(BufReader<Counted<'p>>),
    /// through gzip
    Zipped(Box<MultiGzDecoder<BufReader<Counted<'p>>>>),
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(buffer),
            Self::Zipped(reader) => reader.read(buffer),
        }
    }
}

/// Counts bytes read from disk.
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

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// A zip file with files of these names, each of a number of zeros.
    fn zipped(folder: &Path, files: &[(&str, usize)]) -> PathBuf {
        let path = folder.join("some.zip");
        let mut writer = zip::ZipWriter::new(File::create(&path).unwrap());
        for (name, size) in files {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(&vec![b'0'; *size]).unwrap();
        }
        writer.finish().unwrap();
        path
    }

    #[test]
    fn a_file_that_unpacks_beyond_the_limit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = zipped(folder.path(), &[("small", 1_000), ("bomb", 1_001)]);
        assert_eq!(unpack_entry(&path, (0, "small"), 1_000).unwrap().metadata().unwrap().len(), 1_000);
        let why = unpack_entry(&path, (1, "bomb"), 1_000).unwrap_err();
        assert!(why.contains("bomb") && why.contains("larger than 1000 bytes"), "{why}");
    }

    #[test]
    fn a_zip_file_with_too_many_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..=MOST_FILES).map(|number| format!("{number}.csv")).collect();
        let files: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let path = zipped(folder.path(), &files);
        assert!(Files::at_path(&path, &|_, _| {}).err().unwrap().contains("more than 100 files"));
        let path = zipped(folder.path(), &files[1..]);
        assert_eq!(Files::at_path(&path, &|_, _| {}).unwrap().file_names().len(), MOST_FILES);
    }

    #[test]
    fn folders_in_the_names_of_zip_entries_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path =
            zipped(folder.path(), &[("../../etc/OE.data.0.Current", 3), ("folder/", 0), ("a/oe.area", 2)]);
        let mut files = Files::at_path(&path, &|_, _| {}).unwrap();
        assert_eq!(files.file_names(), ["oe.data.0.current", "oe.area"]);
        assert_eq!(files.open_matching(|_| true).unwrap().len(), 2);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is unpacked next to it");
    }
}
