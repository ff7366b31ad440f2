//! Small files written by hand, for the tests of reading. Quarter turns are (0, 0, -sqrt(1/2)) and the like: w is
//! negative, so that this is +90 degrees about z.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a helper of tests, each of which uses a part of it"
)]

/// Two joints and one triangle; lines 1 to 29.
pub const MESH: &str = "\
MD5Version 10
commandline \"by hand\"

numJoints 2
numMeshes 1

joints {
	\"origin\"	-1 ( 0 0 2 ) ( 0 0 -0.70710678118654752 )		// +90 degrees about z
	\"tip\"	0 ( 0 4 2 ) ( -0.70710678118654752 0 0 )		// +90 degrees about x
}

mesh {
	// meshes: triangle
	shader \"models/stone\"

	numverts 3
	vert 0 ( 0 0 ) 0 1
	vert 1 ( 0.5 0.25 ) 1 2
	vert 2 ( 1 1 ) 3 1

	numtris 1
	tri 0 0 2 1

	numweights 4
	weight 0 0 1 ( 1 2 3 )
	weight 1 0 0.25 ( 4 0 0 )
	weight 2 1 0.75 ( 0 0 0 )
	weight 3 1 1 ( 1 2 3 )
}
";

/// Two joints, three frames at 10 a second, five animated components; lines 1 to 36.
pub const ANIM: &str = "\
MD5Version 10
commandline \"by hand\"

numFrames 3
numJoints 2
frameRate 10
numAnimatedComponents 5

hierarchy {
	\"origin\"	-1 5 0	// ( Tx Tz )
	\"tip\"	0 56 2	// origin ( Qx Qy Qz )
}

bounds {
	( -1 -2 -3 ) ( 1 2 3 )
	( -2 -2 -3 ) ( 1 2 3 )
	( -3 -2 -3 ) ( 1 2 3 )
}

baseframe {
	( 9 8 7 ) ( 0 0 -0.70710678118654752 )
	( 4 0 0 ) ( 0 0 0 )
}

frame 0 {
	1 3
	0 0 0
}
frame 1 {
	2 5
	-0.70710678118654752 0 0
}
frame 2 {
	3 4
	0 1 0
}
";

/// The text with another piece in one place.
#[track_caller]
pub fn with(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old}");
    text.replace(old, new)
}
