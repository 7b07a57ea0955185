//! Notes and groups: what is written and framed on the canvas beside the graph. They belong to the looks of a channel and
//! change nothing of what runs. What others have written into them stays (G14).

use fairway_canvas::{Point, Rect};
use fairway_shared::edit::Command;
use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::Editor;

/// Size of a fresh note.
const NOTE: (f64, f64) = (224.0, 112.0);
/// Smallest size of a note.
pub(crate) const LEAST: (f64, f64) = (96.0, 48.0);

/// A note as it is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Note {
    /// Where it lies.
    pub(crate) rect: Rect,
    /// What it says.
    pub(crate) text: String,
}

impl Note {
    /// Reads a note; one without a place lies at the origin.
    pub(crate) fn of(value: &Value) -> Self {
        let number = |key: &str, default: f64| {
            value.get(key).and_then(Value::as_f64).filter(|number| number.is_finite()).unwrap_or(default)
        };
        let rect = Rect {
            x: number("x", 0.0),
            y: number("y", 0.0),
            w: number("w", NOTE.0).max(LEAST.0),
            h: number("h", NOTE.1).max(LEAST.1),
        };
        Self { rect, text: text(value, "text") }
    }
}

/// A group as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Group {
    /// What it is called.
    pub(crate) title: String,
    /// Ids of its nodes, also of those that are not there (any more).
    pub(crate) nodes: Vec<String>,
}

impl Group {
    /// Reads a group.
    pub(crate) fn of(value: &Value) -> Self {
        let nodes = value.get("nodes").and_then(Value::as_array);
        let nodes = nodes.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        Self { title: text(value, "title"), nodes }
    }
}

/// Room between a frame and its nodes.
const AROUND: f64 = 28.0;
/// Room above them for the frame's title.
const ABOVE: f64 = 28.0;

/// The frame around nodes.
pub(crate) fn frame(nodes: impl IntoIterator<Item = Rect>) -> Option<Rect> {
    let inner = Rect::around(nodes)?.inflate(AROUND);
    Some(Rect { y: inner.y - ABOVE, h: inner.h + ABOVE, ..inner })
}

