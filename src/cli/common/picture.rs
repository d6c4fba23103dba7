//! Pictures as commands show them: on standard output, or as SVG in a file.

use super::{CommandContext, format_noun_count, output};
use crate::tui::theme::choose_plot_glyphs;
use anyhow::Result;
use elenchus_plot::{Picture, draw_picture, write_svg};
use elenchus_store::replace_private;
use elenchus_text::Page;
use std::path::Path;

/// Pages are no wider.
const MAX_COLUMNS: usize = 100;
/// Standard output instead of a file.
const STANDARD_OUTPUT: &str = "-";

/// Draws a picture for the terminal; one that goes into a file leaves a line that says so.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn show_picture(
    picture: &Picture,
    svg: Option<&Path>,
    context: &CommandContext,
) -> Result<String> {
    match svg {
        Some(file) => save_svg(picture, file),
        None => {
            let mut page = Page::new(output::width(), context.colour);
            page.add_paragraphs(&draw_picture(
                picture,
                output::width().min(MAX_COLUMNS),
                choose_plot_glyphs(output::detect_glyph_set()),
            ));
            Ok(page.into_text())
        }
    }
}

/// Writes the picture to a file, or returns it for standard output.
fn save_svg(picture: &Picture, file: &Path) -> Result<String> {
    if file == Path::new(STANDARD_OUTPUT) {
        return Ok(write_svg(picture, "picture"));
    }
    let name = file
        .file_stem()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let svg = write_svg(picture, &name);
    replace_private(file, svg.as_bytes())?;
    Ok(format!(
        "wrote {} ({})\n",
        output::clean_text(&file.display().to_string()),
        format_noun_count(picture.values().len(), "value"),
    ))
}
