import { afterEach, describe, expect, test } from '@jest/globals';
import {
  addressesOf,
  isRecipient,
  refusing,
  remembering,
  resultsAtOnce,
  resultsByThree,
  resultsInTwoParts,
  resultsOf,
} from './probed-lists.ts';
import { closeAll, type Manner, orderly, serve } from './unruly-host.ts';

afterEach(closeAll);

/** True by the domain of a recipient and those of the recipients before it in its session. */
function byDomains(isLater: (domain: string, before: readonly string[]) => boolean) {
  return remembering(
    (): string[] => [],
    (before, line) => {
      const domain = isRecipient(line) ? /@(.+)>/.exec(line)?.[1] : undefined;
      if (domain === undefined) {
        return false;
      }
      const later = isLater(domain, before);
      before.push(domain);
      return later;
    },
  );
}

const byOrderOfDomains = [
  ['of another domain than the first', byDomains((domain, [first = domain]) => domain !== first)],
  [
    'of the first domain, if another came between',
    byDomains((domain, before) => domain === before[0] && before.some(other => other !== domain)),
  ],
  ['of another domain than the last', byDomains((domain, before) => domain !== (before.at(-1) ?? domain))],
  ['of the same domain as the last', byDomains((domain, before) => domain === before.at(-1))],
] as const;

describe.each(byOrderOfDomains)(
  'a host that treats a recipient in another way if it is %s',
  (_name, isLater) => {
    const threeDomains = addressesOf(
      'nobody1 nobody2@c here3@c here4@b here5@c nobody6@b nobody7@b here8@c here9 here10@b here11 nobody12@c here13 nobody14@b nobody15 here16@b here17',
    );
    const lists = [
      threeDomains,
      threeDomains.toReversed(),
      addressesOf('here1 nobody2 nobody3@b nobody4@b nobody5 nobody6 here7@b here8'),
    ];

    /** The wrong answers to all lists, however they are asked about. */
    async function wrongAnswers(manner: () => Manner): Promise<string[]> {
      const answers = await Promise.all(
        [resultsOf, resultsAtOnce, resultsInTwoParts, resultsByThree].flatMap(results =>
          lists.map(async list => results(await serve(manner()), list)),
        ),
      );
      return answers.flat().filter(answer => /^nobody.* ok$|^here.* invalid$/.test(answer));
    }

    test('makes no mailbox missing by calling it unknown', async () => {
      expect(await wrongAnswers(() => refusing(isLater))).toEqual([]);
    });

    test('makes no mailbox exist by accepting it', async () => {
      expect(
        await wrongAnswers(() => (line, visit) => {
          const later = isLater(line, visit);
          return isRecipient(line) && later ? '250 2.1.5 Recipient ok' : orderly(line);
        }),
      ).toEqual([]);
    });
  },
);

test('a witness whose refusal is doubted is asked about in one session, which counts it', async () => {
  const [, isLater] = byOrderOfDomains[0];
  const firsts: string[] = [];
  const host = await serve((line, visit) => {
    if (isRecipient(line) && visit.recipients === 1) {
      firsts.push(line);
    }
    return refusing(isLater)(line, visit);
  });
  const answers = await resultsOf(
    host,
    addressesOf('here1 nobody2 nobody3@b nobody4@b nobody5 nobody6 here7@b here8'),
  );
  expect(answers.filter(answer => /^nobody.* ok$|^here.* invalid$/.test(answer))).toEqual([]);
  // In the very first session, and because a session that began with another domain refused it.
  expect(firsts.filter(line => line.includes('<here1@'))).toHaveLength(2);
});
