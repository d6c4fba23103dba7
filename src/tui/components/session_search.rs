//! Search over all sessions: looks for a text in the background, and draws the places that were found.

use crate::tui::app::SessionPosition;
use crate::tui::app::{DrawContext, Effect, Task, Ticket};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{ListCursor, Paragraph, StyledLine, draw_text};
use elenchus_text::{Keep, make_visible};
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
    pub(in crate::tui) fn start_search<M: Send + 'static>(
        &mut self,
        list: &mut SessionBrowser,
        text: String,
        wrap: fn(SearchMessage) -> M,
    ) -> Vec<Effect> {
        self.ticket.0 += 1;
        let (ticket, stop) = (self.ticket, CancellationToken::new());
        self.stop = Some(stop.clone().drop_guard());
        list.open_search(text.clone());
        let task = Task::new_stream("search sessions", move |services, replies| async move {
            let send = |event| replies.send_message(wrap(SearchMessage(ticket, event)));
            let search_work = async {
                let layout = &services.store.layout;
                let Ok(mut search) = SessionSearch::start(layout, &text) else {
                    return;
                };
                while let Some(search_event) = search.next().await {
                    send(Some(search_event));
                }
            };
            if stop.run_until_cancelled(search_work).await.is_some() {
                send(None);
            }
        });
        vec![Effect::Start(task)]
    }

    /// Takes what was found, unless another search began since.
    pub(in crate::tui) fn update(&self, message: SearchMessage, list: &mut SessionBrowser) {
        let SearchMessage(ticket, event) = message;
        if ticket == self.ticket {
            list.handle_search_event(event);
        }
    }

    /// Stops it, and shows the list again; says whether results were shown.
    pub(in crate::tui) fn leave_search(&mut self, list: &mut SessionBrowser) -> bool {
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
    context: DrawContext<'_>,
) -> bool {
    let Some((_, results)) = list.current_search() else {
        return false;
    };
    let hits = results.hits();
    if hits.is_empty() {
        let back = key_for(Context::Sessions, Action::Back);
        let text = match results.is_over() {
            true => context.spell_keys(&format!(
                "No session holds this text. {back} goes back to the list."
            )),
            false => "Looking through the sessions, the newest first.".to_owned(),
        };
        let text = Paragraph::new(Role::Muted, text);
        draw_text(buffer, area, context.look, &[text]);
    }
    cursor.draw_tall(buffer, area, context, LINES, |at| {
        let Some(hit) = hits.get(at) else {
            return Vec::new();
        };
        let place = hit.describe(list.known_sessions(), context.content);
        let place = StyledLine::from_text(Role::Muted, make_visible(&place, Keep::Nothing));
        let runs = hit.excerpt_paragraph(context.content).runs;
        vec![place, StyledLine::from_runs(runs)]
    });
    true
}
