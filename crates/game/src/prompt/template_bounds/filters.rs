//! Sizes of what filters return.

use super::size::{ITEM_BYTES, NUMBER, Size};
use super::{Checked, Sizes, refuse, whole_number};
use minijinja::machinery::ast;

/// The largest width, count or precision that a filter is given.
const MAX_WIDTH: u64 = 1_000;

impl<'a> Sizes<'a> {
    /// Size of what a filter returns.
    pub(super) fn measure_filter(
        &mut self,
        line: u16,
        name: &str,
        base: Size,
        args: &[ast::CallArg<'a>],
    ) -> Checked<Size> {
        let argument_sizes = self.measure_arguments(args)?;
        let mut all = vec![base];
        all.extend(&argument_sizes);
        let others = argument_sizes.iter().map(|size| size.text_bytes());
        let others = others.fold(1, u64::saturating_add);
        let text = |times: u64| {
            let bytes = base.text_bytes().saturating_add(ITEM_BYTES);
            Size::from_text_bytes(bytes.saturating_mul(times))
        };
        let size = match name {
            "length" | "count" | "abs" | "int" | "float" | "round" | "bool" => return Ok(NUMBER),
            "lower" | "upper" | "title" | "capitalize" | "trim" | "string" | "safe" => text(3),
            "escape" | "e" => text(6),
            "default" | "d" => {
                let sizes = argument_sizes.iter().copied();
                sizes.fold(base, Size::union)
            }
            "first" | "last" | "min" | "max" | "attr" | "sum" => Size::from_parts(&[base], 1),
            "list" | "lines" | "split" | "items" | "dictsort" | "sort" | "reverse" | "unique"
            | "select" | "reject" | "selectattr" | "rejectattr" | "chain" | "zip" | "groupby" => {
                Size::from_parts(&all, ITEM_BYTES)
            }
            "join" => {
                let separator = others - 1;
                // Items of a list have a place in it, letters of a text have not.
                let of_list = separator.saturating_mul(1 + base.bytes / ITEM_BYTES);
                let of_list = base.text_bytes().saturating_add(of_list);
                let of_text = base.bytes.saturating_mul(others);
                Size::from_text_bytes(ITEM_BYTES.saturating_add(of_list.max(of_text)))
            }
            "replace" => text(others),
            "indent" => text(1 + self.width(line, name, args)?),
            "batch" | "slice" => {
                let width = self.width(line, name, args)?;
                Size::from_parts(&all, ITEM_BYTES.saturating_add(width))
            }
            "pprint" => text(ITEM_BYTES),
            "map" => return self.measure_map(line, base, args),
            _ => return refuse(line, format!("the filter '{name}' is not offered")),
        };
        self.add_value(line, size)
    }

    /// `"%.2f"|format(…)`: the widths of its fields must stand in the template.
    pub(super) fn measure_format(
        &mut self,
        line: u16,
        base: &ast::Expr<'a>,
        args: &[ast::CallArg<'a>],
    ) -> Checked<Size> {
        let pattern = match base {
            ast::Expr::Const(constant) => constant.value.as_str(),
            _ => None,
        };
        let is_narrow = |pattern: &&str| {
            let mut numbers = pattern.split(|c: char| !c.is_ascii_digit());
            !pattern.contains('*') && numbers.all(|digits| digits.len() <= 3)
        };
        let Some(pattern) = pattern.filter(is_narrow) else {
            return refuse(
                line,
                "'format' takes a pattern in the template, with widths of at most three digits",
            );
        };
        let argument_sizes = self.measure_arguments(args)?;
        let fields = 1 + pattern.matches('%').count() as u64;
        let text_sizes = argument_sizes.iter().map(|size| size.text_bytes());
        let each = text_sizes.fold(MAX_WIDTH, u64::saturating_add);
        let bytes = fields.saturating_mul(each);
        self.add_value(
            line,
            Size::from_text_bytes(bytes.saturating_add(pattern.len() as u64)),
        )
    }

    /// A filter on every item of a list, or an attribute of every item.
    fn measure_map(&mut self, line: u16, base: Size, args: &[ast::CallArg<'a>]) -> Checked<Size> {
        match args.split_first() {
            Some((ast::CallArg::Pos(ast::Expr::Const(name)), rest)) => match name.value.as_str() {
                Some("map") | None => refuse(line, "'map' takes the name of a filter"),
                Some(name) => {
                    let each = Size::from_parts(&[base], 2);
                    let size = self.measure_filter(line, name, each, rest)?;
                    self.add_value(line, Size::from_parts(&[size, base], ITEM_BYTES))
                }
            },
            Some((ast::CallArg::Kwarg("attribute", _), [])) => {
                self.add_value(line, Size::from_parts(&[base], ITEM_BYTES))
            }
            Some((ast::CallArg::Kwarg("attribute" | "default", _), _)) => {
                // Letters of a text are items as well.
                let argument_size =
                    Size::from_parts(&self.measure_arguments(args)?, 1 + base.bytes);
                self.add_value(line, Size::from_parts(&[base, argument_size], ITEM_BYTES))
            }
            _ => refuse(
                line,
                "'map' takes the name of a filter, or attribute=\"NAME\"",
            ),
        }
    }

    /// The width or count that a filter is given: a number in the template, so that it is known.
    fn width(&self, line: u16, name: &str, args: &[ast::CallArg<'a>]) -> Checked<u64> {
        let mut most = 4;
        for arg in args {
            let (ast::CallArg::Pos(expr) | ast::CallArg::Kwarg(_, expr)) = arg else {
                return refuse(line, format!("'{name}' takes no list of arguments"));
            };
            let is_plain = match expr {
                ast::Expr::Const(constant) => constant.value.as_i64().is_none(),
                _ => false,
            };
            match whole_number(expr) {
                Some(width) if width <= MAX_WIDTH => most = most.max(width),
                None if is_plain => {}
                Some(_) | None => {
                    return refuse(
                        line,
                        format!("'{name}' takes a number in the template, up to {MAX_WIDTH}"),
                    );
                }
            }
        }
        Ok(most)
    }
}
