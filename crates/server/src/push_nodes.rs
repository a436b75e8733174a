//! The key for web push and the devices that want notices, where all nodes find them. One node tells the
//! devices: the one with the seat. When it dies, another goes on from what was told.

use std::sync::Arc;

use sayso_couriers::NewsFuture;
use sayso_couriers::push::{DeviceChanges, DeviceRecord, HomeFuture, PushError, PushHome};
use sayso_hub::Hub;
use sayso_store::{Neighbours, ShelfRow, StoreError};
use tokio::sync::broadcast::error::RecvError;

/// The shelf of devices.
const DEVICES: &str = "push";
/// The shelf of the key, and its one record.
const KEYS: &str = "vapid";
const KEY: &str = "key";
/// The job that one node does.
const TELLER: &str = "courier";

/// What the nodes share about web push.
#[derive(Debug)]
pub(crate) struct PushNodes {
    hub: Hub,
    neighbours: Arc<dyn Neighbours>,
}

impl PushNodes {
    pub(crate) fn new(hub: &Hub, neighbours: &Arc<dyn Neighbours>) -> Self {
        Self {
            hub: hub.clone(),
            neighbours: Arc::clone(neighbours),
        }
    }
}

fn away(error: &StoreError) -> PushError {
    PushError::Away {
        detail: error.to_string(),
    }
}

fn text(bytes: Vec<u8>) -> Result<String, PushError> {
    String::from_utf8(bytes).map_err(|_| PushError::Damaged {
        place: "a record for web push".to_owned(),
        detail: "it is not text".to_owned(),
    })
}

impl PushHome for PushNodes {
    fn first_key(&self, new: String) -> HomeFuture<'_, String> {
        Box::pin(async move {
            let row = ShelfRow {
                key: KEY.to_owned(),
                bytes: new.into_bytes(),
            };
            let kept = self.neighbours.shelf().put_first(KEYS, row).await;
            text(kept.map_err(|error| away(&error))?)
        })
    }

    fn devices(&self) -> HomeFuture<'_, Vec<DeviceRecord>> {
        Box::pin(async move {
            let rows = self.neighbours.shelf().rows(DEVICES).await;
            let rows = rows.map_err(|error| away(&error))?;
            let record = |row: ShelfRow| {
                Ok(DeviceRecord {
                    key: row.key,
                    text: text(row.bytes)?,
                })
            };
            rows.into_iter().map(record).collect()
        })
    }

    fn write(&self, _: Vec<DeviceRecord>, changed: DeviceChanges) -> HomeFuture<'_, ()> {
        Box::pin(async move {
            let devices = self.neighbours.shelf();
            for record in changed.put {
                let row = ShelfRow {
                    key: record.key,
                    bytes: record.text.into_bytes(),
                };
                let put = devices.put(DEVICES, row).await;
                put.map_err(|error| away(&error))?;
            }
            if changed.gone.is_empty() {
                return Ok(());
            }
            let removed = devices.remove(DEVICES, changed.gone).await;
            removed.map_err(|error| away(&error))
        })
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn is_teller(&self) -> bool {
        self.neighbours.seat(TELLER)
    }

    fn changed(&self) -> NewsFuture<'_, ()> {
        let mut shelves = self.hub.shelves_changed();
        Box::pin(async move {
            loop {
                match shelves.recv().await {
                    Ok(changed) if changed == DEVICES => return,
                    Ok(_) => {}
                    // What was missed may have been this.
                    Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => return std::future::pending().await,
                }
            }
        })
    }
}
