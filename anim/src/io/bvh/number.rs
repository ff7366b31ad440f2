//! Decimal numbers as BVH files spell them.

use super::lexer::is_blank;

/// What stands at the front of some text.
pub(super) struct Number {
    pub(super) value: f64,
    /// Bytes that it takes.
    pub(super) len: usize,
    /// Whether a comma stands for the decimal point.
    pub(super) comma: bool,
}

/// The longest number at the front of `text`: sign, digits with an optional point (or comma with a digit behind
/// it), exponent. `None` where there is none; infinity where it is beyond f64.
///
/// Correctly rounded, as `str::parse` is.
pub(super) fn number_at_front(text: &[u8]) -> Option<Number> {
    match short_number(text) {
        (_, 0) => any_number(text),
        (value, len) => Some(Number {
            value,
            len,
            comma: false,
        }),
    }
}

/// Value and length of a number of at most seven digits before the point and eight behind it, with a blank after
/// it, which almost all are. Length zero where the front of the text is something else (a pair, because that is
/// returned in registers).
///
/// At most 15 digits and 10^8 are exact, so that the one division rounds once (Clinger, *How to read floating point
/// numbers accurately*, 1990). Eight bytes at a time are looked at as one integer, without a branch for each digit.
#[inline]
pub(super) fn short_number(text: &[u8]) -> (f64, usize) {
    const NONE: (f64, usize) = (0.0, 0);
    const MOST_WHOLE: usize = 7;
    const MOST_FRACTION: usize = 8;
    let Some(text) = text.first_chunk::<24>() else {
        return NONE;
    };
    let negative = text[0] == b'-';
    let start = usize::from(negative);
    let others = non_digits(text) & !u32::from(negative);
    let point = others.trailing_zeros() as usize;
    let whole_len = point - start;
    if whole_len > MOST_WHOLE {
        return NONE;
    }
    let (end, fraction_len) = if text[point] == b'.' {
        let end = (others & (others - 1)).trailing_zeros() as usize;
        (end, end - point - 1)
    } else {
        (point, 0)
    };
    if fraction_len > MOST_FRACTION || whole_len + fraction_len == 0 || !is_blank(text[end]) {
        return NONE;
    }
    // The first digit stands in the lowest byte. Of the whole part, shifted up, zeros come before it; of the
    // fraction, zeros come behind it, so that it counts in 10^-8 whatever its length is.
    let whole = (eight_bytes(&text[start..]) ^ ZEROS) << 8 << (56 - 8 * whole_len);
    let fraction = (eight_bytes(&text[point + 1..]) ^ ZEROS) & FIRST_BYTES[fraction_len];
    let digits = value_of_digits(whole) * 100_000_000 + value_of_digits(fraction);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_wrap,
        reason = "below 10^15: exact"
    )]
    let value = digits as i64 as f64 / 1e8;
    // The sign as a bit, because -0 is a number too.
    (f64::from_bits(value.to_bits() | (u64::from(negative) << 63)), end)
}

/// The lowest 0 to 8 bytes.
const FIRST_BYTES: [u64; 9] = [
    0,
    0xff,
    0xffff,
    0xff_ffff,
    0xffff_ffff,
    0xff_ffff_ffff,
    0xffff_ffff_ffff,
    0xff_ffff_ffff_ffff,
    u64::MAX,
];

const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

