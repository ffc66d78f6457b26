// What callers give us for an MCP server and nobody else: never shown, never logged, and kept only where a response in the
// background needs it later, sealed with a key that is not in the database.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { responseErrors } from '../../../../errors/responses.ts'
import type { ResponseTool } from '../schema.ts'

/** Headers by `server_label`. */
export type McpSecrets = Record<string, Record<string, string>>

const hidden = '<redacted>'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const cipherName = 'aes-256-gcm'

export function secretsOf(tools: readonly ResponseTool[]): McpSecrets {
  const secrets: McpSecrets = {}
  for (const tool of tools) {
    if (tool.type !== 'mcp') continue
    const { authorization, headers } = tool
    if (headers == null && authorization == null) continue
    const given: Record<string, string> = authorization == null ? {} : { authorization: `Bearer ${authorization}` }
    for (const [name, value] of Object.entries(headers ?? {})) given[name.toLowerCase()] = value
    secrets[tool.server_label] = given
  }
  return secrets
}

/** As they are kept and shown. */
export function withoutSecrets(tools: readonly ResponseTool[]): ResponseTool[] {
  return tools.map((tool) => {
    if (tool.type !== 'mcp') return tool
    const { authorization, headers, ...rest } = tool
    return {
      ...rest,
      ...(authorization == null ? {} : { authorization: hidden }),
      ...(headers == null
        ? {}
        : { headers: Object.fromEntries(Object.keys(headers).map((name) => [name.toLowerCase(), hidden])) }),
    }
  })
}

export class SecretBox {
  readonly #path: string
  #key: Promise<Buffer> | undefined

  constructor(folder: string) {
    this.#path = join(folder, 'mcp-secrets.key')
  }

  /** Undefined when there are none. */
  async seal(secrets: McpSecrets, responseId: string): Promise<string | undefined> {
    if (Object.keys(secrets).length === 0) return undefined
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(cipherName, await this.#ownKey(), nonce).setAAD(Buffer.from(responseId))
    const text = Buffer.concat([cipher.update(JSON.stringify(secrets)), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
  }

  async open(sealed: string | undefined, responseId: string): Promise<McpSecrets> {
    if (sealed === undefined) return {}
    const bytes = Buffer.from(sealed, 'base64')
    const tagEnd = nonceBytes + tagBytes
    try {
      const decipher = createDecipheriv(cipherName, await this.#ownKey(), bytes.subarray(0, nonceBytes))
      decipher.setAAD(Buffer.from(responseId)).setAuthTag(bytes.subarray(nonceBytes, tagEnd))
      const text = Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()])
      return JSON.parse(text.toString()) as McpSecrets
    } catch {
      // Another node has made it, or the key was lost.
      throw responseErrors.mcpSecretsLost()
    }
  }

  #ownKey(): Promise<Buffer> {
    this.#key ??= keyAt(this.#path)
    return this.#key
  }
}

async function keyAt(path: string): Promise<Buffer> {
  await writeFile(path, randomBytes(keyBytes), { flag: 'wx', mode: 0o600, flush: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  return readFile(path)
}
