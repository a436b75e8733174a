//! Lists: asks, agents, people, and the counts over them.

use axum::http::StatusCode;
use sayso_core::ask::MatterKind;
use sayso_core::id::{AgentId, AskId, Seq};
use sayso_core::limits;
use sayso_core::outcome::OutcomeKind;
use sayso_core::role::Role;
use sayso_core::time::Time;
use sayso_core::view::Viewer;
use sayso_dialects::native::feed::agent_row;
use sayso_dialects::native::wire::{
    Agents, AskPage, People, PersonRow, Problem, Stats, StatsBy, StatsRow, WireTime,
};
use sayso_dialects::native::write::write_ask;
use sayso_dialects::time;
use sayso_hub::{AskList, HubError, ListFilter, Pass, PersonPass};
use sayso_store::{StatsQuery, StatsSplit};

use super::reply;
use crate::auth::bearer::{Admin, Anybody, Person, wrong_role};
use crate::doors::feed_start::found;
use crate::doors::news::card;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::{NoQuery, Query};

/// Where the next page starts. Callers give it back as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    Open(AskId),
    Closed(Seq),
}

impl Cursor {
    fn parse(text: &str) -> Option<Self> {
        if let Some(id) = text.strip_prefix("o-") {
            return id.parse().ok().map(Self::Open);
        }
        text.strip_prefix("c-")?
            .parse()
            .ok()
            .map(|seq| Self::Closed(Seq(seq)))
    }

    fn text(self) -> String {
        match self {
            Self::Open(id) => format!("o-{id}"),
            Self::Closed(seq) => format!("c-{seq}"),
        }
    }
}

/// Lists asks: open ones oldest first, closed ones newest first.
#[utoipa::path(
    get, path = "/v1/asks", tag = "answering",
    params(
        ("state" = Option<String>, Query, description = "`open` (default) or `closed`"),
        ("agent" = Option<String>, Query, description = "Only of this agent, by id or name"),
        ("conversation" = Option<String>, Query, description = "Only of this conversation, by id or name"),
        ("matter" = Option<String>, Query, description = "Only `questions`, `approval` or `form`"),
        ("search" = Option<String>, Query, description = "Only asks that contain all these words"),
        ("shape" = Option<String>, Query, description = "Only of this shape"),
        ("limit" = Option<usize>, Query, description = "Rows per page, at most 200"),
        ("after" = Option<String>, Query, description = "`next` of the previous page"),
    ),
    responses((status = 200, body = AskPage), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn list(Person(pass, shared): Person, mut query: Query) -> ApiResult {
    let open = query.read("state", "open or closed", |text| match text {
        "open" => Some(true),
        "closed" => Some(false),
        _ => None,
    });
    let (agent, conversation) = (query.text("agent"), query.text("conversation"));
    let matter = query.read(
        "matter",
        "questions, approval or form",
        MatterKind::from_word,
    );
    let search = query.text("search").filter(|text| !text.trim().is_empty());
    let shape = query.value("shape", "a shape such as sha256:51..");
    let limit = page_rows(&mut query);
    let open = open.unwrap_or(true);
    let after = query.read("after", "`next` of a page of the same state", |text| {
        Cursor::parse(text).filter(|cursor| matches!(cursor, Cursor::Open(_)) == open)
    });
    query.finish()?;
    let filter = ListFilter {
        agent: agent_named(&pass, agent, "?agent").await?,
        conversation: match conversation {
            Some(name) => {
                let named = pass.conversation(&name).await;
                Some(found(named, "?conversation", |conversation| {
                    conversation.id
                })?)
            }
            None => None,
        },
        matter,
        shape,
        search,
        limit,
    };
    let (after_open, after_closed) = match after {
        Some(Cursor::Open(id)) => (Some(id), None),
        Some(Cursor::Closed(seq)) => (None, Some(seq)),
        None => (None, None),
    };
    let page = if open {
        page(pass.open_asks(&filter, after_open).await, Cursor::Open)
    } else {
        page(
            pass.closed_asks(&filter, after_closed).await,
            Cursor::Closed,
        )
    };
    page.map(|bytes| reply::written(StatusCode::OK, bytes))
        .or_refuse(&shared)
}

/// How many rows of a page are wanted.
pub(super) fn page_rows(query: &mut Query) -> usize {
    let limit = query.read("limit", "a number from 1 to 200", |text| {
        let wanted = text.parse().ok();
        wanted.filter(|limit| (1..=limits::PAGE_ROWS_MAX).contains(limit))
    });
    limit.unwrap_or(limits::PAGE_ROWS)
}

/// The agent with this id or name; one that is not there is told with its path.
pub(super) async fn agent_named(
    pass: &PersonPass,
    name: Option<String>,
    path: &str,
) -> Result<Option<AgentId>, ApiError> {
    match name {
        Some(name) => found(pass.agent(&name).await, path, Some),
        None => Ok(None),
    }
}

/// Writes a page without copying its asks first.
fn page<C>(
    list: Result<AskList<C>, HubError>,
    cursor: impl FnOnce(C) -> Cursor,
) -> Result<Vec<u8>, HubError> {
    let AskList { asks, next, as_of } = list?;
    let mut out = b"{\"asks\":[".to_vec();
    for (at, view) in asks.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_ask(view, Viewer::Anybody, &mut out);
    }
    let next = next.map_or_else(
        || "null".to_owned(),
        |next| format!("\"{}\"", cursor(next).text()),
    );
    out.extend_from_slice(format!("],\"next\":{next},\"as_of\":{as_of}}}").as_bytes());
    Ok(out)
}

