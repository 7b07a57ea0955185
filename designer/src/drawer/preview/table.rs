//! The records of one step: before on the left, after on the right, a line each, so that what belongs together lies side by
//! side; both sides scroll as one. What changed is marked by colour and by weight, what was dropped or refused says why.

use std::sync::Arc;

use fairway_shared::api::preview::{NodePreview, PreviewRecord};
use fairway_shared::component::Kind;
use leptos::html;
use leptos::prelude::*;

use super::Trying;
use super::compare::{Column, Fate, Mark, Pair, cell, columns, mark, pairs};
use crate::i18n::t;
use crate::icons::{Icon, icon};

/// Most lines shown; what there is beyond is said.
const SHOWN: usize = 200;

/// Widths as in the style sheet, in CSS pixels: the record's number, a column, the output's name.
const NUMBER: usize = 44;
const COLUMN: usize = 124;
const PORT: usize = 104;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// The tables.
#[component]
pub(super) fn Tables(trying: Trying, id: String, node: NodePreview) -> impl IntoView {
    let all = pairs(&node);
    let columns = Arc::new(columns(&node, &all));
    let kind = node.kind;
    let node = Arc::new(node);
    let hidden = all.len().saturating_sub(SHOWN);
    let lines: Arc<[Pair]> = all.into_iter().take(SHOWN).collect();
    let both = kind == Some(Kind::Transform);
    let any_changed = both && columns.iter().any(|column| column.changed);
    let (left, right) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    let follow = move |from: NodeRef<html::Div>, to: NodeRef<html::Div>| {
        move |_| {
            if let (Some(from), Some(to)) = (from.get_untracked(), to.get_untracked()) {
                if to.scroll_top() != from.scroll_top() {
                    to.set_scroll_top(from.scroll_top());
                }
                if to.scroll_left() != from.scroll_left() {
                    to.set_scroll_left(from.scroll_left());
                }
            }
        }
    };
    let shown = {
        let columns = columns.clone();
        Memo::new(move |_| {
            let only = any_changed && trying.only_changed.get();
            columns.iter().filter(|column| !only || column.changed).cloned().collect::<Vec<Column>>()
        })
    };
    // The first change is brought into view, unless it is there already.
    let first = columns.iter().position(|column| column.changed).filter(|_| both);
    Effect::new(move || {
        let (Some(first), false) = (first, trying.only_changed.get()) else { return };
        for element in [left, right] {
            if let Some(element) = element.get()
                && (first + 1) * COLUMN + NUMBER > usize::try_from(element.client_width()).unwrap_or_default()
            {
                element.set_scroll_left(i32::try_from(first.saturating_sub(1) * COLUMN).unwrap_or_default());
            }
        }
    });
    let side = move |side: Side, element: NodeRef<html::Div>, other: NodeRef<html::Div>, title: String| {
        let (node, lines) = (node.clone(), lines.clone());
        view! {
            <section class="side" data-side=if side == Side::Before { "before" } else { "after" }>
                <h3>{title.clone()}</h3>
                <div class="records" node_ref=element tabindex="0" role="region" aria-label=title.clone() on:scroll=follow(element, other)>
                    {move || view! { <Table side columns=shown.get() node=node.clone() lines=lines.clone() /> }}
                </div>
            </section>
        }
    };
    let sides = match kind {
        Some(Kind::Source) => view! { {side(Side::After, right, left, t!("preview-read"))} }.into_any(),
        Some(Kind::Sink) => view! { {side(Side::Before, left, right, t!("preview-would-write"))} }.into_any(),
        _ => view! {
            {side(Side::Before, left, right, t!("preview-before"))}
            {side(Side::After, right, left, t!("preview-after"))}
        }
        .into_any(),
    };
    view! {
        <div class="sides" class:both=both data-shown=id>{sides}</div>
        <div class="sides-foot">
            {any_changed.then(|| view! {
                <label class="check">
                    <input type="checkbox" data-action="only-changed" prop:checked=move || trying.only_changed.get() on:change=move |event| trying.only_changed.set(event_target_checked(&event)) />
                    {t!("preview-only-changed")}
                </label>
                <span class="legend"><i data-mark="changed"></i>{t!("mark-changed")}</span>
                <span class="legend"><i data-mark="added"></i>{t!("mark-added")}</span>
                <span class="legend"><i data-mark="removed"></i>{t!("mark-removed")}</span>
            })}
            {(hidden > 0).then(|| view! { <span class="faint num">{t!("preview-hidden", count = hidden)}</span> })}
        </div>
    }
}

