//! The table of a module: its functions and their sites, as text in the format of recordings.

use std::fmt::Write as _;

use super::access::Accesses;
use super::site::{EventSiteKind, FunctionPlan};

/// The lines of all functions, with what their blocks do if that is known.
#[must_use]
pub fn table(plans: &[FunctionPlan], accesses: Option<&Accesses>) -> String {
    let mut text = String::new();
    for plan in plans {
        let name = plan.function.name();
        let _ = writeln!(
            text,
            "function\t{}\t{}\t{}\t{}",
            field(&name),
            field(&plan.location.file),
            plan.location.line,
            plan.sites.len()
        );
        for site in &plan.sites {
            let kind = match &site.kind {
                EventSiteKind::Branch => "branch",
                EventSiteKind::Switch(_) => "switch",
                EventSiteKind::Call => "call",
                EventSiteKind::Predicate(_) => "predicate",
                EventSiteKind::Value { .. } => "value",
            };
            let file = if site.location.file == plan.location.file {
                String::new()
            } else {
                field(&site.location.file)
            };
            let (line, column) = (site.location.line, site.location.column);
            let _ = write!(text, "{kind}\t{file}\t{line}\t{column}");
            if let EventSiteKind::Switch(cases) = &site.kind {
                let cases: Vec<String> = cases.iter().map(ToString::to_string).collect();
                let _ = write!(text, "\t{}", cases.join(","));
            }
            if let EventSiteKind::Predicate(condition) = &site.kind {
                let _ = write!(text, "\t{}", field(condition));
            }
            if let EventSiteKind::Value { name, form } = &site.kind {
                let _ = write!(text, "\t{}\t{form}", field(name));
            }
            let dependence: Vec<String> = site
                .dependence
                .iter()
                .map(|(site, outcome)| format!("{site}:{outcome}"))
                .collect();
            let successors: Vec<String> = site
                .successors
                .iter()
                .map(|next| {
                    let next: Vec<String> = next.iter().map(ToString::to_string).collect();
                    next.join("/")
                })
                .collect();
            let post_dominator = site.post_dominator.map(|site| site.to_string());
            let _ = writeln!(
                text,
                "\t{}\t{}\t{}",
                dependence.join(","),
                successors.join(","),
                post_dominator.unwrap_or_default()
            );
        }
        for class in &plan.classes {
            let class: Vec<String> = class
                .iter()
                .map(|(site, outcome)| format!("{site}:{outcome}"))
                .collect();
            let _ = writeln!(text, "class\t{}", class.join(","));
        }
        if let Some(accesses) = accesses {
            blocks(plan, accesses, &mut text);
        }
    }
    text
}

/// The blocks of a function: the class, the site at the end, the blocks that may follow, the next one that is always reached, and
/// the steps.
fn blocks(plan: &FunctionPlan, accesses: &Accesses, text: &mut String) {
    for (index, block) in plan.blocks.iter().enumerate() {
        let class = plan.class_of.get(block).copied().unwrap_or(0);
        let site = plan.site_of[index].map(|site| site.to_string());
        let next: Vec<String> = plan.graph[index].iter().map(ToString::to_string).collect();
        let above = Some(plan.above[index]).filter(|above| *above < plan.blocks.len());
        let _ = writeln!(
            text,
            "block\t{class}\t{}\t{}\t{}",
            site.unwrap_or_default(),
            next.join(","),
            above.map(|above| above.to_string()).unwrap_or_default()
        );
        for line in accesses.get(block).into_iter().flatten() {
            let _ = writeln!(text, "{line}");
        }
    }
}

/// Replaces the characters that separate fields and lines.
fn field(text: &str) -> String {
    text.replace(['\t', '\n'], "?")
}
