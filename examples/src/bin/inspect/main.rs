//! Prints what a motion file holds: `inspect FILE [--json] [--strict] [--world 0,1,...]`.
//!
//! With `--json` one object goes to standard output, also when the file cannot be read. Exit status 0 when it was
//! read, 2 when not.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use clap::Parser;

mod read;
mod report;

use report::Report;

/// Prints what a motion file (BVH, glTF, GLB, MD5) holds.
#[derive(Debug, Parser)]
#[command(name = "inspect")]
struct Arguments {
    /// The file to read.
    file: PathBuf,
    /// One JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// Refuse files that are only read with a warning.
    #[arg(long)]
    strict: bool,
    /// Frames, counted from 0, whose joint positions in model space are printed.
    #[arg(long, value_delimiter = ',', value_name = "FRAME")]
    world: Vec<usize>,
}

/// The file could not be read, or the command line is wrong.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // A script that asked for an object gets one.
            if error.use_stderr() && std::env::args().any(|argument| argument == "--json") {
                let text = error.to_string();
                let first_line = text.lines().next().unwrap_or_default().to_owned();
                print(&Report::failed(first_line).to_json());
                return ExitCode::from(FAILED);
            }
            error.exit()
        }
    };
    let name = arguments.file.display();
    match read::read(&arguments.file, arguments.strict, &arguments.world) {
        Ok(report) if arguments.json => print(&report.to_json()),
        Ok(report) => print(&format!("{name}: {report}")),
        Err(message) => {
            if arguments.json {
                print(&Report::failed(format!("{name}: {message}")).to_json());
            } else {
                eprintln!("inspect: {name}: {message}");
            }
            return ExitCode::from(FAILED);
        }
    }
    ExitCode::SUCCESS
}

/// To standard output; a reader that has seen enough (`| head`) is no failure.
fn print(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{}", text.trim_end());
}
