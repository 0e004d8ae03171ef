//! Blocks of a multiprocessor, and what each of them may have.

use analysis::Multiprocessor;

#[test]
fn what_each_block_may_have_is_what_lets_them_all_in() {
    let hopper = Multiprocessor::HOPPER;
    for threads in [32, 96, 256, 1024] {
        let blocks = hopper.resident_blocks(threads, 0, None);
        let share = hopper.shared_of_each(blocks);
        assert_eq!(hopper.resident_blocks(threads, share, None), blocks, "{threads} threads, {share} bytes");
        assert!(hopper.resident_blocks(threads, share + 1, None) < blocks, "{threads} threads, {share} bytes");
    }
}
