//! ONNX Runtime: search, loading and version, once a process.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use ort::LoadDynamicError;
use ort::environment::Environment;

use super::{Catch, EmbedError, catch_panic};

/// The oldest supported version, as the number after "1.".
pub const MIN_RUNTIME_MINOR: u32 = ort::MINOR_VERSION;

/// The variable that turns ONNX Runtime's telemetry off: builds of 1.29 and later report when they
/// are loaded, before any call can prevent it. It must be set before loading.
pub const NO_TELEMETRY: &str = "ORT_DISABLE_TELEMETRY";

/// The folder of the library in the user's data folder.
pub const RUNTIME_FOLDER: &str = "onnxruntime";

const LIBRARY: &str = if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};
/// Prefix of a file name with a version.
const STEM: &str = "libonnxruntime.";
/// Time limit for Python's answer.
const PYTHON_PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of Python's answer that are read.
const MAX_ANSWER_BYTES: u64 = 4096;
/// Prints the folder of the package without importing it, which would load the library.
const ASK_PYTHON: &str =
    "import importlib.util as u; s = u.find_spec('onnxruntime'); print(s.origin if s else '')";

/// Search path of the library, in this order. Passed in, so that this module does not inspect the
/// environment.
#[derive(Debug, Clone, Default)]
pub struct RuntimePlaces {
    /// A path that the user named, and the setting that names it: no other path is tried then.
    pub named: Option<(PathBuf, String)>,
    /// Reason that the named path is not loaded; then nothing is searched, unless `named` is set.
    pub refused: Option<String>,
    /// Folders of shared libraries.
    pub library_path: Vec<PathBuf>,
    pub data_folder: Option<PathBuf>,
    /// The Python whose package is tried last.
    pub python: Option<PathBuf>,
}

/// A loaded library.
#[derive(Clone)]
pub struct Runtime {
    pub(super) environment: Environment,
    path: PathBuf,
    version: String,
}

impl Runtime {
    /// Returns the file it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its version as it reports it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Finds and loads the library; a process has one, so later calls return the first.
    ///
    /// # Errors
    /// When no usable library is found, with the paths that were tried.
    pub fn load(places: &RuntimePlaces, catch: Catch) -> Result<Runtime, EmbedError> {
        static LOADED: Mutex<Option<Runtime>> = Mutex::new(None);
        let mut runtime_slot = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = runtime_slot.as_ref() {
            return Ok(runtime.clone());
        }
        let runtime = load_from_places(places, catch)?;
        *runtime_slot = Some(runtime.clone());
        Ok(runtime)
    }
}

fn load_from_places(places: &RuntimePlaces, catch: Catch) -> Result<Runtime, EmbedError> {
    if let Some((path, named_by)) = &places.named {
        return load_library(path, catch).map_err(|fault| match fault {
            LoadFault::TooOld(version) => EmbedError::RuntimeTooOld {
                path: path.display().to_string(),
                version,
            },
            LoadFault::Broken(why) => EmbedError::RuntimeBroken {
                path: path.display().to_string(),
                named_by: named_by.clone(),
                why,
            },
        });
    }
    if let Some(why) = &places.refused {
        return Err(EmbedError::RuntimeRefused { why: why.clone() });
    }
    let mut failures = Vec::new();
    let mut too_old = None;
    let mut try_all = |candidates: Vec<PathBuf>| {
        for path in candidates {
            match load_library(&path, catch) {
                Ok(runtime) => return Some(runtime),
                Err(LoadFault::TooOld(version)) => {
                    failures.push(format!("{}: version {version}", path.display()));
                    too_old.get_or_insert(EmbedError::RuntimeTooOld {
                        path: path.display().to_string(),
                        version,
                    });
                }
                Err(LoadFault::Broken(why)) => failures.push(format!("{}: {why}", path.display())),
            }
        }
        None
    };
    let system_libraries = places
        .library_path
        .iter()
        .flat_map(|folder| list_libraries(folder));
    if let Some(runtime) = try_all(system_libraries.collect()) {
        return Ok(runtime);
    }
    let data_libraries = places
        .data_folder
        .iter()
        .flat_map(|folder| data_folder_libraries(folder));
    if let Some(runtime) = try_all(data_libraries.collect()) {
        return Ok(runtime);
    }
    // Starting Python takes longest, so it is last.
    let package = places.python.as_deref().and_then(python_package);
    if let Some(runtime) = try_all(
        package
            .iter()
            .flat_map(|folder| list_libraries(folder))
            .collect(),
    ) {
        return Ok(runtime);
    }
    if let (Some(too_old), [_]) = (too_old, failures.as_slice()) {
        return Err(too_old);
    }
    if failures.is_empty() {
        failures.push("not in the system's folders of libraries, not in the data folder, not as a package of python3".to_owned());
    }
    Err(EmbedError::NoRuntime {
        tried: failures.join("; "),
    })
}

