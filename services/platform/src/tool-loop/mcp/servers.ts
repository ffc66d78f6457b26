// The servers that the operator has allowed, and ways to them.
import { responseErrors } from '../../errors/responses.ts'
import { McpClient } from './client.ts'
import { HttpTransport } from './http-transport.ts'
import type { McpSettings } from './settings.ts'
import { StdioTransport } from './stdio-transport.ts'

export interface NamedServer {
  server_label: string
  server_url?: string | null | undefined
}

type Server = McpSettings['servers'][string]

export class McpServers {
  readonly #settings: McpSettings

  constructor(settings: McpSettings) {
    this.#settings = settings
  }

  /** Throws when the operator has not allowed it. */
  check(named: NamedServer): void {
    this.#find(named)
  }

  /** Connects when it is first asked something. */
  clientOf(named: NamedServer, headers: Readonly<Record<string, string>>): McpClient {
    const { url, command, env } = this.#find(named)
    const connect = () =>
      url === undefined ? new StdioTransport({ command: command ?? [], env }) : new HttpTransport(url, headers)
    return new McpClient(connect, this.#settings)
  }

  #find({ server_label: label, server_url: url }: NamedServer): Server {
    const { servers } = this.#settings
    const found =
      url == null
        ? Object.hasOwn(servers, label)
          ? servers[label]
          : undefined
        : Object.values(servers).find((server) => server.url !== undefined && isSame(server.url, url))
    if (found === undefined) throw responseErrors.mcpNotAllowed(url ?? label, url == null ? 'name' : 'address')
    return found
  }
}

function isSame(one: string, other: string): boolean {
  return URL.canParse(other) && new URL(one).href === new URL(other).href
}
