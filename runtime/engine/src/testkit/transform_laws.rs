//! What every transform must hold to, whichever it is: the suite that a registry runs over all of them, with each worked
//! example as the settings.
//!
//! Records are made hostile to the settings at hand: every word in them is taken for the name of a field, and every such
//! field holds every kind of value in turn, or nothing.

mod records;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use self::records::{Row, batches, giants, hostile};
use crate::component::{Component, Opener};
use crate::data::Batch;
use crate::data::json_write::write_record;
use crate::transform::{Output, Transform, TransformCtx};

/// Runs every law with every example of the component.
///
/// # Panics
/// If the transform breaks one, saying which and with which settings.
pub fn transform_conforms(component: &Component) {
    let spec = component.spec();
    assert!(!spec.examples.is_empty(), "{}: it has no example to run", spec.name);
    for example in &spec.examples {
        let case =
            Case { component, config: &example.config, name: format!("{} ({})", spec.name, example.title) };
        case.open();
        let rows = hostile(case.config);
        let whole = case.run(&rows, 100);
        for size in [1, 2] {
            let cut = case.run(&rows, size);
            let differs = whole.iter().zip(&cut).find(|(whole, cut)| whole != cut);
            assert!(
                whole.len() == cut.len() && differs.is_none(),
                "{}: batches of {size} give another result (G9): {} and {} records; first: {:.600}",
                case.name,
                whole.len(),
                cut.len(),
                format!("{differs:?}")
            );
        }
        case.withstand(&giants(case.config));
    }
}

/// A transform with settings.
struct Case<'a> {
    component: &'a Component,
    config: &'a Json,
    name: String,
}

/// What became of a record: where it left, its child index, and what it was then.
type Fate = (u64, String, u32, String);

impl Case<'_> {
    fn open(&self) -> Box<dyn Transform> {
        let Opener::Transform(open) = self.component.opener else { panic!("{} is no transform", self.name) };
        let cx = TransformCtx { uid: "uid".into(), node: "node".into() };
        match open(self.config.clone(), cx) {
            Ok(transform) => transform,
            Err(error) => panic!("{}: the example does not open: {error}", self.name),
        }
    }

    /// Sends rows through in batches of a size, holds every batch to the laws, and answers the fates in order.
    fn run(&self, rows: &[Row], size: usize) -> Vec<Fate> {
        let outputs = self.component.ports(self.config).outputs.len();
        let mut transform = self.open();
        let mut fates = Vec::new();
        for batch in batches(rows, size) {
            // A branch of the drawing shares the batch and must not see what happens to it here.
            let sibling = batch.clone();
            let before = lines(&sibling);
            let mut output = Output::default();
            if let Err(error) = transform.apply(batch, &mut output) {
                panic!("{}: a record failed the whole task: {error} (G10)", self.name);
            }
            assert!(lines(&sibling) == before, "{}: a clone saw the change", self.name);
            self.judge(&sibling, &before, &output, outputs);
            fates.extend(told(&output));
        }
        fates.sort();
        fates
    }

    /// Sends rows through that are too large to be compared, and counts them: each leaves, is refused, or is dropped.
    fn withstand(&self, rows: &[Row]) {
        let mut transform = self.open();
        for batch in batches(rows, 100) {
            let given = batch.len();
            let mut output = Output::default();
            if let Err(error) = transform.apply(batch, &mut output) {
                panic!("{}: a large record failed the whole task: {error} (G10)", self.name);
            }
            let errors = output.rejects.iter().flat_map(|rejects| &rejects.errors);
            let lengths: Vec<usize> = errors.map(|error| error.message.len()).collect();
            assert!(
                lengths.iter().all(|length| *length < 2_000),
                "{}: an error repeats a whole value",
                self.name
            );
            assert!(lengths.len() <= given, "{}: a record was refused twice", self.name);
        }
    }

    /// Holds what came of a batch to the laws.
    fn judge(&self, given: &Batch, before: &[String], output: &Output, outputs: usize) {
        let name = &self.name;
        let known: BTreeMap<u64, usize> =
            given.metas().iter().enumerate().map(|(at, meta)| (meta.order, at)).collect();
        let mut left = BTreeSet::new();
        let mut last: BTreeMap<usize, (u64, u32)> = BTreeMap::new();
        for (port, batch) in &output.batches {
            assert!(*port < outputs, "{name}: there is no output {port}");
            for record in batch.records() {
                let meta = record.meta();
                let at = known.get(&meta.order);
                let at = *at.unwrap_or_else(|| panic!("{name}: record {} was made of nothing", meta.order));
                assert_eq!(meta.row, given.metas()[at].row, "{name}: a record changed its row");
                assert_eq!(record.extra(), given.record(at).extra(), "{name}: key, headers or time changed");
                // Positions are read from metas, so their order must hold on every way out.
                let place = (meta.order, meta.child);
                let earlier = last.insert(*port, place);
                assert!(earlier.is_none_or(|earlier| earlier < place), "{name}: records lost their order");
                left.insert(meta.order);
            }
        }
        let mut refused = BTreeSet::new();
        for rejects in &output.rejects {
            assert_eq!(rejects.batch.len(), rejects.errors.len(), "{name}: refused records without errors");
            for (line, (meta, error)) in
                lines(&rejects.batch).iter().zip(rejects.batch.metas().iter().zip(&rejects.errors))
            {
                assert!(*line == before[known[&meta.order]], "{name}: a refused record leaves changed");
                assert!(
                    error.code.contains('.') && !error.message.is_empty(),
                    "{name}: {error:?} says nothing"
                );
                assert!(error.message.len() < 2_000, "{name}: an error repeats a whole value");
                assert!(refused.insert(meta.order), "{name}: a record was refused twice");
            }
        }
        // I1: each record leaves, is refused, or is dropped: one of them.
        assert!(left.is_disjoint(&refused), "{name}: a record both left and was refused");
        if let Some(dropped) = output.said_dropped() {
            let missing = given.len() - left.len() - refused.len();
            assert_eq!(dropped, missing as u64, "{name}: not all dropped records are said to be");
        }
    }
}

/// Records as lines of JSON.
fn lines(batch: &Batch) -> Vec<String> {
    let line = |record| {
        let mut out = Vec::new();
        write_record(&record, &mut out);
        String::from_utf8(out).expect("JSON is text")
    };
    batch.records().map(line).collect()
}

/// Where each record left and with which values, types and all.
fn told(output: &Output) -> Vec<Fate> {
    let mut fates = Vec::new();
    for (port, batch) in &output.batches {
        for record in batch.records() {
            let meta = record.meta();
            fates.push((meta.order, format!("out {port}"), meta.child, format!("{record:?}")));
        }
    }
    for rejects in &output.rejects {
        for (meta, error) in rejects.batch.metas().iter().zip(&rejects.errors) {
            fates.push((meta.order, "errors".to_owned(), 0, format!("{error:?}")));
        }
    }
    fates
}
