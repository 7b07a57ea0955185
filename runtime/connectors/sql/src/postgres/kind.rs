//! Types of columns, as far as they are told apart when values are written, and the types of columns that are made.

use fairway_engine::data::{NO_ZONE, Ref};
use fairway_shared::types::Type;

/// What a column holds. Domains count as what they are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    /// With the digits behind the point that are kept, where it says so.
    Numeric(Option<i64>),
    Float4,
    Float8,
    Text,
    Bytea,
    Date,
    Time,
    /// Without time zone.
    Timestamp,
    TimestampTz,
    Json,
    Array(Box<Kind>),
    /// Everything else: the server reads the text.
    Other,
}

impl Kind {
    /// The kind of one of PostgreSQL's own types by its name in the catalogue; `modifier` is `atttypmod`.
    pub(super) fn of(name: &str, modifier: i32) -> Self {
        match name {
            "int2" | "int4" | "int8" => Self::Int,
            "numeric" => Self::Numeric(scale(modifier)),
            "float4" => Self::Float4,
            "float8" => Self::Float8,
            "text" | "varchar" | "bpchar" => Self::Text,
            "bytea" => Self::Bytea,
            "date" => Self::Date,
            "time" => Self::Time,
            "timestamp" => Self::Timestamp,
            "timestamptz" => Self::TimestampTz,
            "json" | "jsonb" => Self::Json,
            _ => Self::Other,
        }
    }
}

/// Digits behind the point that a modifier of `numeric` says: its lower 11 bits, signed.
fn scale(modifier: i32) -> Option<i64> {
    (modifier >= 4).then(|| i64::from(((modifier - 4) & 0x7ff) ^ 1024) - 1024)
}

/// The type of a column made for a field of this type or, when none is declared, for this value. `None` for a null of
/// unknown type.
pub(super) fn declared(ty: Option<Type>, value: Ref<'_>) -> Option<&'static str> {
    Some(match ty.or_else(|| value.kind().parse().ok())? {
        Type::Bool => "boolean",
        Type::Int64 => "bigint",
        Type::Uint64 | Type::Decimal => "numeric",
        Type::Float64 => "double precision",
        Type::String => "text",
        Type::Bytes => "bytea",
        Type::Date => "date",
        Type::Time => "time",
        Type::Timestamp if matches!(value, Ref::Ts { offset: NO_ZONE, .. }) => "timestamp",
        Type::Timestamp => "timestamptz",
        Type::Uuid => "uuid",
        Type::Json | Type::List | Type::Map => "jsonb",
    })
}

/// The kind of a column of a type that [`declared`] names.
pub(super) fn kind_of_declared(declared: &str) -> Kind {
    match declared {
        "bigint" => Kind::Int,
        "double precision" => Kind::Float8,
        other => Kind::of(other, -1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_of_numeric() {
        // As PostgreSQL makes them: ((precision << 16) | (scale & 0x7ff)) + 4.
        for (modifier, kept) in [
            (-1, None),
            ((10 << 16 | 2) + 4, Some(2)),
            ((10 << 16) + 4, Some(0)),
            ((5 << 16 | (-3 & 0x7ff)) + 4, Some(-3)),
        ] {
            assert_eq!(Kind::of("numeric", modifier), Kind::Numeric(kept));
        }
    }
}
