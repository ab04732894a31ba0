import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A bare SMTP client for tests: it sends given lines and returns whole replies. */
export class TestSmtpClient {
  #socket: Socket;
  #received = '';
  #closed = false;
  #changed: (() => void) | undefined;
  readonly #deadlineMs: number;

  private constructor(socket: Socket, deadlineMs: number) {
    this.#socket = socket;
    this.#deadlineMs = deadlineMs;
    this.#listen(socket);
  }

  static async connect(address: string, port: number, deadlineMs = 20_000): Promise<TestSmtpClient> {
    const socket = connect(port, address);
    const client = new TestSmtpClient(socket, deadlineMs);
    await once(socket, 'connect');
    return client;
  }

  /**
   * Returns the next reply, with its lines joined by line feeds.
   *
   * @throws Error `closed` when the connection ends first, `no reply` when the deadline passes
   */
  async reply(): Promise<string> {
    const pattern = /^(?:\d{3}-[^\r]*\r\n)*\d{3}(?: [^\r]*)?\r\n/;
    await this.#until(() => pattern.test(this.#received));
    const reply = pattern.exec(this.#received)?.[0] ?? '';
    this.#received = this.#received.slice(reply.length);
    return reply.trimEnd().replaceAll('\r\n', '\n');
  }

  /** Sends commands as one flight and collects a reply for each. */
  async send(...commands: readonly string[]): Promise<string[]> {
    await this.write(commands.map(command => `${command}\r\n`).join(''));
    const replies: string[] = [];
    for (const _ of commands) replies.push(await this.reply());
    return replies;
  }

  /** Sends a command and waits for its reply. */
  async ask(command: string): Promise<string> {
    const [reply = ''] = await this.send(command);
    return reply;
  }

  /** Resolves when the octets have been sent. */
  write(octets: string | Buffer): Promise<void> {
    return new Promise(resolve => this.#socket.write(octets, () => resolve()));
  }

  /** Waits for that many octets of any content. */
  async octets(count: number): Promise<string> {
    await this.#until(() => this.#received.length >= count);
    return this.#received;
  }

  async startTls(): Promise<void> {
    this.#socket.removeAllListeners('data');
    const secured = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(secured, 'secureConnect');
    this.#socket = secured;
    this.#listen(secured);
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    await this.#until(() => this.#closed, true);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #listen(socket: Socket): void {
    socket.on('error', () => undefined);
    socket.on('data', octets => {
      this.#received += octets.toString('utf8');
      this.#changed?.();
    });
    for (const event of ['end', 'close'] as const) {
      socket.on(event, () => {
        this.#closed = true;
        this.#changed?.();
      });
    }
  }

  async #until(condition: () => boolean, closedIsFine = false): Promise<void> {
    const end = performance.now() + this.#deadlineMs;
    while (!condition()) {
      if (this.#closed && !closedIsFine) throw new Error('closed');
      const leftMs = end - performance.now();
      if (leftMs <= 0) throw new Error('no reply');
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, leftMs);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
