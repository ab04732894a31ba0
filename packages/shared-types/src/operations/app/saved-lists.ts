import { z } from 'zod';
import { savedPerson } from '../../discovery/person-record.ts';
import { savedCompany } from '../../discovery/saved-company.ts';
import { companyId, personId, savedListId, userId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { discoveryName, oneLineText, pageOf } from './discovery-parts.ts';
import { savedPeopleQuery } from './saved-people.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOnly, moment, nextCursorField } from './view-parts.ts';

const tag = 'Lists';

export const listKinds = ['people', 'companies'] as const;

export type ListKind = (typeof listKinds)[number];

const tags = z
  .array(oneLineText(limits.listTagCharactersMax))
  .max(limits.listTagsMax)
  .refine(words => new Set(words).size === words.length, 'must not name a tag twice');

/** A list of saved people or companies. */
export const savedList = z
  .object({
    list_id: savedListId,
    kind: z.enum(listKinds).describe('What it is of; it cannot be changed.'),
    name: z.string(),
    tags: z.array(z.string()).describe('Words by which lists are found.'),
    entries: z.int().nonnegative().describe('How many records are in it.'),
    created_by: userId,
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'SavedList' });

export type SavedList = z.output<typeof savedList>;

const listParams = z.strictObject({ list_id: savedListId });
const answersList = { status: 200, description: 'The list.', schema: savedList } as const;

/** Makes a list. */
export const createSavedList = defineOperation({
  id: 'create-saved-list',
  method: 'post',
  path: '/app/v1/saved-lists',
  summary: 'Create a list',
  tag,
  description: 'Lists of one kind have names of their own each.',
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({ kind: z.enum(listKinds), name: discoveryName, tags: tags.default([]) })
    .meta({ id: 'NewSavedList' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 201, description: 'The list.', schema: savedList },
  repeatable: false,
  problems: ['list_name_taken', 'too_many_lists'],
});

/** The lists of the account. */
export const listSavedLists = defineOperation({
  id: 'list-saved-lists',
  method: 'get',
  path: '/app/v1/saved-lists',
  summary: 'Lists',
  tag,
  description: 'The lists of the account, page by page.',
  access: memberOnly,
  params: noParams,
  query: z.strictObject({
    ...pageOf,
    kind: z.enum(listKinds).optional(),
    tag: oneLineText(limits.listTagCharactersMax).optional().describe('With this tag alone.'),
    text: oneLineText(limits.discoveryNameCharactersMax).optional().describe('Part of the name.'),
    sort: z.enum(['name', 'created_at']).default('name').describe('`created_at`: the newest first.'),
  }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'A page of lists.',
    schema: z.object({ lists: z.array(savedList), next_cursor: nextCursorField }).meta({ id: 'SavedLists' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Names and marks a list. */
export const changeSavedList = defineOperation({
  id: 'change-saved-list',
  method: 'put',
  path: '/app/v1/saved-lists/:list_id',
  summary: 'Rename or tag a list',
  tag,
  description: 'What is left out stays as it is; tags are replaced as a whole.',
  access: memberOnly,
  params: listParams,
  query: noQuery,
  body: z
    .strictObject({ name: discoveryName.optional(), tags: tags.optional() })
    .meta({ id: 'SavedListChange' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: answersList,
  repeatable: true,
  problems: ['saved_list_not_found', 'list_name_taken'],
});

/** Deletes a list; what was in it stays saved. */
export const deleteSavedList = defineOperation({
  id: 'delete-saved-list',
  method: 'delete',
  path: '/app/v1/saved-lists/:list_id',
  summary: 'Delete a list',
  tag,
  description: 'The records in it stay saved.',
  access: memberOnly,
  params: listParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'It is gone.', schema: doneAnswer },
  repeatable: false,
  problems: ['saved_list_not_found'],
});

const entryIds = z
  .array(z.union([personId, companyId]))
  .min(1)
  .max(limits.savedIdsPerRequestMax);

/** Puts saved records into a list. */
export const addListEntries = defineOperation({
  id: 'add-list-entries',
  method: 'post',
  path: '/app/v1/saved-lists/:list_id/entries',
  summary: 'Add to a list',
  tag,
  description:
    'Adds people whom the account has saved, or companies that it has paid for, by the kind of the list. What is in the list already, or not the account’s, is passed over.',
  access: memberOnly,
  params: listParams,
  query: noQuery,
  body: z.strictObject({ ids: entryIds.describe('Of people or of companies.') }).meta({ id: 'ListAddition' }),
  bodyBytesMax: 65_536,
  success: {
    status: 200,
    description: 'They are in the list.',
    schema: z.object({ added: z.int().nonnegative().describe('Records that were not in it before.') }),
  },
  repeatable: true,
  problems: ['saved_list_not_found'],
});

/** Takes records out of a list. */
export const removeListEntries = defineOperation({
  id: 'remove-list-entries',
  method: 'post',
  path: '/app/v1/saved-lists/:list_id/entries/removals',
  summary: 'Remove from a list',
  tag,
  description: 'They stay saved.',
  access: memberOnly,
  params: listParams,
  query: noQuery,
  body: z.strictObject({ ids: entryIds }).meta({ id: 'ListRemoval' }),
  bodyBytesMax: 65_536,
  success: {
    status: 200,
    description: 'They are out of the list.',
    schema: z.object({ removed: z.int().nonnegative().describe('Records that were in it before.') }),
  },
  repeatable: true,
  problems: ['saved_list_not_found'],
});

/** What is in a list. */
export const listListEntries = defineOperation({
  id: 'list-list-entries',
  method: 'get',
  path: '/app/v1/saved-lists/:list_id/entries',
  summary: 'Entries of a list',
  tag,
  description:
    'The records of a list with all their fields, filtered and sorted. Of companies, `text` is part of the name, the domain or the description; `seniority` and `department` are for people alone.',
  access: memberOnly,
  params: listParams,
  query: z.strictObject({ ...pageOf, ...savedPeopleQuery }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'A page of records.',
    schema: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('people'), people: z.array(savedPerson), next_cursor: nextCursorField }),
        z.object({
          kind: z.literal('companies'),
          companies: z.array(savedCompany),
          next_cursor: nextCursorField,
        }),
      ])
      .meta({ id: 'ListEntries' }),
  },
  repeatable: true,
  problems: ['saved_list_not_found', 'invalid_cursor'],
});
