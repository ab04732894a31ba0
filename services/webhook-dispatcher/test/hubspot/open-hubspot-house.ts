import { type HubSpotOptions, type HubSpotSimulator, openHubSpot } from '@mailproof/crm-lab';
import { createAddressGuard, createOutside } from '@mailproof/service-kit';
import { type HubSpotCrmOptions, openHubSpotCrm } from '../../src/adapters/hubspot/open-hubspot-crm.ts';
import { type Crm, type CrmAccess, type CrmAccessSource, CrmFault } from '../../src/domain/crm/crm.ts';

/** HubSpot’s own client and our adapter in front of the simulator, over loopback. */
export interface HubSpotHouse {
  readonly lab: HubSpotSimulator;
  readonly crm: Crm;
  readonly access: CountedAccess;
  readonly outside: HubSpotCrmOptions['outside'];
  /** Opens another adapter, for example with another deadline or address. */
  open(options?: Partial<HubSpotCrmOptions>, access?: CrmAccessSource): Crm;
  close(): Promise<void>;
}

export interface CountedAccess extends CrmAccessSource {
  renewals: number;
  /** Whether renewing works. */
  isRevoked: boolean;
}

/** Practically unlimited searches, since the tests of the pace use a separate clock. */
const quick = { userAgent: 'Mailproof/1.0', searchesPerSecondMax: 10_000 };

export async function openHubSpotHouse(
  options: HubSpotOptions = {},
  ranges = ['127.0.0.0/8'],
): Promise<HubSpotHouse> {
  const lab = await openHubSpot(options);
  const outside = {
    https: createOutside({ guard: createAddressGuard(ranges), allowsHttp: false }),
    http: createOutside({ guard: createAddressGuard(ranges, { admitsPublic: false }), allowsHttp: true }),
  };
  const access = accessTo(lab);
  const open: HubSpotHouse['open'] = (more = {}, source = access) =>
    openHubSpotCrm({ ...quick, outside, ...more })(source);
  return {
    lab,
    access,
    outside,
    crm: open(),
    open,
    async close() {
      await Promise.all([outside.https.close(), outside.http.close()]);
      await lab.close();
    },
  };
}

function accessTo(lab: HubSpotSimulator): CountedAccess {
  let current: CrmAccess = { accessToken: lab.oauth.grant().accessToken, apiBaseUrl: lab.baseUrl };
  return {
    renewals: 0,
    isRevoked: false,
    async current() {
      return current;
    },
    async renewed(refused) {
      if (this.isRevoked) {
        throw new CrmFault('revoked');
      }
      if (refused.accessToken === current.accessToken) {
        this.renewals += 1;
        current = { ...current, accessToken: lab.oauth.grant().accessToken };
      }
      return current;
    },
  };
}

export const signal = new AbortController().signal;

/** Returns the fault with which the work fails. */
export async function faultOf(work: Promise<unknown>): Promise<CrmFault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof CrmFault) {
      return error;
    }
    throw error;
  }
  throw new Error('The work has ended without a fault.');
}
