//! Holds drawings against what makes a plot that can be printed, on the SVG itself: on plots of awkward numbers, and on those of the book.

use std::fs;
use std::path::Path;

use super::draw::{AXIS, LEGEND, TICK, TITLE, VALUE};
use super::theme::Ink;
use super::*;

/// A text of a drawing with the box that it takes: left, top, right, bottom.
#[derive(Clone, Debug)]
struct Text {
    text: String,
    size: f64,
    turned: bool,
    anchor: String,
    shape: [f64; 4],
}

/// A drawing as a reader sees it.
struct Seen {
    size: [f64; 2],
    texts: Vec<Text>,
    /// Both ends of each line in the colour of the line at 1.0.
    references: Vec<[[f64; 2]; 2]>,
    /// The colours of filled rectangles.
    rectangles: Vec<String>,
    /// All colours.
    colours: Vec<String>,
}

impl Seen {
    fn new(svg: &str) -> Seen {
        let document = roxmltree::Document::parse(svg).unwrap();
        let number = |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
        let drawn = || document.descendants().filter(|node| node.is_element());
        let texts = drawn().filter(|node| node.has_tag_name("text")).map(|node| {
            let (x, y, size) = (number(&node, "x"), number(&node, "y"), number(&node, "font-size"));
            let text = node.text().unwrap_or_default().trim().to_owned();
            // A text is as high as its font, and its letters are 0.6 of that wide on the average; digits of DejaVu Sans are 0.64, small letters 0.58.
            let letter = if node.attribute("font-weight") == Some("bold") { 0.67 } else { 0.6 };
            let width = text.chars().count() as f64 * size * letter;
            let anchor = node.attribute("text-anchor").unwrap();
            let left = match anchor {
                "start" => 0.0,
                "middle" => -width / 2.0,
                _ => -width,
            };
            let top = match node.attribute("dy").unwrap() {
                "0.76em" => 0.0,
                "0.5ex" => -size / 2.0,
                _ => -size,
            };
            let turned = node.attribute("transform").is_some_and(|transform| transform.starts_with("rotate(270"));
            assert!(turned || node.attribute("transform").is_none(), "{text}");
            // A quarter to the left takes (x, y) to (y, -x).
            let shape = match turned {
                true => [x + top, y - left - width, x + top + size, y - left],
                false => [x + left, y + top, x + left + width, y + top + size],
            };
            Text { text, size, turned, anchor: anchor.to_owned(), shape }
        });
        let reference = format!("#{:06X}", Ink::Reference.colours()[0]);
        let lines = drawn().filter(|node| node.attribute("stroke") == Some(&reference)).map(|node| {
            let points = node.attribute("points").unwrap().split_whitespace().map(|point| {
                let (x, y) = point.split_once(',').unwrap();
                [x.parse().unwrap(), y.parse().unwrap()]
            });
            <[[f64; 2]; 2]>::try_from(points.collect::<Vec<_>>()).unwrap()
        });
        let filled = drawn().filter(|node| node.has_tag_name("rect")).filter_map(|node| node.attribute("fill"));
        let colours = drawn().flat_map(|node| [node.attribute("fill"), node.attribute("stroke")]).flatten();
        let root = document.root_element();
        Seen {
            size: [number(&root, "width"), number(&root, "height")],
            texts: texts.filter(|text| !text.text.is_empty()).collect(),
            references: lines.collect(),
            rectangles: filled.filter(|fill| *fill != "none").map(str::to_owned).collect(),
            colours: colours.filter(|colour| *colour != "none").map(str::to_owned).collect(),
        }
    }

    fn of_size(&self, size: f64) -> impl Iterator<Item = &Text> {
        self.texts.iter().filter(move |text| (text.size - size).abs() < 0.01)
    }

    /// The titles of the vertical axes, from top to bottom: one for each panel.
    fn vertical_titles(&self) -> Vec<&Text> {
        self.of_size(AXIS).filter(|text| text.turned).collect()
    }

    /// The panel whose legend is at a height: the first one whose axes are below.
    fn panel_below(&self, y: f64) -> usize {
        let middle = |title: &&&Text| (title.shape[1] + title.shape[3]) / 2.0 < y;
        self.vertical_titles().iter().filter(middle).count()
    }

