//! Help texts of actions: the group that each is listed in, and its sentence on a screen where it means
//! something else than elsewhere.

use super::action::Action;
use super::defaults::Context;

/// What actions are for; the help lists its groups in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HelpGroup {
    Play,
    Change,
    Look,
    Find,
    Label,
    Write,
    Move,
    Go,
    Program,
}

impl HelpGroup {
    pub(crate) const ALL: [Self; 9] = [
        Self::Play,
        Self::Change,
        Self::Look,
        Self::Find,
        Self::Label,
        Self::Write,
        Self::Move,
        Self::Go,
        Self::Program,
    ];

    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Play => "Play",
            Self::Change => "Change",
            Self::Look => "Look",
            Self::Find => "Find, sort and mark",
            Self::Label => "Label",
            Self::Write => "Copy and write",
            Self::Move => "Move",
            Self::Go => "Go",
            Self::Program => "The program",
        }
    }
}

impl Context {
    /// Says whether something can be taken back there.
    pub(crate) fn has_undo(self) -> bool {
        matches!(
            self,
            Context::Sessions
                | Context::Debate
                | Context::Searching
                | Context::Inspector
                | Context::Memory
                | Context::PromptEditor
                | Context::Annotate
                | Context::Form
                | Context::NewDebate
                | Context::Screen(_)
        )
    }
}

impl Action {
    /// Returns the group that the help lists it in.
    pub(crate) fn help_group(self) -> HelpGroup {
        match self {
            Action::Begin
            | Action::New
            | Action::StepTurn
            | Action::StepStage
            | Action::StepRound
            | Action::RunToEnd
            | Action::Pause
            | Action::StopStream
            | Action::Retry
            | Action::Reroll
            | Action::PauseRun
            | Action::ResumeRun
            | Action::MoreSamples
            | Action::RollForward
            | Action::AskAnew
            | Action::TryPrompt
            | Action::ComparePrompts
            | Action::LeaveOut
            | Action::Rejudge => HelpGroup::Play,
            Action::Edit
            | Action::EditOutside
            | Action::TakeOver
            | Action::GiveVerdict
            | Action::Fork
            | Action::Rename
            | Action::Tag
            | Action::Delete
            | Action::SavePrompt
            | Action::BackToBuiltIn
            | Action::AcceptPrompt
            | Action::Adopt
            | Action::AcceptGuardrail
            | Action::RejectGuardrail
            | Action::AddEntry
            | Action::EditEntry
            | Action::DisableEntry
            | Action::DeleteEntry
            | Action::Note
            | Action::DrawQueue
            | Action::RemoveQueue
            | Action::Undo
            | Action::Redo => HelpGroup::Change,
            Action::Filter
            | Action::Search
            | Action::SearchNext
            | Action::SearchPrevious
            | Action::SearchAll
            | Action::SearchMemory
            | Action::Sort
            | Action::SortReverse
            | Action::Group
            | Action::Mark
            | Action::MarkAll
            | Action::UnmarkAll => HelpGroup::Find,
            Action::Annotate
            | Action::Label
            | Action::LabelSample
            | Action::LabelMissing
            | Action::LabelAs
            | Action::Adjudicate
            | Action::Codebook
            | Action::Flag
            | Action::NextUnlabelled
            | Action::NextSet
            | Action::SwitchPositive
            | Action::CountUnblinded => HelpGroup::Label,
            Action::Copy | Action::Pager | Action::Export => HelpGroup::Write,
            Action::Up
            | Action::Down
            | Action::PageUp
            | Action::PageDown
            | Action::Top
            | Action::Bottom
            | Action::Left
            | Action::Right
            | Action::FocusNext
            | Action::FocusPrevious
            | Action::NextTurn
            | Action::PreviousTurn
            | Action::FirstUnsafe
            | Action::NextWrong
            | Action::PreviousWrong
            | Action::NextDisagreement => HelpGroup::Move,
            Action::Show(_)
            | Action::Back
            | Action::Memory
            | Action::Validate
            | Action::Prompts => HelpGroup::Go,
            Action::Quit
            | Action::Interrupt
            | Action::Suspend
            | Action::Help
            | Action::Palette
            | Action::Themes
            | Action::Mask
            | Action::Redraw => HelpGroup::Program,
            _ => HelpGroup::Look,
        }
    }

    /// Says whether it may cost money, or takes something away: it is never offered for a word that only
    /// its description has.
    pub(crate) fn is_weighty(self) -> bool {
        self.help_group() == HelpGroup::Play
            || matches!(
                self,
                Action::Delete
                    | Action::DeleteEntry
                    | Action::DisableEntry
                    | Action::RemoveQueue
                    | Action::Quit
            )
    }

