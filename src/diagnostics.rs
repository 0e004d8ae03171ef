//! Messages in the form of rustc's: level, file:line:column, the source line, a caret, a note, a help.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet, renderer::DecorStyle};
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use ptx_parser::{Located, Position};

/// The severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

/// A message about a place in a file, or about no place.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    pub(crate) severity: Severity,
    pub(crate) title: String,
    pub(crate) place: Option<Place>,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Option<String>,
}

/// A position in a file, with the line that is shown there.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) position: Position,
    /// The text of the line, where it is known.
    pub(crate) text: Option<String>,
}

impl Place {
    /// Returns a file as a whole.
    pub(crate) fn file(name: &str) -> Place {
        Place { file: name.to_owned(), position: Position::UNKNOWN, text: None }
    }

    /// Returns a position in a file, whose text is read for it, if that can be done.
    pub(crate) fn read(file: &str, position: Position) -> Place {
        match std::fs::read_to_string(file) {
            Ok(text) => Place::in_text(file, &text, position),
            Err(_) => Place { position, ..Place::file(file) },
        }
    }

    /// Returns a position in a text that is at hand. Where a `#line` says what lines are called, no text is shown.
    pub(crate) fn in_text(file: &str, text: &str, position: Position) -> Place {
        let index = (position.line as usize).checked_sub(1);
        let line = index.and_then(|index| text.lines().nth(index)).filter(|_| !renumbers(text));
        Place::in_line(file, line, position)
    }

    /// Returns a position in a line that is at hand.
    pub(crate) fn in_line(file: &str, line_text: Option<&str>, position: Position) -> Place {
        // Lines of generated files can be as long as the file; nobody reads them on a terminal.
        const LONGEST: usize = 500;
        let text = line_text.map(|line| line.trim_end_matches('\r')).filter(|line| line.len() <= LONGEST);
        let text = text.map(str::to_owned);
        Place { file: file.to_owned(), position, text }
    }
}

/// Colours what is written to a stream if the user or the stream wants colours: `--color`, or else `NO_COLOR`, `CLICOLOR_FORCE` and `TERM`.
fn renderer(stream: &impl RawStream) -> Renderer {
    let plain = AutoStream::choice(stream) == ColorChoice::Never;
    let renderer = if plain { Renderer::plain() } else { Renderer::styled() };
    renderer.decor_style(DecorStyle::Ascii)
}

/// Returns true if a text says what its lines are called.
fn renumbers(text: &str) -> bool {
    text.lines().filter_map(|line| line.trim_start().strip_prefix('#')).any(|line| {
        let rest = line.trim_start().strip_prefix("line");
        rest.is_some_and(|rest| rest.starts_with([' ', '\t']))
    })
}

impl Diagnostic {
    pub(crate) fn error(title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, title: title.into(), place: None, notes: Vec::new(), help: None }
    }

    /// An error in a text that is at hand.
    pub(crate) fn located(file: &str, text: &str, error: &impl Located) -> Diagnostic {
        let place = error.position().map_or_else(|| Place::file(file), |at| Place::in_text(file, text, at));
        Diagnostic { help: error.help(), ..Diagnostic::error(error.message()).at(place) }
    }

    pub(crate) fn warning(title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(title) }
    }

    /// A message that is a note by itself; [`Diagnostic::note`] adds one to another message.
    pub(crate) fn remark(title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Note, ..Diagnostic::error(title) }
    }

    pub(crate) fn at(mut self, place: Place) -> Diagnostic {
        self.place = Some(place);
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into()).filter(|help| !help.is_empty());
        self
    }

    /// The message as it is written to standard output.
    pub(crate) fn text(&self) -> String {
        self.render(&renderer(&std::io::stdout()))
    }

    /// Writes the message to standard error.
    pub(crate) fn print(&self) {
        crate::output::stderr_line(&format!("{}\n", self.render(&renderer(&std::io::stderr()))));
    }

    fn render(&self, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(self.title.as_str());
        let mut footers: Vec<Element<'_>> =
            self.notes.iter().map(|note| Level::NOTE.message(note.as_str()).into()).collect();
        footers.extend(self.help.iter().map(|help| Element::from(Level::HELP.message(help.as_str()))));
        match &self.place {
            Some(Place { file, position, text: Some(text) }) => {
                let span = caret(text, position.column as usize);
                let snippet = Snippet::source(text.as_str())
                    .line_start(position.line as usize)
                    .path(file.as_str())
                    .annotation(AnnotationKind::Primary.span(span));
                renderer.render(&[title.element(snippet).elements(footers)])
            }
            Some(Place { file, position, .. }) => {
                let place = match (position.line, position.column) {
                    (0, _) => file.clone(),
                    (line, 0) => format!("{file}:{line}"),
                    _ => format!("{file}:{position}"),
                };
                let mut rendered = renderer.render(&[Group::with_title(title)]);
                rendered += &format!("\n --> {place}");
                self.add_footers(rendered)
            }
            None => {
                let rendered = renderer.render(&[Group::with_title(title)]);
                self.add_footers(rendered)
            }
        }
    }

    fn add_footers(&self, mut rendered: String) -> String {
        for note in &self.notes {
            rendered += &format!("\n  = note: {note}");
        }
        if let Some(help) = &self.help {
            rendered += &format!("\n  = help: {help}");
        }
        rendered
    }
}

/// The bytes of a line that a caret underlines: the word at the column, or the line's text where there is no column.
fn caret(text: &str, column: usize) -> std::ops::Range<usize> {
    let Some(skip) = column.checked_sub(1) else {
        let start = text.len() - text.trim_start().len();
        return start..text.trim_end().len().max(start);
    };
    let start = text.char_indices().nth(skip).map_or(text.len(), |(index, _)| index);
    let word = text[start..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '%' | '#' | '.')));
    let end = match word {
        Some(0) => start + text[start..].chars().next().map_or(0, char::len_utf8),
        Some(length) => start + length,
        None => text.len(),
    };
    start..end
}
