import { afterEach, describe, expect, test } from '@jest/globals';
import { keyedRandom, makeUpRecipients } from '../src/domain/smtp/made-up-recipients.ts';
import { type MadeUpOf, resultsAtOnce, resultsByThree, resultsOf, unknown } from './probed-lists.ts';
import { closeAll, type Manner, orderly, serve, type UnrulyHost } from './unruly-host.ts';

afterEach(closeAll);

const key = new TextEncoder().encode('a key');
const drawn: MadeUpOf = address =>
  makeUpRecipients(form => keyedRandom(key, `a.example ${form}`, 0), address.slice(0, address.indexOf('@')));

const localPartOf = (line: string) => /^RCPT TO:<(.*)@/.exec(line)?.[1];
const accepted = '250 2.1.5 Recipient ok';

/** Accepts and refuses recipients by their form alone, in the words of a host that knows them. */
function byForm(isAccepted: (localPart: string) => boolean): Manner {
  return line => {
    const localPart = localPartOf(line);
    return localPart === undefined ? orderly(line) : isAccepted(localPart) ? accepted : unknown;
  };
}

/** Four orders of the same addresses: as given, from the end, from the middle, and every second one first. */
function ordersOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const middle = Math.floor(items.length / 2);
  return [
    items,
    items.toReversed(),
    [...items.slice(middle), ...items.slice(0, middle)],
    [...items.filter((_, index) => index % 2 === 1), ...items.filter((_, index) => index % 2 === 0)],
  ];
}

type Results = (host: UnrulyHost, addresses: readonly string[], madeUp: MadeUpOf) => Promise<string[]>;
const ways: readonly (readonly [string, Results])[] = [
  ['one after the other', resultsOf],
  ['all at once', resultsAtOnce],
  ['three at a time', resultsByThree],
];

describe.each<readonly [string, (localPart: string) => boolean, readonly string[]]>([
  ['begin with one letter', name => name.startsWith('m'), ['marten', 'milo', 'mona.lind', 'mara7']],
  ['begin with a letter from a to m', name => /^[a-m]/.test(name), ['ada', 'hello', 'kim.berg', 'carla']],
  ['end with one letter', name => name.endsWith('n'), ['marten', 'sven.olsen', 'robin']],
  ['contain a dot', name => name.includes('.'), ['ada.love', 'b.smith', 'x.yvonne']],
  ['end with a digit', name => /\d$/.test(name), ['ada7', 'bo12', 'sales2024']],
  ['begin with a digit', name => /^\d/.test(name), ['7ada', '12bo']],
  ['have at most six letters', name => name.length <= 6, ['marten', 'ada', 'bo']],
])('a host that accepts the names that %s, and refuses others', (_rule, isAccepted, names) => {
  test.each(ways)('makes none of them ok: %s', async (_way, results) => {
    for (const order of ordersOf([...names, 'zyxw', 'q'].map(name => `${name}@a.example`))) {
      const answers = await results(await serve(byForm(isAccepted)), order, drawn);
      const madeOk = answers.filter(answer => answer.endsWith(' ok'));
      expect(madeOk).toEqual([]);
    }
  });
});
