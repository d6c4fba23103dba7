//! Names of models on a command line, checked against the lists of servers before anything is sent, and
//! suggested where a model must be named.

use super::args::UnlistedArgs;
use super::context::CommandContext;
use super::{join_first_names, output, question};
use anyhow::{Result, bail};
use elenchus_game::debate::event::ModelPlayer;
use elenchus_records::workspace::{CastError, WorkspaceError};
use elenchus_run::engine::seats::find_unlisted_models;

/// Maximum number of suggested names.
const SHOWN: usize = 12;

/// Checks the names of models against the lists of their servers. A server without a list is used as it
/// is.
///
/// # Errors
/// When a name is on no list and is not confirmed.
pub async fn check_names<'a>(
    context: &CommandContext,
    players: impl IntoIterator<Item = &'a ModelPlayer>,
    args: UnlistedArgs,
) -> Result<()> {
    let unlisted = find_unlisted_models(players, &context.seats, &context.served).await;
    for model in &unlisted {
        output::print_notice(&format!("warning: {model}"));
    }
    // A configured name is trusted over the server's list.
    let doubtful = unlisted.iter().filter(|model| !model.is_configured);
    let doubtful: Vec<&str> = doubtful.map(|model| model.model.as_str()).collect();
    if args.unlisted || doubtful.is_empty() {
        return Ok(());
    }
    if question::is_somebody_there() {
        return match question::confirm("Send to it all the same?", question::Default::No)? {
            Some(true) => Ok(()),
            Some(false) | None => bail!("nothing was sent; name a model that the server lists"),
        };
    }
    bail!(
        "nothing was sent: '{}' is not listed; name a model that the server lists, or say \
         --unlisted if it is meant",
        output::clean_line(&doubtful.join("', '"))
    )
}

/// Adds the models that servers offer to the error that no model is named.
///
/// # Errors
/// Those of `seated`.
pub async fn suggest_models<T>(context: &CommandContext, seated: Result<T>) -> Result<T> {
    let error = match seated {
        Ok(seated) => return Ok(seated),
        Err(error) => error,
    };
    let is_it = |error: &CastError| matches!(error, CastError::NobodyNamed { .. });
    let of_driver =
        |error: &WorkspaceError| matches!(error, WorkspaceError::Cast(cast) if is_it(cast));
    let mut chain = error.chain();
    let is_nobody = chain.any(|cause| {
        cause.downcast_ref::<CastError>().is_some_and(is_it)
            || cause
                .downcast_ref::<WorkspaceError>()
                .is_some_and(of_driver)
    });
    if !is_nobody {
        return Err(error);
    }
    let names = context
        .served
        .playable_names(&context.served.load_all().await);
    let suggestions = join_first_names(&names, SHOWN);
    match output::clean_line(&suggestions) {
        _ if names.is_empty() => bail!("{error}; no server lists any"),
        shown => bail!("{error}\nmodels there are: {shown}"),
    }
}
