/** What the colours of code go by in each language: enough for the eye, and never a judgement. */

export type Language = {
  /** What begins a comment up to the end of the line. */
  line: string[];
  /** Comments and texts over several lines: how they begin and end. */
  block: [string, string][];
  text: [string, string][];
  /** Signs around a text in one line. */
  quotes: string;
  keywords: RegExp;
  /** Words after which the next one is a name. */
  defines: RegExp;
  /** Whether words with a capital are names of types. */
  capitals: boolean;
  /** What at the beginning of a line is a name: a key, a section. */
  key?: RegExp;
  /** A text with a colon behind it is a key. */
  keyTexts?: boolean;
  /** A quote that may be the mark of a lifetime or of nothing. */
  shortQuote?: boolean;
  /** A comment only behind a space. */
  spaced?: boolean;
  /** Words are the same in capitals. */
  anyCase?: boolean;
  /** Elements in angle brackets. */
  markup?: boolean;
};

const NONE = /^$/;
const SLASHES: Pick<Language, 'line' | 'block'> = { line: ['//'], block: [['/*', '*/']] };
const base: Language = { line: [], block: [], text: [], quotes: '"\'', keywords: NONE, defines: NONE, capitals: true };

const rust: Language = {
  ...base,
  ...SLASHES,
  shortQuote: true,
  keywords: /^(?:as|async|await|break|const|continue|crate|dyn|else|enum|extern|false|fn|for|if|impl|in|let|loop|match|mod|move|mut|pub|ref|return|self|Self|static|struct|super|trait|true|type|union|unsafe|use|where|while)$/,
  defines: /^(?:fn|struct|enum|trait|mod|type|union)$/,
};
const script: Language = {
  ...base,
  ...SLASHES,
  text: [['`', '`']],
  keywords: /^(?:abstract|as|async|await|break|case|catch|class|const|continue|debugger|declare|default|delete|do|else|enum|export|extends|false|finally|for|from|function|get|if|implements|import|in|instanceof|interface|let|namespace|new|null|of|private|protected|public|readonly|return|satisfies|set|static|super|switch|this|throw|true|try|type|typeof|undefined|var|void|while|with|yield)$/,
  defines: /^(?:function|class|interface|type|enum|namespace)$/,
};
const python: Language = {
  ...base,
  line: ['#'],
  text: [['"""', '"""'], ["'''", "'''"]],
  keywords: /^(?:and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|False|finally|for|from|global|if|import|in|is|lambda|match|None|nonlocal|not|or|pass|raise|return|self|True|try|while|with|yield)$/,
  defines: /^(?:def|class)$/,
};
const go: Language = {
  ...base,
  ...SLASHES,
  text: [['`', '`']],
  keywords: /^(?:break|case|chan|const|continue|default|defer|else|fallthrough|false|for|func|go|goto|if|import|interface|iota|map|nil|package|range|return|select|struct|switch|true|type|var)$/,
  defines: /^(?:func|type|package)$/,
};
const cLike: Language = {
  ...base,
  ...SLASHES,
  keywords: /^(?:abstract|alignas|auto|base|bool|boolean|break|byte|case|catch|char|class|const|constexpr|continue|data|decltype|default|define|delete|do|double|else|endif|enum|explicit|export|extends|extern|false|final|finally|float|for|foreach|friend|fun|func|goto|guard|if|ifdef|ifndef|implements|import|in|include|init|inline|int|interface|internal|is|let|long|mutable|namespace|native|new|nil|null|nullptr|object|operator|out|override|package|params|private|protected|protocol|public|readonly|record|ref|register|return|sealed|self|short|signed|sizeof|static|strictfp|string|struct|super|suspend|switch|synchronized|template|this|throw|throws|transient|true|try|typedef|typename|union|unsigned|using|val|var|virtual|void|volatile|when|where|while|with|yield)$/,
  defines: /^(?:class|struct|interface|enum|record|namespace|fun|func|protocol|object)$/,
};
const php: Language = { ...cLike, line: ['//', '#'], keywords: /^(?:abstract|alignas|auto|base|bool|boolean|break|byte|case|catch|char|class|const|constexpr|continue|data|decltype|default|define|delete|do|double|else|endif|enum|explicit|export|extends|extern|false|final|finally|float|for|foreach|friend|fun|func|goto|guard|if|ifdef|ifndef|implements|import|in|include|init|inline|int|interface|internal|is|let|long|mutable|namespace|native|new|nil|null|nullptr|object|operator|out|override|package|params|private|protected|protocol|public|readonly|record|ref|register|return|sealed|self|short|signed|sizeof|static|strictfp|string|struct|super|suspend|switch|synchronized|template|this|throw|throws|transient|true|try|typedef|typename|union|unsigned|using|val|var|virtual|void|volatile|when|where|while|with|yield|echo|function|use|fn|match|trait|array|elseif|isset|unset|require|require_once|include_once|global)$/, defines: /^(?:function|class|interface|trait|enum|namespace)$/ };
const ruby: Language = {
  ...base,
  line: ['#'],
  keywords: /^(?:alias|and|begin|break|case|class|def|defined|do|else|elsif|end|ensure|false|for|if|in|include|module|next|nil|not|or|private|protected|public|raise|redo|require|rescue|retry|return|self|super|then|true|undef|unless|until|when|while|yield)$/,
  defines: /^(?:def|class|module)$/,
};
const shell: Language = {
  ...base,
  line: ['#'],
  spaced: true,
  capitals: false,
  keywords: /^(?:case|do|done|elif|else|esac|exit|export|fi|for|function|if|in|local|return|select|set|shift|source|then|trap|unset|until|while)$/,
  defines: /^(?:function)$/,
  key: /^\s*[A-Za-z_]\w*(?=\+?=)/,
};
const sql: Language = {
  ...base,
  line: ['--'],
  block: [['/*', '*/']],
  capitals: false,
  anyCase: true,
  keywords: /^(?:add|all|alter|and|as|asc|begin|between|by|case|check|column|commit|constraint|create|cross|default|delete|desc|distinct|drop|else|end|exists|false|foreign|from|full|group|having|if|in|index|inner|insert|into|is|join|key|left|like|limit|not|null|offset|on|or|order|outer|primary|references|returning|right|rollback|select|set|table|then|true|union|unique|update|using|values|view|when|where|with)$/,
};
const css: Language = { ...base, block: [['/*', '*/']], capitals: false, key: /^\s*(?:@[\w-]+|--?[\w-]+(?=\s*:)|[a-z-]+(?=\s*:\s))/ };
const markup: Language = { ...base, block: [['<!--', '-->']], markup: true, capitals: false };
const json: Language = { ...base, ...SLASHES, quotes: '"', capitals: false, keyTexts: true, keywords: /^(?:true|false|null)$/ };
const yaml: Language = { ...base, line: ['#'], spaced: true, capitals: false, keywords: /^(?:true|false|null|yes|no|on|off)$/, key: /^\s*(?:- +)*[\w./$-]+(?=\s*:(?:\s|$))/ };
const toml: Language = { ...base, line: ['#', ';'], text: [['"""', '"""'], ["'''", "'''"]], capitals: false, keywords: /^(?:true|false)$/, key: /^\s*\[\[?[^\]\n]*\]\]?/ };
const docker: Language = { ...base, line: ['#'], capitals: false, keywords: /^(?:FROM|RUN|CMD|LABEL|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL|AS)$/ };

