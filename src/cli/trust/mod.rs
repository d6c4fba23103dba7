//! `elenchus trust`: which servers, keys and folders are trusted, by whose word; and to change it.

mod args;

use super::common::{Ink, Page, Workshop, output};
use crate::cli::servers::check_key;
use crate::config::{
    Approvals, ApprovedCeiling, ApprovedFolder, ApprovedServer, FILE_NAME, PROJECT_FOLDER,
    TRUST_VARIABLE,
};
use anyhow::{Context, Result, bail};
pub(crate) use args::TrustArgs;
use elenchus_model::{Origin, shown_variable};
use elenchus_store::replace_own;
use std::path::{Path, PathBuf};

/// Where the columns of the list begin.
const KEY: usize = 44;

/// Lists what is trusted, or changes it.
///
/// # Errors
/// When what is named is neither an address nor a folder, or nothing can be written.
pub fn run(args: &TrustArgs, shop: &Workshop) -> Result<()> {
    let Some(what) = &args.what else {
        return output::out(&listed(shop));
    };
    let mut approvals = shop.config.approvals.clone();
    let said = match what.contains("://") {
        true => change_server(args, what, &mut approvals)?,
        false => change_folder(args, Path::new(what), &mut approvals)?,
    };
    let file = keep(shop, &approvals)?;
    output::out(&format!(
        "{}\nkept in {}\n",
        output::harmless_text(&said),
        output::harmless_text(&file.display().to_string())
    ))
}

/// Writes what a person approved, and returns where.
///
/// # Errors
/// When there is no home folder, or the file cannot be written.
pub(super) fn keep(shop: &Workshop, approvals: &Approvals) -> Result<PathBuf> {
    let file = shop.config.trust_file.clone().with_context(|| {
        format!("there is no home folder to keep an answer in; set {TRUST_VARIABLE} instead")
    })?;
    replace_own(&file, approvals.to_text().as_bytes())?;
    Ok(file)
}

fn change_server(args: &TrustArgs, url: &str, approvals: &mut Approvals) -> Result<String> {
    if args.budget_usd.is_some() {
        bail!("--budget-usd goes with the folder whose configuration sets it, not with an address");
    }
    let is_set = |name: &str| std::env::var_os(name).is_some();
    check_key(args.key.as_deref())?;
    let mut server = ApprovedServer {
        url: url.to_owned(),
        key: args.key.clone(),
        approved: true,
    };
    let origin = server.check(&is_set).map_err(anyhow::Error::msg)?;
    // As addresses are shown everywhere, so that one is kept once however it is typed.
    server.url = origin.to_string();
    let before = approvals.servers.len();
    approvals.servers.retain(|known| {
        known.url != server.url || (known.key != server.key && !(args.remove && args.key.is_none()))
    });
    if args.remove {
        if approvals.servers.len() == before {
            bail!(
                "{} is not in the list of what you approved; 'elenchus trust' says where each was said",
                server.url
            );
        }
        return Ok(format!("no longer trusted: {}", server.url));
    }
    let mut said = format!("trusted: {} with {}", server.url, carried(&server));
    if server.key.is_some() && is_plain(&server) {
        said.push_str(
            "\nthe key goes there unencrypted, for every machine on the way to read: use https:// if \
             the server speaks it",
        );
    }
    approvals.servers.push(server);
    Ok(said)
}

fn carried(server: &ApprovedServer) -> String {
    match &server.key {
        Some(key) => format!("the text of debates and the key in {}", shown_variable(key)),
        None => "the text of debates, and no key".to_owned(),
    }
}

fn is_plain(server: &ApprovedServer) -> bool {
    // A pattern's stars match letters and digits.
    let one = Origin::of(&server.url.replace('*', "1"));
    one.is_ok_and(|origin| origin.is_plain() && !origin.is_loopback())
}

