import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../project-root.ts';
import { connectionsIn, reachOfInternet } from './connections.ts';
import { type ChartTools, provideChartTools, schemaFaults } from './manifest-schemas.ts';
import { manifestDifferences, podsIn, readManifests } from './manifests.ts';
import { settingFaults } from './service-settings.ts';

const help = `Usage: node packages/dev-house/src/chart/check-chart.ts [--write]

Checks the Helm chart: lints and renders each set of values in helm/mailproof/ci, compares the output with
helm/mailproof/golden, validates it against the Kubernetes schemas, loads it with the services' own settings readers, lists
the connections that its policies allow, runs the suites in helm/mailproof/tests, and checks the workflows in
.github/workflows.
  --write   updates the files in helm/mailproof/golden`;

const chart = join(projectRoot, 'helm/mailproof');
/** Checks run at the lowest priority. */
const commandDeadlineMs = 600_000;

/** Sets that are nearly identical to another one, so only the differences are committed. */
const comparedWith: Readonly<Record<string, string>> = { production: 'minimal' };

/** The components that may reach the internet at these ports, with any values of the chart. */
const internetUsers: Readonly<Record<string, readonly string[]>> = {
  'TCP 25': ['validation-engine'],
  'TCP 443': ['enrichment', 'gateway', 'mcp-server', 'validation-engine', 'webhook-dispatcher'],
  'TCP 8443': ['enrichment', 'mcp-server', 'webhook-dispatcher'],
  'TCP 465': ['gateway'],
};

/** The services that anyone may reach, but only at their public port (ADR 0054). */
const publicServices: readonly string[] = ['gateway', 'mcp-server'];
const publicPort = 'TCP 8080';
const metricsPort = 'TCP 9464';

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) console.log(help);
else process.exitCode = await main(values.write ?? false);

async function main(isWriting: boolean): Promise<number> {
  const tools = provideChartTools(line => console.log(line));
  const faults: string[] = [];
  const counts = { sets: 0, manifests: 0, settings: 0, connections: 0 };
  const renderings = new Map(valuesSets().map(set => [set, render(tools, set)]));
  for (const [set, rendered] of renderings) {
    const manifests = readManifests(rendered);
    const other = comparedWith[set];
    const connections = connectionsIn(manifests);
    const pods = podsIn(manifests);
    const settings = await settingFaults(pods);
    const ofSet = [
      ...lint(tools, set),
      ...(other === undefined
        ? golden(`${set}.yaml`, rendered, isWriting)
        : golden(
            `${set}.differences.txt`,
            linesOf(manifestDifferences(readManifests(renderings.get(other) ?? ''), manifests)),
            isWriting,
          )),
      ...golden(`${set}.connections.txt`, linesOf(connections), isWriting),
      ...schemaFaults(tools, rendered, manifests),
      ...settings.faults,
      ...connectionFaults(
        connections,
        pods.map(({ component }) => component),
      ),
    ];
    faults.push(...ofSet.map(fault => `${set}: ${fault}`));
    counts.sets += 1;
    counts.manifests += manifests.length;
    counts.settings += settings.settings;
    counts.connections += connections.length;
  }
  const suites = runSuites(tools);
  faults.push(...suites.faults, ...workflowFaults(tools));
  for (const fault of faults) console.error(fault);
  for (const [what, count] of Object.entries({ ...counts, tests: suites.tests })) {
    if (count > 0) continue;
    console.error(`No ${what} were examined.`);
    return 1;
  }
  console.log(
    `chart: ${counts.sets} sets of values, ${counts.manifests} manifests, ${counts.settings} settings, ${counts.connections} connections, ${suites.tests} tests, ${faults.length} faults`,
  );
  return faults.length > 0 ? 1 : 0;
}

/** The workflows that test and publish a release (CONTRIBUTING.md). */
function workflowFaults({ actionlint }: ChartTools): string[] {
  const { status, stdout, stderr } = run(actionlint, [
    '-no-color',
    '-shellcheck=',
    '-pyflakes=',
    ...workflows(),
  ]);
  return status === 0 ? [] : [`actionlint: ${stdout}${stderr}`];
}

