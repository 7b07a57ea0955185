//! runtime/transforms
