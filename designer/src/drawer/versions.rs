//! Versions: what was deployed and when, what lies between one of them and the drawing, on the canvas and as text, and the way
//! back. Bringing a version back changes the draft only, and can be undone; rolling back deploys it after its plan was seen.

use std::sync::Arc;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::{ListVersions, Version};
use fairway_shared::channel::{Channel, text};
use leptos::prelude::*;

use crate::api;
use crate::canvas::use_surface;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::inspector::field::offers::Asked;
use crate::state::editor::{Comparison, Editor, Fate, diff_lines, use_editor};

/// The panel.
#[component]
pub(super) fn Versions() -> impl IntoView {
    let editor = use_editor();
    let surface = use_surface();
    let all = RwSignal::new(Asked::<Vec<Version>>::Waiting);
    // The later of the two: the drawing, or another version.
    let against = RwSignal::new(None::<u32>);
    Effect::new(move || {
        editor.deployed.track();
        let uid = editor.uid();
        leptos::task::spawn_local(async move {
            let asked = match api::call::<ListVersions>(&[("uid", &uid)], &Nothing {}).await {
                Ok(answer) => Asked::Answer(answer.versions),
                Err(problem) => Asked::Failed(api::said(&problem)),
            };
            // Another panel may be shown by now.
            drop(all.try_set(asked));
        });
    });
    on_cleanup(move || {
        surface.base.try_set(None);
    });
    let version = move |number: u32| {
        all.with(|all| match all {
            Asked::Answer(all) => all.iter().find(|one| one.version == number).and_then(channel_of),
            _ => None,
        })
    };
    let compare = move |number: u32| {
        let shown = surface.base.with_untracked(|base| base.as_ref().map(|base| base.0) == Some(number));
        let base = (!shown).then(|| version(number)).flatten().map(|channel| Arc::new((number, channel)));
        surface.base.set(base);
    };
    let rows = move || {
        match all.get() {
        Asked::Not | Asked::Waiting => {
            view! { <div class="drawer-none" role="status"><span class="spin">{icon(Icon::StateStarting)}</span></div> }.into_any()
        }
        Asked::Failed(why) => view! { <p class="note" data-tone="bad" role="alert">{icon(Icon::Error)} <span>{why}</span></p> }.into_any(),
        Asked::Answer(all) if all.is_empty() => view! { <div class="drawer-none">{t!("versions-none")}</div> }.into_any(),
        Asked::Answer(all) => {
            let rows = all.into_iter().map(|one| view! { <Row one compare=Callback::new(compare) /> });
            view! { <ol class="versions" aria-label=t!("versions")>{rows.collect_view()}</ol> }.into_any()
        }
    }
    };
    let numbers = move || {
        all.with(|all| match all {
            Asked::Answer(all) => all.iter().map(|one| one.version).collect::<Vec<_>>(),
            _ => Vec::new(),
        })
    };
    // Follows the drawing as it changes.
    let both = Memo::new(move |_| {
        let base = surface.base.get()?;
        editor.moved.track();
        let other = match against.get() {
            Some(number) => version(number)?,
            None => editor.with(Clone::clone),
        };
        Some((Comparison::of(&base.1, &other), diff_lines(&base.1, &other)))
    });
    let differences = move || {
        let base = surface.base.get()?;
        let options = numbers().into_iter().filter(|number| *number != base.0).map(|number| {
            view! { <option value=number.to_string() prop:selected=move || against.get() == Some(number)>{format!("v{number}")}</option> }
        });
        Some(view! {
            <div class="version-diff" data-testid="version-diff">
                <p class="version-against">
                    <b class="num">{format!("v{}", base.0)}</b>
                    <span class="faint">{t!("versions-against")}</span>
                    <label class="hidden-text" for="against">{t!("versions-against")}</label>
                    <select id="against" class="input small" on:change=move |event| against.set(event_target_value(&event).parse().ok())>
                        <option value="" prop:selected=move || against.get().is_none()>{t!("versions-draft")}</option>
                        {options.collect_view()}
                    </select>
                </p>
                {move || both.get().map(|(found, lines)| view! { <Differences editor found /> <Text lines /> })}
            </div>
        })
    };
    view! { <div class="versions-body">{rows} {differences}</div> }
}

fn channel_of(version: &Version) -> Option<Channel> {
    text::from_value(&version.document).0
}