    /// The ticks of the vertical axis of a panel, from the lowest: values and heights.
    fn ticks(&self, panel: usize) -> Vec<(f64, f64)> {
        let ticks = self.of_size(TICK).filter(|text| !text.turned && text.anchor == "end");
        let places = ticks.map(|text| {
            let value: f64 = text.text.replace(',', "").parse().unwrap_or_else(|_| panic!("tick `{}`", text.text));
            (value, (text.shape[1] + text.shape[3]) / 2.0)
        });
        let mut places: Vec<(f64, f64)> = places.filter(|(_, y)| self.nearest(*y) == panel).collect();
        places.sort_by(|one, other| one.0.total_cmp(&other.0));
        places
    }

    fn nearest(&self, y: f64) -> usize {
        let titles = self.vertical_titles();
        let distance = |title: &Text| ((title.shape[1] + title.shape[3]) / 2.0 - y).abs();
        let panels = 0..titles.len();
        panels.min_by(|&one, &other| distance(titles[one]).total_cmp(&distance(titles[other]))).unwrap()
    }
}

/// Returns what is wrong with a plot.
fn complaints(svg: &str) -> Vec<String> {
    let figure = super::theme::carried(svg).unwrap();
    let seen = Seen::new(svg);
    let mut wrong = Vec::new();
    texts_have_room(&seen, &mut wrong);
    colours_have_a_dark_one(svg, &seen, &mut wrong);
    let titles = seen.vertical_titles();
    if titles.len() != figure.panels.len() {
        wrong.push(format!("{} vertical axes of {} panels have a title", titles.len(), figure.panels.len()));
        return wrong;
    }
    for (index, panel) in figure.panels.iter().enumerate() {
        let name = &panel.title;
        let has_unit = |title: &str| {
            let unit = title.rsplit_once(" (").and_then(|(_, unit)| unit.strip_suffix(')'));
            unit.is_some_and(|unit| !unit.is_empty())
        };
        let horizontal: Vec<&Text> = seen.of_size(AXIS).filter(|text| !text.turned).collect();
        let below = horizontal.get(index).map_or("", |text| text.text.as_str());
        let is_named = match &panel.content {
            Content::Bars { of, .. } => below == of && !of.is_empty(),
            Content::Curves { .. } => has_unit(below),
        };
        if !has_unit(&titles[index].text) || !is_named {
            wrong.push(format!("{name}: axes are called `{}` and `{below}`", titles[index].text));
        }
        let ticks = seen.ticks(index);
        let values: Vec<f64> = ticks.iter().map(|tick| tick.0).collect();
        let ends = values.first().copied().zip(values.last().copied());
        let is_linear = ends.is_some_and(|(first, _)| first == 0.0);
        if panel.y.scale == Scale::Share && ends != Some((0.0, 100.0)) {
            wrong.push(format!("{name}: a share has ticks {values:?}"));
        }
        let is_power = |value: &f64| (value.log10() - value.log10().round()).abs() < 1e-9;
        if values.len() < 2 || !is_linear && !values.iter().all(is_power) {
            wrong.push(format!("{name}: ticks {values:?} are no decades"));
        }
        let lines: Vec<_> = seen.references.iter().filter(|line| line[1][0] - line[0][0] > 100.0).collect();
        let lines: Vec<_> = lines.into_iter().filter(|line| seen.nearest(line[0][1]) == index).collect();
        if panel.y.scale == Scale::Ratio {
            let scale = |value: f64| if is_linear { value } else { value.log10() };
            let [(low, bottom), (high, top)] = [ticks[0], *ticks.last().unwrap()];
            let share = (scale(1.0) - scale(low)) / (scale(high) - scale(low));
            let expected = bottom + share * (top - bottom);
            let is_there = |line: &&[[f64; 2]; 2]| line.iter().all(|end| (end[1] - expected).abs() <= 2.0);
            let plot = seen.size[0] - 150.0;
            if lines.len() != 1 || !lines.iter().all(is_there) || lines[0][1][0] - lines[0][0][0] < plot {
                wrong.push(format!("{name}: the line at 1.0 should be at {expected}: {lines:?}"));
            }
        } else if !lines.is_empty() {
            wrong.push(format!("{name}: a line at 1.0"));
        }
        let legend: Vec<&str> = seen
            .of_size(LEGEND)
            .filter(|text| seen.panel_below(text.shape[1]) == index)
            .map(|text| text.text.as_str())
            .collect();
        if !legend.join(" ").contains("paper") {
            wrong.push(format!("{name}: the legend {legend:?} does not say what the paper has"));
        }
    }
    if Plot::redraw(svg).unwrap().svg != svg {
        wrong.push("the numbers that it carries give another drawing".to_owned());
    }
    wrong
}

