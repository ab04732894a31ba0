import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  changePassword,
  confirmEmailChange,
  confirmPasswordReset,
  confirmSignUp,
  requestEmailChange,
  requestPasswordReset,
  requestSignUp,
} from '@mailproof/shared-types';
import { openSharedHouse, type Person, type TestHouse, testPassword } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';

let test: TestHouse;
const next = 'another password for tests';

beforeAll(async () => {
  test = await openSharedHouse();
});

afterAll(() => test.stop());

const signUp = (visitor: Person, more: object = {}) =>
  visitor.post('/sign-ups', { email: visitor.email, name: 'Ordinary Ltd', ...more });

const confirmOf = (visitor: Person, token: string, password = testPassword) =>
  visitor.post('/sign-ups/confirmation', { token, password });

/** Signs up and returns the link's token. */
async function tokenOfSignUp(visitor: Person): Promise<string> {
  expect((await signUp(visitor)).status).toBe(202);
  return (await test.mail(visitor.email)).token;
}

async function tokenOfReset(person: Person): Promise<string> {
  const before = (await test.mails(person.email)).length;
  expect((await person.post('/password-resets', { email: person.email })).status).toBe(202);
  return (await test.mail(person.email, before + 1)).token;
}

async function tokenOfEmailChange(person: Person, email: string): Promise<string> {
  const answer = await person.post('/email-changes', { email, current_password: person.password });
  expect(answer.status).toBe(202);
  return (await test.mail(email)).token;
}

const newAddress = () => test.stranger().email;

const badTokens = ['x', 'mp_link_', `mp_link_${'0'.repeat(96)}`];

/** A confirmation refuses invalid tokens, a link for another purpose and a used link. */
async function refusesBadTokens(path: string, more: object, otherPurpose: string): Promise<void> {
  for (const token of [...badTokens, otherPurpose]) {
    expect(await test.stranger().post(path, { token, ...more })).toMatchObject({
      status: 410,
      body: { code: 'link_not_valid' },
    });
  }
  expect((await test.stranger().post(path, { ...more })).body['code']).toBe('invalid_request');
}

