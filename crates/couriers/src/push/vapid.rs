//! Who sends: the key pair by which push services know this server, made once (RFC 8292).

use std::fmt;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use sayso_core::time::Time;
use serde_json::json;

use super::courier::PushError;
use super::own_file;

/// How long a signed word is good: services take up to a day, clocks differ.
const GOOD_FOR: Duration = Duration::from_secs(12 * 3600);
const HEAD: &str = r#"{"typ":"JWT","alg":"ES256"}"#;

/// The key pair of this server.
pub(super) struct VapidKey {
    pair: EcdsaKeyPair,
    public: String,
}

impl fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VapidKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

impl VapidKey {
    /// The key in this file, made when there is none. One that cannot be read is refused: a new one
    /// would silence every device that subscribed to the old one.
    pub(super) fn open(file: &Path) -> Result<Self, PushError> {
        let random = SystemRandom::new();
        let text = match own_file::read(file)? {
            Some(text) => text,
            None => {
                let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)
                    .map_err(|_| PushError::NoRandom)?;
                let text = URL_SAFE_NO_PAD.encode(made.as_ref());
                own_file::write(file, &format!("{text}\n"))?;
                text
            }
        };
        let unreadable = || PushError::Damaged {
            file: file.to_owned(),
            detail: "it holds no key".to_owned(),
        };
        let bytes = URL_SAFE_NO_PAD
            .decode(text.trim())
            .map_err(|_| unreadable())?;
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, &random)
            .map_err(|_| unreadable())?;
        let public = URL_SAFE_NO_PAD.encode(pair.public_key());
        Ok(Self { pair, public })
    }

    /// The public half, as a browser wants it.
    pub(super) fn public(&self) -> &str {
        &self.public
    }

    /// The header that says who sends, for the push service of this origin.
    pub(super) fn authorization(
        &self,
        origin: &str,
        contact: &str,
        now: Time,
    ) -> Result<String, PushError> {
        let until = now.after(GOOD_FOR).as_millis() / 1000;
        let claims = json!({"aud": origin, "exp": until, "sub": contact}).to_string();
        let said = format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(HEAD),
            URL_SAFE_NO_PAD.encode(claims)
        );
        let signature = self
            .pair
            .sign(&SystemRandom::new(), said.as_bytes())
            .map_err(|_| PushError::NoRandom)?;
        let signature = URL_SAFE_NO_PAD.encode(signature);
        Ok(format!("vapid t={said}.{signature}, k={}", self.public))
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    #[test]
    fn the_key_stays_the_same_and_its_word_can_be_checked() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("vapid.key");
        let key = VapidKey::open(&file).unwrap();
        assert_eq!(VapidKey::open(&file).unwrap().public(), key.public());
        let now = Time::from_millis(1_800_000_000_999);
        let header = key
            .authorization("https://push.example", "mailto:a@b.example", now)
            .unwrap();
        let (token, public) = header
            .strip_prefix("vapid t=")
            .and_then(|rest| rest.split_once(", k="))
            .unwrap();
        let (said, signature) = token.rsplit_once('.').unwrap();
        let public = URL_SAFE_NO_PAD.decode(public).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public)
            .verify(said.as_bytes(), &signature)
            .unwrap();
        let claims = URL_SAFE_NO_PAD
            .decode(said.split_once('.').unwrap().1)
            .unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!(
            claims,
            json!({"aud": "https://push.example", "exp": 1_800_043_200_u64, "sub": "mailto:a@b.example"})
        );
    }

    #[test]
    fn a_damaged_key_is_refused_and_kept() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("vapid.key");
        own_file::write(&file, "nonsense").unwrap();
        assert!(matches!(
            VapidKey::open(&file),
            Err(PushError::Damaged { .. })
        ));
        assert_eq!(own_file::read(&file).unwrap().as_deref(), Some("nonsense"));
    }
}
