import { networkOf } from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import type { Request } from 'express';
import type { Client } from '../../domain/accounts/signed-in.ts';

/** Where a request comes from, as far as it is kept. */
export function clientOf(request: Request): Client {
  const userAgent = (request.get('user-agent') ?? '').replace(/[^\x20-\x7e]/g, '?');
  return {
    network: networkOf(request.ip),
    userAgent: userAgent.slice(0, limits.userAgentCharactersMax),
  };
}
