import { describe, expect, it } from '@jest/globals';
import type { CrmFieldPolicy, CrmProperty } from '@mailproof/shared-types';
import { property } from '../testing/kept-crm.ts';
import { type MappedField, planRow, valuesOfRow } from './plan-writes.ts';

const field = (policy: CrmFieldPolicy, name: string, more: Partial<CrmProperty> = {}): MappedField => ({
  field: { column: `${name} column`, property: name, policy },
  property: property(name, more),
});

const mapping = [
  field('overwrite', 'title'),
  field('fill_blank', 'phone'),
  field('never', 'source'),
  field('overwrite', 'score', { type: 'number' }),
];
const planning = { mapping, identifying: undefined, creates: true, required: [] };
const found = (values: Record<string, string | number | null>) => ({ recordId: '7', values });

describe('a row whose record is there', () => {
  const values = { title: 'CEO', phone: '1', source: 'ours', score: 10 };

  it('writes what its policies let it write', () => {
    const record = found({ title: 'CTO', phone: '2', source: null, score: '9' });
    expect(planRow(planning, { values }, record)).toEqual({
      action: 'updated',
      recordId: '7',
      values: { title: 'CEO', score: 10 },
    });
    expect(planRow(planning, { values }, found({ title: null, phone: ' ', score: null }))).toMatchObject({
      values: { title: 'CEO', phone: '1', score: 10 },
    });
  });

  it('is skipped where everything says the same already', () => {
    const record = found({ title: 'CEO ', phone: '2', score: '10.0' });
    expect(planRow(planning, { values }, record)).toEqual({ action: 'skipped', recordId: '7', note: null });
  });

  it('overwrites nothing with a blank cell', () => {
    const read = valuesOfRow(mapping, column => (column === 'score column' ? ' ' : null), undefined);
    expect(read).toEqual({ kind: 'ready', values: {} });
    expect(planRow(planning, { values: {} }, found({ title: 'CTO', score: 9 }))).toMatchObject({
      action: 'skipped',
    });
  });

  it('compares an address as CRMs keep it', () => {
    const identifying = { property: 'email', kind: 'email' } as const;
    const options = { ...planning, mapping: [field('overwrite', 'email')], identifying };
    const plan = planRow(
      options,
      { values: { email: 'Jane@X.example' } },
      found({ email: 'jane@x.example' }),
    );
    expect(plan.action).toBe('skipped');
  });
});

describe('a row without a record', () => {
  it('becomes one, with what is never written over as well', () => {
    const values = { title: 'CEO', source: 'ours' };
    expect(planRow(planning, { values }, undefined)).toEqual({ action: 'created', values });
  });

  it('is skipped with a reason if the push creates none', () => {
    expect(planRow({ ...planning, creates: false }, { values: {} }, undefined)).toEqual({
      action: 'skipped',
      recordId: null,
      note: { fault: 'crm_no_record', property: null },
    });
  });

  it('fails where it is blank in what the CRM requires', () => {
    const plan = planRow({ ...planning, required: ['title'] }, { values: { phone: '1' } }, undefined);
    expect(plan).toEqual({ action: 'failed', fault: 'crm_missing_value', property: 'title' });
  });
});

describe('the values of a row', () => {
  it('are none of them where one cannot be written', () => {
    const cells: Record<string, string> = { 'title column': 'CEO', 'score column': 'ten' };
    expect(valuesOfRow(mapping, column => cells[column], undefined)).toEqual({
      kind: 'fault',
      fault: 'crm_invalid_value',
      property: 'score',
    });
  });

  it('have the domain as it is looked for', () => {
    const identifying = { property: 'domain', kind: 'domain' } as const;
    const read = valuesOfRow([field('overwrite', 'domain')], () => 'https://www.x.example/', identifying);
    expect(read).toEqual({ kind: 'ready', values: { domain: 'x.example' } });
  });
});
