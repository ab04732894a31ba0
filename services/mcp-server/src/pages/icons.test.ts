import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { listedIcons } from './icons.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url));

describe('the icons', () => {
  it('are the web application’s mark', () => {
    expect(read('./mark.svg')).toEqual(read('../../../../packages/web-app/public/mark.svg'));
  });

  it('have the size that is listed', () => {
    const png = read('./mark.png');
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    // The header chunk starts with width and height (PNG specification, section 11.2.1).
    const size = `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
    expect(listedIcons('https://mcp.example.com').map(({ src, sizes }) => [src, sizes])).toEqual([
      ['https://mcp.example.com/icon.svg', ['any']],
      ['https://mcp.example.com/icon.png', [size]],
    ]);
  });
});
