use super::Language;

#[allow(unused_macros, reason = "a build may have no language")]
macro_rules! language {
    ($name:literal, $title:literal, $parser:expr, [$($extension:literal)*], [$($file:literal)*]) => {
        Language {
            name: $name,
            title: $title,
            extensions: &[$($extension),*],
            file_names: &[$($file),*],
            parser: || $parser.into(),
            table: include_str!(concat!("../../tables/", $name, ".tsv")),
        }
    };
}

/// All languages, by name.
#[rustfmt::skip]
pub(super) static LANGUAGES: &[Language] = &[
    #[cfg(feature = "bash")]
    language!("bash", "Bash", tree_sitter_bash::LANGUAGE,
        ["sh" "bash" "bats" "dash" "ebuild" "eclass" "ksh" "zsh"],
        [".bash_aliases" ".bash_history" ".bash_login" ".bash_logout" ".bash_profile" ".bashrc" ".envrc" ".kshrc"
         ".profile" ".xinitrc" ".xprofile" ".xsession" ".zprofile" ".zshenv" ".zshrc" "APKBUILD" "PKGBUILD"
         "bash.bashrc" "bashrc" "configure" "profile" "zshrc"]),
    #[cfg(feature = "c")]
    language!("c", "C", tree_sitter_c::LANGUAGE, ["c" "h" "i" "idc" "xbm" "xpm"], []),
    #[cfg(feature = "cpp")]
    language!("cpp", "C++", tree_sitter_cpp::LANGUAGE,
        ["C" "c++" "c++m" "cc" "ccm" "cp" "cpp" "cppm" "cxx" "cxxm" "h++" "hh" "hpp" "hxx" "ii" "inl" "ino" "ipp"
         "ixx" "tcc" "tpp" "txx"],
        []),
    #[cfg(feature = "css")]
    language!("css", "CSS", tree_sitter_css::LANGUAGE, ["css" "pcss" "postcss"], []),
    #[cfg(feature = "go")]
    language!("go", "Go", tree_sitter_go::LANGUAGE, ["go"], []),
    #[cfg(feature = "html")]
    language!("html", "HTML", tree_sitter_html::LANGUAGE, ["html" "htm" "shtml"], []),
    #[cfg(feature = "java")]
    language!("java", "Java", tree_sitter_java::LANGUAGE, ["java" "jav"], []),
    #[cfg(feature = "javascript")]
    language!("javascript", "JavaScript", tree_sitter_javascript::LANGUAGE,
        ["js" "cjs" "es" "es6" "jsm" "jsx" "mjs"],
        ["Jakefile"]),
    #[cfg(feature = "json")]
    language!("json", "JSON", tree_sitter_json::LANGUAGE,
        ["json" "avsc" "code-workspace" "geojson" "gltf" "har" "ipynb" "jsonc" "jsonl" "jsonld" "ndjson" "sarif"
         "tfstate" "topojson" "webapp" "webmanifest"],
        [".arcconfig" ".babelrc" ".eslintrc" ".jshintrc" ".jslintrc" ".prettierrc" ".swcrc" ".tern-project"
         ".watchmanconfig" "Pipfile.lock" "composer.lock" "deno.lock" "flake.lock"]),
    #[cfg(feature = "python")]
    language!("python", "Python", tree_sitter_python::LANGUAGE,
        ["py" "bzl" "cpy" "gyp" "gypi" "pyi" "pyt" "pyw" "rpy"],
        [".pythonrc" ".pythonstartup" "BUILD" "BUILD.bazel" "SConscript" "SConstruct" "Snakefile" "WORKSPACE" "wscript"]),
    #[cfg(feature = "rust")]
    language!("rust", "Rust", tree_sitter_rust::LANGUAGE, ["rs"], []),
    #[cfg(feature = "sql")]
    language!("sql", "SQL", tree_sitter_sequel::LANGUAGE, ["sql" "ddl" "dml" "pgsql" "psql"], [".psqlrc" ".sqliterc"]),
    #[cfg(feature = "toml")]
    language!("toml", "TOML", tree_sitter_toml_ng::LANGUAGE,
        ["toml"],
        ["Cargo.lock" "Gopkg.lock" "Pipfile" "pdm.lock" "poetry.lock" "uv.lock"]),
    #[cfg(feature = "typescript")]
    language!("tsx", "TypeScript with JSX", tree_sitter_typescript::LANGUAGE_TSX, ["tsx"], []),
    #[cfg(feature = "typescript")]
    language!("typescript", "TypeScript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, ["ts" "cts" "mts"], []),
    #[cfg(feature = "xml")]
    language!("xml", "XML", tree_sitter_xml::LANGUAGE_XML,
        ["xml" "atom" "csproj" "dae" "docbook" "fo" "fsproj" "gml" "gpx" "graphml" "iml" "jnlp" "kml" "mathml" "mml"
         "nuspec" "owl" "plist" "pom" "props" "qrc" "rdf" "resx" "rng" "rss" "storyboard" "svg" "targets" "tei"
         "ui" "vbproj" "vcxproj" "wsdl" "xaml" "xbl" "xhtml" "xib" "xlf" "xliff" "xmi" "xsd" "xsl" "xslt" "xspf" "xul"],
        [".classpath" ".cproject" ".project" "App.config" "NuGet.Config" "Web.config"]),
    #[cfg(feature = "yaml")]
    language!("yaml", "YAML", tree_sitter_yaml::LANGUAGE,
        ["yaml" "cff" "sublime-syntax" "yml"],
        [".clang-format" ".clang-tidy" ".clangd" ".gemrc" ".yamllint" "CITATION.cff" "pnpm-lock.yaml" "pubspec.lock"]),
];
