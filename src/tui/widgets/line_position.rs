//! Position of a line in a page of items, which are laid out only where somebody looks. Pure.

/// A line: its item, and which of the item's lines it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct LinePosition {
    pub item: usize,
    pub line: usize,
}

impl LinePosition {
    /// The first line of an item.
    pub fn of_item(item: usize) -> Self {
        Self { item, line: 0 }
    }

    /// Returns the position a number of lines before; `lines_of` counts the lines of an item.
    pub fn before(mut self, lines: usize, mut lines_of: impl FnMut(usize) -> usize) -> Self {
        let mut left = lines;
        loop {
            let here = self.line.min(left);
            self.line -= here;
            left -= here;
            if left == 0 || self.item == 0 {
                return self;
            }
            self.item -= 1;
            self.line = lines_of(self.item);
        }
    }

    /// Returns the position a number of lines after, at most behind the last of `count` items.
    pub fn after(
        mut self,
        lines: usize,
        count: usize,
        mut lines_of: impl FnMut(usize) -> usize,
    ) -> Self {
        let mut left = lines;
        while left > 0 && self.item < count {
            let rest = lines_of(self.item).saturating_sub(self.line);
            if rest > left {
                self.line += left;
                break;
            }
            left -= rest;
            self = Self::of_item(self.item + 1);
        }
        self
    }

    /// Returns the last item of which a line is in sight, where this position is at the top.
    pub fn last_in_sight(
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn positions_count_lines_as_one_long_page_does(
            heights in prop::collection::vec(1_usize..5, 1..8),
            top in 0_usize..40, by in 0_usize..40,
        ) {
            let count = heights.len();
            let all: usize = heights.iter().sum();
            let lines_of = |item: usize| heights[item];
            let at = |line: usize| LinePosition::default().after(line, count, lines_of);
            let top = top % all;
            prop_assert_eq!(at(top).after(by, count, lines_of), at((top + by).min(all)));
            prop_assert_eq!(at(top).before(by, lines_of), at(top.saturating_sub(by)));
            let last = at(top).last_in_sight(by + 1, count, lines_of);
            prop_assert_eq!(last, at((top + by).min(all - 1)).item);
        }
    }
}
