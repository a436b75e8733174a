//! Where the files of agents are kept: in a folder, or where the other nodes find them. What comes in is
//! gathered in the folder either way.

use std::io;
use std::path::Path;
use std::sync::Arc;

use sayso_core::id::TokenId;
use sayso_hub::{Hub, HubError};
use sayso_store::{Neighbours, SharedFile};

use crate::aside::aside;
use crate::error::ServerError;
use crate::files::{About, FileDraft, FileId, Files, make_room};
use crate::problem::{ApiError, OrRefuse as _};
use crate::shared::Shared;

/// The files of agents.
#[derive(Debug)]
pub(crate) struct AgentFiles {
    folder: Arc<Files>,
    /// The other nodes, where they keep the files.
    nodes: Option<Arc<dyn Neighbours>>,
}

impl AgentFiles {
    /// The files of a server on this hub, with this folder.
    pub(crate) fn open(folder: &Path, hub: &Hub) -> Result<Self, ServerError> {
        Ok(Self {
            folder: Arc::new(Files::open(folder)?),
            nodes: hub.neighbours().map(Arc::clone),
        })
    }

    /// Begins to take a file in; nothing when too many are coming in already.
    pub(crate) fn begin(&self, owner: TokenId) -> Result<Option<FileDraft>, ServerError> {
        self.folder.begin(owner)
    }

    /// What the system said, as an error of the folder.
    pub(crate) fn failed(&self, error: &io::Error) -> ServerError {
        self.folder.failed(error)
    }

    /// Keeps a file that came in whole, and removes those that make room for it; nothing when there is
    /// no room.
    pub(crate) async fn keep(
        &self,
        shared: &Shared,
        draft: FileDraft,
        about: &About,
    ) -> Result<Option<FileId>, ApiError> {
        let (folder, about) = (Arc::clone(&self.folder), about.clone());
        let Some(nodes) = &self.nodes else {
            return Ok(aside(move || folder.keep(&draft, &about)).await??);
        };
        let (draft, content) = aside(move || {
            let content = draft.content();
            (draft, content)
        })
        .await?;
        let content = content.map_err(|error| self.failed(&error))?;
        let (id, owner) = (draft.id().clone(), draft.owner());
        let room = make_room(id.clone(), content.len() as u64, owner);
        let file = SharedFile {
            id: id.as_str().to_owned(),
            owner,
            about: about.written(owner),
            content,
        };
        let kept = nodes.files().keep(file, room).await.map_err(HubError::from);
        Ok(kept.or_refuse(shared)?.then_some(id))
    }

    /// The file with this id and what was said about it.
    pub(crate) async fn read(
        &self,
        shared: &Shared,
        id: &str,
    ) -> Result<Option<(About, Vec<u8>)>, ApiError> {
        let Some(id) = FileId::parse(id) else {
            return Ok(None);
        };
        let Some(nodes) = &self.nodes else {
            let folder = Arc::clone(&self.folder);
            return Ok(aside(move || folder.read(&id)).await??);
        };
        let read = nodes
            .files()
            .read(id.as_str())
            .await
            .map_err(HubError::from);
        let read = read.or_refuse(shared)?;
        Ok(read.and_then(|(about, content)| Some((About::read(&about)?, content))))
    }
}
