//! The settings of a node: its title, then the form that its component's schema describes.

use std::sync::Arc;

use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::form::{self, Field, FormModel};
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::address::HookAddress;
use super::field::desk::{Desk, is_about};
use super::field::offers::Offers;
use super::field::{FieldBlock, Slot};
use super::focus_field;
use super::mapper::{Mapper, faced};
use super::test::ConnectionTest;
use crate::drawer::Trying;
use crate::i18n::{components, t};
use crate::icons::{Icon, component_icon, icon};
use crate::parts::markdown;
use crate::state::editor::{NodeView, use_editor};

/// The form.
#[component]
pub(super) fn NodeForm(node: Arc<NodeView>) -> impl IntoView {
    let editor = use_editor();
    let catalog = editor.catalog();
    let spec = catalog.get(&node.component).cloned();
    let id = node.id.clone();
    let config = node.config.clone();
    let offers = Offers::of_node(editor, &node.id, spec.as_ref(), Signal::derive(move || config.get()));
    provide_context(Desk::of_node(editor, &node.component, offers));
    Effect::new(move || {
        if let Some(wish) = editor.wish.get() {
            editor.wish.set(None);
            focus_field(wish.field);
        }
    });

    let title = node.title.clone();
    let rename = {
        let id = id.clone();
        move |event| editor.set_title(&id, event_target_value(&event))
    };
    let delete = {
        let id = id.clone();
        move |_| {
            editor.select_node(&id);
            editor.remove_selected(false);
        }
    };
    // What is wrong with the node but not with a field of its form.
    let general = {
        let id = id.clone();
        Memo::new(move |_| {
            editor.problems.with(|problems| {
                let mine = problems.iter().filter(|problem| {
                    problem.place.node.as_deref() == Some(id.as_str()) && problem.place.field.is_none()
                });
                mine.cloned().collect::<Vec<_>>()
            })
        })
    };
    let (heading, family, docs) = match &spec {
        Some(spec) => (components::title(spec), spec.family.clone(), components::docs(spec)),
        None => (node.component.clone(), String::new(), String::new()),
    };
    let mut face = None;
    let form = match &spec {
        Some(spec) => {
            let mut model = form::model(&spec.config_schema);
            components::localise(&mut model, &spec.name);
            let model = Arc::new(model);
            face = Some(view! { <Mapper node=node.clone() model=model.clone() /> });
            view! { <Form node=node.clone() model offers /> }.into_any()
        }
        None => view! {
            <p class="note" data-tone="warn">{icon(Icon::Warning)} <span>{t!("unknown-component", name = node.component.as_str())}</span></p>
            <pre class="raw">{serde_json::to_string_pretty(&node.config.get_untracked()).unwrap_or_default()}</pre>
        }
        .into_any(),
    };
    view! {
        <header class="inspector-head" data-kind=crate::canvas::kind_word(node.kind)>
            <span class="node-icon">{component_icon(&node.component, &family, node.kind)}</span>
            <div class="grow">
                <h2 class="clip">{heading}</h2>
                <p class="faint clip mono">{id.clone()}</p>
            </div>
            <button class="icon-button small danger" data-action="delete-node" aria-label=t!("delete-node") title=t!("delete-node") on:click=delete>
                {icon(Icon::Trash)}
            </button>
        </header>
        <div class="inspector-body" data-inspected=id.clone()>
            {move || general.get().into_iter().map(|problem| view! { <super::field::Message problem /> }).collect_view()}
            <div class="field">
                <label class="label" for="node-title">{t!("node-title")}</label>
                <input
                    id="node-title"
                    class="input"
                    data-field="title"
                    placeholder=id.clone()
                    prop:value=move || title.get().unwrap_or_default()
                    on:input=rename
                    on:blur=move |_| editor.close_entry()
                />
            </div>
            <HookAddress node=node.clone() />
            {face}
            <div data-form="">{form}</div>
            {(!docs.is_empty()).then(|| view! {
                <details class="docs">
                    <summary>{t!("about-component")}</summary>
                    {markdown::block(&docs)}
                </details>
            })}
        </div>
    }
}

