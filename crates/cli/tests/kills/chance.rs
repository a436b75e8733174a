//! Chance, and how much of it is asked for.

/// Numbers that nobody planned; the seed is printed, for whoever wants them again (`SAYSO_SEED`).
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        let asked_for = setting("SAYSO_SEED").map(|text| text.parse().unwrap());
        let seed = asked_for.unwrap_or_else(|| {
            let mut seed = [0; 8];
            getrandom::fill(&mut seed).unwrap();
            u64::from_ne_bytes(seed)
        }) | 1;
        eprintln!("the dice start from {seed}");
        Self(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // Xorshift: even enough for choosing where to die.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap()).unwrap()
    }
}

/// How many kills were asked for: `cargo xtask test --kills N`.
pub(crate) fn kills() -> Option<usize> {
    setting("SAYSO_KILLS").map(|text| text.parse().unwrap())
}

/// A variable of this process's own environment.
#[expect(
    clippy::disallowed_methods,
    reason = "this is how a long run is asked for"
)]
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
