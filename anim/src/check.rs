//! What callers hand over has to fit together: panics that say what, which and how many, at the caller's line.
//!
//! The texts are made out of line, so that a check costs one comparison.

use crate::JointId;

/// Panics unless two things are of as many joints.
#[inline]
#[track_caller]
pub(crate) fn same_joints(one: &str, has: usize, other: &str, needs: usize) {
    if has != needs {
        other_joints(one, has, other, needs);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn other_joints(one: &str, has: usize, other: &str, needs: usize) -> ! {
    panic!("the {one} has {has} joints, the {other} {needs}");
}

/// Panics unless a list has one element for each of what it belongs to: `list` "palette", `each` "slots of the binding".
#[inline]
#[track_caller]
pub(crate) fn one_each(list: &str, len: usize, each: &str, count: usize) {
    if len != count {
        other_length(list, len, each, count);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn other_length(list: &str, len: usize, each: &str, count: usize) -> ! {
    panic!("{len} {list} for {count} {each}");
}

/// The joint's index. Panics if it is not below `joints`: `whole` "pose".
#[inline]
#[track_caller]
pub(crate) fn joint(joint: JointId, whole: &str, joints: usize) -> usize {
    let index = joint.index();
    if index >= joints {
        no_such_joint(index, whole, joints);
    }
    index
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_such_joint(index: usize, whole: &str, joints: usize) -> ! {
    panic!("joint {index} of a {whole} of {joints} joints");
}
