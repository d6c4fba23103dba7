//! What the workbench costs that can be counted: bytes, frames and wake-ups, never time.

mod idle;
mod kit;
mod painted;
mod streamed;
