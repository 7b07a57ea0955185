//! Product tests: the parts together, as a user meets them.
