import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { outcomeSourceId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { newOutcomeSource, outcomeSource, outcomeSourceChange } from '../../outcome-sources.ts';
import { memberOrKey, ownerOrKey } from './view-parts.ts';

const path = '/app/v1/outcome-sources';
const common = { tag: 'Outcomes', answeredBy: 'webhook-dispatcher' } as const;
const sourceParams = z.strictObject({ source_id: outcomeSourceId });
const overlapHours = limits.outcomeSourceOverlapMs / 3_600_000;

/** A source with its new URL. */
const withUrl = outcomeSource
  .extend({
    url: z
      .string()
      .describe('Enter it at the provider. Its last part is a secret, and it is shown only now.'),
  })
  .meta({ id: 'OutcomeSourceWithUrl' });

/** Creates a source. */
export const createOutcomeSource = defineOperation({
  ...common,
  id: 'create-outcome-source',
  method: 'post',
  path,
  summary: 'Create an outcome source',
  description: `A mail provider then reports automatically which mail was delivered and which bounced, to the URL in the response, which is not shown again. An account has at most ${limits.outcomeSourcesMax} sources. Free.`,
  access: ownerOrKey('account.write'),
  sandbox: true,
  body: newOutcomeSource,
  bodyExample: {
    provider: 'amazon_ses',
    verification_key: 'arn:aws:sns:eu-west-1:123456789012:bounces',
  },
  success: { status: 201, description: 'The source with its URL.', schema: withUrl },
  repeatable: false,
  problems: ['too_many_outcome_sources'],
});

/** Lists the account’s sources. */
export const listOutcomeSources = defineOperation({
  ...common,
  id: 'list-outcome-sources',
  method: 'get',
  path,
  summary: 'List outcome sources',
  description: 'The sources of the account, newest first, with what they have reported.',
  access: memberOrKey('account.read'),
  sandbox: true,
  success: {
    status: 200,
    description: 'The sources.',
    schema: z
      .object({ sources: z.array(outcomeSource).max(limits.outcomeSourcesMax) })
      .meta({ id: 'OutcomeSources' }),
  },
  repeatable: true,
  problems: [],
});

/** Gets a source. */
export const getOutcomeSource = defineOperation({
  ...common,
  id: 'get-outcome-source',
  method: 'get',
  path: `${path}/:source_id`,
  summary: 'Get an outcome source',
  description: 'The source, with what it has reported, and what was ignored and refused, with the reasons.',
  access: memberOrKey('account.read'),
  sandbox: true,
  params: sourceParams,
  success: { status: 200, description: 'The source.', schema: outcomeSource },
  repeatable: true,
  problems: ['outcome_source_not_found'],
});

/** Changes a source. */
export const changeOutcomeSource = defineOperation({
  ...common,
  id: 'change-outcome-source',
  method: 'put',
  path: `${path}/:source_id`,
  summary: 'Change an outcome source',
  description: 'Changes the members that the request contains. The URL stays the same.',
  access: ownerOrKey('account.write'),
  sandbox: true,
  params: sourceParams,
  body: outcomeSourceChange,
  success: { status: 200, description: 'The source.', schema: outcomeSource },
  repeatable: true,
  problems: ['outcome_source_not_found'],
});

/** Replaces the URL of a source. */
export const replaceOutcomeSourceUrl = defineOperation({
  ...common,
  id: 'replace-outcome-source-url',
  method: 'post',
  path: `${path}/:source_id/url`,
  summary: 'Replace the URL of an outcome source',
  description: `Returns a new URL, which is not shown again. For ${overlapHours} hours, the previous one works too, so that you can change it at the provider without missing any event. If a URL has leaked, replace it twice: the second replacement drops it at once.`,
  access: ownerOrKey('account.write'),
  sandbox: true,
  params: sourceParams,
  success: { status: 200, description: 'The source with its new URL.', schema: withUrl },
  repeatable: false,
  problems: ['outcome_source_not_found'],
});

/** Deletes a source. */
export const deleteOutcomeSource = defineOperation({
  ...common,
  id: 'delete-outcome-source',
  method: 'delete',
  path: `${path}/:source_id`,
  summary: 'Delete an outcome source',
  description: 'Its URL stops working at once. What it has reported stays recorded.',
  access: ownerOrKey('account.write'),
  sandbox: true,
  params: sourceParams,
  success: {
    status: 200,
    description: 'The source is deleted.',
    schema: z.object({ deleted: z.literal(true) }),
  },
  repeatable: true,
  problems: ['outcome_source_not_found'],
});
