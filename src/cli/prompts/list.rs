//! Which templates there are, who is told by each, and where it comes from.

use crate::cli::page::{self, Ink, Page};
use crate::cli::workshop::Workshop;
use crate::debate::Protocol;
use crate::debate::protocol::Settings;
use crate::driver::{Game, short};
use crate::prompt::Template;
use crate::store::Hash;

/// Prints the templates of one protocol, or of all.
///
/// # Errors
/// When the protocol does not exist.
pub fn run(shop: &Workshop, protocol: Option<&str>) -> anyhow::Result<()> {
    let ids: Vec<String> = match protocol {
        Some(id) => vec![id.to_owned()],
        None => {
            let all = shop.library.protocols().into_iter();
            all.map(|(id, _)| id).collect()
        }
    };
    let mut page = Page::new(page::width(), shop.colour);
    for id in &ids {
        page.gap();
        page.inked(Ink::Bold, 0, id);
        let game = match shop.library.unpinned_game(id, &Settings::new()) {
            Ok(game) => game,
            Err(error) if protocol.is_none() => {
                page.line(2, &format!("cannot be used: {error}"));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        for (name, text) in &game.templates {
            one(&mut page, shop, &game, name, text);
        }
    }
    page::out(&page.finish())
}

fn one(page: &mut Page, shop: &Workshop, game: &Game, name: &str, text: &str) {
    let file = game.files.get(name).map_or(name, String::as_str);
    let origin = shop.library.origin(file);
    let hash = short(&Hash::of(text.as_bytes()));
    page.line(
        2,
        &format!("{name}  {hash}  {}", tellers(&game.protocol, name)),
    );
    if let Ok(template) = Template::parse(name, text)
        && !template.description.is_empty()
    {
        page.line(4, &template.description);
    }
    page.inked(Ink::Dim, 4, &format!("{file} [{origin}]"));
}

/// Says who is told by a template: seats with their stages, judges with their rules.
pub(super) fn tellers(protocol: &Protocol, template: &str) -> String {
    let mut who = Vec::new();
    for stage in protocol.stages.iter().filter(|stage| stage.enabled) {
        for seat in &stage.seats {
            if protocol.template_name(stage, seat) == template {
                who.push(format!("{seat} in {}", stage.id));
            }
        }
        let retries = stage.retry.iter();
        if retries
            .flat_map(|rule| &rule.template)
            .any(|name| name == template)
        {
            who.push(format!("a reply sent back in {}", stage.id));
        }
    }
    for judging in protocol.judging.iter().filter(|judging| judging.enabled) {
        let rubric = judging.rubric.as_ref();
        let is_its = rubric.is_some_and(|rubric| template == format!("rubric:{rubric}"));
        if let (true, Some(by)) = (is_its, &judging.by) {
            who.push(format!("{by} for {}", judging.id));
        }
        let repair = judging.repair.as_ref();
        if repair.is_some_and(|repair| repair.template == template) {
            who.push(format!("a judge asked again for {}", judging.id));
        }
    }
    if let Some(feedback) = &protocol.feedback {
        let name = feedback.template.as_deref();
        if name.unwrap_or(feedback.by.as_str()) == template {
            who.push(format!("{} for the lesson", feedback.by));
        }
    }
    who.join(", ")
}
