import { networkOf } from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import type { Request } from 'express';
import type { Client } from '../../domain/accounts/signed-in.ts';

/** Where a request comes from, as far as it is kept. */
export function clientOf(request: Request): Client {
  return clientFrom(request.ip, request.get('user-agent'));
}

/** The same for somebody whose browser talks to one of our other services. */
export function clientFrom(address: string | undefined, userAgent = ''): Client {
  return {
    network: networkOf(address),
    userAgent: userAgent.replace(/[^\x20-\x7e]/g, '?').slice(0, limits.userAgentCharactersMax),
  };
}
