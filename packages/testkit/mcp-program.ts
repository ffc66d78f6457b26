// The same server as a program that speaks through its standard input and output.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { toolServer } from './mcp-server.ts'

serveStdio(() => toolServer([]))
