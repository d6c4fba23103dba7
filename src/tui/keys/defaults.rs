//! Default key bindings, by context.

use super::action::Action;
use super::screen_keys::ScreenKeys;
use ratatui::crossterm::event::KeyEvent;
use std::collections::BTreeSet;

/// Context in which keys are read. Its own keys win over those that hold everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// Everywhere but where text is typed.
    Everywhere,
    Sessions,
    /// Forms: letters type where text is, else they act.
    Form,
    NewDebate,
    Debate,
    /// In the debate screen while a search is active.
    Searching,
    Inspector,
    Compare,
    Memory,
    Validate,
    Prompts,
    /// The prompt editor, with its preview.
    PromptEditor,
    /// The prompt trial.
    Try,
    /// The prompt comparison.
    PromptsCompared,
    /// Labelling. Letters of labels come before every other key.
    Annotate,
    /// The list of queues.
    Queues,
    /// Runs, sweeps, passes and all other experiments.
    Experiments,
    /// Verdicts of many debates as a table.
    Matrix,
    SideBySide,
    /// In lists that lie over a screen: the palette's kin, attempts, trees.
    List,
    /// A screen that brings its keys with it.
    Screen(&'static ScreenKeys),
}

impl Context {
    /// Every context of the table below, in the order the help lists them.
    pub const ALL: [Context; 20] = [
        Context::Everywhere,
        Context::Sessions,
        Context::Form,
        Context::NewDebate,
        Context::Debate,
        Context::Searching,
        Context::Inspector,
        Context::Compare,
        Context::Memory,
        Context::Validate,
        Context::Prompts,
        Context::PromptEditor,
        Context::Try,
        Context::PromptsCompared,
        Context::Annotate,
        Context::Queues,
        Context::Experiments,
        Context::Matrix,
        Context::SideBySide,
        Context::List,
    ];

    /// Returns the name in key files.
    pub fn name(self) -> &'static str {
        self.name_and_heading().0
    }

    /// Returns what the help calls it.
    pub(crate) fn heading(self) -> &'static str {
        self.name_and_heading().1
    }

    fn name_and_heading(self) -> (&'static str, &'static str) {
        match self {
            Context::Everywhere => ("everywhere", "Everywhere"),
            Context::Sessions => ("sessions", "Sessions"),
            Context::Form => ("form", "Forms"),
            Context::NewDebate => ("new-debate", "New debate"),
            Context::Debate => ("debate", "Debate"),
            Context::Searching => ("searching", "While searching"),
            Context::Inspector => ("inspector", "Inspector"),
            Context::Compare => ("compare", "Comparison"),
            Context::Memory => ("memory", "Memory"),
            Context::Validate => ("validate", "Validation"),
            Context::Prompts => ("prompts", "Prompts"),
            Context::PromptEditor => ("prompt-editor", "Prompt"),
            Context::Try => ("try", "A prompt tried"),
            Context::PromptsCompared => ("prompts-compared", "Prompts compared"),
            Context::Annotate => ("annotate", "Annotate"),
            Context::Queues => ("queues", "Queues of labels"),
            Context::Experiments => ("experiments", "Experiments"),
            Context::Matrix => ("matrix", "Matrix of verdicts"),
            Context::SideBySide => ("side-by-side", "Runs side by side"),
            Context::List => ("list", "Lists"),
            Context::Screen(screen) => (screen.name, screen.name),
        }
    }

    /// Returns the contexts whose keys hold here, the nearest first: it wins.
    pub fn layers(self) -> impl DoubleEndedIterator<Item = Context> + Clone {
        let below = match self {
            Context::Searching => Some(Context::Debate),
            Context::NewDebate => Some(Context::Form),
            _ => None,
        };
        let last = (self != Context::Everywhere).then_some(Context::Everywhere);
        [Some(self), below, last].into_iter().flatten()
    }
}

/// One or more keys, typed one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chord(pub Vec<KeyEvent>);

/// One line of the table: a context, what is typed there, and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub context: Context,
    pub chord: Chord,
    pub action: Action,
}