describeOperation(requestSignUp, {
  async success() {
    const visitor = test.stranger();
    const { status, body, headers } = await signUp(visitor);
    expect(status).toBe(202);
    expect(requestSignUp.success.schema.parse(body)).toEqual({ sent_to: visitor.email });
    expect(headers.getSetCookie()).toEqual([]);
    const mail = await test.mail(visitor.email);
    expect(mail.subject).toBe('Confirm your Mailproof account');
    expect(mail.text).toMatch(/\/confirm#token=mp_link_[0-9a-f]{96}&for=sign_up\n/);
    expect(mail.text + mail.html).not.toContain('Ordinary Ltd');
  },
  async badInput() {
    const visitor = test.stranger();
    for (const [more, status, code] of [
      [{ email: 'no address' }, 400, 'invalid_email_address'],
      // The client that requests the mail does not choose the recipient's password.
      [{ password: testPassword }, 400, 'invalid_request'],
      [{ name: '' }, 400, 'invalid_request'],
      [{ name: 'a\u0000b' }, 400, 'invalid_request'],
      [{ name: 'x'.repeat(201) }, 400, 'invalid_request'],
      [{ more: 1 }, 400, 'invalid_request'],
    ] as const) {
      expect(await signUp(visitor, more)).toMatchObject({ status, body: { code } });
    }
  },
  noCredentials: { cannotHappen: 'A visitor who signs up has no credentials yet.' },
  async anotherTenant() {
    const owner = await test.owner();
    const [known, unknown] = [await signUp(test.stranger(owner.email)), await signUp(test.stranger())];
    expect(known.status).toBe(unknown.status);
    expect(Object.keys(known.body)).toEqual(Object.keys(unknown.body));
    expect([...known.headers.keys()]).toEqual([...unknown.headers.keys()]);
    const mail = await test.mail(owner.email);
    expect(mail.subject).toBe('You already have a Mailproof account');
    const reset = await owner.post('/password-resets/confirmation', { token: mail.token, password: next });
    expect(reset.status).toBe(200);
  },
});

describeOperation(confirmSignUp, {
  async success() {
    const visitor = test.stranger();
    const token = await tokenOfSignUp(visitor);
    const { status, body } = await confirmOf(visitor, token);
    expect(status).toBe(200);
    expect(confirmSignUp.success.schema.parse(body)).toMatchObject({
      email: visitor.email,
      role: 'owner',
      account: { name: 'Ordinary Ltd', plan: 'free' },
    });
    expect((await visitor.get('/session')).body['email']).toBe(visitor.email);
    expect((await visitor.elsewhere().trySignIn()).status).toBe(200);
    const again = await confirmOf(visitor.elsewhere(), token);
    expect(again).toMatchObject({ status: 410, body: { code: 'link_not_valid' } });
  },
  badInput: async () => {
    const person = await test.owner();
    const password = testPassword;
    await refusesBadTokens('/sign-ups/confirmation', { password }, await tokenOfReset(person));
    const visitor = test.stranger();
    const token = await tokenOfSignUp(visitor);
    expect((await visitor.post('/sign-ups/confirmation', { token })).body['code']).toBe('invalid_request');
    for (const [refused, status, code] of [
      ['too short', 400, 'invalid_request'],
      ['x'.repeat(129), 400, 'invalid_request'],
      [visitor.email, 422, 'password_refused'],
      ['qwerty123456', 422, 'password_refused'],
    ] as const) {
      expect(await confirmOf(visitor, token, refused)).toMatchObject({ status, body: { code } });
    }
    // A rejected password does not use up the link; 128 characters of four octets are not too long.
    expect((await confirmOf(visitor, token, '\u{1f600}\u{1f511}'.repeat(64))).status).toBe(200);
  },
  noCredentials: { cannotHappen: 'The link is the credential; without a valid one the answer is 410.' },
  async anotherTenant() {
    const visitor = test.stranger();
    const first = await tokenOfSignUp(visitor);
    await signUp(visitor);
    const second = (await test.mail(visitor.email, 2)).token;
    const answers = await Promise.all(
      [first, second, first, second].map(token => confirmOf(visitor.elsewhere(), token)),
    );
    // One address creates one account, even if several links for it are followed at once.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter(answer => answer.status !== 200)) {
      expect([409, 410]).toContain(status);
      expect(['email_taken', 'link_not_valid']).toContain(body['code']);
    }
  },
});

describeOperation(requestPasswordReset, {
  async success() {
    const person = await test.owner();
    const { status, body } = await person.post('/password-resets', { email: person.email.toUpperCase() });
    expect(status).toBe(202);
    requestPasswordReset.success.schema.parse(body);
    expect((await test.mail(person.email)).subject).toBe('Reset your Mailproof password');
  },
  async badInput() {
    const visitor = test.stranger();
    expect((await visitor.post('/password-resets', { email: 'x' })).body['code']).toBe(
      'invalid_email_address',
    );
    expect((await visitor.post('/password-resets', {})).body['code']).toBe('invalid_request');
  },
  noCredentials: { cannotHappen: 'A user who has forgotten the password has no credentials.' },
  async anotherTenant() {
    const owner = await test.owner();
    const stranger = test.stranger();
    const [known, unknown] = [
      await stranger.post('/password-resets', { email: owner.email }),
      await stranger.post('/password-resets', { email: stranger.email }),
    ];
    expect([known.status, Object.keys(known.body)]).toEqual([unknown.status, Object.keys(unknown.body)]);
    expect([...known.headers.keys()]).toEqual([...unknown.headers.keys()]);
    await test.mail(owner.email);
    // A mail requested later has arrived, so one to an unknown address would have arrived too.
    await tokenOfReset(await test.owner());
    expect(await test.mails(stranger.email)).toEqual([]);
  },
});

