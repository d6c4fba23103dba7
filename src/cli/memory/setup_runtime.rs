//! ONNX Runtime for `elenchus memory setup`: fetched, or found as an archive that a person copied,
//! unpacked, loaded once to see that it works, and only then kept.
//!
//! It is code of others that will run here, so it comes from an address that is written down below with
//! its checksum or that a person typed, over an encrypted connection, and never from a configuration.
//! One file is taken out of an archive, through a pipe and under a name of our own: what an archive calls
//! its files decides nothing about where they go.

use super::setup_fetch::{beside, in_words, one, shown};
use crate::cli::common::{notice, wait_for};
use crate::memory::embed::{EmbedError, MIN_RUNTIME_MINOR, RUNTIME_FOLDER, Runtime, RuntimePlaces};
use crate::model::{Download, RedirectPolicy, bare_address, is_loopback};
use crate::store::{catch_panics, create_folders};
use crate::workspace::memory::EmbeddingPlaces;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A build of ONNX Runtime as its makers publish it, in their package for Python: a zip file that holds
/// the library.
struct Build {
    os: &'static str,
    arch: &'static str,
    url: &'static str,
    sha256: &'static str,
}

/// Version 1.24.4 for the systems that this program runs on; addresses and checksums as the package
/// index gives them.
const BUILDS: [Build; 3] = [
    Build {
        os: "linux",
        arch: "x86_64",
        url: "https://files.pythonhosted.org/packages/6d/ab/5b68110e0460d73fad814d5bd11c7b1ddcce5c37b10177eb264d6a36e331/onnxruntime-1.24.4-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        sha256: "0d640eb9f3782689b55cfa715094474cd5662f2f137be6a6f847a594b6e9705c",
    },
    Build {
        os: "linux",
        arch: "aarch64",
        url: "https://files.pythonhosted.org/packages/aa/60/c4d1c8043eb42f8a9aa9e931c8c293d289c48ff463267130eca97d13357f/onnxruntime-1.24.4-cp312-cp312-manylinux_2_27_aarch64.manylinux_2_28_aarch64.whl",
        sha256: "1a5c5a544b22f90859c88617ecb30e161ee3349fcc73878854f43d77f00558b5",
    },
    Build {
        os: "macos",
        arch: "aarch64",
        url: "https://files.pythonhosted.org/packages/d7/38/31db1b232b4ba960065a90c1506ad7a56995cd8482033184e97fadca17cc/onnxruntime-1.24.4-cp312-cp312-macosx_14_0_arm64.whl",
        sha256: "cad1c2b3f455c55678ab2a8caa51fb420c25e6e3cf10f4c23653cdabedc8de78",
    },
];
/// The name of a library in its package, for those who copy one.
const LIBRARY: &str = if cfg!(target_os = "macos") {
    "libonnxruntime.1.24.4.dylib"
} else {
    "libonnxruntime.so.1.24.4"
};
/// Prefix of the library's file names in every version.
const STEM: &str = "libonnxruntime.";
const ARCHIVE: &str = "archive";
/// What a file is taken for that a person copied.
const ARCHIVES: [&str; 4] = [".whl", ".zip", ".tgz", ".tar.gz"];
/// Builds for processors have 20 MB; those for graphics cards have 300.
const MAX_ARCHIVE_BYTES: u64 = 512 << 20;
const MAX_LIBRARY_BYTES: u64 = 1 << 30;
/// The longest list of an archive's files that is read.
const MAX_LIST_BYTES: u64 = 4 << 20;
/// Files of a folder among which archives are looked for.
const MAX_FILES: usize = 1_000;
/// Lists a zip file, or writes one file of it, where the program unzip is missing.
const PYTHON_LIST: &str =
    "import sys,zipfile as z; print('\\n'.join(z.ZipFile(sys.argv[1]).namelist()))";
const PYTHON_TAKE: &str = "import shutil,sys,zipfile as z; shutil.copyfileobj(z.ZipFile(sys.argv[1]).open(sys.argv[2]), sys.stdout.buffer)";

/// A runtime that can be loaded.
pub(super) struct FoundRuntime {
    pub version: String,
    pub path: PathBuf,
}

/// Where a runtime comes from and goes to, for those who have to copy it themselves.
pub(super) struct RuntimeSource {
    url: Option<String>,
    sha256: Option<&'static str>,
    folder: PathBuf,
}

impl RuntimeSource {
    /// Returns where it is fetched from: the address that was typed, else that of the build for this
    /// system.
    ///
    /// # Errors
    /// When there is no folder of the user's to keep it in.
    pub(super) fn of(typed: Option<&str>, places: &EmbeddingPlaces) -> Result<Self> {
        let data = places
            .user_data_folder
            .as_ref()
            .context("there is no home folder to keep ONNX Runtime in; set ORT_DYLIB_PATH")?;
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let mut builds = BUILDS.iter();
        let build = builds.find(|build| (build.os, build.arch) == (os, arch));
        let build = build.filter(|_| typed.is_none());
        let url = typed.or(build.map(|build| build.url));
        Ok(Self {
            url: url.map(str::to_owned),
            sha256: build.map(|build| build.sha256),
            folder: data.join(RUNTIME_FOLDER),
        })
    }

