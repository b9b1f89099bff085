//! What `deny.toml` says about dependencies, held against what cargo has resolved.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::iter::Peekable;
use std::process::Command;

use serde_json::Value;

use super::root;

/// A crate that the workspace is built from.
struct Package {
    name: String,
    version: String,
    /// How it may be used, as an SPDX expression.
    license: String,
    /// Where it is from, or nothing for a crate of the workspace.
    source: Option<String>,
}

fn packages(target: &str) -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--all-features"])
        .args(["--locked", "--offline", "--filter-platform", target])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages
        .iter()
        .map(|package| Package {
            name: text(&package["name"]).expect("a name"),
            version: text(&package["version"]).expect("a version"),
            license: text(&package["license"]).unwrap_or_default(),
            source: text(&package["source"]),
        })
        .collect()
}

fn strings(table: &toml::Value, key: &str) -> Vec<String> {
    let list = table[key].as_array().expect("a list");
    let string = |value: &toml::Value| value.as_str().expect("a string").to_owned();
    list.iter().map(string).collect()
}

/// The crates that a list of `bans` names, each with a reason.
fn crates(bans: &toml::Value, key: &str) -> BTreeSet<String> {
    let list = bans[key].as_array().expect("a list");
    list.iter()
        .map(|entry| {
            let reason = entry.get("reason").and_then(toml::Value::as_str);
            assert!(reason.is_some_and(|reason| !reason.is_empty()), "{entry:?}");
            entry["crate"].as_str().expect("a crate").to_owned()
        })
        .collect()
}

#[test]
fn every_dependency_is_one_that_deny_toml_allows() {
    let rules: toml::Value = fs::read_to_string(root().join("deny.toml"))
        .expect("deny.toml")
        .parse::<toml::Table>()
        .expect("TOML")
        .into();
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    assert!(strings(&rules["graph"], "targets").contains(&target));
    let packages = packages(&target);
    assert!(packages.len() > 50, "only {} were found", packages.len());

    let licenses = strings(&rules["licenses"], "allow");
    let registries = strings(&rules["sources"], "allow-registry");
    let banned = crates(&rules["bans"], "deny");
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &packages {
        let Package {
            name,
            version,
            license,
            source,
        } = package;
        assert!(
            is_allowed(license, &licenses),
            "{name} has the license '{license}'"
        );
        assert!(!banned.contains(name), "{name} is banned");
        if let Some(source) = source {
            let registry = source.strip_prefix("registry+");
            assert!(
                registry.is_some_and(|registry| registries.iter().any(|known| known == registry)),
                "{name} is from {source}"
            );
        }
        versions.entry(name).or_default().insert(version);
    }
    for license in &licenses {
        assert!(
            packages
                .iter()
                .any(|package| package.license.contains(license)),
            "no crate has the license {license}"
        );
    }

    let mut skipped = crates(&rules["bans"], "skip");
    for (name, versions) in versions {
        let is_skipped = |version: &&str| skipped.contains(&format!("{name}@{version}"));
        let (old, current): (Vec<&str>, Vec<&str>) =
            versions.iter().partition(|version| is_skipped(version));
        assert!(current.len() <= 1, "{name} is here as {current:?}");
        if !current.is_empty() {
            for version in old {
                skipped.remove(&format!("{name}@{version}"));
            }
        }
    }
    assert!(skipped.is_empty(), "not here in two versions: {skipped:?}");
}

/// Whether an SPDX expression can be satisfied with these licenses. Old crates write `/` for OR.
fn is_allowed(expression: &str, licenses: &[String]) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let allowed = any(&mut words, licenses);
    assert_eq!(words.next(), None, "'{expression}' goes on");
    allowed
}

fn any<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>, licenses: &[String]) -> bool {
    let mut allowed = all(words, licenses);
    while words.next_if_eq(&"OR").is_some() {
        allowed |= all(words, licenses);
    }
    allowed
}

fn all<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>, licenses: &[String]) -> bool {
    let mut allowed = one(words, licenses);
    while words.next_if_eq(&"AND").is_some() {
        allowed &= one(words, licenses);
    }
    allowed
}

fn one<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>, licenses: &[String]) -> bool {
    let mut license = match words.next() {
        None => return false,
        Some("(") => {
            let allowed = any(words, licenses);
            assert_eq!(words.next(), Some(")"));
            return allowed;
        }
        Some(license) => license.to_owned(),
    };
    if words.next_if_eq(&"WITH").is_some() {
        license = format!("{license} WITH {}", words.next().expect("an exception"));
    }
    licenses.contains(&license)
}

#[test]
fn an_expression_of_licenses_is_read_as_spdx_means_it() {
    let licenses = ["MIT", "Zlib"].map(str::to_owned);
    for expression in [
        "MIT",
        "Apache-2.0/MIT",
        "GPL-3.0 OR MIT",
        "(MIT OR Apache-2.0) AND Zlib",
        "GPL-3.0 AND Zlib OR MIT",
    ] {
        assert!(is_allowed(expression, &licenses), "{expression}");
    }
    for expression in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "MIT WITH an-exception",
        "(MIT OR Zlib) AND GPL-3.0",
    ] {
        assert!(!is_allowed(expression, &licenses), "{expression}");
    }
}
