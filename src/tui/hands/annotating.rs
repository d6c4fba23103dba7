//! Queues, labels, and what unblinds.
//!
//! A label is told of when it is durable, and what was hidden is told when it is durable that it was
//! shown.

use super::keeping::opened;
use super::{Hands, Tools};
use crate::debate::event::{Event, Record};
use crate::debate::{SessionId, State, Target};
use crate::driver::desk::{
    Blindness, Desk, Glance, Label, LabelBook, LabelPlace, LabelRole, MarginBook, Margins, Mark,
    MarkId, Queue, SeatNames, Sheet, Spot, StandingLabel, Unblinding, Unread, annotator,
    find_queue, itinerary, label_book, progress, queues, read_margins, read_sheet, read_sights,
    record_sights, verdicts_on,
};
use crate::driver::live::Tiding;
use crate::driver::read_session;
use crate::prompt::expand;
use crate::tui::app::{
    AnnotateCard, AnnotateDeed, AnnotateTold, HIDDEN_VERDICTS, Opened, Post, QueueLine, Revealing,
    Ticket, Told, Work,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;

/// The longest time that a label is said to have taken, in milliseconds: whoever goes away for lunch
/// does not read for an hour.
const MAX_SPENT_MS: u64 = 10 * 60 * 1000;
/// Words of one's own that are offered again.
const MAX_WORDS: usize = 12;

impl Hands {
    pub(super) fn annotate(&mut self, deed: AnnotateDeed) {
        match deed {
            AnnotateDeed::Queues => {
                self.look_up(|tools| AnnotateTold::Queues(lines(tools).map(Arc::new)));
            }
            AnnotateDeed::Open(work) => self.look_up(|tools| {
                let card = card(tools, &work).map(Arc::new);
                AnnotateTold::Opened(work, card)
            }),
            AnnotateDeed::Sheet(session, names) => self.look_up(move |tools| {
                let sheet = sheet(tools, &session, names).map(Arc::new);
                AnnotateTold::Sheet(session, sheet)
            }),
            AnnotateDeed::Shown => self.shown = Instant::now(),
            AnnotateDeed::Give(ticket, label) => self.give(ticket, label),
            AnnotateDeed::TakeBack(ticket, of, place) => self.take_back(ticket, of, *place),
            AnnotateDeed::Listed(sessions) => {
                record_on(&self.tools, sessions, Revealing::Verdict, &self.tell);
            }
            AnnotateDeed::Reveal(on, what) => self.reveal(on, what),
        }
    }

    fn look_up(&self, work: impl FnOnce(&Tools) -> AnnotateTold + Send + 'static) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        tokio::task::spawn_blocking(move || {
            let _ = tell.send(Told::Annotate(work(&tools)));
        });
    }

    fn give(&self, ticket: Ticket, mut label: Box<Label>) {
        let spent = u64::try_from(self.shown.elapsed().as_millis()).unwrap_or(u64::MAX);
        label.spent_ms = Some(spent.min(MAX_SPENT_MS));
        let desk = self.tools.desk.clone();
        self.in_margin(
            move |book, who| {
                Box::pin(async move {
                    let mut saw = book.margins().saw(&who, &label.on.session);
                    match seen(desk, who.clone(), label.on.session.clone()).await {
                        Ok(more) => saw.extend(more),
                        Err(why) => return AnnotateTold::Given(ticket, Err(why)),
                    }
                    label.blind = match saw.is_empty() {
                        true => Blindness::Blind,
                        false => Blindness::Unblinded { saw },
                    };
                    let place = LabelPlace::of(&label);
                    let given = book.write(Mark::Labelled(label)).await;
                    let given = given.map_err(|error| error.to_string()).and_then(|_| {
                        let standing = book.margins().label(&who, &place).cloned();
                        standing.ok_or_else(|| "the label does not stand".to_owned())
                    });
                    AnnotateTold::Given(ticket, given.map(Box::new))
                })
            },
            move |why| AnnotateTold::Given(ticket, Err(why)),
        );
    }

    fn take_back(&self, ticket: Ticket, of: MarkId, place: LabelPlace) {
        self.in_margin(
            move |book, who| {
                Box::pin(async move {
                    let taken = book.write(Mark::Retracted { of }).await;
                    let taken = taken.map_err(|error| error.to_string());
                    let stands = book.margins().label(&who, &place).cloned().map(Box::new);
                    AnnotateTold::TakenBack(ticket, taken.map(|mark| (mark, stands)))
                })
            },
            move |why| AnnotateTold::TakenBack(ticket, Err(why)),
        );
    }

    fn reveal(&self, on: Spot, what: Revealing) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        tokio::spawn(async move {
            let told = revealed(&tools, &on, what).await.map(Arc::new);
            let _ = tell.send(Told::Annotate(AnnotateTold::Revealed(on, what, told)));
        });
    }

    /// Does something in the person's margin, one after the other.
    fn in_margin(
        &self,
        work: impl for<'a> FnOnce(&'a mut MarginBook, String) -> Doing<'a> + Send + 'static,
        failed: impl FnOnce(String) -> AnnotateTold + Send + 'static,
    ) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        let margin = Arc::clone(&self.margin);
        tokio::spawn(async move {
            let mut book = margin.lock().await;
            let told = match opened(&tools, &mut book) {
                Ok(book) => work(book, annotator(&tools.desk.person)).await,
                Err(why) => failed(why),
            };
            let _ = tell.send(Told::Annotate(told));
        });
    }
}

