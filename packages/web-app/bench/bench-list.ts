/** Domains of several providers in the mail lab that respond immediately. */
const domains = [
  'ordinary.example',
  'exim.example',
  'qmail.example',
  'catch-all.example',
  'google-workspace.example',
  'microsoft365.example',
  'proofpoint.example',
  'mimecast.example',
  'ironport.example',
  'gmail.com',
  'outlook.com',
  'yahoo.com',
  'icloud.com',
];

/**
 * Creates a file with the given numbers of rows and distinct addresses; repeated addresses cost neither credits nor
 * time.
 */
export function benchList(rows: number, addresses: number): string {
  const lines = Array.from({ length: rows }, (_, at) => {
    const who = at % addresses;
    const domain = domains[who % domains.length];
    const name = who < domains.length ? 'ada' : `person${who}`;
    return `${at + 1},Person ${at},${name}@${domain},Company ${at % 997},City ${at % 89},"A note, number ${at}",EUR ${at % 1_000}`;
  });
  return `id,name,email,company,city,note,revenue\n${lines.join('\n')}\n`;
}
