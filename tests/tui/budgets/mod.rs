//! Costs of the workbench that can be counted: bytes, frames and wake-ups, never time.

mod harness;
mod idle;
mod painted;
mod streamed;
mod watched;
