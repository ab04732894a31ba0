import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@mailproof/dev-house';
import { policyRules } from '@mailproof/dev-house/images';
import { run } from '../smoke/shell.ts';
import { output } from '../trial/output.ts';
import { type Certificates, createCertificates } from './certificates.ts';
import { admission, clusterServices } from './manifests.ts';
import type { Programs } from './programs.ts';

/** A Kubernetes of one control plane and two nodes, in this process's namespaces. It ends with them. */
export interface Cluster {
  readonly nodes: readonly Node[];
  /** The folder of its files, such as certificates and logs. */
  readonly folder: string;
  /** Runs kubectl as the administrator and returns its output; `input` is its standard input. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Applies manifests. */
  apply(...manifests: readonly object[]): Promise<void>;
  /** The command prefix that runs a program on a node: in its network, mounts and host name. */
  onNode(node: Node): readonly string[];
  /** The environment of Helm and kubectl. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops a part, such as `kubelet-node1`, with a signal, and starts it. */
  readonly parts: ReadonlyMap<string, Part>;
  /** The different errors of the enforcement of policies so far. */
  policyErrors(): readonly string[];
}

export interface Node {
  readonly name: string;
  readonly address: string;
  readonly podRange: string;
  readonly zone: string;
}

export interface Part {
  readonly name: string;
  start(): void;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

export const controlAddress = '10.88.0.1';
export const serviceRange = '10.96.0.0/16';
const apiServiceAddress = '10.96.0.1';
const dnsServiceAddress = '10.96.0.10';
const podRange = '10.244.0.0/16';
const apiServer = `https://${controlAddress}:6443`;
const readyDeadlineMs = 180_000;
const requestDeadlineMs = 10_000;
const policyIntervalMs = 700;

export const nodes: readonly Node[] = [1, 2].map(number => ({
  name: `node${number}`,
  address: `10.88.0.1${number}`,
  podRange: `10.244.${number}.0/24`,
  zone: `zone${number}`,
}));

/**
 * Starts the cluster and resolves when its nodes are ready and its DNS answers. The images of the pods are loaded into
 * both nodes.
 *
 * @throws Error when a part ends or is not ready in time; it names the log
 */
export async function startCluster(
  programs: Programs,
  folder: string,
  imageArchive: string,
  report: (line: string) => void,
): Promise<Cluster> {
  for (const name of ['log', 'pods']) mkdirSync(join(folder, name), { recursive: true });
  makeNetwork();
  const certificates = createCertificates({
    folder: join(folder, 'certificates'),
    server: apiServer,
    apiAddresses: ['127.0.0.1', controlAddress, apiServiceAddress],
    nodes,
  });
  const parts = new Map<string, Part>();
  const start = (name: string, command: readonly string[]): void => {
    const part = partOf(name, command, folder, programs.environment);
    parts.set(name, part);
    part.start();
  };
  for (const [name, command] of controlPlane(programs.kube, certificates, folder)) start(name, command);
  const api = apiClient(certificates);
  // Until it listens, a request is refused.
  const isReady = () =>
    api('/readyz').then(
      said => said === 'ok',
      () => false,
    );
  await waitFor('the API server is ready', isReady, { deadlineMs: readyDeadlineMs });
  report('API server ready.');

  const hosts = new Map<string, readonly string[]>();
  for (const node of nodes) {
    const prefix = await openNode(node);
    hosts.set(node.name, prefix);
    for (const [name, command] of nodeParts(node, programs, certificates, folder)) {
      start(`${name}-${node.name}`, [...prefix, ...command]);
      if (name === 'containerd') await loadImages(node, prefix, imageArchive, programs);
    }
  }
  report('Images loaded.');

  const environment = {
    ...programs.environment,
    HOME: folder,
    KUBECONFIG: certificates.kubeconfig('admin'),
    HELM_CACHE_HOME: join(folder, 'helm'),
    HELM_CONFIG_HOME: join(folder, 'helm'),
    HELM_DATA_HOME: join(folder, 'helm'),
  };
  const kubectl = (args: readonly string[], input = ''): Promise<string> =>
    output([programs.kube, 'kubectl', ...args], environment, { input });
  const policyErrors = enforcePolicies(api, programs.environment);
  const cluster: Cluster = {
    nodes,
    folder,
    kubectl,
    apply: async (...manifests) => {
      const list = { apiVersion: 'v1', kind: 'List', items: manifests };
      await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(list));
    },
    onNode: ({ name }) => hosts.get(name) ?? [],
    environment,
    parts,
    policyErrors,
  };
  // `kubectl wait` does not wait for a node that has not registered yet.
  await waitFor(
    'both nodes are ready',
    async () => {
      const said = await kubectl(['get', 'nodes', '--no-headers']);
      return said.split('\n').filter(line => / Ready /.test(line)).length === nodes.length;
    },
    { deadlineMs: readyDeadlineMs, everyMs: 1_000 },
  );
  await cluster.apply(...clusterServices(dnsServiceAddress));
  await kubectl(['-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', '--timeout=180s']);
  report('Nodes and DNS ready.');
  return cluster;
}

