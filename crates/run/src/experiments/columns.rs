//! Columns of a list of experiments: which there are by name, and what each says of one. Pure.

use super::kinds::{Activity, ListedExperiment};
use elenchus_metrics::{Figure, Measure, format_value};
use elenchus_records::workspace::{WorkspaceError, to_the_minute};
use elenchus_text::{Role, cost};
use serde::Deserialize;
use std::str::FromStr;

/// Bytes of the year before a time, as RFC 3339 writes it.
const YEAR: usize = 5;

/// Column of a list of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum ExperimentColumn {
    Began,
    Kind,
    Done,
    State,
    /// The game's headline figure so far.
    Rate,
    Arm,
    Models,
    Memory,
    Cost,
    Failures,
    About,
    /// Any figure that a report has.
    Figure(Measure),
}

use ExperimentColumn::{
    About, Arm, Began, Cost, Done, Failures, Kind, Memory, Models, Rate, State,
};

impl ExperimentColumn {
    /// The columns in the order in which they stand, except those of one's own figures.
    pub const ALL: [Self; 11] = [
        Began, Kind, Done, State, Rate, Arm, Models, Memory, Cost, Failures, About,
    ];
    /// Those without which a list says too little.
    pub const LEAST: [Self; 6] = [Began, Kind, Done, State, Rate, About];
    /// The others, in the order in which a wider list takes them in.
    pub const MORE: [Self; 5] = [Cost, Failures, Memory, Models, Arm];

    /// Returns the name in a configuration, which is the heading.
    pub fn name(self) -> &'static str {
        match self {
            Began => "began",
            Kind => "kind",
            Done => "done",
            Rate => "rate",
            State => "state",
            Arm => "arm",
            Models => "models",
            Memory => "memory",
            Cost => "cost",
            Failures => "failures",
            About => "about",
            Self::Figure(measure) => measure.name(),
        }
    }

    /// Returns the figure that it shows beside the headline.
    pub fn measure(self) -> Option<Measure> {
        match self {
            Self::Figure(measure) => Some(measure),
            Began | Kind | Done | State | Rate | Arm | Models | Memory | Cost | Failures
            | About => None,
        }
    }

    /// Says whether its texts are numbers.
    pub fn is_number(self) -> bool {
        match self {
            Rate | Cost | Failures | Self::Figure(_) => true,
            Began | Kind | Done | State | Arm | Models | Memory | About => false,
        }
    }

    /// Returns what stands in the column; `figures` are what the experiment has come to, where that is known.
    pub fn format_cell(
        self,
        one: &ListedExperiment,
        figures: Option<&ListedFigures>,
    ) -> (Role, String) {
        let summary = &one.summary;
        let setup = |text: fn(&elenchus_records::workspace::ExperimentSetup) -> String| {
            let text = summary.setup.as_ref().map_or_else(String::new, text);
            (Role::Text, text)
        };
        match self {
            Began => {
                let began = to_the_minute(&summary.begun_at);
                let text = began.get(YEAR..).unwrap_or_default();
                (Role::Muted, text.to_owned())
            }
            Kind => (Role::Text, summary.kind.to_owned()),
            Done => match summary.items.failed {
                0 => (Role::Text, summary.items.to_string()),
                _ => (Role::Error, summary.items.to_string()),
            },
            Rate => {
                let text = figures.map_or_else(String::new, ListedFigures::format_headline);
                (Role::Text, text)
            }
            State => {
                let role = match one.activity() {
                    Activity::Completed => Role::Muted,
                    Activity::Paused(_) | Activity::BrokenOff | Activity::EndedWithFailures => {
                        Role::Warning
                    }
                    Activity::GoesOn | Activity::GoesOnAt(_) => Role::Streaming,
                };
                (role, one.activity_word().to_owned())
            }
            Arm => setup(|setup| setup.arm.clone()),
            Models => setup(|setup| setup.models.join(",")),
            Memory => setup(|setup| setup.memory.clone()),
            Cost => (Role::Muted, cost::format_cost(summary.committed_usd)),
            Failures => match summary.items.failed {
                0 => (Role::Muted, "0".to_owned()),
                failed => (Role::Error, failed.to_string()),
            },
            About => (Role::Text, summary.about.clone()),
            Self::Figure(measure) => {
                let mut all = figures.iter().flat_map(|figures| &figures.figures);
                let figure = all.find(|figure| figure.measure == measure);
                let text = match (figure, figures) {
                    (Some(figure), _) => format_figure(figure),
                    (None, Some(_)) => MISSING_FIGURE.to_owned(),
                    (None, None) => String::new(),
                };
                (Role::Text, text)
            }
        }
    }
}

/// What stands in the place of a value that there is not.
pub const MISSING_FIGURE: &str = "n/a";

fn format_figure(figure: &Figure) -> String {
    let value = figure.value;
    value.map_or_else(
        || MISSING_FIGURE.to_owned(),
        |value| format_value(value, figure.unit),
    )
}

impl FromStr for ExperimentColumn {
    type Err = WorkspaceError;

    fn from_str(name: &str) -> Result<Self, WorkspaceError> {
        let mut all = Self::ALL.into_iter();
        let column = all.find(|column| column.name() == name);
        let figure = || Measure::from_name(name).map(Self::Figure);
        column.or_else(figure).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            WorkspaceError::invalid(format!(
                "'{name}' is no column of experiments; there are {names}, and every figure by the name that \
                 'metrics --json' gives it, as agreement_rate"
            ))
        })
    }
}

impl TryFrom<String> for ExperimentColumn {
    type Error = WorkspaceError;

    fn try_from(name: String) -> Result<Self, WorkspaceError> {
        name.trim().parse()
    }
}

/// What an experiment has come to so far, without intervals: while it goes on a plain one would be too short.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListedFigures {
    /// The first of its game's main figures that has a value.
    pub headline: Option<Figure>,
    /// Figures that were asked for, over all of its debates.
    pub figures: Vec<Figure>,
}

impl ListedFigures {
    fn format_headline(&self) -> String {
        let headline = self.headline.as_ref();
        headline.map_or_else(|| MISSING_FIGURE.to_owned(), format_figure)
    }

    /// Says in a few words what the headline is and what it is over, or why there is none.
    pub fn describe_headline(&self, one: &ListedExperiment) -> String {
        let Some(figure) = &self.headline else {
            return format!(
                "main figure {MISSING_FIGURE}: nothing in its debates has been judged or graded yet"
            );
        };
        let so_far = match one.activity() {
            Activity::Completed | Activity::EndedWithFailures => "",
            Activity::GoesOn
            | Activity::GoesOnAt(_)
            | Activity::BrokenOff
            | Activity::Paused(_) => " so far",
        };
        format!(
            "{} {}{so_far}, {} {} of {}",
            figure.title.as_deref().unwrap_or(figure.measure.label()),
            format_figure(figure),
            figure.observations,
            figure.measure.counted(),
            match figure.topics {
                1 => "1 topic".to_owned(),
                topics => format!("{topics} topics"),
            }
        )
    }
}
