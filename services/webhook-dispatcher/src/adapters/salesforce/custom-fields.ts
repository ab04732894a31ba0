import type { CrmObject, WriteBackProperty } from '@mailproof/shared-types';
import { z } from 'zod';
import { CrmFault } from '../../domain/crm/crm.ts';
import { type Descriptions, objectNames } from './object-description.ts';
import { idKey, isRecordId } from './record-values.ts';
import { CallRefused } from './salesforce-faults.ts';
import type { Call, SalesforceSession } from './salesforce-session.ts';
import { quoted, runQuery } from './soql.ts';

/** The permission set that lets users see our fields. */
const permissionSet = {
  Name: 'Mailproof',
  Label: 'Mailproof',
  Description: 'Lets users see the fields that Mailproof has created.',
};

/** Salesforce's definitions of the types of results. */
const definitions = {
  text: { type: 'Text', length: 255 },
  boolean: { type: 'Checkbox', defaultValue: 'false' },
  moment: { type: 'DateTime' },
} as const;

/** Creates fields for results, unless they exist, and lets the connected user see them. */
export async function ensureProperties(
  session: SalesforceSession,
  descriptions: Descriptions,
  object: CrmObject,
  wanted: readonly WriteBackProperty[],
  signal: AbortSignal,
): Promise<void> {
  const fields = wanted.map(property => ({ ...property, field: `${property.name}__c` }));
  try {
    for (const { field, label, type } of fields) {
      const metadata = { label, description: 'Written by Mailproof.', ...definitions[type] };
      await createField(session, object, field, metadata, signal);
    }
    const names = fields.map(({ field }) => field);
    await letUserSee(session, object, names, signal);
  } catch (error) {
    throw isRefusal(error) ? new CrmFault('not_permitted', null, adviceOf(object, fields)) : error;
  }
  descriptions.forget(object);
}

function adviceOf(
  object: CrmObject,
  fields: readonly (WriteBackProperty & { readonly field: string })[],
): string {
  const named = fields.map(({ field, type }) => `${field} (${definitions[type].type})`).join(', ');
  return `The user who connected Mailproof may not create fields. A Salesforce administrator can create them on ${objectNames[object]}, and give this user read and edit access: ${named}.`;
}

export function isRefusal(error: unknown): boolean {
  return error instanceof CrmFault && ['not_permitted', 'not_found', 'refused'].includes(error.kind);
}

/** Error codes for a name that already exists. */
const thereCodes = new Set(['DUPLICATE_DEVELOPER_NAME', 'DUPLICATE_VALUE']);
const created = z.object({ id: z.string().refine(isRecordId), success: z.literal(true) });

/** Creates a custom field, unless it exists; `metadata` is that of the Metadata API's `CustomField`. */
export async function createField(
  session: SalesforceSession,
  object: CrmObject,
  field: string,
  metadata: Readonly<Record<string, string | number | boolean>>,
  signal: AbortSignal,
): Promise<void> {
  await createUnlessThere(session, signal, connection =>
    connection.requestPost('/tooling/sobjects/CustomField', {
      FullName: `${objectNames[object]}.${field}`,
      Metadata: metadata,
    }),
  );
}

/** Lets the connected user read and edit fields, by our permission set, which is created unless it exists. */
export async function letUserSee(
  session: SalesforceSession,
  object: CrmObject,
  fields: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const find = async (soql: string) => (await runQuery(session, soql, signal)).records[0]?.Id;
  const create = (name: string, record: Readonly<Record<string, string | boolean>>) =>
    createUnlessThere(session, signal, connection => connection.create(name, { ...record }));
  const findSet = () => find(`SELECT Id FROM PermissionSet WHERE Name = ${quoted(permissionSet.Name)}`);
  const setId = (await findSet()) ?? (await create('PermissionSet', permissionSet)) ?? (await findSet());
  if (setId === undefined) {
    throw new CrmFault('not_permitted');
  }
  const isIn = `PermissionSetId = ${quoted(setId)}`;
  for (const field of fields.map(name => `${objectNames[object]}.${name}`)) {
    const isGranted = `ParentId = ${quoted(setId)} AND Field = ${quoted(field)}`;
    if (!(await find(`SELECT Id FROM FieldPermissions WHERE ${isGranted}`))) {
      await create('FieldPermissions', {
        ParentId: setId,
        SobjectType: objectNames[object],
        Field: field,
        PermissionsRead: true,
        PermissionsEdit: true,
      });
    }
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
