use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The content hash of a candidate: equal hashes, equal trials.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash([u8; 16]);

impl Hash {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::finish(blake3::Hasher::new().update(bytes))
    }

    fn finish(hasher: &blake3::Hasher) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Hash(hash)
    }

    /// Reads what `Display` wrote.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 32 {
            return None;
        }
        let mut hash = [0; 16];
        for (index, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        Some(Hash(hash))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// What stands at one path of a tree candidate instead of what the base tree has there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    /// A regular file.
    File {
        /// Its bytes.
        content: Arc<[u8]>,
        /// Whether it may be executed.
        executable: bool,
    },
    /// A symbolic link and where it points to.
    Symlink(Arc<[u8]>),
    /// Nothing: the base tree's file is left out.
    Absent,
}

/// What the user's command is run on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Candidate {
    /// One file.
    File(Arc<[u8]>),
    /// A base tree with these paths (relative, separated by `/`) replaced.
    Tree(BTreeMap<String, Entry>),
}

impl Candidate {
    /// A candidate that is one file with these bytes.
    pub fn file(content: impl Into<Arc<[u8]>>) -> Self {
        Candidate::File(content.into())
    }

    /// How many bytes the candidate holds itself, without its base tree.
    pub fn bytes(&self) -> u64 {
        match self {
            Candidate::File(content) => content.len() as u64,
            Candidate::Tree(entries) => entries
                .values()
                .map(|entry| match entry {
                    Entry::File { content, .. } => content.len() as u64,
                    Entry::Symlink(target) => target.len() as u64,
                    Entry::Absent => 0,
                })
                .sum(),
        }
    }

    /// The content hash.
    pub fn hash(&self) -> Hash {
        match self {
            Candidate::File(content) => Hash::of(content),
            Candidate::Tree(entries) => {
                let mut hasher = blake3::Hasher::new();
                for (path, entry) in entries {
                    let (kind, content): (u8, &[u8]) = match entry {
                        Entry::File {
                            content,
                            executable,
                        } => (u8::from(*executable), content),
                        Entry::Symlink(target) => (2, target),
                        Entry::Absent => (3, &[]),
                    };
                    // Lengths first, so that no two trees run together to the same bytes.
                    hasher.update(&[kind]);
                    hasher.update(&(path.len() as u64).to_le_bytes());
                    hasher.update(path.as_bytes());
                    hasher.update(&(content.len() as u64).to_le_bytes());
                    hasher.update(content);
                }
                Hash::finish(&hasher)
            }
        }
    }
}
