//! How each type is asked for and read. What has a form of its own here comes in PostgreSQL's binary form; lists, records and
//! ranges of types come as JSON or text that the server itself makes, so that no type is left out.

use fairway_shared::types::Type;

/// How values of a column come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    Text,
    Bytes,
    Uuid,
    Date,
    Time,
    Timestamp,
    TimestampTz,
    Json,
    Jsonb,
    /// Arrays and composite types: as JSON.
    AsJson,
    /// Everything else (enums, networks, intervals, ranges, geometry and what extensions bring): as text.
    AsText,
}

impl Kind {
    /// Of a type of the catalogue: its number, or that of the type a domain is made of, with kind and category.
    pub(crate) fn of(oid: u32, typtype: &str, category: &str) -> Self {
        match oid {
            16 => Self::Bool,
            17 => Self::Bytes,
            20 => Self::Int8,
            21 => Self::Int2,
            23 => Self::Int4,
            25 | 1042 | 1043 => Self::Text,
            114 => Self::Json,
            3802 => Self::Jsonb,
            700 => Self::Float4,
            701 => Self::Float8,
            1082 => Self::Date,
            1083 => Self::Time,
            1114 => Self::Timestamp,
            1184 => Self::TimestampTz,
            1700 => Self::Numeric,
            2950 => Self::Uuid,
            _ if category == "A" || typtype == "c" => Self::AsJson,
            _ => Self::AsText,
        }
    }

    /// The expression that brings values in this form.
    pub(crate) fn expression(self, quoted: &str) -> String {
        match self {
            Self::AsJson => format!("to_json({quoted})"),
            Self::AsText => format!("{quoted}::text"),
            _ => quoted.to_owned(),
        }
    }

    /// The condition under which a value of the column has more bytes than this; `None` where values are always short.
    /// What is stored short cannot be long, however well it was compressed, so that the text of few values is made twice.
    pub(crate) fn is_longer(self, quoted: &str, most: usize) -> Option<String> {
        match self {
            Self::Text | Self::Bytes => Some(format!("octet_length({quoted}) > {most}")),
            Self::Json | Self::Jsonb | Self::AsJson | Self::AsText => {
                let text = self.expression(quoted);
                Some(format!(
                    "pg_column_size({quoted}) > {} AND octet_length(({text})::text) > {most}",
                    most / 256
                ))
            }
            _ => None,
        }
    }

    /// Whether values are whole numbers.
    pub(crate) fn is_whole_number(self) -> bool {
        matches!(self, Self::Int2 | Self::Int4 | Self::Int8)
    }

    /// Whether values are moments.
    pub(crate) fn is_time(self) -> bool {
        matches!(self, Self::Date | Self::Timestamp | Self::TimestampTz)
    }

    /// The type of the field.
    pub(crate) fn ty(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Int2 | Self::Int4 | Self::Int8 => Type::Int64,
            Self::Float4 | Self::Float8 => Type::Float64,
            Self::Numeric => Type::Decimal,
            Self::Text | Self::AsText => Type::String,
            Self::Bytes => Type::Bytes,
            Self::Uuid => Type::Uuid,
            Self::Date => Type::Date,
            Self::Time => Type::Time,
            Self::Timestamp | Self::TimestampTz => Type::Timestamp,
            Self::Json | Self::Jsonb | Self::AsJson => Type::Json,
        }
    }
}
