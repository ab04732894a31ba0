/** What a field can say; null and the empty list are blanks. */
export type FieldValue = string | number | readonly string[] | null;

/** Field name to value. */
export type Fields = Readonly<Record<string, FieldValue>>;

/** A load as it counts against others: a later date wins, and of one date what was loaded later. */
export interface LoadOrder {
  readonly sourceId: number;
  /** `YYYY-MM-DD`. */
  readonly retrievedOn: string;
  /** Whether what the same load says later counts: true where it is no file. In a file, the first row that says it does. */
  readonly replacesItself: boolean;
}

/** A record as it is kept, with the load that each field comes from. */
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
  /** Of each field that is not blank. */
  readonly sources: Record<string, number>;
  /** What was there before and is not any more. */
  readonly overwritten: readonly Overwritten[];
  /** Whether a field says something else now. */
  readonly isChanged: boolean;
  /** Whether a newer load says the same, so that the field comes from it now. */
  readonly isConfirmed: boolean;
}

/**
 * Fields that say something only together with the one that leads them. A city goes with its country, so a source that
 * names another country takes the city away even when it names none.
 */
export type Dependents = Readonly<Record<string, readonly string[]>>;

/**
 * Merges what a load says into what is kept, field by field: a blank never overwrites, the newer source wins, and the
 * same source says the same thing twice without effect. So a file that is loaded again changes nothing, wherever it was
 * broken off (ADR 0031).
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
 * What becomes of the fields that `leader` leads: they are `replaced` with it, `closed` to a load that speaks of
 * something else or does not say of what, and otherwise `open` like any field.
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
    return one.length === other.length && one.every((item, place) => item === other[place]);
  }
  return one === other || (isBlank(one) && isBlank(other));
}
