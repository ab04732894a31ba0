/**
 * One line without control characters, without halves of surrogate pairs, and without characters that turn the
 * direction of text. Postgres keeps no NUL in a text, and no half of a pair in `jsonb`.
 */
export const oneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

/** What is said of a text that is something else. */
export const oneLineFault = 'must be one line without control characters';
