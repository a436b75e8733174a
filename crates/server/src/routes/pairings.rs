//! Pairing codes, for programs that are set up by typing.

use axum::http::StatusCode;
use sayso_dialects::native::wire::{NewPairing, Pairing, Problem, ProblemCode, WireTime};
use sayso_dialects::{DIALECTS, Dialect, PairingGuide, PairingPlace};
use sayso_hub::Pass;
use sayso_store::CodeKept;

use super::reply;
use super::tokens::token_name;
use crate::auth::bearer::Admin;
use crate::auth::grants::{Grant as _, PairingGrant, Voucher};
use crate::auth::secret::six_digits;
use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::qr;
use crate::shared::Shared;

/// Tries to find a code that is not open already: two alike are one chance in sixty thousand.
const TRIES_MAX: usize = 8;

/// Creates a pairing code, which a program exchanges for an agent token, once and within ten
/// minutes.
#[utoipa::path(
    post, path = "/v1/pairings", tag = "admin", request_body = NewPairing,
    responses((status = 201, body = Pairing), (status = "4XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn make(
    Admin(pass, shared): Admin,
    JsonBody(NewPairing { dialect, name }): JsonBody<NewPairing>,
) -> ApiResult {
    let mut pairing = DIALECTS.iter().filter(|row| row.redeem().is_some());
    let Some(row) = pairing.clone().find(|row| row.name == dialect) else {
        let known: Vec<&str> = pairing.by_ref().map(|row| row.name).collect();
        let message = format!(
            "is not a dialect that supports pairing; use one of: {}",
            known.join(", ")
        );
        return Err(ApiError::invalid("/dialect", message));
    };
    let name = name.map(|name| token_name(name, "/name")).transpose()?;
    let expires_at = WireTime(shared.now().after(PairingGrant::LIFE));
    let grant = PairingGrant::new(row.name, name.as_ref(), Voucher::of(&Pass::Admin(pass)));
    for _ in 0..TRIES_MAX {
        let code = six_digits()?;
        match shared.codes.keep(&code, &grant).await.or_refuse(&shared)? {
            CodeKept::Kept => {
                let guide = guide(&shared, row, &code);
                let (lines, copied) = guide.map_or_else(Default::default, |guide| {
                    let PairingGuide { lines, copied } = guide;
                    (lines, copied)
                });
                return Ok(reply::json(
                    StatusCode::CREATED,
                    &Pairing {
                        code,
                        dialect: row.name.to_owned(),
                        expires_at,
                        qr: qr::rows(&copied).filter(|_| !copied.is_empty()),
                        lines,
                        copied,
                    },
                ));
            }
            CodeKept::Taken => {}
            CodeKept::Full => break,
        }
    }
    let refusal = ApiError::new(ProblemCode::SlowDown, "Too many pairing codes are pending.");
    Err(refusal.after(PairingGrant::LIFE))
}

/// What a person does with the code, at the address that links lead to.
fn guide(shared: &Shared, row: &Dialect, code: &str) -> Option<PairingGuide> {
    let (scheme, host) = shared.url.split_once("://")?;
    let place = PairingPlace {
        host,
        tls: scheme == "https",
        code,
    };
    row.redeem().map(|redeem| (redeem.guide)(&place))
}
