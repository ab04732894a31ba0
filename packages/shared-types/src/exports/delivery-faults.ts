import { crmRowFaultText } from '../crm/crm-push.ts';

/**
 * The reasons why a row was not delivered, in our own words. The texts contain no part of the row or its destination.
 */
export const deliveryFaults = {
  unreachable: 'The receiver could not be reached, or closed the connection without a response.',
  too_late: 'The receiver did not respond in time.',
  receiver_failed: 'The receiver responded that it cannot accept the row right now.',
  rejected: 'The receiver rejected this row.',
  refused: 'The receiver rejected the request: check the webhook URL and its authentication header.',
  redirected: 'The receiver redirected the request. Redirects are not followed; enter the final URL instead.',
  unexpected_answer: 'The receiver’s response does not confirm that it accepted the row.',
  not_allowed: 'The destination address is not allowed.',
  too_large: 'The row is larger than 100,000 octets.',
} as const;

export type DeliveryFault = keyof typeof deliveryFaults;

/** The text for a row that failed or was skipped. */
export function deliveryFaultText(fault: string): string {
  return fault in deliveryFaults ? deliveryFaults[fault as DeliveryFault] : (crmRowFaultText(fault) ?? fault);
}
