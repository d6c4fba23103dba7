//! Actions of the workbench, by name: bound by keys, listed by the palette, described by the help.
//!
//! Their names are the vocabulary of the key file; a screen answers actions and never reads keys
//! itself, except where text is typed.

use serde::Deserialize;

macro_rules! actions {
    ($($(#[doc = $help:literal])+ $variant:ident = $name:literal,)+) => {
        /// Something a person can ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        pub enum Action {
            $($(#[doc = $help])+ #[serde(rename = $name)] $variant,)+
        }

        impl Action {
            /// Every action, in the order the help lists them.
            pub const ALL: &[Action] = &[$(Action::$variant,)+];

            /// Returns the name in key files and in the palette.
            pub fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)+ }
            }

            /// Returns what it does, in one sentence.
            pub fn help(self) -> &'static str {
                match self { $(Action::$variant => concat!($($help),+).trim_ascii(),)+ }
            }
        }
    };
}

actions! {
    /// Leave this screen or overlay; in an editor, leave it without using the text.
    Back = "back",
    /// Quit; asks while something runs.
    Quit = "quit",
    /// Interrupt what is going on here; when nothing is, quit.
    Interrupt = "interrupt",
    /// Suspend the program to the shell.
    Suspend = "suspend",
    /// Show the keys of this screen.
    Help = "help",
    /// List every command by name.
    Palette = "palette",
    /// Choose a theme, with a preview.
    Themes = "themes",
    /// Mask or show what models and topics say, for work in public.
    Mask = "mask",
    /// Draw the whole screen again.
    Redraw = "redraw",

    /// One line or row up.
    Up = "up",
    /// One line or row down.
    Down = "down",
    /// Half a page up.
    PageUp = "page-up",
    /// Half a page down.
    PageDown = "page-down",
    /// To the beginning.
    Top = "top",
    /// To the end; in a transcript, follow what arrives.
    Bottom = "bottom",
    /// The pane or field to the left.
    Left = "left",
    /// The pane or field to the right.
    Right = "right",
    /// The next pane or field.
    FocusNext = "focus-next",
    /// The pane or field before.
    FocusPrevious = "focus-previous",
    /// Open or use what is chosen.
    Open = "open",
    /// Search here.
    Search = "search",
    /// The next match.
    SearchNext = "search-next",
    /// The match before.
    SearchPrevious = "search-previous",
    /// Undo what was done last.
    Undo = "undo",
    /// Redo what was undone.
    Redo = "redo",

    /// Begin a new debate.
    New = "new",
    /// Filter the list while you type.
    Filter = "filter",
    /// Search the text of all sessions.
    SearchAll = "search-all",
    /// Sort by the next column.
    Sort = "sort",
    /// Reverse order.
    SortReverse = "sort-reverse",
    /// Group by run, by topic, or not at all.
    Group = "group",
    /// Give the session a name.
    Rename = "rename",
    /// Add a tag, or take one away with a minus before it.
    Tag = "tag",
    /// Move the session to the trash; undo brings it back.
    Delete = "delete",
    /// Export the session as a file.
    Export = "export",
    /// Mark the session as the left side of a comparison.
    Mark = "mark",
    /// Open long-term memory: lessons and guardrails.
    Memory = "memory",
    /// Validate evaluators against people's labels.
    Validate = "validate",

    /// Edit prompts, see what they show, and try them.
    Prompts = "prompts",
    /// Save the text to its file; the earlier text stays among the versions.
    SavePrompt = "save-prompt",
    /// List the versions of the prompt, and go back to one.
    Versions = "versions",
    /// Accept the text as it is now, where it is pinned.
    AcceptPrompt = "accept-prompt",
    /// Choose the recorded turn that is shown.
    ChooseTurn = "choose-turn",
    /// Ask the recorded turn again with this text.
    TryPrompt = "try-prompt",
    /// Compare two prompts on many recorded turns.
    ComparePrompts = "compare-prompts",
    /// Ask for more samples.
    MoreSamples = "more-samples",
    /// Continue the debate with each reply.
    RollForward = "roll-forward",
    /// Ask again, without cached replies.
    AskAnew = "ask-anew",
    /// Adopt the sample: it becomes a fork of the recorded session.
    Adopt = "adopt",

    /// Take the next label set, to label by or to validate against.
    NextSet = "next-set",
    /// Switch which label is positive.
    SwitchPositive = "switch-positive",
    /// Include or leave out labels that were not given blind.
    CountUnblinded = "count-unblinded",

    /// Find entries, or guardrails, by what they mean.
    SearchMemory = "search-memory",
    /// Type a topic and see exactly what a debate about it would be shown, and which guardrails it would ask.
    TryTopic = "try-topic",
    /// List guardrails instead of lessons, or lessons again.
    OtherKind = "guardrails",
    /// Accept the guardrail; what it does to harmless prompts is shown first.
    AcceptGuardrail = "accept-guardrail",
    /// Reject the guardrail; it stays listed.
    RejectGuardrail = "reject-guardrail",
    /// Write an entry, or a guardrail, of your own.
    AddEntry = "add-entry",
    /// Give the entry or guardrail a new text; earlier ones stay readable.
    EditEntry = "edit-entry",
    /// Disable or enable the entry or guardrail for new debates.
    DisableEntry = "disable-entry",
    /// Delete the entry or guardrail, or restore a deleted one.
    DeleteEntry = "delete-entry",
    /// List or hide deleted entries.
    ListDeleted = "list-deleted",
    /// Leave the entry out: repeat a debate with and without it.
    LeaveOut = "leave-out",

    /// Label the turns of a queue, one after the other.
    Annotate = "annotate",
    /// Label the turn under the cursor.
    Label = "label",
    /// Show the codebook.
    Codebook = "codebook",
    /// Flag it for another look, or remove the flag.
    Flag = "flag",
    /// Unfold or fold earlier turns.
    SaidBefore = "said-before",
    /// Show the verdicts, or all of what the seat saw; later labels on this session are then not blind.
    Reveal = "reveal",
    /// The next turn without a label.
    NextUnlabelled = "next-unlabelled",
    /// Name the annotators, or hide their names.
    Names = "names",

    /// Play one turn.
    StepTurn = "step-turn",
    /// Play one stage.
    StepStage = "step-stage",
    /// Play one round.
    StepRound = "step-round",
    /// Play to the end.
    RunToEnd = "run-to-end",
    /// Pause after the calls in flight.
    Pause = "pause",
    /// Stop the stream under the cursor.
    StopStream = "stop-stream",
    /// Try again what failed.
    Retry = "retry",
    /// See exactly what a seat is shown: of the turn under the cursor, or of the open step.
    Inspect = "inspect",
    /// Edit the reply under the cursor, or the message in the inspector.
    Edit = "edit",
    /// The same in your own editor.
    EditOutside = "edit-outside",
    /// Ask the seat again, one or more times, and choose.
    Reroll = "reroll",
    /// Choose between the attempts of this turn.
    Attempts = "attempts",
    /// Take the turn yourself.
    TakeOver = "take-over",
    /// Give the verdict yourself.
    GiveVerdict = "give-verdict",
    /// Fork the debate after the turn under the cursor.
    Fork = "fork",
    /// Show the tree of forks.
    Tree = "tree",
    /// Compare with the parent, the marked session or any other.
    Compare = "compare",
    /// Judge both sides again.
    Rejudge = "rejudge",
    /// Show differences to the same seat's round before.
    Difference = "difference",
    /// Fold or unfold identical refusals.
    Fold = "fold",
    /// Write a note on the turn under the cursor.
    Note = "note",
    /// Copy the text under the cursor.
    Copy = "copy",
    /// Read the text under the cursor in your pager.
    Pager = "pager",
    /// The next turn, in all panes.
    NextTurn = "next-turn",
    /// The turn before, in all panes.
    PreviousTurn = "previous-turn",
    /// The first turn judged unsafe.
    FirstUnsafe = "first-unsafe",
    /// The next turn on which verdicts disagree.
    NextDisagreement = "next-disagreement",
    /// One pane over the whole screen, and back.
    Zoom = "zoom",
    /// Make the focused pane narrower.
    Narrower = "narrower",
    /// Make the focused pane wider.
    Wider = "wider",
    /// Give every pane the same width.
    Even = "even",
    /// Show private turns and private reasoning.
    Private = "private",

    /// Label a sample of this run.
    LabelSample = "label-sample",
    /// Pause the run after the calls in flight.
    PauseRun = "pause-run",
    /// Resume the run.
    ResumeRun = "resume-run",
}
