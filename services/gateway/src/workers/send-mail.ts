import type { sendMailJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { type SendMailPorts, sendMail } from '../domain/users/send-mail.ts';

/** Sends a queued mail; run again, it sends it again unless it has been handed over. */
export function sendMailHandler(ports: SendMailPorts) {
  return ({ mailId }: z.output<typeof sendMailJob.payload>): Promise<void> => sendMail(ports, mailId);
}
