import {
  type EmailAddress,
  type FaultCode,
  parseEmailAddress,
  trimUnseen,
  withoutGuards,
} from '@mailproof/shared-types';

/**
 * Why a cell has no address that can be validated: it is blank, its letters rest on a guessed encoding, or it breaks a
 * rule.
 */
export type CellFault = 'blank' | 'encoding_guessed' | Exclude<FaultCode, 'empty'>;

/** The form `Name <address>` of mail programs. */
const namedAddress = /^([^<>]*)<([^<>]*)>$/s;
/** Quotes, straight and typographic. No address ends with one. */
const quotes: ReadonlySet<string> = new Set('"\'`´“”„‟«»‹›‘’‚‛');
const ends: ReadonlySet<string> = new Set(',;.');

/**
 * Reads the address of a cell, which may have a name before it. First removes common additions: invisible characters,
 * quotes around the whole, a trailing comma, semicolon or dot, angle brackets, `mailto:`, and the apostrophe that our
 * exports put before a sign.
 */
export function addressOfCell(
  cell: string,
): { readonly address: EmailAddress; readonly name: string } | { readonly fault: CellFault } {
  const text = bareTextOf(withoutGuards(cell));
  const [, name = '', inner = text] = namedAddress.exec(text) ?? [];
  const parsed = parseEmailAddress(bareTextOf(inner).replace(/^mailto:/i, ''));
  if (parsed.ok) {
    return { address: parsed.value, name: bareTextOf(name) };
  }
  const { code } = parsed.fault;
  return { fault: code === 'empty' ? (trimUnseen(cell) === '' ? 'blank' : 'at_sign_missing') : code };
}

/** Each iteration removes something, so the loop ends; a slice copies nothing. */
function bareTextOf(cell: string): string {
  let text = trimUnseen(cell);
  for (;;) {
    const first = text.at(0) ?? '';
    const last = text.at(-1) ?? '';
    if (ends.has(last)) {
      text = trimUnseen(text.slice(0, -1));
    } else if (text.length > 1 && quotes.has(first) && quotes.has(last)) {
      text = trimUnseen(text.slice(1, -1));
    } else {
      return text;
    }
  }
}
