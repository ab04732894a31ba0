import { describe, expect, it } from '@jest/globals';
import { manifestDifferences, readManifests } from './manifests.ts';

function deployment(spec: string, name = 'shop'): string {
  return `---\nkind: Deployment\napiVersion: apps/v1\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
}

function differences(base: string, other: string): string[] {
  return manifestDifferences(readManifests(base), readManifests(other));
}

describe('the differences between two renderings of the chart', () => {
  it('are none if both have the same values, in any form and order', () => {
    expect(
      differences(
        deployment('{ replicas: 2, paused: false }') + deployment('{}', 'till'),
        deployment('{}', 'till') + deployment('\n  # A comment.\n  paused: false\n  replicas: 2'),
      ),
    ).toEqual([]);
  });

  it('name each value that was changed, added or removed, and empty ones', () => {
    expect(
      differences(
        deployment('{ replicas: 2, paused: false, volumes: [] }'),
        deployment('{ replicas: "2", minReadySeconds: 5, volumes: [{ emptyDir: {} }] }'),
      ),
    ).toEqual([
      '+ Deployment shop .spec.minReadySeconds: 5',
      '- Deployment shop .spec.paused: false',
      '- Deployment shop .spec.replicas: 2',
      '+ Deployment shop .spec.replicas: "2"',
      '- Deployment shop .spec.volumes: []',
      '+ Deployment shop .spec.volumes[0].emptyDir: {}',
    ]);
  });

  it('name all values of a manifest that only one of them has', () => {
    expect(differences(deployment('{}'), deployment('{}') + deployment('{ replicas: 1 }', 'till'))).toEqual([
      '+ Deployment till .apiVersion: "apps/v1"',
      '+ Deployment till .kind: "Deployment"',
      '+ Deployment till .metadata.name: "till"',
      '+ Deployment till .spec.replicas: 1',
    ]);
  });

  it('find an item of a list by its name, so that a new one before it changes nothing else', () => {
    expect(
      differences(
        deployment('{ env: [{ name: B, value: b }] }'),
        deployment('{ env: [{ name: A, value: a }, { name: B, value: b }] }'),
      ),
    ).toEqual(['+ Deployment shop .spec.env[A].name: "A"', '+ Deployment shop .spec.env[A].value: "a"']);
  });

  it('are refused if a name is used twice, because one value would hide the other', () => {
    const twice = deployment('{ env: [{ name: A, value: a }, { name: A, value: b }] }');
    expect(() => differences(twice, twice)).toThrow('Deployment shop .spec.env[A].name occurs twice.');
    expect(() => differences('', deployment('{}') + deployment('{}'))).toThrow('occurs twice');
  });
});
