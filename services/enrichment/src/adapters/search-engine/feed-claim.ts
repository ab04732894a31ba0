import { EngineFailure, type SearchEngine } from './open-engine.ts';
import { type EngineNames, feedsIndexBody, peopleIndexBody } from './people-mapping.ts';

/** How far an index follows the store; kept in the engine. */
export interface FeedState {
  /** The version of everything written in this round. */
  readonly round: number;
  /** All changes up to this number are in the index. */
  readonly readUpTo: number;
  /** The last person_no of an unfinished fill; null if the index is filled. */
  readonly filledTo: number | null;
  readonly people: number;
  readonly peopleExpected: number;
  /** When the last round began, in ISO 8601. */
  readonly readAt: string;
}

const emptyState: Omit<FeedState, 'readAt'> = {
  round: 0,
  readUpTo: 0,
  filledTo: 0,
  people: 0,
  peopleExpected: 0,
};

/** Another feed has claimed the index. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

interface StoredState {
  readonly _source: FeedState;
  readonly _seq_no: number;
  readonly _primary_term: number;
}

/**
 * The right to write to an index. A claim begins a new round, and the engine refuses what an earlier claim still writes:
 * the rounds are the versions of documents, and a position is saved only by the last claim.
 */
export class FeedClaim {
  readonly index: string;
  state: FeedState;
  private readonly engine: SearchEngine;
  private readonly path: string;
  private stored: Pick<StoredState, '_seq_no' | '_primary_term'> | undefined;

  private constructor(
    engine: SearchEngine,
    names: EngineNames,
    index: string,
    found: StoredState | undefined,
  ) {
    this.engine = engine;
    this.index = index;
    this.path = `/${names.feeds}/_doc/${index}`;
    this.state = found?._source ?? { ...emptyState, readAt: new Date(0).toISOString() };
    this.stored = found;
  }

  static async of(engine: SearchEngine, names: EngineNames, index: string): Promise<FeedClaim> {
    await createIndex(engine, names.feeds, feedsIndexBody);
    const claim = new FeedClaim(engine, names, index, await readStored(engine, names, index));
    // The claim before may be writing the round after the one that it has saved.
    await claim.save({ round: claim.state.round + 2 });
    return claim;
  }

  async save(changed: Partial<FeedState>): Promise<void> {
    const state = { ...this.state, ...changed };
    const query = this.stored
      ? { if_seq_no: this.stored._seq_no, if_primary_term: this.stored._primary_term }
      : { op_type: 'create' };
    try {
      this.stored = await this.engine.send<StoredState>('PUT', this.path, { query, body: state });
      this.state = state;
    } catch (error) {
      throw isStatus(error, 409) ? new Superseded(`Another feed writes to ${this.index}.`) : error;
    }
  }
}

/** Returns the position of an index's feed; undefined before its first claim. */
export async function readFeedState(
  engine: SearchEngine,
  names: EngineNames,
  index: string,
): Promise<FeedState | undefined> {
  return (await readStored(engine, names, index))?._source;
}

async function readStored(
  engine: SearchEngine,
  names: EngineNames,
  index: string,
): Promise<StoredState | undefined> {
  return engine.send<StoredState>('GET', `/${names.feeds}/_doc/${index}`).catch(orIfStatus(404, undefined));
}

/** Returns the index that is searched; undefined before the first one is filled. */
export async function searchedIndex(
  engine: SearchEngine,
  { alias }: EngineNames,
): Promise<string | undefined> {
  const found = await engine
    .send<Record<string, unknown>>('GET', `/_alias/${alias}`)
    .catch(orIfStatus(404, {}));
  return Object.keys(found)[0];
}

/** Returns the indices of people, whether they are searched or not. */
export async function peopleIndices(engine: SearchEngine, { alias }: EngineNames): Promise<string[]> {
  const found = await engine
    .send<Record<string, unknown>>('GET', `/${alias}-*/_alias`)
    .catch(orIfStatus(404, {}));
  return Object.keys(found).sort();
}

export async function createPeopleIndex(
  engine: SearchEngine,
  { alias }: EngineNames,
  shards: number,
): Promise<string> {
  const index = `${alias}-${Date.now()}`;
  await createIndex(engine, index, peopleIndexBody(index, shards));
  return index;
}

async function createIndex(engine: SearchEngine, index: string, body: object): Promise<void> {
  await engine.send('PUT', `/${index}`, { body }).catch(async error => {
    if (!isStatus(error, 400)) throw error;
    // It exists already.
    await engine.send('GET', `/${index}/_settings`);
  });
}

/** Makes searches use an index, at once, and deletes all others. */
export async function searchOnly(engine: SearchEngine, names: EngineNames, index: string): Promise<void> {
  const { alias } = names;
  const others = (await peopleIndices(engine, names)).filter(each => each !== index);
  const actions = [
    ...others.map(other => ({ remove: { index: other, alias, must_exist: false } })),
    { add: { index, alias } },
  ];
  await engine.send('POST', '/_aliases', { body: { actions } });
  for (const other of others) {
    await deleteIndex(engine, names, other);
  }
}

/** Deletes an index and its position. */
export async function deleteIndex(
  engine: SearchEngine,
  { feeds }: EngineNames,
  index: string,
): Promise<void> {
  await engine.send('DELETE', `/${index}`).catch(orIfStatus(404, undefined));
  await engine.send('DELETE', `/${feeds}/_doc/${index}`).catch(orIfStatus(404, undefined));
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof EngineFailure && error.status === status;
}

function orIfStatus<Value>(status: number, value: Value): (error: unknown) => Value {
  return error => {
    if (isStatus(error, status)) return value;
    throw error;
  };
}
