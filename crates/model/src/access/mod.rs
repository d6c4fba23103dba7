//! Access to servers: addresses, origins, trust, and keys that are never shown.

pub(super) mod bare_address;
mod key_parts;
pub(super) mod key_scrub;
pub(super) mod key_variable;
pub(super) mod origin;
pub(super) mod secret;
pub(super) mod trust;
pub(super) mod typed_address;
