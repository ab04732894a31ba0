import type { writtenBackColumns } from './crm-import.ts';
import type { CrmPropertyType } from './crm-property.ts';

export type WrittenBackColumn = (typeof writtenBackColumns)[number];

/** A property that Mailproof creates in a CRM for one result. */
export interface WriteBackProperty {
  /** Internal name; Salesforce appends `__c`. */
  readonly name: string;
  /** Display name, at most 40 characters, which is Salesforce's limit. */
  readonly label: string;
  readonly type: Extract<CrmPropertyType, 'text' | 'boolean' | 'moment'>;
}

/** The properties that Mailproof creates for results, on any kind of record. */
export const writeBackProperties: Readonly<Record<WrittenBackColumn, WriteBackProperty>> = {
  result_status: { name: 'mailproof_result', label: 'Email status (Mailproof)', type: 'text' },
  valid: { name: 'mailproof_deliverable', label: 'Email deliverable (Mailproof)', type: 'boolean' },
  validated_at: { name: 'mailproof_validated_at', label: 'Email validated at (Mailproof)', type: 'moment' },
  email_type: { name: 'mailproof_email_type', label: 'Kind of email address (Mailproof)', type: 'text' },
  mx_provider: { name: 'mailproof_mail_provider', label: 'Mail provider (Mailproof)', type: 'text' },
  mx_domain: { name: 'mailproof_mail_host', label: 'Mail host (Mailproof)', type: 'text' },
  email: { name: 'mailproof_email', label: 'Validated email (Mailproof)', type: 'text' },
};

/** Whether a CRM's property is the one that Mailproof creates for a result, by its name. */
export function isWriteBackProperty(column: WrittenBackColumn, { name }: { readonly name: string }): boolean {
  const own = writeBackProperties[column].name;
  return name === own || name === `${own}__c`;
}
