//! Capabilities of a terminal and its link, guessed from the environment alone: the terminal itself
//! is never asked. Reads no environment; it is handed one.

/// Colours that may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Depth {
    /// 24 bits.
    TrueColour,
    /// The palette of 256: six levels a channel and 24 greys.
    Indexed256,
    /// The sixteen colours of the terminal's own palette, by name.
    Sixteen,
    /// None at all: attributes and tags carry every distinction.
    None,
}

/// Glyphs that may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GlyphSet {
    Unicode,
    Ascii,
}

/// Kind of link to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// On this machine.
    Near,
    /// Behind a network: keys may arrive in pieces.
    Far,
    /// As `--link slow` says: few bytes, few frames.
    Slow,
}

/// Looks up variables of an environment.
pub struct TerminalEnvironment<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> TerminalEnvironment<'a> {
    /// Reads variables with this function; an empty variable counts as unset.
    pub fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { lookup }
    }

    /// Returns how many colours the terminal shows: none under `NO_COLOR` or on a dumb terminal,
    /// then what `COLORTERM` and `TERM` promise.
    pub fn detect_depth(&self) -> Depth {
        let term = self.read_variable("TERM").unwrap_or_default();
        if self.read_variable("NO_COLOR").is_some() || term.is_empty() || term == "dumb" {
            return Depth::None;
        }
        if term.ends_with("-m") || term.starts_with("vt1") || term.starts_with("vt2") {
            return Depth::None;
        }
        let colorterm = self.read_variable("COLORTERM").unwrap_or_default();
        // The console of Linux takes 24 bits and shows sixteen.
        if term == "linux" {
            Depth::Sixteen
        } else if matches!(colorterm.as_str(), "truecolor" | "24bit") || term.contains("-direct") {
            Depth::TrueColour
        } else if term.contains("256color") {
            Depth::Indexed256
        } else {
            Depth::Sixteen
        }
    }

    /// Returns what the locale can draw: only ASCII unless it says UTF-8.
    pub fn detect_glyphs(&self) -> GlyphSet {
        // POSIX.1-2024 chapter 8.2: the first of these that is set decides.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"];
        let charset = locale.into_iter().find_map(|name| self.read_variable(name));
        let charset = charset.unwrap_or_default().to_ascii_lowercase();
        if charset.contains("utf-8") || charset.contains("utf8") {
            GlyphSet::Unicode
        } else {
            GlyphSet::Ascii
        }
    }

    /// Returns how far away the terminal is, as far as SSH says.
    pub fn detect_link(&self) -> Link {
        let far = ["SSH_CONNECTION", "SSH_TTY"];
        if far
            .into_iter()
            .any(|name| self.read_variable(name).is_some())
        {
            Link::Far
        } else {
            Link::Near
        }
    }

    /// Says whether a tmux is between the program and the terminal.
    pub fn is_in_tmux(&self) -> bool {
        self.read_variable("TMUX").is_some()
    }

    fn read_variable(&self, name: &str) -> Option<String> {
        (self.lookup)(name).filter(|value| !value.is_empty())
    }
}
