// A gateway and its platform in one process that is killed and comes back, with a scripted model behind it and chat
// services before it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ScriptedModel } from '@atoll/hooks/agent/testing/scripted-model'
import { type StandIn, startStandIn } from '@atoll/hooks/channels/testing/web-stand-in'
import { tempDir } from '@atoll/testkit/temp-dir'
import { ServerProcess } from '../server-process.ts'

const apiKey = 'sk-killed-gateway'
const [token, adminToken] = ['hook-token-of-a-killed-gateway', 'admin-token-of-a-killed-gateway']
const pollMs = 100
const beat = 'Look at the events above.'
/** The item that a text is about. */
export const markIn = (text: string): string | undefined => /#\d+-\d+-\d+#/.exec(text)?.[0]

export class KilledGateway {
  readonly model: ScriptedModel
  readonly chats: StandIn
  readonly #folder: string
  #server: ServerProcess | undefined
  #urls = { hooks: '', platform: '' }
  kills = 0

  private constructor(model: ScriptedModel, chats: StandIn, folder: string) {
    this.model = model
    this.chats = chats
    this.#folder = folder
  }

  static async open(): Promise<KilledGateway> {
    const [model, chats, folder] = await Promise.all([ScriptedModel.start(), startStandIn(), tempDir()])
    model.script = () => {
      const prompt = model.prompt()
      return { after: setTimeout(Math.random() * 30), text: prompt.includes(beat) ? 'HEARTBEAT_OK' : answerTo(prompt) }
    }
    writeFileSync(join(folder, 'atoll.json'), JSON.stringify(configOf(model.url, chats.url)))
    const gateway = new KilledGateway(model, chats, folder)
    await gateway.start()
    return gateway
  }

  async start(): Promise<void> {
    const args = ['--only', 'platform,hooks', '--port', '0', '--data', join(this.#folder, 'data')]
    const env = { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-killed-gateway', ATOLL_LOG_LEVEL: 'warn' }
    this.#server = new ServerProcess({ args: [...args, '--config', join(this.#folder, 'atoll.json')], env })
    this.#urls = { hooks: await this.#server.ready('hooks'), platform: await this.#server.ready() }
  }

  async killAndStart(): Promise<void> {
    this.kills += 1
    await this.#server?.kill()
    await this.start()
  }

  async close(): Promise<void> {
    await this.#server?.stop()
    await this.model.close()
    await this.chats.close()
  }

  /** As a careful sender does it: again, under the same key, until there is an answer. */
  async send(path: string, body: object, key: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key }
    for (;;) {
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      const answer = await fetch(`${this.#urls.hooks}/hooks/${path}`, request).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      if (answer !== undefined) return answer.status
      await setTimeout(pollMs)
    }
  }

  admin<Answer>(path: string): Promise<Answer> {
    return get(`${this.#urls.hooks}/hooks-admin${path}`, adminToken)
  }

  platform<Answer>(path: string): Promise<Answer> {
    return get(`${this.#urls.platform}/v1${path}`, apiKey, { 'openai-beta': 'assistants=v2' })
  }
}

const answerTo = (prompt: string): string => `Done with ${markIn(prompt)}`

async function get<Answer>(url: string, secret: string, more: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${secret}`, ...more } })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json() as Promise<Answer>
}

function configOf(model: string, chats: string): object {
  const scripted = { kind: 'upstream', replicas: [model], model: 'scripted', retries: 0 }
  const queue = { maxAttempts: 100, backoffSeconds: 0.1, maxBackoffSeconds: 1 }
  const build = { id: 'build', match: { path: 'build' }, name: 'Build', channel: 'discord', to: '777' }
  const templates = { messageTemplate: 'Do {{mark}}', sessionKey: '{{key}}' }
  return {
    platform: { runtimes: { scripted }, models: [{ id: 'gpt-4o-mini', runtime: 'scripted' }] },
    hooks: { token, adminToken, port: 0, queue, mappings: [{ ...build, ...templates }] },
    agents: { defaults: { heartbeat: { every: '0m', prompt: beat } } },
    channels: {
      allowPrivateAddresses: ['127.0.0.1'],
      discord: { url: chats, token: 'bot' },
      telegram: { url: chats, token: '1:bot' },
    },
  }
}
