//! runtime/connectors/builtin
