//! Two drafts of one channel, made of the same base, become one: what only one of them changed is taken; where both changed the same thing
//! differently, somebody has to choose.
//!
//! The documents are compared as JSON in which nodes and edges stand by their names, down to single settings; lists are one value. Where
//! nodes, notes and groups stand is looks: mine holds there, and nobody is asked.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::channel::{Channel, text};

/// Something that both changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Clash {
    /// What it is about.
    pub about: About,
    /// What mine says; none where it took the thing away.
    pub mine: Option<Value>,
    /// What theirs says.
    pub theirs: Option<Value>,
    path: Vec<String>,
}

/// What a clash is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// A node: whole, where one side took it away, else the part of this dotted name.
    Node(String, Option<String>),
    /// An edge, as `from>to`.
    Edge(String),
    /// Something of the channel itself, by its dotted name.
    Channel(String),
}

/// Two drafts on their way to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Merge {
    /// What both changed, in the order of the document.
    pub clashes: Vec<Clash>,
    /// With mine wherever there is a choice.
    merged: Value,
    /// The order of nodes and of edges, by their names.
    order: [Vec<String>; 2],
}

/// What names an item of a list.
type NameOf = fn(&Value) -> String;

/// Lists that are looked at by the names of their items.
const NAMED: [(&str, NameOf); 2] = [
    ("nodes", |node| text_of(&node["id"])),
    ("edges", |edge| format!("{}>{}", text_of(&edge["from"]), text_of(&edge["to"]))),
];

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Merge {
    /// Puts two drafts together.
    pub fn of(base: &Channel, mine: &Channel, theirs: &Channel) -> Self {
        let mut order = [Vec::new(), Vec::new()];
        let [base, mine, theirs] = [base, mine, theirs].map(text::to_value);
        for (names, (list, name_of)) in order.iter_mut().zip(NAMED) {
            for document in [&mine, &theirs] {
                let all = document["spec"][list].as_array().into_iter().flatten().map(name_of);
                let new: Vec<String> = all.filter(|name| !names.contains(name)).collect();
                names.extend(new);
            }
        }
        let [base, mine, theirs] = [base, mine, theirs].map(by_name);
        let mut clashes = Vec::new();
        let merged = join(Some(&base), Some(&mine), Some(&theirs), &mut Vec::new(), &mut clashes);
        let merged = merged.unwrap_or_default();
        let rank = |clash: &Clash| match &clash.about {
            About::Node(id, _) => order[0].iter().position(|name| name == id),
            About::Edge(edge) => order[1].iter().position(|name| name == edge).map(|at| at + order[0].len()),
            About::Channel(_) => None,
        };
        clashes.sort_by_key(|clash| rank(clash).map_or(0, |rank| rank + 1));
        Self { clashes, merged, order }
    }

    /// The draft that comes of it, with theirs for the clashes of these indexes and mine for all others. Edges of nodes that are gone go too.
    /// None where it cannot be read as a channel.
    pub fn chosen(&self, theirs: &BTreeSet<usize>) -> Option<Channel> {
        let mut merged = self.merged.clone();
        for (_, clash) in self.clashes.iter().enumerate().filter(|(at, _)| theirs.contains(at)) {
            put(&mut merged, &clash.path, clash.theirs.clone());
        }
        for (names, (list, _)) in self.order.iter().zip(NAMED) {
            let Some(items) = merged["spec"][list].as_object_mut() else { continue };
            let items: Vec<Value> = names.iter().filter_map(|name| items.remove(name)).collect();
            merged["spec"][list] = Value::Array(items);
        }
        let mut channel = text::from_value(&merged).0?;
        let ids: BTreeSet<String> = channel.spec.nodes.iter().map(|node| node.id.clone()).collect();
        channel.spec.edges.retain(|edge| ids.contains(&edge.from.node) && ids.contains(&edge.to.node));
        channel.layout.nodes.retain(|id, _| ids.contains(id));
        Some(channel)
    }
}

/// The document with its nodes and edges as objects.
fn by_name(mut document: Value) -> Value {
    for (list, name_of) in NAMED {
        let items = document["spec"][list].as_array().cloned().unwrap_or_default();
        let named: Map<String, Value> = items.into_iter().map(|item| (name_of(&item), item)).collect();
        document["spec"][list] = Value::Object(named);
    }
    document
}

fn join(
    base: Option<&Value>,
    mine: Option<&Value>,
    theirs: Option<&Value>,
    path: &mut Vec<String>,
    clashes: &mut Vec<Clash>,
) -> Option<Value> {
    if mine == theirs || theirs == base {
        return mine.cloned();
    }
    if mine == base {
        return theirs.cloned();
    }
    if let (Some(Value::Object(mine)), Some(Value::Object(theirs))) = (mine, theirs) {
        let none = Map::new();
        let base = base.and_then(Value::as_object).unwrap_or(&none);
        let names: BTreeSet<&String> = mine.keys().chain(theirs.keys()).collect();
        let mut joined = Map::new();
        for name in names {
            path.push(name.clone());
            let value = join(base.get(name), mine.get(name), theirs.get(name), path, clashes);
            path.pop();
            joined.extend(value.map(|value| (name.clone(), value)));
        }
        return Some(Value::Object(joined));
    }
    if path.first().is_none_or(|part| part != "layout") {
        let (mine, theirs) = (mine.cloned(), theirs.cloned());
        clashes.push(Clash { about: about(path), mine, theirs, path: path.clone() });
    }
    mine.cloned()
}

