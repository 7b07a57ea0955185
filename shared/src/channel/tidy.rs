//! What stands in `extra` beneath a typed field that says something else has no effect and is not written; when a part
//! is edited it is taken out, so that a document in memory and the same one read back from its text are equal.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Channel, Edge, Extra, Layout, Metadata, Node, Retry, Schedule, Settings, Spec};

impl Metadata {
    /// Takes out what the typed fields hide.
    pub(crate) fn tidy(&mut self) {
        hide(&mut self.extra, "name", !self.name.is_empty());
        hide(&mut self.extra, "title", self.title.is_some());
        hide(&mut self.extra, "description", self.description.is_some());
    }
}

impl Node {
    /// Takes out what the typed fields hide.
    pub(crate) fn tidy(&mut self) {
        hide(&mut self.extra, "id", !self.id.is_empty());
        hide(&mut self.extra, "component", !self.component.is_empty());
        hide(&mut self.extra, "title", self.title.is_some());
        hide(&mut self.extra, "config", !self.config.is_empty());
        hide(&mut self.extra, "tasks", self.tasks.is_some());
    }
}

impl Edge {
    /// Takes out what the typed fields hide.
    pub(crate) fn tidy(&mut self) {
        hide(&mut self.extra, "from", !self.from.node.is_empty());
        hide(&mut self.extra, "to", !self.to.node.is_empty());
    }
}

impl Settings {
    /// Takes out what the typed fields hide.
    pub(crate) fn tidy(&mut self) {
        let default = Self::default();
        hide(&mut self.extra, "stream", self.stream != default.stream);
        hide(&mut self.extra, "delivery", self.delivery != default.delivery);
        hide(&mut self.extra, "errors", self.errors != default.errors);
        hide(&mut self.extra, "schedule", self.schedule.is_some());
        if let Some(schedule) = &mut self.schedule {
            let default = Schedule::default();
            hide(&mut schedule.extra, "cron", !schedule.cron.is_empty());
            hide(&mut schedule.extra, "timezone", schedule.timezone != default.timezone);
            hide(&mut schedule.extra, "missed", schedule.missed != default.missed);
        }
        hide(&mut self.errors.extra, "policy", self.errors.policy != default.errors.policy);
        hide(&mut self.errors.extra, "retry", self.errors.retry != Retry::default());
        let most = self.errors.retry.max_attempts != Retry::default().max_attempts;
        hide(&mut self.errors.retry.extra, "max_attempts", most);
    }
}

fn hide(extra: &mut Extra, key: &str, hidden: bool) {
    if hidden {
        extra.remove(key);
    }
}

/// A part of a channel in whose place something of another type may have stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// `metadata`.
    Metadata,
    /// `spec`.
    Spec,
    /// `spec.nodes`.
    Nodes,
    /// `spec.edges`.
    Edges,
    /// `spec.settings`.
    Settings,
    /// `layout`.
    Layout,
    /// `layout.nodes`.
    Spots,
    /// `layout.notes`.
    Notes,
    /// `layout.groups`.
    Groups,
}

impl Part {
    const ALL: [Self; 9] = [
        Self::Metadata,
        Self::Spec,
        Self::Nodes,
        Self::Edges,
        Self::Settings,
        Self::Layout,
        Self::Spots,
        Self::Notes,
        Self::Groups,
    ];

    /// The parts that say something themselves and hide something else.
    pub(crate) fn hiding(channel: &Channel) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|part| match part.slot(channel).0.get(part.slot(channel).1) {
            // An object beneath the spots is not hidden: it holds what two numbers cannot say.
            Some(Value::Object(_)) if *part == Self::Spots => false,
            Some(_) => part.is_filled(channel),
            None => false,
        })
    }

    /// Where something else stands.
    pub(crate) fn slot(self, channel: &Channel) -> (&Extra, &'static str) {
        match self {
            Self::Metadata => (&channel.extra, "metadata"),
            Self::Spec => (&channel.extra, "spec"),
            Self::Nodes => (&channel.spec.extra, "nodes"),
            Self::Edges => (&channel.spec.extra, "edges"),
            Self::Settings => (&channel.spec.extra, "settings"),
            Self::Layout => (&channel.extra, "layout"),
            Self::Spots => (&channel.layout.extra, "nodes"),
            Self::Notes => (&channel.layout.extra, "notes"),
            Self::Groups => (&channel.layout.extra, "groups"),
        }
    }

    /// Puts something else there or takes it away, and answers what was there.
    pub(crate) fn swap(self, channel: &mut Channel, other: Option<Value>) -> Option<Value> {
        let key = self.slot(channel).1;
        let extra = match self {
            Self::Metadata | Self::Spec | Self::Layout => &mut channel.extra,
            Self::Nodes | Self::Edges | Self::Settings => &mut channel.spec.extra,
            Self::Spots | Self::Notes | Self::Groups => &mut channel.layout.extra,
        };
        match other {
            Some(value) => extra.insert(key.to_owned(), value),
            None => extra.remove(key),
        }
    }

    fn is_filled(self, channel: &Channel) -> bool {
        let Channel { metadata, spec, layout, .. } = channel;
        match self {
            Self::Metadata => *metadata != Metadata::default(),
            Self::Spec => *spec != Spec::default(),
            Self::Nodes => !spec.nodes.is_empty(),
            Self::Edges => !spec.edges.is_empty(),
            Self::Settings => spec.settings != Settings::default(),
            Self::Layout => *layout != Layout::default(),
            Self::Spots => !layout.nodes.is_empty(),
            Self::Notes => !layout.notes.is_empty(),
            Self::Groups => !layout.groups.is_empty(),
        }
    }
}
