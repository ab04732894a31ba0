import type { sendMailJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { type SendMailPorts, sendMail } from '../domain/users/send-mail.ts';

/** Sends a queued mail; a rerun sends it again unless the mail host has already accepted it. */
export function sendMailHandler(ports: SendMailPorts) {
  return ({ mailId }: z.output<typeof sendMailJob.payload>): Promise<void> => sendMail(ports, mailId);
}
