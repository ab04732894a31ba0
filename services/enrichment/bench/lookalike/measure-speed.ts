import { quantile } from '@mailproof/dev-house/bench';
import { ModelBuilder, type StoredCompany } from '../../src/domain/lookalike/build-model.ts';
import { type RankingModel, rankCompanies } from '../../src/domain/lookalike/rank-companies.ts';
import { seededRandom } from '../../src/domain/lookalike/seeded-random.ts';

const industries = 150;
const wordsPerCompany = 110;
const warmUp = 5;

export interface Speed {
  readonly companies: number;
  readonly terms: number;
  readonly readSeconds: number;
  readonly buildSeconds: number;
  readonly memoryPeakMb: number;
  /** CPU time, which depends less on other load on the machine than wall-clock time. */
  readonly buildProcessorSeconds: number;
  readonly questions: readonly {
    readonly name: string;
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly processorP95Ms: number;
  }[];
}

/** Measures the time a thread takes to build a model and to answer from it. */
export function measureSpeed(companies: number, questions: number, tell: (line: string) => void): Speed {
  const random = seededRandom(7);
  const builder = new ModelBuilder();
  const startedMs = performance.now();
  for (let at = 0; at < companies; at++) {
    builder.add(inventedCompany(at + 1, random));
  }
  const readMs = performance.now();
  const processorAtStart = process.cpuUsage();
  let memoryPeak = process.memoryUsage().rss;
  let told = 0;
  const { model, index } = builder.finish(done => {
    memoryPeak = Math.max(memoryPeak, process.memoryUsage().rss);
    if (done >= told + 0.1) {
      told = done;
      tell(`built ${Math.round(done * 100)} %`);
    }
  });
  const builtMs = performance.now();
  const buildProcessorSeconds = processorMs(processorAtStart) / 1_000;
  const ranking = { modelNo: 1, space: model.space, calibration: model.calibration, index };
  return {
    companies,
    terms: model.space.stems.length,
    readSeconds: (readMs - startedMs) / 1_000,
    buildSeconds: (builtMs - readMs) / 1_000,
    buildProcessorSeconds,
    memoryPeakMb: Math.round(memoryPeak / 1_000_000),
    questions: [
      timed('1 seed, 25 matches with reasons', ranking, questions, at => ({
        seeds: [1 + ((at * 37) % companies)],
        limit: 25,
        explain: 25,
      })),
      timed('5 seeds, 1 unlike, 1,000 matches with reasons', ranking, questions, at => ({
        seeds: [0, 1, 2, 3, 4].map(each => 1 + ((at * 37 + each * 101) % companies)),
        unlike: [1 + ((at * 37 + 50) % companies)],
        limit: 1_000,
        explain: 1_000,
      })),
      timed('1 seed of one country, 50,000 matches', ranking, questions, at => ({
        seeds: [1 + ((at * 37) % companies)],
        candidates: { countries: ['DE'] },
        limit: 50_000,
      })),
    ],
  };
}

function timed(
  name: string,
  ranking: RankingModel,
  questions: number,
  questionAt: (at: number) => Parameters<typeof rankCompanies>[1],
): Speed['questions'][number] {
  const times: number[] = [];
  const processorTimes: number[] = [];
  for (let at = 0; at < questions + warmUp; at++) {
    const startedMs = performance.now();
    const processorAtStart = process.cpuUsage();
    rankCompanies(ranking, questionAt(at));
    if (at >= warmUp) {
      times.push(performance.now() - startedMs);
      processorTimes.push(processorMs(processorAtStart));
    }
  }
  return {
    name,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    processorP95Ms: quantile(processorTimes, 0.95),
  };
}

/** Builds a model of invented companies, numbered from 1. */
export function inventedModel(companies: number): ReturnType<ModelBuilder['finish']> {
  const random = seededRandom(7);
  const builder = new ModelBuilder();
  for (let at = 0; at < companies; at++) {
    builder.add(inventedCompany(at + 1, random));
  }
  return builder.finish();
}

/** The CPU time of all threads of the process since a reading. */
function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

/**
 * Generates a company from invented words: some that all companies use, some of its industry, some of its trade within
 * it.
 */
function inventedCompany(companyNo: number, random: () => number): StoredCompany {
  const industry = Math.floor(random() * industries);
  const trade = Math.floor(random() * 8);
  const words = Array.from({ length: wordsPerCompany }, (_, at) => {
    const kind = random();
    const word =
      kind < 0.45
        ? wordOf(0, oftenFirst(20_000, random))
        : kind < 0.8
          ? wordOf(1 + industry, oftenFirst(400, random))
          : wordOf(1_000 + industry * 8 + trade, oftenFirst(200, random));
    return at % 22 === 21 ? `${word}.` : word;
  });
  return {
    companyNo,
    name: `Company ${companyNo}`,
    description: words.join(' '),
    keywords: [],
    industryLabel: `industry ${industry}`,
    facets: {
      industry: `industry ${industry}`,
      companySize: null,
      revenue: null,
      companyType: null,
      country: random() < 0.5 ? 'DE' : 'FR',
    },
  };
}

/** Returns low numbers often and high ones rarely, like word frequencies (Zipf 1935). */
function oftenFirst(count: number, random: () => number): number {
  return Math.min(count - 1, Math.floor(Math.exp(random() * Math.log(count + 1))) - 1);
}

/** Makes a word of only letters from two numbers. */
function wordOf(group: number, number: number): string {
  const letters = (value: number) =>
    [...value.toString(26)].map(digit => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
  return `${letters(group)}k${letters(number)}o`;
}
