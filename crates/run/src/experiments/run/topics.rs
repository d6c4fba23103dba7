//! Topics of a run: one data set or several, read, selected, and each named after where it is from.

use super::topic_criterion::TopicCriterion;
use elenchus_dataset as dataset;
use elenchus_dataset::{
    ColumnChoice, DatasetError, DatasetKind, DatasetSpec, LoadedDataset, RejectedRow, Selection,
};
use elenchus_game::debate::Topic;
use elenchus_records::workspace::run::DatasetPlace;
use elenchus_records::workspace::{Result, reject};
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
    dataset_names: Vec<String>,
}

impl LoadedTopics {
    /// Returns each data set as it was named, and what was read of it.
    pub fn named_sets(&self) -> impl Iterator<Item = (&str, &LoadedDataset)> {
        self.dataset_names
            .iter()
            .map(String::as_str)
            .zip(&self.sets)
    }

    /// Returns where the topics are from, for the manifest of a run.
    pub fn place(&self) -> &DatasetPlace {
        &self.place
    }

    /// Returns the refused rows of all data sets.
    pub fn rejected_rows(&self) -> impl Iterator<Item = &RejectedRow> {
        self.sets.iter().flat_map(|set| &set.refused)
    }

    /// Reads topics from text that no file holds, named so in the manifest of a run. A row that names a
    /// document is refused: nothing says in which folder it would be.
    pub fn from_text(named: &str, text: &[u8]) -> (Self, Vec<Topic>) {
        let no_documents = |path: &str| -> std::result::Result<String, String> {
            Err(format!(
                "cannot be read: topics from {named} name no files ({path})"
            ))
        };
        let mut content =
            dataset::parse_dataset(Some(DatasetKind::Own), named, text, &no_documents);
        let topics = std::mem::take(&mut content.topics);
        let place = build_place(named, &ColumnChoice::default(), &content);
        let loaded = Self {
            sets: vec![content],
            notices: Vec::new(),
            place,
            dataset_names: vec![named.to_owned()],
        };
        (loaded, topics)
    }
}

impl TopicRequest {
    /// All topics of one data set.
    pub fn from_dataset(dataset: &str) -> Self {
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
    pub fn load_topics(&self, layout: &Layout) -> Result<(LoadedTopics, Vec<Topic>)> {
        if self.datasets.len() > MAX_DATASETS {
            let many = self.datasets.len();
            return reject(format!(
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
            let mut content = self.load_set(&spec, enough)?;
            let mut set_topics = std::mem::take(&mut content.topics);
            if content.kind == DatasetKind::Quality {
                dataset::keep_two_options(&mut set_topics, self.selection.seed);
            }
            let place = build_place(named, &self.columns, &content);
            if places.iter().any(|other| other.sha256 == place.sha256) {
                return reject(format!(
                    "{named} is there twice: name each data set once, and play topics several times with \
                     --rollouts"
                ));
            }
            if self.datasets.len() > 1 {
                name_dataset(&mut set_topics, &place, &ids);
            }
            ids.extend(set_topics.iter().map(|topic| topic.id.clone()));
            topics.append(&mut set_topics);
            places.push(place);
            sets.push(content);
        }
        let mut notices = find_missing_columns(&self.datasets, &sets)?;
        if let Some(criterion) = &self.criterion {
            let choice = criterion.choose_topics(topics, layout)?;
            notices.push(choice.notice);
            topics = choice.topics;
        }
        let topics = dataset::select_topics(topics, &self.selection)?;
        let place = join_places(places);
        let result = LoadedTopics {
            sets,
            notices,
            place,
            dataset_names: self.datasets.clone(),
        };
        Ok((result, topics))
    }
}

impl TopicRequest {
    /// Reads one data set. Of several, those without a chosen column are read as if it had not been chosen.
    fn load_set(&self, spec: &DatasetSpec, enough: usize) -> Result<LoadedDataset> {
        let strict_result = dataset::load_dataset_with(spec, &self.columns, enough);
        let missing = match &strict_result {
            Ok(loaded) => &loaded.missing,
            Err(DatasetError::NoColumn { missing, .. }) => missing,
            Err(_) => return Ok(strict_result?),
        };
        if self.datasets.len() == 1 || missing.is_empty() {
            return Ok(strict_result?);
        }
        let missing = missing.clone();
        let rest = self.columns.omit_columns(&missing);
        let content = dataset::load_dataset_with(spec, &rest, enough)?;
        Ok(LoadedDataset { missing, ..content })
    }
}

/// Says which data sets have not all chosen columns.
///
/// # Errors
/// When none of them has a column.
fn find_missing_columns(datasets: &[String], sets: &[LoadedDataset]) -> Result<Vec<String>> {
    let mut notices = Vec::new();
    for (dataset, set) in datasets.iter().zip(sets) {
        for column in &set.missing {
            let is_anywhere = sets.iter().any(|other| !other.missing.contains(column));
            let column_list = set.columns.iter().map(|(name, _)| name.as_str());
            let column_list: Vec<&str> = column_list.take(MAX_LISTED_COLUMNS).collect();
            let column_list = match column_list.is_empty() {
                true => "it is plain text, one topic a line, without columns".to_owned(),
                false => format!("there are {}", column_list.join(", ")),
            };
            let why = format!("the dataset {dataset} has no column `{column}`: {column_list}");
            match is_anywhere {
                true => notices.push(format!("notice: {why}")),
                false => return reject(why),
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
            let qualified_id = format!("{name}:{}", topic.id);
            topic.id = match taken.contains(&qualified_id) {
                true => format!("{}:{}", place.path, topic.id),
                false => qualified_id,
            };
        }
        topic.dataset = Some(name.clone());
    }
}

fn build_place(named: &str, columns: &ColumnChoice, loaded: &LoadedDataset) -> DatasetPlace {
    DatasetPlace {
        path: named.to_owned(),
        kind: loaded.kind.to_string(),
        sha256: loaded.sha256.clone(),
        rows_refused: loaded.refused.len() as u64,
        columns: columns.named_columns(),
        ignored: columns.ignored_columns(),
    }
}

/// Returns the places of several data sets as one.
fn join_places(mut places: Vec<DatasetPlace>) -> DatasetPlace {
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
        sha256: Hash::digest(list.as_bytes()).to_string(),
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
