//! `elenchus verify`: whether journals are what was written.
//!
//! Chains are checked by themselves and against the heads that others remember: run journals hold
//! those of their sessions, the cache those that it last saw. Sessions are folded as well.

use super::args::VerifyArgs;
use super::exit::Exit;
use super::page::{self, counted};
use super::parcel::{JOURNAL, first_kind, heads_of};
use super::workshop::Workshop;
use crate::debate::SessionId;
use crate::driver::desk::read_queue;
use crate::driver::prompt_desk::changed_texts;
use crate::driver::tries::read_ab_journal;
use crate::driver::{DriverError, read_run, read_session, runs, summaries, watermarks};
use crate::exchange::{Keep, visible};
use crate::store::{Cache, Head, Layout, StoreError, verify_journal};
use anyhow::bail;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a journal holds, as far as this command goes into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Session,
    Run,
    Queue,
    /// A sample of a tried prompt.
    Sample,
    /// Two prompts compared.
    Comparison,
    /// Memory, notes, judging passes: their chains are checked.
    Other,
}

struct Journal {
    kind: Kind,
    path: PathBuf,
    known: Vec<Head>,
}

/// What was found, ready to be printed.
#[derive(Default)]
struct Findings {
    files: BTreeMap<Kind, usize>,
    lines: u64,
    broken_files: usize,
    /// Kept texts of prompts that are not what was kept.
    changed_texts: usize,
    faults: Vec<String>,
    notices: Vec<String>,
}

/// Checks journals, and builds the cache anew when asked to.
///
/// # Errors
/// When a named file is not there or a folder cannot be listed. Broken journals are no error but a
/// finding: [`Exit::Broken`].
pub fn run(args: &VerifyArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let cache = shop.cache();
    let journals = if args.file.is_empty() {
        whole_store(shop, &cache)?
    } else {
        named(shop, &cache, &args.file)?
    };
    let mut findings = Findings::default();
    for journal in &journals {
        findings.check(journal)?;
    }
    if args.file.is_empty() {
        let changed = changed_texts(&shop.layout)?;
        findings.changed_texts = changed.len();
        findings.faults.extend(changed);
    }
    for notice in &findings.notices {
        page::notice(&format!("notice: {notice}"));
    }
    page::out(&findings.text())?;
    if args.repair_cache {
        repair(shop, &cache)?;
    }
    Ok(if findings.faults.is_empty() {
        Exit::Fine
    } else {
        Exit::Broken
    })
}

impl Findings {
    fn check(&mut self, journal: &Journal) -> anyhow::Result<()> {
        let found = verify_journal(&journal.path, &journal.known)?;
        *self.files.entry(journal.kind).or_default() += 1;
        self.lines += found.head.lines;
        self.notices
            .extend(found.notices.iter().map(ToString::to_string));
        let before = self.faults.len();
        self.faults
            .extend(found.broken.iter().map(ToString::to_string));
        self.faults
            .extend(found.lost.iter().map(ToString::to_string));
        if found.broken.is_none() {
            match journal.kind {
                Kind::Session | Kind::Sample => {
                    self.fold(read_session(&journal.path).map(drop));
                }
                Kind::Comparison => self.fold(read_ab_journal(&journal.path).map(drop)),
                Kind::Run => self.fold(read_run(&journal.path).map(drop)),
                Kind::Queue => match read_queue(&journal.path) {
                    Err(DriverError::Invalid(why)) => self.faults.push(why),
                    read => self.fold(read.map(drop)),
                },
                Kind::Other => {}
            }
        }
        self.broken_files += usize::from(self.faults.len() > before);
        Ok(())
    }

