//! Counts words.
use std::collections::{BTreeMap, HashMap as Map};
use std::fmt;

const LIMIT: usize = 10;
static mut COUNT: u8 = 0;

/// A colour.
#[derive(Clone, Debug)]
pub enum Colour {
    Red,
    Mixed { parts: Vec<u8> },
    Named(&'static str, Option<Box<Colour>>),
}

struct Reader<'a, T: fmt::Display + 'a> {
    text: &'a str,
    items: [T; 3],
}

trait Count {
    type Item;
    fn count(&self) -> usize;
}

impl<'a, T> Count for Reader<'a, T>
where
    T: fmt::Display,
{
    type Item = (u8, char);

    fn count(&self) -> usize {
        let mut total = 0;
        for (index, item) in self.items.iter().enumerate() {
            if index % 2 == 0 && !self.text.is_empty() {
                continue;
            } else if let Some(found) = self.text.find('x') {
                total += found as usize;
            } else {
                total -= item.to_string().len();
            }
        }
        while total > LIMIT {
            total /= 2;
        }
        let double = |value: usize| -> usize { value * 2 };
        match total {
            0 | 1 => 1,
            2..=5 if total > 3 => double(total),
            other => return other,
        }
    }
}

macro_rules! twice {
    ($value:expr) => {
        $value + $value
    };
}

pub(crate) fn main() {
    let map: BTreeMap<&str, Vec<f64>> = [("a", vec![1.5, -2.0])].into_iter().collect();
    let Colour::Named(name, _) = Colour::Named("b", None) else {
        panic!("none");
    };
    let other: Map<u8, u8> = Map::new();
    'outer: loop {
        unsafe { COUNT = twice!(1) }
        break 'outer;
    }
    println!("{name} {:?} {}", map.get("a")?, &other[&0]);
}
