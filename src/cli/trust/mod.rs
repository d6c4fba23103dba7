//! `elenchus trust`: which servers, keys and folders are trusted, by whose word; and to change it.

mod args;

use super::common::{CommandContext, Ink, Page, output};
use crate::cli::servers::check_key;
use crate::config::{
    Approvals, ApprovedCeiling, ApprovedFolder, ApprovedServer, FILE_NAME, PROJECT_FOLDER,
    TRUST_VARIABLE,
};
use anyhow::{Context, Result, bail};
pub(crate) use args::TrustArgs;
use elenchus_model::{Origin, mask_variable};
use elenchus_store::replace_own;
use std::path::{Path, PathBuf};

/// Where the columns of the list begin.
const KEY: usize = 44;

/// Lists what is trusted, or changes it.
///
/// # Errors
/// When what is named is neither an address nor a folder, or nothing can be written.
pub fn run(args: &TrustArgs, context: &CommandContext) -> Result<()> {
    let Some(what) = &args.what else {
        return output::print_text(&format_approvals(context));
    };
    let mut approvals = context.config.approvals.clone();
    let summary = match what.contains("://") {
        true => change_server(args, what, &mut approvals)?,
        false => change_folder(args, Path::new(what), &mut approvals)?,
    };
    let file = save_approvals(context, &approvals)?;
    output::print_text(&format!(
        "{}\nkept in {}\n",
        output::clean_text(&summary),
        output::clean_text(&file.display().to_string())
    ))
}

