//! An endpoint as a type: method, path template, request and answer. The server mounts it, the client calls it, the
//! OpenAPI description lists it; they cannot drift.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Does something.
    Post,
    /// Puts something in its place.
    Put,
    /// Takes something away.
    Delete,
}

impl Method {
    /// As written on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// No request body, or an answer without one (204).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct None {}

/// One endpoint.
pub trait Endpoint {
    /// Permanent name, the OpenAPI `operationId`.
    const ID: &'static str;
    /// HTTP method.
    const METHOD: Method;
    /// Path with `{parameters}`, from the root.
    const PATH: &'static str;
    /// One line for the reader of the API description.
    const SUMMARY: &'static str;
    /// Status of success.
    const STATUS: u16 = 200;
    /// Body of the request, [`None`] where there is none.
    type Request: Serialize + DeserializeOwned + JsonSchema;
    /// Body of the answer, [`None`] where there is none.
    type Answer: Serialize + DeserializeOwned + JsonSchema;
}

/// Declares endpoints: `endpoint!(Name, Get "/path" Request => Answer, "summary");`
macro_rules! endpoint {
    ($(#[$doc:meta])* $name:ident, $method:ident $path:literal $request:ty => $answer:ty, $summary:literal $(, $status:literal)?) => {
        $(#[$doc])*
        #[doc = $summary]
        #[derive(Debug, Clone, Copy)]
        pub struct $name;
        impl $crate::api::endpoint::Endpoint for $name {
            const ID: &'static str = stringify!($name);
            const METHOD: $crate::api::endpoint::Method = $crate::api::endpoint::Method::$method;
            const PATH: &'static str = $path;
            const SUMMARY: &'static str = $summary;
            $(const STATUS: u16 = $status;)?
            type Request = $request;
            type Answer = $answer;
        }
    };
}
pub(crate) use endpoint;
