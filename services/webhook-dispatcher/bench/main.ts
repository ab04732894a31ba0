import {
  limitedTo,
  openWebhookReceiver,
  startPrivateRedis,
  type WebhookReceiver,
  waitFor,
} from '@mailproof/dev-house';
import { costsOfProcess, redisPeakMiB, startBenchDatabase } from '@mailproof/dev-house/bench';
import { openDispatcherOn } from '../test/open-dispatcher.ts';
import { memoryMiBMax, readOptions, refusedMax } from './options.ts';

interface Measurement {
  readonly name: string;
  readonly rows: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly requests: number;
  readonly refused: number;
  /** Rows that arrived more than once, or not at all. */
  readonly repeated: number;
  readonly missing: number;
  readonly serviceMiB: number;
  readonly redisMiB: number;
}

const startMsMax = 60_000;
const pushMsMax = 3_600_000;

const options = readOptions(process.argv.slice(2));
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
const redis = await startPrivateRedis();
const database = await startBenchDatabase('webhook-dispatcher', { isDurable: true, signal: stopping.signal });
const dispatcher = await openDispatcherOn({
  databaseUrl: database.databaseUrl,
  redisUrl: redis.url,
  env: { LOG_LEVEL: 'info' },
  isTraced: false,
  clear: async () => {
    await Promise.all([database.stop(), redis.stop()]);
  },
});
try {
  const measured = [await measure('at once', options.rows), await measure('limited', options.limitedRows)];
  process.exitCode = report(measured);
} finally {
  await dispatcher.close();
}

async function measure(name: 'at once' | 'limited', rows: number): Promise<Measurement> {
  const receiver = await openWebhookReceiver();
  try {
    if (name === 'limited') {
      receiver.react(limitedTo(options.perSecond, 'seconds'));
    }
    const startedMs = performance.now();
    const { export_id } = await dispatcher.push({ rows, destination: { url: receiver.url } });
    await waitFor('the first row', () => receiver.requests.length > 0, { deadlineMs: startMsMax });
    await dispatcher.until(export_id, 'the end of the push', ({ ended_at }) => ended_at !== null, pushMsMax);
    const seconds = (performance.now() - startedMs) / 1_000;
    return {
      name,
      rows,
      seconds,
      perSecond: rows / seconds,
      ...countsOf(receiver, rows),
      ...(await memoryOf()),
    };
  } finally {
    await receiver.close();
  }
}

function countsOf(receiver: WebhookReceiver, rows: number) {
  const taken = receiver.taken();
  const arrived = [...taken.values()].reduce((sum, each) => sum + each.length, 0);
  const requests = receiver.requests.length;
  return {
    requests,
    refused: requests - arrived,
    repeated: arrived - taken.size,
    missing: rows - taken.size,
  };
}

async function memoryOf(): Promise<Pick<Measurement, 'serviceMiB' | 'redisMiB'>> {
  const { peakMiB } = costsOfProcess(dispatcher.pid());
  return { serviceMiB: Math.round(peakMiB), redisMiB: await redisPeakMiB(redis.url) };
}

/** Prints the measurements and returns the exit code. */
function report(measured: readonly Measurement[]): number {
  const isKept = measured.every(
    ({ requests, refused, repeated, missing, serviceMiB }) =>
      refused / requests <= refusedMax && repeated === 0 && missing === 0 && serviceMiB <= memoryMiBMax,
  );
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ options, measured, isKept })}\n`);
  } else {
    for (const each of measured) {
      process.stdout.write(
        `${each.name.padEnd(9)}${each.rows} rows in ${each.seconds.toFixed(1)} s, ${each.perSecond.toFixed(1)}/s; ${each.requests} requests, ${each.refused} answered 429; ${each.repeated} repeated, ${each.missing} missing; peak ${each.serviceMiB} MiB, Redis ${each.redisMiB} MiB\n`,
      );
    }
    process.stdout.write(`${isKept ? 'kept' : 'MISSED'}\n`);
  }
  return isKept || !options.check ? 0 : 1;
}
