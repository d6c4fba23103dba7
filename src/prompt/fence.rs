//! stub, replaced on merge
use std::borrow::Cow;
/// x
pub fn open(nonce: &str) -> String {
    format!("<<{nonce}")
}
/// x
pub fn close(nonce: &str) -> String {
    format!("{nonce}>>")
}
/// x
pub fn neutralise(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}
