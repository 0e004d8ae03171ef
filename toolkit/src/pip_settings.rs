//! The settings that decide where pip looks for packages: its variables, and its configuration files as it lists them.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::probe::on_path;

/// Variables of a process.
pub(crate) type Variables = HashMap<String, String>;

/// Words of which a configuration file holds one if it changes where pip looks.
const WORDS: [&str; 3] = ["index", "find-links", "proxy"];

/// Settings by section and name, as in `global.index-url`. Variables are in the section `:env:`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings(HashMap<String, String>);

impl Settings {
    /// Reads the variables `PIP_…`.
    pub(crate) fn from_variables(variables: &Variables) -> Settings {
        let named = variables.iter().filter_map(|(name, value)| Some((name.strip_prefix("PIP_")?, value)));
        let key = |name: &str| format!(":env:.{}", name.to_lowercase().replace('_', "-"));
        Settings(named.map(|(name, value)| (key(name), value.clone())).collect())
    }

    /// Reads the output of `pip config list`: a line for each setting, as in `global.index-url='https://…'`. The value
    /// is a string of Python. Returns `None` for output of another form.
    pub(crate) fn from_list(output: &str) -> Option<Settings> {
        let setting = |line: &str| {
            let (key, value) = line.split_once('=')?;
            Some((key.to_owned(), python_string(value)?))
        };
        output.lines().map(str::trim).filter(|line| !line.is_empty()).map(setting).collect::<Option<_>>().map(Settings)
    }

    /// Returns a setting of `pip install`: a variable goes before the section of the command, and that before `global`.
    /// pip ignores empty values.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let values = [":env:", "install", "global"].into_iter().filter_map(|section| {
            let value = self.0.get(&format!("{section}.{name}"))?.trim();
            (!value.is_empty()).then_some(value)
        });
        values.into_iter().next()
    }
}

/// Reads a string literal as Python's `repr` writes it; `None` for escapes that no path and no URL needs.
fn python_string(literal: &str) -> Option<String> {
    let quote = literal.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut text = String::new();
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        text.push(match char {
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                escaped @ ('\\' | '\'' | '"') => escaped,
                _ => return None,
            },
            char => char,
        });
    }
    Some(text)
}

/// Lists the files that pip may read its configuration from. Only pip knows them all: the folder of a Python that starts
/// through a script is not found here.
pub(crate) fn configuration_files(variables: &Variables) -> Vec<PathBuf> {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let folder = |name: &str| set(name).map(PathBuf::from);
    let mut files: Vec<PathBuf> = folder("PIP_CONFIG_FILE").into_iter().collect();
    let shared = set("XDG_CONFIG_DIRS").map_or("/etc/xdg", String::as_str);
    files.extend(std::env::split_paths(shared).map(|dir| dir.join("pip/pip.conf")));
    files.push(PathBuf::from("/etc/pip.conf"));
    let home = folder("HOME");
    files.extend(home.iter().map(|home| home.join(".pip/pip.conf")));
    let own = folder("XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config")));
    files.extend(own.map(|dir| dir.join("pip/pip.conf")));
    files.extend(["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(folder).map(|dir| dir.join("pip.conf")));
    let python = set("PATH").and_then(|path| on_path("python3", Some(path.as_ref())).next());
    let real = python.as_ref().and_then(|python| fs::canonicalize(python).ok());
    let prefixes =
        [python, real].into_iter().flatten().filter_map(|python| Some(python.parent()?.parent()?.to_owned()));
    files.extend(prefixes.map(|prefix| prefix.join("pip.conf")));
    files
}

/// Returns true if no file can change where pip looks, so that the variables say it all.
pub(crate) fn variables_decide(files: &[PathBuf]) -> bool {
    let silent = |file: &Path| match fs::read_to_string(file) {
        Ok(text) => !WORDS.iter().any(|word| text.to_lowercase().replace('_', "-").contains(word)),
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    };
    files.iter().all(|file| silent(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_goes_before_the_commands_section_and_that_before_global() {
        let list = "global.index-url='https://g/simple'\ninstall.index-url='https://i/simple'\n\
                    :env:.index-url='https://e/simple'\nglobal.proxy='p:1'\n:env:.proxy=''\ndownload.no-index='1'\n";
        let settings = Settings::from_list(list).unwrap();
        assert_eq!(settings.get("index-url"), Some("https://e/simple"));
        assert_eq!((settings.get("proxy"), settings.get("no-index")), (Some("p:1"), None));
        let list = list.lines().filter(|line| !line.starts_with(":env:")).collect::<Vec<_>>().join("\n");
        assert_eq!(Settings::from_list(&list).unwrap().get("index-url"), Some("https://i/simple"));
        assert_eq!(Settings::from_list("\n"), Some(Settings::default()));
    }

    #[test]
    fn values_are_strings_of_python() {
        let list = r#"global.find-links='\n/a b\nhttps://x/?q=1'
global.proxy="it's"
global.trusted-host='a\\b\'c'"#;
        let settings = Settings::from_list(list).unwrap();
        assert_eq!(settings.get("find-links"), Some("/a b\nhttps://x/?q=1"));
        assert_eq!((settings.get("proxy"), settings.get("trusted-host")), (Some("it's"), Some("a\\b'c")));
        for other in ["no setting", "global.x=1", r"global.x='\x41'", "global.x='", "global.x='a\""] {
            assert_eq!(Settings::from_list(other), None, "{other}");
        }
    }

    #[test]
    fn variables_are_named_as_pip_names_them() {
        let variables = [("PIP_INDEX_URL", "https://e/"), ("PIP_NO_INDEX", ""), ("INDEX_URL", "x")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let settings = Settings::from_variables(&variables);
        assert_eq!((settings.get("index-url"), settings.get("no-index")), (Some("https://e/"), None));
    }

    #[test]
    fn a_file_that_may_change_the_index_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let variables =
            Variables::from([("HOME".to_owned(), home.display().to_string()), ("PATH".to_owned(), String::new())]);
        let files: Vec<PathBuf> = configuration_files(&variables);
        let own: Vec<PathBuf> = files.into_iter().filter(|file| file.starts_with(&home)).collect();
        assert_eq!(own, [home.join(".pip/pip.conf"), home.join(".config/pip/pip.conf")]);
        assert!(variables_decide(&own));
        fs::create_dir_all(own[1].parent().unwrap()).unwrap();
        fs::write(&own[1], "[global]\ntimeout = 60\ncert = /c\n").unwrap();
        assert!(variables_decide(&own));
        for line in
            ["index-url = https://x", "EXTRA_INDEX_URL = x", "find-links = /w", "FIND_LINKS = /w", "proxy = p:1"]
        {
            fs::write(&own[1], format!("[install]\n{line}\n")).unwrap();
            assert!(!variables_decide(&own), "{line}");
        }
        // One that cannot be read is pip's to read.
        assert!(!variables_decide(&[dir.path().to_owned()]));
    }
}
