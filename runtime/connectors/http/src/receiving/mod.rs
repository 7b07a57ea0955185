//! What a source that others call is made of. Requests come in by a listener of its own or by the runtime's port, and meet
//! at one desk.
//!
//! | File | Holds |
//! |---|---|
//! | `desk` | a request's way: admitted, read, checked, handed in, answered |
//! | `rules` | what the settings ask of a request's head |
//! | `room` | how many requests and bytes may wait (I5) |
//! | `body` | reading a body within its limits, compressed or not |
//! | `signature` | whether a request was signed with the secret |
//! | `intake` | requests that wait become a batch |
//! | `split` | where the records of a body are |
//! | `seen` | ids of requests, so that one sent twice counts once |
//! | `reply` | what a sender is told |
//! | `listener` | a port of one's own |
//! | `seats` | who sits on its places, and who leaves when others wait |

pub(crate) mod body;
pub(crate) mod desk;
pub(crate) mod intake;
pub(crate) mod listener;
pub(crate) mod reply;
pub(crate) mod room;
pub(crate) mod rules;
pub(crate) mod seats;
pub(crate) mod seen;
pub(crate) mod signature;
pub(crate) mod split;
