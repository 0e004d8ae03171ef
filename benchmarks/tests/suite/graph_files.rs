//! Reading graphs from files: what comes out, and what is said about files that are wrong.
use std::io::Write;
use std::path::Path;

use benchmarks::Error;
use benchmarks::graph::{Graph, Rmat, read, rmat};
use flate2::Compression;
use flate2::write::GzEncoder;

fn graph(text: impl AsRef<[u8]>) -> Result<Graph, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    std::fs::write(&path, text).unwrap();
    read(&path)
}

/// The message, with only the file's name for its path.
fn message(text: impl AsRef<[u8]>) -> String {
    let text = graph(text).unwrap_err().to_string();
    text[text.find("graph:").unwrap()..].to_owned()
}

fn edges(graph: &Graph) -> Vec<(u32, u32)> {
    graph.pairs().collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn an_edge_list_with_comments_blanks_and_weights() {
    let text = b"# name 4 4\n% caf\xe9\r\n\n0 1\n 0\t3 \r\n3 0 2.5 1e9\n  # more\n1 1";
    let graph = graph(text).unwrap();
    assert_eq!(graph.vertices(), 4);
    assert_eq!(edges(&graph), [(0, 1), (0, 3), (1, 1), (3, 0)]);
}

#[test]
fn a_dimacs_file_counts_from_one() {
    let graph = graph("c a graph\n\np sp 4 3\na 1 2 7\nc in between\na 4 1 -3\na 2 2 0.5\n").unwrap();
    assert_eq!(graph.vertices(), 4);
    assert_eq!(edges(&graph), [(0, 1), (1, 1), (3, 0)]);
}

#[test]
fn a_dimacs_file_may_have_no_arcs() {
    let graph = graph("p sp 5 0\n").unwrap();
    assert_eq!((graph.vertices(), graph.edges().len()), (5, 0));
}

#[test]
fn compression_is_told_from_the_content() {
    assert_eq!(graph(gzip("0 1\n1 2\n")).unwrap(), graph("0 1\n1 2\n").unwrap());
    assert_eq!(graph(gzip("p sp 2 1\na 2 1 1\n")).unwrap(), graph("p sp 2 1\na 2 1 1\n").unwrap());
    let members = [gzip("0 1\n"), gzip("1 2\n")].concat();
    assert_eq!(graph(members).unwrap(), graph("0 1\n1 2\n").unwrap());
}

#[test]
fn a_written_graph_reads_back() {
    let made = rmat(&Rmat::graph500(8)).unwrap();
    let list: String = made.pairs().map(|(from, to)| format!("{from} {to}\n")).collect();
    let read = graph(&list).unwrap();
    assert_eq!(edges(&read), edges(&made));
    let arcs: String = made.pairs().map(|(from, to)| format!("a {} {} 1\n", from + 1, to + 1)).collect();
    let dimacs = format!("p sp {} {}\n{arcs}", made.vertices(), made.edges().len());
    assert_eq!(graph(gzip(&dimacs)).unwrap(), made);
}

#[test]
fn lines_that_are_wrong_are_named() {
    let cases = [
        ("0 1\n2\n", "graph:2:2: an edge needs two vertices; put `u v` on each line"),
        (
            "0 1\n1 -2\n",
            "graph:2:3: a vertex id is negative: `-2`; renumber the vertices so that they count up from 0 \
             (from 1 in a DIMACS file)",
        ),
        (
            "0 1\n1 x2\n",
            "graph:2:3: expected a vertex id, found `x2`; write whole numbers with blanks between them; comment lines \
             begin with `#` or `%`",
        ),
        (
            "0 4294967296\n",
            "graph:1:3: vertex id 4294967296 is too large; kernels count vertices with a 32-bit int; renumber them from 0",
        ),
        (
            "0 2147483647\n",
            "graph:1:3: vertex id 2147483647 is too large; kernels count vertices with a 32-bit int; renumber them from 0",
        ),
        (
            "0 99999999999999999999\n",
            "graph:1:3: a vertex id is too large: `99999999999999999999`; kernels count vertices with a 32-bit int; \
             renumber them so that they count up from 0",
        ),
        (
            "0 1\n2147483646 0\n0 2\n",
            "graph:2:1: vertex id 2147483646 is far beyond what 3 edges need; each id up to the largest one is a \
             vertex; renumber the vertices so that they count up from 0",
        ),
        (
            "0 1 friend\n",
            "graph:1:5: expected nothing or a number behind the edge, found `friend`; put one edge `u v` on each line, \
             comments on lines of their own",
        ),
        (
            "from to\n",
            "graph:1:1: expected an edge, found `from`; give a list of edges (`u v` on each line, comments behind `#` \
             or `%`) or a DIMACS .gr file, plain or compressed with gzip",
        ),
        (
            "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
            "graph:1:1: this is a Matrix Market file, whose first numbers are its size; give a list of edges (`u v` on \
             each line, comments behind `#` or `%`) or a DIMACS .gr file, plain or compressed with gzip",
        ),
        ("", "graph: no edges in 0 lines; give a graph with at least one edge"),
        ("# nothing\n\n", "graph: no edges in 2 lines; give a graph with at least one edge"),
        ("c nothing\n", "graph: no edges in 1 lines; give a graph with at least one edge"),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), expected, "for {text:?}");
    }
}

