//! More jobs make a reduction faster, in a time that is only counted.

use std::rc::Rc;

use yester_bench::clockwork::ClockworkCase;

#[test]
fn two_jobs_take_less_than_two_thirds_of_the_time_of_one_and_give_the_same_answer() {
    for case in ClockworkCase::all() {
        let case = Rc::new(case);
        let [one, two, four] = [1, 2, 4].map(|jobs| case.reduce(jobs));
        for run in [&two, &four] {
            assert_eq!(run.answer, one.answer, "{}", case.name);
            assert_eq!(run.answered, one.answered, "{}", case.name);
            assert_eq!(run.counts.run - run.counts.unused, one.counts.run);
        }
        let ticks = [one.ticks, two.ticks, four.ticks];
        assert!(two.ticks * 8 <= one.ticks * 5, "{}: {ticks:?}", case.name);
        assert!(four.ticks * 9 <= two.ticks * 8, "{}: {ticks:?}", case.name);
        assert_eq!(one.counts.unused + one.counts.cancelled, 0);
    }
}