/// No two texts overlap, and none leaves the drawing.
fn texts_have_room(seen: &Seen, wrong: &mut Vec<String>) {
    for (index, text) in seen.texts.iter().enumerate() {
        let [left, top, right, bottom] = text.shape;
        if left < 0.0 || top < 0.0 || right > seen.size[0] || bottom > seen.size[1] {
            wrong.push(format!("`{}` leaves the drawing: {:?} of {:?}", text.text, text.shape, seen.size));
        }
        for other in &seen.texts[index + 1..] {
            let apart =
                right <= other.shape[0] || other.shape[2] <= left || bottom <= other.shape[1] || other.shape[3] <= top;
            if !apart {
                wrong.push(format!("`{}` and `{}` overlap: {:?} {:?}", text.text, other.text, text.shape, other.shape));
            }
        }
    }
}

/// The style for dark pages replaces each colour, and paper stays white.
fn colours_have_a_dark_one(svg: &str, seen: &Seen, wrong: &mut Vec<String>) {
    let style =
        svg.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>")).map_or("", |(style, _)| style);
    if !style.contains("@media screen and (prefers-color-scheme: dark)") {
        wrong.push("no style for dark pages".to_owned());
    }
    for colour in &seen.colours {
        if !style.contains(&format!("[fill=\"{colour}\"]{{fill:#")) {
            wrong.push(format!("{colour} is the same on a dark page"));
        }
    }
}

fn bars(title: &str, y: Axis, names: &[String], series: Vec<Bars>) -> Figure {
    let content = Content::Bars { of: "program".to_owned(), names: names.to_vec(), series };
    let panel = |paper: Option<&str>| Panel {
        title: title.to_owned(),
        y: y.clone(),
        content: content.clone(),
        paper: paper.map(str::to_owned),
    };
    // Three, so that each has one above or below.
    let long = "paper: its bars have no numbers, which it takes this long note to say, longer than one line of the legend is, and even longer";
    let panels = vec![panel(Some("paper: its bars have no numbers")), panel(Some(long)), panel(Some("paper: none"))];
    Figure { file: "test.svg".to_owned(), panels }
}

/// Names of programs, and the numbers that they may have.
fn awkward() -> Vec<Figure> {
    let long = |index: usize| format!("a-program-with-a-name-that-nobody-would-give-it-{index}");
    let short = |index: usize| format!("P{index}");
    let odd = |index: usize| format!("<&\"{index}\">]]>");
    let wide = |index: usize| "WMQ".repeat(index % 9);
    let values: [fn(usize) -> Option<f64>; 10] = [
        |_| Some(0.0),
        |_| None,
        |index| (index % 2 == 0).then_some(0.5),
        |index| Some(if index == 0 { 6034.0 } else { 0.9 }),
        |index| Some(123.4 + index as f64),
        |index| Some(1e-4 * (index + 1) as f64),
        |index| Some(if index == 0 { f64::NAN } else { f64::INFINITY }),
        |_| Some(100.0),
        |index| Some(10_f64.powi(index as i32 % 12 - 6)),
        |index| Some(if index == 0 { -3.0 } else { 1.0 }),
    ];
    let axes = [
        Axis::share("warp execution efficiency"),
        Axis::ratio("speedup"),
        Axis::amount("a quantity whose name is longer than its axis is high at first", "bytes per thread"),
    ];
    let mut figures = Vec::new();
    for rows in [0, 1, 2, 15, 40] {
        for (of, name) in [&long as &dyn Fn(usize) -> String, &short, &odd, &wide].into_iter().enumerate() {
            let names: Vec<String> = (0..rows).map(name).collect();
            for (index, value) in values.iter().enumerate() {
                for many in [1, 2, 7] {
                    let series = (0..many).map(|one| {
                        let values = (0..rows).map(|row| value(row + one)).collect();
                        Bars::new(&format!("series {one}"), Role::Shade(one as u8), "not measured", values)
                    });
                    let axis = &axes[(index + of + many) % axes.len()];
                    figures.push(bars("Figure 9: a title", axis.clone(), &names, series.collect()));
                }
            }
        }
    }
    let title =
        "A title of a figure that goes on and on because the graphics card has a name of many words, as cards have";
    let series = vec![Bars::new(title, Role::After, title, vec![None]), Bars::new(title, Role::Paper, "", vec![None])];
    figures.push(bars(title, Axis::ratio("speedup"), &["ONE".to_owned()], series));
    let points: [Vec<(f64, f64)>; 6] = [
        vec![],
        vec![(1.0, 0.0)],
        vec![(1.0, 0.5), (500.0, 4.0)],
        vec![(1.0, 250.0), (2.0, 0.01), (1e6, 3.0)],
        vec![(32.0, 100.0), (f64::NAN, 1.0)],
        vec![(0.0, 1e7), (1.0, 1.0)],
    ];
    for points in points {
        for y in &axes {
            for x in [Axis::lanes(), Axis::lengths()] {
                let content = Content::Curves {
                    x: x.clone(),
                    series: vec![
                        Curve::new("original", Role::Before, points.clone()),
                        Curve::new("paper", Role::Paper, points.clone()),
                    ],
                };
                let panel = Panel { title: "Figure 13".to_owned(), y: y.clone(), content, paper: None };
                figures.push(Figure { file: "test.svg".to_owned(), panels: vec![panel.clone(), panel] });
            }
        }
    }
    figures
}

