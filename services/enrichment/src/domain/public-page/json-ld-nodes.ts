export type JsonLdNode = Readonly<Record<string, unknown>>;

const depthMax = 8;
const nodesMax = 500;

/** Where a page names what it is about. Whoever stands elsewhere is somebody's employer, colleague or author. */
const subjects = ['@graph', 'mainEntity', 'about'] as const;

/** The nodes that a page can be about, however they are nested in arrays, `@graph` and pages, outermost first. */
export function jsonLdNodes(contents: readonly unknown[]): JsonLdNode[] {
  const nodes: JsonLdNode[] = [];
  let layer: unknown[] = [...contents];
  for (let depth = 0; depth < depthMax && layer.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const value of layer) {
      if (Array.isArray(value)) {
        next.push(...value.slice(0, nodesMax));
      } else if (isNode(value) && nodes.length < nodesMax) {
        nodes.push(value);
        next.push(...subjects.map(member => value[member]));
      }
    }
    layer = next.slice(0, nodesMax * 4);
  }
  return nodes;
}

/** Types are written alone or in a list, bare or as addresses: `Person`, `https://schema.org/Person`. */
export function isOfType(node: JsonLdNode, types: ReadonlySet<string>): boolean {
  return listOf(node['@type']).some(
    type => typeof type === 'string' && types.has(type.replace(/^.*[/#:]/, '')),
  );
}

/** The first text of a value that is a text, a list, or a node with a name. */
export function textOf(value: unknown): string | undefined {
  for (const entry of listOf(value)) {
    const text = isNode(entry) ? (entry['name'] ?? entry['@value']) : entry;
    if (typeof text === 'string' && text.trim() !== '') {
      return text;
    }
  }
  return undefined;
}

export function textsOf(value: unknown): string[] {
  return listOf(value).flatMap(entry => textOf(entry) ?? []);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

export function isNode(value: unknown): value is JsonLdNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
