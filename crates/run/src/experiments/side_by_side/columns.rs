//! Columns of arms that stand side by side: which figures a view shows. Pure.

use elenchus_metrics::{Dimension, Figure, FigureKey, HEADLINES, Measure, group_name};

/// View of arms side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArmView {
    /// The main figures of the games.
    #[default]
    Headline,
    Round,
    Category,
    Agreement,
    Cost,
}

impl ArmView {
    pub const ALL: [Self; 5] = [
        Self::Headline,
        Self::Round,
        Self::Category,
        Self::Agreement,
        Self::Cost,
    ];

    /// Returns what it is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::Headline => "main figures",
            Self::Round => "by round",
            Self::Category => "by category",
            Self::Agreement => "agreement",
            Self::Cost => "cost",
        }
    }

    fn measures(self) -> &'static [Measure] {
        match self {
            Self::Headline => &HEADLINES,
            Self::Round | Self::Category => &[Measure::ErrorRate],
            Self::Agreement => &[
                Measure::AgreementRate,
                Measure::AgreementNoiseFloor,
                Measure::UnsafeAfterSafe,
                Measure::SafeAfterUnsafe,
                Measure::UnchangedRate,
                Measure::Diversity,
            ],
            Self::Cost => &[
                Measure::CostPerDebate,
                Measure::TokensPerDebate,
                Measure::CallsPerDebate,
                Measure::WallPerDebate,
            ],
        }
    }
}

/// Column of arms side by side: a figure, or the part of it in a round or a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmColumn {
    pub measure: Measure,
    pub keys: Vec<FigureKey>,
    pub heading: String,
}

impl ArmColumn {
    /// Says what its figure is, in a sentence.
    pub fn title(&self) -> String {
        let label = match self.keys.iter().any(is_property) {
            true => self.measure.label(),
            false => self.heading.as_str(),
        };
        let parts = self.keys.iter().filter(|key| is_property(key));
        let parts = parts.map(|key| format!(", {} {}", key.by.label(), key.value));
        label.to_owned() + &parts.collect::<String>()
    }

    /// Returns the round that it is of.
    pub fn round(&self) -> Option<&str> {
        self.part(Dimension::Round)
    }

    /// Returns the category that it is of.
    pub fn category(&self) -> Option<&str> {
        self.part(Dimension::Category)
    }

    fn part(&self, by: Dimension) -> Option<&str> {
        let key = self.keys.iter().find(|key| key.by == by)?;
        Some(&key.value)
    }

    /// Says whether a figure of an arm is its own.
    pub(super) fn matches_figure(&self, figure: &Figure) -> bool {
        figure.measure == self.measure && figure.keys == self.keys
    }

    /// Says whether a figure of a comparison is its own: that of a round is compared as a group.
    pub(super) fn matches_compared_figure(&self, figure: &Figure) -> bool {
        let keys = self.keys.iter().filter(|key| key.by != Dimension::Round);
        figure.measure == self.measure && figure.keys.iter().eq(keys)
    }

    /// Returns the name of the group that an arm is compared as.
    pub(super) fn name_group(&self, arm: &str) -> String {
        let arm = FigureKey {
            by: Dimension::Arm,
            value: arm.to_owned(),
        };
        let round = self.keys.iter().filter(|key| key.by == Dimension::Round);
        let keys: Vec<FigureKey> = std::iter::once(arm).chain(round.cloned()).collect();
        group_name(&keys)
    }
}

/// Says whether a key names a part of the debates, rather than something of a protocol.
fn is_property(key: &FigureKey) -> bool {
    matches!(key.by, Dimension::Round | Dimension::Category)
}

/// Lists the columns of a view among these figures, each once, in the order of its measures.
pub(super) fn list_columns<'a>(
    view: ArmView,
    figures: impl Iterator<Item = &'a Figure>,
) -> Vec<ArmColumn> {
    let is_of_view = |figure: &&Figure| {
        let has = |by: Dimension| figure.keys.iter().any(|key| key.by == by);
        let is_whole = || {
            let of_protocol = matches!(figure.measure, Measure::GaugeMean | Measure::GaugeShare);
            figure.keys.is_empty() || of_protocol
        };
        let has_part = match view {
            ArmView::Headline | ArmView::Agreement | ArmView::Cost => is_whole(),
            ArmView::Round => figure.keys.len() == 1 && has(Dimension::Round),
            ArmView::Category => figure.keys.len() == 1 && has(Dimension::Category),
        };
        has_part && view.measures().contains(&figure.measure)
    };
    let mut columns: Vec<ArmColumn> = Vec::new();
    for figure in figures
        .filter(is_of_view)
        .filter(|figure| figure.value.is_some())
    {
        let part = figure.keys.iter().find(|key| is_property(key));
        let heading = match part {
            Some(key) if key.by == Dimension::Round => format!("r{}", key.value),
            Some(key) => key.value.clone(),
            None => {
                let title = figure.title.as_deref();
                title.unwrap_or(figure.measure.label()).to_owned()
            }
        };
        let column = ArmColumn {
            measure: figure.measure,
            keys: figure.keys.clone(),
            heading,
        };
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let place = |measure: Measure| view.measures().iter().position(|known| *known == measure);
    let round = |column: &ArmColumn| column.round().and_then(|round| round.parse::<u32>().ok());
    columns.sort_by_key(|column| (place(column.measure), round(column)));
    columns
}
