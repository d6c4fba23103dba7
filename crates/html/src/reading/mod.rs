//! The parts of a page, read from a store. Blocks while it reads; writes nothing but the store's index.

mod anchors;
mod blind;
mod blocks;
mod counted;
mod debates;
mod figures;
mod matrix;
mod origin;
mod sections;
mod sentences;
mod subjects;

use crate::page::{DebatePart, Fact, HtmlPage};
use crate::request::{PageOptions, PageRequest, Subject};
use counted::{CountedDebates, count_debates};
use debates::{DebateSource, build_debate};
use elenchus_game::debate::SessionId;
use elenchus_metrics::{ArmNames, DebateRow};
use elenchus_records::library::Library;
use elenchus_records::workspace::annotations::{Annotations, read_annotations};
use elenchus_records::workspace::prompts::{KeptPrompts, read_kept};
use elenchus_records::workspace::{Result, StoreIndex, read_session, reject};
use elenchus_text::format_noun_count;
use figures::{FigureSource, PageFigures};
use matrix::{MatrixSource, build_matrix};
use sections::Collection;
use std::collections::BTreeMap;
use subjects::{PageItem, Subjects};

/// Failures of a run, and sessions that cannot be read, that are named; the rest is counted.
const MAX_NAMED: usize = 20;
/// Heads of journals that are listed; the digest is of all.
const MAX_HASHES: usize = 500;

/// Where a page is read from.
#[derive(Clone, Copy)]
pub struct PageSource<'a> {
    /// Read for rows.
    pub index: &'a StoreIndex,
    pub library: &'a Library,
}

/// Reads a page.
///
/// # Errors
/// When a run, sweep or session cannot be read, or nothing was asked for.
pub fn build_page(source: PageSource<'_>, request: &PageRequest) -> Result<HtmlPage> {
    if request.subjects.is_empty() {
        return reject(
            "a page is of something: name runs, sweeps, golden sets, passes or sessions",
        );
    }
    let subjects = Subjects::read(source.index, &request.subjects)?;
    if request.options.blind {
        return blind::build_blind_page(source, request, &subjects);
    }
    let families = source.library.read_families()?;
    let counted = count_debates(source.index, &families, request, &subjects)?;
    let figures = compute_figures(source.index, request, &subjects, &counted);
    let arms = name_arms(&counted);
    let mut page = HtmlPage {
        title: subjects.title(),
        about: subjects.describe(),
        warnings: warn_of_simulation(&counted.rows),
        facts: origin::list_facts(request, &subjects, &counted.rows),
        summary: sentences::write_summary(&figures),
        headlines: figures::build_comparisons(&figures),
        tables: figures::build_all_figures(&figures),
        matrix: build_matrix(&list_matrix_sources(&subjects, &counted.rows, &arms)),
        settings: origin::list_settings(&subjects, &figures),
        commands: origin::list_commands(request, &figures),
        hashes: origin::list_hashes(source.index.layout(), &subjects)?,
        left_out: counted.left_out,
        ..HtmlPage::default()
    };
    page.facts.push(origin::digest_journals(&page.hashes));
    let more_hashes = page.hashes.len().saturating_sub(MAX_HASHES);
    if more_hashes > 0 {
        page.hashes.truncate(MAX_HASHES);
        page.left_out.push(format!(
            "the heads of {} more: the digest is of all, and a run's journal holds those of its debates",
            format_noun_count(more_hashes, "journal")
        ));
    }
    page.headlines
        .splice(0..0, figures::build_headlines(&figures));
    page.left_out.extend(figures.notes);
    page.pictures = figures.pictures;
    let collection = read_debates(source, request.options, &subjects, &arms, &mut page)?;
    page.sections =
        sections::build_sections(source, request, &subjects, &collection, &mut page.left_out)?;
    page.left_out.extend(list_unasked(request.options));
    Ok(page)
}

/// Returns the sessions of the debates that a page of some subjects holds, forks beside them included. Blocks.
///
/// # Errors
/// When a subject cannot be read.
pub fn list_page_sessions(source: PageSource<'_>, subjects: &[Subject]) -> Result<Vec<SessionId>> {
    let subjects = Subjects::read(source.index, subjects)?;
    let items = subjects.items.into_iter();
    Ok(items.map(|item| item.session).collect())
}

