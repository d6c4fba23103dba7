//! Results of commands: lists, summaries, search hits, trees, changes of annotations and trash.

use super::Sessions;
use super::history::{ChangeAnswer, ChangeCause, SessionChange};
use crate::tui::app::{Effect, Told};
use crate::tui::keys::{Action, Context};
use crate::tui::theme::Role;

impl Sessions {
    /// Takes in a result of a command, its own or another screen's.
    pub(super) fn hear(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Listed(Ok(listing)) => {
                self.stock.list(listing);
                self.stale = true;
                Vec::new()
            }
            Told::Listed(Err(why)) => wrong(why),
            Told::Summed { batch, .. } => {
                self.stock.read(batch);
                self.stale = true;
                Vec::new()
            }
            Told::Library(library) => {
                if let Some(servers) = &library.servers {
                    self.stock.take_servers(servers);
                }
                Vec::new()
            }
            Told::Found(finding) => {
                if let Some(finds) = &mut self.finds {
                    finds.take(finding);
                }
                Vec::new()
            }
            Told::SearchOver => {
                if let Some(finds) = &mut self.finds {
                    finds.end();
                }
                Vec::new()
            }
            Told::Forked { parent, result } if self.forking.as_ref() == Some(parent) => {
                self.forking = None;
                match result {
                    Ok((fork, _)) => vec![Effect::OpenForked(fork.clone())],
                    Err(why) => wrong(why),
                }
            }
            Told::Annotations(Ok((annotations, mark))) => {
                self.stock.annotate(annotations);
                self.stale = true;
                self.done(ChangeAnswer::Annotations(mark.as_ref()))
            }
            Told::Annotations(Err(why)) => self.failed(ChangeAnswer::Annotations(None), why),
            Told::Deleted(id, Ok(())) => {
                self.stock.discard(id);
                self.stale = true;
                self.done(ChangeAnswer::Trash(id))
            }
            Told::BroughtBack(id, Ok(())) => {
                self.stock.bring_back(id);
                self.stale = true;
                self.done(ChangeAnswer::Trash(id))
            }
            Told::Deleted(id, Err(why)) | Told::BroughtBack(id, Err(why)) => {
                self.failed(ChangeAnswer::Trash(id), why)
            }
            Told::Exported(result) if std::mem::take(&mut self.exporting) => match result {
                Ok(path) => {
                    let text = format!("written to {}", path.display());
                    vec![Effect::Say(Role::Notice, text)]
                }
                Err(why) => wrong(why),
            },
            _ => Vec::new(),
        }
    }

    fn done(&mut self, answer: ChangeAnswer<'_>) -> Vec<Effect> {
        let Some((way, change)) = self.history.done(answer) else {
            return Vec::new();
        };
        let key = |action| self.keys.hint(Context::Sessions, action);
        let text = match way {
            ChangeCause::Fresh | ChangeCause::Redo => match key(Action::Undo) {
                Some(key) => format!("{}, {key} undoes", change.describe()),
                None => change.describe(),
            },
            ChangeCause::Undo => format!("{}: undone", change.describe()),
        };
        // A mark on what is in the trash would compare with nothing.
        if let SessionChange::Deleted(id) = &change
            && self.marked.as_ref() == Some(id)
        {
            self.marked = None;
        }
        vec![Effect::Say(Role::Notice, text)]
    }

    fn failed(&mut self, answer: ChangeAnswer<'_>, why: &str) -> Vec<Effect> {
        self.history.failed(answer);
        wrong(why)
    }
}

fn wrong(why: &str) -> Vec<Effect> {
    vec![Effect::Say(Role::Error, why.to_owned())]
}
