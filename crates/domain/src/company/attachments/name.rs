//! Names of files, and the types of their extensions.

use rules::{Named, Violation};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Maximum characters of a name.
const LONGEST: usize = 255;

/// The accepted types of files, by their extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
#[strum(serialize_all = "lowercase")]
#[expect(missing_docs, reason = "each is described by its name")]
pub enum FileType {
    Qbb,
    Qbm,
    Gif,
    Jpg,
    Png,
    Pdf,
    Xls,
    Xlsx,
    Doc,
    Docx,
}

impl FileType {
    /// The media type.
    pub fn content_type(self) -> &'static str {
        match self {
            // QuickBooks backups have no registered type.
            Self::Qbb | Self::Qbm => "application/octet-stream",
            Self::Gif => "image/gif",
            Self::Jpg => "image/jpeg",
            Self::Png => "image/png",
            Self::Pdf => "application/pdf",
            Self::Xls => "application/vnd.ms-excel",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Doc => "application/msword",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        }
    }
}

/// The name of a file as sent, without folders and invisible characters, and the type of the file.
///
/// # Errors
/// A name that is blank or too long, or whose extension is not that of a [`FileType`].
pub fn read_file_name(key: &str, sent: &str) -> Result<(String, FileType), Violation> {
    // Some browsers send whole paths, of either system.
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !is_invisible(*c)).collect();
    let name = name.trim();
    if name.chars().count() > LONGEST {
        let why = format!("{key} must be a file whose name has at most {LONGEST} characters");
        return Err(Violation::invalid(key, why));
    }
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.trim().is_empty());
    let file_type = ending.and_then(|(_, ending)| FileType::parse(&ending.to_ascii_lowercase()));
    let wrong = || {
        let endings = FileType::names().join(", ");
        Violation::invalid(key, format!("{key} must be a file whose name ends in one of: {endings}"))
    };
    file_type.map(|file_type| (name.to_owned(), file_type)).ok_or_else(wrong)
}

/// Characters that are invisible, or reverse what is displayed: with them a name would be deceptive.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_invisible_characters_are_removed_from_a_name() {
        let name = |sent: &str| read_file_name("document", sent).unwrap();
        assert_eq!(name("notice.pdf"), ("notice.pdf".to_owned(), FileType::Pdf));
        assert_eq!(name("C:\\Users\\ana\\Year End.XLSX"), ("Year End.XLSX".to_owned(), FileType::Xlsx));
        assert_eq!(name("../../etc/backup.qbb").0, "backup.qbb");
        assert_eq!(name("bill\u{202E}fdp\r\n\0.pdf").0, "billfdp.pdf");
        assert_eq!(name(" Lohnbüro.pdf ").0, "Lohnbüro.pdf");
        assert_eq!(name("a.b.c.png").0, "a.b.c.png");
    }

    #[test]
    fn the_refusal_of_an_unknown_extension_lists_the_accepted_ones() {
        for wrong in
            ["", " ", ".pdf", "notes", "notes.", "page.html", "notice.pdf.exe", "x.pdf/", "\u{202E}.pdf"]
        {
            let why = read_file_name("document", wrong).unwrap_err();
            assert_eq!(why.key, "document");
            assert!(
                why.message.contains("qbb, qbm, gif, jpg, png, pdf, xls, xlsx, doc, docx"),
                "{wrong}: {why:?}"
            );
        }
        let long = format!("{}.pdf", "x".repeat(252));
        assert!(read_file_name("document", &long).unwrap_err().message.contains("255"));
        assert!(read_file_name("document", &long[1..]).is_ok());
    }
}
