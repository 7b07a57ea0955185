//! What a target that calls others is made of.
//!
//! | File | Holds |
//! |---|---|
//! | `address` | an address with fields of the record in it |
//! | `lane` | records become requests, in order |
//! | `courier` | a group is sent: how many at a time, what is tried again, what was done already |
//! | `verdict` | what an answer means, and whose fault it is |
//! | `key` | a name for every record that is the same at every try |
//! | `client` | connections, TLS, redirects |

pub(crate) mod address;
pub(crate) mod client;
pub(crate) mod courier;
pub(crate) mod key;
pub(crate) mod lane;
pub(crate) mod verdict;
