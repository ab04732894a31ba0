import { describeStayingConnected } from '../cases.ts';
import { langChain, mastra } from './more-programs.ts';

describeStayingConnected([langChain, mastra]);