fn about(path: &[String]) -> About {
    let part = |rest: &[String]| (!rest.is_empty()).then(|| rest.join("."));
    match path {
        [spec, nodes, id, rest @ ..] if spec == "spec" && nodes == "nodes" => {
            // Settings are called as the form calls them.
            let rest = if rest.first().is_some_and(|first| first == "config") { &rest[1..] } else { rest };
            About::Node(id.clone(), part(rest))
        }
        [spec, edges, edge, ..] if spec == "spec" && edges == "edges" => About::Edge(edge.clone()),
        [_, rest @ ..] => About::Channel(rest.join(".")),
        [] => About::Channel(String::new()),
    }
}

fn put(document: &mut Value, path: &[String], value: Option<Value>) {
    let Some((last, before)) = path.split_last() else { return };
    let place = before.iter().fold(document, |place, name| &mut place[name.as_str()]);
    match (place.as_object_mut(), value) {
        (Some(place), Some(value)) => drop(place.insert(last.clone(), value)),
        (Some(place), None) => drop(place.remove(last)),
        (None, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draft(change: impl FnOnce(&mut Value)) -> Channel {
        let mut value = json!({
            "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "n" },
            "spec": {
                "nodes": [
                    { "id": "a", "component": "x", "config": { "p": 1, "q": [1] } },
                    { "id": "b", "component": "x" }, { "id": "c", "component": "x" }
                ],
                "edges": [{ "from": "a", "to": "b" }, { "from": "b", "to": "c" }]
            },
            "layout": { "nodes": { "a": { "x": 0, "y": 0 } } }
        });
        change(&mut value);
        text::from_value(&value).0.unwrap()
    }

    fn same(_: &mut Value) {}

    #[test]
    fn what_only_one_changed_is_taken() {
        let mine = draft(|value| {
            value["spec"]["nodes"][0]["config"]["p"] = json!(2);
            value["spec"]["nodes"].as_array_mut().unwrap().push(json!({ "id": "m", "component": "y" }));
            value["spec"]["edges"] = json!([{ "from": "a", "to": "b" }]);
            value["layout"]["nodes"]["a"]["x"] = json!(16);
        });
        let theirs = draft(|value| {
            value["spec"]["nodes"][0]["config"]["q"] = json!([1, 2]);
            value["spec"]["nodes"][0]["title"] = json!("A");
            value["spec"]["nodes"].as_array_mut().unwrap().push(json!({ "id": "t", "component": "y" }));
            value["metadata"]["title"] = json!("N");
            value["layout"]["nodes"]["a"]["x"] = json!(32);
        });
        let merge = Merge::of(&draft(same), &mine, &theirs);
        assert_eq!(merge.clashes, [], "where it stands is nobody's question");
        let merged = merge.chosen(&BTreeSet::new()).unwrap();
        let ids: Vec<_> = merged.spec.nodes.iter().map(|node| node.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c", "m", "t"]);
        let a = &merged.spec.nodes[0];
        assert_eq!(
            (&a.config["p"], &a.config["q"], a.title.as_deref()),
            (&json!(2), &json!([1, 2]), Some("A"))
        );
        assert_eq!(merged.spec.edges.len(), 1);
        assert_eq!((merged.metadata.title.as_deref(), merged.layout.nodes["a"].x), (Some("N"), 16.0));
    }

    #[test]
    fn what_both_changed_is_asked() {
        let mine = draft(|value| {
            value["spec"]["nodes"][0]["config"]["p"] = json!(2);
            value["metadata"]["title"] = json!("Mine");
            value["spec"]["nodes"].as_array_mut().unwrap().remove(1);
            value["spec"]["edges"] = json!([]);
        });
        let theirs = draft(|value| {
            value["spec"]["nodes"][0]["config"].as_object_mut().unwrap().remove("p");
            value["spec"]["nodes"][1]["title"] = json!("Bee");
            value["metadata"]["title"] = json!("Theirs");
        });
        let merge = Merge::of(&draft(same), &mine, &theirs);
        let about: Vec<_> = merge.clashes.iter().map(|clash| clash.about.clone()).collect();
        assert_eq!(
            about,
            [
                About::Channel("title".into()),
                About::Node("a".into(), Some("p".into())),
                About::Node("b".into(), None)
            ]
        );
        assert_eq!((&merge.clashes[1].mine, &merge.clashes[1].theirs), (&Some(json!(2)), &None));
        assert_eq!(merge.chosen(&BTreeSet::new()).unwrap(), {
            let mut expected = mine.clone();
            expected.layout.nodes.remove("b");
            expected
        });
        let chosen = merge.chosen(&BTreeSet::from([1, 2])).unwrap();
        assert!(!chosen.spec.nodes[0].config.contains_key("p"));
        assert_eq!(chosen.node("b").and_then(|node| node.title.as_deref()), Some("Bee"));
        assert_eq!(chosen.metadata.title.as_deref(), Some("Mine"));
    }

    #[test]
    fn an_edge_to_a_node_that_is_gone_goes_with_it() {
        let mine = draft(|value| {
            value["spec"]["nodes"].as_array_mut().unwrap().remove(2);
            value["spec"]["edges"].as_array_mut().unwrap().remove(1);
        });
        let theirs = draft(|value| {
            value["spec"]["edges"].as_array_mut().unwrap().push(json!({ "from": "a", "to": "c" }));
        });
        let merged = Merge::of(&draft(same), &mine, &theirs).chosen(&BTreeSet::new()).unwrap();
        assert_eq!(merged.spec.edges.len(), 1);
    }
}
