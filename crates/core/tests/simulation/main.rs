//! The state under simulation: one seed drives agents, people, rules, clocks, crashes and retries over
//! one, two or three replicas of the state and one log. After every step what a pure state can break
//! is held against a plain model that reads the log from its beginning.
//!
//! `SAYSO_SEEDS=100000` takes as many seeds, `SAYSO_SEED=7` plays one again. A seed that fails is
//! played with fewer and fewer steps, and the shortest story that still fails is shown.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a simulation stops where it goes wrong"
)]

#[path = "../chance/dice.rs"]
mod dice;
mod model;
mod moves;
mod world;

use world::{Mistake, World};

/// Steps of one story.
const STEPS: usize = 60;
/// Seeds of the ordinary run.
const SEEDS: u64 = 2_000;

/// Plays a story; says at which step it broke and how.
fn play(seed: u64, steps: usize, mistake: Option<Mistake>) -> Result<World, (usize, String)> {
    let mut world = World::new(seed, mistake);
    for step in 0..steps {
        world.step().map_err(|why| (step, why))?;
    }
    Ok(world)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the long run is asked for through the environment"
)]
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Plays a story and shows the end of it when it breaks. It breaks at the same step each time, so that
/// nothing behind that step belongs to it.
fn held(seed: u64) -> World {
    play(seed, STEPS, None).unwrap_or_else(|(step, why)| {
        let again = play(seed, step + 1, None);
        assert!(again.is_err(), "a seed plays the same story each time");
        panic!("seed {seed}, step {step}: {why}\nplay it again with SAYSO_SEED={seed}")
    })
}

#[test]
fn whatever_happens_the_contract_holds() {
    let seeds = match number("SAYSO_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("SAYSO_SEEDS").unwrap_or(SEEDS),
    };
    let all = seeds.end - seeds.start > 100;
    let mut reached = std::collections::BTreeMap::new();
    for seed in seeds {
        let world = held(seed);
        for (name, count) in world.reached {
            *reached.entry(name).or_insert(0_u64) += count;
        }
    }
    if all {
        let missing: Vec<_> = world::SOMETIMES
            .iter()
            .filter(|name| !reached.contains_key(*name))
            .collect();
        assert_eq!(missing, Vec::<&&str>::new(), "never reached: {reached:?}");
    }
}

/// The seed with which a planted mistake is found, if it is.
fn found(mistake: Mistake) -> Option<u64> {
    (0..200).find(|seed| play(*seed, STEPS, Some(mistake)).is_err())
}

#[test]
fn planted_mistakes_are_found() {
    for mistake in Mistake::ALL {
        let seed = found(mistake);
        assert!(seed.is_some(), "{mistake:?} is not found");
    }
}
