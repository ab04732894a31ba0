import { exampleIdBody } from '@mailproof/shared-types';
import { sample } from 'openapi-sampler';

/** The parts of an OpenAPI document that examples are made of. */
export interface ApiDocument {
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly servers?: Servers;
  readonly components?: { readonly schemas?: Readonly<Record<string, Content['schema']>> };
}

/** Operations by their method, and their own servers. */
export type PathItem = Readonly<Record<string, unknown>> & { readonly servers?: Servers };

type Servers = readonly { readonly url: string }[];

export interface Parameter {
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

export interface Content {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  readonly security?: readonly object[];
}

export interface Body {
  readonly mediaType: string;
  readonly value: unknown;
  /** The name of its schema; undefined if the schema has none. */
  readonly model?: string;
}

/** What a client has to send, with an example of each required value, and what it can add. */
export interface Example {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
  readonly inPath: Readonly<Record<string, string>>;
  readonly inQuery: Readonly<Record<string, unknown>>;
  /** Optional query parameters and headers, by their names. */
  readonly optional: Readonly<Record<string, unknown>>;
  readonly body?: Body;
  readonly isJson: boolean;
}

/** Makes an example of a request, from the examples of its contract or else from its schemas. */
export function exampleOf(
  document: ApiDocument,
  path: string,
  method: string,
  operation: DescribedOperation,
): Example {
  const valuesOf = (isMeant: (parameter: Parameter) => boolean) =>
    Object.fromEntries(
      (operation.parameters ?? [])
        .filter(isMeant)
        .map(({ name, schema, example }) => [name, example ?? exampleOfSchema(document, schema, name)]),
    );
  const [[mediaType, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  const body =
    mediaType !== undefined && content !== undefined
      ? {
          ...{ mediaType, value: content.example ?? exampleOfSchema(document, content.schema) },
          ...modelOf(document, content.schema),
        }
      : undefined;
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  return {
    ...{ method, path, operation },
    inPath: valuesOf(parameter => parameter.in === 'path') as Example['inPath'],
    inQuery: valuesOf(parameter => parameter.in === 'query' && parameter.required === true),
    optional: valuesOf(parameter => !parameter.required && /^(query|header)$/.test(parameter.in)),
    ...(body && { body }),
    isJson: 'application/json' in (success?.content ?? {}),
  };
}

/** The schema that is referred to: of alternatives the first, which examples are made of. */
function modelOf(document: ApiDocument, { $ref }: Content['schema']): Pick<Body, 'model'> {
  if (typeof $ref !== 'string') return {};
  const model = $ref.slice($ref.lastIndexOf('/') + 1);
  const { oneOf, anyOf = oneOf } = document.components?.schemas?.[model] ?? {};
  const [first] = Array.isArray(anyOf) ? anyOf : [];
  return first ? modelOf(document, first) : { model };
}

function exampleOfSchema(document: ApiDocument, schema: object, name = 'value'): unknown {
  const options = { skipNonRequired: true, skipReadOnly: true, quiet: true };
  return named(sample(withIds(schema), options, withIds(document)), name);
}

/** A document has hundreds of examples, and is converted once. */
const partsWithIds = new WeakMap<object, object>();

/** The same schemas with an example of each id, which the sampler does not make from its pattern. */
function withIds<Part extends object>(part: Part): Part {
  const known = partsWithIds.get(part);
  if (known) return known as Part;
  const entries = Object.entries(part).map(([key, each]) => [
    key,
    typeof each === 'object' && each !== null ? withIds(each) : each,
  ]);
  const [, prefix] =
    /^\^([a-z]+_)\[0-9a-f\]\{32\}\$$/.exec('pattern' in part ? String(part.pattern) : '') ?? [];
  const made = Array.isArray(part)
    ? entries.map(([, each]) => each)
    : { ...Object.fromEntries(entries), ...(prefix && { example: `${prefix}${exampleIdBody}` }) };
  partsWithIds.set(part, made);
  return made as Part;
}

/** Says what belongs there, where the contract has no example: the sampler writes "string" and such. */
function named(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map(each => named(each, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, named(each, key)]));
  }
  // What the sampler writes for a password is too short for ours.
  if (value === 'pa$$word') return 'a password for examples';
  // It writes one moment for every date, and a period cannot end where it begins.
  if (typeof value === 'string' && value.startsWith('2019-08-24')) {
    return `${name === 'from' ? '2026-10-01' : '2026-11-01'}${value.includes('T') ? 'T00:00:00Z' : ''}`;
  }
  if (value !== 'string' && value !== 'http://example.com') return value;
  if (/url$/.test(name)) return 'https://company.example/ada';
  if (/domain/.test(name)) return 'company.example';
  if (/email/.test(name)) return 'ada@company.example';
  if (name === 'country') return 'GB';
  if (name === 'delimiter') return ',';
  return name.endsWith('_ids') ? name.slice(0, -1).toUpperCase() : name.toUpperCase();
}
