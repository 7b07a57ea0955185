//! Made-up records to nowhere through the whole engine: what moving a record costs by itself.
//!
//! `cargo xtask bench generate_to_discard [-- RECORDS]` (default 20 million).

use fairway_engine::task::Ended;
use fairway_engine::testkit::measure::{measured, peak_memory_mb};
use fairway_engine::testkit::{Bench, Drawing};
use fairway_runtime::registry::Registry;
use serde_json::json;

fn main() {
    let records: u64 = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(20_000_000);
    let registry = Registry::standard();
    let component = |name: &str| *registry.get(name).expect("a component of the registry");
    let fields = json!({ "n": { "sequence": {} } });
    let drawing = Drawing::new()
        .node("made", component("generate_source"), json!({ "count": records, "fields": fields }))
        .node("gone", component("discard_sink"), json!({}))
        .edges(&["made>gone"]);
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    for _ in 0..3 {
        measured("generate -> discard", records, || {
            let ended = runtime.block_on(Bench::default().run(&drawing));
            assert!(matches!(ended, Ok(Ended::Completed)), "{ended:?}");
        });
    }
    println!("peak memory of the process {} MB", peak_memory_mb());
}
