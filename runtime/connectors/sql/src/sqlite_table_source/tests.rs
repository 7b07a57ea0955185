//! One file a promise: each row once, whatever is killed or changed; tables and columns; values.

mod limits;
mod once;
mod tables;
mod values;

use crate::reading::testing::Driven;
use crate::testing::Bay;
use fairway_engine::position::Mark;

/// A source on the file of a bay; `config` is the inside of an object.
async fn open(bay: &Bay, config: &str, marks: Vec<Mark>) -> Driven {
    let config = format!("{{\"path\":\"x.db\",\"poll\":\"10ms\",{config}}}");
    Driven::open("sqlite_table_source", bay.root(), &config, marks).await
}

/// What one reading from these positions brings, and the positions after it.
async fn read(bay: &Bay, config: &str, marks: Vec<Mark>) -> (Vec<String>, Vec<Mark>) {
    open(bay, config, marks).await.all().await
}