/// Writes what a person approved, and returns where.
///
/// # Errors
/// When there is no home folder, or the file cannot be written.
pub(super) fn save_approvals(context: &CommandContext, approvals: &Approvals) -> Result<PathBuf> {
    let file = context.config.trust_file.clone().with_context(|| {
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
    let origin = server.check_origin(&is_set).map_err(anyhow::Error::msg)?;
    // As addresses are shown everywhere, so that one is kept once however it is typed.
    server.url = origin.to_string();
    let count_before = approvals.servers.len();
    approvals.servers.retain(|known| {
        known.url != server.url || (known.key != server.key && !(args.remove && args.key.is_none()))
    });
    if args.remove {
        if approvals.servers.len() == count_before {
            bail!(
                "{} is not in the list of what you approved; 'elenchus trust' says where each was said",
                server.url
            );
        }
        return Ok(format!("no longer trusted: {}", server.url));
    }
    let mut summary = format!(
        "trusted: {} with {}",
        server.url,
        describe_permission(&server)
    );
    if server.key.is_some() && is_plain(&server) {
        summary.push_str(
            "\nthe key goes there unencrypted, for every machine on the way to read: use https:// if \
             the server speaks it",
        );
    }
    approvals.servers.push(server);
    Ok(summary)
}

fn describe_permission(server: &ApprovedServer) -> String {
    match &server.key {
        Some(key) => format!("the text of debates and the key in {}", mask_variable(key)),
        None => "the text of debates, and no key".to_owned(),
    }
}

fn is_plain(server: &ApprovedServer) -> bool {
    // A pattern's stars match letters and digits.
    let one = Origin::from_url(&server.url.replace('*', "1"));
    one.is_ok_and(|origin| origin.is_plain() && !origin.is_loopback())
}

fn change_folder(args: &TrustArgs, what: &Path, approvals: &mut Approvals) -> Result<String> {
    if args.key.is_some() {
        bail!(
            "--key goes with an address, as in: elenchus trust https://lab.example --key LAB_KEY"
        );
    }
    let path_display = what.display();
    let inside = what.join(PROJECT_FOLDER);
    let folder = if inside.is_dir() {
        inside
    } else {
        what.to_owned()
    };
    let canonical_folder = folder.canonicalize();
    if args.remove {
        // What is gone from the disk can still be forgotten.
        let folder = canonical_folder.unwrap_or(folder);
        let file = folder.join(FILE_NAME);
        let counts_before = (approvals.folders.len(), approvals.ceilings.len());
        approvals.folders.retain(|kept| kept.path != folder);
        approvals.ceilings.retain(|kept| kept.file != file);
        if counts_before == (approvals.folders.len(), approvals.ceilings.len()) {
            bail!("{path_display} is not in the list of what you approved");
        }
        return Ok(format!("no longer trusted: {}", folder.display()));
    }
    let folder = canonical_folder.with_context(|| {
        format!("{path_display} is neither an address (https://…) nor a folder that is there")
    })?;
    if folder.file_name().is_none_or(|name| name != PROJECT_FOLDER) {
        bail!("{path_display} holds no folder {PROJECT_FOLDER}; name one that does");
    }
    if let Some(usd) = args.budget_usd {
        if !(usd.is_finite() && usd >= 0.0) {
            bail!("--budget-usd {usd}: must be 0 or more");
        }
        let file = folder.join(FILE_NAME);
        approvals.ceilings.retain(|known| known.file != file);
        let summary = format!("{} may set budget_usd up to ${usd}", file.display());
        approvals.ceilings.push(ApprovedCeiling {
            file,
            usd,
            approved: true,
        });
        return Ok(summary);
    }
    approvals.folders.retain(|known| known.path != folder);
    let summary = format!(
        "trusted: {} is obeyed, even if others can write there",
        folder.display()
    );
    approvals.folders.push(ApprovedFolder { path: folder });
    Ok(summary)
}

fn format_approvals(context: &CommandContext) -> String {
    let config = &context.config;
    let mut page = Page::new(output::width(), context.colour);
    page.add_bold_line("Servers that debates may be sent to");
    for pair in &config.models.trust.pairs {
        let key = match &pair.key {
            Some(key) => format!("key in {}", mask_variable(key)),
            None => "no key".to_owned(),
        };
        write_row(
            &mut page,
            &pair.origin.to_string(),
            &format!("{key}; {}", pair.from),
        );
    }
    write_row(
        &mut page,
        "this machine",
        "no key; always, but for servers that only a project names",
    );
    let refused_servers = config
        .approvals
        .servers
        .iter()
        .filter(|server| !server.approved);
    for server in refused_servers {
        let text = format!("no, not with {}", describe_permission(server));
        write_row(&mut page, &server.url, &text);
    }
    let own_folders = config.approvals.folders.iter().map(|folder| (folder, ""));
    let variable_folders = config.variable_approvals.folders.iter();
    // What is no folder may be anything, a key as well.
    let variable_folders = variable_folders.filter(|folder| folder.path.is_dir());
    let folders = own_folders.chain(variable_folders.map(|folder| (folder, TRUST_VARIABLE)));
    let folders: Vec<(&ApprovedFolder, &str)> = folders.collect();
    if !folders.is_empty() {
        page.add_title("Folders that are obeyed although others can write there");
        for (folder, from) in folders {
            write_row(&mut page, &folder.path.display().to_string(), from);
        }
    }
    if !config.approvals.ceilings.is_empty() {
        page.add_title("Limits on cost that may be above your own");
        for ceiling in &config.approvals.ceilings {
            let answer = match ceiling.approved {
                true => format!("up to ${}", ceiling.usd),
                false => format!("no, not ${}", ceiling.usd),
            };
            write_row(&mut page, &ceiling.file.display().to_string(), &answer);
        }
    }
    if let Some(file) = &config.project_file
        && !config.pending_approvals.is_empty()
    {
        page.add_title(&format!("{} asks for", file.display()));
        for waiting in &config.pending_approvals {
            page.add_prose(Ink::Plain, 2, &waiting.to_string());
            page.add_prose(Ink::Dim, 4, &waiting.approval_command(file));
        }
    }
    page.into_text()
}

/// Writes what is named, and behind it, or below where it is long, what holds for it.
fn write_row(page: &mut Page, name: &str, text: &str) {
    if name.chars().count() < KEY {
        return page.add_field(2, name, KEY, text);
    }
    page.add_prose(Ink::Plain, 2, name);
    page.add_prose(Ink::Plain, 2 + KEY, text);
}
