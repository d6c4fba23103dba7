//! What came of deeds.

use super::deed::{Revealing, Ticket, Work};
use super::prompt_talk::PromptTold;
use super::run_talk::RunTold;
use super::try_talk::TryTold;
use crate::debate::event::Record;
use crate::debate::{Document, RunId, SessionId, State, StepId};
use crate::driver::desk::{
    Drawn, Finding, Glance, LabelRole, Margins, MarkId, PassTiding, PassVerdict, Prepared, Sheet,
    Spot, StandingLabel, Tree, Unblinding, Unread,
};
use crate::driver::live::{Preview, Tiding};
use crate::driver::memory_desk::{
    AblationReport, Changed, EntryId, Firings, GuardChanged, GuardId, GuardSearch, GuardShelf,
    NamespaceGlance, PlannedAblation, Search, Shelf, Uses, WouldAsk, WouldShow,
};
use crate::driver::validate::Validated;
use crate::driver::{LabelBook, Ordered, ReplyForm};
use crate::prompt::LabelHint;
use crate::tui::keep::Draft;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Something a screen learns. Everything told of a session is durable.
#[derive(Debug, Clone)]
pub enum Told {
    Listed(Result<Arc<Listing>, String>),
    /// A part of the list; `more` while others follow.
    Summed {
        batch: Arc<Vec<Result<Glance, Unread>>>,
        more: bool,
    },
    Found(Arc<Finding>),
    SearchOver,
    Opened(SessionId, Result<Arc<Opened>, String>),
    /// Another process appended to a session that is being followed.
    Grew(SessionId, Arc<Vec<Record>>),
    /// Nobody drives the session any more, or somebody else does.
    DrivenBy(SessionId, Option<String>),
    Taken(SessionId),
    NotTaken(SessionId, String),
    Released(SessionId),
    Live(SessionId, Arc<Tiding>),
    Previewed(SessionId, StepId, Result<Arc<Preview>, String>),
    Forked {
        parent: SessionId,
        result: Result<(SessionId, Arc<Opened>), String>,
    },
    Tree(SessionId, Result<Arc<Tree>, String>),
    /// What stands in all margins now; the id takes back what was just written.
    Margins(Result<(Arc<Margins>, Option<MarkId>), String>),
    Deleted(SessionId, Result<(), String>),
    BroughtBack(SessionId, Result<(), String>),
    Exported(Result<PathBuf, String>),
    /// Where a copied text went, in words: never "copied", for nobody can know.
    Copied(Result<String, String>),
    Edited(Ticket, Result<String, String>),
    Pass(Arc<PassTiding>),
    PassesRead(Arc<Vec<PassVerdict>>),
    Library(Result<Arc<LibraryList>, String>),
    GameRead(String, Result<Arc<GameCard>, String>),
    RowsRead(String, Result<Arc<Vec<RowCard>>, String>),
    DocumentRead(PathBuf, Result<Arc<Document>, String>),
    Prepared(Ticket, Result<Arc<Prepared>, String>),
    Begun(Result<(SessionId, Arc<Opened>), String>),
    Memory(MemoryTold),
    Validated(Ticket, Result<Arc<Validated>, String>),
    Annotate(AnnotateTold),
    Prompt(PromptTold),
    Try(TryTold),
    Run(RunTold),
    /// A draft of an earlier time that was never used.
    DraftFound(Draft),
}

/// What came of something that was done with long-term memory.
#[derive(Debug, Clone)]
pub enum MemoryTold {
    Read(Result<Arc<MemoryCard>, String>),
    Found(Ticket, Result<Arc<Ordered<Search>>, String>),
    GuardsFound(Ticket, Result<Arc<Ordered<GuardSearch>>, String>),
    Shown(Ticket, Result<Arc<Ordered<TopicTried>>, String>),
    Uses(EntryId, Result<Arc<Uses>, String>),
    Firings(GuardId, Result<Arc<Firings>, String>),
    /// What was asked for, and what came of it.
    Changed(Result<Arc<Changed>, String>),
    GuardChanged(Result<Arc<GuardChanged>, String>),
    Planned(Ticket, Result<Arc<PlannedAblation>, String>),
    Trial(Arc<TrialTiding>),
}

/// What came of something that was done with labels.
#[derive(Debug, Clone)]
pub enum AnnotateTold {
    Queues(Result<Arc<Vec<QueueLine>>, String>),
    Opened(Work, Result<Arc<AnnotateCard>, String>),
    Sheet(SessionId, Result<Arc<Sheet>, String>),
    /// A label is durable.
    Given(Ticket, Result<Box<StandingLabel>, String>),
    /// It is as if it had never been given; what does it again, and what stands in its place.
    TakenBack(Ticket, Result<(MarkId, Option<Box<StandingLabel>>), String>),
    /// The first on which the person and evaluators disagree.
    Disagrees(Option<usize>),
    /// What stands in everybody's margins, labels among it.
    Margins(Arc<Margins>),
    /// What was hidden; that it was shown is durable.
    Revealed(Spot, Revealing, Result<Arc<Vec<String>>, String>),
}

