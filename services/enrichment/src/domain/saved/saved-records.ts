import type {
  AccountId,
  CompanyId,
  CreatorId,
  CrmImportId,
  Department,
  DiscoveryRunId,
  getSavedPerson,
  ListKind,
  OperationResult,
  PeopleImportId,
  PersonId,
  SavedCompany,
  SavedList,
  SavedListId,
  SavedPerson,
  Seniority,
  savedSorts,
} from '@mailproof/shared-types';

/** Filters for saved people. */
export interface SavedFilters {
  readonly text?: string | undefined;
  readonly seniority?: Seniority | undefined;
  readonly department?: Department | undefined;
  readonly company?: string | undefined;
  readonly country?: string | undefined;
  readonly list_id?: SavedListId | undefined;
  readonly run_id?: DiscoveryRunId | undefined;
  readonly import_id?: PeopleImportId | undefined;
}

/** Filters, sort order and position of a page of saved records. */
export interface SavedPageRequest extends SavedFilters {
  readonly sort: (typeof savedSorts)[number];
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface SavedPeople {
  /** Throws `invalid_cursor`. */
  list(
    accountId: AccountId,
    request: SavedPageRequest,
  ): Promise<{
    readonly people: SavedPerson[];
    /** On the first page only. */
    readonly total: number | undefined;
    readonly nextCursor: string | undefined;
  }>;
  /** Returns the ids of saved people who match, at most `limits.savedMatchingMax`, and whether there are more. */
  select(
    accountId: AccountId,
    filters: SavedFilters,
    notOnList?: SavedListId,
  ): Promise<{ readonly ids: readonly PersonId[]; readonly more: boolean }>;
  /** Removes people who match, at most `limits.savedMatchingMax`; those of an active run are kept. */
  removeMatching(
    accountId: AccountId,
    filters: SavedFilters,
  ): Promise<{ readonly removed: number; readonly kept: number; readonly more: boolean }>;
  find(accountId: AccountId, personId: PersonId): Promise<OperationResult<typeof getSavedPerson> | undefined>;
  /** Removes people, also from every list; those of an active run are kept. */
  remove(
    accountId: AccountId,
    personIds: readonly PersonId[],
  ): Promise<{ readonly removed: number; readonly kept: number }>;
}

export interface SavedLists {
  find(accountId: AccountId, listId: SavedListId): Promise<SavedList | undefined>;
  list(
    accountId: AccountId,
    request: {
      readonly kind?: ListKind | undefined;
      readonly tag?: string | undefined;
      readonly text?: string | undefined;
      readonly sort: 'name' | 'created_at';
      readonly cursor?: string | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly lists: SavedList[]; readonly nextCursor: string | undefined }>;
  create(
    accountId: AccountId,
    creatorId: CreatorId,
    list: { readonly kind: ListKind; readonly name: string; readonly tags: readonly string[] },
  ): Promise<SavedList | 'nameTaken' | 'tooMany'>;
  change(
    accountId: AccountId,
    listId: SavedListId,
    change: { readonly name?: string | undefined; readonly tags?: readonly string[] | undefined },
  ): Promise<SavedList | 'nameTaken' | 'gone'>;
  delete(accountId: AccountId, listId: SavedListId): Promise<boolean>;
  /** Returns how many entries were added to or removed from the list; undefined if the account has no such list. */
  addEntries(
    accountId: AccountId,
    listId: SavedListId,
    ids: readonly (PersonId | CompanyId)[],
  ): Promise<number | undefined>;
  removeEntries(
    accountId: AccountId,
    listId: SavedListId,
    ids: readonly (PersonId | CompanyId)[],
  ): Promise<number | undefined>;
  /**
   * Adds all distinct domains, or none if the list has no room. Returns how many were added; undefined if the account
   * has no such list. Domains that an earlier call for the same CRM import has added count as added.
   */
  addDomains(
    accountId: AccountId,
    listId: SavedListId,
    domains: readonly string[],
    importId?: CrmImportId,
  ): Promise<number | 'ofPeople' | 'full' | undefined>;
  removeDomains(accountId: AccountId, listId: SavedListId, domains: readonly string[]): Promise<number>;
  /** Throws `invalid_cursor`. The list must be the account's. */
  listDomains(
    listId: SavedListId,
    request: {
      readonly text?: string | undefined;
      readonly cursor?: string | undefined;
      readonly limit: number;
    },
  ): Promise<{
    readonly domains: string[];
    /** On the first page only. */
    readonly total: number | undefined;
    readonly nextCursor: string | undefined;
  }>;
  /**
   * Returns the ids of paid companies that match, at most `limits.savedMatchingMax`, and whether there are more. Filters
   * of people are ignored.
   */
  selectCompanies(
    accountId: AccountId,
    filters: SavedFilters,
    notOnList?: SavedListId,
  ): Promise<{ readonly ids: readonly CompanyId[]; readonly more: boolean }>;
  /** The companies that the account has paid for. Throws `invalid_cursor`. */
  listCompanies(
    accountId: AccountId,
    request: SavedPageRequest,
  ): Promise<{
    readonly companies: SavedCompany[];
    /** On the first page only. */
    readonly total: number | undefined;
    readonly nextCursor: string | undefined;
  }>;
}
