//! Every code a diagnostic may carry, in one table. `docs/errors.md` is written from it by a test, which also refuses a
//! table from which a published code is missing: scripts and searches rely on codes for ever.

/// What a code means, whatever the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The dotted code.
    pub code: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means and what to do, for the reader of the error pages.
    pub help: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, $help:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*
        /// All codes, in the order of the error pages.
        pub const ALL: &[Code] = &[$(Code { code: $code, title: $title, help: $help }),*];
    };
}

codes! {
    DOCUMENT_TOO_LARGE = "document.too_large", "The document is larger than 512 KiB.",
        "Split the channel, or move large values (tables, templates, lists) into files that its components read.";
    DOCUMENT_ENCODING = "document.encoding", "The document is not UTF-8 text.",
        "Save the file as UTF-8. Fairway does not guess other encodings: a wrong guess would change names and settings.";
    DOCUMENT_BYTE_ORDER_MARK = "document.byte_order_mark", "The document begins with a byte order mark.",
        "It is ignored here, but other tools refuse it. Save the file as UTF-8 without a mark.";
    DOCUMENT_SYNTAX = "document.syntax", "The text is not JSON.",
        "Line and column say where. All slips that can be told apart are reported at once.";
    DOCUMENT_TOO_DEEP = "document.too_deep", "Lists and objects are nested too deeply.",
        "No setting of any component needs more than 128 levels.";
    DOCUMENT_DUPLICATE_KEY = "document.duplicate_key", "An object has the same key twice.",
        "Most readers of JSON let the last one win in silence. Remove one of the two.";
    DOCUMENT_NOT_AN_OBJECT = "document.not_an_object", "The document is not a JSON object.",
        "A document is an object with `apiVersion`, `kind`, `metadata` and `spec`.";
    DOCUMENT_VERSION = "document.version", "The document's `apiVersion` is missing or unknown.",
        "This version reads the versions it names in the message. A document of a later Fairway needs a later Fairway.";
    DOCUMENT_MIGRATED = "document.migrated", "The document is of an older version.",
        "It was read as if it had been written today; saving writes the present form. Nothing is lost.";
    DOCUMENT_KIND = "document.kind", "The document's `kind` is missing or unknown, or another one is expected here.",
        "Kinds are `Channel`, `Connection` and `Bundle`.";
    DOCUMENT_WRONG_TYPE = "document.wrong_type", "A field of the document holds a value of the wrong type.",
        "The value is kept as it is when the document is saved, but has no effect.";
    DOCUMENT_UNKNOWN_FIELD = "document.unknown_field", "The document has a field that this version does not know.",
        "It is kept when the document is saved, but has no effect: a slip of the pen, or something of a later version.";
    DOCUMENT_UNKNOWN_VALUE = "document.unknown_value", "A field holds a word that is not among its choices.",
        "The message lists the choices.";
    DOCUMENT_OUT_OF_RANGE = "document.out_of_range", "A number of the document is too small or too large.",
        "The message says what is allowed.";
    BUNDLE_ITEM = "bundle.item", "An item of a bundle is neither a channel nor a connection.",
        "A bundle lists channels and the connections they name; it holds no other bundle.";
}

/// The table's entry of a code.
pub fn find(code: &str) -> Option<&'static Code> {
    ALL.iter().find(|entry| entry.code == code)
}
