import { costsOfServices, redisPeakMiB } from '@mailproof/dev-house/service-costs';
import { ownerWith } from '../../test/people-store.ts';
import { type BenchHouse, openBenchHouse } from './bench-house.ts';
import { listOf, makeLists } from './job-list.ts';
import { measureJob } from './measure-job.ts';
import { measureSingles } from './measure-singles.ts';
import { readOptions } from './options.ts';
import { type Report, reported } from './report.ts';

const minuteMs = 60_000;

const options = readOptions(process.argv.slice(2));
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interruption.abort(new Error(`Stopped by ${name}.`)));
}
const limit = AbortSignal.timeout(options.timeLimitMinutes * minuteMs);
process.exitCode = await bench(AbortSignal.any([interruption.signal, limit]));

async function bench(signal: AbortSignal): Promise<number> {
  const lists = makeLists(options.rows, options.sample);
  const running = await openBenchHouse(lists.catalogue, options.nodeOptions, signal);
  try {
    return reported(options, await measureAll(running, lists, signal));
  } catch (error) {
    const reason = limit.aborted ? `The time limit of ${options.timeLimitMinutes} minutes was over.` : error;
    process.stderr.write(`${reason instanceof Error ? reason.message : reason}\n`);
    return 1;
  } finally {
    await running.stop();
  }
}

async function measureAll(
  running: BenchHouse,
  { list, single, together }: ReturnType<typeof makeLists>,
  signal: AbortSignal,
): Promise<Report> {
  const owner = await ownerWith(running.test, options.rows + options.sample);
  process.stderr.write(`A job of ${list.rows.length} rows\n`);
  const job = await measureJob(running, owner, list, signal);
  const services = costsOfServices(running.house);
  const redisMiB = await redisPeakMiB(running.house);
  if (options.sample === 0) {
    return { job, services, redisMiB };
  }
  process.stderr.write(`${single.length} addresses one by one, and as many by a job\n`);
  const singleSeconds = await measureSingles(running, single, signal);
  const sampled = await measureJob(running, owner, listOf(together, 0), signal);
  return { job, services, redisMiB, sample: { singleSeconds, addresses: single.length, job: sampled } };
}
