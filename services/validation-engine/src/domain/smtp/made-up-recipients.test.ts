import { expect, test } from '@jest/globals';
import { makeUpRecipients } from './made-up-recipients.ts';

test('made-up recipients have two shapes, and neither can be a word or a name', () => {
  for (let run = 0; run < 500; run += 1) {
    const [letters, name] = makeUpRecipients(Math.random);
    expect(letters).toEqual({
      shape: 'letters',
      localPart: expect.stringMatching(/^[b-df-hj-np-tv-xz]{12,16}$/),
    });
    expect(name).toEqual({
      shape: 'name_and_digits',
      localPart: expect.stringMatching(/^[b-df-hj-np-tv-xz]{6,8}\.[b-df-hj-np-tv-xz]{7,9}\d{3}$/),
    });
  }
});