/** A bridge joins the control plane, where this process runs, with a network for each node. */
function makeNetwork(): void {
  const ip = (...args: readonly string[]): string => run('ip', ...args);
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'cluster', 'type', 'bridge');
  ip('addr', 'add', `${controlAddress}/24`, 'dev', 'cluster');
  ip('link', 'set', 'cluster', 'up');
  for (const { name, address, podRange: pods } of nodes) {
    ip('netns', 'add', name);
    ip('link', 'add', 'eth0', 'netns', name, 'type', 'veth', 'peer', 'name', `to-${name}`);
    ip('link', 'set', `to-${name}`, 'master', 'cluster', 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
    ip('-n', name, 'route', 'add', 'default', 'via', controlAddress);
    ip('route', 'add', pods, 'via', address);
    run('nsenter', `--net=/run/netns/${name}`, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  }
  for (const node of nodes)
    for (const other of nodes.filter(each => each !== node))
      ip('-n', node.name, 'route', 'add', other.podRange, 'via', other.address);
  run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
}

function controlPlane(
  kube: string,
  { folder: pki, kubeconfig }: Certificates,
  folder: string,
): (readonly [string, readonly string[]])[] {
  const etcd = 'http://127.0.0.1:2379';
  const at = (file: string): string => join(pki, file);
  const admissionFile = join(folder, 'admission.yaml');
  writeFileSync(admissionFile, JSON.stringify(admission()));
  return [
    [
      'etcd',
      [
        ...[kube, 'etcd', '--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
        ...[
          '--listen-client-urls',
          etcd,
          '--advertise-client-urls',
          etcd,
          '--listen-peer-urls',
          'http://127.0.0.1:2380',
        ],
      ],
    ],
    [
      'api-server',
      [
        ...[kube, 'kube-apiserver', `--etcd-servers=${etcd}`, `--advertise-address=${controlAddress}`],
        ...['--bind-address=0.0.0.0', '--secure-port=6443', `--service-cluster-ip-range=${serviceRange}`],
        ...[`--tls-cert-file=${at('api-server.crt')}`, `--tls-private-key-file=${at('api-server.key')}`],
        ...[`--client-ca-file=${at('ca.crt')}`, '--authorization-mode=Node,RBAC'],
        ...['--enable-admission-plugins=NodeRestriction', '--allow-privileged=true', '--profiling=false'],
        `--admission-control-config-file=${admissionFile}`,
        // An API of another server, as that of metrics, is reached at its address.
        '--enable-aggregator-routing=true',
        ...['--service-account-issuer=https://kubernetes.default.svc'],
        ...[
          `--service-account-key-file=${at('accounts.pub')}`,
          `--service-account-signing-key-file=${at('accounts.key')}`,
        ],
        ...[
          `--kubelet-client-certificate=${at('kubelet-client.crt')}`,
          `--kubelet-client-key=${at('kubelet-client.key')}`,
        ],
        ...[
          `--kubelet-certificate-authority=${at('ca.crt')}`,
          '--kubelet-preferred-address-types=InternalIP',
        ],
      ],
    ],
    [
      'controllers',
      [
        ...[
          kube,
          'kube-controller-manager',
          '--kubeconfig',
          kubeconfig('controllers'),
          '--bind-address=127.0.0.1',
        ],
        ...['--leader-elect=false', '--use-service-account-credentials', `--root-ca-file=${at('ca.crt')}`],
        ...[`--service-account-private-key-file=${at('accounts.key')}`, `--cluster-cidr=${podRange}`],
        ...['--allocate-node-cidrs=false', '--node-monitor-grace-period=20s'],
        '--horizontal-pod-autoscaler-sync-period=5s',
      ],
    ],
    [
      'scheduler',
      [
        kube,
        'kube-scheduler',
        '--kubeconfig',
        kubeconfig('scheduler'),
        '--leader-elect=false',
        '--bind-address=127.0.0.1',
      ],
    ],
  ];
}

/**
 * Opens a node's mounts and host name, and returns the command prefix that enters them. The machine's control groups are
 * hidden: a pod stays in those of this process.
 */
async function openNode({ name }: Node): Promise<readonly string[]> {
  const script = [
    'umount -R /sys/fs/cgroup',
    'mount -t cgroup2 none /sys/fs/cgroup',
    'mount --make-rshared /',
    `hostname ${name}`,
    'echo open',
    'exec sleep infinity',
  ].join(' && ');
  const holder = spawn(
    'nsenter',
    [
      `--net=/run/netns/${name}`,
      'unshare',
      '--mount',
      '--uts',
      '--propagation',
      'private',
      'sh',
      '-c',
      script,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])) as [unknown];
  if (!String(said).startsWith('open')) throw new Error(`The mounts of ${name} could not be made.`);
  return ['nsenter', '--target', String(holder.pid), '--mount', '--uts', '--net'];
}

const containerdSocket = ({ name }: Node): string => `/run/${name}/containerd.sock`;

function nodeParts(
  node: Node,
  programs: Programs,
  { folder: pki, kubeconfig }: Certificates,
  folder: string,
): (readonly [string, readonly string[]])[] {
  const own = join(folder, node.name);
  mkdirSync(join(own, 'cni'), { recursive: true });
  const at = (file: string): string => join(own, file);
  writeFileSync(at('crun'), `#!/bin/sh\nexec ${programs.crun} --cgroup-manager=disabled "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(at('containerd.toml'), containerdSettings(node, own, programs.cni));
  writeFileSync(at('cni/10-pods.conflist'), JSON.stringify(podNetwork(node, own)));
  writeFileSync(at('resolv.conf'), `nameserver ${controlAddress}\n`);
  writeFileSync(at('kubelet.yaml'), JSON.stringify(kubeletSettings(node, own, pki)));
  writeFileSync(at('proxy.yaml'), JSON.stringify(proxySettings(node, kubeconfig('proxy'))));
  return [
    ['containerd', ['containerd', '--config', at('containerd.toml')]],
    [
      'kubelet',
      [
        ...[programs.kube, 'kubelet', '--config', at('kubelet.yaml'), '--kubeconfig', kubeconfig(node.name)],
        ...['--hostname-override', node.name, '--node-ip', node.address, '--root-dir', at('kubelet')],
        ...['--node-labels', `topology.kubernetes.io/zone=${node.zone}`],
      ],
    ],
    ['proxy', [programs.kube, 'kube-proxy', '--config', at('proxy.yaml')]],
  ];
}

function containerdSettings(node: Node, own: string, cni: string): string {
  return `version = 2
root = "${join(own, 'containerd')}"
state = "/run/${node.name}/state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "${containerdSocket(node)}"
[plugins."io.containerd.grpc.v1.cri"]
  disable_cgroup = true
  restrict_oom_score_adj = true
  disable_apparmor = true
  sandbox_image = "localhost/pause:1"
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cni}"
    conf_dir = "${join(own, 'cni')}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "crun"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.crun]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.crun.options]
        BinaryName = "${join(own, 'crun')}"
`;
}

function podNetwork({ podRange: subnet }: Node, own: string): object {
  const ipam = {
    type: 'host-local',
    dataDir: join(own, 'addresses'),
    subnet,
    routes: [{ dst: '0.0.0.0/0' }],
  };
  return { cniVersion: '0.4.0', name: 'pods', plugins: [{ type: 'ptp', ipMasq: false, mtu: 1500, ipam }] };
}

/** Control groups are not used, so limits of memory are not enforced. */
function kubeletSettings(node: Node, own: string, pki: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: '0.0.0.0',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: false },
      x509: { clientCAFile: join(pki, 'ca.crt') },
    },
    authorization: { mode: 'AlwaysAllow' },
    tlsCertFile: join(pki, `${node.name}.crt`),
    tlsPrivateKeyFile: join(pki, `${node.name}.key`),
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    cgroupRoot: '',
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    makeIPTablesUtilChains: false,
    clusterDNS: [dnsServiceAddress],
    clusterDomain: 'cluster.local',
    containerRuntimeEndpoint: `unix://${containerdSocket(node)}`,
    evictionHard: { 'nodefs.available': '0%', 'imagefs.available': '0%', 'nodefs.inodesFree': '0%' },
    imageGCHighThresholdPercent: 100,
    resolvConf: join(own, 'resolv.conf'),
    featureGates: { KubeletInUserNamespace: true },
    volumePluginDir: join(own, 'volume-plugins'),
    podLogsDir: join(own, 'pod-logs'),
    shutdownGracePeriod: '0s',
    maxPods: 80,
    nodeStatusUpdateFrequency: '5s',
  };
}

