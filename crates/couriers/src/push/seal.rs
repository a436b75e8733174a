//! Encryption for one device, so that its push service carries what it cannot read (RFC 8291).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

/// A point of the curve, not compressed.
pub(super) const POINT_BYTES: usize = 65;
pub(super) const AUTH_BYTES: usize = 16;
const SALT_BYTES: usize = 16;
/// The record size that is said: one record is all there is.
const RECORD_BYTES: u32 = 4096;
/// Texts become as long as the next multiple of this, so that a length tells little.
const STEP_BYTES: usize = 512;
/// The longest text: with its frame it stays below what every service takes.
pub(super) const PLAIN_BYTES_MAX: usize = 3000;
/// Ends the text in the last record.
const LAST: u8 = 2;

/// What a device gave so that only it can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeviceKeys {
    pub(super) public: [u8; POINT_BYTES],
    pub(super) auth: [u8; AUTH_BYTES],
}

impl DeviceKeys {
    /// The keys in the texts that a browser gives.
    pub(super) fn parse(p256dh: &str, auth: &str) -> Result<Self, &'static str> {
        let keys = Self {
            public: bytes(p256dh).ok_or("p256dh is not a valid key")?,
            auth: bytes(auth).ok_or("auth must be a secret of 16 bytes")?,
        };
        // A point that is not on the curve shows here and not with the first notice.
        seal(&keys, b"").map_err(|Unsealed| "p256dh is not a valid key")?;
        Ok(keys)
    }

    pub(super) fn texts(&self) -> (String, String) {
        (
            URL_SAFE_NO_PAD.encode(self.public),
            URL_SAFE_NO_PAD.encode(self.auth),
        )
    }
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let text = text.trim_end_matches('=');
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

/// Nothing could be sealed: the key is no point of the curve, the text is too long, or the system
/// has no random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unsealed;

/// A text that only the device can read.
pub(super) fn seal(to: &DeviceKeys, plain: &[u8]) -> Result<Vec<u8>, Unsealed> {
    if plain.len() > PLAIN_BYTES_MAX {
        return Err(Unsealed);
    }
    let random = SystemRandom::new();
    let mut salt = [0; SALT_BYTES];
    random.fill(&mut salt).map_err(|_| Unsealed)?;
    let ours = EphemeralPrivateKey::generate(&ECDH_P256, &random).map_err(|_| Unsealed)?;
    let public = ours.compute_public_key().map_err(|_| Unsealed)?;
    let public: [u8; POINT_BYTES] = public.as_ref().try_into().map_err(|_| Unsealed)?;
    let theirs = UnparsedPublicKey::new(&ECDH_P256, to.public);
    let length = (plain.len() + 1).next_multiple_of(STEP_BYTES);
    agree_ephemeral(ours, &theirs, |shared| {
        seal_with(shared, &public, to, salt, plain, length)
    })
    .map_err(|_| Unsealed)?
}

/// The same with everything that is otherwise random. `length` is that of the padded text.
fn seal_with(
    shared: &[u8],
    ours: &[u8; POINT_BYTES],
    to: &DeviceKeys,
    salt: [u8; SALT_BYTES],
    plain: &[u8],
    length: usize,
) -> Result<Vec<u8>, Unsealed> {
    let secret = Salt::new(HKDF_SHA256, &to.auth).extract(shared);
    let mut first = [0; 32];
    expand(&secret, &[b"WebPush: info\0", &to.public, ours], &mut first)?;
    let prk = Salt::new(HKDF_SHA256, &salt).extract(&first);
    let mut key = [0; 16];
    expand(&prk, &[b"Content-Encoding: aes128gcm\0"], &mut key)?;
    let mut nonce = [0; 12];
    expand(&prk, &[b"Content-Encoding: nonce\0"], &mut nonce)?;

    let mut text = plain.to_vec();
    text.push(LAST);
    text.resize(length.max(text.len()), 0);
    let key = UnboundKey::new(&AES_128_GCM, &key).map_err(|_| Unsealed)?;
    LessSafeKey::new(key)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut text)
        .map_err(|_| Unsealed)?;

    let mut out = salt.to_vec();
    out.extend(RECORD_BYTES.to_be_bytes());
    out.extend(
        u8::try_from(POINT_BYTES)
            .map_err(|_| Unsealed)?
            .to_be_bytes(),
    );
    out.extend(ours);
    out.extend(text);
    Ok(out)
}

/// How many bytes are wanted.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand(prk: &Prk, info: &[&[u8]], out: &mut [u8]) -> Result<(), Unsealed> {
    prk.expand(info, Length(out.len()))
        .and_then(|okm| okm.fill(out))
        .map_err(|_| Unsealed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const N: usize>(text: &str) -> [u8; N] {
        bytes(text).unwrap()
    }

    #[test]
    fn the_example_of_the_standard_comes_out_byte_for_byte() {
        let to = DeviceKeys::parse(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        )
        .unwrap();
        let shared: [u8; 32] = of("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let ours = of(
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
        );
        let salt = of("DGv6ra1nlYgDCS1FRnbzlw");
        let plain = b"When I grow up, I want to be a watermelon";
        let sealed = seal_with(&shared, &ours, &to, salt, plain, 0).unwrap();
        assert_eq!(
            URL_SAFE_NO_PAD.encode(sealed),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6T\
             lzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4\
             a-fN"
        );
    }

    #[test]
    fn lengths_tell_little_and_stay_within_what_services_take() {
        let to = DeviceKeys::parse(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        )
        .unwrap();
        let length = |plain: usize| seal(&to, &vec![b'a'; plain]).map(|sealed| sealed.len());
        assert_eq!(length(0), length(511));
        assert_eq!(length(0).unwrap() + 512, length(512).unwrap());
        assert!(length(PLAIN_BYTES_MAX).unwrap() <= 4096);
        assert_eq!(length(PLAIN_BYTES_MAX + 1), Err(Unsealed));
        let one = seal(&to, b"same").unwrap();
        assert_ne!(one, seal(&to, b"same").unwrap(), "a new key for each");
    }

    #[test]
    fn keys_that_are_none_are_refused() {
        let auth = "BTBZMqHH6r4Tts7J_aSIgg";
        let off_curve = URL_SAFE_NO_PAD.encode([4; POINT_BYTES]);
        for p256dh in ["", "AAAA", "not base64!", &off_curve] {
            assert!(DeviceKeys::parse(p256dh, auth).is_err(), "{p256dh}");
        }
    }
}
