//! Search over all sessions: looks for a text in the background, and draws the places that were found.

use crate::tui::app::SessionPosition;
use crate::tui::app::{DrawContext, Effect, Task, Ticket};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{ListCursor, Paragraph, StyledLine, draw_text};
use elenchus_text::{Keep, visible};
use elenchus_view::session_browser::SessionBrowser;
use elenchus_view::{SearchEvent, SearchHit, SessionSearch};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Lines that one place takes.
const LINES: u16 = 2;

/// Something that a search found; `None` where everything was looked at.
pub struct SearchMessage(pub Ticket, pub Option<SearchEvent>);

/// The latest search.
#[derive(Debug, Default)]
pub(in crate::tui) struct SearchTask {
    ticket: Ticket,
    /// Stops it when its results are left.
    stop: Option<DropGuard>,
}

impl SearchTask {
    /// Begins a search, and shows what it finds in place of the list.
    pub(in crate::tui) fn begin<M: Send + 'static>(
        &mut self,
        list: &mut SessionBrowser,
        text: String,
        wrap: fn(SearchMessage) -> M,
    ) -> Vec<Effect> {
        self.ticket.0 += 1;
        let (ticket, stop) = (self.ticket, CancellationToken::new());
        self.stop = Some(stop.clone().drop_guard());
        list.search(text.clone());
        let task = Task::stream("search sessions", move |services, replies| async move {
            let send = |event| replies.send(wrap(SearchMessage(ticket, event)));
            let found = async {
                let layout = &services.tools.desk.layout;
                let Ok(mut search) = SessionSearch::start(layout, &text) else {
                    return;
                };
                while let Some(found) = search.next().await {
                    send(Some(found));
                }
            };
            if stop.run_until_cancelled(found).await.is_some() {
                send(None);
            }
        });
        vec![Effect::Start(task)]
    }

    /// Takes what was found, unless another search began since.
    pub(in crate::tui) fn update(&self, message: SearchMessage, list: &mut SessionBrowser) {
        let SearchMessage(ticket, event) = message;
        if ticket == self.ticket {
            list.found(event);
        }
    }

    /// Stops it, and shows the list again; says whether results were shown.
    pub(in crate::tui) fn leave(&mut self, list: &mut SessionBrowser) -> bool {
        self.stop = None;
        list.leave_search()
    }
}

/// Opens the debate of a place there.
pub(in crate::tui) fn open_hit(hit: &SearchHit) -> Effect {
    let turn = hit.place.attempt().map(|attempt| attempt.turn.clone());
    let place = SessionPosition { turn, pane: None };
    Effect::Open(hit.session.clone(), Some(place))
}

/// Draws what was found, each with its place and text; `false` where no search is shown.
pub(in crate::tui) fn draw_hits(
    list: &SessionBrowser,
    cursor: ListCursor,
    buffer: &mut Buffer,
    area: Rect,
    brush: DrawContext<'_>,
) -> bool {
    let Some((_, results)) = list.searched() else {
        return false;
    };
    let hits = results.hits();
    if hits.is_empty() {
        let back = key_for(Context::Sessions, Action::Back);
        let text = match results.is_over() {
            true => brush.spelled(&format!(
                "No session holds this text. {back} goes back to the list."
            )),
            false => "Looking through the sessions, the newest first.".to_owned(),
        };
        let text = Paragraph::of(Role::Muted, text);
        draw_text(buffer, area, brush.look, &[text]);
    }
    cursor.draw_tall(buffer, area, brush, LINES, |at| {
        let Some(hit) = hits.get(at) else {
            return Vec::new();
        };
        let place = hit.describe(list.known(), brush.content);
        let place = StyledLine::of(Role::Muted, visible(&place, Keep::Nothing));
        let runs = hit.excerpt(brush.content).runs;
        vec![place, StyledLine::from_runs(runs)]
    });
    true
}