/// Returns the sessions of queues that the person has begun to label and not finished: a list that
/// showed their verdicts would unblind.
pub(super) fn labelled_now(desk: &Desk, margins: &Margins) -> BTreeSet<SessionId> {
    let who = annotator(&desk.person);
    let mine = margins
        .labels()
        .filter(|standing| standing.annotator == who);
    let begun = mine.filter_map(|standing| Some(&standing.label.drawn.as_ref()?.queue));
    let begun: BTreeSet<&String> = begun.collect();
    let mut sessions = BTreeSet::new();
    for name in begun {
        let Ok(queue) = find_queue(&desk.layout, name) else {
            continue;
        };
        let far = progress(&queue, margins, &who);
        if far.labelled < far.of {
            sessions.extend(queue.items().map(|(_, item)| item.on.session.clone()));
        }
    }
    sessions
}

/// Hides the verdicts of sessions in a list.
pub(super) fn hide(glances: &mut [Result<Glance, Unread>], hidden: &BTreeSet<SessionId>) {
    for glance in glances.iter_mut().flatten() {
        if hidden.contains(&glance.summary.session) && !glance.summary.verdicts.is_empty() {
            HIDDEN_VERDICTS.clone_into(&mut glance.summary.verdicts);
        }
    }
}

type Doing<'a> = std::pin::Pin<Box<dyn Future<Output = AnnotateTold> + Send + 'a>>;

impl Hands {
    /// Takes note of verdicts that appear on the screen while a debate is played: the first of each
    /// session unblinds.
    pub fn take_note(&mut self, told: &Told) {
        let judged = |record: &Record| matches!(record.event, Event::Judged(_));
        let session = match told {
            Told::Live(id, tiding) => match tiding.as_ref() {
                Tiding::Happened(record) if judged(record) => id,
                _ => return,
            },
            Told::Grew(id, records) if records.iter().any(judged) => id,
            _ => return,
        };
        if self.sighted.insert(session.clone()) {
            let sessions = vec![session.clone()];
            record_on(&self.tools, sessions, Revealing::View, &self.tell);
        }
    }
}

/// Records that a person is shown a session's verdicts, once, where it has any.
pub(super) fn record_sight(
    tools: &Tools,
    session: &SessionId,
    opened_session: &Opened,
    tell: &UnboundedSender<Told>,
) {
    let who = annotator(&tools.desk.person);
    let known = opened_session.margins.saw(&who, session);
    let all = reveals(Revealing::View);
    if known.is_superset(&all) || opened_session.state.verdicts().next().is_none() {
        return;
    }
    // What a fork shows of its past is its parents' as well.
    let mut sessions = opened_session.state.forked_from().to_vec();
    sessions.push(session.clone());
    record_on(tools, sessions, Revealing::View, tell);
}

/// Records what is shown of some sessions; what goes wrong is said, for then nobody would
/// know that whoever labels is no longer blind.
fn record_on(
    tools: &Tools,
    sessions: Vec<SessionId>,
    what: Revealing,
    tell: &UnboundedSender<Told>,
) {
    let (desk, tell) = (tools.desk.clone(), tell.clone());
    tokio::spawn(async move {
        let all = sessions.into_iter();
        let sights: Vec<_> = all.map(|session| (session, reveals(what))).collect();
        if let Err(why) = record(&desk, &sights).await {
            let why = format!("that you were shown verdicts is not recorded: {why}");
            let _ = tell.send(Told::Margins(Err(why)));
        }
    });
}

/// What somebody sees to whom this is shown.
fn reveals(what: Revealing) -> BTreeSet<Unblinding> {
    match what {
        Revealing::Verdict => BTreeSet::from([Unblinding::Verdict]),
        Revealing::View => BTreeSet::from([
            Unblinding::Verdict,
            Unblinding::Arm,
            Unblinding::Protocol,
            Unblinding::PromptVersion,
        ]),
    }
}

