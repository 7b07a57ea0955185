//! Rows cut out of what a binary `COPY` sends
//! (<https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-BINARY-FORMAT>). The server usually sends a row a message;
//! nothing relies on that.

use bytes::Bytes;

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";

/// Cuts messages into rows.
#[derive(Debug, Default)]
pub(super) struct Tuples {
    data: Bytes,
    at: usize,
    started: bool,
    ended: bool,
}

/// A row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tuple<'a> {
    fields: &'a [u8],
}

impl Tuples {
    /// Adds a message.
    pub(super) fn feed(&mut self, bytes: Bytes) {
        self.data =
            if self.at == self.data.len() { bytes } else { [&self.data[self.at..], &bytes].concat().into() };
        self.at = 0;
    }

    /// The next row, if all of it is there.
    ///
    /// # Errors
    /// If the data is not of this form.
    pub(super) fn next(&mut self) -> Result<Option<Tuple<'_>>, ()> {
        if !self.started {
            // Signature, flags, length of an extension.
            let Some(header) = self.data.get(..SIGNATURE.len() + 8) else { return Ok(None) };
            let extension = &header[SIGNATURE.len() + 4..];
            if !header.starts_with(SIGNATURE) || extension != [0; 4] {
                return Err(());
            }
            self.at = header.len();
            self.started = true;
        }
        let rest = &self.data[self.at..];
        if self.ended || rest.len() < 2 {
            return Ok(None);
        }
        let count = i16::from_be_bytes([rest[0], rest[1]]);
        if count < 0 {
            self.ended = true;
            self.at = self.data.len();
            return Ok(None);
        }
        let mut end = 2;
        for _ in 0..count {
            let Some(length) = rest.get(end..end + 4) else { return Ok(None) };
            let length = i32::from_be_bytes(length.try_into().map_err(|_| ())?);
            end += 4 + usize::try_from(length.max(0)).map_err(|_| ())?;
        }
        if rest.len() < end {
            return Ok(None);
        }
        let from = self.at + 2;
        self.at += end;
        Ok(Some(Tuple { fields: &self.data[from..self.at] }))
    }
}

impl<'a> Tuple<'a> {
    /// Bytes of its values and their lengths.
    pub(super) fn bytes(&self) -> usize {
        self.fields.len()
    }

    /// Its values; `None` for null.
    pub(super) fn fields(&self) -> Fields<'a> {
        Fields(self.fields)
    }
}

/// Values of a row.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        match usize::try_from(i32::from_be_bytes(*length)) {
            Ok(length) => {
                let (value, rest) = rest.split_at_checked(length)?;
                self.0 = rest;
                Some(Some(value))
            }
            Err(_) => {
                self.0 = rest;
                Some(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_wherever_messages_end() {
        let mut data = SIGNATURE.to_vec();
        data.extend([0; 8]);
        data.extend(b"\x00\x02\x00\x00\x00\x01a\xff\xff\xff\xff");
        data.extend(b"\x00\x02\x00\x00\x00\x00\x00\x00\x00\x03bcd");
        data.extend(b"\xff\xff");
        for size in 1..data.len() {
            let mut tuples = Tuples::default();
            let mut found = Vec::new();
            for message in data.chunks(size) {
                tuples.feed(Bytes::copy_from_slice(message));
                while let Some(tuple) = tuples.next().unwrap() {
                    found.extend(tuple.fields().map(|field| field.map(<[u8]>::to_vec)));
                }
            }
            let expected = [Some(b"a".to_vec()), None, Some(Vec::new()), Some(b"bcd".to_vec())];
            assert_eq!(found, expected, "{size}");
        }
        let mut tuples = Tuples::default();
        tuples.feed(Bytes::from_static(b"id,name\n1,something\n"));
        assert!(tuples.next().is_err());
    }
}
