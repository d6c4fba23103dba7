//! `elenchus study`: a table or figure of a publication as one plan, which is played and printed.

mod args;
mod file;
mod labels;
mod options;
mod play;
mod replace;

use super::common::{CommandContext, Exit, output, shell_word, wrap_line};
use super::metrics::{self, MetricsArgs};
use anyhow::{Context, Result, bail};
pub(crate) use args::StudyArgs;
use elenchus_dataset::DatasetSpec;
use elenchus_game::debate::Chair;
use elenchus_records::workspace::CastError;
use file::{Entry, ListedStudy, StudyPlan, list_studies, read_study, read_study_text};
use labels::{check_labels, insert_run_ids};
use options::parse_options;
use play::{MissingPlays, PlayedStudy, StudyPlayer};
use replace::{NamedParts, join_names, replace_names};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Options of figures that a plan does not give, each with the reason.
const REFUSED_OF_METRICS: [(&str, &str); 1] = [(
    "svg",
    "pictures are written by: elenchus study … --svg FOLDER",
)];

/// Columns of titles in the list, at least.
const MIN_TITLE: usize = 30;

/// Lists studies, or plays one and prints its figures.
///
/// # Errors
/// When there is no such study, its plan cannot be meant, or what it needs is not here.
pub(super) fn run(args: &StudyArgs, context: &CommandContext) -> Result<Exit> {
    let Some(named) = &args.study else {
        return output::print_text(&format_list(&list_studies()?, output::width())).map(Exit::from);
    };
    if args.plan {
        let text = read_study_text(named)?;
        return output::print_text(&output::clean_text(&text)).map(Exit::from);
    }
    let mut plan = read_study(named, &context.seats.model_table().bounds)?;
    let parts = replace_names(&mut plan, &args.model, &args.dataset)?;
    check_labels(&plan)?;
    check_parts(&plan, &parts, named, context)?;
    let figures = plan_figures(args, &plan)?;
    let player = StudyPlayer::new(args, &plan, context)?;
    if args.estimate {
        let text = player.estimate_all()?;
        return output::print_text(&output::clean_lines(&text)).map(Exit::from);
    }
    let played = player.play_all(match args.print_only {
        true => MissingPlays::Refuse,
        false => MissingPlays::Play,
    })?;
    if played.exit == Exit::Unfinished {
        output::print_notice(&format!(
            "nothing is printed before all is played; go on with: elenchus study {}",
            shell_word(named)
        ));
        return Ok(Exit::Unfinished);
    }
    print_figures(&plan, &figures, &played, context)?;
    Ok(played.exit)
}

fn format_list(studies: &[ListedStudy], columns: usize) -> String {
    let widths = studies.iter().map(|study| study.name.len());
    let width = widths.max().unwrap_or(0);
    let room = columns.saturating_sub(width + 2).max(MIN_TITLE);
    let mut text = String::new();
    for study in studies {
        let title = match study.source.is_empty() {
            true => study.title.clone(),
            false => format!("{} ({})", study.title, study.source),
        };
        let mut name = study.name.as_str();
        for line in wrap_line(&title, room, room) {
            text += &format!("{name:width$}  {line}\n");
            name = "";
        }
    }
    text + "elenchus study NAME plays and prints one; --plan prints its file, to be changed\n"
}

/// A table or picture of the plan.
struct PlannedFigure {
    entry: Entry,
    /// Where its picture goes.
    svg: Option<PathBuf>,
}

