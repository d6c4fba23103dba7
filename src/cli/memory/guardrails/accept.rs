//! `elenchus memory guardrails accept`.

use super::args::GuardAcceptArgs;
use super::report;
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::{Page, output};
use crate::cli::memory::change::{make, print_change};
use crate::cli::memory::shelf::open_existing;
use crate::memory::{EntryKind, GuardAcceptance};
use crate::workspace::memory::EntryChange;

/// Accepts guardrails, showing what each was found to do to harmless prompts.
///
/// # Errors
/// When one cannot be found or was never tested.
pub fn run(args: &GuardAcceptArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = open_existing(shop, namespace)?;
    let how = match args.untested {
        true => GuardAcceptance::Untested,
        false => GuardAcceptance::ByHand,
    };
    let found = args
        .guardrail
        .iter()
        .map(|text| shelf.find_kind(EntryKind::Guardrail, text));
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
        let wanted = EntryChange::Accept(guard.id.clone(), how);
        print_change(&make(&desk, namespace, wanted)?, "");
    }
    Ok(Exit::Fine)
}
