//! What a turn reads is found by its place, however many rows there are and whatever PostgreSQL believes
//! about them.

use super::place::{psql, settings, start};
use crate::journal::walk_sql;
use crate::link::WALK;
use crate::target::PgTarget;

/// Many rows, and nothing known about them: what made PostgreSQL read whole tables.
const FILL: &str = "ALTER TABLE header SET (autovacuum_enabled = off);
    ALTER TABLE body SET (autovacuum_enabled = off);
    INSERT INTO header (seq, format, writer, writer_seq, prev, kind, at, body_hash, node, turn)
        SELECT n, 1, 1, n, '\\x00', 6, 0, '\\x00', 1, n FROM generate_series(1, 100000) n;
    INSERT INTO body (seq, body) SELECT n, '\\x00' FROM generate_series(1, 100000) n";

#[test]
fn a_turn_never_reads_whole_tables() {
    let one = settings();
    drop(start(&one));
    psql(&one, FILL);
    let session = PgTarget::new(one.clone()).unwrap().session();
    let sql = walk_sql(", h.node, h.turn");
    let walks = format!("{session}; {WALK}");
    let settings = [
        ("", &session),
        ("", &walks),
        ("ANALYZE header, body;", &walks),
    ];
    for (analyzed, settings) in settings {
        for (mode, after) in [("custom", 99_990), ("generic", 99_990), ("generic", 10)] {
            let plan = psql(
                &one,
                &format!(
                    "{analyzed} {settings}; SET plan_cache_mode = force_{mode}_plan;
                     PREPARE take (int8, int8) AS {sql}; EXPLAIN EXECUTE take({after}, 8194)"
                ),
            );
            assert!(plan.contains("Index Scan using header_pkey"), "{plan}");
            assert!(plan.contains("Index Scan using body_pkey"), "{plan}");
            for never in ["Seq Scan", "Merge", "Hash", "Sort", "Bitmap"] {
                assert!(!plan.contains(never), "{never}: {plan}");
            }
        }
    }
}
