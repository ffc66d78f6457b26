// The endpoint of a database: always there, and always on its master.
import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { ProxyControl, type ProxySpec } from '../../proxies/proxy-supervisor.ts'
import type { ShardAddress } from '../../redis/redis-connection.ts'

const bindAttempts = 20
const bindPauseMs = 50

type Spec = Omit<ProxySpec, 'target'>
type Path = { path: string }

export class LiveEndpoint {
  readonly #spec: Spec
  readonly #died: () => void
  #proxy: ProxyControl | undefined
  #isReleased = false

  constructor(spec: Spec, died: () => void) {
    this.#spec = spec
    this.#died = died
  }

  /** Throws while it does not run. */
  get proxy(): ProxyControl {
    if (this.#proxy === undefined) throw new Error(`The endpoint on port ${this.#spec.listen.port} does not run.`)
    return this.#proxy
  }

  /** Undefined when it was not started, or not found again. */
  get running(): ProxyControl | undefined {
    return this.#proxy
  }

  /** Finds it again if it still runs. */
  async adopt(): Promise<void> {
    this.#serves(await ProxyControl.adopt({ ...this.#spec, target: { path: '' } }))
  }

  /** Undefined when it does not answer. */
  status() {
    return this.#proxy?.status().catch(() => undefined)
  }

  async target(): Promise<ShardAddress | undefined> {
    return (await this.status())?.target
  }

  /** For the first time: nothing of its own can still have the port. */
  async open(master: Path): Promise<void> {
    this.#serves(await ProxyControl.start({ ...this.#spec, target: master }))
  }

  /** Starts it when it is gone, and sends it to `master`. True when it was not there already. */
  async revive(master: Path): Promise<boolean> {
    const target = await this.target()
    if (target === undefined) {
      this.#proxy?.release()
      this.#serves(await startWhenFree({ ...this.#spec, target: master }))
      return true
    }
    if ('path' in target && target.path === master.path) return false
    await this.proxy.redirect(master)
    return true
  }

  /** The process goes on. */
  release(): void {
    this.#isReleased = true
    this.#proxy?.release()
  }

  async stop(): Promise<void> {
    this.release()
    await this.#proxy?.stop()
  }

  async erase(): Promise<void> {
    await this.stop()
    await rm(this.#spec.folder, { recursive: true, force: true })
  }

  #serves(proxy: ProxyControl | undefined): void {
    this.#proxy = proxy
    proxy?.onExit(() => {
      if (this.#proxy === proxy && !this.#isReleased) this.#died()
    })
  }
}

/** Somebody else listens where the endpoint should. */
export const isPortTaken = (error: unknown): boolean => error instanceof Error && error.message.includes('EADDRINUSE')

/** The proxy before may still be giving up the port. */
async function startWhenFree(spec: ProxySpec): Promise<ProxyControl> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ProxyControl.start(spec)
    } catch (error) {
      if (!isPortTaken(error) || attempt >= bindAttempts) throw error
      await delay(bindPauseMs)
    }
  }
}
