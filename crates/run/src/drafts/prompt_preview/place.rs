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
    neighbours: Vec<AskedFor>,
}

impl PreviewPlace {
    /// Reads a place; where none is named or it is gone, the last one that a prompt was used at. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read; when the prompt was never used, and as [`PromptStage::from_sample_data`].
    pub fn read_or_last(
        layout: &Layout,
        library: &Library,
        name: &PromptName,
        at: Option<PromptAt>,
    ) -> Result<Self> {
        let at = match keep_existing(layout, at) {
            Some(at) => Some(at),
            None => find_last_use(layout, name)?,
        };
        Self::read_or_sample(layout, library, name, at)
    }

    /// Reads a place; where none is named or it is gone, sample data. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read, and as [`PromptStage::from_sample_data`].
    pub fn read_or_sample(
        layout: &Layout,
        library: &Library,
        name: &PromptName,
        at: Option<PromptAt>,
    ) -> Result<Self> {
        let Some(at) = keep_existing(layout, at) else {
            return Ok(Self {
                stage: Arc::new(PromptStage::from_sample_data(library, name)?),
                neighbours: Vec::new(),
            });
        };
        let path = layout.session_path(at.session.as_str())?;
        let places = places_in(&read_session(&path)?, &name.template);
        Ok(Self {
            stage: Arc::new(PromptStage::read(&path, name, at)?),
            neighbours: places.map_or_else(Vec::new, |places| places.asked),
        })
    }

    /// Returns where it is; `None` for sample data.
    pub fn place(&self) -> Option<&PromptAt> {
        self.stage.place.as_ref()
    }

    /// Returns the place so many after it, or before it, that the prompt was used at in the same session.
    pub fn neighbour(&self, by: isize) -> Option<PromptAt> {
        let here = self.place()?;
        let at = self
            .neighbours
            .iter()
            .position(|asked| *asked == here.asked)?;
        Some(PromptAt {
            session: here.session.clone(),
            asked: self.neighbours.get(at.checked_add_signed(by)?)?.clone(),
        })
    }
}

/// Leaves out what is in no store: an example cannot be opened again.
fn keep_existing(layout: &Layout, at: Option<PromptAt>) -> Option<PromptAt> {
    at.filter(|at| {
        let path = layout.session_path(at.session.as_str());
        path.is_ok_and(|path| path.exists())
    })
}

fn find_last_use(layout: &Layout, name: &PromptName) -> Result<Option<PromptAt>> {
    let last = find_places(layout, name)?.into_iter().next();
    Ok(last.and_then(|places| {
        Some(PromptAt {
            session: places.session,
            asked: places.asked.into_iter().next()?,
        })
    }))
}
