import { crmRowFaultText } from '../crm/crm-push.ts';

/** What went wrong with a row that could not be delivered, in our own words: never a part of it, nor where it was sent. */
export const deliveryFaults = {
  unreachable: 'The receiver could not be reached, or closed the connection without an answer.',
  too_late: 'The receiver did not answer in time.',
  receiver_failed: 'The receiver answered that it cannot take the row for now.',
  rejected: 'The receiver does not take this row.',
  refused: 'The receiver refuses us: the address or its authentication header is wrong.',
  redirected: 'The receiver names another address. Redirects are not followed; give the other address.',
  unexpected_answer: 'The receiver answered something that its kind does not answer to a row that it took.',
  not_allowed: 'The address is none that may be contacted.',
  too_large: 'The row is larger than 100,000 octets.',
} as const;

export type DeliveryFault = keyof typeof deliveryFaults;

/** What went wrong with a row, or what there is to know of one that was skipped, in words. */
export function deliveryFaultText(fault: string): string {
  return fault in deliveryFaults ? deliveryFaults[fault as DeliveryFault] : (crmRowFaultText(fault) ?? fault);
}
