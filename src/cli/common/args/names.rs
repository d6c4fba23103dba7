//! Arguments that name memories, people, sessions and models.

use crate::cli::common::{CommandContext, resolve_session};
use anyhow::Result;
use clap::Args;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::find_whole_runs;
use elenchus_records::workspace::memory::DEFAULT_NAMESPACE;

/// Namespace of long-term memory.
#[derive(Debug, Clone, Args)]
pub struct NamespaceArgs {
    /// Which memory is meant; simulated debates have one of their own, NAME.sim
    #[arg(long, short, value_name = "NAME", default_value = DEFAULT_NAMESPACE)]
    pub namespace: String,
}

/// Person who draws a queue.
#[derive(Debug, Clone, Default, Args)]
pub struct PersonArgs {
    /// Who draws it [default: the configured name, or USER]
    #[arg(long = "as", value_name = "NAME")]
    pub person: Option<String>,
}

/// Sessions by id or by run; all of them when none is named.
#[derive(Debug, Clone, Default, Args)]
pub struct SessionFilterArgs {
    /// Only these sessions (repeatable)
    #[arg(long, value_name = "SESSION")]
    pub session: Vec<String>,
    /// Only sessions of these runs (repeatable)
    #[arg(long, value_name = "RUN")]
    pub run: Vec<String>,
}

/// Permission to send to models that their server does not list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Args)]
pub struct UnlistedArgs {
    /// Ask models that their server does not list, without a question
    #[arg(long)]
    pub unlisted: bool,
}

impl SessionFilterArgs {
    /// Returns the sessions and the runs that are named.
    ///
    /// # Errors
    /// When there is no such session or run, or several are meant.
    pub(crate) fn resolve_ids(
        &self,
        context: &CommandContext,
    ) -> Result<(Vec<SessionId>, Vec<RunId>)> {
        let sessions = self
            .session
            .iter()
            .map(|text| resolve_session(context, text));
        Ok((
            sessions.collect::<Result<_, _>>()?,
            find_whole_runs(&context.store.layout, &self.run)?,
        ))
    }
}
