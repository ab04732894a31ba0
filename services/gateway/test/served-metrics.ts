import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '@mailproof/dev-house';

/** The metrics that a service exposes to Prometheus. */
export interface ServedMetrics {
  readonly text: string;
  /** Names of all series; a histogram has three. */
  readonly names: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
}

export async function readMetrics(port: number): Promise<ServedMetrics> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  return {
    text,
    names: new Set(groupsOf(text, /^([a-z_]\w*)[{ ]/gm)),
    labels: new Set(groupsOf(text, /[{,](\w+)="/g)),
  };
}

/** The name of a metric, from the name of one of its series. */
export function withoutPart(series: string): string {
  return series.replace(/_(?:bucket|count|sum)$/, '');
}

const metricName = /\b((?:bullmq|db|http|mailproof|nodejs|process|v8js)_\w+)\b/g;

/** The metrics that dashboards and alerts use, and our own metrics that the operators' page lists. */
export async function metricsNamed(
  labels: ReadonlySet<string>,
): Promise<{ named: Set<string>; documented: Set<string> }> {
  const folders = ['deploy/grafana/dashboards', 'deploy/prometheus/rules'].map(folder =>
    join(projectRoot, folder),
  );
  const files = await Promise.all(
    folders.map(async folder => (await readdir(folder)).map(file => join(folder, file))),
  );
  const texts = await Promise.all(files.flat().map(file => readFile(file, 'utf8')));
  const page = await readFile(join(projectRoot, 'docs/telemetry.md'), 'utf8');
  return {
    named: new Set(texts.flatMap(text => groupsOf(text, metricName)).filter(name => !labels.has(name))),
    documented: new Set(groupsOf(page, /^\| `(mailproof_\w+)`/gm)),
  };
}

function groupsOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group]) => group ?? '');
}