    /// Returns what it does on a screen, in one sentence.
    pub fn help_in(self, context: Context) -> &'static str {
        let own = match context {
            Context::Sessions => help_in_sessions(self),
            Context::Form | Context::NewDebate => help_in_form(self),
            Context::Debate | Context::Searching => help_in_debate(self),
            Context::Inspector => help_in_inspector(self),
            Context::Compare => help_in_comparison(self),
            Context::Memory => help_in_memory(self),
            Context::Validate => help_in_validation(self),
            Context::Prompts => help_in_prompts(self),
            Context::PromptEditor => help_in_editor(self),
            Context::Try => help_in_trial(self),
            Context::PromptsCompared => help_in_prompt_comparison(self),
            Context::Annotate => help_in_labelling(self),
            Context::Queues => help_in_queues(self),
            Context::Experiments => help_in_experiments(self),
            Context::Matrix => help_in_matrix(self),
            Context::SideBySide => help_in_arms(self),
            Context::Everywhere | Context::List | Context::Screen(_) => None,
        };
        own.unwrap_or_else(|| self.help())
    }
}

fn help_in_sessions(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Open => "Open the session, or fold and unfold a group.",
        Action::RunToEnd => "Play what is marked to its end, or stop that.",
        Action::Tag => "Add a tag, or take one away with a minus before it.",
        Action::Mark => "Mark or unmark: others act on all that are marked.",
        Action::Delete => "Move what is marked to the trash; undo brings it back.",
        Action::Undo => "Undo the last name, tag or deletion.",
        Action::Fork => "Fork the session where it stands.",
        Action::Compare => "Compare with its parent, or the two that are marked.",
        Action::Matrix => "Show verdicts as a matrix: topics by rounds.",
        Action::Left => "Fold the group.",
        Action::Right => "Unfold the group.",
        Action::Export => "Write the marked sessions to files.",
        Action::Rejudge => "Judge what is marked again; the price is said first.",
        _ => return None,
    })
}

fn help_in_form(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Open => "Go on to the next field, or open its list.",
        Action::Left => "The value before.",
        Action::Right => "The next value.",
        Action::FocusNext => "The next field.",
        Action::FocusPrevious => "The field before.",
        Action::Filter => "List the games; letters filter the list.",
        Action::Top => "To the first field.",
        Action::Bottom => "To the last field, which begins.",
        _ => return None,
    })
}

fn help_in_debate(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Edit => "Edit the reply under the cursor; what follows forks.",
        Action::EditOutside => "Edit it in your own editor, from $VISUAL or $EDITOR.",
        Action::Inspect => "See exactly what the seat was shown for this turn.",
        Action::InspectNext => "See exactly what would be sent next.",
        Action::Compare => "Compare with the parent, or the marked session.",
        Action::NextTurn => "The next turn, in all panes.",
        Action::Memory => "Open the memory that this debate is shown.",
        Action::Prompts => "Open the prompt of the turn under the cursor.",
        Action::Open => "See exactly what the seat was shown for this turn.",
        _ => return None,
    })
}

fn help_in_inspector(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Edit => "Edit the message under the cursor before it is sent.",
        Action::EditOutside => "Edit the message in your own editor.",
        Action::StepTurn => "Send it as it stands here: the turn is played.",
        Action::Difference => "Show what changed since this seat's turn before.",
        Action::NextTurn => "The next message.",
        Action::PreviousTurn => "The message before.",
        Action::Left => "The page before.",
        Action::Right => "The next page: messages, request, origins.",
        Action::Undo => "Put the message back as it was.",
        Action::Prompts => "Open the prompt that the message was made by.",
        Action::Memory => "Open the memory that the message quotes.",
        _ => return None,
    })
}

fn help_in_comparison(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::NextTurn => "The next row.",
        Action::PreviousTurn => "The row before.",
        Action::NextDisagreement => "The next row on which the sessions differ.",
        Action::Fold | Action::Open => "Fold or unfold what is the same in both.",
        Action::FocusNext | Action::Right => "The next layout: side by side, one after the other.",
        Action::FocusPrevious | Action::Left => "The layout before.",
        Action::Rejudge => "Judge both again; the price is said first.",
        _ => return None,
    })
}

fn help_in_memory(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::TryTopic => "Type a topic and see what a debate about it is shown.",
        Action::AcceptGuardrail => "Accept the guardrail; its effect is shown first.",
        Action::EditEntry => "Give it a new text; earlier ones stay readable.",
        Action::EditOutside => "Give it a new text in your own editor.",
        Action::Left => "The namespace before.",
        Action::Right => "The next namespace.",
        Action::Undo => "Undo the last change of an entry.",
        Action::Open => "Read the whole entry; there, open the debate it names.",
        _ => return None,
    })
}

fn help_in_validation(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Open => "Open the evaluator, then the turns of the cell.",
        Action::NextSet => "Validate against the next label set.",
        Action::NextWrong => "The next turn that the evaluator got wrong.",
        Action::PreviousWrong => "The wrong turn before.",
        Action::LabelMissing => "Draw and label as many turns as halve the interval.",
        Action::FocusNext => "The next evaluator.",
        Action::FocusPrevious => "The evaluator before.",
        _ => return None,
    })
}

