//! Name and version of the program, as journals keep them.

/// Names the program and version that writes journals.
pub fn software_name() -> String {
    concat!("elenchus ", env!("CARGO_PKG_VERSION")).to_owned()
}
