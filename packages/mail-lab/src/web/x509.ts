export type X509 = typeof import('@peculiar/x509');

let loaded: Promise<X509> | undefined;

/**
 * Loads @peculiar/x509, whose dependency-injection container refuses to load unless
 * `Reflect.getMetadata` exists. The classes it registers have no constructor parameters, so there
 * is never any metadata to find and "none" is the right answer. The stand-in is there while the
 * library loads and gone afterwards, so that nothing else mistakes it for a real polyfill.
 */
export function loadX509(): Promise<X509> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<X509> {
  const missing = ['getMetadata', 'getOwnMetadata', 'defineMetadata'].filter(name => !(name in Reflect));
  for (const name of missing) {
    Object.defineProperty(Reflect, name, { value: () => undefined, configurable: true });
  }
  try {
    return await import('@peculiar/x509');
  } finally {
    for (const name of missing) Reflect.deleteProperty(Reflect, name);
  }
}
