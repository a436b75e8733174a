//! Secrets: 256 random bits behind a word that says what they are for.

use sayso_dialects::native::wire::Role;

use crate::error::ServerError;

const SECRET_BYTES: usize = 32;
/// How many codes of six digits there are.
const SIX_DIGITS: u64 = 1_000_000;
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

/// A new pairing code: six digits, for programs that are set up by typing.
pub(crate) fn six_digits() -> Result<String, ServerError> {
    let number = u64::from_be_bytes(random_bytes()?) % SIX_DIGITS;
    Ok(format!("{number:06}"))
}

/// Bytes that nobody can guess.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], ServerError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| ServerError::NoRandom {
        detail: error.to_string(),
    })?;
    Ok(bytes)
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
    }

    #[test]
    fn a_pairing_code_is_six_digits() {
        let codes: Vec<String> = (0..64).map(|_| six_digits().unwrap()).collect();
        for code in &codes {
            assert_eq!(code.len(), 6, "{code}");
            assert!(code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
        }
        assert!(codes.iter().any(|code| *code != codes[0]));
    }
}
