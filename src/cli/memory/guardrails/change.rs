//! `elenchus memory guardrails add`, `accept`, `reject`, `reopen`, `edit`, `disable`, `enable`, `delete` and
//! `restore`.

use super::{report, shelf};
use crate::cli::args_guard::{GuardAcceptArgs, GuardAddArgs, GuardEditArgs, GuardIdsArgs};
use crate::cli::exit::Exit;
use crate::cli::memory::desk;
use crate::cli::page::{self, Page};
use crate::cli::workshop::Workshop;
use crate::driver::desk::Desk;
use crate::driver::{GuardChange, GuardChanged, change_guard};
use crate::memory::{Acceptance, GuardId, GuardText};
use anyhow::{Context, anyhow};

/// What is done to every guardrail that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Reject,
    Reopen,
    Disable,
    Enable,
    Delete,
    Restore,
}

impl Doing {
    fn change(self, id: GuardId) -> GuardChange {
        match self {
            Doing::Reject => GuardChange::Reject(id),
            Doing::Reopen => GuardChange::Reopen(id),
            Doing::Disable => GuardChange::Disable(id),
            Doing::Enable => GuardChange::Enable(id),
            Doing::Delete => GuardChange::Delete(id),
            Doing::Restore => GuardChange::Restore(id),
        }
    }
}

/// Proposes a guardrail and prints its id.
///
/// # Errors
/// When a text is empty or too long, or the journal cannot be written.
pub fn add(args: &GuardAddArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let text = text(&args.intent, &args.example)?;
    shop.layout.create()?;
    let namespace = &args.place.namespace;
    let added = make(&desk(shop)?, namespace, GuardChange::Add(text))?;
    page::out(&format!("{}\n", added.guard.id))?;
    page::notice(&format!(
        "proposed in memory '{namespace}'; 'elenchus memory guardrails test' says what it would refuse"
    ));
    Ok(Exit::Fine)
}

/// Accepts guardrails, showing what each was found to do to harmless prompts.
///
/// # Errors
/// When one cannot be found or was never tested.
pub fn accept(args: &GuardAcceptArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = shelf(shop, namespace)?;
    let how = match args.untested {
        true => Acceptance::Untested,
        false => Acceptance::ByHand,
    };
    let found = args.guardrail.iter().map(|text| shelf.find(text));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let desk = desk(shop)?;
    for guard in found {
        if let Some(tested) = guard.report() {
            let mut page = Page::new(page::width(), shop.colour);
            page.line(0, &guard.id.0);
            report::write(&mut page, tested, guard.revision);
            page::out(&page.finish())?;
        }
        let how = match guard.report() {
            Some(_) => Acceptance::ByHand,
            None => how,
        };
        say(&make(
            &desk,
            namespace,
            GuardChange::Accept(guard.id.clone(), how),
        )?);
    }
    Ok(Exit::Fine)
}

/// Gives a guardrail a new text.
///
/// # Errors
/// When there is none of that id, a text is empty or too long, or the journal cannot be written.
pub fn edit(args: &GuardEditArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = shelf(shop, namespace)?;
    let guard = shelf.find(&args.guardrail)?;
    let intent = args.intent.as_ref().unwrap_or(&guard.intent);
    let examples = match args.example.as_slice() {
        [] => &guard.examples,
        _ => &args.example,
    };
    let wanted = GuardChange::Edit(guard.id.clone(), text(intent, examples)?);
    let changed = make(&desk(shop)?, namespace, wanted)?;
    say(&changed);
    if !changed.already {
        page::notice("its text is another one now: test it and accept it anew");
    }
    Ok(Exit::Fine)
}

/// Does the same to every guardrail that is named; all of them are found before any is changed.
///
/// # Errors
/// When one cannot be found, or the journal cannot be written.
pub fn all(doing: Doing, args: &GuardIdsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = shelf(shop, namespace)?;
    let found = args.guardrail.iter().map(|text| shelf.find(text));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let desk = desk(shop)?;
    for guard in found {
        say(&make(&desk, namespace, doing.change(guard.id.clone()))?);
    }
    Ok(Exit::Fine)
}

fn say(changed: &GuardChanged) {
    let already = if changed.already { " already" } else { "" };
    let guard = &changed.guard;
    page::notice(&format!(
        "{}: {}{already}",
        guard.id,
        guard.standing_words()
    ));
}

fn text(intent: &str, examples: &[String]) -> anyhow::Result<GuardText> {
    GuardText::new(intent, examples).map_err(|why| anyhow!("this is no guardrail: {why}"))
}

/// Makes a change and waits until it is durable.
fn make(desk: &Desk, namespace: &str, wanted: GuardChange) -> anyhow::Result<GuardChanged> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .context("the runtime could not be started")?;
    runtime.block_on(keep(desk, namespace, wanted))
}

/// Makes a change, durable when this returns.
///
/// # Errors
/// As [`change_guard`].
pub async fn keep(
    desk: &Desk,
    namespace: &str,
    wanted: GuardChange,
) -> anyhow::Result<GuardChanged> {
    let changed = change_guard(desk, namespace, wanted).await?;
    for notice in &changed.notices {
        page::notice(&format!("notice: {notice}"));
    }
    Ok(changed)
}
