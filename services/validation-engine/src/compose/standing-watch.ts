import type { Config } from '../config.ts';
import { blockLists } from '../domain/standing/examination/block-lists.ts';
import { judge } from '../domain/standing/examination/judge.ts';
import { lookAround, probeDomainsDefault } from '../domain/standing/examination/look-around.ts';
import { createStandingWatch, type StandingWatch } from '../domain/standing/standing-watch.ts';
import type { Events } from '../events.ts';
import { composeExamination } from './validation.ts';

const checkHoursDefault = 6;

/**
 * Builds the periodic check of our standing; undefined if the settings disable it. If private ranges may be contacted,
 * the environment is a lab, where it is unknown which hosts our host would greet.
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
