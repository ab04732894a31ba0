import { describeStayingConnected } from './cases.ts';
import { mcpRemote } from './mcp-remote-program.ts';
import { sdkV1, sdkV2Legacy, sdkV2Modern } from './sdk-programs.ts';

describeStayingConnected([sdkV1, sdkV2Legacy, sdkV2Modern, mcpRemote]);
