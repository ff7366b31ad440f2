//! The program on a GPU, and without one.

use std::io::Write as _;
use std::process::{Command, Output};

/// The exit code that says there is no device.
const NO_DEVICE: i32 = 3;

fn skinning(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skinning"));
    command.args(arguments).current_dir(env!("CARGO_TARGET_TMPDIR"));
    command
}

/// So that the Vulkan loader, where there is one, finds no driver.
fn without_drivers(mut command: Command) -> Output {
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(variable, "/dev/null");
    }
    for variable in ["VK_ADD_DRIVER_FILES", "WGPU_ADAPTER_NAME"] {
        command.env_remove(variable);
    }
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn check_passes() {
    let output = skinning(&["--check"]).output().expect("the program starts");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if output.status.code() == Some(NO_DEVICE) {
        assert!(
            std::env::var_os("ELEA_REQUIRE_GPU").is_none(),
            "a GPU is required: {stderr}"
        );
        // Past libtest's capture.
        writeln!(std::io::stderr(), "SKIPPED: {stderr}").expect("stderr");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    for stage in ["palette", "positions", "normals", "codes", "picture"] {
        assert!(
            stdout.contains(&format!("ok    {stage}:")),
            "no line of {stage}: {stdout}"
        );
    }
    assert!(stdout.contains("check passed"), "{stdout}");
}

#[cfg(all(unix, not(target_vendor = "apple")))]
#[test]
fn without_a_device_gpu_and_check_exit_with_3_and_say_what_to_do() {
    for arguments in [&["--gpu"][..], &["--check"], &["--bench"]] {
        let output = without_drivers(skinning(arguments));
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(NO_DEVICE), "{arguments:?}: {stderr}");
        for part in [
            "no Vulkan device found",
            "wgpu says",
            "sudo apt-get install mesa-vulkan-drivers",
            "VK_DRIVER_FILES=/dev/null",
            "LD_LIBRARY_PATH",
        ] {
            assert!(stderr.contains(part), "{arguments:?}: no {part:?} in {stderr}");
        }
        assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
}
