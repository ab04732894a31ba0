import { notFound } from './answers.ts';
import { type ObjectType, objectTypeIds } from './property-catalog.ts';
import { Records } from './records.ts';

/** A list of records; HubSpot's interface calls it a segment. */
export interface StoredList {
  readonly listId: string;
  readonly name: string;
  readonly objectType: ObjectType;
  readonly processingType: 'MANUAL' | 'DYNAMIC' | 'SNAPSHOT';
  readonly recordIds: Set<string>;
}

/** The contents of an account. */
export class Portal {
  readonly portalId: number;
  readonly contacts: Records;
  readonly companies: Records;
  readonly lists = new Map<string, StoredList>();
  /** Whether the valid inputs of a batch with trace ids are processed, as HubSpot does. */
  carriesOutPartly = true;
  /** Records with greater ids are not in the search index yet. */
  #indexedTo: Readonly<Record<ObjectType, number>> | undefined;

  constructor(portalId: number, now: () => Date) {
    this.portalId = portalId;
    this.contacts = new Records({ objectType: 'contacts', portalId, firstId: 101, now });
    this.companies = new Records({ objectType: 'companies', portalId, firstId: 9_000_001, now });
  }

  records(objectType: string | undefined): Records {
    switch (objectType) {
      case 'contacts':
      case 'contact':
      case objectTypeIds.contacts:
        return this.contacts;
      case 'companies':
      case 'company':
      case objectTypeIds.companies:
        return this.companies;
      default:
        throw notFound(`Unable to infer object type from: ${objectType}`);
    }
  }

  addList(name: string, objectType: ObjectType, recordIds: readonly string[]): string {
    const listId = String(this.lists.size + 1);
    this.lists.set(listId, {
      listId,
      name,
      objectType,
      processingType: 'MANUAL',
      recordIds: new Set(recordIds),
    });
    return listId;
  }

  /** From now on, searches do not find new records; at HubSpot this lasts for a moment. */
  freezeSearchIndex(): void {
    const last = (records: Records) => Number(records.all().at(-1)?.id ?? 0);
    this.#indexedTo = { contacts: last(this.contacts), companies: last(this.companies) };
  }

  thawSearchIndex(): void {
    this.#indexedTo = undefined;
  }

  isIndexed(objectType: ObjectType, id: string): boolean {
    return this.#indexedTo === undefined || Number(id) <= this.#indexedTo[objectType];
  }
}
