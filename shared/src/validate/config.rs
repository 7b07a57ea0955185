//! Settings of nodes: against the component's schema (`values` does that), connections, references to secrets.

use serde_json::{Map, Value};

use super::at::At;
use super::nodes::shown;
use super::{Facts, Graph, node_place, secrets, values};
use crate::channel::{Channel, Node};
use crate::connection::Connection;
use crate::diagnostic::{Diagnostic, Place, codes};
use crate::form::{FormModel, Widget};
use crate::pointer;
use crate::suggest::{closest, did_you_mean};

pub(super) fn check(channel: &Channel, facts: &Facts<'_>, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    for (index, node) in channel.spec.nodes.iter().enumerate() {
        let place = node_place(channel, index, "/config");
        let form = graph.catalog.form(&node.component);
        secrets::check(&node.config, form, &At::Config(&place), facts.secrets, out);
        // A config of the wrong type was reported when the document was read; nothing in it is missing.
        if let Some(form) = form.filter(|_| node.extra.get("config").is_none_or(Value::is_null)) {
            fields(node, form, &place, facts, out);
        }
    }
}

fn fields(node: &Node, form: &FormModel, place: &Place, facts: &Facts<'_>, out: &mut Vec<Diagnostic>) {
    let named = form
        .fields
        .iter()
        .filter(|field| field.widget == Some(Widget::Connection))
        .find_map(|field| Some((&field.name, node.config.get(&field.name)?.as_str()?)))
        .filter(|(_, name)| crate::secret::references(&Value::String((*name).to_owned())).is_empty());
    let Some((field, name)) = named else {
        values::object(form, &node.config, &At::Config(place), out);
        return;
    };
    let known = facts.connections.map(|all| (all, all.iter().find(|connection| connection.name() == name)));
    match known {
        // Nothing is known about its access data, so nothing can be missing.
        None => unless_missing(form, &node.config, place, out),
        Some((all, None)) => {
            let near = closest(name, all.iter().map(Connection::name));
            let at = pointer::join(&place.pointer, field);
            let message = format!("there is no connection `{}`{}", shown(name), did_you_mean(near));
            let found = Place { field: Some(field.clone()), node: place.node.clone(), ..Place::at(&at) };
            let fault = Diagnostic::error(codes::CONNECTION_UNKNOWN, found, message)
                .help("Import its document, or give it beside the channel (`--with`).");
            out.push(match near {
                Some(near) => fault.fix(format!("Change to `{near}`"), at, Some(near.into())),
                None => fault,
            });
            unless_missing(form, &node.config, place, out);
        }
        Some((_, Some(connection))) => merged(node, form, connection, field, place, out),
    }
}

fn unless_missing(form: &FormModel, config: &Map<String, Value>, place: &Place, out: &mut Vec<Diagnostic>) {
    let mut found = Vec::new();
    values::object(form, config, &At::Config(place), &mut found);
    let top = |diagnostic: &Diagnostic| diagnostic.place.pointer == place.pointer;
    out.extend(found.into_iter().filter(|fault| fault.code != codes::CONFIG_MISSING || !top(fault)));
}

/// Checks the config that the component will open with: the node's own settings over those of its connection.
fn merged(
    node: &Node,
    form: &FormModel,
    connection: &Connection,
    field: &str,
    place: &Place,
    out: &mut Vec<Diagnostic>,
) {
    let mut config = connection.config().clone();
    config.extend(node.config.iter().map(|(key, value)| (key.clone(), value.clone())));
    let mut found = Vec::new();
    values::object(form, &config, &At::Config(place), &mut found);
    for mut fault in found {
        let below =
            fault.place.pointer.strip_prefix(&place.pointer).map(pointer::segments).unwrap_or_default();
        let foreign = below.first().is_some_and(|key| !node.config.contains_key(key));
        if foreign {
            // The fault lies in the connection; here it can only be told where it is named.
            fault.message = format!("connection `{}`: {}", shown(connection.name()), fault.message);
            fault.place.pointer = pointer::join(&place.pointer, field);
            fault.place.field = Some(field.to_owned());
            fault.fix = None;
        } else if let Some(fix) = &mut fault.fix
            && fix.pointer == place.pointer
            && let Some(Value::Object(whole)) = &mut fix.value
        {
            // A fix of the whole config must not copy the connection's settings into the node.
            whole.retain(|key, _| node.config.contains_key(key) || !connection.config().contains_key(key));
        }
        out.push(fault);
    }
}
