//! Paths that no preset and no folder rule covers: hidden files, keys, tokens and credentials, and
//! names that turn a folder into a repository.
//!
//! It goes by names alone. It serves to ask once too often, never to prove that a file is harmless.

/// Endings of files that hold keys.
const KEY_ENDINGS: &[&str] = &[
    "asc", "env", "gpg", "jks", "kdbx", "key", "keystore", "keytab", "ovpn", "p12", "pem", "pfx",
    "pkcs12", "ppk",
];

/// Parts of names that speak of secrets.
const SECRET_PARTS: &[&str] = &[
    "api-key",
    "api_key",
    "apikey",
    "authorized_keys",
    "credential",
    "htpasswd",
    "kubeconfig",
    "netrc",
    "passwd",
    "password",
    "pgpass",
    "private-key",
    "private_key",
    "privatekey",
    "secret",
    "token",
];

/// Why a path needs a person, going by its names; nothing when none of them says so.
pub(super) fn why_sensitive(path: &str) -> Option<&'static str> {
    path.split(['/', ':']).find_map(why_name)
}

fn why_name(name: &str) -> Option<&'static str> {
    if name.starts_with('.') && name != "." && name != "..." {
        return Some("is hidden, or in a hidden folder");
    }
    let name = name.to_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_key = ending.is_some_and(|ending| KEY_ENDINGS.contains(&ending))
        || name.starts_with("id_") && ending.is_none_or(|ending| ending == "pub")
        || name == "shadow";
    // Splitting text into words is no secret.
    let said = name.replace("tokeniz", "").replace("tokenis", "");
    if is_key || SECRET_PARTS.iter().any(|part| said.contains(part)) {
        return Some("may hold keys, tokens or credentials");
    }
    None
}

/// Whether writing this file may turn a folder into a repository, whose settings git then obeys.
pub(super) fn makes_repository(path: &str) -> bool {
    path.split('/')
        .any(|step| step.eq_ignore_ascii_case("HEAD") || step.eq_ignore_ascii_case("gitdir"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_and_secrets_are_told_by_their_names() {
        for path in [
            ".env",
            ".env.local",
            "a/.ssh/config",
            ".aws/credentials",
            ".netrc",
            ".git-credentials",
            "id_rsa",
            "keys/id_ed25519",
            "id_rsa.pub",
            "server.pem",
            "tls/server.KEY",
            "api_token.txt",
            "Secrets.yml",
            "credentials.json",
            "prod.env",
            "admin.token",
            "HEAD:.env",
            "a/./.x",
            "..",
            "shadow",
            "vault-password.txt",
        ] {
            assert!(why_sensitive(path).is_some(), "{path}");
        }
        for path in [
            ".",
            "./src",
            "src/main.rs",
            "id_map.rs",
            "keyboard.rs",
            "tokenizer.rs",
            "./...",
            "environment.md",
            "HEAD:src/lib.rs",
            "monkey",
            "main..dev",
            "README.md",
        ] {
            assert_eq!(why_sensitive(path), None, "{path}");
        }
        assert!(makes_repository("sub/HEAD") && makes_repository("head"));
        assert!(!makes_repository("src/header.rs"));
    }
}
