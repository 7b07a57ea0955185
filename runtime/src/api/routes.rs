//! Which function answers which endpoint. Each takes a call apart, asks the controller, and puts the answer together.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::{
    AddChannel, DeleteChannel, DeployChannel, Diagnostics, ExportChannel, GetChannel, GetPositions,
    GetStatus, ImportDocument, ListChannels, ListVersions, PlanChannel, ResetPositions, RestartChannel,
    RestartTask, SaveDraft, SetTargetState, ValidateDocument,
};
use fairway_shared::api::cluster::{DrainWorker, GetCluster, GetMoves, UndrainWorker};
use fairway_shared::api::connections::{
    DeleteConnection, DeleteSecret, ListConnections, ListSecrets, PutConnection, PutSecret,
};
use fairway_shared::api::dead_letters::{
    DiscardDeadLetters, EditDeadLetter, GetDeadLetter, GroupDeadLetters, ListDeadLetters, PreviewDeadLetter,
    ReplayDeadLetters, Selection,
};
use fairway_shared::api::preview::{PreviewChannel, PreviewDocument, ProbeConnection};
use fairway_shared::api::system::{Components, GetAbout, ListComponents};
use fairway_shared::api::taps::{CloseTap, OpenTap, ReadTap};

use super::Api;
use super::mount::{Answer, Call, LARGEST_IMPORT, Mount, Parts, Reply, respond};
use crate::problem::Refused;
use crate::redact::percent_encoded;

/// Every endpoint with its function.
pub(super) fn mount() -> Mount {
    Mount::new()
        .on::<GetAbout, _, _>(about)
        .on::<ListComponents, _, _>(list_components)
        .on::<ListChannels, _, _>(list_channels)
        .on::<AddChannel, _, _>(add_channel)
        .on::<GetChannel, _, _>(get_channel)
        .on::<DeleteChannel, _, _>(delete_channel)
        .on::<SaveDraft, _, _>(save_draft)
        .bytes::<ValidateDocument, _, _>(LARGEST_IMPORT, validate)
        .on::<PlanChannel, _, _>(plan)
        .on::<DeployChannel, _, _>(deploy)
        .on::<SetTargetState, _, _>(set_target)
        .on::<RestartChannel, _, _>(restart)
        .on::<RestartTask, _, _>(restart_task)
        .on::<GetStatus, _, _>(get_status)
        .on::<ListVersions, _, _>(list_versions)
        .bytes::<ExportChannel, _, _>(0, export)
        .limited::<ImportDocument, _, _>(LARGEST_IMPORT, import)
        .on::<GetPositions, _, _>(get_positions)
        .on::<ResetPositions, _, _>(reset_positions)
        .on::<ListDeadLetters, _, _>(list_dead_letters)
        .on::<GroupDeadLetters, _, _>(group_dead_letters)
        .on::<GetDeadLetter, _, _>(get_dead_letter)
        .limited::<EditDeadLetter, _, _>(LARGEST_IMPORT, edit_dead_letter)
        .limited::<PreviewDeadLetter, _, _>(LARGEST_IMPORT, preview_dead_letter)
        .on::<ReplayDeadLetters, _, _>(replay_dead_letters)
        .on::<DiscardDeadLetters, _, _>(discard_dead_letters)
        .limited::<PreviewDocument, _, _>(LARGEST_IMPORT, preview_document)
        .limited::<PreviewChannel, _, _>(LARGEST_IMPORT, preview_channel)
        .on::<ProbeConnection, _, _>(probe)
        .on::<OpenTap, _, _>(open_tap)
        .on::<ReadTap, _, _>(read_tap)
        .on::<CloseTap, _, _>(close_tap)
        .on::<ListConnections, _, _>(list_connections)
        .on::<PutConnection, _, _>(put_connection)
        .on::<DeleteConnection, _, _>(delete_connection)
        .on::<GetCluster, _, _>(get_cluster)
        .on::<GetMoves, _, _>(get_moves)
        .on::<DrainWorker, _, _>(drain_worker)
        .on::<UndrainWorker, _, _>(undrain_worker)
        .on::<ListSecrets, _, _>(list_secrets)
        .on::<PutSecret, _, _>(put_secret)
        .on::<DeleteSecret, _, _>(delete_secret)
}

type Shared = Arc<Api>;

async fn about(api: Shared, _: Call<GetAbout>) -> Answer<GetAbout> {
    Ok(Reply::new(api.about.clone()))
}

async fn list_components(api: Shared, _: Call<ListComponents>) -> Answer<ListComponents> {
    Ok(Reply::new(Components { components: api.controller.registry().specs().to_vec() }))
}

