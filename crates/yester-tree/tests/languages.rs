//! The languages that are compiled in, as a user of the library meets them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use yester_tree::{Edit, Grammar, Kind, Language, SitterGrammar};

/// A text in each language.
fn samples() -> BTreeMap<&'static str, Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/samples");
    let files = fs::read_dir(directory).expect("there are samples");
    let samples = files.filter_map(|file| {
        let path = file.expect("a sample").path();
        let language = Language::by_path(&path)?;
        Some((language.name, fs::read(path).expect("a sample")))
    });
    samples.collect()
}

fn by_path(path: &str) -> Option<&'static str> {
    Language::by_path(Path::new(path)).map(|language| language.name)
}

#[allow(dead_code, reason = "not every set of languages needs it")]
fn by_content(text: &str) -> Option<&'static str> {
    Language::by_content(text.as_bytes()).map(|language| language.name)
}

#[allow(dead_code, reason = "not every set of languages needs it")]
fn kind(grammar: &SitterGrammar, name: &str) -> Kind {
    let mut kinds = grammar.kinds();
    kinds
        .find(|kind| grammar.kind_name(*kind) == name)
        .expect("a kind has this name")
}

#[test]
fn names_are_sorted_and_unique() {
    let names: Vec<&str> = Language::all()
        .iter()
        .map(|language| language.name)
        .collect();
    assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
}

#[test]
fn every_extension_and_every_file_name_belongs_to_one_language() {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for language in Language::all() {
        let extensions = language.extensions.iter().map(|name| format!("*.{name}"));
        let files = language.file_names.iter().map(|name| (*name).to_owned());
        for name in extensions.chain(files) {
            let before = owners.insert(name.clone(), language.name);
            assert_eq!(before, None, "{name} is also one of {}", language.name);
        }
    }
}

#[test]
fn an_extension_is_found_in_small_and_big_letters() {
    for language in Language::all() {
        for extension in language.extensions {
            let big = extension.to_ascii_uppercase();
            let big = format!("dir/file.{big}");
            assert_eq!(by_path(&format!("file.{extension}")), Some(language.name));
            if big != "dir/file.C" {
                assert_eq!(by_path(&big), Some(language.name), "{big}");
            }
        }
    }
}

#[cfg(all(feature = "c", feature = "cpp"))]
#[test]
fn a_big_c_is_another_language_than_a_small_one() {
    assert_eq!(by_path("a.c"), Some("c"));
    assert_eq!(by_path("a.C"), Some("cpp"));
    assert_eq!(by_path("a.h"), Some("c"));
}

#[cfg(all(feature = "bash", feature = "json", feature = "toml", feature = "xml"))]
#[test]
fn some_files_are_known_by_their_whole_names() {
    assert_eq!(by_path("home/.bashrc"), Some("bash"));
    assert_eq!(by_path("Cargo.lock"), Some("toml"));
    assert_eq!(by_path("package.json"), Some("json"));
    assert_eq!(by_path("pom.xml"), Some("xml"));
    assert_eq!(by_path("Pipfile.lock"), Some("json"));
    assert_eq!(by_path("README"), None);
    assert_eq!(by_path("other.lock"), None);
    assert_eq!(by_path(".."), None);
}

#[cfg(all(feature = "bash", feature = "python", feature = "javascript"))]
#[test]
fn the_first_line_of_a_script_tells_its_language() {
    assert_eq!(by_content("#!/bin/sh\n"), Some("bash"));
    assert_eq!(by_content("#! /usr/bin/bash -e"), Some("bash"));
    assert_eq!(by_content("#!/usr/bin/env python3.12\r\n"), Some("python"));
    assert_eq!(
        by_content("#!/usr/bin/env -S A=b node --x\n"),
        Some("javascript")
    );
    assert_eq!(by_content("#!/usr/bin/perl\n"), None);
    assert_eq!(by_content("#!\n"), None);
}

