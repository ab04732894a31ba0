import type { disconnectUserAssistantsJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AssistantsPort } from '../domain/assistants/connected-assistants.ts';

/** Disconnects everything that a user connected up to a given time. */
export function disconnectUserAssistantsHandler({ disconnectUser }: Pick<AssistantsPort, 'disconnectUser'>) {
  return (payload: z.output<typeof disconnectUserAssistantsJob.payload>): Promise<void> =>
    disconnectUser(payload);
}
