import {
  type CrmObject,
  type CrmProperty,
  isWriteBackProperty,
  type WrittenBackColumn,
  writeBackProperties,
} from '@mailproof/shared-types';
import { type Crm, CrmFault } from '../crm.ts';
import { propertyIssue } from '../push/mapping-faults.ts';

/**
 * Creates the properties for results that the CRM lacks, and returns those of all named results. A property that exists
 * with our name and another type, or that cannot be written, is left as it is and refused with what to do.
 */
export async function createWriteBackProperties(
  crm: Pick<Crm, 'properties' | 'ensureProperties'>,
  object: CrmObject,
  columns: readonly WrittenBackColumn[],
  signal: AbortSignal,
): Promise<{ readonly column: WrittenBackColumn; readonly property: CrmProperty }[]> {
  const find = async (column: WrittenBackColumn) =>
    (await known).find(property => isWriteBackProperty(column, property));
  let known = crm.properties(object, signal);
  const missing = [];
  for (const column of columns) {
    if (!(await find(column))) {
      missing.push(writeBackProperties[column]);
    }
  }
  if (missing.length > 0) {
    await crm.ensureProperties(object, missing, signal);
    known = crm.properties(object, signal);
  }
  const found = [];
  for (const column of columns) {
    const { name, type } = writeBackProperties[column];
    const property = await find(column);
    if (!property) {
      throw new CrmFault(
        'not_permitted',
        null,
        `The CRM does not show the property ${name}. Ask its administrator to let the user who connected Mailproof read and edit it.`,
      );
    }
    if (property.type !== type || propertyIssue(property, property.name).length > 0) {
      throw new CrmFault(
        'refused',
        null,
        `The CRM has a property ${property.name} that cannot hold this result. Rename or delete it, or choose another property.`,
      );
    }
    found.push({ column, property });
  }
  return found;
}