const BY_NAME: [RegExp, Language][] = [
  [/^(?:rs|rust)$/, rust],
  [/^(?:js|mjs|cjs|jsx|ts|mts|cts|tsx|javascript|typescript)$/, script],
  [/^(?:py|pyi|python)$/, python],
  [/^(?:go|golang)$/, go],
  [/^(?:c|h|cc|cpp|cxx|hpp|c\+\+|cs|csharp|java|kt|kts|kotlin|swift|scala|dart|proto|groovy)$/, cLike],
  [/^(?:php)$/, php],
  [/^(?:rb|ruby|rake|gemfile)$/, ruby],
  [/^(?:sh|bash|zsh|ksh|shell|console|fish|env)$/, shell],
  [/^(?:sql|psql)$/, sql],
  [/^(?:css|scss|less)$/, css],
  [/^(?:html|htm|xml|svg|svelte|vue)$/, markup],
  [/^(?:json|jsonc|json5|jsonl|webmanifest)$/, json],
  [/^(?:yml|yaml)$/, yaml],
  [/^(?:toml|ini|cfg|conf|properties|lock)$/, toml],
  [/^(?:dockerfile|containerfile)$/, docker],
];

/** The language of a file, by the end of its path, or by the name a code block gives; nothing when it is unknown. */
export function languageOf(name: string): Language | undefined {
  const file = name.toLowerCase().split(/[\\/]/).at(-1) ?? '';
  const end = file.split('.').at(-1) ?? '';
  return BY_NAME.find(([names]) => names.test(end))?.[1];
}
