//! Checks against listeners on this machine, and against a network that never answers.

use std::net::TcpListener;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn host(url: &str) -> Option<String> {
    Host::from_url(url).map(|host| host.to_string())
}

/// A check whose settings are all variables.
fn check(variables: &[(&str, &str)], network: Network) -> IndexCheck {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    IndexCheck { variables, configuration_files: Vec::new(), network }
}

/// A check on a machine without a network.
pub(crate) fn offline(configuration_files: Vec<PathBuf>) -> IndexCheck {
    let network = Network { resolve: |_, _| Err(io::Error::other("no such name")), ..Network::REAL };
    IndexCheck { configuration_files, ..check(&[], network) }
}

/// The result for hosts that answer at once, however slow this machine is.
fn result(check: &IndexCheck) -> Result<(), String> {
    check.check(&Settings::from_variables(&check.variables), 60 * SECOND).map_err(|error| error.to_string())
}

/// The hosts that are tried, as one text.
fn hosts(variables: &[(&str, &str)]) -> Option<String> {
    let check = check(variables, Network::REAL);
    let hosts = check.hosts(&Settings::from_variables(&check.variables))?;
    Some(hosts.iter().map(Host::to_string).collect::<Vec<_>>().join(" "))
}

#[test]
fn the_host_of_a_url_comes_without_its_password() {
    let cases = [
        ("https://pypi.org/simple", Some("pypi.org:443")),
        ("http://pypi.org", Some("pypi.org:80")),
        ("https://user:p@ss@mirror:8443/simple?x#y", Some("mirror:8443")),
        ("http://[::1]:8080/simple", Some("[::1]:8080")),
        ("https://token@[2001:db8::1]/simple", Some("[2001:db8::1]:443")),
        ("HTTPS://Mirror:/simple", Some("Mirror:443")),
        ("socks5h://localhost", Some("localhost:1080")),
        ("https://user:pa/ss@host", None),
        ("https:///simple", None),
        ("https://[::1/simple", None),
        ("https://[::1]x/simple", None),
        ("https://host:99999/", None),
        ("file:///wheels", None),
        ("ftp://host/", None),
        ("https://höst/", None),
        ("nothing", None),
    ];
    for (url, expected) in cases {
        assert_eq!(host(url).as_deref(), expected, "{url}");
    }
}

#[test]
fn the_hosts_follow_pips_settings() {
    assert_eq!(hosts(&[]).as_deref(), Some("pypi.org:443"));
    assert_eq!(hosts(&[("PIP_INDEX_URL", "https://m/simple")]).as_deref(), Some("m:443"));
    let extra = [("PIP_EXTRA_INDEX_URL", "https://a/ http://b/"), ("PIP_FIND_LINKS", "https://c/ /nonexistent")];
    assert_eq!(hosts(&extra).as_deref(), Some("pypi.org:443 a:443 b:80 c:443"));
    for local in [("PIP_INDEX_URL", "file:///index"), ("PIP_INDEX_URL", "/index"), ("PIP_EXTRA_INDEX_URL", "/index")] {
        assert_eq!(hosts(&[local]), None, "{local:?}");
    }
    assert_eq!((hosts(&[("PIP_NO_INDEX", "True")]), hosts(&[("PIP_INDEX_URL", "https://ü/")])), (None, None));
    assert_eq!(hosts(&[("PIP_NO_INDEX", "0")]).as_deref(), Some("pypi.org:443"));
}

#[test]
fn a_proxy_stands_for_the_index() {
    assert_eq!(hosts(&[("https_proxy", "http://u:p@proxy:3128/")]).as_deref(), Some("proxy:3128"));
    assert_eq!(hosts(&[("HTTPS_PROXY", "proxy:3128")]).as_deref(), Some("proxy:3128"));
    assert_eq!(hosts(&[("ALL_PROXY", "socks5://proxy")]).as_deref(), Some("proxy:1080"));
    assert_eq!(hosts(&[("PIP_PROXY", "http://p"), ("https_proxy", "http://q")]).as_deref(), Some("p:80"));
    assert_eq!(hosts(&[("http_proxy", "http://proxy")]).as_deref(), Some("pypi.org:443"));
    let plain = [("http_proxy", "http://proxy"), ("PIP_INDEX_URL", "http://m/")];
    assert_eq!(hosts(&plain).as_deref(), Some("proxy:80"));
    let exempt = [("https_proxy", "http://proxy"), ("NO_PROXY", "localhost")];
    assert_eq!(hosts(&exempt).as_deref(), Some("proxy:80 pypi.org:443"));
    assert_eq!(hosts(&[("https_proxy", "http://proxy:x/")]), None);
}

