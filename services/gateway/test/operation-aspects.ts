/** The aspects that every operation of the public interfaces is tested for, in order. */
export const aspects = ['success', 'badInput', 'noCredentials', 'anotherTenant'] as const;
