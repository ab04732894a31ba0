import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { judge } from '../bench/judge.ts';
import type { Measurement } from '../bench/measure.ts';
import type { ProberId } from '../bench/messages.ts';
import { isMissed, type SingleMeasurement, singleOf } from '../bench/single/report-single.ts';

const main = fileURLToPath(new URL('../bench/main.ts', import.meta.url));

function startBench(...args: string[]): ChildProcess {
  // Jest's Node options would only add warnings.
  return spawn(process.execPath, [main, ...args], { env: { ...process.env, NODE_OPTIONS: '' } });
}

async function textFrom(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) {
    text += chunk.toString();
  }
  return text;
}

describe('the benchmark', () => {
  it('measures every prober on the same list, finds every verdict right and every cap kept', async () => {
    const child = startBench('--domains=8', '--addresses=60', '--round-trip-ms=2', '--json', '--no-check');
    const gone = once(child, 'close');
    const [said, complained] = await Promise.all([textFrom(child.stdout), textFrom(child.stderr)]);
    expect(await gone).toEqual([0, null]);
    const { measurements, findings, failure } = JSON.parse(said) as {
      measurements: (Measurement & { timesPlainRate: number; connectionsPerAddress: number })[];
      findings: { promise: string; measured: number; kept: boolean }[];
      failure?: string;
    };
    expect(failure).toBeUndefined();
    expect(measurements.map(({ prober, addresses }) => [prober, addresses])).toEqual([
      ['engine', 60],
      ['engine-evidence', 60],
      ['plain', 60],
    ]);
    const [engine, , plain] = measurements;
    expect(plain).toMatchObject({ connectionsPerAddress: 1, timesPlainRate: 1 });
    expect(engine?.figures.results).toEqual(plain?.figures.results);
    expect(engine?.timesPlainRate).toBeGreaterThan(0);
    const rules = findings.filter(({ promise }) => /verdicts|sessions|complaints/.test(promise));
    expect(rules).toHaveLength(9);
    expect(rules.filter(({ kept }) => !kept)).toEqual([]);
    expect(complained).toContain('plain prober, 60 addresses');
  });

  it('measures single answers next to a bare dialogue, and finds every verdict right', async () => {
    const child = startBench('--single=10', '--round-trip-ms=0', '--json', '--no-check');
    const gone = once(child, 'close');
    const [said] = await Promise.all([textFrom(child.stdout), textFrom(child.stderr)]);
    expect(await gone).toEqual([0, null]);
    const { measurements } = JSON.parse(said) as { measurements: SingleMeasurement[] };
    expect(measurements.map(({ roundTripMs }) => roundTripMs)).toEqual([0]);
    const { bare, engine, rest } = measurements[0]?.spreads ?? {};
    expect(bare?.p50Ms).toBeGreaterThan(0);
    expect(engine?.p50Ms).toBeGreaterThan(0);
    expect(rest?.p50Ms).toBeGreaterThan(bare?.p50Ms ?? 0);
  });

  it('stops with all its processes when it is interrupted', async () => {
    const child = startBench('--domains=8', '--addresses=2000', '--in-flight=1', '--round-trip-ms=200');
    const gone = once(child, 'close');
    void textFrom(child.stdout);
    await once(child.stderr as NodeJS.ReadableStream, 'data');
    child.kill('SIGINT');
    // It exits only after its child processes.
    expect(await gone).toEqual([130, null]);
  });

  it('refuses numbers that make no sense', async () => {
    const child = startBench('--domains=8', '--addresses=7');
    const gone = once(child, 'close');
    expect(await textFrom(child.stderr)).toContain('--addresses is at least as many as --domains');
    expect(await gone).toEqual([2, null]);
  });
});

describe('the judgment of single answers', () => {
  it.each([
    [2, 30, false],
    [2, 31, true],
    // On loopback, the hops between our own processes outweigh the dialogue.
    [0, 100, false],
  ])('at %d ms of round-trip time and %d ms over REST for 10: missed %s', (roundTripMs, rest, missed) => {
    expect(isMissed(singleOf(roundTripMs, { bare: [10], engine: [15], rest: [rest] }))).toBe(missed);
  });
});

describe('the judgment', () => {
  it('finds nothing missed where every bound is kept', () => {
    const findings = judge([measured('engine', {}), measured('plain', { elapsedMs: 8_000 })], 5);
    expect(findings.filter(({ kept }) => !kept)).toEqual([]);
    expect(findings.map(({ promise }) => promise)).toContain('times the plain rate');
  });

  it.each([
    ['verdicts other than the catalog’s', { mismatches: 1 }],
    ['sessions at one host at once', { sessionsPeakMax: 6 }],
    ['complaints of the lab', { complaints: 1 }],
    ['round trips per address', { roundTrips: 151 }],
    ['connections per address', { connections: 11 }],
    ['peak memory in MB', { memoryPeakBytes: 300_000_001 }],
    ['times the plain rate', { elapsedMs: 1_001 }],
  ])('finds that the bound on %s is missed', (promise, departure) => {
    const findings = judge([measured('engine', departure), measured('plain', { elapsedMs: 8_000 })], 5);
    expect(findings.filter(({ kept }) => !kept).map(finding => finding.promise)).toEqual([promise]);
  });

  it('compares rates on the same list only, and holds costs against the whole list only', () => {
    const sample = { ...measured('engine', { roundTrips: 500, elapsedMs: 900 }), addresses: 50 };
    const plain = { ...measured('plain', { elapsedMs: 9_000 }), addresses: 50 };
    const ratios = judge([measured('engine', {}), sample, plain], 5).filter(
      ({ promise }) => promise === 'times the plain rate',
    );
    expect(ratios.map(({ measured: ratio }) => ratio)).toEqual([10]);
    expect(judge([measured('engine', {}), sample, plain], 5).every(({ kept }) => kept)).toBe(true);
  });
});

/** A measurement of 100 addresses that meets every limit exactly, except for the given departure. */
function measured(prober: ProberId, departure: Readonly<Record<string, number>>): Measurement {
  const load = { cpuMs: 1, busyShare: 0.1, delayP99Ms: 1, delayMaxMs: 1 };
  return {
    prober,
    roundTripMs: 50,
    addresses: 100,
    figures: {
      elapsedMs: 1_000,
      results: { ok: 100 },
      mismatches: 0,
      firstMismatches: [],
      memoryPeakBytes: 300_000_000,
      memoryAtStartBytes: 100_000_000,
      load,
      ...departure,
    },
    lab: {
      connections: 10,
      roundTrips: 150,
      sessionsOpen: 0,
      sessionsPeakMax: 5,
      recipientsAsked: 100,
      dnsQueries: 1,
      webRequests: 0,
      complaints: 0,
      firstComplaints: [],
      load,
      ...departure,
    },
  };
}
