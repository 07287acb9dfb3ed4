//! Lines of the layouts of files of new hires.

use super::{COLUMNS, FileAddress, FileEmployer, FileHire};

/// The version of the "Newhire Record".
const VERSION: &str = "1.00";

pub(super) fn newhire_record(directory: &str, employer: &FileEmployer<'_>, hire: &FileHire<'_>) -> String {
    let mut line = Line(String::with_capacity(COLUMNS));
    line.put(17, &format!("{directory} Newhire Record"));
    line.put(4, VERSION);
    line.put(16, &letters(hire.first));
    line.put(16, &letters(hire.middle.unwrap_or_default()));
    line.put(30, &letters(hire.last));
    line.put(9, &digits(hire.ssn));
    line.address(&hire.home);
    // Date of birth is optional.
    line.put(8, "");
    let (month, day, year) = (hire.hired.month(), hire.hired.day(), hire.hired.year());
    line.put(8, &format!("{month:02}{day:02}{year:04}"));
    line.put(2, hire.state);
    line.put(2, "");
    line.put(9, &digits(employer.ein));
    line.put(12, "");
    line.put(45, &letters(employer.name));
    line.address(&employer.address);
    line.put(COLUMNS - line.0.len(), "");
    line.0
}

/// The layout of Massachusetts. What kind of worker a record B is about is optional, and stays blank.
pub(super) mod massachusetts {
    use super::{FileAddress, FileEmployer, FileHire, Line, digits, letters, plain};

    /// Columns of a record.
    const COLUMNS: usize = 96;

    pub fn employer(employer: &FileEmployer<'_>, hires: usize, year: i16) -> String {
        let mut line = Line(String::with_capacity(COLUMNS));
        line.put(1, "A");
        line.put(9, &digits(employer.ein));
        line.put(30, &letters(employer.name));
        address(&mut line, &employer.address);
        line.put(2, &format!("{:02}", year % 100));
        line.put(6, &format!("{hires:06}"));
        line.put(1, "");
        line.0
    }

    pub fn hire(hire: &FileHire<'_>) -> String {
        let mut line = Line(String::with_capacity(COLUMNS));
        line.put(1, "B");
        line.put(9, &digits(hire.ssn));
        let middle = hire.middle.unwrap_or_default();
        line.put(30, &letters(&format!("{} {} {middle}", hire.last, hire.first)));
        address(&mut line, &hire.home);
        let hired = hire.hired;
        line.put(6, &format!("{:02}{:02}{:02}", hired.month(), hired.day(), hired.year() % 100));
        line.put(3, "");
        line.0
    }

    fn address(line: &mut Line, address: &FileAddress<'_>) {
        let street = format!("{} {}", address.street_1, address.street_2.unwrap_or_default());
        line.put(18, &plain(&street));
        line.put(18, &letters(address.city));
        line.put(2, address.state);
        line.put(9, &digits(address.zip));
    }
}

/// The layout of Pennsylvania. Of the employer's contact and of the date of birth nothing is told: their fields are empty, like those of what is
/// optional.
pub(super) mod pennsylvania {
    use jiff::civil::Date;

    use super::{FileAddress, FileEmployer, FileHire, digits, letters, plain};

    pub fn file(hires: usize, made_on: Date) -> String {
        ["01".to_owned(), day(made_on), hires.to_string()].join("\t")
    }

    pub fn hire(employer: &FileEmployer<'_>, hire: &FileHire<'_>) -> String {
        let mut fields = vec!["02".to_owned(), digits(employer.ein), cut(&letters(employer.name), 45)];
        fields.extend(address(&employer.address));
        // First and last name, telephone number and extension of the employer's contact.
        fields.extend(std::iter::repeat_n(String::new(), 4));
        fields.extend([
            digits(hire.ssn),
            cut(&letters(hire.first), 16),
            cut(&letters(hire.middle.unwrap_or_default()), 1),
            cut(&letters(hire.last), 30),
        ]);
        let date_of_birth = String::new();
        fields.extend([date_of_birth, hire.state.to_owned(), day(hire.hired)]);
        fields.extend(address(&hire.home));
        fields.join("\t")
    }

