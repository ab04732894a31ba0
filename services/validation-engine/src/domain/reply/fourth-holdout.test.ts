import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { readReply } from '../smtp/reply.ts';
import { classifyReply } from './classify-reply.ts';
import { composedAsGone } from './samples/composed-as-gone.ts';
import { composedToMislead } from './samples/composed-to-mislead.ts';
import { writtenForTheEighth } from './samples/eighth-holdout.ts';
import { writtenOnOthersForTheEighth } from './samples/eighth-holdout-others.ts';
import { writtenAsGone } from './samples/fifth-holdout.ts';
import { goneInOtherLanguages, othersInOtherLanguages } from './samples/fifth-holdout-languages.ts';
import { writtenOnOthers } from './samples/fifth-holdout-others.ts';
import { collectedAsGone } from './samples/fourth-holdout.ts';
import { collectedOnMail, collectedOnSenders } from './samples/fourth-holdout-others.ts';
import {
  turnedAgainstTheNinth,
  writtenForTheNinth,
  writtenOnOthersForTheNinth,
} from './samples/ninth-holdout.ts';
import { otherSenses } from './samples/other-senses.ts';
import { writtenByAnotherHand, writtenPlainlyByAnotherHand } from './samples/seventh-holdout.ts';
import {
  composedOfUnderstoodWords,
  refusedForOtherReasons,
  turnedAgainstTheWords,
} from './samples/seventh-holdout-others.ts';
import {
  composedForNewLanguages,
  publishedAsGone,
  publishedAsGoneElsewhere,
  writtenAfterTheWords,
} from './samples/sixth-holdout.ts';
import { publishedOnOthers } from './samples/sixth-holdout-others.ts';
import { writtenForTheTenth, writtenOnOthersForTheTenth } from './samples/tenth-holdout.ts';

function makesInvalid(line: string, localPart?: string): boolean {
  const texts = line.split('\n').map(text => text.slice(4));
  return ['missing', 'disabled'].includes(
    classifyReply(readReply(Number(line.slice(0, 3)), texts), 'rcpt', undefined, localPart),
  );
}

/** A hash of the line splits the collection: the rules are written from one half and measured on the other. */
function isKeptFromTheRules(line: string): boolean {
  return ((createHash('sha256').update(line).digest()[0] ?? 0) & 1) === 1;
}

function recall(lines: readonly string[]): number {
  return lines.filter(line => makesInvalid(line)).length / lines.length;
}

describe('of the lines that were collected after the rules', () => {
  const others = [...collectedOnSenders, ...collectedOnMail];

  test('none makes an address invalid that says something else', () => {
    expect(others.length).toBeGreaterThan(250);
    expect(others.filter(line => makesInvalid(line))).toEqual([]);
  });

  test('at least nine in ten say that the mailbox is gone and are read so, in the half that no rule was written by', () => {
    const kept = collectedAsGone.filter(isKeptFromTheRules);
    expect(kept.length).toBeGreaterThan(40);
    expect(recall(kept)).toBeGreaterThan(0.9);
  });

  test('the same holds for other words of the same grammar', () => {
    const kept = composedAsGone.filter(isKeptFromTheRules);
    expect(kept.length).toBeGreaterThan(90);
    expect(recall(kept)).toBeGreaterThan(0.9);
  });
});

describe('of the lines that were written down after those', () => {
  const others = [...writtenOnOthers, ...othersInOtherLanguages];

  test('none makes an address invalid that says something else', () => {
    expect(others.length).toBeGreaterThan(400);
    expect(others.filter(line => makesInvalid(line))).toEqual([]);
  });

  test.each([
    ['English', writtenAsGone],
    ['other languages', goneInOtherLanguages],
  ])(
    'in %s, at least nine in ten say that the mailbox is gone and are read so, in the half kept',
    (_, gone) => {
      const kept = gone.filter(isKeptFromTheRules);
      expect(kept.length).toBeGreaterThan(60);
      expect(recall(kept)).toBeGreaterThan(0.9);
    },
  );
});

describe('of the lines that public sources hold', () => {
  test('none makes an address invalid that says something else', () => {
    expect(publishedOnOthers.length).toBeGreaterThan(200);
    expect(publishedOnOthers.filter(line => makesInvalid(line))).toEqual([]);
  });

  test('at least nine in ten say that the mailbox is gone and are read so, in the half kept', () => {
    const kept = [...publishedAsGone, ...publishedAsGoneElsewhere].filter(isKeptFromTheRules);
    expect(kept.length).toBeGreaterThan(60);
    expect(recall(kept)).toBeGreaterThan(0.9);
  });
});

describe('of the lines that were composed after the words that are understood', () => {
  test('none makes an address invalid that is made to mislead', () => {
    expect(composedToMislead.length).toBeGreaterThan(300);
    expect(composedToMislead.filter(line => makesInvalid(line))).toEqual([]);
  });

  test('more than nine in ten say that the mailbox is gone and are read so', () => {
    expect(recall(writtenAfterTheWords)).toBeGreaterThan(0.9);
  });

  test('each language that came last has its words', () => {
    expect(composedForNewLanguages.filter(line => !makesInvalid(line))).toEqual([]);
  });
});

