//! How long alignment and reading take at full size: `cargo run --release -p yester-path --example sizes`.

use std::io::BufReader;
use std::time::Instant;

use yester_path::alignment::{Run, aligned};
use yester_path::{Sites, TraceEvents, align};

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.unwrap_or("VmHWM unknown")
        .replace("VmHWM:", "peak")
        .replace('\t', " ")
}

fn main() {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let left: Vec<u64> = (0..1_000_000).map(|_| numbers.next(40)).collect();
    for places in [100, 1_000] {
        let mut right = left.clone();
        for _ in 0..places {
            let place = numbers.next(right.len() as u64) as usize;
            match numbers.next(3) {
                0 => right[place] = 99,
                1 => {
                    right.remove(place);
                }
                _ => right.insert(place, 98),
            }
        }
        let begin = Instant::now();
        let alignment = align(&left, &right);
        println!(
            "align 1,000,000 with {places} places: {} gaps, best {}, {:?}, {}",
            alignment.gaps,
            alignment.is_best,
            begin.elapsed(),
            peak()
        );
    }
    let right: Vec<u64> = (0..1_000_000).map(|_| numbers.next(40)).collect();
    let begin = Instant::now();
    let alignment = align(&left, &right);
    println!(
        "align 1,000,000 with nothing in common: {} gaps, best {}, {:?}, {}",
        alignment.gaps,
        alignment.is_best,
        begin.elapsed(),
        peak()
    );

    let sites = "module\t0\ta.c\nfunction\tmain\ta.c\t1\t2\nbranch\t\t2\t1\t0:1\nbranch\t\t3\t1\t0:1\n\
                 function\tf\ta.c\t9\t1\nbranch\t\t10\t1\t\n";
    let sites = Sites::parse(sites).expect("it is right");
    let stream = |rounds: usize, numbers: &mut Numbers| {
        let mut bytes = vec![0xF8, 0, 0, 0, 0];
        for _ in 0..rounds {
            bytes.extend([
                1,
                2 + numbers.next(2) as u8,
                0xF8,
                1,
                0,
                0,
                0,
                numbers.next(2) as u8,
                0xF9,
            ]);
        }
        bytes
    };
    let bytes = stream(4_700_000, &mut numbers);
    let begin = Instant::now();
    let events = TraceEvents::new(&sites, BufReader::new(&bytes[..]), "events");
    let branches = events.filter(|event| matches!(event, Ok(event) if matches!(event.kind, yester_path::EventKind::Branch { .. })));
    println!(
        "read {} branches of {} bytes: {:?}, {}",
        branches.count(),
        bytes.len(),
        begin.elapsed(),
        peak()
    );

    let streams = [0, 1].map(|_| stream(333_000, &mut numbers));
    drop((left, right, bytes));
    let begin = Instant::now();
    let runs = streams.each_ref().map(|stream| {
        let events = TraceEvents::new(&sites, BufReader::new(&stream[..]), "events");
        Run::new(&sites, events).expect("no error")
    });
    let partners = aligned(&runs[0], &runs[1]);
    println!(
        "align by dependence {} events: {} aligned, {:?}, {}",
        runs[0].events.len(),
        partners.iter().flatten().count(),
        begin.elapsed(),
        peak()
    );
}
