/**
 * One line without control characters, unpaired surrogates, or characters that change the direction of text. Postgres
 * cannot store NUL in `text` or an unpaired surrogate in `jsonb`.
 */
export const oneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

/** The error message for any other text. */
export const oneLineFault = 'must be one line without control characters';
