import { expect } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import type { Verdict } from '@mailproof/shared-types';
import type { TestEngine } from '../engine-in-lab.ts';

/** An address, and its verdict as `result` or as `result reason`. */
export type Expectation = readonly [email: string, expected: string];

/** Verdicts that a busy host may cause; the client then retries. */
const passing: ReadonlySet<string> = new Set([
  'unknown host_busy',
  'unknown temporary_failure',
  'unknown connection_failed',
  'unknown mailbox_rate_limited',
  'unknown probe_inconclusive',
]);
const againDeadlineMs = 60_000;

/** Asks about an address; if the verdict differs, the failure shows the conversation. */
export async function expectVerdict(engine: TestEngine, [email, expected]: Expectation): Promise<void> {
  judge(await engine.validate(email), [email, expected]);
}

/** Asks about all addresses, one after another. */
export async function expectInTurn(engine: TestEngine, expectations: readonly Expectation[]): Promise<void> {
  const faults: string[] = [];
  for (const expectation of expectations) {
    faults.push(...faultOf(await engine.validate(expectation[0]), expectation));
  }
  expect(faults.join('\n\n')).toBe('');
}

/** Asks about all addresses at the same time. */
export async function expectAtOnce(engine: TestEngine, expectations: readonly Expectation[]): Promise<void> {
  const faults = await Promise.all(
    expectations.map(async expectation => faultOf(await engine.validate(expectation[0]), expectation)),
  );
  expect(faults.flat().join('\n\n')).toBe('');
}

/**
 * Probes all addresses at the same time at a host that may defer us. A deferral is not a wrong verdict; the test
 * retries until there is a verdict, which must be right.
 */
export async function expectEventually(
  engine: TestEngine,
  expectations: readonly Expectation[],
): Promise<void> {
  const faults = await Promise.all(
    expectations.map(async expectation => {
      const verdict = await waitFor(
        `There is a verdict on ${expectation[0]}`,
        async () => {
          const answer = await engine.validate(expectation[0]);
          return passing.has(brief(answer)) ? undefined : answer;
        },
        { deadlineMs: againDeadlineMs, everyMs: 500 },
      );
      return faultOf(verdict, expectation);
    }),
  );
  expect(faults.flat().join('\n\n')).toBe('');
}

/** Expects a deferral of an address, asks again until it is no longer deferred, and compares the final verdict. */
export async function expectAfterDeferral(
  engine: TestEngine,
  deferral: string,
  [email, expected]: Expectation,
): Promise<void> {
  judge(await engine.validate(email), [email, deferral]);
  const verdict = await waitFor(
    `${email} is put off no more`,
    async () => {
      const answer = await engine.validate(email);
      return faultOf(answer, [email, deferral]).length === 0 ? undefined : answer;
    },
    { deadlineMs: againDeadlineMs, everyMs: 1_000 },
  );
  judge(verdict, [email, expected]);
}

/** Creates `count` different addresses of a domain with one verdict. */
export function many(count: number, domain: string, expected: string, name = 'nobody'): Expectation[] {
  return Array.from({ length: count }, (_, index) => [`${name}${index + 1}@${domain}`, expected] as const);
}

export function judge(verdict: Verdict, expectation: Expectation): void {
  expect(faultOf(verdict, expectation).join('\n')).toBe('');
}

function faultOf(verdict: Verdict, [email, expected]: Expectation): string[] {
  const said = expected.includes(' ') ? brief(verdict) : verdict.result;
  if (said === expected) return [];
  const { sessions } = verdict.details as { sessions?: unknown };
  return [`${email} is ${brief(verdict)}, not ${expected}: ${JSON.stringify(sessions, undefined, 1)}`];
}

function brief({ result, reason }: Verdict): string {
  return `${result} ${reason}`;
}
