//! ONNX Runtime of a setup: fetched, or found as an archive that a person copied, unpacked, loaded once to
//! see that it works, and only then kept.
//!
//! It is code of others that will run here, so it comes from an address that is written down below with
//! its checksum or that a person typed, over an encrypted connection, and never from a configuration.

use super::{PinnedChecksum, Result, SetupError, SetupEvent, SetupObserver};
use super::{arrival_folder, disk_error, fetch_file, reject_setup};
use crate::workspace::memory::EmbeddingPlaces;
use elenchus_memory::embed::{
    EmbedError, MIN_RUNTIME_MINOR, RUNTIME_FOLDER, Runtime, RuntimePlaces, unpack_runtime,
};
use elenchus_model::{Download, Downloaded, RedirectPolicy, bare_address, is_loopback};
use elenchus_store::{catch_panics, create_folders, sync_folder};
use std::path::{Path, PathBuf};

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
const NAME: &str = "ONNX Runtime";
const ARCHIVE: &str = "archive";
/// What a file is taken for that a person copied.
const ARCHIVES: [&str; 4] = [".whl", ".zip", ".tgz", ".tar.gz"];
/// Builds for processors have 20 MB; those for graphics cards have 300.
const MAX_ARCHIVE_BYTES: u64 = 512 << 20;
/// Files of a folder among which archives are looked for.
const MAX_FILES: usize = 1_000;

/// A runtime that can be loaded.
pub struct FoundRuntime {
    pub version: String,
    pub path: PathBuf,
}

/// Where a runtime comes from and goes to, for those who have to copy it themselves.
pub struct RuntimeSource {
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
    pub fn from_address(typed: Option<&str>, places: &EmbeddingPlaces) -> Result<Self> {
        let Some(data) = &places.user_data_folder else {
            return reject_setup(
                "there is no home folder to keep ONNX Runtime in; set ORT_DYLIB_PATH",
            );
        };
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
    pub fn to_copy(&self, why: &str) -> String {
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
            self.folder.display()
        )
    }

    /// Finds a runtime where it is always looked for; brings one where there is none, or where an address
    /// was typed. What does not load is not kept. Blocks while it is unpacked and loaded.
    ///
    /// # Errors
    /// When what a person named does not serve, or nothing could be brought that does.
    pub async fn install_runtime(
        &self,
        places: &EmbeddingPlaces,
        observe: SetupObserver<'_>,
    ) -> Result<FoundRuntime> {
        let look = places.runtime_places();
        let has_named_library = look.named.is_some() || look.refused.is_some();
        let has_typed_url = self.url.is_some() && self.sha256.is_none();
        if has_named_library || !has_typed_url {
            match Runtime::load(&look, catch_panics) {
                Ok(runtime) => {
                    return Ok(FoundRuntime {
                        version: runtime.version().to_owned(),
                        path: runtime.path().to_path_buf(),
                    });
                }
                Err(error) if has_named_library => return Err(error.into()),
                Err(_) => {}
            }
        }
        create_folders(&self.folder)?;
        let fresh = arrival_folder(&self.folder);
        create_folders(&fresh)?;
        let library_path = self.fresh_library(&fresh, observe).await;
        let result = library_path.and_then(|library| keep_library(&library, &self.folder));
        if result.is_err() {
            take_away(&fresh);
        } else {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        result
    }

    /// Unpacks what a person copied, else what is fetched.
    async fn fresh_library(&self, fresh: &Path, observe: SetupObserver<'_>) -> Result<PathBuf> {
        if let Some(archive) = find_copied_archives(&self.folder).first() {
            observe(SetupEvent::Unpacking { archive });
            let shown_archive = archive.display();
            return unpack_runtime(archive, fresh).map_err(|error| {
                SetupError::Invalid(format!("{shown_archive} is of no use; remove it: {error}"))
            });
        }
        let Some(url) = &self.url else {
            return reject_setup(format!(
                "no build of ONNX Runtime for {} on {} is known here; name one with --runtime-url",
                std::env::consts::OS,
                std::env::consts::ARCH
            ));
        };
        let shown_url = bare_address(url);
        let is_own = url.starts_with("http://") && is_loopback(url);
        if !is_own && !url.starts_with("https://") {
            return reject_setup(format!(
                "{shown_url}: a library is code, so it is only fetched from an https:// address"
            ));
        }
        let archive = fresh.join(ARCHIVE);
        let download = Download {
            url: url.to_owned(),
            to: archive.clone(),
            max_bytes: MAX_ARCHIVE_BYTES,
            redirects: RedirectPolicy::Encrypted,
        };
        let fetched_file = fetch_file(NAME, &download, observe).await?;
        let hash_check = self.check_hash(&fetched_file, &shown_url);
        let unpacking = hash_check.and_then(|checksum| {
            observe(SetupEvent::Downloaded {
                file: NAME,
                download: &fetched_file,
                checksum,
            });
            let unpacking = unpack_runtime(&archive, fresh);
            unpacking.map_err(|error| SetupError::Invalid(format!("{shown_url}: {error}")))
        });
        let _ = std::fs::remove_file(&archive);
        unpacking
    }

    fn check_hash(&self, fetched: &Downloaded, shown: &str) -> Result<PinnedChecksum> {
        match self.sha256 {
            Some(pinned) if pinned == fetched.sha256 => Ok(PinnedChecksum::Matches),
            Some(pinned) => reject_setup(format!(
                "{shown}: SHA-256 {} came and {pinned} was expected",
                fetched.sha256
            )),
            None => Ok(PinnedChecksum::Unknown),
        }
    }
}

/// Archives that a person copied, in the order of their names.
fn find_copied_archives(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut archives: Vec<PathBuf> = files
        .map(|file| file.path())
        .take(MAX_FILES)
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            ARCHIVES.iter().any(|ending| name.ends_with(ending)) && path.is_file()
        })
        .collect();
    archives.sort();
    archives
}

/// Loads a library; puts it in place where that works.
fn keep_library(library: &Path, folder: &Path) -> Result<FoundRuntime> {
    let places = RuntimePlaces {
        named: Some((library.to_path_buf(), "setup".to_owned())),
        ..RuntimePlaces::default()
    };
    let runtime = Runtime::load(&places, catch_panics).map_err(|error| match error {
        EmbedError::RuntimeBroken { why, .. } => SetupError::Invalid(format!(
            "what came does not load as ONNX Runtime, so it was not kept: {why}"
        )),
        other => SetupError::Invalid(format!("what came is not kept: {other}")),
    })?;
    let path = folder.join(library.file_name().unwrap_or_default());
    std::fs::rename(library, &path).map_err(disk_error(&path, "written"))?;
    sync_folder(folder)?;
    Ok(FoundRuntime {
        version: runtime.version().to_owned(),
        path,
    })
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
