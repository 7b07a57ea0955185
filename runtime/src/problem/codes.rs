//! Every code a problem may carry, with its HTTP status, in one table. Codes are permanent: scripts rely on them.

/// What a code means, whatever the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The dotted code.
    pub code: &'static str,
    /// HTTP status it comes with.
    pub status: u16,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means and what to do.
    pub help: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal $status:literal, $title:literal, $help:literal;)*) => {
        $(#[doc = $title] pub const $name: Code =
            Code { code: $code, status: $status, title: $title, help: $help };)*
        /// All codes, in the order of the error pages.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    REQUEST_UNREADABLE = "request.unreadable" 400, "The request cannot be read.",
        "The body must be the JSON that the API description gives for this endpoint.";
    REQUEST_NO_TOKEN = "request.no_token" 401, "The request carries no valid token.",
        "Open the address that Fairway printed when it started, or send the token as `Authorization: Bearer …`.";
    REQUEST_FOREIGN_HOST = "request.foreign_host" 403, "The request was addressed to a name that is not this machine's.",
        "A page that is made to look like this machine could otherwise drive Fairway. Use 127.0.0.1 or localhost.";
    REQUEST_FOREIGN_ORIGIN = "request.foreign_origin" 403, "The request comes from a page of another site.",
        "Only Fairway's own pages may call its API from a browser.";
    REQUEST_NO_SUCH_PATH = "request.no_such_path" 404, "The API has no such path.",
        "`/api/v1/openapi.json` describes every path.";
    REQUEST_WRONG_METHOD = "request.wrong_method" 405, "The path does not take this method.",
        "`/api/v1/openapi.json` describes what each path takes.";
    REQUEST_TOO_LARGE = "request.too_large" 413, "The request is larger than Fairway takes.",
        "A document may have 2 MiB. Split the channel, or move large values into files that its components read.";
    CHANNEL_NOT_FOUND = "channel.not_found" 404, "There is no such channel.",
        "It may have been deleted. Channels are addressed by uid, not by name.";
    CHANNEL_NAME_TAKEN = "channel.name_taken" 409, "Another channel has this name, or one that only looks different.",
        "Names that differ in letter case or in how accents are encoded count as the same. Choose another name.";
    CHANNEL_NOT_DEPLOYED = "channel.not_deployed" 409, "The channel has not been deployed.",
        "Deploy it first; then it can be started, paused and stopped.";
    TASK_NOT_FOUND = "channel.task_not_found" 404, "The version in force has no such task.",
        "The status of the channel lists its tasks.";
    CHANNEL_NOT_RUNNING = "channel.not_running" 409, "This can only be done while the channel runs.",
        "Restart the channel as a whole.";
    CHANNEL_NOT_STOPPED = "channel.not_stopped" 409, "This can only be done while the channel is stopped.",
        "Stop the channel first.";
    HOOK_NOT_RUNNING = "hook.not_running" 503, "The channel that takes these requests does not run.",
        "Send the request again later: the channel is stopped, or is just being started.";
    DRAFT_STALE = "draft.stale" 412, "The draft was changed by somebody else since it was read.",
        "Read it again, bring both changes together and save again. Nothing was overwritten.";
    DRAFT_NO_ETAG = "draft.no_etag" 428, "A save must say which draft it changes.",
        "Send the `ETag` that came with the draft as `If-Match`.";
    DOCUMENT_INVALID = "document.invalid" 422, "The document has errors.",
        "The diagnostics say where and what to do.";
    DOCUMENT_WRONG_KIND = "document.wrong_kind" 422, "The document is of another kind than is expected here.",
        "Import takes channels, connections and bundles; the other endpoints take one kind each.";
    IMPORT_EXISTS = "import.exists" 409, "A channel or connection with this name exists already.",
        "Import over it, or import as a copy.";
    CONNECTION_NOT_FOUND = "connection.not_found" 404, "There is no such connection.",
        "`fairway export` and the API list all.";
    CONNECTION_IN_USE = "connection.in_use" 409, "Channels name this connection.",
        "Point those channels at another connection first.";
    SECRET_NOT_FOUND = "secret.not_found" 404, "There is no such secret.",
        "Set it with `fairway secrets set NAME` or in the form of the node that names it.";
    SECRET_BAD_NAME = "secret.bad_name" 422, "The name cannot be that of a secret.",
        "Names have 1 to 128 of the characters A-Z a-z 0-9 . _ - /.";
    SECRET_SEALED = "secret.sealed" 409, "The secret was sealed with another key.",
        "Start Fairway with the key that the secret was set with, or set the secret again.";
    SECRET_NO_KEY = "secret.no_key" 409, "This worker does not have the key of the cluster's secrets.",
        "Start it with `FAIRWAY_SECRET_KEY`, or `FAIRWAY_SECRET_KEY_FILE`, as the other workers have it.";
    LETTER_NOT_FOUND = "dead_letter.not_found" 404, "There is no such dead letter.",
        "It may have been discarded, evicted, or delivered when it was tried again.";
    LETTER_NO_NODE = "dead_letter.no_such_node" 409, "The node that refused it is not in the version in force.",
        "Deploy a version that has it, or discard the dead letter.";
    LETTER_UNDER_WAY = "dead_letter.under_way" 409, "The dead letter waits to be tried again.",
        "Edit it when that has come to something; refused again, it stays.";
    LETTER_OF_SOURCE = "dead_letter.refused_by_source" 409, "A source could not make a record of what it read.",
        "Mend what was read, or the source's settings, and have it read again.";
    TAP_NOT_FOUND = "tap.not_found" 404, "There is no such tap.",
        "It may have ended, or its worker with it. Open another.";
    TAP_NO_EDGE = "tap.no_such_edge" 404, "The version in force has no such edge.",
        "Name its ends as the document does, and deploy it first.";
    TAP_NOT_RUNNING = "tap.not_running" 409, "The channel does not run, so nothing passes its edges.",
        "Start it, or look at samples in a preview.";
    TAP_BUSY = "tap.busy" 429, "Too many taps are open.",
        "Close one, or wait until one ends.";
    TRIAL_BUSY = "trial.busy" 429, "Too many previews and connection tests are under way.",
        "Wait for one of them to end.";
    TRIAL_FAILED = "trial.failed" 500, "A preview failed by a fault of Fairway.",
        "Report it with the log of the server.";
    SERVER_STOPPING = "server.stopping" 503, "The server is about to stop.",
        "It drains what is in flight. Try again when it has started again.";
    CLUSTER_NO_LEADER = "cluster.no_leader" 503, "This worker does not lead the cluster.",
        "Ask the worker that leads, or wait until one does: that takes seconds.";
    CLUSTER_UNCERTAIN = "cluster.uncertain" 503, "Whether the change took effect is not known.",
        "The brokers did not answer in time. Look whether it is there before you repeat it.";
    CLUSTER_UNFINISHED = "cluster.unfinished" 409, "A request was begun by a leader that died before it had answered.",
        "Part of it was done and is not done again. Look what there is, and send what is missing with another id.";
    CLUSTER_ALONE = "cluster.alone" 409, "This process runs alone and shares its channels with nobody.",
        "Start workers with `fairway worker` or `fairway cluster up`; they need a Kafka.";
    CLUSTER_STRANGER = "cluster.stranger" 401, "A request that a worker relayed is not signed as the workers of this cluster sign.",
        "Give all workers of the cluster the same token, by FAIRWAY_TOKEN or --token-file.";
    WORKER_NOT_FOUND = "cluster.worker_not_found" 404, "The cluster has no such worker.",
        "`fairway cluster status` and the page of the cluster list the workers.";
    STORE_CONFLICT = "store.conflict" 409, "Somebody else changed this at the same moment.",
        "Read it again and repeat the change.";
    STORE_FULL = "store.full" 507, "The disk that holds Fairway's data is full.",
        "Make room; channels go on by themselves.";
    STORE_UNAVAILABLE = "store.unavailable" 503, "Fairway's own store cannot be used.",
        "See to the disk that holds the data directory; the log has the details.";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn codes_are_unique_and_dotted() {
        let mut codes: Vec<_> = ALL.iter().map(|entry| entry.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
        assert!(codes.iter().all(|code| code.split('.').count() == 2));
    }
}
