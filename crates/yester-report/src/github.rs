//! A run as annotations of GitHub Actions: workflow commands, one on a line.
//!
//! What a test printed cannot become a command of its own: line breaks are escaped, so every line
//! begins with a command of ours.

use crate::{Dossier, PatchRole, StoryPlace, visible};

/// GitHub shows no more of a kind for each step of a job.
const MOST: usize = 10;

/// An annotation: what it says, and where.
struct Annotation {
    level: &'static str,
    title: String,
    message: String,
    /// A file of the repository, with a line and a column; 0 where that is not known.
    at: Option<(String, u64, u64)>,
}

impl Dossier {
    /// The run as annotations, one on a line.
    pub fn annotations(&self) -> String {
        let mut all = Vec::new();
        let mut levels = ["error"].into_iter().chain(std::iter::repeat("warning"));
        let mut level = || levels.next().expect("there is always another");
        let title = format!("yester {}", self.command);
        for (patch, commits) in self.story.all_patches() {
            let causes = patch.changes.iter().filter(|change| {
                patch.role == PatchRole::Culprit && change.is_cause != Some(false)
            });
            for change in causes {
                let message = match change.commit.and_then(|index| commits.get(index)) {
                    Some(commit) => format!(
                        "{}, by {} ({})",
                        change.what,
                        short(&commit.id),
                        commit.subject
                    ),
                    None => change.what.clone(),
                };
                all.push(Annotation {
                    level: level(),
                    title: format!("{title}: this broke it"),
                    message,
                    at: Some((change.file.clone(), change.shown_line(), 0)),
                });
            }
        }
        // Lines of the old version are not those of the tree that people look at.
        let places = self.story.best_places().iter();
        for place in places.filter(|place| place.version != "old") {
            all.push(Annotation {
                level: level(),
                title: format!("{title}: {}", place.title),
                message: told(place),
                at: Some((
                    place.file.clone(),
                    u64::from(place.shown_line()),
                    u64::from(place.column),
                )),
            });
        }
        let headline = Annotation {
            level: if all.is_empty() { level() } else { "notice" },
            title,
            message: self.headline(),
            at: None,
        };
        let shown = all.iter().take(MOST);
        std::iter::once(&headline)
            .chain(shown)
            .map(Annotation::line)
            .collect()
    }
}

impl Annotation {
    fn line(&self) -> String {
        let mut properties = Vec::new();
        if let Some((file, line, column)) = &self.at {
            properties.push(format!("file={}", property(file)));
            let known = [("line", line), ("col", column)];
            let known = known.into_iter().filter(|(_, number)| **number > 0);
            properties.extend(known.map(|(name, number)| format!("{name}={number}")));
        }
        properties.push(format!("title={}", property(&self.title)));
        format!(
            "::{} {}::{}\n",
            self.level,
            properties.join(","),
            data(&self.message)
        )
    }
}

/// What is to be said of a place below its title.
fn told(place: &StoryPlace) -> String {
    let said = std::iter::once(&place.seen).chain(&place.notes);
    let said: Vec<&str> = said
        .map(String::as_str)
        .filter(|said| !said.is_empty())
        .collect();
    if said.is_empty() {
        return place.title.clone();
    }
    said.join("\n")
}

fn short(id: &str) -> &str {
    &id[..id.len().min(10)]
}

/// A message as a workflow command has it.
fn data(text: &str) -> String {
    let text = visible(text).replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use crate::example::{chain, evil};
    use crate::{Dossier, RunState, Story};

    #[test]
    fn text_of_strangers_stays_in_its_annotation() {
        let text = evil().annotations();
        let levels: Vec<&str> = text
            .lines()
            .map(|line| line.split(' ').next().expect("a word"))
            .collect();
        assert_eq!(levels, ["::notice", "::error", "::warning"]);
        for line in text.lines() {
            // Where a property ends, only we say.
            let (properties, _) = line[2..].split_once("::").expect("a message");
            assert!(!properties.contains('\r'), "{properties}");
            let names = properties.split_once(' ').expect("properties").1.split(',');
            let names: Vec<&str> = names
                .map(|one| one.split('=').next().expect("a name"))
                .collect();
            assert!(
                matches!(names[..], ["title"] | ["file", "line", .., "title"]),
                "{names:?}"
            );
        }
    }

    #[test]
    fn the_steps_of_a_chain_are_annotated_where_they_are() {
        let text = chain().annotations();
        let starts: Vec<&str> = text
            .lines()
            .map(|line| line.split(",title=").next().expect("a word"))
            .collect();
        assert_eq!(
            starts,
            [
                "::notice title=yester why::“Add weights” (0123456789) broke it, in x.c:3",
                "::error file=x.c,line=3",
                "::warning file=x.c,line=3",
                "::warning file=x.c,line=5",
                "::warning file=x.c,line=4",
            ]
        );
        assert!(text.contains("1 line changed, by 0123456789 (Add weights)"));
    }

    #[test]
    fn an_answer_without_a_place_is_an_error_of_its_own() {
        let dossier = Dossier {
            command: "reduce".to_owned(),
            state: RunState::Found,
            story: Story {
                headline: "100% of\nit".to_owned(),
                ..Story::default()
            },
            ..Dossier::default()
        };
        assert_eq!(
            dossier.annotations(),
            "::error title=yester reduce::100%25 of%0Ait\n"
        );
    }
}
