//! `elenchus labels merge`: labels of a returned pack, all or none.

use super::args::MergeArgs;
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::Result;
use elenchus_annotation::pack::{MergedAnnotator, merge_pack};

/// Takes in what was labelled in a pack.
///
/// # Errors
/// When the folder is no pack, does not fit the store, or what it holds contradicts it: nothing is
/// taken then.
pub async fn run(args: &MergeArgs, context: &CommandContext) -> Result<()> {
    let store = context.hold_store("labels", None);
    let merge = merge_pack(&store, &args.folder, &args.take).await?;
    for (who, marks) in &merge.completed {
        output::print_notice(&format!(
            "{who}: {} of an earlier merge that was cut off are complete now",
            format_noun_count(*marks, "mark")
        ));
    }
    for one in &merge.merged {
        output::print_notice(&format!(
            "{}: took {}, had {} already{}",
            one.annotator,
            format_noun_count(one.taken, "mark"),
            one.known,
            match one.unblindings {
                0 => String::new(),
                unblindings => format!(
                    "; took {} of what they were shown",
                    format_noun_count(unblindings, "record")
                ),
            }
        ));
    }
    for named in &merge.named {
        output::print_notice(&format!("taken because --take names them: {named}"));
    }
    for left in &merge.left {
        output::print_notice(&format!("left in the pack: {left}"));
    }
    let is_new = |one: &MergedAnnotator| one.taken + one.unblindings > 0;
    if merge.merged.is_empty() {
        output::print_notice("it holds no labels");
    } else if !merge.merged.iter().any(is_new) {
        output::print_notice("nothing in it is new: it was merged before, and nothing changed");
    }
    Ok(())
}