/// Stands in the place of a session's verdicts while the person who looks at the list labels it.
pub const HIDDEN_VERDICTS: &str = "hidden";

/// A queue in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueLine {
    pub queue: String,
    pub set: String,
    /// How far the person is, with hidden repeats.
    pub labelled: usize,
    pub of: usize,
    /// Who else has labelled anything of it.
    pub others: usize,
}

/// Something to be labelled, as it was opened.
#[derive(Debug, Clone)]
pub struct AnnotateCard {
    pub annotator: String,
    pub book: LabelBook,
    /// The other label sets that single things can be labelled by.
    pub sets: Vec<String>,
    /// What should be known before the first label.
    pub notices: Vec<String>,
    pub posts: Vec<Post>,
    /// What is shown of the session of the first that is not labelled.
    pub sheet: Option<Arc<Sheet>>,
    /// What the person was shown of each session that makes labels on it no longer blind.
    pub saw: BTreeMap<SessionId, BTreeSet<Unblinding>>,
    /// What the person's labels took so far, in milliseconds.
    pub spent_ms: Vec<u64>,
    /// Words of their own that the person has given, the most frequent first.
    pub words: Vec<String>,
}

/// One thing to be labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct Post {
    pub on: Spot,
    pub drawn: Option<Drawn>,
    pub repeat: u32,
    pub role: LabelRole,
    /// The person's label, as it stands.
    pub mine: Option<StandingLabel>,
    /// What others said, where it is to be settled.
    pub others: Vec<StandingLabel>,
}

/// A namespace of long-term memory, and which others there are.
#[derive(Debug, Clone)]
pub struct MemoryCard {
    pub namespaces: Vec<NamespaceGlance>,
    pub shelf: Shelf,
    /// Its guardrails, or why they cannot be read: lessons can then still be looked into.
    pub guards: Result<GuardShelf, String>,
    /// What to tell somebody who has no model yet that knows meanings.
    pub by_words: Option<&'static str>,
}

/// What a debate about a topic would have of memory.
#[derive(Debug, Clone)]
pub struct TopicTried {
    pub shown: WouldShow,
    /// Which guardrails it would ask, or why nobody can say.
    pub asked: Result<WouldAsk, String>,
}

/// How replicates of a debate are getting on.
#[derive(Debug, Clone)]
pub enum TrialTiding {
    Began {
        run: RunId,
        debates: usize,
    },
    /// So many debates are over.
    Over(usize),
    /// No more are played; what they came to. `why` where it ended early.
    Ended {
        report: Result<Box<AblationReport>, String>,
        why: Option<String>,
    },
}

/// Which sessions there are, the newest first.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub sessions: Vec<SessionId>,
    /// The first of them, summed up already: what fits on a screen.
    pub first: Vec<Result<Glance, Unread>>,
    /// Recorded examples that come with the program.
    pub examples: Vec<Glance>,
    pub margins: Margins,
    /// What is configured, in one line.
    pub configured: String,
    /// Sessions that this workbench has in hand.
    pub in_hand: BTreeSet<SessionId>,
    /// When the list was read, RFC 3339, UTC: ages are counted up to it.
    pub now: String,
}

/// A session as it was read.
#[derive(Debug, Clone)]
pub struct Opened {
    /// Shared with the screens that show it.
    pub state: Arc<State>,
    /// Who drives it, if anybody does.
    pub driven_by: Option<String>,
    /// It came from elsewhere.
    pub imported: bool,
    /// It comes with the program: it is not in the store, and whatever changes it makes a fork.
    pub example: bool,
    pub margins: Margins,
    /// What judges may find, by the name of their rubric.
    pub labels: BTreeMap<String, Vec<LabelHint>>,
    /// The forms of rubrics whose verdicts are objects, by the rubric's name.
    pub forms: BTreeMap<String, ReplyForm>,
}

/// The games and models there are.
#[derive(Debug, Clone, Default)]
pub struct LibraryList {
    pub games: Vec<GameLine>,
    pub models: Vec<ModelLine>,
    /// Which servers answer, with which models, in one line; none where none is configured.
    pub servers: Option<String>,
    /// Sits where nobody is named; none where somebody must be.
    pub default_model: Option<String>,
    /// Why it sits there, in words.
    pub default_why: &'static str,
    pub default_protocol: Option<String>,
}

/// A game in a list.
#[derive(Debug, Clone)]
pub struct GameLine {
    pub id: String,
    pub name: String,
    pub description: String,
    /// Where it comes from: built in, the person's, the project's.
    pub origin: String,
}

/// A model in a list.
#[derive(Debug, Clone)]
pub struct ModelLine {
    pub name: String,
    pub simulated: bool,
    /// Provider and price, in words.
    pub about: String,
}

/// A game as it is chosen, with the values its settings have by default.
#[derive(Debug, Clone)]
pub struct GameCard {
    pub protocol: crate::debate::Protocol,
}

/// A row of a data set.
#[derive(Debug, Clone)]
pub struct RowCard {
    pub topic: crate::debate::Topic,
}
