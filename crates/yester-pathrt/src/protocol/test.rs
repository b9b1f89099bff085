//! What is written is read again.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn numbers() -> impl Strategy<Value = Numbers> {
    let numbers = prop::collection::vec(any::<u64>(), 0..=MOST_NUMBERS);
    numbers.prop_map(|numbers| numbers.into_iter().collect())
}

fn operator() -> impl Strategy<Value = Operator> {
    let (sign, class) = (select(Sign::ALL), select(&OperandClass::ALL[..]));
    (sign, class, 1..=64_u32, any::<i64>()).prop_map(|(sign, class, bits, more)| Operator {
        sign,
        class,
        bits,
        more,
    })
}

fn variable() -> impl Strategy<Value = Variable> {
    (1..=64_u32, any::<bool>(), numbers()).prop_map(|(bits, has_sign, places)| Variable {
        form: Form { bits, has_sign },
        places,
    })
}

fn assignment() -> impl Strategy<Value = Assignment> {
    let place = (any::<u64>(), any::<u64>(), 0..=8_usize);
    (place, any::<u64>(), any::<bool>()).prop_map(
        |((structure, offset, bytes), value, is_added)| Assignment {
            structure,
            offset,
            bytes,
            value,
            is_added,
        },
    )
}

fn call() -> impl Strategy<Value = Call> {
    let argument = prop_oneof![
        any::<u64>().prop_map(CallArgument::Variable),
        any::<u64>().prop_map(CallArgument::Number),
    ];
    let arguments = prop::array::uniform6(argument);
    (any::<u64>(), arguments).prop_map(|(function, arguments)| Call {
        function,
        arguments,
    })
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        any::<u64>().prop_map(Action::Set),
        Just(Action::Flip),
        Just(Action::Skip),
        operator().prop_map(Action::Operator),
        any::<u64>().prop_map(Action::Add),
        variable().prop_map(Action::Latest),
        any::<u64>().prop_map(Action::FlipWhere),
        assignment().prop_map(Action::Assign),
        call().prop_map(Action::Call),
        any::<u64>().prop_map(|word| Action::Exit(ExitWord(word))),
    ]
}

fn intervention() -> impl Strategy<Value = Intervention> {
    let place = (any::<u64>(), any::<u64>(), any::<u64>());
    (place, numbers(), action()).prop_map(|((module, place, process), instances, action)| {
        Intervention {
            module,
            place,
            process,
            instances,
            action,
        }
    })
}

fn exit_action() -> impl Strategy<Value = ExitAction> {
    let variables = 0..1_u64 << ExitWord::VARIABLE.bits;
    prop_oneof![
        select(&ExitWay::ALL[..]).prop_map(ExitAction::Leave),
        (variables, any::<bool>())
            .prop_map(|(variable, is_added)| ExitAction::Assign { variable, is_added }),
    ]
}

proptest! {
    #[test]
    fn a_plan_is_read_as_it_was_written(
        branches: u64,
        milliseconds: u64,
        interventions in prop::collection::vec(intervention(), 0..6),
    ) {
        let limits = Limits { branches, milliseconds };
        let lines = interventions.iter().map(|intervention| format!("{intervention}\n"));
        let text = format!("{limits}\n{}", lines.collect::<String>());
        let plan = Plan::read(text.as_bytes()).expect("a plan");
        prop_assert_eq!(plan.limits, limits);
        prop_assert_eq!(plan.interventions().collect::<Vec<_>>(), interventions);
    }

    #[test]
    fn a_line_that_lacks_its_end_is_no_intervention(intervention in intervention(), more: u64) {
        let line = intervention.to_string();
        let (shorter, _) = line.rsplit_once(' ').expect("several numbers");
        prop_assert_eq!(Intervention::decode(shorter.as_bytes()), None);
        let longer = format!("{line} {more}");
        prop_assert_eq!(Intervention::decode(longer.as_bytes()), None);
    }

    #[test]
    fn an_exit_gets_the_action_and_as_much_of_the_value_as_there_is_room_for(
        action in exit_action(),
        value: u64,
    ) {
        let below = action.bits_below();
        let moved = (value.cast_signed() << below >> below).cast_unsigned();
        let cut = value >> below << below;
        for (form, kept) in [(ExitForm::Moved, moved), (ExitForm::Double, cut)] {
            let word = ExitWord::encode(action, value, form);
            prop_assert_eq!(word.decode(form), Some((action, kept)));
            prop_assert_eq!(ExitWord::encode(action, kept, form), word);
        }
    }

    #[test]
    fn whatever_is_in_a_plan_it_can_be_read(bytes in "[0-9 \n-]{0,80}") {
        if let Some(plan) = Plan::read(bytes.as_bytes()) {
            plan.interventions().for_each(drop);
        }
    }
}

#[test]
fn the_layout_of_an_exit_word_is_what_instrumented_programs_read() {
    let leave = ExitAction::Leave(ExitWay::Return);
    assert_eq!(ExitWord::encode(leave, 5, ExitForm::Moved).0, 5 << 3 | 1);
    let value = 1.5_f64.to_bits();
    assert_eq!(
        ExitWord::encode(leave, value, ExitForm::Double).0,
        value | 1
    );
    let add = ExitAction::Assign {
        variable: 2,
        is_added: true,
    };
    assert_eq!(
        ExitWord::encode(add, 7, ExitForm::Moved).0,
        7 << 6 | 2 << 3 | 5
    );
    assert_eq!(ExitWord::default().decode(ExitForm::Moved), None);
}

#[test]
fn an_intervention_is_about_its_executions_and_its_process() {
    let intervention = Intervention {
        module: 7,
        place: 3,
        process: 0,
        instances: [2, 5].into_iter().collect(),
        action: Action::Flip,
    };
    let times = [1, 2, 3, 5, 6].map(|time| intervention.is_about(time));
    assert_eq!(times, [false, true, false, true, false]);
    assert_eq!([2, 5].map(|time| intervention.is_over(time)), [false, true]);
    assert!(intervention.is_for(1) && intervention.is_for(5));
    let always = Intervention {
        process: 1,
        instances: Numbers::default(),
        ..intervention
    };
    assert!(always.is_about(9) && !always.is_over(9));
    assert!(always.is_for(1) && !always.is_for(2));
}

#[test]
fn a_value_is_extended_as_its_form_says() {
    let form = |has_sign| Form { bits: 8, has_sign };
    assert_eq!(form(true).extended(0xFF), u64::MAX);
    assert_eq!(form(true).extended(0x17F), 0x7F);
    assert_eq!(form(false).extended(0x1FF), 0xFF);
}
