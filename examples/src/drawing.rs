//! The command line of the programs that draw one picture.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, Command};

/// The picture was not drawn, or the command line is wrong.
const FAILED: u8 = 2;

/// Runs a program that draws one picture: `draw` is given the file to write, which the command line names, or else
/// `default`. Only names with the ending of `default` are taken, before anything is computed or opened.
///
/// Exit status: 0 when the picture was written, 2 when not; then standard error says why and what to do.
pub fn run(
    about: &'static str,
    default: &'static str,
    draw: impl FnOnce(&str) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    let (name, ending) = name_and_ending(default);
    let file = Arg::new("FILE")
        .help(format!("The picture to write, a .{ending}"))
        .default_value(default)
        .value_parser(move |path: &str| with_ending(path, ending));
    let command = Command::new(name)
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .arg(file);
    // For --help and for what is wrong, clap ends the program, with 0 and with 2.
    let matches = command.get_matches();
    let path = matches.get_one::<String>("FILE").map_or(default, String::as_str);
    match draw(path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::from(FAILED)
        }
    }
}

/// Of `out/reach.gif`: `reach`, as the program is called, and `gif`.
fn name_and_ending(path: &str) -> (&str, &str) {
    let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
    file.rsplit_once('.').unwrap_or((file, ""))
}

/// The path, if it ends so (in any case).
fn with_ending(path: &str, ending: &str) -> Result<String, String> {
    let found = Path::new(path).extension();
    if found.is_some_and(|found| found.eq_ignore_ascii_case(ending)) {
        Ok(path.to_owned())
    } else {
        Err(format!("end the name with .{ending}, which is what is written"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_called_as_its_picture() {
        assert_eq!(name_and_ending("out/reach.gif"), ("reach", "gif"));
        assert_eq!(name_and_ending("tiles.png"), ("tiles", "png"));
    }

    #[test]
    fn only_the_right_ending_is_taken() {
        for right in ["a.gif", "A.GIF", "some where/b.c.gif"] {
            assert_eq!(with_ending(right, "gif"), Ok(right.to_owned()));
        }
        for wrong in ["", "gif", ".gif", "walk.bvh", "a.gif.png", "a.gif/walk"] {
            let error = with_ending(wrong, "gif").expect_err(wrong);
            assert!(error.contains("end the name with .gif"), "{error}");
        }
    }
}
