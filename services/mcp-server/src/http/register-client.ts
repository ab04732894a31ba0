import type { IncomingMessage, ServerResponse } from 'node:http';
import { assertText, Problem, parseJson } from '@mailproof/service-kit';
import type { RequestHandler } from 'express';
import express from 'express';
import { judgeRegistration } from '../domain/oauth/registration.ts';
import { withBody } from './with-body.ts';

/** Octets of a registration. */
const bodyBytesMax = 16_384;

export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Registers a client (RFC 7591): makes of what it asks for what it gets, and hands that to the library. */
export function registerClient(handle: HandleRequest): RequestHandler[] {
  const read = express.raw({ limit: bodyBytesMax, type: () => true });
  return [
    (request, response, next) => {
      read(request, response, error => {
        if (error === undefined) {
          next();
          return;
        }
        const isTooLarge = (error as { status?: number }).status === 413;
        response.status(isTooLarge ? 413 : 400).json({
          error: 'invalid_client_metadata',
          error_description: isTooLarge
            ? `The body must be at most ${bodyBytesMax} octets.`
            : 'The body could not be read.',
        });
      });
    },
    async (request, response) => {
      const judgement = judge(request.body);
      if (judgement.kind === 'refused') {
        const { error, description } = judgement;
        response.status(400).json({ error, error_description: description });
        return;
      }
      const octets = Buffer.from(JSON.stringify(judgement.registration));
      await handle(withBody(request, { type: 'application/json', octets }), response);
    },
  ];
}

function judge(octets: unknown): ReturnType<typeof judgeRegistration> {
  try {
    const asked = octets instanceof Uint8Array ? parseJson(octets) : undefined;
    assertText(asked);
    return judgeRegistration(asked);
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error;
    }
    return error.code === 'invalid_request'
      ? { kind: 'refused', error: 'invalid_client_metadata', description: error.message }
      : judgeRegistration(undefined);
  }
}