    /// Says what to copy, from where, and to where.
    pub(super) fn to_copy(&self, why: &str) -> String {
        let from = match &self.url {
            Some(url) => format!("  from  {}\n", bare_address(url)),
            None => {
                "  from  a build of ONNX Runtime for this system: none is known here\n".to_owned()
            }
        };
        let checksum = self
            .sha256
            .map_or_else(String::new, |sha256| format!("        SHA-256 {sha256}\n"));
        format!(
            "- ONNX Runtime 1.{MIN_RUNTIME_MINOR} or later: that archive as it is, or {LIBRARY} out of it\n\
             {from}{checksum}  into  {}/\n  why   {why}\n",
            shown(&self.folder)
        )
    }

    /// Finds a runtime where it is always looked for; brings one where there is none, or where an address
    /// was typed. What does not load is not kept.
    ///
    /// # Errors
    /// When what a person named does not serve, or nothing could be brought that does.
    pub(super) fn bring(&self, places: &EmbeddingPlaces) -> Result<FoundRuntime> {
        let look = places.runtime();
        let is_typed = self.url.is_some() && self.sha256.is_none();
        if look.named.is_some() || look.refused.is_some() || !is_typed {
            match Runtime::find(&look, catch_panics) {
                Ok(runtime) => {
                    return Ok(FoundRuntime {
                        version: runtime.version().to_owned(),
                        path: runtime.path().to_path_buf(),
                    });
                }
                Err(error) if look.named.is_some() || look.refused.is_some() => {
                    return Err(error.into());
                }
                Err(_) => {}
            }
        }
        create_folders(&self.folder)?;
        let fresh = beside(&self.folder);
        create_folders(&fresh)?;
        let brought = self.fresh_library(&fresh);
        let kept = brought.and_then(|library| keep(&library, &self.folder));
        if kept.is_err() {
            take_away(&fresh);
        } else {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        kept
    }

    /// Unpacks what a person copied, else what is fetched.
    fn fresh_library(&self, fresh: &Path) -> Result<PathBuf> {
        if let Some(archive) = copied(&self.folder).first() {
            notice(&format!("unpacking {}", shown(archive)));
            let unpacked = unpack(archive, fresh);
            let remove = || format!("{} is of no use; remove it", shown(archive));
            return unpacked.with_context(remove);
        }
        let url = self.url.as_deref().ok_or_else(|| {
            anyhow!(
                "no build of ONNX Runtime for {} on {} is known here; name one with --runtime-url",
                std::env::consts::OS,
                std::env::consts::ARCH
            )
        })?;
        let shown_url = bare_address(url);
        let is_own = url.starts_with("http://") && is_loopback(url);
        if !is_own && !url.starts_with("https://") {
            bail!("{shown_url}: a library is code, so it is only fetched from an https:// address");
        }
        let archive = fresh.join(ARCHIVE);
        let download = Download {
            url: url.to_owned(),
            to: archive.clone(),
            max_bytes: MAX_ARCHIVE_BYTES,
            redirects: RedirectPolicy::Encrypted,
        };
        let fetched = wait_for(one("ONNX Runtime", &download))??;
        match self.sha256 {
            Some(pinned) if pinned != fetched.sha256 => {
                let _ = std::fs::remove_file(&archive);
                bail!(
                    "{shown_url}: SHA-256 {} came and {pinned} was expected",
                    fetched.sha256
                )
            }
            Some(_) => {
                let told = in_words("ONNX Runtime", &fetched);
                notice(&format!("{told}, as it should be"));
            }
            None => notice(&format!(
                "{}; whether that is right is not known here",
                in_words("ONNX Runtime", &fetched)
            )),
        }
        let unpacked = unpack(&archive, fresh);
        let _ = std::fs::remove_file(&archive);
        unpacked.context(shown_url)
    }
}

/// Archives that a person copied, in the order of their names.
fn copied(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = files
        .map(|file| file.path())
        .take(MAX_FILES)
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            ARCHIVES.iter().any(|ending| name.ends_with(ending)) && path.is_file()
        })
        .collect();
    found.sort();
    found
}

/// Loads a library; puts it in place where that works.
fn keep(library: &Path, folder: &Path) -> Result<FoundRuntime> {
    let named = RuntimePlaces {
        named: Some((library.to_path_buf(), "setup".to_owned())),
        ..RuntimePlaces::default()
    };
    let runtime = Runtime::find(&named, catch_panics).map_err(|error| match error {
        EmbedError::RuntimeBroken { why, .. } => {
            anyhow!("what came does not load as ONNX Runtime, so it was not kept: {why}")
        }
        other => anyhow::Error::from(other).context("what came is not kept"),
    })?;
    let path = folder.join(library.file_name().unwrap_or_default());
    std::fs::rename(library, &path)
        .with_context(|| format!("{} cannot be written", shown(&path)))?;
    File::open(folder).and_then(|folder| folder.sync_all())?;
    Ok(FoundRuntime {
        version: runtime.version().to_owned(),
        path,
    })
}

