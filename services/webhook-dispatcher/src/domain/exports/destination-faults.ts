import type { DeliveryFault } from '@mailproof/shared-types';

/** What goes wrong with a row because of where it was sent to, and may go well elsewhere. */
export const destinationFaults = [
  'refused',
  'redirected',
  'not_allowed',
  'unexpected_answer',
] as const satisfies readonly DeliveryFault[];
