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

export interface Container {
  readonly name: string;
  readonly env?: readonly EnvironmentVariable[];
}

/** As much of a manifest as is looked at here. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly spec?: unknown;
}

/** What runs: the template of a workload, or a pod that stands alone. */
export interface Pod {
  readonly kind: string;
  readonly name: string;
  readonly component: string;
  readonly labels: Labels;
  readonly containers: readonly Container[];
}

/** @throws Error where the text is not YAML, or a document of it no manifest */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap(document => {
    if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join('\n'));
    const value = document.toJS() as Manifest | null;
    if (value === null) return [];
    if (!value.kind || !value.apiVersion || !value.metadata?.name)
      throw new Error(`This is no manifest:\n${String(document)}`);
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

/** @throws Error at an operator that no policy of ours has a use for, rather than taking it for something else */
export function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`The operator ${operator} of a selector is not understood.`);
      return values.includes(labels[key] ?? '');
    })
  );
}
