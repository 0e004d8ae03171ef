//! `pxrw ccc`: which paths of a loop get a stack, and how a profile decides it.

use serde_json::Value;

use crate::program::{Folder, pxrw, report};

/// The path of line 5 is long and all lanes take it, that of line 11 is short and few do.
const KERNEL: &str = "extern \"C\" __global__ void k(int n, const int *a, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if (a[i] >= 0) {
            int v = i;
            for (int s = 0; s < 9; ++s) v = v * v / 7 + 1;
            out[i] = v;
        }
#CCC if
        if (a[i] % 16 == 3) {
            out[n + i] = i / 3;
        }
    }
}
";

fn regions(ran: &str) -> Vec<Value> {
    let value = report(ran, &["kernels.0.regions.0.rank.place"]);
    value["kernels"][0]["regions"].as_array().unwrap().clone()
}

#[test]
fn a_profile_says_which_path_is_worth_a_stack() {
    let folder = Folder::new();
    let kernel = folder.file("k.cu", KERNEL);
    let out = folder.argument("out.ptx");
    let usual = ["ccc", &kernel, "--block", "64", "--most", "1", "-o", &out, "--report", "json"];
    // Also paths that are not worth it.
    let ccc = || usual.iter().chain(&["--all"]);
    let statuses = |regions: &[Value]| regions.iter().map(|region| region["status"].clone()).collect::<Vec<_>>();

    let assumed = regions(pxrw(usual).ends_with(0).stdout());
    assert_eq!(statuses(&assumed), ["rewritten", "left-out"]);
    assert_eq!(assumed[1]["rank"]["place"], 2);
    assert_eq!(assumed[1]["rank"]["rarity_from"], "even");
    assert!(assumed[1]["reason"].as_str().unwrap().contains("1 costlier paths"), "{assumed:?}");

    let run = ["run", &kernel, "--marked", "--grid", "2", "--block", "64", "--report", "json", "--arg", "i32:4096"];
    let arguments = ["--arg", "i32[4096]=iota", "--arg", "i32[8192]=0"];
    let profile = folder.file("profile.json", pxrw(run.iter().chain(&arguments)).ends_with(0).stdout());
    let ran = pxrw(ccc().chain(&["--profile", profile.as_str()])).ends_with(0);
    let profiled = regions(ran.stdout());
    assert_eq!(statuses(&profiled), ["left-out", "rewritten"]);
    // All lanes take the first path. Two lanes of each warp take the second, so that a run of it saves 30 / 32 of itself.
    assert_eq!(profiled[0]["rank"]["rarity"], 0.0);
    assert_eq!(profiled[1]["rank"]["rarity"], 0.9375);
    assert_eq!(profiled[1]["rank"]["rarity_from"], "profile");

    // A launch in which no lane takes the second path halves its rarity. One in which half of the lanes take the first path makes that
    // one worth more.
    let other = |values: &str| {
        let arguments = ["--arg", values, "--arg", "i32[8192]=0"];
        pxrw(run.iter().chain(&arguments)).ends_with(0).stdout().to_owned()
    };
    let none = folder.file("none.json", other("i32[4096]=0"));
    let both = ["--profile", profile.as_str(), "--profile", none.as_str()];
    let added = regions(pxrw(ccc().chain(&both)).ends_with(0).stdout());
    assert_eq!(added[1]["rank"]["rarity"], 0.46875);
    let half = folder.file("half.json", other("i32[4096]=rand:1"));
    let both = ["--profile", profile.as_str(), "--profile", half.as_str()];
    assert_eq!(statuses(&regions(pxrw(ccc().chain(&both)).ends_with(0).stdout())), ["rewritten", "left-out"]);

    let changed = folder.file("k.cu", KERNEL.replace("i / 3", "i / 3 + a[i]"));
    assert_eq!(changed, kernel);
    pxrw(ccc().chain(&["--profile", profile.as_str()]))
        .ends_with(2)
        .says(&["is of another PTX", "--report json > profile.json"]);
    pxrw(ccc().chain(&["--profile", kernel.as_str()])).ends_with(2).says(&["is not JSON"]);
    pxrw(ccc().chain(&["--profile", "no.json"])).ends_with(2).says(&["cannot read the profile"]);
}

