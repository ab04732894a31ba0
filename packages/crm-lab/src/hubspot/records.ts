import { CallRefused, type HubSpotFault } from './answers.ts';
import { defaultProperties, type ObjectType, type PropertyDescription } from './property-catalog.ts';
import { faultOfValues, keptValue } from './property-values.ts';

/** A record of the account. */
export interface StoredRecord {
  readonly id: string;
  readonly values: Record<string, string>;
  readonly createdAtMs: number;
  updatedAtMs: number;
  archivedAtMs: number | null;
}

/** A test's rule that refuses writes: returns HubSpot's error, or undefined. */
export type RefuseRecord = (values: Readonly<Record<string, string>>) => HubSpotFault | undefined;

export interface RecordsOptions {
  readonly objectType: ObjectType;
  readonly portalId: number;
  readonly firstId: number;
  readonly now: () => Date;
}

/** The records of one kind, in order of creation, which is the order of their ids. */
export class Records {
  readonly properties: Map<string, PropertyDescription>;
  readonly objectType: ObjectType;
  refuses: RefuseRecord = () => undefined;
  readonly #byId = new Map<string, StoredRecord>();
  /** All records, in the order of their ids. */
  readonly #inOrder: StoredRecord[] = [];
  /** Ids by property and value, for properties with unique values. */
  readonly #unique = new Map<string, Map<string, string>>();
  readonly #portalId: number;
  readonly #now: () => Date;
  #nextId: number;

  constructor({ objectType, portalId, firstId, now }: RecordsOptions) {
    this.objectType = objectType;
    this.properties = new Map(defaultProperties(objectType).map(property => [property.name, property]));
    this.#portalId = portalId;
    this.#nextId = firstId;
    this.#now = now;
    if (objectType === 'contacts') {
      this.#unique.set('email', new Map());
    }
  }

  addProperty(property: PropertyDescription): void {
    this.properties.set(property.name, property);
    if (property.hasUniqueValue) {
      this.#unique.set(property.name, new Map());
    }
  }

  isUnique(property: string): boolean {
    return this.#unique.has(property);
  }

  /** Records that are not archived, in the order of their ids. */
  all(): StoredRecord[] {
    return this.behind(0);
  }

  /** Records that are not archived and have a greater id. */
  behind(id: number): StoredRecord[] {
    let [from, to] = [0, this.#inOrder.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (Number(this.#inOrder[middle]?.id) > id) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return this.#inOrder.slice(from).filter(record => record.archivedAtMs === null);
  }

  get(id: string): StoredRecord | undefined {
    const record = this.#byId.get(id);
    return record?.archivedAtMs === null ? record : undefined;
  }

  /** The record with a value of a unique property, including a contact's additional addresses. */
  findUnique(property: string, value: string): StoredRecord | undefined {
    const kept = keptValue(this.objectType, property, value);
    const id = this.#unique.get(property)?.get(kept);
    return id === undefined ? undefined : this.get(id);
  }

  /** Throws `CallRefused` if a new record, or the given one, cannot have these values. */
  check(given: Readonly<Record<string, string>>, record?: StoredRecord): void {
    this.#checked(given, record);
  }

  create(given: Readonly<Record<string, string>>): StoredRecord {
    const values = this.#checked(given, undefined);
    const atMs = this.#now().getTime();
    const id = String(this.#nextId);
    this.#nextId += 1;
    const record: StoredRecord = { id, values: {}, createdAtMs: atMs, updatedAtMs: atMs, archivedAtMs: null };
    this.#byId.set(id, record);
    this.#inOrder.push(record);
    this.#keep(record, values);
    record.values['hs_object_id'] = id;
    record.values['createdate'] = new Date(atMs).toISOString();
    return record;
  }

  update(record: StoredRecord, given: Readonly<Record<string, string>>): StoredRecord {
    const values = this.#checked(given, record);
    record.updatedAtMs = this.#now().getTime();
    this.#keep(record, values);
    return record;
  }

  /** Archives a record; has no effect if it does not exist. */
  archive(id: string): void {
    const record = this.get(id);
    if (record) {
      record.archivedAtMs = this.#now().getTime();
      for (const [property, ids] of this.#unique) {
        for (const value of uniqueValues(record.values, property)) {
          ids.delete(value);
        }
      }
    }
  }

  #checked(
    given: Readonly<Record<string, string>>,
    record: StoredRecord | undefined,
  ): Record<string, string> {
    const values = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, keptValue(this.objectType, name, value)]),
    );
    const fault = this.refuses(values) ?? faultOfValues(values, this.properties, this.#portalId);
    if (fault) {
      throw new CallRefused(fault.category === 'CONFLICT' ? 409 : 400, fault);
    }
    for (const [property, ids] of this.#unique) {
      for (const value of uniqueValues(values, property)) {
        const holder = ids.get(value);
        if (holder !== undefined && holder !== record?.id) {
          throw this.#conflict(property, value, holder, record?.id);
        }
      }
    }
    return values;
  }

  #conflict(property: string, value: string, holder: string, id: string | undefined): CallRefused {
    if (property === 'email') {
      return new CallRefused(409, {
        category: 'CONFLICT',
        message: `Contact already exists. Existing ID: ${holder}`,
        context: { existingId: [holder] },
      });
    }
    const message = `Cannot set PropertyValueCoordinates{portalId=${this.#portalId}, propertyName=${property}, value=${value}} on ${id ?? 'a new record'}. ${holder} already has that value.`;
    return new CallRefused(400, {
      category: 'VALIDATION_ERROR',
      message,
      errors: [{ message, code: 'CONFLICTING_UNIQUE_VALUE', context: { propertyName: [property] } }],
    });
  }

  #keep(record: StoredRecord, values: Readonly<Record<string, string>>): void {
    for (const [property, ids] of this.#unique) {
      const isTouched = property in values || (property === 'email' && 'hs_additional_emails' in values);
      if (isTouched) {
        for (const value of uniqueValues(record.values, property)) {
          ids.delete(value);
        }
        for (const value of uniqueValues({ ...record.values, ...values }, property)) {
          ids.set(value, record.id);
        }
      }
    }
    Object.assign(record.values, values);
    record.values['hs_lastmodifieddate'] = new Date(record.updatedAtMs).toISOString();
  }
}

/** The values that identify a record: a contact has additional addresses as well as its primary one. */
function uniqueValues(values: Readonly<Record<string, string>>, property: string): string[] {
  const further = property === 'email' ? (values['hs_additional_emails'] ?? '').split(';') : [];
  return [values[property] ?? '', ...further].filter(value => value !== '');
}