#[component]
fn Row(one: Version, compare: Callback<u32>) -> impl IntoView {
    let editor = use_editor();
    let surface = use_surface();
    let number = one.version;
    let shown = move || surface.base.with(|base| base.as_ref().is_some_and(|base| base.0 == number));
    let document = StoredValue::new(channel_of(&one));
    let back = move |deploy: bool| {
        let Some(channel) = document.get_value() else { return };
        let before = editor.with(Clone::clone);
        editor.replace_document(channel);
        if deploy {
            editor.ask_plan();
        } else if editor.with(|now| *now != before) {
            let said = t!("version-brought-back", version = number);
            editor.toasts().offer(said, t!("key-undo"), Callback::new(move |()| editor.undo()));
        }
    };
    view! {
        <li data-version=number.to_string()>
            <b class="num">{format!("v{number}")}</b>
            <time datetime=one.created_at.clone() class="faint num">{format::moment(&one.created_at)}</time>
            {one.deployed.then(|| view! { <span class="tag" data-tone="good">{icon(Icon::Check)} {t!("version-in-force")}</span> })}
            <span class="grow"></span>
            <button type="button" class="button small" data-action="compare-version" aria-pressed=move || shown().to_string() on:click=move |_| compare.run(number)>
                {icon(Icon::Versions)}
                {t!("version-compare")}
            </button>
            <button type="button" class="button small quiet" data-action="bring-back" on:click=move |_| back(false)>{t!("version-bring-back")}</button>
            {(!one.deployed).then(|| view! {
                <button type="button" class="button small quiet" data-action="roll-back" on:click=move |_| back(true)>{icon(Icon::Undo)} {t!("version-roll-back")}</button>
            })}
        </li>
    }
}

/// What came, went and changed, each with the way to it.
#[component]
fn Differences(editor: Editor, found: Comparison) -> impl IntoView {
    if found.is_empty() {
        return view! { <p class="muted" data-testid="no-differences">{t!("versions-same")}</p> }.into_any();
    }
    let row = move |fate: &'static str, what: String, id: Option<String>, detail: String| {
        let name = match id {
            Some(id) => {
                let shown = editor.node(&id).map_or_else(|| id.clone(), |node| editor.name_of(&node));
                view! { <button type="button" class="link" on:click=move |_| editor.select_node(&id)><bdi>{shown}</bdi></button> }.into_any()
            }
            None => ().into_any(),
        };
        view! { <li data-diff=fate><span class="diff-mark">{what}</span> {name} <span class="faint"><bdi>{detail}</bdi></span></li> }
    };
    let gone = |id: String| id;
    let rows = found
        .added
        .iter()
        .map(|id| row("added", t!("diff-added"), Some(id.clone()), String::new()))
        .chain(found.removed.iter().map(|id| row("removed", t!("diff-removed"), None, gone(id.clone()))))
        .chain(
            found
                .changed
                .iter()
                .map(|(id, parts)| row("changed", t!("diff-changed"), Some(id.clone()), parts.join(", "))),
        )
        .chain(
            found
                .edges_added
                .iter()
                .map(|key| row("added", t!("diff-edge-added"), None, key.hook().replace('>', " → "))),
        )
        .chain(
            found
                .edges_removed
                .iter()
                .map(|key| row("removed", t!("diff-edge-removed"), None, key.hook().replace('>', " → "))),
        )
        .chain(found.channel.iter().map(|part| row("changed", t!("diff-channel"), None, part_name(part))));
    view! { <ul class="diff-list">{rows.collect_view()}</ul> }.into_any()
}

fn part_name(part: &str) -> String {
    match part {
        "name" => t!("diff-name"),
        "title" => t!("channel-title"),
        "description" => t!("diff-description"),
        _ => t!("diff-settings"),
    }
}

/// The document's text around what differs.
#[component]
fn Text(lines: Vec<Vec<(Fate, String)>>) -> impl IntoView {
    let pieces = lines.into_iter().map(|piece| {
        let lines = piece.into_iter().map(|(fate, line)| {
            let (word, sign) = match fate {
                Fate::Same => ("same", " "),
                Fate::Added => ("added", "+"),
                Fate::Removed => ("removed", "−"),
            };
            view! { <div data-line=word><span aria-hidden="true">{sign}</span> <bdi>{line}</bdi></div> }
        });
        view! { <pre class="diff-piece">{lines.collect_view()}</pre> }
    });
    view! { <div class="diff-text" tabindex="0" role="region" aria-label=t!("diff-text")>{pieces.collect_view()}</div> }
}
