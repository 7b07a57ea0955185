//! Channels to begin with: documents from `assets/templates`, each with a title and a text in both languages.

use fairway_shared::api::channels::{AddChannel, CreateChannel, Picture, PictureNode};
use fairway_shared::channel::{Channel, text};
use leptos::prelude::*;
use serde_json::Value;

use super::picture::GraphPicture;
use super::{Channels, free_name};
use crate::api;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::Dialog;
use crate::router::{Route, use_router};
use crate::state::use_toasts;

/// A template.
struct Template {
    /// Name of the document, and of its file.
    name: &'static str,
    document: &'static str,
    title: fn() -> String,
    text: fn() -> String,
    /// Whether it runs with the sample data as it is.
    runs: bool,
}

/// All templates, those that run as they are first.
const TEMPLATES: &[Template] = &[
    Template {
        name: "late-flights",
        document: include_str!("../../../../assets/templates/late-flights.json"),
        title: || t!("template-late-flights"),
        text: || t!("template-late-flights-text"),
        runs: true,
    },
    Template {
        name: "weather-by-airport",
        document: include_str!("../../../../assets/templates/weather-by-airport.json"),
        title: || t!("template-weather-by-airport"),
        text: || t!("template-weather-by-airport-text"),
        runs: true,
    },
    Template {
        name: "csv-to-json-lines",
        document: include_str!("../../../../assets/templates/csv-to-json-lines.json"),
        title: || t!("template-csv-to-json-lines"),
        text: || t!("template-csv-to-json-lines-text"),
        runs: true,
    },
    Template {
        name: "webhook-to-table",
        document: include_str!("../../../../assets/templates/webhook-to-table.json"),
        title: || t!("template-webhook-to-table"),
        text: || t!("template-webhook-to-table-text"),
        runs: false,
    },
    Template {
        name: "kafka-to-postgres",
        document: include_str!("../../../../assets/templates/kafka-to-postgres.json"),
        title: || t!("template-kafka-to-postgres"),
        text: || t!("template-kafka-to-postgres-text"),
        runs: false,
    },
    Template {
        name: "postgres-to-kafka",
        document: include_str!("../../../../assets/templates/postgres-to-kafka.json"),
        title: || t!("template-postgres-to-kafka"),
        text: || t!("template-postgres-to-kafka-text"),
        runs: false,
    },
];

impl Template {
    fn channel(&self) -> Channel {
        let document: Value = serde_json::from_str(self.document).unwrap_or_default();
        text::from_value(&document).0.unwrap_or_default()
    }
}

/// What a small picture of a document needs.
fn picture(channel: &Channel) -> Picture {
    let spec = &channel.spec;
    let rank = |id: &str| spec.nodes.iter().position(|node| node.id == id);
    let nodes = spec.nodes.iter().map(|node| {
        let spot = channel.layout.nodes.get(&node.id);
        let (x, y) = spot.map(|spot| (spot.x, spot.y)).unwrap_or_default();
        PictureNode { component: node.component.clone(), x, y }
    });
    let edges = spec.edges.iter().filter_map(|edge| Some((rank(&edge.from.node)?, rank(&edge.to.node)?)));
    Picture { nodes: nodes.collect(), edges: edges.collect() }
}

/// The gallery.
#[component]
pub(super) fn Gallery(channels: Channels, close: Callback<()>) -> impl IntoView {
    let (router, toasts) = (use_router(), use_toasts());
    let making = RwSignal::new(false);
    let make = move |template: &'static Template| {
        if making.get_untracked() {
            return;
        }
        making.set(true);
        let mut channel = template.channel();
        channel.metadata.name = free_name(template.name, &channels.names());
        channel.metadata.title = Some((template.title)());
        channel.metadata.description = Some((template.text)());
        let document = text::to_value(&channel);
        leptos::task::spawn_local(async move {
            match api::call::<AddChannel>(&[], &CreateChannel { document }).await {
                Ok(channel) => router.go(Route::Canvas(channel.uid)),
                Err(problem) => {
                    let _left = making.try_set(false);
                    toasts.problem(&problem);
                }
            }
        });
    };
    let cards = TEMPLATES.iter().map(move |template| {
        view! {
            <li>
                <button type="button" class="template" data-template=template.name disabled=move || making.get() on:click=move |_| make(template)>
                    <GraphPicture picture=picture(&template.channel()) />
                    <span class="template-text">
                        <span class="what">{(template.title)()}</span>
                        <span class="more">{(template.text)()}</span>
                        {template.runs.then(|| view! { <span class="tag">{icon(Icon::Check)} {t!("template-runs")}</span> })}
                    </span>
                </button>
            </li>
        }
    });
    let foot = view! { <button class="button" on:click=move |_| close.run(())>{t!("cancel")}</button> };
    view! {
        <Dialog title=t!("templates-title") width="960px" testid="templates" on_close=close foot=foot.into_any()>
            <ul class="templates">{cards.collect_view()}</ul>
        </Dialog>
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_template_is_offered_as_the_document_it_is() {
        for template in TEMPLATES {
            let document: Value = serde_json::from_str(template.document).unwrap();
            let (channel, faults) = text::from_value(&document);
            assert!(faults.is_empty(), "{}: {faults:?}", template.name);
            assert_eq!(channel.unwrap().metadata.name, template.name);
            assert_eq!(template.runs, template.document.contains("\"samples/"), "{}", template.name);
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/templates");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|file| Some(file.unwrap().file_name().to_str()?.strip_suffix(".json")?.to_owned()))
            .collect();
        assert_eq!(files, TEMPLATES.iter().map(|template| template.name.to_owned()).collect());
    }
}
