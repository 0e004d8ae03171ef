//! ATM: random transfers, five to a thread (the paper's 122 thousand and 24 thousand). Balances are integers, so their
//! order does not matter.

use device::Argument;

use super::input::{Input, differ, launch, wrong};
use crate::graph::random::Random;
use crate::single_launch::{Value, from_i32, to_i32};
use crate::variant::Source;
use crate::workload::Verdict;

pub(super) const SOURCE: Source =
    Source { text: include_str!("atm.cu"), name: "benchmarks/src/ssde/atm.cu", kernel: "atm" };

/// The initial balance of every account.
const BALANCE: i32 = 1000;

/// `accounts` must be two at least.
pub(super) fn input(transfers: u32, accounts: u32) -> Input {
    let mut random = Random::new(62);
    let mut words = Vec::new();
    let mut balance = vec![BALANCE; accounts as usize];
    for _ in 0..transfers {
        let from = random.below(accounts);
        // An account that is not the first: a thread that takes one lock twice waits for itself.
        let to = (from + 1 + random.below(accounts - 1)) % accounts;
        let amount = random.below(100).cast_signed();
        balance[from as usize] -= amount;
        balance[to as usize] += amount;
        words.extend([from.cast_signed(), to.cast_signed(), amount]);
    }
    let values = vec![
        Value::Scalar(Argument::from(transfers.cast_signed())),
        Value::Input("transfer", from_i32(&words)),
        Value::Output("balance", from_i32(&vec![BALANCE; accounts as usize])),
        Value::Output("lock", from_i32(&vec![0; accounts as usize])),
    ];
    let check = move |results: &[Vec<u8>]| {
        if results[1].iter().any(|&byte| byte != 0) {
            return wrong("a lock is still taken".into());
        }
        Verdict::compare("balance", &to_i32(&results[0]), &balance, 0.0, differ)
    };
    let description = format!("{transfers} transfers, {accounts} accounts");
    Input::new(description, launch(transfers.div_ceil(5)), values, Box::new(check))
}
