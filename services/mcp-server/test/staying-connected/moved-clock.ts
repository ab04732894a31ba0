import { readFileSync } from 'node:fs';

/*
 * Preloaded into a service or a client program: moves its clock ahead by the milliseconds in a file. All processes that
 * read one file have the same time, and a test moves all their clocks at the same moment.
 */

/** The environment variable with the path of the file. */
export const clockSetting = 'MAILPROOF_TEST_CLOCK';

const file = process.env[clockSetting];
if (file) moveClock(file);

function moveClock(path: string): void {
  const realNow = Date.now;
  const now = () => realNow() + Number(readFileSync(path, 'utf8'));
  Date.now = now;
  // A proxy, so that dates created by Node are still instances of `Date`.
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  });
}
