//! The libraries' shader text works by concatenation. Needs no device.

use wgpu::naga;

/// Parses and validates as WebGPU does.
fn validated(text: &str) -> naga::Module {
    let module =
        naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::empty(),
    )
    .validate(&module)
    .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    module
}

/// Global names: functions, structs and constants.
fn names(module: &naga::Module) -> Vec<&str> {
    let functions = module
        .functions
        .iter()
        .filter_map(|(_, function)| function.name.as_deref());
    let types = module.types.iter().filter_map(|(_, kind)| kind.name.as_deref());
    let constants = module
        .constants
        .iter()
        .filter_map(|(_, constant)| constant.name.as_deref());
    functions.chain(types).chain(constants).collect()
}

#[test]
fn skin_wgsl_stands_alone_and_takes_no_names_and_no_bindings() {
    let module = validated(elea_anim::SKIN_WGSL);
    assert!(module.global_variables.is_empty(), "bindings are the user's");
    assert!(module.overrides.is_empty(), "overrides are the user's");
    assert!(module.entry_points.is_empty(), "entry points are the user's");
    for name in names(&module) {
        assert!(
            name.starts_with("elea_") || name.starts_with("Elea"),
            "{name} could be a user's name"
        );
        // naga_oil refuses such names.
        assert!(
            !name.ends_with(|last: char| last.is_ascii_digit() || last == '_'),
            "{name}"
        );
    }
    let directive = ["enable ", "requires ", "diagnostic("];
    for line in elea_anim::SKIN_WGSL.lines() {
        assert!(
            !directive.iter().any(|word| line.starts_with(word)),
            "a directive must come first: {line}"
        );
    }
}

#[test]
fn every_function_of_skin_wgsl_is_usable_after_concatenation() {
    let user = "
        @group(0) @binding(0) var<storage, read> palette: array<EleaAffine>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec3<f32>>;
        @compute @workgroup_size(1)
        fn main() {
            let joints = elea_unpack_joints(vec2<u32>(0x00010000u, 0x00030002u));
            let both = elea_palette(elea_affine_mul(palette[0], palette[1]), palette[2]);
            let four = elea_blend(both, palette[joints.y], palette[joints.z], palette[joints.w], vec4<f32>(0.25));
            let m = elea_affine_add(elea_affine_add(elea_affine_zero(), four, 0.5), both, 0.5);
            out[0] = elea_transform_point(m, vec3<f32>(1.0));
            out[1] = elea_transform_vector(m, vec3<f32>(1.0));
            out[2] = elea_transform_normal(m, vec3<f32>(0.0, 1.0, 0.0));
        }
    ";
    // In both orders, with the other library's text between.
    validated(&[elea_anim::SKIN_WGSL, gbuffer_codec::WGSL, user].concat());
    validated(&[user, gbuffer_codec::WGSL, elea_anim::SKIN_WGSL].concat());
}
