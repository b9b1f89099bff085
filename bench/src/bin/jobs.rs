//! How much faster reductions are with more jobs, counted in tests that all take equally long.

use std::rc::Rc;

use yester_bench::clockwork::ClockworkCase;

fn main() {
    println!(
        "| input | bytes | left | trials | 2 jobs: speed-up | wasted | 4 jobs: speed-up | wasted |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for case in ClockworkCase::all() {
        let case = Rc::new(case);
        let one = case.reduce(1);
        let [two, four] = [2, 4].map(|jobs| {
            let run = case.reduce(jobs);
            assert_eq!(
                run.answer, one.answer,
                "the answer is the same with any number of jobs"
            );
            assert_eq!(run.answered, one.answered, "so are the questions");
            let wasted = run.counts.run + run.counts.cancelled - one.counts.run;
            format!("{:.2} | {wasted}", one.ticks as f64 / run.ticks as f64)
        });
        println!(
            "| {} | {} | {} | {} | {two} | {four} |",
            case.name,
            case.text.len(),
            one.answer.len(),
            one.ticks
        );
    }
}