/// Returns what a person was shown of a session by now: it may have been in another terminal.
async fn seen(desk: Desk, who: String, session: SessionId) -> Result<BTreeSet<Unblinding>, String> {
    let read = tokio::task::spawn_blocking(move || {
        let mut sights = Margins::default();
        let read = read_sights(&desk.layout, &who).map_err(|error| error.to_string())?;
        sights.add(&who, read);
        Ok(sights.saw(&who, &session))
    });
    read.await
        .unwrap_or_else(|_| Err("what you were shown could not be read".to_owned()))
}

/// Records that something hidden is shown, and returns it.
async fn revealed(tools: &Tools, on: &Spot, what: Revealing) -> Result<Vec<String>, String> {
    let (with, session) = (tools.clone(), on.session.clone());
    let read = tokio::task::spawn_blocking(move || read(&with, &session)).await;
    let state = read.unwrap_or_else(|_| Err("the session could not be read".to_owned()))?;
    record(&tools.desk, &[(on.session.clone(), reveals(what))]).await?;
    Ok(match what {
        Revealing::Verdict => verdict(&state, on),
        Revealing::View => view(&state, on),
    })
}

async fn record(desk: &Desk, sights: &[(SessionId, BTreeSet<Unblinding>)]) -> Result<(), String> {
    let Desk {
        layout,
        fsync,
        clock,
        holder,
        person,
    } = desk;
    let recorded = record_sights(layout, fsync, *clock, person, holder, sights);
    recorded.await.map_err(|error| error.to_string())
}

fn read(tools: &Tools, session: &SessionId) -> Result<State, String> {
    let path = tools.desk.layout.session(session.as_str());
    let path = path.map_err(|error| error.to_string())?;
    if !path.exists() {
        return Err("this is a pack: it holds no verdicts and no prompts".to_owned());
    }
    read_session(&path).map_err(|error| error.to_string())
}

fn verdict(state: &State, on: &Spot) -> Vec<String> {
    let target = match &on.attempt {
        Some(attempt) => Target::Attempt(attempt.id.clone()),
        None => Target::Debate,
    };
    let verdicts = verdicts_on(state, &target);
    let mut words: Vec<String> = verdicts
        .found
        .iter()
        .map(|(rule, found)| format!("{rule}: {found}"))
        .collect();
    if words.is_empty() {
        words.push("no evaluator has looked at it".to_owned());
    }
    if verdicts.disagree() {
        words.push("evaluators disagree".to_owned());
    }
    words
}

/// Everything that a seat was shown, message by message.
fn view(state: &State, on: &Spot) -> Vec<String> {
    let Some(attempt) = &on.attempt else {
        return vec!["a debate as a whole was shown to nobody".to_owned()];
    };
    let chosen = state.turns().get(&attempt.id.turn).and_then(|turn| {
        let at = usize::try_from(attempt.id.attempt).ok()?;
        turn.attempts.get(at)?.view.clone()
    });
    let Some(view) = chosen else {
        return vec!["it was typed by a person, who was sent nothing".to_owned()];
    };
    let view = expand(state, Some(&attempt.id.turn), view);
    let messages = view.messages.into_iter().map(|message| {
        let parts = message.parts.into_iter().filter_map(|part| part.text);
        format!("[{:?}]\n{}", message.role, parts.collect::<String>())
    });
    messages.collect()
}

fn sheet(tools: &Tools, session: &SessionId, names: SeatNames) -> Result<Sheet, String> {
    read_sheet(&tools.desk.layout, session, names).map_err(|error| error.to_string())
}

fn lines(tools: &Tools) -> Result<Vec<QueueLine>, String> {
    let in_words = |error: crate::driver::DriverError| error.to_string();
    let layout = &tools.desk.layout;
    let (margins, _) = read_margins(layout).map_err(in_words)?;
    let who = annotator(&tools.desk.person);
    let found = queues(layout).map_err(in_words)?.into_iter();
    let lines = found.filter_map(|(_, queue)| queue.ok()).map(|queue| {
        let mine = progress(&queue, &margins, &who);
        let others = margins.annotators().filter(|other| *other != who);
        let others = others.filter(|other| progress(&queue, &margins, other).labelled > 0);
        QueueLine {
            others: others.count(),
            labelled: mine.labelled,
            of: mine.of,
            set: queue.definition.set,
            queue: queue.definition.queue,
        }
    });
    Ok(lines.collect())
}