    /// A chain that holds can still tell what cannot have happened, or what this version does not
    /// know.
    fn fold(&mut self, folded: Result<(), DriverError>) {
        let Err(error) = folded else { return };
        match error {
            DriverError::Misfit {
                path,
                line,
                refusal,
            } => self.faults.push(format!(
                "{path}:{line}: the event does not fit what happened before it: {refusal}"
            )),
            DriverError::UnknownEvent { .. }
            | DriverError::Empty { .. }
            | DriverError::Invalid(_)
            | DriverError::Game(_)
            | DriverError::Prompt(_)
            | DriverError::Cast(_)
            | DriverError::Call(_)
            | DriverError::Retrieve(_)
            | DriverError::NoSuch { .. }
            | DriverError::Ambiguous { .. } => self.notices.push(error.to_string()),
            // The chain was whole a moment ago: somebody changes the file.
            DriverError::Store(_) | DriverError::Refused(_) => self.faults.push(error.to_string()),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for fault in &self.faults {
            text.push_str(&format!("broken: {}\n", visible(fault, Keep::Nothing)));
        }
        let count = |kind| self.files.get(&kind).copied().unwrap_or(0);
        let tries = count(Kind::Sample) + count(Kind::Comparison);
        let tried = match tries {
            0 => String::new(),
            _ => format!(
                " (of tries/ {} and {})",
                counted(count(Kind::Sample), "sample"),
                counted(count(Kind::Comparison), "comparison")
            ),
        };
        let others = count(Kind::Queue) + count(Kind::Other) + tries;
        text.push_str(&format!(
            "checked {}, {} and {}{tried}: {}, {}\n",
            counted(count(Kind::Session), "session"),
            counted(count(Kind::Run), "run"),
            counted(others, "other journal"),
            counted(usize::try_from(self.lines).unwrap_or(usize::MAX), "event"),
            match self.broken_files + self.changed_texts {
                0 => "nothing is broken".to_owned(),
                _ if self.broken_files == 0 =>
                    format!("{} changed", counted(self.changed_texts, "kept prompt")),
                1 => "1 journal is broken".to_owned(),
                many => format!("{many} journals are broken"),
            }
        ));
        text
    }
}

/// Returns the heads that run journals and the cache remember of sessions.
fn known_heads(shop: &Workshop, cache: &Cache) -> anyhow::Result<BTreeMap<SessionId, Vec<Head>>> {
    let mut known: BTreeMap<SessionId, Vec<Head>> = BTreeMap::new();
    // Runs that cannot be read are reported when their own turn comes.
    for run in runs(&shop.layout)?.0 {
        for (session, head) in heads_of(&run) {
            known.entry(session).or_default().push(head);
        }
    }
    for (session, head) in watermarks(cache) {
        known.entry(session).or_default().push(head);
    }
    Ok(known)
}

fn whole_store(shop: &Workshop, cache: &Cache) -> anyhow::Result<Vec<Journal>> {
    let layout = &shop.layout;
    let mut known = known_heads(shop, cache)?;
    let mut journals = Vec::new();
    for id in layout.sessions()? {
        journals.push(Journal {
            kind: Kind::Session,
            path: layout.session(&id)?,
            known: known.remove(&SessionId::new(id)).unwrap_or_default(),
        });
    }
    // What is remembered and gone was deleted, or never came along: its run can be resumed.
    for id in layout.runs()? {
        journals.push(Journal {
            kind: Kind::Run,
            path: layout.run(&id)?,
            known: Vec::new(),
        });
    }
    for name in layout.queues()? {
        journals.push(Journal {
            kind: Kind::Queue,
            path: layout.queue(&name)?,
            known: Vec::new(),
        });
    }
    let tries = layout.tries();
    for id in tries.sessions()? {
        journals.push(Journal {
            kind: Kind::Sample,
            path: tries.session(&id)?,
            known: Vec::new(),
        });
    }
    for id in tries.comparisons()? {
        journals.push(Journal {
            kind: Kind::Comparison,
            path: tries.comparison(&id)?,
            known: Vec::new(),
        });
    }
    for path in others(layout)? {
        journals.push(Journal {
            kind: Kind::Other,
            path,
            known: Vec::new(),
        });
    }
    Ok(journals)
}

fn others(layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let mut paths = Vec::new();
    for namespace in layout.namespaces()? {
        paths.extend(layout.memory_journals(&namespace)?);
        paths.extend(layout.guard_journals(&namespace)?);
        paths.extend(layout.trial_journals(&namespace)?);
    }
    for annotator in layout.annotators()? {
        paths.push(layout.notes(&annotator)?);
    }
    for annotator in layout.all_sights()? {
        paths.push(layout.sights(&annotator)?);
    }
    for pass in layout.passes()? {
        paths.push(layout.pass(&pass)?);
    }
    for person in layout.prompt_books()? {
        paths.push(layout.prompt_book(&person)?);
    }
    for session in layout.sheets()? {
        paths.push(layout.sheet(&session)?);
    }
    Ok(paths)
}

fn named(shop: &Workshop, cache: &Cache, files: &[PathBuf]) -> anyhow::Result<Vec<Journal>> {
    let known = known_heads(shop, cache)?;
    let mut journals = Vec::new();
    for path in files {
        if path.is_dir() {
            bail!(
                "{} is a folder; name journals (files ending with {JOURNAL}), or nothing for the whole store",
                path.display()
            );
        }
        journals.push(Journal {
            kind: kind_of(path)?,
            path: path.clone(),
            known: known_of(shop, path, &known),
        });
    }
    Ok(journals)
}

/// Tells what a file holds by its first event; a chain that is broken is no session to be folded.
fn kind_of(path: &Path) -> anyhow::Result<Kind> {
    match first_kind(path) {
        Ok(Some(kind)) if kind == "created" => Ok(Kind::Session),
        Ok(Some(kind)) if kind == "begun" => Ok(Kind::Run),
        Ok(Some(kind)) if kind == "defined" => Ok(Kind::Queue),
        Ok(Some(_) | None) | Err(DriverError::Store(StoreError::Broken { .. })) => Ok(Kind::Other),
        Err(error) => Err(error.into()),
    }
}

/// Heads are remembered of the store's own journals; a copy elsewhere may rightly be older.
fn known_of(shop: &Workshop, path: &Path, known: &BTreeMap<SessionId, Vec<Head>>) -> Vec<Head> {
    let id = path
        .file_name()
        .and_then(|name| name.to_str())
        .and_then(|name| name.strip_suffix(JOURNAL));
    let own = id
        .and_then(|id| shop.layout.session(id).ok())
        .and_then(|own| own.canonicalize().ok());
    match (id, own) {
        (Some(id), Some(own)) if path.canonicalize().is_ok_and(|path| path == own) => {
            known.get(&SessionId::new(id)).cloned().unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn repair(shop: &Workshop, cache: &Cache) -> anyhow::Result<()> {
    if let Some(why) = cache.why_off() {
        bail!("the cache was not built anew: {why}");
    }
    cache.clear();
    let (built, _) = summaries(&shop.layout, cache)?;
    cache.flush();
    page::notice(&format!(
        "the cache was built anew from {}",
        counted(built.len(), "session")
    ));
    Ok(())
}