/// The settings of several nodes of one component: what is changed is changed at all of them, as one step.
#[component]
pub(super) fn BulkForm(nodes: Vec<Arc<NodeView>>) -> impl IntoView {
    let editor = use_editor();
    let catalog = editor.catalog();
    let Some((node, others)) = nodes.split_first() else { return ().into_any() };
    let same = others.iter().all(|other| other.component == node.component);
    let Some(spec) = catalog.get(&node.component).filter(|_| same) else { return ().into_any() };
    let config = node.config.clone();
    let offers = Offers::of_node(editor, &node.id, Some(spec), Signal::derive(move || config.get()));
    provide_context(Desk::of_node(editor, &node.component, offers));
    let mut model = form::model(&spec.config_schema);
    components::localise(&mut model, &spec.name);
    view! {
        <section class="bulk" data-testid="bulk">
            <h3>{t!("bulk-title", component = components::title(spec))}</h3>
            <p class="help">{t!("bulk-help", count = nodes.len())}</p>
            <div data-form=""><Form node=node.clone() model=Arc::new(model) offers others=others.to_vec() /></div>
        </section>
    }
    .into_any()
}

/// The fields: those without a group, groups under their headings, rare ones folded away.
#[component]
fn Form(
    node: Arc<NodeView>,
    model: Arc<FormModel>,
    offers: Offers,
    /// Nodes of the same component that are set with it.
    #[prop(optional)]
    others: Vec<Arc<NodeView>>,
) -> impl IntoView {
    let editor = use_editor();
    if model.fields.is_empty() {
        return view! { <p class="muted">{t!("nothing-to-set")}</p> }.into_any();
    }
    let id = node.id.clone();
    let config = node.config.clone();
    // Whether access data are shown although a connection has them.
    let here = RwSignal::new(false);
    let hidden = {
        let (model, config) = (model.clone(), config.clone());
        Memo::new(move |_| {
            config.with(|config| {
                let hides = |field: &Field| field.access && !config.contains_key(&field.name);
                !here.get() && is_connected(config) && model.fields.iter().any(hides)
            })
        })
    };
    // The list that the face above shows as well is folded away, unless the face has nothing to show, or a row of the list is wrong. Once
    // unfolded it stays so: nothing shuts under somebody's hands.
    let faced = faced(&node.component);
    let trying: Trying = expect_context();
    let about = {
        let id = id.clone();
        move |part: bool| {
            let Some(setting) = faced else { return Vec::new() };
            editor.problems.with(|problems| {
                let here = |problem: &&Diagnostic| {
                    is_about(problem, &id, setting)
                        && (problem.place.field.as_deref() != Some(setting)) == part
                };
                problems.iter().filter(here).cloned().collect::<Vec<_>>()
            })
        }
    };
    let unfolded = {
        let (id, about) = (id.clone(), about.clone());
        Memo::new(move |before: Option<&bool>| {
            let nothing = faced.is_some() && trying.incoming(&id).is_some_and(|fields| fields.is_empty());
            before == Some(&true) || nothing || about(true).iter().any(Diagnostic::is_error)
        })
    };
    let said = Memo::new(move |_| about(false));
    let fold = move |field: &Field, block: AnyView| {
        match faced == Some(field.name.as_str()) {
        true => view! {
            <details class="rare as-list" prop:open=move || unfolded.get()>
                <summary data-action="as-list">{t!("as-list")}</summary>
                {block}
            </details>
            <div class="as-list-said">{move || said.get().into_iter().map(|problem| view! { <super::field::Message problem /> }).collect_view()}</div>
        }
        .into_any(),
        false => block,
    }
    };
    let block = {
        let (model, config) = (model.clone(), config.clone());
        move |field: Field| {
            let name = field.name.clone();
            let value = {
                let (config, name) = (config.clone(), name.clone());
                Memo::new(move |_| config.with(|config| config.get(&name).cloned()))
            };
            let differs = {
                let (others, name) = (others.clone(), name.clone());
                Memo::new(move |_| {
                    let mine = value.get();
                    others.iter().any(|other| other.config.with(|config| config.get(&name) != mine.as_ref()))
                })
            };
            let set = {
                let (id, name) = (id.clone(), name.clone());
                let all: Vec<String> =
                    std::iter::once(&id).chain(others.iter().map(|other| &other.id)).cloned().collect();
                Callback::new(move |(key, value): (String, Option<Value>)| match all.as_slice() {
                    [_] => editor.set_config(&id, &name, value, &key),
                    all => editor.set_config_of_all(all, &name, value.as_ref()),
                })
            };
            let place = Slot { node: id.clone(), path: name, value: value.into(), set };
            let shown = {
                let (model, config, field) = (model.clone(), config.clone(), field.clone());
                Memo::new(move |_| {
                    config.with(|config| {
                        // What the connection says need not be said here, though it may.
                        let by_connection = field.access
                            && !here.get()
                            && is_connected(config)
                            && !config.contains_key(&field.name);
                        !by_connection && model.is_shown(&field, config)
                    })
                })
            };
            let folded = field.clone();
            let block = view! {
                {move || shown.get().then(|| view! { <FieldBlock field=field.clone() place=place.clone() /> })}
                {move || (differs.get() && shown.get()).then(|| view! { <p class="help differs" data-differs="">{t!("bulk-differs")}</p> })}
            };
            fold(&folded, block.into_any())
        }
    };
    let plain = |group: Option<&str>| {
        model.of_group(group).filter(|field| !field.advanced).cloned().collect::<Vec<_>>()
    };
    let rare: Vec<Field> = model.fields.iter().filter(|field| field.advanced).cloned().collect();
    let groups = model.groups.iter().filter_map(|group| {
        let fields = plain(Some(&group.name));
        (!fields.is_empty()).then(|| {
            view! {
                <section class="group">
                    <h3>{group.title.clone()}</h3>
                    {fields.into_iter().map(block.clone()).collect_view()}
                </section>
            }
        })
    });
    // Where the system is and how to get in comes first, with a test of it; a file is tested behind the settings.
    let (access, others): (Vec<Field>, Vec<Field>) =
        plain(None).into_iter().partition(|field| field.access || field.name == "connection");
    let (before, after) = match access.is_empty() {
        true => (None, offers.can_probe().then(|| test_of(offers))),
        false => (offers.can_probe().then(|| test_of(offers)), None),
    };
    // Rare settings that are set, or wrong, are not hidden.
    let open = rare.iter().any(|field| config.with_untracked(|config| config.contains_key(&field.name)));
    view! {
        {access.into_iter().map(block.clone()).collect_view()}
        {move || hidden.get().then(|| view! {
            <p class="help set-here">
                {t!("access-by-connection")} " "
                <button type="button" class="link" data-action="set-here" on:click=move |_| here.set(true)>{t!("access-set-here")}</button>
            </p>
        })}
        {before}
        {others.into_iter().map(block.clone()).collect_view()}
        {groups.collect_view()}
        {after}
        {(!rare.is_empty()).then(|| view! {
            <details class="rare" open=open>
                <summary>{t!("more-settings")}</summary>
                {rare.into_iter().map(block).collect_view()}
            </details>
        })}
    }
    .into_any()
}

fn test_of(offers: Offers) -> impl IntoView {
    view! { <ConnectionTest probe=offers.told test=Callback::new(move |()| offers.test()) /> }
}

/// Whether the settings name a connection.
fn is_connected(config: &Map<String, Value>) -> bool {
    config.get("connection").and_then(Value::as_str).is_some_and(|name| !name.is_empty())
}
