//! Topics of a run: one data set or several, read, selected, and each named after where it is from.

use super::topic_criterion::TopicCriterion;
use elenchus_dataset as dataset;
use elenchus_dataset::{
    ColumnChoice, DatasetError, DatasetKind, DatasetSpec, LoadedDataset, RejectedRow, Selection,
};
use elenchus_game::debate::Topic;
use elenchus_records::workspace::run::DatasetPlace;
use elenchus_records::workspace::{Result, invalid};
use elenchus_store::{Hash, Layout};
use std::collections::BTreeSet;

/// Data sets at most: CoSafe's folder is one.
const MAX_DATASETS: usize = 100;
/// Columns that a message lists.
const MAX_LISTED_COLUMNS: usize = 30;

/// Requested topics.
#[derive(Debug, Clone, Default)]
pub struct TopicRequest {
    /// Data sets as they were named, `[KIND:]FILE`.
    pub datasets: Vec<String>,
    /// Which columns are what, and which are not read.
    pub columns: ColumnChoice,
    /// From the topics of all data sets together.
    pub selection: Selection,
    /// What topics came to in an earlier run; it applies before the selection.
    pub criterion: Option<TopicCriterion>,
}

/// What was read, without the topics.
#[derive(Debug, Clone)]
pub struct LoadedTopics {
    pub sets: Vec<LoadedDataset>,
    /// What a person should know of the choice of topics.
    pub notices: Vec<String>,
    place: DatasetPlace,
    /// The data sets as they were named.
    named: Vec<String>,
}

impl LoadedTopics {
    /// Returns each data set as it was named, and what was read of it.
    pub fn named_sets(&self) -> impl Iterator<Item = (&str, &LoadedDataset)> {
        self.named.iter().map(String::as_str).zip(&self.sets)
    }

    /// Returns where the topics are from, for the manifest of a run.
    pub fn place(&self) -> &DatasetPlace {
        &self.place
    }

    /// Returns the refused rows of all data sets.
    pub fn refused(&self) -> impl Iterator<Item = &RejectedRow> {
        self.sets.iter().flat_map(|set| &set.refused)
    }
}

impl TopicRequest {
    /// All topics of one data set.
    pub fn all_of(dataset: &str) -> Self {
        Self {
            datasets: vec![dataset.to_owned()],
            ..Self::default()
        }
    }

    /// Reads the data sets and selects their topics. Blocks while it reads.
    ///
    /// Topics of several data sets say which one they are from, and an id that an earlier data set has
    /// already is given the name of its own data set.
    ///
    /// # Errors
    /// When a file cannot be read as what it is said to be, a data set is named twice, the run that topics
    /// are selected by cannot be read, or nothing is selected.
    pub fn load(&self, layout: &Layout) -> Result<(LoadedTopics, Vec<Topic>)> {
        if self.datasets.len() > MAX_DATASETS {
            let many = self.datasets.len();
            return invalid(format!(
                "{many} data sets, and at most {MAX_DATASETS} in one run"
            ));
        }
        let enough = match self.criterion {
            Some(_) => usize::MAX,
            None => self.selection.first_topics(),
        };
        let mut places: Vec<DatasetPlace> = Vec::new();
        let mut sets = Vec::new();
        let mut topics: Vec<Topic> = Vec::new();
        let mut ids = BTreeSet::new();
        for named in &self.datasets {
            let spec: DatasetSpec = named.parse()?;
            let mut loaded = self.load_set(&spec, enough)?;
            let mut found = std::mem::take(&mut loaded.topics);
            if loaded.kind == DatasetKind::Quality {
                dataset::two_options(&mut found, self.selection.seed);
            }
            let place = place_of(named, &self.columns, &loaded);
            if places.iter().any(|other| other.sha256 == place.sha256) {
                return invalid(format!(
                    "{named} is there twice: name each data set once, and play topics several times with \
                     --rollouts"
                ));
            }
            if self.datasets.len() > 1 {
                name_dataset(&mut found, &place, &ids);
            }
            ids.extend(found.iter().map(|topic| topic.id.clone()));
            topics.append(&mut found);
            places.push(place);
            sets.push(loaded);
        }
        let mut notices = missing_columns(&self.datasets, &sets)?;
        if let Some(criterion) = &self.criterion {
            let chosen = criterion.choose(topics, layout)?;
            notices.push(chosen.notice);
            topics = chosen.topics;
        }
        let topics = dataset::select(topics, &self.selection)?;
        let place = joined(places);
        let loaded = LoadedTopics {
            sets,
            notices,
            place,
            named: self.datasets.clone(),
        };
        Ok((loaded, topics))
    }
}

