//! Plays a debate with the simulated model and prints what was said:
//! `cargo run --example play_debate -- FOLDER`. The folder becomes a store that `elenchus --store FOLDER` opens.

use anyhow::Result;
use elenchus_game::debate::event::Event;
use elenchus_records::library::Library;
use elenchus_records::workspace::{StoreContext, Tail, reject};
use elenchus_run::engine::cost::Budget;
use elenchus_run::engine::play::{Table, play_session};
use elenchus_run::engine::seats::{ModelTable, SIM, Seats};
use elenchus_run::engine::{DebatePlan, NoObserver, NoPeople, TypedTopic};
use elenchus_store::Layout;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Plays a debate of two rounds into a store and returns its turns as text.
pub async fn play_debate(store: &Path, question: &str) -> Result<String> {
    // Where journals lie, who writes them, and the threads that sync them.
    let store = StoreContext::new(Layout::new(store.to_owned()), "play_debate", "somebody");
    // The games that come with the program, and no models but the simulated one: no keys, no recordings.
    let library = Library::default();
    let seats = Seats::new(
        ModelTable::default(),
        Arc::new(|_| None),
        Arc::new(|_| reject("nothing is recorded here")),
    );
    let topic = TypedTopic {
        text: question.to_owned(),
        ..TypedTopic::default()
    };
    let plan = DebatePlan {
        rounds: Some(2),
        ..DebatePlan::new("pred", topic.into_topic()?)
    };
    let prepared = plan.prepare(&store, &library, &seats, Some(SIM))?;
    let mut session = prepared.begin_session(&store).await?;
    play_session(
        &mut session,
        Table {
            clock: store.clock,
            seats: &seats,
            budget: &Budget::new(None, 0.0),
            memory: None,
            swapped_rewards: None,
            observer: &NoObserver,
            people: &NoPeople,
            cancel: &CancellationToken::new(),
        },
    )
    .await?;

    let mut text = String::new();
    for record in Tail::open(&store.layout.session_path(session.id.as_str())?).read_new_records()? {
        if let Event::Replied(replied) = &record.event {
            writeln!(text, "{}: {}", replied.turn, replied.reply.text.trim())?;
        }
    }
    Ok(text)
}

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.unwrap_or_else(|| "debates".into());
    let said = play_debate(folder.as_ref(), "Is it fine to leave a candle burning?").await?;
    print!("simulated model, nothing of this is evidence:\n{said}");
    Ok(())
}
