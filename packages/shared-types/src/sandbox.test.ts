import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type EmailAddress, parseEmailAddress } from './email-address/parse-email-address.ts';
import { isSandboxAccount, newId, sandboxAccountOf } from './ids.ts';
import type { Operation } from './operation.ts';
import { restOperations } from './operations/index.ts';
import { validationDetails } from './operations/validation-details.ts';
import { problemKinds } from './problems.ts';
import {
  findInSandbox,
  isAtSandbox,
  isSandboxUrl,
  type SandboxEntry,
  sandboxDomain,
  sandboxEntries,
  sandboxGaps,
  sandboxVerdict,
} from './sandbox.ts';
import { isDeliverable, validationResults } from './verdict.ts';
import { verdictReasons } from './verdict-reasons.ts';

function address(text: string): EmailAddress {
  const parsed = parseEmailAddress(text);
  if (!parsed.ok) {
    throw new Error(`${text} is not an address.`);
  }
  return parsed.value;
}

const entries = [...sandboxEntries];
const verdicts = entries.flatMap(([, entry]) => (entry.kind === 'verdict' ? [entry] : []));

describe('the sandbox', () => {
  it('has every result and every reason', () => {
    expect(new Set(verdicts.map(({ result }) => result))).toEqual(new Set(validationResults));
    expect(new Set(verdicts.map(({ reason }) => reason))).toEqual(new Set(Object.keys(verdictReasons)));
  });

  it.each(entries)('answers %s at its domain, in any case, with a complete verdict', (name, entry) => {
    const found = findInSandbox(address(`${name}@${sandboxDomain}`));
    expect(found).toBe(entry);
    expect(findInSandbox(address(`${name.toUpperCase()}@${sandboxDomain.toUpperCase()}`))).toBe(entry);
    expect(findInSandbox(address(`${name}@mailproof.test`))).toBeUndefined();
    if (entry.kind === 'verdict') {
      const { details, result, reason } = sandboxVerdict(entry, address(`${name}@${sandboxDomain}`));
      expect({ result, reason }).toEqual({ result: entry.result, reason: entry.reason });
      expect(validationDetails.parse(details)).toMatchObject({
        reason,
        normalised_email: `${name}@${sandboxDomain}`,
      });
    }
  });

  it.each(['constructor', 'nobody', '__proto__', 'ok+tag', '"ok"'])(
    'has no other address, such as %s',
    name => {
      const found = findInSandbox(address(`${name}@${sandboxDomain}`));
      // Quotes that are not needed do not change an address (RFC 5321 section 4.1.2).
      expect(found).toEqual(name === '"ok"' ? sandboxEntries.get('ok') : undefined);
    },
  );

  it.each([
    [`ok@${sandboxDomain}`, true],
    [`no-such-name@Sub.${sandboxDomain.toUpperCase()}`, true],
    [`"a@${sandboxDomain}"@ordinary.example`, false],
    [`ok@x${sandboxDomain}`, false],
    [`ok@${sandboxDomain}.example`, false],
  ])('has or has not %s at its domain: %s', (text, isThere) => {
    expect(isAtSandbox(address(text))).toBe(isThere);
  });

  it.each([
    [`https://${sandboxDomain}`, true],
    [` HTTP://People.${sandboxDomain.toUpperCase()}.:8080/ada?x#y `, true],
    [`people.${sandboxDomain}/ada`, true],
    [`https://${sandboxDomain}@ordinary.example/ada`, false],
    [`https://ordinary.example/${sandboxDomain}?${sandboxDomain}#.${sandboxDomain}`, false],
    [`https://${sandboxDomain}.example/`, false],
    ['https://', false],
    ['', false],
  ])('has or has not the URL %s: %s', (url, isThere) => {
    expect(isSandboxUrl(url)).toBe(isThere);
  });

  it('has an account for each account, which no account is', () => {
    const [one, other] = [newId('account'), newId('account', Date.UTC(2900, 0))];
    expect(new Set([one, other, sandboxAccountOf(one), sandboxAccountOf(other)]).size).toBe(4);
    expect([one, other].map(isSandboxAccount)).toEqual([false, false]);
    expect([one, other].map(each => isSandboxAccount(sandboxAccountOf(each)))).toEqual([true, true]);
    expect(sandboxAccountOf(sandboxAccountOf(one))).toBe(sandboxAccountOf(one));
  });

  it('has an answer to each operation that a key opens, or a reason that docs/sandbox.md repeats', () => {
    const byKey = (restOperations as readonly Operation[]).filter(({ access }) => access.kind === 'apiKey');
    const closed = byKey.filter(({ sandbox }) => sandbox !== true).map(({ id }) => id);
    expect([...sandboxGaps.keys()].sort()).toEqual(closed.sort());
    const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
    expect([...new Set(sandboxGaps.values())].filter(reason => !page.includes(reason))).toEqual([]);
  });

  it('is described in docs/sandbox.md as it is', () => {
    const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
    const rows = page.split('\n').flatMap(line => {
      const [, name, ...cells] = /^\| `([^`@]+)@` +\| (.+?) +\| (.*?) *\|$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, ...cells]];
    });
    expect(rows).toEqual(entries.map(([name, entry]) => [name, ...cellsOf(entry)]));
    expect(page).toContain(`\`${sandboxDomain}\``);
  });
});

function cellsOf(entry: SandboxEntry): [string, string] {
  if (entry.kind === 'problem') {
    return [`${problemKinds[entry.code].status} \`${entry.code}\``, '–'];
  }
  return [`\`${entry.result}\`${isDeliverable(entry.result) ? ', `valid`' : ''}`, `\`${entry.reason}\``];
}
