//! Pane of a transcript: blocks, scroll position, and wrapped lines.
//!
//! Only what is on the screen is wrapped. A place is a block and a line in it, so a transcript of
//! five thousand turns costs what a short one costs.

use super::stream::Streams;
use crate::tui::widgets::{LinePosition, Paragraph, StyledLine, WrappedText};
use elenchus_game::debate::{State, StepId};
use elenchus_view::debate_text::{
    Block, BlockOptions, DebateText, Extent, Headings, Notes, RepeatedTexts,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Wrapped blocks that a pane keeps; beyond this it forgets them all and wraps again what it needs.
const MAX_WRAPPED: usize = 256;

/// A pane's blocks and place.
#[derive(Debug, Default)]
pub(super) struct Scroll {
    blocks: Vec<Block>,
    headings: Headings,
    top: LinePosition,
    /// Block to bring to the top once the pane has a size.
    target_block: Option<usize>,
    /// The call whose words are shown as they come, where several speak at once: text that grows in the
    /// middle of a page would have all below it sent again with every line.
    lead: Option<StepId>,
    /// Keeps arriving text in view.
    follow: bool,
    wrapped: HashMap<Block, WrappedText>,
    /// Blank lines after blocks, by their places: with them rounds begin in one line with those of other panes.
    padding: HashMap<usize, usize>,
    width: usize,
    height: usize,
}

/// Content that the lines of all panes are made of.
pub(super) struct LineSource {
    pub state: Arc<State>,
    pub show: BlockOptions,
    pub streams: Streams,
    pub repeated_texts: RepeatedTexts,
    pub notes: Notes,
    /// The key that asks failed steps again, as it is spelled.
    pub retry: String,
}

impl LineSource {
    /// Writes a block down. What is coming has its text elsewhere.
    fn write_block(&self, block: &Block, headings: Headings) -> Vec<Paragraph> {
        let Some(creation) = self.state.first_event() else {
            return Vec::new();
        };
        let text = DebateText {
            state: &self.state,
            created: creation,
            repeated_texts: &self.repeated_texts,
            notes: &self.notes,
            show: self.show,
            headings,
            extent: Extent::Screen,
            retry: &self.retry,
            reveal: "",
        };
        text.describe_block(block)
    }
}

impl Scroll {
    /// A pane that follows what arrives.
    pub fn new_following(headings: Headings) -> Self {
        Self {
            headings,
            follow: true,
            ..Self::default()
        }
    }

    /// Takes the blocks that there are now; the place stays at the block it was at.
    pub(super) fn set_blocks(&mut self, blocks: Vec<Block>) {
        let at = self.blocks.get(self.top.item).cloned();
        let index = at.and_then(|block| blocks.iter().position(|one| *one == block));
        match index {
            Some(block) => {
                let is_new = |before: &Block| {
                    matches!(before, Block::Stopped(_)) && !self.blocks.contains(before)
                };
                let before = block.checked_sub(1).filter(|_| self.top.line == 0);
                // A stopped reply comes into sight above the turn that is open again.
                let new = before.filter(|before| blocks.get(*before).is_some_and(is_new));
                self.top.item = new.unwrap_or(block);
            }
            None => self.top.item = self.top.item.min(blocks.len().saturating_sub(1)),
        }
        self.blocks = blocks;
    }

    /// Forgets how blocks were wrapped: all of them.
    pub fn forget_wrapping(&mut self) {
        self.wrapped.clear();
    }

    /// Forgets how blocks were wrapped that fit.
    pub(super) fn forget_blocks(&mut self, stale: impl Fn(&Block) -> bool) {
        self.wrapped.retain(|block, _| !stale(block));
    }

    /// Returns the blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Says whether what arrives stays in sight.
    pub fn is_following(&self) -> bool {
        self.follow
    }

    /// Takes the size of the pane; another width wraps again.
    pub fn set_size(&mut self, width: usize, height: usize) {
        if self.width != width {
            self.wrapped.clear();
        }
        (self.width, self.height) = (width, height);
    }

    /// Brings what is to be seen into sight, now that the pane has a size.
    fn show_target(&mut self, source: &LineSource) {
        if self.height > 0
            && let Some(block) = self.target_block.take()
        {
            self.show_block(block, source);
        }
    }

    fn shows_words_of(&self, step: &StepId) -> bool {
        match self.headings {
            Headings::OfOneSpeaker => true,
            Headings::OfAll => self.lead.as_ref() == Some(step),
        }
    }

    fn count_lines(&mut self, block: usize, source: &LineSource) -> usize {
        let padding = self.padding.get(&block).copied().unwrap_or(0);
        self.count_own_lines(block, source) + padding
    }

    fn count_own_lines(&mut self, block: usize, source: &LineSource) -> usize {
        let Some(name) = self.blocks.get(block) else {
            return 0;
        };
        if let Some((step, _)) = name.coming_step() {
            return match self.shows_words_of(step) {
                true => source.streams.count_lines(step, self.width),
                false => 1,
            };
        }
        if let Some(lines) = self.wrapped.get(name) {
            return lines.len();
        }
        if self.wrapped.len() >= MAX_WRAPPED {
            self.wrapped.clear();
        }
        let lines =
            WrappedText::from_paragraphs(&source.write_block(name, self.headings), self.width);
        let count = lines.len();
        self.wrapped.insert(name.clone(), lines);
        count
    }

    fn line_at(&self, place: LinePosition, source: &LineSource) -> Option<StyledLine> {
        let name = self.blocks.get(place.item)?;
        if let Some((step, turn)) = name.coming_step() {
            let speaker = self.headings.speaker_name(&source.state, turn);
            return source
                .streams
                .line_at(step, turn, speaker, place.line, self.width);
        }
        self.wrapped.get(name)?.line_at(place.line)
    }

    /// Scrolls by lines: down, or up where negative. Scrolling up ends following, reaching the end
    /// begins it.
    pub fn scroll_lines(&mut self, lines: isize, source: &LineSource) {
        let (top, by) = (self.top, lines.unsigned_abs());
        if lines < 0 {
            self.follow = false;
            self.top = top.step_back(by, |block| self.count_lines(block, source));
            return;
        }
        let below = top.step_forward(by, self.blocks.len(), |block| {
            self.count_lines(block, source)
        });
        let end = self.position_before_end(self.height, source);
        self.follow |= below >= end;
        self.top = below.min(end);
    }

    /// Returns the position that is `lines` before the end.
    fn position_before_end(&mut self, lines: usize, source: &LineSource) -> LinePosition {
        let end = LinePosition::start_of_item(self.blocks.len());
        end.step_back(lines, |block| self.count_lines(block, source))
    }

    /// Returns how many lines each round has, without the blank ones between rounds.
    pub(super) fn count_round_lines(&mut self, source: &LineSource) -> BTreeMap<u32, usize> {
        let mut lines_by_round = BTreeMap::new();
        for block in 0..self.blocks.len() {
            let lines = self.count_own_lines(block, source);
            if let Some(round) = self.round_of(block) {
                *lines_by_round.entry(round).or_default() += lines;
            }
        }
        lines_by_round
    }

    fn round_of(&self, block: usize) -> Option<u32> {
        Some(self.blocks.get(block)?.turn()?.round)
    }

    /// Fills rounds up to these heights with blank lines; rounds that are not named stay as high as they are.
    pub(super) fn fill_rounds(&mut self, heights: &BTreeMap<u32, usize>, source: &LineSource) {
        self.padding.clear();
        let own = self.count_round_lines(source);
        for (round, height) in heights {
            let missing = height.saturating_sub(own.get(round).copied().unwrap_or(0));
            // What a pane lacks altogether stands blank below the round before.
            let up_to = |block: &usize| self.round_of(*block).is_some_and(|of| of <= *round);
            if let Some(last) = (0..self.blocks.len()).rev().find(up_to) {
                *self.padding.entry(last).or_default() += missing;
            }
        }
    }

    /// Takes the blank lines away that rounds were filled up with. Wraps nothing: a long pane has thousands of blocks.
    pub(super) fn clear_padding(&mut self) {
        self.padding.clear();
    }

    /// Returns how many lines it has, with blank ones between rounds.
    pub(super) fn count_all_lines(&mut self, source: &LineSource) -> usize {
        let blocks = 0..self.blocks.len();
        blocks.map(|block| self.count_lines(block, source)).sum()
    }

    /// Returns the number of the first line in sight.
    pub(super) fn top_line(&mut self, source: &LineSource) -> usize {
        let before: usize = (0..self.top.item)
            .map(|block| self.count_lines(block, source))
            .sum();
        before + self.top.line
    }

    /// Brings a line to the top, beside another pane in which it is there: as it is where `heads_up_to` is the
    /// last line at which a round begins, else no further than to the end.
    pub(super) fn go_to_line(&mut self, line: usize, heads_up_to: usize, source: &LineSource) {
        let count = self.blocks.len();
        let place = LinePosition::default()
            .step_forward(line, count, |block| self.count_lines(block, source));
        let end = self.position_before_end(self.height, source);
        self.top = match line <= heads_up_to {
            true => place,
            false => place.min(end),
        };
        // A short pane is at its end wherever the row is.
        self.follow = self.top >= end;
    }

    /// Says whether a reply comes in it.
    pub(super) fn is_streaming(&self) -> bool {
        self.lead.is_some()
    }

    /// Returns half of the pane's height, in lines.
    pub fn half_page(&self) -> isize {
        isize::try_from(self.height / 2).unwrap_or(1).max(1)
    }

    /// Goes to the beginning.
    pub fn go_to_top(&mut self) {
        self.follow = false;
        self.target_block = None;
        self.top = LinePosition::default();
    }

    /// Goes to the end and stays there.
    pub fn go_to_bottom(&mut self, source: &LineSource) {
        self.follow = true;
        self.target_block = None;
        // Of a pane that was never drawn the end is found when it is.
        if self.height > 0 {
            self.top = self.position_before_end(self.height, source);
        }
    }

    /// Brings a block to the top.
    pub fn show_block(&mut self, block: usize, source: &LineSource) {
        if self.height == 0 {
            self.target_block = Some(block);
            self.follow = false;
            return;
        }
        let place = LinePosition::start_of_item(block.min(self.blocks.len().saturating_sub(1)));
        let end = self.position_before_end(self.height, source);
        self.top = place.min(end);
        self.follow = self.top >= end;
    }

    /// Brings a line of a block into sight.
    pub(super) fn show_line(&mut self, block: usize, line: usize, source: &LineSource) {
        self.follow = false;
        let place = LinePosition { item: block, line };
        self.top = place.step_back(self.height / 3, |block| self.count_lines(block, source));
    }

    /// Returns the first block whose heading is in sight, else the block that fills the pane.
    pub(super) fn first_visible_block(&mut self, source: &LineSource) -> Option<usize> {
        if self.blocks.is_empty() {
            return None;
        }
        if self.top.line == 0 {
            return Some(self.top.item);
        }
        let left = self
            .count_lines(self.top.item, source)
            .saturating_sub(self.top.line);
        let next = self.top.item + 1;
        if left < self.height && next < self.blocks.len() {
            Some(next)
        } else {
            Some(self.top.item)
        }
    }

    /// Brings the place up to date before drawing: where it follows, it jumps by a third of the
    /// pane when the end leaves it, for scrolling line by line is what costs bytes on a slow link.
    pub fn update_top(&mut self, source: &LineSource) {
        let mut coming = self.blocks.iter().filter_map(Block::coming_step);
        let live = coming.find(|(step, _)| source.streams.is_live(step));
        self.lead = live.map(|(step, _)| step.clone());
        self.show_target(source);
        if !self.follow || self.height == 0 {
            return;
        }
        let streaming = self.lead.is_some();
        let end = self.position_before_end(self.height, source);
        if self.top < end {
            let keep = if streaming {
                self.height - self.height / 3
            } else {
                self.height
            };
            self.top = self.position_before_end(keep.max(1), source);
        } else if !streaming {
            self.top = end;
        }
    }

    /// Hands every line in sight to `draw`, from the top, with the block that it belongs to and which
    /// of its lines it is.
    pub(super) fn each_visible(
        &mut self,
        source: &LineSource,
        mut draw: impl FnMut(&Block, usize, &StyledLine),
    ) {
        let mut room = self.height;
        let mut from = self.top.line;
        for block in self.top.item..self.blocks.len() {
            if room == 0 {
                return;
            }
            let count = self.count_lines(block, source);
            let Some(name) = self.blocks.get(block) else {
                return;
            };
            let to = count.min(from + room);
            room -= to.saturating_sub(from);
            let own = count - self.padding.get(&block).copied().unwrap_or(0);
            let here = from.min(own)..to.min(own);
            let blank = to.saturating_sub(from) - here.len();
            if let Some((step, turn)) = name.coming_step() {
                let speaker = self.headings.speaker_name(&source.state, turn);
                for at in here {
                    let speaker = speaker.clone();
                    if let Some(line) = source.streams.line_at(step, turn, speaker, at, self.width)
                    {
                        draw(name, at, &line);
                    }
                }
            } else {
                let lines = self.wrapped.get(name);
                let lines = lines.into_iter().flat_map(|lines| lines.lines_from(from));
                for (at, line) in here.zip(lines) {
                    draw(name, at, &line);
                }
            }
            for _ in 0..blank {
                draw(name, own, &StyledLine::default());
            }
            from = 0;
        }
    }

    /// Returns the blocks in sight.
    pub(super) fn visible_blocks(&mut self, source: &LineSource) -> &[Block] {
        let (top, height, count) = (self.top, self.height, self.blocks.len());
        let last = top.last_visible_item(height, count, |block| self.count_lines(block, source));
        self.blocks.get(top.item..=last).unwrap_or_default()
    }

    /// Returns the next occurrence of a text, from a block and line on: every line of every block
    /// is searched at once. Case does not matter.
    pub fn find_text(&mut self, text: &str, source: &LineSource) -> Vec<(usize, usize)> {
        let query = text.to_lowercase();
        let mut hits = Vec::new();
        for block in 0..self.blocks.len() {
            let count = self.count_lines(block, source);
            for line in 0..count {
                let place = LinePosition { item: block, line };
                let Some(line_text) = self.line_at(place, source).map(|line| line.text()) else {
                    continue;
                };
                if line_text.to_lowercase().contains(&query) {
                    hits.push((block, line));
                }
            }
        }
        hits
    }
}