async fn list_channels(api: Shared, _: Call<ListChannels>) -> Answer<ListChannels> {
    Ok(Reply::new(api.controller.channels().await?))
}

async fn add_channel(api: Shared, call: Call<AddChannel>) -> Answer<AddChannel> {
    let detail = api.controller.create(&call.body.document).await?;
    let etag = detail.etag.clone();
    Ok(Reply::new(detail).etag(etag))
}

async fn get_channel(api: Shared, call: Call<GetChannel>) -> Answer<GetChannel> {
    let detail = api.controller.channel(call.path("uid")).await?;
    let etag = detail.etag.clone();
    Ok(Reply::new(detail).etag(etag))
}

async fn delete_channel(api: Shared, call: Call<DeleteChannel>) -> Answer<DeleteChannel> {
    api.controller.delete(call.path("uid")).await?;
    Ok(Reply::new(Nothing {}))
}

async fn save_draft(api: Shared, call: Call<SaveDraft>) -> Answer<SaveDraft> {
    let saved = api.controller.save(call.path("uid"), call.if_match.as_deref(), &call.body).await?;
    let etag = saved.etag.clone();
    Ok(Reply::new(saved).etag(etag))
}

/// Any bytes are an answerable question (I7).
async fn validate(api: Shared, _: Parts, bytes: Bytes) -> Result<Response, Refused> {
    let diagnostics = api.controller.check_bytes(&bytes).await?;
    Ok(respond::<ValidateDocument>(Reply::new(Diagnostics { diagnostics })))
}

async fn plan(api: Shared, call: Call<PlanChannel>) -> Answer<PlanChannel> {
    Ok(Reply::new(api.controller.plan(call.path("uid")).await?))
}

async fn deploy(api: Shared, call: Call<DeployChannel>) -> Answer<DeployChannel> {
    Ok(Reply::new(api.controller.deploy_with(call.path("uid"), call.body.clone()).await?))
}

async fn set_target(api: Shared, call: Call<SetTargetState>) -> Answer<SetTargetState> {
    Ok(Reply::new(api.controller.set_target(call.path("uid"), call.body.target).await?))
}

async fn restart(api: Shared, call: Call<RestartChannel>) -> Answer<RestartChannel> {
    Ok(Reply::new(api.controller.restart(call.path("uid")).await?))
}

async fn restart_task(api: Shared, call: Call<RestartTask>) -> Answer<RestartTask> {
    Ok(Reply::new(api.controller.restart_task(call.path("uid"), call.path("task")).await?))
}

async fn get_status(api: Shared, call: Call<GetStatus>) -> Answer<GetStatus> {
    Ok(Reply::new(api.controller.status(call.path("uid")).await?))
}

async fn list_versions(api: Shared, call: Call<ListVersions>) -> Answer<ListVersions> {
    Ok(Reply::new(api.controller.versions(call.path("uid")).await?))
}

/// The document's own text, whose key order a JSON value could not carry.
async fn export(api: Shared, parts: Parts, _: Bytes) -> Result<Response, Refused> {
    let export = api.controller.export(parts.path.get("uid").map_or("", String::as_str)).await?;
    // Both forms of the name (RFC 6266): the plain one for clients that know no other.
    let plain: String = export
        .file_name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "-_. ".contains(letter) { letter } else { '_' })
        .collect();
    let extended = percent_encoded(&export.file_name);
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{extended}"),
        ),
    ];
    Ok((headers, export.text).into_response())
}

async fn import(api: Shared, call: Call<ImportDocument>) -> Answer<ImportDocument> {
    Ok(Reply::new(api.controller.import(&call.body).await?))
}

async fn get_positions(api: Shared, call: Call<GetPositions>) -> Answer<GetPositions> {
    Ok(Reply::new(api.controller.positions(call.path("uid")).await?))
}

async fn reset_positions(api: Shared, call: Call<ResetPositions>) -> Answer<ResetPositions> {
    api.controller.reset(call.path("uid")).await?;
    Ok(Reply::new(Nothing {}))
}

async fn list_dead_letters(api: Shared, call: Call<ListDeadLetters>) -> Answer<ListDeadLetters> {
    let (limit, offset) = (call.number("limit")?, call.number("offset")?);
    let text = |name: &str| call.text(name).map(str::to_owned);
    let selection = Selection {
        ids: None,
        node: text("node"),
        code: text("code"),
        since: text("since"),
        until: text("until"),
    };
    Ok(Reply::new(api.controller.dead_letters(call.path("uid"), &selection, limit, offset).await?))
}

async fn group_dead_letters(api: Shared, call: Call<GroupDeadLetters>) -> Answer<GroupDeadLetters> {
    Ok(Reply::new(api.controller.dead_letter_groups(call.path("uid")).await?))
}