/// Computes the figures; what cannot be computed is said.
fn compute_figures(
    index: &StoreIndex,
    request: &PageRequest,
    subjects: &Subjects,
    counted: &CountedDebates,
) -> PageFigures {
    let mut figures = PageFigures::default();
    if counted.rows.is_empty() {
        return figures;
    }
    if counted.arms.len() > 1 {
        figures.arm_names = ArmNames::from_arms(counted.arms.iter().map(String::as_str));
    }
    let source = FigureSource {
        index,
        rows: &counted.rows,
        settings: counted.settings.clone(),
        arms: counted.arms.clone(),
        selection: match counted.sweep {
            Some(_) => None,
            None => Some(subjects.format_selection()),
        },
    };
    match &counted.sweep {
        Some((report, comparisons)) => {
            figures.primary = figures::find_primary(report);
            figures.report = Some(report.clone());
            figures.comparisons.clone_from(comparisons);
            let command = match request.subjects.as_slice() {
                [Subject::Sweep(id)] => Some(format!("elenchus sweep --show {id} --json")),
                _ => None,
            };
            figures.report_command.clone_from(&command);
            figures.comparison_command = command;
        }
        None => {
            match source.compute_whole() {
                Ok(report) => {
                    figures.primary = figures::find_primary(&report);
                    figures.report = Some(report);
                }
                Err(why) => figures.notes.push(format!("figures: {why}")),
            }
            let by: &[_] = match counted.arms.len() {
                0 | 1 => &[],
                _ => &[elenchus_metrics::Dimension::Arm],
            };
            figures.report_command = source.format_command(by, None);
            compare_arms(&source, counted, subjects, &mut figures);
        }
    }
    figures::draw_pictures(&source, &mut figures);
    figures
}

/// Compares arms, unless a run is not over: differences would be looked at until they please (FIGURES 5).
fn compare_arms(
    source: &FigureSource<'_>,
    counted: &CountedDebates,
    subjects: &Subjects,
    figures: &mut PageFigures,
) {
    let Some(measure) = figures.primary.filter(|_| counted.arms.len() > 1) else {
        return;
    };
    if let Some((run, progress)) = counted.settings.unfinished.iter().next() {
        figures.notes.push(format!(
            "differences wait: run {run} is not over ({} of {} planned debates)",
            progress.ended, progress.planned
        ));
        return;
    }
    match source.compare_arms(measure) {
        Ok(report) => {
            let names = counted.arms.iter();
            let names: Vec<_> = names.map(|arm| elenchus_text::shell_word(arm)).collect();
            figures.comparison_command = Some(format!(
                "elenchus metrics{} --compare {} --measure {} --json",
                subjects.format_selection(),
                names.join(" "),
                measure.name()
            ));
            figures.comparisons = Some(report);
        }
        Err(why) => figures.notes.push(format!("no comparison of arms: {why}")),
    }
}

/// Returns the arm of each debate that is counted, where there are several.
fn name_arms(counted: &CountedDebates) -> BTreeMap<String, String> {
    if counted.arms.len() < 2 {
        return BTreeMap::new();
    }
    let short = ArmNames::from_arms(counted.arms.iter().map(String::as_str));
    let name = |arm: &String| short.name_of(arm).to_owned();
    let rows = counted.rows.iter();
    rows.map(|row| (row.session.clone(), name(&row.arm)))
        .collect()
}

fn warn_of_simulation(rows: &[DebateRow]) -> Vec<String> {
    let simulated = rows.iter().filter(|row| row.simulated).count();
    match simulated {
        0 => Vec::new(),
        some if some == rows.len() => vec![
            "SIMULATED: simulated models played this; it checks the instrument and is no evidence about models or \
             protocols."
                .to_owned(),
        ],
        some => vec![format!(
            "SIMULATED: {some} of {} debates were played by simulated models; they stand in figures of their own, \
             which are no evidence about models or protocols.",
            rows.len()
        )],
    }
}

fn list_matrix_sources<'a>(
    subjects: &'a Subjects,
    rows: &'a [DebateRow],
    arms: &'a BTreeMap<String, String>,
) -> Vec<MatrixSource<'a>> {
    let rows_by_session: BTreeMap<&str, &DebateRow> =
        rows.iter().map(|row| (row.session.as_str(), row)).collect();
    let items = subjects.items.iter().enumerate();
    items
        .filter_map(|(debate, item)| {
            Some(MatrixSource {
                debate,
                row: rows_by_session.get(item.session.as_str())?,
                topic: item.topic.as_deref().unwrap_or(item.session.as_str()),
                arm: arms.get(item.session.as_str()).map(String::as_str),
            })
        })
        .collect()
}

