//! Enums whose values are words, on the wire and on disk.

/// Gives an enum its words, one for each value: the list of all, the word of each, and the way back.
/// A new value does not compile until it has its word.
#[macro_export]
macro_rules! words {
    ($name:ident: $($value:ident = $word:literal),+ $(,)?) => {
        impl $name {
            /// All of them, in a fixed order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The one word for it, everywhere.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// The one with this word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.word() == word)
            }
        }
    };
}
