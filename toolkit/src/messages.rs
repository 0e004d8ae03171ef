//! Parses what nvcc, its front end, the host preprocessor and ptxas print into [`Message`]s.
//!
//! Five shapes of headline, told apart by one regular expression each:
//!
//! ```text
//! cudafe++   k.cu(3): warning #177-D: text        a source line and a caret line may follow, or indented detail
//! gcc        k.cu:1:10: fatal error: text         `    1 | source` and `      |   ^~~` follow
//! nvcc/ptxas ptxas k.ptx, line 12; error   : text  the file part is optional
//! a program  cc1plus: fatal error: text           the program may be `<command-line>`
//! cudafe++   At end of source: error: text        no line
//! ```
//!
//! Indented lines after a headline belong to it. What fits no shape becomes an information message, so nothing that a
//! tool said is lost; only its closing counts ("3 errors detected …") are dropped, since they repeat the messages.

use std::fmt;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Notes, remarks, and what `ptxas -v` reports.
    Info,
    /// The tool went on.
    Warning,
    /// The tool gave up. `fatal error` and `catastrophic error` count as this.
    Error,
}

/// One thing that a tool said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Error, warning or information.
    pub level: Level,
    /// The file it is about, named as the user named it.
    pub file: Option<String>,
    /// Line in that file, counting from 1.
    pub line: Option<u32>,
    /// Column in that line in characters, counting from 1, where it could be established against the user's text.
    pub column: Option<u32>,
    /// The headline, then one line for each line of detail (candidate functions, instantiation contexts, include chain).
    pub text: String,
    /// The tool's own number for it: `177-D`, `-Wcpp`, `C7510`.
    pub code: Option<String>,
    /// The source line as cudafe++ showed it: preprocessed, so macros are expanded and comments gone.
    pub excerpt: Option<String>,
}

impl Message {
    /// A message with no position.
    pub(crate) fn plain(level: Level, text: &str) -> Message {
        Message {
            level,
            file: None,
            line: None,
            column: None,
            text: text.trim_end().to_owned(),
            code: None,
            excerpt: None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "note",
        })
    }
}

/// `file:line:column: level[code]: text`, without the parts that are not known.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            for number in [self.line, self.column].into_iter().flatten() {
                write!(f, "{number}:")?;
            }
            write!(f, " ")?;
        }
        write!(f, "{}", self.level)?;
        if let Some(code) = &self.code {
            write!(f, "[{code}]")?;
        }
        write!(f, ": {}", self.text)
    }
}

/// Every message in the output of one run, in order.
pub(crate) fn parse(output: &str) -> Vec<Message> {
    let mut parser = Parser::default();
    for line in output.lines() {
        parser.line(&printable(line));
    }
    // A chain that no message followed is still something the tool said.
    let chain = std::mem::take(&mut parser.included_from);
    parser.done.extend(chain.iter().map(|line| Message::plain(Level::Info, line)));
    parser.done
}

/// The state between two lines. A caret that cudafe++ printed counts characters of its excerpt, not of the user's line;
/// it travels in `column` until `columns` has checked it against the text that the user wrote.
#[derive(Default)]
struct Parser {
    done: Vec<Message>,
    /// `In file included from …` lines, which come ahead of the message they belong to.
    included_from: Vec<String>,
    /// True if an indented line still belongs to the last message.
    open: bool,
    /// The last continuation line: it is the excerpt if a caret line follows.
    previous: Option<String>,
}

impl Parser {
    fn line(&mut self, line: &str) {
        let previous = self.previous.take();
        if let Some(message) = headline(line) {
            self.done.push(message);
            self.open = true;
            self.take_include_chain();
        } else if line.trim().is_empty() {
            self.open = false;
        } else if line.starts_with("In file included from ") || !self.included_from.is_empty() {
            self.included_from.push(line.trim().to_owned());
        } else if self.open && line.starts_with(char::is_whitespace) {
            self.continuation(line, previous);
        } else if !is_closing_count(line) {
            self.done.push(Message::plain(Level::Info, line));
            self.open = true;
        }
    }

    /// The chain says how the file was reached, so it follows the headline as detail.
    fn take_include_chain(&mut self) {
        let chain = std::mem::take(&mut self.included_from);
        if let Some(message) = self.done.last_mut() {
            for line in chain {
                message.text.push('\n');
                message.text.push_str(&line);
            }
        }
    }

