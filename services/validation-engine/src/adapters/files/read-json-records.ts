import { type LineRules, limits, linesOf } from '@mailproof/shared-types';
import { Tokenizer, TokenizerError, TokenType } from '@streamparser/json';
import { IntakeFault, notReadable } from '../../domain/intake/intake-fault.ts';
import { addressField, type JsonForm, type JsonRecord, placeOf } from '../../domain/intake/open-json.ts';

type Fields = Map<string, string>;

/** How much text is tokenized at once, so that no string becomes much longer than a row may be. */
const pieceCharacters = 65_536;
const stringBufferOctets = 4_096;
/** Blank lines are no rows, and some programs write one after each row. */
const linesMax = limits.jobRowsMax * 2;
const arrayRemedy = 'Send one array, or one value a line as `application/x-ndjson`.';

/**
 * Reads records from JSON (RFC 8259): one array, or one value on each line. It holds one piece of text and one record.
 * Numbers keep their digits, because a number of JavaScript would change long ids. A record is text or a flat object;
 * names that occur twice are refused (RFC 8259 section 4 leaves their meaning open), and so is what Postgres cannot
 * store.
 *
 * @throws IntakeFault at the first record that cannot be read
 */
export function readJsonRecords(text: AsyncIterable<string>, form: JsonForm): AsyncGenerator<JsonRecord> {
  return form === 'array' ? readArray(text) : readLines(text);
}

async function* readArray(text: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let line = 1;
  let expected = 'array' as 'array' | 'record or end' | 'record' | 'comma or end' | 'nothing';
  let records: JsonRecord[] = [];
  let charactersOfRow = 0;
  const place = () => (expected === 'array' || expected === 'nothing' ? 'The body' : placeOf('array', line));
  const record = createRecordReader(place);
  const tokens = createTokens(place, (token, value) => {
    if (expected === 'nothing') {
      throw notReadable(`The body has text after the end of the array. ${arrayRemedy}`);
    }
    if (expected === 'array') {
      if (token !== TokenType.LEFT_BRACKET) {
        throw notReadable(`The body is not an array. ${arrayRemedy}`);
      }
      expected = 'record or end';
    } else if (expected === 'comma or end') {
      if (token !== TokenType.COMMA && token !== TokenType.RIGHT_BRACKET) {
        throw notReadable(`After row ${line - 1}, there must be a comma or the end of the array.`);
      }
      expected = token === TokenType.COMMA ? 'record' : 'nothing';
    } else if (expected === 'record or end' && token === TokenType.RIGHT_BRACKET) {
      expected = 'nothing';
    } else {
      const fields = record.take(token, value);
      expected = 'record';
      if (fields) {
        records.push({ line, fields });
        line += 1;
        expected = 'comma or end';
      }
    }
  });
  for await (const part of text) {
    for (let begin = 0; begin < part.length; begin += pieceCharacters) {
      const piece = part.slice(begin, begin + pieceCharacters);
      tokens.write(piece);
      charactersOfRow = records.length > 0 ? 0 : charactersOfRow + piece.length;
      if (charactersOfRow > limits.rowBytesMax) {
        throw tooLong(place());
      }
      yield* records;
      records = [];
    }
  }
  tokens.end();
  if (expected !== 'nothing') {
    throw notReadable(
      expected === 'array'
        ? `The body is empty. ${arrayRemedy}`
        : `${place()} is cut off: the array does not end.`,
    );
  }
}

async function* readLines(text: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let line = 0;
  const place = () => placeOf('lines', line);
  const rules: LineRules = {
    ends: 'any',
    keepsUnfinished: true,
    charactersMax: limits.rowBytesMax,
    tooLong: number => tooLong(placeOf('lines', number)),
  };
  const record = createRecordReader(place);
  let fields: Fields | undefined;
  const tokens = createTokens(place, (token, value) => {
    if (fields) {
      throw notReadable(`${place()} has more than one value. Send one value a line.`);
    }
    fields = record.take(token, value);
  });
  for await (const content of linesOf(text, rules)) {
    line += 1;
    if (line > linesMax) {
      throw new IntakeFault('too_many_rows', `The list has more than ${linesMax} lines.`);
    }
    if (content.trim() !== '') {
      // The line end completes a number, and shows that a text or a word is not complete.
      tokens.write(`${content}\n`);
      if (!fields) {
        throw notReadable(`${place()} is cut off: its object does not end on it.`);
      }
      yield { line, fields };
      fields = undefined;
    }
  }
}

