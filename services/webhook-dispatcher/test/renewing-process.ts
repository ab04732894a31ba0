import { setTimeout as wait } from 'node:timers/promises';
import { createAddressGuard, createOutside, createSealer } from '@mailproof/service-kit';
import { type CrmConnectionId, crmConnectionId } from '@mailproof/shared-types';
import pg from 'pg';
import { createGuardedFetch } from '../src/adapters/oauth/guarded-fetch.ts';
import { createCrmTokenStore, sealedCrmTokensType } from '../src/adapters/postgres/crm-token-store.ts';
import { createSalesforceOAuth } from '../src/adapters/salesforce/salesforce-oauth.ts';
import { createAccessSources } from '../src/domain/crm/connections/access-source.ts';

// A separate process that renews the access of one connection, for tests that kill it during the renewal.
const { DATABASE_URL = '', LOGIN_URL = '', CONNECTION_ID = '', REDIRECT_URI = '', KEY = '' } = process.env;
const connectionId: CrmConnectionId = crmConnectionId.parse(CONNECTION_ID);
const outside = createOutside({
  guard: createAddressGuard(['127.0.0.1/32'], { admitsPublic: false }),
  allowsHttp: true,
});
const pool = new pg.Pool({ connectionString: DATABASE_URL, options: '-c search_path=dispatcher' });
const sealer = createSealer(
  [{ kid: 'k1', key: new Uint8Array(Buffer.from(KEY, 'base64')) }],
  sealedCrmTokensType,
);
const app = { clientId: 'lab-client', clientSecret: 'lab-secret', redirectUri: REDIRECT_URI };
const sources = createAccessSources({
  oauths: {
    salesforce: createSalesforceOAuth(
      { ...app, loginUrl: LOGIN_URL },
      createGuardedFetch({ https: outside, http: outside }, 'Mailproof/1.0'),
      () => new Date(),
    ),
  },
  tokens: createCrmTokenStore(pool, sealer),
  events: {
    crmAccessRenewed: () => undefined,
    crmAccessLost: () => undefined,
    crmAppRefused: () => undefined,
  },
  now: () => new Date(),
  wait: ms => wait(ms),
});
const source = sources.of(connectionId);
const signal = AbortSignal.timeout(60_000);
const access = await source.current(signal);
await source.renewed(access, signal);
await pool.end();
await outside.close();
process.send?.('renewed');
process.disconnect();