/// How a kind of archive is listed, and one file of it written to standard output.
struct Tool {
    program: &'static str,
    list: &'static [&'static str],
    take: &'static [&'static str],
}

const UNZIP: Tool = Tool {
    program: "unzip",
    list: &["-Z1"],
    take: &["-p"],
};
const PYTHON: Tool = Tool {
    program: "python3",
    list: &["-I", "-c", PYTHON_LIST],
    take: &["-I", "-c", PYTHON_TAKE],
};
const TAR: Tool = Tool {
    program: "tar",
    list: &["-tzf"],
    take: &["-xzOf"],
};

/// Takes the library out of an archive.
fn unpack(archive: &Path, into: &Path) -> Result<PathBuf> {
    let mut head = [0; 4];
    let read = File::open(archive).and_then(|mut file| file.read(&mut head));
    read.with_context(|| format!("{} cannot be read", shown(archive)))?;
    let tools: &[&Tool] = match head {
        [b'P', b'K', 3, 4] => &[&UNZIP, &PYTHON],
        [0x1f, 0x8b, ..] => &[&TAR],
        _ => bail!("it is no archive: a .whl, .zip or .tgz was expected"),
    };
    let mut listed = None;
    for tool in tools {
        match list(tool, archive) {
            Ok(names) => {
                listed = Some((tool, names));
                break;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => bail!("the archive cannot be listed, so it is damaged: {error}"),
        }
    }
    let Some((tool, names)) = listed else {
        let programs: Vec<&str> = tools.iter().map(|tool| tool.program).collect();
        bail!(
            "it takes {} to unpack it, which is not on PATH",
            programs.join(" or ")
        );
    };
    // A link of the plain name has no bytes of its own, so the name with the whole version comes first.
    let mut members: Vec<&str> = names.lines().filter(|name| is_library(name)).collect();
    members.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for member in members {
        let name = member.rsplit('/').next().unwrap_or(member);
        let path = into.join(name);
        if take(tool, archive, member, &path)? > 0 {
            return Ok(path);
        }
        let _ = std::fs::remove_file(&path);
    }
    bail!("the archive holds no library of ONNX Runtime")
}

/// Says whether a member of an archive is the library, under a name that can be handed to any program.
fn is_library(member: &str) -> bool {
    let name = member.rsplit('/').next().unwrap_or(member);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+');
    let ending = if cfg!(target_os = "macos") {
        "dylib"
    } else {
        "so"
    };
    name.starts_with(STEM)
        && name.split('.').any(|part| part == ending)
        && member.chars().all(plain)
        && !member.starts_with(['/', '-'])
        && member.split('/').all(|part| part != "..")
}

fn list(tool: &Tool, archive: &Path) -> std::io::Result<String> {
    let mut child = Command::new(tool.program)
        .args(tool.list)
        .arg(archive)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut text = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(MAX_LIST_BYTES).read_to_end(&mut text)?;
    }
    // With its pipe closed it ends, however much more it had to say.
    let ended = child.wait()?;
    if !ended.success() && (text.len() as u64) < MAX_LIST_BYTES {
        return Err(std::io::Error::other(format!("{} gave up", tool.program)));
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes one member of an archive to a file; returns how many bytes it has.
fn take(tool: &Tool, archive: &Path, member: &str, to: &Path) -> Result<u64> {
    let write = || format!("{} cannot be written", shown(to));
    let mut file = File::create(to).with_context(write)?;
    let mut child = Command::new(tool.program)
        .args(tool.take)
        .arg(archive)
        .arg(member)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{} cannot be started", tool.program))?;
    let out = child
        .stdout
        .take()
        .context("there is no pipe to read from")?;
    let copied = std::io::copy(&mut out.take(MAX_LIBRARY_BYTES + 1), &mut file);
    let ended = child.wait();
    let bytes = copied.with_context(write)?;
    if bytes > MAX_LIBRARY_BYTES {
        bail!("the library in the archive is larger than {MAX_LIBRARY_BYTES} bytes");
    }
    if !ended.is_ok_and(|ended| ended.success()) {
        bail!("the archive cannot be unpacked, so it is damaged");
    }
    file.flush()
        .and_then(|()| file.sync_all())
        .with_context(write)?;
    Ok(bytes)
}

/// Takes away what is of no use; what broke off stays, so that the next try goes on from there.
fn take_away(fresh: &Path) {
    for file in std::fs::read_dir(fresh).into_iter().flatten().flatten() {
        let is_part = file
            .file_name()
            .to_string_lossy()
            .starts_with("archive.part");
        if !is_part {
            let _ = std::fs::remove_file(file.path());
        }
    }
    // Only where nothing is left in it.
    let _ = std::fs::remove_dir(fresh);
}
