//! The statements that must hold of the programs, and the result of checking each.

use device::{Machine, Order};
use serde::Serialize;

use super::figures::{Average, Figures};
use super::paper;
use super::program::{Optimisation, Program};
use super::row::{Rows, Setting};
use super::versions::{Version, Versions};

/// A statement, and what was measured of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hold {
    /// The statement.
    pub statement: String,
    /// True if it holds; `None` if nothing of it was run.
    pub holds: Option<bool>,
    /// The measurements.
    pub measured: String,
}

impl Hold {
    /// Checks all statements against all rows.
    pub(super) fn all(programs: &[Program], versions: &[Versions], figures: &Figures, rows: Rows<'_>) -> Vec<Hold> {
        let mut all = vec![
            Hold::launches(
                "M of a program that deadlocks: SIMT-induced deadlock on `stack`",
                programs.iter().filter(|program| program.deadlocks()),
                rows,
                Version::Mimd,
                &[Setting::plain(Machine::Stack)],
            ),
            Hold::launches(
                "M of a program that deadlocks finishes on `aware` with delayed points and without a timeout",
                programs.iter().filter(|program| program.deadlocks()),
                rows,
                Version::Mimd,
                &Order::ALL.map(Setting::delayed),
            ),
            Hold::launches(
                "M of a program that deadlocks finishes on `aware` with a timeout",
                programs.iter().filter(|program| program.deadlocks()),
                rows,
                Version::Mimd,
                &Order::ALL.map(|order| Setting { order, ..Setting::plain(Machine::Aware) }),
            ),
        ];
        let everywhere: Vec<Setting> = Machine::ALL.iter().map(|&machine| Setting::plain(machine)).collect();
        let mut rewritten = Hold::launches(
            "M+SSDE finishes on every machine with the right result",
            programs.iter(),
            rows,
            Version::Rewritten,
            &everywhere,
        );
        // One that does not deadlock stays as it is.
        let refused = versions.iter().filter(|one| one.rewritten.is_err() && one.program.deadlocks());
        let refused: Vec<String> =
            refused.map(|one| format!("{} at -{}", one.program.name(), one.optimisation.name())).collect();
        if !refused.is_empty() {
            rewritten.holds = rewritten.holds.map(|_| false);
            rewritten.measured += &format!("; {} refused: {}", refused.len(), refused.join(", "));
        }
        all.push(rewritten);
        all.push(Hold::launches(
            "M of a program that does not deadlock finishes on every machine",
            programs.iter().filter(|program| !program.deadlocks()),
            rows,
            Version::Mimd,
            &everywhere,
        ));
        let [_, overhead] = paper::OVERHEAD;
        all.push(Hold::at_most("M+SSDE over S on `stack` at -O3, modelled time", &figures.overhead[1], overhead));
        let [_, in_rounds] = &figures.aware_over_ssde;
        all.push(Hold::at_most("AWARE in rounds with delayed points over M+SSDE at -O3", in_rounds, 1.0));
        let [mean, worst] = paper::SMALL_TABLES;
        let [_, in_rounds] = &figures.small_tables;
        let mut tables =
            Hold::at_most("4 splits and 2 reconvergence points over full tables, in rounds", in_rounds, mean);
        if let (Some(holds), Some(found)) = (tables.holds, in_rounds.worst) {
            tables.holds = Some(holds && found <= worst);
        }
        tables.statement += &format!(", at worst {worst:.2}");
        all.push(tables);
        all
    }

    /// All launches of a version end as they must.
    fn launches<'p>(
        statement: &str,
        programs: impl Iterator<Item = &'p Program>,
        rows: Rows<'_>,
        version: Version,
        settings: &[Setting],
    ) -> Hold {
        let (mut count, mut wrong) = (0, Vec::new());
        for &program in programs {
            for optimisation in Optimisation::ALL {
                for &setting in settings {
                    let Some(row) = rows.get(program, optimisation, version, setting) else { continue };
                    count += 1;
                    if !row.as_expected {
                        let (name, level, machine) = (program.name(), optimisation.name(), setting.machine.name());
                        wrong.push(format!("{name} at -{level} on {machine}: {}", row.word()));
                    }
                }
            }
        }
        let measured = match wrong.as_slice() {
            [] => format!("{count} launches"),
            _ => format!("{} of {count} launches do not: {}", wrong.len(), wrong.join(", ")),
        };
        Hold { statement: statement.into(), holds: (count > 0).then_some(wrong.is_empty()), measured }
    }

    fn at_most(statement: &str, average: &Average, bound: f64) -> Hold {
        let measured = match (average.mean, average.worst, average.mean_of_papers) {
            (Some(mean), Some(worst), papers) => {
                let papers = papers.map_or(String::new(), |papers| {
                    format!("; {papers:.3} of the {} that the paper's figures have", average.papers_programs)
                });
                format!("{mean:.3} on the average of {} programs, {worst:.3} at worst{papers}", average.programs)
            }
            _ => "not measured".into(),
        };
        let holds = average.mean.map(|mean| mean <= bound);
        Hold { statement: format!("{statement}: on the average at most {bound:.3}"), holds, measured }
    }
}