describeOperation(confirmPasswordReset, {
  async success() {
    const person = await test.owner();
    const session = await person.elsewhere().signIn();
    const [first, token] = [await tokenOfReset(person), await tokenOfReset(person)];
    const answer = await person.post('/password-resets/confirmation', { token, password: next });
    expect(answer).toMatchObject({ status: 200, body: { done: true } });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await session.get('/session')).status).toBe(401);
    expect((await person.trySignIn()).status).toBe(401);
    expect((await person.trySignIn(next)).status).toBe(200);
    for (const used of [token, first]) {
      const again = await person.post('/password-resets/confirmation', { token: used, password: next });
      expect(again.body['code']).toBe('link_not_valid');
    }
    const notice = await test.mail(person.email, 3);
    expect(notice.subject).toBe('Your Mailproof password was changed');
  },
  async badInput() {
    await refusesBadTokens(
      '/password-resets/confirmation',
      { password: next },
      await tokenOfSignUp(test.stranger()),
    );
    const person = await test.owner();
    const token = await tokenOfReset(person);
    for (const [password, code] of [
      ['too short', 'invalid_request'],
      [person.email, 'password_refused'],
    ]) {
      const answer = await person.post('/password-resets/confirmation', { token, password });
      expect(answer.body['code']).toBe(code);
    }
    // A rejected password does not use up the link.
    const answer = await person.post('/password-resets/confirmation', { token, password: next });
    expect(answer.status).toBe(200);
  },
  noCredentials: { cannotHappen: 'The link is the credential; without a valid one the answer is 410.' },
  async anotherTenant() {
    const [one, other] = [await test.owner(), await test.owner()];
    const token = await tokenOfReset(one);
    await other.post('/password-resets/confirmation', { token, password: next });
    expect((await other.trySignIn(next)).status).toBe(401);
    expect((await other.trySignIn()).status).toBe(200);
  },
});

describeOperation(changePassword, {
  async success() {
    const person = await (await test.owner()).signIn();
    const phone = await person.elsewhere().signIn();
    const reset = await tokenOfReset(person);
    const answer = await person.put('/password', { current_password: testPassword, new_password: next });
    expect(answer).toMatchObject({ status: 200, body: { done: true } });
    expect((await person.get('/session')).status).toBe(200);
    expect((await phone.get('/session')).status).toBe(401);
    expect((await person.elsewhere().trySignIn(next)).status).toBe(200);
    const late = await person.post('/password-resets/confirmation', { token: reset, password: testPassword });
    expect(late.body['code']).toBe('link_not_valid');
  },
  async badInput() {
    const person = await (await test.owner()).signIn();
    for (const [body, status, code] of [
      [{ current_password: 'wrong', new_password: next }, 403, 'wrong_password'],
      [{ current_password: testPassword, new_password: 'short' }, 400, 'invalid_request'],
      [{ current_password: testPassword, new_password: 'aaaaaaaaaaaaa' }, 422, 'password_refused'],
      [{ new_password: next }, 400, 'invalid_request'],
    ] as const) {
      expect(await person.put('/password', body)).toMatchObject({ status, body: { code } });
    }
    expect((await person.elsewhere().trySignIn()).status).toBe(200);
  },
  async noCredentials() {
    const person = await test.owner();
    const body = { current_password: testPassword, new_password: next };
    expect((await person.put('/password', body)).status).toBe(401);
  },
  async anotherTenant() {
    const bystander = await test.owner();
    const person = await (await test.owner()).signIn();
    await person.put('/password', { current_password: testPassword, new_password: next });
    expect((await bystander.trySignIn()).status).toBe(200);
  },
});

