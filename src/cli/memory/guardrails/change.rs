//! `elenchus memory guardrails add`, `accept`, `reject`, `reopen`, `edit`, `disable`, `enable`, `delete` and
//! `restore`.

use super::args::{GuardAcceptArgs, GuardAddArgs, GuardEditArgs, GuardIdsArgs};
use super::report;
use super::shelf::read_guardrails;
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::{Page, output};
use crate::memory::{GuardAcceptance, GuardId, GuardText};
use crate::workspace::Desk;
use crate::workspace::memory::{ChangedGuard, GuardChange, change_guard};
use anyhow::{Context, anyhow};

/// What is done to every guardrail that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardrailAction {
    Reject,
    Reopen,
    Disable,
    Enable,
    Delete,
    Restore,
}

impl GuardrailAction {
    fn change(self, id: GuardId) -> GuardChange {
        match self {
            GuardrailAction::Reject => GuardChange::Reject(id),
            GuardrailAction::Reopen => GuardChange::Reopen(id),
            GuardrailAction::Disable => GuardChange::Disable(id),
            GuardrailAction::Enable => GuardChange::Enable(id),
            GuardrailAction::Delete => GuardChange::Delete(id),
            GuardrailAction::Restore => GuardChange::Restore(id),
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
    let added = make(
        &shop.desk("memory", None)?,
        namespace,
        GuardChange::Add(text),
    )?;
    output::out(&format!("{}\n", added.guard.id))?;
    output::notice(&format!(
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
    let shelf = read_guardrails(shop, namespace)?;
    let how = match args.untested {
        true => GuardAcceptance::Untested,
        false => GuardAcceptance::ByHand,
    };
    let found = args.guardrail.iter().map(|text| shelf.find(text));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let desk = shop.desk("memory", None)?;
    for guard in found {
        if let Some(tested) = guard.report() {
            let mut page = Page::new(output::width(), shop.colour);
            page.line(0, &guard.id.0);
            report::write(&mut page, tested, guard.revision);
            output::out(&page.finish())?;
        }
        let how = match guard.report() {
            Some(_) => GuardAcceptance::ByHand,
            None => how,
        };
        print_change(&make(
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
    let shelf = read_guardrails(shop, namespace)?;
    let guard = shelf.find(&args.guardrail)?;
    let intent = args.intent.as_ref().unwrap_or(&guard.intent);
    let examples = match args.example.as_slice() {
        [] => &guard.examples,
        _ => &args.example,
    };
    let wanted = GuardChange::Edit(guard.id.clone(), text(intent, examples)?);
    let changed = make(&shop.desk("memory", None)?, namespace, wanted)?;
    print_change(&changed);
    if !changed.already {
        output::notice("its text has changed: test it and accept it again");
    }
    Ok(Exit::Fine)
}

/// Does the same to every guardrail that is named; all of them are found before any is changed.
///
/// # Errors
/// When one cannot be found, or the journal cannot be written.
pub fn all(doing: GuardrailAction, args: &GuardIdsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = read_guardrails(shop, namespace)?;
    let found = args.guardrail.iter().map(|text| shelf.find(text));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let desk = shop.desk("memory", None)?;
    for guard in found {
        print_change(&make(&desk, namespace, doing.change(guard.id.clone()))?);
    }
    Ok(Exit::Fine)
}

fn print_change(changed: &ChangedGuard) {
    let already = if changed.already { " already" } else { "" };
    let guard = &changed.guard;
    output::notice(&format!(
        "{}: {}{already}",
        guard.id,
        guard.standing_words()
    ));
}

fn text(intent: &str, examples: &[String]) -> anyhow::Result<GuardText> {
    GuardText::new(intent, examples).map_err(|why| anyhow!("this is no guardrail: {why}"))
}

/// Makes a change and waits until it is durable.
fn make(desk: &Desk, namespace: &str, wanted: GuardChange) -> anyhow::Result<ChangedGuard> {
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
) -> anyhow::Result<ChangedGuard> {
    let changed = change_guard(desk, namespace, wanted).await?;
    for notice in &changed.notices {
        output::notice(&format!("notice: {notice}"));
    }
    Ok(changed)
}
