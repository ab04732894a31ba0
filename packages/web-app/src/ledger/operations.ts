import type { Schema } from '../api/client.ts';
import type { StateLook } from '../design/looks.ts';

/** The display names of the operations that move credits. */
const names: Readonly<Record<string, string>> = {
  'check-address': 'Single checks',
  'validate-single-email': 'API validations',
  'start-validation-job': 'List validations',
  'profile-enrichment': 'API profile lookups',
  'begin-people-search': 'People previews',
  'change-people-search': 'People previews, changed filters',
  'start-discovery-run': 'Saved people',
  'begin-company-search': 'Company previews',
  'change-company-search': 'Company previews, changed filters',
  'start-company-run': 'Saved companies',
  'start-lookalike-run': 'Lookalike companies',
  'open-billing-cycle': 'Credits of the billing cycle',
  'operator-grant': 'Credits granted',
  'operator-top-up': 'Credits purchased',
  'delete-account': 'Account deletion',
};

/** Returns the display name of an operation, or its id if the operation is newer than this page. */
export function operationName(operation: string): string {
  return Object.hasOwn(names, operation) ? (names[operation] ?? operation) : operation.replaceAll('-', ' ');
}

/** The color of an operation, the same in all charts; colors of results are not used. */
export function operationColor(operation: string): string {
  return colors[operation] ?? 'var(--neutral)';
}

const colors: Readonly<Record<string, string>> = {
  'check-address': 'var(--series-1)',
  'validate-single-email': 'var(--series-2)',
  'start-validation-job': 'var(--series-3)',
  'start-discovery-run': 'var(--series-4)',
  'start-lookalike-run': 'var(--series-5)',
  'start-company-run': 'var(--series-6)',
  'begin-people-search': 'var(--line-strong)',
  'change-people-search': 'var(--line-strong)',
  'begin-company-search': 'var(--line-strong)',
  'change-company-search': 'var(--line-strong)',
};

type ReceiptState = Schema['Receipt']['state'];

interface StateWords extends StateLook {
  readonly sentence: string;
}

/** The display names and explanations of the states of a receipt. */
export const receiptStates = {
  pending: {
    name: 'In progress',
    tone: 'neutral',
    sentence: 'The credits are reserved. Unused credits are returned when the work ends.',
  },
  settled: {
    name: 'Completed',
    tone: 'good',
    sentence: 'Delivered work was charged; the remaining credits were returned.',
  },
  released: {
    name: 'Returned',
    tone: 'neutral',
    sentence: 'Nothing billable was delivered, so all credits were returned.',
  },
  expired: {
    name: 'Expired',
    tone: 'caution',
    sentence: 'The work did not finish in time. All credits were returned and nothing was charged.',
  },
} as const satisfies Readonly<Record<ReceiptState, StateWords>>;
