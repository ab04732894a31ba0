import { openSalesforce, type SalesforceSimulator } from '@mailproof/crm-lab';
import { createAddressGuard, createOutside, type Outside } from '@mailproof/service-kit';
import { openSalesforceCrm } from '../../src/adapters/salesforce/open-salesforce-crm.ts';
import type { Crm, CrmAccess, CrmAccessSource } from '../../src/domain/crm/crm.ts';

export interface SalesforceLab {
  readonly salesforce: SalesforceSimulator;
  readonly crm: Crm;
  /** The latest access, and how often it was renewed. */
  readonly access: TestAccess;
  /** The same adapter with another address. */
  crmAt(apiBaseUrl: string): Crm;
  close(): Promise<void>;
}

/** The adapter as in the service, with loopback allowed for CRMs, connected to the simulator. */
export async function openSalesforceLab(deadlineMs = 30_000): Promise<SalesforceLab> {
  const salesforce = await openSalesforce();
  const ranges = ['127.0.0.1/32'];
  const outside: { https: Outside; http: Outside } = {
    https: createOutside({ guard: createAddressGuard(ranges), allowsHttp: false, keepsConnections: true }),
    http: createOutside({
      guard: createAddressGuard(ranges, { admitsPublic: false }),
      allowsHttp: true,
      keepsConnections: true,
    }),
  };
  const open = openSalesforceCrm({
    outside,
    userAgent: 'Mailproof/1.0',
    deadlineMs,
    now: () => new Date(),
  });
  const access = new TestAccess(salesforce);
  return {
    salesforce,
    access,
    crm: open(access),
    crmAt: apiBaseUrl => open(new TestAccess(salesforce, apiBaseUrl)),
    async close() {
      await Promise.all([outside.https.close(), outside.http.close(), salesforce.close()]);
    },
  };
}

/** Access that is renewed at the simulated authorization server, without a browser. */
export class TestAccess implements CrmAccessSource {
  renewals = 0;
  isRenewed = true;
  readonly #salesforce: SalesforceSimulator;
  readonly #apiBaseUrl: string;
  #access: CrmAccess;

  constructor(salesforce: SalesforceSimulator, apiBaseUrl = salesforce.baseUrl) {
    this.#salesforce = salesforce;
    this.#apiBaseUrl = apiBaseUrl;
    this.#access = this.#given();
  }

  async current(): Promise<CrmAccess> {
    return this.#access;
  }

  async renewed(refused: CrmAccess): Promise<CrmAccess> {
    this.renewals += 1;
    if (this.isRenewed && refused.accessToken === this.#access.accessToken) {
      this.#access = this.#given();
    }
    return this.#access;
  }

  #given(): CrmAccess {
    return { accessToken: this.#salesforce.oauth.grant().accessToken, apiBaseUrl: this.#apiBaseUrl };
  }
}
