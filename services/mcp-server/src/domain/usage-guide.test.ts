import { describe, expect, it } from '@jest/globals';
import {
  assistantRefusals,
  bodyProblems,
  isDeliverable,
  limits,
  prices,
  problemKinds,
  toolFailures,
  toolNames,
  toolOperations,
  validationResults,
} from '@mailproof/shared-types';
import { usageGuide } from './usage-guide.ts';

const guide = usageGuide();
const rows = guide.split('\n').filter(line => line.startsWith('| '));

describe('the usage guide', () => {
  it.each(validationResults)('says what %s means, whether one may send to it, and what it costs', result => {
    const row = rows.filter(line => line.startsWith(`| \`${result}\` |`));
    expect(row).toHaveLength(1);
    const costs = result === 'unknown' ? 0 : prices.validation;
    expect(row[0]).toMatch(
      new RegExp(`\\| \\S.{10,} \\| ${isDeliverable(result) ? 'yes' : 'no'} \\| ${costs} \\|$`),
    );
  });

  it('names every status that the contracts let a call end with', () => {
    const named = rows.map(line => /^\| (\d{3}) \|/.exec(line)?.[1]).filter(status => status !== undefined);
    const codes = [
      ...toolOperations.flatMap(({ problems }) => problems),
      ...bodyProblems,
      'rate_limited',
    ] as const;
    const answered = codes
      .map(code => problemKinds[code].status as number)
      // A tool sends the right media type, and all of it at once.
      .filter(status => status !== 415 && status !== 408);
    const own = Object.keys(toolFailures).map(Number);
    expect(new Set(named.map(Number))).toEqual(new Set([...own, ...answered]));
    expect(guide).toMatch(/\| any other \| \S/);
  });

  it('names the tools, the limit and the refusals of an account', () => {
    for (const name of toolNames) {
      expect(guide).toContain(`\`${name}\``);
    }
    expect(guide).toContain(`${limits.requestsPerSecondDefault} requests in any 1 second`);
    for (const sentence of Object.values(assistantRefusals)) {
      expect(guide).toContain(sentence);
    }
  });

  it('names every member of usage', () => {
    for (const member of [
      'creditsRemaining',
      'creditsConsumed',
      'rateLimitLimit',
      'rateLimitRemaining',
      'rateLimitReset',
      'rateLimitResetAt',
    ]) {
      expect(guide).toContain(`usage.${member}`);
    }
  });
});
