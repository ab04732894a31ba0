import { describe, expect, it } from '@jest/globals';
import {
  appOperations,
  buildAppDocument,
  buildRestDocument,
  type Operation,
  restOperations,
} from '@mailproof/shared-types';
import { type ApiDocument, type DescribedOperation, exampleOf } from './request-examples.ts';

/** Parameters that the gateway reads before an operation does. */
const readByGateway = /^(Idempotency-Key|X-Mailproof-Account|for_account)$/;

const documents = [
  ['REST API', buildRestDocument(), restOperations, '/api/v1'],
  ['API of the application', buildAppDocument(), appOperations, '/app/v1'],
] as const;

describe.each(documents)('the examples of the %s', (_, given: object, operations, root) => {
  const document = given as ApiDocument;
  it.each(operations.map(operation => [operation.id, operation] as const))(
    '%s is read by its contract',
    (_id, operation: Operation) => {
      const path = operation.path.slice(root.length).replace(/:(\w+)/g, '{$1}');
      const { paths } = document;
      const described = paths?.[path]?.[operation.method] as DescribedOperation;
      const { inPath, inQuery, optional, body } = exampleOf(document, path, operation.method, described);
      expect(faults(operation.params, inPath)).toEqual([]);
      expect(faults(operation.query, inQuery)).toEqual([]);
      const added = Object.entries(optional).filter(([name]) => !readByGateway.test(name));
      const texts = Object.entries({ ...inQuery, ...Object.fromEntries(added) });
      expect(
        faults(operation.query, Object.fromEntries(texts.map(([name, value]) => [name, `${value}`]))),
      ).toEqual([]);
      if (operation.bodyMediaType === undefined) expect(faults(operation.body, body?.value)).toEqual([]);
      else expect(body?.value).toMatch(/@company\.example|linkedin\.com\/in\//);
    },
  );
});

/** What a contract refuses in a value. */
function faults(schema: Operation['body'], value: unknown): unknown {
  const read = schema['~standard'].validate(value);
  return read instanceof Promise ? 'a promise' : (read.issues ?? []);
}
