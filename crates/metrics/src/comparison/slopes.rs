//! Slopes of one measure over ordered groups: of topics, and of learning runs where there are enough of them.

use std::collections::BTreeMap;

use super::difference::empty_figure;
use super::groups::{ComparisonSettings, GroupValues, MeasureId};
use crate::report::figure::{Compared, ComparisonTest, Figure, IntervalSubject, Measure};
use crate::report::groups::Group;
use crate::report::learning::{LearningRuns, NO_VALUE_OF_RUN};
use crate::sections::counting::DebatePool;
use crate::statistics::combined_interval::widen_interval;
use crate::statistics::interval::{Interval, Resampling, TopicSums, mean_interval_at};
use crate::statistics::paired_tests::{PairedTest, sign_flip_p_value};
use crate::statistics::quantile::TAIL;
use crate::statistics::run_level::RunValues;
use crate::statistics::sums::compute_mean;

/// Values of the groups of a trend, in their order.
pub(super) struct Course {
    pub(super) groups: Vec<GroupValues>,
    runs: RunCourses,
}

/// What the groups of a trend speak of.
enum RunCourses {
    /// Nothing learns.
    None,
    /// Too few learning runs for the method.
    OfThisMemory,
    /// Values of each learning run in each group.
    OfMethod(Vec<Vec<GroupValues>>),
}

impl Course {
    pub(super) fn from_groups(groups: &[&Group<'_>], settings: &ComparisonSettings) -> Self {
        let learning: Vec<&LearningRuns<'_>> = groups.iter().map(|group| &group.learning).collect();
        let all = LearningRuns::merge(&learning);
        let runs = match (all.is_learning(), all.speak_of_method()) {
            (false, _) => RunCourses::None,
            (true, false) => RunCourses::OfThisMemory,
            (true, true) => {
                let of_group = |(group, debates): (&&Group<'_>, Vec<_>)| {
                    let pool = DebatePool {
                        debates,
                        ..group.pool.clone()
                    };
                    GroupValues::new(&pool, settings)
                };
                let of_run =
                    |by_group: Vec<Vec<_>>| groups.iter().zip(by_group).map(of_group).collect();
                let runs = LearningRuns::split_by_run(&learning).into_iter();
                RunCourses::OfMethod(runs.map(of_run).collect())
            }
        };
        let values = groups.iter();
        Self {
            groups: values
                .map(|group| GroupValues::new(&group.pool, settings))
                .collect(),
            runs,
        }
    }

    /// Returns the slopes of a measure.
    pub(super) fn compute_slopes(&self, id: &MeasureId) -> Slopes {
        let runs = match &self.runs {
            RunCourses::None => RunSlopes::None,
            RunCourses::OfThisMemory => RunSlopes::OfThisMemory,
            RunCourses::OfMethod(runs) => {
                let means = runs.iter().map(|values| {
                    let slopes = TopicSlopes::from_groups(values, id).slopes;
                    (!slopes.is_empty()).then(|| compute_mean(&slopes))
                });
                RunSlopes::OfMethod(means.collect())
            }
        };
        Slopes {
            topics: TopicSlopes::from_groups(&self.groups, id),
            runs,
        }
    }
}

/// Slopes of a measure.
pub(super) struct Slopes {
    topics: TopicSlopes,
    runs: RunSlopes,
}

/// Mean slope of each learning run.
enum RunSlopes {
    None,
    OfThisMemory,
    /// `None` where a run has no slope.
    OfMethod(Option<Vec<f64>>),
}

/// Slopes of topics, and their values at both ends: sum and number of the first, and of the last.
#[derive(Default)]
struct TopicSlopes {
    slopes: Vec<f64>,
    ends: [f64; 2],
}

impl TopicSlopes {
    fn from_groups(groups: &[GroupValues], id: &MeasureId) -> Self {
        let mut courses: BTreeMap<&str, TopicCourse> = BTreeMap::new();
        for (position, values) in (1..).zip(groups) {
            for (topic, value) in values.values_of(id).into_iter().flatten() {
                let course = courses.entry(topic).or_default();
                course.push((f64::from(position), value.value));
            }
        }
        let mut topic_slopes = Self::default();
        for course in courses.values() {
            let (Some(slope), [first, .., last]) = (least_squares_slope(course), &course[..])
            else {
                continue;
            };
            topic_slopes.slopes.push(slope);
            for (end, (_, value)) in topic_slopes.ends.iter_mut().zip([first, last]) {
                *end += value;
            }
        }
        topic_slopes
    }
}

/// Position, from 1, and value of a topic in each group that has one.
type TopicCourse = Vec<(f64, f64)>;

impl Slopes {
    /// Returns the interval of the mean slope with this probability on each side.
    pub(super) fn interval(&self, plan: Resampling, tail: f64) -> Option<Interval> {
        let mut sums = TopicSums::new(2);
        for slope in &self.topics.slopes {
            sums.push(&[*slope, 1.0]);
        }
        let topics = mean_interval_at(&sums, plan, tail);
        match &self.runs {
            RunSlopes::None | RunSlopes::OfThisMemory => topics,
            RunSlopes::OfMethod(None) => None,
            RunSlopes::OfMethod(Some(runs)) => {
                let half = RunValues::from_values(runs).half_width(tail)?;
                Some(widen_interval(
                    compute_mean(&self.topics.slopes),
                    topics?,
                    half,
                ))
            }
        }
    }