#[test]
fn a_folder_with_all_packages_needs_no_network() {
    let dir = tempfile::tempdir().unwrap();
    let link = format!("file://{}", dir.path().display());
    let variables = [("PIP_FIND_LINKS", link.as_str())];
    for package in PACKAGES {
        assert_eq!(hosts(&variables).as_deref(), Some("pypi.org:443"));
        let name = format!("{}-{}-py3-none-any.whl", package.name.replace('-', "_"), package.version);
        std::fs::write(dir.path().join(name), "").unwrap();
    }
    assert_eq!(hosts(&variables), None);
    let home = [("PIP_FIND_LINKS", "~/"), ("HOME", dir.path().to_str().unwrap())];
    assert_eq!(hosts(&home), None);
}

#[test]
fn a_host_that_accepts_passes_and_a_closed_port_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let open = format!("http://{}/simple", listener.local_addr().unwrap());
    // Port 1 is for a service that no machine has.
    let closed = "http://user:secret@127.0.0.1:1/simple";
    result(&check(&[("PIP_INDEX_URL", &open)], Network::REAL)).unwrap();
    let both = [("PIP_INDEX_URL", closed), ("PIP_EXTRA_INDEX_URL", &open)];
    result(&check(&both, Network::REAL)).unwrap();
    let error = result(&check(&[("PIP_INDEX_URL", closed)], Network::REAL)).unwrap_err();
    assert!(error.contains("127.0.0.1:1 (") && error.contains("Connection refused"), "{error}");
    assert!(error.contains("`pxrw toolkit install`") && error.contains("CUDA_PATH"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn what_does_not_answer_is_given_up() {
    let sleeping_names = Network { resolve: |_, _| Ok(vec![sleep()]), ..Network::REAL };
    let dropped_packets = Network { connect: |_| Err(io::Error::other(sleep().to_string())), ..Network::REAL };
    for network in [sleeping_names, dropped_packets] {
        let start = Instant::now();
        let variables = [("PIP_INDEX_URL", "http://127.0.0.1:1/simple"), ("PIP_EXTRA_INDEX_URL", "http://127.0.0.1:2")];
        let error = check(&variables, network).check_variables().unwrap_err().to_string();
        assert!(start.elapsed() >= LIMIT && start.elapsed() < 30 * SECOND, "{:?}", start.elapsed());
        assert!(error.contains("127.0.0.1:1 (no answer within 0.6 seconds), 127.0.0.1:2 (no answer"), "{error}");
    }
}

/// Takes as long as a network that drops packets.
fn sleep() -> SocketAddr {
    thread::sleep(60 * SECOND);
    SocketAddr::from(([127, 0, 0, 1], 1))
}

#[test]
fn one_address_that_accepts_is_enough() {
    let network = Network {
        resolve: |_, _| Ok([1, 2, 3].map(|port| SocketAddr::from(([127, 0, 0, 1], port))).into()),
        connect: |address| match address.port() {
            1 => Err(io::Error::other("refused")),
            2 => Err(io::Error::other(sleep().to_string())),
            _ => Ok(()),
        },
    };
    result(&check(&[], network)).unwrap();
    let refused = Network { connect: |_| Err(io::Error::other("refused")), ..network };
    let error = result(&check(&[], refused)).unwrap_err();
    assert!(error.contains("pypi.org:443 (refused)"), "{error}");
    let nameless = Network { resolve: |_, _| Ok(Vec::new()), ..network };
    let error = result(&check(&[], nameless)).unwrap_err();
    assert!(error.contains("pypi.org:443 (it has no address)"), "{error}");
    let error = result(&offline(Vec::new())).unwrap_err();
    assert!(error.contains("pypi.org:443 (no such name)"), "{error}");
}

#[test]
fn a_configuration_file_with_an_index_leaves_the_check_to_pips_settings() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pip.conf");
    std::fs::write(&file, "[global]\nindex-url = https://mirror/\n").unwrap();
    let check = offline(vec![file]);
    assert!(!check.check_variables().unwrap());
    let settings = Settings::from_list("global.index-url='https://mirror/'\n").unwrap();
    let error = check.check_settings(&settings).unwrap_err().to_string();
    assert!(error.contains("no connection to mirror:443 ("), "{error}");
}
