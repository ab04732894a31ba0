import { ApiError, invalidField, notFound } from './api-error.ts';
import type { FieldDescription } from './fields.ts';
import { type ObjectDescription, standardObjects } from './standard-objects.ts';

/** A stored record: every field that was ever filled, by name. */
export type StoredRecord = Record<string, unknown> & { Id: string };

interface ListView {
  readonly id: string;
  readonly object: string;
  readonly developerName: string;
  readonly label: string;
  readonly soqlCompatible: boolean;
  readonly query: string;
  /** The queue to whose records the view is limited; the query does not contain this limit. */
  readonly scopeEntityId: string | null;
}

/** What the user who connected the app may do, beyond working with records. */
export interface UserPermissions {
  /** "Customize Application": custom fields can be created. */
  customizesApplication: boolean;
  /** "Manage Profiles and Permission Sets" and "Assign Permission Sets". */
  managesPermissionSets: boolean;
}

/** The state of a simulated organization. */
export class Organization {
  readonly permissions: UserPermissions = { customizesApplication: true, managesPermissionSets: true };
  readonly listViews: ListView[] = [];
  readonly userId: string;
  readonly now: () => Date;
  /** Whether a duplicate rule refuses a second contact or lead with one address. */
  refusesDuplicates = false;
  readonly #fields = new Map<string, FieldDescription[]>();
  readonly #records = new Map<string, Map<string, StoredRecord>>();
  /** Records that are not deleted, by object, unique field, and value in lower case. */
  readonly #unique = new Map<string, string>();
  /** Custom fields that users see only with a permission set. */
  readonly #hiddenFields = new Set<string>();
  #serial = 0;

  constructor(userId: string, now: () => Date) {
    this.userId = userId;
    this.now = now;
    for (const { name, fields } of standardObjects) {
      this.#fields.set(name, [...fields]);
      this.#records.set(name, new Map());
    }
  }

  object(name: string): ObjectDescription {
    const object = standardObjects.find(each => each.name.toLowerCase() === name.toLowerCase());
    if (object === undefined) {
      throw notFound();
    }
    return object;
  }

  /** The fields that the user can see. */
  fieldsOf(object: string): readonly FieldDescription[] {
    return (this.#fields.get(object) ?? []).filter(
      ({ name }) => !this.#hiddenFields.has(`${object}.${name}`) || this.#isGranted(`${object}.${name}`),
    );
  }

  fieldOf(object: string, name: string): FieldDescription {
    const found = this.fieldsOf(object).find(field => field.name.toLowerCase() === name.toLowerCase());
    if (found === undefined) {
      throw invalidField(`No such column '${name}' on entity '${object}'.`);
    }
    return found;
  }

  /** A hidden field is invisible to every user until a permission set grants it. */
  addField(object: string, field: FieldDescription, isHidden: boolean): void {
    const fields = this.#fields.get(object);
    if (fields === undefined) {
      throw notFound();
    }
    if (fields.some(({ name }) => name.toLowerCase() === field.name.toLowerCase())) {
      throw new ApiError(
        400,
        'DUPLICATE_DEVELOPER_NAME',
        `There is already a field named ${field.name} on ${object}.`,
      );
    }
    fields.push(field);
    if (isHidden) {
      this.#hiddenFields.add(`${object}.${field.name}`);
    }
  }