    fn compute_test(&self, plan: Resampling) -> Option<ComparisonTest> {
        let (test, slopes) = match &self.runs {
            RunSlopes::None | RunSlopes::OfThisMemory => {
                (PairedTest::SignFlip, &self.topics.slopes)
            }
            RunSlopes::OfMethod(runs) => (PairedTest::RunSignFlip, runs.as_ref()?),
        };
        let p = sign_flip_p_value(slopes, plan);
        Some(ComparisonTest {
            test,
            p_value: p.value,
            p_is_bound: p.is_bound,
            p_holm: p.value,
            family: 1,
        })
    }

    /// Returns the figure of the mean slope, not adjusted.
    pub(super) fn slope_figure(&self, measure: Measure, plan: Resampling) -> Figure {
        let mut figure = empty_figure(measure);
        let TopicSlopes { slopes, ends } = &self.topics;
        figure.topics = slopes.len();
        figure.observations = slopes.len();
        if slopes.is_empty() {
            return figure.mark_not_applicable("no topic has a value in two groups");
        }
        let interval = self.interval(plan, TAIL);
        let subject = match &self.runs {
            RunSlopes::None => None,
            RunSlopes::OfThisMemory => Some(IntervalSubject::ThisMemory),
            RunSlopes::OfMethod(_) => Some(IntervalSubject::LearningRuns),
        };
        if matches!(self.runs, RunSlopes::OfMethod(None)) {
            figure.value = Some(compute_mean(slopes));
            figure.notes.push(NO_VALUE_OF_RUN.to_owned());
        } else {
            figure.set_value(compute_mean(slopes), interval);
        }
        figure.interval_of = subject.filter(|_| figure.interval.is_some());
        let n = slopes.len() as f64;
        figure.compared = Some(Compared {
            of: ends[1] / n,
            from: ends[0] / n,
            test: self.compute_test(plan),
        });
        figure
    }
}

/// Returns the least-squares slope; `None` with fewer than two positions.
fn least_squares_slope(course: &[(f64, f64)]) -> Option<f64> {
    let n = course.len() as f64;
    let mean_x = course.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = course.iter().map(|(_, y)| y).sum::<f64>() / n;
    let spread: f64 = course.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let together: f64 = course
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    (course.len() > 1 && spread > 0.0).then(|| together / spread)
}