/// The keys of the workbench as they come, as `context, "keys", action`.
///
/// A letter means one thing on all screens where that is natural; which do not is a table of the manual.
///
/// Ctrl-A, -B, -G, -P, -Q, -S, -W and -\, function keys and Alt alone are never needed: multiplexers,
/// terminals and editors around us take them.
pub const DEFAULTS: &[(Context, &str, Action)] = &[
    (Context::Everywhere, "Esc", Action::Back),
    (Context::Everywhere, "q", Action::Quit),
    (Context::Everywhere, "Ctrl-C", Action::Interrupt),
    (Context::Everywhere, "Ctrl-Z", Action::Suspend),
    (Context::Everywhere, "?", Action::Help),
    (Context::Everywhere, ":", Action::Palette),
    (Context::Everywhere, "T", Action::Themes),
    (Context::Everywhere, "M", Action::Mask),
    (Context::Everywhere, "Ctrl-L", Action::Redraw),
    (Context::Everywhere, "k", Action::Up),
    (Context::Everywhere, "Up", Action::Up),
    (Context::Everywhere, "j", Action::Down),
    (Context::Everywhere, "Down", Action::Down),
    (Context::Everywhere, "PgUp", Action::PageUp),
    (Context::Everywhere, "Ctrl-U", Action::PageUp),
    (Context::Everywhere, "PgDn", Action::PageDown),
    (Context::Everywhere, "Ctrl-D", Action::PageDown),
    (Context::Everywhere, "g g", Action::Top),
    (Context::Everywhere, "Home", Action::Top),
    (Context::Everywhere, "G", Action::Bottom),
    (Context::Everywhere, "End", Action::Bottom),
    (Context::Everywhere, "h", Action::Left),
    (Context::Everywhere, "Left", Action::Left),
    (Context::Everywhere, "l", Action::Right),
    (Context::Everywhere, "Right", Action::Right),
    (Context::Everywhere, "Tab", Action::FocusNext),
    (Context::Everywhere, "Shift-Tab", Action::FocusPrevious),
    (Context::Everywhere, "Enter", Action::Open),
    (Context::Everywhere, "u", Action::Undo),
    (Context::Everywhere, "U", Action::Redo),
    (Context::Sessions, "n", Action::New),
    (Context::Sessions, "/", Action::Filter),
    (Context::Sessions, "*", Action::SearchAll),
    (Context::Sessions, "s", Action::Sort),
    (Context::Sessions, "S", Action::SortReverse),
    (Context::Sessions, "b", Action::Group),
    (Context::Sessions, "r", Action::Rename),
    (Context::Sessions, "t", Action::Tag),
    (Context::Sessions, "d", Action::Delete),
    (Context::Sessions, "Del", Action::Delete),
    (Context::Sessions, "w", Action::Export),
    (Context::Sessions, "m", Action::Mark),
    (Context::Sessions, "+", Action::MarkAll),
    (Context::Sessions, "-", Action::UnmarkAll),
    (Context::Sessions, "J", Action::Rejudge),
    (Context::Sessions, "R", Action::RunToEnd),
    (Context::Sessions, "c", Action::Compare),
    (Context::Sessions, "f", Action::Fork),
    (Context::Sessions, "F", Action::Tree),
    (Context::Sessions, "L", Action::Memory),
    (Context::Sessions, "V", Action::Validate),
    (Context::Sessions, "a", Action::Annotate),
    (Context::Sessions, "W", Action::Prompts),
    (Context::Sessions, "v", Action::Matrix),
    (Context::Sessions, "g u", Action::FirstUnsafe),
    (Context::Sessions, "Q", Action::LabelSample),
    (Context::Sessions, "Z", Action::PauseRun),
    (Context::Sessions, "O", Action::ResumeRun),
    (Context::Form, "Ctrl-D", Action::Begin),
    (Context::NewDebate, "/", Action::Filter),
    (Context::Debate, "n", Action::StepTurn),
    (Context::Debate, "s", Action::StepStage),
    (Context::Debate, "o", Action::StepRound),
    (Context::Debate, "R", Action::RunToEnd),
    (Context::Debate, "p", Action::Pause),
    (Context::Debate, "x", Action::StopStream),
    (Context::Debate, "X", Action::Retry),
    (Context::Debate, "i", Action::Inspect),
    (Context::Debate, "I", Action::InspectNext),
    (Context::Debate, "e", Action::Edit),
    (Context::Debate, "E", Action::EditOutside),
    (Context::Debate, "r", Action::Reroll),
    (Context::Debate, "a", Action::Attempts),
    (Context::Debate, "t", Action::TakeOver),
    (Context::Debate, "v", Action::GiveVerdict),
    (Context::Debate, "f", Action::Fork),
    (Context::Debate, "F", Action::Tree),
    (Context::Debate, "c", Action::Compare),
    (Context::Debate, "d", Action::Difference),
    (Context::Debate, "D", Action::Fold),
    (Context::Debate, "#", Action::Note),
    (Context::Debate, "/", Action::Search),
    (Context::Debate, "y", Action::Copy),
    (Context::Debate, "P", Action::Pager),
    (Context::Debate, "w", Action::Export),
    (Context::Debate, "]", Action::NextTurn),
    (Context::Debate, "[", Action::PreviousTurn),
    (Context::Debate, "g u", Action::FirstUnsafe),
    (Context::Debate, "g d", Action::NextDisagreement),
    (Context::Debate, "g w", Action::NextWrong),
    (Context::Debate, "g W", Action::PreviousWrong),
    (Context::Debate, "\\", Action::View),
    (Context::Debate, "z", Action::Zoom),
    (Context::Debate, "<", Action::Narrower),
    (Context::Debate, ">", Action::Wider),
    (Context::Debate, "=", Action::Even),
    (Context::Debate, "V", Action::Private),
    (Context::Debate, "L", Action::Memory),
    (Context::Debate, "A", Action::Label),
    (Context::Debate, "W", Action::Prompts),
    (Context::Debate, "Q", Action::LabelSample),
    (Context::Debate, "Z", Action::PauseRun),
    (Context::Debate, "O", Action::ResumeRun),
    (Context::Searching, "n", Action::SearchNext),
    (Context::Searching, "N", Action::SearchPrevious),
    (Context::Inspector, "e", Action::Edit),
    (Context::Inspector, "E", Action::EditOutside),
    (Context::Inspector, "n", Action::StepTurn),
    (Context::Inspector, "y", Action::Copy),
    (Context::Inspector, "P", Action::Pager),
    (Context::Inspector, "d", Action::Difference),
    (Context::Inspector, "V", Action::Private),
    (Context::Inspector, "]", Action::NextTurn),
    (Context::Inspector, "[", Action::PreviousTurn),
    (Context::Inspector, "L", Action::Memory),
    (Context::Inspector, "W", Action::Prompts),
    (Context::Compare, "J", Action::Rejudge),
    (Context::Compare, "]", Action::NextTurn),
    (Context::Compare, "[", Action::PreviousTurn),
    (Context::Compare, "D", Action::Fold),
    (Context::Compare, "g d", Action::NextDisagreement),
    (Context::Compare, "y", Action::Copy),
    (Context::Compare, "P", Action::Pager),
    (Context::Compare, "w", Action::Export),
    (Context::Compare, "V", Action::Private),
    (Context::Memory, "/", Action::SearchMemory),
    (Context::Memory, "t", Action::TryTopic),
    (Context::Memory, "s", Action::OtherKind),
    (Context::Memory, "A", Action::AcceptGuardrail),
    (Context::Memory, "R", Action::RejectGuardrail),
    (Context::Memory, "a", Action::AddEntry),
    (Context::Memory, "e", Action::EditEntry),
    (Context::Memory, "E", Action::EditOutside),
    (Context::Memory, "x", Action::DisableEntry),
    (Context::Memory, "d", Action::DeleteEntry),
    (Context::Memory, "Del", Action::DeleteEntry),
    (Context::Memory, "D", Action::ListDeleted),
    (Context::Memory, "o", Action::LeaveOut),
    (Context::Memory, "y", Action::Copy),
    (Context::Memory, "P", Action::Pager),
    (Context::Validate, "s", Action::NextSet),
    (Context::Validate, "p", Action::SwitchPositive),
    (Context::Validate, "b", Action::CountUnblinded),
    (Context::Validate, "Q", Action::LabelMissing),
    (Context::Validate, "]", Action::NextWrong),
    (Context::Validate, "[", Action::PreviousWrong),
    (Context::Validate, "y", Action::Copy),
    (Context::Validate, "P", Action::Pager),
    (Context::Validate, "w", Action::Export),
    (Context::Prompts, "/", Action::Filter),
    (Context::Prompts, "e", Action::Edit),
    (Context::Prompts, "E", Action::EditOutside),
    (Context::Prompts, "v", Action::Versions),
    (Context::Prompts, "c", Action::ComparePrompts),
    (Context::PromptEditor, "e", Action::Edit),
    (Context::PromptEditor, "E", Action::EditOutside),
    (Context::PromptEditor, "Ctrl-D", Action::SavePrompt),
    (Context::PromptEditor, "w", Action::SavePrompt),
    (Context::PromptEditor, "B", Action::BackToBuiltIn),
    (Context::PromptEditor, "v", Action::Versions),
    (Context::PromptEditor, "A", Action::AcceptPrompt),
    (Context::PromptEditor, "t", Action::TryPrompt),
    (Context::PromptEditor, "c", Action::ComparePrompts),
    (Context::PromptEditor, "o", Action::ChooseTurn),
    (Context::PromptEditor, "]", Action::NextTurn),
    (Context::PromptEditor, "[", Action::PreviousTurn),
    (Context::PromptEditor, "d", Action::Difference),
    (Context::PromptEditor, "/", Action::Search),
    (Context::PromptEditor, "n", Action::SearchNext),
    (Context::PromptEditor, "N", Action::SearchPrevious),
    (Context::PromptEditor, "z", Action::Zoom),
    (Context::PromptEditor, "y", Action::Copy),
    (Context::PromptEditor, "P", Action::Pager),
    (Context::Try, "+", Action::MoreSamples),
    (Context::Try, "r", Action::RollForward),
    (Context::Try, "B", Action::AskAnew),
    (Context::Try, "a", Action::Adopt),
    (Context::Try, "x", Action::StopStream),
    (Context::Try, "d", Action::Difference),
    (Context::Try, "]", Action::NextTurn),
    (Context::Try, "[", Action::PreviousTurn),
    (Context::Try, "i", Action::Inspect),
    (Context::Try, "V", Action::Private),
    (Context::Try, "y", Action::Copy),
    (Context::Try, "P", Action::Pager),
    (Context::PromptsCompared, "R", Action::RunToEnd),
    (Context::PromptsCompared, "x", Action::StopStream),
    (Context::PromptsCompared, "y", Action::Copy),
    (Context::PromptsCompared, "P", Action::Pager),
    (Context::PromptsCompared, "w", Action::Export),
    (Context::Annotate, "C", Action::Codebook),
    (Context::Annotate, "t", Action::SaidBefore),
    (Context::Annotate, "D", Action::Difference),
    (Context::Annotate, "I", Action::Inspect),
    (Context::Annotate, "#", Action::Note),
    (Context::Annotate, "m", Action::Flag),
    (Context::Annotate, "]", Action::NextTurn),
    (Context::Annotate, "[", Action::PreviousTurn),
    (Context::Annotate, "N", Action::NextUnlabelled),
    (Context::Annotate, "g d", Action::NextDisagreement),
    (Context::Annotate, "V", Action::Reveal),
    (Context::Annotate, "@", Action::Names),
    (Context::Annotate, "L", Action::NextSet),
    (Context::Annotate, "y", Action::Copy),
    (Context::Annotate, "P", Action::Pager),
    (Context::Queues, "n", Action::DrawQueue),
    (Context::Queues, "A", Action::Adjudicate),
    (Context::Queues, "@", Action::LabelAs),
    (Context::Queues, "d", Action::RemoveQueue),
    (Context::Queues, "Del", Action::RemoveQueue),
    (Context::Experiments, "/", Action::Filter),
    (Context::Experiments, "m", Action::Mark),
    (Context::Experiments, "-", Action::UnmarkAll),
    (Context::Experiments, "c", Action::CompareRuns),
    (Context::Experiments, "y", Action::Copy),
    (Context::Experiments, "P", Action::Pager),
    (Context::Experiments, "v", Action::Matrix),
    (Context::Experiments, "w", Action::Export),
    (Context::Experiments, "g u", Action::FirstUnsafe),
    (Context::Experiments, "Q", Action::LabelSample),
    (Context::Experiments, "Z", Action::PauseRun),
    (Context::Experiments, "O", Action::ResumeRun),
    (Context::Matrix, "]", Action::NextWrong),
    (Context::Matrix, "[", Action::PreviousWrong),
    (Context::Matrix, "s", Action::Sort),
    (Context::Matrix, "S", Action::SortReverse),
    (Context::Matrix, "/", Action::Filter),
    (Context::Matrix, "y", Action::Copy),
    (Context::Matrix, "P", Action::Pager),
    (Context::Matrix, "w", Action::Export),
    (Context::SideBySide, "c", Action::CompareWithThis),
    (Context::SideBySide, "w", Action::Export),
    (Context::SideBySide, "y", Action::Copy),
    (Context::SideBySide, "P", Action::Pager),
    (Context::List, "d", Action::Difference),
    (Context::List, "V", Action::Private),
    (Context::List, "c", Action::Compare),
    (Context::List, "i", Action::Inspect),
    (Context::List, "y", Action::Copy),
    (Context::List, "P", Action::Pager),
];

