//! Laws of the strategies, and the protocol under thousands of schedules.

mod allocation;
mod sim;
