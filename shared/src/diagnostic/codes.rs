//! Every code a diagnostic may carry, in one table. `docs/errors.md` is written from it by a test, which also refuses a
//! table from which a published code is missing: scripts and searches rely on codes for ever.

/// What a code means, whatever the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The dotted code.
    pub code: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means and what to do, for the reader of the error pages.
    pub help: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, $help:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*
        /// All codes, in the order of the error pages.
        pub const ALL: &[Code] = &[$(Code { code: $code, title: $title, help: $help }),*];
    };
}

codes! {
    DOCUMENT_TOO_LARGE = "document.too_large", "The document is larger than 2 MiB.",
        "Split the channel, or move large values (tables, templates, lists) into files that its components read.";
    DOCUMENT_ENCODING = "document.encoding", "The document is not UTF-8 text.",
        "Save the file as UTF-8. Fairway does not guess other encodings: a wrong guess would change names and settings.";
    DOCUMENT_BYTE_ORDER_MARK = "document.byte_order_mark", "The document begins with a byte order mark.",
        "It is ignored here, but other tools refuse it. Save the file as UTF-8 without a mark.";
    DOCUMENT_SYNTAX = "document.syntax", "The text is not JSON.",
        "Line and column say where. All slips that can be told apart are reported at once.";
    DOCUMENT_TOO_DEEP = "document.too_deep", "Lists and objects are nested too deeply.",
        "No setting of any component needs more than 128 levels.";
    DOCUMENT_DUPLICATE_KEY = "document.duplicate_key", "An object has the same key twice.",
        "Most readers of JSON let the last one win in silence. Remove one of the two.";
    DOCUMENT_NOT_AN_OBJECT = "document.not_an_object", "The document is not a JSON object.",
        "A document is an object with `apiVersion`, `kind`, `metadata` and `spec`.";
    DOCUMENT_VERSION = "document.version", "The document's `apiVersion` is missing or unknown.",
        "This version reads the versions it names in the message. A document of a later Fairway needs a later Fairway.";
    DOCUMENT_MIGRATED = "document.migrated", "The document is of an older version.",
        "It was read as if it had been written today; saving writes the present form. Nothing is lost.";
    DOCUMENT_KIND = "document.kind", "The document's `kind` is missing or unknown, or another one is expected here.",
        "Kinds are `Channel`, `Connection` and `Bundle`.";
    DOCUMENT_WRONG_TYPE = "document.wrong_type", "A field of the document holds a value of the wrong type.",
        "The value is kept as it is when the document is saved, but has no effect.";
    DOCUMENT_UNKNOWN_FIELD = "document.unknown_field", "The document has a field that this version does not know.",
        "It is kept when the document is saved, but has no effect: a slip of the pen, or something of a later version.";
    DOCUMENT_UNKNOWN_VALUE = "document.unknown_value", "A field holds a word that is not among its choices.",
        "The message lists the choices.";
    DOCUMENT_OUT_OF_RANGE = "document.out_of_range", "A number of the document is too small or too large.",
        "The message says what is allowed.";
    DOCUMENT_MORE_FAULTS = "document.more_faults", "The document has more faults than are shown.",
        "The first 2,000 are shown, errors first. Mend them and look again.";
    BUNDLE_ITEM = "bundle.item", "An item of a bundle is neither a channel nor a connection.",
        "A bundle lists channels and the connections they name; it holds no other bundle.";
    NAME_MISSING = "name.missing", "The document has no name.",
        "`metadata.name` is what lists, exports and the command line call it.";
    NAME_CONTROL_CHARACTER = "name.control_character", "A name holds a control character.",
        "Names are free text of any script, but on one line: no line breaks, tabs or zero bytes.";
    NAME_TOO_LONG = "name.too_long", "A name is longer than 200 characters.",
        "Use the description for what does not fit.";
    NODE_NO_ID = "node.no_id", "A node has no id.",
        "Edges and positions name nodes by id.";
    NODE_BAD_ID = "node.bad_id", "A node's id has letters that ids cannot have.",
        "Ids are letters, digits, `_` and `-`, at most 64 of them. The title is free text.";
    NODE_DUPLICATE_ID = "node.duplicate_id", "Two nodes have the same id.",
        "Give one of them another id, and check which of the two the edges mean.";
    NODE_NO_COMPONENT = "node.no_component", "A node does not say which component it is.",
        "`fairway components` lists all of them.";
    NODE_UNKNOWN_COMPONENT = "node.unknown_component", "There is no component of this name here.",
        "It may be misspelt, or of a build of Fairway with more components. The node is kept as it is.";
    EDGE_NO_END = "edge.no_end", "An edge does not say where it begins or ends.",
        "An edge is `{ \"from\": \"node\", \"to\": \"node\" }`; a port is named as `node.port`.";
    EDGE_UNKNOWN_NODE = "edge.unknown_node", "An edge names a node that is not there.",
        "Name a node of this channel, or remove the edge.";
    EDGE_UNKNOWN_PORT = "edge.unknown_port", "An edge names a port that the component does not have.",
        "The message lists the ports. Every node also has `errors` as an output.";
    EDGE_NO_PORT = "edge.no_port", "An edge does not say which output it begins at.",
        "Where settings name the outputs, every edge names one: `node.output`. The message lists them.";
    EDGE_FROM_SINK = "edge.from_sink", "An edge begins at a target.",
        "Targets end the way of a record; only their `errors` port leads on.";
    EDGE_INTO_SOURCE = "edge.into_source", "An edge ends at a source.",
        "Sources bring records in from outside and take none.";
    EDGE_DUPLICATE = "edge.duplicate", "Two edges join the same ports.",
        "Every record would arrive twice. Remove one of them.";
    GRAPH_EMPTY = "graph.empty", "The channel has no nodes.",
        "Place a source and a target, and join them.";
    GRAPH_NO_OUTPUT = "graph.no_output", "Nothing leads on from a source or transform.",
        "Its records would vanish. Join it to a target, or remove it.";
    GRAPH_NO_INPUT = "graph.no_input", "Nothing leads to a transform or target.",
        "It would never see a record. Join it to a source, or remove it.";
    GRAPH_LOOSE_OUTPUT = "graph.loose_output", "Nothing leads on from one of several outputs.",
        "Its records are dropped and count as filtered. Join it to a target, unless that is meant.";
    GRAPH_CYCLE = "graph.cycle", "Nodes lead back to themselves.",
        "Records would circle for ever; this holds for `errors` ports as well. Remove one edge of the circle.";
    GRAPH_TOO_MANY_COPIES = "graph.too_many_copies", "One record would become more than 10,000 copies on its way.",
        "Every edge from an output carries a copy, and where ways part and meet again layer by layer their number multiplies. Join the layers by fewer edges.";
    CONFIG_MISSING = "config.missing", "A setting that the component needs is missing.",
        "The help of the field says what it is for.";
    CONFIG_WRONG_TYPE = "config.wrong_type", "A setting holds a value of the wrong type.",
        "The message says what is expected.";
    CONFIG_UNKNOWN_FIELD = "config.unknown_field", "The component has no such setting.",
        "It would have no effect, which is never what was meant. `fairway components NAME` lists all settings.";
    CONFIG_UNKNOWN_VALUE = "config.unknown_value", "A setting holds a word that is not among its choices.",
        "The message lists the choices.";
    CONFIG_OUT_OF_RANGE = "config.out_of_range", "A number is too small or too large.",
        "The message says what is allowed.";
    CONFIG_LENGTH = "config.length", "A text or list is too short or too long.",
        "The message says what is allowed.";
    CONFIG_FORMAT = "config.format", "A text does not have the form that the setting needs.",
        "The message shows the form.";
    CONFIG_DUPLICATE_ITEM = "config.duplicate_item", "A list holds the same element twice.",
        "Remove one of the two.";
    CONFIG_RULE = "config.rule", "Settings contradict each other, or break a rule of the component.",
        "The message says which rule; the component's page explains it.";
    PORT_BAD_NAME = "port.bad_name", "A setting names an output with letters that names cannot have.",
        "Names of outputs are letters and digits of any script, `_` and `-`, at most 64 of them.";
    PORT_DUPLICATE_NAME = "port.duplicate_name", "A setting names an output as another one is named.",
        "Edges tell outputs apart by name. The node's fixed outputs and `errors` are taken.";
    CONNECTION_UNKNOWN = "connection.unknown", "There is no connection of this name.",
        "Import its document, or give it beside the channel (`--with`).";
    CONNECTION_NO_CONNECTOR = "connection.no_connector", "A connection does not say what it connects to.",
        "`spec.connector` names the family of the external system.";
    SECRET_BROKEN = "secret.broken", "A reference to a secret is not well formed.",
        "References are `${secret:name}` and `${env:NAME}`.";
    SECRET_PLAIN = "secret.plain", "A secret is written into the document.",
        "Documents are made to be passed on. Store the value as a secret and refer to it with `${secret:name}`.";
    SECRET_SUSPECTED = "secret.suspected", "A setting looks as if a secret was written into it.",
        "If it is one, store the value as a secret and refer to it with `${secret:name}`.";
    SECRET_UNKNOWN = "secret.unknown", "A secret that the document refers to is not stored here.",
        "Store it in the form of the node that names it, with `fairway secrets set NAME`, or by the API; an import lists all that are missing.";
    SCHEDULE_CRON = "schedule.cron", "The schedule is no cron expression.",
        "Five words: minute, hour, day of the month, month, day of the week. `0 2 * * *` is every night at two.";
    SCHEDULE_TIMEZONE = "schedule.timezone", "The schedule names a time zone that is not known.",
        "Name an IANA time zone such as `UTC` or `Europe/Berlin`.";
    SCHEDULE_NEVER = "schedule.never", "The schedule names a time that never comes.",
        "No calendar has such a day, the 31st of February for instance.";
    PLAN_ONE_TASK_ONLY = "plan.one_task_only", "A node asks for several tasks and cannot have them.",
        "Several tasks share the partitions of a source, so all their nodes must be able to run more than once. The message says which cannot.";
    PLAN_ERRORS_ACROSS_STREAM = "plan.errors_across_stream", "An errors port leads into another task.",
        "A stream between tasks does not carry that a record was refused. Let such records become dead letters, or choose `direct` streams.";
    PLAN_SCHEDULE_WITH_STREAM = "plan.schedule_with_stream", "A channel that runs by a schedule asks for streams by topic.",
        "Such a run would not know when it is over. Choose `auto` or `direct` streams, or take the schedule away.";
    PLAN_TOPIC_WITHOUT_CLUSTER = "plan.topic_without_cluster", "Streams by topic need a Kafka cluster.",
        "Choose `direct` or `auto`, or run the channel on a cluster of workers with a broker.";
    PLAN_NEEDS_CLUSTER = "plan.needs_cluster", "A setting needs a cluster of workers.",
        "It rests on what the workers' own Kafka holds. Change the setting, or run the channel on a cluster.";
    PLAN_DELIVERY_TOO_LOW = "plan.delivery_too_low", "A target cannot give the guarantee that the channel asks for.",
        "The message says which part of the way is weaker. Use other components, or accept a lower guarantee in the settings.";
    PLAN_READS_WHAT_IT_WRITES = "plan.reads_what_it_writes", "A target writes a file that a source of the same channel reads.",
        "The channel would feed itself. Write to another folder, or narrow the path of the source.";
}

/// The table's entry of a code.
pub fn find(code: &str) -> Option<&'static Code> {
    ALL.iter().find(|entry| entry.code == code)
}
