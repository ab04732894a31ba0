import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import { pageCommands, projectRoot, readCredentials } from '@mailproof/dev-house/images';
import {
  benchmarkCatalog,
  catalog,
  type ExpectedVerdict,
  type MailLab,
  startMailLab,
} from '@mailproof/mail-lab';
import { run } from '../smoke/shell.ts';
import { output } from '../trial/output.ts';
import { type Cluster, controlAddress, nodes, serviceRange } from './cluster.ts';
import { imageRegistry } from './images.ts';
import { storeVolume } from './manifests.ts';
import type { Programs } from './programs.ts';

/** The chart on the cluster, with a mail internet that it can reach. */
export interface Installation {
  readonly namespace: string;
  readonly release: string;
  /** URLs as a client outside of the cluster uses them. */
  readonly gatewayUrl: string;
  readonly toolsUrl: string;
  readonly apiKey: string;
  readonly lab: MailLab;
  /** Receives pushes, outside of the cluster. */
  readonly receiver: WebhookReceiver;
  /** Returns addresses that no list has had, with the verdict that each must get. */
  takeAddresses(count: number): readonly ExpectedVerdict[];
  /** Runs Helm. */
  helm(...args: readonly string[]): Promise<string>;
  /**
   * Runs the commands below a heading of a page of the documentation that concern a cluster and end, and returns their
   * output. `git pull` does nothing.
   *
   * @throws Error when one fails
   */
  readonly runPage: (page: string, heading: string) => Promise<string>;
  /** Runs the commands below a heading that forward ports while requests are sent to these URLs, which must succeed. */
  readonly forwardPorts: (page: string, heading: string, urls: readonly string[]) => Promise<void>;
  /** The arguments of `helm upgrade` or `helm template` that repeat the installation's values. */
  readonly chart: readonly string[];
}

const namespace = 'mailproof';
const release = 'mailproof';
/** The user and group of the chart's bundled stores. */
const storesUser = '999:999';
const chartFolder = join(projectRoot, 'helm/mailproof');
const listed = benchmarkCatalog({ domains: 100, addresses: 80_000, seed: 1 });
const forwarding = ' port-forward ';
/** Any free block of addresses: the lab listens on all of them in this process's network. */
const labBlock = '10.99.0.0/16';
const receiverPort = 8_443;
const people = 20_000;

/**
 * Installs a trial with the commands of docs/install-with-helm.md, and upgrades it with those of docs/upgrading.md to
 * values that name the lab. Then creates an account, and people to search.
 */
export async function install(cluster: Cluster, programs: Programs): Promise<Installation> {
  const { folder } = cluster;
  const lab = await startLab();
  const addresses = shuffled(listed.flatMap(({ expected }) => expected));
  const [dnsAddress, dnsPort] = lab.dnsServer.split(':');
  for (const store of ['postgres', 'redis']) {
    const path = join(folder, 'volumes', store);
    mkdirSync(path, { recursive: true });
    run('chown', storesUser, path);
    await cluster.apply(storeVolume(namespace, `data-${release}-${store}-0`, path, '5Gi'));
  }
  const { runPage, forwardPorts } = pageRunner(cluster, programs);
  await runPage('docs/install-with-helm.md', '## Install a trial');

  const values = {
    trial: true,
    image: { registry: imageRegistry },
    secrets: { prefix: release },
    publicUrl: 'http://127.0.0.1:8080',
    mcpPublicUrl: 'http://127.0.0.1:8081',
    postgres: { bundled: { enabled: true } },
    redis: { bundled: { enabled: true } },
    privateRangesAccepted: true,
    outbound: { ports: [443, receiverPort], allowedPrivateRanges: [`${controlAddress}/32`] },
    validation: {
      dnsServers: [lab.dnsServer],
      dnsPeers: [{ ipBlock: { cidr: `${dnsAddress}/32` } }],
      dnsPorts: [Number(dnsPort)],
      allowedPrivateRanges: [labBlock],
    },
  };
  const valuesFile = join(folder, 'mailproof.yaml');
  writeFileSync(valuesFile, JSON.stringify(values, null, 2));
  const helm = (...args: readonly string[]): Promise<string> =>
    output([programs.helm, ...args, '--namespace', namespace], cluster.environment);
  const chart = [release, chartFolder, '--values', valuesFile];
  await runPage('docs/upgrading.md', '## Upgrade');

  // The plan's rate would refuse most requests of a trial under load.
  const account = ['ops', 'account', 'create', '--name', 'Example Ltd', '--plan', 'scale'];
  const rate = ['--requests-per-second', '1000'];
  const created = await cluster.kubectl([
    ...['-n', namespace, 'exec', `deploy/${release}-gateway`, '--', '/app/run'],
    ...[...account, ...rate, '--email', 'grace@example.com', '--json'],
  ]);
  const synthesize = ['ops', 'synthesize', 'people', String(people)];
  await cluster.kubectl([
    ...['-n', namespace, 'exec', `deploy/${release}-enrichment`, '--', '/app/run', ...synthesize],
  ]);
  return {
    namespace,
    release,
    gatewayUrl: await urlOf(cluster, 'gateway'),
    toolsUrl: await urlOf(cluster, 'mcp-server'),
    apiKey: readCredentials(created).apiKey,
    lab,
    receiver: await openWebhookReceiver({ host: controlAddress, port: receiverPort }),
    takeAddresses: count => addresses.splice(0, count),
    helm,
    runPage,
    forwardPorts,
    chart,
  };
}

