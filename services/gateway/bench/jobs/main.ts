import { costsOfServices, redisPeakMiB, untilStopped } from '@mailproof/dev-house/bench';
import { ownerWith } from '../../test/people-store.ts';
import { type BenchHouse, openBenchHouse } from './bench-house.ts';
import { listOf, makeLists, widened } from './job-list.ts';
import { measureJob } from './measure-job.ts';
import { measureSingles } from './measure-singles.ts';
import { readOptions } from './options.ts';
import { type Report, reported } from './report.ts';

const options = readOptions(process.argv.slice(2));
process.exitCode = await untilStopped(options.timeLimitMinutes, async signal => {
  const lists = makeLists(options.rows, options.sample);
  const running = await openBenchHouse(lists.catalog, options.nodeOptions, signal);
  try {
    return reported(options, await measureAll(running, lists, signal));
  } finally {
    await running.stop();
  }
});

async function measureAll(
  running: BenchHouse,
  { list: narrow, single, together }: ReturnType<typeof makeLists>,
  signal: AbortSignal,
): Promise<Report> {
  const owner = await ownerWith(running.test, options.rows + options.sample);
  const list = widened(narrow, options.columns);
  process.stderr.write(`A job of ${list.rows.length} rows\n`);
  const job = await measureJob(running, owner, list, options.format, signal);
  const services = costsOfServices(running.house);
  const redisMiB = await redisPeakMiB(running.house.redisUrl);
  if (options.sample === 0) {
    return { job, services, redisMiB };
  }
  process.stderr.write(`${single.length} addresses one by one, and as many by a job\n`);
  const singleSeconds = await measureSingles(running, single, signal);
  const sampled = await measureJob(running, owner, listOf(together, 0), 'csv', signal);
  return { job, services, redisMiB, sample: { singleSeconds, addresses: single.length, job: sampled } };
}
