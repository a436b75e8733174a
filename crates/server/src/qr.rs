//! A short text, such as a link, as a picture for a phone: rows of light and dark, drawn by the page.

/// The rows of the picture, `#` for dark; nothing when the text does not fit into one.
pub(crate) fn rows(text: &str) -> Option<Vec<String>> {
    let code = qrcode::QrCode::new(text.as_bytes()).ok()?;
    let colors = code.to_colors();
    let row = |cells: &[qrcode::Color]| {
        let cell = |color: &qrcode::Color| {
            if *color == qrcode::Color::Dark {
                '#'
            } else {
                '.'
            }
        };
        cells.iter().map(cell).collect()
    };
    Some(colors.chunks(code.width()).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_square_with_its_three_corners() {
        let rows = rows("https://sayso.example/#code=say_code_0123456789").unwrap();
        assert!(rows.len() >= 21 && rows.iter().all(|row| row.len() == rows.len()));
        assert!(rows[0].starts_with("#######.") && rows[0].ends_with(".#######"));
        assert!(rows[rows.len() - 1].starts_with("#######."));
        assert_eq!(super::rows(&"x".repeat(5000)), None);
    }
}
