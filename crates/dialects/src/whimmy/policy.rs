//! What we tell the plugin with every turn: what it requests approval for, how long it waits, which model
//! it runs. It requests no approval at all unless it was told to.

use std::time::Duration;

use serde_json::Number;

use super::wire::{AgentConfig, Approvals, Asking};
use crate::{Knob, Knobs};

/// The longest wait a JavaScript timer can hold; above it the timer fires at once.
const WAIT_S_MAX: u64 = 2_147_483;
/// A day: people sleep, and an agent that waits costs nothing.
const WAIT_S: u64 = 86_400;
const WAIT_S_USUAL: &str = "86400";

/// What a person may set.
pub(super) const KNOBS: &[Knob] = &[
    Knob {
        key: "ask_timeout_s",
        usual: WAIT_S_USUAL,
        about: "Seconds an agent waits for an answer to its questions",
        check: wait,
    },
    Knob {
        key: "approval_timeout_s",
        usual: WAIT_S_USUAL,
        about: "Seconds an agent waits for approval",
        check: wait,
    },
    Knob {
        key: "approve_tools",
        usual: "Bash,exec,write,edit,apply_patch",
        about: "Tools that need approval, separated by commas; empty for none",
        check: tools,
    },
    Knob {
        key: "model",
        usual: "",
        about: "The model that agents use; empty for OpenClaw's default",
        check: anything,
    },
    Knob {
        key: "temperature",
        usual: "",
        about: "The temperature of the model; empty for OpenClaw's default",
        check: temperature,
    },
    Knob {
        key: "max_tokens",
        usual: "",
        about: "Maximum number of output tokens; empty for OpenClaw's default",
        check: max_tokens,
    },
    Knob {
        key: "system_prompt",
        usual: "",
        about: "The system prompt of agents",
        check: anything,
    },
];

/// The knobs, read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WhimmyPolicy {
    /// How long an agent that was told waits for answers.
    pub(super) ask_wait: Duration,
    /// How long an agent that was told waits for approval.
    pub(super) approval_wait: Duration,
    /// What the plugin is told.
    pub(super) config: AgentConfig,
}

impl WhimmyPolicy {
    pub(super) fn new(knobs: &Knobs) -> Self {
        let ask_s = seconds(knobs.get("ask_timeout_s"));
        let approval_s = seconds(knobs.get("approval_timeout_s"));
        let tools = listed(knobs.get("approve_tools"));
        Self {
            ask_wait: Duration::from_secs(ask_s),
            approval_wait: Duration::from_secs(approval_s),
            config: AgentConfig {
                model: filled(knobs.get("model")),
                temperature: knobs.get("temperature").parse::<Number>().ok(),
                max_tokens: knobs.get("max_tokens").parse().ok(),
                system_prompt: filled(knobs.get("system_prompt")),
                approvals: Approvals {
                    enabled: !tools.is_empty(),
                    // Once for each tool would let every later command of that tool through.
                    mode: "always",
                    tools,
                    timeout_ms: approval_s * 1000,
                },
                ask_user_question: Asking {
                    enabled: true,
                    timeout_ms: ask_s * 1000,
                },
            },
        }
    }
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn seconds(text: &str) -> u64 {
    // What is set was checked; nothing set is the usual.
    text.parse()
        .ok()
        .filter(|seconds| (1..=WAIT_S_MAX).contains(seconds))
        .unwrap_or(WAIT_S)
}

/// The names in a list with commas. A list that would mean every tool means none of them, because
/// the plugin would then request approval for its questions too.
fn listed(text: &str) -> Vec<String> {
    if tools(text).is_some() {
        return Vec::new();
    }
    let names = text.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn anything(_: &str) -> Option<&'static str> {
    None
}

fn wait(text: &str) -> Option<&'static str> {
    let fits = text
        .parse()
        .is_ok_and(|seconds: u64| (1..=WAIT_S_MAX).contains(&seconds));
    (!fits).then_some("must be a whole number of seconds from 1 to 2147483")
}

fn tools(text: &str) -> Option<&'static str> {
    let mut names = text.split(',').map(str::trim);
    if names.clone().any(|name| name.contains('*')) {
        return Some("must name each tool: with `*`, every question would need approval first");
    }
    let is_question = |name: &str| {
        let name = name.to_ascii_lowercase();
        super::map::is_question_tool(&name)
    };
    names
        .any(is_question)
        .then_some("must not contain the question tool: questions need no approval")
}

fn temperature(text: &str) -> Option<&'static str> {
    let fits = text.is_empty()
        || text
            .parse::<Number>()
            .is_ok_and(|number| number.as_f64().is_some_and(|it| (0.0..=2.0).contains(&it)));
    (!fits).then_some("must be a number from 0 to 2, or empty")
}

fn max_tokens(text: &str) -> Option<&'static str> {
    let fits = text.is_empty() || text.parse().is_ok_and(|count: u64| count > 0);
    (!fits).then_some("must be a whole number above 0, or empty")
}

#[cfg(test)]
mod tests {
    use super::super::DIALECT;
    use super::*;

    #[test]
    fn what_is_usual_passes_its_own_check() {
        for knob in KNOBS {
            assert_eq!((knob.check)(knob.usual), None, "{}", knob.key);
        }
    }

    #[test]
    fn what_would_not_work_is_refused() {
        for (key, bad) in [
            ("ask_timeout_s", "0"),
            ("ask_timeout_s", "2147484"),
            ("ask_timeout_s", "1.5"),
            ("approval_timeout_s", ""),
            ("approve_tools", "*"),
            ("approve_tools", "exec, *"),
            ("approve_tools", "exec,AskUserQuestion"),
            ("temperature", "warm"),
            ("temperature", "2.1"),
            ("max_tokens", "0"),
            ("max_tokens", "-1"),
        ] {
            assert!(Knobs::set(&DIALECT, [(key, bad)]).is_err(), "{key} = {bad}");
        }
    }

    #[test]
    fn what_is_set_reaches_the_plugin() {
        let knobs = Knobs::set(
            &DIALECT,
            [
                ("ask_timeout_s", "2147483"),
                ("approval_timeout_s", "60"),
                ("approve_tools", ""),
                ("model", "fake/fake-1"),
                ("temperature", "0.2"),
                ("max_tokens", "500"),
            ],
        )
        .expect("values that will do");
        assert_eq!(
            WhimmyPolicy::new(&knobs),
            WhimmyPolicy {
                ask_wait: Duration::from_secs(2_147_483),
                approval_wait: Duration::from_secs(60),
                config: AgentConfig {
                    model: Some("fake/fake-1".to_owned()),
                    temperature: Number::from_f64(0.2),
                    max_tokens: Some(500),
                    system_prompt: None,
                    approvals: Approvals {
                        enabled: false,
                        mode: "always",
                        tools: Vec::new(),
                        timeout_ms: 60_000,
                    },
                    ask_user_question: Asking {
                        enabled: true,
                        timeout_ms: 2_147_483_000,
                    },
                },
            }
        );
    }
}
