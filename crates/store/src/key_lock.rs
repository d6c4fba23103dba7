//! Lock of a key: of processes that work under one key, one at a time begins what it stands for.

use super::files::{create_folders, create_private, parent_of};
use super::layout::Layout;
use super::lock::Lock;
use super::{Access, Result, StoreError, open_regular};
use std::path::Path;
use std::sync::Arc;

/// Lock of a key that is held until it is dropped.
pub struct KeyLock {
    _lock: Lock,
}

impl KeyLock {
    /// Takes the lock of a key. Others who want it are told of `command`.
    ///
    /// # Errors
    /// When the key is no name of a file, another process holds it ([`StoreError::Locked`]), or the store's folder
    /// cannot be written.
    pub fn acquire(layout: &Layout, key: &str, command: &str) -> Result<Self> {
        let path = layout.key_path(key)?;
        create_folders(&parent_of(&path))?;
        let file = Arc::new(open_or_create(&path)?);
        let lock = Lock::acquire(&file, &path, command)?;
        Ok(Self { _lock: lock })
    }
}

fn open_or_create(path: &Path) -> Result<std::fs::File> {
    match create_private(path) {
        Ok(file) => Ok(file),
        Err(StoreError::Exists { .. }) => open_regular(path, Access::Append),
        Err(error) => Err(error),
    }
}
