//! What holds for the whole channel: names, error policy, retries, schedule, delivery, stream.

use fairway_shared::channel::{ErrorPolicy, Guarantee, StreamChoice};
use leptos::prelude::*;

use super::focus_field;
use super::schedule::ScheduleFields;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::state::editor::{Editor, use_editor};

/// The form of the channel.
#[component]
pub(super) fn ChannelForm() -> impl IntoView {
    let editor = use_editor();
    Effect::new(move || {
        if let Some(wish) = editor.wish.get() {
            editor.wish.set(None);
            focus_field(wish.field);
        }
    });
    let metadata = editor.metadata;
    let settings = editor.settings;
    let messages = move |pointer: &'static str| messages(editor, pointer);
    let policy = move |value: ErrorPolicy, word: &'static str, what: String, more: String| {
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="policy"
                    value=word
                    data-policy=word
                    prop:checked=move || settings.with(|settings| settings.errors.policy == value)
                    on:change=move |_| editor.set_settings(|settings| settings.set_policy(value), "policy")
                />
                <span class="what">{what}</span>
                <span class="more">{more}</span>
            </label>
        }
    };
    let delivery = |word: &str| match word {
        "exactly_once" => Guarantee::ExactlyOnce,
        "idempotent" => Guarantee::Idempotent,
        _ => Guarantee::AtLeastOnce,
    };
    let stream = |word: &str| match word {
        "direct" => StreamChoice::Direct,
        "topic" => StreamChoice::Topic,
        _ => StreamChoice::Auto,
    };
    let option = |word: &'static str, text: String, chosen: Signal<&'static str>| {
        view! { <option value=word prop:selected=move || chosen.get() == word>{text}</option> }
    };
    let delivery_now = Signal::derive(move || settings.with(|settings| settings.delivery.as_str()));
    let stream_now = Signal::derive(move || settings.with(|settings| settings.stream.as_str()));
    view! {
        <header class="inspector-head">
            <span class="node-icon">{icon(Icon::Logo)}</span>
            <div class="grow"><h2>{t!("channel-settings")}</h2></div>
        </header>
        <div class="inspector-body" data-form="channel">
            <div class="field">
                <label class="label" for="channel-title">{t!("channel-title")}</label>
                <input
                    id="channel-title"
                    class="input"
                    data-field="metadata.title"
                    placeholder=move || metadata.with(|metadata| metadata.name.clone())
                    prop:value=move || metadata.with(|metadata| metadata.title.clone().unwrap_or_default())
                    on:input=move |event| editor.set_metadata(|metadata| metadata.title = some(event_target_value(&event)), "title")
                    on:blur=move |_| editor.close_entry()
                />
            </div>
            <div class="field">
                <label class="label" for="channel-name">{t!("channel-name")}</label>
                <input
                    id="channel-name"
                    class="input mono"
                    data-field="metadata.name"
                    aria-invalid=move || is_wrong(editor, "/metadata/name").to_string()
                    prop:value=move || metadata.with(|metadata| metadata.name.clone())
                    on:input=move |event| editor.set_metadata(|metadata| metadata.name = event_target_value(&event), "name")
                    on:blur=move |_| editor.close_entry()
                />
                {messages("/metadata/name")}
                <p class="help">{t!("channel-name-help")}</p>
            </div>
            <div class="field">
                <label class="label" for="channel-description">{t!("channel-description")}</label>
                <textarea
                    id="channel-description"
                    class="input"
                    rows="2"
                    data-field="metadata.description"
                    prop:value=move || metadata.with(|metadata| metadata.description.clone().unwrap_or_default())
                    on:input=move |event| editor.set_metadata(|metadata| metadata.description = some(event_target_value(&event)), "description")
                    on:blur=move |_| editor.close_entry()
                ></textarea>
            </div>
            <fieldset class="field">
                <legend class="label">{t!("policy")}</legend>
                <div class="choices">
                    {policy(ErrorPolicy::DeadLetter, "dead_letter", t!("policy-dead-letter"), t!("policy-dead-letter-help"))}
                    {policy(ErrorPolicy::Stop, "stop", t!("policy-stop"), t!("policy-stop-help"))}
                    {policy(ErrorPolicy::Drop, "drop", t!("policy-drop"), t!("policy-drop-help"))}
                </div>
            </fieldset>
            <div class="field">
                <label class="label" for="channel-attempts">{t!("attempts")}</label>
                <input
                    id="channel-attempts"
                    class="input num narrow"
                    type="number"
                    min="1"
                    data-field="settings.errors.retry.max_attempts"
                    prop:value=move || settings.with(|settings| settings.errors.retry.max_attempts.to_string())
                    on:change=move |event| {
                        if let Ok(most @ 1..) = event_target_value(&event).parse::<u32>() {
                            editor.set_settings(|settings| settings.set_max_attempts(most), "attempts");
                        }
                    }
                />
                <p class="help">{t!("attempts-help")}</p>
            </div>
            <ScheduleFields />
            <div class="field">
                <label class="label" for="channel-delivery">{t!("delivery")}</label>
                <select
                    id="channel-delivery"
                    class="input"
                    data-field="settings.delivery"
                    on:change=move |event| editor.set_settings(|settings| settings.set_delivery(delivery(&event_target_value(&event))), "delivery")
                >
                    {option("at_least_once", t!("delivery-at-least-once"), delivery_now)}
                    {option("idempotent", t!("delivery-idempotent"), delivery_now)}
                    {option("exactly_once", t!("delivery-exactly-once"), delivery_now)}
                </select>
                {messages("/spec/settings/delivery")}
                <p class="help">{t!("delivery-help")}</p>
            </div>
            <div class="field">
                <label class="label" for="channel-stream">{t!("stream")}</label>
                <select
                    id="channel-stream"
                    class="input"
                    data-field="settings.stream"
                    on:change=move |event| editor.set_settings(|settings| settings.set_stream(stream(&event_target_value(&event))), "stream")
                >
                    {option("auto", t!("stream-auto"), stream_now)}
                    {option("direct", t!("stream-direct"), stream_now)}
                    {option("topic", t!("stream-topic"), stream_now)}
                </select>
                {messages("/spec/settings/stream")}
            </div>
        </div>
    }
}

/// Whether something is wrong with one setting of the channel. Tracks.
fn is_wrong(editor: Editor, pointer: &str) -> bool {
    editor.problems.with(|problems| {
        problems.iter().any(|problem| {
            problem.is_error() && problem.place.node.is_none() && problem.place.pointer == pointer
        })
    })
}

/// What is wrong with one setting of the channel, below its field.
pub(super) fn messages(editor: Editor, pointer: &'static str) -> impl IntoView {
    let found = Memo::new(move |_| {
        editor.problems.with(|problems| {
            problems
                .iter()
                .filter(|problem| problem.place.node.is_none() && problem.place.pointer == pointer)
                .cloned()
                .collect::<Vec<_>>()
        })
    });
    move || found.get().into_iter().map(|problem| view! { <super::field::Message problem /> }).collect_view()
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}
