//! Neck and head: which rotation of the source a neck joint of the target follows.

/// Where a joint of a chain takes its rotation from: between two of the source's joints, `None` for the chain's base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    pub(super) from: Option<usize>,
    pub(super) to: Option<usize>,
    pub(super) blend: f32,
}

/// Joint `index` of `target` joints stands as far up its chain as the answer does among `source` joints. Tops meet
/// tops; with as many joints on both sides each takes its own twin's. With no source joint all take the base's.
pub(super) fn between(index: usize, target: usize, source: usize) -> Between {
    let whole = (index + 1) * source;
    let (steps, rest) = (whole / target, whole % target);
    let joint = |steps: usize| steps.checked_sub(1);
    #[expect(clippy::cast_precision_loss, reason = "joint counts are small")]
    let blend = rest as f32 / target as f32;
    Between {
        from: joint(steps),
        to: joint((steps + 1).min(source)),
        blend,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_meet_and_tops_meet() {
        for count in 1..6 {
            for index in 0..count {
                let found = between(index, count, count);
                assert_eq!((found.from, found.blend), (Some(index), 0.0));
            }
            for source in 1..6 {
                let top = between(count - 1, count, source);
                assert_eq!((top.from, top.blend), (Some(source - 1), 0.0));
            }
            assert_eq!(
                between(0, count, 0),
                Between {
                    from: None,
                    to: None,
                    blend: 0.0
                }
            );
        }
        // Four joints over one: a quarter of the way from the base to the one for each.
        assert_eq!(
            between(0, 4, 1),
            Between {
                from: None,
                to: Some(0),
                blend: 0.25
            }
        );
        assert_eq!(
            between(0, 1, 4),
            Between {
                from: Some(3),
                to: Some(3),
                blend: 0.0
            }
        );
    }
}
