import sax, { type SAXOptions } from 'sax';
import { notReadable, WorkbookFault } from './workbook-fault.ts';

/** What a reader of XML wants to know. Names come without their prefix. */
export interface XmlReader {
  open?(name: string, attribute: (name: string) => string | undefined): void;
  /** May be called several times for one text. */
  text?(text: string): void;
  close?(name: string): void;
}

const depthMax = 64;

/**
 * Reads XML piece by piece, and yields after each one. There are no document type declarations, so no entities but the
 * five of XML; the parser itself keeps at most 64 KiB of a name, an attribute or a comment.
 *
 * @throws WorkbookFault if the XML is not well-formed
 */
export async function* readXml(
  octets: AsyncIterable<Uint8Array>,
  part: string,
  reader: XmlReader,
): AsyncGenerator<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = sax.parser(true, { strictEntities: true } as SAXOptions);
  let depth = 0;
  parser.onopentag = ({ name, attributes }) => {
    depth += 1;
    if (depth > depthMax) {
      throw notReadable(`The part “${part}” of the workbook has more than ${depthMax} levels.`);
    }
    reader.open?.(localName(name), wanted => attributeOf(attributes, wanted));
  };
  parser.onclosetag = name => {
    depth -= 1;
    reader.close?.(localName(name));
  };
  parser.ontext = text => reader.text?.(text);
  parser.oncdata = text => reader.text?.(text);
  parser.ondoctype = parser.onsgmldeclaration = () => {
    throw notReadable(`The part “${part}” of the workbook declares entities, which are not read.`);
  };
  parser.onerror = error => {
    throw error;
  };
  try {
    for await (const chunk of octets) {
      parser.write(decoder.decode(chunk, { stream: true }));
      yield;
    }
    parser.write(decoder.decode()).close();
    yield;
  } catch (error) {
    throw error instanceof WorkbookFault
      ? error
      : notReadable(`The part “${part}” of the workbook is not valid XML.`, { cause: error });
  }
}

/** Reads XML to its end. */
export async function readWholeXml(
  octets: AsyncIterable<Uint8Array>,
  part: string,
  reader: XmlReader,
): Promise<void> {
  for await (const _piece of readXml(octets, part, reader)) {
    // The reader has taken it.
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function attributeOf(attributes: Readonly<Record<string, unknown>>, wanted: string): string | undefined {
  const plain = attributes[wanted];
  if (plain !== undefined) {
    return plain as string;
  }
  const prefixed = Object.keys(attributes).find(name => name.endsWith(`:${wanted}`));
  return prefixed === undefined ? undefined : (attributes[prefixed] as string);
}
