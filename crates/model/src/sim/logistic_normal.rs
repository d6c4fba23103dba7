//! Logistic-normal model: the intercept for a given mean rate. Pure.

/// Cut-off of the normal distribution, in standard deviations.
const REACH: f64 = 8.0;
/// Step of the sum, in standard deviations.
const STEP: f64 = 0.05;
/// The most steps of Newton's method, which needs about five.
const MAX_STEPS: usize = 40;
/// Precision of the intercept, in logits.
const NEAR: f64 = 1e-9;

/// Returns 1 / (1 + e⁻ˣ).
pub(super) fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Returns a probability shifted by some logits; one of 0 or 1 stays.
pub(super) fn shift_probability(probability: f64, logits: f64) -> f64 {
    if logits == 0.0 || probability <= 0.0 || probability >= 1.0 {
        return probability;
    }
    logistic((probability / (1.0 - probability)).ln() + logits)
}

/// Solves E\[logistic(a + `spread`·z)\] = `rate` for a, where z is standard normal.
///
/// `rate` is between 0 and 1, without either. The integral is a sum over equal steps, which for a
/// smooth function under the normal density is exact but for rounding; the first guess is that of
/// Zeger, Liang and Albert 1988.
pub(super) fn solve_intercept(rate: f64, spread: f64) -> f64 {
    let logit = (rate / (1.0 - rate)).ln();
    if spread == 0.0 {
        return logit;
    }
    let c = 16.0 * 3.0_f64.sqrt() / (15.0 * std::f64::consts::PI);
    let mut at = logit * (1.0 + (c * spread).powi(2)).sqrt();
    for _ in 0..MAX_STEPS {
        let (mean, slope) = mean_and_slope(at, spread);
        let step = (mean - rate) / slope;
        if !step.is_finite() {
            break;
        }
        at -= step.clamp(-1.0 - spread, 1.0 + spread);
        if step.abs() < NEAR {
            break;
        }
    }
    at
}

/// Returns the mean rate at an intercept, and its derivative by the intercept.
fn mean_and_slope(intercept: f64, spread: f64) -> (f64, f64) {
    let points = (REACH / STEP) as i32;
    let (mut weights, mut mean, mut slope) = (0.0, 0.0, 0.0);
    for at in -points..=points {
        let z = f64::from(at) * STEP;
        let weight = (-z * z / 2.0).exp();
        let p = logistic(intercept + spread * z);
        weights += weight;
        mean += weight * p;
        slope += weight * p * (1.0 - p);
    }
    (mean / weights, slope / weights)
}

#[cfg(test)]
mod tests {
    use super::{logistic, mean_and_slope, solve_intercept};

    #[test]
    fn the_mean_over_the_normal_distribution_is_the_rate() {
        for rate in [0.001, 0.05, 0.2, 0.35, 0.5, 0.9, 0.999] {
            for spread in [0.0, 0.3, 1.0, 2.0, 5.0, 10.0] {
                let (mean, _) = mean_and_slope(solve_intercept(rate, spread), spread);
                assert!((mean - rate).abs() < 1e-8, "{rate} {spread}: {mean}");
            }
            assert!((logistic(solve_intercept(rate, 0.0)) - rate).abs() < 1e-12);
        }
    }
}
