import { expect, test } from '@jest/globals';
import { createKeptThings } from './kept-between-files.ts';

test('a shared thing is stopped once, after two files in a row that did not use it', async () => {
  const things = createKeptThings(2);
  const stopped: number[] = [];
  let file = 1;
  const endFile = async () => {
    await things.endFile();
    file += 1;
  };
  const thing = things.keep(async () => void stopped.push(file));
  await endFile();
  await endFile();
  thing.use();
  await endFile();
  await endFile();
  expect(stopped).toEqual([]);
  await endFile();
  expect(stopped).toEqual([5]);
  await endFile();
  expect(stopped).toEqual([5]);
});
