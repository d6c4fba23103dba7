//! Damage drawn from a seed.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
pub use serde_json::Value as DamagedJson;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What readers of numbers, names, times and brackets may trip over.
const PIECES: [&str; 28] = [
    "0",
    "-1",
    "1e308",
    "1e-400",
    "18446744073709551615",
    "9223372036854775808",
    "NaN",
    "inf",
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "{{",
    "}}",
    "{% for a in range(9) %}",
    "{% endfor %}",
    "===",
    "+++",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "\u{E000}1:0\u{E001}",
    "\\",
    "\"",
    "\r",
    "\u{1b}[",
];

/// The draws of one case.
pub struct Damage {
    random: ChaCha8Rng,
}

impl Damage {
    pub fn of_case(case: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(case),
        }
    }

    /// Draws a number; both bounds are included.
    pub fn number(&mut self, least: usize, most: usize) -> usize {
        self.random.random_range(least..=most)
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.number(0, from.len() - 1)]
    }

    /// Damages bytes in one to four places.
    pub fn bytes(&mut self, original: &[u8]) -> Vec<u8> {
        let mut bytes = original.to_vec();
        for _ in 0..self.number(1, 4) {
            let from = self.number(0, bytes.len());
            let to = self.number(from, bytes.len().min(from + 40));
            match self.number(0, 4) {
                0 => drop(bytes.drain(from..to)),
                1 => {
                    let piece = self.pick(&PIECES).bytes();
                    drop(bytes.splice(from..from, piece));
                }
                2 => {
                    let again = bytes[from..to].repeat(3);
                    drop(bytes.splice(from..from, again));
                }
                3 => {
                    let piece = self.pick(&PIECES).bytes();
                    drop(bytes.splice(from..to, piece));
                }
                _ => {
                    let byte = self.number(0, 255) as u8;
                    drop(bytes.splice(from..(from + 1).min(bytes.len()), [byte]));
                }
            }
        }
        bytes
    }

    /// Damages one value somewhere in a document.
    pub fn json(&mut self, original: &Value) -> Value {
        let mut damaged = original.clone();
        let mut value = &mut damaged;
        loop {
            // As deep as there is something below, and sometimes less.
            let stays = self.number(0, 9) == 0;
            let below = match value {
                Value::Array(items) => items.len(),
                Value::Object(fields) => fields.len(),
                _ => 0,
            };
            if stays || below == 0 {
                *value = self.value(value);
                return damaged;
            }
            let at = self.number(0, below - 1);
            value = match value {
                Value::Array(items) => &mut items[at],
                Value::Object(fields) => fields.values_mut().nth(at).unwrap(),
                _ => unreachable!("nothing is below"),
            };
        }
    }

    fn value(&mut self, before: &Value) -> Value {
        let of_its_kind = self.number(0, 2) > 0;
        match before {
            Value::Number(_) if of_its_kind => self
                .pick(&[
                    json!(0),
                    json!(-1),
                    json!(u64::MAX),
                    json!(i64::MIN),
                    json!(1e308),
                    json!(0.5),
                ])
                .clone(),
            Value::String(text) if of_its_kind => {
                let bytes = self.bytes(text.as_bytes());
                json!(String::from_utf8_lossy(&bytes))
            }
            _ => self
                .pick(&[
                    Value::Null,
                    json!(true),
                    json!(""),
                    json!([]),
                    json!({}),
                    json!(u64::MAX),
                    json!("-009999-01-01T00:00:00Z"),
                    json!("9999-12-30T22:00:00Z"),
                ])
                .clone(),
        }
    }
}

/// Draws damage, so many times where the environment says nothing else.
pub fn cases(usual: u64) -> impl Iterator<Item = Damage> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let cases = number("ELENCHUS_FUZZ_CASES").unwrap_or(usual);
    let seconds = number("ELENCHUS_FUZZ_SECONDS").map(Duration::from_secs);
    let began = Instant::now();
    (0..)
        .take_while(move |case| match seconds {
            Some(seconds) if began.elapsed() < seconds => true,
            Some(_) => {
                eprintln!("{case} cases");
                false
            }
            None => *case < cases,
        })
        .map(Damage::of_case)
}
