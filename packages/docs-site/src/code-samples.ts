import {
  type ApiDocument,
  type DescribedOperation,
  type Example,
  exampleOf,
  type PathItem,
} from './request-examples.ts';
import { type Client, curl, python, typescript } from './sample-programs.ts';

/** An example of a request, in the form that reference pages show (`x-codeSamples`). */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** Returns the document with examples for each operation: curl always, and the SDKs where they have the operation. */
export function withCodeSamples(given: object, client: Client): ApiDocument {
  const document = given as ApiDocument;
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, value]) => [
        method,
        isOperation(value)
          ? { ...value, 'x-codeSamples': samplesOf(exampleOf(document, path, method, value), item, client) }
          : value,
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };

  function samplesOf(example: Example, { servers }: PathItem, client: Client): CodeSample[] {
    const [server] = servers ?? document.servers ?? [];
    const shell = { lang: 'shell', label: 'curl', source: curl(example, server?.url ?? '', client) };
    // The SDKs call one server, with a key.
    if (client === 'session' || servers) return [shell];
    return [
      shell,
      { lang: 'typescript', label: 'TypeScript', source: typescript(example) },
      { lang: 'python', label: 'Python', source: python(example) },
    ];
  }
}

function isOperation(value: unknown): value is DescribedOperation {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}