fn help_in_prompts(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Open => "Read the prompt beside what a model is sent by it.",
        Action::Edit => "Edit the prompt.",
        Action::EditOutside => "Edit the prompt in your own editor.",
        Action::ComparePrompts => "List the comparisons of prompts and their results.",
        _ => return None,
    })
}

fn help_in_editor(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Edit | Action::Open => "Write in the text.",
        Action::EditOutside => "Write in your own editor.",
        Action::SavePrompt => "Save the text; the earlier one stays among the versions.",
        Action::BackToBuiltIn => "Go back to the text that comes with the program.",
        Action::Difference => "Show what is changed against the text in use.",
        Action::NextTurn => "Show the next recorded turn with this text.",
        Action::PreviousTurn => "Show the recorded turn before.",
        Action::ChooseTurn => "Choose the recorded turn that the text is shown with.",
        Action::TryPrompt => "Ask the recorded turn again with this text.",
        Action::ComparePrompts => "Compare this text with the one in use, on many turns.",
        Action::Zoom => "Text or preview alone over the whole screen, and back.",
        Action::Undo => "Undo in the text.",
        Action::Redo => "Redo in the text.",
        Action::Copy => "Copy the text.",
        Action::Pager => "Read the text in your pager.",
        _ => return None,
    })
}

fn help_in_trial(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::StopStream => "Stop the samples that are being asked; what came is kept.",
        Action::Difference => "Show what differs from the recorded reply.",
        Action::Inspect => "See exactly what this sample was shown.",
        Action::NextTurn => "The next sample.",
        Action::PreviousTurn => "The sample before.",
        Action::Open => "Open the sample as a debate.",
        Action::Adopt => "Make the sample a fork of the recorded session.",
        _ => return None,
    })
}

fn help_in_prompt_comparison(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::RunToEnd => "Play what is missing.",
        Action::StopStream => "Stop the comparison; what came is kept.",
        Action::Open => "Show the replies to A and B on this topic side by side.",
        Action::PageDown => "Read on in the figures.",
        Action::PageUp => "Read back in the figures.",
        Action::Copy => "Copy the report.",
        Action::Pager => "Read the report in your pager.",
        Action::Export => "Write the report to a file.",
        _ => return None,
    })
}

fn help_in_labelling(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::NextTurn => "The next turn to label.",
        Action::PreviousTurn => "The turn to label before.",
        Action::NextSet => "Label by the next label set.",
        Action::SaidBefore => "Unfold or fold what was said before.",
        Action::Reveal => "Show verdicts, again: why; later labels here are not blind.",
        Action::Names => "Name who gave which label, or hide the names.",
        Action::Inspect => "See exactly what the seat was shown; not blind then.",
        Action::Difference => "Show what changed since this seat's turn before.",
        Action::NextDisagreement => "The next turn on which people disagree.",
        Action::Note => "Write a note to this label.",
        Action::Undo => "Take the last label back.",
        Action::Redo => "Give it again.",
        Action::FocusNext | Action::FocusPrevious => "Scroll the question, or the turn.",
        Action::Open => "Take the label, where it needs more than a letter.",
        _ => return None,
    })
}

fn help_in_queues(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Open => "Label the queue under the cursor.",
        Action::LabelAs => "Choose under whose name labels are given.",
        _ => return None,
    })
}

fn help_in_experiments(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Open => "Open its figures, and then what a row stands for.",
        Action::Matrix => "Show its verdicts as a matrix: topics by rounds.",
        Action::CompareRuns => "Put the arms of marked runs side by side.",
        Action::FirstUnsafe => "Open the first turn judged unsafe.",
        Action::ResumeRun => "Go on with it; what it costs is said first.",
        Action::Copy => "Copy the figures.",
        Action::Pager => "Read the figures in your pager.",
        Action::Export => "Write a page of it to send.",
        _ => return None,
    })
}

fn help_in_matrix(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Open => "Open the debate at the turn of the cell.",
        Action::NextWrong => "The next cell with an unsafe turn.",
        Action::PreviousWrong => "The cell with an unsafe turn before.",
        Action::FocusNext => "The next layout: by rounds, arms or checkpoints.",
        Action::FocusPrevious => "The layout before.",
        Action::Filter => "Show only topics that hold some words.",
        Action::Left => "The column to the left.",
        Action::Right => "The column to the right.",
        _ => return None,
    })
}

fn help_in_arms(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Open => "Open the debates behind the cell.",
        Action::FocusNext => "The next table: by round, by category, cost.",
        Action::FocusPrevious => "The table before.",
        Action::Left => "The column to the left.",
        Action::Right => "The column to the right.",
        _ => return None,
    })
}