#[cfg(all(feature = "c", feature = "html", feature = "json", feature = "xml"))]
#[test]
fn the_beginning_of_a_text_tells_its_language_when_it_is_sure() {
    assert_eq!(by_content("\u{feff}<?xml version='1.0'?><a/>"), Some("xml"));
    assert_eq!(by_content("\n<!DOCTYPE HTML><p>"), Some("html"));
    assert_eq!(by_content("<html><p>"), Some("html"));
    assert_eq!(by_content("<htmlx>"), None);
    assert_eq!(by_content("/* a */\n# include <a.h>\nint a;"), Some("c"));
    assert_eq!(by_content("#include\n"), None);
    assert_eq!(by_content(" {\"a\": [1, null]}\n"), Some("json"));
    assert_eq!(by_content("{ print $1 }"), None);
    assert_eq!(by_content("[section]\nkey = 1\n"), None);
    assert_eq!(by_content(""), None);
    assert!(Language::by_content(b"[\"\xff\"]").is_none());
    let long = format!("[{}0]", "0,".repeat(1 << 20));
    assert_eq!(by_content(&long), None);
}

#[test]
fn every_language_parses_a_sample_without_fault() {
    let samples = samples();
    for language in Language::all() {
        let parse = language.grammar().parse(&samples[language.name]);
        assert_eq!(parse.faults, 0, "{}", language.name);
        assert!(parse.tree.len() >= 10, "{}", language.name);
        assert!(!language.title.is_empty());
    }
}

#[test]
fn any_bytes_have_a_tree_in_every_language() {
    let samples = samples();
    for language in Language::all() {
        let grammar = language.grammar();
        let sample = &samples[language.name];
        let mut garbled = sample.clone();
        for at in (0..garbled.len()).step_by(7) {
            garbled[at] = (at % 256) as u8;
        }
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        let half = sample[..sample.len() / 2].to_vec();
        let backwards: Vec<u8> = sample.iter().rev().copied().collect();
        let invalid = b"\xff\xfe\xc0\x80(\xed\xa0\x80".to_vec();
        for text in [bytes, half, backwards, garbled, invalid, vec![0; 9], vec![]] {
            let parse = grammar.parse(&text);
            assert!(!parse.tree.is_empty(), "{}", language.name);
            for number in 0..parse.tree.len() {
                let range = parse.tree.range(number);
                assert!(range.start <= range.end && range.end <= text.len());
            }
            let edit = Edit::replace(0..text.len() / 2, &b""[..]);
            grammar.faults_after(&parse, &edit, &edit.apply(&text));
        }
    }
}

#[cfg(all(feature = "c", feature = "json"))]
#[test]
fn a_deep_nest_is_parsed_and_copied() {
    const DEPTH: usize = 100_000;
    let nest = |before: &str, open: &str, close: &str, after: &str| {
        let (open, close) = (open.repeat(DEPTH), close.repeat(DEPTH));
        format!("{before}{open}0{close}{after}").into_bytes()
    };
    let texts = [
        ("json", nest("", "[", "]", "")),
        ("c", nest("int a=", "(", ")", ";")),
    ];
    for (name, text) in texts {
        let grammar = Language::by_name(name).expect("a language").grammar();
        let parse = grammar.parse(&text);
        assert_eq!(parse.faults, 0, "{name}");
        assert!(parse.tree.len() > DEPTH, "{name}");
        assert_eq!(parse.tree.range(0), 0..text.len());
    }
}

#[cfg(feature = "c")]
#[test]
fn kinds_that_share_a_place_are_exchangeable() {
    let grammar = Language::by_name("c").expect("C").grammar();
    let are = |one, other| grammar.are_exchangeable(kind(&grammar, one), kind(&grammar, other));
    assert!(are("number_literal", "call_expression"));
    assert!(are("if_statement", "compound_statement"));
    assert!(are("struct_specifier", "primitive_type"));
    assert!(are("argument_list", "argument_list"));
    assert!(!are("number_literal", "if_statement"));
    assert!(!are("argument_list", "compound_statement"));
}

#[cfg(feature = "c")]
#[test]
fn a_kind_has_a_shortest_text_and_may_have_a_better_one() {
    let grammar = Language::by_name("c").expect("C").grammar();
    let minimal = |name| grammar.minimal(kind(&grammar, name));
    let preferred = |name| grammar.preferred(kind(&grammar, name));
    assert_eq!(minimal("translation_unit"), Some(""));
    assert_eq!(minimal("if_statement"), Some("if(0);"));
    assert_eq!(minimal("escape_sequence"), Some("\\0"));
    assert_eq!(minimal("preproc_def"), Some("#define a\n"));
    assert_eq!(preferred("if_statement"), Some(";"));
    assert_eq!(preferred("struct_specifier"), Some("int"));
    assert_eq!(preferred("call_expression"), Some("0"));
    assert_eq!(preferred("identifier"), None);
    assert_eq!(grammar.minimal(Kind::MAX), None);
}
