//! `elenchus labels pack`.

use super::desk;
use crate::cli::args_labels::PackArgs;
use crate::cli::exit::Exit;
use crate::cli::page::{self, counted};
use crate::cli::workshop::Workshop;
use crate::driver::desk::write_pack;

/// Writes a folder in which a colleague labels a queue.
///
/// # Errors
/// When there is no such queue, a session of it cannot be read, or the folder is there.
pub async fn run(args: &PackArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let desk = desk(shop, None)?;
    let packed = write_pack(&desk, &shop.library, &args.queue, &args.folder).await?;
    page::notice(&format!(
        "{}: {} of {}, what was asked and said and nothing else: no verdict, model, protocol or prompt",
        args.folder.display(),
        counted(packed.items, "item"),
        counted(packed.sessions, "session"),
    ));
    page::notice(&format!(
        "label it with: elenchus annotate --pack {} --as NAME",
        args.folder.display()
    ));
    page::notice(&format!(
        "take it in with: elenchus labels merge {}",
        args.folder.display()
    ));
    Ok(Exit::Fine)
}