/// The groups after nodes were dragged, if that changes any: one that was dragged out of its frame leaves it, one that was dropped into
/// another frame joins that. Frames are taken as they were when the drag began; nodes that are dragged with all others of their group
/// stay in it.
fn regrouped(
    groups: &[Value],
    dragged: &[String],
    before: impl Fn(&str) -> Option<Rect>,
    now: impl Fn(&str) -> Option<Rect>,
) -> Option<Vec<Value>> {
    let is_dragged = |id: &String| dragged.contains(id);
    let mut members: Vec<Vec<String>> = groups.iter().map(|group| Group::of(group).nodes).collect();
    let frames: Vec<Option<Rect>> =
        members.iter().map(|nodes| frame(nodes.iter().filter_map(|id| before(id)))).collect();
    // A frame that goes along is no place to come into or to go out of.
    let stands: Vec<bool> =
        members.iter().map(|nodes| nodes.iter().any(|id| !is_dragged(id) && before(id).is_some())).collect();
    let first = members.clone();
    for id in dragged {
        let Some(middle) = now(id).map(|rect| rect.centre()) else { continue };
        let mine = members.iter().position(|nodes| nodes.contains(id));
        if mine.is_some_and(|mine| !stands[mine] || frames[mine].is_some_and(|frame| frame.contains(middle)))
        {
            continue;
        }
        let into = (0..members.len())
            .filter(|at| Some(*at) != mine && stands[*at])
            .filter_map(|at| Some((at, frames[at].filter(|frame| frame.contains(middle))?)))
            .min_by(|(_, one), (_, other)| (one.w * one.h).total_cmp(&(other.w * other.h)));
        if let Some(mine) = mine {
            members[mine].retain(|node| node != id);
        }
        if let Some((into, _)) = into {
            members[into].push(id.clone());
        }
    }
    (members != first).then(|| {
        let written = groups.iter().zip(members).zip(first).filter_map(|((group, nodes), first)| {
            let mut group = group.clone();
            if nodes != first {
                group.as_object_mut()?.insert("nodes".into(), json!(nodes));
            }
            (!nodes.is_empty() || first.is_empty()).then_some(group)
        });
        written.collect()
    })
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

impl Editor {
    /// Adds an empty note with its middle at a place of the world; answers its rank.
    pub(crate) fn add_note(self, middle: Point) -> usize {
        let at = fairway_canvas::drag::snapped(middle - Point::new(NOTE.0 / 2.0, NOTE.1 / 2.0));
        let mut notes = self.notes.get_untracked();
        notes.push(json!({ "x": at.x, "y": at.y, "w": NOTE.0, "h": NOTE.1, "text": "" }));
        let rank = notes.len() - 1;
        self.close_entry();
        self.run(Command::SetNotes { notes });
        self.close_entry();
        rank
    }

    /// Writes into a note.
    pub(crate) fn write_note(self, rank: usize, text: &str) {
        self.change_note(rank, |note| drop(note.insert("text".into(), json!(text))));
    }

    /// Moves a note, or gives it another size.
    pub(crate) fn place_note(self, rank: usize, rect: Rect) {
        self.change_note(rank, |note| {
            for (key, value) in [("x", rect.x), ("y", rect.y), ("w", rect.w), ("h", rect.h)] {
                note.insert(key.into(), json!(value));
            }
        });
    }

    /// Takes a note away.
    pub(crate) fn remove_note(self, rank: usize) {
        let mut notes = self.notes.get_untracked();
        if rank < notes.len() {
            notes.remove(rank);
            self.close_entry();
            self.run(Command::SetNotes { notes });
            self.close_entry();
        }
    }

    fn change_note(self, rank: usize, change: impl FnOnce(&mut Map<String, Value>)) {
        let mut notes = self.notes.get_untracked();
        if let Some(note) = notes.get_mut(rank).and_then(Value::as_object_mut) {
            change(note);
            self.close_entry();
            self.run(Command::SetNotes { notes });
            self.close_entry();
        }
    }

    /// Puts a frame around the selected nodes; they leave other frames.
    pub(crate) fn group_selected(self, title: String) {
        let ids: Vec<String> = self.selected_nodes().iter().map(|node| node.id.clone()).collect();
        if ids.is_empty() {
            return;
        }
        let mut groups = self.groups_without(&ids);
        groups.push(json!({ "title": title, "nodes": ids }));
        self.set_groups(groups);
    }

    /// Takes the selected nodes out of their frames.
    pub(crate) fn ungroup_selected(self) {
        let ids: Vec<String> = self.selected_nodes().iter().map(|node| node.id.clone()).collect();
        self.set_groups(self.groups_without(&ids));
    }

    /// What becomes of the groups by a drag of nodes from where they stood; none where nothing does.
    pub(super) fn regroup(self, from: &[(String, Point)]) -> Option<Command> {
        let dragged: Vec<String> = from.iter().map(|(id, _)| id.clone()).collect();
        let rect = |id: &str| self.node(id).map(|node| node.rect());
        let before = |id: &str| {
            let moved = from.iter().find(|(moved, _)| moved == id);
            rect(id).map(|rect| moved.map_or(rect, |(_, at)| Rect { x: at.x, y: at.y, ..rect }))
        };
        let groups = self.groups.with_untracked(|groups| regrouped(groups, &dragged, before, rect))?;
        Some(Command::SetGroups { groups })
    }

    /// Calls a group otherwise.
    pub(crate) fn title_group(self, rank: usize, title: &str) {
        let mut groups = self.groups.get_untracked();
        if let Some(group) = groups.get_mut(rank).and_then(Value::as_object_mut) {
            group.insert("title".into(), json!(title));
            self.set_groups(groups);
        }
    }

    /// Takes a frame away; its nodes stay.
    pub(crate) fn remove_group(self, rank: usize) {
        let mut groups = self.groups.get_untracked();
        if rank < groups.len() {
            groups.remove(rank);
            self.set_groups(groups);
        }
    }

    /// All groups without these nodes; one that is left with none is gone.
    fn groups_without(self, ids: &[String]) -> Vec<Value> {
        let mut groups = self.groups.get_untracked();
        groups.retain_mut(|group| {
            let Some(nodes) = group.get_mut("nodes").and_then(Value::as_array_mut) else { return true };
            let before = nodes.len();
            nodes.retain(|node| !node.as_str().is_some_and(|id| ids.iter().any(|gone| gone == id)));
            !nodes.is_empty() || before == 0
        });
        groups
    }

    fn set_groups(self, groups: Vec<Value>) {
        self.close_entry();
        self.run(Command::SetGroups { groups });
        self.close_entry();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_note_is_drawn_as_an_empty_one() {
        for value in [json!(null), json!("text"), json!({ "x": "far", "w": -5 })] {
            let note = Note::of(&value);
            assert_eq!((note.rect.x, note.text.as_str()), (0.0, ""));
            assert!(note.rect.w >= LEAST.0 && note.rect.h >= LEAST.1);
        }
        assert_eq!(Group::of(&json!({ "nodes": ["a", 3, "b"] })).nodes, ["a", "b"]);
    }

    #[test]
    fn nodes_leave_and_join_frames_by_being_dragged() {
        let groups = [json!({ "title": "one", "nodes": ["a", "b"], "own": 1 }), json!({ "nodes": ["c"] })];
        let at = |x: f64| Some(Rect { x, y: 0.0, w: 100.0, h: 50.0 });
        let before = |id: &str| match id {
            "a" => at(0.0),
            "b" => at(200.0),
            "c" => at(1000.0),
            _ => at(2000.0),
        };
        let drag = |ids: &[&str], to: f64| {
            let dragged: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            regrouped(&groups, &dragged, before, |id| if ids.contains(&id) { at(to) } else { before(id) })
        };
        assert_eq!(drag(&["b"], 150.0), None, "within its frame");
        let out = drag(&["b"], 600.0).unwrap();
        assert_eq!(out[0], json!({ "title": "one", "nodes": ["a"], "own": 1 }));
        assert_eq!(
            drag(&["b"], 1000.0).unwrap()[1],
            json!({ "nodes": ["c", "b"] }),
            "out of one into the other"
        );
        assert_eq!(drag(&["free"], 100.0).unwrap()[0]["nodes"], json!(["a", "b", "free"]));
        assert_eq!(drag(&["a", "b"], 1000.0), None, "a group that is moved whole stays one");
        assert_eq!(drag(&["c"], 100.0), None, "and so does the only node of one");
    }
}
