//! The small picture of a channel's graph on its card.

use std::collections::HashSet;

use fairway_canvas::{Point, Rect, Shape, Size, tidy};
use fairway_shared::api::channels::{Picture, PictureNode};
use fairway_shared::component::Kind;
use leptos::prelude::*;

use crate::i18n::t;
use crate::state::use_session;

/// Draws the graph to fit, nodes as plates with a stripe by role. Never larger than a third of its size on the canvas.
#[component]
pub(super) fn GraphPicture(picture: Picture) -> impl IntoView {
    if picture.nodes.is_empty() {
        return view! { <div class="picture"><div class="none">{t!("picture-none")}</div></div> }.into_any();
    }
    let session = use_session();
    let size = Shape::default().size();
    let corners = corners(&picture, size);
    let rects: Vec<Rect> = corners.into_iter().map(|corner| Rect::at(corner, size)).collect();
    let all = Rect::around(rects.iter().copied()).unwrap_or_default();
    let (wide, high) = (all.w.max(960.0), all.h.max(264.0));
    let (left, top) = (all.x - (wide - all.w) / 2.0, all.y - (high - all.h) / 2.0);
    // Lines keep their weight however small the picture is drawn.
    let weight = (wide / 300.0).max(high / 88.0);
    let edges = picture.edges.iter().filter_map(|&(from, to)| {
        let (from, to) = (rects.get(from)?, rects.get(to)?);
        let (start, end) = (Point::new(from.right(), from.centre().y), Point::new(to.x, to.centre().y));
        Some(fairway_canvas::Curve::sideways(start, end).path())
    });
    let kinds: Vec<String> = picture.nodes.iter().map(|node| node.component.clone()).collect();
    let kind_of = move |at: usize| {
        let name = kinds.get(at).cloned().unwrap_or_default();
        match session.catalog.get().map_or(Kind::Transform, |catalog| catalog.kind(&name)) {
            Kind::Source => "source",
            Kind::Transform => "transform",
            Kind::Sink => "sink",
        }
    };
    let plates = rects.iter().enumerate().map(|(at, rect)| {
        let kind = { let kind_of = kind_of.clone(); move || kind_of(at) };
        view! {
            <rect class="pic-node" x=rect.x y=rect.y width=rect.w height=rect.h rx="20" stroke-width=weight />
            <rect class="pic-role" data-kind=kind x=rect.x + 18.0 y=rect.y + 24.0 width="22" height=rect.h - 48.0 rx="10" />
        }
    });
    view! {
        <div class="picture" aria-hidden="true">
            <svg viewBox=format!("{left} {top} {wide} {high}") preserveAspectRatio="xMidYMid meet">
                {edges.map(|path| view! { <path class="pic-edge" d=path stroke-width=1.4 * weight /> }).collect_view()}
                {plates.collect_view()}
            </svg>
        </div>
    }
    .into_any()
}

/// Where the nodes stand. A document without a layout has them all on one spot: it is laid out here, as on the canvas.
fn corners(picture: &Picture, size: Size) -> Vec<Point> {
    let spot = |node: &PictureNode| (node.x.to_bits(), node.y.to_bits());
    let spots: HashSet<_> = picture.nodes.iter().map(spot).collect();
    if spots.len() == picture.nodes.len() {
        return picture.nodes.iter().map(|node| Point::new(node.x, node.y)).collect();
    }
    let count = picture.nodes.len();
    let links: Vec<_> =
        picture.edges.iter().copied().filter(|(from, to)| *from < count && *to < count).collect();
    tidy::layered(&vec![size; count], &links, Point::default())
}
