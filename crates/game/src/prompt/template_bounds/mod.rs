//! Bounds of a template: how large the values can become that it computes. Pure.
//!
//! The engine counts steps, not bytes, and an allocation that fails ends the whole program: forty times
//! `{% set a = a ~ a %}` would. So the largest size of every value is computed before a template is
//! compiled. What a loop sets is gone with the next turn of the loop, so that sizes follow from the text
//! alone; constructs of which no size follows are refused.

mod filters;
mod size;
mod tags;

use minijinja::machinery::{ast, parse};
use minijinja::syntax::SyntaxConfig;
pub(super) use size::{GAME_BYTES, bytes_of};
use size::{ITEM_BYTES, NUMBER, Size, ValueKind, constant_size};
use std::collections::HashMap;

/// The most bytes that the values of a template can take together.
const MAX_VALUES_BYTES: u64 = 256 << 20;
/// The deepest that values may lie in one another.
const MAX_DEPTH: u32 = 100;
/// The most bytes that one rendering goes through, loops included: steps times the largest value.
const MAX_WORK_BYTES: u64 = 512 << 30;
/// The most items of `range`.
const MAX_RANGE: u64 = 100_000;

/// Something that a template must not do, with its line in the text, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unbounded {
    pub line: usize,
    pub why: String,
}

/// What a template computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Computed {
    /// Size of its largest value; none where it prints values of the game alone.
    pub largest_bytes: u64,
}

impl Computed {
    /// Returns the larger of two.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            largest_bytes: self.largest_bytes.max(other.largest_bytes),
        }
    }

    /// Returns the steps that a rendering may take, at most `usual`: fewer where each may go through a
    /// large value.
    pub(super) fn limit_steps(self, usual: u64) -> u64 {
        let steps = MAX_WORK_BYTES.checked_div(self.largest_bytes);
        steps.unwrap_or(usual).min(usual)
    }
}

/// Says what a template computes, or where it could outgrow its bounds. What cannot be parsed is left to
/// the engine. No value of the game takes more than `game_bytes`.
pub(super) fn check_template(
    source: &str,
    syntax: &SyntaxConfig,
    game_bytes: u64,
) -> Result<Computed, Unbounded> {
    tags::check_tags(source, syntax)?;
    let Ok(ast::Stmt::Template(template)) = parse(source, "template", syntax.clone()) else {
        return Ok(Computed::default());
    };
    let mut sizes = Sizes {
        game_bytes,
        ..Sizes::default()
    };
    sizes.with_scope(|sizes| sizes.measure_body(&template.children))?;
    Ok(sizes.computed)
}

/// Sizes of the variables in sight, and of all values so far.
#[derive(Default)]
struct Sizes<'a> {
    scopes: Vec<HashMap<&'a str, Size>>,
    game_bytes: u64,
    total_bytes: u64,
    computed: Computed,
}

type Checked<T> = Result<T, Unbounded>;

fn refuse<T>(line: u16, why: impl Into<String>) -> Checked<T> {
    Err(Unbounded {
        line: line.into(),
        why: why.into(),
    })
}

impl<'a> Sizes<'a> {
    fn with_scope<T>(&mut self, act: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.scopes.push(HashMap::new());
        let result = act(self);
        self.scopes.pop();
        result
    }