function proxySettings({ name }: Node, kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig },
    clusterCIDR: podRange,
    hostnameOverride: name,
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
  };
}

async function loadImages(
  node: Node,
  prefix: readonly string[],
  archive: string,
  { environment }: Programs,
): Promise<void> {
  const ctr = [...prefix, 'ctr', '--address', containerdSocket(node), '--namespace', 'k8s.io'];
  const answers = (): Promise<boolean> =>
    output([...ctr, 'version'], environment).then(
      () => true,
      () => false,
    );
  await waitFor(`containerd of ${node.name} answers`, answers, { deadlineMs: readyDeadlineMs });
  await output([...ctr, 'images', 'import', '--no-unpack=false', archive], environment);
}

/** A program that runs outside of the nodes, or with a node's prefix; its log is named like it. */
export function partOf(
  name: string,
  [program = '', ...args]: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>>,
): Part {
  let child: ChildProcess | undefined;
  return {
    name,
    start: () => {
      const log = openSync(join(folder, 'log', `${name}.log`), 'a');
      child = spawn(program, args, { env: { ...process.env, ...environment }, stdio: ['ignore', log, log] });
      child.on('error', error => process.stderr.write(`${name}: ${error.message}\n`));
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

type ApiClient = (path: string) => Promise<string>;

/** Reads from the API server with the administrator's certificate, over kept connections. */
function apiClient({ folder: pki }: Certificates): ApiClient {
  const read = (file: string): Buffer => readFileSync(join(pki, file));
  const agent = new Agent({
    keepAlive: true,
    ca: read('ca.crt'),
    cert: read('admin.crt'),
    key: read('admin.key'),
  });
  return path =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(requestDeadlineMs);
      request(`${apiServer}${path}`, { agent, signal }, response => {
        text(response).then(
          body => (response.statusCode === 200 ? resolve(body) : reject(new Error(body))),
          reject,
        );
      })
        .on('error', reject)
        .end();
    });
}

/** Enforces the cluster's policies on both nodes, in place of a network plugin that does. */
function enforcePolicies(
  api: ApiClient,
  environment: Readonly<Record<string, string>>,
): () => readonly string[] {
  const applied = new Map<string, string>();
  const errors = new Set<string>();
  const items = async (path: string): Promise<never[]> =>
    (JSON.parse(await api(path)) as { items: never[] }).items;
  const enforce = async (): Promise<void> => {
    const [pods, namespaces, policies] = await Promise.all(
      ['/api/v1/pods', '/api/v1/namespaces', '/apis/networking.k8s.io/v1/networkpolicies'].map(items),
    );
    const state = { pods: pods ?? [], namespaces: namespaces ?? [], policies: policies ?? [] };
    for (const { name } of nodes) {
      const rules = policyRules(name, state);
      if (applied.get(name) === rules) continue;
      execFileSync('nsenter', [`--net=/run/netns/${name}`, 'nft', '-f', '-'], {
        input: rules,
        env: { ...process.env, ...environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: requestDeadlineMs,
      });
      applied.set(name, rules);
    }
  };
  void (async () => {
    for (;;) {
      await enforce().catch((error: NodeJS.ErrnoException) => {
        // A trial kills the API server; what is enforced stays enforced.
        if (!['ECONNREFUSED', 'ECONNRESET'].includes(error.code ?? '')) errors.add(error.message);
      });
      await wait(policyIntervalMs, undefined, { ref: false });
    }
  })();
  return () => [...errors];
}
