import { existsSync } from 'node:fs';
import { findSystemProgram } from './system-program.ts';

const chromium = {
  title: 'Chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome'],
  debianPackage: 'chromium',
  brewPackage: 'chromium',
} as const;

/** What to do where there is no Chromium and none can be installed. */
export const chromiumAdvice =
  'There is no Chromium: install one (Debian, Ubuntu: apt-get install chromium), or name it in CHROMIUM_PROGRAM.';

/**
 * The path of a Chromium: the one that `CHROMIUM_PROGRAM` names, or one of the machine; installs one where that can be done
 * without asking for a password. Undefined where there is none.
 */
export function findChromium(report: (line: string) => void): string | undefined {
  const named = process.env['CHROMIUM_PROGRAM'];
  if (named) return existsSync(named) ? named : undefined;
  return findSystemProgram(chromium, report);
}
