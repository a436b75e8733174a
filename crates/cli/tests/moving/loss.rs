//! A database that lost events: nodes refuse it until the loss is accepted.

use sayso_testkit::pg::PgCluster;

use super::ground::{done, refused, serve_on};
use crate::stage::{Stage, question, wait_until};

#[test]
fn a_database_that_lost_events_is_refused_until_the_loss_is_accepted() {
    let primary = PgCluster::start(&[]);
    let url = primary.database("loss");
    let standby = primary.standby(&[]);
    let mut stage = Stage::empty();
    serve_on(&mut stage, &url);
    let kept = stage.ask(&question("Before the loss?", &["A", "B"]));
    let end = "SELECT max(seq) FROM sayso.header";
    let known = primary.psql("loss", end);
    wait_until("the standby has it", || standby.psql("loss", end) == known);
    standby.part();
    let lost = stage.ask(&question("Lost?", &["A", "B"]));
    stage.terminate();
    stage.ended();
    primary.kill();
    standby.promote();

    let there = url.replace(&primary.host(), &standby.host());
    let serve = ["serve", "--listen", "127.0.0.1:0", "--store", &there];
    refused(
        &stage.run(&serve),
        &["the database went back in time", "recover --accept-loss"],
    );
    let looked = stage.run(&["recover", "--store", &there]);
    refused(&looked, &["nothing was changed"]);
    assert!(looked.data.contains(" lost"), "{}", looked.data);
    assert!(
        looked.data.contains("1 open ask would be withdrawn"),
        "{}",
        looked.data
    );
    assert_eq!(standby.psql("loss", end), known);

    let accepted = stage.run(&["recover", "--accept-loss", "--store", &there]);
    done(&accepted);
    assert!(
        accepted.said.contains("; 1 open ask is withdrawn"),
        "{}",
        accepted.said
    );
    serve_on(&mut stage, &there);
    stage.open_asks(0);
    let outcome = stage.look(&kept["id"])["outcome"].clone();
    assert_eq!(outcome["kind"], "withdrawn", "{outcome}");
    assert!(stage.run(&["show", lost["id"].as_str().unwrap()]).code != Some(0));
    stage.ask(&question("After the loss?", &["A", "B"]));
    stage.terminate();
    stage.ended();
    assert!(
        stage
            .run(&["verify", "--store", &there])
            .data
            .starts_with("sound: ")
    );
    // What was written since is what counts now.
    serve_on(&mut stage, &there);
    stage.open_asks(1);
}
