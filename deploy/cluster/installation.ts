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
import { restrictedNamespace, storeVolume } from './manifests.ts';
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
   * Runs the commands below a heading of a page of the documentation, and returns their output.
   *
   * @throws Error when one fails
   */
  readonly runPage: (page: string, heading: string) => Promise<string>;
  /** The arguments of `helm upgrade` or `helm template` that repeat the installation's values. */
  readonly chart: readonly string[];
}

const namespace = 'mailproof';
const release = 'mailproof';
/** The user and group of the chart's bundled stores. */
const storesUser = '999:999';
const chartFolder = join(projectRoot, 'helm/mailproof');
const listed = benchmarkCatalog({ domains: 100, addresses: 40_000, seed: 1 });
/** Any free block of addresses: the lab listens on all of them in this process's network. */
const labBlock = '10.99.0.0/16';
const receiverPort = 8_443;
const people = 5_000;

/**
 * Installs a trial as docs/install-with-helm.md says: a namespace with Pod Security, Secrets that the image makes, and the
 * chart with its bundled stores. Then creates an account, and people to search.
 */
export async function install(
  cluster: Cluster,
  programs: Programs,
  folder: string,
  version: string,
): Promise<Installation> {
  const lab = await startLab();
  const addresses = shuffled(listed.flatMap(({ expected }) => expected));
  const [dnsAddress, dnsPort] = lab.dnsServer.split(':');
  await cluster.apply(restrictedNamespace(namespace));
  for (const store of ['postgres', 'redis']) {
    const path = join(folder, 'volumes', store);
    mkdirSync(path, { recursive: true });
    run('chown', storesUser, path);
    await cluster.apply(storeVolume(namespace, `data-${release}-${store}-0`, path, '5Gi'));
  }
  await cluster.kubectl(['-n', namespace, 'apply', '-f', '-'], await newSecrets(cluster, version));

  const values = {
    trial: true,
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
  await helm('install', ...chart, '--wait', '--timeout', '10m');

  // The plan's rate would refuse most requests of a trial under load.
  const account = ['ops', 'account', 'create', '--name', 'Example Ltd', '--plan', 'scale'];
  const rate = ['--requests-per-second', '1000'];
  const created = await cluster.kubectl([
    ...['-n', namespace, 'exec', `deploy/${release}-gateway`, '--', '/app/run'],
    ...[...account, ...rate, '--email', 'ada@example.com', '--json'],
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
    runPage: pageRunner(cluster, programs, folder),
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
  { environment }: Cluster,
  { kube, helm }: Programs,
  folder: string,
): Installation['runPage'] {
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'kubectl'), `#!/bin/sh\nexec ${kube} kubectl "$@"\n`, { mode: 0o755 });
  symlinkSync(helm, join(programs, 'helm'));
  symlinkSync(join(projectRoot, 'helm'), join(folder, 'helm'));
  return (page, heading) => {
    const blocks = pageCommands(readFileSync(join(projectRoot, page), 'utf8'), heading);
    const path = `${programs}:${environment['PATH'] ?? process.env['PATH']}`;
    const shell = ['bash', '-euo', 'pipefail', '-c', blocks.join('\n')];
    return output(shell, { ...environment, PATH: path }, { cwd: folder });
  };
}

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

/** Runs the image that makes Secrets, as `docker run` would. */
async function newSecrets({ kubectl }: Cluster, version: string): Promise<string> {
  const pod = 'new-secrets';
  await kubectl([
    ...['run', pod, '--image', `docker.io/mailproof/migrate:${version}`, '--restart', 'Never', '--'],
    ...['secrets', '--format', 'kubernetes'],
    ...['--postgres', `${release}-postgres:5432`, '--redis', `${release}-redis:6379`],
  ]);
  await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', `pod/${pod}`, '--timeout=120s']);
  const secrets = await kubectl(['logs', pod]);
  await kubectl(['delete', 'pod', pod, '--wait=false']);
  return secrets;
}
