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
use size::{ITEM_BYTES, NUMBER, Size, ValueKind, of_constant};
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
    pub(super) fn steps(self, usual: u64) -> u64 {
        let steps = MAX_WORK_BYTES.checked_div(self.largest_bytes);
        steps.unwrap_or(usual).min(usual)
    }
}

/// Says what a template computes, or where it could outgrow its bounds. What cannot be parsed is left to
/// the engine. No value of the game takes more than `game_bytes`.
pub(super) fn check(
    source: &str,
    syntax: &SyntaxConfig,
    game_bytes: u64,
) -> Result<Computed, Unbounded> {
    tags::check(source, syntax)?;
    let Ok(ast::Stmt::Template(template)) = parse(source, "template", syntax.clone()) else {
        return Ok(Computed::default());
    };
    let mut sizes = Sizes {
        game_bytes,
        ..Sizes::default()
    };
    sizes.in_scope(|sizes| sizes.body(&template.children))?;
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

fn refused<T>(line: u16, why: impl Into<String>) -> Checked<T> {
    Err(Unbounded {
        line: line.into(),
        why: why.into(),
    })
}

impl<'a> Sizes<'a> {
    fn in_scope<T>(&mut self, act: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.scopes.push(HashMap::new());
        let done = act(self);
        self.scopes.pop();
        done
    }

    fn known(&self, name: &str) -> Option<Size> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|scope| scope.get(name).copied())
    }

    /// Binds a name. In one branch of an `if` it may stay what it was: the larger counts.
    fn bind(&mut self, target: &ast::Expr<'a>, size: Size) -> Checked<()> {
        match target {
            ast::Expr::Var(var) => {
                let before = self.known(var.id).unwrap_or(size);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(var.id, size.either(before));
                }
                Ok(())
            }
            ast::Expr::List(list) => self.bind_all(&list.items, size),
            ast::Expr::Tuple(tuple) => self.bind_all(&tuple.items, size),
            other => refused(
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
            .try_for_each(|target| self.bind(target, part))
    }

    /// Adds a value that is computed at a line.
    fn made(&mut self, line: u16, size: Size) -> Checked<Size> {
        self.total_bytes = self.total_bytes.saturating_add(size.bytes);
        self.computed.largest_bytes = self.computed.largest_bytes.max(size.bytes);
        if self.total_bytes > MAX_VALUES_BYTES {
            return refused(
                line,
                format!(
                    "the template's values could take more than {} MiB together: joining, repeating and \
                     replacing texts that were joined before multiplies them",
                    MAX_VALUES_BYTES >> 20
                ),
            );
        }
        if size.depth > MAX_DEPTH {
            return refused(
                line,
                format!("values could lie in one another more than {MAX_DEPTH} deep"),
            );
        }
        Ok(size)
    }

    /// Goes through statements; returns how much they print at most, loops not counted.
    fn body(&mut self, statements: &[ast::Stmt<'a>]) -> Checked<Printed> {
        let mut printed = Printed::default();
        for statement in statements {
            let more = self.statement(statement)?;
            printed.bytes = printed.bytes.saturating_add(more.bytes);
            printed.loops = printed.loops.or(more.loops);
        }
        Ok(printed)
    }

    fn statement(&mut self, statement: &ast::Stmt<'a>) -> Checked<Printed> {
        match statement {
            ast::Stmt::Template(template) => self.body(&template.children),
            ast::Stmt::EmitRaw(raw) => Ok(Printed::of(raw.raw.len() as u64)),
            ast::Stmt::EmitExpr(emitted) => {
                let size = self.expression(&emitted.expr)?;
                Ok(Printed::of(size.written()))
            }
            ast::Stmt::ForLoop(each) => self.each(each),
            ast::Stmt::IfCond(cond) => {
                self.expression(&cond.expr)?;
                let yes = self.body(&cond.true_body)?;
                let no = self.body(&cond.false_body)?;
                Ok(Printed {
                    bytes: yes.bytes.max(no.bytes),
                    loops: yes.loops.or(no.loops),
                })
            }
            ast::Stmt::WithBlock(with) => self.in_scope(|sizes| {
                for (target, expr) in &with.assignments {
                    let size = sizes.expression(expr)?;
                    sizes.bind(target, size)?;
                }
                sizes.body(&with.body)
            }),
            ast::Stmt::Set(set) => {
                let size = self.expression(&set.expr)?;
                self.bind(&set.target, size)?;
                Ok(Printed::default())
            }
            ast::Stmt::SetBlock(set) => {
                let mut size = self.kept(&set.body)?;
                if let Some(filter) = &set.filter {
                    size = self.filter_of_block(filter, size)?;
                }
                self.bind(&set.target, size)?;
                Ok(Printed::default())
            }
            ast::Stmt::FilterBlock(block) => {
                let size = self.kept(&block.body)?;
                let size = self.filter_of_block(&block.filter, size)?;
                Ok(Printed::of(size.written()))
            }
            ast::Stmt::AutoEscape(block) => {
                refused(block.span().start_line, "'autoescape' is not offered")
            }
            ast::Stmt::Do(call) => {
                self.call(&call.call)?;
                Ok(Printed::default())
            }
        }
    }

    fn each(&mut self, each: &ast::ForLoop<'a>) -> Checked<Printed> {
        let line = each.iter.span().start_line;
        if each.recursive {
            return refused(line, "recursive loops are not offered");
        }
        let all = self.expression(&each.iter)?;
        let item = match &each.iter {
            ast::Expr::Call(call) if named(&call.expr) == Some("range") => NUMBER,
            _ => Size {
                kind: ValueKind::Any,
                ..all
            },
        };
        self.in_scope(|sizes| {
            sizes.bind(&each.target, item)?;
            if let Some(filter) = &each.filter_expr {
                sizes.expression(filter)?;
            }
            sizes.body(&each.body)
        })?;
        self.body(&each.else_body)?;
        Ok(Printed {
            bytes: 0,
            loops: Some(line),
        })
    }

    /// Text that a block keeps in place of printing it.
    fn kept(&mut self, body: &[ast::Stmt<'a>]) -> Checked<Size> {
        let printed = self.body(body)?;
        match printed.loops {
            Some(line) => refused(
                line,
                "a loop inside a block whose text is kept has no bound; print the loop where its text \
                 belongs",
            ),
            None => Ok(Size::text(printed.bytes)),
        }
    }

    fn filter_of_block(&mut self, filter: &ast::Expr<'a>, base: Size) -> Checked<Size> {
        match filter {
            ast::Expr::Filter(filter) => {
                let base = match &filter.expr {
                    Some(inner) => self.filter_of_block(inner, base)?,
                    None => base,
                };
                let line = filter.span().start_line;
                self.filter(line, filter.name, base, &filter.args)
            }
            other => self.expression(other),
        }
    }

    fn expression(&mut self, expr: &ast::Expr<'a>) -> Checked<Size> {
        let line = expr.span().start_line;
        match expr {
            ast::Expr::Var(var) => Ok(match (self.known(var.id), var.id) {
                (Some(size), _) => size,
                (None, "round" | "rounds") => NUMBER,
                (None, _) => Size::of_game(self.game_bytes),
            }),
            ast::Expr::Const(constant) => Ok(of_constant(&constant.value)),
            ast::Expr::Slice(slice) => {
                let bounds = [&slice.start, &slice.stop, &slice.step];
                for bound in bounds.into_iter().flatten() {
                    self.expression(bound)?;
                }
                let base = self.expression(&slice.expr)?;
                self.made(line, base)
            }
            ast::Expr::UnaryOp(unary) => {
                self.expression(&unary.expr)?;
                Ok(NUMBER)
            }
            ast::Expr::BinOp(op) => self.operation(line, op),
            ast::Expr::Compare(compare) => {
                self.expression(&compare.expr)?;
                for op in &compare.ops {
                    self.expression(&op.expr)?;
                }
                Ok(NUMBER)
            }
            ast::Expr::IfExpr(choice) => {
                self.expression(&choice.test_expr)?;
                let yes = self.expression(&choice.true_expr)?;
                match &choice.false_expr {
                    Some(no) => Ok(yes.either(self.expression(no)?)),
                    None => Ok(yes),
                }
            }
            ast::Expr::Filter(filter) => {
                let base = match &filter.expr {
                    Some(base) => self.expression(base)?,
                    None => return refused(line, "a filter without a value"),
                };
                match (filter.name, &filter.expr) {
                    ("format", Some(base)) => self.format(line, base, &filter.args),
                    (name, _) => self.filter(line, name, base, &filter.args),
                }
            }
            ast::Expr::Test(test) => {
                self.expression(&test.expr)?;
                self.arguments(&test.args)?;
                Ok(NUMBER)
            }
            ast::Expr::GetAttr(attr) => {
                let base = self.expression(&attr.expr)?;
                let counts = named(&attr.expr) == Some("loop")
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
                self.expression(&item.subscript_expr)?;
                let base = self.expression(&item.expr)?;
                Ok(Size {
                    kind: ValueKind::Any,
                    ..base
                })
            }
            ast::Expr::Call(call) => self.call(call),
            ast::Expr::List(list) => self.collection(line, &list.items, &[]),
            ast::Expr::Tuple(tuple) => self.collection(line, &tuple.items, &[]),
            ast::Expr::Map(map) => self.collection(line, &map.keys, &map.values),
        }
    }

    fn collection(
        &mut self,
        line: u16,
        items: &[ast::Expr<'a>],
        more: &[ast::Expr<'a>],
    ) -> Checked<Size> {
        let mut parts = Vec::new();
        for item in items.iter().chain(more) {
            let mut size = self.expression(item)?;
            size.bytes = size.bytes.saturating_add(ITEM_BYTES);
            parts.push(size);
        }
        self.made(line, Size::of(&parts, 1))
    }

    fn operation(&mut self, line: u16, op: &ast::BinOp<'a>) -> Checked<Size> {
        use ast::BinOpKind;
        let left = self.expression(&op.left)?;
        let right = self.expression(&op.right)?;
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
            BinOpKind::ScAnd | BinOpKind::ScOr => Ok(left.either(right)),
            BinOpKind::Concat => {
                let bytes = left.written().saturating_add(right.written());
                self.made(line, Size::text(bytes))
            }
            // A number is added to a number or not at all.
            BinOpKind::Add if numbers.contains(&true) => Ok(NUMBER),
            BinOpKind::Add => self.made(line, Size::of(&[left, right], 1)),
            BinOpKind::Mul if numbers == [true, true] => Ok(NUMBER),
            BinOpKind::Mul => {
                let times = [(&op.left, right), (&op.right, left)];
                let mut times = times
                    .into_iter()
                    .filter_map(|(side, other)| Some((whole(side)?, other)));
                match times.next() {
                    Some((times, other)) => self.made(line, Size::of(&[other], times.max(1))),
                    None => refused(
                        line,
                        "a text can be repeated only so often as a number in the template says; of \
                         numbers write (a|int) * (b|int)",
                    ),
                }
            }
        }
    }

    fn call(&mut self, call: &ast::Call<'a>) -> Checked<Size> {
        let line = call.expr.span().start_line;
        let given = self.arguments(&call.args)?;
        let of_loop = |attr: &ast::GetAttr<'a>| {
            named(&attr.expr) == Some("loop") && matches!(attr.name, "cycle" | "changed")
        };
        match &call.expr {
            ast::Expr::Var(var) if var.id == "range" => self.made(
                line,
                Size {
                    bytes: MAX_RANGE * ITEM_BYTES,
                    depth: 1,
                    kind: ValueKind::Any,
                },
            ),
            ast::Expr::Var(var) if matches!(var.id, "dict" | "debug") => {
                let game = Size::of_game(self.game_bytes);
                self.made(line, Size::of(&[Size::of(&given, 1), game], 1))
            }
            ast::Expr::GetAttr(attr) if of_loop(attr) => Ok(Size::of(&given, 1)),
            _ => refused(line, "only range(), dict() and loop.cycle() can be called"),
        }
    }

    fn arguments(&mut self, args: &[ast::CallArg<'a>]) -> Checked<Vec<Size>> {
        let all = args.iter().map(|arg| match arg {
            ast::CallArg::Pos(expr)
            | ast::CallArg::Kwarg(_, expr)
            | ast::CallArg::PosSplat(expr)
            | ast::CallArg::KwargSplat(expr) => self.expression(expr),
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
    fn of(bytes: u64) -> Self {
        Self { bytes, loops: None }
    }
}

/// Returns a variable's name.
fn named<'a>(expr: &ast::Expr<'a>) -> Option<&'a str> {
    match expr {
        ast::Expr::Var(var) => Some(var.id),
        _ => None,
    }
}

/// Returns a number that stands in the template.
fn whole(expr: &ast::Expr<'_>) -> Option<u64> {
    match expr {
        ast::Expr::Const(constant) => u64::try_from(constant.value.as_i64()?).ok(),
        _ => None,
    }
}
