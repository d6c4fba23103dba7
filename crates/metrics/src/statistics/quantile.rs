//! Quantiles at any level, for intervals that are adjusted for a family of comparisons.

use super::interval::{Z, student_quantile};

/// Probability on each side of an interval at 95 %.
pub(crate) const TAIL: f64 = 0.025;

/// Steps of a bisection: more than a float holds.
const STEPS: u32 = 80;

/// Returns the normal distribution's quantile with this probability above it.
pub(super) fn normal_above(tail: f64) -> f64 {
    if tail == TAIL {
        return Z;
    }
    bisect(tail, 40.0, |x| {
        // Φ(x) = ½ + φ(x) (x + x³/3 + x⁵/(3·5) + …); far out nothing is left above.
        if x > 8.0 {
            return 0.0;
        }
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > 1e-18 * sum {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        (0.5 - density * sum).max(0.0)
    })
}

/// Returns Student's quantile with this probability above it.
pub(super) fn student_above(freedom: usize, tail: f64) -> f64 {
    if tail == TAIL {
        return student_quantile(freedom);
    }
    let freedom = u32::try_from(freedom.max(1)).unwrap_or(u32::MAX);
    bisect(tail, 1e6, |t| 0.5 * (1.0 - student_within(freedom, t)))
}

/// The probability of Student's t within ±t (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn student_within(freedom: u32, t: f64) -> f64 {
    let angle = (t / f64::from(freedom).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = freedom % 2 == 1;
    let first = if is_odd { cosine } else { 1.0 };
    let (mut term, mut sum) = (first, 0.0);
    let mut at = if is_odd { 1 } else { 0 };
    while at + 2 <= freedom {
        sum += term;
        at += 2;
        term *= cosine * cosine * f64::from(at - 1) / f64::from(at);
    }
    match is_odd {
        true => 2.0 / std::f64::consts::PI * (angle + sine * sum),
        false => sine * sum,
    }
}

/// Returns where a probability that falls from ½ at 0 reaches this value.
fn bisect(tail: f64, most: f64, above: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        match above(middle) > tail {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_published_tables() {
        // R: qnorm(.995), qnorm(.9995); qt(.995, 1), qt(.995, 2), qt(.995, 7), qt(.9975, 10), qt(.9995, 30).
        for (found, known) in [
            (normal_above(0.005), 2.575_829_303_548_901),
            (normal_above(0.0005), 3.290_526_731_491_90),
            (student_above(1, 0.005), 63.656_741_162_871_58),
            (student_above(2, 0.005), 9.924_843_200_918_29),
            (student_above(7, 0.005), 3.499_483_297_350_49),
            (student_above(10, 0.0025), 3.581_406_201_5),
            (student_above(30, 0.0005), 3.645_958_635),
        ] {
            assert!((found - known).abs() < 1e-8, "{found} is not {known}");
        }
        assert_eq!(normal_above(TAIL), Z);
        assert!((student_above(12, TAIL + 1e-12) - student_quantile(12)).abs() < 1e-3);
    }
}
