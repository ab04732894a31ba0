import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { domainName } from '../../email-address/domain-name-schema.ts';
import type { AccountId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { namePatterns } from '../../local-parts/name-patterns.ts';

const nameMatch = z.object({
  pattern: z.enum(namePatterns),
  people: z.enum(['one', 'several']).describe('How many people at the domain fit by this pattern.'),
  ageDays: z
    .int()
    .nonnegative()
    .describe('How long ago a source said that they work there, rounded up to 30 days.'),
});

/** How a local part fits the people who are known to work at a domain; it names none of them. */
export const knownPeopleMatch = z.object({
  current: z.array(nameMatch).describe('People who work there; empty if none fits.'),
  hasLeft: z.boolean().describe('Whether it fits only people who worked there before.'),
  restsOnOwnPeople: z
    .literal(true)
    .optional()
    .describe(
      'Set if the match would be another one without the people whom the account has imported. It is for this account alone.',
    ),
});

export type KnownPeopleMatch = z.output<typeof knownPeopleMatch>;

/**
 * The request header that names the account that asks, whose own people count too. It is not in the body, because a
 * service of the previous release refuses members that it does not know.
 */
export const ownPeopleHeader = 'x-mailproof-own-people-of';

export function ownPeopleHeaders(accountId: AccountId | undefined): Readonly<Record<string, string>> {
  return accountId === undefined ? {} : { [ownPeopleHeader]: accountId };
}

/** Tells local parts that a known person's name makes from others (ADR 0072). */
export const matchKnownPeople = defineOperation({
  id: 'match-known-people',
  method: 'post',
  path: '/internal/v1/known-people/matches',
  summary: 'Match local parts with known people',
  description: `Says for each local part whether a person who works at the company with this domain has a name that makes it. The header \`${ownPeopleHeader}\` names an account whose own people count too. The response contains no names and no ids.`,
  answeredBy: 'enrichment',
  access: { kind: 'service', callers: ['validation-engine'] },
  body: z.strictObject({
    domain: domainName,
    localParts: z.array(z.string().min(1).max(64)).min(1).max(limits.knownPeoplePerMatchMax),
  }),
  bodyBytesMax: limits.knownPeopleBodyBytesMax,
  success: {
    status: 200,
    description: 'A match for each local part, in their order.',
    schema: z.object({
      knownPeople: z
        .int()
        .nonnegative()
        .max(limits.knownPeopleCountedMax)
        .describe('How many people of the store are known to work there, counted up to a limit.'),
      matches: z.array(knownPeopleMatch),
    }),
  },
  repeatable: true,
  problems: [],
});
