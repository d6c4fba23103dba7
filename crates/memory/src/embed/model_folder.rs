//! Model folder: checks of a sentence model's files before a library reads them.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{EmbedError, unreadable_error};

/// The model itself.
pub const MODEL_FILE: &str = "model.onnx";
const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "config.json";
const SPECIAL_TOKENS: &str = "special_tokens_map.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
/// Pooling configuration of the model, where its maker provides one.
pub const POOLING_FILE: &str = "1_Pooling/config.json";

/// The files that a model folder has, the largest last.
pub const MODEL_FILES: [&str; 5] = [
    CONFIG,
    SPECIAL_TOKENS,
    TOKENIZER_CONFIG,
    TOKENIZER,
    MODEL_FILE,
];

/// The largest model that is read: sentence models for a CPU are far below it.
pub const MAX_MODEL_BYTES: u64 = 2 << 30;
/// The largest tokenizer or configuration that is read.
const MAX_JSON_BYTES: u64 = 64 << 20;
/// Bytes of a file's beginning that are checked.
const HEAD_BYTES: u64 = 256;
/// Characters of each hash in a model's name.
const HASH_CHARS: usize = 8;
/// Characters of the folder's name in a model's name.
const FOLDER_CHARS: usize = 48;

/// Content of a model folder.
pub(super) struct ModelFiles {
    /// The folder's name with the hashes of model and tokenizer.
    pub name: String,
    pub model: Vec<u8>,
    pub tokenizer: Vec<u8>,
    pub config: Vec<u8>,
    pub special_tokens: Vec<u8>,
    pub tokenizer_config: Vec<u8>,
    /// The dimension according to `config.json`.
    pub declared_dim: Option<usize>,
}

/// Reads a model folder.
///
/// # Errors
/// With the file that is missing, unreadable, or of another kind.
pub(super) fn read_model_folder(folder: &Path) -> Result<ModelFiles, EmbedError> {
    check_model_folder(folder)?;
    let config = read_file(folder, CONFIG)?;
    let tokenizer = read_file(folder, TOKENIZER)?;
    let model = read_file(folder, MODEL_FILE)?;
    let folder_name: String = folder
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default()
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        })
        .take(FOLDER_CHARS)
        .collect();
    Ok(ModelFiles {
        name: format!(
            "{folder_name}/{}-{}",
            short_hash(&model),
            short_hash(&tokenizer)
        ),
        special_tokens: read_file(folder, SPECIAL_TOKENS)?,
        tokenizer_config: read_file(folder, TOKENIZER_CONFIG)?,
        declared_dim: declared_dim(&config),
        model,
        tokenizer,
        config,
    })
}

/// Checks that a folder has every file of a model, each of its kind, without reading large ones.
///
/// # Errors
/// With the first file that is missing or of another kind.
pub fn check_model_folder(folder: &Path) -> Result<(), EmbedError> {
    if !folder.is_dir() {
        return Err(EmbedError::NoModel {
            folder: folder.display().to_string(),
        });
    }
    for file in MODEL_FILES {
        check_model_file(folder, file)?;
    }
    check_pooling(folder)
}

/// Checks that a file of a model folder exists and is of its kind, without reading a large one.
///
/// # Errors
/// With the file and the fault.
pub fn check_model_file(folder: &Path, file: &str) -> Result<(), EmbedError> {
    let path = folder.join(file);
    if !path.is_file() {
        return Err(EmbedError::NoFile {
            folder: folder.display().to_string(),
            file: file.to_owned(),
        });
    }
    let foreign = |why: &str| EmbedError::Foreign {
        path: path.display().to_string(),
        why: why.to_owned(),
    };
    let bytes = path
        .metadata()
        .map_err(|error| unreadable_error(&path, &error))?
        .len();
    let is_model = file == MODEL_FILE;
    if bytes
        > if is_model {
            MAX_MODEL_BYTES
        } else {
            MAX_JSON_BYTES
        }
    {
        return Err(foreign("it is too large"));
    }
    let mut head = Vec::new();
    File::open(&path)
        .and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head))
        .map_err(|error| unreadable_error(&path, &error))?;
    let start = head.trim_ascii_start();
    if start.is_empty() {
        return Err(foreign("it is empty"));
    }
    if start.starts_with(b"<") {
        return Err(foreign("it is a web page"));
    }
    if start.starts_with(b"version https://git-lfs") {
        return Err(foreign(
            "it is a pointer of Git LFS to the file, not the file",
        ));
    }
    if is_model {
        // An ONNX file is a protocol buffer that begins with its version, field 1 as a number.
        return match head.first() {
            Some(8) => Ok(()),
            Some(_) | None => Err(foreign("it is no ONNX model")),
        };
    }
    let text = read_file(folder, file)?;
    match serde_json::from_slice::<Value>(&text) {
        Ok(Value::Object(_)) => Ok(()),
        Ok(_) => Err(foreign("it holds no JSON object")),
        Err(error) => Err(foreign(&format!("it is no JSON: {error}"))),
    }
}

/// Returns an entry by which a folder is not one of a model, or of a part of one: what is put there would
/// be mixed up with other things, or replace them. `None` for a folder that is empty or not there.
pub fn foreign_entry(folder: &Path) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let pooling = Path::new(POOLING_FILE).parent().and_then(Path::to_str);
    let is_of_model = |name: &str| MODEL_FILES.contains(&name) || pooling == Some(name);
    let foreign = names.iter().find(|name| !is_of_model(name));
    // Many programs keep a 'config.json' of their own.
    let alone = names.first().filter(|_| names.len() == 1);
    let alone = alone.filter(|name| *name == CONFIG && read_dim(folder).is_none());
    foreign.or(alone).cloned()
}

fn read_dim(folder: &Path) -> Option<usize> {
    declared_dim(&read_file(folder, CONFIG).ok()?)
}

/// Refuses a model that needs another pooling than the mean: its vectors would be wrong without
/// notice.
fn check_pooling(folder: &Path) -> Result<(), EmbedError> {
    let path = folder.join(POOLING_FILE);
    if !path.is_file() {
        return Ok(());
    }
    let pooling: Value =
        serde_json::from_slice(&read_file(folder, POOLING_FILE)?).unwrap_or(Value::Null);
    match pooling.get("pooling_mode_mean_tokens") {
        Some(Value::Bool(false)) => Err(EmbedError::Foreign {
            path: path.display().to_string(),
            why:
                "the model does not pool by the mean of its tokens, and no other way is known here"
                    .to_owned(),
        }),
        Some(_) | None => Ok(()),
    }
}

fn read_file(folder: &Path, file: &str) -> Result<Vec<u8>, EmbedError> {
    let path = folder.join(file);
    fs::read(&path).map_err(|error| unreadable_error(&path, &error))
}

fn declared_dim(config: &[u8]) -> Option<usize> {
    let config: Value = serde_json::from_slice(config).ok()?;
    usize::try_from(config.get("hidden_size")?.as_u64()?).ok()
}

fn short_hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.chars().take(HASH_CHARS).collect()
}
