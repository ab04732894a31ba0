import type { CrmObject } from '@mailproof/shared-types';
import { z } from 'zod';
import { CrmFault } from '../../domain/crm/crm.ts';
import { type Descriptions, objectNames, ownKeyField } from './object-description.ts';
import { idKey, isRecordId } from './record-values.ts';
import { CallRefused } from './salesforce-faults.ts';
import type { Call, SalesforceSession } from './salesforce-session.ts';
import { quoted, runQuery } from './soql.ts';

/** The permission set that lets users see our fields. */
const permissionSet = {
  Name: 'Mailproof',
  Label: 'Mailproof',
  Description: 'Identifies records that Mailproof has created.',
};

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
    await createField(session, object, signal);
    await letUserSee(session, object, signal);
  } catch (error) {
    throw isRefusal(error) ? new CrmFault('not_permitted', null, missingOwnKeyAdvice(object)) : error;
  }
  if (!(await hasOwnKey(descriptions, object, signal))) {
    throw new CrmFault('not_permitted', null, missingOwnKeyAdvice(object));
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof CrmFault && ['not_permitted', 'not_found', 'refused'].includes(error.kind);
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

/** Error codes for a name that already exists. */
const thereCodes = new Set(['DUPLICATE_DEVELOPER_NAME', 'DUPLICATE_VALUE']);
const created = z.object({ id: z.string().refine(isRecordId), success: z.literal(true) });

async function createField(
  session: SalesforceSession,
  object: CrmObject,
  signal: AbortSignal,
): Promise<void> {
  await createUnlessThere(session, signal, connection =>
    connection.requestPost('/tooling/sobjects/CustomField', {
      FullName: `${objectNames[object]}.${ownKeyField}`,
      Metadata: {
        label: 'Mailproof ID',
        type: 'Text',
        length: 255,
        externalId: true,
        unique: true,
        caseSensitive: false,
        required: false,
        description: 'Identifies records that Mailproof has created.',
        inlineHelpText: 'Filled by Mailproof.',
      },
    }),
  );
}

async function letUserSee(session: SalesforceSession, object: CrmObject, signal: AbortSignal): Promise<void> {
  const find = async (soql: string) => (await runQuery(session, soql, signal)).records[0]?.Id;
  const create = (name: string, record: Readonly<Record<string, string | boolean>>) =>
    createUnlessThere(session, signal, connection => connection.create(name, { ...record }));
  const findSet = () => find(`SELECT Id FROM PermissionSet WHERE Name = ${quoted(permissionSet.Name)}`);
  const setId = (await findSet()) ?? (await create('PermissionSet', permissionSet)) ?? (await findSet());
  if (setId === undefined) {
    throw new CrmFault('not_permitted');
  }
  const field = `${objectNames[object]}.${ownKeyField}`;
  const isIn = `PermissionSetId = ${quoted(setId)}`;
  if (
    !(await find(
      `SELECT Id FROM FieldPermissions WHERE ParentId = ${quoted(setId)} AND Field = ${quoted(field)}`,
    ))
  ) {
    await create('FieldPermissions', {
      ParentId: setId,
      SobjectType: objectNames[object],
      Field: field,
      PermissionsRead: true,
      PermissionsEdit: true,
    });
  }
  const userId = await readUserId(session, signal);
  if (
    !(await find(`SELECT Id FROM PermissionSetAssignment WHERE ${isIn} AND AssigneeId = ${quoted(userId)}`))
  ) {
    await create('PermissionSetAssignment', { PermissionSetId: setId, AssigneeId: userId });
  }
}

/** Returns the id of the created object; undefined if it already existed, as when two processes create it at once. */
async function createUnlessThere(
  session: SalesforceSession,
  signal: AbortSignal,
  create: Call<unknown>,
): Promise<string | undefined> {
  try {
    return await session.call(signal, async connection => created.parse(await create(connection)).id);
  } catch (error) {
    if (error instanceof CallRefused && thereCodes.has(error.errorCode)) {
      return undefined;
    }
    throw error;
  }
}

const resources = z.object({
  identity: z
    .string()
    .regex(/\/005[0-9A-Za-z]{12}(?:[0-9A-Za-z]{3})?$/)
    .transform(url => url.slice(url.lastIndexOf('/') + 1)),
});

/**
 * Reads the id of the user who connected the organization from the end of their identity URL, which is not requested.
 */
async function readUserId(session: SalesforceSession, signal: AbortSignal): Promise<string> {
  const { identity } = await session.call(signal, async connection =>
    resources.parse(await connection.requestGet('/')),
  );
  return idKey(identity);
}
