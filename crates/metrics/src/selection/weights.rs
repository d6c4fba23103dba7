//! Weights of rollouts by their rewards.

/// How the rollouts of a topic are weighted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selection {
    /// The one with the largest reward of this many; ties share.
    BestOf(u32),
    /// exp(reward / β); β is above 0.
    Boltzmann(f64),
}

impl Selection {
    pub(super) fn label(self, seat: &str) -> String {
        match self {
            Self::BestOf(n) => format!("best of {n} by {seat}"),
            Self::Boltzmann(beta) => format!("exp(r / {beta}) by {seat}"),
        }
    }

    /// Returns how many rollouts a topic needs.
    pub(super) fn min_rollouts(self) -> usize {
        match self {
            Self::BestOf(n) => n as usize,
            Self::Boltzmann(_) => 2,
        }
    }

    /// Returns the weights of a topic's rollouts, which add up to 1; `None` where there are too few.
    pub(super) fn weigh_rollouts(self, rewards: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::BestOf(n) => best_of_weights(rewards, n as usize),
            Self::Boltzmann(beta) => (rewards.len() > 1).then(|| boltzmann_weights(rewards, beta)),
        }
    }
}

/// Returns the chance of each to be the largest of `n` that are drawn without replacement; those of one size
/// share theirs.
fn best_of_weights(rewards: &[f64], n: usize) -> Option<Vec<f64>> {
    let all = rewards.len();
    if n == 0 || all < n {
        return None;
    }
    // Chance that n draws are all among the k smallest.
    let within = |k: usize| -> f64 {
        (0..n)
            .map(|drawn| k.saturating_sub(drawn) as f64 / (all - drawn) as f64)
            .product()
    };
    let weights = rewards.iter().map(|reward| {
        let smaller = rewards.iter().filter(|other| *other < reward).count();
        let alike = rewards.iter().filter(|other| *other == reward).count();
        (within(smaller + alike) - within(smaller)) / alike as f64
    });
    Some(weights.collect())
}

fn boltzmann_weights(rewards: &[f64], beta: f64) -> Vec<f64> {
    // The largest exponent is 0: nothing overflows.
    let largest = rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let factors = rewards
        .iter()
        .map(|reward| ((reward - largest) / beta).exp());
    let factors: Vec<f64> = factors.collect();
    let total: f64 = factors.iter().sum();
    factors.into_iter().map(|weight| weight / total).collect()
}