  /** Records of a kind that are not deleted, in the order of their ids. */
  recordsOf(object: string): StoredRecord[] {
    return [...(this.#records.get(object)?.values() ?? [])].filter(record => record.IsDeleted !== true);
  }

  record(object: string, id: string): StoredRecord | undefined {
    return isRecordId(id) ? this.#records.get(object)?.get(shortId(id)) : undefined;
  }

  recordByUnique(object: string, field: string, value: unknown): StoredRecord | undefined {
    const id = this.#unique.get(uniqueKey(object, field, value));
    return id === undefined ? undefined : this.record(object, id);
  }

  insert(object: ObjectDescription, values: Readonly<Record<string, unknown>>): StoredRecord {
    this.#serial += 1;
    const moment = momentText(this.now());
    const record: StoredRecord = {
      IsDeleted: false,
      CreatedDate: moment,
      LastModifiedDate: moment,
      SystemModstamp: moment,
      ...defaults(this.#fields.get(object.name) ?? [], this.userId),
      ...values,
      Id: recordIdOf(object.keyPrefix, this.#serial),
    };
    nameOf(record, object.name);
    this.#records.get(object.name)?.set(shortId(record.Id), record);
    this.#index(object.name, record);
    return record;
  }

  change(object: string, record: StoredRecord, values: Readonly<Record<string, unknown>>): void {
    this.#unindex(object, record);
    const moment = momentText(this.now());
    Object.assign(record, values, { LastModifiedDate: moment, SystemModstamp: moment });
    nameOf(record, object);
    this.#index(object, record);
  }

  remove(object: string, record: StoredRecord): void {
    this.#unindex(object, record);
    record.IsDeleted = true;
  }

  /** The kind of record that an id belongs to, by its prefix. */
  objectOfId(id: string): ObjectDescription | undefined {
    return standardObjects.find(({ keyPrefix }) => id.startsWith(keyPrefix));
  }

  newId(keyPrefix: string): string {
    this.#serial += 1;
    return recordIdOf(keyPrefix, this.#serial);
  }

  #isGranted(field: string): boolean {
    const sets = this.recordsOf('PermissionSetAssignment')
      .filter(({ AssigneeId }) => shortId(String(AssigneeId)) === shortId(this.userId))
      .map(({ PermissionSetId }) => shortId(String(PermissionSetId)));
    return this.recordsOf('FieldPermissions').some(
      ({ Field, ParentId, PermissionsRead }) =>
        Field === field && PermissionsRead === true && sets.includes(shortId(String(ParentId))),
    );
  }

  #index(object: string, record: StoredRecord): void {
    for (const { name } of this.#uniqueFields(object)) {
      if (record[name] !== null && record[name] !== undefined) {
        this.#unique.set(uniqueKey(object, name, record[name]), record.Id);
      }
    }
  }

  #unindex(object: string, record: StoredRecord): void {
    for (const { name } of this.#uniqueFields(object)) {
      this.#unique.delete(uniqueKey(object, name, record[name]));
    }
  }

  #uniqueFields(object: string): readonly FieldDescription[] {
    return (this.#fields.get(object) ?? []).filter(({ unique }) => unique);
  }
}

function uniqueKey(object: string, field: string, value: unknown): string {
  return `${object}.${field}=${String(value).toLowerCase()}`;
}

function defaults(fields: readonly FieldDescription[], userId: string): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const { name, type, defaultedOnCreate, picklistValues } of fields) {
    if (defaultedOnCreate && type === 'boolean') {
      filled[name] = false;
    } else if (defaultedOnCreate && type === 'picklist') {
      filled[name] = picklistValues[0]?.value ?? null;
    } else if (name === 'OwnerId') {
      filled[name] = userId;
    }
  }
  return filled;
}

/** Salesforce composes the names of people. */
function nameOf(record: StoredRecord, object: string): void {
  if (object === 'Contact' || object === 'Lead') {
    record.Name = [record.FirstName, record.LastName].filter(part => typeof part === 'string').join(' ');
  }
}

/** A time in Salesforce's format, which can be compared as text. */
export function momentText(moment: Date): string {
  return moment.toISOString().replace('Z', '+0000');
}

const suffixLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/**
 * A record id in Salesforce's format: a prefix of three characters identifies the kind of record. The first fifteen
 * characters are case-sensitive; three more encode the case, for programs that ignore it.
 */
function recordIdOf(keyPrefix: string, serial: number): string {
  const short = `${keyPrefix}LB${serial.toString().padStart(10, '0')}`;
  return short + suffixOf(short);
}

export function isRecordId(text: string): boolean {
  return /^(?:[0-9A-Za-z]{15}|[0-9A-Za-z]{18})$/.test(text);
}

/** The first fifteen characters, by which two ids are compared. */
export function shortId(id: string): string {
  return id.slice(0, 15);
}

function suffixOf(short: string): string {
  return [0, 5, 10]
    .map(start => {
      const capitals = [...short.slice(start, start + 5)].map((letter, index) =>
        /[A-Z]/.test(letter) ? 2 ** index : 0,
      );
      return suffixLetters[capitals.reduce((sum, bit) => sum + bit, 0)];
    })
    .join('');
}