async fn get_dead_letter(api: Shared, call: Call<GetDeadLetter>) -> Answer<GetDeadLetter> {
    Ok(Reply::new(api.controller.dead_letter(call.path("uid"), call.path("id")).await?))
}

async fn edit_dead_letter(api: Shared, call: Call<EditDeadLetter>) -> Answer<EditDeadLetter> {
    let (uid, id) = (call.path("uid"), call.path("id"));
    Ok(Reply::new(api.controller.edit_letter(uid, id, &call.body, call.caller).await?))
}

async fn preview_dead_letter(api: Shared, call: Call<PreviewDeadLetter>) -> Answer<PreviewDeadLetter> {
    Ok(Reply::new(api.controller.preview_letter(call.path("uid"), call.path("id"), &call.body).await?))
}

async fn replay_dead_letters(api: Shared, call: Call<ReplayDeadLetters>) -> Answer<ReplayDeadLetters> {
    Ok(Reply::new(api.controller.replay(call.path("uid"), &call.body).await?))
}

async fn preview_document(api: Shared, call: Call<PreviewDocument>) -> Answer<PreviewDocument> {
    Ok(Reply::new(api.controller.preview(None, &call.body).await?))
}

async fn preview_channel(api: Shared, call: Call<PreviewChannel>) -> Answer<PreviewChannel> {
    Ok(Reply::new(api.controller.preview(Some(call.path("uid")), &call.body).await?))
}

async fn probe(api: Shared, call: Call<ProbeConnection>) -> Answer<ProbeConnection> {
    Ok(Reply::new(api.controller.probe(&call.body).await?))
}

async fn open_tap(api: Shared, call: Call<OpenTap>) -> Answer<OpenTap> {
    let (from, to) = (call.text("from").unwrap_or_default(), call.text("to").unwrap_or_default());
    let seconds = call.number("seconds")?;
    Ok(Reply::new(api.controller.open_tap(call.path("uid"), from, to, seconds, call.caller).await?))
}

async fn read_tap(api: Shared, call: Call<ReadTap>) -> Answer<ReadTap> {
    let after = call.number("after")?.unwrap_or_default();
    Ok(Reply::new(api.controller.read_tap(call.path("uid"), call.path("id"), after)?))
}

async fn close_tap(api: Shared, call: Call<CloseTap>) -> Answer<CloseTap> {
    api.controller.close_tap(call.path("uid"), call.path("id"));
    Ok(Reply::new(Nothing {}))
}

async fn discard_dead_letters(api: Shared, call: Call<DiscardDeadLetters>) -> Answer<DiscardDeadLetters> {
    Ok(Reply::new(api.controller.discard(call.path("uid"), &call.body).await?))
}

async fn list_connections(api: Shared, _: Call<ListConnections>) -> Answer<ListConnections> {
    Ok(Reply::new(api.controller.connections().await?))
}

async fn put_connection(api: Shared, call: Call<PutConnection>) -> Answer<PutConnection> {
    Ok(Reply::new(api.controller.put_connection(call.path("name"), &call.body).await?))
}

async fn delete_connection(api: Shared, call: Call<DeleteConnection>) -> Answer<DeleteConnection> {
    api.controller.delete_connection(call.path("name")).await?;
    Ok(Reply::new(Nothing {}))
}

async fn get_cluster(api: Shared, _: Call<GetCluster>) -> Answer<GetCluster> {
    Ok(Reply::new(api.controller.cluster().await?))
}

async fn get_moves(api: Shared, _: Call<GetMoves>) -> Answer<GetMoves> {
    Ok(Reply::new(api.controller.moves()))
}

async fn drain_worker(api: Shared, call: Call<DrainWorker>) -> Answer<DrainWorker> {
    api.controller.drain(call.path("id"), true).await?;
    Ok(Reply::new(Nothing {}))
}

async fn undrain_worker(api: Shared, call: Call<UndrainWorker>) -> Answer<UndrainWorker> {
    api.controller.drain(call.path("id"), false).await?;
    Ok(Reply::new(Nothing {}))
}

async fn list_secrets(api: Shared, _: Call<ListSecrets>) -> Answer<ListSecrets> {
    Ok(Reply::new(api.controller.secrets().await?))
}

async fn put_secret(api: Shared, call: Call<PutSecret>) -> Answer<PutSecret> {
    api.controller.set_secret(call.path("name"), &call.body.value.clone().into()).await?;
    Ok(Reply::new(Nothing {}))
}

async fn delete_secret(api: Shared, call: Call<DeleteSecret>) -> Answer<DeleteSecret> {
    api.controller.delete_secret(call.path("name")).await?;
    Ok(Reply::new(Nothing {}))
}