#[component]
fn Table(side: Side, columns: Vec<Column>, node: Arc<NodePreview>, lines: Arc<[Pair]>) -> impl IntoView {
    let after = side == Side::After;
    let several = after && node.outputs.len() > 1;
    let head = columns.iter().map(|column| {
        let kind = if after { &column.after } else { &column.before };
        let other = if after { &column.before } else { &column.after };
        let changed = after && !kind.is_empty() && !other.is_empty() && kind != other;
        view! {
            <th scope="col" title=column.name.clone()>
                <bdi class="clip">{column.name.clone()}</bdi>
                <span class="type" class:changed=changed>{kind.clone()}</span>
            </th>
        }
    });
    let rows = lines.iter().map(|pair| {
        let before = pair.before.and_then(|at| node.inputs.get(at));
        let left = pair.after.and_then(|(port, at)| node.outputs.get(port)?.records.get(at));
        let port = pair.after.and_then(|(port, _)| node.outputs.get(port)).map(|output| output.port.clone());
        let reject = match pair.fate {
            Fate::Refused(at) => node.rejects.get(at),
            _ => None,
        };
        let (own, other) = if after { (left, before) } else { (before.or(reject.map(|reject| &reject.record)), left) };
        let faulty = reject.and_then(|reject| reject.field.clone());
        let number = own.or(before).map(|record| number_of(&record.id)).unwrap_or_default();
        let fate = match pair.fate {
            Fate::Passed => "passed",
            Fate::Filtered => "filtered",
            Fate::Refused(_) => "refused",
            Fate::Written => "written",
            Fate::Waiting => "waiting",
        };
        let wide = columns.len() + 1 + usize::from(several);
        let cells = match (own, after) {
            (Some(record), _) => cells(&columns, record, other, after, faulty.as_deref()),
            (None, true) => match (pair.fate, reject) {
                (_, Some(reject)) => {
                    let why = reject.cause.message.clone();
                    view! { <td class="gone" colspan=wide title=why.clone()><span class="said">{icon(Icon::Error)} <bdi class="clip">{why.clone()}</bdi></span></td> }.into_any()
                }
                (Fate::Waiting, _) => view! { <td class="gone" colspan=wide><span class="said faint">{t!("preview-failed")}</span></td> }.into_any(),
                _ => view! { <td class="gone" colspan=wide><span class="said faint">{t!("preview-filtered")}</span></td> }.into_any(),
            },
            (None, false) => view! { <td class="gone" colspan=wide></td> }.into_any(),
        };
        let port = port.filter(|_| several && own.is_some()).map(|port| view! { <td class="port-cell"><span class="tag"><bdi>{port}</bdi></span></td> });
        view! {
            <tr data-fate=fate data-record=number.clone()>
                <th scope="row" class="num">{number.clone()}</th>
                {port}
                {cells}
            </tr>
        }
    });
    // Columns of both sides lie side by side, however much or little is in them.
    let width = NUMBER + columns.len() * COLUMN + if several { PORT } else { 0 };
    view! {
        <table style:width=format!("{width}px")>
            <thead>
                <tr>
                    <th class="num"><span class="hidden-text">{t!("preview-record")}</span></th>
                    {several.then(|| view! { <th scope="col" class="port-cell">{t!("preview-output")}</th> })}
                    {head.collect_view()}
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}

fn cells(
    columns: &[Column],
    record: &PreviewRecord,
    other: Option<&PreviewRecord>,
    after: bool,
    faulty: Option<&str>,
) -> AnyView {
    let one = |column: &Column| {
        let mark = mark(record, other, &column.name, after);
        let Some(value) = record.value.get(&column.name).filter(|_| mark != Mark::Absent) else {
            return view! { <td data-mark="absent"></td> }.into_any();
        };
        let (text, kind) = cell(value);
        let before = other.and_then(|other| other.value.get(&column.name)).filter(|_| mark == Mark::Changed);
        let title = match before {
            Some(before) => t!("preview-was", value = cell(before).0),
            None => text.clone(),
        };
        let word = if faulty == Some(&column.name) { "faulty" } else { mark.word() };
        let said = match kind {
            "null" => view! { <i class="faint">{t!("preview-null")}</i> }.into_any(),
            "empty" => view! { <i class="faint">{t!("empty-text")}</i> }.into_any(),
            _ => view! { <bdi class="clip">{text}</bdi> }.into_any(),
        };
        view! { <td data-mark=word data-value=kind title=title>{said}</td> }.into_any()
    };
    columns.iter().map(one).collect_view().into_any()
}

/// The record's number within its source: `orders:3.1` is `3.1`.
fn number_of(id: &str) -> String {
    id.rsplit_once(':').map_or(id, |(_, number)| number).to_owned()
}
