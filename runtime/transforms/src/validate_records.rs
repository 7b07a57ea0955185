//! `validate_records`: records held against a JSON Schema. The schema is read and applied by the `jsonschema` crate,
//! without its means of fetching anything.

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, RecordError, RecordRef, Ref};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// Refuses records that do not keep to a JSON Schema, each with the field and the rule that it breaks.
///
/// Sound records go on unchanged. A record is judged as the JSON object that it would be written as: decimals and large
/// numbers with all their digits, timestamps, dates and UUIDs as text, bytes as base64, and a field that the record does
/// not have is not there. The message tells the first three rules that are broken.
///
/// Drafts 4, 6, 7, 2019-09 and 2020-12 are understood; `$schema` says which, and without it the latest is meant.
/// References lead to parts of the schema itself (`#/$defs/…`); nothing is fetched. Patterns are regular expressions
/// without look-around and back-references, so that no text can make them slow.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValidateRecords {
    /// The JSON Schema that every record must keep to.
    #[schemars(extend("x-ui" = {"order": 1}))]
    schema: Json,
    /// Whether `format` (`date-time`, `email` and others) is a rule; otherwise it only tells what is meant.
    #[serde(default = "default_formats")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    formats: bool,
}

fn default_formats() -> bool {
    true
}

/// Rules that are told of one record.
const TOLD: usize = 3;
/// Characters of one told rule, and of the value that breaks it.
const LENGTH: usize = 200;

impl ValidateRecords {
    fn validator(&self) -> Result<Validator, String> {
        if !matches!(self.schema, Json::Object(_) | Json::Bool(_)) {
            return Err("a schema is an object".to_owned());
        }
        jsonschema::options()
            .should_validate_formats(self.formats)
            .with_pattern_options(PatternOptions::regex())
            .build(&self.schema)
            .map_err(|error| {
                let place = error.instance_path().as_str();
                let at = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
                format!("this is no sound schema{at}: {}", cut(&error.to_string()))
            })
    }
}

impl Config for ValidateRecords {
    const META: Meta = Meta {
        examples: &[
            (
                "Orders",
                r##"{"schema":{"type":"object","required":["id","amount"],"properties":{"id":{"type":"integer","minimum":1},"amount":{"type":"number","exclusiveMinimum":0},"email":{"type":["string","null"],"format":"email"},"lines":{"type":"array","items":{"$ref":"#/$defs/line"}}},"$defs":{"line":{"type":"object","required":["sku"],"properties":{"sku":{"type":"string","pattern":"^[A-Z]{2}[0-9]+$"}}}}}}"##,
            ),
            (
                "No other fields than these",
                r#"{"schema":{"properties":{"name":{"type":"string","maxLength":100},"day":{"format":"date"}},"additionalProperties":false},"formats":true}"#,
            ),
        ],
        several: true,
        ..Meta::new("validate_records", "Validate records", "records")
    };

    fn check(&self) -> Vec<Issue> {
        let fault = self.validator().err();
        let help = "see json-schema.org; references lead only into the schema itself";
        fault.map(|message| Issue::new("schema", message, help)).into_iter().collect()
    }
}

impl TransformConfig for ValidateRecords {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let validator = self.validator().map_err(|message| Error::config("validate.bad_schema", message))?;
        Ok(Box::new(Validate { validator }))
    }
}

struct Validate {
    validator: Validator,
}

impl Validate {
    fn judge(&self, record: &RecordRef<'_>) -> Result<(), RecordError> {
        let members = record.fields().map(|(name, value)| (name.to_owned(), json(value)));
        let object = Json::Object(members.collect::<Map<_, _>>());
        if self.validator.is_valid(&object) {
            return Ok(());
        }
        let mut errors = self.validator.iter_errors(&object);
        let mut field = None;
        let mut told = Vec::new();
        for error in errors.by_ref().take(TOLD) {
            let at = place(&error);
            told.push(tell(&error, &at));
            field.get_or_insert(at);
        }
        let more = errors.count();
        if more > 0 {
            told.push(format!("and {more} more"));
        }
        let message = told.join("; ");
        Err(match field.filter(|field| !field.is_empty()) {
            Some(field) => RecordError::in_field("validate.invalid", cut(&field), message),
            None => RecordError::new("validate.invalid", message),
        })
    }
}

/// The field at fault, dotted; of one that is missing, where it should be.
fn place(error: &ValidationError<'_>) -> String {
    let mut place = error.instance_path().as_str().trim_start_matches('/').replace('/', ".");
    place = place.replace("~1", "/").replace("~0", "~");
    if let ValidationErrorKind::Required { property } = error.kind()
        && let Some(name) = property.as_str()
    {
        if !place.is_empty() {
            place.push('.');
        }
        place.push_str(name);
    }
    place
}

/// The rule that is broken, and the value where it is short.
fn tell(error: &ValidationError<'_>, at: &str) -> String {
    let rule = error.kind().keyword();
    let why = error.masked_with("the value").to_string();
    let value = match error.instance().as_ref() {
        Json::String(text) => format!(" (`{}`)", cut(text)),
        scalar @ (Json::Number(_) | Json::Bool(_)) => format!(" (`{}`)", cut(&scalar.to_string())),
        _ => String::new(),
    };
    let at = if at.is_empty() { "the record".to_owned() } else { format!("`{}`", cut(at)) };
    format!("{at} breaks `{rule}`: {}{value}", cut(&why))
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A value as the JSON that it would be written as.
fn json(value: Ref<'_>) -> Json {
    match value {
        Ref::Missing | Ref::Null => Json::Null,
        Ref::Bool(value) => value.into(),
        Ref::I64(value) => value.into(),
        Ref::Str(text) => text.into(),
        Ref::List(list) => list.iter().map(json).collect(),
        Ref::Map(map) => {
            let entries = map.iter().filter(|(_, value)| !value.is_missing());
            Json::Object(entries.map(|(name, value)| (name.to_owned(), json(value))).collect())
        }
        Ref::Raw(text) => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        other => other.to_value().to_json(),
    }
}

impl Transform for Validate {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        out.reject(batch.try_retain(|record| self.judge(record).map(|()| true)));
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
