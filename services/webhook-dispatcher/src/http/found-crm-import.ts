import { Problem } from '@mailproof/service-kit';
import type { CrmImport } from '../domain/crm/imports/crm-import.ts';

/** The account's import, or the problem `crm_import_not_found`. */
export async function foundCrmImport(found: Promise<CrmImport | undefined>): Promise<CrmImport> {
  const record = await found;
  if (!record) {
    throw new Problem('crm_import_not_found');
  }
  return record;
}
