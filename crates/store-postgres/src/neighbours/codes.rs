//! Codes that are good once, at whichever node they are shown first.

use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sayso_store::{CodeKept, CodeKind, Later, NewCode, SharedCodes};
use sha2::Sha256;

use crate::fault;
use crate::inner::PgInner;
use crate::sql::pooled;

/// Codes in the database. It knows only keyed hashes of them.
#[derive(Debug)]
pub(super) struct PgCodes(pub(super) Arc<PgInner>);

const fn kind_number(kind: CodeKind) -> i16 {
    match kind {
        CodeKind::Ticket => 1,
        CodeKind::Login => 2,
        CodeKind::Pairing => 3,
    }
}

impl SharedCodes for PgCodes {
    fn hash(&self, kind: CodeKind, code: &str) -> [u8; 32] {
        // A key may have any length, so that this cannot fail.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0.target.settings.key) else {
            return [0; 32];
        };
        mac.update(b"sayso code");
        mac.update(&kind_number(kind).to_le_bytes());
        mac.update(code.as_bytes());
        mac.finalize().into_bytes().into()
    }

    fn keep(&self, code: NewCode) -> Later<'_, CodeKept> {
        let inner = Arc::clone(&self.0);
        self.0.on(async move {
            let client = pooled(&inner.pool).await?;
            let kind = kind_number(code.kind);
            let old = "DELETE FROM pass WHERE kind = $1 AND until <= clock_timestamp()";
            client
                .execute(old, &[&kind])
                .await
                .map_err(fault::journal)?;
            let most = i64::try_from(code.most).unwrap_or(i64::MAX);
            let life = code.life.as_secs_f64() * 1000.0;
            let sql = "INSERT INTO pass (kind, hash, good_for, \"group\", until)
                       SELECT $1, $2, $3, $4, clock_timestamp() + $5 * interval '1 ms'
                       WHERE (SELECT count(*) FROM pass WHERE kind = $1) < $6
                       ON CONFLICT (kind, hash) DO NOTHING";
            let kept = client
                .execute(
                    sql,
                    &[
                        &kind,
                        &&code.hash[..],
                        &code.good_for,
                        &code.group,
                        &life,
                        &most,
                    ],
                )
                .await
                .map_err(fault::journal)?;
            if kept == 1 {
                return Ok(CodeKept::Kept);
            }
            let sql = "SELECT 1 FROM pass WHERE kind = $1 AND hash = $2";
            let found = client.query_opt(sql, &[&kind, &&code.hash[..]]).await;
            Ok(match found.map_err(fault::journal)? {
                Some(_) => CodeKept::Taken,
                None => CodeKept::Full,
            })
        })
    }

    fn take(&self, kind: CodeKind, hash: [u8; 32]) -> Later<'_, Option<Vec<u8>>> {
        let inner = Arc::clone(&self.0);
        self.0.on(async move {
            let client = pooled(&inner.pool).await?;
            let sql = "DELETE FROM pass WHERE kind = $1 AND hash = $2 AND until > clock_timestamp()
                       RETURNING good_for";
            let kind = kind_number(kind);
            let taken = client.query_opt(sql, &[&kind, &&hash[..]]).await;
            let row = taken.map_err(fault::journal)?;
            let good_for = row.map(|row| row.try_get(0).map_err(fault::journal));
            good_for.transpose()
        })
    }

    fn wrong<'a>(&'a self, kind: CodeKind, group: &'a str, most: u32) -> Later<'a, ()> {
        let (inner, group) = (Arc::clone(&self.0), group.to_owned());
        self.0.on(async move {
            let client = pooled(&inner.pool).await?;
            let (kind, most) = (kind_number(kind), i32::try_from(most).unwrap_or(i32::MAX));
            let count = "UPDATE pass SET wrong = wrong + 1 WHERE kind = $1 AND \"group\" = $2";
            let counted = client.execute(count, &[&kind, &group]).await;
            counted.map_err(fault::journal)?;
            let void = "DELETE FROM pass WHERE kind = $1 AND \"group\" = $2 AND wrong >= $3";
            let done = client.execute(void, &[&kind, &group, &most]).await;
            done.map(|_| ()).map_err(fault::journal)
        })
    }
}
