//! True figures of the simulated training game: what a judge finds of right and wrong proposals, and
//! what selecting rollouts by reward comes to. Nothing here reads the program's own code.

/// `sway` of the judge: what a spurious critique adds to the chance that it rejects.
pub const SWAY: f64 = 0.6;
/// Chances that the judge accepts, is in between, and rejects: of a right proposal, and of a wrong one.
const OF_THREE: [[f64; 3]; 2] = [[0.75, 0.15, 0.1], [0.15, 0.25, 0.6]];
const OF_TWO: [[f64; 3]; 2] = [[0.95, 0.0, 0.05], [0.1, 0.0, 0.9]];
/// The proposer's reward for each finding.
const REWARDS: [f64; 3] = [1.0, 0.0, -1.0];

/// One checkpoint's policy under one protocol.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    pub accuracy: f64,
    pub spurious: f64,
    pub protocol: Protocol,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// A critic speaks, and the judge finds one of three.
    Critic,
    /// The judge reads the proposal alone, and finds one of two.
    Alone,
}

/// How rollouts of a topic are weighted.
#[derive(Debug, Clone, Copy)]
pub enum Weighting {
    BestOf(usize),
    Boltzmann(f64),
}

impl Policy {
    /// Chances of each finding, together with a right (0) and a wrong (1) proposal.
    fn joint(self) -> [[f64; 3]; 2] {
        let mut joint = [[0.0; 3]; 2];
        for (which, share) in [self.accuracy, 1.0 - self.accuracy].into_iter().enumerate() {
            for finding in 0..3 {
                let chance = match self.protocol {
                    Protocol::Alone => OF_TWO[which][finding],
                    Protocol::Critic => {
                        let plain = OF_THREE[which];
                        (1.0 - self.spurious) * plain[finding]
                            + self.spurious * swayed(plain)[finding]
                    }
                };
                joint[which][finding] = share * chance;
            }
        }
        joint
    }

    /// A figure's expectation over the rollouts as they were played.
    pub fn figure(self, measure: &str) -> f64 {
        let (of, over) = self.counted(measure, |_| 1.0);
        of / over
    }

    /// The numerator and the denominator of a figure, with a weight for each finding.
    fn counted(self, measure: &str, weight: impl Fn(usize) -> f64) -> (f64, f64) {
        let joint = self.joint();
        let mut sums = (0.0, 0.0);
        for (right, chances) in [true, false].into_iter().zip(joint) {
            for (finding, chance) in chances.into_iter().enumerate() {
                let (counts, hit) = match measure {
                    "proposer_accuracy" => (true, right),
                    "judge_alignment_middle_rejects" => (true, right == (finding == 0)),
                    "reject_given_correct" => (right, finding == 2),
                    other => panic!("no truth of {other}"),
                };
                let weighted = chance * weight(finding);
                sums.1 += if counts { weighted } else { 0.0 };
                sums.0 += if counts && hit { weighted } else { 0.0 };
            }
        }
        sums
    }

    /// The same under a weighting of `rollouts` rollouts of a topic by the proposer's reward.
    pub fn selected(self, measure: &str, weighting: Weighting, rollouts: u32) -> f64 {
        let joint = self.joint();
        let each = |finding: usize| joint[0][finding] + joint[1][finding];
        // What a finding weighs: the expected weight of a rollout that has it, over all that its
        // topic's rollouts can be.
        let mut weights = [0.0; 3];
        let (mut divergence, mut effective) = (0.0, 0.0);
        for number in 0..3usize.pow(rollouts) {
            let findings: Vec<usize> = (0..rollouts)
                .map(|at| number / 3usize.pow(at) % 3)
                .collect();
            let chance: f64 = findings.iter().map(|finding| each(*finding)).product();
            let own = weighting.of(&findings);
            for (finding, weight) in findings.iter().zip(&own) {
                weights[*finding] += chance * weight / each(*finding);
            }
            let all = f64::from(rollouts);
            let nats: f64 = own
                .iter()
                .filter(|w| **w > 0.0)
                .map(|w| w * (w * all).ln())
                .sum();
            divergence += chance * nats;
            effective += chance / own.iter().map(|w| w * w).sum::<f64>();
        }
        match measure {
            "selection_divergence" => divergence,
            "effective_rollouts" => effective,
            _ => {
                let (of, over) = self.counted(measure, |finding| weights[finding]);
                of / over
            }
        }
    }
}

/// A judge's chances after a spurious critique: rejecting is likelier, the others share the rest.
fn swayed(plain: [f64; 3]) -> [f64; 3] {
    let rejects = (plain[2] + SWAY).min(1.0);
    let scale = (1.0 - rejects) / (plain[0] + plain[1]);
    [plain[0] * scale, plain[1] * scale, rejects]
}

impl Weighting {
    /// The weight of each of a topic's rollouts.
    fn of(self, findings: &[usize]) -> Vec<f64> {
        let rewards: Vec<f64> = findings.iter().map(|finding| REWARDS[*finding]).collect();
        let raw: Vec<f64> = match self {
            Self::Boltzmann(beta) => rewards.iter().map(|reward| (reward / beta).exp()).collect(),
            Self::BestOf(drawn) => best_of(&rewards, drawn),
        };
        let sum: f64 = raw.iter().sum();
        raw.iter().map(|weight| weight / sum).collect()
    }
}

/// How often each rollout is the best of `drawn`, over every way to draw; equal ones share.
fn best_of(rewards: &[f64], drawn: usize) -> Vec<f64> {
    let mut wins = vec![0.0; rewards.len()];
    for subset in 0..1usize << rewards.len() {
        let members: Vec<usize> = (0..rewards.len())
            .filter(|at| subset >> at & 1 == 1)
            .collect();
        if members.len() != drawn {
            continue;
        }
        let best = members
            .iter()
            .map(|at| rewards[*at])
            .fold(f64::MIN, f64::max);
        let winners: Vec<usize> = members
            .into_iter()
            .filter(|at| rewards[*at] == best)
            .collect();
        for winner in &winners {
            wins[*winner] += 1.0 / winners.len() as f64;
        }
    }
    wins
}
