//! A release of the wage statistics in each of the layouts in which it may come, and files that are none.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use domain::platform::reference::{Dataset, Request, Vintage};
use domain::salary::wages::statistics::Statistics;
use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Area: code, kind in the series, in the workbook and in tables, number of its state, abbreviation, name.
type Area = (u32, &'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

const AREAS: [Area; 4] = [
    (0, "N", "1", "national", "00", "", "National"),
    (4_800_000, "S", "2", "state", "48", "TX", "Texas"),
    (41_700, "M", "4", "metro", "48", "TX", "San Antonio-New Braunfels, TX"),
    (4_800_001, "M", "6", "nonmetro", "48", "TX", "West Texas Region nonmetropolitan area"),
];

/// Area, occupation, employment, means of a year and an hour, wages of a year and of an hour; `-` is not published, `#`
/// at least the floor.
type Line = (u32, &'static str, &'static str, [&'static str; 2], [&'static str; 5], [&'static str; 5]);

const YEAR: [&str; 5] = ["20800", "31200", "41600", "62400", "104000"];
const HOUR: [&str; 5] = ["10.00", "15.00", "20.00", "30.00", "50.00"];
const NONE: [&str; 5] = ["-"; 5];

const LINES: [Line; 7] = [
    (0, "000000", "155000000", ["52000", "25.00"], YEAR, HOUR),
    (0, "151252", "1600000", ["52000", "25.00"], YEAR, HOUR),
    (
        0,
        "291218",
        "21000",
        ["200000", "96.15"],
        ["80000", "170000", "#", "#", "#"],
        ["38.46", "81.73", "#", "#", "#"],
    ),
    (0, "272011", "45000", ["-", "31.50"], NONE, HOUR),
    (4_800_000, "151252", "130000", ["52001", "25.00"], YEAR, HOUR),
    (41_700, "151252", "-", ["52002", "25.00"], YEAR, HOUR),
    (4_800_001, "252021", "900", ["50000", "-"], YEAR, NONE),
];

fn series() -> Vec<(&'static str, String)> {
    let mut data = "series_id                     \tyear\tperiod\t       value\tfootnote_codes\n".to_owned();
    for (area, occupation, employment, [a_mean, h_mean], yearly, hourly) in LINES {
        let kind = AREAS.iter().find(|known| known.0 == area).unwrap().1;
        let figures = [("01", employment), ("03", h_mean), ("04", a_mean)].into_iter();
        let figures = figures.chain(["06", "07", "08", "09", "10"].into_iter().zip(hourly));
        let figures = figures.chain(["11", "12", "13", "14", "15"].into_iter().zip(yearly));
        for (figure, value) in figures {
            let (value, note) = match value {
                "#" => ("-", "5"),
                "-" => ("-", "8"),
                value => (value, ""),
            };
            let id = format!("OEU{kind}{area:07}000000{occupation}{figure}");
            let industry = format!("OEU{kind}{area:07}113300{occupation}{figure}");
            data += &format!("{id}     \t2026\tA01\t{value:>12}\t{note}\n");
            // What was before, and what is of one industry, is passed over.
            data += &format!("{id}     \t2025\tA01\t{:>12}\t\n", 1);
            data += &format!("{industry}     \t2026\tA01\t{:>12}\t\n", 1);
        }
    }
    let mut areas = "state_code\tarea_code\tareatype_code\tarea_name\n".to_owned();
    for (code, kind, _, _, state, _, name) in AREAS {
        areas += &format!("{state}\t{code:07}\t{kind}\t{name}\n");
    }
    let note = "footnote_code\tfootnote_text\n\
                5\tThis wage is equal to or greater than $120.00 per hour or $249,600 per year.\n";
    vec![("oe.data.0.Current", data), ("oe.area", areas), ("oe.footnote", note.to_owned())]
}

fn tables() -> Vec<(&'static str, String)> {
    let mut wages =
        "area_code,occ_code,employment,h_mean,h_p10,h_p25,h_p50,h_p75,h_p90,a_mean,a_p10,a_p25,a_p50,a_p75,\
                     a_p90,topcoded\n"
            .to_owned();
    let plain = |text: &str| if text == "#" || text == "-" { String::new() } else { text.to_owned() };
    for (area, occupation, employment, [a_mean, h_mean], yearly, hourly) in LINES {
        let figures = [h_mean].into_iter().chain(hourly).chain([a_mean]).chain(yearly).map(plain);
        let figures = figures.collect::<Vec<_>>().join(",");
        let capped = u8::from(yearly.contains(&"#"));
        wages += &format!("{area:07},{occupation},{},{figures},{capped}\n", plain(employment));
    }
    let mut areas = "area_code,kind,primary_state,name\n".to_owned();
    for (code, _, _, kind, _, state, name) in AREAS {
        areas += &format!("{code:07},{kind},{state},\"{name}\"\n");
    }
    vec![("wages.csv", wages), ("areas.csv", areas)]
}

/// The rows of the workbook's sheet: a header, and each line once for all industries and once for a single one.
fn sheet() -> Vec<Vec<String>> {
    let head = "AREA AREA_TITLE AREA_TYPE PRIM_STATE NAICS OCC_CODE TOT_EMP H_MEAN A_MEAN H_PCT10 H_PCT25 H_MEDIAN H_PCT75 \
                H_PCT90 A_PCT10 A_PCT25 A_MEDIAN A_PCT75 A_PCT90";
    let mut rows = vec![head.split(' ').map(str::to_owned).collect()];
    for (area, occupation, employment, [a_mean, h_mean], yearly, hourly) in LINES {
        let (code, _, kind, _, state, postal, name) = *AREAS.iter().find(|known| known.0 == area).unwrap();
        let code = match kind {
            "1" => "99".to_owned(),
            "2" => state.to_owned(),
            _ => code.to_string(),
        };
        for industry in ["000000", "113300"] {
            let dashed = format!("{}-{}", &occupation[..2], &occupation[2..]);
            let mut row =
                vec![code.clone(), name.into(), kind.into(), postal.into(), industry.into(), dashed];
            let figures = [employment, h_mean, a_mean].into_iter().chain(hourly).chain(yearly);
            row.extend(figures.map(|text| if text == "-" { "*".to_owned() } else { text.to_owned() }));
            rows.push(row);
        }
    }
    rows
}

fn text_cell(place: String, text: &str) -> String {
    let text = text.replace('&', "&amp;");
    format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
}

fn sheet_xml(rows: &[Vec<String>]) -> String {
    let mut xml =
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>"#
            .to_owned();
    for (row, number) in rows.iter().zip(1..) {
        xml += &format!(r#"<row r="{number}">"#);
        for (value, letter) in row.iter().zip('A'..) {
            let place = format!("{letter}{number}");
            // Codes of industries are text: as a number they would lose their zeros.
            xml += &match value.parse::<i64>() {
                Ok(number) if value != "000000" => format!(r#"<c r="{place}"><v>{number}</v></c>"#),
                _ => text_cell(place, value),
            };
        }
        xml += "</row>";
    }
    xml + "</sheetData></worksheet>"
}

/// A workbook with two sheets: data, and words on the marks.
fn workbook(rows: &[Vec<String>], shared_strings: &[u8]) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    let relation = |number: u8, kind: &str, target: &str| {
        format!(r#"<Relationship Id="r{number}" Type="{OFFICE}/{kind}" Target="{target}"/>"#)
    };
    let words = "# = wage is equal to or greater than $120.00 per hour or $249,600 per year".to_owned();
    let notes =
        sheet_xml(&[vec!["Field".to_owned(), "Description".to_owned()], vec!["Note".to_owned(), words]]);
    let parts = [
        (
            "_rels/.rels",
            format!(
                r#"<Relationships xmlns="{PACKAGE}">{}</Relationships>"#,
                relation(1, "officeDocument", "xl/workbook.xml")
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                r#"<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="All May 2026 data" sheetId="1" r:id="r1"/><sheet name="Field Descriptions" sheetId="2" r:id="r2"/></sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                r#"<Relationships xmlns="{PACKAGE}">{}{}{}</Relationships>"#,
                relation(1, "worksheet", "worksheets/sheet1.xml"),
                relation(2, "worksheet", "worksheets/sheet2.xml"),
                relation(3, "sharedStrings", "sharedStrings.xml")
            ),
        ),
        ("xl/worksheets/sheet1.xml", sheet_xml(rows)),
        ("xl/worksheets/sheet2.xml", notes),
    ];
    let files = parts.iter().map(|(name, text)| (*name, text.as_bytes()));
    zip_of(files.chain([("xl/sharedStrings.xml", shared_strings)]))
}

const NO_STRINGS: &[u8] = br#"<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"></sst>"#;

fn zip_of<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Writes files into a folder of their own.
fn folder_of(root: &Path, name: &str, files: &[(&str, Vec<u8>)]) -> PathBuf {
    let folder = root.join(name);
    std::fs::create_dir(&folder).unwrap();
    for (name, bytes) in files {
        File::create(folder.join(name)).unwrap().write_all(bytes).unwrap();
    }
    folder
}

fn read(path: &Path, fewer: bool) -> Result<(String, Statistics), String> {
    let request = Request { path, vintage: None, fewer, progress: &|_, _| {} };
    let before = Vintage::<Statistics>::built_in();
    let packed = Statistics::read(&request, Some(&before.data)).map_err(|faults| faults.to_string())?;
    Ok((packed.vintage, Statistics::open(&packed.bytes).unwrap()))
}

/// Everything that an estimate may ask of the statistics.
fn contents(of: &Statistics) -> String {
    let mut all = format!("{}\n", of.floor());
    for (code, area) in of.all_areas() {
        all += &format!("{code:07} {area:?}\n");
        for (_, occupation, ..) in LINES {
            all += &format!("  {occupation} {:?}\n", of.wages_in_area(code, occupation.parse().unwrap()));
        }
    }
    all
}

#[test]
fn a_release_is_the_same_from_workbook_series_and_tables_alone_in_a_folder_and_zipped() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let bytes = |files: Vec<(&'static str, String)>| -> Vec<(&'static str, Vec<u8>)> {
        files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect()
    };
    let (series, tables) = (bytes(series()), bytes(tables()));
    let book = workbook(&sheet(), NO_STRINGS);
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(root.join(name), bytes).unwrap();
        root.join(name)
    };
    let zipped =
        |files: &[(&'static str, Vec<u8>)]| zip_of(files.iter().map(|(name, bytes)| (*name, &bytes[..])));
    let squeezed = [
        ("oe.data.0.Current.gz", gzipped(&series[0].1)),
        ("oe.area", series[1].1.clone()),
        ("oe.footnote", series[2].1.clone()),
    ];
    let paths = [
        write("all_data_M_2026.xlsx", &book),
        write("oesm26all.zip", &zip_of([("oesm26all/all_data_M_2026.xlsx", &book[..])])),
        folder_of(root, "oe", &series),
        folder_of(root, "oe-gz", &squeezed),
        write("oe.zip", &zipped(&series)),
        write("oe-gz.zip", &zipped(&squeezed)),
    ];
    let (_, first) = read(&paths[0], true).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!((first.floor(), first.rows()), (249_600, LINES.len()));
    let median = |area, occupation| format!("{:?}", first.wages_in_area(area, occupation).unwrap()[2]);
    assert_eq!(median(41_700, 151_252), "Some(Yearly(41600))");
    assert_eq!(
        (median(0, 291_218), median(0, 272_011)),
        ("Some(AtLeast)".to_owned(), "Some(Hourly(2000))".to_owned())
    );
    for path in &paths {
        let (vintage, found) = read(path, true).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        assert_eq!((vintage.as_str(), contents(&found)), ("2026-05", contents(&first)), "{}", path.display());
    }
    // Tables tell neither the vintage nor another floor.
    let path = folder_of(root, "tables", &tables);
    assert!(read(&path, true).unwrap_err().contains("the vintage must be given"));
    let request = Request { path: &path, vintage: Some("2026-05"), fewer: true, progress: &|_, _| {} };
    let packed = Statistics::read(&request, None).unwrap_or_else(|faults| panic!("{faults}"));
    let expected = contents(&first).replacen("249600", "239200", 1);
    assert_eq!(contents(&Statistics::open(&packed.bytes).unwrap()), expected);
}

#[test]
fn a_release_without_some_states_is_not_whole_unless_somebody_says_so() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("all_data_M_2026.xlsx");
    std::fs::write(&path, workbook(&sheet(), NO_STRINGS)).unwrap();
    let why = read(&path, false).unwrap_err();
    assert!(why.contains("area 0600000, California, is missing"), "{why}");
    assert!(!why.contains("Texas"), "{why}");
}

#[test]
fn a_file_that_is_cut_off_or_damaged_anywhere_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let book = workbook(&sheet(), NO_STRINGS);
    let zip = zip_of([("all_data_M_2026.xlsx", &book[..])]);
    let series = series();
    let squeezed = gzipped(series[0].1.as_bytes());
    for (name, whole) in
        [("all_data_M_2026.xlsx", &book), ("oe.zip", &zip), ("oe.data.0.Current.gz", &squeezed)]
    {
        let path = root.path().join(name);
        for tenth in 0..10 {
            std::fs::write(&path, &whole[..whole.len() * tenth / 10]).unwrap();
            assert!(read(&path, true).is_err(), "{name} cut at {tenth} tenths");
        }
        for at in (0..whole.len()).step_by(whole.len() / 40) {
            let mut wrong = whole.clone();
            wrong[at] ^= 0xff;
            std::fs::write(&path, &wrong).unwrap();
            // A byte that says nothing, such as a date, may be another one; then all of it is right.
            if let Ok((_, found)) = read(&path, true) {
                assert_eq!(found.rows(), LINES.len(), "{name}, byte {at}");
            }
        }
    }
}

#[test]
fn hostile_files_are_refused_without_being_taken_into_memory() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("all_data_M_2026.xlsx");
    let refused = |bytes: &[u8], why: &str| {
        std::fs::write(&path, bytes).unwrap();
        let told = read(&path, true).unwrap_err();
        assert!(told.contains(why), "{told}");
    };
    // A hundred kilobytes that would be 65 MB of shared texts.
    refused(&workbook(&sheet(), &vec![b' '; (64 << 20) + 1]), "a part is larger than 64 MB");
    refused(b"PK\x05\x06", "all_data_m_2026.xlsx");
    refused(&zip_of([]), "all_data_m_2026.xlsx");
    let mut wide = sheet();
    wide[0].truncate(5);
    refused(&workbook(&wide, NO_STRINGS), "does not contain the column OCC_CODE");
    let book = workbook(&sheet(), NO_STRINGS);
    let path = root.path().join("two.zip");
    std::fs::write(&path, zip_of([("a.xlsx", &book[..]), ("b.xlsx", &book[..])])).unwrap();
    assert!(read(&path, true).unwrap_err().contains("one workbook"));
    let line = "x".repeat(20_000);
    let path = folder_of(root.path(), "long", &[("oe.data.0.Current", line.into_bytes())]);
    assert!(read(&path, true).unwrap_err().contains("longer than"));
}

#[test]
fn every_wrong_cell_is_told_with_its_place() {
    let root = tempfile::tempdir().unwrap();
    let mut wrong = sheet();
    wrong[1][11] = "twenty".to_owned();
    wrong[3][5] = "15-12".to_owned();
    wrong[7][0] = "x".to_owned();
    // A single industry's row is passed over, whatever it says.
    wrong[2][11] = "nonsense".to_owned();
    let path = root.path().join("all_data_M_2026.xlsx");
    std::fs::write(&path, workbook(&wrong, NO_STRINGS)).unwrap();
    let told = read(&path, true).unwrap_err();
    for place in ["row 2: an hourly wage: \"twenty\"", "row 4: OCC_CODE", "row 8: AREA \"x\""] {
        assert!(told.contains(place), "{told}");
    }
    assert_eq!(told.lines().count(), 3, "{told}");

    let mut files = series();
    files[0].1 = files[0].1.replacen("OEUN0000000000000", "OEUN000000000000", 1);
    files[0].1.push_str("OEUS480000000000015125201     \t2026\tA01\t      many\t\n");
    let files: Vec<_> = files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
    let told = read(&folder_of(root.path(), "oe", &files), true).unwrap_err();
    assert!(told.contains("oe.data.0.current line 2: series_id") && told.contains("\"many\""), "{told}");
}
