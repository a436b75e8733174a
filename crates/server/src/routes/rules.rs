//! Rules: reading, trying, making and taking back.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use sayso_core::action::Action;
use sayso_core::check::Violation;
use sayso_core::id::{RuleId, Workspace};
use sayso_core::limits;
use sayso_core::policy::{Broken, Says, Tried, vetted};
use sayso_core::view::Viewer;
use sayso_dialects::native::map::{
    by_to_wire, rule_row, ruling_to_wire, says_from_wire, suggestion_to_wire, tested_to_wire,
};
use sayso_dialects::native::wire::{
    self, NewRule, OfferChoice, OfferRow, Offers, PresetRow, Presets, Problem, RuleFile, RulePast,
    RuleRow, RuleTest, Rules, RulingRow, Suggestions,
};
use sayso_hub::{HubError, OfferView, Pass, RuleChoice, RuleDesk, RuleTrial, RuleView};

use super::asks::ask_id;
use super::reply;
use crate::auth::bearer::{Anybody, Person, wrong_role};
use crate::body::Whole;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::{NoQuery, Only};
use crate::shared::Shared;

/// The rules, in the hands of a person or an admin.
fn desk(pass: &Pass) -> Result<RuleDesk<'_>, ApiError> {
    match pass {
        Pass::Person(pass) => Ok(pass.rules()),
        Pass::Admin(pass) => Ok(pass.rules()),
        Pass::Agent(_) => Err(wrong_role(pass, "person or admin")),
    }
}