describeOperation(requestEmailChange, {
  async success() {
    const person = await (await test.owner()).signIn();
    const email = newAddress();
    const answer = await person.post('/email-changes', { email, current_password: testPassword });
    expect(answer).toMatchObject({ status: 202, body: { sent_to: email } });
    expect((await test.mail(email)).subject).toBe('Confirm your new email address for Mailproof');
    const notice = await test.mail(person.email);
    expect(notice.subject).toBe('Your Mailproof email address is about to change');
    expect(notice.token).toBe('');
    expect((await person.get('/session')).body['email']).toBe(person.email);
  },
  async badInput() {
    const person = await (await test.owner()).signIn();
    for (const [body, status, code] of [
      [{ email: 'x', current_password: testPassword }, 400, 'invalid_email_address'],
      [{ email: newAddress(), current_password: 'wrong' }, 403, 'wrong_password'],
      [{ email: newAddress() }, 400, 'invalid_request'],
    ] as const) {
      expect(await person.post('/email-changes', body)).toMatchObject({ status, body: { code } });
    }
  },
  async noCredentials() {
    const body = { email: newAddress(), current_password: testPassword };
    expect((await test.stranger().post('/email-changes', body)).status).toBe(401);
  },
  async anotherTenant() {
    const person = await (await test.owner()).signIn();
    const other = await test.owner();
    const body = { email: other.email, current_password: testPassword };
    expect((await person.post('/email-changes', body)).status).toBe(202);
    expect(await test.mail(other.email)).toMatchObject({
      subject: 'Your email address is already in use at Mailproof',
      token: '',
    });
  },
});

describeOperation(confirmEmailChange, {
  async success() {
    const person = await (await test.owner()).signIn();
    const phone = await person.elsewhere().signIn();
    const email = newAddress();
    const replaced = await tokenOfEmailChange(person, newAddress());
    const token = await tokenOfEmailChange(person, email);
    const reset = await tokenOfReset(person);
    const void_ = await test.stranger().post('/email-changes/confirmation', { token: replaced });
    expect(void_.body['code']).toBe('link_not_valid');
    const answer = await test.stranger().post('/email-changes/confirmation', { token });
    expect(answer).toMatchObject({ status: 200, body: { done: true } });
    expect((await person.get('/session')).body['email']).toBe(email);
    expect((await phone.get('/session')).status).toBe(401);
    expect((await person.elsewhere().trySignIn()).status).toBe(401);
    expect((await test.stranger(email).trySignIn(testPassword)).status).toBe(200);
    for (const [path, body] of [
      ['/email-changes/confirmation', { token }],
      ['/password-resets/confirmation', { token: reset, password: next }],
    ] as const) {
      expect((await person.post(path, body)).body['code']).toBe('link_not_valid');
    }
  },
  badInput: async () => {
    await refusesBadTokens('/email-changes/confirmation', {}, await tokenOfSignUp(test.stranger()));
  },
  noCredentials: { cannotHappen: 'The link is the credential; without a valid one the answer is 410.' },
  async anotherTenant() {
    const [one, other] = [await (await test.owner()).signIn(), await (await test.owner()).signIn()];
    const wanted = newAddress();
    const mine = await tokenOfEmailChange(one, wanted);
    await other.post('/email-changes', { email: wanted, current_password: testPassword });
    const theirs = (await test.mail(wanted, 2)).token;
    expect((await one.post('/email-changes/confirmation', { token: mine })).status).toBe(200);
    expect(await other.post('/email-changes/confirmation', { token: theirs })).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    });
    expect((await other.get('/session')).body['email']).toBe(other.email);
  },
});

describe('mail to one address', () => {
  it('stops after five an hour that visitors caused, and the answer stays the same', async () => {
    const visitor = test.stranger();
    const answers = [];
    for (let count = 0; count < 7; count += 1) {
      answers.push(await signUp(visitor));
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    await test.mail(visitor.email, 5);
    await tokenOfReset(await test.owner());
    expect(await test.mails(visitor.email)).toHaveLength(5);
  });
});
