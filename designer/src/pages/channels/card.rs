//! One channel: what it is, how it does, what can be done with it.

use std::sync::Arc;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::{
    AddChannel, ChannelSummary, CreateChannel, DeleteChannel, ExportChannel,
};
use fairway_shared::api::status::{ChannelState, ChannelStatus};
use leptos::prelude::*;

use super::picture::GraphPicture;
use super::{Channels, shown};
use crate::api;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::parts::lifecycle::{TargetButtons, export};
use crate::parts::{Ask, MenuButton, NextRun, StatePill, markdown, waits};
use crate::router::{Link, Route};
use crate::state::{Live, Toasts, use_live, use_toasts};

/// Records a second that enter the channel: what its sources read.
fn inflow(status: &ChannelStatus) -> f64 {
    let fed = |id: &str| status.edges.iter().any(|edge| edge.to.split('.').next() == Some(id));
    status.nodes.iter().filter(|(id, _)| !fed(id)).map(|(_, node)| node.out_rate).sum()
}

/// The card.
#[component]
pub(super) fn Card(channel: ChannelSummary) -> impl IntoView {
    let (live, toasts) = (use_live(), use_toasts());
    let channels: Channels = expect_context();
    let status = live.status(&channel.uid);
    let with = move |read: fn(&ChannelStatus) -> String| {
        let status = status.clone();
        Signal::derive(move || status.with(read))
    };
    let state = {
        let status = live.status(&channel.uid);
        Signal::derive(move || status.with(|status| status.state))
    };
    let cause = {
        let status = live.status(&channel.uid);
        Memo::new(move |_| status.with(|status| status.cause.as_ref().map(|cause| cause.message.clone())))
    };
    let dead = {
        let status = live.status(&channel.uid);
        Memo::new(move |_| status.with(|status| status.dead_letters > 0))
    };
    let filtered = {
        let status = live.status(&channel.uid);
        Memo::new(move |_| status.with(|status| status.counts.filtered > 0))
    };
    let dropped = with(|status| format::short(status.counts.filtered));
    let waiting = {
        let status = live.status(&channel.uid);
        Memo::new(move |_| status.with(waits))
    };
    let menu = RwSignal::new(false);
    let name = shown(&channel).to_owned();
    let deployed = channel.deployed;
    // A second line that says the first again says nothing.
    let about = channel.description.clone().filter(|text| !text.is_empty());
    let about = about.or_else(|| Some(channel.name.clone()).filter(|own| *own != name));
    let version = deployed.map(|version| {
        if channel.changed {
            t!("card-version-changed", version = version)
        } else {
            t!("card-version", version = version)
        }
    });
    let saved_at = channel.saved_at.clone();

    let on_export = {
        let uid = channel.uid.clone();
        move |_| {
            menu.set(false);
            export(uid.clone(), toasts);
        }
    };
    let on_delete = {
        let channel = StoredValue::new(channel.clone());
        move |_| {
            menu.set(false);
            channel.with_value(|channel| delete(channels, live, toasts, channel));
        }
    };
    view! {
        <li class="card" data-channel=channel.name.clone() data-uid=channel.uid.clone()>
            <Link class="card-link" to=Route::Canvas(channel.uid.clone()) label=name.clone()>
                <GraphPicture picture=channel.picture.clone() />
            </Link>
            <div class="card-body">
                <div class="card-name">
                    <h2 class="clip" title=name.clone()><bdi>{name.clone()}</bdi></h2>
                    <StatePill state=state cause=cause waits=waiting />
                </div>
                <p class="card-about clip"><bdi>{about}</bdi></p>
                <dl class="figures">
                    <div><dt>{t!("figure-rate")}</dt><dd>{with(|status| format::rate(inflow(status)))}</dd></div>
                    <div><dt>{t!("figure-read")}</dt><dd>{with(|status| format::short(status.counts.read))}</dd></div>
                    <div><dt>{t!("figure-lag")}</dt><dd data-figure="lag">{with(|status| format::lag(status.lag))}</dd></div>
                    <div><dt>{t!("figure-delivered")}</dt><dd>{with(|status| format::short(status.counts.delivered))}</dd></div>
                    {move || filtered.get().then(|| view! { <div data-figure="filtered"><dt>{t!("figure-filtered")}</dt><dd>{dropped}</dd></div> })}
                    <div class:bad=move || dead.get()><dt>{t!("figure-dead")}</dt><dd>{with(|status| format::short(status.dead_letters))}</dd></div>
                </dl>
                <NextRun uid=channel.uid.clone() />
                {move || {
                    let show = matches!(state.get(), ChannelState::Failed | ChannelState::Hold | ChannelState::Degraded);
                    cause.get().filter(|_| show).map(|cause| view! { <p class="cause">{markdown::sentence(&cause)}</p> })
                }}
            </div>
            <div class="card-foot">
                <span class="clip">{version.map(|version| format!("{version} · "))} {move || t!("card-saved", ago = format::ago(&saved_at))}</span>
                <span class="grow"></span>
                <TargetButtons uid=channel.uid.clone() state=state deployed=deployed.is_some() small=true />
                <MenuButton open=menu hook="more" label=t!("more") shape=Icon::More class="icon-button small">
                    <button class="menu-item" role="menuitem" data-action="export" on:click=on_export.clone()>{icon(Icon::Export)} {t!("export")}</button>
                    <div class="menu-rule"></div>
                    <button class="menu-item danger" role="menuitem" data-action="delete" on:click=on_delete>{icon(Icon::Trash)} {t!("delete")}</button>
                </MenuButton>
            </div>
        </li>
    }
}

/// Deletes a channel. One that was never deployed has nothing but its document, which can be brought back; one that was
/// has positions and versions, so it asks first.
fn delete(channels: Channels, live: Live, toasts: Toasts, channel: &ChannelSummary) {
    let (uid, name) = (channel.uid.clone(), shown(channel).to_owned());
    if channel.deployed.is_none() {
        remove(channels, live, toasts, uid, name, true);
        return;
    }
    channels.ask.set(Some(Ask {
        title: t!("delete-title", name = name.as_str()),
        text: t!("delete-text"),
        button: t!("delete-channel"),
        grave: true,
        act: Arc::new(move || remove(channels, live, toasts, uid.clone(), name.clone(), false)),
    }));
}

fn remove(channels: Channels, live: Live, toasts: Toasts, uid: String, name: String, can_undo: bool) {
    leptos::task::spawn_local(async move {
        let document = match can_undo {
            true => api::call::<ExportChannel>(&[("uid", &uid)], &Nothing {}).await.ok(),
            false => None,
        };
        if let Err(problem) = api::call::<DeleteChannel>(&[("uid", &uid)], &Nothing {}).await {
            toasts.problem(&problem);
            return;
        }
        channels
            .list
            .update(|list| list.iter_mut().for_each(|list| list.retain(|channel| channel.uid != uid)));
        let Some(document) = document else {
            toasts.good(t!("deleted", name = name));
            return;
        };
        let back = Callback::new(move |()| {
            let document = document.clone();
            leptos::task::spawn_local(async move {
                match api::call::<AddChannel>(&[], &CreateChannel { document }).await {
                    Ok(_) => channels.load_with(live, toasts),
                    Err(problem) => toasts.problem(&problem),
                }
            });
        });
        toasts.offer(t!("deleted", name = name), t!("undo"), back);
    });
}
