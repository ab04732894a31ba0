import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  acceptInvitation,
  changeMemberRole,
  inviteMember,
  listMembers,
  listSecurityEvents,
  removeMember,
  withdrawInvitation,
} from '@mailproof/shared-types';
import { accounting, openTestHouse, type Person, type TestHouse, testPassword } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';

let test: TestHouse;

beforeAll(async () => {
  test = await openTestHouse({
    only: accounting,
    replicas: { gateway: 2 },
    env: { gateway: { MAILS_PER_ACCOUNT_PER_HOUR_MAX: '4', AUTH_FAILURES_PER_MINUTE_MAX: '10000' } },
  });
});

afterAll(() => test.stop());

const newOwner = async (plan: 'starter' | 'custom' = 'custom') => {
  const { accountId } = await test.accounts.create({ name: 'Firm <b>& Sons</b>', plan, credits: 0 });
  return (await test.owner({ accountId })).signIn();
};

const list = async (owner: Person) => listMembers.success.schema.parse((await owner.get('/members')).body);
const invite = (owner: Person, email = test.stranger().email, more: object = {}) =>
  owner.post('/members/invitations', { email, ...more });
const accept = (token: string, password = testPassword) =>
  test.stranger().post('/members/invitations/confirmation', { token, password });

/** Checks that neither a member nor a client without a session may do this. */
async function ownersOnly(owner: Person, ask: (person: Person) => Promise<{ status: number; body: object }>) {
  const member = await test.member(owner);
  expect(await ask(member)).toMatchObject({ status: 403, body: { code: 'owner_required' } });
  expect(await ask(test.stranger())).toMatchObject({ status: 401, body: { code: 'not_signed_in' } });
}

describeOperation(listMembers, {
  async success() {
    const owner = await newOwner('starter');
    const member = await test.member(owner);
    const { body: invited } = await invite(owner);
    expect(await list(owner)).toMatchObject({
      members: [
        { user_id: owner.userId, role: 'owner' },
        { user_id: member.userId, email: member.email, role: 'member' },
      ],
      // Its lifetime starts when its mail is sent.
      invitations: [{ ...invited, expires_at: expect.any(String) }],
      members_max: 3,
    });
  },
  async badInput() {
    expect((await (await newOwner()).get('/members?more=1')).body['code']).toBe('invalid_request');
  },
  noCredentials: async () => ownersOnly(await newOwner(), person => person.get('/members')),
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    await invite(one);
    expect(await list(other)).toMatchObject({ members: [{ user_id: other.userId }], invitations: [] });
  },
});

describeOperation(inviteMember, {
  async success() {
    const owner = await newOwner();
    const { email } = test.stranger();
    const { status, body } = await invite(owner, email);
    expect(status).toBe(202);
    expect(inviteMember.success.schema.parse(body)).toMatchObject({ email, role: 'member' });
    const mail = await test.mail(email);
    expect(mail.text).toContain('“Firm <b>& Sons</b>”');
    expect(mail.html).toContain('Firm &lt;b&gt;&amp; Sons&lt;/b&gt;');
    // A second invitation voids the first link.
    await invite(owner, email);
    const again = await test.mail(email, 2);
    expect((await list(owner)).invitations).toHaveLength(1);
    expect((await accept(mail.token)).body['code']).toBe('link_not_valid');
    expect((await accept(again.token)).status).toBe(200);
  },
  async badInput() {
    const owner = await newOwner('starter');
    expect((await invite(owner, 'x')).body['code']).toBe('invalid_email_address');
    expect((await invite(owner, undefined, { role: 'king' })).body['code']).toBe('invalid_request');
    expect((await invite(owner)).status).toBe(202);
    expect((await invite(owner)).status).toBe(202);
    expect(await invite(owner)).toMatchObject({ status: 409, body: { code: 'members_exhausted' } });
    expect((await invite(owner)).body['code']).toBe('members_exhausted');
    const fifth = await invite(owner);
    expect(fifth).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    expect(Number(fifth.headers.get('retry-after'))).toBeGreaterThan(3_000);
  },
  noCredentials: async () => ownersOnly(await newOwner(), person => invite(person)),
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    expect((await invite(one, other.email)).status).toBe(202);
    const mail = await test.mail(other.email);
    expect(mail.text).toContain('already belongs to an account');
    expect(mail.token).toBe('');
  },
});

describeOperation(withdrawInvitation, {
  async success() {
    const owner = await newOwner();
    const { email } = test.stranger();
    const { body } = await invite(owner, email);
    const { token } = await test.mail(email);
    const path = `/members/invitations/${body['invitation_id']}`;
    expect(await owner.delete(path)).toMatchObject({ status: 200, body: { done: true } });
    expect((await accept(token)).body['code']).toBe('link_not_valid');
    expect(await owner.delete(path)).toMatchObject({ status: 404, body: { code: 'invitation_not_found' } });
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.delete('/members/invitations/x')).body['code']).toBe('invalid_request');
  },
  noCredentials: async () =>
    ownersOnly(await newOwner(), person => person.delete(`/members/invitations/invite_${'0'.repeat(32)}`)),
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { body } = await invite(one);
    expect((await other.delete(`/members/invitations/${body['invitation_id']}`)).status).toBe(404);
    expect((await list(one)).invitations).toHaveLength(1);
  },
});