/**
 * Starts the mail lab in this process, outside of the cluster. Its addresses and those of the cluster's Services are
 * routed: a Service is reached through the first node, which passes its connections on to any pod.
 */
async function startLab(): Promise<MailLab> {
  run('ip', 'route', 'add', 'local', labBlock, 'dev', 'lo');
  run('ip', 'route', 'add', serviceRange, 'via', nodes[0]?.address ?? '');
  return startMailLab({
    catalog: [...catalog, ...listed],
    addressBlock: labBlock,
    dnsPort: 53,
    smtpPort: 25,
    httpsPort: 443,
  });
}

/** Runs commands of pages in a folder with what they name: `kubectl`, `helm`, the chart and its values. */
function pageRunner(
  { environment, folder }: Cluster,
  { kube, helm }: Programs,
): Pick<Installation, 'runPage' | 'forwardPorts'> {
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  const script = (name: string, content: string): void =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${content}\n`, { mode: 0o755 });
  script('kubectl', `exec ${kube} kubectl "$@"`);
  script('docker', dockerRun);
  script('git', '# This checkout is the release.');
  symlinkSync(helm, join(programs, 'helm'));
  symlinkSync(join(projectRoot, 'helm'), join(folder, 'helm'));
  const path = `${programs}:${environment['PATH'] ?? process.env['PATH']}`;
  const shell = (commands: string): Promise<string> =>
    output(['bash', '-euo', 'pipefail', '-c', commands], { ...environment, PATH: path }, { cwd: folder });
  const blocksOf = (page: string, heading: string): readonly string[] =>
    pageCommands(readFileSync(join(projectRoot, page), 'utf8'), heading).filter(block =>
      /^(helm|kubectl) /m.test(block),
    );
  return {
    runPage: (page, heading) =>
      shell(
        blocksOf(page, heading)
          .filter(block => !block.includes(forwarding))
          .join('\n'),
      ),
    forwardPorts: async (page, heading, urls) => {
      const lines = blocksOf(page, heading).flatMap(block => block.split('\n'));
      const forwards = lines.filter(line => line.includes(forwarding)).map(line => `${line} >&2 &`);
      const requests = urls.map(
        url => `curl --fail --silent --show-error --retry 20 --retry-delay 1 --retry-connrefused ${url}`,
      );
      await shell(["trap 'kill $(jobs -p)' EXIT", ...forwards, ...requests].join('\n'));
    },
  };
}

/** `docker run --rm IMAGE ARGUMENTS…` as a pod. */
const dockerRun = `set -e
[ "$1 $2" = "run --rm" ] || { echo "docker $*: only run --rm works here." >&2; exit 1; }
image=$3
shift 3
{
  kubectl -n default run once --image "$image" --restart Never -- "$@"
  kubectl -n default wait --for=jsonpath={.status.phase}=Succeeded pod/once --timeout=120s
} >&2
kubectl -n default logs once
kubectl -n default delete pod once --wait=false >&2`;

/** Mixes the domains, as lists do, in the same way each time. */
function shuffled(addresses: readonly ExpectedVerdict[]): ExpectedVerdict[] {
  const step = 7_919;
  return addresses
    .map((_, at) => addresses[(at * step) % addresses.length])
    .filter(each => each !== undefined);
}

async function urlOf({ kubectl }: Cluster, service: string): Promise<string> {
  const field = 'jsonpath={.spec.clusterIP}:{.spec.ports[?(@.name=="http")].port}';
  return `http://${await kubectl(['-n', namespace, 'get', 'service', `${release}-${service}`, '-o', field])}`;
}
