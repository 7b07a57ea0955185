//! When the channel runs: cron words, a time zone, and what becomes of a missed time.

use fairway_shared::channel::{Missed, Schedule};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use super::channel::messages;
use crate::i18n::t;
use crate::parts::markdown;
use crate::state::editor::use_editor;

/// The fields of the schedule. Without cron words the channel runs as long as it is deployed.
#[component]
pub(super) fn ScheduleFields() -> impl IntoView {
    let editor = use_editor();
    let settings = editor.settings;
    let of = move |get: fn(&Schedule) -> String| {
        move || settings.with(|settings| settings.schedule.as_deref().map(get).unwrap_or_default())
    };
    let change = move |change: &dyn Fn(&mut Schedule), part: &str| {
        editor.set_settings(
            |settings| {
                let new = || Schedule { timezone: own_zone(), ..Schedule::default() };
                let mut schedule = settings.schedule.as_deref().cloned().unwrap_or_else(new);
                change(&mut schedule);
                settings.set_schedule(Some(schedule).filter(|schedule| !schedule.cron.is_empty()));
            },
            part,
        );
    };
    let is_scheduled = Memo::new(move |_| settings.with(|settings| settings.schedule.is_some()));
    let missed_now = Memo::new(move |_| {
        settings
            .with(|settings| settings.schedule.as_ref().map(|schedule| schedule.missed).unwrap_or_default())
    });
    let missed = move |value: Missed, text: String| {
        view! { <option value=value.as_str() prop:selected=move || missed_now.get() == value>{text}</option> }
    };
    let zone_and_missed = move || {
        view! {
            <div class="field">
                <label class="label" for="channel-timezone">{t!("timezone")}</label>
                <input
                    id="channel-timezone"
                    class="input"
                    list="channel-timezones"
                    data-field="settings.schedule.timezone"
                    prop:value=of(|schedule| schedule.timezone.clone())
                    on:change=move |event| {
                        let zone = event_target_value(&event).trim().to_owned();
                        let zone = if zone.is_empty() { Schedule::default().timezone } else { zone };
                        change(&|schedule| schedule.timezone.clone_from(&zone), "timezone");
                    }
                />
                <datalist id="channel-timezones">
                    {zones().into_iter().map(|zone| view! { <option value=zone></option> }).collect_view()}
                </datalist>
                {messages(editor, "/spec/settings/schedule/timezone")}
            </div>
            <div class="field">
                <label class="label" for="channel-missed">{t!("missed")}</label>
                <select
                    id="channel-missed"
                    class="input"
                    data-field="settings.schedule.missed"
                    on:change=move |event| {
                        let word = event_target_value(&event);
                        let chosen = Missed::ALL.iter().find(|(known, _)| *known == word);
                        let value = chosen.map(|(_, value)| *value).unwrap_or_default();
                        change(&|schedule| schedule.missed = value, "missed");
                    }
                >
                    {missed(Missed::RunOnce, t!("missed-run-once"))}
                    {missed(Missed::Skip, t!("missed-skip"))}
                </select>
            </div>
        }
    };
    view! {
        <div class="field">
            <label class="label" for="channel-cron">{t!("schedule")}</label>
            <input
                id="channel-cron"
                class="input mono"
                placeholder=t!("schedule-none")
                data-field="settings.schedule.cron"
                prop:value=of(|schedule| schedule.cron.clone())
                on:change=move |event| {
                    let cron = event_target_value(&event).trim().to_owned();
                    change(&|schedule| schedule.cron.clone_from(&cron), "schedule");
                }
            />
            {messages(editor, "/spec/settings/schedule/cron")}
            <p class="help">{markdown::inline(&t!("schedule-help"))}</p>
        </div>
        {move || is_scheduled.get().then(zone_and_missed)}
    }
}

/// The time zone that the browser is set to.
fn own_zone() -> String {
    let format = js_sys::Intl::DateTimeFormat::new(&js_sys::Array::new(), &js_sys::Object::new());
    let zone = js_sys::Reflect::get(&format.resolved_options(), &"timeZone".into()).ok();
    zone.and_then(|zone| zone.as_string()).unwrap_or_else(|| Schedule::default().timezone)
}

/// The time zones that the browser knows, to choose from; none if it does not tell.
fn zones() -> Vec<String> {
    let told = || -> Result<js_sys::Array, JsValue> {
        let intl = js_sys::Reflect::get(&js_sys::global(), &"Intl".into())?;
        let ask = js_sys::Reflect::get(&intl, &"supportedValuesOf".into())?;
        ask.dyn_into::<js_sys::Function>()?.call1(&intl, &"timeZone".into())?.dyn_into()
    };
    told().map(|zones| zones.iter().filter_map(|zone| zone.as_string()).collect()).unwrap_or_default()
}
