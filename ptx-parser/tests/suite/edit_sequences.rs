//! Random sequences of edits through the whole public interface, on the samples and on small kernels that hold what edits can break.
use crate::common::noise::Random;
use crate::common::properties::edits::{BODIES, edit, edit_text};
use crate::common::{kernel, samples};

#[test]
fn random_sequences_of_edits() {
    let samples = samples().into_iter().filter(|(name, _)| name != "debug.ptx").map(|(_, text)| text);
    let (mut done, mut refused) = (0, 0);
    for text in samples.chain(BODIES.iter().map(|body| kernel(body))) {
        let mut random = Random(0x9E37_79B9);
        for _ in 0..10 {
            let (more, less) = edit_text(&text, &random.bytes(500));
            done += more;
            refused += less;
        }
    }
    // Both happen, so both are tested.
    assert!(done > 2000 && refused > 2000, "{done} done, {refused} refused");
}

#[test]
fn many_short_sequences_of_edits() {
    let mut random = Random(0xED175);
    for length in (1..60).cycle().take(3000) {
        edit(&random.bytes(length));
    }
}
