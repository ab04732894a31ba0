import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@mailproof/dev-house';
import { type Cluster, controlAddress, partOf } from './cluster.ts';

/**
 * Scales Deployments as KEDA does: for each ScaledObject it keeps a HorizontalPodAutoscaler, whose metrics are what
 * Prometheus answers to the queries of the ScaledObject. The HorizontalPodAutoscaler is the real one.
 */
export interface Autoscaler {
  /** The Prometheus that scrapes the pods of the namespace. */
  readonly prometheusUrl: string;
  /**
   * Keeps a HorizontalPodAutoscaler for each ScaledObject that there is now.
   *
   * @returns the names of the Deployments that are scaled
   */
  scale(): Promise<readonly string[]>;
  /** Deletes the HorizontalPodAutoscalers, so that the numbers of pods stay, and ends Prometheus. */
  stop(): Promise<void>;
}

interface ScaledObject {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly triggers: readonly Trigger[];
  };
}

interface Trigger {
  readonly name: string;
  readonly metricType: 'AverageValue' | 'Value';
  readonly metadata: { readonly serverAddress: string; readonly query: string; readonly threshold: string };
}

const metricsGroup = 'external.metrics.k8s.io';
const metricsVersion = 'v1beta1';
const metricsService = { name: 'external-metrics', namespace: 'kube-system' };
const metricsPort = 6_444;
const prometheusPort = 9_090;
const metricsPortOfPods = 9_464;
const targetsFile = 'targets.json';
const targetsIntervalMs = 2_000;
const readyDeadlineMs = 60_000;
const queryDeadlineMs = 5_000;
/** The chart waits five minutes before it removes a pod, which a trial does not. */
const scaleDownSeconds = 15;

