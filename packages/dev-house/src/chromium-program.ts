import { existsSync } from 'node:fs';
import { findSystemProgram, type ProgramSearch } from './system-program.ts';

const chromium = {
  title: 'Chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome'],
  // Debian's own script around it reads settings of the machine's Chromium.
  debian: { name: 'chromium', program: 'usr/lib/chromium/chromium' },
  brewPackage: 'chromium',
  advice:
    'There is no Chromium: install one (Debian, Ubuntu: apt-get install chromium), or name it in CHROMIUM_PROGRAM.',
} as const;

/**
 * The path of a Chromium: the one that `CHROMIUM_PROGRAM` names, one of the machine, or one that is fetched.
 *
 * @throws Error with the ways to get one
 */
export async function findChromium(search: ProgramSearch): Promise<string> {
  const named = process.env['CHROMIUM_PROGRAM'];
  if (!named) return findSystemProgram(chromium, search);
  if (!existsSync(named)) throw new Error(`CHROMIUM_PROGRAM names ${named}, which does not exist.`);
  return named;
}