function workflows(): string[] {
  const folder = join(projectRoot, '.github/workflows');
  return readdirSync(folder).map(file => join(folder, file));
}

function valuesSets(): string[] {
  return readdirSync(join(chart, 'ci')).map(file => basename(file, '.yaml'));
}

function linesOf(lines: readonly string[]): string {
  return lines.map(line => `${line}\n`).join('');
}

/** Renders what Helm would send to Kubernetes, without the paths of templates and the empty lines they leave. */
function render(tools: ChartTools, set: string): string {
  const { status, stdout, stderr } = runChart(tools, 'template', set);
  if (status !== 0) throw new Error(`The values set ${set} is not rendered:\n${stderr}`);
  return stdout.replaceAll(/^ *\n/gm, '');
}

function lint(tools: ChartTools, set: string): string[] {
  const { status, stdout, stderr } = runChart(tools, 'lint', set);
  return status === 0 ? [] : [`helm lint: ${stdout}${stderr}`];
}

function runChart(tools: ChartTools, command: 'template' | 'lint', set: string) {
  return run(tools.chart, [command, chart, join(chart, 'ci', `${set}.yaml`)]);
}

function golden(file: string, text: string, isWriting: boolean): string[] {
  const path = join(chart, 'golden', file);
  if (isWriting) writeFileSync(path, text);
  const scratch = mkdtempSync(join(tmpdir(), 'mailproof-chart-'));
  try {
    const rendered = join(scratch, file);
    writeFileSync(rendered, text);
    const { status, stdout, stderr } = run('git', ['diff', '--no-index', '--no-color', path, rendered]);
    if (status === 0) return [];
    return [
      `the rendered output differs from ${file}; if that is intended, update it with \`pnpm chart:golden\`:\n${stdout}${stderr}`,
    ];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function connectionFaults(connections: readonly string[], components: readonly string[]): string[] {
  const open = connections.filter(line => line.includes(' WITH '));
  const reach = [...reachOfInternet(connections)].flatMap(([ports, names]) =>
    names
      .filter(name => !(internetUsers[ports] ?? []).includes(name))
      .map(name => `${name} reaches the internet at ${ports}, which it does not need.`),
  );
  const reachable = connections
    .flatMap(line => /^anyone -> (\S+):/.exec(line)?.[1] ?? [])
    .filter(name => !publicServices.includes(name))
    .map(name => `any pod can reach ${name}, which is not public.`);
  const intruding = connections
    .map(line => /^(.+) -> (\S+): (.+)$/.exec(line) ?? [])
    .filter(([, from = '', to = '']) => publicServices.includes(to) && !components.includes(from))
    .flatMap(([line = '', , , ports = '']) =>
      ports.split(', ').every(port => port === publicPort || port === metricsPort) ? [] : [line],
    )
    .map(line => `outside connections reach more than the public port and the metrics port: ${line}`);
  return [
    ...reachable,
    ...intruding,
    ...open.map(line => `private addresses are allowed as internet addresses: ${line}`),
    ...reach,
  ];
}

function runSuites({ helmUnittest }: ChartTools): { faults: string[]; tests: number } {
  const { status, stdout, stderr } = run(helmUnittest, ['--strict', chart]);
  const tests = Number(/^Tests: .*?(\d+) passed/m.exec(stdout)?.[1] ?? 0);
  const written = readdirSync(join(chart, 'tests'))
    .filter(file => file.endsWith('_test.yaml'))
    .map(file => readFileSync(join(chart, 'tests', file), 'utf8').match(/^ {2}- it: /gm)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0);
  if (status !== 0) return { faults: [`the suites failed:\n${stdout}${stderr}`], tests };
  return { faults: tests === written ? [] : [`${tests} of ${written} tests ran.`], tests };
}

function run(
  program: string,
  args: readonly string[],
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: commandDeadlineMs,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: '1' },
  });
  if (error) throw error;
  return { status, stdout, stderr };
}
