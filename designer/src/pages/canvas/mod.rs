//! The canvas of one channel: bar, palette, surface, inspector, drawer.

mod banners;
mod bar;
mod guide;
mod physical;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::{ChannelDetail, GetChannel};
use leptos::prelude::*;

use self::banners::{Conflict, Trouble};
use self::bar::Bar;
use self::guide::Guide;
use self::physical::Physical;
use crate::api;
use crate::canvas::{Board, Surface};
use crate::dialogs::{DocumentDialog, MergeDialog, PlanDialog};
use crate::drawer::{Drawer, Trying};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::inspector::Inspector;
use crate::palette::{Ghost, Palette};
use crate::router::{Link, Route};
use crate::state::editor::Editor;
use crate::state::{use_live, use_session, use_toasts};

/// The page of one channel.
#[component]
pub(crate) fn CanvasPage(uid: String) -> impl IntoView {
    let session = use_session();
    let live = use_live();
    let detail = RwSignal::new(None::<Result<ChannelDetail, String>>);
    // Reading the channel anew builds everything below anew.
    let reload = Callback::new(move |()| {
        let (uid, asked) = (uid.clone(), live.asking());
        leptos::task::spawn_local(async move {
            let got = api::call::<GetChannel>(&[("uid", &uid)], &Nothing {}).await;
            if let Ok(detail) = &got {
                live.answered(asked, detail.status.clone());
            }
            let got =
                got.map_err(
                    |problem| if problem.status == 0 { t!("problem-unreachable") } else { problem.detail },
                );
            // The page may have been left meanwhile.
            drop(detail.try_set(Some(got)));
        });
    });
    reload.run(());
    move || {
        let (Some(detail), Some(catalog)) = (detail.get(), session.catalog.get()) else {
            return view! { <div class="shell"><header class="topbar"></header><main class="page"></main></div> }.into_any();
        };
        match detail {
            Ok(detail) => view! { <Opened detail catalog reload /> }.into_any(),
            Err(why) => view! { <Missing why reload /> }.into_any(),
        }
    }
}

#[component]
fn Opened(
    detail: ChannelDetail,
    catalog: std::sync::Arc<crate::state::Catalog>,
    reload: Callback<()>,
) -> impl IntoView {
    let editor = Editor::open(detail, catalog, use_live(), use_toasts());
    let surface = Surface::new(editor);
    provide_context(editor);
    provide_context(surface);
    provide_context(Trying::new(editor));
    let session = use_session();
    Effect::new(move || {
        if let Some(name) = editor.placed.get() {
            session.placed(&name);
        }
    });
    Effect::new(move || {
        let name = editor.metadata.with(|metadata| {
            metadata.title.clone().filter(|title| !title.is_empty()).unwrap_or_else(|| metadata.name.clone())
        });
        document().set_title(&t!("page-title", name = name));
    });
    view! {
        <a class="button skip" href="#canvas">{t!("skip-to-canvas")}</a>
        <div class="shell editor" data-testid="editor">
            <Bar />
            <div class="editor-body">
                <Palette />
                <main class="editor-middle">
                    <Conflict reload />
                    <Trouble />
                    <Guide />
                    <div class="view" hidden=move || surface.physical.get()><Board /></div>
                    {move || surface.physical.get().then(|| view! { <Physical /> })}
                    <Drawer />
                </main>
                <Inspector />
            </div>
        </div>
        <Ghost />
        <PlanDialog />
        <DocumentDialog />
        <MergeDialog />
    }
}

#[component]
fn Missing(why: String, reload: Callback<()>) -> impl IntoView {
    view! {
        <div class="shell">
            <header class="topbar"><Link class="brand" to=Route::Channels>{icon(Icon::Logo)} {t!("app-name")}</Link></header>
            <main class="page">
                <div class="empty" data-testid="missing">
                    <h1>{t!("missing-title")}</h1>
                    <p>{why}</p>
                    <div class="acts">
                        <button class="button" on:click=move |_| reload.run(())>{icon(Icon::Reload)} {t!("try-again")}</button>
                        <Link class="button primary" to=Route::Channels>{t!("to-channels")}</Link>
                    </div>
                </div>
            </main>
        </div>
    }
}