impl TopicRequest {
    /// Reads one data set. Of several, those without a chosen column are read as if it had not been chosen.
    fn load_set(&self, spec: &DatasetSpec, enough: usize) -> Result<LoadedDataset> {
        let strictly = dataset::load_with(spec, &self.columns, enough);
        let missing = match &strictly {
            Ok(loaded) => &loaded.missing,
            Err(DatasetError::NoColumn { missing, .. }) => missing,
            Err(_) => return Ok(strictly?),
        };
        if self.datasets.len() == 1 || missing.is_empty() {
            return Ok(strictly?);
        }
        let missing = missing.clone();
        let rest = self.columns.without(&missing);
        let loaded = dataset::load_with(spec, &rest, enough)?;
        Ok(LoadedDataset { missing, ..loaded })
    }
}

/// Says which data sets have not all chosen columns.
///
/// # Errors
/// When none of them has a column.
fn missing_columns(named: &[String], sets: &[LoadedDataset]) -> Result<Vec<String>> {
    let mut notices = Vec::new();
    for (dataset, set) in named.iter().zip(sets) {
        for column in &set.missing {
            let is_anywhere = sets.iter().any(|other| !other.missing.contains(column));
            let known = set.columns.iter().map(|(name, _)| name.as_str());
            let known: Vec<&str> = known.take(MAX_LISTED_COLUMNS).collect();
            let known = match known.is_empty() {
                true => "it is plain text, one topic a line, without columns".to_owned(),
                false => format!("there are {}", known.join(", ")),
            };
            let why = format!("the dataset {dataset} has no column `{column}`: {known}");
            match is_anywhere {
                true => notices.push(format!("notice: {why}")),
                false => return invalid(why),
            }
        }
    }
    Ok(notices)
}

/// Names each topic's data set, and topics whose id is taken after it.
fn name_dataset(topics: &mut [Topic], place: &DatasetPlace, taken: &BTreeSet<String>) {
    let name = place.name();
    for topic in topics {
        if taken.contains(&topic.id) {
            // The path tells files of one name apart.
            let of_name = format!("{name}:{}", topic.id);
            topic.id = match taken.contains(&of_name) {
                true => format!("{}:{}", place.path, topic.id),
                false => of_name,
            };
        }
        topic.dataset = Some(name.clone());
    }
}

fn place_of(named: &str, columns: &ColumnChoice, loaded: &LoadedDataset) -> DatasetPlace {
    DatasetPlace {
        path: named.to_owned(),
        kind: loaded.kind.to_string(),
        sha256: loaded.sha256.clone(),
        rows_refused: loaded.refused.len() as u64,
        columns: columns.named(),
        ignored: columns.ignored(),
    }
}

/// Returns the places of several data sets as one.
fn joined(mut places: Vec<DatasetPlace>) -> DatasetPlace {
    if places.len() == 1 {
        return places.remove(0);
    }
    let list: String = places
        .iter()
        .map(|place| format!("{}  {}\n", place.sha256, place.path))
        .collect();
    let mut kinds: Vec<&str> = places.iter().map(|place| place.kind.as_str()).collect();
    kinds.dedup();
    let paths: Vec<&str> = places.iter().map(|place| place.path.as_str()).collect();
    DatasetPlace {
        path: paths.join(", "),
        kind: kinds.join(", "),
        sha256: Hash::of(list.as_bytes()).to_string(),
        rows_refused: places.iter().map(|place| place.rows_refused).sum(),
        // They are chosen for all.
        columns: places
            .iter()
            .map(|place| place.columns.clone())
            .next()
            .unwrap_or_default(),
        ignored: places
            .iter()
            .map(|place| place.ignored.clone())
            .next()
            .unwrap_or_default(),
    }
}
