import { describe, expect, test } from '@jest/globals';
import { addedPackages, label, packageFiles } from './debian-packages.ts';

describe('what apt-get says', () => {
  test('names the packages that an installation would add', () => {
    const plan = [
      'Reading package lists...',
      'The following NEW packages will be installed:',
      '  exim4-daemon-light libidn12',
      'Inst libidn12 (1.41-1 Debian:12.15/oldstable [amd64])',
      'Inst exim4-daemon-light (4.96-15+deb12u10 Debian:12.15/oldstable, Debian-Security:12 [amd64])',
      'Conf libidn12 (1.41-1 Debian:12.15/oldstable [amd64])',
    ].join('\n');
    expect(addedPackages(plan)).toEqual(['libidn12', 'exim4-daemon-light']);
  });

  test('names the files of packages with their lengths', () => {
    const uris = [
      "'http://deb.debian.org/debian/pool/main/libi/libidn/libidn12_1.41-1_amd64.deb' libidn12_1.41-1_amd64.deb 83832 SHA256:5ce2",
      "'http://deb.debian.org/debian/pool/main/p/postgrey/postgrey_1.37-2_all.deb' postgrey_1.37-2_all.deb 50932 SHA256:9a0f",
    ].join('\n');
    expect(packageFiles(uris)).toEqual([
      { name: 'libidn12', file: 'libidn12_1.41-1_amd64.deb', octets: 83_832 },
      { name: 'postgrey', file: 'postgrey_1.37-2_all.deb', octets: 50_932 },
    ]);
  });

  test('returns no files for unknown packages', () => {
    expect(packageFiles('E: Unable to locate package postfix\n')).toEqual([]);
  });
});

test('a file is named for people with its version, an epoch included', () => {
  expect(label('libssl3_1%3a3.0.17-1_amd64.deb')).toBe('libssl3 1:3.0.17-1');
});
