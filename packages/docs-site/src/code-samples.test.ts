import { describe, expect, it } from '@jest/globals';
import { appOperations, buildAppDocument, buildRestDocument, restOperations } from '@mailproof/shared-types';
import { type CodeSample, withCodeSamples } from './code-samples.ts';

/** The examples of a document, by the id of their operation. */
function samplesIn(document: object): Map<string, readonly CodeSample[]> {
  const items = Object.values((document as { paths: Record<string, object> }).paths);
  const operations = items.flatMap(item => Object.values(item)).filter(each => 'operationId' in each);
  return new Map(operations.map(each => [each.operationId, each['x-codeSamples']]));
}

const rest = samplesIn(withCodeSamples(buildRestDocument(), 'key'));

describe('the examples of the API', () => {
  it('are in curl, TypeScript and Python for every operation that programs call', () => {
    for (const { id } of restOperations) {
      expect({ id, labels: rest.get(id)?.map(({ label }) => label) }).toEqual({
        id,
        labels: ['curl', 'TypeScript', 'Python'],
      });
    }
    expect(rest.get('receive-outcomes')?.map(({ label }) => label)).toEqual(['curl']);
  });

  it('give parameters whose names Python has already the names that they have in the SDK', () => {
    const python = (id: string) => rest.get(id)?.find(({ label }) => label === 'Python')?.source;
    expect(python('list-crm-properties')).toContain('object_=');
  });

  it('send the example of the contract, and the credentials from the environment', () => {
    const [curl, typescript, python] = rest.get('validate-single-email')?.map(({ source }) => source) ?? [];
    expect(curl).toBe(
      [
        'curl -X POST "$MAILPROOF_URL/api/v1/validate-single-email" \\',
        '  -H "X-Api-Key: $MAILPROOF_API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  --data-binary '{"email":"ada@ordinary.example"}'`,
      ].join('\n'),
    );
    expect(typescript).toContain(
      "mailproof.send('post', '/validate-single-email', {\n  body: {\n    email: 'ada@ordinary.example'",
    );
    expect(python).toContain(
      'models.EmailValidationRequest.from_dict({\n        "email": "ada@ordinary.example"',
    );
    expect(python).toContain('mailproof.send(api.validate_single_email(body=body))');
  });

  it('stream what is not JSON', () => {
    const sources = rest.get('download-statement')?.map(({ source }) => source);
    expect(sources?.[1]).toContain("mailproof.stream('/statement.csv')");
    expect(sources?.[2]).toContain('mailproof.stream("/statement.csv")');
  });

  it('say what belongs into a path or a field without an example', () => {
    const all = [...rest.values()].flat().map(({ source }) => source);
    expect(all.filter(source => /["']string["']|undefined|\[object/.test(source))).toEqual([]);
    expect(rest.get('get-validation-job')?.[0]?.source).toContain('/validation-jobs/$JOB_ID"');
  });
});

it('the examples of the application’s API are in curl, with its cookie', () => {
  const samples = samplesIn(withCodeSamples(buildAppDocument(), 'session'));
  expect([...samples.keys()].sort()).toEqual(appOperations.map(({ id }) => id).sort());
  for (const [id, [curl, ...others]] of samples) {
    expect({ id, others }).toEqual({ id, others: [] });
    expect(curl?.source).toMatch(/^curl/);
  }
  expect(samples.get('view-balance')?.[0]?.source).toContain('--cookie');
});
