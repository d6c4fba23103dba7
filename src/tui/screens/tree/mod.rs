//! Fork tree of a session: the point where each fork leaves its parent, and its state.

mod tasks;

use super::session_diff::Compare;
use crate::tui::app::{DrawContext, Effect, Screen, Update, copy_text, say_notice, show_screen};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::{GlyphSet, Glyphs, Role};
use crate::tui::widgets::{
    Content, Focus, LayOut, Paragraph, ScrollList, draw_text, head_and_body, lay_out,
};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::Annotations;
use elenchus_records::workspace::{
    HIDDEN_VERDICTS, SessionOverview, SessionStatus, WorkspaceError, reject,
};
use elenchus_terminal::Paste;
use elenchus_text::cost;
use elenchus_view::session_diff::DiffSide;
use elenchus_view::{Branch, SessionLocation, Tree, TreeNode};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;

/// The newest verdicts that a row shows.
const MAX_STRIP: usize = 24;
/// Rows for the title and its explanation.
const HEAD: u16 = 3;

/// The screen of a tree of forks.
pub struct Forks {
    here: SessionId,
    /// Message while there is nothing to show.
    empty: String,
    nodes: Vec<TreeNode>,
    overviews: BTreeMap<SessionId, SessionOverview>,
    /// Names of the sessions, among the annotations.
    annotations: Annotations,
    list: ScrollList,
    /// The marks it was drawn with last.
    glyphs: GlyphSet,
    content: Content,
}

impl Forks {
    /// The tree of a session; the screen asks for it itself.
    pub fn from_session(here: &SessionId, annotations: &Annotations) -> Self {
        Self {
            here: here.clone(),
            empty: "reading which sessions were forked from which".to_owned(),
            nodes: Vec::new(),
            overviews: BTreeMap::new(),
            annotations: annotations.clone(),
            list: ScrollList::default(),
            glyphs: GlyphSet::Unicode,
            content: Content::Shown,
        }
    }

    /// Takes the tree; the cursor stays on its session, and is at first on the one that one came from.
    fn set_tree(&mut self, tree: &Tree, overviews: Vec<SessionOverview>) {
        let session = self.selected_branch().map(|branch| branch.session.clone());
        let session = session.unwrap_or_else(|| self.here.clone());
        self.nodes = tree.list_depth_first();
        let to_entry = |one: SessionOverview| (one.summary.session.clone(), one);
        self.overviews = overviews.into_iter().map(to_entry).collect();
        self.list.set_count(self.nodes.len());
        let mut nodes = self.nodes.iter();
        if let Some(at) = nodes.position(|node| node.branch.session == session) {
            self.update_list(|list, lay_out| list.go_to_item(at, lay_out));
        }
    }

    fn update_list(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) {
        let mut list = std::mem::take(&mut self.list);
        how(&mut list, &|at, width| {
            lay_out(&[self.build_paragraph(at)], width)
        });
        self.list = list;
    }

    fn selected_branch(&self) -> Option<&Branch> {
        let node = self.nodes.get(self.list.cursor());
        node.map(|node| &node.branch)
    }

    /// Returns the session under the cursor, or why nothing can be done with it.
    fn usable_session(&self) -> Result<&SessionId, WorkspaceError> {
        let Some(branch) = self.selected_branch() else {
            return reject(&self.empty);
        };
        match branch.location {
            SessionLocation::Kept => Ok(&branch.session),
            SessionLocation::Deleted => reject(
                "this session is in the trash: undo brings it back \
                                         on the list of sessions",
            ),
            SessionLocation::Missing => {
                reject("this session is not in this store: import it to open it")
            }
        }
    }

    fn open_session(&self) -> Vec<Effect> {
        match self.usable_session() {
            Ok(session) if *session == self.here => vec![Effect::Leave],
            Ok(session) => vec![Effect::OpenInstead(session.clone())],
            Err(why) => say_notice(why),
        }
    }

