import type { disconnectUserAssistantsJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AssistantsPort } from '../domain/assistants/connected-assistants.ts';

/** Ends what a user had connected until a moment. */
export function disconnectUserAssistantsHandler({ disconnectUser }: Pick<AssistantsPort, 'disconnectUser'>) {
  return (payload: z.output<typeof disconnectUserAssistantsJob.payload>): Promise<void> =>
    disconnectUser(payload);
}
