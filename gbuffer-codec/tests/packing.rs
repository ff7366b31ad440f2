//! Packing: round trips of every code, and ANY bits on the way back.

use gbuffer_codec::pack;

const COMPONENTS: [i16; 13] = [
    i16::MIN,
    -32767,
    -2048,
    -2047,
    -512,
    -511,
    -128,
    -127,
    -1,
    0,
    1,
    127,
    i16::MAX,
];

#[test]
fn every_8_bit_word() {
    for word in 0..=u16::MAX {
        let [u, v] = pack::from_snorm8x2(word);
        let expected = word.to_le_bytes().map(|b| i16::from(b.cast_signed().max(-127)));
        assert_eq!([u, v], expected, "{word:#06x}");
        assert_eq!(
            pack::from_snorm8x2(pack::to_snorm8x2([u, v])),
            [u, v],
            "{word:#06x}"
        );
    }
}

#[test]
fn every_16_bit_component() {
    for x in i16::MIN..=i16::MAX {
        let expected = [x.max(-32767), 5];
        assert_eq!(pack::from_snorm16x2(pack::to_snorm16x2([x, 5])), expected, "{x}");
        assert_eq!(pack::from_rgba8(pack::to_rgba8([x, 5])), expected, "{x}");
        // Raw bits, the most negative number included.
        let word = u32::from(x.cast_unsigned()) << 16 | 7;
        assert_eq!(pack::from_snorm16x2(word), [7, x.max(-32767)], "{word:#x}");
        assert_eq!(
            pack::from_rgba8(word.to_le_bytes()),
            [7, x.max(-32767)],
            "{word:#x}"
        );
    }
    assert_eq!(
        pack::to_rgba8([0x1234, 0x0567]),
        [0x34, 0x12, 0x67, 0x05],
        "u low, u high, v low, v high"
    );
}

#[test]
fn every_10_and_12_bit_component_under_any_other_bits() {
    fn expected(field: u32, bits: u32) -> i16 {
        let half = 1_i32 << (bits - 1);
        let field = field.cast_signed();
        let signed = if field >= half { field - 2 * half } else { field };
        i16::try_from(signed.max(1 - half)).expect("at most 12 bits")
    }
    for field in 0..1 << 10 {
        for rest in [0, 0xfff, 0xa5a] {
            let word = field | 3 << 10 | rest << 20;
            assert_eq!(pack::from_snorm10x2(word), [expected(field, 10), 3], "{word:#x}");
            let word = 3 | field << 10 | rest << 20;
            assert_eq!(pack::from_snorm10x2(word), [3, expected(field, 10)], "{word:#x}");
        }
        let code = [expected(field, 10), -7];
        assert_eq!(pack::from_snorm10x2(pack::to_snorm10x2(code)), code, "{field}");
        assert_eq!(pack::to_snorm10x2(code) >> 20, 0, "{field}: the rest stays free");
    }
    for field in 0..1 << 12 {
        for flags in [0, 0xff, 0x5a] {
            let code = [expected(field, 12), -9];
            let word = pack::to_snorm12x2_flags8(code, flags);
            assert_eq!(pack::from_snorm12x2_flags8(word), (code, flags), "{word:#x}");
            let word = field << 12 | 9 | u32::from(flags) << 24;
            assert_eq!(
                pack::from_snorm12x2_flags8(word),
                ([9, expected(field, 12)], flags),
                "{word:#x}"
            );
        }
    }
}

#[test]
fn components_beyond_the_depth_are_clamped() {
    for u in COMPONENTS {
        for v in COMPONENTS {
            let code = [u, v];
            let clamped = |h: i16| code.map(|x| x.clamp(-h, h));
            assert_eq!(
                pack::from_snorm16x2(pack::to_snorm16x2(code)),
                clamped(32767),
                "{code:?}"
            );
            assert_eq!(
                pack::from_snorm8x2(pack::to_snorm8x2(code)),
                clamped(127),
                "{code:?}"
            );
            assert_eq!(
                pack::from_snorm10x2(pack::to_snorm10x2(code)),
                clamped(511),
                "{code:?}"
            );
            assert_eq!(
                pack::from_snorm12x2_flags8(pack::to_snorm12x2_flags8(code, 1)),
                (clamped(2047), 1),
                "{code:?}"
            );
        }
    }
}
