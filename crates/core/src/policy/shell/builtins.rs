//! Every word that bash, dash and zsh run themselves instead of a program.
//!
//! Many of them evaluate their arguments: `test -v 'x[$(id)]'` and `printf -v 'x[$(id)]' y` run `id`
//! in bash, `print -v 'x[$(id)1]' y` and `printf %d 'x[$(id)1]'` in zsh. So none of them may be the name
//! of a plain command, except the few whose arguments were looked at and stay words. A test holds
//! these lists against the shells.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Builtins and reserved words of bash 5.2.
pub const BASH: &str = "! . : [ [[ ]] alias bg bind break builtin caller case cd command compgen complete \
    compopt continue coproc declare dirs disown do done echo elif else enable esac eval \
    exec exit export false fc fg fi for function getopts hash help history if in jobs \
    kill let local logout mapfile popd printf pushd pwd read readarray readonly return \
    select set shift shopt source suspend test then time times trap true type typeset \
    ulimit umask unalias unset until wait while { }";

/// Builtins and reserved words of dash 0.5.
pub const DASH: &str = "! . : [ alias bg break case cd chdir command continue do done echo elif else esac \
    eval exec exit export false fc fg fi for getopts hash if in jobs kill local printf \
    pwd read readonly return set shift test then times trap true type ulimit umask \
    unalias unset until wait while { }";

/// Builtins, reserved words and precommand modifiers of zsh 5.9, those of all its modules included.
pub const ZSH: &str = "! - . : [ [[ alias always autoload bg bindkey break builtin bye cap case cd chdir chgrp \
    chmod chown clone command compadd comparguments compcall compctl compdescribe \
    compfiles compgroups compquote compset comptags comptry compvalues continue coproc \
    declare dirs disable disown do done echo echotc echoti elif else emulate enable end \
    esac eval example exec exit export false fc fg fi float for foreach function \
    functions getcap getln getopts hash history if in integer jobs kill let limit ln \
    local log logout mkdir mv nocorrect noglob pcre_compile pcre_match pcre_study popd \
    print printf private pushd pushln \
    pwd r read readonly rehash repeat return rm rmdir sched select set setcap setopt \
    shift source stat strftime suspend sync syserror sysopen sysread sysseek syswrite \
    test then time times trap true ttyctl type typeset ulimit umask unalias unfunction \
    unhash unlimit unset unsetopt until vared wait whence where which while zcompile \
    zcurses zdelattr zf_chgrp zf_chmod zf_chown zf_ln zf_mkdir zf_mv zf_rm zf_rmdir \
    zf_sync zformat zftp zgdbmpath zgetattr zle zlistattr zmodload zparseopts zprof zpty \
    zregexparse zselect zsetattr zsocket zstat zstyle zsystem ztcp ztie zuntie { }";

/// Words of other shells and of other versions of these.
const ELSEWHERE: &str = "end endif endsw foreach readarray wait zcalc zmv zargs";

/// Builtins whose arguments were looked at and stay words: they print them, or name a folder or a
/// program with them, and nothing else.
pub const INERT: &[&str] = &["cd", "echo", "false", "pwd", "true", "which"];

/// Programs that a module of zsh can stand in for, which then takes the same words for the same
/// work. The module must be loaded first, and what loads it is never plain.
pub const SHADOWED: &[&str] = &[
    "chgrp", "chmod", "chown", "ln", "mkdir", "mv", "rm", "rmdir", "stat", "sync",
];

static REFUSED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    [BASH, DASH, ZSH, ELSEWHERE]
        .into_iter()
        .flat_map(|list| list.split(' '))
        .filter(|name| !INERT.contains(name) && !SHADOWED.contains(name))
        .collect()
});

/// Whether no plain command may have this name: some shell would run it itself.
pub fn is_refused(name: &str) -> bool {
    REFUSED.contains(name)
}
