import type { CrmProperty, CrmProvider } from '@mailproof/shared-types';
import { type Crm, CrmFault, type CrmFilter, type CrmRecord, type CrmSelection } from '../../crm.ts';

/**
 * A CRM that keeps records of one kind in memory and returns them page by page. Methods that imports do not use throw.
 */
export interface PagedCrm extends Crm {
  readonly records: CrmRecord[];
  readonly lists: Map<string, ReadonlySet<string>>;
  /** The positions after which pages were requested. */
  readonly asked: (string | null)[];
  /** Called before every page. */
  fails: () => CrmFault | undefined;
}

const property = (name: string, label: string, more: Partial<CrmProperty> = {}): CrmProperty => ({
  name,
  label,
  type: 'text',
  choices: [],
  characters_max: null,
  is_writable: true,
  is_required: false,
  is_unique: false,
  ...more,
});

const properties = [
  property('email', 'E-mail'),
  property('firstname', 'First name'),
  property('notes', 'Notes'),
  property('unnamed', ' '),
  property('mail_status', 'Mail status'),
  property('created', 'Created', { is_writable: false }),
];

export function createPagedCrm(
  options: { readonly provider?: CrmProvider; readonly pageSize?: number } = {},
): PagedCrm {
  const { provider = 'hubspot', pageSize = 100 } = options;
  const records: CrmRecord[] = [];
  const lists = new Map<string, ReadonlySet<string>>();
  const asked: (string | null)[] = [];
  const unexpected = (what: string) => () => Promise.reject(new Error(`An import does not ${what}.`));

  function selected({ segmentId, filters }: CrmSelection): CrmRecord[] {
    const members = segmentId === null ? undefined : lists.get(segmentId);
    if (segmentId !== null && !members) {
      throw new CrmFault('not_found');
    }
    return records.filter(
      record => (members?.has(record.recordId) ?? true) && filters.every(filter => holds(filter, record)),
    );
  }

  const crm: PagedCrm = {
    provider,
    records,
    lists,
    asked,
    fails: () => undefined,
    identifyingProperty: () => ({ property: 'email', kind: 'email' }),
    properties: async () => properties,
    async count(_object, selection) {
      const fault = crm.fails();
      if (fault) {
        throw fault;
      }
      return selected(selection).length;
    },
    async page(_object, selection, request) {
      asked.push(request.after);
      const fault = crm.fails();
      if (fault) {
        throw fault;
      }
      const all = selected(selection);
      const from =
        request.after === null ? 0 : all.findIndex(({ recordId }) => recordId === request.after) + 1;
      const page = all.slice(from, from + pageSize);
      return {
        records: page.map(({ recordId, values }) => ({
          recordId,
          values: Object.fromEntries(request.properties.map(name => [name, values[name] ?? ''])),
        })),
        next: from + pageSize < all.length ? (page.at(-1)?.recordId ?? null) : null,
      };
    },
    segments: unexpected('list segments'),
    ensureOwnKey: unexpected('make properties'),
    ensureProperties: unexpected('make properties'),
    find: unexpected('find records'),
    write: unexpected('write records'),
    remove: unexpected('take records away'),
  };
  return crm;
}

function holds({ property: name, operator, values: [wanted] }: CrmFilter, { values }: CrmRecord): boolean {
  const value = values[name] ?? '';
  switch (operator) {
    case 'is':
      return value === wanted;
    case 'is_known':
      return value !== '';
    default:
      throw new Error(`Nobody asks for ${operator} here.`);
  }
}
