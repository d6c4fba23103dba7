//! Deterministic random draws, keyed by their purpose: no state, no clock. Pure.

use sha2::{Digest, Sha256};

use super::truth::Candidate;
use crate::call::Request;

/// A source of draws for named purposes, all fixed by one key.
#[derive(Debug, Clone)]
pub(super) struct SeededDraws {
    key: [u8; 32],
}

impl SeededDraws {
    /// Keys draws by parts; the boundaries of the parts matter.
    pub(super) fn from_parts(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        Self {
            key: hash.finalize().into(),
        }
    }

    /// Keys draws by the place of a request in its debate, and not by its messages: arms that
    /// differ in what is shown share their luck.
    pub(super) fn from_place(request: &Request) -> Self {
        let context = &request.context;
        let numbers = [
            context.seed,
            u64::from(context.round),
            u64::from(context.index),
            u64::from(context.attempt),
            u64::from(request.sample),
            u64::from(context.private),
        ];
        let numbers = numbers.map(|number| number.to_string()).join(" ");
        let role = format!("{:?}", context.role);
        Self::from_parts(&[
            &numbers,
            &context.topic,
            &context.stage,
            &context.seat,
            &role,
        ])
    }

    /// Keys draws by place and by all messages: one evaluator seat judges many attempts of a round,
    /// and its errors on them are independent.
    pub fn from_request(request: &Request) -> Self {
        let place = Self::from_place(request);
        let mut hash = Sha256::new();
        hash.update(place.key);
        for message in &request.messages {
            hash.update((message.content.len() as u64).to_be_bytes());
            hash.update(message.content.as_bytes());
        }
        Self {
            key: hash.finalize().into(),
        }
    }

    /// Keys draws by judge and by two candidates, in either order and in any repair attempt.
    pub(super) fn from_pair(request: &Request, pair: &[Candidate; 2]) -> Self {
        let context = &request.context;
        let mut pair = pair.each_ref().map(|candidate| format!("{candidate:?}"));
        pair.sort_unstable();
        let [one, other] = &pair;
        let numbers = [
            context.seed,
            u64::from(context.index),
            u64::from(request.sample),
        ];
        let numbers = numbers.map(|number| number.to_string()).join(" ");
        // The stage's name differs with the order, so it is not part of the key.
        Self::from_parts(&["pair", &numbers, &context.topic, &context.seat, one, other])
    }

    /// Draws uniformly from [0, 1).
    pub(super) fn draw_uniform(&self, purpose: &str) -> f64 {
        const BITS: u32 = f64::MANTISSA_DIGITS;
        (self.draw_bits(purpose) >> (u64::BITS - BITS)) as f64 / (1u64 << BITS) as f64
    }

    /// Draws true with a probability.
    pub fn draw_bool(&self, purpose: &str, probability: f64) -> bool {
        self.draw_uniform(purpose) < probability
    }

    /// Draws from the standard normal distribution (Box and Muller 1958).
    pub fn draw_normal(&self, purpose: &str) -> f64 {
        // 1 − u is in (0, 1], where the logarithm is finite.
        let radius = (-2.0 * (1.0 - self.draw_uniform(&format!("{purpose} radius"))).ln()).sqrt();
        let angle = std::f64::consts::TAU * self.draw_uniform(&format!("{purpose} angle"));
        radius * angle.cos()
    }

    /// Draws one item of a list; the empty string from an empty list.
    pub fn draw_item<'a>(&self, purpose: &str, from: &[&'a str]) -> &'a str {
        let at = self.draw_below(purpose, from.len() as u64);
        from.get(at as usize).copied().unwrap_or_default()
    }

    /// Draws from 0 to `bound` − 1; 0 if `bound` is 0.
    pub fn draw_below(&self, purpose: &str, bound: u64) -> u64 {
        // The bias of a remainder of 64 bits by a small bound is below 2⁻⁵⁰.
        self.draw_bits(purpose).checked_rem(bound).unwrap_or(0)
    }

    fn draw_bits(&self, purpose: &str) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.key);
        hash.update(purpose.as_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}
