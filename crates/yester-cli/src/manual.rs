//! Manual pages. clap_mangen knows the flags; the text around them is laid out here, since examples must keep their lines.

use clap::Command;
use clap_mangen::Man;
use yester_report::VERSION;

use crate::error::CallError;

/// The manual page of a command, or of yester itself.
pub fn page(cli: &Command, name: Option<&str>) -> Result<Vec<u8>, CallError> {
    let Some(name) = name else {
        return render(cli, "yester", cli);
    };
    let command = cli
        .find_subcommand(name)
        .filter(|command| !command.is_hide_set());
    let command = command.ok_or_else(|| {
        CallError::new(format!("there is no command '{name}'")).hint("yester --help lists them")
    })?;
    render(command, &format!("yester-{name}"), cli)
}

/// All pages, each with the name that `man` looks for.
pub fn pages(cli: &Command) -> Result<Vec<(String, Vec<u8>)>, CallError> {
    let mut pages = vec![("yester.1".to_owned(), page(cli, None)?)];
    for name in names(cli) {
        pages.push((format!("yester-{name}.1"), page(cli, Some(name))?));
    }
    Ok(pages)
}

fn names(cli: &Command) -> impl Iterator<Item = &str> {
    let shown = cli
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    shown.map(Command::get_name)
}

fn render(command: &Command, title: &str, cli: &Command) -> Result<Vec<u8>, CallError> {
    // clap adds the usage only when it has seen the whole command line.
    let mut whole = cli.clone();
    whole.build();
    let is_whole = command.get_name() == cli.get_name();
    let built = if is_whole {
        whole.clone()
    } else {
        whole
            .find_subcommand(command.get_name())
            .unwrap_or(command)
            .clone()
    };
    let usage = built.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let about = built
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let version = VERSION;
    let mut text = format!(".TH {title} 1 \"\" \"yester {version}\" \"yester\"\n");
    text.push_str(&format!(
        ".SH NAME\n{} \\- {}\n",
        escape(title),
        escape(&about)
    ));
    text.push_str(&format!(".SH SYNOPSIS\n.nf\n{}\n.fi\n", escape(usage)));
    text.push_str(".SH DESCRIPTION\n");
    let long = built.get_long_about().map(ToString::to_string);
    paragraphs(&long.unwrap_or(about), &mut text);

    let mut flags = Vec::new();
    let man = Man::new(built.clone().disable_help_subcommand(true));
    man.render_options_section(&mut flags)
        .map_err(|error| CallError::new(format!("failed to make the manual page: {error}")))?;
    text.push_str(&String::from_utf8_lossy(&flags));
    if is_whole {
        text.push_str(".SH COMMANDS\n");
        for command in built
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
        {
            let about = command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            let name = escape(command.get_name());
            text.push_str(&format!(".TP\n\\fB{name}\\fR\n{}\n", escape(&about)));
        }
    }
    let after = built.get_after_long_help().or(built.get_after_help());
    paragraphs(
        &after.map(ToString::to_string).unwrap_or_default(),
        &mut text,
    );
    let others = std::iter::once("yester".to_owned())
        .chain(names(cli).map(|name| format!("yester-{name}")))
        .filter(|name| name != title)
        .map(|name| format!("\\fB{}\\fR(1)", escape(&name)));
    text.push_str(&format!(
        ".SH SEE ALSO\n{}\n",
        others.collect::<Vec<_>>().join(", ")
    ));
    Ok(text.into_bytes())
}

/// Lays out text. What is indented keeps its lines; a line that ends in a colon before such lines is a heading.
fn paragraphs(source: &str, text: &mut String) {
    let lines: Vec<&str> = source.lines().collect();
    let is_indented = |line: &&str| line.starts_with(' ');
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index];
        let next = lines.get(index + 1);
        if line.is_empty() {
            index += 1;
        } else if line.ends_with(':') && next.is_some_and(is_indented) && !is_indented(&line) {
            let heading = line.trim_end_matches(':');
            text.push_str(&format!(".SH \"{}\"\n", escape(&heading.to_uppercase())));
            index += 1;
        } else if is_indented(&line) {
            text.push_str(".nf\n");
            while let Some(line) = lines.get(index)
                && (is_indented(line)
                    || line.is_empty() && lines.get(index + 1).is_some_and(is_indented))
            {
                let line = line.strip_prefix("  ").unwrap_or(line);
                text.push_str(&format!("{}\n", escape(line)));
                index += 1;
            }
            text.push_str(".fi\n");
        } else {
            text.push_str(".PP\n");
            while let Some(line) = lines.get(index)
                && !line.is_empty()
                && !is_indented(line)
            {
                text.push_str(&format!("{}\n", escape(line)));
                index += 1;
            }
        }
    }
}

/// Text as roff takes it: no character of it is a command, and a dash is the one that is typed.
fn escape(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-");
    if escaped.starts_with(['.', '\'']) {
        format!("\\&{escaped}")
    } else {
        escaped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines_and_text_does_not() {
        let mut text = String::new();
        paragraphs(
            "One\ntwo.\n\nExamples:\n  A thing:\n      yester -x 'a\\b'\n\n  Another:\n      .x\n\nEnd.",
            &mut text,
        );
        assert_eq!(
            text,
            ".PP\nOne\ntwo.\n.SH \"EXAMPLES\"\n.nf\nA thing:\n    yester \\-x 'a\\eb'\n\nAnother:\n    .x\n.fi\n.PP\nEnd.\n"
        );
        assert_eq!(escape(".x"), "\\&.x");
    }
}