/** Starts Prometheus and the metrics of ScaledObjects, and resolves when both answer. */
export async function startAutoscaler(cluster: Cluster, namespace: string): Promise<Autoscaler> {
  const prometheusUrl = `http://${controlAddress}:${prometheusPort}`;
  const prometheus = partOf('prometheus', prometheusCommand(cluster), cluster.folder, cluster.environment);
  prometheus.start();
  const end = new AbortController();
  const targets = keepTargets(cluster, namespace, end.signal);
  // Without targets there are no values, which the trial sees.
  targets.catch(() => {});
  const queries = new Map<string, Trigger>();
  const server = metricsServer(cluster, queries);
  await cluster.apply(scaledObjects(), ...metricsApi(cluster));
  await waitFor('Prometheus is ready', () => answers(`${prometheusUrl}/-/ready`), {
    deadlineMs: readyDeadlineMs,
    everyMs: 500,
  });
  await cluster.kubectl([
    'wait',
    '--for=condition=Available',
    `apiservice/${metricsVersion}.${metricsGroup}`,
    `--timeout=${readyDeadlineMs / 1_000}s`,
  ]);
  return {
    prometheusUrl,
    scale: async () => {
      const said = await cluster.kubectl(['-n', namespace, 'get', 'scaledobjects', '-o', 'json']);
      const { items } = JSON.parse(said) as { readonly items: readonly ScaledObject[] };
      for (const { metadata, spec } of items)
        for (const trigger of spec.triggers) queries.set(metricName(metadata.name, trigger), trigger);
      await cluster.apply(...items.map(item => horizontalPodAutoscaler(namespace, item)));
      return items.map(({ spec }) => spec.scaleTargetRef.name);
    },
    stop: async () => {
      end.abort();
      await targets;
      await cluster.kubectl(['-n', namespace, 'delete', 'hpa', '--all', '--wait']);
      await cluster.kubectl(['delete', 'apiservice', `${metricsVersion}.${metricsGroup}`]);
      await prometheus.kill();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Debian's Prometheus cannot find pods, and reads its targets from a file. */
function prometheusCommand({ folder }: Cluster): readonly string[] {
  const own = join(folder, 'prometheus');
  mkdirSync(own);
  const config = {
    global: { scrape_interval: '2s' },
    scrape_configs: [{ job_name: 'pods', file_sd_configs: [{ files: [join(own, targetsFile)] }] }],
  };
  const file = join(own, 'prometheus.yaml');
  writeFileSync(file, JSON.stringify(config));
  return [
    ...['prometheus', `--config.file=${file}`, `--storage.tsdb.path=${join(own, 'data')}`],
    ...[`--web.listen-address=${controlAddress}:${prometheusPort}`, '--log.level=warn'],
  ];
}

/** Keeps the file of targets: the pods that serve metrics, with the label that a ServiceMonitor adds. */
async function keepTargets({ folder, kubectl }: Cluster, namespace: string, end: AbortSignal): Promise<void> {
  const file = join(folder, 'prometheus', targetsFile);
  while (!end.aborted) {
    const said = await kubectl(['-n', namespace, 'get', 'pods', '-o', 'json']);
    const targets = (JSON.parse(said) as { readonly items: readonly Pod[] }).items.flatMap(
      ({ spec, status: { podIP } }) =>
        podIP !== undefined && spec.containers.some(({ ports }) => ports?.some(isMetricsPort))
          ? [`${podIP}:${metricsPortOfPods}`]
          : [],
    );
    writeFileSync(`${file}.new`, JSON.stringify([{ targets, labels: { namespace } }]));
    renameSync(`${file}.new`, file);
    await wait(targetsIntervalMs, undefined, { signal: end }).catch(() => {});
  }
}

interface Pod {
  readonly spec: { readonly containers: readonly { readonly ports?: readonly ContainerPort[] }[] };
  readonly status: { readonly podIP?: string };
}

interface ContainerPort {
  readonly containerPort: number;
}

const isMetricsPort = ({ containerPort }: ContainerPort): boolean => containerPort === metricsPortOfPods;

/** Answers the API `external.metrics.k8s.io`, which the API server forwards to it. */
function metricsServer({ folder }: Cluster, queries: ReadonlyMap<string, Trigger>) {
  const certificate = (file: string): Buffer =>
    readFileSync(join(folder, 'certificates', `external-metrics.${file}`));
  const root = `/apis/${metricsGroup}/${metricsVersion}`;
  const groupVersion = `${metricsGroup}/${metricsVersion}`;
  const answer = async (path: string): Promise<object | undefined> => {
    if (path === root) return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [] };
    const [, metric = ''] = /\/namespaces\/[^/]+\/([^/]+)$/.exec(path) ?? [];
    const trigger = queries.get(metric);
    if (!trigger) return undefined;
    const item = { metricName: metric, metricLabels: {}, timestamp: new Date().toISOString() };
    const value = await queryPrometheus(trigger);
    return {
      kind: 'ExternalMetricValueList',
      apiVersion: groupVersion,
      metadata: {},
      items: [{ ...item, value: `${Math.round(value * 1_000)}m` }],
    };
  };
  const server = createServer(
    { cert: certificate('crt'), key: certificate('key') },
    async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'https://localhost');
      const [status, body] = await answer(pathname).then(
        found => [found ? 200 : 404, found ?? {}] as const,
        (error: Error) => [500, { kind: 'Status', message: error.message }] as const,
      );
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  );
  return server.listen(metricsPort, controlAddress);
}

/**
 * Returns the value of a trigger's query.
 *
 * @throws Error when Prometheus has no value, which is not 0: the number of pods then stays
 */
async function queryPrometheus({ metadata: { serverAddress, query } }: Trigger): Promise<number> {
  const url = `${serverAddress}/api/v1/query?${new URLSearchParams({ query })}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(queryDeadlineMs) });
  const { data } = (await response.json()) as {
    data?: { result: readonly { value: readonly [number, string] }[] };
  };
  const [first] = data?.result ?? [];
  if (!first) throw new Error(`Prometheus has no value for ${query}`);
  return Number(first.value[1]);
}

const metricName = (scaledObject: string, { name }: Trigger): string => `${scaledObject}-${name}`;

function horizontalPodAutoscaler(namespace: string, { metadata, spec }: ScaledObject): object {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: metadata.name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: spec.scaleTargetRef.name },
      minReplicas: spec.minReplicaCount,
      maxReplicas: spec.maxReplicaCount,
      metrics: spec.triggers.map(trigger => ({
        type: 'External',
        external: {
          metric: { name: metricName(metadata.name, trigger) },
          target:
            trigger.metricType === 'Value'
              ? { type: 'Value', value: trigger.metadata.threshold }
              : { type: 'AverageValue', averageValue: trigger.metadata.threshold },
        },
      })),
      behavior: { scaleDown: { stabilizationWindowSeconds: scaleDownSeconds } },
    },
  };
}

/** The definition of KEDA's ScaledObject, without its schema. */
function scaledObjects(): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'scaledobjects.keda.sh' },
    spec: {
      group: 'keda.sh',
      scope: 'Namespaced',
      names: { plural: 'scaledobjects', singular: 'scaledobject', kind: 'ScaledObject' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}

/** Makes the API server forward `external.metrics.k8s.io` to this process. */
function metricsApi({ folder }: Cluster): object[] {
  const authority = readFileSync(join(folder, 'certificates/ca.crt')).toString('base64');
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metricsService,
      spec: { ports: [{ port: 443, targetPort: metricsPort }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metricsService, labels: { 'kubernetes.io/service-name': metricsService.name } },
      addressType: 'IPv4',
      ports: [{ port: metricsPort, protocol: 'TCP', name: '' }],
      endpoints: [{ addresses: [controlAddress], conditions: { ready: true } }],
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${metricsVersion}.${metricsGroup}` },
      spec: {
        group: metricsGroup,
        version: metricsVersion,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        caBundle: authority,
        service: metricsService,
      },
    },
  ];
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(queryDeadlineMs) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Resolves when a Deployment has as many ready pods, and no others. */
export async function untilReplicas(
  { kubectl }: Cluster,
  namespace: string,
  deployment: string,
  count: number,
  deadlineMs: number,
): Promise<void> {
  const fields = 'jsonpath={.spec.replicas} {.status.readyReplicas} {.status.replicas}';
  const reached = async (): Promise<boolean> => {
    const said = await kubectl(['-n', namespace, 'get', 'deployment', deployment, '-o', fields]);
    return said === `${count} ${count} ${count}`;
  };
  await waitFor(`${deployment} has ${count} pods`, reached, { deadlineMs, everyMs: 1_000 });
}