describe('of the lines that another hand wrote without the rules', () => {
  test.each([
    ['say something else', refusedForOtherReasons, 90],
    ['turn the words of a missing mailbox against something else', turnedAgainstTheWords, 170],
    ['consist of words that are understood', composedOfUnderstoodWords, 130],
  ])('none makes an address invalid of those that %s', (_, lines, countMin) => {
    expect(lines.length).toBeGreaterThan(countMin);
    expect(lines.filter(line => makesInvalid(line))).toEqual([]);
  });

  test.each([
    ['shapes of many servers and languages', writtenByAnotherHand],
    ['plain words', writtenPlainlyByAnotherHand],
  ])('more than nine in ten say in %s that the mailbox is gone and are read so', (_, gone) => {
    expect(gone.length).toBeGreaterThan(100);
    expect(recall(gone)).toBeGreaterThan(0.9);
  });
});

describe('of the lines that were written after the seventh collection', () => {
  test('none makes an address invalid that says something else', () => {
    expect(writtenOnOthersForTheEighth.length).toBeGreaterThan(120);
    expect(writtenOnOthersForTheEighth.filter(line => makesInvalid(line))).toEqual([]);
  });

  test('more than four in five say that the mailbox is gone and are read so, in the half kept', () => {
    const kept = writtenForTheEighth.filter(isKeptFromTheRules);
    expect(kept.length).toBeGreaterThan(60);
    expect(recall(kept)).toBeGreaterThan(0.8);
  });
});

describe('of the lines that were written after the eighth collection', () => {
  test('none makes an address invalid that says something else', () => {
    const others = [...writtenOnOthersForTheNinth, ...turnedAgainstTheNinth];
    expect(others.length).toBeGreaterThan(110);
    expect(others.filter(line => makesInvalid(line))).toEqual([]);
  });

  test('more than nine in ten say that the mailbox is gone and are read so', () => {
    expect(writtenForTheNinth.length).toBeGreaterThan(80);
    expect(recall(writtenForTheNinth)).toBeGreaterThan(0.9);
  });
});

describe('of the lines that were written after the ninth collection', () => {
  test('none makes an address invalid that says something else', () => {
    expect(writtenOnOthersForTheTenth.length).toBeGreaterThan(250);
    expect(writtenOnOthersForTheTenth.filter(line => makesInvalid(line))).toEqual([]);
  });

  test('more than nine in ten say that the mailbox is gone and are read so', () => {
    expect(writtenForTheTenth.length).toBeGreaterThan(150);
    expect(recall(writtenForTheTenth)).toBeGreaterThan(0.9);
  });
});

test('the name of the recipient may stand anywhere in a sentence that says that it is gone', () => {
  const gone = [...collectedAsGone, ...composedAsGone, ...writtenAsGone, ...publishedAsGone];
  const named = gone
    .filter(line => makesInvalid(line) && /\bnobody\b(?!@| (?:by|of|with) that| here)/i.test(line))
    .map(line => line.replace(/\bnobody\b(?!@)/gi, 'jsmith'));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(line => !makesInvalid(line, 'jsmith'))).toEqual([]);
});

describe('words of a missing mailbox in another sense', () => {
  test('make no address invalid, bare or behind a code', () => {
    expect(otherSenses.length).toBeGreaterThan(200);
    expect(otherSenses.filter(line => makesInvalid(line))).toEqual([]);
  });

  test.each([
    'full',
    'blocked',
    'disabled',
    'user-unknown',
    'no-such-user',
    'mailbox.not.found',
    'invalid',
    'expired.account',
  ])('the echoed recipient %s@ neither makes nor hides an answer', localPart => {
    for (const address of [`<${localPart}@policy.example>`, `${localPart}@full.example`]) {
      expect(makesInvalid(`550 ${address}: Rejected`)).toBe(false);
      expect(makesInvalid(`550 5.7.1 ${address}... Access denied`)).toBe(false);
      expect(makesInvalid(`550 ${address}: User unknown`)).toBe(true);
      expect(makesInvalid(`550 5.1.1 ${address}: Recipient address rejected: User unknown`)).toBe(true);
    }
  });

  test.each([
    '550 Rejected, see https://www.ordinary.example/user-unknown/no-such-user',
    '550 5.7.1 Blocked: http://help.ordinary.example/?reason=user%20unknown',
    '550 Rejected by mx.no-such-user.example',
    '550 mail from user-not-found.example is not wanted',
    '550 5.1.1 http://www.ordinary.example/mailbox-does-not-exist: rate limit',
  ])('%s names a page or a host', line => {
    expect(makesInvalid(line)).toBe(false);
  });
});