/// Counts closed asks and how long they took.
#[utoipa::path(
    get, path = "/v1/stats", tag = "answering",
    params(
        ("from" = Option<WireTime>, Query, description = "From this time on"),
        ("to" = Option<WireTime>, Query, description = "Until this time"),
        ("by" = Option<String>, Query, description = "`day` (default), `hour`, `agent`, \
                                                      `matter`, `tool` or `all`"),
        ("agent" = Option<String>, Query, description = "Only of this agent, by id or name"),
        ("ahead_min" = Option<i32>, Query, description = "Offset from UTC in minutes, from -1440 \
                                                          to 1440"),
    ),
    responses((status = 200, body = Stats), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn stats(Person(pass, shared): Person, mut query: Query) -> ApiResult {
    let moment = "a date and time such as 2026-11-15T08:00:00.123Z";
    let (from, to) = (
        query.read("from", moment, time::parse),
        query.read("to", moment, time::parse),
    );
    let words = "day, hour, agent, matter, tool or all";
    let by = query.read("by", words, StatsBy::from_word);
    let agent = query.text("agent");
    let ahead_min = query.read("ahead_min", "minutes from -1440 to 1440", |text| {
        text.parse()
            .ok()
            .filter(|minutes| (-1440..=1440).contains(minutes))
    });
    query.finish()?;
    let by = by.unwrap_or_default();
    let wanted = StatsQuery {
        from: from.unwrap_or_default(),
        to: to.unwrap_or(Time::MAX),
        agent: agent_named(&pass, agent, "?agent").await?,
        ahead_min: ahead_min.unwrap_or_default(),
        by: match by {
            StatsBy::All => StatsSplit::All,
            StatsBy::Day => StatsSplit::Day,
            StatsBy::Hour => StatsSplit::Hour,
            StatsBy::Agent => StatsSplit::Agent,
            StatsBy::Matter => StatsSplit::Matter,
            StatsBy::Tool => StatsSplit::Tool,
        },
    };
    let stats = pass.stats(&wanted).await.or_refuse(&shared)?;
    let rows = stats.rows.into_iter().map(stats_row).collect();
    let stats = Stats {
        by,
        from: from.map(WireTime),
        to: to.map(WireTime),
        rows,
        as_of: stats.as_of.0,
    };
    Ok(reply::json(StatusCode::OK, &stats))
}

fn stats_row(row: sayso_store::StatsRow) -> StatsRow {
    let count = |kind: OutcomeKind| {
        row.ended
            .iter()
            .filter(|(there, _)| *there == kind)
            .map(|(_, count)| count)
            .sum()
    };
    StatsRow {
        asked: row.ended.iter().map(|(_, count)| count).sum(),
        answered: count(OutcomeKind::Answered),
        dismissed: count(OutcomeKind::Dismissed),
        expired: count(OutcomeKind::Expired),
        withdrawn: count(OutcomeKind::Withdrawn),
        by_rule: row.by_rule,
        allowed: row.allowed,
        denied: row.denied,
        waited_ms: row.waited_ms,
        median_ms: row.median_ms,
        p90_ms: row.p90_ms,
        key: row.part,
    }
}

/// Lists all known agents.
#[utoipa::path(
    get, path = "/v1/agents", tag = "answering",
    responses((status = 200, body = Agents), (status = "4XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn agents(Anybody(pass, shared): Anybody, _: NoQuery) -> ApiResult {
    let agents = match pass {
        Pass::Person(pass) => pass.agents_and_last_asks().await,
        Pass::Admin(pass) => pass.agents_and_last_asks().await,
        pass @ Pass::Agent(_) => return Err(wrong_role(&pass, "person or admin")),
    };
    let agents = agents.or_refuse(&shared)?;
    let agents = agents.iter().map(|view| agent_row(&card(view))).collect();
    Ok(reply::json(StatusCode::OK, &Agents { agents }))
}

/// Lists the people who can answer.
#[utoipa::path(
    get, path = "/v1/people", tag = "admin",
    responses((status = 200, body = People), (status = "4XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn people(Admin(pass, _): Admin, _: NoQuery) -> ApiResult {
    let mut people: Vec<PersonRow> = Vec::new();
    for (person, _) in pass.people() {
        people.push(PersonRow {
            name: person.as_str().to_owned(),
            devices: Vec::new(),
        });
    }
    for view in pass.tokens() {
        if let Role::Person(person) = &view.token.role
            && let Some(row) = people.iter_mut().find(|row| row.name == person.as_str())
        {
            row.devices.push(view.token.name.as_str().to_owned());
        }
    }
    Ok(reply::json(StatusCode::OK, &People { people }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_belongs_to_one_kind_of_list() {
        for cursor in [
            Cursor::Open(AskId::from_bytes([9; 16])),
            Cursor::Closed(Seq(812)),
        ] {
            assert_eq!(Cursor::parse(&cursor.text()), Some(cursor));
        }
        for bad in ["", "o-", "c-", "c-x", "812", "o-812", "c--1"] {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }
}
