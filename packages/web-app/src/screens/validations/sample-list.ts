/** Addresses of the mail lab, with something of everything; nobody real is among them (RFC 2606 section 3). */
export const sampleList = `Ada Lovelace <ada@ordinary.example>
Grace Hopper <grace@ordinary.example>
nobody@ordinary.example
ADA@ordinary.example
ada@google-workspace.example
former@google-workspace.example
full@google-workspace.example
ada@microsoft365.example
nobody@microsoft365.example
ada@mimecast.example
ada@proofpoint.example
ada@catch-all.example
grace.ordinary.example
`;
