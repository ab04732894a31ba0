/** What moved credits, in the words of whoever asked for it. */
const names: Readonly<Record<string, string>> = {
  'check-address': 'Checks of one address',
  'validate-single-email': 'Validations by API',
  'start-validation-job': 'Validated lists',
  'profile-enrichment': 'Profiles by API',
  'begin-people-search': 'Previews of people',
  'change-people-search': 'Previews of people, changed filters',
  'start-discovery-run': 'Saved people',
  'start-lookalike-run': 'Lookalike companies',
  'open-billing-cycle': 'Credits of the billing cycle',
  'operator-grant': 'Credits from us',
  'operator-top-up': 'Credits bought',
  'delete-account': 'Deletion of the account',
};

/** How an operation is called for people; its identifier where it is newer than this page. */
export function operationName(operation: string): string {
  return Object.hasOwn(names, operation) ? (names[operation] ?? operation) : operation.replaceAll('-', ' ');
}

/** Its colour in charts, always the same. */
export function operationColour(operation: string): string {
  return colours[operation] ?? 'var(--neutral)';
}

const colours: Readonly<Record<string, string>> = {
  'check-address': 'var(--accent)',
  'validate-single-email': 'var(--fair)',
  'start-validation-job': 'var(--good)',
  'start-discovery-run': 'var(--caution)',
  'start-lookalike-run': 'var(--bad)',
  'begin-people-search': 'var(--line-strong)',
  'change-people-search': 'var(--line-strong)',
};