#[inline]
fn eight_bytes(text: &[u8]) -> u64 {
    text.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// A bit for each of the first 16 bytes that is no digit, the first byte's lowest.
#[inline]
fn non_digits(text: &[u8; 24]) -> u32 {
    let bits = |bytes: u64| {
        // Digits become 0 to 9, and 118 more sets the highest bit of everything above 9 that does not have it.
        let bytes = bytes ^ ZEROS;
        let above = (bytes & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676;
        let high = (above | bytes) & 0x8080_8080_8080_8080;
        // The product moves the eighth bit of each byte to its place in the highest byte.
        (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    #[expect(clippy::cast_possible_truncation, reason = "16 bits")]
    let bits = (bits(eight_bytes(text)) | (bits(eight_bytes(&text[8..])) << 8)) as u32;
    bits
}

/// The value of eight digits, one a byte, the first one lowest: neighbours are joined to pairs, pairs to fours,
/// fours to the whole.
#[inline]
const fn value_of_digits(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10 * 256 + 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 * 65536 + 1) >> 16;
    (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 * (1 << 32) + 1) >> 32
}

fn any_number(text: &[u8]) -> Option<Number> {
    let mut at = 0;
    if matches!(text.first(), Some(b'-' | b'+')) {
        at = 1;
    }
    let count = |at: usize| text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut digits = count(at);
    at += digits;
    let separator = text.get(at).copied();
    let mut comma = false;
    if separator == Some(b'.') || separator == Some(b',') && text.get(at + 1).is_some_and(u8::is_ascii_digit)
    {
        let fraction = count(at + 1);
        digits += fraction;
        at += 1 + fraction;
        comma = separator == Some(b',');
    }
    if digits == 0 {
        return None;
    }
    at += exponent_at_front(&text[at..]).unwrap_or(0);
    let value = parse_exactly(&text[..at], comma);
    Some(Number {
        value,
        len: at,
        comma,
    })
}

/// Length of an exponent (`e-5`), if one stands at the front.
fn exponent_at_front(text: &[u8]) -> Option<usize> {
    if !matches!(text.first(), Some(b'e' | b'E')) {
        return None;
    }
    let sign = usize::from(matches!(text.get(1), Some(b'+' | b'-')));
    let digits = text[1 + sign..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    (digits > 0).then_some(1 + sign + digits)
}

fn parse_exactly(text: &[u8], comma: bool) -> f64 {
    let text = str::from_utf8(text).unwrap_or_default();
    // The grammar was checked, so that parsing cannot fail.
    if comma {
        text.replace(',', ".").parse()
    } else {
        text.parse()
    }
    .unwrap_or(f64::NAN)
}

/// Whether a word is how some program prints NaN or an infinity: `NaN`, `-nan(ind)`, `inf`, `1.#QNAN`.
pub(super) fn is_non_finite(word: &[u8]) -> bool {
    let word = word.to_ascii_lowercase();
    let word = word
        .strip_prefix(b"-")
        .or_else(|| word.strip_prefix(b"+"))
        .unwrap_or(&word);
    word == b"nan"
        || word.starts_with(b"nan(")
        || word == b"inf"
        || word == b"infinity"
        || [b"1.#ind".as_slice(), b"1.#inf", b"1.#qnan", b"1.#snan"]
            .iter()
            .any(|known| word.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same text at the end of a file and in the middle of one, where eight bytes are read at a time.
    fn read(text: &str) -> Option<(f64, usize, bool)> {
        let read = |text: &str| {
            let number = number_at_front(text.as_bytes())?;
            Some((number.value.to_bits(), number.len, number.comma))
        };
        let found = read(text);
        for behind in [
            " 12.5 -3.25 1e5 0.001 7654321 ",
            "\n\u{cf}\u{cf}9999999999999999999999999999",
        ] {
            assert_eq!(read(&format!("{text}{behind}")), found, "{text}, then {behind:?}");
        }
        found.map(|(bits, len, comma)| (f64::from_bits(bits), len, comma))
    }

    #[test]
    fn values_are_those_of_the_standard_library() {
        let texts = [
            "0",
            "-0",
            "+5",
            ".5",
            "5.",
            "-.25",
            "90.000000",
            "0.1",
            "-179.999999",
            "123456789012345678901234567890",
            "9007199254740993",
            "9007199254740992",
            "0.00000000000000000000000000001",
            "1e22",
            "1E-7",
            "9.27476E-16",
            "-3.5e+2",
            "1e400",
            "179769313486231570000000000000000000000",
            "12345678.901234567890123",
            "2.2250738585072011e-308",
            "00000000000000000000000000000000001.5",
            "-1234567.12345678",
            "9999999.99999999",
            "-12345678.5",
            "1.123456789",
            "7",
            "-.5",
            "-0.00000001",
        ];
        for text in texts {
            let (value, len, _) = read(text).unwrap();
            assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
            assert_eq!(len, text.len(), "{text}");
        }
        // Every count of digits before and behind the point, with a fixed pattern of digits.
        let pattern = "9471830265".repeat(3);
        for whole in 0..=24 {
            for fraction in 0..=30 - whole {
                let text = format!("{}.{}", &pattern[..whole], &pattern[whole..whole + fraction]);
                if whole + fraction == 0 {
                    assert!(read(&text).is_none(), "a point alone is no number");
                    continue;
                }
                assert_eq!(
                    read(&text).unwrap().0.to_bits(),
                    text.parse::<f64>().unwrap().to_bits(),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn a_number_ends_where_its_grammar_ends() {
        assert_eq!(read("0.0-7.5"), Some((0.0, 3, false)));
        assert_eq!(read("1e-5-7"), Some((1e-5, 4, false)));
        assert_eq!(read("1e"), Some((1.0, 1, false)));
        assert_eq!(read("1e+x"), Some((1.0, 1, false)));
        assert_eq!(read("-12,75"), Some((-12.75, 6, true)));
        assert_eq!(read("12,x"), Some((12.0, 2, false)));
        assert_eq!(read("12,75000000000000000000000001"), Some((12.75, 29, true)));
        for nothing in ["", "-", "+", ".", "-.", ",", "e5", "x", "--5"] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn every_spelling_of_nan_and_infinity_is_known() {
        for word in [
            "NaN",
            "nan",
            "-nan(ind)",
            "INF",
            "-inf",
            "Infinity",
            "1.#QNAN0",
            "-1.#IND",
            "1.#INF00",
        ] {
            assert!(is_non_finite(word.as_bytes()), "{word}");
        }
        for word in ["Nancy", "information", "1.0", "", "-"] {
            assert!(!is_non_finite(word.as_bytes()), "{word}");
        }
    }
}
