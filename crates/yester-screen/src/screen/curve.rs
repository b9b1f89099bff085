//! A size over time as a curve of dots.

/// The dots of a Braille character, from the left column, each from the bottom up.
const DOTS: [[u32; 4]; 2] = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]];

/// The curve of these sizes until `now`, in so many columns and rows. Sizes are drawn by their logarithm: the way from 1,000 bytes to
/// 100 is as long as from 100 to 10.
pub fn curve(sizes: &[(f64, u64)], now: f64, width: usize, height: usize) -> Vec<String> {
    let biggest = sizes.iter().map(|(_, size)| *size).max().unwrap_or(0);
    let (columns, rows) = (2 * width, 4 * height);
    let level = |column: usize| {
        let time = now * (column + 1) as f64 / columns as f64;
        let known = sizes.partition_point(|(at, _)| *at <= time);
        let size = sizes
            .get(known.saturating_sub(1))
            .map_or(0, |(_, size)| *size);
        let share = (size as f64 + 1.0).ln() / (biggest as f64 + 1.0).ln().max(f64::MIN_POSITIVE);
        // One dot is there as long as anything is left.
        let dots = (share * rows as f64).round() as usize;
        dots.clamp(usize::from(size > 0), rows)
    };
    let levels: Vec<usize> = (0..columns).map(level).collect();
    let cell = |row: usize, column: usize| {
        let bottom = 4 * (height - 1 - row);
        let mut dots = 0;
        for (side, column_dots) in DOTS.iter().enumerate() {
            let level = levels[2 * column + side].saturating_sub(bottom);
            dots |= column_dots.iter().take(level).sum::<u32>();
        }
        char::from_u32(0x2800 + dots).unwrap_or(' ')
    };
    let row = |row| (0..width).map(|column| cell(row, column)).collect();
    (0..height).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_falls_from_the_biggest_size_to_what_is_left() {
        let sizes = [(0.0, 1000), (5.0, 30), (7.5, 0)];
        let curve = curve(&sizes, 10.0, 4, 2);
        assert_eq!(curve, ["⣿⡇⠀⠀", "⣿⣿⡇⠀"]);
    }

    #[test]
    fn no_size_and_no_room_draw_nothing() {
        assert_eq!(curve(&[], 0.0, 2, 1), ["⠀⠀"]);
        assert_eq!(curve(&[(0.0, 5)], 1.0, 0, 0), Vec::<String>::new());
    }
}
