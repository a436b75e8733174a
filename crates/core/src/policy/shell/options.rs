//! Options that stand before a subcommand, so that a rule which denies `git push` also finds
//! `git -C . push`. It serves only to deny: what it does not know it reads both ways.

/// Options that take the next word as their value, by program.
const VALUED: &[(&str, &str)] = &[
    ("apt", "-c -o"),
    ("apt-get", "-c -o"),
    ("aws", "--endpoint-url --output --profile --query --region"),
    ("az", "--output --query --subscription -o"),
    (
        "cargo",
        "--color --config --manifest-path --target-dir -C -Z",
    ),
    (
        "docker",
        "--config --context --host --log-level --tlscacert --tlscert --tlskey -H -c -l",
    ),
    (
        "gcloud",
        "--account --configuration --format --project --verbosity",
    ),
    ("gh", "--hostname --repo -R"),
    (
        "git",
        "--attr-source --config-env --exec-path --git-dir --namespace --super-prefix --work-tree -C -c",
    ),
    ("go", "-C"),
    ("helm", "--kube-context --kubeconfig --namespace -n"),
    (
        "kubectl",
        "--as --as-group --cache-dir --certificate-authority --client-certificate --client-key \
         --cluster --context --kubeconfig --namespace --password --profile --request-timeout \
         --server --token --user --username -n -s",
    ),
    (
        "npm",
        "--cache --loglevel --prefix --registry --userconfig --workspace -C -w",
    ),
    (
        "pip",
        "--cache-dir --proxy --python --timeout --trusted-host",
    ),
    (
        "pip3",
        "--cache-dir --proxy --python --timeout --trusted-host",
    ),
    ("pnpm", "--dir --filter --loglevel --prefix -C -F"),
    (
        "podman",
        "--config --connection --log-level --root --runroot --url -c",
    ),
    ("systemctl", "--host --machine --root --type -H -M -t"),
    ("yarn", "--cwd --registry"),
];

/// Options without a value, by program; the word behind them is never theirs.
const BARE: &[(&str, &str)] = &[
    (
        "cargo",
        "--frozen --locked --offline --quiet --verbose -q -v -vv",
    ),
    ("docker", "--debug --tls --tlsverify -D"),
    (
        "git",
        "--bare --glob-pathspecs --icase-pathspecs --literal-pathspecs --no-advice \
         --no-lazy-fetch --no-optional-locks --no-pager --no-replace-objects \
         --noglob-pathspecs --paginate -P -p",
    ),
];

/// Words of a subcommand between which options are looked past.
const STEPS_MAX: usize = 4;

/// Options and their values that are looked past: nobody writes so many but to hide what follows.
const LEAD_WORDS_MAX: usize = 128;

fn has(table: &[(&str, &str)], program: &str, flag: &str) -> bool {
    table
        .iter()
        .filter(|(name, _)| *name == program)
        .any(|(_, flags)| flags.split(' ').any(|one| one == flag))
}

/// Whether the words behind a program begin with these, past options that may stand before them.
pub(super) fn begin_with(program: &str, rest: &[String], wanted: &[String]) -> bool {
    if rest.starts_with(wanted) {
        return true;
    }
    let mut left = vec![(0, 0)];
    let mut seen = std::collections::HashSet::new();
    while let Some((at, step)) = left.pop() {
        if !seen.insert((at, step)) {
            continue;
        }
        let (behind, missing) = (rest.get(at..), wanted.get(step..));
        let (behind, missing) = (behind.unwrap_or_default(), missing.unwrap_or_default());
        if behind.starts_with(missing) {
            return true;
        }
        let (Some(word), Some(want)) = (behind.first(), missing.first()) else {
            continue;
        };
        // An option that is wanted itself is not looked past to find it.
        if step >= STEPS_MAX || want.starts_with('-') {
            continue;
        }
        if at > LEAD_WORDS_MAX {
            return true;
        }
        if word == want {
            left.push((at + 1, step + 1));
        }
        if !word.starts_with(['-', '+']) || word.len() < 2 {
            continue;
        }
        let valued = has(VALUED, program, word);
        if !valued {
            left.push((at + 1, step));
        }
        let alone = word.contains('=') || word.starts_with('+') || has(BARE, program, word);
        if valued || !alone {
            left.push((at + 2, step));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(command: &str, wanted: &str) -> bool {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let (command, wanted) = (words(command), words(wanted));
        begin_with(&command[0], &command[1..], &wanted[1..])
    }

    #[test]
    fn options_before_a_subcommand_hide_nothing() {
        for (command, wanted) in [
            ("git push", "git push"),
            ("git -C . push", "git push"),
            ("git --no-pager push origin", "git push"),
            ("git -c a=b -c c=d push", "git push"),
            ("git --git-dir=x push", "git push"),
            ("git --unknown value push", "git push"),
            ("git --unknown push", "git push"),
            ("docker --context x rm y", "docker rm"),
            ("docker --context x compose -f y rm", "docker compose rm"),
            ("kubectl -n x delete pod y", "kubectl delete"),
            ("npm --prefix x publish", "npm publish"),
            ("cargo +nightly publish", "cargo publish"),
            ("cargo +nightly --color always publish", "cargo publish"),
            ("gh -R a/b pr merge", "gh pr merge"),
            ("terraform -chdir=x destroy", "terraform destroy"),
            ("rm -v -rf x", "rm"),
        ] {
            assert!(found(command, wanted), "{command}: {wanted}");
        }
        for (options, word, is_found) in [
            (LEAD_WORDS_MAX, "push", true),
            (LEAD_WORDS_MAX, "pull", false),
            (LEAD_WORDS_MAX + 1, "pull", true),
        ] {
            let hidden = format!("git {}{word}", "-a=b ".repeat(options));
            assert_eq!(found(&hidden, "git push"), is_found, "{options} {word}");
        }
        for (command, wanted) in [
            ("git commit -m push", "git push"),
            ("git log push", "git push"),
            ("git -C push status", "git push"),
            ("git --no-pager log push", "git push"),
            ("docker run rm", "docker rm"),
            ("rm -v -rf x", "rm -rf"),
            ("npm run publish", "npm publish"),
        ] {
            assert!(!found(command, wanted), "{command}: {wanted}");
        }
    }
}
