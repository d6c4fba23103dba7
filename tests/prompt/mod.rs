//! Templates that would outgrow memory, time or the stack.

mod template_bounds;
