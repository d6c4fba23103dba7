//! Length of a template's tags: how deep the engine goes into an expression.

use super::Unbounded;
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

/// The most words and signs between one pair of brackets: the engine goes as deep as they are many.
const MAX_TAG_TOKENS: usize = 400;
/// The most `elif` of a template, for the same reason.
const MAX_ELIFS: usize = 100;

/// Refuses a template with a tag too long, or with too many branches.
pub(super) fn check_tags(source: &str, syntax: &SyntaxConfig) -> Result<(), Unbounded> {
    let (mut tokens, mut elifs) = (0, 0);
    for token in tokenize(source, false, syntax.clone()) {
        let Ok((token, span)) = token else {
            return Ok(());
        };
        tokens += 1;
        match token {
            Token::TemplateData(_) | Token::VariableStart | Token::BlockStart => tokens = 0,
            Token::Ident("elif") => elifs += 1,
            _ => {}
        }
        let why = match (tokens > MAX_TAG_TOKENS, elifs > MAX_ELIFS) {
            (true, _) => {
                format!("more than {MAX_TAG_TOKENS} words and signs in one pair of brackets")
            }
            (_, true) => format!("more than {MAX_ELIFS} times 'elif'"),
            (false, false) => continue,
        };
        return Err(Unbounded {
            line: span.start_line.into(),
            why,
        });
    }
    Ok(())
}
