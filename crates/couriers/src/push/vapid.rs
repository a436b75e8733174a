//! Who sends: the key pair by which push services know this server, made once (RFC 8292).

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use sayso_core::time::Time;
use serde_json::json;

use super::courier::PushError;
use super::home::PushHome;

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
    /// The key that is kept, made when there is none. One that cannot be read is refused: a new one
    /// would silence every device that subscribed to the old one.
    pub(super) async fn open(home: &dyn PushHome) -> Result<Self, PushError> {
        let random = SystemRandom::new();
        let new = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)
            .map_err(|_| PushError::NoRandom)?;
        let text = home.first_key(URL_SAFE_NO_PAD.encode(new.as_ref())).await?;
        let unreadable = || PushError::Damaged {
            place: "the key that signs push notifications".to_owned(),
            detail: "it is not a key".to_owned(),
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

    use super::super::home::PushFolder;
    use super::super::own_file;
    use super::*;

    #[tokio::test]
    async fn the_key_stays_the_same_and_its_word_can_be_checked() {
        let folder = tempfile::TempDir::new().unwrap();
        let home = PushFolder::open(folder.path()).unwrap();
        let key = VapidKey::open(&home).await.unwrap();
        let again = VapidKey::open(&home).await.unwrap();
        assert_eq!(again.public(), key.public());
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

    #[tokio::test]
    async fn a_damaged_key_is_refused_and_kept() {
        let folder = tempfile::TempDir::new().unwrap();
        let home = PushFolder::open(folder.path()).unwrap();
        let file = folder.path().join("vapid.key");
        own_file::write(&file, "nonsense").unwrap();
        assert!(matches!(
            VapidKey::open(&home).await,
            Err(PushError::Damaged { .. })
        ));
        assert_eq!(own_file::read(&file).unwrap().as_deref(), Some("nonsense"));
    }
}
