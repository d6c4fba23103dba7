//! doctor
