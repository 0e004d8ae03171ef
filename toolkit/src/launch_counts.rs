//! Counts of launches by Nsight Compute: the metrics that it is asked for, and its table.
//!
//! All metrics are sums, so that launches can be added up. Their names are the same from Turing to Hopper.

use std::collections::HashMap;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::count::{Count, read_count};

/// The metrics: instructions of warps; the same counted once for each lane that is active, and once for each whose guard is true too.
pub(crate) const METRICS: [&str; 3] =
    ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum"];

/// The metrics of an [`Activity`], in the order of its fields.
pub(crate) const ACTIVITY: [&str; 8] = [
    "smsp__issue_active.sum",
    "smsp__cycles_active.sum",
    "smsp__warps_active.sum",
    "smsp__warps_issue_stalled_long_scoreboard.sum",
    "smsp__warps_issue_stalled_short_scoreboard.sum",
    "lts__t_sectors.sum",
    "dram__bytes.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
];

/// The start of its messages of errors.
pub(crate) const ERROR: &str = "==ERROR==";

/// The counts of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCounts {
    /// The kernel's name as it stands in its PTX.
    pub kernel: String,
    /// Instructions that warps executed.
    pub warp_instructions: u64,
    /// The same, counted once for each active lane, whether or not its guard was true.
    pub active_lanes: u64,
    /// The same, counted once for each lane whose guard was true.
    pub thread_instructions: u64,
    /// The work of the multiprocessors and the memory; none where the GPU lacks a counter.
    pub activity: Option<Activity>,
}

/// The work of the multiprocessors and the memory during a launch, or several: sums over all parts of the GPU. Times are
/// in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Cycles in which a scheduler issued an instruction.
    pub issue_cycles: u64,
    /// Cycles in which a scheduler had a warp.
    pub scheduler_cycles: u64,
    /// Warps that schedulers had, added up over their cycles.
    pub warp_cycles: u64,
    /// Warps among these that waited for global or local memory.
    pub waiting_for_memory: u64,
    /// Warps among these that waited for shared memory, or for a slow unit such as that of square roots.
    pub waiting_for_shared_memory: u64,
    /// Sectors of 32 bytes that the L2 cache was asked for.
    pub l2_sectors: u64,
    /// Bytes that went to or from the GPU's memory.
    pub dram_bytes: u64,
    /// Accesses to shared memory that were repeated because lanes met in a bank.
    pub bank_conflicts: u64,
}

impl Add for Activity {
    type Output = Activity;

    fn add(self, other: Activity) -> Activity {
        Activity {
            issue_cycles: self.issue_cycles + other.issue_cycles,
            scheduler_cycles: self.scheduler_cycles + other.scheduler_cycles,
            warp_cycles: self.warp_cycles + other.warp_cycles,
            waiting_for_memory: self.waiting_for_memory + other.waiting_for_memory,
            waiting_for_shared_memory: self.waiting_for_shared_memory + other.waiting_for_shared_memory,
            l2_sectors: self.l2_sectors + other.l2_sectors,
            dram_bytes: self.dram_bytes + other.dram_bytes,
            bank_conflicts: self.bank_conflicts + other.bank_conflicts,
        }
    }
}

/// Reads what `ncu` wrote: lines of its own, which begin with `==`, and a table with a line of names, one of units, and one for each launch.
pub(crate) fn read(text: &str) -> Result<Vec<LaunchCounts>, String> {
    let said = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).map(|said| said.trim().to_owned());
    if let Some(error) = said(ERROR) {
        return Err(error);
    }
    let table: String = text.lines().filter(|line| line.starts_with('"')).flat_map(|line| [line, "\n"]).collect();
    if table.is_empty() {
        return Err(said("==WARNING==").unwrap_or_else(|| "it wrote no counts".to_owned()));
    }
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let strange = |error: csv::Error| format!("its table cannot be read: {error}");
    let rows: Result<Vec<Row>, _> = reader.deserialize().collect();
    let mut rows = rows.map_err(strange)?.into_iter().peekable();
    // The line of units has no number of a launch.
    let units = rows.next_if(|row| row.get("ID").is_some_and(|id| id.is_empty())).unwrap_or_default();
    rows.map(|row| launch(&row, &units)).collect()
}

/// The cells of a line by their names.
type Row = HashMap<String, String>;

/// Reads a line of the table.
fn launch(row: &Row, units: &Row) -> Result<LaunchCounts, String> {
    let cell = |name: &str| row.get(name).ok_or_else(|| format!("its table has no column `{name}`"));
    let count = |name: &str| -> Result<u64, String> {
        let text = cell(name)?;
        match read_count(text, units.get(name).map_or("", String::as_str)) {
            Count::Known(count) => Ok(count),
            Count::Absent => Err(format!("`{name}` was not counted (its cell is `{text}`)")),
            Count::Strange => Err(format!("it counted `{text}` as `{name}`")),
        }
    };
    let [warps, lanes, threads] = METRICS;
    Ok(LaunchCounts {
        kernel: cell("Kernel Name")?.clone(),
        warp_instructions: count(warps)?,
        active_lanes: count(lanes)?,
        thread_instructions: count(threads)?,
        activity: activity(&ACTIVITY.map(|name| count(name).ok())),
    })
}