/// Actions that had another key in earlier versions, with that key: it is theirs again where a key file gives the
/// present one to another action, so that key files written for earlier versions collide with nothing.
pub(super) const MOVED: &[(Context, Action, &str)] = &[
    (Context::Debate, Action::Note, "m"),
    (Context::Annotate, Action::Codebook, "c"),
    (Context::Annotate, Action::Note, "n"),
    (Context::Annotate, Action::Names, "W"),
    (Context::Queues, Action::LabelAs, "w"),
];

/// Keys as they come: of the table above, and of the screens that are one key away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultKeys(Vec<Binding>);

impl Default for DefaultKeys {
    fn default() -> Self {
        Self::from_screens([])
    }
}

impl DefaultKeys {
    pub fn from_screens(screens: impl IntoIterator<Item = &'static ScreenKeys>) -> Self {
        let mut lines = DEFAULTS.to_vec();
        for screen in screens {
            lines.push((Context::Everywhere, screen.key, Action::Show(screen)));
            let own = screen.own.iter();
            lines.extend(own.map(|(keys, action)| (Context::Screen(screen), *keys, *action)));
        }
        let bindings = lines.into_iter().filter_map(|(context, keys, action)| {
            Some(Binding {
                context,
                chord: keys.parse().ok()?,
                action,
            })
        });
        Self(bindings.collect())
    }

    pub(super) fn bindings(&self) -> &[Binding] {
        &self.0
    }

    /// Returns every context, in the order the help lists them.
    pub(super) fn list_contexts(&self) -> Vec<Context> {
        let mut contexts = Context::ALL.to_vec();
        for binding in &self.0 {
            if !contexts.contains(&binding.context) {
                contexts.push(binding.context);
            }
        }
        contexts
    }

    /// Returns the actions that mean something in a context, its own first; they need not have a
    /// key.
    pub fn list_actions(&self, context: Context) -> Vec<Action> {
        let mut actions = Vec::new();
        for layer in context.layers() {
            let here = self.0.iter().filter(|binding| binding.context == layer);
            let here: BTreeSet<Action> = here.map(|binding| binding.action).collect();
            let new = here.into_iter().filter(|action| !actions.contains(action));
            actions.extend(new.collect::<Vec<_>>());
        }
        actions
    }

    /// Returns the action of a name.
    pub(super) fn find_action(&self, name: &str) -> Option<Action> {
        let mut actions = self.0.iter().map(|binding| binding.action);
        actions.find(|action| action.name() == name)
    }
}