fn card(tools: &Tools, work: &Work) -> Result<AnnotateCard, String> {
    let in_words = |error: crate::driver::DriverError| error.to_string();
    let layout = &tools.desk.layout;
    let (margins, _) = read_margins(layout).map_err(in_words)?;
    let who = annotator(&tools.desk.person);
    let mut notices = Vec::new();
    let (book, posts) = match work {
        Work::Queue(name) => {
            let queue = find_queue(layout, name).map_err(in_words)?;
            let book = label_book(&tools.library, &queue).map_err(in_words)?;
            notices.extend(changed(&book, &queue));
            let posts = posts(&queue, &margins, &who);
            (book, posts)
        }
        Work::Disputes(name) => {
            let queue = find_queue(layout, name).map_err(in_words)?;
            let book = label_book(&tools.library, &queue).map_err(in_words)?;
            notices.extend(changed(&book, &queue));
            let posts = disputes(&queue, &margins, &who);
            (book, posts)
        }
        Work::One { on, set } => {
            let book = tools
                .library
                .label_set(set)
                .map_err(|error| error.to_string())?;
            let place = LabelPlace {
                on: on.clone(),
                set: book.set.id.clone(),
                repeat: 0,
                role: LabelRole::Annotator,
            };
            let mine = margins.label(&who, &place).cloned();
            let post = Post {
                on: on.clone(),
                // A label that was drawn stays one of its sample when it is corrected here.
                drawn: mine.as_ref().and_then(|mine| mine.label.drawn.clone()),
                repeat: 0,
                role: LabelRole::Annotator,
                mine,
                others: Vec::new(),
            };
            (book, vec![post])
        }
    };
    let of = posts.iter().map(|post| &post.on.session);
    let sessions: BTreeSet<&SessionId> = of.collect();
    let saw = sessions.into_iter().filter_map(|session| {
        let saw = margins.saw(&who, session);
        (!saw.is_empty()).then(|| (session.clone(), saw))
    });
    let spent = posts
        .iter()
        .filter_map(|post| post.mine.as_ref()?.label.spent_ms);
    Ok(AnnotateCard {
        sets: tools
            .library
            .label_sets()
            .into_iter()
            .map(|(name, _)| name)
            .collect(),
        notices,
        saw: saw.collect(),
        spent_ms: spent.collect(),
        words: words(&book, &margins, &who),
        annotator: who,
        posts,
        book,
    })
}

fn changed(book: &LabelBook, queue: &Queue) -> Option<String> {
    (book.hash != queue.definition.codebook_sha256).then(|| {
        format!(
            "the codebook of '{}' has changed since this queue was drawn; labels tell which one they were given by",
            book.set.id
        )
    })
}

fn posts(queue: &Queue, margins: &Margins, who: &str) -> Vec<Post> {
    let set = &queue.definition.set;
    let stations = itinerary(queue, who).into_iter();
    stations
        .map(|station| {
            let place = station.place(set);
            let done = station.is_labelled(margins, who, set);
            Post {
                mine: margins.label(who, &place).filter(|_| done).cloned(),
                on: station.on,
                drawn: Some(station.drawn),
                repeat: station.repeat,
                role: LabelRole::Annotator,
                others: Vec::new(),
            }
        })
        .collect()
}

/// Returns what annotators of a queue said different things of, in the queue's order.
fn disputes(queue: &Queue, margins: &Margins, who: &str) -> Vec<Post> {
    let set = &queue.definition.set;
    let mut said: BTreeMap<&Spot, Vec<&StandingLabel>> = BTreeMap::new();
    for standing in margins.labels() {
        let label = &standing.label;
        let first = label.role == LabelRole::Annotator && label.repeat == 0;
        if label.set == *set && first {
            said.entry(&label.on).or_default().push(standing);
        }
    }
    let items = queue.items().filter_map(|(wave, item)| {
        let others = said.get(&item.on)?;
        let words: BTreeSet<&String> = others.iter().map(|it| &it.label.label).collect();
        if words.len() < 2 {
            return None;
        }
        let place = LabelPlace {
            on: item.on.clone(),
            set: set.clone(),
            repeat: 0,
            role: LabelRole::Adjudicator,
        };
        Some(Post {
            on: item.on.clone(),
            drawn: queue.drawn(wave, item),
            repeat: 0,
            role: LabelRole::Adjudicator,
            mine: margins.label(who, &place).cloned(),
            others: others.iter().map(|it| (*it).clone()).collect(),
        })
    });
    items.collect()
}

/// Returns words of one's own by how often they were given.
fn words(book: &LabelBook, margins: &Margins, who: &str) -> Vec<String> {
    if book.set.free.is_none() {
        return Vec::new();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mine = margins.labels().filter(|standing| {
        standing.annotator == who
            && standing.label.set == book.set.id
            && book.set.label(&standing.label.label).is_none()
    });
    for word in mine.flat_map(|standing| standing.label.label.split(", ")) {
        *counts.entry(word).or_default() += 1;
    }
    let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
    words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words = words.into_iter().take(MAX_WORDS);
    words.map(|(word, _)| word.to_owned()).collect()
}