/// Returns `None` unless all of them were counted.
fn activity(counts: &[Option<u64>; 8]) -> Option<Activity> {
    let [issue, cycles, warps, memory, shared, sectors, bytes, conflicts] = *counts;
    Some(Activity {
        issue_cycles: issue?,
        scheduler_cycles: cycles?,
        warp_cycles: warps?,
        waiting_for_memory: memory?,
        waiting_for_shared_memory: shared?,
        l2_sectors: sectors?,
        dram_bytes: bytes?,
        bank_conflicts: conflicts?,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const HEAD: &str = r#""ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","smsp__inst_executed.sum","smsp__thread_inst_executed.sum","smsp__thread_inst_executed_pred_on.sum"
"","","","","","","","inst","inst","inst"
"#;

    pub(crate) fn table(rows: &[&str]) -> String {
        let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
        format!("==PROF== Connected to process 7 (pxrw)\n==PROF== Profiling \"k\" - 0: 1 pass\n{HEAD}{rows}")
    }

    #[test]
    fn launches_are_read_in_their_order() {
        let text = table(&[
            r#""0","7","pxrw","127.0.0.1","_Z1kPi","1","7","1376256.000000","44040192.000000","40000000""#,
            r#""1","7","pxrw","127.0.0.1","name, with ""marks""","1","7","10","320","300""#,
        ]);
        let launches = read(&(text + "==WARNING== something\n")).unwrap();
        assert_eq!(launches.len(), 2);
        assert_eq!((launches[0].kernel.as_str(), launches[0].warp_instructions), ("_Z1kPi", 1_376_256));
        assert_eq!((launches[1].kernel.as_str(), launches[1].active_lanes), ("name, with \"marks\"", 320));
        assert_eq!((launches[1].thread_instructions, launches[1].activity), (300, None));
        let names = ACTIVITY.map(|name| format!(",\"{name}\"")).concat();
        let more = table(&[r#""0","7","pxrw","127.0.0.1","k","1","7","1","2","3","4","5","6","7","8","9","10","11""#]);
        let more = more.replace("_pred_on.sum\"\n", &format!("_pred_on.sum\"{names}\n"));
        let units = [r#","inst""#, &r#","cycle""#.repeat(8)].concat();
        let launches = read(&more.replacen(",\"inst\"\n", &format!("{units}\n"), 1)).unwrap();
        let activity = launches[0].activity.unwrap();
        assert_eq!((activity.issue_cycles, activity.scheduler_cycles, activity.bank_conflicts), (4, 5, 11));
        assert_eq!((activity + activity).dram_bytes, 20);
        assert_eq!(read(&table(&[])).unwrap(), []);
    }

    #[test]
    fn what_is_no_count_is_said() {
        let reason = |text: &str| read(text).unwrap_err();
        assert_eq!(
            reason("==PROF== x\n==ERROR== ERR_NVGPUCTRPERM - no permission\n"),
            "ERR_NVGPUCTRPERM - no permission"
        );
        assert_eq!(reason("==WARNING== No kernels were profiled.\n"), "No kernels were profiled.");
        assert_eq!(reason(""), "it wrote no counts");
        let row = r#""0","7","pxrw","127.0.0.1","k","1","7","n/a","2","3""#;
        assert_eq!(reason(&table(&[row])), "`smsp__inst_executed.sum` was not counted (its cell is `n/a`)");
        let strange = table(&[&row.replace("n/a", "-1")]);
        assert_eq!(reason(&strange), "it counted `-1` as `smsp__inst_executed.sum`");
        let other = table(&[row]).replace("smsp__inst_executed.sum", "other");
        assert_eq!(reason(&other), "its table has no column `smsp__inst_executed.sum`");
        let short = reason(&table(&[r#""0","7""#]));
        assert!(short.starts_with("its table cannot be read: "), "{short}");
    }

    #[test]
    fn cells_may_have_separators_and_scaled_units() {
        let row = r#""0","7","pxrw","127.0.0.1","k","1","7","1,234,567","1.5","3 000""#;
        let text = table(&[row]).replacen(r#""inst","inst","inst""#, r#""inst","Kinst","inst""#, 1);
        let launches = read(&text).unwrap();
        let counts = &launches[0];
        let counts = (counts.warp_instructions, counts.active_lanes, counts.thread_instructions);
        assert_eq!((launches.len(), counts), (1, (1_234_567, 1500, 3000)));
        // A table without a line of units begins with a launch.
        let text = table(&[row]).replacen("\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"inst\",\"inst\",\"inst\"\n", "", 1);
        assert_eq!(read(&text).unwrap()[0].active_lanes, 2);
    }
}