    fn show_comparison(&self) -> Vec<Effect> {
        match self.usable_session() {
            Ok(session) if *session == self.here => {
                let text = "this is the session you came from: put the cursor on another one";
                say_notice(text)
            }
            Ok(session) => {
                let sides = (DiffSide::from_id(&self.here), DiffSide::from_id(session));
                show_screen(Compare::from_sides(sides.0, sides.1))
            }
            Err(why) => say_notice(why),
        }
    }

    /// Says what a session is in the tree: what was changed in a fork by whom. Of a fork that is not here the turn
    /// is known where the ways part, from those that were forked from it.
    fn describe_branch(&self, branch: &Branch) -> String {
        let Some(parting) = &branch.parting else {
            return "the first debate".to_owned();
        };
        let overview = self.overviews.get(&branch.session);
        match (overview.and_then(|one| one.fork.clone()), &parting.turn) {
            (Some(fork), _) => fork,
            (None, Some(turn)) => format!("fork that parts in round {}", turn.round),
            (None, None) => "fork".to_owned(),
        }
    }

    fn build_paragraph(&self, at: usize) -> Paragraph {
        let Some(node) = self.nodes.get(at) else {
            return Paragraph::gap();
        };
        let glyphs = Glyphs::from_set(self.glyphs);
        let branch = &node.branch;
        let is_here = branch.session == self.here;
        let role = if is_here { Role::Strong } else { Role::Text };
        let mut line = Paragraph::new(Role::Border, tree_prefix(node, glyphs));
        if let Some(name) = self.annotations.session_name(&branch.session) {
            line = line.with_run(
                Role::Strong,
                format!("{} ", self.content.show_or_mask(name)),
            );
        }
        line = line.with_run(role, self.describe_branch(branch));
        if is_here {
            line = line.with_run(Role::Accent, format!(" {} you are here", glyphs.focus));
        }
        match branch.location {
            SessionLocation::Kept => {}
            SessionLocation::Deleted => line = line.with_run(Role::Warning, " · in the trash"),
            SessionLocation::Missing => line = line.with_run(Role::Warning, " · not in this store"),
        }
        let tags = self.annotations.session_tags(&branch.session);
        if !tags.is_empty() {
            line = line.with_run(Role::Accent, format!(" · tags {}", tags.join(" ")));
        }
        if let Some(SessionOverview { summary, .. }) = self.overviews.get(&branch.session) {
            line = line.with_run(Role::Muted, format!(" · {}", summary.protocol));
            let role = match summary.state {
                SessionStatus::Complete | SessionStatus::Stopped => Role::Safe,
                SessionStatus::Truncated => Role::Warning,
                SessionStatus::Failed => Role::Error,
                SessionStatus::Open => Role::Accent,
            };
            let (begun, of) = summary.rounds;
            line = line
                .with_run(Role::Muted, " · ")
                .with_run(role, summary.state.as_word())
                .with_run(Role::Muted, format!(" · round {begun} of {of} "));
            line.runs.extend(verdict_marks(&summary.verdicts, glyphs));
            let cost = cost::format_cost(summary.cost_usd);
            line = line.with_run(Role::Muted, format!(" · {cost}"));
            if summary.simulated {
                line = line.with_run(Role::Simulated, " · simulated");
            }
        }
        // Text that does not fit continues below, aligned with the id.
        let hang = (node.follows.len() + 1) * 2;
        line.with_indent(0, hang)
    }
}

/// Returns the verdicts as marks, the newest of many.
pub(super) fn verdict_marks(verdicts: &str, glyphs: &Glyphs) -> Vec<(Role, String)> {
    if verdicts == HIDDEN_VERDICTS {
        return vec![(Role::Muted, verdicts.to_owned())];
    }
    let count = verdicts.chars().count();
    let mut runs = Vec::new();
    if count > MAX_STRIP {
        runs.push((Role::Muted, glyphs.ellipsis.to_owned()));
    }
    for verdict in verdicts.chars().skip(count.saturating_sub(MAX_STRIP)) {
        let (role, mark) = match verdict {
            's' => (Role::Safe, glyphs.safe),
            'u' => (Role::Unsafe, glyphs.unsafe_found),
            'm' => (Role::Middle, glyphs.middle),
            'f' => (Role::Warning, "F"),
            'e' => (Role::Warning, "E"),
            _ => (Role::Unparsed, glyphs.unparsed),
        };
        runs.push((role, mark.to_owned()));
    }
    runs
}