#[test]
fn awkward_numbers_give_plots_that_can_be_printed() {
    let figures = awkward();
    assert!(figures.len() > 600);
    for figure in figures {
        let plot = figure.draw().unwrap();
        let wrong = complaints(&plot.svg);
        assert!(wrong.is_empty(), "{wrong:#?} in {figure:#?}");
    }
}

#[test]
fn the_books_plots_can_be_printed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/figures");
    let mut plots = 0;
    for suite in fs::read_dir(&folder).unwrap() {
        for file in fs::read_dir(suite.unwrap().path()).unwrap() {
            let file = file.unwrap().path();
            let wrong = complaints(&fs::read_to_string(&file).unwrap());
            assert!(wrong.is_empty(), "{}: {wrong:#?}", file.display());
            plots += 1;
        }
    }
    assert!(plots > 3, "{plots} plots in {}", folder.display());
}

#[test]
fn each_value_has_a_bar() {
    let series = |values: &[Option<f64>]| Bars::new("pxrw", Role::After, "not measured", values.to_vec());
    let names: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    let plot = |y: Axis, values: &[Option<f64>]| {
        let figure = bars("Figure 9", y, &names[..values.len()], vec![series(values)]);
        Seen::new(&figure.draw().unwrap().svg)
    };
    let colour = format!("#{:06X}", Ink::Of(Role::After).colours()[0]);
    let count = |seen: &Seen| seen.rectangles.iter().filter(|fill| **fill == colour).count();
    // In each of three panels one in the legend, and one for each value: also for 0.
    assert_eq!(count(&plot(Axis::ratio("speedup"), &[Some(2.0), None, Some(0.0)])), 3 * 3);
    assert_eq!(count(&plot(Axis::ratio("speedup"), &[Some(2000.0), Some(0.1)])), 3 * 3);
    assert_eq!(count(&plot(Axis::share("share"), &[Some(101.0), Some(100.0), Some(f64::NAN)])), 3 * 2);
    let legend = |seen: &Seen| seen.of_size(LEGEND).next().unwrap().text.clone();
    assert_eq!(legend(&plot(Axis::ratio("speedup"), &[Some(2.0), None])), "pxrw (not measured: b)");
    assert_eq!(legend(&plot(Axis::share("share"), &[None, Some(140.0)])), "pxrw (not measured)");
    assert_eq!(legend(&plot(Axis::share("share"), &[None; 4])), "pxrw (not measured)");
    assert_eq!(legend(&plot(Axis::share("share"), &[Some(0.0); 2])), "pxrw");
    // Few bars have their values above them.
    let values = |seen: &Seen| seen.of_size(VALUE).map(|text| text.text.clone()).collect::<Vec<_>>();
    assert_eq!(values(&plot(Axis::share("share"), &[Some(7.69), None]))[..1], ["7.7"]);
    assert_eq!(Seen::new(&bars("t", Axis::share("s"), &[], vec![]).draw().unwrap().svg).of_size(TITLE).count(), 3);
}

#[test]
fn a_text_that_carries_no_numbers_is_refused() {
    for text in ["", "<svg></svg>", "<svg><metadata>{}</metadata></svg>"] {
        assert!(matches!(Plot::redraw(text), Err(Error::Plot { .. })), "{text}");
    }
}
