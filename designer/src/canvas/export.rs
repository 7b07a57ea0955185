//! The channel as a picture: an SVG or PNG file, or a page of paper.

use fairway_canvas::picture::{Card, Drawing, Line, Plate};
use fairway_canvas::{Point, Rect};
use fairway_shared::component::Kind;
use leptos::prelude::*;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement, Url};

use super::Surface;
use crate::i18n::{components, t};
use crate::parts::download;
use crate::state::NodePorts;
use crate::state::editor::{Group, Note};

/// Pixels of a PNG for each unit of the world.
const SHARP: f64 = 2.0;
/// Longest side of a PNG: browsers draw nothing larger.
const LONGEST: f64 = 8192.0;

/// Colours of paper: the light theme's.
fn colour(kind: Kind) -> &'static str {
    match kind {
        Kind::Source => "#0c7c86",
        Kind::Transform => "#7352c4",
        Kind::Sink => "#a2468a",
    }
}

fn drawing(surface: Surface) -> Drawing {
    let editor = surface.editor;
    let catalog = editor.catalog();
    let nodes = editor.nodes.get_untracked();
    let plates = nodes.iter().map(|node| Plate {
        rect: node.rect(),
        title: editor.name_of(node),
        kind: catalog.get(&node.component).map_or_else(|| node.component.clone(), components::title),
        colour: colour(node.kind),
    });
    let lines = editor.edges.with_untracked(|edges| {
        edges
            .iter()
            .map(|edge| Line {
                curve: edge.curve_untracked(),
                errors: edge.from_port == fairway_canvas::Port::Errors,
            })
            .collect()
    });
    let notes = editor.notes.with_untracked(|notes| {
        let card = |note: &serde_json::Value| {
            let Note { rect, text } = Note::of(note);
            Card { rect, text, frame: false }
        };
        notes.iter().map(card).collect::<Vec<_>>()
    });
    let frames = editor.groups.with_untracked(|groups| {
        let card = |group: &serde_json::Value| {
            let Group { title, nodes } = Group::of(group);
            let rects = nodes
                .iter()
                .filter_map(|id| editor.node(id))
                .map(|node| node.ports.with_untracked(NodePorts::shape).rect(node.at.get_untracked()));
            let rect = Rect::around(rects)?.inflate(28.0);
            Some(Card { rect: Rect { y: rect.y - 12.0, h: rect.h + 12.0, ..rect }, text: title, frame: true })
        };
        groups.iter().filter_map(card).collect::<Vec<_>>()
    });
    let (name, title) =
        editor.metadata.with_untracked(|metadata| (metadata.name.clone(), metadata.title.clone()));
    let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| name.clone());
    let version = editor.deployed.get_untracked().map(|version| format!("v{version}"));
    Drawing {
        title,
        subtitle: version.into_iter().fold(name, |name, version| format!("{name} · {version}")),
        plates: plates.collect(),
        lines,
        cards: frames.into_iter().chain(notes).collect(),
    }
}

/// A file name without what file systems do not take.
fn file_name(surface: Surface, ending: &str) -> String {
    let name = surface.editor.metadata.with_untracked(|metadata| metadata.name.clone());
    let plain: String =
        name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).take(80).collect();
    format!(
        "{}.{ending}",
        if plain.trim_matches('-').is_empty() { "channel" } else { plain.trim_matches('-') }
    )
}

/// Saves it as SVG.
pub(super) fn svg(surface: Surface) {
    let text = drawing(surface).svg();
    if download::save_as(&file_name(surface, "svg"), "image/svg+xml", &text).is_err() {
        surface.editor.toasts().bad(t!("download-failed"), None);
    }
}

/// Saves it as PNG.
pub(super) fn png(surface: Surface) {
    let drawing = drawing(surface);
    let name = file_name(surface, "png");
    leptos::task::spawn_local(async move {
        let saved = match painted(&drawing).await {
            Ok(blob) => download::save_blob(&name, &blob),
            Err(error) => Err(error),
        };
        if saved.is_err() {
            surface.editor.toasts().bad(t!("download-failed"), None);
        }
    });
}

async fn painted(drawing: &Drawing) -> Result<Blob, JsValue> {
    let bounds = drawing.bounds();
    let sharp = SHARP.min(LONGEST / bounds.w.max(bounds.h));
    let size = Point::new((bounds.w * sharp).ceil(), (bounds.h * sharp).ceil());
    let options = BlobPropertyBag::new();
    options.set_type("image/svg+xml");
    let parts = js_sys::Array::of1(&JsValue::from_str(&drawing.svg()));
    let url = Url::create_object_url_with_blob(&Blob::new_with_str_sequence_and_options(&parts, &options)?)?;
    let image = HtmlImageElement::new()?;
    image.set_src(&url);
    let ready = JsFuture::from(image.decode()).await;
    let painted = async {
        ready?;
        let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
        canvas.set_width(size.x as u32);
        canvas.set_height(size.y as u32);
        let context: CanvasRenderingContext2d =
            canvas.get_context("2d")?.ok_or(JsValue::NULL)?.unchecked_into();
        context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, size.x, size.y)?;
        let blob = js_sys::Promise::new(&mut |resolve, reject| {
            let done = Closure::once_into_js(move |blob: JsValue| {
                let told = if blob.is_null() { reject } else { resolve };
                drop(told.call1(&JsValue::UNDEFINED, &blob));
            });
            // Without an answer the promise would wait for ever.
            if canvas.to_blob(done.unchecked_ref()).is_err() {
                leptos::logging::warn!("the browser paints no picture");
            }
        });
        JsFuture::from(blob).await
    }
    .await;
    Url::revoke_object_url(&url)?;
    Ok(painted?.unchecked_into())
}

/// Prints it: the page holds nothing but the picture meanwhile.
pub(super) fn print(surface: Surface) {
    let done = (|| -> Result<(), JsValue> {
        let page = document().create_element("div")?;
        page.set_class_name("print-page");
        // Our own drawing, in which every name is escaped (see `picture`).
        page.set_inner_html(&drawing(surface).svg());
        document().body().ok_or(JsValue::NULL)?.append_child(&page)?;
        let printed = window().print();
        page.remove();
        printed
    })();
    if done.is_err() {
        surface.editor.toasts().bad(t!("print-failed"), None);
    }
}
