//! The components that can be placed, by kind, with a search. An item is dragged onto the canvas, or placed by click or
//! Enter.

use fairway_shared::component::{ComponentSpec, Kind};
use leptos::prelude::*;

use crate::canvas::use_surface;
use crate::i18n::{components, t};
use crate::icons::{Icon, component_icon, icon};
use crate::state::use_session;

/// Whether a component is meant by a search: every word stands in its name, title, family or summary.
pub(crate) fn matches(spec: &ComponentSpec, search: &str) -> bool {
    let shown = (components::title(spec), components::summary(spec));
    let text =
        format!("{} {} {} {} {} {}", spec.name, spec.title, spec.family, spec.summary, shown.0, shown.1)
            .to_lowercase();
    search.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// The palette.
#[component]
pub(crate) fn Palette() -> impl IntoView {
    let session = use_session();
    let search = RwSignal::new(String::new());
    let groups = move || {
        let text = search.get();
        session.catalog.get().map(|catalog| {
            [
                (Kind::Source, t!("palette-sources")),
                (Kind::Transform, t!("palette-transforms")),
                (Kind::Sink, t!("palette-sinks")),
            ]
            .into_iter()
            .filter_map(|(kind, title)| {
                let specs: Vec<ComponentSpec> = catalog
                    .all()
                    .iter()
                    .filter(|spec| spec.kind == kind && matches(spec, &text))
                    .cloned()
                    .collect();
                (!specs.is_empty()).then(|| view! { <Group kind title specs /> })
            })
            .collect::<Vec<_>>()
        })
    };
    let none = move || {
        let text = search.get();
        session.catalog.with(|catalog| {
            catalog.as_ref().is_some_and(|catalog| !catalog.all().iter().any(|spec| matches(spec, &text)))
        })
    };
    view! {
        <aside class="palette" aria-label=t!("palette")>
            <label class="search">
                <span class="hidden-text">{t!("palette-search")}</span>
                {icon(Icon::Search)}
                <input
                    class="input"
                    type="search"
                    placeholder=t!("palette-search")
                    data-testid="palette-search"
                    prop:value=move || search.get()
                    on:input=move |event| search.set(event_target_value(&event))
                />
            </label>
            <div class="palette-list">
                {groups}
                {move || none().then(|| view! { <p class="none">{t!("palette-none")}</p> })}
            </div>
        </aside>
    }
}

#[component]
fn Group(kind: Kind, title: String, specs: Vec<ComponentSpec>) -> impl IntoView {
    let word = match kind {
        Kind::Source => "source",
        Kind::Transform => "transform",
        Kind::Sink => "sink",
    };
    view! {
        <section data-kind=word>
            <h3>{title}</h3>
            <ul>{specs.into_iter().map(|spec| view! { <Item spec /> }).collect_view()}</ul>
        </section>
    }
}

#[component]
fn Item(spec: ComponentSpec) -> impl IntoView {
    let surface = use_surface();
    let name = StoredValue::new(spec.name.clone());
    // A press becomes a drag or, when it stays where it was, the click that places the component.
    let press = move |event: web_sys::PointerEvent| {
        name.with_value(|name| crate::canvas::palette_down(surface, name, &event))
    };
    let place = move |_| name.with_value(|name| crate::canvas::place_beside(surface, name));
    view! {
        <li>
            <button class="palette-item" data-palette=spec.name.clone() title=components::summary(&spec) on:pointerdown=press on:click=place>
                <span class="node-icon">{component_icon(&spec.name, &spec.family, spec.kind)}</span>
                <span class="clip">{components::title(&spec)}</span>
            </button>
        </li>
    }
}

/// The component that is dragged, under the pointer.
#[component]
pub(crate) fn Ghost() -> impl IntoView {
    let surface = use_surface();
    let session = use_session();
    move || {
        let (name, at) = surface.ghost.get()?;
        let catalog = session.catalog.get_untracked()?;
        let spec = catalog.get(&name)?;
        let zoom = surface.view.with_untracked(|view| view.zoom).clamp(0.4, 1.5);
        let word = match spec.kind {
            Kind::Source => "source",
            Kind::Transform => "transform",
            Kind::Sink => "sink",
        };
        Some(view! {
            <div
                class="node ghost"
                data-kind=word
                style:transform=format!("translate({}px,{}px) scale({zoom}) translate(-50%,-50%)", at.x, at.y)
            >
                <div class="node-head">
                    <span class="node-icon">{component_icon(&spec.name, &spec.family, spec.kind)}</span>
                    <div class="node-names"><div class="node-title clip">{components::title(spec)}</div></div>
                </div>
            </div>
        })
    }
}
