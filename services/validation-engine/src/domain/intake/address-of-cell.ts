import { type EmailAddress, type FaultCode, parseEmailAddress } from '@mailproof/shared-types';

/** Why a cell has no address that can be asked about: it is blank, or which rule it breaks. */
export type CellFault = 'blank' | Exclude<FaultCode, 'empty'>;

/** `Name <address>`, as mail programs write it. */
const namedAddress = /^([^<>]*)<([^<>]*)>$/s;
/** Characters that nobody sees, and that come along when something is copied. */
const unseen = /[\s\u200b-\u200f\u2060\ufeff]/;

/** Reads the address of a cell, which may have a name in front of it. */
export function addressOfCell(
  cell: string,
): { readonly address: EmailAddress; readonly name: string } | { readonly fault: CellFault } {
  const direct = parseEmailAddress(cell);
  if (direct.ok) {
    return { address: direct.value, name: '' };
  }
  const text = withoutUnseenEnds(cell);
  const [, name = '', inner = text] = namedAddress.exec(text) ?? [];
  const parsed = parseEmailAddress(inner.replace(/^mailto:/i, ''));
  if (parsed.ok) {
    return { address: parsed.value, name: name.trim().replace(/^"(.*)"$/s, '$1') };
  }
  const { code } = text === inner ? parsed.fault : direct.fault;
  return { fault: code === 'empty' ? 'blank' : code };
}

/** Character by character: an expression looks at a long gap in the middle again from each of its places. */
function withoutUnseenEnds(text: string): string {
  let begin = 0;
  let end = text.length;
  while (begin < end && unseen.test(text[begin] ?? '')) {
    begin += 1;
  }
  while (end > begin && unseen.test(text[end - 1] ?? '')) {
    end -= 1;
  }
  return text.slice(begin, end);
}