/// Reads debates until their texts alone fill the page.
fn read_debates(
    source: PageSource<'_>,
    show: PageOptions,
    subjects: &Subjects,
    arms: &BTreeMap<String, String>,
    page: &mut HtmlPage,
) -> Result<Collection> {
    let layout = source.index.layout();
    let found_by_pass = subjects.pass.as_ref().map(|on_page| &on_page.pass);
    let annotations = match show.labels {
        true => read_annotations(layout)?.0,
        false => Annotations::default(),
    };
    let kept: Option<KeptPrompts> = match show.views {
        true => Some(read_kept(layout)?),
        false => None,
    };
    let mut collection = Collection::default();
    let mut used_bytes = 0;
    for (number, item) in subjects.items.iter().enumerate() {
        if used_bytes > show.max_bytes {
            page.unread_debates = subjects.items.len() - number;
            break;
        }
        let path = layout.session_path(item.session.as_str())?;
        let debate = match read_session(&path) {
            Ok(state) => {
                collection.add_session(show, &state);
                build_debate(
                    &DebateSource {
                        number,
                        session: &item.session,
                        state: &state,
                        annotations: &annotations,
                        kept: kept.as_ref(),
                        pass: found_by_pass,
                        depth: item.depth,
                        arm: arms.get(item.session.as_str()).map(String::as_str),
                    },
                    show,
                )
            }
            Err(why) => Some(describe_unreadable(number, item, &why.to_string())),
        };
        let debate =
            debate.unwrap_or_else(|| describe_unreadable(number, item, "it has not begun"));
        used_bytes += count_text_bytes(&debate);
        page.debates.push(debate);
    }
    add_tallies(page);
    Ok(collection)
}

/// Says of each debate how many of its verdicts are bad, as the table of verdicts has them.
fn add_tallies(page: &mut HtmlPage) {
    let rows = page.matrix.iter().flat_map(|matrix| &matrix.rows);
    for row in rows.filter(|row| row.found > 0) {
        if let Some(debate) = page.debates.get_mut(row.debate) {
            let tally = format!("{} of {} unsafe or wrong", row.bad, row.found);
            debate.facts.insert(0, tally);
        }
    }
}

/// Holds the place of a debate that cannot be shown.
fn describe_unreadable(number: usize, item: &PageItem, why: &str) -> DebatePart {
    DebatePart {
        anchor: anchors::debate_anchor(number),
        title: format!("{}. {}", number + 1, item.session),
        facts: vec![format!("cannot be shown: {why}")],
        ..DebatePart::default()
    }
}

/// Counts the bytes of a debate's texts: as HTML it is never smaller.
fn count_text_bytes(debate: &DebatePart) -> usize {
    use crate::page::{DebateItem, TextBlock, ViewPart};
    let of_blocks = |blocks: &[TextBlock]| -> usize {
        let runs = blocks.iter().flat_map(|block| &block.runs);
        runs.map(|run| run.text.len()).sum()
    };
    let of_views =
        |views: &[ViewPart]| -> usize { views.iter().map(|view| of_blocks(&view.blocks)).sum() };
    let items = debate.items.iter().map(|item| match item {
        DebateItem::Round { title } => title.len(),
        DebateItem::Turn { columns, views, .. } => {
            let columns = columns.iter();
            let of_columns: usize = columns
                .map(|column| of_blocks(&column.said) + of_blocks(&column.found))
                .sum();
            of_columns + of_views(views)
        }
        DebateItem::Record { blocks, views } => of_blocks(blocks) + of_views(views),
    });
    items.sum()
}

/// Says what was not asked for.
fn list_unasked(show: PageOptions) -> Vec<String> {
    let parts = [
        (show.views, "what each seat was shown: --views shows it"),
        (
            show.private,
            "private turns and the models' own thinking: --private shows them",
        ),
        (
            show.labels,
            "labels and notes of people, and evaluators measured against them: --labels shows them",
        ),
        (
            show.memory,
            "entries of long-term memory that debates were shown: --memory shows them",
        ),
        (show.prompts, "texts of the prompts: --prompts shows them"),
    ];
    let unasked = parts.into_iter().filter(|(is_shown, _)| !is_shown);
    unasked
        .map(|(_, what)| format!("not asked for: {what}"))
        .collect()
}

/// Returns a fact whose text is a list.
fn list_fact(name: &str, texts: impl IntoIterator<Item = String>) -> Fact {
    let texts: Vec<String> = texts.into_iter().collect();
    Fact::new(name, texts.join(", "))
}
