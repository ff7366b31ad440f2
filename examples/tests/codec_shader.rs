//! `gbuffer_codec::WGSL` as text: what it may hold, how it is brought into a shader, and what languages it becomes.

use gbuffer_codec::WGSL;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage, back, front, proc};

/// A fragment shader that reaches every public function.
const MAIN: &str = "
@group(0) @binding(0) var<uniform> normal: vec4<f32>;
@fragment fn fragment() -> @location(0) vec4<f32> {
    let n = normal.xyz;
    let a = gbuffer_warped_encode(n, 16u) + gbuffer_octahedral_encode(n, 12u) + gbuffer_octahedral_encode_exact(n, 10u);
    let b = gbuffer_diamond_encode(n, 8u) + gbuffer_diamond_sqrt2_encode(n, 8u);
    let words = gbuffer_snorm16x2_pack(a) + gbuffer_snorm8x2_pack(a) + gbuffer_snorm10x2_pack(b)
        + gbuffer_snorm12x2_flags8_pack(b, 255u);
    let c = gbuffer_snorm16x2_unpack(words) + gbuffer_snorm8x2_unpack(words) + gbuffer_snorm10x2_unpack(words)
        + gbuffer_snorm12x2_flags8_unpack(words) + vec2<i32>(i32(gbuffer_snorm12x2_flags8_flags(words)))
        + gbuffer_rgba8_unpack(gbuffer_rgba8_pack(a));
    let uv = vec2<f32>(c);
    let back = gbuffer_warped_decode(c, 16u) + gbuffer_warped_decode_uv(uv) + gbuffer_octahedral_decode(c, 16u)
        + gbuffer_octahedral_decode_uv(uv) + gbuffer_diamond_decode(c, 16u) + gbuffer_diamond_decode_uv(uv)
        + gbuffer_diamond_sqrt2_decode(c, 16u) + gbuffer_diamond_sqrt2_decode_uv(uv);
    return vec4<f32>(back, select(0.0, 1.0, gbuffer_has_direction(n)));
}
";

fn parse(source: &str) -> (Module, ModuleInfo) {
    let module = front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let info = validate(&module);
    (module, info)
}

fn validate(module: &Module) -> ModuleInfo {
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(module)
        .unwrap_or_else(|e| panic!("{e:?}"))
}

/// Nothing that would get into the way of the shader it is put into, and names that `naga_oil` accepts.
#[test]
fn functions_constants_and_one_struct_with_a_prefix() {
    let (module, _) = parse(WGSL);
    assert!(module.entry_points.is_empty(), "entry points");
    assert!(module.global_variables.is_empty(), "bindings or variables");
    assert!(module.overrides.is_empty(), "overrides");
    for directive in ["enable ", "requires ", "diagnostic", "#", "import "] {
        let found = WGSL.lines().find(|line| line.starts_with(directive));
        assert_eq!(found, None, "no directives");
    }
    let names: Vec<&str> = module
        .functions
        .iter()
        .filter_map(|(_, f)| f.name.as_deref())
        .chain(module.constants.iter().filter_map(|(_, c)| c.name.as_deref()))
        .chain(module.types.iter().filter_map(|(_, t)| t.name.as_deref()))
        .collect();
    assert!(names.len() > 50, "{names:?}");
    for name in names {
        assert!(name.to_lowercase().starts_with("gbuffer"), "{name}: no prefix");
        assert!(
            !name.ends_with(|c: char| c.is_ascii_digit() || c == '_'),
            "{name}: naga_oil would refuse it"
        );
        assert!(!name.contains("__"), "{name}");
    }
}

