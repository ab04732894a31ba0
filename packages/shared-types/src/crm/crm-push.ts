/** What a push does for a row that it delivers. */
export const crmActions = ['created', 'updated', 'skipped'] as const;

export type CrmAction = (typeof crmActions)[number];

/** What stood in the way of a row of a CRM push, in our own words; a property may be named behind it. */
export const crmRowFaults = {
  crm_invalid_value: 'The value is not one that the property takes',
  crm_too_long: 'The value has more characters than the property takes',
  crm_missing_value: 'A property that the CRM requires of a new record is blank in the row',
  crm_no_key: 'The row has nothing by which its record could be found again: no address, id or domain',
  crm_duplicate: 'The CRM has another record with the same value',
  crm_no_such_property: 'The CRM has no such property any more',
  crm_not_permitted: 'Our access does not let us write it',
  crm_locked: 'The record was locked in the CRM',
  crm_gone: 'The record is not in the CRM any more',
  crm_refused: 'The CRM does not take it',
  crm_away: 'The CRM could not say what became of it',
  crm_merged: 'The record has become part of another one in the CRM; it was left alone',
  crm_same_record: 'An earlier row of this export stands for the same record; the first one was taken',
  crm_no_record: 'There is no such record, and the push creates none',
} as const;

export type CrmRowFault = keyof typeof crmRowFaults;

/** As it is written down: the code, and the property that it is about. */
export function writeCrmRowFault(fault: CrmRowFault, property: string | null): string {
  return property === null ? fault : `${fault}: ${property}`;
}

/** The sentence of a fault that was written down; undefined for what is none of these. */
export function crmRowFaultText(written: string): string | undefined {
  const [, code, property] = /^(crm_[a-z_]+)(?:: (.+))?$/s.exec(written) ?? [];
  if (code === undefined || !(code in crmRowFaults)) {
    return undefined;
  }
  const text = crmRowFaults[code as CrmRowFault];
  return property === undefined ? `${text}.` : `${text}: \u201c${property}\u201d.`;
}
