//! Decimal numbers as BVH files spell them.

/// What stands at the front of some text.
pub(super) struct Number {
    pub(super) value: f64,
    /// Bytes that it takes.
    pub(super) len: usize,
    /// Whether a comma stands for the decimal point.
    pub(super) comma: bool,
}

/// Larger values (in length units or degrees) count as not finite: a quarter of f32's range, so that the sum of an
/// OFFSET and a position is an f32 too.
pub(super) const LARGEST: f64 = f32::MAX as f64 / 4.0;

/// The largest power of ten that f64 holds exactly.
const EXACT_POWER: usize = 22;
const POWERS: [f64; EXACT_POWER + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// Up to here every integer is an f64.
const EXACT_INTEGER: u64 = 1 << 53;
/// More digits than this may not fit a u64.
const MAX_DIGITS: usize = 19;

/// The longest number at the front of `text`: sign, digits with an optional point (or comma with a digit behind
/// it), exponent. `None` where there is none; infinity where it is beyond f64.
///
/// Correctly rounded: with at most 53 bits of digits and a power of ten up to 22, one multiplication or division
/// of two exact numbers is (Clinger, *How to read floating point numbers accurately*, 1990); the rest goes to
/// the standard library.
#[inline]
pub(super) fn number_at_front(text: &[u8]) -> Option<Number> {
    let mut at = 0;
    let negative = text.first() == Some(&b'-');
    if negative || text.first() == Some(&b'+') {
        at = 1;
    }
    let mut digits = 0_u64;
    let start = at;
    while let Some(digit) = text.get(at).and_then(digit) {
        digits = digits.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let mut count = at - start;
    let mut exponent = 0_i32;
    let mut comma = false;
    let separator = text.get(at).copied();
    if separator == Some(b'.') || separator == Some(b',') && text.get(at + 1).is_some_and(u8::is_ascii_digit)
    {
        let fraction = at + 1;
        let mut end = fraction;
        while let Some(digit) = text.get(end).and_then(digit) {
            digits = digits.wrapping_mul(10).wrapping_add(digit);
            end += 1;
        }
        count += end - fraction;
        exponent = -i32::try_from(end - fraction).unwrap_or(i32::MAX);
        comma = separator == Some(b',');
        at = end;
    }
    if count == 0 {
        return None;
    }
    if let Some(len) = exponent_at_front(&text[at..]) {
        // Rare enough for the slow path below, whatever the exponent is.
        at += len;
        exponent = i32::MIN;
    }
    let power = exponent.unsigned_abs() as usize;
    let value = if count <= MAX_DIGITS && digits <= EXACT_INTEGER && power <= EXACT_POWER {
        #[expect(clippy::cast_precision_loss, reason = "at most 2^53: exact")]
        let value = digits as f64 / POWERS[power];
        if negative { -value } else { value }
    } else {
        parse_exactly(&text[..at], comma)
    };
    Some(Number {
        value,
        len: at,
        comma,
    })
}

#[inline]
fn digit(byte: &u8) -> Option<u64> {
    let digit = byte.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

/// Length of an exponent (`e-5`), if one stands at the front.
#[inline]
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

#[cold]
fn parse_exactly(text: &[u8], comma: bool) -> f64 {
    let text = String::from_utf8_lossy(text);
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

    fn read(text: &str) -> Option<(f64, usize, bool)> {
        number_at_front(text.as_bytes()).map(|number| (number.value, number.len, number.comma))
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
