//! Position of a line in a page of items, which are laid out only where somebody looks. Pure.

/// A line: its item, and which of the item's lines it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct LinePosition {
    pub item: usize,
    pub line: usize,
}

impl LinePosition {
    /// The first line of an item.
    pub fn start_of_item(item: usize) -> Self {
        Self { item, line: 0 }
    }

    /// Returns the position a number of lines before; `lines_of` counts the lines of an item.
    pub fn step_back(mut self, lines: usize, mut lines_of: impl FnMut(usize) -> usize) -> Self {
        let mut remaining = lines;
        loop {
            let here = self.line.min(remaining);
            self.line -= here;
            remaining -= here;
            if remaining == 0 || self.item == 0 {
                return self;
            }
            self.item -= 1;
            self.line = lines_of(self.item);
        }
    }

    /// Returns the position a number of lines after, at most behind the last of `count` items.
    pub fn step_forward(
        mut self,
        lines: usize,
        count: usize,
        mut lines_of: impl FnMut(usize) -> usize,
    ) -> Self {
        let mut remaining = lines;
        while remaining > 0 && self.item < count {
            let rest = lines_of(self.item).saturating_sub(self.line);
            if rest > remaining {
                self.line += remaining;
                break;
            }
            remaining -= rest;
            self = Self::start_of_item(self.item + 1);
        }
        self
    }

    /// Returns the last item of which a line is in sight, where this position is at the top.
    pub fn last_visible_item(
        self,
        height: usize,
        count: usize,
        mut lines_of: impl FnMut(usize) -> usize,
    ) -> usize {
        let mut room = height + self.line;
        for item in self.item..count {
            let lines = lines_of(item);
            if lines >= room {
                return item;
            }
            room -= lines;
        }
        count.saturating_sub(1)
    }
}
