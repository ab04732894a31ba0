import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isReachableByOthers, systemUser } from './postgres-location.ts';

describe('where Postgres can live', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mailproof-location-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test('a closed folder anywhere above makes a path unreachable', async () => {
    const inner = join(folder, 'open');
    await mkdir(inner);
    await writeFile(join(inner, 'postgres'), '');
    await chmod(inner, 0o755);
    await chmod(join(inner, 'postgres'), 0o755);
    await chmod(folder, 0o700);
    expect(isReachableByOthers(join(inner, 'postgres'))).toBe(false);
    await chmod(folder, 0o711);
    expect(isReachableByOthers(join(inner, 'postgres'))).toBe(true);
    await chmod(join(inner, 'postgres'), 0o700);
    expect(isReachableByOthers(join(inner, 'postgres'))).toBe(false);
  });

  test('finds the user that Postgres runs as under root', () => {
    const passwd = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin\n';
    expect(systemUser('nobody', passwd)).toEqual({ uid: 65_534, gid: 65_533 });
    expect(systemUser('nobody', 'nobody:*:-2:-2::/var/empty:/usr/bin/false')).toEqual({
      uid: 4_294_967_294,
      gid: 4_294_967_294,
    });
    expect(() => systemUser('nobody', 'root:x:0:0::/root:/bin/sh')).toThrow(/no user nobody/);
  });
});
