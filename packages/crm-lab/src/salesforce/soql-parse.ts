import { malformedQuery } from './api-error.ts';
import { type Token, tokensOf } from './soql-tokens.ts';

/** A query in the subset of SOQL that Mailproof and the simulator's list views use. */
export interface Query {
  readonly object: string;
  /** Null for `COUNT()`. */
  readonly fields: readonly string[] | null;
  readonly scope: string | null;
  readonly where: Condition | null;
  readonly orderBy: readonly { readonly field: string; readonly descending: boolean }[];
  readonly limit: number | null;
}

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly operator: Comparison;
      readonly values: readonly Token[];
    };

export type Comparison = '=' | '!=' | '<' | '>' | '<=' | '>=' | 'LIKE' | 'IN' | 'NOT IN' | 'INCLUDES';

const comparisons: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '>': '>',
  '<=': '<=',
  '>=': '>=',
};

/** The most characters in a SOQL statement. */
const charactersMax = 100_000;

/**
 * Parses a query. Refuses everything else with MALFORMED_QUERY, so that a test that uses an unsimulated feature fails.
 */
export function parseSoql(soql: string): Query {
  if (soql.length > charactersMax) {
    throw malformedQuery('SOQL statements cannot be longer than 100000 characters.');
  }
  return new SoqlReader(tokensOf(soql)).query();
}

class SoqlReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  query(): Query {
    this.#expectWord('SELECT');
    const fields = this.#fields();
    this.#expectWord('FROM');
    const object = this.#word();
    const scope = this.#takeWord('USING') ? this.#scope() : null;
    const where = this.#takeWord('WHERE') ? this.#condition() : null;
    const orderBy = this.#takeWord('ORDER') ? this.#order() : [];
    const limit = this.#takeWord('LIMIT') ? this.#wholeNumber() : null;
    if (this.#at < this.#tokens.length) {
      throw this.#unexpected();
    }
    return { object, fields, scope, where, orderBy, limit };
  }

  #fields(): readonly string[] | null {
    if (this.#takeWord('COUNT')) {
      this.#expectSign('(');
      this.#expectSign(')');
      return null;
    }
    return this.#separated(() => {
      if (!this.#takeWord('toLabel')) {
        return this.#word();
      }
      this.#expectSign('(');
      const field = this.#word();
      this.#expectSign(')');
      return field;
    });
  }

  #scope(): string {
    this.#expectWord('SCOPE');
    return this.#word();
  }

  /** A mix of AND and OR needs parentheses. */
  #condition(): Condition {
    const first = this.#term();
    const joiner = ['AND', 'OR'].find(word => this.#isWord(word));
    if (joiner === undefined) {
      return first;
    }
    const of = [first];
    while (this.#takeWord(joiner)) {
      of.push(this.#term());
    }
    if (this.#isWord('AND') || this.#isWord('OR')) {
      throw this.#unexpected();
    }
    return { kind: joiner === 'AND' ? 'all' : 'any', of };
  }

  #term(): Condition {
    if (this.#takeWord('NOT')) {
      return { kind: 'not', of: this.#term() };
    }
    if (this.#takeSign('(')) {
      const condition = this.#condition();
      this.#expectSign(')');
      return condition;
    }
    return this.#comparison();
  }

  #comparison(): Condition {
    const field = this.#word();
    if (this.#takeWord('LIKE')) {
      return { kind: 'compare', field, operator: 'LIKE', values: [this.#literal()] };
    }
    const isNot = this.#takeWord('NOT');
    const lists = (['IN', 'INCLUDES'] as const).find(word => this.#takeWord(word));
    if (lists !== undefined) {
      this.#expectSign('(');
      const values = this.#separated(() => this.#literal());
      this.#expectSign(')');
      return { kind: 'compare', field, operator: isNot ? 'NOT IN' : lists, values };
    }
    const token = this.#next();
    const operator = token.kind === 'sign' ? comparisons[token.text] : undefined;
    if (isNot || operator === undefined) {
      throw this.#unexpected();
    }
    return { kind: 'compare', field, operator, values: [this.#literal()] };
  }

  #order(): readonly { field: string; descending: boolean }[] {
    this.#expectWord('BY');
    return this.#separated(() => {
      const field = this.#word();
      const descending = this.#takeWord('DESC');
      if (!descending) {
        this.#takeWord('ASC');
      }
      if (this.#takeWord('NULLS') && !this.#takeWord('FIRST')) {
        this.#expectWord('LAST');
      }
      return { field, descending };
    });
  }

  #separated<Piece>(piece: () => Piece): readonly Piece[] {
    const pieces = [piece()];
    while (this.#takeSign(',')) {
      pieces.push(piece());
    }
    return pieces;
  }

  #literal(): Token {
    const token = this.#next();
    if (token.kind === 'sign') {
      throw this.#unexpected();
    }
    return token;
  }

  #wholeNumber(): number {
    const token = this.#next();
    if (token.kind !== 'number' || !/^\d+$/.test(token.text)) {
      throw this.#unexpected();
    }
    return Number(token.text);
  }

  #word(): string {
    const token = this.#next();
    if (token.kind !== 'word') {
      throw this.#unexpected();
    }
    return token.text;
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'word' && token.text.toLowerCase() === word.toLowerCase();
  }

  #takeWord(word: string): boolean {
    const isIt = this.#isWord(word);
    this.#at += isIt ? 1 : 0;
    return isIt;
  }

  #expectWord(word: string): void {
    if (!this.#takeWord(word)) {
      throw this.#unexpected();
    }
  }

  #takeSign(sign: string): boolean {
    const token = this.#tokens[this.#at];
    const isIt = token?.kind === 'sign' && token.text === sign;
    this.#at += isIt ? 1 : 0;
    return isIt;
  }

  #expectSign(sign: string): void {
    if (!this.#takeSign(sign)) {
      throw this.#unexpected();
    }
  }

  #next(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) {
      throw this.#unexpected();
    }
    this.#at += 1;
    return token;
  }

  #unexpected(): Error {
    const token = this.#tokens[this.#at] ?? this.#tokens[this.#at - 1];
    return malformedQuery(`unexpected token: '${token?.text ?? '<EOF>'}'`);
  }
}
