import { formOf, Problem } from '@mailproof/service-kit';
import { oauthScopeNames } from '@mailproof/shared-types';
import type { RequestHandler, Response } from 'express';
import express from 'express';
import type { HandleRequest } from './register-client.ts';
import { withBody } from './with-body.ts';

/** Octets of a form, as the library takes them. */
const bodyBytesMax = 57_344;

const formType = 'application/x-www-form-urlencoded';

/**
 * Hands a form for tokens to the library, less what means nothing here. Generic OAuth clients say such things out of habit,
 * and would be kept out, or lose their connection at the first refresh, for nothing:
 *
 * - scopes that are none of ours in a refresh. They were left out when they were asked for, too;
 * - an empty secret in `Authorization: Basic`. It proves no more than `client_id` in the body (RFC 6749 section 2.3.1).
 */
export function handleTokenRequest(handle: HandleRequest): RequestHandler[] {
  const readOctets = express.raw({ limit: bodyBytesMax, type: formType });
  return [
    (request, response, next) => {
      readOctets(request, response, error => {
        if (error === undefined) {
          next();
          return;
        }
        refuse(response, 'failed to parse the request body');
      });
    },
    async (request, response) => {
      const octets: unknown = request.body;
      if (!Buffer.isBuffer(octets)) {
        await handle(request, response);
        return;
      }
      const form = read(octets);
      if (form instanceof Problem) {
        refuse(response, form.message);
        return;
      }
      const isReduced = reduceScope(form);
      const isNamed = nameClient(form, request.get('authorization'));
      await handle(
        withBody(
          request,
          {
            type: request.get('content-type') ?? formType,
            octets: isReduced || isNamed ? Buffer.from(form.toString()) : octets,
          },
          isNamed ? ['authorization'] : [],
        ),
        response,
      );
    },
  ];
}

function refuse(response: Response, description: string): void {
  response.status(400).json({ error: 'invalid_request', error_description: description });
}

function read(octets: Buffer): URLSearchParams | Problem {
  try {
    return formOf(octets);
  } catch (error) {
    if (error instanceof Problem) {
      return error;
    }
    throw error;
  }
}

/** Leaves our own scopes in a refresh, and no parameter where there are none, which means all that were granted. */
function reduceScope(form: URLSearchParams): boolean {
  const [scope, ...others] = form.getAll('scope');
  if (form.get('grant_type') !== 'refresh_token' || scope === undefined || others.length > 0) {
    return false;
  }
  const known = scope.split(' ').filter(name => (oauthScopeNames as readonly string[]).includes(name));
  if (known.length > 0) {
    form.set('scope', known.join(' '));
  } else {
    form.delete('scope');
  }
  return true;
}

/** Writes the client's id into the form where the header gives it with an empty secret. */
function nameClient(form: URLSearchParams, authorization: string | undefined): boolean {
  const credentials = /^basic +([\w+/-]+=*)$/i.exec(authorization ?? '')?.[1];
  const encodedId = /^([^:]+):$/.exec(Buffer.from(credentials ?? '', 'base64').toString())?.[1];
  if (encodedId === undefined) {
    return false;
  }
  // Both parts are encoded as in a form before they are joined.
  const clientId = new URLSearchParams(`id=${encodedId}`).get('id') ?? '';
  if (form.getAll('client_id').some(given => given !== clientId)) {
    return false;
  }
  form.set('client_id', clientId);
  return true;
}
