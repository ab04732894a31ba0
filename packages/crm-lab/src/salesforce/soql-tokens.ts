import { malformedQuery } from './api-error.ts';

export type Token =
  | { readonly kind: 'word' | 'sign' | 'number' | 'moment'; readonly text: string }
  /** `text` is the unescaped literal; `pattern` distinguishes escaped from plain wildcards of LIKE. */
  | { readonly kind: 'string'; readonly text: string; readonly pattern: RegExp };

const forms: readonly (readonly [Exclude<Token['kind'], 'string'>, RegExp])[] = [
  ['moment', /\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-]\d{2}:?\d{2}))?/y],
  ['number', /[+-]?\d+(?:\.\d+)?/y],
  ['word', /[A-Za-z][A-Za-z0-9_.]*(?::\d+)?/y],
  ['sign', /<=|>=|!=|<>|[=<>(),]/y],
];

/** Splits a query into tokens. Text that is not a SOQL token is malformed. */
export function tokensOf(soql: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < soql.length) {
    if (/\s/.test(soql[at] ?? '')) {
      at += 1;
      continue;
    }
    if (soql[at] === "'") {
      const { token, end } = stringAt(soql, at);
      tokens.push(token);
      at = end;
      continue;
    }
    const found = forms
      .map(([kind, form]) => ({ kind, text: matchAt(form, soql, at) }))
      .find(({ text }) => text !== undefined);
    if (found?.text === undefined) {
      throw malformedQuery(`line 1:${at} no viable alternative at character '${soql[at]}'`);
    }
    tokens.push({ kind: found.kind, text: found.text });
    at += found.text.length;
  }
  return tokens;
}

function matchAt(form: RegExp, text: string, at: number): string | undefined {
  form.lastIndex = at;
  return form.exec(text)?.[0];
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

/** "Quoted String Escape Sequences" of the SOQL reference: a backslash before anything else is an error. */
function stringAt(soql: string, start: number): { token: Token; end: number } {
  let text = '';
  let pattern = '';
  let at = start + 1;
  while (at < soql.length && soql[at] !== "'") {
    const { meaning, inPattern, length } = characterAt(soql, at);
    text += meaning;
    pattern += inPattern;
    at += length;
  }
  if (at >= soql.length) {
    throw malformedQuery(`line 1:${start} mismatched character '<EOF>' expecting '''`);
  }
  return { token: { kind: 'string', text, pattern: new RegExp(`^${pattern}$`, 'isu') }, end: at + 1 };
}

function characterAt(soql: string, at: number): { meaning: string; inPattern: string; length: number } {
  const character = String.fromCodePoint(soql.codePointAt(at) ?? 0);
  if (character !== '\\') {
    const wildcard = { '%': '.*', _: '.' }[character];
    return { meaning: character, inPattern: wildcard ?? literal(character), length: character.length };
  }
  const escaped = soql[at + 1] ?? '';
  if (escaped === '%' || escaped === '_') {
    return { meaning: `\\${escaped}`, inPattern: literal(escaped), length: 2 };
  }
  const code = /^u([0-9a-fA-F]{4})/.exec(soql.slice(at + 1, at + 6))?.[1];
  const meaning =
    code === undefined ? escapes[escaped.toLowerCase()] : String.fromCharCode(parseInt(code, 16));
  if (meaning === undefined) {
    throw malformedQuery(
      `Invalid string literal: illegal character sequence '\\${escaped}' in string literal`,
    );
  }
  return { meaning, inPattern: literal(meaning), length: code === undefined ? 2 : 6 };
}

function literal(character: string): string {
  return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
