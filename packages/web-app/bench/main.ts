import { untilStopped, withBenchHouse } from '@mailproof/dev-house/bench';
import { openChromium } from '@mailproof/dev-house/chromium';
import type { Page } from 'playwright-core';
import { type AppHouse, appOn } from '../test/app-house.ts';
import { type FirstLoad, firstLoadBytesMax, firstLoads } from '../test/first-load.ts';
import { benchList } from './bench-list.ts';
import { journeys } from './browse-rows.ts';
import { blockedMsMax, readOptions, timeLimitMinutes } from './options.ts';
import { type Fared, watched } from './watch-page.ts';

const shortRows = 60;
const jobMsMax = 240_000;

interface Measured {
  readonly list: string;
  readonly journey: string;
  readonly fared: Fared;
}

const options = readOptions(process.argv.slice(2));
process.exitCode = await untilStopped(timeLimitMinutes, signal =>
  withBenchHouse(
    {
      only: ['gateway', 'credit-ledger', 'validation-engine'],
      signal,
      env: { 'validation-engine': { VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: '6000' } },
    },
    async house => bench(appOn(house, await openChromium()), signal),
  ),
);

async function bench(app: AppHouse, signal: AbortSignal): Promise<number> {
  const loads = firstLoads();
  // An interrupt closes the browser, which ends the running measurement.
  signal.addEventListener('abort', () => void app.browser.close());
  try {
    const customer = await app.customer({ credits: 2_000 });
    const { page } = await app.signedIn(customer, '/validations/new', {
      viewport: { width: 1_280, height: 800 },
    });
    const measured: Measured[] = [];
    for (const rows of [shortRows, options.rows]) {
      await openResults(page, app.url, rows);
      for (const [journey, act] of Object.entries(journeys)) {
        measured.push({ list: `${rows} rows`, journey, fared: await watched(page, () => act(page)) });
      }
    }
    return report(measured, loads);
  } finally {
    await app.stop();
  }
}

/** Uploads a list, validates it, and stays on the results screen. */
async function openResults(page: Page, url: string, rows: number): Promise<void> {
  process.stderr.write(`A list of ${rows} rows\n`);
  await page.goto(`${url}/validations/new`);
  await page.getByLabel('File with addresses').setInputFiles({
    name: `${rows} rows.csv`,
    mimeType: 'text/csv',
    buffer: Buffer.from(benchList(rows, options.addresses)),
  });
  await page.getByRole('button', { name: 'Start validation' }).click({ timeout: jobMsMax });
  await page.getByText('Done', { exact: true }).waitFor({ timeout: jobMsMax });
  await page.reload();
  await page.getByRole('region', { name: 'Rows of the list' }).getByRole('button').first().waitFor();
  await page.locator('.recharts-bar-rectangle').first().waitFor();
}

function report(measured: readonly Measured[], loads: readonly FirstLoad[]): number {
  for (const { list, journey, fared } of measured) {
    const { longestProcessorMs, longestTaskMs, longTasks, longestStillMs, frames, seconds } = fared;
    process.stdout.write(
      `${list.padEnd(11)} ${journey.padEnd(8)} longest task ${longestProcessorMs.toFixed(0)} ms of a processor; by the clock ${longestTaskMs.toFixed(0)} ms (${longTasks} over 50 ms), still for ${longestStillMs.toFixed(0)} ms at most, ${frames} frames in ${seconds.toFixed(1)} s\n`,
    );
  }
  const largest = loads.toSorted((one, other) => other.bytes - one.bytes)[0];
  const loaded = largest?.bytes ?? Number.POSITIVE_INFINITY;
  process.stdout.write(
    `first load  at most ${(loaded / 1_000).toFixed(0)} kB of compressed script, of ${largest?.screen}\n`,
  );
  const longest = Math.max(...measured.map(({ fared }) => fared.longestProcessorMs));
  const isKept = longest <= blockedMsMax && loaded <= firstLoadBytesMax;
  process.stdout.write(
    `${isKept ? 'kept' : 'MISSED'}: no task above ${blockedMsMax} ms, and at most ${firstLoadBytesMax / 1_000} kB of script\n`,
  );
  return isKept || !options.check ? 0 : 1;
}
