//! Places that a prompt is previewed at: a recorded one, with what the prompt asked for beside it, or sample
//! data.

use super::PromptStage;
use elenchus_records::library::Library;
use elenchus_records::workspace::prompts::{
    AskedFor, PromptAt, PromptName, find_places, places_in,
};
use elenchus_records::workspace::{Result, read_session};
use elenchus_store::Layout;
use std::sync::Arc;

/// A place with its neighbours.
#[derive(Debug, Clone)]
pub struct PreviewPlace {
    pub stage: Arc<PromptStage>,
    /// What the prompt asked for in the same session; nothing for sample data.
    beside: Vec<AskedFor>,
}

impl PreviewPlace {
    /// Reads a place; where none is named or it is gone, the last one that a prompt was used at. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read; when the prompt was never used, and as [`PromptStage::sample`].
    pub fn at_or_last(
        layout: &Layout,
        library: &Library,
        name: &PromptName,
        at: Option<PromptAt>,
    ) -> Result<Self> {
        let at = match stored(layout, at) {
            Some(at) => Some(at),
            None => last_use(layout, name)?,
        };
        Self::at_or_sample(layout, library, name, at)
    }

    /// Reads a place; where none is named or it is gone, sample data. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read, and as [`PromptStage::sample`].
    pub fn at_or_sample(
        layout: &Layout,
        library: &Library,
        name: &PromptName,
        at: Option<PromptAt>,
    ) -> Result<Self> {
        let Some(at) = stored(layout, at) else {
            return Ok(Self {
                stage: Arc::new(PromptStage::sample(library, name)?),
                beside: Vec::new(),
            });
        };
        let path = layout.session(at.session.as_str())?;
        let places = places_in(&read_session(&path)?, &name.template);
        Ok(Self {
            stage: Arc::new(PromptStage::read(&path, name, at)?),
            beside: places.map_or_else(Vec::new, |places| places.asked),
        })
    }

    /// Returns where it is; `None` for sample data.
    pub fn at(&self) -> Option<&PromptAt> {
        self.stage.place.as_ref()
    }

    /// Returns the place so many after it, or before it, that the prompt was used at in the same session.
    pub fn beside(&self, by: isize) -> Option<PromptAt> {
        let here = self.at()?;
        let at = self.beside.iter().position(|asked| *asked == here.asked)?;
        Some(PromptAt {
            session: here.session.clone(),
            asked: self.beside.get(at.checked_add_signed(by)?)?.clone(),
        })
    }
}

/// Leaves out what is in no store: an example cannot be opened again.
fn stored(layout: &Layout, at: Option<PromptAt>) -> Option<PromptAt> {
    at.filter(|at| {
        let path = layout.session(at.session.as_str());
        path.is_ok_and(|path| path.exists())
    })
}

fn last_use(layout: &Layout, name: &PromptName) -> Result<Option<PromptAt>> {
    let last = find_places(layout, name)?.into_iter().next();
    Ok(last.and_then(|places| {
        Some(PromptAt {
            session: places.session,
            asked: places.asked.into_iter().next()?,
        })
    }))
}
