//! runtime/connectors/file
