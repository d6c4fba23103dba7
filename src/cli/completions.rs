//! completions
