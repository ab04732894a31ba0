import { convertV2, type Options } from 'openapi-to-postmanv2';
import {
  type ApiDocument,
  type Content,
  type DescribedOperation,
  exampleOf,
  type PathItem,
} from './request-examples.ts';

/** A request, or a folder of requests, in Postman's format. */
export interface CollectionItem extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly item?: readonly CollectionItem[];
  readonly request?: Readonly<Record<string, unknown>> & {
    readonly method: string;
    readonly url: Readonly<Record<string, unknown>> & {
      readonly path: readonly string[];
      readonly query?: readonly Entry[];
    };
    readonly header?: readonly Entry[];
  };
}

/** A query parameter or a header. Programs that import the collection send those that are not disabled. */
interface Entry {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

/** A collection in Postman's format, version 2.1. */
export interface Collection {
  readonly info: Readonly<Record<string, unknown>>;
  readonly item: readonly CollectionItem[];
  readonly auth?: object;
  readonly variable?: readonly { readonly key: string; readonly value: string }[];
}

/** Where the site serves the collection. */
export const collectionAddress = '/docs/mailproof.postman_collection.json';

/**
 * Makes a collection that Postman, Bruno and Insomnia import (Postman's format, version 2.1): a request for each
 * operation, with the example of its contract. Optional parameters and headers are disabled entries. The variables `baseUrl` and `apiKey` are the user's. The same document
 * makes the same collection.
 */
export async function collectionOf(given: object): Promise<Collection> {
  const document = given as ApiDocument & { readonly info: { readonly title: string } };
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [
    path,
    withExamples(document, path, item),
  ]);
  const { webhooks: _, ...rest } = { webhooks: undefined, ...document };
  const collection = await convert({ ...rest, paths: Object.fromEntries(paths) });
  const { _postman_id: _id, ...info } = collection.info;
  return {
    info: { ...info, name: document.info.title },
    item: collection.item.map(item => finished(item, optionalIn(document))),
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-Api-Key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: 'https://mailproof.example/api/v1' },
      { key: 'apiKey', value: '' },
    ],
  };
}

/** Gives each value our example: the converter invents the others at random. */
function withExamples(document: ApiDocument, path: string, item: PathItem): object {
  return Object.fromEntries(
    Object.entries(item).map(([method, value]) => {
      if (typeof value !== 'object' || value === null || !('operationId' in value)) return [method, value];
      const operation = value as DescribedOperation;
      const { inPath, inQuery, optional, body } = exampleOf(document, path, method, operation);
      const values = { ...inPath, ...inQuery, ...optional };
      const parameters = (operation.parameters ?? []).map(parameter => ({
        ...parameter,
        example: values[parameter.name],
      }));
      const content: Record<string, Content> | undefined = body && {
        [body.mediaType]: { schema: {}, example: body.value },
      };
      const requestBody = content && { ...operation.requestBody, content };
      const responses = { 200: { description: 'The answer.' } };
      return [method, { ...operation, parameters, requestBody, responses }];
    }),
  );
}

function convert(data: object): Promise<Collection> {
  const options: Options = {
    folderStrategy: 'Tags',
    parametersResolution: 'Example',
    requestNameSource: 'Fallback',
  };
  return new Promise((resolve, reject) => {
    convertV2({ type: 'json', data }, options, (error, outcome) => {
      const [made] = outcome?.output ?? [];
      if (made) resolve(made.data as Collection);
      else reject(new Error(`The collection cannot be made: ${error?.message ?? outcome?.reason}.`));
    });
  });
}

/** The names of the optional parameters of each operation, by its method and its path in the collection. */
function optionalIn({ paths = {} }: ApiDocument): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const { parameters = [] } = operation as Partial<DescribedOperation>;
        const names = parameters.filter(({ required }) => !required).map(({ name }) => name);
        return [`${method.toUpperCase()} ${path.slice(1).replace(/\{(\w+)\}/g, ':$1')}`, new Set(names)];
      }),
    ),
  );
}

/**
 * Disables what is optional, and leaves out ids: they are random, and every program that imports the collection makes
 * its own.
 */
function finished(given: CollectionItem, optional: ReadonlyMap<string, ReadonlySet<string>>): CollectionItem {
  const { id: _, ...made } = given;
  const { name, item, request } = given;
  if (item) return { ...made, name, item: item.map(each => finished(each, optional)) };
  if (!request) return { ...made, name };
  const { method, url, header = [] } = request;
  const names = optional.get(`${method} ${url.path.join('/')}`);
  const entries = (of: readonly Entry[]) =>
    of.map(entry => ({ ...entry, disabled: names?.has(entry.key) === true }));
  // Postman and Bruno replace it with another random UUID for each request.
  const keyed = entries(header).map(entry =>
    entry.key === 'Idempotency-Key' ? { ...entry, value: '{{$guid}}' } : entry,
  );
  const finishedRequest = { ...request, url: { ...url, query: entries(url.query ?? []) }, header: keyed };
  return { ...made, name, request: finishedRequest, response: [] };
}
