import { createTextOfRuns } from './cell-text.ts';
import type { Package } from './open-package.ts';
import { readXml } from './read-xml.ts';
import { notReadable } from './workbook-fault.ts';

/** The texts of a workbook, which cells name by number. */
export interface SharedStrings {
  /** Undefined if there is no text of this number. */
  at(index: number): string | undefined;
}

const partOctetsMax = 150_000_000;
const textOctetsMax = 64_000_000;
const stringsMax = 4_000_000;
const pageOctets = 1_048_576;

/**
 * Reads the texts into pages of octets, outside of the heap: a million strings of JavaScript would take four times as
 * much memory.
 */
export async function readSharedStrings(archive: Package, part: string): Promise<SharedStrings> {
  const store = createStore();
  const runs = createTextOfRuns('A text of the workbook');
  const reading = readXml(archive.read(part, partOctetsMax), part, {
    open: name => (name === 'si' ? runs.begin() : runs.open(name)),
    text: runs.text,
    close(name) {
      if (name === 'si') {
        store.add(runs.take());
      } else {
        runs.close(name);
      }
    },
  });
  for await (const _piece of reading) {
    // The store has taken it.
  }
  return store;
}

function createStore() {
  const pages: Buffer[] = [];
  let used = pageOctets;
  let count = 0;
  // Where each text begins and ends: the number of its page times the size of a page, and the octet in it.
  let places = new Uint32Array(2_048);
  return {
    add(text: string): void {
      const octets = Buffer.byteLength(text);
      if (used + octets > pageOctets) {
        pages.push(Buffer.allocUnsafeSlow(pageOctets));
        used = 0;
      }
      if (pages.length * pageOctets > textOctetsMax || count === stringsMax) {
        throw notReadable(
          `The texts of the workbook have more than ${textOctetsMax / 1_000_000} MB. Split the sheet, or save it as CSV.`,
        );
      }
      if (count * 2 === places.length) {
        const larger = new Uint32Array(places.length * 2);
        larger.set(places);
        places = larger;
      }
      const begin = (pages.length - 1) * pageOctets + used;
      pages.at(-1)?.write(text, used);
      used += octets;
      places.set([begin, begin + octets], count * 2);
      count += 1;
    },
    at(index: number): string | undefined {
      if (!(index >= 0 && index < count)) {
        return undefined;
      }
      const begin = places[index * 2] ?? 0;
      const octets = (places[index * 2 + 1] ?? 0) - begin;
      const offset = begin % pageOctets;
      return pages[Math.floor(begin / pageOctets)]?.toString('utf8', offset, offset + octets);
    },
  };
}