fn tree_key(action: Action) -> char {
    key_for(Context::List, action)
}

/// Returns the lines before a session.
fn tree_prefix(node: &TreeNode, glyphs: &Glyphs) -> String {
    let Some((own, above)) = node.follows.split_last() else {
        return String::new();
    };
    let mut text = String::new();
    for follows in above {
        text.push_str(if *follows {
            glyphs.tree_past
        } else {
            glyphs.tree_none
        });
    }
    text.push_str(if *own {
        glyphs.tree_child
    } else {
        glyphs.tree_last
    });
    text.push(' ');
    text
}

/// Result of the task of this screen.
pub enum Message {
    Read(Result<(Tree, Vec<SessionOverview>), WorkspaceError>),
}

impl Update for Forks {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Read(Ok((tree, overviews))) => self.set_tree(&tree, overviews),
            Message::Read(Err(why)) => self.empty = why.to_string(),
        }
        Vec::new()
    }
}

impl Screen for Forks {
    fn key_context(&self) -> Context {
        Context::List
    }

    fn name(&self) -> String {
        "forks".to_owned()
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::load_forks(self.here.clone()))]
    }

    fn refresh(&mut self) -> Vec<Effect> {
        self.handle_open()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back => return vec![Effect::Leave],
            _ if action.is_scrolling() => {
                self.update_list(|list, lay_out| _ = list.handle_action(action, lay_out))
            }
            Action::Open => return self.open_session(),
            Action::Compare => return self.show_comparison(),
            Action::Copy => {
                let id = self
                    .selected_branch()
                    .map(|branch| branch.session.to_string());
                return copy_text(id);
            }
            _ => {}
        }
        Vec::new()
    }

    fn handle_paste(&mut self, _paste: &Paste) -> Vec<Effect> {
        let text = format!(
            "nothing is typed here: {} opens a session",
            tree_key(Action::Open)
        );
        say_notice(text)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        (self.glyphs, self.content) = (look.glyph_set(), context.content);
        let forks = self.nodes.len().saturating_sub(1);
        let count = match forks {
            1 => " · 1 fork".to_owned(),
            many => format!(" · {many} forks"),
        };
        let head = [
            Paragraph::new(Role::Strong, "tree of forks").with_run(Role::Muted, count),
            Paragraph::new(
                Role::Muted,
                context.spell_keys(&format!(
                    "{} opens · {} compares with where you are · {} goes back",
                    tree_key(Action::Open),
                    tree_key(Action::Compare),
                    tree_key(Action::Back)
                )),
            ),
        ];
        let [top, body] = head_and_body(area, HEAD);
        draw_text(buffer, top, look, &head);
        if self.nodes.is_empty() {
            let text = Paragraph::new(Role::Notice, context.spell_keys(&self.empty));
            draw_text(buffer, body, look, &[text]);
            return None;
        }
        let mut list = std::mem::take(&mut self.list);
        list.draw(buffer, body, context, Focus::Focused, &|at, width| {
            lay_out(&[self.build_paragraph(at)], width)
        });
        self.list = list;
        None
    }

    fn describe_status(&self) -> String {
        let session = self.selected_branch().map(|branch| &branch.session);
        match self.nodes.len() {
            0 => "tree of forks".to_owned(),
            1 => format!(
                "nothing was forked from this session yet: {} on the debate screen does",
                key_for(Context::Debate, Action::Fork)
            ),
            count => format!(
                "{} of {count}, session {}",
                self.list.cursor() + 1,
                session.map_or("", SessionId::as_str)
            ),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        vec![
            Action::Open,
            Action::Compare,
            Action::Down,
            Action::Copy,
            Action::Back,
        ]
    }
}
