/** The value of a field; null and the empty list are blank. */
export type FieldValue = string | number | readonly string[] | null;

/** Values by field name. */
export type Fields = Readonly<Record<string, FieldValue>>;

/** The precedence of a load: a later date wins, and on the same date the later load. */
export interface LoadOrder {
  readonly sourceId: number;
  /** `YYYY-MM-DD`. */
  readonly retrievedOn: string;
  /**
   * Whether a later value of the same load replaces an earlier one: true unless it is a file. In a file, the first row
   * with a value wins.
   */
  readonly replacesItself: boolean;
}

/** A stored record, with the load that each field comes from. */
export interface KeptRecord {
  readonly fields: Fields;
  readonly sourceOf: (field: string) => LoadOrder;
}

interface Overwritten {
  readonly field: string;
  readonly value: FieldValue;
  readonly sourceId: number;
}

export interface Merged {
  readonly fields: Record<string, FieldValue>;
  /** The source of each field that is not blank. */
  readonly sources: Record<string, number>;
  /** The previous values that were replaced. */
  readonly overwritten: readonly Overwritten[];
  /** Whether any field has a new value. */
  readonly isChanged: boolean;
  /** Whether a newer load confirms a value and becomes its source. */
  readonly isConfirmed: boolean;
}

/**
 * Fields that have meaning only together with a leading field. A city goes with its country: a source with another
 * country removes the city even if it has no city itself.
 */
export type Dependents = Readonly<Record<string, readonly string[]>>;

/**
 * Merges a load into the stored record, field by field: a blank never overwrites, the newer source wins, and repeating
 * the same source has no effect. So loading a file again changes nothing, even if the first load was interrupted (ADR
 * 0031).
 */
export function merge(kept: KeptRecord, said: Fields, load: LoadOrder, dependents: Dependents): Merged {
  const fields: Record<string, FieldValue> = { ...kept.fields };
  const sources: Record<string, number> = {};
  const overwritten: Overwritten[] = [];
  let isChanged = false;
  let isConfirmed = false;
  const led = new Map(
    Object.entries(dependents).flatMap(([leader, followers]) =>
      followers.map(follower => [follower, leader] as const),
    ),
  );

  function put(field: string, value: FieldValue): void {
    const old = kept.fields[field] ?? null;
    if (!isBlank(old)) {
      overwritten.push({ field, value: old, sourceId: kept.sourceOf(field).sourceId });
    }
    fields[field] = value;
    isChanged = true;
  }

  for (const field of Object.keys(kept.fields)) {
    const leader = led.get(field);
    const standing = leader === undefined ? 'open' : standingOf(kept, said, load, leader);
    const old = kept.fields[field] ?? null;
    const value = said[field] ?? null;
    let from = isBlank(old) ? load : kept.sourceOf(field);
    if (standing === 'replaced') {
      if (!isSame(old, value)) {
        put(field, value);
      }
      from = load;
    } else if (standing === 'open' && !isBlank(value)) {
      const isNewer = isLater(load, from);
      if (!isSame(old, value)) {
        if (isBlank(old) || isNewer || (load.replacesItself && load.sourceId === from.sourceId)) {
          put(field, value);
          from = load;
        }
      } else if (isNewer) {
        from = load;
        isConfirmed = true;
      }
    }
    if (!isBlank(fields[field] ?? null)) {
      sources[field] = from.sourceId;
    }
  }
  return { fields, sources, overwritten, isChanged, isConfirmed };
}

/**
 * The state of the fields that `leader` leads: `replaced` together with it, `closed` to a load that has another value
 * or none for the leader, and otherwise `open` like any field.
 */
function standingOf(
  kept: KeptRecord,
  said: Fields,
  load: LoadOrder,
  leader: string,
): 'replaced' | 'closed' | 'open' {
  const old = kept.fields[leader] ?? null;
  const value = said[leader] ?? null;
  if (isBlank(old) || isSame(old, value)) {
    return 'open';
  }
  if (isBlank(value)) {
    return 'closed';
  }
  const from = kept.sourceOf(leader);
  const wins = isLater(load, from) || (load.replacesItself && load.sourceId === from.sourceId);
  return wins ? 'replaced' : 'closed';
}

function isLater(load: LoadOrder, than: LoadOrder): boolean {
  return load.retrievedOn === than.retrievedOn
    ? load.sourceId > than.sourceId
    : load.retrievedOn > than.retrievedOn;
}

export function isBlank(value: FieldValue): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function isSame(one: FieldValue, other: FieldValue): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => item === other[index]);
  }
  return one === other || (isBlank(one) && isBlank(other));
}
