import type { CrmObject } from '@mailproof/shared-types';
import type { CrmValue, IdentifyingProperty } from '../../domain/crm/crm.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';

/** What HubSpot calls a kind of records. */
export interface HubSpotObject {
  readonly type: 'contacts' | 'companies';
  /** By which lists name it. */
  readonly typeId: string;
  /** The group in which a property of ours stands. */
  readonly propertyGroup: string;
  readonly identifying: IdentifyingProperty;
}

const objects: Readonly<Partial<Record<CrmObject, HubSpotObject>>> = {
  contact: {
    type: 'contacts',
    typeId: '0-1',
    propertyGroup: 'contactinformation',
    identifying: { property: 'email', kind: 'email' },
  },
  company: {
    type: 'companies',
    typeId: '0-2',
    propertyGroup: 'companyinformation',
    identifying: { property: 'domain', kind: 'domain' },
  },
};

export function findHubSpotObject(object: CrmObject): HubSpotObject | undefined {
  return objects[object];
}

/** Throws `CrmFault` for kinds of records that HubSpot does not have. */
export function hubSpotObject(object: CrmObject): HubSpotObject {
  const found = objects[object];
  if (found === undefined) {
    throw new CrmFault('not_found');
  }
  return found;
}

/** Properties are texts at HubSpot; an empty one takes away what stands there. */
export function textOf(value: CrmValue): string {
  return value === null ? '' : String(value);
}

export function textsOf(values: Readonly<Record<string, CrmValue>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));
}
