import { describe, expect, it } from '@jest/globals';
import {
  closeAccountCreditsJob,
  disconnectUserAssistantsJob,
  forgetAccountAssistantsJob,
  forgetAccountExportsJob,
  forgetAccountOutcomesJob,
  forgetAccountProfilesJob,
  grantCreditsJob,
  openBillingCycleJob,
  sendMailJob,
} from './gateway.ts';

const hourMs = 3_600_000;

/** Returns the time from the first attempt to the last. */
function triedForMs({ attemptsMax, backoffMs }: { attemptsMax: number; backoffMs: number }): number {
  return backoffMs * (2 ** (attemptsMax - 1) - 1);
}

describe('what must not get lost', () => {
  it.each([
    grantCreditsJob,
    openBillingCycleJob,
    closeAccountCreditsJob,
    forgetAccountOutcomesJob,
    forgetAccountAssistantsJob,
    forgetAccountProfilesJob,
    forgetAccountExportsJob,
    disconnectUserAssistantsJob,
  ])('$name is tried for a day and a half', job => {
    expect(triedForMs(job) / hourMs).toBeGreaterThan(36);
  });

  it('a mail is tried for nine hours', () => {
    expect(triedForMs(sendMailJob) / hourMs).toBeCloseTo(9, 0);
  });
});
