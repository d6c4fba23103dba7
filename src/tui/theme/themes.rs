//! Themes by name, with inheritance resolved. Touches no file.

use super::colour::Rgb;
use super::look::{Look, RoleStyle};
use super::theme_file::{RoleRule, ThemeError, ThemeFile, WrittenColor};
use elenchus_terminal::{Depth, GlyphSet};
use elenchus_text::Role;
use ratatui::style::{Color, Modifier, Style};
use std::collections::BTreeMap;

/// Theme files by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Themes {
    sources: BTreeMap<String, ThemeSource>,
}

/// Origin of a theme, and its text or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ThemeSource {
    file: String,
    text: Result<String, String>,
}

/// A theme as a picker lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeListing {
    pub name: String,
    /// Description in the file, or its fault.
    pub description: Result<String, ThemeError>,
    /// The file, as errors call it.
    pub file: String,
}

/// A theme with everything it inherits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    pub name: String,
    pub description: String,
    faces: Vec<RoleColors>,
}

/// A role's look at every depth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct RoleColors {
    fg: Option<Dye>,
    bg: Option<Dye>,
    ansi: Option<Color>,
    ansi_bg: Option<Color>,
    attr: Modifier,
    tag: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dye {
    Default,
    Exact(Rgb),
}

impl Themes {
    /// Adds a theme; one of that name that was there before is gone.
    pub fn add_theme(&mut self, name: &str, file: &str, text: Result<String, String>) {
        let source = ThemeSource {
            file: file.to_owned(),
            text,
        };
        self.sources.insert(name.to_owned(), source);
    }

    /// Returns all themes by their names.
    pub fn list_themes(&self) -> Vec<ThemeListing> {
        self.sources
            .iter()
            .map(|(name, source)| ThemeListing {
                name: name.clone(),
                description: self.resolve_theme(name).map(|theme| theme.description),
                file: source.file.clone(),
            })
            .collect()
    }

    /// Returns a theme with everything it inherits.
    ///
    /// # Errors
    /// When there is none of that name; with file and line, when it or one it inherits is wrong.
    pub fn resolve_theme(&self, name: &str) -> Result<Theme, ThemeError> {
        let chain = self.build_chain(name)?;
        let mut palette = BTreeMap::new();
        let mut rules = vec![RoleRule::default(); Role::ALL.len()];
        // What is inherited comes first, so that the heir wins.
        for sheet in chain.iter().rev() {
            palette.extend(sheet.palette.clone());
            for (role, rule) in &sheet.rules {
                if let Some(base_rule) = rules.get_mut(*role as usize) {
                    base_rule.override_with(rule);
                }
            }
        }
        let faces = rules
            .into_iter()
            .map(|rule| resolve_colors(rule, &palette))
            .collect::<Result<_, _>>()?;
        Ok(Theme {
            name: name.to_owned(),
            description: chain
                .first()
                .map(|sheet| sheet.description.clone())
                .unwrap_or_default(),
            faces,
        })
    }

    /// The theme, the one it inherits, and so on.
    fn build_chain(&self, name: &str) -> Result<Vec<ThemeFile>, ThemeError> {
        let mut chain = vec![self.parse_file(name)?];
        let mut names = vec![name.to_owned()];
        while let Some(last) = chain.last()
            && let Some(inherits) = &last.inherits
        {
            let next = inherits.name.clone();
            if names.contains(&next) {
                let why = format!("themes inherit in a circle: {} > {next}", names.join(" > "));
                return Err(last.fault_at_line(inherits.line, why));
            }
            if !self.sources.contains_key(&next) {
                let why = format!(
                    "there is no theme '{next}'; there are {}",
                    self.join_names()
                );
                return Err(last.fault_at_line(inherits.line, why));
            }
            chain.push(self.parse_file(&next)?);
            names.push(next);
        }
        Ok(chain)
    }

    fn parse_file(&self, name: &str) -> Result<ThemeFile, ThemeError> {
        let Some(source) = self.sources.get(name) else {
            return Err(ThemeError::Unknown {
                name: name.to_owned(),
                known: self.join_names(),
            });
        };
        match &source.text {
            Ok(text) => ThemeFile::parse(&source.file, text),
            Err(why) => Err(ThemeError::Unreadable {
                file: source.file.clone(),
                why: why.clone(),
            }),
        }
    }

