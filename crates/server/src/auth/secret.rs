//! Secrets: 256 random bits behind a word that says what they are for.

use sayso_dialects::native::wire::Role;
use subtle::ConstantTimeEq as _;

use crate::error::ServerError;

const SECRET_BYTES: usize = 32;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A new secret for a token of this role.
pub fn new_secret(role: Role) -> Result<String, ServerError> {
    random(match role {
        Role::Agent => "say_agent_",
        Role::Person => "say_person_",
        Role::Admin => "say_admin_",
    })
}

/// A new secret behind this word.
pub(crate) fn random(word: &str) -> Result<String, ServerError> {
    let bytes: [u8; SECRET_BYTES] = random_bytes()?;
    Ok(format!("{word}{}", encode(&bytes)))
}

/// Bytes that nobody can guess.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], ServerError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| ServerError::NoRandom {
        detail: error.to_string(),
    })?;
    Ok(bytes)
}

/// Whether two secrets are one, in the same time wherever they differ.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

/// Base64 for addresses, without padding.
fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = [0; 4];
        group
            .iter_mut()
            .skip(1)
            .zip(chunk)
            .for_each(|(to, from)| *to = *from);
        let bits = u32::from_be_bytes(group);
        for at in 0..=chunk.len() {
            let index = (bits >> (18 - 6 * at)) as usize & 63;
            text.extend(ALPHABET.get(index).copied().map(char::from));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_the_known_text() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg"),
            (&[0xfb, 0xff, 0xfe], "-__-"),
        ] {
            assert_eq!(encode(bytes), text);
        }
    }

    #[test]
    fn a_secret_says_what_it_is_for_and_never_comes_twice() {
        let secret = new_secret(Role::Agent).unwrap();
        assert_eq!(secret.strip_prefix("say_agent_").map(str::len), Some(43));
        assert_ne!(secret, new_secret(Role::Agent).unwrap());
        assert!(same(&secret, &secret.clone()));
        assert!(!same(&secret, "say_agent_"));
    }
}
