//! Two versions of a program and what lies between them, with real builds.

mod access;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use yester_core::{Candidate, Entry, Hash, Infeasible, Lab, Outcome, Space, Subset, minimise};
use yester_run::{
    Build, CommandLab, Ending, Events, Expectation, Invocation, Journal, LabSettings,
    LocalExecutor, LocalSettings, Mismatch, Runner, Sandbox, Session, Subject, TwoSidedBaseline,
    TwoSidedError, VersionSide,
};

/// A version is a set of files over an empty base. Two of them, each file that differs a delta.
struct Versions {
    start: TempDir,
    good: Vec<(&'static str, String)>,
    bad: Vec<(&'static str, String)>,
    build: Option<&'static str>,
    products: &'static [&'static str],
    test: String,
    jobs: usize,
}

impl Versions {
    fn new(good: &[(&'static str, &str)], bad: &[(&'static str, &str)], test: &str) -> Versions {
        let owned = |files: &[(&'static str, &str)]| {
            let files = files.iter();
            files
                .map(|(path, content)| (*path, (*content).to_owned()))
                .collect()
        };
        let start = TempDir::new().expect("a directory for the test");
        fs::create_dir(start.path().join("base")).expect("room");
        fs::write(start.path().join("base/README"), "base\n").expect("room");
        Versions {
            start,
            good: owned(good),
            bad: owned(bad),
            build: None,
            products: &[],
            test: test.to_owned(),
            jobs: 2,
        }
    }

    fn built(mut self, build: &'static str) -> Versions {
        self.build = Some(build);
        self
    }

    fn candidate(files: &[(&'static str, String)]) -> Candidate {
        let entry = |(path, content): &(&str, String)| {
            let content = content.as_bytes().into();
            let executable = path.ends_with(".sh");
            let entry = Entry::File {
                content,
                executable,
            };
            ((*path).to_owned(), entry)
        };
        Candidate::Tree(files.iter().map(entry).collect())
    }

    fn runner(&self) -> Runner {
        let executor = LocalExecutor::open(LocalSettings {
            warden: env!("CARGO_BIN_EXE_yester-warden").into(),
            jobs: self.jobs,
            sandbox: Sandbox::Auto,
            scratch: self.start.path().join("scratch"),
            visible: vec![self.start.path().to_owned()],
            interrupt: None,
            keep: false,
            complain: None,
        })
        .expect("an executor");
        let environment = vec![
            (
                "PATH".into(),
                std::env::var_os("PATH").expect("tests have a PATH"),
            ),
            ("START".into(), self.start.path().into()),
        ];
        let journal = Journal::open(&self.start.path().join("journal.jsonl")).expect("a journal");
        let mut session = Session::new(Box::new(executor), journal, None, Events::default());
        let base = Hash::of(b"base");
        session.provide(base, &self.start.path().join("base"));
        Runner {
            session,
            invocation: Arc::new(Invocation {
                is_guarded: false,
                program: "/bin/sh".into(),
                program_in_tree: None,
                arguments: ["-c", &self.test].map(OsString::from).to_vec(),
                environment,
                stdin: false,
                timeout: Duration::MAX,
                memory: None,
                counterpart: None,
                helpers: Vec::new(),
                has_placeholders: true,
                build: self.build.map(|line| Build {
                    line: line.into(),
                    environment: Vec::new(),
                    timeout: Duration::MAX,
                    products: self.products.iter().map(|path| (*path).into()).collect(),
                }),
            }),
            subject: Arc::new(Subject::Tree { base }),
        }
    }

    fn establish(
        &self,
        expectation: &Expectation,
    ) -> Result<(TwoSidedBaseline, Runner), TwoSidedError> {
        let mut runner = self.runner();
        let bad = Self::candidate(&self.bad);
        let good = Self::candidate(&self.good);
        let between = TwoSidedBaseline::establish(&mut runner, &bad, &good, expectation)?;
        Ok((between, runner))
    }

    fn lab(&self) -> (TwoSidedBaseline, CommandLab<()>) {
        let (between, runner) = self
            .establish(&Expectation::default())
            .expect("one passes, one fails");
        let (bad, good) = (Self::candidate(&self.bad), Self::candidate(&self.good));
        let TwoSidedBaseline { baseline, warm, .. } = &between;
        let settings = LabSettings {
            judge: baseline.judge.clone(),
            repeat: baseline.repeat.clone(),
            max_trials: None,
            spent_trials: baseline.trials,
            always_clean: !warm,
            keep_outputs: true,
        };
        let mut lab = CommandLab::new(runner, settings, ());
        between.teach(&mut lab, &bad, &good);
        (between, lab)
    }

    fn fault(&self) -> Mismatch {
        match self.establish(&Expectation::default()) {
            Err(TwoSidedError::Mismatch(mismatch)) => mismatch.mismatch,
            Err(TwoSidedError::Stop(stop)) => panic!("{stop}"),
            Ok(_) => panic!("these versions are fine"),
        }
    }
}

impl Space for Versions {
    fn len(&self) -> usize {
        self.bad.len()
    }

    fn label(&self, delta: usize) -> String {
        self.bad[delta].0.to_owned()
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        let mut files: BTreeMap<&str, String> = self.good.iter().cloned().collect();
        files.extend(subset.iter().map(|delta| self.bad[delta].clone()));
        let files: Vec<_> = self
            .bad
            .iter()
            .chain(&self.good)
            .filter_map(|(path, _)| Some((*path, files.remove(path)?)))
            .collect();
        Ok(Self::candidate(&files))
    }
}

const MAKEFILE: (&str, &str) = (
    "Makefile",
    "prog: main.o part.o\n\tgcc -o $@ $^\n%.o: %.c part.h\n\tgcc -Werror -c -o $@ $<\n",
);
const MAIN: (&str, &str) = (
    "main.c",
    "#include \"part.h\"\nint main(void) { return part(20); }\n",
);
const GOOD: [(&str, &str); 4] = [
    MAKEFILE,
    MAIN,
    ("part.h", "int part(int x);\n"),
    (
        "part.c",
        "#include \"part.h\"\nint part(int x) { return x - 20; }\n",
    ),
];
/// The header and its uses change together: none of the three builds without the others.
const BAD: [(&str, &str); 4] = [
    ("notes.txt", "a note that nobody reads\n"),
    (
        "main.c",
        "#include \"part.h\"\nint main(void) { return piece(20); }\n",
    ),
    ("part.h", "int piece(int x);\n"),
    (
        "part.c",
        "#include \"part.h\"\nint piece(int x) { return x - 13; }\n",
    ),
];

fn project() -> Versions {
    let mut versions = Versions::new(&GOOD, &BAD, "echo x >> $START/tests; ./prog");
    let remark = format!("# a remark\n{}", MAKEFILE.1);
    versions.bad.push((MAKEFILE.0, remark));
    versions
}

#[test]
fn two_versions_establish_how_to_read_the_rest() {
    let versions = project().built("make -s");
    let (between, runner) = versions
        .establish(&Expectation::default())
        .expect("one passes, one fails");
    assert!(between.warm);
    assert_eq!(between.bad.ending, Ending::Exit(7));
    assert_eq!(between.good.ending, Ending::Exit(0));
    match &between.read {
        Some(read) => {
            assert!(read.contains("part.c") && read.contains("Makefile"));
            assert!(!read.contains("notes.txt") && !read.contains("README"));
        }
        None => assert!(!access::keeps_times_of_access(versions.start.path())),
    }
    let build = runner.invocation.build.clone().expect("a build");
    assert!(build.timeout >= Duration::from_secs(1) && build.timeout < Duration::MAX);
    assert_eq!(runner.session.counts.run, between.baseline.trials);
    drop(runner);

    let (again, runner) = versions
        .establish(&Expectation::default())
        .expect("as before");
    assert_eq!(runner.session.counts.run, 0, "all of it is in the journal");
    assert_eq!(again.read, between.read);
}

#[test]
fn what_does_not_build_is_unresolved_and_says_why_in_a_later_session_too() {
    let versions = project().built("make -s");
    let only_main = Subset::of(versions.len(), [1]);
    for session in 0..2 {
        let (_, mut lab) = versions.lab();
        let answer = lab.tester(&versions).test(&only_main);
        let answer = answer.expect("no stop");
        assert_eq!(answer.outcome, Outcome::Unresolved);
        let output = answer.output().expect("it is kept");
        assert!(output.contains("piece"), "{output}");
        assert_eq!(lab.counts().run == 0, session == 1);
    }
}

#[test]
fn an_equal_product_is_not_tested_again_for_any_number_of_jobs() {
    let mut answers = Vec::new();
    for jobs in [1, 2, 3] {
        let mut versions = project().built("make -s");
        versions.products = &["prog"];
        versions.jobs = jobs;
        let tests = |versions: &Versions| {
            fs::read_to_string(versions.start.path().join("tests")).map_or(0, |text| text.len() / 2)
        };
        let (_, mut lab) = versions.lab();
        let before = tests(&versions);
        let all = Subset::full(versions.len());
        let kept = minimise(&mut *lab.tester(&versions), &all, |_| 1).expect("no stop");
        assert_eq!(kept.iter().collect::<Vec<_>>(), [1, 2, 3]);
        let counts = lab.counts();
        assert!(counts.same_product > 0, "{counts:?}");
        assert_eq!(
            tests(&versions),
            before,
            "every product is that of GOOD or that of BAD"
        );
        drop(lab);

        let (_, mut again) = versions.lab();
        let replayed = minimise(&mut *again.tester(&versions), &all, |_| 1).expect("no stop");
        assert_eq!(replayed, kept);
        let counts = again.counts();
        assert_eq!((counts.run, counts.same_product), (0, 0));
        answers.push(kept);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[test]
fn a_product_of_an_earlier_session_answers_for_a_new_candidate() {
    let mut versions = Versions::new(
        &[("a", "1"), ("b", "1"), ("c", "1")],
        &[("a", "2"), ("b", "2"), ("c", "2")],
        "echo x >> $START/tests; exit $(($(cat out) == 222 ? 1 : 0))",
    )
    .built("cat a b c > out; case $(cat out) in 122) printf 112 > out;; esac");
    versions.products = &["out"];
    let test = |lab: &mut CommandLab<()>, deltas: &[usize]| {
        let subset = Subset::of(3, deltas.iter().copied());
        let answer = lab.tester(&versions).test(&subset);
        answer.expect("no stop").outcome
    };
    let (_, mut first) = versions.lab();
    assert_eq!(test(&mut first, &[2]), Outcome::Pass);
    assert_eq!(first.counts().same_product, 0);
    drop(first);
    let (_, mut second) = versions.lab();
    assert_eq!(test(&mut second, &[1, 2]), Outcome::Pass);
    assert_eq!(second.counts().same_product, 1);
    assert_eq!(second.counts().run, 0);
}

#[test]
fn a_clean_test_sees_what_a_reused_tree_hides() {
    // The build makes its product once and never again.
    let versions = Versions::new(
        &[("a", "1"), ("b", "1")],
        &[("a", "2"), ("b", "2")],
        "exit $(cat kept)",
    )
    .built("test -s kept || { test $(cat a) = 1; echo $? > kept; }");
    let (between, mut lab) = versions.lab();
    assert!(!between.warm, "the second build in a tree does nothing");
    let only = |delta| versions.render(&Subset::of(2, [delta])).expect("a tree");
    let trials = lab.test_clean(&[&only(0), &only(1)]).expect("no stop");
    assert_eq!(trials[0].outcome, Some(Outcome::Fail));
    assert_eq!(trials[0].ending, Ending::Exit(1));
    assert_eq!(trials[1].outcome, Some(Outcome::Pass));
    let all = Subset::full(2);
    let kept = minimise(&mut *lab.tester(&versions), &all, |_| 1).expect("no stop");
    assert_eq!(
        kept.iter().collect::<Vec<_>>(),
        [0],
        "every trial is fresh then"
    );
}

#[test]
fn a_good_version_that_takes_long_sets_the_limit_of_time() {
    let versions = Versions::new(
        &[("a", "1")],
        &[("a", "2")],
        "test $(cat a) = 1 || exit 1; sleep 0.4",
    );
    let (between, _) = versions
        .establish(&Expectation::default())
        .expect("one passes, one fails");
    assert!(between.baseline.timeout >= Duration::from_secs(4));
}

#[test]
fn every_way_in_which_two_versions_do_not_fit_is_told_apart() {
    let case = |test: &str| Versions::new(&[("a", "1")], &[("a", "2")], test);
    let build = |build| case("test $(cat a) = 1").built(build);
    for (versions, expected) in [
        (case("exit 0"), Mismatch::BadPasses),
        (case("exit 1"), Mismatch::GoodFails),
        (case("exit $(cat a)"), Mismatch::GoodFailsDifferently),
        (case("test $(cat a) = 2"), Mismatch::Swapped),
        (
            case("test $(cat a) = 2 && exit 1; exit 125"),
            Mismatch::Unresolved(VersionSide::Good),
        ),
        (
            case("test $(cat a) = 1 || exit 125"),
            Mismatch::Unresolved(VersionSide::Bad),
        ),
        (case("exit 125"), Mismatch::Unresolved(VersionSide::Both)),
        (
            case("test $(cat a) = 2 && exit 1; ./no-such-test"),
            Mismatch::CannotRun(VersionSide::Good),
        ),
        (
            case("test $(cat a) = 1 || ./no-such-test"),
            Mismatch::CannotRun(VersionSide::Bad),
        ),
        (
            case("./no-such-test"),
            Mismatch::CannotRun(VersionSide::Both),
        ),
        (
            build("test $(cat a) = 1"),
            Mismatch::Build(VersionSide::Bad),
        ),
        (
            build("test $(cat a) = 2"),
            Mismatch::Build(VersionSide::Good),
        ),
        (
            build("no-such-compiler"),
            Mismatch::Build(VersionSide::Both),
        ),
    ] {
        assert_eq!(versions.fault(), expected, "{}", versions.test);
    }
    let mut same = build("echo same > out");
    same.products = &["out"];
    assert_eq!(same.fault(), Mismatch::SameProduct);
}

#[test]
fn a_rule_that_the_bad_version_does_not_follow_is_told_apart() {
    let versions = Versions::new(&[("a", "1")], &[("a", "2")], "test $(cat a) = 1");
    let fault = |rule: &str| {
        let expectation = Expectation {
            rules: vec![rule.parse().expect("a rule")],
            ..Expectation::default()
        };
        // What was seen is in the journal and not run again.
        versions.establish(&expectation).err()
    };
    let Some(TwoSidedError::Mismatch(mismatch)) = fault("exit=9") else {
        panic!("exit 1 is not exit 9");
    };
    assert_eq!(mismatch.mismatch, Mismatch::BadFailsDifferently);
    assert!(fault("exit=1").is_none());
}

#[test]
fn the_users_tree_is_only_read() {
    let versions = project().built("make -s");
    let (_, lab) = versions.lab();
    drop(lab);
    let base: Vec<_> = fs::read_dir(versions.start.path().join("base"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(base, [Path::new("README").as_os_str()]);
}