    fn find_size(&self, name: &str) -> Option<Size> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|scope| scope.get(name).copied())
    }

    /// Binds a name. In one branch of an `if` it may stay what it was: the larger counts.
    fn bind_target(&mut self, target: &ast::Expr<'a>, size: Size) -> Checked<()> {
        match target {
            ast::Expr::Var(var) => {
                let before = self.find_size(var.id).unwrap_or(size);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(var.id, size.union(before));
                }
                Ok(())
            }
            ast::Expr::List(list) => self.bind_all(&list.items, size),
            ast::Expr::Tuple(tuple) => self.bind_all(&tuple.items, size),
            other => refuse(
                other.span().start_line,
                "only variables can be set; a value that grows through a namespace has no bound",
            ),
        }
    }

    fn bind_all(&mut self, targets: &[ast::Expr<'a>], size: Size) -> Checked<()> {
        let part = Size {
            kind: ValueKind::Any,
            ..size
        };
        targets
            .iter()
            .try_for_each(|target| self.bind_target(target, part))
    }

    /// Adds a value that is computed at a line.
    fn add_value(&mut self, line: u16, size: Size) -> Checked<Size> {
        self.total_bytes = self.total_bytes.saturating_add(size.bytes);
        self.computed.largest_bytes = self.computed.largest_bytes.max(size.bytes);
        if self.total_bytes > MAX_VALUES_BYTES {
            return refuse(
                line,
                format!(
                    "the template's values could take more than {} MiB together: joining, repeating and \
                     replacing texts that were joined before multiplies them",
                    MAX_VALUES_BYTES >> 20
                ),
            );
        }
        if size.depth > MAX_DEPTH {
            return refuse(
                line,
                format!("values could lie in one another more than {MAX_DEPTH} deep"),
            );
        }
        Ok(size)
    }

    /// Goes through statements; returns how much they print at most, loops not counted.
    fn measure_body(&mut self, statements: &[ast::Stmt<'a>]) -> Checked<Printed> {
        let mut total = Printed::default();
        for statement in statements {
            let more = self.measure_statement(statement)?;
            total.bytes = total.bytes.saturating_add(more.bytes);
            total.loops = total.loops.or(more.loops);
        }
        Ok(total)
    }

    fn measure_statement(&mut self, statement: &ast::Stmt<'a>) -> Checked<Printed> {
        match statement {
            ast::Stmt::Template(template) => self.measure_body(&template.children),
            ast::Stmt::EmitRaw(raw) => Ok(Printed::from_bytes(raw.raw.len() as u64)),
            ast::Stmt::EmitExpr(emitted) => {
                let size = self.measure_expression(&emitted.expr)?;
                Ok(Printed::from_bytes(size.text_bytes()))
            }
            ast::Stmt::ForLoop(each) => self.measure_loop(each),
            ast::Stmt::IfCond(cond) => {
                self.measure_expression(&cond.expr)?;
                let yes = self.measure_body(&cond.true_body)?;
                let no = self.measure_body(&cond.false_body)?;
                Ok(Printed {
                    bytes: yes.bytes.max(no.bytes),
                    loops: yes.loops.or(no.loops),
                })
            }
            ast::Stmt::WithBlock(with) => self.with_scope(|sizes| {
                for (target, expr) in &with.assignments {
                    let size = sizes.measure_expression(expr)?;
                    sizes.bind_target(target, size)?;
                }
                sizes.measure_body(&with.body)
            }),
            ast::Stmt::Set(set) => {
                let size = self.measure_expression(&set.expr)?;
                self.bind_target(&set.target, size)?;
                Ok(Printed::default())
            }
            ast::Stmt::SetBlock(set) => {
                let mut size = self.measure_block(&set.body)?;
                if let Some(filter) = &set.filter {
                    size = self.measure_block_filter(filter, size)?;
                }
                self.bind_target(&set.target, size)?;
                Ok(Printed::default())
            }
            ast::Stmt::FilterBlock(block) => {
                let size = self.measure_block(&block.body)?;
                let size = self.measure_block_filter(&block.filter, size)?;
                Ok(Printed::from_bytes(size.text_bytes()))
            }
            ast::Stmt::AutoEscape(block) => {
                refuse(block.span().start_line, "'autoescape' is not offered")
            }
            ast::Stmt::Do(call) => {
                self.measure_call(&call.call)?;
                Ok(Printed::default())
            }
        }
    }

    fn measure_loop(&mut self, each: &ast::ForLoop<'a>) -> Checked<Printed> {
        let line = each.iter.span().start_line;
        if each.recursive {
            return refuse(line, "recursive loops are not offered");
        }
        let all = self.measure_expression(&each.iter)?;
        let item = match &each.iter {
            ast::Expr::Call(call) if variable_name(&call.expr) == Some("range") => NUMBER,
            _ => Size {
                kind: ValueKind::Any,
                ..all
            },
        };
        self.with_scope(|sizes| {
            sizes.bind_target(&each.target, item)?;
            if let Some(filter) = &each.filter_expr {
                sizes.measure_expression(filter)?;
            }
            sizes.measure_body(&each.body)
        })?;
        self.measure_body(&each.else_body)?;
        Ok(Printed {
            bytes: 0,
            loops: Some(line),
        })
    }

    /// Text that a block keeps in place of printing it.
    fn measure_block(&mut self, body: &[ast::Stmt<'a>]) -> Checked<Size> {
        let output = self.measure_body(body)?;
        match output.loops {
            Some(line) => refuse(
                line,
                "a loop inside a block whose text is kept has no bound; print the loop where its text \
                 belongs",
            ),
            None => Ok(Size::from_text_bytes(output.bytes)),
        }
    }

    fn measure_block_filter(&mut self, filter: &ast::Expr<'a>, base: Size) -> Checked<Size> {
        match filter {
            ast::Expr::Filter(filter) => {
                let base = match &filter.expr {
                    Some(inner) => self.measure_block_filter(inner, base)?,
                    None => base,
                };
                let line = filter.span().start_line;
                self.measure_filter(line, filter.name, base, &filter.args)
            }
            other => self.measure_expression(other),
        }
    }

    fn measure_expression(&mut self, expr: &ast::Expr<'a>) -> Checked<Size> {
        let line = expr.span().start_line;
        match expr {
            ast::Expr::Var(var) => Ok(match (self.find_size(var.id), var.id) {
                (Some(size), _) => size,
                (None, "round" | "rounds") => NUMBER,
                (None, _) => Size::from_game_bytes(self.game_bytes),
            }),
            ast::Expr::Const(constant) => Ok(constant_size(&constant.value)),
            ast::Expr::Slice(slice) => {
                let bounds = [&slice.start, &slice.stop, &slice.step];
                for bound in bounds.into_iter().flatten() {
                    self.measure_expression(bound)?;
                }
                let base = self.measure_expression(&slice.expr)?;
                self.add_value(line, base)
            }
            ast::Expr::UnaryOp(unary) => {
                self.measure_expression(&unary.expr)?;
                Ok(NUMBER)
            }
            ast::Expr::BinOp(op) => self.measure_operation(line, op),
            ast::Expr::Compare(compare) => {
                self.measure_expression(&compare.expr)?;
                for op in &compare.ops {
                    self.measure_expression(&op.expr)?;
                }
                Ok(NUMBER)
            }
            ast::Expr::IfExpr(choice) => {
                self.measure_expression(&choice.test_expr)?;
                let yes = self.measure_expression(&choice.true_expr)?;
                match &choice.false_expr {
                    Some(no) => Ok(yes.union(self.measure_expression(no)?)),
                    None => Ok(yes),
                }
            }
            ast::Expr::Filter(filter) => {
                let base = match &filter.expr {
                    Some(base) => self.measure_expression(base)?,
                    None => return refuse(line, "a filter without a value"),
                };
                match (filter.name, &filter.expr) {
                    ("format", Some(base)) => self.measure_format(line, base, &filter.args),
                    (name, _) => self.measure_filter(line, name, base, &filter.args),
                }
            }
            ast::Expr::Test(test) => {
                self.measure_expression(&test.expr)?;
                self.measure_arguments(&test.args)?;
                Ok(NUMBER)
            }
            ast::Expr::GetAttr(attr) => {
                let base = self.measure_expression(&attr.expr)?;
                let counts = variable_name(&attr.expr) == Some("loop")
                    && !matches!(attr.name, "previtem" | "nextitem");
                Ok(match counts {
                    true => NUMBER,
                    false => Size {
                        kind: ValueKind::Any,
                        ..base
                    },
                })
            }
            ast::Expr::GetItem(item) => {
                self.measure_expression(&item.subscript_expr)?;
                let base = self.measure_expression(&item.expr)?;
                Ok(Size {
                    kind: ValueKind::Any,
                    ..base
                })
            }
            ast::Expr::Call(call) => self.measure_call(call),
            ast::Expr::List(list) => self.measure_collection(line, &list.items, &[]),
            ast::Expr::Tuple(tuple) => self.measure_collection(line, &tuple.items, &[]),
            ast::Expr::Map(map) => self.measure_collection(line, &map.keys, &map.values),
        }
    }

    fn measure_collection(
        &mut self,
        line: u16,
        items: &[ast::Expr<'a>],
        more: &[ast::Expr<'a>],
    ) -> Checked<Size> {
        let mut parts = Vec::new();
        for item in items.iter().chain(more) {
            let mut size = self.measure_expression(item)?;
            size.bytes = size.bytes.saturating_add(ITEM_BYTES);
            parts.push(size);
        }
        self.add_value(line, Size::from_parts(&parts, 1))
    }

    fn measure_operation(&mut self, line: u16, op: &ast::BinOp<'a>) -> Checked<Size> {
        use ast::BinOpKind;
        let left = self.measure_expression(&op.left)?;
        let right = self.measure_expression(&op.right)?;
        let numbers = [left, right].map(|side| side.kind == ValueKind::Number);
        match op.op {
            BinOpKind::Eq
            | BinOpKind::Ne
            | BinOpKind::Lt
            | BinOpKind::Lte
            | BinOpKind::Gt
            | BinOpKind::Gte
            | BinOpKind::In
            | BinOpKind::Sub
            | BinOpKind::Div
            | BinOpKind::FloorDiv
            | BinOpKind::Rem
            | BinOpKind::Pow => Ok(NUMBER),
            BinOpKind::ScAnd | BinOpKind::ScOr => Ok(left.union(right)),
            BinOpKind::Concat => {
                let bytes = left.text_bytes().saturating_add(right.text_bytes());
                self.add_value(line, Size::from_text_bytes(bytes))
            }
            // A number is added to a number or not at all.
            BinOpKind::Add if numbers.contains(&true) => Ok(NUMBER),
            BinOpKind::Add => self.add_value(line, Size::from_parts(&[left, right], 1)),
            BinOpKind::Mul if numbers == [true, true] => Ok(NUMBER),
            BinOpKind::Mul => {
                let times = [(&op.left, right), (&op.right, left)];
                let mut times = times
                    .into_iter()
                    .filter_map(|(side, other)| Some((whole_number(side)?, other)));
                match times.next() {
                    Some((times, other)) => {
                        self.add_value(line, Size::from_parts(&[other], times.max(1)))
                    }
                    None => refuse(
                        line,
                        "a text can be repeated only so often as a number in the template says; of \
                         numbers write (a|int) * (b|int)",
                    ),
                }
            }
        }
    }

    fn measure_call(&mut self, call: &ast::Call<'a>) -> Checked<Size> {
        let line = call.expr.span().start_line;
        let argument_sizes = self.measure_arguments(&call.args)?;
        let of_loop = |attr: &ast::GetAttr<'a>| {
            variable_name(&attr.expr) == Some("loop") && matches!(attr.name, "cycle" | "changed")
        };
        match &call.expr {
            ast::Expr::Var(var) if var.id == "range" => self.add_value(
                line,
                Size {
                    bytes: MAX_RANGE * ITEM_BYTES,
                    depth: 1,
                    kind: ValueKind::Any,
                },
            ),
            ast::Expr::Var(var) if matches!(var.id, "dict" | "debug") => {
                let game = Size::from_game_bytes(self.game_bytes);
                self.add_value(
                    line,
                    Size::from_parts(&[Size::from_parts(&argument_sizes, 1), game], 1),
                )
            }
            ast::Expr::GetAttr(attr) if of_loop(attr) => Ok(Size::from_parts(&argument_sizes, 1)),
            _ => refuse(line, "only range(), dict() and loop.cycle() can be called"),
        }
    }

    fn measure_arguments(&mut self, args: &[ast::CallArg<'a>]) -> Checked<Vec<Size>> {
        let all = args.iter().map(|arg| match arg {
            ast::CallArg::Pos(expr)
            | ast::CallArg::Kwarg(_, expr)
            | ast::CallArg::PosSplat(expr)
            | ast::CallArg::KwargSplat(expr) => self.measure_expression(expr),
        });
        all.collect()
    }
}

/// What statements print.
#[derive(Debug, Clone, Copy, Default)]
struct Printed {
    bytes: u64,
    /// Line of a loop among them.
    loops: Option<u16>,
}

impl Printed {
    fn from_bytes(bytes: u64) -> Self {
        Self { bytes, loops: None }
    }
}

/// Returns a variable's name.
fn variable_name<'a>(expr: &ast::Expr<'a>) -> Option<&'a str> {
    match expr {
        ast::Expr::Var(var) => Some(var.id),
        _ => None,
    }
}

/// Returns a number that stands in the template.
fn whole_number(expr: &ast::Expr<'_>) -> Option<u64> {
    match expr {
        ast::Expr::Const(constant) => u64::try_from(constant.value.as_i64()?).ok(),
        _ => None,
    }
}
