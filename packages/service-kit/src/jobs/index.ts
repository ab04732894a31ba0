export { type OutboxJob, type OutboxWorkOptions, outboxJob, startOutboxWork } from './outbox-work.ts';
export { createProducer, type Producer } from './producer.ts';
export { startWorker } from './worker.ts';
