//! Finds out quickly that pip cannot reach its package index, which pip itself retries for minutes.
//!
//! ```text
//! variables, or else `pip config list` ── Settings ── hosts ── resolve and connect, all at once ──> Error::Unreachable
//! ```
//!
//! The check only rules out a machine without a network. A fetch is tried if any host accepts a connection that pip may
//! use, and if it is not clear which hosts those are. Nothing is sent, and only hosts are shown: a URL may hold a
//! password.

use std::collections::HashMap;
use std::env;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::install::PACKAGES;
use crate::pip_settings::{Settings, Variables, configuration_files, variables_decide};

/// The index of a pip without settings.
const DEFAULT_INDEX: &str = "https://pypi.org/simple";

/// Time for a host to accept a connection.
const LIMIT: Duration = Duration::from_millis(600);

/// The same after pip was started for its settings: both together take less than a second on an ordinary machine. An
/// index of a configuration file is mostly close.
const LIMIT_AFTER_PIP: Duration = Duration::from_millis(400);

/// Values of a setting that pip takes for true.
const TRUE: [&str; 6] = ["y", "yes", "t", "true", "on", "1"];

/// A host and its port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    name: String,
    port: u16,
}

impl Host {
    /// Reads the host of a URL, with the port of its scheme if it names none; `None` if either is unknown.
    fn from_url(url: &str) -> Option<Host> {
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let (_, address) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (name, port) = match address.strip_prefix('[') {
            Some(address) => address.split_once(']')?,
            None => address.split_at(address.find(':').unwrap_or(address.len())),
        };
        let port = match port.strip_prefix(':') {
            Some(port) if !port.is_empty() => port.parse().ok()?,
            Some(_) | None if matches!(port, "" | ":") => match scheme.to_ascii_lowercase().as_str() {
                "https" => 443,
                "http" => 80,
                scheme if scheme.starts_with("socks") => 1080,
                _ => return None,
            },
            _ => return None,
        };
        let known = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
        known.then(|| Host { name: name.to_owned(), port })
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.contains(':') {
            true => write!(f, "[{}]:{}", self.name, self.port),
            false => write!(f, "{}:{}", self.name, self.port),
        }
    }
}

/// The network, which tests replace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Network {
    resolve: fn(&str, u16) -> io::Result<Vec<SocketAddr>>,
    connect: fn(&SocketAddr) -> io::Result<()>,
}

impl Network {
    const REAL: Network = Network {
        resolve: |name, port| Ok((name, port).to_socket_addrs()?.collect()),
        connect: |address| TcpStream::connect_timeout(address, LIMIT).map(drop),
    };

    /// Connects to all addresses of all hosts at once, each in its thread, and returns at the first that accepts. A
    /// thread that is still waiting then ends by itself.
    ///
    /// # Errors
    /// A text with the reason for each host, at the latest after `limit`.
    fn connect_to_any(self, hosts: &[Host], limit: Duration) -> Result<(), String> {
        let (sender, receiver) = mpsc::channel();
        for (index, host) in hosts.iter().cloned().enumerate() {
            let sender = sender.clone();
            thread::spawn(move || match (self.resolve)(&host.name, host.port) {
                Ok(addresses) => {
                    let _ = sender.send((index, Event::Resolved(addresses.len())));
                    for address in addresses {
                        let sender = sender.clone();
                        thread::spawn(move || {
                            let event = (self.connect)(&address).map_or_else(Event::Failed, |()| Event::Connected);
                            let _ = sender.send((index, event));
                        });
                    }
                }
                Err(error) => drop(sender.send((index, Event::Failed(error)))),
            });
        }
        drop(sender);
        let mut states: Vec<HostState> = hosts.iter().map(|_| HostState { pending: 1, reason: None }).collect();
        let end = Instant::now() + limit;
        while let Ok((index, event)) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
            let Some(state) = states.get_mut(index) else { continue };
            match event {
                Event::Connected => return Ok(()),
                Event::Resolved(addresses) => state.pending = addresses,
                Event::Failed(error) => {
                    state.pending -= 1;
                    state.reason.get_or_insert(error);
                }
            }
        }
        let reasons = hosts.iter().zip(states).map(|(host, state)| match state {
            HostState { pending: 0, reason: Some(error) } => format!("{host} ({error})"),
            HostState { pending: 0, reason: None } => format!("{host} (it has no address)"),
            _ => format!("{host} (no answer within {} seconds)", limit.as_secs_f32()),
        });
        Err(reasons.collect::<Vec<_>>().join(", "))
    }
}

/// A step towards one host.
enum Event {
    /// Its name has this many addresses.
    Resolved(usize),
    /// An address accepted a connection.
    Connected,
    /// The name was not resolved, or one address did not accept.
    Failed(io::Error),
}

/// The state of the attempts to reach one host.
struct HostState {
    /// Answers that have not come yet.
    pending: usize,
    /// The first failure.
    reason: Option<io::Error>,
}