/// Lists all rules that were not revoked, oldest first.
#[utoipa::path(
    get, path = "/v1/rules", tag = "answering",
    responses((status = 200, body = Rules), (status = "4XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn list(Anybody(pass, _): Anybody, _: NoQuery) -> ApiResult {
    let rules = desk(&pass)?.list().iter().map(row).collect();
    Ok(reply::json(StatusCode::OK, &Rules { rules }))
}

fn row(view: &RuleView) -> RuleRow {
    rule_row(&view.rule, view.live, view.hits, view.last_used)
}

/// Makes a rule. Open asks that it covers are answered immediately.
#[utoipa::path(
    post, path = "/v1/rules", tag = "answering", request_body = NewRule,
    responses((status = 201, body = RuleRow), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn make(Anybody(pass, shared): Anybody, _: NoQuery, body: Whole) -> ApiResult {
    let desk = desk(&pass)?;
    let new = new_rule(&shared, &desk, &body.read()?, "").await?;
    let made = desk.make(vec![new], Vec::new()).await.or_refuse(&shared)?;
    Ok(reply::json(StatusCode::CREATED, &made.first().map(row)))
}

/// Makes all rules of a file, or none of them.
#[utoipa::path(
    post, path = "/v1/rules/import", tag = "answering", request_body = RuleFile,
    responses((status = 201, description = "The rules that were made", body = Rules), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn import(Anybody(pass, shared): Anybody, _: NoQuery, body: Whole) -> ApiResult {
    let desk = desk(&pass)?;
    let file: RuleFile = body.read()?;
    if file.rules.len() > limits::RULE_FILE_RULES_MAX {
        let message = format!("has more than {} rules", limits::RULE_FILE_RULES_MAX);
        return Err(ApiError::invalid("/rules", message));
    }
    let there = desk.list();
    let mut all = Vec::new();
    for (at, wanted) in file.rules.iter().enumerate() {
        let path = format!("/rules/{at}");
        let rule = new_rule(&shared, &desk, wanted, &path).await?;
        all.push(rule);
    }
    if let Some((one, other)) = contradiction(&all) {
        let message = format!("contradicts rule {} in the same file", one + 1);
        return Err(ApiError::invalid(format!("/rules/{other}"), message));
    }
    let mut kept: Vec<RuleId> = Vec::new();
    all.retain(|rule| {
        // A rule that is there already stays what it is, with all it has done.
        let same = |view: &&RuleView| {
            let rest = (&rule.says, &rule.applies_to, rule.shadow);
            view.live && (&view.rule.says, &view.rule.applies_to, view.rule.shadow) == rest
        };
        let same = there.iter().find(same);
        kept.extend(same.map(|view| view.rule.id));
        same.is_none()
    });
    let gone = there
        .iter()
        .map(|view| view.rule.id)
        .filter(|id| file.replace && !kept.contains(id))
        .collect();
    let made = desk.make(all, gone).await.or_refuse(&shared)?;
    let rules = made.iter().map(row).collect();
    Ok(reply::json(StatusCode::CREATED, &Rules { rules }))
}

/// Two rules that say yes and no to the very same thing.
fn contradiction(rules: &[sayso_hub::NewRule]) -> Option<(usize, usize)> {
    let subject = |says: &Says| match says {
        Says::Allow(subject) => Some((true, subject.clone())),
        Says::Deny(subject) => Some((false, subject.clone())),
        Says::Level { .. } => None,
    };
    let mut seen = std::collections::HashMap::new();
    for (at, rule) in rules.iter().enumerate() {
        let Some((allows, subject)) = subject(&rule.says) else {
            continue;
        };
        if let Some((other, others)) = seen.insert((subject, rule.applies_to.clone()), (at, allows))
            && others != allows
        {
            return Some((other, at));
        }
    }
    None
}

fn rule_id(text: &str) -> Result<RuleId, HubError> {
    text.parse()
        .map_err(|bad: sayso_core::id::BadId| HubError::Unknown(bad.to_string()))
}

/// Revokes a rule, also for asks that are not decided yet.
#[utoipa::path(
    delete, path = "/v1/rules/{id}", tag = "answering",
    params(("id" = String, Path, description = "The id of the rule")),
    responses((status = 204, description = "It is revoked"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn revoke(Anybody(pass, shared): Anybody, Only(id): Only) -> ApiResult {
    let desk = desk(&pass)?;
    let id = rule_id(&id).or_refuse(&shared)?;
    desk.revoke(id).await.or_refuse(&shared)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Activates a shadow rule. Open asks that it covers are answered immediately.
#[utoipa::path(
    post, path = "/v1/rules/{id}/activate", tag = "answering",
    params(("id" = String, Path, description = "The id of the rule")),
    responses((status = 200, body = RuleRow), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn activate(Anybody(pass, shared): Anybody, Only(id): Only) -> ApiResult {
    let desk = desk(&pass)?;
    let id = rule_id(&id).or_refuse(&shared)?;
    let activated = desk.activate(id).await.or_refuse(&shared)?;
    Ok(reply::json(StatusCode::OK, &row(&activated)))
}

/// Shows what the rules decide for an action. Nobody is asked and nothing is saved.
#[utoipa::path(
    post, path = "/v1/rules/test", tag = "answering", request_body = RuleTest,
    responses((status = 200, body = RulingRow), (status = "4XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn test(Anybody(pass, shared): Anybody, _: NoQuery, body: Whole) -> ApiResult {
    let desk = desk(&pass)?;
    let wanted: RuleTest = body.read()?;
    let applies_to = desk
        .applies_to(wanted.agent.as_deref(), wanted.conversation.as_deref())
        .await
        .or_refuse(&shared)?;
    let workspace = wanted
        .workspace
        .map(Workspace::new)
        .transpose()
        .map_err(|bad| ApiError::bad_id("/workspace", &bad))?;
    let tried = match (&wanted.command, &wanted.input) {
        (Some(command), None) => Tried::Command(command),
        (None, Some(input)) => Tried::Input(input),
        (Some(_), Some(_)) | (None, None) => {
            return Err(ApiError::invalid(
                "",
                "must have either a `command` or an `input`",
            ));
        }
    };
    let tool_schema = wanted
        .tool_schema
        .map(|text| text.parse())
        .transpose()
        .map_err(|bad| ApiError::bad_id("/tool_schema", &bad))?;
    let tool = wanted.tool.as_deref().unwrap_or("Bash");
    let links = wanted.links.unwrap_or(wanted.cwd.is_some());
    let trial = RuleTrial {
        action: Action {
            links: links.then(Box::default),
            ..tried.action(tool, wanted.cwd, tool_schema)
        },
        agent: applies_to.agent,
        conversation: applies_to.conversation,
        workspace,
    };
    let command = trial.action.act.command();
    let row = RulingRow {
        tested: Some(tested_to_wire(&trial.action, &trial.applies_to())),
        ..ruling_to_wire(&desk.test(&trial), command)
    };
    Ok(reply::json(StatusCode::OK, &row))
}

/// Shows what the rules decide for an ask, and why.
#[utoipa::path(
    get, path = "/v1/asks/{id}/ruling", tag = "answering",
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 200, body = RulingRow), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn explain(Anybody(pass, shared): Anybody, Only(id): Only) -> ApiResult {
    let explained = desk(&pass)?
        .explain(ask_id(&id)?)
        .await
        .or_refuse(&shared)?;
    let action = explained.view.ask.matter.action();
    let command = action.and_then(|action| action.act.command());
    let mut row = ruling_to_wire(&explained.ruled, command);
    row.ended_by = explained
        .view
        .closing
        .as_ref()
        .map(|closing| by_to_wire(&closing.by, &explained.view.agent));
    Ok(reply::json(StatusCode::OK, &row))
}

/// Lists what can be allowed for more than once, and what it would have done in the past.
#[utoipa::path(
    get, path = "/v1/asks/{id}/offers", tag = "answering",
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 200, body = Offers), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn offers(Person(pass, shared): Person, Only(id): Only) -> ApiResult {
    let offers = pass.offers(ask_id(&id)?).await.or_refuse(&shared)?;
    let offers = offers.into_iter().map(offer_row).collect();
    Ok(reply::json(StatusCode::OK, &Offers { offers }))
}

fn offer_row(view: OfferView) -> OfferRow {
    OfferRow {
        preset: view.offer.preset,
        says: view.offer.says,
        choices: view
            .choices
            .into_iter()
            .map(|(width, past)| OfferChoice {
                applies_to: width.into(),
                asks: past.asks as u64,
                allowed: past.allowed as u64,
                denied: past.denied.iter().map(ToString::to_string).collect(),
                open: past.open as u64,
            })
            .collect(),
    }
}

/// Shows what a rule did, or what a shadow rule would have done, since it was made.
#[utoipa::path(
    get, path = "/v1/rules/{id}/past", tag = "answering",
    params(("id" = String, Path, description = "The id of the rule")),
    responses((status = 200, body = RulePast), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn past(Anybody(pass, shared): Anybody, Only(id): Only) -> ApiResult {
    let id = rule_id(&id).or_refuse(&shared)?;
    let told = desk(&pass)?.past(id).await.or_refuse(&shared)?;
    let row = RulePast {
        asks: told.asks as u64,
        covered: told.covered as u64,
        against: told.against.iter().map(ToString::to_string).collect(),
    };
    Ok(reply::json(StatusCode::OK, &row))
}

/// Suggests rules: what people allowed repeatedly while nothing like it was denied.
#[utoipa::path(
    get, path = "/v1/rules/suggestions", tag = "answering",
    responses((status = 200, body = Suggestions), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn suggestions(Person(pass, shared): Person, _: NoQuery) -> ApiResult {
    let found = pass.suggestions().await.or_refuse(&shared)?;
    let suggestions = found.iter().map(suggestion_to_wire).collect();
    Ok(reply::json(StatusCode::OK, &Suggestions { suggestions }))
}

/// Lists the presets: vetted sets of commands that a rule can allow.
#[utoipa::path(
    get, path = "/v1/rules/presets", tag = "answering",
    responses((status = 200, body = Presets), (status = "4XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn presets(Anybody(pass, _): Anybody, _: NoQuery) -> ApiResult {
    drop(desk(&pass)?);
    let row = |preset: &vetted::Preset| PresetRow {
        name: preset.name.to_owned(),
        command: std::iter::once(&preset.program)
            .chain(preset.path)
            .copied()
            .collect::<Vec<_>>()
            .join(" "),
        says: preset.says.to_owned(),
    };
    let mut presets: Vec<PresetRow> = vetted::PRESETS
        .iter()
        .filter(|preset| !preset.retired)
        .map(row)
        .collect();
    presets.push(PresetRow {
        name: vetted::SAFE.to_owned(),
        command: vetted::SAFE_PRESETS.join(", "),
        says: "All of these. They only read.".to_owned(),
    });
    Ok(reply::json(StatusCode::OK, &Presets { presets }))
}

/// A rule as it is to be made; what is wrong with it is told below `path`.
async fn new_rule(
    shared: &Shared,
    desk: &RuleDesk<'_>,
    new: &NewRule,
    path: &str,
) -> Result<sayso_hub::NewRule, ApiError> {
    let below = |found: Vec<Violation>| {
        let found: Vec<Violation> = found
            .into_iter()
            .map(|one| Violation {
                path: format!("{path}{}", one.path),
                ..one
            })
            .collect();
        ApiError::violations(&found)
    };
    let (says, workspace, dialect) = says_from_wire(new).map_err(below)?;
    let mut applies_to = desk
        .applies_to(new.agent.as_deref(), new.conversation.as_deref())
        .await
        .or_refuse(shared)?;
    (applies_to.workspace, applies_to.dialect) = (workspace, dialect);
    applies_to.links = new.links;
    if applies_to.links && !matches!(says, Says::Allow(_)) {
        return Err(ApiError::invalid(
            format!("{path}/links"),
            "is only allowed in allow rules: other rules apply whether or not links were followed",
        ));
    }
    if new
        .note
        .as_ref()
        .is_some_and(|note| note.len() > limits::NOTE_BYTES_MAX)
    {
        return Err(ApiError::invalid(format!("{path}/note"), "is too long"));
    }
    if new.matches.len() + new.not_matches.len() > limits::RULE_EXAMPLES_MAX {
        return Err(ApiError::invalid(
            format!("{path}/match"),
            "has too many examples",
        ));
    }
    let rule = sayso_hub::NewRule {
        says,
        applies_to,
        lasts: new.expires_s.map(Duration::from_secs),
        note: new.note.clone(),
        shadow: new.shadow,
    };
    // Before its examples, of which a rule that may not be made covers none.
    if let Err(why) = desk.may_make(&rule) {
        return Err(if path.is_empty() {
            ApiError::hub(HubError::Forbidden(why), Viewer::Anybody, shared.now())
        } else {
            ApiError::invalid(path, format!("is too wide: {why}"))
        });
    }
    if let Err(broken) = desk.check_examples(&rule, &new.matches, &new.not_matches) {
        let (at, why) = match broken {
            Broken::Match(at) => (format!("{path}/match/{at}"), "is not covered by the rule"),
            Broken::NotMatch(at) => (format!("{path}/not_match/{at}"), "is covered by the rule"),
            Broken::Vacuous(at) => (
                format!("{path}/not_match/{at}"),
                "is not a valid input of the tool, so it tests nothing",
            ),
        };
        return Err(ApiError::invalid(at, why));
    }
    Ok(rule)
}

/// What rule a device wants a verdict to make.
pub(crate) fn rule_choice(sent: Option<wire::RuleChoice>) -> RuleChoice {
    sent.map_or_else(RuleChoice::default, |sent| RuleChoice {
        preset: sent.preset,
        width: sent.applies_to.map(Into::into),
        lasts: sent.expires_s.map(Duration::from_secs),
    })
}