/// A long path that a quarter of the lanes take, and a short one that three quarters do, in half of the warps.
const LONG_AND_SHORT: &str = "extern \"C\" __global__ void k(int n, const int *a, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int kind = a[i] & 3;
#CCC if
        if (kind == 0) {
            int v = i;
            for (int s = 0; s < 20; ++s) v = v * v / 7 + 1;
            out[i] = v;
        }
#CCC if
        if (kind != 1 && (i & 64)) out[n + i] = kind;
    }
}
";

#[test]
fn a_path_that_a_profile_says_is_not_worth_it_stays_where_it_is() {
    let folder = Folder::new();
    let kernel = folder.file("k.cu", LONG_AND_SHORT);
    let out = folder.argument("out.ptx");
    let ccc = ["ccc", &kernel, "--block", "64", "-o", &out, "--report", "json"];
    let statuses = |ran: &str| regions(ran).iter().map(|region| region["status"].clone()).collect::<Vec<_>>();
    let arguments =
        ["--grid", "2", "--block", "64", "--arg", "i32:4096", "--arg", "i32[4096]=rand:1", "--arg", "i32[8192]=0"];
    let count = |file: &str| {
        let ran = pxrw(["run", file, "--marked", "--report", "json"].iter().chain(&arguments))
            .ends_with(0)
            .stdout()
            .to_owned();
        (report(&ran, &[])["warp_instructions"].as_u64().unwrap(), ran)
    };
    let (_, profile) = count(&kernel);
    let profile = folder.file("profile.json", profile);
    assert_eq!(statuses(pxrw(ccc).ends_with(0).stdout()), ["rewritten", "rewritten"]);
    let (both, _) = count(&out);

    let known = ["--profile", profile.as_str()];
    let with_profile = || ccc.iter().chain(&known);
    let ran = pxrw(with_profile()).ends_with(0);
    assert_eq!(statuses(ran.stdout()), ["rewritten", "left-out"]);
    let reason = regions(ran.stdout())[1]["reason"].clone();
    let reason = reason.as_str().unwrap();
    // Exact numbers would be those of the code of the day. A path of a handful of instructions saves an eighth of them.
    let number = |before: &str| -> f64 {
        let (_, rest) = reason.split_once(before).unwrap();
        rest.split(' ').next().unwrap().trim_end_matches(',').parse().unwrap()
    };
    let (cost, saved) = (number("costs "), number("saves "));
    assert!((8.0..40.0).contains(&cost) && (0.3..1.5).contains(&saved), "{reason}");
    assert!(reason.ends_with("by the profile"), "{reason}");
    let (one, _) = count(&out);
    assert!(one < both, "{one} with the long path alone, {both} with both");
    // Four thousand iterations by warps of 32 lanes: what the message says is what the short path's machinery takes more, and its half of what
    // stands before the loop, which each of four warps comes to.
    let more = (both - one) as f64 / 128.0;
    assert!((more - (cost - saved)).abs() < 2.5, "{more} more in an iteration, by the report {}", cost - saved);

    let all = pxrw(with_profile().chain(&["--all"])).ends_with(0);
    assert_eq!(statuses(all.stdout()), ["rewritten", "rewritten"]);
    assert_eq!(count(&out).0, both);
}

/// What the directive says of half of the lanes suffices for a long path, and not for a short one.
#[test]
fn a_path_that_its_directive_says_is_not_worth_it_stays_where_it_is() {
    let folder = Folder::new();
    let short = "if (kind != 1 && (i & 64)) out[n + i] = kind;";
    let said = |share: &str, path: &str| {
        let text = LONG_AND_SHORT.replacen(
            "#CCC if\n        if (kind != 1",
            &format!("#CCC if probability({share})\n        if (kind != 1"),
            1,
        );
        folder.file("k.cu", text.replace(short, path))
    };
    let second = |kernel: &str, more: &[&str]| {
        let ccc = ["ccc", kernel, "--block", "64", "-o", "/dev/null", "--report", "json"];
        let regions = regions(pxrw(ccc.iter().chain(more)).ends_with(0).stdout());
        // Of the first path nothing is said.
        assert_eq!(regions[0]["status"], "rewritten");
        (regions[1]["status"].clone(), regions[1]["reason"].as_str().unwrap_or_default().to_owned())
    };
    let (status, reason) = second(&said("0.375", short), &[]);
    assert_eq!(status, "left-out");
    assert!(reason.starts_with("collecting it costs ") && reason.ends_with(", by the directive"), "{reason}");
    assert_eq!(second(&said("0.375", short), &["--all"]).0, "rewritten");
    let step = "v = v * 3 + (v >> 3); ";
    let long =
        |steps: usize| format!("if (kind != 1 && (i & 64)) {{ int v = i; {} out[n + i] = v; }}", step.repeat(steps));
    assert_eq!(second(&said("0.375", &long(50)), &[]).0, "rewritten");
    // Few warps come to it.
    assert_eq!(second(&said("0.001", &long(50)), &[]).0, "left-out");
    // How often the loop in it goes round, nobody says.
    let inner =
        format!("if (kind != 1 && (i & 64)) {{ int v = i; for (int s = 0; s < kind; ++s) {step} out[n + i] = v; }}");
    assert_eq!(second(&said("0.001", &inner), &[]).0, "rewritten");
}

