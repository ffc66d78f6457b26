// A whole gateway beside its platform, as operators run it, and an inner service that no attacker may reach.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { vi } from 'vitest'
import { ServerProcess } from '../../../../../cli/nodes/server-process.ts'
import { ScriptedModel } from '../../agent/testing/scripted-model.ts'
import { type StandIn, startStandIn } from '../../channels/testing/web-stand-in.ts'
import type { Answer } from '../../testing/hooks-server.ts'

export const token = 'hook-token-under-attack'
export const githubSecret = 'github-secret-under-attack'
export const apiKey = 'sk-key-of-the-platform'
const adminToken = 'admin-token-under-attack'
export const beatPrompt = 'Look at what happened.'
const patience = { timeout: 20_000, interval: 50 }

/** Each attacker has an address of its own, told by a proxy that is trusted. */
let addresses = 0
export function newAddress(): string {
  addresses += 1
  return `198.18.${addresses >> 8}.${addresses & 255}`
}

interface Delivery {
  state: string
  outcome: { delivery?: { outboxId?: string; suppressed?: string } } | null
}

export class AttackedGateway {
  readonly model: ScriptedModel
  readonly inside: StandIn
  readonly #folder: string
  readonly #server: ServerProcess
  readonly #url: string

  private constructor(model: ScriptedModel, inside: StandIn, folder: string, server: ServerProcess, url: string) {
    this.model = model
    this.inside = inside
    this.#folder = folder
    this.#server = server
    this.#url = url
  }

  static async open(): Promise<AttackedGateway> {
    const [model, inside, folder] = await Promise.all([ScriptedModel.start(), startStandIn(), tempDir()])
    mkdirSync(join(folder, 'transforms'))
    writeFileSync(join(folder, 'transforms', 'escape.js'), escapeSource)
    writeFileSync(join(folder, 'outside.js'), 'export default () => ({ message: "from outside" })')
    symlinkSync(join(folder, 'outside.js'), join(folder, 'transforms', 'link.js'))
    writeConfig(folder, configOf(folder, model.url, inside.url, {}))
    const server = start(folder)
    return new AttackedGateway(model, inside, folder, server, await server.ready('hooks'))
  }

  /** All that it logged and printed. */
  get output(): string {
    return this.#server.output
  }

  async request(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Answer> {
    const headers = { 'x-forwarded-for': '198.51.100.1', ...init.headers }
    const response = await fetch(this.#url + path, { redirect: 'manual', ...init, headers })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  /** As a sender who knows the token, unless the headers say otherwise. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.request(path, { method: 'POST', body: text, headers: { authorization: `Bearer ${token}`, ...headers } })
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  async admin(path: string, method = 'GET'): Promise<any> {
    const headers = { authorization: `Bearer ${adminToken}` }
    return (await this.request(`/hooks-admin${path}`, { method, headers })).body
  }

  async countDeliveries(): Promise<number> {
    return (await this.admin('/deliveries?limit=1000')).deliveries.length
  }

  ended(runId: string): Promise<Delivery> {
    return vi.waitFor(async () => {
      const delivery: Delivery = await this.admin(`/deliveries/${runId}`)
      if (delivery.state === 'queued' || delivery.state === 'running') throw new Error(`still ${delivery.state}`)
      return delivery
    }, patience)
  }

  /** What the model was shown in the newest request with all these texts, not counting the first `since`. */
  shown(texts: readonly string[], since = 0): Promise<{ prompt: string; tools: string[] }> {
    return vi.waitFor(() => {
      for (let index = this.model.asked.length - 1; index >= since; index--) {
        const prompt = this.model.prompt(index)
        if (texts.every((text) => prompt.includes(text))) return { prompt, tools: this.model.tools(index) }
      }
      throw new Error(`the model was not shown ${texts.join(' with ')}`)
    }, patience)
  }

  /** Until the main session has been told all that happened. */
  async settled(): Promise<void> {
    await vi.waitFor(async () => {
      const { deliveries, heartbeat } = await this.admin('/status')
      if (deliveries.queued + deliveries.running > 0 || heartbeat.isRunning) throw new Error('something runs')
      if (heartbeat.openEvents === 0) return
      if (!heartbeat.isWanted) await this.admin('/heartbeat', 'POST')
      throw new Error('events are open')
    }, patience)
  }

  /** Changes settings of `hooks` while it runs. */
  reload(hooks: object): void {
    writeConfig(this.#folder, configOf(this.#folder, this.model.url, this.inside.url, hooks))
    process.kill(this.#server.processId, 'SIGHUP')
  }

  /** What another gateway with these settings says before it ends. */
  async refusedStart(hooks: object): Promise<string> {
    const folder = await tempDir()
    writeConfig(folder, configOf(this.#folder, this.model.url, this.inside.url, hooks))
    const server = start(folder)
    const problem = await server.ready('hooks').then(
      () => '',
      (error: Error) => error.message,
    )
    if (problem === '') {
      await server.stop()
      throw new Error(`it started with ${JSON.stringify(hooks)}`)
    }
    return problem
  }

  async close(): Promise<void> {
    await this.#server.stop()
    await this.model.close()
    await this.inside.close()
  }
}

/** Tries every way out of the sandbox that is known by name. */
const escapeSource = `export default function ({ payload }) {
  const found = ['process', 'require', 'fetch', 'Deno', 'XMLHttpRequest'].filter((name) => name in globalThis)
  let root = 'none'
  try { root = Function('return typeof process')() } catch { root = 'refused' }
  return { message: 'found:' + found.join() + ' root:' + root + ' ' + payload.id }
}`

const writeConfig = (folder: string, config: object): void =>
  writeFileSync(join(folder, 'atoll.json'), JSON.stringify(config))

const start = (folder: string): ServerProcess =>
  new ServerProcess({
    args: [
      '--only',
      'platform,hooks',
      '--port',
      '0',
      '--data',
      join(folder, 'data'),
      '--config',
      join(folder, 'atoll.json'),
    ],
    env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-of-the-platform', ATOLL_LOG_LEVEL: 'debug' },
  })

function configOf(folder: string, model: string, inside: string, more: object): object {
  const scripted = { kind: 'upstream', replicas: [model], model: 'scripted', retries: 0 }
  const mappings = [
    { id: 'github', match: { path: 'github' }, messageTemplate: 'Push to {{ref}}', deliver: false, signature },
    { id: 'keyed', match: { path: 'keyed' }, messageTemplate: '{{text}}', sessionKey: '{{key}}', deliver: false },
    { id: 'escape', match: { path: 'escape' }, transform: { module: 'escape.js' }, deliver: false },
  ]
  return {
    platform: { runtimes: { scripted }, models: [{ id: 'gpt-4o-mini', runtime: 'scripted' }] },
    hooks: {
      ...{ token, adminToken, port: 0, trustedProxies: ['127.0.0.1'], presets: ['gmail'], mappings },
      ...{ transformsDir: join(folder, 'transforms'), ...more },
    },
    agents: {
      defaults: {
        heartbeat: { every: '0m', prompt: beatPrompt },
        tools: [{ type: 'function', name: 'open_gate', url: `${inside}/gate` }],
      },
    },
    channels: { discord: { url: inside, token: 'bot' } },
  }
}

const signature = { scheme: 'github', secrets: [githubSecret] }
