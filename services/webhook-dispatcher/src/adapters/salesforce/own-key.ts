import type { CrmObject } from '@mailproof/shared-types';
import { CrmFault } from '../../domain/crm/crm.ts';
import { createField, isRefusal, letUserSee } from './custom-fields.ts';
import { type Descriptions, objectNames, ownKeyField } from './object-description.ts';
import type { SalesforceSession } from './salesforce-session.ts';

const ownKey = {
  label: 'Mailproof ID',
  type: 'Text',
  length: 255,
  externalId: true,
  unique: true,
  caseSensitive: false,
  required: false,
  description: 'Identifies records that Mailproof has created.',
  inlineHelpText: 'Filled by Mailproof.',
} as const;

/** The advice if we may not create the field. */
export function missingOwnKeyAdvice(object: CrmObject): string {
  return `A Salesforce administrator must create a custom field on ${objectNames[object]}: type Text, 255 characters, API name ${ownKeyField}, External ID, unique (case-insensitive), and give the user who connected Mailproof read and edit access to it.`;
}

/**
 * Creates our field and lets the user see it. A field that was created through the API is visible to no one, so our
 * permission set is created and assigned to the user. Needs the permissions "Customize Application", "Manage Profiles
 * and Permission Sets" and "Assign Permission Sets"; without them an administrator has to do it, and the fault says
 * how.
 */
export async function ensureOwnKey(
  session: SalesforceSession,
  descriptions: Descriptions,
  object: CrmObject,
  signal: AbortSignal,
): Promise<void> {
  if (await hasOwnKey(descriptions, object, signal)) {
    return;
  }
  try {
    await createField(session, object, ownKeyField, ownKey, signal);
    await letUserSee(session, object, [ownKeyField], signal);
  } catch (error) {
    throw isRefusal(error) ? new CrmFault('not_permitted', null, missingOwnKeyAdvice(object)) : error;
  }
  if (!(await hasOwnKey(descriptions, object, signal))) {
    throw new CrmFault('not_permitted', null, missingOwnKeyAdvice(object));
  }
}

/** Throws if the field exists with another definition, which only an administrator can correct. */
async function hasOwnKey(
  descriptions: Descriptions,
  object: CrmObject,
  signal: AbortSignal,
): Promise<boolean> {
  const field = (await descriptions.read(object, signal)).fields.get(ownKeyField);
  if (field === undefined) {
    return false;
  }
  if (!field.externalId || !field.unique || !field.createable || !field.updateable || field.length < 255) {
    throw new CrmFault('not_permitted', null, missingOwnKeyAdvice(object));
  }
  return true;
}
