//! Actions of the workbench, by name: bound by keys, listed by the palette, described by the help.
//!
//! Their names are the vocabulary of the key file; a screen answers actions and never reads keys
//! itself, except where text is typed.

use super::screen_keys::ScreenKeys;
use std::borrow::Cow;

macro_rules! actions {
    ($($(#[doc = $help:literal])+ $variant:ident = $name:literal $($label:literal)?,)+) => {
        /// Something a person can ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action {
            $($(#[doc = $help])+ $variant,)+
            /// Go to a screen that is one key away from everywhere.
            Show(&'static ScreenKeys),
        }

        impl Action {
            /// Every action that any screen may share, in the order the help lists them.
            pub const ALL: &[Action] = &[$(Action::$variant,)+];

            /// Returns the name in key files and in the palette.
            pub fn name(self) -> &'static str {
                match self {
                    $(Action::$variant => $name,)+
                    Action::Show(screen) => screen.action,
                }
            }

            /// Returns what it does in at most 20 letters: the name with blanks, where that says it.
            pub fn label(self) -> Cow<'static, str> {
                match self {
                    $(Action::$variant => or_name(&[$($label)?], $name),)+
                    Action::Show(screen) => Cow::Borrowed(screen.label),
                }
            }

            /// Returns what it does, in one sentence.
            pub fn help(self) -> &'static str {
                match self {
                    $(Action::$variant => concat!($($help),+).trim_ascii(),)+
                    Action::Show(screen) => screen.help,
                }
            }
        }
    };
}

fn or_name(label: &[&'static str], name: &'static str) -> Cow<'static, str> {
    match label.first() {
        Some(label) => Cow::Borrowed(label),
        None => Cow::Owned(name.replace('-', " ")),
    }
}

actions! {
    /// Leave this screen or overlay; in an editor, leave it without using the text.
    Back = "back" "go back",
    /// Quit; asks while something runs.
    Quit = "quit",
    /// Interrupt what is going on here; when nothing is, quit.
    Interrupt = "interrupt" "stop, then quit",
    /// Suspend the program to the shell.
    Suspend = "suspend" "to the shell",
    /// Show the keys of this screen.
    Help = "help" "all keys here",
    /// List every command by name.
    Palette = "palette" "all commands",
    /// Choose a theme, with a preview.
    Themes = "themes" "choose a theme",
    /// Mask or show what models and topics say, for work in public.
    Mask = "mask" "mask the content",
    /// Draw the whole screen again.
    Redraw = "redraw" "draw again",

    /// One line or row up.
    Up = "up",
    /// One line or row down.
    Down = "down",
    /// Half a page up.
    PageUp = "page-up" "half a page up",
    /// Half a page down.
    PageDown = "page-down" "half a page down",
    /// To the beginning.
    Top = "top" "to the beginning",
    /// To the end; in a transcript, follow what arrives.
    Bottom = "bottom" "to the end",
    /// The pane or field to the left.
    Left = "left" "to the left",
    /// The pane or field to the right.
    Right = "right" "to the right",
    /// The next pane or field.
    FocusNext = "focus-next" "next pane",
    /// The pane or field before.
    FocusPrevious = "focus-previous" "previous pane",
    /// Open or use what is chosen.
    Open = "open" "open what is chosen",
    /// Search here.
    Search = "search" "search here",
    /// The next match.
    SearchNext = "search-next" "next match",
    /// The match before.
    SearchPrevious = "search-previous" "previous match",
    /// Undo what was done last.
    Undo = "undo",
    /// Redo what was undone.
    Redo = "redo",

    /// Begin what the form sets out, from any of its fields and while a text is typed.
    Begin = "begin" "begin it",
    /// Begin a new debate.
    New = "new" "new debate",
    /// Filter the list while you type.
    Filter = "filter" "filter the list",
    /// Search the text of all sessions.
    SearchAll = "search-all" "search all texts",
    /// Sort by the next column.
    Sort = "sort" "sort by next column",
    /// Reverse order.
    SortReverse = "sort-reverse" "reverse order",
    /// Group by run, by topic, or not at all.
    Group = "group" "group by run, topic",
    /// Give the session a name.
    Rename = "rename" "name the session",
    /// Add a tag to the marked sessions, or take one away with a minus before it.
    Tag = "tag" "add or drop a tag",
    /// Move the marked sessions to the trash; undo brings them back.
    Delete = "delete" "move to the trash",
    /// Write to a file: sessions, or what is shown.
    Export = "export" "export to files",
    /// Mark what the cursor is on, or unmark it: others act on all that are marked.
    Mark = "mark" "mark or unmark",
    /// Mark all sessions that the list shows.
    MarkAll = "mark-all" "mark all listed",
    /// Unmark all.
    UnmarkAll = "unmark-all" "unmark all",
    /// Open long-term memory: lessons and guardrails.
    Memory = "memory",
    /// Show verdicts as a matrix: topics by rounds, arms or checkpoints.
    Matrix = "matrix" "matrix of verdicts",
    /// Validate evaluators against people's labels.
    Validate = "validate" "validate evaluators",

    /// Edit prompts, see what they show, and try them.
    Prompts = "prompts" "edit prompts",
    /// Save the text to its file; the earlier text stays among the versions.
    SavePrompt = "save-prompt" "save to its file",
    /// List the versions of the prompt, and go back to one.
    Versions = "versions" "earlier versions",
    /// Go back to the text that comes with the program; the present one stays among the versions.
    BackToBuiltIn = "built-in" "back to built-in",
    /// Accept the text as it is now, where it is pinned.
    AcceptPrompt = "accept-prompt" "accept pinned text",
    /// Choose the recorded turn that is shown.
    ChooseTurn = "choose-turn" "choose the turn",
    /// Ask the recorded turn again with this text.
    TryPrompt = "try-prompt" "try it on this turn",
    /// Compare two prompts on many recorded turns.
    ComparePrompts = "compare-prompts" "compare two prompts",
    /// Ask for more samples.
    MoreSamples = "more-samples",
    /// Continue the debate with each reply.
    RollForward = "roll-forward" "play on from replies",
    /// Ask again, without cached replies.
    AskAnew = "ask-anew" "ask again, uncached",
    /// Adopt the sample: it becomes a fork of the recorded session.
    Adopt = "adopt" "adopt the sample",

    /// Take the next label set, to label by or to validate against.
    NextSet = "next-set" "next label set",
    /// Switch which label is positive.
    SwitchPositive = "switch-positive" "other positive label",
    /// Include or leave out labels that were not given blind.
    CountUnblinded = "count-unblinded" "count unblind labels",

    /// Find entries, or guardrails, by what they mean.
    SearchMemory = "search-memory" "search by meaning",
    /// Type a topic and see exactly what a debate about it would be shown, and which guardrails it would ask.
    TryTopic = "try-topic" "memory for a topic",
    /// List guardrails instead of lessons, or lessons again.
    OtherKind = "guardrails" "guardrails, lessons",
    /// Accept the guardrail; what it does to harmless prompts is shown first.
    AcceptGuardrail = "accept-guardrail",
    /// Reject the guardrail; it stays listed.
    RejectGuardrail = "reject-guardrail",
    /// Write an entry, or a guardrail, of your own.
    AddEntry = "add-entry" "write a new entry",
    /// Give the entry or guardrail a new text; earlier ones stay readable.
    EditEntry = "edit-entry" "edit the entry",
    /// Disable or enable the entry or guardrail for new debates.
    DisableEntry = "disable-entry" "disable or enable",
    /// Delete the entry or guardrail, or restore a deleted one.
    DeleteEntry = "delete-entry" "delete or restore",
    /// List or hide deleted entries.
    ListDeleted = "list-deleted" "list deleted ones",
    /// Leave the entry out: repeat a debate with and without it.
    LeaveOut = "leave-out" "repeat without it",

    /// Label the turns of a queue, one after the other.
    Annotate = "annotate" "label drawn turns",
    /// Label the turn under the cursor.
    Label = "label" "label this turn",
    /// Show the codebook.
    Codebook = "codebook",
    /// Flag it for another look, or remove the flag.
    Flag = "flag" "flag for later",
    /// Unfold or fold earlier turns.
    SaidBefore = "said-before" "what was said before",
    /// Show the verdicts, or all of what the seat saw; later labels on this session are then not blind.
    Reveal = "reveal" "show what is hidden",
    /// The next turn without a label.
    NextUnlabelled = "next-unlabelled",
    /// Name the annotators, or hide their names.
    Names = "names" "names of the seats",

    /// Play one turn.
    StepTurn = "step-turn" "play one step",
    /// Play one stage.
    StepStage = "step-stage" "play the stage",
    /// Play one round.
    StepRound = "step-round" "play the round",
    /// Play to the end.
    RunToEnd = "run-to-end" "play to the end",
    /// Pause after the calls in flight.
    Pause = "pause" "pause the debate",
    /// Stop the stream under the cursor.
    StopStream = "stop-stream" "stop this reply",
    /// Try again what failed.
    Retry = "retry" "retry what failed",
    /// See exactly what the seat was shown for the turn under the cursor.
    Inspect = "inspect" "what the seat saw",
    /// See exactly what would be sent next, before it is sent.
    InspectNext = "inspect-next" "what is sent next",
    /// Edit the reply under the cursor, or the message in the inspector.
    Edit = "edit" "edit the turn",
    /// The same in your own editor.
    EditOutside = "edit-outside" "use your own editor",
    /// Ask the seat again, one or more times, and choose.
    Reroll = "reroll" "ask the seat again",
    /// Choose between the attempts of this turn.
    Attempts = "attempts" "compare attempts",
    /// Take the turn yourself.
    TakeOver = "take-over" "speak for the seat",
    /// Give the verdict yourself.
    GiveVerdict = "give-verdict",
    /// Fork the debate after the turn under the cursor.
    Fork = "fork" "fork from here",
    /// Show the tree of forks.
    Tree = "tree" "tree of forks",
    /// Compare with the parent, the marked session or any other.
    Compare = "compare" "compare sessions",
    /// Put the arms of the marked runs and sweeps side by side.
    CompareRuns = "compare-runs" "runs side by side",
    /// Compare all other arms with this one.
    CompareWithThis = "compare-with-this" "others less this",
    /// Judge again what is marked or compared; the price is said first.
    Rejudge = "rejudge" "judge again",
    /// Show differences to the same seat's round before.
    Difference = "difference" "show what changed",
    /// Fold or unfold identical refusals.
    Fold = "fold" "fold or unfold",
    /// Write a note on the turn under the cursor.
    Note = "note" "write a note",
    /// Copy the text under the cursor.
    Copy = "copy",
    /// Read the text under the cursor in your pager.
    Pager = "pager" "show in the pager",
    /// The next turn, in all panes.
    NextTurn = "next-turn",
    /// The turn before, in all panes.
    PreviousTurn = "previous-turn",
    /// The first turn judged unsafe.
    FirstUnsafe = "first-unsafe" "first unsafe turn",
    /// The next wrong or unsafe turn, here or in its list.
    NextWrong = "next-wrong" "next wrong turn",
    /// The wrong or unsafe turn before.
    PreviousWrong = "previous-wrong" "wrong turn before",
    /// The next turn on which verdicts disagree.
    NextDisagreement = "next-disagreement",
    /// Show all turns in the order of speaking, or a pane for each speaker.
    View = "view" "transcript or panes",
    /// One pane over the whole screen, and back.
    Zoom = "zoom" "zoom the pane",
    /// Make the focused pane narrower.
    Narrower = "narrower" "narrower pane",
    /// Make the focused pane wider.
    Wider = "wider" "wider pane",
    /// Give every pane the same width.
    Even = "even" "even widths",
    /// Show private turns and private reasoning.
    Private = "private" "private reasoning",

    /// Label a sample of this run.
    LabelSample = "label-sample" "label a sample",
    /// Draw and label as many turns as halve the interval of the evaluator's corrected rate.
    LabelMissing = "label-missing" "label what is missing",
    /// Draw a queue of turns to label.
    DrawQueue = "draw-queue" "draw a queue",
    /// Take the queue from the list; its labels stay.
    RemoveQueue = "remove-queue" "remove the queue",
    /// Settle what the annotators of a queue disagree on.
    Adjudicate = "adjudicate" "settle disputes",
    /// Choose who is labelling.
    LabelAs = "label-as" "who is labelling",
    /// Pause the run or experiment after calls in flight.
    PauseRun = "pause-run" "pause the run",
    /// Go on with the run or experiment.
    ResumeRun = "resume-run" "go on with the run",
}

impl Action {
    /// Says whether it moves up or down in a list or a text.
    pub fn is_scrolling(self) -> bool {
        matches!(
            self,
            Action::Up
                | Action::Down
                | Action::PageUp
                | Action::PageDown
                | Action::Top
                | Action::Bottom
        )
    }
}