#[test]
fn dimacs_lines_that_are_wrong_are_named() {
    let cases = [
        ("a 1 2 3\n", "graph:1:1: an arc before the `p` line; put `p sp VERTICES ARCS` before the first arc"),
        ("p sp 2\n", "graph:1:7: the line ends too early; write `p sp VERTICES ARCS`"),
        (
            "p col 2 1\n",
            "graph:1:3: expected the problem `sp`, found `col`; only shortest-path files (`p sp VERTICES ARCS`) are read",
        ),
        (
            "p sp 5000000000 1\n",
            "graph:1:6: there are more than 2147483647 vertices; kernels count with a 32-bit int; give a smaller graph",
        ),
        (
            "p sp 2000000000 1\na 1 2 3\n",
            "graph:1:6: 2000000000 vertices are far beyond what 1 arcs need; correct the number of vertices",
        ),
        ("p sp 2 1\np sp 2 1\n", "graph:2:1: a second `p` line; the first one is line 1; put one graph into a file"),
        (
            "p sp 2 1\na 1 3 1\n",
            "graph:2:5: vertex 3 is not one of the 2 vertices of the `p` line; vertices of a DIMACS file count from 1",
        ),
        (
            "p sp 2 1\na 0 1 1\n",
            "graph:2:3: vertex 0 is not one of the 2 vertices of the `p` line; vertices of a DIMACS file count from 1",
        ),
        ("p sp 2 1\na 1 2\n", "graph:2:6: the line ends too early; write `a FROM TO WEIGHT`"),
        ("p sp 2 1\na 1 2 w\n", "graph:2:7: expected a weight, found `w`; write a number"),
        (
            "p sp 2 1\na 1 2 3 4\n",
            "graph:2:9: expected the end of the line, found `4`; put one arc on each line; comments are lines that begin \
             with `c`",
        ),
        (
            "p sp 2 1\na 1 2 3\na 2 1 3\n",
            "graph:3:1: more arcs than the 1 of the `p` line; correct line 1 or remove the arc",
        ),
        (
            "p sp 2 2\na 1 2 3\n",
            "graph:1:6: the `p` line says 2 arcs, but the file has 1; the file is probably cut short; fetch it again, or \
             correct the number",
        ),
        (
            "p sp 2 1\ne 1 2\n",
            "graph:2:1: expected `c`, `p` or `a`, found `e`; lines of a DIMACS .gr file are `c COMMENT`, `p sp VERTICES \
             ARCS` or `a FROM TO WEIGHT`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), expected, "for {text:?}");
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = read(folder.path()).unwrap_err().to_string();
    assert!(text.ends_with("cannot open the graph: is a directory; give one file of it"), "{text}");
    let text = read(&folder.path().join("none")).unwrap_err().to_string();
    assert!(text.contains("/none: cannot open the graph: "), "{text}");
    assert!(text.ends_with("; check the path"), "{text}");
    assert!(matches!(read(Path::new("")), Err(Error::Open { .. })));
}

#[test]
fn a_cut_archive_is_damaged_and_not_short() {
    let made: String = (0..20_000).map(|line| format!("{line} {}\n", line * 7919 % 20_000)).collect();
    let whole = gzip(&made);
    let error = graph(&whole[..whole.len() / 2]).unwrap_err();
    assert!(matches!(error, Error::Broken { after, .. } if after > 0), "{error}");
    assert!(error.to_string().ends_with("; the file is damaged, fetch it again"), "{error}");
}

#[test]
fn noise_is_refused_at_its_first_lines() {
    assert!(message(vec![b'7'; 1 << 20]).starts_with("graph:1:1: this line is longer than 65536 bytes"));
    assert!(message([0x1f, 0x8b, 1, 2, 3]).contains("cannot read on after line 0"));
    assert!(message([0x1f]).starts_with("graph:1:1: expected an edge, found `\\x1f`"));
    // A xorshift sequence: any bytes at all are an error or a graph, never a panic.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("noise");
    let mut state = 1_u64;
    for length in 0..1000 {
        let bytes = (0..length % 97).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            b"0123 \n-ap#c\xff9sp"[(state >> 20) as usize % 15]
        });
        std::fs::write(&path, bytes.collect::<Vec<u8>>()).unwrap();
        if let Ok(graph) = read(&path) {
            assert!(graph.pairs().all(|(_, to)| to < graph.vertices()));
        }
    }
}
