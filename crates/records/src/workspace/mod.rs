//! Workspace: what a store holds, as objects. It never calls a model and shows nothing.
//!
//! ```text
//! session, tail             an open session; a session that another process writes, read as it grows
//! session_list, session_summary   sessions as lists show them; session_filter leaves some out
//! index_turns               when the index is read and written
//! store_watch, folder_watch what was written into the store, or a folder, by whomever
//! draft, file_writer        texts that are being written; the thread that writes small files
//! store_index, entry_form   what was derived from journals, kept in the store's index; how it is written
//! known_reports             reports that were computed, kept there as well
//! arrival                   order in which journals came, which imported ids and times do not decide
//! find                      sessions and runs by their ids
//! fork, bare_forks, trash   forks of sessions, those that a kill left with nothing in them, deletion
//! experiment, experiment_items   what journals of experiments have in common; a journal for new kinds
//! experiment_progress       how one goes on, by the times of its lines
//! repeat_key                under which one was begun, so that the same command goes on with it
//! whole_runs                runs that are played in parts, found and read as a whole
//! run, sweep, pass          events and folds of runs, sweeps and passes; `experiments` performs them
//! rows                      debates as rows that metrics read
//! annotations               labels, notes, tags and names, one journal per annotator
//! memory                    lessons and guardrails of a namespace
//! prompts                   prompts, their versions, labels and pins
//! journal_kind, journal_lines, sources   kinds of journals, their lines, and all journals of a store
//! journals                  whether journals are whole, and their way to other stores
//! latencies                 how long earlier replies took, by model
//! unpriced, typed_price     models without prices
//! examples, topics, new_file   example sessions, topic files, files named by a person
//! store_context, clock, log, error   context of a person's commands, time and ids, log, errors
//! ```

pub mod annotations;
mod arrival;
mod bare_forks;
mod clock;
mod draft;
mod entry_form;
mod error;
mod examples;
mod experiment;
mod experiment_items;
mod experiment_progress;
mod file_writer;
mod find;
mod folder_watch;
mod fork;
mod fork_words;
mod index_turns;
mod journal_kind;
mod journal_lines;
pub mod journals;
mod known_reports;
mod latencies;
pub mod log;
pub mod memory;
mod store_context;

mod new_file;
mod no_content;
mod partial_reply;
pub mod pass;
pub mod prompts;
mod read_ahead;
mod repeat_key;
pub mod rows;
pub mod run;
mod session;
mod session_filter;
mod session_list;
mod session_summary;
mod sources;
mod store_index;
mod store_watch;
pub mod sweep;
mod tail;
mod topics;
mod trash;
mod typed_price;
mod unpriced;
mod whole_runs;

pub use arrival::{arrival_ms, id_ms, newest_first, sort_newest_first};
pub use bare_forks::sweep_bare_forks;
pub use clock::{Clock, parse_milliseconds, to_the_minute};
pub use draft::Draft;
pub use elenchus_game::judge::{FollowUp, LabelChoice, LabelSet, SeatNames, TableSide};
pub use elenchus_memory::{
    EntryId, EntryKind, EntryStatus, GuardAcceptance, GuardReport, GuardStatus, MAX_EXAMPLES,
    MatchShare, MemoryEntry,
};
pub use elenchus_store::{Hash, Import, import_of, lies_in, panics_are_caught, replace_private};
pub use error::{CastError, Result, WorkspaceError, reject};
pub use examples::{Example, example_of, is_example, list_examples};
pub use experiment::{
    BudgetFields, ExperimentEvent, ExperimentSetup, ExperimentSummary, ItemCounts, ProgressMark,
    Standing, fold_experiment, is_cost_known,
};
pub use experiment_items::{ItemEvent, ItemPlan, ItemState};
pub use experiment_progress::{Pace, Progress, read_progress};
pub use file_writer::FileWriter;
pub use find::{
    LAST, Unreadable, find_journal, find_run, find_session, read_runs, refuse_case_twin,
};
pub use folder_watch::{FolderWatch, Listens, WatchedChanges, WatchedFolder};
pub use fork::{ForkOmissions, ForkPoint, Reopen, fork_into, fork_point, fork_session, turn_of};
pub use fork_words::describe_fork;
pub use index_turns::{
    IndexTurns, read_rows_index, read_sessions_index, read_topics_index, read_validation_index,
};
pub use journal_kind::{Intake, JournalKind, ResumedJournal, has_fields, resume_journal};
pub use known_reports::ReportKey;
pub use latencies::EarlierLatencies;
pub use no_content::write_no_content;
pub use store_context::StoreContext;

pub use new_file::{
    ExistingFile, FileError, refuse_existing, stream_new_private, stream_private_export,
    write_export, write_new, write_new_private,
};
pub use partial_reply::{PartialReply, PartialWriter, WorstCaseUse};
pub use read_ahead::read_ahead;
pub use repeat_key::RepeatKey;
pub use session::{
    Session, SessionJournal, fold_records, read_records, read_session, read_session_text,
    read_session_without_views,
};
pub use session_filter::{FilteredSession, SessionFilter, has_verdict};
pub use session_list::{
    SessionOverview, SummaryStream, UnreadableSession, all_overviews, example_overviews,
    list_overviews, list_sessions, newest_sessions,
};
pub use session_summary::{HIDDEN_VERDICTS, SessionStatus, Summary, summarize_session};
pub use sources::{
    IncompleteSource, copied_journals, copied_sessions, copy_error, find_session_copies,
    incomplete_sources, journals_of_store, missing_journals, missing_sessions,
};
pub use store_index::StoreIndex;
pub use store_watch::{Settling, StoreWatch};
pub use tail::Tail;
pub use topics::{read_document, topics_of};
pub use trash::{delete_session, restore_session};
pub use typed_price::{Price, TypedPrice};
pub use unpriced::{Unpriced, format_prices};
pub use whole_runs::{WholeRuns, find_whole_runs, list_runs_of, read_whole_run};
