//! runtime/connectors/sql
