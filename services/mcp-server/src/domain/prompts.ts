import { isDeliverable, limits, prices, type ToolName, validationResults } from '@mailproof/shared-types';
import { z } from 'zod';
import { credits, meanings } from './usage-guide.ts';

/** A prompt as clients list and read it: a text that the user chooses and the assistant then follows. */
export interface Prompt<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Values that a client can offer for an optional argument. */
  readonly offers?: Readonly<Record<string, readonly string[]>>;
  textOf(given: z.output<Input>): string;
}

const validate: ToolName = 'svc_validate_email';
const status: ToolName = 'svc_get_account_status';
const prepare: ToolName = 'svc_prepare_list_validation';
const start: ToolName = 'svc_start_list_validation';
const follow: ToolName = 'svc_get_list_validation';
const results: ToolName = 'svc_get_list_results';

/** Longest pasted list and longest name, in characters; the whole message has its own limit. */
const listCharactersMax = 40_000;
const nameCharactersMax = 1_000;

/** How many addresses are validated one by one; more are quicker as a list. */
const singleAddressesMax = 10;

function argument(description: string, charactersMax: number) {
  return z
    .string()
    .trim()
    .min(1, 'enter at least one character')
    .max(charactersMax, `enter at most ${charactersMax} characters`)
    .describe(description);
}

const cleanList = definePrompt({
  name: 'clean_list',
  title: 'Clean this list',
  description: 'Validates the addresses of a list and separates the undeliverable ones.',
  input: z.object({
    addresses: argument('The addresses, or where your assistant can find them.', listCharactersMax),
    format: argument('The format of the result, for example a table.', nameCharactersMax).optional(),
  }),
  offers: { format: ['a table', 'CSV', 'a plain list of the usable addresses'] },
  textOf: ({ addresses, format }) =>
    text(
      'Clean this list of email addresses with the Mailproof tools:',
      quoted(addresses),
      steps(
        'Extract the email addresses. If the text only says where they are, read them there, or ask me for them. Remove duplicates, and tell me which entries are not valid addresses.',
        costStep('addresses'),
        `For more than ${singleAddressesMax} addresses, use the list tools: \`${prepare}\`, then \`${start}\` with the number of credits that I confirmed, then \`${follow}\` until the list has ended, then \`${results}\`. If you may not use them, continue with the next step.`,
        `For fewer addresses: ${validationStep('address')}`,
        `Show me the result as ${format ?? 'a table'} with each address, its result and what I should do with it. Then show the number of usable addresses, of other addresses and of credits used.`,
      ),
      meaningsPart(),
    ),
});

const findContacts = definePrompt({
  name: 'find_contacts',
  title: 'Find contacts at a company',
  description:
    'Finds working addresses at a company, based on people or addresses that you provide. Asks before it spends credits.',
  input: z.object({
    company: argument('The company’s name or domain, for example example.com.', nameCharactersMax),
    people: argument(
      'People you want to reach, or addresses you already have, if any.',
      listCharactersMax,
    ).optional(),
  }),
  textOf: ({ company, people }) =>
    text(
      'Use the Mailproof tools to find out whom I can write to at this company:',
      quoted(company),
      ...(people === undefined ? [] : ['I know these people or addresses:', quoted(people)]),
      steps(
        'Find the domain of the company’s email addresses. If you are not sure, ask me; do not guess.',
        people === undefined
          ? 'Ask me which people I want to reach. Do not invent names. Shared addresses such as info@ or sales@ are possible too.'
          : 'Use the addresses that I gave you unchanged. For a person without an address, propose at most three that follow common patterns (first.last@, first@, flast@), the likeliest first.',
        costStep('candidates'),
        `${validationStep('candidate')} Stop for a person as soon as an address is \`ok\` or \`catch_all_validated\`, so that the other candidates cost nothing. Once an address of the company is confirmed, try its pattern first for the next person.`,
        'For each person, show me the working address, or say that you found none. Mark addresses that you guessed from a pattern: a working address may belong to someone else.',
      ),
      meaningsPart(),
    ),
});

/** The prompts, in the order in which they are listed. */
export const allPrompts: readonly Prompt[] = [cleanList, findContacts];

/** Checks a prompt against the precise types of its arguments. */
function definePrompt<Input extends z.ZodObject>(prompt: Prompt<Input>): Prompt {
  return prompt as unknown as Prompt;
}

function costStep(what: string): string {
  return `Call \`${status}\`, which is free. Tell me how many ${what} there are, that each costs ${credits(prices.validation)} (\`unknown\` is free), and how many credits I have. Wait for my confirmation before you validate.`;
}

function validationStep(what: string): string {
  return `Call \`${validate}\` once for each ${what}, at most ${limits.requestsPerSecondDefault} calls per second. A call can take ${limits.validationDeadlineMsDefault / 1_000} seconds. When \`ok\` is false, do what \`data.error\` says; with status 402 or 403, stop and tell me.`;
}

function meaningsPart(): string {
  const lines = validationResults.map(
    result => `- \`${result}\`: ${meanings[result]} ${isDeliverable(result) ? 'Usable.' : 'Not usable.'}`,
  );
  return `What \`data.result\` means:\n\n${lines.join('\n')}`;
}

function steps(...all: readonly string[]): string {
  return all.map((step, index) => `${index + 1}. ${step}`).join('\n');
}

/** Marks the user's input, to separate it from our text. */
function quoted(given: string): string {
  return given
    .split('\n')
    .map(line => `> ${line}`)
    .join('\n');
}

function text(...parts: readonly string[]): string {
  return parts.join('\n\n');
}
