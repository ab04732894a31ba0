/** The actions of a push on delivered rows. */
export const crmActions = ['created', 'updated', 'skipped'] as const;

export type CrmAction = (typeof crmActions)[number];

/** The reasons why a CRM push did not write a row, in our own words; the name of a property may follow. */
export const crmRowFaults = {
  crm_invalid_value: 'The property does not accept the value',
  crm_too_long: 'The value is too long for the property',
  crm_missing_value: 'The row has no value for a property that the CRM requires',
  crm_no_key: 'The row has no address, id or domain to match a record by',
  crm_duplicate: 'Another CRM record has the same value',
  crm_no_such_property: 'The property no longer exists in the CRM',
  crm_not_permitted: 'The connection lacks permission to write it',
  crm_locked: 'The record was locked in the CRM',
  crm_gone: 'The record no longer exists in the CRM',
  crm_refused: 'The CRM rejected it',
  crm_away: 'The CRM could not confirm the result',
  crm_merged: 'The record was merged into another one in the CRM and was left unchanged',
  crm_same_record: 'Duplicate: an earlier row of this export was written to the same record',
  crm_no_record: 'No matching record exists, and this push does not create records',
} as const;

export type CrmRowFault = keyof typeof crmRowFaults;

/** The stored form of a fault: the code, then the property that it concerns, if any. */
export function writeCrmRowFault(fault: CrmRowFault, property: string | null): string {
  return property === null ? fault : `${fault}: ${property}`;
}

/** The sentence for a stored fault; undefined for any other text. */
export function crmRowFaultText(written: string): string | undefined {
  const [, code, property] = /^(crm_[a-z_]+)(?:: (.+))?$/s.exec(written) ?? [];
  if (code === undefined || !(code in crmRowFaults)) {
    return undefined;
  }
  const text = crmRowFaults[code as CrmRowFault];
  return property === undefined ? `${text}.` : `${text}: \u201c${property}\u201d.`;
}
