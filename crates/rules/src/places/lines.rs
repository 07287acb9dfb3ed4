//! Look-up in a sorted table of lines, without parsing or copying it.

/// A table whose lines, after a header, are sorted by their first column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines(&'static str);

impl Lines {
    /// Takes the text of a table. Its first line is the header.
    pub(super) fn new(csv: &'static str) -> Self {
        Self(csv.split_once('\n').map_or("", |(_, rows)| rows))
    }

    /// Returns the rest of each line whose first column is `key`, in order.
    pub(super) fn rest_of_lines(self, key: &str) -> impl Iterator<Item = &'static str> {
        self.whole_lines(key).filter_map(|line| Some(line.split_once(',')?.1))
    }

    /// Returns each line whose first column is `key`, in order.
    pub(super) fn whole_lines(self, key: &str) -> impl Iterator<Item = &'static str> {
        let rest = self.0.get(self.first(key)..).unwrap_or_default();
        rest.lines().take_while(move |line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(',')))
    }

    /// Returns every line.
    pub(super) fn all_lines(self) -> impl Iterator<Item = &'static str> {
        self.0.lines()
    }

    /// Returns the offset of the first line whose first column is `key` or comes after it.
    fn first(self, key: &str) -> usize {
        let bytes = self.0.as_bytes();
        let (mut low, mut high) = (0, bytes.len());
        while low < high {
            let middle = low.midpoint(high);
            // The line that contains the middle: it starts at or after `low`, which is the start of a line.
            let start =
                bytes[low..middle].iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
            let length = bytes[start..].iter().position(|byte| *byte == b'\n');
            let end = length.map_or(bytes.len(), |length| start + length + 1);
            let line = &bytes[start..end];
            let column = line.iter().position(|byte| *byte == b',').unwrap_or(line.len());
            if &line[..column] < key.as_bytes() { low = end } else { high = start }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_found_by_its_first_column_and_nothing_else() {
        let lines = Lines::new("zip,x\n01001,a\n01001,b\n01003,c,d\n99999,e\n");
        let of = |key: &str| lines.rest_of_lines(key).collect::<Vec<_>>();
        assert_eq!(of("01001"), ["a", "b"]);
        assert_eq!(of("01003"), ["c,d"]);
        assert_eq!(of("99999"), ["e"]);
        for none in ["00000", "01002", "0100", "999999", "", "zip", "é"] {
            assert_eq!(of(none), [""; 0], "{none}");
        }
        assert_eq!(Lines::new("zip\n").rest_of_lines("1").count(), 0);
        assert_eq!(Lines::new("").all_lines().count(), 0);
    }
}