/// Reads the figures before anything is played, so that a wrong option costs nothing.
fn plan_figures(args: &StudyArgs, plan: &StudyPlan) -> Result<Vec<PlannedFigure>> {
    if plan.figures.is_empty() {
        bail!("{}: it prints nothing: give [[metrics]] entries", plan.name);
    }
    let mut figures = Vec::new();
    for entry in &plan.figures {
        let mut entry = entry.clone();
        let name = entry.take_name()?;
        let parsed: MetricsArgs = parse_options("metrics", &entry, &REFUSED_OF_METRICS)?;
        let is_picture = parsed.plot.is_some();
        figures.push((entry, name, is_picture));
    }
    let unnamed = figures
        .iter()
        .filter(|(_, name, is_picture)| *is_picture && name.is_none());
    let numbers_them = unnamed.count() > 1;
    if args.svg.is_some() && !figures.iter().any(|(.., is_picture)| *is_picture) {
        bail!(
            "--svg: {} has tables alone; a picture is a [[metrics]] entry with 'plot'",
            plan.name
        );
    }
    let mut unnamed_number = 0;
    let mut planned_figures = Vec::new();
    let mut files = BTreeSet::new();
    for (entry, name, is_picture) in figures {
        let file_name = name.unwrap_or_else(|| {
            unnamed_number += usize::from(is_picture);
            match numbers_them {
                true => format!("{}-{unnamed_number}", plan.name),
                false => plan.name.clone(),
            }
        });
        if is_picture && !files.insert(file_name.clone()) {
            bail!(
                "{}: another picture is named '{file_name}' as well",
                entry.place
            );
        }
        let folder = args.svg.as_ref().filter(|_| is_picture);
        planned_figures.push(PlannedFigure {
            svg: folder.map(|folder| folder.join(format!("{file_name}.svg"))),
            entry,
        });
    }
    Ok(planned_figures)
}

/// Prints every figure of a study over its runs alone, whatever else the store holds.
fn print_figures(
    plan: &StudyPlan,
    figures: &[PlannedFigure],
    played: &PlayedStudy,
    context: &CommandContext,
) -> Result<()> {
    let heading = match plan.source.is_empty() {
        true => plan.title.clone(),
        false => format!("{}: {}", plan.source, plan.title),
    };
    output::print_text(&format!("{}\n", output::clean_line(&heading)))?;
    for figure in figures {
        let mut entry = figure.entry.clone();
        insert_run_ids(&mut entry, &played.ids)?;
        let mut args: MetricsArgs = parse_options("metrics", &entry, &REFUSED_OF_METRICS)?;
        if args.sessions.run.is_empty() && args.sessions.session.is_empty() {
            args.sessions.run = played.runs.iter().map(ToString::to_string).collect();
        }
        // Where pictures are written is typed, whatever a plan says.
        args.svg.clone_from(&figure.svg);
        if let Some(folder) = figure.svg.as_ref().and_then(|file| file.parent()) {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{} cannot be made", folder.display()))?;
        }
        output::print_text("\n")?;
        metrics::run(&args, context).with_context(|| entry.place.clone())?;
    }
    Ok(())
}

/// Finds out whether the models and the data sets that a plan names are here, and names all that are not.
///
/// # Errors
/// When something is missing, with what to do.
fn check_parts(
    plan: &StudyPlan,
    parts: &NamedParts,
    named: &str,
    context: &CommandContext,
) -> Result<()> {
    let mut ways = Vec::new();
    let chair = Chair::first("debater");
    let missing_models = parts.models.iter().filter(|model| {
        let player = context.seats.find_player(model, &chair);
        matches!(player, Err(CastError::NoSuchModel { .. }))
    });
    let missing_models: BTreeSet<String> = missing_models.cloned().collect();
    let mut lacks = Vec::new();
    if !missing_models.is_empty() {
        lacks.push(format!(
            "no configured model is called {}",
            join_names(&missing_models)
        ));
        ways.extend(
            missing_models
                .iter()
                .map(|name| format!("--model {}", shell_word(&format!("{name}=MODEL")))),
        );
    }
    let missing_datasets = parts.datasets.iter().filter(|dataset| {
        let spec: Result<DatasetSpec, _> = dataset.parse();
        spec.is_ok_and(|spec| !Path::new(&spec.path).exists())
    });
    let missing_datasets: BTreeSet<String> = missing_datasets.cloned().collect();
    if !missing_datasets.is_empty() {
        lacks.push(format!("here is no file {}", join_names(&missing_datasets)));
        ways.extend(
            missing_datasets
                .iter()
                .map(|name| format!("--dataset {}", shell_word(&format!("{name}=FILE")))),
        );
    }
    if lacks.is_empty() {
        return Ok(());
    }
    bail!(
        "{} cannot be played: {}; name your own: elenchus study {} {} (docs/studies.md has simulated models and says \
         where the data is from)",
        plan.name,
        lacks.join(", and "),
        shell_word(named),
        ways.join(" ")
    )
}
