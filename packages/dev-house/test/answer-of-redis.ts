import { Redis } from 'ioredis';

/** What Redis answers to a ping, or why it refuses the user and password of this address. */
export async function answerOfRedis(url: string): Promise<string> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, enableReadyCheck: false });
  const complaints: string[] = [];
  client.on('error', error => complaints.push(error.message));
  try {
    await client.connect();
    return await client.ping();
  } catch (error) {
    return complaints[0] ?? String(error);
  } finally {
    if (client.status !== 'end') client.disconnect();
  }
}
