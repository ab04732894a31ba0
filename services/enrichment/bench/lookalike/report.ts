import type { CalibrationQuality } from './measure-calibration.ts';
import type { Quality } from './measure-quality.ts';
import type { Speed } from './measure-speed.ts';
import type { VectorQuality } from './measure-vectors.ts';
import type { Difference } from './measures.ts';
import { bounds } from './options.ts';

export interface Finding {
  readonly what: string;
  readonly kept: boolean;
}

/** The measurements; null if skipped or not possible. */
export interface Report {
  readonly quality: Quality | null;
  readonly calibration: CalibrationQuality | null;
  readonly speed: Speed | null;
  readonly vectors: VectorQuality | null;
}

export function judge({ quality, calibration, speed, vectors }: Report): Finding[] {
  const findings: Finding[] = [];
  if (quality !== null) {
    findings.push(
      { what: 'precision@10 over TF-IDF, interval above zero', kept: quality.overTfIdf.from > 0 },
      { what: 'precision@10 over BM25, interval above zero', kept: quality.overBm25.from > 0 },
      { what: '3 seeds over 1, interval above zero', kept: quality.threeOverOne.from > 0 },
      {
        what: '"less like this" lowers its industry, interval below zero',
        kept: quality.unlike.unwantedChange.to < 0,
      },
    );
  }
  for (const { depth, after } of calibration?.errors ?? []) {
    findings.push({
      what: `calibration error of the first ${depth} at most ${bounds.calibrationErrorMax}`,
      kept: after <= bounds.calibrationErrorMax,
    });
  }
  for (const { name, p95Ms } of speed?.questions ?? []) {
    findings.push({
      what: `${name}: p95 within ${bounds.questionP95MsMax} ms`,
      kept: p95Ms <= bounds.questionP95MsMax,
    });
  }
  if (vectors !== null) {
    findings.push({
      what: `recall of vectors in Postgres at least ${bounds.vectorRecallMin}`,
      kept: vectors.recall >= bounds.vectorRecallMin,
    });
  }
  return findings;
}

export function textOf(report: Report, findings: readonly Finding[]): string {
  const { quality, calibration, speed, vectors } = report;
  return [
    ...(quality === null ? [] : qualityLines(quality)),
    ...(calibration === null ? [] : calibrationLines(calibration)),
    ...(speed === null ? [] : speedLines(speed)),
    ...(vectors === null ? [] : vectorLines(vectors)),
    '',
    ...findings.map(({ what, kept }) => `${kept ? 'kept  ' : 'MISSED'}  ${what}`),
    '',
  ].join('\n');
}

function qualityLines(quality: Quality): string[] {
  const { companies, industries, seeds, chance, rankings, unlike } = quality;
  return [
    `Quality: ${companies} companies, ${industries} industries, ${seeds} seeds; chance ${chance.toFixed(3)}`,
    '',
    'ranking          precision@10   nDCG@10',
    ...rankings.map(
      ({ name, precision, ndcg }) =>
        `${name.padEnd(16)} ${precision.toFixed(3).padStart(12)} ${ndcg.toFixed(3).padStart(9)}`,
    ),
    `ours - TF-IDF    ${differenceText(quality.overTfIdf)}`,
    `ours - BM25      ${differenceText(quality.overBm25)}`,
    '',
    ...quality.bySeeds.map(
      ({ seeds: count, precision }) => `${count} seeds: precision@10 ${precision.toFixed(3)}`,
    ),
    `3 seeds - 1      ${differenceText(quality.threeOverOne)}`,
    '',
    `"less like this", share of the first 25: unwanted industry ${unlike.unwantedBefore.toFixed(3)} -> ${unlike.unwantedAfter.toFixed(3)}, wanted industry ${unlike.wantedBefore.toFixed(3)} -> ${unlike.wantedAfter.toFixed(3)}`,
    `unwanted change  ${differenceText(unlike.unwantedChange)}`,
    '',
  ];
}

function calibrationLines({ questions, errors, reliability, fresh }: CalibrationQuality): string[] {
  return [
    `Calibration: ${questions} questions, each judged by a fit without its industry`,
    '',
    'candidates       raw score    fitted   shipped   (expected calibration error)',
    ...errors.map(
      ({ depth, before, after, shipped }) =>
        `first ${String(depth).padEnd(10)} ${before.toFixed(3).padStart(9)} ${after.toFixed(3).padStart(9)} ${shipped.toFixed(3).padStart(9)}`,
    ),
    '',
    'seeds of companies whose industries the fit did not know',
    'candidates           error      bias',
    ...fresh.map(
      ({ depth, error, bias }) =>
        `${depth === 200 ? 'all matches     ' : `first ${String(depth).padEnd(10)}`} ${error.toFixed(3).padStart(9)} ${bias.toFixed(3).padStart(9)}`,
    ),
    '',
    'strength said    relevant    candidates   (first 100)',
    ...reliability.map(
      ({ strength, relevantShare, count }) =>
        `${strength.toFixed(3).padStart(13)} ${relevantShare.toFixed(3).padStart(11)} ${String(count).padStart(13)}`,
    ),
    '',
  ];
}

function speedLines(speed: Speed): string[] {
  return [
    `Time: ${speed.companies} companies, ${speed.terms} words; read in ${speed.readSeconds.toFixed(0)} s, built in ${speed.buildSeconds.toFixed(0)} s (${speed.buildProcessorSeconds.toFixed(0)} s of processor), at most ${speed.memoryPeakMb} MB of memory`,
    ...speed.questions.map(
      ({ name, p50Ms, p95Ms, processorP95Ms }) =>
        `${name}: p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms (${processorP95Ms.toFixed(0)} ms of processor)`,
    ),
  ];
}

function vectorLines({ hnsw, ...vectors }: VectorQuality): string[] {
  const times = (p50Ms: number, p95Ms: number) => `p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms`;
  return [
    `Vectors in Postgres: ${vectors.companies} companies, table of ${vectors.tableMb.toFixed(0)} MB`,
    `in memory: ${times(vectors.memoryP50Ms, vectors.memoryP95Ms)}`,
    `in Postgres: ${times(vectors.postgresP50Ms, vectors.postgresP95Ms)}; recall@100 ${vectors.recall.toFixed(4)}, the same 1,000 matches and counts in ${(vectors.sameShare * 100).toFixed(1)} % of questions`,
    `HNSW, dense part alone: built in ${hnsw.buildSeconds.toFixed(0)} s, ${hnsw.indexMb.toFixed(0)} MB`,
    ...hnsw.searches.map(
      ({ efSearch, recall, found, p50Ms, p95Ms }) =>
        `ef_search ${efSearch}: recall@100 ${recall.toFixed(3)}, at most ${found} found, ${times(p50Ms, p95Ms)}`,
    ),
  ];
}

function differenceText({ mean, from, to }: Difference): string {
  const signed = (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
  return `${signed(mean).padStart(12)}   95 % interval ${signed(from)} to ${signed(to)}`;
}