#[test]
fn concatenated_it_becomes_every_language() {
    let (module, info) = parse(&format!("{WGSL}{MAIN}"));
    let entry = || "fragment".to_owned();
    let stage = ShaderStage::Fragment;

    let words = back::spv::write_vec(&module, &info, &back::spv::Options::default(), None).expect("SPIR-V");
    assert_eq!(words[0], 0x0723_0203, "SPIR-V's magic number");

    let msl_options = back::msl::Options {
        lang_version: (2, 0),
        fake_missing_bindings: true,
        ..Default::default()
    };
    let (msl, _) = back::msl::write_string(
        &module,
        &info,
        &msl_options,
        &back::msl::PipelineOptions::default(),
    )
    .expect("MSL");

    let mut hlsl = String::new();
    let hlsl_options = back::hlsl::Options {
        fake_missing_bindings: true,
        ..Default::default()
    };
    back::hlsl::Writer::new(&mut hlsl, &hlsl_options, &back::hlsl::PipelineOptions::default())
        .write(&module, &info, None)
        .expect("HLSL");

    let glsl = |version| {
        let mut glsl = String::new();
        let options = back::glsl::Options {
            version,
            ..Default::default()
        };
        let pipeline = back::glsl::PipelineOptions {
            shader_stage: stage,
            entry_point: entry(),
            multiview: None,
        };
        back::glsl::Writer::new(
            &mut glsl,
            &module,
            &info,
            &options,
            &pipeline,
            proc::BoundsCheckPolicies::default(),
        )
        .expect("GLSL")
        .write()
        .expect("GLSL");
        glsl
    };
    // naga writes the first of these for ES 3.00 as well, which does not have it.
    let es = glsl(back::glsl::Version::new_gles(300));
    for function in ["bitfieldExtract", "bitfieldInsert", "findMSB", "packSnorm2x16"] {
        assert!(!es.contains(function), "GLSL ES 3.00 has no {function}");
    }
    for (language, text) in [
        ("MSL", msl),
        ("HLSL", hlsl),
        ("GLSL 4.50", glsl(back::glsl::Version::Desktop(450))),
        ("GLSL ES 3.10", glsl(back::glsl::Version::new_gles(310))),
        ("GLSL ES 3.00", es),
    ] {
        for function in [
            "gbuffer_warped_encode",
            "gbuffer_octahedral_encode_exact",
            "gbuffer_rgba8_unpack",
        ] {
            assert!(text.contains(function), "{language} has no {function}");
        }
    }
}

/// The shader of the crate's README, as a reader would paste it.
#[test]
fn readme_shader_is_valid() {
    let readme = include_str!("../../gbuffer-codec/README.md");
    let blocks: Vec<&str> = readme
        .split("```wgsl\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(blocks.len(), 1, "one block of WGSL");
    let (module, _) = parse(&format!("{WGSL}{}", blocks[0]));
    assert_eq!(module.entry_points.len(), 2, "what writes and what reads");
}

#[test]
fn naga_oil_imports_it() {
    imports(WGSL, Some("gbuffer_codec"));
}

/// bevy's way: a file with the name in its first line.
#[test]
fn naga_oil_imports_it_by_its_own_path() {
    imports(&format!("#define_import_path gbuffer_codec\n{WGSL}"), None);
}

fn imports(module: &str, as_name: Option<&str>) {
    use naga_oil::compose::{ComposableModuleDescriptor, Composer, NagaModuleDescriptor};
    let mut composer = Composer::default();
    let descriptor = ComposableModuleDescriptor {
        source: module,
        file_path: "normal.wgsl",
        as_name: as_name.map(Into::into),
        ..Default::default()
    };
    let added = composer.add_composable_module(descriptor).map(drop);
    added.unwrap_or_else(|e| panic!("{}", e.emit_to_string(&composer)));
    let source = "
#import gbuffer_codec::{gbuffer_warped_encode, gbuffer_snorm16x2_pack}
@group(0) @binding(0) var<uniform> normal: vec4<f32>;
@fragment fn fragment() -> @location(0) vec4<u32> {
    return vec4<u32>(gbuffer_snorm16x2_pack(gbuffer_warped_encode(normal.xyz, 16u)));
}";
    let module = composer
        .make_naga_module(NagaModuleDescriptor {
            source,
            file_path: "main.wgsl",
            ..Default::default()
        })
        .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&composer)));
    validate(&module);
    assert_eq!(module.entry_points.len(), 1, "the importing shader's");
}