/// The directive goes before what is assumed, and a profile before the directive.
#[test]
fn a_directive_says_how_probable_a_path_is() {
    let folder = Folder::new();
    let kernel = folder.file("k.cu", KERNEL.replacen("#CCC if", "#CCC if probability(1)", 1));
    let ccc = ["ccc", &kernel, "--block", "64", "--most", "1", "-o", "/dev/null", "--report", "json"];
    let told = regions(pxrw(ccc).ends_with(0).stdout());
    assert_eq!((&told[0]["status"], &told[1]["status"]), (&"left-out".into(), &"rewritten".into()));
    assert_eq!((&told[0]["rank"]["rarity"], &told[0]["rank"]["rarity_from"]), (&0.0.into(), &"directive".into()));
    let text = pxrw(["ccc", &kernel, "--block", "64", "-o", "/dev/null"]).ends_with(0);
    assert!(text.stdout().contains("times rarity 0.00 (directive)\n"), "{}", text.stdout());

    let run = ["run", &kernel, "--marked", "--grid", "2", "--block", "64", "--report", "json", "--arg", "i32:4096"];
    let arguments = ["--arg", "i32[4096]=rand:1", "--arg", "i32[8192]=0"];
    let profile = folder.file("profile.json", pxrw(run.iter().chain(&arguments)).ends_with(0).stdout());
    let profiled = regions(pxrw(ccc.iter().chain(&["--profile", profile.as_str()])).ends_with(0).stdout());
    assert_eq!((&profiled[0]["status"], &profiled[1]["status"]), (&"rewritten".into(), &"left-out".into()));
    assert_eq!(profiled[0]["rank"]["rarity_from"], "profile");
}

#[test]
fn stacks_that_would_cost_occupancy_are_left_out_unless_that_is_wanted() {
    // Five paths of 16 bytes each; a multiprocessor of compute capability 7.5 has 64 bytes for each thread that it holds.
    let path = |number: usize| {
        format!(
            "#CCC if\n        if (own == {number}) {{\n            out[i] = x[i].x * {number}.5f + x[i].y * p.z / p.w + p.x + p.y;\n        }}\n"
        )
    };
    let paths: String = (0..5).map(path).collect();
    let text = format!(
        "extern \"C\" __global__ void k(int n, const int *kind, const float4 *x, float *out) {{\n#CCC for\n    for (int i = \
         blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{\n        float4 p = x[i ^ 1];\n        int own = kind[i];\n{paths}    }}\n}}\n"
    );
    let folder = Folder::new();
    let kernel = folder.file("k.cu", &text);
    let ccc = ["ccc", &kernel, "--block", "256", "--arch", "sm_75", "-o", "/dev/null", "--report", "json"];
    let left_out = |ran: &str| {
        let regions = regions(ran);
        regions.iter().filter(|region| region["status"] == "left-out").count()
    };
    let kept = pxrw(ccc).ends_with(0);
    assert_eq!(report(kept.stdout(), &[])["kernels"][0]["occupancy_before"], 1.0);
    assert!((1..5).contains(&left_out(kept.stdout())), "{}", kept.stdout());
    let lowered = pxrw(ccc.iter().chain(&["--lower-occupancy"])).ends_with(0);
    assert_eq!(left_out(lowered.stdout()), 0);
}