fn change_folder(args: &TrustArgs, what: &Path, approvals: &mut Approvals) -> Result<String> {
    if args.key.is_some() {
        bail!(
            "--key goes with an address, as in: elenchus trust https://lab.example --key LAB_KEY"
        );
    }
    let shown = what.display();
    let inside = what.join(PROJECT_FOLDER);
    let folder = if inside.is_dir() {
        inside
    } else {
        what.to_owned()
    };
    let known = folder.canonicalize();
    if args.remove {
        // What is gone from the disk can still be forgotten.
        let folder = known.unwrap_or(folder);
        let file = folder.join(FILE_NAME);
        let before = (approvals.folders.len(), approvals.ceilings.len());
        approvals.folders.retain(|kept| kept.path != folder);
        approvals.ceilings.retain(|kept| kept.file != file);
        if before == (approvals.folders.len(), approvals.ceilings.len()) {
            bail!("{shown} is not in the list of what you approved");
        }
        return Ok(format!("no longer trusted: {}", folder.display()));
    }
    let folder = known.with_context(|| {
        format!("{shown} is neither an address (https://…) nor a folder that is there")
    })?;
    if folder.file_name().is_none_or(|name| name != PROJECT_FOLDER) {
        bail!("{shown} holds no folder {PROJECT_FOLDER}; name one that does");
    }
    if let Some(usd) = args.budget_usd {
        if !(usd.is_finite() && usd >= 0.0) {
            bail!("--budget-usd {usd}: must be 0 or more");
        }
        let file = folder.join(FILE_NAME);
        approvals.ceilings.retain(|known| known.file != file);
        let said = format!("{} may set budget_usd up to ${usd}", file.display());
        approvals.ceilings.push(ApprovedCeiling {
            file,
            usd,
            approved: true,
        });
        return Ok(said);
    }
    approvals.folders.retain(|known| known.path != folder);
    let said = format!(
        "trusted: {} is obeyed, even if others can write there",
        folder.display()
    );
    approvals.folders.push(ApprovedFolder { path: folder });
    Ok(said)
}

fn listed(shop: &Workshop) -> String {
    let config = &shop.config;
    let mut page = Page::new(output::width(), shop.colour);
    page.bold("Servers that debates may be sent to");
    for pair in &config.models.trust.pairs {
        let key = match &pair.key {
            Some(key) => format!("key in {}", shown_variable(key)),
            None => "no key".to_owned(),
        };
        row(
            &mut page,
            &pair.origin.to_string(),
            &format!("{key}; {}", pair.from),
        );
    }
    row(
        &mut page,
        "this machine",
        "no key; always, but for servers that only a project names",
    );
    let refused = config
        .approvals
        .servers
        .iter()
        .filter(|server| !server.approved);
    for server in refused {
        let text = format!("no, not with {}", carried(server));
        row(&mut page, &server.url, &text);
    }
    let kept = config.approvals.folders.iter().map(|folder| (folder, ""));
    let named = config.of_variable.folders.iter();
    // What is no folder may be anything, a key as well.
    let named = named.filter(|folder| folder.path.is_dir());
    let folders = kept.chain(named.map(|folder| (folder, TRUST_VARIABLE)));
    let folders: Vec<(&ApprovedFolder, &str)> = folders.collect();
    if !folders.is_empty() {
        page.title("Folders that are obeyed although others can write there");
        for (folder, from) in folders {
            row(&mut page, &folder.path.display().to_string(), from);
        }
    }
    if !config.approvals.ceilings.is_empty() {
        page.title("Limits on cost that may be above your own");
        for ceiling in &config.approvals.ceilings {
            let answer = match ceiling.approved {
                true => format!("up to ${}", ceiling.usd),
                false => format!("no, not ${}", ceiling.usd),
            };
            row(&mut page, &ceiling.file.display().to_string(), &answer);
        }
    }
    if let Some(file) = &config.project_file
        && !config.waiting.is_empty()
    {
        page.title(&format!("{} asks for", file.display()));
        for waiting in &config.waiting {
            page.prose(Ink::Plain, 2, &waiting.to_string());
            page.prose(Ink::Dim, 4, &waiting.command(file));
        }
    }
    page.finish()
}

/// Writes what is named, and behind it, or below where it is long, what holds for it.
fn row(page: &mut Page, name: &str, text: &str) {
    if name.chars().count() < KEY {
        return page.field(2, name, KEY, text);
    }
    page.prose(Ink::Plain, 2, name);
    page.prose(Ink::Plain, 2 + KEY, text);
}
