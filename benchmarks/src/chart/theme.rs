//! Colours, and what makes one file of a drawing: its style for dark pages and the numbers that it carries.

use plotters::style::RGBColor;
use serde::{Deserialize, Serialize};

use super::Figure;
use crate::error::Error;

/// The meaning of a series, which gives it a colour. What is before a rewrite has a light shade, what is after it a dark one; the paper's are orange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// Ours, before.
    Before,
    /// Ours, after.
    After,
    /// Ours, another way.
    Other,
    /// The paper's, before.
    PaperBefore,
    /// The paper's, after.
    Paper,
    /// One of a sequence, from 0 to 6.
    Shade(u8),
}

/// A colour of the drawing. No two have the same on a light page, so that the style for dark pages can tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Background,
    Text,
    /// Axes, ticks and edges of bars.
    Axis,
    Grid,
    FaintGrid,
    /// The line at 1.0.
    Reference,
    Of(Role),
}

impl Ink {
    /// All of them.
    pub(super) const ALL: [Ink; 18] = [
        Ink::Background,
        Ink::Text,
        Ink::Axis,
        Ink::Grid,
        Ink::FaintGrid,
        Ink::Reference,
        Ink::Of(Role::Before),
        Ink::Of(Role::After),
        Ink::Of(Role::Other),
        Ink::Of(Role::PaperBefore),
        Ink::Of(Role::Paper),
        Ink::Of(Role::Shade(0)),
        Ink::Of(Role::Shade(1)),
        Ink::Of(Role::Shade(2)),
        Ink::Of(Role::Shade(3)),
        Ink::Of(Role::Shade(4)),
        Ink::Of(Role::Shade(5)),
        Ink::Of(Role::Shade(6)),
    ];

    /// The colours on a light and on a dark page. Those of a sequence are ColorBrewer's YlGnBu, which prints and which all eyes tell apart.
    pub(super) fn colours(self) -> [u32; 2] {
        match self {
            Ink::Background => [0xFF_FF_FF, 0x16_1B_22],
            Ink::Text => [0x1F_23_28, 0xE6_ED_F3],
            Ink::Axis => [0x57_60_6A, 0xA8_B3_BE],
            Ink::Grid => [0xD8_DE_E4, 0x38_40_4A],
            Ink::FaintGrid => [0xEE_F1_F4, 0x25_2B_33],
            Ink::Reference => [0xB3_12_1D, 0xFF_7B_72],
            Ink::Of(Role::Before) => [0x7A_AE_E0, 0x47_7A_B0],
            Ink::Of(Role::After) => [0x14_5A_AA, 0x7A_BC_FF],
            Ink::Of(Role::Other) => [0x2F_8F_6B, 0x56_C7_9B],
            Ink::Of(Role::PaperBefore) => [0xF6_CE_96, 0x7A_52_20],
            Ink::Of(Role::Paper) => [0xD2_6E_0A, 0xF2_A3_4A],
            Ink::Of(Role::Shade(0)) => [0x0C_2C_84, 0x33_55_C0],
            Ink::Of(Role::Shade(1)) => [0x22_5E_A8, 0x2F_78_CE],
            Ink::Of(Role::Shade(2)) => [0x1D_91_C0, 0x1D_9B_CF],
            Ink::Of(Role::Shade(3)) => [0x41_B6_C4, 0x41_B6_C5],
            Ink::Of(Role::Shade(4)) => [0x7F_CD_BB, 0x7F_CD_BC],
            Ink::Of(Role::Shade(5)) => [0xC7_E9_B4, 0xC7_E9_B5],
            Ink::Of(Role::Shade(_)) => [0xFF_FF_CC, 0xFF_FF_CD],
        }
    }

    /// The colour on a light page.
    pub(super) fn light(self) -> RGBColor {
        let [light, _] = self.colours();
        let [_, red, green, blue] = light.to_be_bytes();
        RGBColor(red, green, blue)
    }
}

/// Has a style replace the colours where a page is dark. It names them, because a property of the style is stronger than an attribute.
fn style() -> String {
    let mut rules = String::new();
    for ink in Ink::ALL {
        let [light, dark] = ink.colours();
        rules +=
            &format!("[fill=\"#{light:06X}\"]{{fill:#{dark:06X}}}[stroke=\"#{light:06X}\"]{{stroke:#{dark:06X}}}\n");
    }
    format!("<style>\n@media screen and (prefers-color-scheme: dark) {{\n{rules}}}\n</style>\n")
}

const BEGIN: &str = "<metadata>";
const END: &str = "</metadata>";

/// Completes a drawing.
///
/// # Errors
/// [`Error::Plot`] if the drawing is none, or the numbers cannot be written.
pub(super) fn finish(drawing: &str, figure: &Figure) -> Result<String, Error> {
    let numbers = serde_json::to_string(figure).map_err(|error| Error::Plot { what: error.to_string() })?;
    let numbers = numbers.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let Some((head, rest)) = drawing.split_once('>') else {
        return Err(Error::Plot { what: "the library drew nothing".to_owned() });
    };
    Ok(format!("{head}>\n{BEGIN}{numbers}{END}\n{}{}\n", style(), rest.trim()))
}

/// The numbers that a file carries.
///
/// # Errors
/// [`Error::Plot`] if there are none.
pub(super) fn carried(svg: &str) -> Result<Figure, Error> {
    let text = svg.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map(|(text, _)| text);
    let Some(text) = text else { return Err(Error::Plot { what: "the file carries no numbers".to_owned() }) };
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).map_err(|error| Error::Plot { what: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colours by WCAG 2, from 1 to 21.
    fn contrast(one: u32, other: u32) -> f64 {
        let luminance = |colour: u32| {
            let [_, red, green, blue] = colour.to_be_bytes().map(|channel| {
                let channel = f64::from(channel) / 255.0;
                if channel <= 0.03928 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn no_two_colours_are_the_same() {
        for page in [0, 1] {
            let mut colours = Ink::ALL.map(|ink| ink.colours()[page]);
            colours.sort_unstable();
            assert!(colours.windows(2).all(|pair| pair[0] != pair[1]), "{colours:06X?}");
        }
    }

    /// WCAG asks for 4.5 of texts, and for 3 of lines.
    #[test]
    fn texts_and_lines_can_be_seen_on_light_and_dark_pages() {
        for page in [0, 1] {
            let of = |ink: Ink| contrast(ink.colours()[page], Ink::Background.colours()[page]);
            assert!(of(Ink::Text) > 7.0 && of(Ink::Axis) > 4.5 && of(Ink::Reference) > 4.5);
            for role in [Role::After, Role::Other, Role::Paper] {
                assert!(of(Ink::Of(role)) > 3.0, "{role:?} {page}: {}", of(Ink::Of(role)));
            }
        }
    }
}
