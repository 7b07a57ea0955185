//! The panel on the left: the components that can be placed, by kind, with a search, or the outline of the channel
//! (`outline`). A component is dragged onto the canvas, or placed by click or Enter.

mod outline;

use fairway_shared::component::{ComponentSpec, Kind};
use leptos::prelude::*;

use self::outline::Outline;
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

/// The panel.
#[component]
pub(crate) fn Palette() -> impl IntoView {
    let surface = use_surface();
    let choice = move |outline: bool, hook: &'static str, text: String| {
        view! {
            <button
                role="tab"
                data-side=hook
                aria-selected=move || (surface.outline.get() == outline).to_string()
                aria-controls="side-panel"
                tabindex=move || if surface.outline.get() == outline { "0" } else { "-1" }
                on:click=move |_| if surface.outline.get_untracked() != outline { surface.toggle_outline() }
                on:keydown=move |event: web_sys::KeyboardEvent| {
                    if matches!(event.key().as_str(), "ArrowLeft" | "ArrowRight") {
                        event.prevent_default();
                        event.stop_propagation();
                        surface.toggle_outline();
                        focus_tab();
                    }
                }
            >
                {text}
            </button>
        }
    };
    view! {
        <aside class="palette" aria-label=t!("palette")>
            <div class="side-tabs" role="tablist" aria-label=t!("palette")>
                {choice(false, "components", t!("palette-components"))}
                {choice(true, "outline", t!("outline"))}
            </div>
            <div class="side-panel" id="side-panel" role="tabpanel" aria-label=move || if surface.outline.get() { t!("outline") } else { t!("palette-components") }>
                {move || if surface.outline.get() { view! { <Outline /> }.into_any() } else { view! { <Components /> }.into_any() }}
            </div>
        </aside>
    }
}

/// Brings the focus to the tab that is shown.
fn focus_tab() {
    use wasm_bindgen::JsCast;
    request_animation_frame(|| {
        let tab = document().query_selector(".side-tabs [aria-selected=true]").ok().flatten();
        if let Some(tab) = tab.and_then(|tab| tab.dyn_into::<web_sys::HtmlElement>().ok())
            && tab.focus().is_err()
        {
            leptos::logging::warn!("a tab did not take the focus");
        }
    });
}

/// The components.
#[component]
fn Components() -> impl IntoView {
    let session = use_session();
    let surface = use_surface();
    let search = RwSignal::new(String::new());
    let first = Memo::new(move |_| {
        let text = search.get();
        let kinds = [Kind::Source, Kind::Transform, Kind::Sink];
        session.catalog.with(|catalog| {
            let all = catalog.as_ref().filter(|_| !text.trim().is_empty())?.all();
            let of = |kind| all.iter().find(|spec| spec.kind == kind && matches(spec, &text));
            kinds.into_iter().find_map(of).map(|spec| spec.name.clone())
        })
    });
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
    // Only beside the whole list: a search finds them where they are anyway.
    let first_of = move |names: Vec<String>, hook: &'static str, title: String| {
        let wanted = search.with(|search| search.trim().is_empty());
        let catalog = session.catalog.get().filter(|_| wanted)?;
        let specs: Vec<ComponentSpec> = names.iter().filter_map(|name| catalog.get(name).cloned()).collect();
        (!specs.is_empty()).then(|| {
            view! {
                <section data-first=hook>
                    <h2>{title}</h2>
                    <ul>{specs.into_iter().map(|spec| view! { <Item spec hook /> }).collect_view()}</ul>
                </section>
            }
        })
    };
    let favourites = move || first_of(session.favourites.get(), "favourite", t!("palette-favourites"));
    let recent = move || {
        let chosen = session.favourites.get();
        let names = session.recent.get().into_iter().filter(|name| !chosen.contains(name)).collect();
        first_of(names, "recent", t!("palette-recent"))
    };
    let none = move || {
        let text = search.get();
        session.catalog.with(|catalog| {
            catalog.as_ref().is_some_and(|catalog| !catalog.all().iter().any(|spec| matches(spec, &text)))
        })
    };
    view! {
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
                    on:keydown=move |event: web_sys::KeyboardEvent| match event.key().as_str() {
                        // Enter places the first that is found, as the small search on the canvas does.
                        "Enter" => {
                            if let Some(name) = first.get_untracked() {
                                crate::canvas::place_beside(surface, &name);
                            }
                        }
                        "Escape" if !search.with_untracked(String::is_empty) => search.set(String::new()),
                        _ => {}
                    }
                />
            </label>
            <div class="palette-list">
                {favourites}
                {recent}
                {groups}
                {move || none().then(|| view! { <p class="none" role="status">{t!("palette-none")}</p> })}
            </div>
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
            <h2>{title}</h2>
            <ul>{specs.into_iter().map(|spec| view! { <Item spec hook="all" /> }).collect_view()}</ul>
        </section>
    }
}

/// A component; `hook` says in which list it stands.
#[component]
fn Item(spec: ComponentSpec, hook: &'static str) -> impl IntoView {
    let surface = use_surface();
    let session = use_session();
    let name = StoredValue::new(spec.name.clone());
    // A press becomes a drag or, when it stays where it was, the click that places the component.
    let press = move |event: web_sys::PointerEvent| {
        name.with_value(|name| crate::canvas::palette_down(surface, name, &event))
    };
    let place = move |_| name.with_value(|name| crate::canvas::place_beside(surface, name));
    let chosen = Memo::new(move |_| {
        session.favourites.with(|favourites| name.with_value(|name| favourites.contains(name)))
    });
    let title = components::title(&spec);
    let star = t!("palette-favourite", name = title.as_str());
    // Each is once what its name finds, whatever else lists it.
    let (whole, first) = match hook {
        "all" => (Some(spec.name.clone()), None),
        _ => (None, Some(spec.name.clone())),
    };
    view! {
        <li data-kind=crate::canvas::kind_word(spec.kind) data-favourite=move || chosen.get().to_string()>
            <button class="palette-item" data-palette=whole data-first-item=first title=components::summary(&spec) on:pointerdown=press on:click=place>
                <span class="node-icon">{component_icon(&spec.name, &spec.family, spec.kind)}</span>
                <span class="clip">{title}</span>
            </button>
            <button
                class="icon-button small star"
                data-action="favourite"
                aria-label=star.clone()
                title=star
                aria-pressed=move || chosen.get().to_string()
                on:click=move |_| name.with_value(|name| session.toggle_favourite(name))
            >
                {icon(Icon::Star)}
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
