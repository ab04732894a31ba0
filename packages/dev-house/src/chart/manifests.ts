import { parseAllDocuments } from 'yaml';

type Labels = Readonly<Record<string, string>>;

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
}

interface Container {
  readonly name: string;
  readonly env?: readonly EnvironmentVariable[];
}

/** The parts of a manifest that this code checks. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly spec?: unknown;
}

/** A pod: a workload's template, or a single pod. */
export interface Pod {
  readonly kind: string;
  readonly name: string;
  readonly component: string;
  readonly labels: Labels;
  readonly containers: readonly Container[];
}

/** @throws Error if the text is not YAML, or if a document in it is not a manifest */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap(document => {
    if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join('\n'));
    const value = document.toJS() as Manifest | null;
    if (value === null) return [];
    if (!value.kind || !value.apiVersion || !value.metadata?.name)
      throw new Error(`This is not a manifest:\n${String(document)}`);
    return [value];
  });
}

const workloads = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'ReplicaSet']);

interface PodSpec {
  readonly containers: readonly Container[];
}

export function podsIn(manifests: readonly Manifest[]): Pod[] {
  return manifests.flatMap(({ kind, metadata, spec }) => {
    if (kind === 'Pod')
      return [pod(kind, metadata.name, metadata.labels ?? {}, (spec as PodSpec).containers)];
    if (!workloads.has(kind)) return [];
    const { template } = spec as {
      template: { metadata?: { labels?: Labels }; spec: PodSpec };
    };
    return [pod(kind, metadata.name, template.metadata?.labels ?? {}, template.spec.containers)];
  });
}

function pod(kind: string, name: string, labels: Labels, containers: readonly Container[]): Pod {
  return { kind, name, component: labels['app.kubernetes.io/component'] ?? name, labels, containers };
}

/** @throws Error for any operator other than `In`, because our policies use no other */
export function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`The operator ${operator} of a selector is not understood.`);
      return values.includes(labels[key] ?? '');
    })
  );
}

/**
 * Lists how one rendering of the chart differs from another, with one line per value and its path. One rendering and
 * these lines together determine the other.
 */
export function manifestDifferences(base: readonly Manifest[], other: readonly Manifest[]): string[] {
  const before = valuesOf(base);
  const after = valuesOf(other);
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap(path => {
    const [removed, added] = [before.get(path), after.get(path)];
    if (removed === added) return [];
    return [
      ...(removed === undefined ? [] : [`- ${path}: ${removed}`]),
      ...(added === undefined ? [] : [`+ ${path}: ${added}`]),
    ];
  });
}

/** @throws Error if two manifests, or two items of a list, have the same name */
function valuesOf(manifests: readonly Manifest[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const manifest of manifests) collect(`${manifest.kind} ${manifest.metadata.name} `, manifest, values);
  return values;
}

/** Identifies list items by name, so that a new item does not change the paths of the others. */
function collect(path: string, value: unknown, values: Map<string, string>): void {
  const members = Array.isArray(value)
    ? value.map((item, index) => [`${path}[${nameOf(item) ?? index}]`, item] as const)
    : Object.entries(isObject(value) ? value : {}).map(
        ([key, member]) => [`${path}.${key}`, member] as const,
      );
  for (const [memberPath, member] of members) collect(memberPath, member, values);
  if (members.length > 0) return;
  if (values.has(path)) throw new Error(`${path} occurs twice.`);
  values.set(path, JSON.stringify(value));
}

function nameOf(item: unknown): string | undefined {
  return isObject(item) && typeof item['name'] === 'string' ? item['name'] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
