//! What a turn writes, as the columns that go to PostgreSQL in one statement each.

use std::collections::BTreeMap;

use sayso_core::id::{Seq, TokenId};
use sayso_core::journal::Erases;
use sayso_core::time::Time;
use sayso_store::{FORMAT, Header, JournalEntry, StoreError, WRITER, needed};
use sayso_store_sql::journal::End;
use sayso_store_sql::seal::{Gap, Sealer};
use sayso_store_sql::sql::number;
use tokio_postgres::types::ToSql;

use crate::sql::PgValue;

/// A value of a statement that is on its way.
pub(crate) type Boxed = Box<dyn ToSql + Sync + Send>;

/// A statement with its values.
pub(crate) type TurnStatement = (WriteSql, Vec<Boxed>);

/// The statements of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum WriteSql {
    Header,
    Body,
    Sealed,
    Used,
    Unseal,
    Erase,
    Undamage,
    Unuse,
    Level,
}

impl WriteSql {
    pub(crate) const ALL: [Self; 9] = [
        Self::Header,
        Self::Body,
        Self::Sealed,
        Self::Used,
        Self::Unseal,
        Self::Erase,
        Self::Undamage,
        Self::Unuse,
        Self::Level,
    ];

    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Header => {
                "INSERT INTO header (seq, format, writer, writer_seq, prev, kind, ask, at, body_hash, node, turn)
                 SELECT u.seq, $1, $2, u.writer_seq, u.prev, u.kind, u.ask, u.at, u.body_hash, $3, $4
                 FROM unnest($5::int8[], $6::int8[], $7::bytea[], $8::int2[], $9::uuid[], $10::int8[], $11::bytea[])
                     AS u (seq, writer_seq, prev, kind, ask, at, body_hash)"
            }
            Self::Body => "INSERT INTO body (seq, body) SELECT * FROM unnest($1::int8[], $2::bytea[])",
            Self::Sealed => {
                "INSERT INTO sealed (opened, seq, gap, bytes)
                 SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::bytea[])"
            }
            Self::Used => {
                "INSERT INTO used (token, at) SELECT * FROM unnest($1::int8[], $2::int8[])
                 ON CONFLICT (token) DO UPDATE SET at = greatest(used.at, excluded.at)"
            }
            Self::Unseal => "DELETE FROM sealed WHERE opened = ANY($1)",
            // How a turn of an agent ended is not text, and a rebuild needs it.
            Self::Erase => {
                "DELETE FROM body b USING header h
                 WHERE b.seq = ANY($1) AND h.seq = b.seq AND h.kind <> $2"
            }
            Self::Undamage => "DELETE FROM damage WHERE seq = ANY($1)",
            Self::Unuse => "DELETE FROM used WHERE token = ANY($1)",
            Self::Level => "UPDATE meta SET level = greatest(level, $1)",
        }
    }
}

/// What a turn is about to write.
pub(crate) struct TurnBatch {
    /// Where the journal will end.
    pub(crate) end: End,
    /// The first row, by which its commit is known.
    pub(crate) first: (Seq, [u8; 32]),
    pub(crate) places: Vec<Seq>,
    pub(crate) level: u32,
    /// The places whose text it erases.
    pub(crate) erased: Vec<Seq>,
    pub(crate) statements: Vec<TurnStatement>,
}

#[derive(Default)]
struct Columns {
    seqs: Vec<i64>,
    writer_seqs: Vec<i64>,
    prevs: Vec<Vec<u8>>,
    kinds: Vec<i16>,
    asks: Vec<PgValue>,
    ats: Vec<i64>,
    hashes: Vec<Vec<u8>>,
    bodies: Vec<Vec<u8>>,
}

impl Columns {
    fn push(&mut self, seq: Seq, header: &Header, body: Vec<u8>) {
        self.seqs.push(number(seq.0));
        self.writer_seqs.push(number(header.writer_seq));
        self.prevs.push(header.prev.to_vec());
        // Kinds are small numbers; one that did not fit would be refused as unknown.
        self.kinds
            .push(i16::try_from(header.kind).unwrap_or(i16::MAX));
        let ask = header.ask.map(|ask| ask.bytes().to_vec());
        self.asks.push(ask.map_or(PgValue::Null, PgValue::Bytes));
        self.ats.push(number(header.at.as_millis()));
        self.hashes.push(header.body_hash.to_vec());
        self.bodies.push(body);
    }
}

#[derive(Default)]
struct Secrets {
    opened: Vec<i64>,
    seqs: Vec<i64>,
    gaps: Vec<i64>,
    bytes: Vec<Vec<u8>>,
}