    /// Three street lines, city, state, ZIP code and its extension.
    fn address(of: &FileAddress<'_>) -> [String; 7] {
        let (zip, extension) = of.zip.split_once('-').unwrap_or((of.zip, ""));
        [
            cut(&plain(of.street_1), 40),
            cut(&plain(of.street_2.unwrap_or_default()), 40),
            String::new(),
            cut(&letters(of.city), 25),
            of.state.to_owned(),
            cut(&digits(zip), 5),
            cut(&digits(extension), 4),
        ]
    }

    fn day(day: Date) -> String {
        format!("{:04}{:02}{:02}", day.year(), day.month(), day.day())
    }

    /// Text as long as a field, of ASCII alone.
    fn cut(text: &str, length: usize) -> String {
        text.chars().filter(char::is_ascii).take(length).collect()
    }
}

/// The table of Nebraska. Who is reported is an employee; of the date of birth, of insurance for dependents and of the employer's contact
/// nothing is told, and their fields are empty.
pub(super) mod nebraska {
    use super::{FileAddress, FileEmployer, FileHire, digits, letters, plain};

    pub fn hire(employer: &FileEmployer<'_>, hire: &FileHire<'_>) -> String {
        let (month, day, year) = (hire.hired.month(), hire.hired.day(), hire.hired.year());
        let (date_of_birth, contractor) = (String::new(), "N".to_owned());
        let [insured, insured_from, contact, phone] = [const { String::new() }; 4];
        let mut fields = vec![
            letters(hire.first),
            letters(hire.middle.unwrap_or_default()),
            letters(hire.last),
            digits(hire.ssn),
        ];
        fields.extend(address(&hire.home));
        fields.extend([date_of_birth, format!("{month:02}{day:02}{year:04}"), hire.state.to_owned()]);
        fields.extend([contractor, insured, insured_from]);
        fields.extend([digits(employer.ein), letters(employer.name)]);
        fields.extend(address(&employer.address));
        fields.extend([contact, phone]);
        fields.join(",")
    }

    /// Three street lines, city, state and the first five digits of the ZIP code.
    fn address(of: &FileAddress<'_>) -> [String; 6] {
        let zip = of.zip.split_once('-').map_or(of.zip, |(zip, _)| zip);
        [
            street(of.street_1),
            street(of.street_2.unwrap_or_default()),
            String::new(),
            letters(of.city),
            of.state.to_owned(),
            digits(zip),
        ]
    }

    /// A line of a street without what separates fields, and without what a program for tables would read as a formula.
    fn street(text: &str) -> String {
        let kept = |c: &char| c.is_ascii() && !matches!(c, ',' | '"' | '=' | '+' | '@');
        plain(&text.chars().filter(kept).collect::<String>())
    }
}

/// A line under construction, filled from the left.
struct Line(String);

impl Line {
    /// Writes text into the next columns, truncated or padded with spaces.
    fn put(&mut self, columns: usize, text: &str) {
        let text: String = text.chars().filter(char::is_ascii).take(columns).collect();
        self.0.push_str(&text);
        self.0.extend(std::iter::repeat_n(' ', columns - text.len()));
    }

    /// Writes an address: three street lines, city, state, postal code and its extension, and a blank country.
    fn address(&mut self, address: &FileAddress<'_>) {
        self.put(40, &plain(address.street_1));
        self.put(40, &plain(address.street_2.unwrap_or_default()));
        self.put(40, "");
        self.put(25, &letters(address.city));
        self.put(2, address.state);
        let (zip, extension) = address.zip.split_once('-').unwrap_or((address.zip, ""));
        self.put(20, &digits(zip));
        self.put(4, &digits(extension));
        self.put(2, "");
    }
}

/// Reduces text to capital letters, digits, hyphens and single spaces.
fn letters(text: &str) -> String {
    let kept: String = text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ' ')).collect();
    plain(&kept)
}

/// Converts text to capitals with single spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_uppercase()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}
