//! Markers keep their ids through edits, and the kernel knows where each of them stands.
use crate::common::{check, kernel, parse};
use ptx_parser::{Code, Kernel, Marker, Module, Patch, StmtKind};

const TEXT: &str = "//#first\nmov.u32 %r1, 1;\n// kept\n//#second  \nmov.u32 %r2, 2;\n//#third\nret;";

fn start() -> Module {
    parse(&kernel(TEXT))
}

/// The marker of a text, of which there is one.
fn marker(kernel: &Kernel, text: &str) -> Marker {
    let mut found = kernel.markers().filter(|&marker| kernel.marker_text(marker) == text);
    let first = found.next().unwrap();
    assert_eq!(found.next(), None, "{text}");
    first
}

/// The index of the statement of a marker, looked up in the statements.
fn place(kernel: &Kernel, marker: Marker) -> Option<usize> {
    kernel.stmts().iter().position(|stmt| stmt.kind == StmtKind::Marker(marker))
}

/// Applies a patch and checks that the three markers of the text are where the kernel says. Returns their order in the text.
fn apply(kernel: &mut Kernel, patch: Patch) -> Vec<String> {
    let before: Vec<Marker> = kernel.markers().collect();
    kernel.apply(patch).unwrap();
    for marker in before {
        assert_eq!(kernel.index_of(marker), place(kernel, marker), "{}", kernel.marker_text(marker));
    }
    order(kernel)
}

fn order(kernel: &Kernel) -> Vec<String> {
    let mut placed: Vec<(usize, Marker)> =
        kernel.markers().filter_map(|marker| Some((kernel.index_of(marker)?, marker))).collect();
    placed.sort();
    placed.into_iter().map(|(_, marker)| kernel.marker_text(marker).to_owned()).collect()
}

#[test]
fn markers_that_are_read_stand_in_their_order() {
    let module = start();
    let kernel = &module.kernels()[0];
    let texts: Vec<&str> = kernel.markers().map(|marker| kernel.marker_text(marker)).collect();
    assert_eq!(texts, ["#first", "#second", "#third"]);
    for marker in kernel.markers() {
        assert!(kernel.index_of(marker).is_some());
        assert_eq!(kernel.index_of(marker), place(kernel, marker));
    }
}

#[test]
fn an_insertion_before_a_marker_moves_its_index_alone() {
    let mut module = start();
    let kernel = &mut module.kernels_mut()[0];
    let second = marker(kernel, "#second");
    let before = kernel.index_of(second).unwrap();
    let mut patch = Patch::new();
    patch.insert_before(before, kernel.fragment("mov.u32 %r3, 3; mov.u32 %r4, 4;").unwrap());
    assert_eq!(apply(kernel, patch), ["#first", "#second", "#third"]);
    assert_eq!(kernel.index_of(second), Some(before + 2));
    assert_eq!(kernel.marker_text(second), "#second");
    check(&module);
}

#[test]
fn a_marker_that_moves_is_the_same() {
    let mut module = start();
    let kernel = &mut module.kernels_mut()[0];
    let [first, second] = ["#first", "#second"].map(|text| marker(kernel, text));
    let (from, to) = (kernel.index_of(second).unwrap(), kernel.index_of(first).unwrap());
    let mut patch = Patch::new();
    patch.insert_before(to, [kernel.stmts()[from].clone()]);
    patch.remove(from);
    assert_eq!(apply(kernel, patch), ["#second", "#first", "#third"]);
    assert_eq!(kernel.index_of(second), Some(to));
    // Its comments go with it, and its statement may be made anew.
    assert!(check(&module).contains("// kept\n//#second"));
    let kernel = &mut module.kernels_mut()[0];
    let mut patch = Patch::new();
    patch.replace(to..to + 1, [kernel.marker_stmt(second)]);
    assert_eq!(apply(kernel, patch), ["#second", "#first", "#third"]);
    assert!(!check(&module).contains("kept"));
}

#[test]
fn a_marker_that_is_removed_or_replaced_stands_nowhere_until_it_is_back() {
    let mut module = start();
    let kernel = &mut module.kernels_mut()[0];
    let [second, third] = ["#second", "#third"].map(|text| marker(kernel, text));
    let (own, other) = (kernel.index_of(second).unwrap(), kernel.index_of(third).unwrap());
    let stmt = kernel.stmts()[own].clone();
    let mut patch = Patch::new();
    patch.remove(own);
    let new = kernel.new_marker("#new  ");
    assert_eq!(kernel.index_of(new), None);
    patch.replace(other..other + 1, [kernel.marker_stmt(new)]);
    assert_eq!(apply(kernel, patch), ["#first", "#new"]);
    assert_eq!((kernel.index_of(second), kernel.index_of(third)), (None, None));
    assert_eq!(kernel.marker_text(second), "#second");
    let mut patch = Patch::new();
    patch.append([stmt, kernel.marker_stmt(third)]);
    assert_eq!(apply(kernel, patch), ["#first", "#new", "#second", "#third"]);
    check(&module);
}

#[test]
fn a_clone_of_a_kernel_has_the_markers_and_goes_its_own_way() {
    let mut module = start();
    let kernel = &mut module.kernels_mut()[0];
    let first = marker(kernel, "#first");
    let before = kernel.index_of(first);
    let mut copy = kernel.clone();
    assert_eq!(copy.index_of(first), before);
    let mut patch = Patch::new();
    patch.remove(before.unwrap());
    copy.apply(patch).unwrap();
    assert_eq!((kernel.index_of(first), copy.index_of(first)), (before, None));
}

#[test]
fn a_refused_patch_leaves_markers_where_they_were() {
    let mut module = start();
    let kernel = &mut module.kernels_mut()[0];
    let before: Vec<_> = kernel.markers().map(|marker| kernel.index_of(marker)).collect();
    let mut patch = Patch::new();
    patch.insert_before(0, kernel.fragment("mov.u32 %r3, 3;").unwrap());
    let first = marker(kernel, "#first");
    patch.insert_before(0, [kernel.marker_stmt(first)]);
    let refused = kernel.apply(patch).unwrap_err().to_string();
    assert!(refused.contains("`//#first` stands in two places"), "{refused}");
    let after: Vec<_> = kernel.markers().map(|marker| kernel.index_of(marker)).collect();
    assert_eq!(before, after);
}

#[test]
fn markers_of_fragments_and_of_code_get_ids_and_stand_where_they_are_put() {
    let mut module = start();
    let kernel = &mut module.kernels_mut()[0];
    let mut code = Code::new();
    code.marker("#code");
    let mut stmts = kernel.fragment("//#fragment\ntrap;").unwrap();
    stmts.extend(kernel.build(code).unwrap());
    let made = ["#fragment", "#code"].map(|text| marker(kernel, text));
    assert_eq!(made.map(|marker| kernel.index_of(marker)), [None, None]);
    let mut patch = Patch::new();
    patch.insert_before(0, stmts);
    assert_eq!(apply(kernel, patch), ["#fragment", "#code", "#first", "#second", "#third"]);
    check(&module);
}

#[test]
fn widening_the_scopes_of_registers_leaves_markers_known() {
    let mut module = parse(&kernel("{ .reg .b32 %t; mov.u32 %t, 1; }\n//#behind\n{ mov.u32 %r1, 1; }\nret;"));
    let kernel = &mut module.kernels_mut()[0];
    let behind = marker(kernel, "#behind");
    let before = kernel.index_of(behind);
    assert!(kernel.widen_register_scopes());
    assert_ne!(kernel.index_of(behind), before);
    assert_eq!(kernel.index_of(behind), place(kernel, behind));
    check(&module);
}
