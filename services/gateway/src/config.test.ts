import { beforeAll, describe, expect, it } from '@jest/globals';
import { type TestServiceKeys, testServiceKeys } from '@mailproof/dev-house';
import { loadConfig } from './config.ts';
import { stripeOf } from './stripe-settings.ts';

let keys: TestServiceKeys;

beforeAll(async () => {
  keys = await testServiceKeys();
});

function keyOf(octet: number, octets = 32): string {
  return Buffer.alloc(octets, octet).toString('base64');
}

function load(change: Record<string, string> = {}) {
  return loadConfig({
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: 'postgres://gateway@127.0.0.1/mailproof',
    REDIS_URL: 'redis://127.0.0.1',
    CREDIT_LEDGER_URL: 'http://127.0.0.1:1',
    VALIDATION_ENGINE_URL: 'http://127.0.0.1:2',
    MCP_SERVER_URL: 'http://127.0.0.1:3',
    ENRICHMENT_URL: 'http://127.0.0.1:4',
    WEBHOOK_DISPATCHER_URL: 'http://127.0.0.1:5',
    PUBLIC_BASE_URL: 'https://mail.example/',
    KEY_ENCRYPTION_KEYS: `k2:${keyOf(2)}, k1:${keyOf(1)}`,
    ...keys.settingsOf('gateway'),
    ...change,
  });
}

const stripe = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_PRICES: 'starter=price_1, growth=price_2,scale=price_3,5000=price_4',
};

describe('the settings of Stripe', () => {
  it('are absent or whole', () => {
    expect(stripeOf(load())).toBeUndefined();
    const settings = stripeOf(load(stripe));
    expect(settings).toMatchObject({ apiUrl: 'https://api.stripe.com', automaticTax: false });
    expect(settings?.prices.planOf('price_2')).toBe('growth');
    expect(settings?.prices.creditsOf('price_4')).toBe(5_000);
    for (const name of Object.keys(stripe)) {
      expect(() => load({ ...stripe, [name]: '' })).toThrow(/STRIPE_SECRET_KEY: must be set together/);
    }
  });

  it.each([
    ['STRIPE_SECRET_KEY', 'pk_live_1'],
    ['STRIPE_WEBHOOK_SECRET', 'whsk_1'],
    ['STRIPE_PRICES', 'growth=price_2'],
    ['STRIPE_PRICES', `${stripe.STRIPE_PRICES},free=price_5`],
    ['STRIPE_PRICES', `${stripe.STRIPE_PRICES},6000=price_4`],
    ['STRIPE_PRICES', `${stripe.STRIPE_PRICES},growth=price_6`],
    ['STRIPE_PRICES', `${stripe.STRIPE_PRICES},6000=prod_6`],
    ['STRIPE_AUTOMATIC_TAX', 'yes'],
    ['STRIPE_API_URL', 'http://stripe.example'],
  ])('do not take %s as %s, and name it without its value', (name, value) => {
    const loading = () => load({ ...stripe, [name]: value });
    expect(loading).toThrow(name);
    expect(loading).not.toThrow(value);
  });
});

describe('the settings of the gateway', () => {
  it('have a base address without a slash at its end', () => {
    expect(load().PUBLIC_BASE_URL).toBe('https://mail.example');
  });

  it('take proxies as addresses, ranges and names', () => {
    const { TRUSTED_PROXIES } = load({ TRUSTED_PROXIES: 'loopback, 192.0.2.0/24,2001:db8::1' });
    expect(TRUSTED_PROXIES).toEqual(['loopback', '192.0.2.0/24', '2001:db8::1']);
  });

  it.each([
    ['TRUSTED_PROXIES', 'everybody'],
    ['DATABASE_URL', 'mysql://127.0.0.1/mailproof'],
    ['REDIS_URL', 'http://127.0.0.1'],
    ['PUBLIC_BASE_URL', 'ftp://mail.example'],
    ['VALIDATION_DEADLINE_MS', '10'],
    ['PORT', '70000'],
    ['BILLING_GRACE_DAYS', '-1'],
    ['KEY_ENCRYPTION_KEYS', ''],
    ['KEY_ENCRYPTION_KEYS', keyOf(1)],
    ['KEY_ENCRYPTION_KEYS', `k1:${keyOf(1, 31)}`],
    ['KEY_ENCRYPTION_KEYS', `k1:${keyOf(1)},`],
    ['KEY_ENCRYPTION_KEYS', `k1:${keyOf(1)},k1:${keyOf(2)}`],
  ])('refuse %s=%s by name', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(name);
  });

  it('take a ring of keys in its order', () => {
    const ring = load().KEY_ENCRYPTION_KEYS;
    expect(ring.map(({ kid }) => kid)).toEqual(['k2', 'k1']);
    expect(ring[0].key).toEqual(new Uint8Array(32).fill(2));
  });

  it('repeat nothing of a ring that is wrong', () => {
    const secret = keyOf(7, 31);
    let message = '';
    try {
      load({ KEY_ENCRYPTION_KEYS: `k1:${secret}` });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('KEY_ENCRYPTION_KEYS');
    expect(message).not.toContain(secret);
  });

  it('refuse the key of another service', () => {
    const { SERVICE_SIGNING_KEY } = keys.settingsOf('credit-ledger');
    expect(() => load({ SERVICE_SIGNING_KEY })).toThrow('must have the kid gateway');
  });
});
