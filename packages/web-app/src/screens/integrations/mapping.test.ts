import { describe, expect, it } from '@jest/globals';
import {
  changed,
  doubled,
  hasRecordIds,
  mappingFault,
  mappingOf,
  missingOf,
  optionsOf,
  sampleText,
} from './mapping.ts';

const property = (name: string, isRequired = false) => ({
  name,
  label: name,
  type: 'text' as const,
  choices: [],
  characters_max: null,
  is_writable: true,
  is_required: isRequired,
  is_unique: false,
});

const suggestion = {
  rows: 2,
  fields: [
    {
      field: { column: 'email', property: 'email', policy: 'never' as const },
      property: property('email'),
      samples: ['ada@ordinary.example'],
    },
  ],
  unmatched_columns: [
    { column: 'crm_record_id', samples: [101] },
    { column: 'shoe', samples: [null, 42] },
  ],
  missing_properties: [],
};
const choices = { connectionId: 'crm_1', object: 'contact', byRecordId: false, creates: true } as const;

describe('the mapping of a push', () => {
  const mapping = mappingOf(suggestion);

  it('sends the columns with a property, as suggested', () => {
    expect(optionsOf(mapping, choices)).toEqual({
      connection_id: 'crm_1',
      object: 'contact',
      fields: [{ column: 'email', property: 'email', policy: 'never' }],
    });
    const other = changed(mapping, 'shoe', { property: 'shoe_size', policy: 'overwrite' });
    expect(optionsOf(other, choices).fields).toEqual([
      { column: 'email', property: 'email', policy: 'never' },
      { column: 'shoe', property: 'shoe_size', policy: 'overwrite' },
    ]);
  });

  it('finds records by their ids, or creates none, if the user chooses that', () => {
    expect(hasRecordIds(mapping)).toBe(true);
    expect(optionsOf(mapping, { ...choices, byRecordId: true, creates: false })).toMatchObject({
      record_id_column: 'crm_record_id',
    });
    expect(optionsOf(mapping, { ...choices, creates: false })).toMatchObject({ creates: false });
  });

  it('is held back without a property, or with one that two fields fill', () => {
    expect(mappingFault(mapping)).toBeUndefined();
    expect(mappingFault(changed(mapping, 'email', { property: '' }))).toMatch(/at least one/);
    const twice = changed(mapping, 'shoe', { property: 'email' });
    expect(mappingFault(twice)).toMatch(/one field only/);
    expect([...doubled(twice)]).toEqual(['email', 'shoe']);
  });

  it('knows which properties a new record still needs', () => {
    const properties = [property('email', true), property('lastname', true), property('city')];
    expect(missingOf(mapping, properties).map(({ name }) => name)).toEqual(['lastname']);
  });

  it('shows the first sample that is not blank', () => {
    expect(mapping.map(({ samples }) => sampleText(samples))).toEqual(['ada@ordinary.example', '101', '42']);
    expect(sampleText([null, ''])).toBe('–');
  });
});
