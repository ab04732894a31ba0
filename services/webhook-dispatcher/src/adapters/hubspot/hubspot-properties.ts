import type * as Properties from '@hubspot/api-client/lib/codegen/crm/properties/index.js';
import type { CrmObject, CrmProperty, CrmPropertyType, WriteBackProperty } from '@mailproof/shared-types';
import { CrmFault, ownKeyProperty } from '../../domain/crm/crm.ts';
import { type HubSpotClient, listed } from './hubspot-client.ts';
import { HubSpotRefusal } from './hubspot-faults.ts';
import { hubSpotObject } from './hubspot-objects.ts';

/** The most characters that HubSpot accepts in a text. */
const charactersMax = 65_536;

/** Reads the properties that users see; HubSpot also has hundreds of internal ones. */
export async function readProperties(
  client: HubSpotClient,
  object: CrmObject,
  signal: AbortSignal,
): Promise<readonly CrmProperty[]> {
  const { type, identifying } = hubSpotObject(object);
  const { results } = await client.properties(api => api.getAll(type, false), signal);
  return listed(results)
    .filter(property => property.hidden !== true || property.name === ownKeyProperty)
    .map(property => propertyOf(property, identifying.kind === 'email' ? identifying.property : undefined));
}

/** Creates our property, unless it exists. An existing property of that name without unique values cannot be used. */
export async function ensureOwnKey(
  client: HubSpotClient,
  object: CrmObject,
  signal: AbortSignal,
): Promise<void> {
  const isUnique = async () => (await findOwnKey(client, object, signal))?.hasUniqueValue;
  const found = await isUnique();
  if (found === undefined) {
    try {
      const described = {
        name: ownKeyProperty,
        label: 'Mailproof ID',
        description: 'Identifies records that Mailproof has written.',
        hasUniqueValue: true,
      };
      await createProperty(client, object, 'text', described, signal);
    } catch (error) {
      // Another push has created it meanwhile, or the answer to our request was lost.
      if (!(error instanceof HubSpotRefusal) || (await isUnique()) !== true) {
        throw error;
      }
    }
  } else if (!found) {
    throw new CrmFault('refused');
  }
}

/** Creates properties for results, unless they exist. */
export async function ensureProperties(
  client: HubSpotClient,
  object: CrmObject,
  wanted: readonly WriteBackProperty[],
  signal: AbortSignal,
): Promise<void> {
  for (const { name, label, type } of wanted) {
    if (await findProperty(client, object, name, signal)) {
      continue;
    }
    try {
      await createProperty(
        client,
        object,
        type,
        { name, label, description: 'Written by Mailproof.' },
        signal,
      );
    } catch (error) {
      // Another request has created it meanwhile.
      if (!(error instanceof HubSpotRefusal) || !(await findProperty(client, object, name, signal))) {
        throw error;
      }
    }
  }
}

/** HubSpot's types; a property of type `bool` has its two options. */
const created = {
  text: { type: 'string', fieldType: 'text' },
  moment: { type: 'datetime', fieldType: 'date' },
  boolean: {
    type: 'bool',
    fieldType: 'booleancheckbox',
    options: [
      { label: 'Yes', value: 'true', displayOrder: 0, hidden: false },
      { label: 'No', value: 'false', displayOrder: 1, hidden: false },
    ],
  },
} as const;

async function createProperty(
  client: HubSpotClient,
  object: CrmObject,
  kind: keyof typeof created,
  described: Pick<Properties.PropertyCreate, 'name' | 'label' | 'description' | 'hasUniqueValue'>,
  signal: AbortSignal,
): Promise<void> {
  const { type, propertyGroup } = hubSpotObject(object);
  const definition = created[kind] as unknown as Pick<
    Properties.PropertyCreate,
    'type' | 'fieldType' | 'options'
  >;
  const property = { ...described, ...definition, groupName: propertyGroup, formField: false };
  await client.properties(api => api.create(type, property), signal);
}

/** Our key; undefined if it does not exist yet. */
export async function findOwnKey(
  client: HubSpotClient,
  object: CrmObject,
  signal: AbortSignal,
): Promise<{ readonly hasUniqueValue: boolean } | undefined> {
  return findProperty(client, object, ownKeyProperty, signal);
}

async function findProperty(
  client: HubSpotClient,
  object: CrmObject,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly hasUniqueValue: boolean } | undefined> {
  const { type } = hubSpotObject(object);
  try {
    const { hasUniqueValue } = await client.properties(api => api.getByName(type, name, false), signal);
    return { hasUniqueValue: hasUniqueValue === true };
  } catch (error) {
    if (error instanceof CrmFault && error.kind === 'not_found') {
      return undefined;
    }
    throw error;
  }
}

function propertyOf(property: Properties.Property, uniqueProperty: string | undefined): CrmProperty {
  const type = typeOf(property);
  return {
    name: property.name,
    label: property.label,
    type,
    choices:
      type === 'choice'
        ? (property.options ?? [])
            .filter(({ hidden }) => hidden !== true)
            .map(({ value, label }) => ({ value, label }))
        : [],
    characters_max: type === 'text' ? charactersMax : null,
    is_writable: property.modificationMetadata?.readOnlyValue !== true && property.calculated !== true,
    // HubSpot's API requires no property; the requirements of its forms do not apply here.
    is_required: false,
    is_unique: property.hasUniqueValue === true || property.name === uniqueProperty,
  };
}

function typeOf({ type }: Properties.Property): CrmPropertyType {
  switch (type) {
    case 'string':
    case 'phone_number':
      return 'text';
    case 'number':
      return 'number';
    case 'bool':
      return 'boolean';
    case 'date':
      return 'date';
    case 'datetime':
      return 'moment';
    case 'enumeration':
      return 'choice';
    default:
      return 'other';
  }
}
