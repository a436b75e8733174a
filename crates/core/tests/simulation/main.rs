//! The state under simulation: one seed drives agents, people, rules, clocks, crashes and retries over
//! one, two or three replicas of the state and one log. After every step what a pure state can break
//! is held against a plain model that reads the log from its beginning.
//!
//! `SAYSO_SEEDS=100000` takes as many seeds, `SAYSO_SEED=7` plays one again. A seed that fails is
//! played with fewer and fewer steps, and the shortest story that still fails is shown.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
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
const STEPS: u64 = 60;
/// Seeds of the ordinary run.
const SEEDS: u64 = 2_000;

/// The steps of a story, by number: each is drawn on its own, so that a story can do without some.
fn steps() -> Vec<u64> {
    (0..STEPS).collect()
}

/// Plays a story; says at which of its steps it broke and how.
fn play(seed: u64, steps: &[u64], mistake: Option<Mistake>) -> Result<World, (usize, String)> {
    let mut world = World::new(seed, mistake);
    for (at, step) in steps.iter().enumerate() {
        world.step(seed * STEPS + step).map_err(|why| (at, why))?;
    }
    Ok(world)
}

/// The fewest steps that still break: nothing behind the one that broke, and none of those before it
/// that the story can do without, many at once and then one by one.
fn shrunk(seed: u64, mistake: Option<Mistake>) -> Option<(Vec<u64>, String)> {
    let (at, mut why) = play(seed, &steps(), mistake).err()?;
    let mut kept: Vec<u64> = steps()[..=at].to_vec();
    let mut many = kept.len() / 2;
    while many > 0 {
        let (before, mut from) = (kept.len(), 0);
        while from < kept.len() {
            let mut fewer = kept.clone();
            fewer.drain(from..(from + many).min(kept.len()));
            match play(seed, &fewer, mistake) {
                Err((at, still)) => {
                    fewer.truncate(at + 1);
                    (kept, why) = (fewer, still);
                }
                Ok(_) => from += many,
            }
        }
        // What could not go before may be able to now.
        if many > 1 || kept.len() == before {
            many /= 2;
        }
    }
    Some((kept, why))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the long run is asked for through the environment"
)]
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Plays a story, and shows the shortest of its kind when it breaks.
fn held(seed: u64) -> World {
    play(seed, &steps(), None).unwrap_or_else(|(step, why)| {
        let (kept, still) = shrunk(seed, None).expect("a seed plays the same story each time");
        panic!(
            "seed {seed}, step {step}: {why}\nthe steps {kept:?} are enough: {still}\n\
             play it again with SAYSO_SEED={seed}"
        )
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
    (0..200).find(|seed| play(*seed, &steps(), Some(mistake)).is_err())
}

#[test]
fn planted_mistakes_are_found_and_their_stories_are_short() {
    for mistake in Mistake::ALL {
        let seed = found(mistake);
        let seed = seed.unwrap_or_else(|| panic!("{mistake:?} is not found"));
        let (kept, why) = shrunk(seed, Some(mistake)).unwrap();
        assert!(kept.len() <= 20, "{mistake:?} takes {kept:?}: {why}");
        let again = play(seed, &kept, Some(mistake)).err();
        assert_eq!(again, Some((kept.len() - 1, why)), "{mistake:?}");
        for left_out in 0..kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(left_out);
            let holds = play(seed, &fewer, Some(mistake)).is_ok();
            assert!(holds, "{mistake:?} of {kept:?} does without {left_out}");
        }
    }
}
