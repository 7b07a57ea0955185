//! The templates of `assets/templates`: sound documents, of which those that read the samples run to their end.

use std::path::{Path, PathBuf};

use fairway_runtime::registry::Registry;
use fairway_shared::channel::text;
use fairway_shared::validate::{Facts, validate};
use serde_json::{Value, json};

use super::Place;

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets")
}

fn templates() -> Vec<(String, Value)> {
    let files = std::fs::read_dir(assets().join("templates")).unwrap().map(|file| file.unwrap().path());
    let documents = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut all: Vec<(String, Value)> = documents
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
        })
        .collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(all.len() >= 4, "there are templates to choose from");
    all
}

#[test]
fn every_template_is_sound() {
    let registry = Registry::standard();
    let facts = Facts { components: registry.specs(), ..Facts::default() };
    for (name, document) in templates() {
        let (channel, faults) = text::from_value(&document);
        assert!(faults.is_empty(), "{name}: {faults:?}");
        let found = validate(&channel.unwrap(), &facts);
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn those_with_sample_data_run_to_their_end() {
    let mut ran = 0;
    for (name, document) in templates() {
        if !document.to_string().contains("\"samples/") {
            continue;
        }
        let place = Place::new();
        for sample in std::fs::read_dir(assets().join("samples")).unwrap() {
            let sample = sample.unwrap();
            let to = format!("samples/{}", sample.file_name().to_string_lossy());
            place.write(&to, std::fs::read(sample.path()).unwrap());
        }
        let file = place.write(&format!("{name}.json"), document.to_string());
        let (code, summary) = place.run(&file, &[]);
        assert_eq!((code, &summary["outcome"]), (0, &json!("completed")), "{name}: {summary}");
        assert!(summary["delivered"].as_u64() > Some(0), "{name}: {summary}");
        let into = std::fs::read_dir(place.path("out")).unwrap().count();
        assert!(into > 0, "{name} writes nothing");
        ran += 1;
    }
    assert!(ran >= 3, "{ran} templates run with the sample data");
}