enum LoadFault {
    /// Its version.
    TooOld(String),
    Broken(String),
}

fn load_library(path: &Path, catch: Catch) -> Result<Runtime, LoadFault> {
    if path.is_absolute() && !path.is_file() {
        return Err(LoadFault::Broken("there is no such file".to_owned()));
    }
    if std::env::var_os(NO_TELEMETRY).is_none() {
        let why = format!("it would report to its maker; start the program with {NO_TELEMETRY}=1");
        return Err(LoadFault::Broken(why));
    }
    let result = catch_panic(catch, || {
        // Every other function of this crate panics when the runtime is missing; this one returns
        // an error.
        let builder = ort::init_from(path).map_err(|error| match error {
            LoadDynamicError::BadVersion { version_str, .. } => LoadFault::TooOld(version_str),
            LoadDynamicError::MissingApi { .. } => {
                LoadFault::Broken("it is another library".to_owned())
            }
            LoadDynamicError::Dlopen { error, .. } => LoadFault::Broken(error_chain(&error)),
            LoadDynamicError::InvalidVersionString => {
                LoadFault::Broken("it does not tell its version".to_owned())
            }
        })?;
        let environment = builder
            .with_telemetry(false)
            // It would write to standard error, over the workbench's screen.
            .with_logger(Arc::new(|_, _, _, _, _| {}))
            .build()
            .map_err(|error| LoadFault::Broken(error.to_string()))?;
        let version = detect_version(ort::info(), path);
        Ok(Runtime {
            environment,
            path: path.to_path_buf(),
            version,
        })
    });
    result.unwrap_or_else(|panic| Err(LoadFault::Broken(panic)))
}

/// Returns an error's message with its causes, in one line.
fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text.replace('\n', "; ")
}

/// Returns the version from the build's own information, else from the file's name.
fn detect_version(info: &str, path: &Path) -> String {
    let of_branch = info
        .split("git-branch=")
        .nth(1)
        .and_then(|rest| rest.split(',').next())
        .map(|branch| branch.trim_start_matches("rel-").trim())
        .filter(|branch| branch.starts_with(|c: char| c.is_ascii_digit()));
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let name = real
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let of_name = name
        .split_once(".so.")
        .map(|(_, version)| version)
        .filter(|version| version.contains('.'));
    of_name
        .or(of_branch)
        .unwrap_or("of unknown version")
        .to_owned()
}

/// Returns the library's files in a folder, the plainest name first.
fn list_libraries(folder: &Path) -> Vec<PathBuf> {
    let plain = folder.join(LIBRARY);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(STEM) && path.is_file()
        })
        .collect();
    paths.sort_by_key(|path| (*path != plain, path.clone()));
    // Names of one file are one candidate.
    let mut real_paths = Vec::new();
    paths.retain(|path| {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let fresh = !real_paths.contains(&real);
        real_paths.push(real);
        fresh
    });
    paths
}

/// Returns the library in the data folder, as a file or unpacked with its `lib`.
fn data_folder_libraries(data_folder: &Path) -> Vec<PathBuf> {
    let folder = data_folder.join(RUNTIME_FOLDER);
    let mut paths = list_libraries(&folder);
    paths.extend(list_libraries(&folder.join("lib")));
    paths
}

/// Asks Python for the folder of its package's library; `None` without an answer in time.
fn python_package(python: &Path) -> Option<PathBuf> {
    let mut child = Command::new(python)
        .args(["-I", "-c", ASK_PYTHON])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let answer = child.stdout.take()?;
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = answer.take(MAX_ANSWER_BYTES).read_to_string(&mut text);
        let _ = tell.send(read.map(|_| text));
    });
    let text = told.recv_timeout(PYTHON_PATIENCE);
    // It is not needed any more, with or without an answer.
    let _ = child.kill();
    let _ = child.wait();
    let origin = text.ok()?.ok()?;
    let package = Path::new(origin.trim()).parent()?;
    package.is_absolute().then(|| package.join("capi"))
}
