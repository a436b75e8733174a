//! `sayso completions` and the man page: made from the flags themselves.

use std::io::Write;

use clap::{Command, CommandFactory};

use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::{Cli, CompletionsFlags};
use crate::output::Output;

pub(crate) fn run(flags: &CompletionsFlags, out: &mut Output) -> Ran {
    let mut text = Vec::new();
    clap_complete::generate(flags.shell, &mut Cli::command(), "sayso", &mut text);
    out.raw(&text)?;
    Ok(Exit::Done)
}

pub(crate) fn man(out: &mut Output) -> Ran {
    let mut command = Cli::command();
    command.build();
    let mut text = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    man.render(&mut text)?;
    // One page: what each command takes follows the overview.
    for sub in command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
    {
        section(sub, &mut text)?;
    }
    out.raw(&text)?;
    Ok(Exit::Done)
}

fn section(sub: &Command, text: &mut Vec<u8>) -> Result<(), Failure> {
    let name = sub
        .get_bin_name()
        .unwrap_or_else(|| sub.get_name())
        .to_uppercase();
    writeln!(text, ".SH \"{name}\"")?;
    let man = clap_mangen::Man::new(sub.clone());
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)?;
    man.render_extra_section(text)?;
    Ok(())
}
