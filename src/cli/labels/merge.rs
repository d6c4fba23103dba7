//! `elenchus labels merge`.

use super::desk;
use crate::cli::args_labels::MergeArgs;
use crate::cli::exit::Exit;
use crate::cli::page::{self, counted};
use crate::cli::workshop::Workshop;
use crate::driver::desk::merge_pack;

/// Takes in what was labelled in a pack.
///
/// # Errors
/// When the folder is no pack, does not fit the store, or what it holds contradicts it: nothing is
/// taken then.
pub async fn run(args: &MergeArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let desk = desk(shop, None)?;
    let merged = merge_pack(&desk, &args.folder).await?;
    for one in &merged {
        page::notice(&format!(
            "{}: took {}, had {} already",
            one.annotator,
            counted(one.taken, "mark"),
            one.known
        ));
    }
    if merged.is_empty() {
        page::notice("nobody has labelled anything in it");
    }
    Ok(Exit::Fine)
}