    fn continuation(&mut self, line: &str, previous: Option<String>) {
        let Some(message) = self.done.last_mut() else { return };
        if GCC_EXCERPT.is_match(line) {
            // The host preprocessor reads this line from the file that `#line` names, which need not be what was
            // compiled; its headline has the column already.
            return;
        }
        if is_caret(line) {
            let excerpt = previous.unwrap_or_default();
            let caret = line.chars().take_while(|c| *c != '^').count().saturating_sub(GUTTER);
            message.column = u32::try_from(caret + 1).ok();
            if message.text.ends_with(&excerpt) {
                let kept = message.text.len() - excerpt.len();
                message.text.truncate(kept);
                message.text.truncate(message.text.trim_end().len());
            }
            message.excerpt = Some(excerpt.chars().skip(GUTTER).collect());
            return;
        }
        message.text.push('\n');
        message.text.push_str(line);
        self.previous = Some(line.to_owned());
    }
}

/// cudafe++ indents the source line that it shows by this many blanks.
const GUTTER: usize = 2;

fn is_caret(line: &str) -> bool {
    line.contains('^') && line.chars().all(|c| c.is_whitespace() || c == '^' || c == '~')
}

/// Terminal control sequences in a source line must not reach the user's terminal through a message.
fn printable(line: &str) -> String {
    line.trim_end_matches('\r').chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant that the tests compile")
}

static CUDAFE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?P<file>\S.*?)\((?P<line>\d+)\)\s?: (?P<level>(?:catastrophic |fatal |internal )?error|warning|remark|note|advisory)(?: #(?P<code>\d+(?:-D)?))?\s*: (?P<text>.*)$",
    )
});
static GCC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?P<file>\S.*?):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<level>fatal error|error|warning|note): (?P<text>.*?)(?: \[(?P<code>-W[^\]]+)\])?$",
    )
});
static DRIVER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:nvcc|ptxas|nvlink|fatbinary|cicc|cudafe\+\+) (?:(?P<file>\S.*?), line (?P<line>\d+); )?(?P<level>fatal|error|warning|info)\s*: (?:\((?P<code>C\d+)\) )?(?P<text>.*)$",
    )
});
static PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:(?P<file><command-line>)|[\w./+-]+): (?P<level>fatal error|error|warning): (?P<text>.*)$")
});
static END_OF_SOURCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^At end of source: (?P<level>(?:catastrophic |fatal )?error|warning)(?: #\d+(?:-D)?)?: (?P<text>.*)$")
});
static GCC_EXCERPT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ *\d* \|"));
static CLOSING_COUNT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(\d+ (errors?|warnings?|catastrophic errors?).* detected in the compilation of |Error limit reached\.$|[Cc]ompilation terminated\.$|Remark: The warnings can be suppressed with )"#,
    )
});

fn is_closing_count(line: &str) -> bool {
    CLOSING_COUNT.is_match(line)
}

fn headline(line: &str) -> Option<Message> {
    if let Some(found) = END_OF_SOURCE.captures(line) {
        return Some(Message::plain(level(&found["level"]), &format!("{} at the end of the source", &found["text"])));
    }
    let shapes = [&*DRIVER, &*CUDAFE, &*GCC, &*PROGRAM];
    let found = shapes.iter().find_map(|shape| shape.captures(line))?;
    let mut message = Message::plain(level(&found["level"]), &found["text"]);
    message.file = part(&found, "file");
    message.line = part(&found, "line").and_then(|n| n.parse().ok());
    message.column = part(&found, "column").and_then(|n| n.parse().ok());
    message.code = part(&found, "code");
    Some(message)
}

fn part(found: &Captures<'_>, name: &str) -> Option<String> {
    found.name(name).map(|m| m.as_str().to_owned())
}

fn level(word: &str) -> Level {
    let word = word.to_ascii_lowercase();
    match word.as_str() {
        "warning" => Level::Warning,
        "info" | "remark" | "note" | "advisory" => Level::Info,
        _ => Level::Error,
    }
}

#[cfg(test)]
#[path = "messages_tests.rs"]
mod tests;
