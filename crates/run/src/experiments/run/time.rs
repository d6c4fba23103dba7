//! Time that debates are likely to take: medians of earlier replies of the same models, along the critical path
//! of a dry run. Sends nothing.

use crate::engine::cost::{DebateDuration, debate_duration};
use crate::engine::seats::{Seats, seat_of_person};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::{Chair, SeatId};
use elenchus_records::library::Game;
use elenchus_records::workspace::EarlierLatencies;
use elenchus_records::workspace::run::{Manifest, RunItem};
use std::collections::{BTreeMap, BTreeSet};

/// Time that debates are likely to take.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedTime {
    About {
        seconds: f64,
        /// Earlier replies that it rests on, by model.
        replies: BTreeMap<String, usize>,
    },
    Unknown(UnknownTime),
}

/// Reason why no time can be expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownTime {
    #[error("no earlier reply of {}", .0.iter().cloned().collect::<Vec<_>>().join(", "))]
    NoReply(BTreeSet<String>),
    #[error("a person sits on seat '{0}'")]
    Person(SeatId),
    #[error("the game is too large to be walked")]
    TooLarge,
}

impl ExpectedTime {
    /// The time of no debate.
    pub fn nothing() -> Self {
        Self::About {
            seconds: 0.0,
            replies: BTreeMap::new(),
        }
    }

    /// Returns the time of the same several times over.
    #[must_use]
    pub fn times(self, count: usize) -> Self {
        match self {
            Self::About { seconds, replies } => Self::About {
                seconds: seconds * count as f64,
                replies,
            },
            Self::Unknown(why) => Self::Unknown(why),
        }
    }

    /// Returns the time of both, one after the other.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        match (self, next) {
            (
                Self::About { seconds, replies },
                Self::About {
                    seconds: more,
                    replies: others,
                },
            ) => Self::About {
                seconds: seconds + more,
                replies: replies.into_iter().chain(others).collect(),
            },
            (
                Self::Unknown(UnknownTime::NoReply(models)),
                Self::Unknown(UnknownTime::NoReply(others)),
            ) => Self::Unknown(UnknownTime::NoReply(
                models.into_iter().chain(others).collect(),
            )),
            (Self::Unknown(why), _) | (_, Self::Unknown(why)) => Self::Unknown(why),
        }
    }
}

/// Conditions under which debates of one game are played.
#[derive(Clone, Copy)]
pub struct Pace<'a> {
    pub game: &'a Game,
    pub seats: &'a Seats,
    pub earlier: &'a EarlierLatencies,
    /// Debates that are played side by side.
    pub at_once: usize,
}

/// Duration of a debate, and the model and provider of each of its chairs.
struct TimedDebate {
    duration: DebateDuration,
    latencies: BTreeMap<Chair, u64>,
    providers: BTreeMap<Chair, String>,
}

impl Pace<'_> {
    /// Returns how long the debates of a run take together.
    ///
    /// Batches follow one another. The debates of a batch share the places that there are; what a
    /// provider takes at once is a second limit.
    pub fn estimate_run_time(&self, manifest: &Manifest, items: &[RunItem]) -> ExpectedTime {
        let debates = items.iter().map(|item| {
            let created = || manifest.build_first_event(item);
            (item.batch, (item.cast, item.teaches), created)
        });
        self.estimate_time(debates)
    }

    /// Returns how long one debate takes.
    pub fn estimate_debate_time(&self, created: &Created) -> ExpectedTime {
        self.estimate_time(std::iter::once((None, (0, true), || created.clone())))
    }

    fn estimate_time(
        &self,
        debates: impl Iterator<Item = (Option<u32>, (u32, bool), impl FnOnce() -> Created)>,
    ) -> ExpectedTime {
        // Debates of one cast that all teach, or none, differ in their topics, whose length says little about time.
        let mut timed_kinds: BTreeMap<(u32, bool), TimedDebate> = BTreeMap::new();
        let mut replies = BTreeMap::new();
        let mut batches: BTreeMap<Option<u32>, Vec<f64>> = BTreeMap::new();
        let mut busy_ms: BTreeMap<String, f64> = BTreeMap::new();
        for (batch, kind, created) in debates {
            let debate = match timed_kinds.entry(kind) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(free) => {
                    match self.time_debate(&created(), &mut replies) {
                        Ok(timed) => free.insert(timed),
                        Err(why) => return ExpectedTime::Unknown(why),
                    }
                }
            };
            let paths = batches.entry(batch).or_default();
            paths.push(debate.duration.critical_path_ms);
            for (chair, calls) in &debate.duration.calls {
                let (Some(latency), Some(provider)) =
                    (debate.latencies.get(chair), debate.providers.get(chair))
                else {
                    continue;
                };
                let busy = busy_ms.entry(provider.clone()).or_default();
                *busy += calls * *latency as f64;
            }
        }
        let debates_ms: f64 = batches
            .values()
            .map(|paths| self.estimate_batch_ms(paths))
            .sum();
        let providers_ms = busy_ms.iter().filter_map(|(provider, busy)| {
            let settings = self.seats.model_table().providers.get(provider)?;
            Some(busy / f64::from(settings.in_flight.max(1)))
        });
        ExpectedTime::About {
            seconds: providers_ms.fold(debates_ms, f64::max) / 1000.0,
            replies,
        }
    }

    fn estimate_batch_ms(&self, paths: &[f64]) -> f64 {
        let places = self.at_once.clamp(1, paths.len().max(1));
        let longest = paths.iter().copied().fold(0.0, f64::max);
        longest.max(paths.iter().sum::<f64>() / places as f64)
    }

    fn time_debate(
        &self,
        created: &Created,
        replies: &mut BTreeMap<String, usize>,
    ) -> Result<TimedDebate, UnknownTime> {
        if let Some(seat) = seat_of_person(&created.cast) {
            return Err(UnknownTime::Person(seat.clone()));
        }
        let mut unknown_models = BTreeSet::new();
        let (mut latencies, mut providers) = (BTreeMap::new(), BTreeMap::new());
        for participant in &created.cast {
            let Some(player) = participant.player.as_model() else {
                continue;
            };
            match self.earlier.median_ms(&player.model) {
                Some(median) => {
                    replies.insert(
                        player.model.clone(),
                        self.earlier.count_replies(&player.model),
                    );
                    latencies.insert(participant.chair.clone(), median);
                    providers.insert(participant.chair.clone(), player.provider.clone());
                }
                None => {
                    unknown_models.insert(player.model.clone());
                }
            }
        }
        if !unknown_models.is_empty() {
            return Err(UnknownTime::NoReply(unknown_models));
        }
        let duration = debate_duration(created, self.game, &latencies);
        Ok(TimedDebate {
            duration: duration.ok_or(UnknownTime::TooLarge)?,
            latencies,
            providers,
        })
    }
}