/// The check before a fetch that the user did not ask for.
#[derive(Clone, Debug)]
pub(crate) struct IndexCheck {
    variables: Variables,
    configuration_files: Vec<PathBuf>,
    network: Network,
}

impl IndexCheck {
    /// Checks with the environment of this process.
    pub(crate) fn of_process() -> IndexCheck {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let variables: HashMap<String, String> = env::vars_os().filter_map(text).collect();
        let configuration_files = configuration_files(&variables);
        IndexCheck { variables, configuration_files, network: Network::REAL }
    }

    /// Checks without starting pip, if its variables alone decide where it looks. Returns true if the check was made.
    ///
    /// # Errors
    /// [`Error::Unreachable`].
    pub(crate) fn check_variables(&self) -> Result<bool, Error> {
        let decide = variables_decide(&self.configuration_files);
        if decide {
            self.check(&Settings::from_variables(&self.variables), LIMIT)?;
        }
        Ok(decide)
    }

    /// Checks with the settings that pip listed.
    ///
    /// # Errors
    /// [`Error::Unreachable`].
    pub(crate) fn check_settings(&self, settings: &Settings) -> Result<(), Error> {
        self.check(settings, LIMIT_AFTER_PIP)
    }

    fn check(&self, settings: &Settings, limit: Duration) -> Result<(), Error> {
        let Some(hosts) = self.hosts(settings) else { return Ok(()) };
        self.network.connect_to_any(&hosts, limit).map_err(|hosts| Error::Unreachable { hosts })
    }

    /// Lists the hosts that pip may connect to. Returns `None` if it may do without a network, and if that is unknown.
    fn hosts(&self, settings: &Settings) -> Option<Vec<Host>> {
        if settings.get("no-index").is_some_and(|value| TRUE.contains(&value.to_lowercase().as_str())) {
            return None;
        }
        let index = settings.get("index-url").unwrap_or(DEFAULT_INDEX);
        let words = |name| settings.get(name).unwrap_or_default().split_whitespace();
        let mut urls: Vec<&str> = [index].into_iter().chain(words("extra-index-url")).collect();
        if !urls.iter().copied().all(is_remote) {
            return None;
        }
        for link in words("find-links") {
            if is_remote(link) {
                urls.push(link);
            } else if self.may_hold_packages(link) {
                return None;
            }
        }
        let mut hosts: Vec<Host> = match self.proxy(settings, index) {
            Some(proxy) => vec![Host::from_url(&proxy)?],
            None => Vec::new(),
        };
        // With NO_PROXY, pip may connect to the index itself. Its patterns are left to pip: either way will do.
        if hosts.is_empty() || self.variable(&["no_proxy", "NO_PROXY"]).is_some() {
            hosts.extend(urls.into_iter().map(Host::from_url).collect::<Option<Vec<_>>>()?);
        }
        hosts.dedup();
        Some(hosts)
    }

    /// Returns the URL of the proxy for `index`.
    fn proxy(&self, settings: &Settings, index: &str) -> Option<String> {
        let scheme = match index.to_ascii_lowercase().starts_with("https:") {
            true => ["https_proxy", "HTTPS_PROXY"],
            false => ["http_proxy", "HTTP_PROXY"],
        };
        let [lower, upper] = scheme;
        let proxy = settings.get("proxy").or_else(|| self.variable(&[lower, upper, "all_proxy", "ALL_PROXY"]))?;
        Some(if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") })
    }

    fn variable(&self, names: &[&str]) -> Option<&str> {
        names.iter().filter_map(|name| self.variables.get(*name)).map(|value| value.trim()).find(|v| !v.is_empty())
    }

    /// Returns true if a local value of `--find-links` may hold all packages: a page with links, or a folder with a file
    /// for each.
    fn may_hold_packages(&self, link: &str) -> bool {
        let path = link.strip_prefix("file://").unwrap_or(link);
        let path = match (path.strip_prefix("~/"), self.variable(&["HOME"])) {
            (Some(rest), Some(home)) => Path::new(home).join(rest),
            _ => PathBuf::from(path),
        };
        let Ok(entries) = path.read_dir() else { return path.is_file() };
        let names: Vec<String> =
            entries.flatten().map(|entry| normalize(&entry.file_name().to_string_lossy())).collect();
        PACKAGES.iter().all(|package| {
            let start = normalize(&format!("{}-{}", package.name, package.version));
            names.iter().any(|name| name.starts_with(&start))
        })
    }
}

/// Writes a file name so that all spellings of a package are the same.
fn normalize(name: &str) -> String {
    name.to_lowercase().replace(['-', '.'], "_")
}

fn is_remote(url: &str) -> bool {
    let url = url.to_ascii_lowercase();
    url.starts_with("http://") || url.starts_with("https://")
}

#[cfg(test)]
#[path = "index_check_tests.rs"]
pub(crate) mod tests;