    fn join_names(&self) -> String {
        let names: Vec<&str> = self.sources.keys().map(String::as_str).collect();
        names.join(", ")
    }
}

impl Theme {
    /// Returns the theme as a terminal of a depth can show it.
    ///
    /// `dim` and `reversed` stand in for colours: they are left out where the depth gives the role a
    /// colour of its own, or a background.
    pub fn resolve_look(&self, depth: Depth, glyphs: GlyphSet) -> Look {
        let face = |dyed: &RoleColors| RoleStyle {
            style: dyed.style_at_depth(depth),
            tag: dyed.tag.clone(),
        };
        Look {
            depth,
            glyphs,
            faces: self.faces.iter().map(face).collect(),
        }
    }
}

impl RoleRule {
    fn override_with(&mut self, heir: &RoleRule) {
        let RoleRule {
            fg,
            bg,
            ansi,
            ansi_bg,
            attr,
            tag,
        } = heir.clone();
        self.fg = fg.or(self.fg.take());
        self.bg = bg.or(self.bg.take());
        self.ansi = ansi.or(self.ansi);
        self.ansi_bg = ansi_bg.or(self.ansi_bg);
        self.attr = attr.or(self.attr);
        self.tag = tag.or(self.tag.take());
    }
}

impl RoleColors {
    fn style_at_depth(&self, depth: Depth) -> Style {
        let (fg, bg) = match depth {
            Depth::TrueColour => (
                self.fg.map(Dye::true_colour).or(self.ansi),
                self.bg.map(Dye::true_colour).or(self.ansi_bg),
            ),
            Depth::Indexed256 => (
                self.fg.map(Dye::indexed_colour).or(self.ansi),
                self.bg.map(Dye::indexed_colour).or(self.ansi_bg),
            ),
            Depth::Sixteen => (self.ansi, self.ansi_bg),
            Depth::None => (None, None),
        };
        let mut attr = self.attr;
        if fg.is_some() {
            attr.remove(Modifier::DIM);
        }
        if bg.is_some() {
            attr.remove(Modifier::REVERSED);
        }
        Style {
            fg,
            bg,
            ..Style::default()
        }
        .add_modifier(attr)
    }
}

impl Dye {
    fn true_colour(self) -> Color {
        match self {
            Dye::Default => Color::Reset,
            Dye::Exact(Rgb(red, green, blue)) => Color::Rgb(red, green, blue),
        }
    }

    fn indexed_colour(self) -> Color {
        match self {
            Dye::Default => Color::Reset,
            Dye::Exact(colour) => Color::Indexed(colour.nearest_index()),
        }
    }
}

fn resolve_colors(
    rule: RoleRule,
    palette: &BTreeMap<String, Rgb>,
) -> Result<RoleColors, ThemeError> {
    Ok(RoleColors {
        fg: rule.fg.map(|ink| resolve_color(ink, palette)).transpose()?,
        bg: rule.bg.map(|ink| resolve_color(ink, palette)).transpose()?,
        ansi: rule.ansi,
        ansi_bg: rule.ansi_bg,
        attr: rule.attr.unwrap_or_default(),
        tag: rule.tag.unwrap_or_default(),
    })
}

fn resolve_color(ink: WrittenColor, palette: &BTreeMap<String, Rgb>) -> Result<Dye, ThemeError> {
    match ink {
        WrittenColor::Default => Ok(Dye::Default),
        WrittenColor::Exact(colour) => Ok(Dye::Exact(colour)),
        WrittenColor::Named { name, file, line } => palette
            .get(&name)
            .map(|colour| Dye::Exact(*colour))
            .ok_or_else(|| {
                let names: Vec<&str> = palette.keys().map(String::as_str).collect();
                let why = format!(
                    "there is no colour '{name}'; write \"#rrggbb\", \"default\", or a name of \
                         the palette: {}",
                    names.join(", ")
                );
                ThemeError::Text { file, line, why }
            }),
    }
}
