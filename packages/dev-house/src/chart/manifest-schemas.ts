import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChartTools } from './chart-tools.ts';
import type { Manifest } from './manifests.ts';

/** The oldest release of Kubernetes that the chart names, and the newest that there are schemas of. */
const releases = ['1.27', '1.37'];
const deadlineMs = 120_000;

/** Of other makers: their schemas come with them, and the suites of the chart look at what we write in them. */
const foreignKinds = new Set(['ScaledObject', 'ServiceMonitor', 'PrometheusRule']);

/** What the schemas of Kubernetes say against manifests; fields that they do not know are faults too. */
export function schemaFaults(
  { kubernetesValidate }: ChartTools,
  rendered: string,
  manifests: readonly Manifest[],
): string[] {
  const scratch = mkdtempSync(join(tmpdir(), 'mailproof-manifests-'));
  const ours = manifests.filter(({ kind }) => !foreignKinds.has(kind)).length;
  try {
    const file = join(scratch, 'rendered.yaml');
    writeFileSync(file, rendered);
    return releases.flatMap(release => {
      const args = ['-m', 'kubernetes_validate', '--strict', '-k', release, file];
      const { stdout, stderr, error } = spawnSync(kubernetesValidate, args, {
        encoding: 'utf8',
        timeout: deadlineMs,
      });
      if (error) throw error;
      const lines = `${stdout}${stderr}`.split('\n');
      const passed = lines.filter(line => line.includes(' passed for resource ')).length;
      const complaints = lines.filter(line => !line.includes(' passed for resource ') && !isForeign(line));
      if (passed === ours) return [];
      return [
        `${passed} of ${ours} manifests are valid in Kubernetes ${release}:\n${complaints.join('\n').trim()}`,
      ];
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isForeign(line: string): boolean {
  return [...foreignKinds].some(kind => line.includes(`find schema for kind ${kind} `));
}
