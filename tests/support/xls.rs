//! Workbooks as old programs write them (`.xls`: BIFF8 in a compound file), to be read by what reads published ones.

/// A cell of a sheet.
#[derive(Debug, Clone)]
pub enum Cell {
    /// Text, which lies in the table of shared strings.
    Text(String),
    /// A number, as programs keep codes and rates.
    Number(f64),
    /// Nothing.
    Empty,
}

/// Most bytes of a record; the rest lies in records that continue it.
const MOST: usize = 8_224;
const SECTOR: usize = 512;
/// Sectors that a sector of the allocation table has entries for.
const ENTRIES: usize = SECTOR / 4;
const FREE: u32 = 0xFFFF_FFFF;
const END_OF_CHAIN: u32 = 0xFFFF_FFFE;
const TABLE: u32 = 0xFFFF_FFFD;

/// The bytes of a workbook with one sheet.
pub fn workbook(sheet: &str, rows: &[Vec<Cell>]) -> Vec<u8> {
    compound_file(&stream(sheet, rows))
}

fn record(out: &mut Vec<u8>, kind: u16, data: &[u8]) {
    assert!(data.len() <= MOST);
    out.extend(kind.to_le_bytes());
    out.extend(u16::try_from(data.len()).unwrap().to_le_bytes());
    out.extend(data);
}

/// The beginning of a part: 5 of the workbook, 16 of a sheet.
fn begin(out: &mut Vec<u8>, kind: u16) {
    let fields = [0x0600u16, kind, 0x0DBB, 0x07CC, 0, 0, 6, 0];
    record(out, 0x0809, &fields.iter().flat_map(|field| field.to_le_bytes()).collect::<Vec<_>>());
}

fn stream(sheet: &str, rows: &[Vec<Cell>]) -> Vec<u8> {
    let mut strings: Vec<&str> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for cell in rows.iter().flatten() {
        if let Cell::Text(text) = cell {
            places.entry(text.as_str()).or_insert_with(|| {
                strings.push(text);
                u32::try_from(strings.len() - 1).unwrap()
            });
        }
    }
    let mut out = Vec::new();
    begin(&mut out, 5);
    let name = out.len() + 4;
    let mut bound = vec![0, 0, 0, 0, 0, 0, u8::try_from(sheet.len()).unwrap(), 0];
    bound.extend(sheet.as_bytes());
    record(&mut out, 0x0085, &bound);
    shared_strings(&mut out, &strings);
    record(&mut out, 0x000A, &[]);
    let at = u32::try_from(out.len()).unwrap();
    out[name..name + 4].copy_from_slice(&at.to_le_bytes());
    begin(&mut out, 16);
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut size = vec![0, 0, 0, 0];
    size.extend(u32::try_from(rows.len()).unwrap().to_le_bytes());
    size.extend([0, 0]);
    size.extend(u16::try_from(width).unwrap().to_le_bytes());
    size.extend([0, 0]);
    record(&mut out, 0x0200, &size);
    for (row, cells) in rows.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let mut data = Vec::new();
            for field in [row, column, 0] {
                data.extend(u16::try_from(field).unwrap().to_le_bytes());
            }
            match cell {
                Cell::Empty => {}
                Cell::Text(text) => {
                    data.extend(places[text.as_str()].to_le_bytes());
                    record(&mut out, 0x00FD, &data);
                }
                Cell::Number(number) => {
                    data.extend(number.to_le_bytes());
                    record(&mut out, 0x0203, &data);
                }
            }
        }
    }
    record(&mut out, 0x000A, &[]);
    out
}

/// The table of shared strings, in as many records as it takes: each string lies in one of them.
fn shared_strings(out: &mut Vec<u8>, strings: &[&str]) {
    let count = u32::try_from(strings.len()).unwrap().to_le_bytes();
    let mut data = [count, count].concat();
    let mut kind = 0x00FC;
    for text in strings {
        assert!(text.is_ascii(), "{text}");
        if data.len() + text.len() + 3 > MOST {
            record(out, kind, &data);
            (kind, data) = (0x003C, Vec::new());
        }
        data.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        data.push(0);
        data.extend(text.as_bytes());
    }
    record(out, kind, &data);
}

/// A compound file with the stream `Workbook`: the allocation table first, then the directory, then the stream.
fn compound_file(stream: &[u8]) -> Vec<u8> {
    let of_stream = stream.len().max(4_096).div_ceil(SECTOR);
    let mut tables = 1;
    while tables * ENTRIES < tables + 1 + of_stream {
        tables += 1;
    }
    assert!(tables <= 109, "the header has room for as many");
    let number = |count: usize| u32::try_from(count).unwrap();
    let mut header = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    header.extend([0; 16]);
    for field in [0x3E_u16, 3, 0xFFFE, 9, 6, 0, 0, 0] {
        header.extend(field.to_le_bytes());
    }
    let directory = number(tables);
    for field in [0, number(tables), directory, 0, 4_096, END_OF_CHAIN, 0, END_OF_CHAIN, 0] {
        header.extend(u32::to_le_bytes(field));
    }
    for at in 0..109 {
        header.extend((if at < tables { number(at) } else { FREE }).to_le_bytes());
    }
    assert_eq!(header.len(), SECTOR);
    let mut table: Vec<u32> = vec![TABLE; tables];
    table.push(END_OF_CHAIN);
    let first = table.len();
    table.extend((1..of_stream).map(|at| number(first + at)));
    table.push(END_OF_CHAIN);
    table.resize(tables * ENTRIES, FREE);
    let mut out = header;
    out.extend(table.iter().flat_map(|entry| entry.to_le_bytes()));
    out.extend(entry("Root Entry", 5, 1, END_OF_CHAIN, 0));
    out.extend(entry("Workbook", 2, FREE, number(first), number(stream.len().max(4_096))));
    out.extend(entry("", 0, FREE, 0, 0));
    out.extend(entry("", 0, FREE, 0, 0));
    out.extend(stream);
    out.resize((1 + tables + 1 + of_stream) * SECTOR, 0);
    out
}

/// An entry of the directory.
fn entry(name: &str, kind: u8, child: u32, start: u32, size: u32) -> Vec<u8> {
    let mut out: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let length = if name.is_empty() { 0 } else { out.len() + 2 };
    out.resize(64, 0);
    out.extend(u16::try_from(length).unwrap().to_le_bytes());
    out.extend([kind, 1]);
    for field in [FREE, FREE, child] {
        out.extend(field.to_le_bytes());
    }
    out.extend([0; 36]);
    out.extend(start.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend([0; 4]);
    out
}
