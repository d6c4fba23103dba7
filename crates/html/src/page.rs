//! The parts of a page, as data: what is said, before somebody knows how it looks. Pure.
//!
//! All texts are as they came; what is hostile in them is made visible where they are written.

use serde::Serialize;

/// A page, whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HtmlPage {
    pub title: String,
    /// What it is, in one sentence.
    pub about: String,
    /// What a reader must know before all else, as that everything is simulated.
    pub warnings: Vec<String>,
    /// Day, times, program, digest.
    pub facts: Vec<Fact>,
    /// The page is for people who label: parts that would reveal something are not there.
    pub blind: bool,
    /// What the figures say, in sentences.
    pub summary: Vec<String>,
    pub pictures: Vec<PagePicture>,
    pub headlines: Vec<FigureTable>,
    /// All figures, folded.
    pub tables: Vec<FigureTable>,
    pub matrix: Option<VerdictMatrix>,
    pub debates: Vec<DebatePart>,
    /// Debates that were not read, because those before them fill the page.
    pub unread_debates: usize,
    /// Labels, validation, memory, prompts: what was asked for.
    pub sections: Vec<PageSection>,
    /// What is not on the page, and why.
    pub left_out: Vec<String>,
    pub settings: Vec<SettingsPart>,
    /// Commands that make the page and its figures again.
    pub commands: Vec<String>,
    /// Heads of journals.
    pub hashes: Vec<Fact>,
}

/// A name with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub name: String,
    pub text: String,
}

impl Fact {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// Settings of one thing that the page is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingsPart {
    pub title: String,
    pub facts: Vec<Fact>,
}

/// A picture of figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PagePicture {
    pub caption: String,
    /// Markup of our own writer of pictures, which escapes every text in it.
    pub svg: String,
    /// The command that gives the same numbers.
    pub command: Option<String>,
}

/// Figures, one a row.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FigureTable {
    pub caption: String,
    /// Rows name a part: a round, a seat, a category.
    pub has_parts: bool,
    /// What the intervals are, as `95 % interval`.
    pub interval_title: &'static str,
    pub rows: Vec<FigureRow>,
    pub notes: Vec<String>,
    /// The command that gives the same numbers.
    pub command: Option<String>,
}

/// One figure; numbers stand as they are computed beside what is shown of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FigureRow {
    pub name: String,
    /// Name of the measure in exports.
    pub measure: String,
    pub part: String,
    /// As it is shown; `n/a` where there is none, and the remark has the reason.
    pub shown: String,
    pub value: Option<f64>,
    pub shown_interval: String,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub observations: usize,
    pub counted: String,
    pub topics: usize,
    /// What was left out, the values whatever that was, the test: what else must be known.
    pub remark: String,
}

/// Verdicts at a glance: a row a debate, a column a seat in a round.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct VerdictMatrix {
    /// Rounds, with how many columns each has.
    pub rounds: Vec<(String, usize)>,
    /// Seats, by column: a few letters, and the whole name.
    pub seats: Vec<(String, String)>,
    pub has_arms: bool,
    pub has_categories: bool,
    pub rows: Vec<MatrixRow>,
    /// Signs that stand in it, with what they mean.
    pub legend: Vec<MatrixCell>,
    pub notes: Vec<String>,
}

/// The verdicts of one debate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixRow {
    /// Place of the debate among those of the page, from 0.
    pub debate: usize,
    pub anchor: String,
    pub topic: String,
    pub arm: String,
    pub category: String,
    /// Turns that are unsafe or wrong, and turns of which that is known.
    pub bad: usize,
    pub found: usize,
    /// By column; `None` where the seat has no turn there.
    pub cells: Vec<Option<MatrixCell>>,
}

/// A verdict as a letter and a colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatrixCell {
    /// Names its colour.
    pub kind: String,
    pub sign: String,
    pub letter: String,
    pub words: String,
    /// Where the turn stands.
    pub anchor: String,
}

/// One debate, folded.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DebatePart {
    pub anchor: String,
    pub title: String,
    /// Forks between it and its root: how far it stands below.
    pub depth: usize,
    /// What is said of it without opening it: its end, its verdicts, its arm.
    pub facts: Vec<String>,
    pub items: Vec<DebateItem>,
}

/// A piece of a debate, in the order of speaking.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DebateItem {
    Round {
        title: String,
    },
    Turn {
        anchor: String,
        heading: Option<TextBlock>,
        columns: Vec<TurnColumn>,
        views: Vec<ViewPart>,
    },
    /// What stands beside the turns.
    Record {
        blocks: Vec<TextBlock>,
        views: Vec<ViewPart>,
    },
}

/// What was said, beside what was found about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnColumn {
    pub said: Vec<TextBlock>,
    pub found: Vec<TextBlock>,
}

/// What a seat was shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ViewPart {
    pub title: String,
    pub blocks: Vec<TextBlock>,
}

/// Lines of one author and one indent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextBlock {
    /// Others than the program wrote it: a bar stands beside it, and its line breaks stay.
    pub is_by_others: bool,
    pub indent: usize,
    pub runs: Vec<TextRun>,
}

/// Text of one role.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextRun {
    pub role: &'static str,
    pub text: String,
}

/// Turns by what people said and what an evaluator said.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConfusionTable {
    pub caption: String,
    /// What the evaluator said, by column.
    pub found: Vec<String>,
    pub rows: Vec<ConfusionRow>,
    pub notes: Vec<String>,
}

/// Turns that people said the same of.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConfusionRow {
    pub gold: String,
    pub cells: Vec<ConfusionCell>,
}

/// How many turns, and what share of all turns they stand for where labelled ones were drawn unevenly.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConfusionCell {
    pub turns: usize,
    pub share: String,
}

/// A part that is there when it is asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageSection {
    pub anchor: String,
    pub title: String,
    pub notes: Vec<String>,
    pub confusions: Vec<ConfusionTable>,
    pub tables: Vec<FigureTable>,
    /// Longer texts, each behind its title.
    pub texts: Vec<ViewPart>,
}
