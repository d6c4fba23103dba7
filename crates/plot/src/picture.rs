//! What a picture shows, whatever it is drawn on. Pure.

use elenchus_metrics::{Figure, Unit};

/// A picture of figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub title: String,
    pub unit: Unit,
    /// All of it was played by simulated models.
    pub simulated: bool,
    /// What stands below it: what its intervals mean, and what was left out.
    pub notes: Vec<String>,
    pub content: PictureContent,
}

/// Kind of a picture, with what it shows.
#[derive(Debug, Clone, PartialEq)]
pub enum PictureContent {
    /// Bars with intervals, in groups that share an axis.
    Bars(Vec<BarGroup>),
    /// Curves with bands over what has an order.
    Curves(CurveChart),
    HeatMap(HeatMap),
    /// Scores against what was found, in bins of scores.
    Reliability(Vec<ReliabilityBar>),
    /// Differences from one of several, around zero.
    Forest(Forest),
}

/// Differences with their intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// Says what they are less.
    pub heading: String,
    pub rows: Vec<ForestRow>,
}

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestRow {
    pub label: String,
    /// `None` where there is no value; the reason is the note.
    pub value: Option<PlottedValue>,
    /// As a table shows it.
    pub p_value: Option<String>,
    pub note: Option<String>,
}

/// Bars under one heading.
#[derive(Debug, Clone, PartialEq)]
pub struct BarGroup {
    pub title: String,
    pub rows: Vec<BarRow>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    pub label: String,
    pub fill: BarFill,
    /// `None` where there is no value; the reason is the note.
    pub value: Option<PlottedValue>,
    /// Why there is no value.
    pub note: Option<String>,
}

/// How a bar looks, so that two kinds of values are told apart without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BarFill {
    /// What was measured.
    #[default]
    Solid,
    /// What follows from it: an outline, and a dashed interval.
    Hollow,
}

/// A value with its interval and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlottedValue {
    pub value: f64,
    /// Lower and upper limit.
    pub interval: Option<[f64; 2]>,
    pub observations: usize,
    pub topics: usize,
}

impl PlottedValue {
    /// Returns the value of a figure; `None` where it has none.
    pub fn from_figure(figure: &Figure) -> Option<Self> {
        let interval = figure.interval;
        Some(Self {
            value: figure.value?,
            interval: interval.map(|interval| [interval.low, interval.high]),
            observations: figure.observations,
            topics: figure.topics,
        })
    }

    /// Returns the smallest and the largest number that is drawn of it.
    pub(crate) fn range(&self) -> [f64; 2] {
        match self.interval {
            Some([low, high]) => [low.min(self.value), high.max(self.value)],
            None => [self.value; 2],
        }
    }
}

/// Curves over the same points.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveChart {
    /// What the points are, for instance *round*.
    pub x_title: String,
    /// Names of the points, in their order.
    pub x_labels: Vec<String>,
    pub curves: Vec<Curve>,
}

/// One curve: a value for each point, where there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub name: String,
    pub points: Vec<Option<PlottedValue>>,
    /// The learning runs that it is the mean of, drawn thin; empty where it is of none, or of one.
    pub runs: Vec<SingleRun>,
}

/// One learning run of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleRun {
    pub name: String,
    pub points: Vec<Option<PlottedValue>>,
}

/// Items of similar score.
#[derive(Debug, Clone, PartialEq)]
pub struct ReliabilityBar {
    pub label: String,
    /// Where the share would be if scores were right.
    pub mean_score: f64,
    pub share: f64,
    pub items: usize,
}

impl ReliabilityBar {
    /// Returns the share with what it rests on; how many topics these are is not known.
    pub(crate) fn plotted(&self) -> PlottedValue {
        PlottedValue {
            value: self.share,
            interval: None,
            observations: self.items,
            topics: 0,
        }
    }
}

/// A value for each pair of a row and a column, where there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    pub row_title: String,
    pub column_title: String,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// By row, then by column.
    pub cells: Vec<Vec<Option<PlottedValue>>>,
}

impl Picture {
    /// Returns every value that it shows, in the order in which they stand.
    pub fn values(&self) -> Vec<PlottedValue> {
        match &self.content {
            PictureContent::Bars(groups) => {
                let rows = groups.iter().flat_map(|group| &group.rows);
                rows.filter_map(|row| row.value).collect()
            }
            PictureContent::Curves(chart) => {
                let points = chart.curves.iter().flat_map(|curve| {
                    let runs = curve.runs.iter().flat_map(|run| &run.points);
                    curve.points.iter().chain(runs)
                });
                points.flatten().copied().collect()
            }
            PictureContent::Reliability(bars) => bars.iter().map(ReliabilityBar::plotted).collect(),
            PictureContent::Forest(forest) => {
                let rows = forest.rows.iter();
                rows.filter_map(|row| row.value).collect()
            }
            PictureContent::HeatMap(map) => map.cells.iter().flatten().flatten().copied().collect(),
        }
    }
}