impl TurnBatch {
    /// Chains entries to the end of the journal and seals their secrets. The places are ours to give, so
    /// that a secret is bound to its place before it is written.
    pub(crate) fn new(
        entries: &[JournalEntry],
        before: End,
        node: i32,
        level: u32,
        sealer: &Sealer,
        uses: &BTreeMap<TokenId, Time>,
    ) -> Result<Option<Self>, StoreError> {
        let (mut end, mut wanted) = (before, level);
        let (mut columns, mut secrets) = (Columns::default(), Secrets::default());
        let (mut unsealed, mut erased, mut revoked) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = None;
        for entry in entries {
            let event = &entry.event;
            let mut body = Vec::with_capacity(256);
            let (header, left_out) = end.chain(entry, &mut body)?;
            let seq = end.seq;
            first.get_or_insert((seq, end.hash));
            wanted = wanted.max(needed(event));
            for (gap, secret) in left_out.iter().enumerate() {
                let Some(opened) = event.outcome_of() else {
                    break;
                };
                secrets.opened.push(number(opened.0));
                secrets.seqs.push(number(seq.0));
                secrets.gaps.push(number(gap as u64));
                let gap = Gap {
                    opened,
                    seq,
                    number: gap,
                };
                secrets.bytes.push(sealer.seal(gap, secret)?);
            }
            unsealed.extend(event.confirms().map(|opened| number(opened.0)));
            revoked.extend(event.revokes().map(|token| i64::from(token.0)));
            if let Some(erases) = event.erases() {
                if let Erases::Ask(place) = &erases {
                    unsealed.push(number(place.opened.0));
                }
                erased.extend(erases.places());
            }
            columns.push(seq, &header, body);
        }
        let Some(first) = first else {
            return Ok(None);
        };
        let places = (first.0.0..=end.seq.0).map(Seq).collect();
        let turn = number(first.0.0);
        let format = i16::try_from(FORMAT).unwrap_or(i16::MAX);
        let writer = i32::try_from(WRITER).unwrap_or(i32::MAX);
        let seqs = columns.seqs.clone();
        let mut statements: Vec<TurnStatement> = vec![
            (
                WriteSql::Header,
                vec![
                    Box::new(format),
                    Box::new(writer),
                    Box::new(node),
                    Box::new(turn),
                    Box::new(columns.seqs),
                    Box::new(columns.writer_seqs),
                    Box::new(columns.prevs),
                    Box::new(columns.kinds),
                    Box::new(columns.asks),
                    Box::new(columns.ats),
                    Box::new(columns.hashes),
                ],
            ),
            (
                WriteSql::Body,
                vec![Box::new(seqs), Box::new(columns.bodies)],
            ),
        ];
        if !secrets.opened.is_empty() {
            let values: Vec<Boxed> = vec![
                Box::new(secrets.opened),
                Box::new(secrets.seqs),
                Box::new(secrets.gaps),
                Box::new(secrets.bytes),
            ];
            statements.push((WriteSql::Sealed, values));
        }
        statements.extend(used(uses));
        if !unsealed.is_empty() {
            statements.push((WriteSql::Unseal, vec![Box::new(unsealed)]));
        }
        if !erased.is_empty() {
            let kept = i16::try_from(sayso_store::Kind::TurnEnded.number()).unwrap_or(i16::MAX);
            let gone = || erased.iter().map(|seq| number(seq.0)).collect::<Vec<_>>();
            statements.push((WriteSql::Erase, vec![Box::new(gone()), Box::new(kept)]));
            statements.push((WriteSql::Undamage, vec![Box::new(gone())]));
        }
        if !revoked.is_empty() {
            statements.push((WriteSql::Unuse, vec![Box::new(revoked)]));
        }
        if wanted > level {
            let level = i32::try_from(wanted).unwrap_or(i32::MAX);
            statements.push((WriteSql::Level, vec![Box::new(level)]));
        }
        Ok(Some(Self {
            end,
            first,
            places,
            level: wanted,
            erased,
            statements,
        }))
    }
}

/// The statement that writes uses of tokens down, if there are any.
pub(crate) fn used(uses: &BTreeMap<TokenId, Time>) -> Option<TurnStatement> {
    if uses.is_empty() {
        return None;
    }
    let tokens: Vec<i64> = uses.keys().map(|token| i64::from(token.0)).collect();
    let ats: Vec<i64> = uses.values().map(|at| number(at.as_millis())).collect();
    Some((WriteSql::Used, vec![Box::new(tokens), Box::new(ats)]))
}