function tooLong(place: string): IntakeFault {
  return notReadable(`${place} has more than ${limits.rowBytesMax} characters.`);
}

/** Keeps the digits of numbers: `onToken` gets their text. */
class ExactTokenizer extends Tokenizer {
  protected override parseNumber(digits: string): number {
    return digits as unknown as number;
  }
}

/** Tokenizes text that arrives in pieces. */
function createTokens(place: () => string, onToken: (token: TokenType, value: unknown) => void) {
  const tokenizer = new ExactTokenizer({ stringBufferSize: stringBufferOctets });
  tokenizer.onToken = ({ token, value }) => onToken(token, value);
  const orFault = (work: () => void) => {
    try {
      work();
    } catch (cause) {
      if (cause instanceof TokenizerError) {
        throw notReadable(`${place()} is not valid JSON.`, { cause });
      }
      throw cause;
    }
  };
  return {
    write: (piece: string) => orFault(() => tokenizer.write(piece)),
    end: () => orFault(() => tokenizer.end()),
  };
}

/** Reads one record after the other from its tokens: text, or an object of which no value is nested. */
function createRecordReader(place: () => string) {
  let fields: Fields | undefined;
  let name = '';
  let expected: 'name or end' | 'name' | 'colon' | 'value' | 'comma or end' = 'name or end';
  const faulty = (what: string) => notReadable(`${place()} ${what}`);

  function takeMember(token: TokenType, value: unknown, known: Fields): boolean {
    switch (expected) {
      case 'name or end':
      case 'name':
        if (token === TokenType.RIGHT_BRACE && expected === 'name or end') {
          return true;
        }
        if (token !== TokenType.STRING) {
          throw faulty('is not valid JSON: the name of a field must come here.');
        }
        name = storable(value as string, 'The name of a field');
        if (known.has(name)) {
          throw faulty(`has the field “${name.slice(0, 200)}” twice.`);
        }
        expected = 'colon';
        return false;
      case 'colon':
        if (token !== TokenType.COLON) {
          throw faulty('is not valid JSON: a colon must follow the name of a field.');
        }
        expected = 'value';
        return false;
      case 'value':
        known.set(name, cellOf(token, value));
        expected = 'comma or end';
        return false;
      case 'comma or end':
        if (token !== TokenType.COMMA && token !== TokenType.RIGHT_BRACE) {
          throw faulty('is not valid JSON: a comma must follow the value of a field.');
        }
        expected = 'name';
        return token === TokenType.RIGHT_BRACE;
    }
  }

  function cellOf(token: TokenType, value: unknown): string {
    const what = `The field “${name.slice(0, 200)}”`;
    switch (token) {
      case TokenType.STRING:
        return storable(value as string, what);
      case TokenType.NUMBER:
        if (!Number.isFinite(Number(value))) {
          throw notReadable(`${place()}: ${what} is a number that is too large. Send it as text.`);
        }
        return value as string;
      case TokenType.TRUE:
      case TokenType.FALSE:
        return String(value);
      case TokenType.NULL:
        return '';
      case TokenType.LEFT_BRACE:
      case TokenType.LEFT_BRACKET:
        throw notReadable(
          `${place()}: ${what} is an object or an array. A field is text, a number, true, false or null.`,
        );
      default:
        throw faulty('is not valid JSON: a value must follow the colon.');
    }
  }

  function storable(text: string, what: string): string {
    if (text.includes('\0') || !text.isWellFormed()) {
      throw notReadable(
        `${place()}: ${what} contains ${text.includes('\0') ? 'the character NUL' : 'half of a surrogate pair'}.`,
      );
    }
    return text;
  }

  return {
    /** Returns the record with its last token. */
    take(token: TokenType, value: unknown): Fields | undefined {
      if (fields) {
        const known = fields;
        if (!takeMember(token, value, known)) {
          return undefined;
        }
        fields = undefined;
        return known;
      }
      if (token === TokenType.STRING) {
        return new Map([[addressField, storable(value as string, 'The address')]]);
      }
      if (token === TokenType.COMMA || token === TokenType.RIGHT_BRACKET) {
        throw faulty('is missing: there is a comma too many before it.');
      }
      if (token !== TokenType.LEFT_BRACE) {
        throw faulty('must be an address as text, or an object with an `email`.');
      }
      fields = new Map();
      expected = 'name or end';
      return undefined;
    },
  };
}
