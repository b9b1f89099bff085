//! The helper functions: those of `symbolic.ll`, and those generated for each number of arguments.

use std::collections::BTreeSet;
use std::fmt::Write;

const SYMBOLIC: &str = include_str!("symbolic.ll");

/// The IR of all helpers, for calls with these numbers of arguments.
#[must_use]
pub fn text(arities: &BTreeSet<usize>) -> String {
    let mut text = SYMBOLIC.to_owned();
    for &arity in arities {
        pass(&mut text, arity);
        after(&mut text, arity);
    }
    text
}

/// `yester.pass.N` stores the nodes of arguments for the callee if any is not 0, or if it is forced to. Returns whether it did.
fn pass(text: &mut String, arity: usize) {
    let parameters: String = (0..arity).map(|index| format!(", i32 %n{index}")).collect();
    let mut body = String::from("  %any.0 = or i32 %force, 0\n");
    for index in 0..arity {
        let next = index + 1;
        writeln!(body, "  %any.{next} = or i32 %any.{index}, %n{index}").expect("a text");
    }
    let mut stores = String::new();
    for index in 0..arity {
        let offset = 32 + 4 * index;
        write!(
            stores,
            "  %at{index} = getelementptr i8, ptr %call, i64 {offset}\n  store i32 %n{index}, ptr %at{index}, align 4\n"
        )
        .expect("a text");
    }
    write!(
        text,
        "
define hidden i32 @yester.pass.{arity}(ptr %function, i32 %force{parameters}) alwaysinline nounwind {{
{body}  %none = icmp eq i32 %any.{arity}, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %call = call ptr @llvm.threadlocal.address.p0(ptr @__yester_call)
  %own = ptrtoint ptr %function to i64
  store i64 %own, ptr %call, align 16
{stores}  br label %done
done:
  ret i32 %any.{arity}
}}
"
    )
    .expect("a text");
}

/// `yester.after.N` calls the runtime after a call for which nodes were stored; it checks whether the callee took them. Each
/// argument has four words: its address or 0, its object and the object's size or 0, and whether the callee may write there.
fn after(text: &mut String, arity: usize) {
    let parameters: String = (0..4 * arity)
        .map(|index| format!(", i64 %a{index}"))
        .collect();
    let words = (4 * arity).max(1);
    let mut stores = String::new();
    for index in 0..4 * arity {
        let offset = 8 * index;
        write!(
            stores,
            "  %at{index} = getelementptr i8, ptr %room, i64 {offset}\n  store i64 %a{index}, ptr %at{index}, align 8\n"
        )
        .expect("a text");
    }
    write!(
        text,
        "
define hidden void @yester.after.{arity}(i32 %any, ptr %function, ptr %name{parameters}) alwaysinline nounwind {{
  %room = alloca [{words} x i64], align 8
  %none = icmp eq i32 %any, 0
  br i1 %none, label %done, label %slow, !prof !0
slow:
  %own = ptrtoint ptr %function to i64
{stores}  call void @__yester_after_call(i64 %own, ptr %name, ptr %room, i64 {arity})
  br label %done
done:
  ret void
}}
"
    )
    .expect("a text");
}
