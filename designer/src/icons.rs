//! Pictures, drawn for this product: one file each in `assets/icons`, part of the program. The colour is the text's.

use fairway_shared::api::status::ChannelState;
use fairway_shared::component::Kind;
use leptos::prelude::*;

macro_rules! icons {
    ($($name:ident $file:literal,)+) => {
        /// A picture of the user interface.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Icon {
            $(#[doc = $file] $name,)+
        }
        impl Icon {
            fn svg(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../assets/icons/ui/", $file, ".svg")),)+
                }
            }
        }
    };
}

icons! {
    Activity "activity",
    ArrowDown "arrow-down",
    ArrowUp "arrow-up",
    Check "check",
    ChevronDown "chevron-down",
    ChevronRight "chevron-right",
    ChevronUp "chevron-up",
    Close "close",
    Contrast "contrast",
    DeadLetter "dead-letter",
    Deploy "deploy",
    Error "error",
    Export "export",
    Eye "eye",
    Fit "fit",
    Import "import",
    Keyboard "keyboard",
    Lacks "lacks",
    Layers "layers",
    Link "link",
    Logo "logo",
    Map "map",
    Note "note",
    Picture "picture",
    Pin "pin",
    Print "print",
    Versions "versions",
    Group "group",
    Minus "minus",
    Monitor "monitor",
    Moon "moon",
    More "more",
    Paste "paste",
    Pause "pause",
    Pencil "pencil",
    Plan "plan",
    Play "play",
    Plug "plug",
    Plus "plus",
    Redo "redo",
    Reload "reload",
    Restart "restart",
    Save "save",
    Search "search",
    Slow "slow",
    Settings "settings",
    StateCompleted "state-completed",
    StateDegraded "state-degraded",
    StateDraft "state-draft",
    StateFailed "state-failed",
    StateHold "state-hold",
    StatePaused "state-paused",
    StateRestarting "state-restarting",
    StateRunning "state-running",
    StateStarting "state-starting",
    StateStopped "state-stopped",
    Star "star",
    Stop "stop",
    Sun "sun",
    Template "template",
    Tidy "tidy",
    Trash "trash",
    Undo "undo",
    Warning "warning",
    Wrench "wrench",
}

/// A picture beside text or in a button; hidden from screen readers.
pub(crate) fn icon(icon: Icon) -> impl IntoView {
    view! { <span class="icon" aria-hidden="true" inner_html=icon.svg()></span> }
}

/// The shape of a state: each state differs by shape, colour only adds to it.
pub(crate) fn state_icon(state: ChannelState) -> Icon {
    match state {
        ChannelState::Draft => Icon::StateDraft,
        ChannelState::Starting => Icon::StateStarting,
        ChannelState::Running => Icon::StateRunning,
        ChannelState::Degraded => Icon::StateDegraded,
        ChannelState::Restarting => Icon::StateRestarting,
        ChannelState::Paused => Icon::StatePaused,
        ChannelState::Hold => Icon::StateHold,
        ChannelState::Stopped => Icon::StateStopped,
        ChannelState::Completed => Icon::StateCompleted,
        ChannelState::Failed => Icon::StateFailed,
    }
}

macro_rules! component_icons {
    ($($file:literal),+) => {
        /// Pictures of components by the first words of their name.
        const COMPONENTS: &[(&str, &str)] =
            &[$(($file, include_str!(concat!("../../assets/icons/components/", $file, ".svg")))),+];
    };
}
component_icons!(
    "cast",
    "convert",
    "csv",
    "database",
    "dedupe",
    "discard",
    "file",
    "filter",
    "flatten",
    "generate",
    "http",
    "jsonl",
    "kafka",
    "log",
    "mask",
    "postgres",
    "rename",
    "route",
    "select",
    "set",
    "sink",
    "source",
    "split",
    "sqlite",
    "transform",
    "validate"
);

/// The picture of a component: by its name's first word, else by its family, else by its kind.
pub(crate) fn component_icon(name: &str, family: &str, kind: Kind) -> impl IntoView + use<> {
    let find = |wanted: &str| COMPONENTS.iter().find(|(file, _)| *file == wanted).map(|(_, svg)| *svg);
    let first = name.split('_').next().unwrap_or(name);
    let by_family = match family {
        "sql" => "database",
        other => other,
    };
    let by_kind = match kind {
        Kind::Source => "source",
        Kind::Transform => "transform",
        Kind::Sink => "sink",
    };
    let svg = find(first).or_else(|| find(by_family)).or_else(|| find(by_kind)).unwrap_or_default();
    view! { <span class="icon" aria-hidden="true" inner_html=svg></span> }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::COMPONENTS;

    #[test]
    fn every_component_has_a_picture_of_its_own() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/components");
        let mut missing = BTreeSet::new();
        for page in std::fs::read_dir(pages).unwrap() {
            let name = page.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
            let first = name.split('_').next().unwrap_or_default();
            if name != "README" && !COMPONENTS.iter().any(|(file, _)| *file == first) {
                missing.insert(name);
            }
        }
        assert!(missing.is_empty(), "assets/icons/components has no picture of {missing:?}");
        let pictures: BTreeSet<_> = COMPONENTS.iter().map(|(_, svg)| svg).collect();
        assert_eq!(pictures.len(), COMPONENTS.len(), "two components look alike");
    }
}
