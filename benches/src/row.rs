//! The tidy row of a report, and its two printed forms.

use serde::Serialize;

/// One measured value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The area of the report, `conversions` for instance.
    pub area: &'static str,
    /// What was done, to what input.
    pub case: String,
    /// Who did it.
    pub contender: String,
    /// What was measured.
    pub metric: String,
    /// The measured value; JSON has `null` for NaN.
    pub value: f64,
    /// Unit of the value, empty for a ratio or a count.
    pub unit: &'static str,
}

/// The rows as one JSON array.
///
/// # Errors
///
/// None in practice: rows hold numbers and text only.
pub fn json(rows: &[Row]) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(rows)
}

/// The rows as Markdown: a table a metric, a line a case, a column a contender.
#[must_use]
pub fn markdown(rows: &[Row]) -> String {
    let mut out = String::new();
    for (metric, unit) in distinct(rows.iter().map(|r| (r.metric.as_str(), r.unit))) {
        let of_metric: Vec<&Row> = rows
            .iter()
            .filter(|r| r.metric == metric && r.unit == unit)
            .collect();
        let contenders = distinct(of_metric.iter().map(|r| r.contender.as_str()));
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" ({unit})")
        };
        out += &format!("\n## {metric}{unit}\n\n| case | {} |\n", contenders.join(" | "));
        out += &format!("|-|{}\n", "-:|".repeat(contenders.len()));
        for case in distinct(of_metric.iter().map(|r| r.case.as_str())) {
            let cells: Vec<String> = contenders
                .iter()
                .map(|&contender| {
                    of_metric
                        .iter()
                        .find(|r| r.case == case && r.contender == contender)
                        .map_or_else(String::new, |r| number(r.value))
                })
                .collect();
            out += &format!("| {case} | {} |\n", cells.join(" | "));
        }
    }
    out
}

/// Three significant digits, with an exponent where plain digits would be long.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !(1e-2..1e5).contains(&size) {
        format!("{value:.1e}")
    } else if size < 1.0 {
        format!("{value:.3}")
    } else if size < 100.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.0}")
    }
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: &str, contender: &str, value: f64) -> Row {
        Row {
            area: "conversions",
            case: case.into(),
            contender: contender.into(),
            metric: "time".into(),
            value,
            unit: "ns",
        }
    }

    #[test]
    fn markdown_has_a_line_a_case_and_a_column_a_contender() {
        let text = markdown(&[row("a", "one", 1.5), row("a", "two", 2e-7), row("b", "two", 0.0)]);
        assert_eq!(
            text,
            "\n## time (ns)\n\n| case | one | two |\n|-|-:|-:|\n| a | 1.50 | 2.0e-7 |\n| b |  | 0 |\n"
        );
    }

    #[test]
    fn json_is_one_array_of_rows() {
        let text = json(&[row("a", "one", 1.5)]).expect("rows");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value[0]["value"], 1.5);
        assert_eq!(value[0]["unit"], "ns");
    }
}
