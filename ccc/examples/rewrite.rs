//! Rewrites a marked PTX file on standard input and prints the result; the reports go to standard error.
use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("PTX on standard input");
    let mut module = ptx_parser::Module::parse(&text).expect("PTX");
    let reports = ccc::rewrite_module(&mut module, &ccc::Options::default());
    eprintln!("{reports:#?}");
    print!("{module}");
}
