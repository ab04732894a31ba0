import type { Config } from '../config.ts';
import { blockLists } from '../domain/standing/examination/block-lists.ts';
import { judge } from '../domain/standing/examination/judge.ts';
import { lookAround } from '../domain/standing/examination/look-around.ts';
import { probeDomainsDefault } from '../domain/standing/examination/probe-domains.ts';
import { createStandingWatch, type StandingWatch } from '../domain/standing/standing-watch.ts';
import type { Events } from '../events.ts';
import { composeExamination } from './ways-outside.ts';

const checkHoursDefault = 6;

/**
 * Builds what looks at our standing now and then; nothing where the settings want none. Where private ranges may be
 * contacted, the world is a lab, and whose hosts ours would greet there is unknown.
 */
export function composeStandingWatch(config: Config, events: Events): StandingWatch | undefined {
  const isLab = config.VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0;
  const hours = config.VALIDATION_STANDING_CHECK_HOURS ?? (isLab ? 0 : checkHoursDefault);
  if (hours === 0) {
    return undefined;
  }
  const examination = composeExamination(config);
  const options = {
    probeDomains: probeDomainsDefault,
    heloName: config.VALIDATION_HELO_NAME,
    publicAddress: config.VALIDATION_LOCAL_ADDRESS?.map(examination.contact.guard).find(
      guarded => guarded.allowed,
    )?.address,
    blockLists,
  };
  return createStandingWatch({
    examine: async signal =>
      judge(await lookAround(examination, options, signal), {
        smtpPort: config.VALIDATION_SMTP_PORT,
        withBlockLists: true,
      }),
    intervalMs: hours * 3_600_000,
    nowMs: Date.now,
    onChanged: events.standingChanged,
    onFailed: events.standingUnknown,
  });
}