describeOperation(acceptInvitation, {
  async success() {
    const owner = await newOwner();
    const { email } = test.stranger();
    await invite(owner, email, { role: 'owner' });
    const { token } = await test.mail(email);
    const guest = test.stranger(email);
    const { status, body } = await guest.post('/members/invitations/confirmation', {
      token,
      password: testPassword,
    });
    expect(status).toBe(200);
    expect(acceptInvitation.success.schema.parse(body)).toMatchObject({
      email,
      role: 'owner',
      account: { account_id: owner.accountId },
    });
    expect((await guest.get('/session')).body).toEqual(body);
    expect((await accept(token)).body['code']).toBe('link_not_valid');
    const { events } = listSecurityEvents.success.schema.parse((await owner.get('/security-events')).body);
    expect(events.map(({ kind }) => kind).slice(0, 3)).toEqual(['sign_in', 'member_added', 'member_invited']);
  },
  async badInput() {
    const owner = await newOwner();
    const { email } = test.stranger();
    await invite(owner, email);
    const { token } = await test.mail(email);
    expect((await accept('x')).body['code']).toBe('link_not_valid');
    expect((await accept(token, 'short')).body['code']).toBe('invalid_request');
    expect((await accept(token, email)).body['code']).toBe('password_refused');
    const body = { token, password: testPassword };
    const elsewhere = await test.stranger().post('/sign-ups/confirmation', body);
    expect(elsewhere.body['code']).toBe('link_not_valid');
  },
  noCredentials: { cannotHappen: 'The link is the credential; without a valid one the answer is 410.' },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { email } = test.stranger();
    await invite(one, email);
    const { token } = await test.mail(email);
    await invite(other, email);
    const second = await test.mail(email, 2);
    expect((await accept(token)).status).toBe(200);
    expect(await accept(second.token)).toMatchObject({ status: 409, body: { code: 'email_taken' } });
    expect((await list(other)).members).toHaveLength(1);
  },
});

describeOperation(changeMemberRole, {
  async success() {
    const owner = await newOwner();
    const member = await test.member(owner);
    const { status, body } = await owner.put(`/members/${member.userId}`, { role: 'owner' });
    expect(status).toBe(200);
    expect(changeMemberRole.success.schema.parse(body)).toMatchObject({ role: 'owner' });
    // The change takes effect from the next request on, at every gateway.
    expect((await member.get('/members')).status).toBe(200);
    expect((await member.put(`/members/${owner.userId}`, { role: 'member' })).status).toBe(200);
    expect((await owner.get('/members')).status).toBe(403);
    expect((await owner.get('/members')).status).toBe(403);
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.put(`/members/${owner.userId}`, { role: 'king' })).body['code']).toBe(
      'invalid_request',
    );
    expect((await owner.put('/members/x', { role: 'member' })).body['code']).toBe('invalid_request');
    expect(await owner.put(`/members/${owner.userId}`, { role: 'member' })).toMatchObject({
      status: 409,
      body: { code: 'last_owner' },
    });
  },
  noCredentials: async () => {
    const owner = await newOwner();
    await ownersOnly(owner, person => person.put(`/members/${owner.userId}`, { role: 'member' }));
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    expect(await other.put(`/members/${one.userId}`, { role: 'member' })).toMatchObject({
      status: 404,
      body: { code: 'member_not_found' },
    });
  },
});

describeOperation(removeMember, {
  async success() {
    const owner = await newOwner();
    const member = await test.member(owner);
    expect(await owner.delete(`/members/${member.userId}`)).toMatchObject({ status: 200 });
    for (const _gateway of test.house.gatewayUrls) {
      expect((await member.get('/session')).status).toBe(401);
    }
    expect((await member.trySignIn()).status).toBe(401);
    expect((await list(owner)).members).toHaveLength(1);
    // The address is available again.
    expect((await test.member(owner, test.stranger().email)).userId).toMatch(/^user_/);
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.delete('/members/x')).body['code']).toBe('invalid_request');
    expect((await owner.delete(`/members/${owner.userId}`)).body['code']).toBe('last_owner');
    expect((await owner.delete(`/members/user_${'0'.repeat(32)}`)).body['code']).toBe('member_not_found');
  },
  noCredentials: async () => {
    const owner = await newOwner();
    await ownersOnly(owner, person => person.delete(`/members/${owner.userId}`));
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    expect((await other.delete(`/members/${one.userId}`)).status).toBe(404);
    expect((await one.get('/session')).status).toBe(200);
  },
});

describe('two owners who act at once', () => {
  it.each([
    [
      'demote each other',
      (one: Person, other: Person) => one.put(`/members/${other.userId}`, { role: 'member' }),
    ],
    ['remove each other', (one: Person, other: Person) => one.delete(`/members/${other.userId}`)],
    ['step down', (one: Person) => one.put(`/members/${one.userId}`, { role: 'member' })],
    ['leave', (one: Person) => one.delete(`/members/${one.userId}`)],
  ])('leave the account an owner when they %s', async (_what, act) => {
    for (let round = 0; round < 5; round += 1) {
      const one = await newOwner();
      const other = await (await test.owner({ accountId: one.accountId })).signIn();
      const answers = await Promise.all([act(one, other), act(other, one)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it('take no more members than the plan allows', async () => {
    const one = await newOwner('starter');
    const other = await (await test.owner({ accountId: one.accountId })).signIn();
    const answers = await Promise.all([invite(one), invite(other), invite(one), invite(other)]);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  });
});
