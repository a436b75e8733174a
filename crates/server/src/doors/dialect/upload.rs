//! Taking a file in from an agent: the field `file` of a form, written to the disk as it comes.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use futures_util::StreamExt as _;
use multer::{Constraints, Field, Multipart, SizeLimit};
use sayso_core::limits;
use sayso_dialects::native::wire::ProblemCode;
use sayso_dialects::{CallReply, Uploaded};

use super::Speech;
use super::call::written;
use crate::agent_files::AgentFiles;
use crate::auth::bearer::{self, enter_speaking};
use crate::files::{About, FileDraft, FileId};
use crate::problem::{ApiError, ApiResult};
use crate::shared::Shared;

/// The field that holds the file.
const FIELD: &str = "file";
/// Parts of one form; every other one is passed over.
const PARTS_MAX: usize = 16;
/// What the form may need around the file.
const FORM_BYTES_MAX: usize = 64 * 1024;
const BODY_BYTES_MAX: usize = limits::FILE_BYTES_MAX + FORM_BYTES_MAX;
/// Of a body over the limit this much is still read, so that its sender gets a reply.
const DISCARD_BYTES_MAX: usize = 4 * limits::FILE_BYTES_MAX;
/// A file that takes longer than this was not meant to arrive.
const UPLOAD_MAX: Duration = Duration::from_secs(120);
/// Nothing came for this long: it will not.
const STALLED_MAX: Duration = Duration::from_secs(10);
/// What a file is that says nothing about itself.
const UNKNOWN_TYPE: &str = "application/octet-stream";
/// What a file is called that says nothing about itself.
const UNKNOWN_NAME: &str = "file";

pub(super) async fn upload(
    speech: Arc<Speech>,
    write: fn(&Uploaded<'_>) -> CallReply,
    State(shared): State<Arc<Shared>>,
    request: Request,
) -> ApiResult {
    let (parts, body) = request.into_parts();
    let pass = bearer::agent(enter_speaking(&shared, &parts, &speech.name).await?)?;
    let files = shared.files.as_ref().ok_or_else(|| {
        ApiError::new(ProblemCode::NotFound, "This server does not store files.")
            .hint("`sayso serve` stores files in its state folder.")
    })?;
    let boundary = boundary(&parts.headers)?;
    // Whoever says beforehand that it is far too much is not listened to at all.
    if body.size_hint().lower() > DISCARD_BYTES_MAX as u64 {
        return Err(too_large());
    }
    let draft = files.begin(pass.token().id)?.ok_or_else(|| {
        let detail = format!(
            "At most {} files can be sent at the same time with one token.",
            limits::UPLOADS_PER_TOKEN_MAX
        );
        ApiError::new(ProblemCode::SlowDown, detail)
            .hint("Wait for an upload to finish, then try again.")
            .after(Duration::from_secs(1))
    })?;
    let taken =
        tokio::time::timeout(UPLOAD_MAX, take_in(&shared, files, draft, body, boundary)).await;
    let (id, about) = taken.map_err(|_| bad_form("did not arrive in time"))??;
    written(write(&Uploaded {
        id: id.as_str(),
        url: &format!("{}/v1/files/{}", shared.url, id.as_str()),
        name: &about.name,
        media_type: &about.media_type,
    }))
}

fn boundary(headers: &HeaderMap) -> Result<String, ApiError> {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    kind.and_then(|kind| multer::parse_boundary(kind).ok())
        .ok_or_else(|| bad_form("is not multipart/form-data with a boundary"))
}

/// Reads the form to its end, and keeps the file once it is all there.
async fn take_in(
    shared: &Shared,
    files: &AgentFiles,
    draft: FileDraft,
    body: Body,
    boundary: String,
) -> Result<(FileId, About), ApiError> {
    let mut stream = body.into_data_stream();
    let taken = read_form(files, draft, &mut stream, boundary).await;
    discard(&mut stream).await;
    let (draft, about) = taken?;
    let kept = files.keep(shared, draft, &about).await?;
    Ok((kept.ok_or_else(no_room)?, about))
}

async fn read_form(
    files: &AgentFiles,
    mut draft: FileDraft,
    stream: &mut BodyDataStream,
    boundary: String,
) -> Result<(FileDraft, About), ApiError> {
    let whole = SizeLimit::new().whole_stream(BODY_BYTES_MAX as u64);
    let limits = Constraints::new().size_limit(whole);
    let mut form = Multipart::with_constraints(stream, boundary, limits);
    for _ in 0..PARTS_MAX {
        let Some(field) = in_time(form.next_field()).await? else {
            break;
        };
        if field.name() == Some(FIELD) {
            let about = about(&field);
            write(files, &mut draft, field).await?;
            return Ok((draft, about));
        }
    }
    Err(bad_form("has no field `file`"))
}

async fn write(
    files: &AgentFiles,
    draft: &mut FileDraft,
    mut field: Field<'_>,
) -> Result<(), ApiError> {
    let mut left = limits::FILE_BYTES_MAX;
    while let Some(chunk) = in_time(field.chunk()).await? {
        left = left.checked_sub(chunk.len()).ok_or_else(too_large)?;
        // Into the system's memory; what waits for the disk is the keeping.
        draft.write(&chunk).map_err(|error| files.failed(&error))?;
    }
    Ok(())
}

/// The next part of a form, unless its sender has stalled.
async fn in_time<T>(
    part: impl Future<Output = Result<Option<T>, multer::Error>>,
) -> Result<Option<T>, ApiError> {
    match tokio::time::timeout(STALLED_MAX, part).await {
        Ok(part) => part.map_err(|error| unread(&error)),
        Err(_) => Err(bad_form("did not arrive in time")),
    }
}

fn no_room() -> ApiError {
    ApiError::new(ProblemCode::TryLater, "The folder for files is full.")
        .hint("An admin can delete files in `files` in the state folder.")
}

/// Reads the rest and forgets it: a caller that is still writing would not hear what we say.
async fn discard(stream: &mut BodyDataStream) {
    let mut left = DISCARD_BYTES_MAX;
    while let Ok(Some(Ok(chunk))) = tokio::time::timeout(STALLED_MAX, stream.next()).await {
        match left.checked_sub(chunk.len()) {
            Some(less) => left = less,
            None => return,
        }
    }
}

/// What the sender says about the file, within bounds.
fn about(field: &Field<'_>) -> About {
    let name = field.file_name().unwrap_or_default();
    let kind = field.content_type().map(AsRef::<str>::as_ref);
    About {
        name: bounded(name).unwrap_or(UNKNOWN_NAME).to_owned(),
        media_type: kind.and_then(bounded).unwrap_or(UNKNOWN_TYPE).to_owned(),
    }
}

/// As much of a text as a name may have; nothing when it is empty.
fn bounded(text: &str) -> Option<&str> {
    let mut ends = (0..=text.len().min(limits::NAME_BYTES_MAX)).rev();
    ends.find_map(|end| text.get(..end))
        .filter(|text| !text.is_empty())
}

fn unread(error: &multer::Error) -> ApiError {
    if matches!(error, multer::Error::StreamSizeExceeded { .. }) {
        too_large()
    } else {
        bad_form("ended early, or is not a form")
    }
}

fn bad_form(why: &str) -> ApiError {
    ApiError::invalid("", format!("The body {why}"))
        .hint("Send one file as the field `file` of multipart/form-data.")
}

fn too_large() -> ApiError {
    let detail = format!("The limit for a file is {} bytes.", limits::FILE_BYTES_MAX);
    ApiError::new(ProblemCode::TooLarge, detail)
}
