//! Flags that stand for one of two values.

use clap::builder::{BoolValueParser, TypedValueParser};

/// Reads a flag (`action = SetTrue`) as what it means: the first value without it, the second with it.
pub(crate) fn flag_parser<T: Clone + Send + Sync + 'static>(
    [without, with]: [T; 2],
) -> impl TypedValueParser<Value = T> {
    BoolValueParser::new().map(move |is_given| match is_given {
        true => with.clone(),
        false => without.clone(),
    })
}
